"""One node of several on the same store: its leases, the debates it takes up, and the commands it gets from others.

The nodes share the open debates that no node runs: each takes up debates until it runs its share of all open debates.
Debates that are still free after another lease are taken up by the first node that finds them, so none is left.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import anyio
import anyio.abc
import msgspec
import structlog

from events.cluster.inbox import ForwardedCommand
from events.cluster.postgres_inbox import PostgresInbox
from events.cluster.postgres_leases import PostgresLeases
from events.errors import Fenced, LogError, StoreUnavailable, Unanswered
from events.store.postgres.log import PostgresLog
from server.debate.commands import (
    CommandResult,
    Done,
    Forwarded,
    ListHosted,
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
from server.process import observe
from server.process.tasks import BackgroundTasks

logger = structlog.get_logger()

CHECK_S: Final = 0.25
"""Seconds between two checks for debates that no node runs."""
STORE_WAIT_S: Final = 0.5
FOLDS: Final = 8
"""Debates that are folded at the same time to be taken up."""


class ClusterNode:
    """``Ownership`` by leases.  ``run`` renews them; the node takes up no debate before ``take_up`` is called."""

    def __init__(self, log: PostgresLog, address: str = "") -> None:
        self._log, self._address = log, address
        self._leases, self._inbox = PostgresLeases(log), PostgresInbox(log)
        self._moderators: Moderators | None = None
        self._lease_lock, self._folding = anyio.Lock(), anyio.CapacityLimiter(FOLDS)
        self._release_due = anyio.Event()
        self._claimed: set[str] = set()
        """Debates that were just claimed and do not run yet."""
        self._renewed_at = self._claim_from = -math.inf
        self._free_since = math.inf
        """Time of the event loop since which there have been debates that no node runs."""
        self._commands = BackgroundTasks()
        """The commands that other nodes sent."""
        self.runs_what_is_open = False

    @property
    def name(self) -> str:
        """Name of this node; new with every start."""
        return self._leases.node

    @property
    def held(self) -> int:
        """Number of debates that this node has leases of."""
        return len(self._log.epochs)

    async def run(
        self, moderators: Moderators, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Renew the leases, take up free debates and do the commands that other nodes send, until cancelled."""
        self._moderators = moderators
        async with self._commands.running(), anyio.create_task_group() as tasks:
            tasks.start_soon(self._repeat, self._renew)
            tasks.start_soon(self._repeat, self._release_unneeded)
            tasks.start_soon(self._repeat, self._check_free)
            tasks.start_soon(self._repeat, self._take_commands)
            task_status.started()

    # Ownership

    async def acquire(self, debate: str) -> bool:
        """See ``Ownership``."""
        if debate in self._claimed:
            return True
        has_renewed = self._renewed_at > -math.inf  # a command at the terminal may be faster
        if debate not in self._log.epochs and has_renewed and not self._may_claim:
            return False
        async with self._lease_lock:
            lease = await self._leases.claim_one(debate)
        return lease is not None

    def release(self, debate: str) -> None:
        """See ``Ownership``."""
        del debate
        self._release_due.set()

    async def forward(self, debate: str, command: Forwarded, until: float) -> Done | None:
        """See ``Ownership``."""
        if await self._leases.owner(debate) is None:
            return None
        left_s = max(until - asyncio.get_running_loop().time(), 0)
        try:
            answer = decode_result(await self._inbox.send(debate, encode(command), left_s))
        except msgspec.DecodeError as error:  # the other node has another version of Moot
            raise Unanswered(debate, taken=True) from error
        match answer:
            case Done():
                return answer
            case Rejected():
                raise as_error(answer)
            case NotDone():
                return None

    # taking up and handing over

    async def take_up(self) -> int:
        """Start to take up debates that no node runs.  Gives the number of debates taken up at once."""
        self._leases.address = self._address
        self.runs_what_is_open = True
        await self._renew_now()
        return await self._take_up_free()

    async def drain(self, within_s: float) -> None:
        """Take up no more debates, and hand over each debate once its calls in flight end or ``within_s`` is over."""
        self.runs_what_is_open = False
        self._leases.address = ""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._withdraw)
            await self._local.drain(within_s)
        with anyio.move_on_after(within_s), suppress(StoreUnavailable):  # leases that are not released now end later
            await self._release_all_unneeded()

    @property
    def _local(self) -> Moderators:
        assert self._moderators is not None, "the node is not running"
        return self._moderators

    async def _withdraw(self) -> None:
        try:
            await self._leases.renew()
        except StoreUnavailable as error:
            logger.warning("store_unavailable", message=str(error))

    async def _repeat(self, job: Callable[[], Awaitable[None]]) -> None:
        """Do a job again and again, also if the store is unavailable for a while."""
        while True:
            try:
                await job()
            except StoreUnavailable as error:
                logger.warning("store_unavailable", message=str(error))
                await anyio.sleep(STORE_WAIT_S)

    async def _renew(self) -> None:
        await self._renew_now()
        await anyio.sleep(self._log.lease_s / 3)

    async def _renew_now(self) -> None:
        lost, now, lease_s = await self._leases.renew(), asyncio.get_running_loop().time(), self._log.lease_s
        if now - self._renewed_at > lease_s * 2 / 3 and self._renewed_at > 0:
            self._claim_from = now + lease_s / 2  # the store was unavailable, probably for all nodes
        self._renewed_at = now
        for debate in lost:
            observe.LEASES_LOST.inc()
            self._local.lose_ownership(debate)
        if lost:
            self._release_due.set()

    async def _check_free(self) -> None:
        await anyio.sleep(min(CHECK_S, self._log.lease_s / 3))
        if self.runs_what_is_open and self._may_claim:
            await self._take_up_free()

    @property
    def _may_claim(self) -> bool:
        """Whether debates may be claimed.  After an outage of the store, the nodes that run them renew first."""
        now = asyncio.get_running_loop().time()
        is_late = now - self._renewed_at > self._log.lease_s * 2 / 3
        return not is_late and now >= self._claim_from

    async def _take_up_free(self) -> int:
        """Take up this node's share of the free debates, or all of them if they have been free for a whole lease."""
        load, now = await self._leases.load(), asyncio.get_running_loop().time()
        if not load.free:
            self._free_since = math.inf
            return 0
        self._free_since = min(self._free_since, now)
        serving = sum(bool(node.address) for node in await self._leases.nodes())
        most = share(load.open, serving) - self._local.running
        if now - self._free_since > self._log.lease_s:
            most = load.free
        if most <= 0 or not self._may_claim:  # the store may have been unavailable meanwhile
            return 0
        async with self._lease_lock:
            debates = [lease.debate for lease in await self._leases.claim(most)]
            self._claimed.update(debates)
        async with anyio.create_task_group() as tasks:
            for debate in debates:
                tasks.start_soon(self._take_up_one, debate)
        if debates:
            logger.info("debates_taken_up", number=len(debates))
            self._inbox.look_again()
        return len(debates)

    async def _take_up_one(self, debate: str) -> None:
        try:
            async with self._folding:
                await self._local.take_up_one(debate)
        except (NotOwner, Fenced, StoreUnavailable):  # another node has it, or it will be free again
            self._release_due.set()
        finally:
            self._claimed.discard(debate)

    async def _release_unneeded(self) -> None:
        await self._release_due.wait()
        self._release_due = anyio.Event()
        try:
            await self._release_all_unneeded()
        except StoreUnavailable:
            self._release_due.set()
            raise

    async def _release_all_unneeded(self) -> None:
        for debate in tuple(self._log.epochs):
            async with self._lease_lock:
                if not self._local.needs(debate) and debate not in self._claimed:
                    await self._leases.release(debate)

    # commands from other nodes

    async def _take_commands(self) -> None:
        for command in await self._inbox.take():
            self._commands.start_soon(self._do_command, command, debate=command.debate)

    async def _do_command(self, forwarded: ForwardedCommand) -> None:
        try:
            answer = await self._answer(forwarded)
            await self._inbox.answer(forwarded, encode(answer))
        except StoreUnavailable as error:  # the sender is told that the command may have been done
            logger.warning("store_unavailable", debate=forwarded.debate, message=str(error))

    async def _answer(self, forwarded: ForwardedCommand) -> CommandResult:
        try:
            command = decode_command(forwarded.act)
            if isinstance(command, ListHosted):
                return Done(0, self._local.hosted_here(forwarded.debate))
            return Done(await self._local.execute(forwarded.debate, command))
        except (NotOwner, Fenced):
            return NotDone()
        except msgspec.DecodeError:
            return rejection(BadQuery("the node that runs the debate is of another version and does not know this"))
        except (MootError, LogError) as error:
            return rejection(error)


def share(debates: int, nodes: int) -> int:
    """The share of one node: the number of open debates by the number of nodes, rounded up."""
    return math.ceil(debates / max(nodes, 1))
