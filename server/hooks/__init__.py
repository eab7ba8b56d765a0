"""Webhooks: what happens in a debate is told to other programs over HTTP, signed, at least once."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from events.store.log import EventLog
    from server.hooks.deliveries import HookWatcher
    from server.settings import Settings


def start(log: "EventLog", settings: "Settings", address: str) -> "HookWatcher":
    """The watcher of a process that serves at ``address``; its parts are imported where there are hooks."""
    from server.hooks.deliveries import HookWatcher  # noqa: PLC0415 - few servers have hooks

    return HookWatcher(log, settings.hooks, settings.public_url or address)
