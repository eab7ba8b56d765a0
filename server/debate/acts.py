"""What people do to a debate beside its course: the audience's votes and beliefs, and the moderator's word.

Pure: what a body says, and the event that an act makes of the debate as it stands, or why it may not be done now.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from events.record import Draft
from events.state.debate import Debate
from events.types import AudienceVoted, BeliefStated, ModeratorSpoke, Winner
from server.debate.speech import clean
from server.errors import BadField, MootError, NotNow

MOST_VOTES: Final = 100_000
"""Votes and beliefs that one debate takes, the replaced ones among them."""
MOST_WORDS: Final = 100
"""Times that the moderator may speak in one debate: every word stands in the prompts that follow."""
WORD_MOST: Final = 1000
BY_MOST: Final = 80
"""Characters."""
LAST_TURN: Final = 200
WHOLLY_PRO: Final = 100.0
WINNERS: Final[tuple[Winner, ...]] = ("pro", "con", "neither")
DEBATED: Final = frozenset({"exchange", "protocol"})
Ballot = AudienceVoted | BeliefStated


def read_ballot(said: dict[str, Any], voter: str) -> Ballot:
    """``{"winner"}`` or ``{"turn", "belief"}`` of a voter.  Raises ``BadField`` naming the part."""
    if unknown := said.keys() - {"winner", "turn", "belief"}:
        raise BadField(min(unknown), "a vote is {winner}, a belief is {turn, belief}")
    if "winner" in said:
        if given := said.keys() & {"turn", "belief"}:
            raise BadField(min(given), "a vote is of the whole debate: send a belief by itself")
        if said["winner"] not in WINNERS:
            raise BadField("winner", f"winner is one of {', '.join(WINNERS)}")
        return AudienceVoted(voter=voter, winner=said["winner"])
    if not said:
        raise BadField("winner", "a vote is {winner}, a belief is {turn, belief}")
    turn: Any = said.get("turn")
    belief: Any = said.get("belief")
    if type(turn) is not int or not 1 <= turn <= LAST_TURN:
        raise BadField("turn", f"turn is the number of a turn, 1 to {LAST_TURN}")
    if type(belief) not in {int, float} or not 0 <= belief <= WHOLLY_PRO or math.isnan(belief):
        raise BadField("belief", "belief is a number from 0 (wholly con) to 100 (wholly pro)")
    return BeliefStated(voter=voter, turn=turn, belief=round(float(belief), 1))


def read_word(said: dict[str, Any]) -> ModeratorSpoke:
    """``{"text"}`` and optionally ``by``.  Raises ``BadField`` naming the part."""
    if unknown := said.keys() - {"text", "by"}:
        raise BadField(min(unknown), "a word is {text}")
    return as_word(said.get("text"), said.get("by", "moderator"))


def as_word(text: Any, by: Any) -> ModeratorSpoke:
    """The moderator's word, its parts checked.  Raises ``BadField``."""
    return ModeratorSpoke(text=_text(text, "text", WORD_MOST), by=_text(by, "by", BY_MOST))


def _text(said: Any, name: str, most: int) -> str:
    text = clean(said).strip() if isinstance(said, str) else ""
    if not 1 <= len(text) <= most:
        raise BadField(name, f"{name} is a text of 1 to {most:,} characters")
    return text


def refusal(debate: Debate, ballot: Ballot, waiting: int = 0) -> MootError | None:
    """Why a ballot is not taken now, with ``waiting`` others before it; None where it is."""
    if debate.opened is None or debate.opened.format not in DEBATED:
        return NotNow("nobody debates here, so there is nothing to vote on")
    if debate.standing.state == "concluded":
        return NotNow("the debate has concluded: votes and beliefs are counted")
    if debate.audience.recorded + waiting >= MOST_VOTES:
        return NotNow(f"this debate has had {MOST_VOTES:,} votes and beliefs: no more are taken")
    if isinstance(ballot, AudienceVoted):
        return NotNow("the verdict is known: a vote had to come before it") if knows_verdict(debate) else None
    turn = debate.transcript.turns.get(ballot.turn)
    return NotNow(f"turn {ballot.turn} has not been spoken yet") if turn is None or turn.said is None else None


def knows_verdict(debate: Debate) -> bool:
    """Whether anybody can read who wins: the scorecard's verdict, the protocol's assessment, or the panel's."""
    if debate.standing.conclusion is not None or debate.verdicts.scorecard is not None:
        return True
    return isinstance(debate.protocol.assessment, msgspec.Struct) or isinstance(debate.panel.conclusion, msgspec.Struct)


def spoke(debate: Debate, word: ModeratorSpoke) -> Sequence[Draft]:
    """The moderator's word as it is recorded.  Raises ``NotNow``."""
    if debate.opened is None or debate.opened.format not in DEBATED:
        raise NotNow("nobody debates here, so nobody would hear it")
    if debate.standing.state == "concluded":
        raise NotNow("the debate has concluded: nobody would hear it")
    if len(debate.words) >= MOST_WORDS:
        raise NotNow(f"the moderator has spoken {MOST_WORDS} times: no further word is taken")
    return [Draft(event=word)]
