"""The calls of a lab run: what was answered and what failed, by question."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from events.record import Recorded
from events.state.growing import GrowingMap
from events.types import DebateResumed, LabMeasured, ModelAnswered, ModelFailed, Reason, Usage

PREFIX: Final = "lab:"
"""Every question of a lab run has a key that begins with it: ``lab:BATTERY/ITEM/…``."""


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

    calls: GrowingMap[LabCall] = GrowingMap()
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
MOVED_BY: Final = frozenset({DebateResumed, ModelAnswered, ModelFailed, LabMeasured})
UNREADABLE: Final = frozenset({"bad_json", "wrong_type"})


def apply(lab: LabState, record: Recorded) -> LabState:
    """The state after ``record``; the same object if it is about no call of the lab."""
    match record.event:
        case ModelAnswered() | ModelFailed() as event if event.key.startswith(PREFIX):
            return _called(lab, record, event)
        case DebateResumed() if lab is not INITIAL:
            open_ = {name: replace(call, failed=()) for name, call in lab.calls.items() if call.failed}
            return replace(lab, calls=lab.calls.with_(open_), failed_in_a_row=0)
        case LabMeasured() as event:
            return replace(lab, measured=event)
        case _:
            return lab


def battery_of(key: str) -> str:
    """The battery that a question belongs to."""
    return key.removeprefix(PREFIX).partition("/")[0]


def _called(lab: LabState, record: Recorded, event: ModelAnswered | ModelFailed) -> LabState:
    name, battery = f"{event.key}/{event.sample}", battery_of(event.key)
    before = lab.calls.get(name) or LabCall()
    is_further = event.sample > 1 or event.key.endswith((AGAIN, SWAPPED))
    if isinstance(event, ModelAnswered):
        call = LabCall(
            position=record.position,
            answer=event.answer,
            model=event.model,
            usage=event.usage,
            asked=before.asked + 1,
        )
        return replace(
            lab,
            calls=lab.calls.with_({name: call}),
            answered=lab.answered if is_further else {**lab.answered, battery: lab.answered.get(battery, 0) + 1},
            failed_in_a_row=0,
            model=event.model,
        )
    if event.is_cut_off:
        return replace(lab, calls=lab.calls.with_({name: replace(before, asked=before.asked + 1)}))
    call = replace(before, failed=(*before.failed, Reason(f"{event.kind}: {event.message}")), asked=before.asked + 1)
    if event.kind in UNREADABLE and event.answer.strip():
        call = replace(call, answer=event.answer, unread=record.position)
    return replace(
        lab,
        calls=lab.calls.with_({name: call}),
        failed={**lab.failed, battery: lab.failed.get(battery, 0) + 1},
        failed_in_a_row=lab.failed_in_a_row + 1,
        last_failure=call.failed[-1].reason,
    )
