"""What was computed from parts of a debate, kept until it is asked for with other parts.

A turn, a card or a claim that has not changed is the same value as before.  So what a prompt says of it is made once,
and not once for each later turn.  What is kept of a debate lives until its moderator ends, and at most as long as the
event that opened it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, TypeVar
from weakref import ref

from events.types import DebateOpened

P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")
BLOCK: Final = 16
"""Parts that are compared at once."""


class Derived:
    """One result for each slot, with the parts that it was made of."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[tuple[object, ...], Any]] = {}

    def of(self, slot: Hashable, parts: tuple[object, ...], make: Callable[[], T]) -> T:
        """What ``make`` gives: kept if it was made of equal parts before.

        ``make`` is a pure function of ``slot``, ``parts`` and the opening.  The parts must not refer to the opening.
        """
        found = self._kept.get(slot)
        if found is not None and found[0] == parts:
            result: T = found[1]
            return result
        result = make()
        self._kept[slot] = parts, result
        return result

    def blocks(
        self,
        slot: str,
        parts: Sequence[tuple[Hashable, P]],
        make: Callable[[P], Iterable[T]],
        gather: Callable[[Iterable[T]], R],
    ) -> Iterator[R]:
        """What ``make`` gives for each of many named parts, as ``gather`` keeps it of each block of them, in order.

        Whole blocks are compared, so hundreds of parts that have not changed cost little.
        """
        for start in range(0, len(parts), BLOCK):
            block = tuple(parts[start : start + BLOCK])
            yield self.of((slot, "block", start), block, partial(self._block, slot, block, make, gather))

    def _block(
        self,
        slot: str,
        block: tuple[tuple[Hashable, P], ...],
        make: Callable[[P], Iterable[T]],
        gather: Callable[[Iterable[T]], R],
    ) -> R:
        made = (self.of((slot, name), (part,), partial(_listed, make, part)) for name, part in block)
        return gather(chain.from_iterable(made))


def by_turn(entries: Iterable[tuple[int, T]]) -> dict[int, list[T]]:
    """Entries by their turn, in their order."""
    found: dict[int, list[T]] = {}
    for turn, entry in entries:
        found.setdefault(turn, []).append(entry)
    return found


def _listed(make: Callable[[P], Iterable[T]], part: P) -> tuple[T, ...]:
    return tuple(make(part))


_BY_OPENING: Final[dict[int, tuple[ref[DebateOpened], Derived]]] = {}
"""By the identity of the opening, which is not used again before the entry is removed."""


def derived(opened: DebateOpened) -> Derived:
    """What is kept of the debate with this opening."""
    name = id(opened)
    if (found := _BY_OPENING.get(name)) is None:
        found = _BY_OPENING[name] = ref(opened, lambda _: _BY_OPENING.pop(name, None)), Derived()
    return found[1]


def is_kept(opened: DebateOpened) -> bool:
    """Whether something is kept of the debate with this opening."""
    return id(opened) in _BY_OPENING


def forget(opened: DebateOpened) -> None:
    """Keep nothing of the debate with this opening: no model is asked any more, and spectators may stay for hours."""
    _BY_OPENING.pop(id(opened), None)
