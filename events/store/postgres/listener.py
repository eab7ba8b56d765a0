"""One connection of a node that receives the notifications of all its channels.

When the connection is lost, the handler of each channel is told.  A handler looks the state up in the database when the
connection is back, when a notification asks for it, and every ``POLL_S`` seconds.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Final

import psycopg
from msgspec import Struct

from events.store.postgres.connection import LONGEST_PAUSE_S, Address, Connection, connect, cut, cutting

POLL_S: Final = 3.0


class ChannelHandler(Struct, frozen=True, kw_only=True):
    """The handler of one channel.  ``receive`` takes a payload and returns whether no look-up is needed."""

    receive: Callable[[str], bool]
    look_up: Callable[[Connection], Awaitable[None]]
    lost: Callable[[], None]


async def look_up_nothing(connection: Connection) -> None:
    """For a channel without state in the database."""
    del connection


class NotificationListener:
    """Connects with the first channel."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._channels: dict[str, ChannelHandler] = {}
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self.is_live = False
        """Whether notifications arrive now."""
        self._heard_at: float | None = None

    @property
    def silence_s(self) -> float:
        """Seconds since the last notification or look-up; 0 without channels."""
        return 0.0 if self._heard_at is None else time.monotonic() - self._heard_at

    def listen(self, channel: str, handler: ChannelHandler) -> None:
        """Listen to ``channel``, as soon as the connection is there; ``look_up`` is called first."""
        self._channels[channel] = handler
        self._heard_at = self._heard_at or time.monotonic()
        if self._task is None and not self._closed:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="moot-postgres-listener")
        self.is_live = False
        if self._connection is not None:
            cut(self._connection)  # rare: a later channel makes all connect again

    async def close(self) -> None:
        """Close the connection."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            with suppress(psycopg.Error, OSError):
                self._connection = await connect(self._address)
                try:
                    await self._listen(self._connection)
                finally:
                    self.is_live = False
                    for handler in self._channels.values():
                        handler.lost()
                    self._connection.pgconn.finish()
                    self._connection = None
            await asyncio.sleep(LONGEST_PAUSE_S / 10)

    async def _listen(self, connection: Connection) -> None:
        channels = dict(self._channels)
        with cutting(connection):
            for channel in channels:
                await connection.execute(f"LISTEN {channel}")  # a constant name
        for handler in channels.values():
            handler.lost()  # from here on no notification is missed; earlier ones may have been
        self.is_live = len(channels) == len(self._channels)
        while self.is_live:
            for handler in channels.values():
                with cutting(connection):
                    await handler.look_up(connection)
            self._heard_at = time.monotonic()
            async with aclosing(connection.notifies(timeout=POLL_S)) as heard:
                async for notify in heard:
                    self._heard_at = time.monotonic()
                    if not channels[notify.channel].receive(notify.payload):
                        break
