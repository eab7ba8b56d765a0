"""All measurements by name."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from server.bench.appends import appends, one_append
from server.bench.fanout import fanout
from server.bench.figure import Figure
from server.bench.fold import fold
from server.bench.overhead import overhead
from server.bench.panel import alpha_at_length, panel
from server.bench.postgres import postgres

SUITE: Final[Mapping[str, Callable[..., Awaitable[Figure]]]] = {
    "appends": appends, "append": one_append, "fold": fold, "fanout": fanout, "overhead": overhead,
    "panel": panel, "alpha": alpha_at_length, "postgres": postgres,
}
UNHURRIED: Final = frozenset({"postgres"})
"""What takes longer to set up than ``--quick`` allows; ``--only`` asks for it all the same."""


async def measure(name: str, *, quick: bool) -> Figure:
    """One figure."""
    return await SUITE[name](quick=quick)
