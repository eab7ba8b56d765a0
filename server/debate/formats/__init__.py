"""Formats: what happens next in a debate, as a pure function ``next_steps(debate) -> steps``.

``steps`` what a format may ask for · ``exchange`` ``protocol`` ``calibration`` ``deliberation`` ``lab`` one format
each · ``trials`` what a lab asks · ``poll`` ``questions`` ``people`` ``citing`` ``halts`` what formats share.
"""

from collections.abc import Callable

from events.state.debate import Debate
from server.debate.formats import calibration, deliberation, exchange, lab, protocol
from server.debate.formats.halts import halt_if_overdue
from server.debate.formats.steps import Ask, Speak, Step

NextSteps = Callable[[Debate], tuple[Step, ...]]

FORMATS: dict[str, NextSteps] = {
    "exchange": exchange.next_steps,
    "protocol": protocol.next_steps,
    "calibration": calibration.next_steps,
    "deliberation": deliberation.next_steps,
    "lab": lab.next_steps,
}


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now, all at the same time; none if the debate rests or has ended.

    Once the deadline has passed, a halt replaces every step that would call a model.
    """
    assert debate.opened is not None, "a debate begins with debate_opened"
    steps = FORMATS[debate.opened.format](debate)
    calls_models = any(isinstance(step, Speak | Ask) for step in steps)
    return (halt,) if calls_models and (halt := halt_if_overdue(debate)) is not None else steps
