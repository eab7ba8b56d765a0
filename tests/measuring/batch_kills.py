"""A batch whose servers are killed at random: is each debate held once, and is the budget right to the cent?

``python -m tests.measuring.batch_kills --debates 1000 --kills 5`` runs it on SQLite, with ``--postgres`` on two nodes
of a temporary server.  The models are scripted; each of their calls costs a cent.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import anyio
import click
from msgspec import Struct

from events.state import debate as debates
from events.state.parts.batch import INITIAL as NONE_BEGUN
from events.store.log import EventLog, read_all, read_pages, read_rows
from events.store.open import opened_log
from events.store.postgres.schema import migrate
from events.types import BatchDebateEnded, BatchDebatePlanned, DebateOpened, Missing, ModelAnswered, ModelFailed
from events.verify import verify_log
from server.cli.output import run_async
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.service import limited
from server.settings import Settings
from tests.measuring.failover import NodeProcess
from tests.measuring.postgres import database

SEED: Final = 20261128
LOOK_S: Final = 0.05
ANSWER_MS: Final = 30
"""Of each call, so that some are in flight at a kill."""
CENT: Final = 0.01
CAP_USD: Final = 0.5
LEASE_S: Final = 1.0


class BatchReport(Struct, frozen=True, kw_only=True):
    """The result.  ``largest_kb``: the most resident memory of a server before a kill and at the end."""

    debates: int
    kills: int
    held: int
    """Debates of the batch in the store."""
    concluded: int
    planned: int
    """Recorded plans: one for each debate."""
    ended: int
    doubled: int
    """Debates with two openings, two plans or two ends."""
    broken: int
    """Debates whose chain does not verify."""
    budget_usd: float
    recorded_usd: float
    """Sum over all calls in the logs of the debates."""
    booked_usd: float
    """What the batch says that it has spent."""
    most_usd: float
    """The most that had been spent and reserved at any position of the batch."""
    repeated_calls: int
    """Calls beyond the fewest of a debate: those that a kill interrupted and another process repeated."""
    largest_kb: int
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether each debate was held once and the sums agree."""
        once = self.held == self.concluded == self.planned == self.ended == self.debates
        sums = round(self.recorded_usd, 2) == round(self.booked_usd, 2) and self.most_usd <= self.budget_usd + 1e-6
        return once and sums and not (self.doubled or self.broken)


async def opened_batch(url: str, folder: Path, number: int) -> tuple[str, float]:
    """Record the opening of a batch of so many debates; its id and its budget."""
    script = folder / "cent.json"
    script.write_text(json.dumps({"cost_usd": CENT, "pace": {"answer_ms": ANSWER_MS}}), encoding="utf-8")
    model, budget = f"scripted:{script}", number * CAP_USD
    body = {
        "format": "batch",
        "max_cost_usd": budget,
        "batch": {
            "name": "killed",
            "motions": ["Cats are better than dogs"],
            "models": [model],
            "judges": [model],
            "repeats": number,
            "each": {"turns": 1, "max_cost_usd": CAP_USD},
        },
    }
    settings = Settings(store=url)
    registry = limited(settings)
    made = await opening_for(None, as_request(body), registry, settings)
    await registry.close()
    batch = f"batch-{SEED}"
    async with opened_log(url) as log:
        await log.append(batch, 0, [made.opened, *made.follows])
    return batch, budget


async def run(url: str, folder: Path, number: int, kills: int, nodes: int, seed: int = SEED) -> BatchReport:
    """Hold a batch while its servers are killed; with several nodes, one of them at a time."""
    began, rng = time.monotonic(), random.Random(seed)
    batch, budget = await opened_batch(url, folder, number)
    environment = {"MOOT_STORE": url, "MOOT_LEASE_S": str(LEASE_S), "MOOT_LOG_LEVEL": "error", "MOOT_RETRY_MS": "0"}
    running = [NodeProcess(environment) for _ in range(nodes)]
    largest = 0
    try:
        for node in running:
            await node.started()
        async with opened_log(url, read_only=True) as log:
            for head in sorted(rng.sample(range(3, 2 * number), kills)):
                await _reached(log, batch, head)
                victim = rng.randrange(nodes)
                largest = max(largest, running[victim].resident_kb())
                running[victim].kill()
                running[victim] = NodeProcess(environment)
                await running[victim].started()
            await _concluded(log, batch)
            largest = max(largest, *(node.resident_kb() for node in running))
            return await _report(
                log, batch, {"debates": number, "kills": kills, "budget_usd": budget, "largest_kb": largest}, began
            )
    finally:
        for node in running:
            node.kill()


