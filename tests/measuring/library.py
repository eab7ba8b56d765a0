"""The ``eventsourcing`` library as a yardstick: its application over its own SQLite recorder, as in its manual.

The recorder's file is
in WAL mode with ``synchronous=FULL``, as ours is.  An aggregate is a debate, an event holds the same payload, and
``save`` returns after the commit.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class CountingDebate(Aggregate):
    """A debate as an aggregate of the library.  It counts its events."""

    @event("Opened")
    def __init__(self) -> None:
        self.events = 0

    @event("Said")
    def record(self, payload: dict[str, Any]) -> None:
        """Record one event."""
        del payload
        self.events += 1


class DebateApplication(Application[UUID]):
    """An application of the library, without snapshots and without a cache."""

    def __init__(self, file: Path) -> None:
        super().__init__({"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(file)})


def appends(file: Path, debates: int, rounds: int, payload: dict[str, Any]) -> float:
    """Events per second: one event for each save, in that many debates."""
    app = DebateApplication(file)
    try:
        aggregates = [CountingDebate() for _ in range(debates)]
        app.save(*aggregates)  # the openings are not measured
        began = time.perf_counter()
        for _ in range(rounds):
            for debate in aggregates:
                debate.record(payload)
                app.save(debate)
        return debates * rounds / (time.perf_counter() - began)
    finally:
        app.close()


class Replay:
    """One long debate that is read again and again."""

    def __init__(self, file: Path, payloads: Sequence[dict[str, Any]]) -> None:
        self._app, self._events = DebateApplication(file), len(payloads)
        debate = CountingDebate()
        for payload in payloads:
            debate.record(payload)
        self._app.save(debate)
        self._id = debate.id

    def measure(self) -> float:
        """Events per second from the file to the aggregate."""
        began = time.perf_counter()
        debate: CountingDebate = self._app.repository.get(self._id)
        took = time.perf_counter() - began
        assert debate.events == self._events
        return self._events / took

    def close(self) -> None:
        """Close the file."""
        self._app.close()
