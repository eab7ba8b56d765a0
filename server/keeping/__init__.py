"""How long debates are kept: files that hold many of them, and the deletion of those that are old."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from events.store.log import EventLog
    from server.keeping.retention import Retention
    from server.settings import Settings


def start(log: "EventLog", settings: "Settings", address: str) -> "Retention":
    """What deletes old debates once a day, in a process that serves."""
    from server.keeping.retention import Retention  # noqa: PLC0415 - few servers have the setting

    return Retention(log, settings.keep_days if address else 0)
