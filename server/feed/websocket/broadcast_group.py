"""The sockets that get the same bytes: one debate, one audience, and one compressor if compression was agreed on.

All live sockets share the group's cursor.  A socket that reads too slowly falls behind: it gets a copy of the cursor
and no deltas, catches up in pages from the ring or the log, and becomes live again.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from websockets.frames import CloseCode, Opcode

from events.errors import DebateDeleted, LogError
from server.errors import LinkChanged
from server.feed.channel import PAGE_FRAMES, Channel
from server.feed.cursor import Cursor
from server.feed.hub import Hub
from server.feed.websocket import deflate as deflating
from server.feed.websocket.spectator import Spectator
from server.feed.websocket.wire import serialize
from server.process import observe

PAGE: Final = 1 << 16
"""Bytes of messages that are written at once; a longer message is written alone."""
RETRY_S: Final = 0.01
UNKNOWN: Final = 4404
"""The close code for a debate that is not there, or not any more."""


class BroadcastGroup:
    """The sockets of one audience of a debate."""

    def __init__(
        self,
        hub: Hub,
        channel: Channel,
        *,
        director: bool,
        deflate: bool,
        log_reads: asyncio.Semaphore,
        on_empty: Callable[["BroadcastGroup"], None],
        page: int = PAGE,
    ) -> None:
        """``log_reads``: limits the sockets that read the log at once; ``page``: bytes that are written at once."""
        self._hub, self.channel, self.director, self.deflate = hub, channel, director, deflate
        self._log_reads, self._on_empty, self._page = log_reads, on_empty, page
        self._loop = asyncio.get_running_loop()
        self.cursor = Cursor(channel, channel.position, director=director)
        self.cursor.is_live = True
        self._live: set[Spectator] = set()
        self._behind: set[Spectator] = set()
        self._joined = 0
        self._is_flush_due = False
        self._snapshot: tuple[object, bytes, int] = (None, b"", 0)
        """What it was made for, its frame, and its length as text."""
        # A socket that joined less than a window ago reads from the newcomers' compressor.
        self._sent = 0
        """Bytes of text that were sent while there were newcomers."""
        self._newcomers: deque[tuple[int, set[Spectator]]] = deque()
        """Live sockets that joined less than a window ago, with the value of ``_sent`` at that time."""
        self._compressor = deflating.Compressor() if deflate else None
        self._newcomers_compressor: deflating.Compressor | None = None
        channel.listeners.append(self._flush_soon)
        self.flush()

    # joining and leaving

    def join(self, spectator: Spectator) -> None:
        """Write what a new socket misses, or a snapshot if that is shorter; then the socket is live."""
        self._joined += 1
        self._hub.enter(self.channel)
        if self._joined == 1:
            self.cursor.spectators = self.channel.announced  # the only socket gets the number as it catches up
        if self.channel.position != self.cursor.position:
            self.flush()  # events do not wait for the next tick, as text in flight does
        snapshot, size = self._current_snapshot()
        spectator.cursor = Cursor(self.channel, spectator.after, director=self.director)
        spectator.after = None
        self._behind.add(spectator)
        if spectator.cursor.is_snapshot_due(size):
            spectator.cursor = self.cursor.after_snapshot()
            spectator.transport.write(snapshot)
        if not spectator.is_paused:
            self.catch_up(spectator)

    def leave(self, spectator: Spectator) -> None:
        """Send a socket nothing more: it has gone or is being closed."""
        if spectator not in self._behind and not self._remove_live(spectator):
            return
        spectator.cursor = spectator.cursor or self.cursor.copy()
        self._behind.discard(spectator)
        self._joined -= 1
        self._hub.leave(self.channel)
        if not self._joined:
            self.channel.listeners.remove(self._flush_soon)
            self._on_empty(self)

    def fall_behind(self, spectator: Spectator) -> None:
        """Give a live socket that does not keep up a cursor of its own."""
        if self._remove_live(spectator):
            spectator.cursor = self.cursor.copy()
            self._behind.add(spectator)

    def _remove_live(self, spectator: Spectator) -> bool:
        if spectator in self._live:
            self._live.remove(spectator)
            return True
        for _, joined in self._newcomers:
            if spectator in joined:
                joined.remove(spectator)
                return True
        return False

    # sending to live sockets

    def _flush_soon(self) -> None:
        """Flush in the next step of the event loop, with everything else that is new by then."""
        if not self._is_flush_due:
            self._is_flush_due = True
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Send everything that is new to the live sockets, encoded once."""
        self._is_flush_due = False
        if (failure := self.channel.failure) is not None:
            if isinstance(failure, DebateDeleted):
                for spectator in self._all():
                    spectator.close(UNKNOWN, failure.short)
                return
            why = failure if isinstance(failure, LinkChanged) else "the store failed"
            for spectator in self._all():
                reason = f"{why}; come back with after={spectator.position}"
                spectator.close(CloseCode.INTERNAL_ERROR, reason)
            return
        while (batch := self._next_batch()) is not None:
            if not batch:
                return
            self._broadcast(batch)
            if self.cursor.position < self.channel.position:
                self._check_buffers()
        # More events came at once than the ring holds.
        for spectator in [each for each in self._all() if each.cursor is None]:
            self.fall_behind(spectator)
            self._loop.call_soon(self.catch_up, spectator)
        self.cursor.position = self.channel.position

    def _check_buffers(self) -> None:
        """Let sockets with a full buffer fall behind between two pages: uvloop pauses them only in its next step."""
        for spectator in self._all():
            if spectator.cursor is None and spectator.waiting > self._page:
                self.fall_behind(spectator)
                self._loop.call_soon(self.catch_up, spectator)  # if the buffer is empty by then, it was not slow

    def _next_batch(self) -> list[bytes] | None:
        """The next page of new messages; None if the ring does not reach back that far."""
        frames = self.cursor.next_frames()
        if frames is None:
            return None
        text_end = self.cursor.text_end
        batch = first_page(frames, self._page)
        batch += [message.encode() for message in self.cursor.advance(len(batch))]
        if self._behind and text_end != self.cursor.text_end:
            observe.DELTAS_SKIPPED.inc(len(self._behind))
        return batch

    def _all(self) -> list[Spectator]:
        return [*self._live, *self._behind, *(each for _, joined in self._newcomers for each in joined)]

    def _broadcast(self, messages: Sequence[bytes]) -> None:
        if self._compressor is None:
            self._write(self._live, self._alone(messages))
            return
        self._write(self._live, self._compressor.frames(messages))
        if not self._newcomers:
            return
        self._newcomers_compressor = self._newcomers_compressor or deflating.Compressor()
        frames = self._newcomers_compressor.frames(messages)
        for _, joined in self._newcomers:
            self._write(joined, frames)
        self._sent += sum(map(len, messages))
        while self._newcomers and self._newcomers[0][0] + deflating.WINDOW <= self._sent:
            self._live |= self._newcomers.popleft()[1]

    def _write(self, spectators: set[Spectator], frames: bytes) -> None:
        for spectator in tuple(spectators):  # a socket may fall behind within the loop
            spectator.transport.write(frames)

    # sending to sockets that are behind

    def catch_up(self, spectator: Spectator) -> None:
        """Write the next page to a socket that is behind; after the last page it is live."""
        cursor = spectator.cursor
        if cursor is None or spectator not in self._behind or spectator.is_busy():
            return
        if cursor.position < self.channel.position:
            frames = cursor.next_frames()
            if frames is None:
                self._hub.start_soon(self._catch_up_from_log, spectator, cursor, debate=self.channel.debate)
            else:
                self._write_page(spectator, cursor, frames)
            return
        if cursor.position > self.channel.position:  # the page from the log went further than the channel's fold
            self._loop.call_later(RETRY_S, self.catch_up, spectator)
            return
        if cursor.position != self.cursor.position:
            self.flush()
        if spectator not in self._behind:  # the channel has failed
            return
        self._write_to(spectator, [message.encode() for message in self.cursor.missed_by(cursor)])
        spectator.cursor = None
        self._behind.discard(spectator)
        self._make_live(spectator)
        if spectator.is_busy():  # the last messages have filled the buffer
            self.fall_behind(spectator)

    async def _catch_up_from_log(self, spectator: Spectator, cursor: Cursor) -> None:
        after = cursor.position
        try:
            async with self._log_reads:
                frames, _ = await self._hub.frames_page(self.channel.debate, after, PAGE_FRAMES, director=self.director)
        except Exception as error:
            why = error if isinstance(error, LogError) else "the page cannot be read"
            spectator.close(CloseCode.INTERNAL_ERROR, f"{why}; come back with after={after}")
            if isinstance(error, LogError):
                return
            raise
        if spectator in self._behind and spectator.cursor is cursor and cursor.position == after:
            self._write_page(spectator, cursor, frames)

    def _write_page(self, spectator: Spectator, cursor: Cursor, frames: list[str]) -> None:
        """Write as many frames as one page holds, and go on in the next step of the event loop."""
        written = first_page(frames, self._page)
        cursor.position += len(written)
        self._write_to(spectator, written)
        self._loop.call_soon(self.catch_up, spectator)

    def _write_to(self, spectator: Spectator, messages: Sequence[bytes]) -> None:
        if messages:
            spectator.transport.write(self._alone(messages))

    def _alone(self, messages: Sequence[bytes]) -> bytes:
        """The messages as frames that refer to no message before them."""
        if self.deflate:
            return deflating.alone(messages)
        return b"".join(serialize(Opcode.TEXT, each) for each in messages)

    def _make_live(self, spectator: Spectator) -> None:
        """Add a socket that was sent everything that the live sockets were sent."""
        if self._compressor is None:
            self._live.add(spectator)
            return
        self._newcomers_compressor = None  # it must not refer to messages that this socket was not sent
        if not self._newcomers or self._newcomers[-1][0] != self._sent:
            self._newcomers.append((self._sent, set()))
        self._newcomers[-1][1].add(spectator)

    def _current_snapshot(self) -> tuple[bytes, int]:
        """The view as the live sockets have it: made once for all sockets that join before anything else is sent."""
        cursor = self.cursor
        made_for = (self.channel.position, cursor.text_key, cursor.text_end, self.channel.text_in_flight())
        known, snapshot, size = self._snapshot
        if known != made_for:
            text = cursor.snapshot()
            size, snapshot = len(text), self._alone([text.encode()])
            self._snapshot = made_for, snapshot, size
        return snapshot, size


def first_page(messages: Sequence[str], page_bytes: int) -> list[bytes]:
    """The first messages, encoded, up to so many bytes; at least one, if there is any."""
    page: list[bytes] = []
    size = 0
    for message in messages:
        encoded = message.encode()
        size += len(encoded)
        if page and size > page_bytes:
            break
        page.append(encoded)
    return page
