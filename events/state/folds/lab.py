"""How the calls of a lab run change its state."""

from typing import Final

from msgspec.structs import replace

from events.record import Recorded
from events.state.debate import LAB_KEY
from events.state.parts.lab import AGAIN, INITIAL, SWAPPED, LabCall, LabState
from events.types import DebateResumed, LabMeasured, ModelAnswered, ModelFailed, Reason

UNREADABLE: Final = frozenset({"bad_json", "wrong_type"})


def apply(before: LabState | None, record: Recorded) -> LabState:
    """The state after ``record``; the same object if it is about no call of the lab."""
    lab = before or INITIAL
    match record.event:
        case ModelAnswered() | ModelFailed() as event if event.key.startswith(LAB_KEY):
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
    return key.removeprefix(LAB_KEY).partition("/")[0]


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
