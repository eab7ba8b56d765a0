"""What an audit needs besides the state: the model call that each event follows from, failed calls, second opinions.

A fold has it, so an audit of a debate that is folded already reads no record again.
"""

from collections.abc import Iterable

from msgspec import Struct

from events.record import Recorded
from events.state.growing import GrowingMap
from events.types import ClaimCleared, ClaimUpheld, DebateAudited, ModelAnswered, ModelFailed

SPEAK = "speak."
"""Calls of debaters begin with it."""


class FailedCall(Struct, frozen=True, kw_only=True, gc=False):
    """A question to the judge that got no usable answer; it may have been asked again."""

    position: int
    call: str
    key: str
    kind: str


class Trail(Struct, frozen=True, kw_only=True, gc=False):
    """The trail of a debate up to a position."""

    calls: GrowingMap[int, str] = GrowingMap()
    """By position: the judge's call that an event follows from, or that it answers."""
    failed: dict[int | None, tuple[FailedCall, ...]] = {}
    """By turn; None for the whole debate."""
    settled: tuple[tuple[int, ClaimUpheld | ClaimCleared], ...] = ()
    """(position, event)."""
    audited: int = 0
    """Position of the closing audit; 0 without one."""


INITIAL = Trail()


def after(trail: Trail, records: Iterable[Recorded]) -> Trail:
    """The trail after further records, in order."""
    calls, failed, settled, audited = dict[int, str](), trail.failed, trail.settled, trail.audited
    for record in records:
        event, position, cause = record.event, record.position, record.cause
        if isinstance(event, ModelAnswered | ModelFailed):
            call = None if event.call.startswith(SPEAK) else event.call
        else:
            call = None if cause is None else calls.get(cause) or trail.calls.get(cause)
        if call is not None:
            calls[position] = call
        if isinstance(event, ModelFailed) and event.purpose != "speak" and not event.is_cut_off:
            found = FailedCall(position=position, call=event.call, key=event.key, kind=event.kind)
            failed = {**failed, event.turn: (*failed.get(event.turn, ()), found)}
        elif isinstance(event, ClaimUpheld | ClaimCleared):
            settled = (*settled, (position, event))
        elif isinstance(event, DebateAudited):
            audited = position
    return Trail(calls=trail.calls.with_(calls), failed=failed, settled=settled, audited=audited)
