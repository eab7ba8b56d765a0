"""All measurements by name."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from server.bench.appends import appends, one_append
from server.bench.compressed import against_each, delta_size
from server.bench.fanout import against_broadcast, against_send_text, fanout_1000, fanout_4000, joined_16
from server.bench.figure import Figure
from server.bench.fold import fold
from server.bench.overhead import overhead
from server.bench.panel import alpha_at_length, panel
from server.bench.resident import memory
from server.bench.stalled import healthy, kept

SUITE: Final[Mapping[str, Callable[..., Awaitable[Figure]]]] = {
    "appends": appends, "append": one_append, "fold": fold, "overhead": overhead,
    "fanout": fanout_1000, "fanout-wide": fanout_4000, "fanout-joined": joined_16, "send-text": against_send_text,
    "broadcast": against_broadcast, "spectator": memory, "compressed": against_each, "delta": delta_size,
    "stalled": healthy, "kept": kept,
    "panel": panel, "alpha": alpha_at_length,
}

ON_UVLOOP: Final = frozenset({
    "fanout", "fanout-wide", "fanout-joined", "send-text", "broadcast", "spectator", "compressed", "delta", "stalled",
    "kept",
})
"""Measured on the loop that ``moot serve`` runs on; the others on asyncio's own, as the command line does."""


async def measure(name: str, *, quick: bool) -> Figure:
    """One figure."""
    return await SUITE[name](quick=quick)
