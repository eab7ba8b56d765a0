"""The moderators of all debates that this process runs, one for each debate.

A moderator is in memory while its debate runs and while a command is carried out on it.  Everything else is in the log.
"""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import anyio
import anyio.abc
import msgspec
import structlog
from msgspec import UNSET, UnsetType

from events.clock import SYSTEM, Clock
from events.codec import encode
from events.errors import Fenced, LogError, StoreDamaged, StoreUnavailable, Unanswered
from events.record import Draft, Recorded, copied_into, digest_before_first, stamp
from events.state.debate import Debate
from events.store.log import EventLog, not_there
from events.table import LazyTable
from events.types import DebateOpened, Event, FamilyWarned
from providers.registry import Registry
from server.debate.formats import FORMATS, NextSteps, next_steps
from server.debate.moderator import ACTING, Moderator
from server.debate.ownership import SOLE_OWNER, Ownership
from server.debate.stream_writer import STORE_WAIT_S
from server.errors import Draining, NotNow, NotOwner, TooMany, leaves
from server.feed.hub import Hub
from server.people.names import HOSTED
from server.people.names import NAME as PERSON
from server.process import observe
from server.process.tasks import BackgroundTasks

if TYPE_CHECKING:
    from server.debate.commands import Command
    from server.people.hosted import Hosted
    from server.people.provider import People
    from server.settings import Settings

logger = structlog.get_logger()

CHANGING_S: Final = 0.1
"""Wait before a command is tried again, while the debate passes from one node to another."""
STOPPING_S: Final = 5.0
"""Seconds that cancelled moderators have to end."""
LINGER_S: Final = 5.0
"""Seconds for which a moderator stays in memory after a vote: the next vote comes soon."""

CATALOG: Final = LazyTable[Callable[[str], str]]({"family": "providers.catalog.models:family"})


class Watcher(Protocol):
    """What follows the debates that this process owns; it may delay a debate's loading, and nothing else."""

    async def watch(self, debate: str, position: int) -> None:
        """The debate was loaded up to ``position``, and this process may append to it from now on."""
        ...

    def rested(self, debate: str) -> None:
        """Nothing here appends to the debate any more, until it is loaded again."""
        ...

    def lost(self, debate: str) -> None:
        """Another node has taken over the debate."""
        ...


Job = Callable[[Moderator], Awaitable[None]]
"""Something to do for one debate, while its moderator stays in memory."""


