"""Open the bus at an address."""

from events.cluster.bus import Bus, SingleNodeBus
from events.errors import BadStore
from events.store.address import redacted
from events.store.log import EventLog
from events.store.memory import MemoryLog
from events.store.sqlite.log import SqliteLog


def open_bus(url: str, log: EventLog) -> Bus:
    """The bus at ``url``, ``nats://HOST:PORT``; without a URL the bus of ``log``'s store.  Raises ``BadStore``.

    Must be called in the event loop that uses the bus.  The bus connects later by itself.
    """
    if url.startswith(("nats://", "tls://")):
        from events.cluster.nats_bus import NatsBus  # noqa: PLC0415 - nats takes 0.15 s to import

        return NatsBus(url)
    if url:
        raise BadStore(f"{redacted(url)!r} is no bus: write nats://HOST:PORT, or nothing for the store's own")
    if isinstance(log, MemoryLog | SqliteLog):
        return SingleNodeBus()
    from events.cluster.postgres_bus import PostgresBus  # noqa: PLC0415 - psycopg, as above
    from events.store.postgres.log import PostgresLog  # noqa: PLC0415 - psycopg, as above

    assert isinstance(log, PostgresLog)
    return PostgresBus(log)
