"""The moderators of all debates that this process runs, one for each debate.

A moderator is in memory while its debate runs and while a command is carried out on it.  Everything else is in the log.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Final

import anyio
import anyio.abc
import structlog
from msgspec import UNSET, UnsetType

from events.clock import SYSTEM, Clock
from events.cluster.inbox import WITHIN_S
from events.codec import encode
from events.errors import Fenced, LogError, StoreUnavailable, Unanswered, UnknownDebate
from events.record import Draft, Recorded, digest_before_first, stamp
from events.state.debate import Debate
from events.store.log import EventLog
from events.transfer import copied_into
from events.types import DebateLabelled, DebateOpened, Event, FamilyWarned, ModeratorSpoke, PollRound
from providers.catalog.models import family
from providers.registry import Registry
from server import observe
from server.debate.acts import Ballot
from server.debate.adoption import UNREADABLE
from server.debate.commands import (
    AddWord,
    Appeal,
    CastBallot,
    ClosePoll,
    Command,
    Decide,
    Halt,
    Label,
    MakeSeatLink,
    Pause,
    Resume,
    RevokeSeatLink,
    drafts_of,
)
from server.debate.formats import NextSteps, next_steps
from server.debate.moderator import Moderator
from server.debate.ownership import SOLE_OWNER, Ownership
from server.debate.stream_writer import STORE_WAIT_S
from server.errors import Draining, NotOwner, TooMany
from server.feed.hub import Hub
from server.people.acts import AtSeat
from server.people.provider import People

logger = structlog.get_logger()

CHANGING_S: Final = 0.1
"""Wait before a command is tried again, while the debate passes from one node to another."""
STOPPING_S: Final = 5.0
"""Seconds that cancelled moderators have to end."""
LINGER_S: Final = 5.0
"""Seconds for which a moderator stays in memory after a vote: the next vote comes soon."""


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
        within_s: float = WITHIN_S,
        clock: Clock = SYSTEM,
        next_steps: NextSteps = next_steps,
    ) -> None:
        """``within_s``: seconds within which the owner of a debate carries out a command, or the command is refused."""
        self.is_draining = False
        self._ownership, self._within_s = ownership, within_s
        self._log, self._registry, self._hub = log, registry, hub
        self.people = People()
        """The people that this process asks, as a provider."""
        registry.add(self.people)
        self._idle_timeout_s, self._most = idle_timeout_s, most
        self._clock, self._next_steps = clock, next_steps
        self._moderators: dict[str, Moderator] = {}
        self._commands: Counter[str] = Counter()
        """Commands under way, by debate: a moderator stays in memory for them."""
        self._lingering: set[str] = set()
        self._loading_counts: Counter[str] = Counter()
        """Openings and loads under way, by debate."""
        self._rested = anyio.Event()
        """Set whenever a debate rests or ends, and then replaced by a new event."""
        self._load_locks: dict[str, anyio.Lock] = {}
        self._tasks: anyio.abc.TaskGroup | None = None

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
        async with anyio.create_task_group() as self._tasks:
            task_status.started()
            await anyio.sleep_forever()

    async def take_up(self) -> int:
        """Continue every debate that was open when the last process ended; the number of them."""
        debates = await self._log.unfinished()
        taken = 0
        for debate in debates:
            try:
                self._start(await self._moderator(debate))
            except (LogError, *UNREADABLE) as error:  # a debate that cannot be read must not stop the others
                message = f"{type(error).__name__}: {error}"
                logger.error("debate_not_taken_up", debate=debate, message=message)  # noqa: TRY400 - it says enough
            else:
                taken += 1
        return taken

    async def take_up_one(self, debate: str) -> None:
        """Continue one open debate.  Raises ``NotOwner`` if another node runs it."""
        self._start(await self._moderator(debate))

    async def open(self, opened: DebateOpened, supplied: Sequence[Event] = ()) -> str:
        """Record a new debate and start it; its id.  Raises ``Draining``, ``TooMany``.

        ``supplied``: what was given with the request, in its order; it follows the opening.
        """
        self._check_room()
        debate = self._clock.new_id()
        with self._keep_while_loading(debate):
            follows = (*supplied, *family_warnings(opened))
            drafts = [Draft(event=each, cause=1, id=self._clock.new_id()) for each in follows]
            with observe.APPEND_SECONDS.time():
                records = await self._log.append(debate, 0, [Draft(event=opened, id=self._clock.new_id()), *drafts])
            observe.EVENTS.inc(len(records))
            self._start(await self._moderator(debate))
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
        with self._keep_while_loading(debate):
            await self._log.adopt(records)
            observe.EVENTS.inc(len(records))
            with suppress(NotOwner):  # another node took it up
                self._start(await self._moderator(debate))
        return debate

    def _check_room(self) -> None:
        if self.is_draining:
            raise Draining
        if self.running >= self._most:
            raise TooMany(f"{self._most} debates are running already", retry_after_s=10)

    async def pause(self, debate: str, reason: str, by: str) -> int:
        """Finish the calls in flight, then rest; the position of the event."""
        return await self._execute_somewhere(debate, Pause(reason, by))

    async def resume(self, debate: str, reason: str, by: str, max_cost_usd: float | None = None) -> int:
        """Go on, with a new cost cap if one is given; the position of the event."""
        return await self._execute_somewhere(debate, Resume(reason, by, max_cost_usd))

    async def appeal(self, debate: str, claim: str, by: str) -> int:
        """Ask for a second opinion on a flagged claim; the position of the event."""
        return await self._execute_somewhere(debate, Appeal(claim, by))

    async def decide(self, debate: str, decision: str, reason: str, by: str) -> int:
        """Record a person's decision after the panel has named no winner; the position of the event."""
        return await self._execute_somewhere(debate, Decide(decision, reason, by))

    async def say(self, debate: str, word: ModeratorSpoke) -> int:
        """Record a word of the moderator; the position of the event."""
        return await self._execute_somewhere(debate, AddWord(word))

    async def label(self, debate: str, labelled: DebateLabelled) -> int:
        """Name or file the debate; the position of the event."""
        return await self._execute_somewhere(debate, Label(labelled))

    async def cast(self, debate: str, ballot: Ballot) -> int:
        """Record a vote or a belief; the position of the event."""
        return await self._execute_somewhere(debate, CastBallot(ballot))

    async def make_seat_link(self, debate: str, seat: str, digest: str, by: str) -> int:
        """Make a link for a person's seat; the position of the event."""
        return await self._execute_somewhere(debate, MakeSeatLink(seat, digest, by))

    async def revoke_seat_link(self, debate: str, seat: str, by: str) -> int:
        """Make the link of a person's seat void; the position of the event."""
        return await self._execute_somewhere(debate, RevokeSeatLink(seat, by))

    async def at_seat(self, debate: str, act: AtSeat) -> int:
        """Carry out what the page of a seat does; the position of the event, or of the debate."""
        return await self._execute_somewhere(debate, act)

    async def close_poll(self, debate: str, when: PollRound | None, by: str) -> int:
        """Close the vote of the poll that is open, or refuse if it is not ``when``; the position of the event."""
        return await self._execute_somewhere(debate, ClosePoll(when, by))

    async def halt(self, debate: str, reason: str, by: str) -> int:
        """Stop at once; the position of the event."""
        return await self._execute_somewhere(debate, Halt(reason, by))

    async def _execute_somewhere(self, debate: str, command: Command) -> int:
        """Carry out a command here or at its owner; the position of the event.

        If the debate changes its owner meanwhile, nothing was done, and the command is tried again.
        """
        until = anyio.current_time() + self._within_s
        while True:
            with suppress(NotOwner, Fenced):
                return await self.execute(debate, command)
            with suppress(Fenced):
                if (position := await self._ownership.forward(debate, command, until)) is not None:
                    return position
            if anyio.current_time() + CHANGING_S > until:
                raise Unanswered(debate, taken=False)
            await anyio.sleep(CHANGING_S)

    async def execute(self, debate: str, command: Command) -> int:
        """Carry out a command as the owner; the position of the event.  Raises ``NotOwner``, ``Fenced``, refusals."""
        async with self._acting_on(debate, linger=isinstance(command, CastBallot)) as moderator:
            match command:
                case Pause():
                    return await moderator.pause(command.reason, command.by)
                case Resume():
                    position = await moderator.resume(command.reason, command.by, command.max_cost_usd)
                    self._start(moderator)
                    return position
                case Halt():
                    return await moderator.halt(command.reason, command.by)
                case Appeal():
                    return await moderator.appeal(command.claim, command.by)
                case Decide():
                    return await moderator.decide(command.decision, command.reason, command.by)
                case CastBallot():
                    return await moderator.ballots.cast(command.ballot)
                case AtSeat():
                    return await moderator.seats.act(command)
                case _:
                    return await moderator.append_at_once(partial(drafts_of, command))

    # other nodes

    def needs(self, debate: str) -> bool:
        """Whether this process still needs the debate."""
        return debate in self._moderators or debate in self._loading_counts

    def lose_ownership(self, debate: str) -> None:
        """Another node has taken over the debate: stop running it.  This is not a failure."""
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
        try:
            yield moderator
            if self._ownership.runs_what_is_open and moderator.debate.status.state == "open":
                self._start(moderator)
        except Fenced:
            linger = False
            self.lose_ownership(debate)
            raise
        except LogError:
            linger = False  # its fold may differ from the log
            raise
        finally:
            self._commands[debate] -= 1
            if linger:
                self._linger(moderator)
            else:
                self._forget(moderator)

    def _linger(self, moderator: Moderator) -> None:
        """Keep a moderator in memory for ``LINGER_S``: until then it counts as one more command."""
        assert self._tasks is not None, "the moderators are not running"
        if moderator.id not in self._lingering:
            self._lingering.add(moderator.id)
            self._commands[moderator.id] += 1
            self._tasks.start_soon(self._end_linger, moderator)

    async def _end_linger(self, moderator: Moderator) -> None:
        with anyio.move_on_after(LINGER_S):
            await moderator.ownership_lost.wait()
        self._lingering.discard(moderator.id)
        self._commands[moderator.id] -= 1
        self._forget(moderator)

    def _forget(self, moderator: Moderator) -> None:
        """Drop a moderator that does not run and has no command under way; the log holds everything."""
        if not moderator.is_running and not self._commands[moderator.id]:
            del self._commands[moderator.id]
            self._moderators.pop(moderator.id, None)
            moderator.finished.set()
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
                return moderator

    async def _loaded(self, debate: str) -> Moderator:
        if not await self._ownership.acquire(debate):
            if not await self._log.head(debate):
                raise UnknownDebate(debate)
            raise NotOwner(debate)
        moderator = Moderator(
            debate,
            self._log,
            self._registry,
            self._hub,
            self.people,
            idle_timeout_s=self._idle_timeout_s,
            clock=self._clock,
            next_steps=self._next_steps,
        )
        await moderator.load()
        if moderator.debate.opened is None:
            raise UnknownDebate(debate)
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
            assert self._tasks is not None, "the moderators are not running"
            moderator.is_running = True
            self._tasks.start_soon(self._run, moderator)

    async def _run(self, moderator: Moderator) -> None:
        observe.DEBATES.inc()
        try:
            with self._hub.running(moderator.id):
                await moderator.run()
        except Exception as error:
            if any(isinstance(each, Fenced) for each in _leaves(error)):
                self.lose_ownership(moderator.id)  # any other failure follows from that
            else:
                # A bug must not stop the other debates, and must not leave this one open without a moderator.
                logger.exception("moderator_failed", debate=moderator.id)
                await self._halt_after_bug(moderator, error)
        finally:
            observe.DEBATES.dec()
            if moderator.debate.status.state != "open":
                observe.RESTED.labels(moderator.debate.status.state).inc()
            self._forget(moderator)
            rested, self._rested = self._rested, anyio.Event()
            rested.set()

    async def _halt_after_bug(self, moderator: Moderator, error: Exception) -> None:
        kinds = ", ".join(sorted({type(each).__name__ for each in _leaves(error)}))
        while True:
            try:
                await moderator.load()
                if moderator.debate.status.state in {"open", "paused"}:
                    await moderator.halt(f"an error inside Moot ({kinds}); its log has the details", "moot")
            except StoreUnavailable:
                await anyio.sleep(STORE_WAIT_S)
            except Fenced:
                self.lose_ownership(moderator.id)
                return
            except LogError:
                logger.exception("moderator_cannot_halt", debate=moderator.id)
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
    debating = {family(model) for model in debaters.values() if model} - {""}
    return tuple(
        FamilyWarned(
            roles=tuple(role for role, model in (judges | debaters).items() if model and family(model) == shared),
            family=shared,
        )
        for shared in sorted(debating & {family(model) for model in judges.values()})
    )


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in _leaves(each)]
    return [error]
