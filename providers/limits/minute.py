"""How much was used in the last minute, in the same few bytes whatever it was."""

import math
from typing import Final

from msgspec import Struct

WINDOW_S: Final = 60.0
SPARE_S: Final = 1.0
"""Seconds by which one that waits as long as it is told is served the more surely."""


class MinuteCount(Struct):
    """What was used in a window that began at ``since``, and in the window before.

    A minute is the part that has passed of the present window, and as much as is missing of the one before, whose uses
    count as if they were spread evenly.
    """

    since: float
    now: int = 0
    before: int = 0

    def wait_s(self, at: float, most: int) -> float:
        """Seconds from ``at`` until one more of ``most`` a minute is free; 0 if one is free now."""
        if (windows := int((at - self.since) / WINDOW_S)) > 0:
            self.since += windows * WINDOW_S
            self.before, self.now = self.now if windows == 1 else 0, 0
        passed_s = at - self.since
        if self.now + self.before * max(0.0, 1 - (passed_s + SPARE_S) / WINDOW_S) < most:
            return 0.0
        if self.now >= most:
            return WINDOW_S - passed_s
        return math.nextafter(WINDOW_S * (1 - (most - self.now) / self.before), math.inf) - passed_s
