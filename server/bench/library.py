"""The ``eventsourcing`` library as a yardstick: its application over its own SQLite recorder, as its manual has it.

It is a dependency of the tests and of this benchmark only; where it is not installed its figures are passed over.  The
recorder is on a file in WAL with ``synchronous=FULL``, as ours; an aggregate is a debate, an event holds the same
payload, and ``save`` returns when it is committed.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class CountingDebate(Aggregate):
    """A debate as the library keeps one: it counts what was said."""

    @event("Opened")
    def __init__(self) -> None:
        self.said = 0

    @event("Said")
    def say(self, payload: dict[str, Any]) -> None:
        """One event."""
        del payload
        self.said += 1


class DebateApplication(Application[UUID]):
    """The library's application, without snapshots or a cache."""

    def __init__(self, file: Path) -> None:
        super().__init__({"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(file)})


def appends(file: Path, debates: int, rounds: int, payload: dict[str, Any]) -> float:
    """Events a second, one a time over that many debates."""
    app = DebateApplication(file)
    try:
        debates_ = [CountingDebate() for _ in range(debates)]
        app.save(*debates_)  # the debates are there; what counts is going on with them
        began = time.perf_counter()
        for _ in range(rounds):
            for debate in debates_:
                debate.say(payload)
                app.save(debate)
        return debates * rounds / (time.perf_counter() - began)
    finally:
        app.close()


class Replay:
    """One long debate, to be read again and again."""

    def __init__(self, file: Path, payloads: Sequence[dict[str, Any]]) -> None:
        self._app, self._events = DebateApplication(file), len(payloads)
        debate = CountingDebate()
        for payload in payloads:
            debate.say(payload)
        self._app.save(debate)
        self._id = debate.id

    def measure(self) -> float:
        """Events a second from the file to the aggregate."""
        began = time.perf_counter()
        debate: CountingDebate = self._app.repository.get(self._id)
        took = time.perf_counter() - began
        assert debate.said == self._events
        return self._events / took

    def close(self) -> None:
        """Let go of the file."""
        self._app.close()
