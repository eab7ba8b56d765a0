"""``/metrics``: each number counts what it names, and the values of every label are bounded."""

import re
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families

from events.cluster.bus import BusState, SingleNodeBus
from events.errors import StoreUnavailable
from events.store.memory import MemoryLog
from providers.base import Outcome, Tokens
from server.feed.channel import Channel
from server.http.metrics import ServiceGauges
from server.process import observe
from server.service import Service
from tests.server.debate_events import PAUSED, opened
from tests.server.harness import FailingLog, Harness, harness
from tests.server.site import Site, from_address, refused, serving

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]
NAME = re.compile(r"(moot|process)_[a-z_]+")


def read(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(site: Site) -> Samples:
    response = site.client.get("/metrics")

    assert response.status_code == 200
    return read(response.text)


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((name, tuple(sorted(labels.items()))), 0.0)


def moved(before: Samples, after: Samples, name: str, **labels: str) -> float:
    return value(after, name, **labels) - value(before, name, **labels)


def gauges_of(h: Harness, unconcluded: dict[str, int] | None = None, **others: Any) -> Samples:
    service = Service(h.settings, h.log, h.registry, h.hub, h.moderators, others.pop("bus", SingleNodeBus()), **others)
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in ServiceGauges(service, unconcluded).collect()
        for sample in family.samples
    }


@pytest.mark.parametrize("address", ["192.0.2.7", "::ffff:192.0.2.7", "testclient"])
def test_metrics_are_for_operators_and_this_machine(guarded: Site, address: str) -> None:
    refused(from_address(guarded, address, "/metrics"), 403, says="MOOT_PUBLIC_METRICS")

    assert 200 == from_address(guarded, "127.0.0.1", "/metrics").status_code
    assert 200 == from_address(guarded, "::1", "/metrics").status_code
    guarded.client.headers["authorization"] = "Bearer s3cret-0123456789"
    assert 200 == from_address(guarded, address, "/metrics").status_code


def test_metrics_may_be_public() -> None:
    for site in serving(host="0.0.0.0", token="s3cret-0123456789", public_metrics=True):
        assert 200 == from_address(site, "192.0.2.7", "/metrics").status_code


# counters


@pytest.mark.slow
def test_a_debate_increases_the_counts_of_debates_events_and_calls(site: Site, script: Any) -> None:
    before = scraped(site)
    debate = site.open(script())
    site.ended(debate)
    after = scraped(site)
    recorded = len(site.get(f"/api/debates/{debate}/events?limit=1000")["events"])

    def by(name: str, **labels: str) -> float:
        return moved(before, after, name, **labels)

    assert recorded == by("moot_events_appended_total")
    assert 2 < by("moot_append_seconds_count") <= recorded
    assert by("moot_append_seconds_sum") > 0
    assert by("moot_model_seconds_count", provider="scripted", purpose="speak") == 2
    assert by("moot_model_seconds_count", provider="scripted", purpose="compare") == 2
    assert by("moot_model_tokens_total", provider="scripted", direction="input") > 0
    assert by("moot_model_tokens_total", provider="scripted", direction="output") > 0
    assert by("moot_spectators_joined_total") == 1
    assert by("moot_requests_total", method="POST", status="201") == 1


@pytest.mark.slow
def test_ended_and_halted_debates_are_not_running(site: Site, script: Any, slow: str) -> None:
    before = scraped(site)
    site.ended(site.open(script()))
    running = site.open(slow)

    assert value(scraped(site), "moot_debates_running") >= 1
    assert value(scraped(site), "moot_debates", state="open") == 1
    assert value(scraped(site), "moot_moderators") == 1

    site.client.post(f"/api/debates/{running}/halt")
    site.ended(running)
    after = scraped(site)
    while value(after, "moot_debates_running") > value(before, "moot_debates_running"):
        after = scraped(site)

    assert moved(before, after, "moot_debates_rested_total", state="concluded") == 1
    assert moved(before, after, "moot_debates_rested_total", state="halted") == 1
    assert value(after, "moot_debates", state="open") == 0
    assert value(after, "moot_debates", state="halted") == 1
    assert value(after, "moot_moderators") == 0


