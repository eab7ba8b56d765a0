"""What people add to a debate: votes and beliefs of the audience, the moderator's words, a decision.

Pure functions.  ``read_…`` checks the fields of a request.  The others take the debate as it stands, and give the event
to record or the reason why it is not allowed now.
"""

import math
import secrets
from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from events.record import Draft
from events.state.debate import Debate
from events.state.folds.audience import count_poll
from events.types import (
    POLL_ROUNDS,
    STANCES,
    AudienceVoted,
    BeliefStated,
    DebateLabelled,
    ModeratorSpoke,
    PollClosed,
    PollRound,
    StanceStated,
    Winner,
)
from server.debate.speech import clean
from server.errors import BadField, MootError, NotNow
from server.people.links import digest_of_link

MAX_VOTES: Final = 100_000
"""Votes and beliefs that one debate takes, replaced ones included."""
MAX_WORDS: Final = 100
"""Words of the moderator that one debate takes: each of them is in the prompts that follow."""
MAX_WORD: Final = 1000
MAX_BY: Final = 80
"""Characters."""
MAX_DECISION: Final = {"decision": 200, "reason": 2000, "by": MAX_BY}
"""Characters of each part of a decision; each part has at least one."""
LAST_TURN: Final = 200
WHOLLY_PRO: Final = 100.0
WINNERS: Final[tuple[Winner, ...]] = ("pro", "con", "neither")
LABELS: Final = {
    "title": "a title is a text of at most 200 characters",
    "tags": "tags are a list of at most 20 texts of 1 to 40 characters",
    "hidden": "hidden is true or false",
    "archived": "archived is true or false",
    "unlisted": "unlisted is true or false",
}
POLL_NAMES: Final[dict[PollRound, str]] = {"before": "the first vote", "after": "the second vote"}
Ballot = AudienceVoted | BeliefStated | StanceStated


# votes and beliefs


def read_ballot(fields: dict[str, Any], voter: str) -> Ballot:
    """The ``{"winner"}``, ``{"turn", "belief"}`` or ``{"when", "stance"}`` of a voter.  Raises ``BadField``."""
    if fields.keys() & {"when", "stance"}:
        return _read_stance(fields, voter)
    if unknown := fields.keys() - {"winner", "turn", "belief"}:
        raise BadField(min(unknown), "a vote is {winner}, a belief is {turn, belief}")
    if "winner" in fields:
        if given := fields.keys() & {"turn", "belief"}:
            raise BadField(min(given), "a vote is of the whole debate: send a belief by itself")
        if fields["winner"] not in WINNERS:
            raise BadField("winner", f"winner is one of {', '.join(WINNERS)}")
        return AudienceVoted(voter=voter, winner=fields["winner"])
    if not fields:
        raise BadField("winner", "a vote is {winner}, a belief is {turn, belief}")
    turn: Any = fields.get("turn")
    belief: Any = fields.get("belief")
    if type(turn) is not int or not 1 <= turn <= LAST_TURN:
        raise BadField("turn", f"turn is the number of a turn, 1 to {LAST_TURN}")
    if type(belief) not in {int, float} or not 0 <= belief <= WHOLLY_PRO or math.isnan(belief):
        raise BadField("belief", "belief is a number from 0 (wholly con) to 100 (wholly pro)")
    return BeliefStated(voter=voter, turn=turn, belief=round(float(belief), 1))


def _read_stance(fields: dict[str, Any], voter: str) -> StanceStated:
    if unknown := fields.keys() - {"when", "stance"}:
        raise BadField(min(unknown), "a vote of the poll is {when, stance}")
    if fields.get("when") not in POLL_ROUNDS:
        raise BadField("when", f"when is one of {', '.join(POLL_ROUNDS)}")
    if fields.get("stance") not in STANCES:
        raise BadField("stance", f"stance is one of {', '.join(STANCES)}")
    return StanceStated(voter=voter, when=fields["when"], stance=fields["stance"])


