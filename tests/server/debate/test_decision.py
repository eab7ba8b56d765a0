"""A person decides after the panel has named no winner: once, with a reason, also after the end of the debate."""

from collections.abc import Callable
from typing import Any

import anyio
import msgspec
import pytest

from events.store.log import read_all
from events.store.memory import MemoryLog
from events.transfer import export, import_debate
from events.types import DebateConcluded, DebateHalted, DecisionRecorded, PanelConcluded
from events.verify import verify_log
from server.debate.acts import MAX_DECISION, read_decision
from server.debate.commands import Decide
from server.errors import BadField, NotNow
from tests.server.children import Cli, as_json, said, seats
from tests.server.harness import Harness, Spectator, fault, harness, watch
from tests.server.panels import AGREED, SPLIT
from tests.server.protocol_debates import answers, of
from tests.server.site import MOTION, Site, refused

Script = Callable[..., str]
WHAT, WHY = "We try two lines first", "It is cheap to undo"


async def hung(h: Harness, script: Script, raters: dict[str, Any] = SPLIT, **request: Any) -> str:
    """A debate that has ended; by default its panel names no winner."""
    model = script(answers=answers() | raters)
    debate = await h.open(model, turns=6, format="protocol", panel=[model], **request)
    assert isinstance(await h.ended(debate), DebateConcluded)
    await h.idle()
    return debate


# the act


@pytest.mark.anyio
async def test_a_decision_is_recorded_beside_what_the_panel_said(script: Script) -> None:
    async with harness() as h:
        debate = await hung(h, script)
        before = await h.view(debate)
        position = await h.moderators.act(debate, Decide("pro", WHY, "Ada"))
        records = [record async for record in read_all(h.log, debate)]
        view = await h.view(debate)

    assert (len(records), DecisionRecorded(by="Ada", decision="pro", reason=WHY)) == (position, records[-1].event)
    assert isinstance(records[records[-1].cause - 1].event, PanelConcluded)
    assert ("Ada", "pro", WHY) == tuple(view["panel"]["decision"][name] for name in ("by", "decision", "reason"))
    assert position == view["panel"]["positions"]["decision"]
    for part in ("conclusion", "state", "verdicts", "scorecard", "protocol"):
        assert before[part] == view[part]
    assert before["panel"]["conclusion"] == view["panel"]["conclusion"]


@pytest.mark.anyio
async def test_a_decision_is_made_once(script: Script) -> None:
    async with harness() as h:
        debate = await hung(h, script)
        await h.moderators.act(debate, Decide("pro", WHY, "Ada"))
        with pytest.raises(NotNow, match="Ada has decided already: pro"):
            await h.moderators.act(debate, Decide("con", WHY, "Bo"))

        assert 1 == len(of(await h.events(debate), DecisionRecorded))


@pytest.mark.anyio
async def test_of_two_who_decide_at_once_one_is_refused(script: Script) -> None:
    refusals = []
    async with harness() as h:
        debate = await hung(h, script)

        async def decide(who: str) -> None:
            try:
                await h.moderators.act(debate, Decide("pro", WHY, who))
            except NotNow as error:
                refusals.append(str(error))

        async with anyio.create_task_group() as tasks:
            for who in ("Ada", "Bo"):
                tasks.start_soon(decide, who)
        events = await h.events(debate)

    assert (1, 1) == (len(of(events, DecisionRecorded)), len(refusals))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("rubric", "why"),
    [("v1", r"the panel names a winner: pro \(concluded\)"), ("v2", "judge and panel name a winner: pro")],
)
async def test_where_a_winner_is_named_nobody_else_decides(script: Script, rubric: str, why: str) -> None:
    async with harness() as h:
        debate = await hung(h, script, AGREED, rubric=rubric)

        with pytest.raises(NotNow, match=why):
            await h.moderators.act(debate, Decide("con", WHY, "Ada"))


@pytest.mark.anyio
async def test_a_panel_that_could_not_be_measured_leaves_it_to_a_person(script: Script) -> None:
    async with harness() as h:
        debate = await hung(h, script, {key: {"fault": fault("refuse", 99)} for key in AGREED})
        await h.moderators.act(debate, Decide("neither", WHY, "Ada"))

        assert "undetermined" == (await h.view(debate))["panel"]["conclusion"]["outcome"]
        assert "neither" == (await h.view(debate))["panel"]["decision"]["decision"]


