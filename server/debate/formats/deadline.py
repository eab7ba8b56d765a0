"""The deadline of a debate: seconds that it may run from its opening, and again from each time that it is resumed.

Pure: time is what the log's records say.  The moderator asks the same with the time of its clock, so that it binds
while nothing is recorded.
"""

from datetime import datetime

from events.record import Draft
from events.state.debate import Debate
from events.types import DebateHalted
from server.debate.formats.course import cut_off
from server.debate.formats.steps import Record


def left_s(debate: Debate, at: str) -> float | None:
    """Seconds that are left at a time, below 0 once it has passed; None where there is no deadline."""
    assert debate.opened is not None
    deadline_s = debate.opened.settings.deadline_s
    if not isinstance(deadline_s, int | float):
        return None
    return deadline_s - (datetime.fromisoformat(at) - datetime.fromisoformat(debate.standing.since)).total_seconds()


def overdue(debate: Debate) -> Record | None:
    """A halt once the log itself shows that the deadline has passed."""
    left = left_s(debate, debate.at)
    return late(debate) if left is not None and left <= 0 else None


def late(debate: Debate, why: str = "") -> Record:
    """The halt of a debate that has no time left, with the turns that it cuts off.  ``why``: what it cannot await."""
    assert debate.opened is not None
    deadline_s = debate.opened.settings.deadline_s
    reason = why or f"the deadline of {deadline_s:g} s has passed"
    reason += f"; resume it, and it has {deadline_s:g} s again"
    halted = Draft(event=DebateHalted(reason=reason, by="moot"), cause=debate.course)
    return Record(drafts=(halted, *cut_off(debate, "the deadline has passed", debate.position + 1)))
