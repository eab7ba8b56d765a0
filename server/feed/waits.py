"""What debates wait for: where it lasts, whoever watches is told in words, until it is over."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

LOOK_S: Final = 0.25
"""A wait that is shorter than this is not worth a word; one that lasts is told anew after four of them."""


class Waits:
    """The waits of all debates; ``tell`` is given a debate and the words, or none where the wait is over."""

    def __init__(self, tell: Callable[[str, str], None]) -> None:
        self._tell = tell
        self._waits: dict[str, list[Callable[[], str]]] = {}

    @contextmanager
    def waiting(self, debate: str, why: Callable[[], str]) -> Iterator[None]:
        """A debate may have to wait: where it lasts, its readers are told ``why`` in words, until it is over."""
        waits = self._waits.setdefault(debate, [])
        waits.append(why)
        if len(waits) == 1:
            asyncio.get_running_loop().call_later(LOOK_S, self._look, debate, waits)
        try:
            yield
        finally:
            waits.remove(why)
            if not waits:
                del self._waits[debate]
                self._tell(debate, "")

    def _look(self, debate: str, waits: list[Callable[[], str]]) -> None:
        if not waits or self._waits.get(debate) is not waits:
            return
        self._tell(debate, next(filter(None, (why() for why in waits)), ""))
        asyncio.get_running_loop().call_later(4 * LOOK_S, self._look, debate, waits)