@pytest.mark.slow
def test_money_is_counted_by_provider(site: Site, script: Any) -> None:
    before = scraped(site)
    site.ended(site.open(script(cost_usd=0.25)))
    after = scraped(site)

    calls = sum(each for (name, _), each in after.items() if name == "moot_model_seconds_count")
    calls -= sum(each for (name, _), each in before.items() if name == "moot_model_seconds_count")
    assert moved(before, after, "moot_model_cost_usd_total", provider="scripted") == pytest.approx(0.25 * calls)


@pytest.mark.slow
def test_calls_with_an_unknown_price_are_counted_and_cost_nothing(site: Site) -> None:
    before = scraped(site)
    outcome = Outcome(
        model="m", tokens=Tokens(input=3, output=5), latency_ms=70, cost_usd=None, finish="stop", parameters={}
    )
    observe.count_call("ollama", "score", outcome, is_answered=False)
    after = scraped(site)

    assert moved(before, after, "moot_model_unpriced_total", provider="ollama") == 1
    assert moved(before, after, "moot_model_cost_usd_total", provider="ollama") == 0
    assert moved(before, after, "moot_model_tokens_total", provider="ollama", direction="output") == 5
    assert moved(before, after, "moot_model_seconds_count", provider="ollama", purpose="score") == 0


@pytest.mark.slow
def test_a_failure_is_counted_by_kind_and_not_timed_as_an_answer(site: Site, script: Any) -> None:
    before = scraped(site)
    site.ended(site.open(script(answers={"score:1": {"fault": {"kind": "auth"}}})))
    after = scraped(site)

    labels = {"kind": "auth", "provider": "scripted", "purpose": "score"}
    assert moved(before, after, "moot_model_failures_total", **labels) == 1
    assert moved(before, after, "moot_model_seconds_count", provider="scripted", purpose="score") == 1


@pytest.mark.slow
def test_a_spectator_is_counted_and_a_refusal_is_counted_as_a_close(site: Site, slow: str) -> None:
    debate, here = site.open(slow), {"host": "127.0.0.1"}
    before = scraped(site)
    with site.client.websocket_connect(f"/ws/debates/{debate}", headers=here) as socket:
        socket.receive_json()
        during = scraped(site)
    with site.client.websocket_connect("/ws/debates/nobody", headers=here) as socket:
        socket.receive_json()
    after = scraped(site)
    site.client.post(f"/api/debates/{debate}/halt")

    assert value(during, "moot_spectators") == 1
    assert value(during, "moot_rooms") == 1
    assert value(during, "moot_room_frames") > 0
    assert moved(before, during, "moot_spectators_joined_total") == 1
    assert moved(before, after, "moot_socket_closes_total", code="4404") == 1


