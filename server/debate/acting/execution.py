"""A command of a person is carried out on the debate that it is about."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, assert_never

from msgspec import UNSET

from events.record import Draft
from events.state.debate import Debate
from events.text.figures import rounded
from events.types import ClaimAppealed, DebateResumed, DecisionRecorded
from server.debate.acts import close_poll_drafts, label_drafts, undecided_position, word_drafts
from server.debate.adoption import opening_faults
from server.debate.commands import (
    AddWord,
    AnswerHosted,
    Appeal,
    CastBallot,
    ClosePoll,
    Command,
    Decide,
    Entry,
    Halt,
    Label,
    MakeSeatLink,
    Pause,
    Resume,
    RevokeSeatLink,
)
from server.errors import BadField, NotFound, NotNow
from server.people.acts import AtSeat, link_drafts, revoke_drafts

if TYPE_CHECKING:
    from server.debate.moderator import Moderator


def comes_in_crowds(command: Command) -> bool:
    """Whether many such commands come together, so that the debate stays in memory for the next one."""
    return isinstance(command, CastBallot)


async def carry_out(moderator: "Moderator", command: Command) -> int:
    """Record what a person does, or raise the refusal; the position of the event."""
    match command:
        case Pause():
            return await moderator.pause(command.reason, command.by)
        case Resume():
            return await _resume(moderator, command)
        case Halt():
            return await moderator.halt(command.reason, command.by)
        case Appeal():
            return await moderator.append_at_once(partial(_appeal, command))
        case Decide():
            return await moderator.append_at_once(partial(_decide, command))
        case CastBallot():
            return int(await moderator.ballots.cast(command.ballot))
        case AnswerHosted():
            return moderator.answer_hosted(command.question, command.answer)
        case AtSeat():
            return int(await moderator.seats.act(command))
        case _:
            return await moderator.append_at_once(partial(drafts_of, command))


def drafts_of(command: Entry, debate: Debate) -> Sequence[Draft]:
    """The events that a command records.  Raises the refusal."""
    match command:
        case AddWord(word=word):
            return word_drafts(debate, word)
        case Label(labelled=labelled):
            return label_drafts(debate, labelled)
        case MakeSeatLink(seat=seat, digest=digest, by=by):
            return link_drafts(debate, seat, digest, by)
        case RevokeSeatLink(seat=seat, by=by):
            return revoke_drafts(debate, seat, by)
        case ClosePoll(when=when, by=by):
            return close_poll_drafts(debate, when, by)
        case _:
            assert_never(command)


async def _resume(moderator: "Moderator", command: Resume) -> int:
    """Record that the debate goes on, with a new cap if one is given.  The caller runs the moderator again.

    Raises ``NotNow`` for an opening beyond the bounds of a request: an older import may have brought it.
    """
    debate, cap = moderator.debate, command.max_cost_usd
    if debate.opened is not None and (fault := next(opening_faults(debate.opened), "")):
        raise NotNow(f"this debate cannot go on: {fault}")
    if cap is not None and cap <= (charged := debate.charged_usd):
        spent = f"{rounded(charged, 4)} USD have been spent already"
        if debate.uncertain_calls:
            spent += ", with calls of unknown cost as much as the dearest call"
        raise BadField("max_cost_usd", f"{spent}: a cap must be above that")
    resumed = DebateResumed(reason=command.reason, by=command.by, max_cost_usd=UNSET if cap is None else cap)
    return await moderator.change_state(resumed, {"paused", "halted"})


def _appeal(command: Appeal, debate: Debate) -> Sequence[Draft]:
    """Ask for a second opinion on a flagged claim.  The judge is asked while the next turn is spoken."""
    entry = debate.claims.get(command.claim)
    if entry is None:
        raise NotFound(f"there is no claim {command.claim[:40]!r} in this debate")
    if debate.status.state == "concluded":
        raise NotNow("the debate has concluded")
    if entry.state != "flagged":
        raise NotNow(f"{command.claim} is {entry.state}")
    if entry.appealed:
        raise NotNow(f"{command.claim} was appealed already")
    if debate.verdicts.scorecard is not None:
        raise NotNow("the scorecard's verdict has been reached")
    return [Draft(event=ClaimAppealed(claim=command.claim, by=command.by), cause=entry.flagged)]


def _decide(command: Decide, debate: Debate) -> Sequence[Draft]:
    """A person's decision after the panel has named no winner, also if the debate has ended."""
    decided = DecisionRecorded(by=command.by, decision=command.decision, reason=command.reason)
    return [Draft(event=decided, cause=undecided_position(debate))]
