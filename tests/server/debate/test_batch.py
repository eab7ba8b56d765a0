"""A batch: its plan, its debates, its budget, and what is left of it after a failure."""

from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from events.state import debate as debates
from events.state.parts.batch import INITIAL as NONE_BEGUN
from events.store.log import read_all, read_rows
from events.store.memory import MemoryLog
from events.store.sqlite.log import SqliteLog
from events.types import (
    BatchDebateEnded,
    BatchDebatePlanned,
    DebateConcluded,
    DebateHalted,
    DebatePaused,
    TurnSpoken,
)
from server.debate import stream_writer
from server.debate.commands import Halt, Resume
from server.debate.formats.batch.opening import plan_of
from server.debate.formats.batch.plan import expanded, id_of, is_as_planned
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.errors import BadField
from tests.server.harness import Harness, harness
from tests.server.test_store_trouble import limit_pages

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_writer, "STORE_WAIT_S", 0.01)
    monkeypatch.setattr("events.store.sqlite.writer.PROBE_S", 0.01)
    monkeypatch.setattr("server.debate.setup.debates.LOOK_S", 0.05)


FAULTY: dict[str, Any] = {"con": [{"fault": {"kind": "auth"}}]}
"""Con has no access to its model."""


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


def test_a_plan_means_each_combination_once_with_its_sides_exchanged() -> None:
    both = [{"pro": "engineer", "con": "provocateur"}]
    body = batch("a:1", models=["a:1", "a:2", "a:3"], motions=["Cats purr", "Dogs bark"], characters=both, repeats=2)
    request = as_request(body)
    plan = plan_of(request.batch)
    debates = list(expanded(plan))
    sides = {(each.models.pro, each.models.con) for each in debates}

    assert len({each.key for each in debates}) == len(debates) == plan.debates == 2 * 2 * 6
    assert sides == {(f"a:{one}", f"a:{other}") for one in "123" for other in "123" if one != other}
    assert [each.key for each in debates[:2]] == ["n1.m1.d1", "n1.m1.d1x"]
    for one, other in zip(debates[::2], debates[1::2], strict=True):
        assert (one.characters.pro, one.models.pro) == (other.characters.con, other.models.con)
    assert is_as_planned(plan)
    assert not is_as_planned(msgspec.structs.replace(plan, repeats=3))
    assert len({id_of(batch_id, each.key) for batch_id in "ab" for each in debates}) == 2 * len(debates)


@pytest.mark.slow
async def test_each_debate_of_a_plan_is_held_once_and_is_as_private_as_the_batch(tmp_path: Path) -> None:
    async with harness() as h:
        made = await opened(h, batch(script(tmp_path), motions=["Cats purr", "Dogs bark"], seeds=[1, 2, 3]))
        assert isinstance(await h.ended(made), DebateConcluded)
        planned, ended = await of(h, made, BatchDebatePlanned), await of(h, made, BatchDebateEnded)
        rows = {row.id: row async for row in read_rows(h.log)}
        view = (await h.view(made))["batch"]
        opening = (await h.events(planned[0].debate))[0]

    assert len({each.key for each in planned}) == len(planned) == len(ended) == 6
    assert rows.keys() == {made, *(each.debate for each in planned)}
    assert {row.state for row in rows.values()} == {"concluded"}
    assert all(row.unlisted and row.tags == ("trial",) for row in rows.values())
    assert {each.key for each in ended if each.cost_usd > 0} == {"s1.m1", "s1.m2", "s2.m1", "s2.m2", "s3.m1", "s3.m2"}
    assert round(view["spent_usd"], 6) == round(sum(each.cost_usd for each in ended), 6) > 0
    assert (view["concluded"], view["waiting"], view["running"], view["reserved_usd"]) == (6, 0, 0, 0)
    assert (opening.part_of.batch, opening.part_of.key, opening.settings.seed) == (made, planned[0].key, 1)


@pytest.mark.slow
async def test_no_debate_begins_that_the_budget_does_not_hold(tmp_path: Path) -> None:
    async with harness() as h:
        made = await opened(h, batch(script(tmp_path), repeats=5, max_cost_usd=0.7, each={"max_cost_usd": 0.5}))
        halted = await h.ended(made)
        spent = sum(each.cost_usd for each in await of(h, made, BatchDebateEnded))
        assert "the budget is spent" in halted.reason
        assert 0.2 < spent <= 0.7
        most, fold = 0.0, debates.INITIAL
        for number, record in enumerate([record async for record in read_all(h.log, made)]):
            fold = debates.evolve(fold, record)
            state = fold.batch or NONE_BEGUN
            most = max(most, state.spent_usd + state.reserved_usd)
            assert number or fold.opened
        assert most <= 0.7
        position = await h.log.head(made)
        await h.moderators.act(made, Resume("more", "operator", 5.0))
        assert isinstance(await h.ended(made, position), DebateConcluded)
        assert len(await of(h, made, BatchDebateEnded)) == 5


