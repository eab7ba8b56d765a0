"""How many watch, and how often that is told: among few at each coming and going, in a crowd once a second."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from server import observe

CROWD: Final = 100
"""Spectators of a debate above which their number is told every ``COUNT_S`` only."""
COUNT_S: Final = 1.0
MANY: Final = 5000
"""Spectators of all debates above which what changes often is joined for ``LONG_TICK_S``."""
LONG_TICK_S: Final = 0.2


class Watched(Protocol):
    """A debate with its spectators: as they are, and as their number was told."""

    debate: str
    spectators: int
    counted: int


class Presence:
    """The spectators of this process; ``stir`` is called with a debate whose number is to be told."""

    def __init__(self, stir: Callable[[str], None]) -> None:
        self._stir = stir
        self.spectators = 0
        self._counting: set[str] = set()

    def tick_s(self, usual_s: float) -> float:
        """Seconds for which what changes often is joined."""
        return max(usual_s, LONG_TICK_S) if self.spectators > MANY else usual_s

    def change(self, room: Watched, by: int) -> None:
        """Spectators came or went."""
        self.spectators += by
        observe.JOINS.inc(max(by, 0))
        room.spectators += by
        if room.spectators <= CROWD:
            self._tell(room)
        elif room.debate not in self._counting:
            self._counting.add(room.debate)
            asyncio.get_running_loop().call_later(COUNT_S, self._tell, room)

    def _tell(self, room: Watched) -> None:
        self._counting.discard(room.debate)
        room.counted = room.spectators
        self._stir(room.debate)
