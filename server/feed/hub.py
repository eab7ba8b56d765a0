"""The hub of one process: it follows the log of each debate that is watched, and wakes the readers.

The hub never queues for a reader: each reader has a cursor and reads what comes after it.  Text in flight is kept once
for each debate, and a reader that falls behind gets a longer delta.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.abc
import structlog

from events.errors import LogError, StoreDamaged, StoreUnavailable, UnknownDebate
from events.record import Recorded
from events.state import debate as debates
from events.state.debate import Debate
from events.store.log import EventLog, follow, not_there
from events.table import LazyTable
from events.view import view as views
from events.view.view import Fold, View
from server.errors import BadQuery, LinkChanged, leaves
from server.feed import frames
from server.feed.channel import RING, Channel, TextInFlight
from server.feed.folds import Folds
from server.feed.status import Presence, WaitStatus
from server.process.tasks import BackgroundTasks

if TYPE_CHECKING:
    from events.cluster.bus import Bus

logger = structlog.get_logger()

RECENT: Final = 256
"""Frames that a new channel makes of the events already in the log: enough for a reader that reconnects."""
STORE_WAIT_S: Final = 1.0
"""Wait before a failed read is tried again."""
HEARTBEAT_S: Final = 5.0
"""Seconds between two heartbeats of a channel.  A page takes its line for dead after 12 without a message."""


class Alone:
    """The relay of a process without other nodes: nobody else watches what it runs."""

    async def run(self) -> None:
        """Do nothing until cancelled."""
        await anyio.sleep_forever()

    def publishing(self, _: str) -> AbstractContextManager[None]:
        """Within it nothing is sent."""
        return nullcontext()

    def subscribing(self, _: Channel) -> AbstractContextManager[None]:
        """Within it nothing is received."""
        return nullcontext()

    def tell(self, *_: Any) -> None:
        """Do nothing."""

    start_text = text_added = end_text = announce_wait = tell


RELAYS: Final = LazyTable[Any]({"nodes": "server.feed.relay:Relay"})
"""What sends text in flight to other nodes."""


class Hub:
    """All channels of this process."""

    def __init__(
        self,
        log: EventLog,
        *,
        tick_ms: int = 50,
        idle_s: float = 30.0,
        bus: "Bus | None" = None,
        ring: int = RING,
        recent: int = RECENT,
    ) -> None:
        self._log = log
        self.folds = Folds(log)
        self.caches: list[Any] = [self.folds]
        """What this process keeps of debates; each has ``forget(debate)``."""
        self._tick_s = tick_ms / 1000
        self._idle_s, self.heartbeat_s = idle_s, HEARTBEAT_S
        self._ring, self._recent = ring, recent
        self._channels: dict[str, Channel] = {}
        self._texts: dict[str, TextInFlight] = {}
        self._waking: set[str] = set()
        self._waits = WaitStatus(self._announce_wait)
        self._presence = Presence(self.wake_soon)
        self._relay = Alone() if bus is None else RELAYS["nodes"](bus, self.wake_soon, tick_ms / 1000)
        self._tasks = BackgroundTasks()

    @property
    def spectators(self) -> int:
        """Readers of all channels."""
        return self._presence.spectators

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The debates that are held in memory for readers."""
        return tuple(self._channels.values())

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Keep the channels up to date until cancelled."""
        async with self._tasks.running():
            task_status.started()
            await self._relay.run()

    def evolve(self, before: Debate, record: Recorded) -> Debate:
        """The state of a debate after a record: folded once for its writer and its readers."""
        channel = self._channels.get(record.debate)
        return debates.evolve(before, record) if channel is None else channel.evolve(before, record)

    # text in flight

    def running(self, debate: str) -> AbstractContextManager[None]:
        """Within it this node runs the debate, and sends its text in flight to the other nodes."""
        publishing: AbstractContextManager[None] = self._relay.publishing(debate)
        return publishing

    def start_text(self, debate: str, text: TextInFlight) -> None:
        """A turn is about to be spoken."""
        self._texts[debate] = text
        self._relay.start_text(debate, text)
        if channel := self._channels.get(debate):
            channel.text = text

    def add_text(self, debate: str, more: str) -> None:
        """Add text to the turn in flight; readers are woken within a tick."""
        self._texts[debate].text += more
        self._relay.text_added(debate)
        self.wake_soon(debate)

    def end_text(self, debate: str) -> None:
        """The turn in flight was recorded or abandoned."""
        self._texts.pop(debate, None)
        self._relay.end_text(debate)
        if channel := self._channels.get(debate):
            channel.text = None

    def wake_soon(self, debate: str) -> None:
        """Wake the readers of a debate within a tick, so that frequent changes are delivered together."""
        if debate in self._channels and debate not in self._waking:
            self._waking.add(debate)
            asyncio.get_running_loop().call_later(self._presence.tick_s(self._tick_s), self._wake, debate)

    def _wake(self, debate: str) -> None:
        self._waking.discard(debate)
        if channel := self._channels.get(debate):
            channel.wake()

    # waits

    def waiting(self, debate: str, why: Callable[[], str]) -> AbstractContextManager[None]:
        """Within it the debate may have to wait.  If the wait lasts, its readers are told ``why`` in words."""
        return self._waits.waiting(debate, why)

    def _announce_wait(self, debate: str, words: str) -> None:
        self._relay.announce_wait(debate, words)
        channel = self._channels.get(debate)
        if channel is not None and channel.wait != words:
            channel.wait = words
            self.wake_soon(debate)

    # readers

    def enter(self, channel: Channel) -> None:
        """Count one more reader."""
        self._presence.change(channel, 1)

    def leave(self, channel: Channel) -> None:
        """Count one reader fewer."""
        channel.idle_since = asyncio.get_running_loop().time()
        self._presence.change(channel, -1)

    def start_soon(self, function: Callable[..., Coroutine[Any, Any, Any]], *args: Any, debate: str) -> None:
        """Run a task of a debate until it is done or the hub ends."""
        self._tasks.start_soon(function, *args, debate=debate)

    async def channel(self, debate: str) -> Channel:
        """The channel of a debate, folded up to now.  Raises ``UnknownDebate``."""
        channel = self._channels.get(debate)
        if channel is None:
            channel = self._channels[debate] = Channel(debate, self._ring)
            channel.text = self._texts.get(debate)
            self.start_soon(self._follow, channel, debate=debate)
        channel.idle_since = asyncio.get_running_loop().time()
        await channel.ready.wait()
        if channel.failure is not None:
            raise channel.failure
        return channel

    async def _follow(self, channel: Channel) -> None:
        """Follow the log of a debate until it has had no reader for a while."""
        try:
            head = await self._log.head(channel.debate)
            if head == 0:
                raise await not_there(self._log, channel.debate)  # noqa: TRY301 - one place hands every failure to the readers
            with anyio.CancelScope() as scope, self._relay.subscribing(channel):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._close_when_idle, channel, scope)
                    tasks.start_soon(self._beat, channel)
                    channel.fold = await self.folds.at(channel.debate, max(head - self._recent, 0))
                    async for record in self._records(channel):
                        link = channel.fold.debate.labels.link
                        channel.advance(record)
                        if record.position > head and channel.fold.debate.labels.link != link:
                            raise LinkChanged("who may watch has changed")  # noqa: TRY301 - as above
                        if record.position >= head:
                            channel.caught_up(asyncio.get_running_loop().time())
        except Exception as error:
            channel.failure = leaves(error)[0]  # every reader of this channel gets it
            if isinstance(channel.failure, UnknownDebate):
                self.forget(channel.debate)
                if channel.position:
                    channel.failure = await not_there(self._log, channel.debate)
            if not isinstance(channel.failure, LogError):
                raise
        finally:
            if self._channels.get(channel.debate) is channel:
                del self._channels[channel.debate]
            channel.ready.set()
            channel.wake()

    async def _records(self, channel: Channel) -> AsyncIterator[Recorded]:
        """The records after the channel's position.  Its readers stay while the store is unavailable."""
        is_told = False
        while True:
            try:
                async for record in follow(self._log, channel.debate, channel.position):
                    yield record
                    is_told = False
            except StoreUnavailable as error:
                if isinstance(error, StoreDamaged) or not channel.ready.is_set():
                    raise
                if not is_told:
                    logger.warning("store_unavailable", debate=channel.debate, message=str(error))
                is_told = True
            await anyio.sleep(STORE_WAIT_S)

    async def _beat(self, channel: Channel) -> None:
        while True:
            await anyio.sleep(self.heartbeat_s)
            channel.beat()

    async def _close_when_idle(self, channel: Channel, scope: anyio.CancelScope) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await anyio.sleep(self._idle_s / 2)
            is_idle = loop.time() - channel.idle_since > self._idle_s
            if channel.ready.is_set() and channel.spectators == 0 and is_idle:
                del self._channels[channel.debate]
                scope.cancel()
                return

    def forget(self, debate: str) -> None:
        """Forget what is kept in memory of a deleted debate.  Its channel ends by itself."""
        for cache in self.caches:
            cache.forget(debate)
        self._texts.pop(debate, None)

    # queries

    async def frames_page(
        self, debate: str, after: int, limit: int, *, director: bool = False
    ) -> tuple[list[str], int | None]:
        """Up to ``limit`` frames after a position, and the position after which the next page begins (None at the end).

        Raises ``UnknownDebate``, ``BadQuery``.
        """
        head = await self._log.head(debate)
        if head == 0:
            raise await not_there(self._log, debate)
        revealed = director or await self.is_revealed(debate)
        if after > head:
            raise BadQuery(f"after={after} is beyond the head {head}", field="after")
        upto = min(after + limit, head)
        steps = self.folds.steps(debate, await self.folds.at(debate, after), upto)
        page = [frames.frame(*step, revealed=revealed) async for step in steps]
        return page, (upto if upto < head else None)

    async def is_revealed(self, debate: str) -> bool:
        """Whether the debate has concluded, so that every reader may read everything.  Raises ``UnknownDebate``."""
        return (await self._newest(debate)).view.state == "concluded"

    async def link(self, debate: str) -> str:
        """The digest of the link that an unlisted debate asks spectators for; empty for others, and for no debate."""
        try:
            return (await self._newest(debate)).debate.labels.link
        except UnknownDebate:
            return ""

    async def is_blind(self, debate: str) -> bool:
        """Whether the models are hidden from spectators until the debate has concluded.  Raises ``UnknownDebate``."""
        return (await self._newest(debate)).debate.is_blind

    async def view(self, debate: str, at: int | None = None, *, director: bool = False) -> View:
        """The view of an audience at position ``at``, or now.  Raises as ``view_at``."""
        fold = await self.view_at(debate, at)
        return views.for_director(fold) if director or await self.is_revealed(debate) else fold.view

    async def view_at(self, debate: str, at: int | None) -> Fold:
        """The fold at position ``at``, or now.  Raises ``UnknownDebate``, ``BadQuery``."""
        if at is None:
            return await self._newest(debate)
        head = await self._log.head(debate)
        if head == 0:
            raise await not_there(self._log, debate)
        if not 1 <= at <= head:
            raise BadQuery(f"at={at} is not between 1 and the head {head}", field="at")
        return await self.folds.at(debate, at)

    async def _newest(self, debate: str) -> Fold:
        """The fold of everything recorded before this call: a client that acts and then reads sees its own act."""
        head = await self._log.head(debate)
        if head == 0:
            raise await not_there(self._log, debate)
        channel = await self.channel(debate)
        while channel.position < head:
            changed = channel.changed()
            if isinstance(channel.failure, LinkChanged):  # that is for readers who stay: go on with a new channel
                channel = await self.channel(debate)
            elif channel.failure is not None:
                raise channel.failure
            else:
                await changed.wait()
        return channel.fold
