"""How much may wait to be written: who brings more waits in line, first come first served."""

import asyncio
from collections import deque


class Room:
    """A number of bytes, and ``inside``, how many took of them.  Something larger than all of it enters alone."""

    def __init__(self, most: int) -> None:
        self.most, self.used, self.inside = most, 0, 0
        self._line: deque[tuple[int, asyncio.Future[None]]] = deque()

    def take(self, size: int) -> bool:
        """Take ``size`` bytes now, if there is room and nobody stands in line."""
        if self._line or not self._fits(size):
            return False
        self.used += size
        self.inside += 1
        return True

    async def enter(self, size: int) -> None:
        """Take ``size`` bytes, as soon as it is this one's turn."""
        if self.take(size):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = size, turn
        self._line.append(place)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(size)  # it was let in and left in the same moment
            else:
                self._line.remove(place)
                self._admit()
            raise

    def leave(self, size: int) -> None:
        """Give ``size`` bytes back."""
        self.used -= size
        self.inside -= 1
        self._admit()

    def _fits(self, size: int) -> bool:
        return not self.used or self.used + size <= self.most

    def _admit(self) -> None:
        while self._line and self._fits(self._line[0][0]):
            size, turn = self._line.popleft()
            if not turn.done():
                self.used += size
                self.inside += 1
                turn.set_result(None)
