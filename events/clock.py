"""The wall clock, and the randomness of ids, salts and delays.  Elapsed time is the event loop's."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random, SystemRandom
from typing import Final

_VARIANTS: Final = "89ab"


class Clock:
    """Tells the time and draws ids.  ``time_ns``: nanoseconds since 1970; ``random``: where randomness comes from."""

    def __init__(self, time_ns: Callable[[], int] = time.time_ns, random: Random | None = None) -> None:
        self.time_ns, self.random = time_ns, random or SystemRandom()

    def now(self) -> str:
        """UTC, RFC 3339, microseconds."""
        seconds, nanoseconds = divmod(self.time_ns(), 1_000_000_000)
        return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{nanoseconds // 1000:06d}Z"

    def new_id(self) -> str:
        """A UUIDv7 (RFC 9562): 48 bits of milliseconds, then randomness."""
        return self.id_prefix() + id_suffix(self.random.randbytes(10))

    def id_prefix(self) -> str:
        """What the ids of this millisecond begin with."""
        milliseconds = f"{self.time_ns() // 1_000_000:012x}"
        return f"{milliseconds[:8]}-{milliseconds[8:]}-7"


def id_suffix(randomness: bytes) -> str:
    """The rest of an id, of ten random bytes."""
    digits = randomness.hex()
    return f"{digits[:3]}-{_VARIANTS[randomness[9] & 3]}{digits[3:6]}-{digits[6:18]}"


SYSTEM: Final = Clock()
