"""The bus over NATS: subject ``moot.DEBATE``; a node subscribes to the debates that it has spectators of.

No message is stored or acknowledged.  While the server is away messages are dropped; after a reconnect the node
subscribes again.
"""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from nats import errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from events.cluster.bus import BusState, Receive, Subscribers

MAX_WAITING: Final = 8 << 20
CONNECT_S: Final = 2
PAUSE_S: Final = 0.25
PREFIX: Final = "moot."


class NatsBus:
    """``Bus`` over ``url``, ``nats://HOST:PORT``; connects and reconnects by itself."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._subscribers = Subscribers()
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._size = self._dropped = 0
        self._changed: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._client: Client | None = None
        self._task = asyncio.get_running_loop().create_task(self._run(), name="moot-nats-bus")

    @property
    def state(self) -> BusState:
        """See ``Bus``."""
        return BusState(up=self._client is not None and self._client.is_connected, dropped=self._dropped)

    def publish(self, debate: str, message: bytes) -> None:
        """See ``Bus``."""
        if not self.state.up or self._size + len(message) > MAX_WAITING:
            self._dropped += 1
            return
        self._waiting.append((debate, message))
        self._size += len(message)
        self._wake.set()

    @contextmanager
    def subscribe(self, debate: str, receive: Receive) -> Iterator[None]:
        """See ``Bus``."""
        with self._subscribers.subscribed(debate, receive, self._note, self._note):
            yield

    async def close(self) -> None:
        """See ``Bus``."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def _note(self, debate: str) -> None:
        self._changed[debate] = None
        self._wake.set()

    async def _run(self) -> None:
        while True:
            client = Client()
            try:
                with suppress(errors.Error, OSError, TimeoutError):
                    await self._serve(client)
            finally:
                self._client = None
                self._dropped += len(self._waiting)
                self._waiting.clear()
                self._size = 0
                with suppress(errors.Error, OSError, TimeoutError):
                    await client.close()
            await asyncio.sleep(PAUSE_S)

    async def _serve(self, client: Client) -> None:
        """Use one connection until it ends."""
        await client.connect(
            self._url,
            name="moot",
            no_echo=True,
            allow_reconnect=False,
            connect_timeout=CONNECT_S,
            ping_interval=5,
            max_outstanding_pings=2,
            error_cb=_ignore,
            closed_cb=self._ended,
        )
        self._client = client
        subscriptions: dict[str, Subscription] = {}
        self._changed = dict.fromkeys(self._subscribers)
        while not client.is_closed:
            while self._changed:
                debate = next(iter(self._changed))
                del self._changed[debate]
                await self._follow(client, debate, subscriptions)
            while self._waiting:
                debate, message = self._waiting.popleft()
                self._size -= len(message)
                try:
                    await client.publish(subject_of(debate), message)
                except (errors.MaxPayloadError, errors.BadSubjectError):
                    self._dropped += 1
            self._wake.clear()
            if not client.is_closed:
                await self._wake.wait()

    async def _follow(self, client: Client, debate: str, subscriptions: dict[str, Subscription]) -> None:
        """Subscribe or unsubscribe at the server, as this node's subscribers need."""
        if debate in self._subscribers and debate not in subscriptions:

            async def receive(message: Msg) -> None:
                self._subscribers.deliver(debate, message.data)

            with suppress(errors.BadSubjectError):
                subscriptions[debate] = await client.subscribe(subject_of(debate), cb=receive)
        elif debate not in self._subscribers and debate in subscriptions:
            await subscriptions.pop(debate).unsubscribe()

    async def _ended(self) -> None:
        self._wake.set()


def subject_of(debate: str) -> str:
    """The subject of a debate.  A dot, which separates levels of a subject, becomes ``=``, which no id holds."""
    return PREFIX + debate.replace(".", "=")


async def _ignore(error: Exception) -> None:
    """Ignore errors of the client: the end of a connection is noticed where it is used."""
    del error
