"""Figures of Moot beside other libraries, a loop in C, and SQLite beside PostgreSQL.

``python -m tests.measuring.comparisons --quick --only fanout`` measures and prints them as ``moot bench`` does.
"""

import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import anyio
import click
import msgspec

from events import codec
from events.store.log import read_pages
from events.store.sqlite.log import SqliteLog
from events.view import view as views
from server.bench.appends import DEBATES, EVENT, through_the_log
from server.bench.figure import BenchFigure, figure, interleaved
from server.bench.material import DEBATE, debate
from server.bench.reading import LONGEST
from server.cli.measure.bench import show
from tests.measuring import library
from tests.measuring.fanout import (
    against_broadcast,
    against_each,
    against_send_text,
    delta_size,
    fanout_1000,
    fanout_4000,
    joined_16,
)
from tests.measuring.postgres import postgres
from tests.measuring.spectators import healthy, kept, memory


async def appends_beside_the_library(*, quick: bool) -> BenchFigure:
    """The same appends beside an application of the ``eventsourcing`` library, which commits each event."""
    rounds, few, repetitions = (12, 1, 1) if quick else (40, 1, 3)
    payload = msgspec.json.decode(codec.encode(EVENT))
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        runs = iter(range(10**6))

        async def ours() -> float:
            return await through_the_log(Path(folder) / f"ours{next(runs)}.db", rounds)

        async def limit() -> float:
            file = Path(folder) / f"library{next(runs)}.db"
            return await anyio.to_thread.run_sync(library.appends, file, DEBATES, few, payload)

        reached, theirs = await interleaved(ours, limit, repetitions)
    return figure(
        "appends, beside a library",
        reached,
        theirs,
        aim=10,
        unit="events/s",
        against="the eventsourcing library's application, one event a save, same durability",
    )


async def rebuild(*, quick: bool) -> BenchFigure:
    """From the file to the view, beside the library's replay of the same payloads into a counter."""
    records = debate(LONGEST)
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        async with await SqliteLog.open(Path(folder) / "moot.db") as log:
            await log.adopt(records)
            replay = library.Replay(
                Path(folder) / "library.db", [msgspec.json.decode(each.payload) for each in records]
            )

            async def ours() -> float:
                began = time.perf_counter()
                folded = views.INITIAL
                async for page in read_pages(log, DEBATE):
                    folded = views.apply_all(folded, page)
                took = time.perf_counter() - began
                assert folded.view.position == LONGEST
                return LONGEST / took

            async def limit() -> float:
                return await anyio.to_thread.run_sync(replay.measure)

            with closing(replay):
                reached, theirs = await interleaved(ours, limit, 3 if quick else 15)
    return figure(
        "rebuild",
        reached,
        theirs,
        aim=10,
        unit="events/s",
        against="the eventsourcing library replaying the same payloads into a counter",
    )


SUITE: Final[Mapping[str, Callable[..., Coroutine[Any, Any, BenchFigure]]]] = {
    "library": appends_beside_the_library,
    "rebuild": rebuild,
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
SLOW: Final = frozenset({"postgres", "broadcast"})
"""Figures that ``--quick`` leaves out, unless ``--only`` names them."""


@click.command()
@click.option("--quick", is_flag=True, help="Fewer repetitions.")
@click.option("--only", type=click.Choice(list(SUITE)), multiple=True)
@click.option("--json", "as_json", is_flag=True)
def main(only: tuple[str, ...], *, quick: bool, as_json: bool) -> None:
    """Compare Moot with libraries and with the limits of this machine."""
    chosen = only or [name for name in SUITE if not (quick and name in SLOW)]
    show({name: SUITE[name] for name in chosen}, quick=quick, as_json=as_json)


if __name__ == "__main__":
    main()
