"""A batch: its plan, its debates, its budget, and what is left of it after a failure."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.record import Recorded
from events.store.log import read_rows
from events.types import BatchDebateEnded, BatchDebatePlanned, DebateConcluded, DebateHalted, DebatePaused
from server.debate.commands import Halt, Resume
from server.debate.formats.batch.opening import plan_of
from server.debate.formats.batch.plan import expanded, id_of, is_as_planned
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.errors import BadField
from tests.server.harness import Harness, harness


pytestmark = pytest.mark.anyio


def script(folder: Path, name: str = "plain", **fields: Any) -> str:
    """A script without turns: each debater and each judge says something neutral, at 1 cent a call."""
    path = folder / f"{name}.json"
    path.write_bytes(msgspec.json.encode({"cost_usd": 0.01, "pace": {}, **fields}))
    return f"scripted:{path}"


def batch(model: str, *, max_cost_usd: float | None = None, **axes: Any) -> dict[str, Any]:
    """The body of a request for a batch."""
    named = {"name": "trial", "motions": ["Cats are better than dogs"], "models": [model], "judges": [model]}
    each = {"turns": 1, **axes.pop("each", {})}
    return {"format": "batch", "max_cost_usd": max_cost_usd, "batch": {**named, "each": each, **axes}}


async def opened(h: Harness, body: dict[str, Any]) -> str:
    """Open a batch; its id."""
    made = await opening_for(h.log, as_request(body), h.registry, h.settings)
    return await h.moderators.open(made.opened, made.follows)


async def of(h: Harness, batch_id: str, kind: type) -> list[Any]:
    return [each for each in await h.events(batch_id) if isinstance(each, kind)]


async def test_each_debate_of_a_plan_is_held_once(tmp_path: Path) -> None:
    model = script(tmp_path)
    async with harness() as h:
        body = batch(model, motions=["Cats purr", "Dogs bark"], seeds=[1, 2, 3], at_once={"scripted": 2})
        made = await opened(h, body)
        assert isinstance(await h.ended(made), DebateConcluded)
        planned = await of(h, made, BatchDebatePlanned)
        ended = await of(h, made, BatchDebateEnded)
        rows = [row async for row in read_rows(h.log)]
        print([(e.key, e.state, e.reason, e.cost_usd) for e in ended])
        assert len({each.key for each in planned}) == len(planned) == len(ended) == 6
        assert len(rows) == 7
