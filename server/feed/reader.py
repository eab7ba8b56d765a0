"""Deliver a debate to one reader, message by message: for the terminal, and for sockets that uvicorn keeps."""

from collections.abc import AsyncGenerator
from typing import Self

from server.feed.channel import PAGE_FRAMES, Channel
from server.feed.cursor import Cursor
from server.feed.hub import Hub


class Reader:
    """One reader of a channel, from a position on."""

    def __init__(
        self, hub: Hub, channel: Channel, after: int | None, *, every_frame: bool = False, director: bool = False
    ) -> None:
        """``every_frame``: give all frames after ``after``, also where a snapshot is shorter."""
        self._hub, self._channel, self._director = hub, channel, director
        self._never_snapshot = every_frame and after is not None
        self.cursor = Cursor(channel, after, director=director)

    async def __aenter__(self) -> Self:
        """Count as a spectator."""
        self._hub.enter(self._channel)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Count as a spectator no longer."""
        self._hub.leave(self._channel)

    async def messages(self) -> AsyncGenerator[list[str]]:
        """Batches of messages: first those after the reader's position, then new ones.  Ends if the channel fails."""
        snapshot = "" if self._never_snapshot else self._channel.snapshot(director=self._director)
        if snapshot and self.cursor.is_snapshot_due(len(snapshot)):  # else the frames themselves are shorter
            self.cursor.skip_to_head()
            yield [snapshot]
        while self._channel.failure is None:
            changed = self._channel.changed()
            if batch := await self._next():
                yield batch
            else:
                await changed.wait()

    async def _next(self) -> list[str]:
        cursor = self.cursor
        page = cursor.next_frames()
        if page is None:
            page, _ = await self._hub.frames_page(
                self._channel.debate, cursor.position, PAGE_FRAMES, director=self._director
            )
        return page + cursor.advance(len(page))