@pytest.mark.anyio
async def test_appends_that_fail_are_counted(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.debate.stream_writer.STORE_WAIT_S", 0.001)
    before = observe.STORE_FAILURES._value.get()
    async with harness(FailingLog(lambda number: number in {3, 4})) as h:
        await h.ended(await h.open(script()))

    assert observe.STORE_FAILURES._value.get() - before == 2


# gauges


@pytest.mark.anyio
async def test_a_room_that_has_not_applied_every_event_lags() -> None:
    async with harness() as h:
        await h.log.append("d", 0, [opened(), PAUSED])
        room = await h.hub.channel("d")

        assert value(gauges_of(h), "moot_room_lag_events") == 0

        behind = Channel("d")
        behind.ready.set()
        h.hub._channels["d"] = behind

        assert value(gauges_of(h), "moot_room_lag_events") == 2
        assert value(gauges_of(h), "moot_rooms_behind") == 1
        h.hub._channels["d"] = room


class BusyLog(MemoryLog):
    """A log with queued appends, no recent notification, and an error."""

    queued = (7, 4096)  # type: ignore[assignment]  # in place of a property
    silence_s = 12.5  # type: ignore[assignment]
    trouble = StoreUnavailable("the disk is full")  # type: ignore[assignment]


class DisconnectedBus(SingleNodeBus):
    """A bus that reaches no other node."""

    @property
    def state(self) -> BusState:
        return BusState(up=False, dropped=3)


@pytest.mark.anyio
async def test_the_store_s_queue_silence_and_trouble_are_shown() -> None:
    async with harness() as h:
        assert value(gauges_of(h, {}), "moot_store_up") == 1
        assert value(gauges_of(h, None), "moot_store_up") == 0
        assert ("moot_debates", (("state", "open"),)) not in gauges_of(h, None)

    async with harness(BusyLog()) as h:
        samples = gauges_of(h, {})

        assert value(samples, "moot_append_queue_items") == 7
        assert value(samples, "moot_append_queue_bytes") == 4096
        assert value(samples, "moot_store_silence_seconds") == 12.5
        assert value(samples, "moot_store_up") == 0


@pytest.mark.anyio
async def test_the_bus_the_leases_and_a_node_that_leaves_are_shown() -> None:
    class Held:
        held = 5

    async with harness() as h:
        alone, among = gauges_of(h), gauges_of(h, bus=DisconnectedBus(), node=Held())

        assert (1, 0) == (value(alone, "moot_bus_up"), value(alone, "moot_bus_dropped_total"))
        assert (0, 3) == (value(among, "moot_bus_up"), value(among, "moot_bus_dropped_total"))
        assert (0, 5) == (value(alone, "moot_leases_held"), value(among, "moot_leases_held"))
        assert value(alone, "moot_node_draining") == 0

        await h.moderators.drain(1)

        assert value(gauges_of(h), "moot_node_draining") == 1


@pytest.mark.anyio
async def test_folds_of_past_positions_are_counted() -> None:
    async with harness() as h:
        await h.log.append("d", 0, [opened(), *[PAUSED] * 260])
        before = value(gauges_of(h), "moot_folds")
        await h.hub.folds.at("d", 255)

        assert value(gauges_of(h), "moot_folds") - before == 1


# labels


@pytest.mark.slow
def test_an_unknown_method_is_no_label_of_its_own(site: Site) -> None:
    before = scraped(site)
    for method in ("BREW", "XYZ"):
        site.client.request(method, "/healthz")
    after = scraped(site)

    assert {"BREW", "XYZ"}.isdisjoint({each for _, labels in after for _, each in labels})
    assert moved(before, after, "moot_requests_total", method="other", status="405") == 2


def test_a_provider_that_only_a_debate_knows_is_no_label() -> None:
    assert [observe.provider_of(model, ("ollama",)) for model in ("ollama:a", "mine:b", "")] == [
        "ollama",
        "unknown",
        "unknown",
    ]


@pytest.mark.slow
def test_no_label_names_a_debate_and_no_name_is_repeated(site: Site, script: Any) -> None:
    site.ended(site.open(script()))
    before = read(site.client.get("/metrics").text)
    debate = site.open(script())
    site.ended(debate)
    text = site.client.get("/metrics").text
    families = [family.name for family in text_string_to_metric_families(text)]

    assert debate not in text
    assert len(families) == len(set(families))
    assert before.keys() == read(text).keys()  # another debate adds no series
    assert all(NAME.fullmatch(name) for name in families)
    assert value(read(text), "process_resident_memory_bytes") > 1e7


def test_it_answers_while_the_store_does_not(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down(_: object) -> dict[str, int]:
        raise StoreUnavailable("the database is gone")

    monkeypatch.setattr(MemoryLog, "unconcluded", down)

    assert value(scraped(site), "moot_store_up") == 0


def test_it_does_not_wait_for_the_store(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.http.metrics.STORE_S", 0.01)
    monkeypatch.setattr(MemoryLog, "unconcluded", _never)

    assert value(scraped(site), "moot_store_up") == 0


async def _never(_: object) -> dict[str, int]:
    await anyio.sleep_forever()
    return {}


def test_a_probe_of_readiness_does_not_wait_for_the_store_either(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.http.metrics.STORE_S", 0.01)
    monkeypatch.setattr(MemoryLog, "summaries", lambda self, limit: _never(self))
    response = site.client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["error"]["code"] == "store_unavailable"
    assert "has not answered within 0.01 s" in response.json()["error"]["message"]


def test_units_and_suffixes_follow_prometheus(site: Site) -> None:
    """Prometheus' naming practices: base units, and ``_total`` for counters."""
    wrong: list[str] = []
    for family in text_string_to_metric_families(site.client.get("/metrics").text):
        tell: Callable[[str], bool] = family.name.endswith
        if any(map(tell, ("_ms", "_kb", "_milliseconds", "_minutes", "_percent"))):
            wrong.append(family.name)
        if family.type == "counter" and not all(
            sample.name.endswith(("_total", "_created")) for sample in family.samples
        ):
            wrong.append(family.name)
        if family.type == "gauge" and family.name.endswith("_total"):
            wrong.append(family.name)

    assert [] == wrong