class Moderators:
    """Opens debates, starts their moderators and carries out commands.  ``run`` holds the moderators' tasks."""

    def __init__(
        self,
        log: EventLog,
        registry: Registry,
        hub: Hub,
        *,
        idle_timeout_s: float = 60.0,
        most: int = 1000,
        ownership: Ownership = SOLE_OWNER,
        within_s: float = 10.0,
        clock: Clock = SYSTEM,
        next_steps: NextSteps = next_steps,
        watchers: Sequence[Watcher] = (),
        settings: "Settings | None" = None,
    ) -> None:
        """``settings`` are for debates that another one opens.

        ``within_s``: seconds within which the owner of a debate carries out a command, or the command is refused.
        """
        self.is_draining = False
        self._ownership, self._within_s = ownership, within_s
        self._log, self._registry, self._hub = log, registry, hub
        registry.add(PERSON, lambda: ACTING[PERSON]())  # noqa: PLW0108 - it is imported when a person is asked
        registry.add(HOSTED, lambda: ACTING[HOSTED]())  # noqa: PLW0108 - likewise
        self._idle_timeout_s, self._most = idle_timeout_s, most
        self._clock, self._next_steps, self._watchers, self._settings = clock, next_steps, watchers, settings
        self._moderators: dict[str, Moderator] = {}
        self._commands: Counter[str] = Counter()
        """Commands under way, by debate: a moderator stays in memory for them."""
        self._jobs: set[tuple[str, Job]] = set()
        """The jobs for which moderators stay in memory, each with its debate."""
        self._set_aside: set[str] = set()
        """Open debates that cannot be run, until a person acts on them or the process starts again."""
        self._owned: Counter[str] = Counter()
        """Debates that watchers keep the ownership of."""
        self._loading_counts: Counter[str] = Counter()
        """Openings and loads under way, by debate."""
        self._rested = anyio.Event()
        """Set whenever a debate rests or ends, and then replaced by a new event."""
        self._load_locks: dict[str, anyio.Lock] = {}
        self._tasks = BackgroundTasks()

    @property
    def people(self) -> "People":
        """The people that this process asks, as a provider."""
        return cast("People", self._registry.provider(PERSON))

    @cached_property
    def debates(self) -> Any:
        """What opens debates that another debate asks for (``setup.debates.Debates``)."""
        return ACTING["debates"](self, self._log, self._registry, self._settings)

    def forget(self, debate: str) -> None:
        """Forget what this process keeps of a deleted debate."""
        self._hub.forget(debate)

    @property
    def shares(self) -> bool:
        """Whether other nodes take up open debates too."""
        return self._ownership.runs_what_is_open

    def local(self, debate: str) -> Moderator | None:
        """The moderator of a debate that this process runs; None if it does not."""
        moderator = self._moderators.get(debate)
        return moderator if moderator is not None and moderator.is_running else None

    @property
    def running(self) -> int:
        """Number of debates that this process runs."""
        return sum(moderator.is_running for moderator in self._moderators.values())

    @property
    def known(self) -> tuple[Debate, ...]:
        """The debates in memory: those that run, and those that a command is carried out on."""
        return tuple(moderator.debate for moderator in self._moderators.values())

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Hold the moderators' tasks until it is cancelled."""
        async with self._tasks.running():
            task_status.started()
            await anyio.sleep_forever()

    async def take_up(self) -> int:
        """Continue every debate that was open when the last process ended; the number of them."""
        taken = 0
        for debate in await self._log.unfinished():
            try:
                taken += await self.take_up_one(debate)
            except StoreUnavailable:
                self._tasks.start_soon(self._take_up_later, debate, debate=debate)
        return taken

    async def take_up_one(self, debate: str) -> bool:
        """Continue an open debate; False if it cannot be read.  Raises ``NotOwner``, ``StoreUnavailable``."""
        try:
            self._start(await self._moderator(debate))
        except Exception as error:
            is_passing = isinstance(error, StoreUnavailable) and not isinstance(error, StoreDamaged)
            if is_passing or isinstance(error, NotOwner | Fenced):
                raise
            self._set_aside.add(debate)  # it must not stop the others
            message, is_bug = f"{type(error).__name__}: {error}", not isinstance(error, LogError)
            logger.error("debate_not_taken_up", debate=debate, message=message, exc_info=is_bug)  # noqa: TRY400 - as said
            return False
        return True

    async def _take_up_later(self, debate: str) -> None:
        """Continue a debate once the store answers, if it is recorded and no other node runs it."""
        while True:
            with suppress(StoreUnavailable):
                if await self._log.head(debate):
                    with suppress(NotOwner, Fenced):
                        await self.take_up_one(debate)
                return
            await anyio.sleep(STORE_WAIT_S)

    @contextmanager
    def _opening(self, debate: str) -> Iterator[None]:
        """Within it a debate is recorded.  If the store does not answer, it may be recorded: then it goes on later."""
        try:
            yield
        except StoreUnavailable as error:
            self._tasks.start_soon(self._take_up_later, debate, debate=debate)
            raise error.in_doubt() from error

    async def open(self, opened: DebateOpened, supplied: Sequence[Event] = (), named: str = "") -> str:
        """Record a new debate and start it; its id.  Does not wait for its first turn.

        ``supplied``: what was given with the request, in its order; it follows the opening.  ``named``: the id of a
        debate that another one opens; where nodes share a store, any of them takes it up.  Raises ``Draining``,
        ``TooMany``, ``WrongExpectedPosition`` if ``named`` is there, and ``StoreUnavailable``: the debate may be
        recorded nevertheless, and then it starts later.
        """
        self._check_room()
        debate = named or self._clock.new_id()
        with self._keep_while_loading(debate), self._opening(debate):
            follows = (*supplied, *family_warnings(opened))
            drafts = [Draft(event=each, cause=1, id=self._clock.new_id()) for each in follows]
            with observe.APPEND_SECONDS.time():
                records = await self._log.append(debate, 0, [Draft(event=opened, id=self._clock.new_id()), *drafts])
            observe.EVENTS.inc(len(records))
            if not (is_shared := bool(named) and self.shares):
                self._start(await self._moderator(debate))
        if is_shared:
            self._ownership.release(debate)
        return debate

    async def open_fork(self, opened: DebateOpened, copied: Sequence[Recorded], own: Sequence[Event]) -> str:
        """Record a fork and start it; its id.  Raises ``Draining``, ``TooMany``.

        ``copied``: the records of its source from position 2 on; ``own``: the first events of the fork itself.
        """
        self._check_room()
        debate, at = self._clock.new_id(), self._clock.now()
        warned = {each.event.family for each in copied if isinstance(each.event, FamilyWarned)}
        fresh = (each for each in family_warnings(opened) if each.family not in warned)
        drafts = [Draft(event=each) for each in (*own, *fresh)]

        def stamped() -> tuple[Recorded, ...]:
            begun = stamp(
                debate, 0, digest_before_first(debate), [Draft(event=opened)], at, [encode(opened)], self._clock
            )
            rest = tuple(copied_into(debate, begun[-1].digest, copied))
            last = (*begun, *rest)[-1]
            payloads = [encode(draft.event) for draft in drafts]
            return (*begun, *rest, *stamp(debate, last.position, last.digest, drafts, at, payloads, self._clock))

        records = await anyio.to_thread.run_sync(stamped)
        with self._keep_while_loading(debate), self._opening(debate):
            await self._log.adopt(records)
            observe.EVENTS.inc(len(records))
            with suppress(NotOwner):  # another node took it up
                self._start(await self._moderator(debate))
        return debate

    async def open_again(self, opened: DebateOpened, copied: Sequence[Recorded], own: Sequence[Event]) -> str:
        """Record a debate that is judged again and start it; its id.  Raises as ``open`` and ``open_fork`` do.

        ``copied``: the records of the turns; without any, ``own`` holds the turns as they are supplied.
        """
        return await self.open_fork(opened, copied, own) if copied else await self.open(opened, own)

    def _check_room(self) -> None:
        if self.is_draining:
            raise Draining
        if self.running >= self._most:
            raise TooMany(f"{self._most} debates are running already", retry_after_s=10)

    async def act(self, debate: str, command: "Command") -> int:
        """Carry out what a person does, here or at the owner of the debate; the position of the event.

        If the debate changes its owner meanwhile, nothing was done, and the command is tried again.
        """
        until = anyio.current_time() + self._within_s
        while True:
            with suppress(NotOwner, Fenced):
                return await self.execute(debate, command)
            with suppress(Fenced):
                if (done := await self._ownership.forward(debate, command, until)) is not None:
                    return done.position
            if anyio.current_time() + CHANGING_S > until:
                raise Unanswered(debate, taken=False)
            await anyio.sleep(CHANGING_S)

    async def execute(self, debate: str, command: "Command") -> int:
        """Carry out a command as the owner; the position of the event.  Raises ``NotOwner``, ``Fenced``, refusals."""
        acting = ACTING["commands"]
        async with self._acting_on(debate, linger=acting.comes_in_crowds(command)) as moderator:
            position: int = await acting.carry_out(moderator, command)
            return position

    async def hosted_questions(self, debate: str) -> tuple[dict[str, Any], ...]:
        """What waits in a debate for answers from outside, as JSON values, here or at the node that runs it."""
        if debate not in self._moderators:
            until = anyio.current_time() + self._within_s
            with suppress(NotOwner, Fenced):
                done = await self._ownership.forward(debate, ACTING["list_hosted"](), until)
                return () if done is None else done.questions
        return self.hosted_here(debate)

    # other nodes

    def hosted_here(self, debate: str) -> tuple[dict[str, Any], ...]:
        """What waits in a debate of this process."""
        hosted: Hosted = self._registry.provider(HOSTED)  # type: ignore[assignment]
        return tuple(map(msgspec.to_builtins, hosted.questions(debate)))

    def needs(self, debate: str) -> bool:
        """Whether this process still needs the debate."""
        return self.is_loaded(debate) or debate in self._set_aside or debate in self._owned

    def is_loaded(self, debate: str) -> bool:
        """Whether this process may append to the debate: its moderator is in memory, or is being loaded."""
        return debate in self._moderators or debate in self._loading_counts

    @asynccontextmanager
    async def owning(self, debate: str) -> AsyncIterator[None]:
        """Within it this process keeps owning the debate.  Raises ``NotOwner``, ``StoreUnavailable``."""
        self._owned[debate] += 1
        try:
            if not await self._ownership.acquire(debate):
                raise NotOwner(debate)
            yield
        finally:
            self._owned[debate] -= 1
            if not self._owned[debate]:
                del self._owned[debate]
            self._ownership.release(debate)

    def lose_ownership(self, debate: str) -> None:
        """Another node has taken over the debate: stop running it.  This is not a failure."""
        self._set_aside.discard(debate)
        for watcher in self._watchers:
            watcher.lost(debate)
        if (moderator := self._moderators.get(debate)) is not None and not moderator.ownership_lost.is_set():
            logger.warning("debate_lost", debate=debate)
            moderator.lose_ownership()
            self._forget(moderator)

    async def drain(self, within_s: float) -> None:
        """Open and start no more debates; let the calls in flight end within a time, then cancel the rest."""
        self.is_draining = True
        moderators = tuple(self._moderators.values())
        for moderator in moderators:
            moderator.drain()
        for bound_s in (within_s, STOPPING_S):
            with anyio.move_on_after(bound_s):
                while self.running:
                    await self._rested.wait()
            for moderator in moderators:
                moderator.stop()

    @asynccontextmanager
    async def _acting_on(self, debate: str, *, linger: bool = False) -> AsyncIterator[Moderator]:
        """The debate's moderator; it stays in memory within the context, so that a debate never has two.

        ``linger``: it stays for a while longer.  Many votes come together, and folding the log for each one is slow.
        """
        moderator = await self._moderator(debate)
        self._commands[debate] += 1
        rested = moderator.debate.status.state != "open"
        try:
            yield moderator
            if moderator.debate.status.state == "open" and (rested or self._ownership.runs_what_is_open):
                self._start(moderator)
        except Fenced:
            linger = False
            self.lose_ownership(debate)
            raise
        except LogError:
            linger = False  # its fold may differ from the log
            if moderator.is_in_doubt:
                self._keep_during(moderator, self._settle)
            raise
        finally:
            self._commands[debate] -= 1
            if linger:
                self._keep_during(moderator, self._linger)
            self._forget(moderator)

    def _keep_during(self, moderator: Moderator, job: Job) -> None:
        """Keep a moderator in memory during a job: it counts as one more command.  A job runs once at a time."""
        key = moderator.id, job

        async def keep() -> None:
            try:
                await job(moderator)
            finally:
                self._jobs.discard(key)
                self._commands[moderator.id] -= 1
                self._forget(moderator)

        if key not in self._jobs:
            self._jobs.add(key)
            self._commands[moderator.id] += 1
            self._tasks.start_soon(keep, debate=moderator.id)

    async def _linger(self, moderator: Moderator) -> None:
        """Let ``LINGER_S`` pass."""
        with anyio.move_on_after(LINGER_S):
            await moderator.ownership_lost.wait()

    async def _settle(self, moderator: Moderator) -> None:
        """Do what follows from a command that got no answer, if it is recorded: a resumed debate goes on."""
        rested = moderator.debate.status.state != "open"
        await moderator.settle()
        if rested and moderator.debate.status.state == "open":
            self._start(moderator)

    def _forget(self, moderator: Moderator) -> None:
        """Drop a moderator that does not run and has no command under way; the log holds everything."""
        if not moderator.is_running and not self._commands[moderator.id]:
            del self._commands[moderator.id]
            self._moderators.pop(moderator.id, None)
            moderator.finished.set()
            for watcher in self._watchers:
                watcher.rested(moderator.id)
            self._ownership.release(moderator.id)

    async def _moderator(self, debate: str) -> Moderator:
        """The moderator in memory, or a new one with the folded log."""
        with self._keep_while_loading(debate) as loading:
            async with loading:
                moderator = self._moderators.get(debate)
                if moderator is not None and moderator.ownership_lost.is_set():
                    await moderator.finished.wait()
                    moderator = None
                if moderator is None:
                    moderator = await self._loaded(debate)
                    self._moderators[debate] = moderator
                    self._set_aside.discard(debate)
                return moderator

    async def _loaded(self, debate: str) -> Moderator:
        if not await self._ownership.acquire(debate):
            if not await self._log.head(debate):
                raise await not_there(self._log, debate)
            raise NotOwner(debate)
        moderator = Moderator(
            debate,
            self._log,
            self._registry,
            self._hub,
            idle_timeout_s=self._idle_timeout_s,
            clock=self._clock,
            next_steps=self._next_steps,
            debates=lambda: self.debates,
        )
        await moderator.load()
        if (opened := moderator.debate.opened) is None:
            raise await not_there(self._log, debate)
        if opened.format not in FORMATS:
            raise NotNow(f"this version of Moot has no format {opened.format[:40]!r}")
        for watcher in self._watchers:
            await watcher.watch(debate, moderator.debate.position)
        return moderator

    @contextmanager
    def _keep_while_loading(self, debate: str) -> Iterator[anyio.Lock]:
        """Within the context ownership of the debate is not released.  The lock lets one task load it at a time."""
        self._loading_counts[debate] += 1
        try:
            yield self._load_locks.setdefault(debate, anyio.Lock())
        finally:
            self._loading_counts[debate] -= 1
            if not self._loading_counts[debate]:
                del self._loading_counts[debate], self._load_locks[debate]

    def _start(self, moderator: Moderator) -> None:
        if not moderator.is_running and not self.is_draining:
            moderator.is_running = True
            self._tasks.start_soon(self._run, moderator, debate=moderator.id)

    async def _run(self, moderator: Moderator) -> None:
        """Run a debate until it rests or ends.  The background task around it is the boundary between debates."""
        observe.DEBATES.inc()
        try:
            with self._hub.running(moderator.id):
                await moderator.run()
        except Exception as error:
            if any(isinstance(each, Fenced) for each in leaves(error)):
                self.lose_ownership(moderator.id)  # any other failure follows from that
            else:
                # A bug must not leave the debate open without a moderator.
                logger.exception("moderator_failed", debate=moderator.id)
                await self._halt_after_bug(moderator, error)
        finally:
            moderator.is_running = False
            observe.DEBATES.dec()
            if moderator.debate.status.state != "open":
                observe.RESTED.labels(moderator.debate.status.state).inc()
            self._forget(moderator)
            rested, self._rested = self._rested, anyio.Event()
            rested.set()

    async def _halt_after_bug(self, moderator: Moderator, error: Exception) -> None:
        """Halt a debate, or set it aside if that is not possible: then it is open and goes on after a restart."""
        kinds = ", ".join(sorted({type(each).__name__ for each in leaves(error)}))
        while True:
            try:
                await moderator.load()
                if moderator.debate.status.state in {"open", "paused"}:
                    await moderator.halt(f"an error inside Moot ({kinds}); its log has the details", "moot")
            except (StoreUnavailable, NotNow):  # or a person has halted it meanwhile: look again
                await anyio.sleep(STORE_WAIT_S)
            except Fenced:
                self.lose_ownership(moderator.id)
                return
            except Exception:
                logger.exception("moderator_cannot_halt", debate=moderator.id)
                self._set_aside.add(moderator.id)
                return
            else:
                return


def family_warnings(opened: DebateOpened) -> tuple[FamilyWarned, ...]:
    """One warning for each family of models that both debates and judges.  Scripts have no family."""
    debaters = {"pro": opened.pro.model, "con": opened.con.model}
    for side, seat in (("pro", opened.pro), ("con", opened.con)):
        if not isinstance(seat.takeover, UnsetType):
            debaters[f"{side}.takeover"] = seat.takeover.model
    judges = {"judge": opened.judge.model} | {f"panel.{seat.name}": seat.model for seat in opened.panel}
    if opened.judge.second is not UNSET:
        judges["judge.second"] = opened.judge.second
    if {model.partition(":")[0] for model in (debaters | judges).values()} <= {"", "scripted", PERSON}:
        return ()
    family = CATALOG["family"]
    debating = {family(model) for model in debaters.values() if model} - {""}
    return tuple(
        FamilyWarned(
            roles=tuple(role for role, model in (judges | debaters).items() if model and family(model) == shared),
            family=shared,
        )
        for shared in sorted(debating & {family(model) for model in judges.values()})
    )
