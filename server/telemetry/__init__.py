"""OpenTelemetry: a trace for each debate, made from its log and sent to a collector, where the settings ask for it."""

from typing import TYPE_CHECKING

from server.errors import BadField
from server.process.extras import is_installed, needed

if TYPE_CHECKING:
    from events.store.log import EventLog
    from server.settings import Settings
    from server.telemetry.watcher import TelemetryWatcher


def start(log: "EventLog", settings: "Settings", address: str) -> "TelemetryWatcher":
    """The watcher that sends to the collector of the settings.  Raises ``BadField`` without the extra."""
    del address
    if not is_installed("otel"):
        raise BadField("telemetry", f"telemetry {needed('otel')}")
    from server.telemetry.exporting import exporting_to  # noqa: PLC0415 - the SDK is imported where it is asked for
    from server.telemetry.watcher import TelemetryWatcher  # noqa: PLC0415 - as above

    return TelemetryWatcher(log, exporting_to(settings.telemetry), has_texts=settings.telemetry_texts)
