"""One connection that hears the notifications of all channels that a node listens to, for as long as the node lives.

Whoever listens is told when the connection is ``lost``, and is given it to ``look`` for itself: when it has come back,
when a notification said no more than that there is something, and every ``POLL_S`` in any case.
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
    """What is done about one channel.  ``hear`` takes a payload and says whether that was all there is to know."""

    receive: Callable[[str], bool]
    look_up: Callable[[Connection], Awaitable[None]]
    lost: Callable[[], None]


async def look_up_nothing(connection: Connection) -> None:
    """For a channel whose notifications are all there is."""
    del connection


def nothing_lost() -> None:
    """For a channel that keeps nothing."""


class NotificationListener:
    """Starts with the first channel; belongs to the loop that it is used in."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._channels: dict[str, ChannelHandler] = {}
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self.is_live = False
        """Whether notifications are heard now."""
        self._heard_at: float | None = None

    @property
    def silence_s(self) -> float:
        """Seconds since something was last heard or looked for; 0 where nobody listens."""
        return 0.0 if self._heard_at is None else time.monotonic() - self._heard_at

    @property
    def is_started(self) -> bool:
        """Whether anybody listens."""
        return self._task is not None

    def listen(self, channel: str, handler: ChannelHandler) -> None:
        """Hear ``channel`` from now on, or from when the connection is there; ``look`` comes first."""
        self._channels[channel] = handler
        self._heard_at = self._heard_at or time.monotonic()
        if self._task is None and not self._closed:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="moot-postgres-ear")
        self.is_live = False
        if self._connection is not None:
            cut(self._connection)  # rarely: a channel that joins the others later has them all connect again

    async def close(self) -> None:
        """Hear no more."""
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
                await connection.execute(f"LISTEN {channel}")  # a name of ours
        for handler in channels.values():
            handler.lost()  # what is heard from here on is whole; what was known before may have been passed
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