async def test_what_failed_is_listed_and_goes_on_where_it_stopped_once_it_is_tried_again(tmp_path: Path) -> None:
    model = script(tmp_path, says=FAULTY)
    async with harness() as h:
        made = await opened(h, batch(model, repeats=3, each={"turns": 2}))
        halted = await h.ended(made)
        first = await of(h, made, BatchDebateEnded)
        assert "3 of 3 debates failed" in halted.reason
        assert {(each.state, each.provider) for each in first} == {("halted", "scripted")}
        assert len((await h.view(made))["batch"]["failures"]) == 3
        script(tmp_path, label="mended")
        position = await h.log.head(made)
        await h.moderators.act(made, Resume("mended", "operator"))
        assert isinstance(await h.ended(made, position), DebateConcluded)
        second = (await of(h, made, BatchDebateEnded))[3:]
        view = (await h.view(made))["batch"]
        assert {each.debate for each in first} == {each.debate for each in second}
        assert {(each.attempt, each.state) for each in second} == {(2, "concluded")}
        for each in second:
            spoken = [one.turn for one in await h.events(each.debate) if isinstance(one, TurnSpoken)]
            assert spoken == [1, 2]
        assert round(view["spent_usd"], 6) == round(sum(each.cost_usd for each in second), 6)
        assert (view["concluded"], view["failed"]) == (3, 0)


async def test_a_provider_that_always_fails_pauses_the_batch(tmp_path: Path) -> None:
    model = script(tmp_path, says={"pro": [{"fault": {"kind": "auth"}}]})
    async with harness() as h:
        made = await opened(h, batch(model, repeats=9, in_a_row=2, at_once={"scripted": 1}))
        paused = (await h.until(made, lambda record: isinstance(record.event, DebatePaused))).event

        assert paused.reason.startswith("2 debates in a row failed at scripted")
        assert len(await of(h, made, BatchDebatePlanned)) == 2


@pytest.mark.parametrize("is_opened", [False, True])
async def test_a_batch_whose_process_was_killed_goes_on_with_what_it_had_planned(
    tmp_path: Path, *, is_opened: bool
) -> None:
    log, body = MemoryLog(), batch(script(tmp_path), repeats=2)
    async with harness(log) as h:
        made = await opening_for(log, as_request(body), h.registry, h.settings)
        plan = made.opened.batch
        child = id_of("one", "n1")
        planned = BatchDebatePlanned(key="n1", attempt=1, debate=child)
        await log.append("one", 0, [made.opened, *made.follows, planned])
        if is_opened:
            first = next(iter(expanded(plan)))
            opening = await opening_for(log, as_request(first.body(plan)), h.registry, h.settings)
            await log.append(child, 0, [opening.opened])
        await h.moderators.take_up()
        assert isinstance(await h.ended("one"), DebateConcluded)
        events = await of(h, "one", BatchDebatePlanned)
        ended = await of(h, "one", BatchDebateEnded)
        rows = [row.id async for row in read_rows(log)]

    assert [(each.key, each.attempt) for each in events] == [("n1", 1), ("n2", 1)]
    assert [each.state for each in ended] == ["concluded", "concluded"]
    assert sorted(rows) == sorted({"one", child, id_of("one", "n2")})


async def test_halting_a_batch_halts_its_debates_and_resuming_lets_them_go_on(tmp_path: Path) -> None:
    slow = script(tmp_path, pace={"answer_ms": 600_000})
    async with harness() as h:
        made = await opened(h, batch(script(tmp_path, "fast"), judges=[slow], repeats=2))
        planned = await h.until(made, lambda record: isinstance(record.event, BatchDebatePlanned))
        child = planned.event.debate
        await h.until(child, lambda record: isinstance(record.event, TurnSpoken))
        await h.moderators.act(made, Halt("stop", "operator"))
        halted = await h.ended(child)
        assert isinstance(halted, DebateHalted)
        assert not await of(h, made, BatchDebateEnded)
        script(tmp_path, label="quick")
        position = await h.log.head(made)
        await h.moderators.act(made, Resume("on", "operator"))
        assert isinstance(await h.ended(made, position), DebateConcluded)
        assert [each.attempt for each in await of(h, made, BatchDebateEnded)] == [1, 1]


