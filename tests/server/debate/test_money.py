"""Cost of a debate: the estimate before it starts, the cap while it runs, a higher cap at a resume; model families."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.types import DebateConcluded, DebateHalted, DebateOpened, FamilyWarned, Missing
from providers.catalog.pricing import cost, is_priced, prepare, price
from server.debate.commands import Resume
from server.debate.moderators import family_warnings
from server.debate.setup import opening
from server.debate.setup.estimate import estimate, in_words
from server.debate.setup.request import as_request
from server.errors import BadField
from server.http import debates
from tests.server import debate_events
from tests.server.harness import harness
from tests.server.site import Site, refused

pytestmark = pytest.mark.anyio


@pytest.fixture
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "prices.json"
    rows = {
        "openai:gpt-x": {"input": 2, "output": 10, "cached": 0.5},
        "openai:gpt-*": {"input": 1, "output": 1},
        "anthropic:claude-x": {"input": 3, "output": 15, "cached": 0.3, "written": 3.75},
    }
    said = {"as_of": "2026-11-21", "source": "this test", "per_million_tokens_usd": rows}
    path.write_bytes(msgspec.json.encode(said))
    monkeypatch.setenv("MOOT_PRICES", str(path))
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    return path


# prices


@pytest.mark.parametrize(("model", "expected"), [("gpt-x", 2 + 10), ("gpt-y-mini", 1 + 1), ("o9", None)])
def test_a_price_is_a_row_else_the_longest_pattern_else_unknown(
    prices: Path, model: str, expected: float | None
) -> None:
    assert expected == cost("openai", model, 1_000_000, 1_000_000)


def test_cached_tokens_are_cheaper_and_written_ones_dearer(prices: Path) -> None:
    assert 3 * 0.1 + 0.3 * 0.6 + 3.75 * 0.3 == pytest.approx(
        cost("anthropic", "claude-x", 1_000_000, 0, cached=600_000, written=300_000)
    )


@pytest.mark.parametrize(
    ("provider", "name", "expected"),
    [
        ("openai", "gpt-x-2026-04-14", 12),
        ("openai", "openai/gpt-x", 12),
        ("openai", "models/gpt-x", 12),
        ("openai", "anthropic/claude-x", 18),
        ("anthropic", "claude-x-20260401", 18),
    ],
)
def test_a_dated_or_prefixed_name_costs_what_the_plain_one_does(
    prices: Path, provider: str, name: str, expected: float
) -> None:
    assert expected == cost(provider, name, 1_000_000, 1_000_000)


def test_an_answer_by_an_unpriced_name_costs_what_was_asked_for(prices: Path) -> None:
    assert None is cost("openai", "o9", 1_000_000, 0)
    assert 2.0 == cost("openai", "o9", 1_000_000, 0, requested="gpt-x")


@pytest.mark.parametrize(
    ("provider", "model", "fresh", "cached"),
    [
        ("openai", "gpt-4.1", 2.0, 0.5),
        ("openai", "gpt-4.1-2025-04-14", 2.0, 0.5),
        ("gemini", "gemini-2.5-flash", 0.3, 0.03),
        ("anthropic", "claude-sonnet-5-5", 2.0, 0.1),
        ("openai", "anthropic/claude-haiku-4.5", 1.0, 0.1),
    ],
)
def test_the_package_knows_what_the_tables_do_not(
    monkeypatch: pytest.MonkeyPatch, provider: str, model: str, fresh: float, cached: float
) -> None:
    monkeypatch.delenv("MOOT_PRICES", raising=False)

    assert fresh / 10 == pytest.approx(cost(provider, model, 100_000, 0))
    assert cached / 10 == pytest.approx(cost(provider, model, 100_000, 0, cached=100_000))


def test_what_anthropic_keeps_costs_a_quarter_more_and_a_long_prompt_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOOT_PRICES", raising=False)

    assert 1.25 * 0.2 == pytest.approx(cost("anthropic", "claude-sonnet-5-5", 100_000, 0, written=100_000))
    assert 2 * 1.25 * 0.3 == pytest.approx(cost("gemini", "gemini-2.5-pro", 300_000, 0))


def test_our_own_rows_come_before_the_package(prices: Path) -> None:
    assert 1.0 == cost("openai", "gpt-4.1", 1_000_000, 0)  # the row gpt-*


async def test_the_package_asks_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    await prepare()
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it asked the network"))

    assert price("gemini", "gemini-3.8-flash") is not None


def test_a_file_that_changed_is_read_again(prices: Path) -> None:
    before = price("openai", "gpt-x")
    prices.write_text(prices.read_text().replace('"input":2', '"input":4'))

    assert before is not None
    assert before != price("openai", "gpt-x")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("scripted:a.json", True), ("embedded:smollm2", True), ("ollama:qwen3", True), ("ollama:x:120b-cloud", False),
        ("openai:gpt-x", True), ("openai:unheard-of", False), ("anthropic:claude-x", True), ("gemini:any", False),
        ("somebody:else", True),
    ],
)  # fmt: skip
def test_whose_cost_will_be_known(prices: Path, model: str, expected: bool) -> None:
    assert expected == is_priced(model)


def test_a_server_on_this_machine_costs_nothing(prices: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")

    assert is_priced("openai:unheard-of")


# the cap


async def test_a_cap_that_cannot_be_kept_is_refused(prices: Path) -> None:
    async with harness() as h:
        request = as_request({"motion": "m", "max_cost_usd": 1, "pro": {"model": "openai:unheard-of"}})

        with pytest.raises(BadField, match="no price is known for openai:unheard-of") as refusal:
            await opening.build_opening(request, h.registry, h.settings)

    assert "max_cost_usd" == refusal.value.field


async def test_a_debate_halts_at_its_cap_and_goes_on_with_a_higher_one(script: Any) -> None:
    model = script(cost_usd=0.1)
    async with harness() as h:
        debate = await h.open(model, turns=2, max_cost_usd=0.35)
        halted = await h.ended(debate)
        at = await h.log.head(debate)
        with pytest.raises(BadField, match="a cap must be above that"):
            await h.moderators.act(debate, Resume("", "operator", 0.2))
        await h.moderators.act(debate, Resume("more money", "operator", 100.0))
        ended = await h.ended(debate, at)

    assert isinstance(halted, DebateHalted)
    assert halted.reason.startswith("the cost cap is reached")
    assert isinstance(ended, DebateConcluded)


def test_a_resume_over_http_brings_a_new_cap(site: Site, script: Any) -> None:
    debate = site.open(script(cost_usd=0.1), turns=1, max_cost_usd=0.15)
    halted, path = site.ended(debate), f"/api/debates/{debate}/resume"

    refused(site.client.post(path, json={"max_cost_usd": "a lot"}), 422, "max_cost_usd")
    refused(site.client.post(path, json={"max_cost_usd": 0.01}), 422, "max_cost_usd")
    assert "debate_halted" == halted["type"]
    assert 200 == site.client.post(path, json={"max_cost_usd": 50}).status_code
    assert "debate_concluded" == site.watch(debate, "debate_concluded")["type"]


# the estimate


def test_an_estimate_counts_calls_and_says_what_is_not_known() -> None:
    seats = debate_events.opened(4)
    hosted = replace(seats, pro=replace(seats.pro, model="openai:unheard-of"))

    here, there = estimate(seats), estimate(hosted)

    assert 4 + 3 + 3 * 6 + 1 == here.calls  # speeches, the first turn's questions, the others', the narrative
    assert 0.0 == here.cost_usd
    assert isinstance(there.cost_usd, Missing)
    assert "openai:unheard-of" in in_words(there)
    assert in_words(here).endswith("no cost")


def test_an_estimate_is_given_before_anything_is_opened(site: Site, script: Any) -> None:
    model = script()
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}

    said = site.client.post("/api/estimate", json={"motion": "m", "turns": 4, **seats}).json()
    refused(site.client.post("/api/estimate", json={"motion": ""}), 422, "motion")

    assert {
        "calls",
        "input_tokens",
        "output_tokens",
        "cost_usd",
        "cached_tokens",
        "thought_tokens",
        "max_words",
        "says",
    } == said.keys() - {"seconds"}
    assert [] == site.get("/api/debates")["debates"]


@pytest.mark.slow
def test_longer_debates_and_more_samples_cost_more(prices: Path) -> None:
    def judged(turns: int, samples: int) -> Any:
        seats = debate_events.opened(turns)
        return estimate(replace(seats, judge=replace(seats.judge, model="openai:gpt-x", samples=samples)))

    costs = [judged(turns, samples).cost_usd for turns, samples in ((2, 1), (4, 1), (4, 3))]

    assert costs == sorted(costs)
    assert 0 < costs[0] < costs[1] < costs[2]


# families


def test_a_judge_of_a_debaters_family_is_warned_of() -> None:
    seats = debate_events.opened(2)
    seats = replace(
        seats,
        pro=replace(seats.pro, model="anthropic:claude-x"),
        con=replace(seats.con, model="ollama:qwen3"),
        judge=replace(seats.judge, model="openai:anthropic/claude-y", second="ollama:qwq"),
    )

    assert (
        FamilyWarned(roles=("judge", "pro"), family="claude"),
        FamilyWarned(roles=("judge.second", "con"), family="qwen"),
    ) == family_warnings(seats)


def test_other_families_and_scripts_are_not() -> None:
    seats = debate_events.opened(2)

    assert () == family_warnings(seats)
    assert () == family_warnings(replace(seats, judge=replace(seats.judge, model="ollama:qwen3")))


async def test_other_requests_are_answered_while_an_estimate_is_computed(
    monkeypatch: pytest.MonkeyPatch, site: Site, script: Any
) -> None:
    computing, may_end = Event(), Event()

    def slowly(opened: DebateOpened, *_: object) -> dict[str, int]:
        computing.set()
        assert may_end.wait(30)
        return {"calls": opened.turns}

    monkeypatch.setattr(debates, "estimate_of", slowly)
    seats = {role: {"model": script()} for role in ("pro", "con", "judge")}
    with ThreadPoolExecutor(1) as elsewhere:
        asked = elsewhere.submit(site.client.post, "/api/estimate", json={"motion": "m", "turns": 4, **seats})
        assert computing.wait(30)
        assert {"debates": [], "next": None}.items() <= site.get("/api/debates").items()
        may_end.set()
        assert {"calls": 4} == asked.result().json()
