"""All detached sockets of this process, with one timer for keep-alives, slow readers and closings."""

import asyncio
from typing import Any, Final

from websockets.frames import CloseCode

from server.feed.channel import Channel
from server.feed.hub import Hub
from server.feed.websocket.broadcast_group import PAGE, BroadcastGroup
from server.feed.websocket.spectator import Spectator
from server.process import observe

PING_S: Final = 20.0
"""Seconds between two pings of one socket; a socket that sends nothing until the next one is aborted."""
BUCKETS: Final = 20
"""The sockets are pinged in so many parts, one after the other."""
TOO_SLOW: Final = 4408
MIN_READ: Final = 4096
"""Bytes that a slow socket must read within ``slow_reader_s``, or it is closed."""
CLOSING_S: Final = 10.0
"""Seconds that a socket has to read why it was closed."""
STOPPING_S: Final = 2.5
"""The same when the server stops."""
TIMER_S: Final = 1.0
LOG_READS: Final = 4
"""Sockets behind the ring that read the log at once."""


class Connections:
    """The detached sockets, by broadcast group.  The web server shuts them down as if they were one connection."""

    def __init__(self, hub: Hub, *, slow_reader_s: float, ping_s: float = PING_S, page: int = PAGE) -> None:
        self._hub, self._slow_reader_s, self._ping_s, self._page = hub, slow_reader_s, ping_s, page
        self._groups: dict[tuple[str, bool, bool], BroadcastGroup] = {}
        self._buckets: tuple[set[Spectator], ...] = tuple(set() for _ in range(BUCKETS))
        self._added = self._sockets = 0
        self._slow: dict[Spectator, tuple[float, int]] = {}
        """Sockets that do not keep up: when they are checked again, and the bytes in their buffer."""
        self._closing: dict[Spectator, float] = {}
        """Sockets that are being closed: when they are aborted."""
        self._server_connections: set[Any] = set()
        self._is_stopping = False
        self._bucket, self._next_ping_at = 0, 0.0
        self._log_reads = asyncio.Semaphore(LOG_READS)

    @property
    def sockets(self) -> int:
        """Number of open sockets, with those that are being closed."""
        return self._sockets

    def spectators(self) -> list[Spectator]:
        """All sockets."""
        return [spectator for bucket in self._buckets for spectator in bucket]

    def group(self, channel: Channel, *, director: bool, deflate: bool) -> BroadcastGroup:
        """The sockets of one audience of a debate."""
        key = (channel.debate, director, deflate)
        found = self._groups.get(key)
        if found is None or found.channel is not channel:
            found = self._groups[key] = BroadcastGroup(
                self._hub,
                channel,
                director=director,
                deflate=deflate,
                log_reads=self._log_reads,
                on_empty=self._remove_group,
                page=self._page,
            )
        return found

    def spectator(self, channel: Channel, after: int | None, *, director: bool, deflate: bool) -> Spectator:
        """A protocol for a socket that is about to be detached."""
        return Spectator(self.group(channel, director=director, deflate=deflate), self, after)

    def _remove_group(self, group: BroadcastGroup) -> None:
        key = (group.channel.debate, group.director, group.deflate)
        if self._groups.get(key) is group:
            del self._groups[key]

    # one socket

    def add(self, spectator: Spectator) -> None:
        """Take over a socket from the web server."""
        loop = asyncio.get_running_loop()
        spectator.bucket = self._added % BUCKETS
        self._buckets[spectator.bucket].add(spectator)
        self._added += 1
        self._sockets += 1
        if self._sockets == 1:
            self._next_ping_at = loop.time() + self._ping_s / BUCKETS
            loop.call_later(self._timer_s, self._on_timer)
        spectator.group.join(spectator)
        if self._is_stopping:
            self._send_away(spectator)

    def remove(self, spectator: Spectator) -> None:
        """Forget a socket that has gone."""
        self._buckets[spectator.bucket].discard(spectator)
        self._slow.pop(spectator, None)
        self._closing.pop(spectator, None)
        self._sockets -= 1
        if not self._sockets:
            self._server_connections.discard(self)

    def mark_slow(self, spectator: Spectator) -> None:
        """Close a socket after ``slow_reader_s`` unless it reads."""
        self._slow[spectator] = asyncio.get_running_loop().time() + self._slow_reader_s, spectator.waiting

    def unmark_slow(self, spectator: Spectator) -> None:
        """The socket has read."""
        self._slow.pop(spectator, None)

    def start_closing(self, spectator: Spectator) -> None:
        """Abort a socket after a time unless it closes."""
        self._slow.pop(spectator, None)
        seconds = STOPPING_S if self._is_stopping else CLOSING_S
        self._closing.setdefault(spectator, asyncio.get_running_loop().time() + seconds)

    # the timer

    @property
    def _timer_s(self) -> float:
        return min(TIMER_S, self._slow_reader_s / 4, self._ping_s / BUCKETS)

    def _on_timer(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for spectator, (until, waiting) in list(self._slow.items()):
            if until <= now:
                self._check_slow(spectator, waiting, now)
        for spectator, until in list(self._closing.items()):
            if until <= now:
                spectator.transport.abort()
        if self._next_ping_at <= now:  # a late ping delays all later ones: each socket has its full time to answer
            self._ping(self._buckets[self._bucket])
            self._bucket = (self._bucket + 1) % BUCKETS
            self._next_ping_at = now + self._ping_s / BUCKETS
        if self._sockets:
            loop.call_later(self._timer_s, self._on_timer)

    def _check_slow(self, spectator: Spectator, before: int, now: float) -> None:
        waiting = spectator.waiting
        if waiting > before - MIN_READ:
            spectator.close(TOO_SLOW, f"too slow; come back with after={spectator.position}")
        else:
            self._slow[spectator] = now + self._slow_reader_s, waiting

    def _ping(self, spectators: set[Spectator]) -> None:
        for spectator in tuple(spectators):
            # A ping would wait behind a busy socket's buffer; slow and closing sockets have limits of their own.
            if spectator.is_busy():
                spectator.awaits_pong = False
            elif spectator.awaits_pong:
                observe.CLOSES.labels("1006").inc()
                spectator.transport.abort()
            else:
                spectator.ping()

    # called by the web server

    def register(self, server_connections: set[Any]) -> None:
        """Be among the server's connections while there is a socket."""
        self._server_connections = server_connections
        server_connections.add(self)

    def shutdown(self) -> None:
        """The server stops: close all sockets, each with the position from which the client can go on."""
        self._is_stopping = True
        for spectator in self.spectators():
            self._send_away(spectator)

    def _send_away(self, spectator: Spectator) -> None:
        spectator.close(CloseCode.GOING_AWAY, f"the server stops; come back with after={spectator.position}")
        self._closing.pop(spectator, None)
        self.start_closing(spectator)
