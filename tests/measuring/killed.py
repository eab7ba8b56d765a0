"""The process that is killed: many debates append for ever, and each acknowledged append is printed at once.

``python -m tests.measuring.killed URL DEBATES SEED`` prints lines of ``debate position``.  An event holds its own
position and its place in its batch, so that the log shows a lost, a doubled and a torn batch.
"""

import os
import random
import sys
from typing import Final

import anyio

from events.errors import Fenced
from events.record import Draft, Recorded
from events.store.address import is_postgres
from events.store.log import EventLog
from events.store.open import open_log
from events.store.postgres.log import PostgresLog
from events.types import TurnStarted

LARGEST: Final = 7
"""Events of the largest batch."""
LEASE_S: Final = 0.2
"""In PostgreSQL a dead node owns its debates until their leases end."""


def batch(debate: str, after: int, size: int) -> list[Draft]:
    """The batch after position ``after``.  Its ids are the same in every process."""
    return [
        Draft(
            event=TurnStarted(turn=after + place, side="pro", attempt=size * 10 + place, directive=None),
            id=f"{debate}.{after + place}",
        )
        for place in range(1, size + 1)
    ]


async def _write(log: EventLog, debate: str, rng: random.Random) -> None:
    position = await log.head(debate)
    if position:  # after a crash the last append is repeated, which must be harmless
        (last,) = await log.read(debate, position - 1)
        assert isinstance(last.event, TurnStarted)
        size = last.event.attempt // 10
        answer = await _repeated(log, debate, position - size, size)
        assert answer[-1].digest == last.digest, "a repeated append was recorded twice"
    while True:
        size = rng.randint(1, LARGEST)
        await log.append(debate, position, batch(debate, position, size))
        position += size
        os.write(1, f"{debate} {position}\n".encode())


async def _repeated(log: EventLog, debate: str, after: int, size: int) -> tuple[Recorded, ...]:
    while True:
        try:
            return await log.append(debate, after, batch(debate, after, size))
        except Fenced:  # the dead node still owns it
            await anyio.sleep(LEASE_S / 4)


async def main(url: str, debates: int, seed: int) -> None:
    """Append until killed."""
    rng = random.Random(seed)
    log = await (PostgresLog.open(url, lease_s=LEASE_S) if is_postgres(url) else open_log(url))
    async with anyio.create_task_group() as tasks:
        for number in range(debates):
            tasks.start_soon(_write, log, f"soak-{number}", rng)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), backend_options={"use_uvloop": True})
