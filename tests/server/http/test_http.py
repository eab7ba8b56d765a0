"""Every route of the application, over a real service."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.errors import BadTransfer
from events.patch import merge
from events.record import EventLine
from events.transfer import parse_lines
from events.verify import verify_lines
from providers.base import ModelStatus
from providers.scripted.provider import ScriptedProvider
from server.http.body import MAX_BODY
from tests.server.site import MOTION, Site, refused

GOLDEN = Path(__file__).parents[2] / "events" / "view" / "golden"
TOKEN = "s3cret-0123456789"


def test_a_debate_from_its_opening_to_its_end(site: Site, script: Any) -> None:
    debate = site.open(script())

    assert site.ended(debate)["type"] == "debate_concluded"
    view = site.get(f"/api/debates/{debate}")
    assert (debate, "concluded", MOTION, 2) == (view["id"], view["state"], view["motion"], len(view["turns"]))
    (row,) = site.get("/api/debates")["debates"]
    expected = {"id": debate, "motion": MOTION, "state": "concluded", "format": "exchange", "turns_planned": 2}
    assert expected.items() <= row.items()
    assert row["turns_spoken"] == 2
    assert {"opened_at", "exhibition"} <= row.keys()


@pytest.mark.slow
def test_the_view_at_any_position_is_the_frames_up_to_it(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    view: Any = {}
    for frame in site.get(f"/api/debates/{debate}/frames")["frames"]:
        view = merge(view, frame["patch"])

        assert view == site.get(f"/api/debates/{debate}?at={frame['position']}")
    assert view == site.get(f"/api/debates/{debate}")


@pytest.mark.parametrize("what", ["events", "frames"])
def test_pages_join_without_gap_or_repeat(site: Site, script: Any, what: str) -> None:
    debate = site.open(script())
    site.ended(debate)
    head = site.get(f"/api/debates/{debate}")["position"]
    positions: list[int] = []
    following = 0
    while following is not None:
        page = site.get(f"/api/debates/{debate}/{what}?after={following}&limit=5")
        positions += [each["position"] for each in page[what]]
        following = page["next"]

    assert list(range(1, head + 1)) == positions


def test_the_list_has_pages_and_a_search(site: Site, script: Any) -> None:
    ids = [site.open(script(), motion=f"Motion {n} über Straßen", turns=1) for n in range(5)]
    first = site.get("/api/debates?limit=3")
    second = site.get(f"/api/debates?limit=3&after={first['next']}")

    assert ids[::-1] == [row["id"] for row in first["debates"] + second["debates"]]
    assert second["next"] is None
    assert [ids[3]] == [row["id"] for row in site.get("/api/debates?q=motion 3")["debates"]]


def test_while_live_the_director_s_fields_are_withheld_and_the_chain_holds(site: Site, slow: str, script: Any) -> None:
    debate = site.open(script(), con={"model": slow}, judge={"model": script()})
    while site.get(f"/api/debates/{debate}")["turns"].keys() != {"1", "2"}:
        pass
    events = site.get(f"/api/debates/{debate}/events")["events"]
    answers = [each for each in events if each["event"]["type"] == "model_answered"]

    assert len(answers) == 4
    assert {each["event"]["purpose"] for each in answers} == {"speak", "score", "claims", "premises"}
    for each in answers:
        assert {"call", "purpose", "turn", "model", "usage", "latency_ms", "cost_usd"} <= each["event"].keys()
        assert not {"prompt", "segments", "answer", "reasoning"} & each["event"].keys()
        assert "salt" not in each
        assert len(each["payload_digest"]) == 64
    export = site.client.get(f"/api/debates/{debate}/events.ndjson").content
    assert verify_lines(export.splitlines(keepends=True)).ok
    with pytest.raises(BadTransfer, match="withheld"):
        parse_lines(export.splitlines(keepends=True))
    refused(site.client.get(f"/api/debates/{debate}/calls/speak.1.1"), 403)


def test_after_the_end_everything_is_revealed_and_the_export_imports(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    events = site.get(f"/api/debates/{debate}/events")["events"]
    answers = [each["event"] for each in events if each["event"]["type"] == "model_answered"]

    assert all(each["prompt"] and each["answer"] for each in answers)
    export = site.client.get(f"/api/debates/{debate}/events.ndjson").content.splitlines(keepends=True)
    assert [each["digest"] for each in events] == [msgspec.json.decode(line, type=EventLine).digest for line in export]
    assert len(events) == len(parse_lines(export))
    call = site.get(f"/api/debates/{debate}/calls/{answers[1]['call']}")
    assert call["purpose"] == "score"
    assert {"system", "user"} == {segment["role"] for segment in call["prompt"]}
    assert all(segment["text"] for segment in call["prompt"])
    refused(site.client.get(f"/api/debates/{debate}/calls/none"), 404)


def test_frames_never_carry_prompts_or_raw_answers(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    for frame in site.get(f"/api/debates/{debate}/frames")["frames"]:
        if frame["event"]["type"] in {"model_answered", "model_failed"}:
            assert not {"prompt", "segments", "answer", "reasoning"} & frame["event"].keys()


@pytest.mark.slow
def test_acts_pause_resume_halt(site: Site, slow: str) -> None:
    debate = site.open(slow)
    for act, state in (("pause", "paused"), ("resume", "open"), ("halt", "halted")):
        response = site.client.post(f"/api/debates/{debate}/{act}", json={"reason": f"because of {act}"})

        assert response.status_code == 200, response.text
        view = site.get(f"/api/debates/{debate}")
        assert (state, f"because of {act}") == (view["state"], view["reason"])
        assert view["position"] >= response.json()["position"]
    refused(site.client.post(f"/api/debates/{debate}/pause"), 409, says="the debate is halted")
    refused(site.client.post("/api/debates/nobody/halt"), 404)
    refused(site.client.post(f"/api/debates/{debate}/resume", content=b"{"), 400, says="not JSON")
    refused(site.client.post(f"/api/debates/{debate}/resume", json={"reason": 7}), 422, "reason")
    refused(site.client.post(f"/api/debates/{debate}/resume", json={"reason": "x" * 501}), 422, "reason")


@pytest.mark.slow
def test_probes_models_archetypes_metrics(site: Site, slow: str) -> None:
    site.open(slow)

    assert site.get("/healthz")["ok"]
    assert site.get("/readyz")["ok"]
    models = site.get("/api/models")["models"]
    assert all({"name", "provider", "ok", "detail", "hint"} <= each.keys() for each in models)
    assert {"engineer", "philosopher", "strategist", "provocateur"} == {
        each["name"] for each in site.get("/api/archetypes")["archetypes"]
    }
    metrics = site.client.get("/metrics")
    assert "moot_debates_running" in metrics.text
    assert 'moot_requests_total{method="GET",status="200"}' in metrics.text


@pytest.mark.slow
def test_an_exhibition_is_played_without_a_debate_of_its_own(site: Site) -> None:
    page = site.get("/api/exhibitions/juries/frames")
    view: Any = {}
    for frame in page["frames"]:
        view = merge(view, frame["patch"])

    assert (None, "concluded", "juries", "neither") == (
        page["next"], view["state"], view["exhibition"], view["conclusion"]["winner"],
    )  # fmt: skip
    assert list(range(1, view["position"] + 1)) == [frame["position"] for frame in page["frames"]]
    assert page == site.get("/api/exhibitions/juries/frames")
    course = site.get("/api/exhibitions/juries/course")
    assert (view["position"], view["outcome"]["headline"]) == (course["end"], course["outcome"])
    assert [] == site.get("/api/debates")["debates"]
    assert "not_found" == refused(site.client.get("/api/exhibitions/nowhere/frames"), 404)["code"]


def test_an_operator_imports_a_log_and_a_spectator_does_not(guarded: Site) -> None:
    log = (GOLDEN / "0.1-juries.ndjson").read_bytes()
    operator = {"authorization": f"Bearer {TOKEN}"}

    refused(guarded.client.post("/api/import", content=log), 401)
    done = guarded.client.post("/api/import", content=log, headers=operator)

    assert done.status_code == 201, done.text
    assert done.json() | {"already": False, "paused": False} == done.json()
    assert guarded.get(f"/api/debates/{done.json()['debate']}")["state"] == "concluded"
    assert guarded.client.post("/api/import", content=log, headers=operator).json()["already"] is True


def test_only_an_import_by_an_operator_may_have_a_long_body(guarded: Site) -> None:
    long = b" " * (MAX_BODY + 1)

    refused(guarded.client.post("/api/import", content=long), 413)
    refused(guarded.client.post("/api/session", content=long, headers={"authorization": f"Bearer {TOKEN}"}), 413)
    answer = guarded.client.post("/api/import", content=long, headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code not in {200, 201, 413}


def test_an_address_without_a_page_is_html_to_a_browser_and_json_to_others(site: Site) -> None:
    shown = site.client.get("/nothing", headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})

    assert (404, "text/html; charset=utf-8") == (shown.status_code, shown.headers["content-type"])
    assert "<h1>Nothing is here</h1>" in shown.text
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    assert refused(site.client.get("/nothing"), 404)["message"] == "nothing is at /nothing"


def test_the_page_of_a_debate_that_does_not_exist_answers_404(site: Site, script: Any) -> None:
    debate = site.open(script())

    assert site.client.get(f"/d/{debate}").status_code == 200
    missing = site.client.get("/d/nosuch")
    assert missing.status_code == 404
    assert "<title>A debate · Moot</title>" in missing.text


@pytest.mark.parametrize("path", ["/nothing", "/d/nosuch", "/lab/nosuch", "/vote/nosuch"])
def test_a_page_that_is_not_there_is_whole_when_it_is_loaded_again(site: Site, path: str) -> None:
    """A browser that keeps a page with its ETag would get an answer without a body."""
    first = site.client.get(path, headers={"accept": "text/html"})
    known = {"if-none-match": first.headers.get("etag", "none"), "if-modified-since": "Sat, 01 Jan 2050 00:00:00 GMT"}
    again = site.client.get(path, headers={"accept": "text/html", **known})

    assert [(404, first.text)] * 2 == [(each.status_code, each.text) for each in (first, again)]
    assert "</html>" in again.text


def test_a_stranger_learns_nothing_about_files(guarded: Site) -> None:
    for path in ("/etc/passwd", "/nowhere"):
        body = {"motion": MOTION, "pro": {"model": f"scripted:{path}"}}

        for route in ("/api/debates", "/api/estimate"):
            assert path not in refused(guarded.client.post(route, json=body), 401)["message"]


def test_spectators_read_no_message_of_a_provider_and_share_one_round_of_checks(
    guarded: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []

    async def check(self: ScriptedProvider, model: str | None = None) -> tuple[ModelStatus, ...]:
        rounds.append(1)
        return (ModelStatus(name="scripted:FILE", provider="scripted", ok=False, detail="secret-model is overloaded"),)

    monkeypatch.setattr(ScriptedProvider, "check", check)
    answers = [guarded.client.get("/api/models") for _ in range(5)]
    operator = guarded.client.get("/api/models", headers={"authorization": f"Bearer {TOKEN}"})

    assert len(rounds) == 2
    assert all("secret-model" not in each.text for each in answers)
    assert {answer["name"] for answer in answers[0].json()["models"]} >= {"scripted:FILE"}
    assert answers[0].json()["load"] == []
    assert "secret-model is overloaded" in operator.text
    assert operator.json()["load"]
