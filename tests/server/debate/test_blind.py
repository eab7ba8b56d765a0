"""A blind debate names no model to a spectator before its end, on any wire, whatever goes wrong; then to everybody."""

import re
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from events.record import Draft
from events.store.log import read_all
from events.transfer import export, import_debate
from events.types import DebateConcluded, DebateHalted, DebateOpened, FamilyWarned
from events.verify import verify_lines
from providers.limits import Limit
from providers.scripted import provider as scripted
from server.debate.commands import Halt
from server.debate.setup.opening import build_opening
from server.debate.setup.request import as_request
from server.export.tables import TABLES
from tests.judge.protocol.rounds import opening
from tests.laws import spread
from tests.server.debate.test_providers_queues import wait_text
from tests.server.harness import Harness, fault, harness, shipped_registry
from tests.server.http.test_secrets import HERE, SPECTATOR, TOKEN, heard
from tests.server.panels import AGREED, RATERS, SPLIT, agreeing, of_turns
from tests.server.protocol_debates import answers
from tests.server.site import MOTION, Site, refused

MARK = re.compile(r"zq[a-z]+zq")
"""Part of every model's name, and of every failure message of its provider."""
Script = Callable[..., str]
ROLES = ("pro", "con", "judge", "second", "raterone", "ratertwo")
NOWHERE: dict[str, Any] = {"fault": {"kind": "refuse", "times": 99, "after_ms": 1}}


@pytest.fixture(autouse=True)
def telling(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider whose failures name the model, as those of real vendors do."""
    for kind, (error, message) in scripted._FAULTS.items():
        monkeypatch.setitem(scripted._FAULTS, kind, (error, f"zqmessagezq: {message}"))


def request(script: Script, content: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request in which every model has its own name."""
    model = {role: script(f"zq{role}zq", label=f"zqlabel{role}zq", **content) for role in ROLES}
    seats = [{"rater": name, "model": model["raterone" if n % 2 else "ratertwo"]} for n, name in enumerate(RATERS)]
    return {
        "motion": MOTION,
        "blind": True,
        "pro": {"model": model["pro"]},
        "con": {"model": model["con"]},
        "judge": {"model": model["judge"], "second": model["second"], "appeals": "all"},
        "panel": seats,
        **more,
    }


CLAIM = {"claims": [{"quote": "one tram carries two hundred people", "kind": "hollow_specificity", "reason": "Who?"}]}
GOOD_EXCHANGE = {**agreeing(of_turns, 8, 4, 8, 4), "claims:1": CLAIM}
BAD_EXCHANGE = {
    "score:2": NOWHERE,
    "compare:2-3": NOWHERE,
    "claims:2": NOWHERE,
    "premises:1": NOWHERE,
    "gaps:3": NOWHERE,
    "narrative": NOWHERE,
    "panel:risk": NOWHERE,
    "second_opinion:*": NOWHERE,
}
BAD_PROTOCOL = {
    "open:pro": [opening("pro") | {"PRO-1": {}}, NOWHERE],
    "assess": NOWHERE,
    "panel:general": NOWHERE,
    "deliberate:*": NOWHERE,
}
FALLIBLE_SPEECH = {"pro": [{"text": "Trams are quiet.", "fault": fault("reset"), "then": "Trams are quiet."}]}
DEBATES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "exchange": ({"answers": GOOD_EXCHANGE}, {"turns": 4}),
    "exchange that fails": ({"answers": GOOD_EXCHANGE | BAD_EXCHANGE, "says": FALLIBLE_SPEECH}, {"turns": 4}),
    "protocol": ({"answers": answers() | SPLIT}, {"turns": 6, "format": "protocol"}),
    "protocol that fails": ({"answers": answers() | AGREED | BAD_PROTOCOL}, {"turns": 6, "format": "protocol"}),
}


async def held(h: Harness, script: Script, name: str) -> list[bytes]:
    """The whole log of a blind debate, as lines."""
    content, more = DEBATES[name]
    requested = as_request(request(script, content, **more))
    warned = Draft(event=FamilyWarned(roles=("pro", "judge"), family="zqfamilyzq"), cause=1)
    debate = await h.moderators.open(await build_opening(requested, h.registry, h.settings))
    await h.ended(debate)
    await h.idle()
    records = [record async for record in read_all(h.log, debate)]
    copied = [Draft(event=record.event, cause=None) for record in records]
    await h.log.append("blind", 0, [*copied[:-1], warned, copied[-1]])
    return [line async for line in export(h.log, "blind")]


