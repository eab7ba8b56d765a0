"""Formats: what happens next in a debate, as a pure function ``next_steps(debate) -> steps``.

``FORMATS`` is the only place that names them: a folder each, with its request, its opening and its steps ·
``format`` what a format is · ``steps`` what it may ask for · ``questions`` ``prompts`` ``halts`` what formats share ·
``parts`` what a debate may have besides.
"""

from typing import Final

from events.state.debate import Debate
from events.table import LazyTable
from server.debate.formats.format import DebateFormat, NextSteps
from server.debate.formats.halts import halt_if_overdue
from server.debate.formats.steps import Ask, Speak, Step

FORMATS: Final = LazyTable[DebateFormat](
    {
        "exchange": "server.debate.formats.exchange:FORMAT",
        "protocol": "server.debate.formats.protocol:FORMAT",
        "deliberation": "server.debate.formats.deliberation:FORMAT",
        "calibration": "server.debate.formats.calibration:FORMAT",
        "lab": "server.debate.formats.lab:FORMAT",
        "batch": "server.debate.formats.batch:FORMAT",
        "answers": "server.debate.formats.answers:FORMAT",
        "consultancy": "server.debate.formats.answers:CONSULTANCY",
    }
)

__all__ = ["FORMATS", "DebateFormat", "NextSteps", "next_steps"]


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now, all at the same time; none if the debate rests or has ended.

    Once the deadline has passed, a halt replaces every step that would call a model.
    """
    assert debate.opened is not None, "a debate begins with debate_opened"
    steps = FORMATS[debate.opened.format].next_steps(debate)
    calls_models = any(isinstance(step, Speak | Ask) for step in steps)
    return (halt,) if calls_models and (halt := halt_if_overdue(debate)) is not None else steps