@pytest.mark.anyio
async def test_without_a_panel_there_is_nothing_to_decide(script: Script) -> None:
    async with harness() as h:
        debate = await h.open(script())
        await h.ended(debate)

        with pytest.raises(NotNow, match="no panel judges a debate here"):
            await h.moderators.act(debate, Decide("con", WHY, "Ada"))


@pytest.mark.anyio
async def test_before_the_panel_has_concluded_it_is_too_early(script: Script) -> None:
    async with harness() as h:
        model = script(answers=answers() | SPLIT, cost_usd=0.01)
        debate = await h.open(model, turns=6, format="protocol", panel=[model], max_cost_usd=0.03)
        assert isinstance(await h.ended(debate), DebateHalted)

        with pytest.raises(NotNow, match="the panel has not concluded yet"):
            await h.moderators.act(debate, Decide("con", WHY, "Ada"))


# whoever watches, reads, takes it away


@pytest.mark.slow
@pytest.mark.anyio
async def test_whoever_still_watches_an_ended_debate_sees_the_decision(script: Script) -> None:
    async with harness() as h:
        debate = await hung(h, script)
        room, spectator, live = await h.hub.channel(debate), Spectator(), anyio.Event()

        def seen() -> bool:
            if "live" in spectator.kinds:
                live.set()
            return "decision" in spectator.view.get("panel", {})

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, h.hub, room, spectator, None, seen)
            await live.wait()
            position = await h.moderators.act(debate, Decide(WHAT, WHY, "Ada"))
        view = await h.view(debate)

    assert [position] == spectator.positions
    assert view == spectator.view
    assert (WHAT, "concluded") == (spectator.view["panel"]["decision"]["decision"], spectator.view["state"])


@pytest.mark.slow
@pytest.mark.anyio
async def test_an_ended_debate_with_a_decision_is_listed_verified_and_taken_away_as_before(script: Script) -> None:
    other = MemoryLog()
    async with harness() as h:
        debate = await hung(h, script)
        position = await h.moderators.act(debate, Decide(WHAT, WHY, "Ada"))
        (row,) = (await h.log.summaries()).debates
        lines = [line async for line in export(h.log, debate)]
        taken = await import_debate(other, lines)

        assert ("concluded", "neither", position) == (row.state, row.winner, row.position)
        assert () == await h.log.unfinished()
        assert (await verify_log(h.log, debate)).ok
        assert (position, False) == (taken.events, taken.paused)
        assert [r.digest async for r in read_all(h.log, debate)] == [r.digest async for r in read_all(other, debate)]
        assert 0 == await h.moderators.take_up()


# HTTP


def over_http(site: Site, script: Script, raters: dict[str, Any] = SPLIT) -> str:
    model = script(answers=answers() | raters)
    debate = site.open(model, turns=6, format="protocol", panel=[model])
    site.ended(debate)
    return debate


@pytest.mark.slow
def test_a_decision_is_posted_and_read(site: Site, script: Script) -> None:
    debate = over_http(site, script)
    response = site.client.post(f"/api/debates/{debate}/decision", json={"decision": f" {WHAT} ", "reason": WHY})

    assert 200 == response.status_code
    view = site.get(f"/api/debates/{debate}")
    assert {"by": "moderator", "decision": WHAT, "reason": WHY} == {
        name: view["panel"]["decision"][name] for name in ("by", "decision", "reason")
    }
    assert response.json() == {"position": view["position"]}
    before = site.get(f"/api/debates/{debate}?at={view['position'] - 1}")
    assert "decision" not in before["panel"]
    last = site.get(f"/api/debates/{debate}/events?after={view['position'] - 1}")["events"]
    assert ["decision_recorded"] == [each["event"]["type"] for each in last]
    again = site.client.post(f"/api/debates/{debate}/decision", json={"decision": "con", "reason": WHY, "by": "Bo"})
    refused(again, 409, says="moderator has decided already")


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (b"", 422, "decision"),
        (b"pro", 400, None),
        (b'["pro"]', 400, None),
        (b"\xff", 400, None),
        ({"reason": WHY}, 422, "decision"),
        ({"decision": "pro"}, 422, "reason"),
        ({"decision": "  ", "reason": WHY}, 422, "decision"),
        ({"decision": "pro", "reason": "\x00 "}, 422, "reason"),
        ({"decision": "x" * 201, "reason": WHY}, 422, "decision"),
        ({"decision": "pro", "reason": "x" * 2001}, 422, "reason"),
        ({"decision": 7, "reason": WHY}, 422, "decision"),
        ({"decision": "pro", "reason": None}, 422, "reason"),
        ({"decision": "pro", "reason": WHY, "by": ""}, 422, "by"),
        ({"decision": "pro", "reason": WHY, "vote": 1}, 422, "vote"),
    ],
)
def test_what_is_no_decision_is_refused(site: Site, body: Any, status: int, field: str | None) -> None:
    """The body is checked before the debate is looked up."""
    sent = body if isinstance(body, bytes) else msgspec.json.encode(body)

    refused(site.client.post("/api/debates/nobody/decision", content=sent), status, field)