def lines_of(script: Script, name: str) -> list[bytes]:
    async def run() -> list[bytes]:
        async with harness() as h:
            return await held(h, script, name)

    return anyio.run(run)


def take_in(site: Site, lines: list[bytes]) -> None:
    log = site.service.log  # type: ignore[attr-defined]
    portal = site.client.portal
    assert portal is not None
    portal.call(import_debate, log, lines)


def everything(site: Site, debate: str) -> dict[str, str]:
    """Everything that a spectator can read, by route."""
    one = f"/api/debates/{debate}"
    head = site.get(one)["position"]
    paths = [
        "/api/debates",
        one,
        f"{one}/events?limit=1000",
        f"{one}/events.ndjson",
        f"{one}/frames?limit=1000",
        *(f"{one}?at={at}" for at in range(1, head + 1, 5)),
        *(f"{one}/audit/turns/{turn}" for turn in range(8)),
        f"{one}/diff?from=1&to={head}",
        *(f"{one}/tables/{table}.csv" for table in TABLES),
        f"{one}/calls/none",
        f"/d/{debate}",
    ]
    events = [each["event"] for each in site.get(f"{one}/events?limit=1000")["events"]]
    paths += [f"{one}/calls/{event['call']}" for event in events if "call" in event]
    read = {path: site.client.get(path).text for path in paths}
    acts = {"votes": {"winner": "x"}, "say": {}, "decision": {"decision": "pro", "reason": "so"}, "pause": {}}
    read |= {act: site.client.post(f"{one}/{act}", json=body).text for act, body in acts.items()}
    return read | {"joined": "".join(heard(site, debate)), "ws": "".join(heard(site, debate, "?after=0"))}


@pytest.mark.slow
@pytest.mark.parametrize("name", spread(DEBATES, 2))
def test_no_byte_of_a_models_name_reaches_a_spectator_before_the_end(guarded: Site, script: Script, name: str) -> None:
    site, lines = guarded, lines_of(script, name)
    site.client.headers.update(SPECTATOR)
    take_in(site, lines[:-1])  # all but the end; the import pauses it
    live = everything(site, "blind")

    assert "debate_concluded" in lines[-1].decode()
    whole = "".join(line.decode() for line in lines)
    assert {"zqprozq", "zqconzq", "zqjudgezq", "zqsecondzq", "zqfamilyzq", "zqlabelprozq"} <= set(MARK.findall(whole))
    assert ("zqmessagezq" in whole) == ("fails" in name)
    for path, text in live.items():
        assert [] == MARK.findall(text), path
    assert site.get("/api/debates/blind")["blind"] is True
    verdict = verify_lines(site.client.get("/api/debates/blind/events.ndjson").content.splitlines(keepends=True))
    assert (True, len(lines)) == (verdict.ok, verdict.events)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exchange that fails", "protocol that fails"])
def test_after_the_end_everybody_reads_the_names(guarded: Site, script: Script, name: str) -> None:
    site = guarded
    site.client.headers.update(SPECTATOR)
    take_in(site, lines_of(script, name))
    read = everything(site, "blind")

    one = "/api/debates/blind"
    for path in (one, f"{one}/frames?limit=1000", f"{one}/events?limit=1000", f"{one}/events.ndjson", "joined", "ws"):
        assert {"zqprozq", "zqconzq", "zqjudgezq", "zqfamilyzq", "zqraterone", "zqratertwo"} <= {
            each.removesuffix("zq") if "rater" in each else each for each in MARK.findall(read[path])
        }, path
    assert {"zqprozq", "zqconzq", "zqjudgezq"} <= set(MARK.findall(read["/api/debates"]))
    assert "zqmessagezq" in read[f"{one}/events.ndjson"]


