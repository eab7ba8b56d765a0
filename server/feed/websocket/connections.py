"""All detached sockets of this process: one timer for keep-alives, slow readers and closings; one to send them away."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from server import observe
from server.feed.hub import Hub, Room
from server.feed.websocket.broadcast_group import BroadcastGroup
from server.feed.websocket.spectator import Spectator
from server.feed.websocket.wire import GOING_AWAY

PING_S: Final = 20.0
"""Seconds between two pings of one socket; who has not answered one by the next has gone."""
BUCKETS: Final = 20
"""The sockets are pinged in so many parts, one after the other."""
TOO_SLOW: Final = 4408
LEAST: Final = 4096
"""Bytes that a reader must take, while more waits for it, in the time that the setting ``slow_reader_s`` gives."""
CLOSING_S: Final = 10.0
"""Seconds for which somebody who was closed may still come to read why."""
STOPPING_S: Final = 2.5
"""The same when the server stops."""
BEAT_S: Final = 1.0
READS: Final = 4
"""Readers behind the ring whose pages are read from the log at once."""


class Connections:
    """Everybody who watches through a detached socket, by gallery."""

    def __init__(self, hub: Hub, *, slow_reader_s: float, ping_s: float = PING_S) -> None:
        self._hub, self._patience_s, self._ping_s = hub, slow_reader_s, ping_s
        self._galleries: dict[tuple[str, bool, bool], BroadcastGroup] = {}
        self._buckets: tuple[set[Spectator], ...] = tuple(set() for _ in range(BUCKETS))
        self._admitted = self._sockets = 0
        self._slow: dict[Spectator, tuple[float, int]] = {}
        """Readers who do not keep up: when they are looked at again, and the bytes that waited for them."""
        self._closing: dict[Spectator, float] = {}
        self._connections: set[Any] = set()
        self._is_stopping = False
        self._turn, self._next_turn_at = 0, 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reading: asyncio.Semaphore | None = None

    @property
    def sockets(self) -> int:
        """Open ones, with those that are being closed."""
        return self._sockets

    def spectators(self) -> list[Spectator]:
        """All of them."""
        return [spectator for bucket in self._buckets for spectator in bucket]

    @property
    def reading(self) -> asyncio.Semaphore:
        """How many may read the log at once."""
        self._reading = self._reading or asyncio.Semaphore(READS)
        return self._reading

    def gallery(self, room: Room, *, director: bool, deflate: bool) -> BroadcastGroup:
        """Where the sockets of an audience of that debate stand."""
        key = (room.debate, director, deflate)
        found = self._galleries.get(key)
        if found is None or found.room is not room:
            self._loop = asyncio.get_running_loop()
            found = self._galleries[key] = BroadcastGroup(self, self._hub, room, director=director, deflate=deflate)
        return found

    def spectator(self, room: Room, after: int | None, *, director: bool, deflate: bool) -> Spectator:
        """Somebody who comes to watch."""
        return Spectator(self.gallery(room, director=director, deflate=deflate), after)

    def close_gallery(self, gallery: BroadcastGroup) -> None:
        """Nobody is left in it."""
        key = (gallery.room.debate, gallery.director, gallery.deflate)
        if self._galleries.get(key) is gallery:
            del self._galleries[key]

    def soon(self, function: Callable[..., None], *args: Any) -> None:
        """Do something in the next step of the loop."""
        assert self._loop is not None
        self._loop.call_soon(function, *args)

    def later(self, seconds: float, function: Callable[..., None], *args: Any) -> None:
        """Do something in a while."""
        assert self._loop is not None
        self._loop.call_later(seconds, function, *args)

    # one socket

    def admit(self, spectator: Spectator) -> None:
        """A socket was taken over from the web server."""
        assert self._loop is not None
        spectator.bucket = self._admitted % BUCKETS
        self._buckets[spectator.bucket].add(spectator)
        self._admitted += 1
        self._sockets += 1
        if self._sockets == 1:
            self._next_turn_at = self._loop.time() + self._ping_s / BUCKETS
            self._loop.call_later(self._beat_s, self._beat)

    def forget(self, spectator: Spectator) -> None:
        """A socket has gone."""
        self._buckets[spectator.bucket].discard(spectator)
        self._slow.pop(spectator, None)
        self._closing.pop(spectator, None)
        self._sockets -= 1
        if not self._sockets:
            self._connections.discard(self)

    def wait_for(self, spectator: Spectator) -> None:
        """More waits for a reader than it takes."""
        assert self._loop is not None
        self._slow[spectator] = self._loop.time() + self._patience_s, spectator.waiting

    def wait_no_more(self, spectator: Spectator) -> None:
        """It has read."""
        self._slow.pop(spectator, None)

    def let_go(self, spectator: Spectator) -> None:
        """A socket is being closed: what is left of it after the grace is ended."""
        assert self._loop is not None
        self._slow.pop(spectator, None)
        grace = STOPPING_S if self._is_stopping else CLOSING_S
        self._closing.setdefault(spectator, self._loop.time() + grace)

    # the timer

    @property
    def _beat_s(self) -> float:
        return min(BEAT_S, self._patience_s / 4, self._ping_s / BUCKETS)

    def _beat(self) -> None:
        assert self._loop is not None
        now = self._loop.time()
        for spectator, (until, waited) in list(self._slow.items()):
            if until <= now:
                self._look_at(spectator, waited, now)
        for spectator, until in list(self._closing.items()):
            if until <= now:
                spectator.transport.abort()
        if self._next_turn_at <= now:  # late turns are not made up for: who was pinged has his time to answer
            self._ping(self._buckets[self._turn])
            self._turn = (self._turn + 1) % BUCKETS
            self._next_turn_at = now + self._ping_s / BUCKETS
        if self._sockets:
            self._loop.call_later(self._beat_s, self._beat)

    def _look_at(self, spectator: Spectator, waited: int, now: float) -> None:
        waiting = spectator.waiting
        if waiting > waited - LEAST:
            spectator.close(TOO_SLOW, f"too slow; come back with after={spectator.position}")
        else:
            self._slow[spectator] = now + self._patience_s, waiting

    def _ping(self, spectators: set[Spectator]) -> None:
        for spectator in tuple(spectators):
            if spectator.is_busy():  # it has a time of its own, and a ping would wait behind all that it has to read
                spectator.is_awaited = False
            elif spectator.is_awaited:
                observe.CLOSES.labels("1006").inc()
                spectator.transport.abort()
            else:
                spectator.ping()

    # what the web server does with all of them

    def kept_in(self, connections: set[Any]) -> None:
        """Be one of the server's connections."""
        self._connections = connections
        connections.add(self)

    def shutdown(self) -> None:
        """Send everybody away, each with the position from which to come back."""
        self._is_stopping = True
        for spectator in self.spectators():
            self.send_away(spectator)

    def send_away(self, spectator: Spectator) -> None:
        """The server stops."""
        spectator.close(GOING_AWAY, f"the server stops; come back with after={spectator.position}")
        self._closing.pop(spectator, None)
        self.let_go(spectator)

    @property
    def is_stopping(self) -> bool:
        """Whether everybody is being sent away."""
        return self._is_stopping
