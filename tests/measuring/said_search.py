"""Search in what was said with a large store: ``python -m tests.measuring.said_search --store postgres``."""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec.structs import replace

from events.record import Draft
from events.store.log import EventLog
from events.store.memory import MemoryLog
from events.store.postgres.log import PostgresLog
from events.store.postgres.schema import migrate
from events.store.sqlite.log import SqliteLog
from events.types import DebateConcluded, Event, TurnSpoken
from server.bench.material import opening, turn_events
from tests.measuring.postgres import database

QUERIES: Final = ("street", "tra", "bicycles trees", '"the last tram stop"', "zzz", "street zzz", "n{}", "street n{}")
"""Words of every debate, their beginnings, words that follow one another, none, and words of one debate."""
TICK_S: Final = 0.001


@asynccontextmanager
async def opened(store: str) -> AsyncIterator[EventLog]:
    """An empty store."""
    if store == "memory":
        async with MemoryLog() as log:
            yield log
    elif store == "sqlite":
        with TemporaryDirectory(prefix="moot-said-") as folder:
            async with await SqliteLog.open(Path(folder) / "moot.db") as log:
                yield log
    else:
        with database() as url:
            await migrate(url)
            async with await PostgresLog.open(url) as log:
                yield log


def debate_of(number: int, turns: int) -> list[Event]:
    """A concluded debate of these speeches, each with a word that no other debate has."""
    said = [each for turn in range(1, turns + 1) for each in turn_events(turn) if isinstance(each, TurnSpoken)]
    named = [replace(each, text=f"{each.text} Debate n{number}.") for each in said]
    return [opening(turns), *named, DebateConcluded(winner="pro", by_rule="scorecard")]


async def longest_block(stop: asyncio.Event) -> float:
    """The longest time in seconds for which the event loop answered nothing."""
    longest, before = 0.0, time.perf_counter()
    while not stop.is_set():
        await asyncio.sleep(TICK_S)
        now = time.perf_counter()
        longest, before = max(longest, now - before - TICK_S), now
    return longest


async def measure(store: str, debates: int, turns: int, times: int) -> str:
    """One line: the first search, the later ones, and how long they blocked the loop."""
    async with opened(store) as log:
        for first in range(0, debates, 50):
            async with asyncio.TaskGroup() as group:
                for number in range(first, min(first + 50, debates)):
                    events = [Draft(event=event) for event in debate_of(number, turns)]
                    group.create_task(log.append(f"d{number}", 0, events))
        first_s, first_block = await timed(log, "zzz")
        taken, blocks = [], []
        for each in range(times):
            for query in QUERIES:
                took, block = await timed(log, query.format(each * debates // times))
                taken.append(took)
                blocks.append(block)
    middle, late = (sorted(taken)[len(taken) * part // 100] * 1000 for part in (50, 95))
    return (
        f"{store}, {debates} debates of {turns} speeches: first search {first_s:.1f} s, loop blocked "
        f"{first_block * 1000:.0f} ms; later median {middle:.1f} ms, p95 {late:.1f} ms, "
        f"most {max(taken) * 1000:.0f} ms, loop blocked at most {max(blocks) * 1000:.0f} ms"
    )


async def timed(log: EventLog, query: str) -> tuple[float, float]:
    """Seconds that a search takes, and for which it blocked the loop."""
    stop = asyncio.Event()
    blocked = asyncio.create_task(longest_block(stop))
    await asyncio.sleep(0)
    began = time.perf_counter()
    await log.search(query)
    took = time.perf_counter() - began
    stop.set()
    return took, await blocked


def main() -> None:
    """Print one line for the store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=("memory", "sqlite", "postgres"), default="postgres")
    parser.add_argument("--debates", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--times", type=int, default=10)
    given = parser.parse_args()
    print(asyncio.run(measure(given.store, given.debates, given.turns, given.times)))


if __name__ == "__main__":
    main()