@pytest.mark.slow
def test_the_director_sees_them_live(guarded: Site, script: Script) -> None:
    site = guarded
    take_in(site, lines_of(script, "exchange that fails")[:-1])
    site.client.headers.update(TOKEN)

    one = "/api/debates/blind"
    for path in (f"{one}?director=1", f"{one}/frames?limit=1000&director=1", f"{one}/events?limit=1000&director=1"):
        assert {"zqprozq", "zqjudgezq", "zqfamilyzq", "zqmessagezq"} <= set(MARK.findall(site.client.get(path).text))
    said = "".join(heard(site, "blind", "?after=0&director=1", **TOKEN))
    assert {"zqprozq", "zqjudgezq", "zqfamilyzq", "zqmessagezq"} <= set(MARK.findall(said))


@pytest.mark.slow
def test_whoever_watches_to_the_end_is_told_by_the_last_frame(guarded: Site, script: Script) -> None:
    site = guarded
    site.client.headers.update(TOKEN)
    body = request(script, {"answers": GOOD_EXCHANGE, "pace": {"chunk_ms": 1, "chunk_chars": 40}}, turns=4)
    response = site.client.post("/api/debates", json=body)
    site.client.headers.update(SPECTATOR)
    with site.client.websocket_connect(
        f"/ws/debates/{response.json()['id']}?after=0", headers=HERE | SPECTATOR
    ) as socket:
        last = ""
        while '"type":"debate_concluded"' not in last:
            assert [] == MARK.findall(last)
            last = socket.receive_text()

    assert {"zqprozq", "zqconzq", "zqjudgezq"} <= set(MARK.findall(last))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["exchange", "protocol"])
def test_a_halt_tells_the_kind_of_failure_and_no_name(guarded: Site, script: Script, form: str) -> None:
    site = guarded
    site.client.headers.update(TOKEN)
    silent = {"says": {"pro": [{"text": "", "fault": NOWHERE["fault"]}], "con": [""]}, "answers": {"open:pro": NOWHERE}}
    debate = site.client.post("/api/debates", json=request(script, silent, turns=6, format=form)).json()["id"]
    site.client.headers.update(SPECTATOR)
    halted = site.ended(debate)

    assert "debate_halted" == halted["type"]
    assert re.fullmatch(r"turn 1 \(pro\) failed .*, last: refused. Mend the cause and resume.", halted["reason"])
    for path, text in everything(site, debate).items():
        assert [] == MARK.findall(text), path


@pytest.mark.slow
@pytest.mark.anyio
async def test_the_words_on_a_wait_name_nobody(script: Script) -> None:
    async with harness(registry=shipped_registry({"scripted": Limit(concurrent=1)})) as h:
        first = await h.open(script("slow", pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        debate = await h.open(script(), blind=True)

        assert "waiting for a model" == await wait_text(h, debate, bool)
        await h.moderators.act(first, Halt("enough", "test"))
        assert isinstance(await h.ended(debate), DebateConcluded)


@pytest.mark.anyio
async def test_an_open_debate_names_its_models_as_ever(script: Script) -> None:
    async with harness() as h:
        debate = await h.open(script("zqopenzq"))
        await h.ended(debate)
        lines = [line async for line in export(h.log, debate, withhold=True)]

    assert b"scripted:zqopenzq.json" in lines[0]


def test_only_a_debate_can_be_blind(site: Site, script: Script) -> None:
    model = script()
    body = {"format": "deliberation", "artifact": {"text": "x"}, "judge": {"model": model}, "blind": True}

    refused(site.client.post("/api/debates", json=body), 422, "blind")
    refused(site.client.post("/api/debates", json={"motion": "m", "blind": "yes"}), 422, "blind")


def test_an_exhibition_can_be_blind(site: Site) -> None:
    response = site.client.post("/api/debates", json={"exhibition": "juries", "blind": True})
    said = site.watch(response.json()["id"], "debate_opened")

    assert said["blind"] is True
    assert "model" not in said["pro"]


def test_what_names_a_model_is_known_of_every_event() -> None:
    """A new event that holds a model must be listed here."""
    assert {"pro.model", "con.model", "judge.model", "judge.second", "panel.model"} <= DebateOpened.naming
    assert {"pro.window", "con.window", "judge.window"} <= DebateOpened.naming
    assert frozenset() == DebateHalted.naming
