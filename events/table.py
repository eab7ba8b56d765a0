"""A plain table of parts by name: each has a place, ``module`` or ``module:attribute``, and is imported on use.

What stands in a table hangs on the module that has it, and that module imports none of it.  Nothing is discovered.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class LazyTable(Mapping[str, T], Generic[T]):
    """Parts by name.  ``places`` names them; looking one up imports its module."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = dict(places)

    def __getitem__(self, name: str) -> T:
        module, _, attribute = self.places[name].partition(":")
        found: Any = import_module(module)
        part: T = getattr(found, attribute) if attribute else found
        return part

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places
