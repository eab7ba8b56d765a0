"""All figures by name."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from server.bench.appends import appends, appends_beside_the_library, one_append, pressure
from server.bench.fanout import (
    against_broadcast,
    against_each,
    against_send_text,
    delta_size,
    fanout_1000,
    fanout_4000,
    joined_16,
)
from server.bench.figure import Figure
from server.bench.overhead import overhead
from server.bench.postgres import postgres
from server.bench.reading import fold, list_, rebuild, start, typed_read
from server.bench.spectators import healthy, kept, memory

SUITE: Final[Mapping[str, Callable[..., Awaitable[Figure]]]] = {
    "appends": appends,
    "library": appends_beside_the_library,
    "append": one_append,
    "pressure": pressure,
    "read": typed_read,
    "fold": fold,
    "rebuild": rebuild,
    "list": list_,
    "start": start,
    "overhead": overhead,
    "fanout": fanout_1000,
    "fanout-wide": fanout_4000,
    "fanout-joined": joined_16,
    "send-text": against_send_text,
    "broadcast": against_broadcast,
    "spectator": memory,
    "compressed": against_each,
    "delta": delta_size,
    "stalled": healthy,
    "kept": kept,
    "postgres": postgres,
}
NOT_QUICK: Final = frozenset({"postgres", "pressure", "fold", "list", "start", "broadcast"})
"""Figures that ``--quick`` leaves out, unless ``--only`` names them."""


async def measure(name: str, *, quick: bool) -> Figure:
    """Measure one figure."""
    return await SUITE[name](quick=quick)
