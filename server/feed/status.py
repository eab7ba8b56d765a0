"""What spectators are told besides events: how many they are, and what the debate waits for."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from server.feed.channel import Channel
from server.process import observe

FEW: Final = 100
"""Spectators of a debate up to which every change of their number is announced at once."""
COUNT_S: Final = 1.0
"""Seconds between two announcements of the number above that."""
MANY: Final = 5000
"""Spectators of all debates above which a tick lasts ``LONG_TICK_S``."""
LONG_TICK_S: Final = 0.2
WAIT_CHECK_S: Final = 0.25
"""A shorter wait is not announced; a wait that lasts is announced again after four times as long."""


class Presence:
    """The spectators of this process; ``wake`` is called with a debate whose number of spectators is announced."""

    def __init__(self, wake: Callable[[str], None]) -> None:
        self._wake = wake
        self.spectators = 0
        self._scheduled: set[str] = set()

    def tick_s(self, usual_s: float) -> float:
        """Seconds for which frequent changes are collected before readers are woken."""
        return max(usual_s, LONG_TICK_S) if self.spectators > MANY else usual_s

    def change(self, channel: Channel, by: int) -> None:
        """Add ``by`` spectators to a channel; negative if they left."""
        self.spectators += by
        observe.JOINS.inc(max(by, 0))
        channel.spectators += by
        if channel.spectators <= FEW:
            self._announce(channel)
        elif channel.debate not in self._scheduled:
            self._scheduled.add(channel.debate)
            asyncio.get_running_loop().call_later(COUNT_S, self._announce, channel)

    def _announce(self, channel: Channel) -> None:
        self._scheduled.discard(channel.debate)
        channel.announced = channel.spectators
        self._wake(channel.debate)


class WaitStatus:
    """The waits of all debates; ``announce`` is called with a debate and the words: none once the wait is over."""

    def __init__(self, announce: Callable[[str, str], None]) -> None:
        self._announce = announce
        self._waits: dict[str, list[Callable[[], str]]] = {}

    @contextmanager
    def waiting(self, debate: str, why: Callable[[], str]) -> Iterator[None]:
        """Within it the debate may have to wait.  If the wait lasts, its readers are told ``why`` in words."""
        waits = self._waits.setdefault(debate, [])
        waits.append(why)
        if len(waits) == 1:
            asyncio.get_running_loop().call_later(WAIT_CHECK_S, self._check, debate, waits)
        try:
            yield
        finally:
            waits.remove(why)
            if not waits:
                del self._waits[debate]
                self._announce(debate, "")

    def _check(self, debate: str, waits: list[Callable[[], str]]) -> None:
        if not waits or self._waits.get(debate) is not waits:
            return
        self._announce(debate, next(filter(None, (why() for why in waits)), ""))
        asyncio.get_running_loop().call_later(4 * WAIT_CHECK_S, self._check, debate, waits)