def ballot_refusal(debate: Debate, ballot: Ballot, waiting: int = 0) -> MootError | None:
    """Why a ballot is not taken now, if ``waiting`` others come before it; None if it is taken."""
    if debate.opened is None or not debate.opened.turns:
        return NotNow("this format has no debaters, so there is nothing to vote on")
    if debate.status.state == "concluded":
        return NotNow("the debate has concluded: votes and beliefs are counted")
    if debate.audience.recorded + waiting >= MAX_VOTES:
        return NotNow(f"this debate has had {MAX_VOTES:,} votes and beliefs: no more are taken")
    if isinstance(ballot, StanceStated):
        return _stance_refusal(debate, ballot.when)
    if isinstance(ballot, AudienceVoted):
        if debate.opened.poll:
            return NotNow("this debate has a poll: vote there, before the first turn and after the last one")
        return NotNow("the verdict is known: a vote had to come before it") if knows_verdict(debate) else None
    turn = debate.transcript.turns.get(ballot.turn)
    return NotNow(f"turn {ballot.turn} has not been spoken yet") if turn is None or turn.event is None else None


def _stance_refusal(debate: Debate, when: PollRound) -> NotNow | None:
    assert debate.opened is not None, "the caller has looked"
    vote = debate.audience.poll.vote(when)
    if debate.opened.poll is UNSET:
        return NotNow("this debate has no poll")
    if vote.closed:
        return NotNow(f"{POLL_NAMES[when]} is closed: your vote came too late")
    return None if vote.is_open else NotNow(f"{POLL_NAMES[when]} is not open yet")


def close_poll_drafts(debate: Debate, when: PollRound | None, by: str) -> Sequence[Draft]:
    """The end of the vote that is open.  Raises ``NotNow``."""
    if debate.opened is None or debate.opened.poll is UNSET:
        raise NotNow("this debate has no poll")
    is_open = debate.audience.poll.open_round
    if is_open is None or debate.status.state == "concluded":
        raise NotNow("no vote is open now")
    if when not in {None, is_open}:
        raise NotNow(f"{POLL_NAMES[is_open]} is open now, and not the other one")
    return [closing_of_vote(debate, is_open, by)]


def closing_of_vote(debate: Debate, when: PollRound, by: str) -> Draft:
    """The end of an open vote, with the counts of both votes if it is the second one."""
    counts = count_poll(debate.audience) if when == "after" else UNSET
    closed = PollClosed(when=when, by=by, cast=debate.audience.poll.vote(when).cast, counts=counts)
    return Draft(event=closed, cause=debate.course)


def knows_verdict(debate: Debate) -> bool:
    """Whether spectators can read who wins: the scorecard's verdict, the protocol's assessment, or the panel's."""
    if debate.status.conclusion is not None or debate.verdicts.scorecard is not None:
        return True
    return isinstance(debate.protocol.assessment, msgspec.Struct) or isinstance(debate.panel.conclusion, msgspec.Struct)


# the moderator's words


def read_word(fields: dict[str, Any]) -> ModeratorSpoke:
    """The ``{"text"}`` of the moderator, optionally with ``by``.  Raises ``BadField``."""
    if unknown := fields.keys() - {"text", "by"}:
        raise BadField(min(unknown), "a message is {text}")
    return check_word(fields.get("text"), fields.get("by", "moderator"))


def check_word(text: Any, by: Any) -> ModeratorSpoke:
    """A word of the moderator.  Raises ``BadField``."""
    return ModeratorSpoke(text=_text(text, "text", MAX_WORD), by=_text(by, "by", MAX_BY))


