"""A map that grows by one entry at a time without being copied: the log of a lab run may hold thousands of answers.

Source: the binary counter of the logarithmic method, Bentley and Saxe, "Decomposable searching problems I" (1980).
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import filterfalse
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class GrowingMap(Generic[K, V]):
    """An immutable map.  Adding an entry copies each entry O(log n) times in all, looking up takes O(log n).

    It holds parts of falling size, the newest last: an entry in a later part replaces one in an earlier part.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[Mapping[K, V], ...] = ()) -> None:
        self._parts = parts

    def with_(self, entries: Mapping[K, V]) -> "GrowingMap[K, V]":
        """The map with these entries."""
        if not entries:
            return self
        parts, newest = list(self._parts), dict(entries)
        while parts and len(parts[-1]) <= 2 * len(newest):
            newest = {**parts.pop(), **newest}
        return GrowingMap((*parts, newest))

    def get(self, name: K) -> V | None:
        """The entry of a name; None without one."""
        for part in reversed(self._parts):
            if name in part:
                return part[name]
        return None

    def __contains__(self, name: object) -> bool:
        for part in self._parts:  # noqa: SIM110 - a prompt asks for hundreds of names, and a generator takes longer
            if name in part:
                return True
        return False

    def without(self, names: Iterable[K]) -> set[K]:
        """Those of the names that have no entry."""
        for part in self._parts:
            names = filterfalse(part.__contains__, names)
        return set(names)

    def items(self) -> Iterator[tuple[K, V]]:
        """All entries, in the order of their names' first appearance in the oldest part."""
        whole: dict[K, V] = {}
        for part in self._parts:
            whole |= part
        return iter(whole.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GrowingMap) and dict(self.items()) == dict(other.items())

    def __hash__(self) -> int:
        return hash(frozenset(name for name, _ in self.items()))

    def __repr__(self) -> str:
        return f"GrowingMap({dict(self.items())!r})"
