"""What an operator's tools ask: health, readiness, and metrics.

Metrics are what was counted (``observe``), and the gauges of this moment, read when they are asked for.
No label names a debate, a motion or a model: their number has no bound.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

import anyio
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from events.errors import LogError, StoreUnavailable
from server.errors import Draining, NotAllowed
from server.http.access import access_of, is_local
from server.http.contract import answers
from server.http.requests import json_response, service_of
from server.process import observe
from server.process.version import VERSION
from server.service import Service

STATES: Final = ("open", "paused", "halted")
STORE_S: Final = 1.5
"""Seconds that the store has to answer: probes and scrapes get theirs within two seconds."""


class ServiceGauges(Collector):
    """The gauges of a service.  ``unconcluded``: debates by state; None if the store does not answer."""

    def __init__(self, service: Service, unconcluded: Mapping[str, int] | None) -> None:
        self._service, self._unconcluded = service, unconcluded

    def collect(self) -> Iterator[Metric]:
        """The metric families, one after the other."""
        yield _labelled("moot_build_info", "1, with the version that runs", "version", {VERSION: 1})
        yield from self._store()
        yield from self._debates()
        yield from self._spectators()
        yield from self._providers()
        yield from self._nodes()

    def _store(self) -> Iterator[Metric]:
        log = self._service.log
        items, size = log.queued
        yield _gauge("moot_store_up", "0 while the store cannot be read or written", self._is_up)
        yield _gauge("moot_append_queue_items", "Appends that wait for the store", items)
        yield _gauge("moot_append_queue_bytes", "Payload of the appends that wait for the store", size)
        yield _gauge(
            "moot_store_silence_seconds",
            "Time since the store last sent a notification or was polled",
            log.silence_s,
        )

    @property
    def _is_up(self) -> bool:
        return self._unconcluded is not None and self._service.log.trouble is None

    def _debates(self) -> Iterator[Metric]:
        if self._unconcluded is not None:
            found = {state: self._unconcluded.get(state, 0) for state in STATES}
            yield _labelled("moot_debates", "Debates of the whole store that have not concluded", "state", found)
        yield _gauge(
            "moot_moderators",
            "Debates that this process holds in memory to run them",
            len(self._service.moderators.known),
        )

    def _spectators(self) -> Iterator[Metric]:
        hub, log = self._service.hub, self._service.log
        channels = [channel for channel in hub.channels if channel.ready.is_set()]
        behind = [max((log.known_head(channel.debate) or 0) - channel.position, 0) for channel in channels]
        yield _gauge("moot_spectators", "Open spectator sockets", hub.spectators)
        yield _gauge("moot_rooms", "Debates held in memory for readers", len(hub.channels))
        yield _gauge("moot_room_frames", "Encoded frames kept for readers", sum(channel.kept for channel in channels))
        yield _gauge("moot_folds", "Folds of past positions kept in memory", hub.folds.kept)
        yield _gauge(
            "moot_room_lag_events",
            "Recorded events not yet applied in the room that is furthest behind",
            max(behind, default=0),
        )
        yield _gauge("moot_rooms_behind", "Rooms that have not applied every recorded event", sum(map(bool, behind)))

    def _providers(self) -> Iterator[Metric]:
        loads = self._service.registry.loads()
        for name, words, value in (
            ("moot_provider_running", "Calls under way", {each.provider: each.running for each in loads}),
            ("moot_provider_waiting", "Calls that wait for a place", {each.provider: each.waiting for each in loads}),
            (
                "moot_provider_breaker_open",
                "1 while no calls are sent to a provider after failures",
                {each.provider: each.rests_s > 0 for each in loads},
            ),
        ):
            yield _labelled(name, words, "provider", value)

    def _nodes(self) -> Iterator[Metric]:
        bus, node = self._service.bus.state, self._service.node
        yield _gauge("moot_bus_up", "1 while the bus reaches the other nodes", bus.up)
        yield CounterMetricFamily(
            "moot_bus_dropped", "Messages of streaming text that could not be sent", value=bus.dropped
        )
        yield _gauge("moot_leases_held", "Leases on debates that this node holds", node.held if node else 0)
        yield _gauge(
            "moot_node_draining", "1 while this node hands its debates over", self._service.moderators.is_draining
        )


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(name, words, value=float(value))


def _labelled(name: str, words: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, words, labels=[label])
    for key, value in values.items():
        family.add_metric([key], float(value))
    return family


@answers(dict[str, bool | str])
async def healthz(request: Request) -> Response:
    """GET /healthz: the process answers."""
    del request
    return json_response({"ok": True, "version": VERSION})


@answers(dict[str, bool])
async def readyz(request: Request) -> Response:
    """GET /readyz: the store can be read and written, and this node is not about to stop.  Raises what is wrong."""
    service = service_of(request)
    if service.moderators.is_draining:
        raise Draining
    with anyio.move_on_after(STORE_S) as waiting:
        await service.log.summaries(limit=1)
    if service.log.trouble is not None:
        raise service.log.trouble
    if waiting.cancelled_caught:
        raise StoreUnavailable(f"the store has not answered within {STORE_S:g} s")
    return json_response({"ok": True})


@answers("text/plain")
async def metrics(request: Request) -> Response:
    """GET /metrics, for operators and clients on this machine.  It answers while the store does not, too."""
    service = service_of(request)
    if not (service.settings.public_metrics or is_local(request) or access_of(request).is_operator(request)):
        raise NotAllowed(
            "metrics are for operators and for clients on this machine; MOOT_PUBLIC_METRICS=1 changes that"
        )
    unconcluded = None
    with suppress(LogError), anyio.move_on_after(STORE_S):
        unconcluded = await service.log.unconcluded()
    gauges = CollectorRegistry(auto_describe=False)
    gauges.register(ServiceGauges(service, unconcluded))
    text = generate_latest(observe.METRICS) + generate_latest(gauges)
    return PlainTextResponse(text, media_type=CONTENT_TYPE_LATEST)
