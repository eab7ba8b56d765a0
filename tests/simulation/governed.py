"""The only time and the only chance that a schedule knows: the product's own are put aside while it runs.

What is replaced is what its modules draw on: clocks, randomness, log lines, and the format,
whose place a ``course`` takes that asks nobody to judge.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, Final

import events.record
import events.store.memory
import providers.calls
import providers.gate
import server.debate.calls
import server.debate.moderator
import server.debate.moderators
import server.debate.stream_writer
import tests.simulation.stream_writer
from tests.simulation import course
from tests.simulation.loop import Loop

DAY: Final = "2026-11-21"
BEGINNING: Final = datetime.fromisoformat(DAY).replace(tzinfo=UTC).timestamp()
_NANO: Final = 1_000_000_000


class Clock:
    """In the place of the module ``time``."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def monotonic(self) -> float:
        """Virtual seconds."""
        return self._loop.now

    def time_ns(self) -> int:
        """The same, since 1970."""
        return int((BEGINNING + self._loop.now) * _NANO)

    def now(self) -> str:
        """As ``events.record.now``."""
        minutes, seconds = divmod(self._loop.now, 60)
        return f"{DAY}T{int(minutes) // 60:02d}:{int(minutes) % 60:02d}:{seconds:09.6f}Z"


class Noise:
    """In the place of the module ``secrets``."""

    def __init__(self, chance: random.Random) -> None:
        self.token_bytes = chance.randbytes


class Silence:
    """In the place of a logger: a schedule's outages are nobody's news."""

    def warning(self, *_: object, **__: object) -> None:
        """Not said."""

    error = exception = info = warning


class Unpaced:
    """In the place of what counts calls a minute: there is no such limit here, and it begins a thread."""

    def __init__(self, storage: Any = None) -> None:
        """Counts nothing."""


@contextmanager
def governed(loop: Loop, seed: int) -> Iterator[None]:
    """Within it, whatever is drawn follows from ``seed`` and all times are the loop's."""
    chance, clock, silence = random.Random(seed), Clock(loop), Silence()
    places: list[tuple[ModuleType, str, Any]] = [
        (events.record, "secrets", Noise(chance)),
        (events.record, "time", clock),
        (events.store.memory, "now", clock.now),
        (providers.gate, "MemoryStorage", Unpaced),
        (providers.gate, "MovingWindowRateLimiter", Unpaced),
        (providers.calls, "time", clock),
        (providers.calls, "random", chance),
        (server.debate.calls, "random", chance),
        (tests.simulation.stream_writer, "now", clock.now),
        (server.debate.moderator, "time", clock),
        (server.debate.moderator, "now", clock.now),
        (server.debate.stream_writer, "now", clock.now),
        (server.debate.stream_writer, "logger", silence),
        (server.debate.moderator, "logger", silence),
        (server.debate.moderators, "logger", silence),
        (server.debate.moderator, "next_steps", course.next_steps),
    ]
    before = [(module, name, getattr(module, name)) for module, name, _ in places]
    for module, name, value in places:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)
