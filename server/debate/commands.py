"""Commands: what people do to a debate, as values, and the results.

A command is carried out in this process, or it travels to the node that owns the debate and its result travels back.
"""

from typing import Any, Final

import msgspec
from msgspec import Struct

from events.types import DebateLabelled, ModeratorSpoke, PollRound
from server.debate.acts import Ballot
from server.errors import ErrorReport, Relayed, report_of
from server.people.acts import AtSeat


class Pause(Struct, frozen=True, tag="pause"):
    """Finish the calls in flight, then rest."""

    reason: str
    by: str


class Resume(Struct, frozen=True, tag="resume"):
    """Go on, with a new cost cap in US dollars if one is given."""

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
    """Record a person's decision after the panel has named no winner."""

    decision: str
    reason: str
    by: str


class AddWord(Struct, frozen=True, tag="say"):
    """Record a word of the moderator."""

    word: ModeratorSpoke


class CastBallot(Struct, frozen=True, tag="cast"):
    """Record a vote, a belief, or a vote of the poll."""

    ballot: Ballot


class Label(Struct, frozen=True, tag="label"):
    """Name or file the debate."""

    labelled: DebateLabelled


class MakeSeatLink(Struct, frozen=True, tag="seat_link"):
    """Make a link for a person's seat; ``digest`` is that of its token."""

    seat: str
    digest: str
    by: str


class RevokeSeatLink(Struct, frozen=True, tag="seat_link_revoked"):
    """Make the link of a person's seat void."""

    seat: str
    by: str


class ClosePoll(Struct, frozen=True, tag="close_poll"):
    """Close the vote of the poll that is open; ``when``, if it is given, is the vote that the person means."""

    when: PollRound | None
    by: str


class AnswerHosted(Struct, frozen=True, tag="answer_hosted"):
    """Answer a question that waits for a model outside."""

    question: str
    answer: Any
    """A text, or the JSON values of a typed answer."""


class ListHosted(Struct, frozen=True, tag="list_hosted"):
    """Tell which questions wait for a model outside."""


Entry = AddWord | Label | MakeSeatLink | RevokeSeatLink | ClosePoll
"""A command that records events and does nothing else."""
Command = Pause | Resume | Halt | Appeal | Decide | CastBallot | AtSeat | AnswerHosted | Entry
Forwarded = Command | ListHosted
"""What travels to another node."""


class Done(Struct, frozen=True, tag="done"):
    """The command is recorded, at this position; or it asked for ``questions``, as JSON values."""

    position: int
    questions: tuple[dict[str, Any], ...] = ()


class Rejected(ErrorReport, frozen=True, tag="refused", kw_only=True):
    """The command was refused, with the error as the caller sees it."""


class NotDone(Struct, frozen=True, tag="gone"):
    """Nothing was done: another node owns the debate now."""


CommandResult = Done | Rejected | NotDone
_json: Final = msgspec.json.Encoder()
_commands: Final[msgspec.json.Decoder[Forwarded]] = msgspec.json.Decoder(Forwarded)
_results: Final[msgspec.json.Decoder[CommandResult]] = msgspec.json.Decoder(CommandResult)


def encode(message: Forwarded | CommandResult) -> bytes:
    """A command or a result as JSON."""
    return _json.encode(message)


def decode_command(payload: bytes) -> Forwarded:
    """A command that another node sent.  Raises ``msgspec.DecodeError`` for one that this version does not know."""
    return _commands.decode(payload)


def decode_result(payload: bytes) -> CommandResult:
    """The owner's result.  Raises ``msgspec.DecodeError`` for one that this version does not know."""
    return _results.decode(payload)


def rejection(error: Exception) -> Rejected:
    """An expected failure as a result for another node."""
    return Rejected(**msgspec.structs.asdict(report_of(error)))


def as_error(rejected: Rejected) -> Relayed:
    """The same failure as an exception here."""
    return Relayed(rejected)
