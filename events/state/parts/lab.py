"""The calls of a lab run: what was answered and what failed, by question."""

from typing import Final

from msgspec import Struct

from events.state.growing import GrowingMap
from events.types import LabMeasured, Reason, Usage

AGAIN: Final = ":again"
"""Ends the key of a question that is asked after its answer was challenged."""
SWAPPED: Final = ":swapped"
"""Ends the key of a question that repeats another one with the labels of the speakers swapped."""


class LabCall(Struct, frozen=True, kw_only=True, gc=False):
    """One question: its answer, or its failures since the run was last resumed."""

    position: int = 0
    """Position of the answer; 0 without one."""
    answer: str = ""
    """The answer; without one, the last text that could not be read."""
    model: str = ""
    usage: Usage = Usage()
    failed: tuple[Reason, ...] = ()
    asked: int = 0
    unread: int = 0
    """Position of the failure whose text could not be read; 0 without one."""


class LabState(Struct, frozen=True, kw_only=True, gc=False):
    """All calls so far, and the result."""

    calls: GrowingMap[str, LabCall] = GrowingMap()
    """By question and sample: ``lab:position/school-start.1/compare.forward/1/1``."""
    answered: dict[str, int] = {}
    """Trials with an answer, by battery."""
    failed: dict[str, int] = {}
    """Failed calls by battery, repeated ones too."""
    failed_in_a_row: int = 0
    """Failures since the last answer."""
    last_failure: str = ""
    """The kind and the message of the last one."""
    model: str = ""
    """The model that gave the last answer, as its vendor names it."""
    measured: LabMeasured | None = None


INITIAL = LabState()
