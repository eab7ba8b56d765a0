"""What people do to a debate, as a value: done here, or sent to the node that runs the debate and answered by it."""

from typing import Final

import msgspec
from msgspec import Struct

from events.types import ModeratorSpoke
from server.debate.acts import Ballot
from server.errors import Relayed, Told, told


class Pause(Struct, frozen=True, tag="pause"):
    """Rest after what is in flight."""

    reason: str
    by: str


class Resume(Struct, frozen=True, tag="resume"):
    """Go on, with a new cap in US dollars where one is given."""

    reason: str
    by: str
    max_cost_usd: float | None = None


class Halt(Struct, frozen=True, tag="halt"):
    """Stop at once."""

    reason: str
    by: str


class Appeal(Struct, frozen=True, tag="appeal"):
    """Ask for a second opinion on a flagged claim."""

    claim: str
    by: str


class Decide(Struct, frozen=True, tag="decide"):
    """Record a person's decision where the panel names no winner."""

    decision: str
    reason: str
    by: str


class Say(Struct, frozen=True, tag="say"):
    """Record a word of the moderator's."""

    word: ModeratorSpoke


class Cast(Struct, frozen=True, tag="cast"):
    """Record a vote or a belief."""

    ballot: Ballot


Command = Pause | Resume | Halt | Appeal | Decide | Say | Cast


class Done(Struct, frozen=True, tag="done"):
    """It stands in the log."""

    position: int


class Refused(Told, frozen=True, tag="refused", kw_only=True):
    """It was refused, and how that is told to whoever asked."""


class Gone(Struct, frozen=True, tag="gone"):
    """Nothing was done: another node runs the debate by now."""


Answer = Done | Refused | Gone
_json: Final = msgspec.json.Encoder()
_errands: Final[msgspec.json.Decoder[Command]] = msgspec.json.Decoder(Command)
_answers: Final[msgspec.json.Decoder[Answer]] = msgspec.json.Decoder(Answer)


def write(said: Command | Answer) -> bytes:
    """As it travels."""
    return _json.encode(said)


def read_command(said: bytes) -> Command:
    """What a node sent.  Raises ``msgspec.DecodeError`` for what this version does not know."""
    return _errands.decode(said)


def read_answer(said: bytes) -> Answer:
    """What the debate's node said.  Raises ``msgspec.DecodeError`` for what this version does not know."""
    return _answers.decode(said)


def refusal_of(error: Exception) -> Refused:
    """What a person is told of an expected failure, to be told by another node."""
    return Refused(**msgspec.structs.asdict(told(error)))


def as_error(refused: Refused) -> Relayed:
    """The same failure here."""
    return Relayed(refused)
