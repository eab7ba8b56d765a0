"""Formats: what happens next, as pure functions of a debate.  ``next_steps(debate) -> steps``."""

from collections.abc import Callable

from events.state.debate import Debate
from server.debate.formats import calibration, deliberation, exchange, protocol
from server.debate.formats.deadline import overdue
from server.debate.formats.steps import Ask, Speak, Step

FORMATS: dict[str, Callable[[Debate], tuple[Step, ...]]] = {
    "exchange": exchange.next_steps,
    "protocol": protocol.next_steps,
    "calibration": calibration.next_steps,
    "deliberation": deliberation.next_steps,
}


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now, all of them at once; none when the debate rests or has ended."""
    assert debate.opened is not None, "a debate begins with debate_opened"
    steps = FORMATS[debate.opened.format](debate)
    waits = any(isinstance(step, Speak | Ask) for step in steps)
    return (late,) if waits and (late := overdue(debate)) is not None else steps