async def _reached(log: EventLog, batch: str, head: int) -> None:
    while (found := await log.head(batch)) < head:
        await log.wait_beyond(batch, found)


async def _concluded(log: EventLog, batch: str) -> None:
    """Wait for the end.  Raises ``RuntimeError`` if the batch halts."""
    debate = debates.INITIAL
    while debate.status.state != "concluded":
        async for records in read_pages(log, batch, debate.position):
            for record in records:
                debate = debates.evolve(debate, record)
        if debate.status.state == "halted":
            raise RuntimeError(debate.status.reason)
        await anyio.sleep(LOOK_S)


async def _report(log: EventLog, batch: str, facts: Mapping[str, Any], began: float) -> BatchReport:
    """What the logs say, each read by itself."""
    planned, ended = Counter[str](), Counter[str]()
    most, batch_debate, state = 0.0, debates.INITIAL, NONE_BEGUN
    async for record in read_all(log, batch):
        batch_debate = debates.evolve(batch_debate, record)
        state = batch_debate.batch or NONE_BEGUN
        most = max(most, state.spent_usd + state.reserved_usd)
        if isinstance(record.event, BatchDebatePlanned):
            planned[record.event.key] += 1
        elif isinstance(record.event, BatchDebateEnded):
            ended[record.event.key] += 1
    held, concluded, broken, recorded, calls = 0, 0, 0, 0.0, list[int]()
    parts = Counter[str]()
    async for row in read_rows(log):
        if row.id == batch:
            continue
        held += 1
        concluded += row.state == "concluded"
        broken += not (await verify_log(log, row.id)).ok
        asked = 0
        async for record in read_all(log, row.id):
            match record.event:
                case DebateOpened(part_of=part) if part:
                    parts[part.key] += 1
                case ModelAnswered(cost_usd=cost) | ModelFailed(cost_usd=cost) if not isinstance(cost, Missing):
                    recorded, asked = recorded + cost, asked + 1
        calls.append(asked)
    fewest = min(calls, default=0)
    return BatchReport(
        **facts,
        held=held,
        concluded=concluded,
        planned=sum(planned.values()),
        ended=sum(ended.values()),
        doubled=sum(number > 1 for of in (planned, ended, parts) for number in of.values()),
        broken=broken,
        recorded_usd=recorded,
        booked_usd=state.spent_usd,
        most_usd=round(most, 6),
        repeated_calls=sum(calls) - fewest * len(calls),
        seconds=round(time.monotonic() - began, 1),
    )


def in_words(found: BatchReport) -> str:
    """The result in lines."""
    return (
        f"{found.kills} kills: {found.held} of {found.debates} debates held, {found.concluded} concluded,"
        f" {found.doubled} doubled, {found.broken} with a broken chain, in {found.seconds:g} s\n"
        f"calls recorded for {found.recorded_usd:.2f} USD, booked {found.booked_usd:.2f} USD; at most"
        f" {found.most_usd:.2f} of {found.budget_usd:.2f} USD were spent and reserved\n"
        f"{found.repeated_calls} calls were repeated; a server had at most {found.largest_kb / 1024:.0f} MB"
    )


@click.command()
@click.option("--debates", type=int, default=1000, show_default=True)
@click.option("--kills", type=int, default=5, show_default=True)
@click.option("--postgres", is_flag=True, help="Two nodes on a temporary server.")
@click.option("--seed", type=int, default=SEED, show_default=True)
def main(debates: int, kills: int, seed: int, *, postgres: bool) -> None:
    """Hold a batch, kill its servers, and check what is left."""

    async def on(url: str, folder: str, nodes: int) -> BatchReport:
        if nodes > 1:
            await migrate(url)
        return await run(url, Path(folder), debates, kills, nodes, seed)

    with TemporaryDirectory(prefix="moot-batch-") as folder:
        if postgres:
            with database() as url:
                found = run_async(lambda: on(url, folder, 2))
        else:
            found = run_async(lambda: on(f"sqlite:{folder}/moot.db", folder, 1))
    click.echo(in_words(found))
    sys.exit(0 if found.ok else 1)


if __name__ == "__main__":
    main()
