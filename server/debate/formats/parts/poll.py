"""The two votes of a poll: when they open, what the debate waits for, and how they close.

The first vote is open before the first turn, and the debate waits for its end.  The second one opens after the last
turn has been spoken, and the debate waits for its end before any verdict.  Pure functions, as in all formats.
"""

from collections.abc import Sequence

from msgspec import UNSET, Struct

from events.record import Draft
from events.state.debate import Debate
from events.types import DebateOpened, PollOpened, PollRound
from server.debate.acts import closing_of_vote
from server.debate.formats.steps import Step, Wait, record

BY_TIME = "moot"
"""Who closes a vote whose time is up."""


def opening_of_vote(debate: Debate, opened: DebateOpened, when: PollRound) -> tuple[Step, ...]:
    """The record that opens a vote; none if it was opened, or without a poll."""
    if opened.poll is UNSET or debate.audience.poll.vote(when).opened_at:
        return ()
    seconds = opened.poll.before_s if when == "before" else opened.poll.after_s
    return record([Draft(event=PollOpened(when=when, closes_after_s=seconds), cause=debate.course)])


def vote_steps(debate: Debate, opened: DebateOpened, when: PollRound) -> tuple[Step, ...]:
    """Open a vote, then wait until it closes; none once it has closed, or without a poll."""
    if opened.poll is UNSET:
        return ()
    if opens := opening_of_vote(debate, opened, when):
        return opens
    vote = debate.audience.poll.vote(when)
    return (Wait(until=vote.closes_at, follows=_CloseByTime(when=when)),) if vote.is_open else ()


class _CloseByTime(Struct, frozen=True):
    """Closes a vote whose time is up, if it is still open."""

    when: PollRound

    def __call__(self, debate: Debate) -> Sequence[Draft]:
        is_due = debate.status.state == "open" and debate.audience.poll.open_round == self.when
        return [closing_of_vote(debate, self.when, BY_TIME)] if is_due else ()
