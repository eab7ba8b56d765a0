"""A running Moot without its sockets: log, providers, hub, moderators, opened and closed in the right order."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from msgspec import Struct

from events.log import EventLog
from events.open import opened_log
from providers.quota import DEFAULT_LIMITS
from providers.registry import Registry
from server.errors import BadField
from server.hub import Hub
from server.moderators import Moderators
from server.settings import Settings


class Service(Struct, frozen=True):
    """Everything that a request or a command works with."""

    settings: Settings
    log: EventLog
    registry: Registry
    hub: Hub
    moderators: Moderators


def limited(settings: Settings) -> Registry:
    """The providers with this process's limits on top of what is usual.  Raises ``BadField`` for an unknown one."""
    registry = Registry(limits={**DEFAULT_LIMITS, **settings.limits})
    for provider in settings.limits:
        if provider not in registry.names:
            known = ", ".join(registry.names)
            raise BadField(f"limits.{provider}", f"there is no provider {provider!r} to limit; there are {known}")
    return registry


@asynccontextmanager
async def running(settings: Settings, *, read_only: bool = False, address: str = "") -> AsyncIterator[Service]:
    """Open the store, start the tasks, and end them again; models that were started are stopped."""
    async with opened_log(settings.store, read_only=read_only, address=address) as log:
        registry = limited(settings)
        hub = Hub(log, tick_ms=settings.tick_ms)
        moderators = Moderators(
            log, registry, hub, idle_timeout_s=settings.idle_timeout_s, most=settings.max_running
        )
        try:
            async with anyio.create_task_group() as tasks:
                await tasks.start(hub.run)
                await tasks.start(moderators.run)
                try:
                    yield Service(settings, log, registry, hub, moderators)
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await registry.close()
