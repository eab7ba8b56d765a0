"""All figures by name."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from server.bench.appends import appends, one_append, pressure
from server.bench.figure import BenchFigure
from server.bench.overhead import overhead
from server.bench.reading import fold, list_, start, typed_read

SUITE: Final[Mapping[str, Callable[..., Coroutine[Any, Any, BenchFigure]]]] = {
    "appends": appends,
    "append": one_append,
    "pressure": pressure,
    "read": typed_read,
    "fold": fold,
    "list": list_,
    "start": start,
    "overhead": overhead,
}
NOT_QUICK: Final = frozenset({"pressure", "fold", "list", "start"})
"""Figures that ``--quick`` leaves out, unless ``--only`` names them."""