def test_a_decision_on_nothing_and_by_another_method(site: Site) -> None:
    said_ = {"decision": "pro", "reason": WHY}

    refused(site.client.post("/api/debates/nobody/decision", json=said_), 404)
    refused(site.client.get("/api/debates/nobody/decision"), 405)


@pytest.mark.slow
def test_a_decision_needs_the_operators_token(guarded: Site, script: Script) -> None:
    said_ = {"decision": "pro", "reason": WHY}

    refused(guarded.client.post("/api/debates/nobody/decision", json=said_), 401)
    known = guarded.client.post(
        "/api/debates/nobody/decision", json=said_, headers={"authorization": "Bearer s3cret-0123456789"}
    )
    refused(known, 404)


def test_every_part_has_its_bounds() -> None:
    for name, most in MAX_DECISION.items():
        whole = {"decision": "pro", "reason": WHY, "by": "Ada"} | {name: "x" * most}

        assert "x" * most == read_decision(whole)[name]
        with pytest.raises(BadField, match=f"{name} is a text of 1 to"):
            read_decision(whole | {name: "x" * (most + 1)})


# the command line


def run_to_its_end(moot: Cli, script: Script, raters: dict[str, Any]) -> str:
    model = script(answers=answers() | raters)
    done = moot("run", MOTION, "--format", "protocol", "--panel", model, *seats(model))

    assert 0 == done.returncode, done.stderr.decode()
    return done.stdout.decode().splitlines()[-1]


@pytest.mark.slow
def test_the_command_line_decides_on_the_store_itself(moot: Cli, script: Script) -> None:
    debate = run_to_its_end(moot, script, SPLIT)
    head = moot.json("show", debate)["position"]

    assert {"id": debate, "position": head + 1} == moot.json(
        "decide", debate[:20], WHAT, "--reason", WHY, "--by", "Ada"
    )
    view = moot.json("show", debate)
    assert ("Ada", WHAT, WHY) == tuple(view["panel"]["decision"][name] for name in ("by", "decision", "reason"))
    assert 0 == moot("verify", debate).returncode
    assert f"decided by Ada: {WHAT}: {WHY}" in moot("replay", debate, "--speed", "0").stdout.decode()
    said(moot("decide", debate, "con", "--reason", WHY), 1, "Ada has decided already")
    assert "not_now" == as_json(moot("decide", debate, "con", "--reason", WHY, "--json"), 1)["code"]


@pytest.mark.slow
def test_the_command_line_asks_the_server_that_holds_the_store(moot: Cli, script: Script) -> None:
    debate = run_to_its_end(moot, script, SPLIT)
    with moot.server():
        done = moot("decide", debate, "pro", "--reason", WHY, "--by", "Ada")
        assert (0, f"{debate}\n") == (done.returncode, done.stdout.decode())
        assert "a server holds this store" in done.stderr.decode()
        assert "pro" == moot.json("show", debate)["panel"]["decision"]["decision"]
        again = moot("decide", debate, "con", "--reason", WHY)

    said(again, 1, "Ada has decided already")


@pytest.mark.slow
def test_what_the_command_line_refuses(moot: Cli, script: Script) -> None:
    debate = run_to_its_end(moot, script, AGREED)

    said(moot.here("decide", debate, "con", "--reason", WHY), 1, "judge and panel name a winner: pro")
    said(moot.here("decide", "nobody", "con", "--reason", WHY), 3)
    said(moot.here("decide", debate, "con"), 2, "--reason")
    said(moot.here("decide", debate, " ", "--reason", WHY), 2, "decision")
    said(moot.here("decide", debate, "pro", "--reason", "x" * 2001), 2, "reason")
    assert "reason" == as_json(moot.here("decide", debate, "pro", "--reason", "", "--json"), 2, "reason")["field"]