async def test_a_batch_that_drains_goes_on_elsewhere_with_the_debates_that_it_had_planned(tmp_path: Path) -> None:
    log, body = MemoryLog(), batch(script(tmp_path, pace={"answer_ms": 600_000}), repeats=3, at_once={"scripted": 2})
    async with harness(log) as h:
        made = await opened(h, body)
        child = (await h.until(made, lambda record: isinstance(record.event, BatchDebatePlanned))).event.debate
        await h.until(child, lambda record: isinstance(record.event, TurnSpoken))
        await h.moderators.drain(0)
        assert not h.moderators.running
        assert not await of(h, made, BatchDebateEnded)
    script(tmp_path, label="quick")
    async with harness(log) as h:
        await h.moderators.take_up()
        assert isinstance(await h.ended(made), DebateConcluded)
        assert [(each.key, each.attempt) for each in await of(h, made, BatchDebatePlanned)] == [
            ("n1", 1),
            ("n2", 1),
            ("n3", 1),
        ]
        assert [each.state for each in await of(h, made, BatchDebateEnded)] == ["concluded"] * 3


async def test_a_batch_waits_for_room_on_the_disk_and_then_concludes(tmp_path: Path) -> None:
    async with await SqliteLog.open(tmp_path / "moot.db") as log, harness(log) as h:
        made = await opened(h, batch(script(tmp_path, pace={"answer_ms": 20}), repeats=12, at_once={"scripted": 3}))
        await h.until(made, lambda record: isinstance(record.event, BatchDebateEnded))
        limit_pages(log, 1)  # no more than there are
        while log.trouble is None:  # noqa: ASYNC110 - what is written before still fits
            await anyio.sleep(0.01)
        limit_pages(log, 1_000_000)
        assert isinstance(await h.ended(made), DebateConcluded)
        ended = await of(h, made, BatchDebateEnded)
        rows = [row async for row in read_rows(log)]

    assert [each.state for each in ended] == ["concluded"] * 12
    assert len({each.key for each in ended}) == 12
    assert len(rows) == 13


async def test_a_deleted_debate_is_neither_waited_for_nor_held_again(tmp_path: Path) -> None:
    model = script(tmp_path, says=FAULTY)
    async with harness() as h:
        made = await opened(h, batch(model, repeats=2, each={"turns": 2}))
        await h.ended(made)
        gone, cost = next((each.debate, each.cost_usd) for each in await of(h, made, BatchDebateEnded))
        await h.log.delete(gone, await h.log.head(gone), "a person wants it")
        script(tmp_path, label="mended")
        position = await h.log.head(made)
        await h.moderators.act(made, Resume("mended", "operator"))
        assert isinstance(await h.ended(made, position), DebateConcluded)
        view = (await h.view(made))["batch"]
        last = {each.debate: each for each in await of(h, made, BatchDebateEnded)}

    assert (view["concluded"], view["deleted"]) == (1, 1)
    assert (last[gone].state, last[gone].cost_usd) == ("deleted", cost)


@pytest.mark.parametrize(
    ("wrong", "field", "why"),
    [
        ({"models": ["scripted:absent.json"]}, "batch.models", "scripted:absent.json"),
        ({"judges": ["nobody:model"]}, "batch.judges", "nobody"),
        ({"at_once": {"nobody": 2}}, "batch.at_once.nobody", "no provider"),
        ({"each": {"turns": 0}}, "batch.each.turns", "turns"),
        ({"each": {"seed": 3}}, "batch.each.seed", "the axes of the plan"),
        ({"max_cost_usd": 3.0}, "batch.each.max_cost_usd", "a cap for each debate"),
        ({"repeats": 1000, "seeds": list(range(6))}, "batch", "5,000"),
        ({"models": ["scripted:a", {"pro": "scripted:a", "con": "scripted:b"}]}, "batch.models", "stands alone"),
    ],
)
async def test_what_is_wrong_with_a_plan_is_said_before_anything_begins(
    tmp_path: Path, wrong: dict[str, Any], field: str, why: str
) -> None:
    async with harness() as h:
        with pytest.raises(BadField, match=why) as refused:
            await opened(h, batch(script(tmp_path), **wrong))
        assert refused.value.field == field
        assert not [row async for row in read_rows(h.log)]


async def test_a_batch_that_another_version_would_plan_otherwise_is_halted(tmp_path: Path) -> None:
    async with harness() as h:
        made = await opening_for(h.log, as_request(batch(script(tmp_path))), h.registry, h.settings)
        other = msgspec.structs.replace(made.opened.batch, digest="0" * 64)
        one = await h.moderators.open(msgspec.structs.replace(made.opened, batch=other))
        assert "would plan other debates" in (await h.ended(one)).reason
