"""All debates that this process runs, each with its one moderator."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
import anyio.abc
import structlog

from events.errors import LogError, StoreUnavailable, UnknownDebate
from events.log import EventLog
from events.projections.debate import Debate
from events.record import Draft, new_id
from events.types import DebateOpened, ModeratorSpoke
from providers.registry import Registry
from server import observe
from server.acts import Ballot, spoke
from server.errors import TooMany
from server.hub import Hub
from server.moderator import Moderator
from server.opening import family_warnings
from server.scribe import STORE_WAIT_S

logger = structlog.get_logger()

LINGER_S: Final = 5.0
"""Seconds for which a moderator is kept for the next vote."""


class Moderators:
    """Starts, finds and resumes moderators.  ``run`` holds their tasks."""

    def __init__(
        self, log: EventLog, registry: Registry, hub: Hub, *, idle_timeout_s: float = 60.0, most: int = 1000
    ) -> None:
        self._log, self._registry, self._hub = log, registry, hub
        self._idle_timeout_s, self._most = idle_timeout_s, most
        self._known: dict[str, Moderator] = {}
        self._acts: Counter[str] = Counter()
        self._lingering: set[str] = set()
        self._loading = anyio.Lock()
        self._tasks: anyio.abc.TaskGroup | None = None

    @property
    def running(self) -> int:
        """Debates under way in this process."""
        return sum(moderator.is_running for moderator in self._known.values())

    @property
    def known(self) -> tuple[Debate, ...]:
        """The debates that are in memory: those under way, and those that somebody acts on."""
        return tuple(moderator.debate for moderator in self._known.values())

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Hold the moderators' tasks until cancelled."""
        async with anyio.create_task_group() as self._tasks:
            task_status.started()
            await anyio.sleep_forever()

    async def take_up(self) -> int:
        """Go on with every debate that was open when the last process ended; the number of them."""
        debates = await self._log.unfinished()
        taken = 0
        for debate in debates:
            try:
                self._start(await self._moderator(debate))
            except LogError as error:   # one debate that cannot be read must not keep the others from going on
                logger.error("debate_not_taken_up", debate=debate, message=str(error))  # noqa: TRY400 - it says enough
            else:
                taken += 1
        return taken

    async def take_up_one(self, debate: str) -> None:
        """Go on with one debate that was open."""
        self._start(await self._moderator(debate))

    async def open(self, opened: DebateOpened) -> str:
        """Record a new debate and start it; its id."""
        if self.running >= self._most:
            raise TooMany(f"{self._most} debates are running already", retry_after_s=10)
        debate = new_id()
        warnings = [Draft(event=warned, cause=1, id=new_id()) for warned in family_warnings(opened)]
        await self._log.append(debate, 0, [Draft(event=opened, id=new_id()), *warnings])
        self._start(await self._moderator(debate))
        return debate

    async def pause(self, debate: str, reason: str, by: str) -> int:
        """Rest after what is in flight; the position of the event."""
        async with self._acting(debate) as moderator:
            return await moderator.pause(reason, by)

    async def resume(self, debate: str, reason: str, by: str, max_cost_usd: float | None = None) -> int:
        """Go on, with a new cap where one is given."""
        async with self._acting(debate) as moderator:
            position = await moderator.resume(reason, by, max_cost_usd)
            self._start(moderator)
            return position

    async def appeal(self, debate: str, claim: str, by: str) -> int:
        """Ask for a second opinion on a flagged claim; the position of the event."""
        async with self._acting(debate) as moderator:
            return await moderator.appeal(claim, by)

    async def decide(self, debate: str, decision: str, reason: str, by: str) -> int:
        """Record a person's decision where the panel names no winner; the position of the event."""
        async with self._acting(debate) as moderator:
            return await moderator.decide(decision, reason, by)

    async def say(self, debate: str, word: ModeratorSpoke) -> int:
        """Record a word of the moderator's; the position of the event."""
        async with self._acting(debate) as moderator:
            return await moderator.perform(lambda state: spoke(state, word))

    async def cast(self, debate: str, ballot: Ballot) -> int:
        """Record a vote or a belief; the position of the event."""
        async with self._acting(debate, linger=True) as moderator:
            return await moderator.ballots.cast(ballot)

    async def halt(self, debate: str, reason: str, by: str) -> int:
        """Stop at once."""
        async with self._acting(debate) as moderator:
            return await moderator.halt(reason, by)

    @asynccontextmanager
    async def _acting(self, debate: str, *, linger: bool = False) -> AsyncIterator[Moderator]:
        """The debate's moderator, kept while somebody acts: a debate never has two.

        ``linger``: and for a while afterwards, since votes come in numbers, and to fold a log anew for each is dear.
        """
        moderator = await self._moderator(debate)
        self._acts[debate] += 1
        try:
            yield moderator
        except LogError:
            linger = False   # what it has folded may not be what the log holds
            raise
        finally:
            self._acts[debate] -= 1
            if linger:
                self._linger(moderator)
            else:
                self._forget(moderator)

    def _linger(self, moderator: Moderator) -> None:
        """Let go of a moderator a little later: what keeps it meanwhile counts as one more act."""
        assert self._tasks is not None, "the moderators are not running"
        if moderator.id not in self._lingering:
            self._lingering.add(moderator.id)
            self._acts[moderator.id] += 1
            self._tasks.start_soon(self._let_go, moderator)

    async def _let_go(self, moderator: Moderator) -> None:
        await anyio.sleep(LINGER_S)
        self._lingering.discard(moderator.id)
        self._acts[moderator.id] -= 1
        self._forget(moderator)

    def _forget(self, moderator: Moderator) -> None:
        """Let go of a moderator that neither runs nor is acted on; the log has everything."""
        if not moderator.is_running and not self._acts[moderator.id]:
            del self._acts[moderator.id]
            self._known.pop(moderator.id, None)

    async def _moderator(self, debate: str) -> Moderator:
        async with self._loading:
            moderator = self._known.get(debate)
            if moderator is None:
                moderator = Moderator(
                    debate, self._log, self._registry, self._hub, idle_timeout_s=self._idle_timeout_s
                )
                await moderator.load()
                if moderator.debate.opened is None:
                    raise UnknownDebate(debate)
                self._known[debate] = moderator
            return moderator

    def _start(self, moderator: Moderator) -> None:
        if not moderator.is_running:
            assert self._tasks is not None, "the moderators are not running"
            moderator.is_running = True
            self._tasks.start_soon(self._run, moderator)

    async def _run(self, moderator: Moderator) -> None:
        observe.DEBATES.inc()
        try:
            await moderator.run()
        except Exception as error:
            # A bug must neither take the other debates down nor leave this one silently dead.
            logger.exception("moderator_failed", debate=moderator.id)
            await self._halt_after_bug(moderator, error)
        finally:
            observe.DEBATES.dec()
            self._forget(moderator)

    async def _halt_after_bug(self, moderator: Moderator, error: Exception) -> None:
        kinds = ", ".join(sorted({type(each).__name__ for each in _leaves(error)}))
        while True:
            try:
                await moderator.load()
                if moderator.debate.standing.state in {"open", "paused"}:
                    await moderator.halt(f"an error inside Moot ({kinds}); its log has the details", "moot")
            except StoreUnavailable:
                await anyio.sleep(STORE_WAIT_S)
            except LogError:
                logger.exception("moderator_cannot_halt", debate=moderator.id)
                return
            else:
                return


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in _leaves(each)]
    return [error]
