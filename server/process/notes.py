"""The notes of the store, for what has no use for an error: while the store does not answer, it waits."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio

from events.errors import StoreUnavailable
from events.store.log import EventLog

T = TypeVar("T")
WAIT_S: Final = 1.0


class PatientNotes:
    """Notes that are kept and read as soon as the store can."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    async def notes(self, kind: str, key: str | None = None) -> dict[str, bytes]:
        """As ``EventLog.notes``."""
        return await _when_it_can(lambda: self._log.notes(kind, key))

    async def note(self, kind: str, key: str, value: bytes | None) -> None:
        """As ``EventLog.note``."""
        await _when_it_can(lambda: self._log.note(kind, key, value))


async def _when_it_can(act: Callable[[], Awaitable[T]]) -> T:
    while True:
        try:
            return await act()
        except StoreUnavailable:
            await anyio.sleep(WAIT_S)