def word_drafts(debate: Debate, word: ModeratorSpoke) -> Sequence[Draft]:
    """The word as it is recorded.  Raises ``NotNow``."""
    if debate.opened is None or not debate.opened.turns:
        raise NotNow("this format has no debaters that would read it")
    if debate.status.state == "concluded":
        raise NotNow("the debate has concluded: no debater would read it")
    if not (debate.opened.pro.model or debate.opened.con.model):
        raise NotNow("the turns come from a transcript: no debater would read it")
    if len(debate.words) >= MAX_WORDS:
        raise NotNow(f"the moderator has spoken {MAX_WORDS} times: no further message is taken")
    return [Draft(event=word)]


# labels


class LabelRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an operator wants to name and file a debate; a field that is unset stays as it is."""

    title: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    tags: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=40)], ...], Meta(max_length=20)] | UnsetType = (
        UNSET
    )
    hidden: bool | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    unlisted: bool | UnsetType = UNSET


def read_labels(fields: dict[str, Any]) -> LabelRequest:
    """The labels of a request.  Raises ``BadField``."""
    for name, value in fields.items():
        try:
            msgspec.convert({name: value}, LabelRequest)
        except msgspec.ValidationError as error:
            raise BadField(name, LABELS.get(name, "a debate has no such label")) from error
    return msgspec.convert(fields, LabelRequest)


def label_event(wanted: LabelRequest, by: str) -> tuple[DebateLabelled, str]:
    """The event of a request, and the token of a new link; empty if it asks for none."""
    token = secrets.token_urlsafe(16) if wanted.unlisted is True else ""
    link: str | UnsetType = UNSET
    if wanted.unlisted is not UNSET:
        link = digest_of_link(token) if token else ""
    tags = wanted.tags if wanted.tags is UNSET else tuple(dict.fromkeys(clean(tag).strip() for tag in wanted.tags))
    labelled = DebateLabelled(
        by=by,
        title=wanted.title if wanted.title is UNSET else " ".join(clean(wanted.title).split()),
        tags=tags if tags is UNSET else tuple(filter(None, tags)),
        hidden=wanted.hidden,
        archived=wanted.archived,
        link=link,
    )
    return labelled, token


def label_drafts(debate: Debate, labelled: DebateLabelled) -> Sequence[Draft]:
    """The labels as they are recorded.  Raises ``NotNow`` for what changes nothing."""
    if debate.labels.after(labelled) == debate.labels:
        raise NotNow("the debate has these labels already")
    return [Draft(event=labelled)]


# a decision


def read_decision(fields: dict[str, Any]) -> dict[str, str]:
    """The ``{"decision", "reason"}`` of a person, and ``by``, which may be absent.  Raises ``BadField``."""
    if unknown := fields.keys() - MAX_DECISION.keys():
        raise BadField(min(unknown), "a decision has no such field")
    given = {"by": "moderator", **fields}
    return {name: _text(given.get(name), name, most) for name, most in MAX_DECISION.items()}


def undecided_position(debate: Debate) -> int:
    """Position of the panel's conclusion that leaves the decision to a person.  Raises ``NotNow`` without one."""
    panel, opened = debate.panel, debate.opened
    if not panel.raters or opened is None or not opened.turns:
        raise NotNow("no panel judges a debate here, so it leaves nothing to decide")
    if panel.conclusion is UNSET:
        raise NotNow("the panel has not concluded yet")
    if panel.conclusion.winner != "neither":
        raise NotNow(f"the panel names a winner: {panel.conclusion.winner} ({panel.conclusion.outcome})")
    if debate.status.conclusion is not None and debate.status.conclusion.winner != "neither":
        raise NotNow(f"judge and panel name a winner: {debate.status.conclusion.winner}")
    if panel.decision is not UNSET:
        raise NotNow(f"{panel.decision.by} has decided already: {panel.decision.decision}")
    return panel.positions["conclusion"]


def _text(value: Any, name: str, most: int) -> str:
    """Clean text.  Raises ``BadField``."""
    text = clean(value).strip() if isinstance(value, str) else ""
    if not 1 <= len(text) <= most:
        raise BadField(name, f"{name} is a text of 1 to {most:,} characters")
    return text
