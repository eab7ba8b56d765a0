"""A running Moot without sockets: opens and closes log, providers, hub and moderators in the right order."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import anyio
from msgspec import Struct

from events.cluster.bus import Bus, SingleNodeBus
from events.cluster.open import open_bus
from events.store.address import is_postgres
from events.store.log import EventLog
from events.store.open import opened_log
from events.table import LazyTable
from providers.limits import DEFAULT_LIMITS
from providers.registry import Registry
from server.debate.moderators import Moderators
from server.debate.ownership import SOLE_OWNER
from server.errors import BadField
from server.feed.hub import Hub
from server.process.notes import PatientNotes
from server.settings import Settings

if TYPE_CHECKING:
    from server.cluster.node import ClusterNode

WATCHERS: Final = LazyTable[Any](
    {"hooks": "server.hooks:start", "telemetry": "server.telemetry:start", "keep_days": "server.keeping:start"}
)
"""What follows the debates of the store, by the setting that turns it on; called with log, settings, address."""
ACT_S: Final = 2.0
"""Seconds, beyond one and a half leases, within which a node carries out a command, or it is refused."""


class Service(Struct, frozen=True):
    """What HTTP requests and terminal commands work with."""

    settings: Settings
    log: EventLog
    registry: Registry
    hub: Hub
    moderators: Moderators
    bus: Bus
    node: "ClusterNode | None" = None
    """This process as a node, on a store that several nodes share."""

    async def take_up(self) -> int:
        """Continue the open debates that no node runs; the number of them."""
        return await (self.node or self.moderators).take_up()

    async def drain(self) -> None:
        """Hand over the debates that run here to the other nodes; nothing to do without other nodes."""
        if self.node is not None:
            await self.node.drain(self.settings.drain_s)


def limited(settings: Settings) -> Registry:
    """The providers, with the limits of the settings over the default ones.  Raises ``BadField`` for an unknown one."""
    registry = Registry(limits={**DEFAULT_LIMITS, **settings.limits})
    for provider in settings.limits:
        if provider not in registry.names:
            known = ", ".join(registry.names)
            raise BadField(f"limits.{provider}", f"there is no provider {provider!r} to limit; there are {known}")
    return registry


@asynccontextmanager
async def running(settings: Settings, *, read_only: bool = False, address: str = "") -> AsyncIterator[Service]:
    """Open the store and start the tasks; at the end stop the tasks, the models that were started, and the store.

    ``address`` is the address at which this process serves.
    """
    async with (
        opened_log(settings.store, read_only=read_only, address=address, lease_s=settings.lease_s) as log,
        _opened_bus(settings, log) as bus,
    ):
        node = _node(settings, log, address)
        registry = limited(settings)
        registry.notes = PatientNotes(log)
        hub = Hub(log, tick_ms=settings.tick_ms, bus=bus if is_postgres(settings.store) else None)
        watching = () if read_only else (name for name in WATCHERS if getattr(settings, name))
        watchers = [WATCHERS[name](log, settings, address) for name in watching]
        moderators = Moderators(
            log,
            registry,
            hub,
            idle_timeout_s=settings.idle_timeout_s,
            most=settings.max_running,
            ownership=node or SOLE_OWNER,
            within_s=1.5 * settings.lease_s + ACT_S,
            settings=settings,
            watchers=watchers,
        )
        try:
            async with anyio.create_task_group() as tasks:
                await tasks.start(hub.run)
                await tasks.start(moderators.run)
                for watcher in watchers:
                    await tasks.start(watcher.run, moderators)
                if node is not None:
                    await tasks.start(node.run, moderators)
                try:
                    yield Service(settings, log, registry, hub, moderators, bus, node)
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await registry.close()


@asynccontextmanager
async def _opened_bus(settings: Settings, log: EventLog) -> AsyncIterator[Bus]:
    """The bus between the nodes; one without effect on a store for a single process."""
    bus = open_bus(settings.bus, log) if is_postgres(settings.store) else SingleNodeBus()
    try:
        yield bus
    finally:
        with anyio.CancelScope(shield=True):
            await bus.close()


def _node(settings: Settings, log: EventLog, address: str) -> "ClusterNode | None":
    if not is_postgres(settings.store):
        return None
    from events.store.postgres.log import PostgresLog  # noqa: PLC0415 - the driver is imported when a store needs it
    from server.cluster.node import ClusterNode  # noqa: PLC0415 - as above

    assert isinstance(log, PostgresLog)
    return None if log.read_only else ClusterNode(log, address)
