"""One spectator's way through a debate, where the server writes to him itself and at the terminal."""

from collections.abc import AsyncGenerator
from typing import Self

from server.feed.cursor import Cursor
from server.feed.hub import RING, Hub, Room


class Reader:
    """One spectator's place in a debate: what it has, and therefore what it lacks."""

    def __init__(self, hub: Hub, room: Room, after: int | None, *, whole: bool = False, director: bool = False) -> None:
        """``whole``: give every frame, even where a snapshot would be shorter."""
        self._hub, self._room, self._whole, self._director = hub, room, whole, director
        self._after = after
        self.place = Cursor(after or 0)

    async def __aenter__(self) -> Self:
        """Enter the room."""
        self._hub.enter(self._room)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave it."""
        self._hub.leave(self._room)

    async def messages(self) -> AsyncGenerator[list[str]]:
        """Batches of messages: what is lacking, then what comes.  Ends only if the room fails."""
        if start := self._catch_up():
            yield start
        while self._room.failure is None:
            changed = self._room.changed()
            if batch := await self._lacking():
                yield batch
            else:
                await changed.wait()

    def _catch_up(self) -> list[str]:
        """A snapshot, or nothing where the frames themselves are shorter."""
        room = self._room
        if self._after is not None and self._whole:
            return []
        shot = room.snapshot(director=self._director)
        if self._after is not None and (page := room.frames_after(self._after, RING)) is not None:  # noqa: SIM102
            if sum(map(len, page)) <= len(shot):
                return []
        self.place.position = room.position
        if speech := room.speech_now():
            self.place.said, self.place.said_to = (speech.turn, speech.attempt), len(speech.text)
        return [shot]

    async def _lacking(self) -> list[str]:
        room, place = self._room, self.place
        batch = room.lacking(place, director=self._director)
        if batch is None:
            batch, _ = await self._hub.frames_page(room.debate, place.position, 256, director=self._director)
            place.position += len(batch)
            if place.position >= room.position:
                batch += room.news(place)
        return batch
