"""One node among others on the same store: what it holds, what it takes up, and what it does for the others.

Open debates that nobody runs are taken up in shares: each node goes up to its part of all that are open, and what is
still left after another lease by whoever looks first, so that nothing is orphaned.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final

import anyio
import anyio.abc
import msgspec
import structlog

from events.cluster.inbox import ForwardedCommand, Inbox
from events.cluster.leases import Leases
from events.cluster.postgres_inbox import PostgresInbox
from events.cluster.postgres_leases import PostgresLeases
from events.errors import Fenced, LogError, StoreUnavailable, Unanswered
from events.store.postgres.log import PostgresLog
from server import observe
from server.debate.commands import (
    Command,
    CommandResult,
    Done,
    NotDone,
    Rejected,
    as_error,
    decode_command,
    decode_result,
    encode,
    rejection,
)
from server.debate.moderators import Moderators
from server.errors import BadQuery, MootError, NotOwner

logger = structlog.get_logger()

LOOK_S: Final = 0.25
"""How often it is looked for debates that nobody runs."""
STORE_WAIT_S: Final = 0.5
FOLDS: Final = 8
"""Debates that are folded at once, to be taken up."""


class ClusterNode:
    """``Ownership`` over leases.  ``run`` keeps them; nothing is taken up before ``take_up``."""

    def __init__(self, log: PostgresLog, address: str = "") -> None:
        self._log, self._address = log, address
        self._leases: Leases = PostgresLeases(log)
        self._inbox: Inbox = PostgresInbox(log)
        self._moderators: Moderators | None = None
        self._changing, self._folding = anyio.Lock(), anyio.CapacityLimiter(FOLDS)
        self._needless = anyio.Event()
        self._unreadable: set[str] = set()
        """Debates that cannot be folded here: held, so that nobody tries them again and again."""
        self._fresh: set[str] = set()
        """Debates that were just claimed and are about to be run."""
        self._renewed_at = self._patient_until = -math.inf
        self._free_since = math.inf
        """The time of the loop since which there have been debates that nobody runs."""
        self.runs_what_is_open = False

    @property
    def name(self) -> str:
        """Names this node to the others; new with every start."""
        return self._leases.node

    @property
    def held(self) -> int:
        """Debates that this node holds."""
        return len(self._log.epochs)

    async def run(
        self, moderators: Moderators, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Give signs of life, hold on to what is held and do what the others send, until cancelled."""
        self._moderators = moderators
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._again, self._renew)
            tasks.start_soon(self._again, self._give_back)
            tasks.start_soon(self._again, self._look)
            tasks.start_soon(self._again, self._do_acts)
            task_status.started()

    # Ownership

    async def acquire(self, debate: str) -> bool:
        """See ``Ownership``."""
        if debate in self._fresh:
            return True
        async with self._changing:
            lease = await self._leases.claim_one(debate)
        return lease is not None

    def release(self, debate: str) -> None:
        """See ``Ownership``."""
        del debate
        self._needless.set()

    async def forward(self, debate: str, command: Command, until: float) -> int | None:
        """See ``Ownership``."""
        if await self._leases.owner(debate) is None:
            return None
        left_s = max(until - asyncio.get_running_loop().time(), 0)
        try:
            answer = decode_result(await self._inbox.send(debate, encode(command), left_s))
        except msgspec.DecodeError as error:  # by another version of Moot
            raise Unanswered(debate, taken=True) from error
        match answer:
            case Done(position=position):
                return position
            case Rejected():
                raise as_error(answer)
            case NotDone():
                return None

    # what this node runs

    async def take_up(self) -> int:
        """Begin to take up debates that nobody runs; the number of the first of them."""
        self._leases.address = self._address
        self.runs_what_is_open = True
        await self._leases.renew()
        return await self._take_up_free()

    async def drain(self, within_s: float) -> None:
        """Take up nothing more and hand over what runs here, at the end of what is in flight or after a time."""
        self.runs_what_is_open = False
        self._leases.address = ""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._say_goodbye)
            await self._known.drain(within_s)
        with anyio.move_on_after(within_s):  # the last ones are given back by now, or when the store is back
            await self._give_back_all()

    @property
    def _known(self) -> Moderators:
        assert self._moderators is not None, "the node is not running"
        return self._moderators

    async def _say_goodbye(self) -> None:
        try:
            await self._leases.renew()
        except StoreUnavailable as error:
            logger.warning("store_unavailable", message=str(error))

    async def _again(self, act: Callable[[], Awaitable[None]]) -> None:
        """Do something for ever, also where the store fails for a while."""
        while True:
            try:
                await act()
            except StoreUnavailable as error:
                logger.warning("store_unavailable", message=str(error))
                await anyio.sleep(STORE_WAIT_S)

    async def _renew(self) -> None:
        lost, now, lease_s = await self._leases.renew(), asyncio.get_running_loop().time(), self._log.lease_s
        if now - self._renewed_at > lease_s * 2 / 3 and self._renewed_at > 0:
            # The store was away, and not for this node alone: the others are given time to renew what is theirs.
            self._patient_until = now + lease_s / 2
        self._renewed_at = now
        for debate in lost:
            observe.LEASES_LOST.inc()
            self._unreadable.discard(debate)
            self._known.lose_ownership(debate)
        if lost:
            self._needless.set()
        await anyio.sleep(lease_s / 3)

    async def _look(self) -> None:
        await anyio.sleep(min(LOOK_S, self._log.lease_s / 3))
        now = asyncio.get_running_loop().time()
        is_late = now - self._renewed_at > self._log.lease_s * 2 / 3
        if self.runs_what_is_open and not is_late and now >= self._patient_until:
            await self._take_up_free()

    async def _take_up_free(self) -> int:
        """Take up this node's share of what nobody runs, or all of it where it was left for long."""
        load, now = await self._leases.load(), asyncio.get_running_loop().time()
        if not load.free:
            self._free_since = math.inf
            return 0
        self._free_since = min(self._free_since, now)
        serving = sum(bool(node.address) for node in await self._leases.nodes())
        room = share(load.open, serving) - self._known.running
        if now - self._free_since > self._log.lease_s:
            room = load.free
        if room <= 0:
            return 0
        async with self._changing:
            debates = [lease.debate for lease in await self._leases.claim(room)]
            self._fresh.update(debates)
        async with anyio.create_task_group() as tasks:
            for debate in debates:
                tasks.start_soon(self._take_up_one, debate)
        if debates:
            logger.info("debates_taken_up", number=len(debates))
            self._inbox.look()
        return len(debates)

    async def _take_up_one(self, debate: str) -> None:
        try:
            async with self._folding:
                await self._known.take_up_one(debate)
        except (NotOwner, Fenced, StoreUnavailable):  # it is somebody else's, or is found free again
            self._needless.set()
        except LogError as error:  # one debate that cannot be read must not keep the others from going on
            self._unreadable.add(debate)
            logger.error("debate_not_taken_up", debate=debate, message=str(error))  # noqa: TRY400 - it says enough
        finally:
            self._fresh.discard(debate)

    async def _give_back(self) -> None:
        await self._needless.wait()
        self._needless = anyio.Event()
        try:
            await self._give_back_all()
        except StoreUnavailable:
            self._needless.set()
            raise

    async def _give_back_all(self) -> None:
        for debate in tuple(self._log.epochs):
            async with self._changing:
                if not self._known.needs(debate) and debate not in self._unreadable | self._fresh:
                    await self._leases.release(debate)

    # what others send

    async def _do_acts(self) -> None:
        async with anyio.create_task_group() as tasks:
            while True:
                for act in await self._inbox.take():
                    tasks.start_soon(self._do_act, act)

    async def _do_act(self, act: ForwardedCommand) -> None:
        try:
            answer = await self._answer(act)
            await self._inbox.answer(act, encode(answer))
        except StoreUnavailable as error:  # whoever sent it is told that it may have been done
            logger.warning("store_unavailable", debate=act.debate, message=str(error))
        except Exception:
            # A bug in one act must not end the others.
            logger.exception("act_failed", debate=act.debate)

    async def _answer(self, act: ForwardedCommand) -> CommandResult:
        try:
            return Done(await self._known.execute(act.debate, decode_command(act.act)))
        except (NotOwner, Fenced):
            return NotDone()
        except msgspec.DecodeError:
            return rejection(BadQuery("the node that runs the debate is of another version and does not know this"))
        except (MootError, LogError) as error:
            return rejection(error)


def share(debates: int, nodes: int) -> int:
    """The most that one of so many nodes runs of them while others may take the rest."""
    return math.ceil(debates / max(nodes, 1))
