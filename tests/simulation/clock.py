"""The clock of a schedule: virtual time, and randomness from the seed."""

from datetime import UTC, datetime
from random import Random
from typing import Final

from events.clock import Clock
from tests.simulation.loop import VirtualLoop

BEGINNING_NS: Final = int(datetime(2026, 11, 21, tzinfo=UTC).timestamp()) * 1_000_000_000


def virtual_clock(loop: VirtualLoop, random: Random) -> Clock:
    """The loop's time as a wall clock, to the microsecond."""
    return Clock(lambda: BEGINNING_NS + round(loop.now * 1_000_000) * 1000, random)
