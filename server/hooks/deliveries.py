"""Delivers what happens in debates to the webhooks of the settings, at least once.

What is to be told is derived from the log.  A note in the store holds, for each debate that this process may append to,
the position up to which the log was read and the letters that are not delivered: it is written before the first append,
so a process that is killed loses nothing, and removed when nothing more can come.  A letter names an event and holds no
text.  Only the owner of a debate delivers; a debate that rests and has letters is owned by the first node that asks.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, Final

import anyio
import anyio.abc
import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from events.errors import Fenced, StoreUnavailable, UnknownDebate
from events.store.log import EventLog
from events.view.view import Fold
from server.debate.moderators import Moderators
from server.errors import NotFound, NotOwner, leaves
from server.feed.folds import Folds
from server.hooks import messages, network
from server.hooks.hook import EventType, Hook
from server.process.tasks import BackgroundTasks

logger = structlog.get_logger()

SCHEDULE: Final = (0.0, 5.0, 300.0, 1800.0, 7200.0, 18_000.0, 36_000.0, 50_400.0, 72_000.0, 86_400.0)
"""Seconds before each attempt.  Source: Standard Webhooks, section "Deliverability and reliability"."""
JITTER: Final = 0.2
"""The part of a wait by which it is longer at most, so that receivers are not asked by all debates at once."""
AT_ONCE: Final = 4
"""Deliveries to one hook at the same time."""
CHECK_S: Final = 5.0
"""Seconds between two looks for letters that no process delivers."""
STORE_WAIT_S: Final = 1.0
KEPT_S: Final = 30 * 86_400
"""Seconds for which a dead letter is shown."""
SUCCESS: Final = range(200, 300)
GONE: Final = 410

WAITING: Final = "hooks.waiting"
DEAD: Final = "hooks.dead"
RETRIED: Final = "hooks.retried"
STOPPED: Final = "hooks.stopped"
"""Kinds of notes: by debate; by letter, dead or to be tried again; by hook, with its address."""

Post = Callable[[Hook, Mapping[str, str], bytes], Any]


class Letter(Struct, frozen=True, kw_only=True):
    """One event for one hook.  ``next_at``: seconds since 1970; ``failed``: why the last attempt did."""

    hook: str
    type: EventType
    debate: str
    position: int
    attempts: int = 0
    next_at: float = 0.0
    failed: str = ""

    @property
    def is_shown(self) -> bool:
        """Whether the letter, once dead, is still shown."""
        return time.time() - self.next_at < KEPT_S

    @property
    def key(self) -> str:
        """Names the letter in the store."""
        return f"{self.hook} {messages.message_id(self.debate, self.position, self.type)}"


class Waiting(Struct, frozen=True, kw_only=True):
    """What is kept of one debate: how far its log was read, the side that was named last, and its letters."""

    position: int
    led: str = ""
    letters: tuple[Letter, ...] = ()


class HookState(Struct, frozen=True, kw_only=True):
    """A hook as operators see it."""

    name: str
    origin: str
    events: tuple[EventType, ...]
    stopped: bool
    waiting: tuple[Letter, ...]
    dead: tuple[Letter, ...]


class _Held:
    """A debate whose letters this process delivers."""

    def __init__(self, debate: str) -> None:
        self.debate, self.lock, self.scope = debate, anyio.Lock(), anyio.CancelScope()
        self.waiting: Waiting | None = None
        self.fold: Fold | None = None
        self._woken = anyio.Event()

    @property
    def is_findable(self) -> bool:
        """Whether spectators find the debate by its newest labels."""
        return self.fold is not None and self.fold.debate.labels.is_findable

    def wake(self) -> None:
        """Let the debate's task look again whether something is left to do."""
        self._woken.set()

    async def woken(self) -> None:
        """Wait for the next ``wake``."""
        await self._woken.wait()
        self._woken = anyio.Event()


class HookWatcher:
    """A ``Watcher`` that tells hooks.  ``run`` holds its tasks."""

    def __init__(
        self,
        log: EventLog,
        hooks: Mapping[str, Hook],
        base: str,
        *,
        schedule: Sequence[float] = SCHEDULE,
        post: Post = network.post,
        check_s: float = CHECK_S,
    ) -> None:
        """``base``: the address of the pages that messages link to."""
        self._log, self._hooks, self._base = log, hooks, base.rstrip("/")
        self._schedule, self._post, self._check_s = schedule, post, check_s
        self._folds = Folds(log)
        self._moderators: Moderators | None = None
        self._held: dict[str, _Held] = {}
        self._stopped: set[str] = set()
        self._limiters = {name: anyio.CapacityLimiter(AT_ONCE) for name in hooks}
        self._tasks = BackgroundTasks()

    # Watcher

    async def watch(self, debate: str, position: int) -> None:
        """See ``Watcher``: the note of the debate is written before anything is appended."""
        held = self._held.get(debate)
        if held is None:
            held = self._held[debate] = _Held(debate)
            try:
                async with held.lock:
                    held.waiting = await self._kept(debate)
                    if held.waiting is None:
                        held.waiting = Waiting(position=position)
                        await self._log.note(WAITING, debate, msgspec.json.encode(held.waiting))
            except BaseException:
                del self._held[debate]
                raise
            self._tasks.start_soon(self._hold, held, debate=debate)
        else:
            async with held.lock:  # it may be about to end
                pass
            if self._held.get(debate) is not held:
                await self.watch(debate, position)

    def rested(self, debate: str) -> None:
        """See ``Watcher``."""
        if held := self._held.get(debate):
            held.wake()

    def lost(self, debate: str) -> None:
        """See ``Watcher``."""
        if held := self._held.pop(debate, None):
            held.scope.cancel()

    # tasks

    async def run(
        self, moderators: Moderators, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Deliver until it is cancelled: the debates that are watched, and what other processes left."""
        self._moderators = moderators
        async with self._tasks.running():
            task_status.started()
            await self._forget_old()
            while True:
                try:
                    await self._take_left()
                except StoreUnavailable as error:
                    logger.warning("store_unavailable", message=str(error))
                await anyio.sleep(self._check_s)

    async def _take_left(self) -> None:
        """Take up the letters of debates that rest, and those that are to be tried again."""
        stopped = await self._log.notes(STOPPED)
        self._stopped = {name for name, hook in self._hooks.items() if stopped.get(name) == hook.url.encode()}
        retried = {letter.debate for letter in (await self._letters(RETRIED)).values()}
        left = {*await self._log.notes(WAITING), *retried}
        for debate in left - self._held.keys() - {*await self._log.unfinished()}:
            held = self._held[debate] = _Held(debate)
            self._tasks.start_soon(self._hold, held, debate=debate)
        for debate in retried & self._held.keys():
            self._held[debate].wake()

    async def _hold(self, held: _Held) -> None:
        """Own a debate and deliver its letters until nothing is left."""
        try:
            with held.scope:
                while not await self._held_once(held):
                    await anyio.sleep(STORE_WAIT_S)
                    if held.waiting is not None:
                        await self._keep(held)
        finally:
            if self._held.get(held.debate) is held:
                del self._held[held.debate]

    async def _held_once(self, held: _Held) -> bool:
        """Own a debate and deliver its letters; False if the store was away meanwhile."""
        assert self._moderators is not None, "the hooks are not running"
        try:
            async with self._moderators.owning(held.debate):
                await self._follow(held)
        except Exception as error:
            causes = leaves(error)
            if any(isinstance(each, UnknownDebate) for each in causes):  # it was deleted
                await forget(self._log, {held.debate})
            elif all(isinstance(each, StoreUnavailable) for each in causes):
                logger.warning("store_unavailable", debate=held.debate, message=str(causes[0]))
                return False
            elif not all(isinstance(each, NotOwner | Fenced | StoreUnavailable) for each in causes):
                raise
        return True

    async def _follow(self, held: _Held) -> None:
        """Read the log of the debate, and start a delivery for each letter."""
        async with held.lock:
            if held.waiting is None:
                held.waiting = await self._kept(held.debate) or Waiting(position=await self._log.head(held.debate))
        fold = await self._folds.at(held.debate, held.waiting.position)
        async with anyio.create_task_group() as tasks:
            started: set[str] = set()
            while True:
                fold = held.fold = await self._read(held, fold)
                await self._revive(held)
                for letter in held.waiting.letters:
                    if letter.key not in started:
                        started.add(letter.key)
                        tasks.start_soon(self._deliver, held, letter, started)
                if await self._has_ended(held):
                    return
                async with anyio.create_task_group() as waits:
                    for wait in (held.woken, partial(self._log.wait_beyond, held.debate, fold.view.position)):
                        waits.start_soon(_until_first, wait, waits.cancel_scope)

    async def _read(self, held: _Held, fold: Fold) -> Fold:
        """Write letters for what happened up to now.  The position alone is kept in memory: it follows from the log."""
        head = await self._log.head(held.debate)
        if not head:
            raise UnknownDebate(held.debate)
        async for _, record, after in self._folds.steps(held.debate, fold, head):
            fold = after
            assert held.waiting is not None
            led = held.waiting.led
            found = tuple(messages.found_in(led, record, after))
            led = messages.leader_of(after.view) if "lead.changed" in found else led
            letters = tuple(
                Letter(hook=name, type=kind, debate=held.debate, position=record.position)
                for kind in (found if after.debate.labels.is_findable else ())
                for name, hook in self._hooks.items()
                if kind in hook.events and name not in self._stopped
            )
            # The position never stands in a note without the letters of its event.
            held.waiting = Waiting(position=record.position, led=led, letters=held.waiting.letters + letters)
            if letters:
                await self._keep(held)
        return fold

    async def _revive(self, held: _Held) -> None:
        """Take over the dead letters that are to be tried again."""
        for key, letter in (await self._letters(RETRIED)).items():
            if letter.debate == held.debate:
                assert held.waiting is not None
                if letter.key not in {each.key for each in held.waiting.letters}:
                    held.waiting = replace(held.waiting, letters=(*held.waiting.letters, letter))
                    await self._keep(held)
                await self._persist(RETRIED, key, None)

    async def _has_ended(self, held: _Held) -> bool:
        """Whether nothing more can come; then the note is gone, and a debate that is loaded again is watched again."""
        assert self._moderators is not None
        async with held.lock:
            assert held.waiting is not None
            assert held.fold is not None
            if held.waiting.letters or self._moderators.is_loaded(held.debate):
                return False
            if await self._log.head(held.debate) > held.fold.view.position:
                return False
            await self._log.note(WAITING, held.debate, None)
            if self._moderators.is_loaded(held.debate):  # `watch` waits for the lock
                await self._log.note(WAITING, held.debate, msgspec.json.encode(held.waiting))
                return False
            del self._held[held.debate]
            return True

    # letters

    async def _deliver(self, held: _Held, letter: Letter, started: set[str]) -> None:
        """Try to deliver one letter until it is delivered or dead."""
        while True:
            wait_s = max(letter.next_at - time.time(), 0.0)
            await anyio.sleep(wait_s)
            if letter.hook not in self._hooks or not held.is_findable:
                break  # the hook was removed, or the debate was hidden meanwhile
            async with self._limiters[letter.hook]:
                failed = "the receiver has ended this hook (410)" if letter.hook in self._stopped else ""
                failed = failed or await self._attempt(letter)
            if not failed:
                break
            attempts = letter.attempts + 1
            is_dead = attempts >= len(self._schedule) or letter.hook in self._stopped
            pause_s = 0.0 if is_dead else self._schedule[attempts] * (1 + random.uniform(0, JITTER))  # noqa: S311 - no secret
            before, letter = letter, replace(letter, attempts=attempts, failed=failed, next_at=time.time() + pause_s)
            logger.warning("hook_failed", hook=letter.hook, debate=letter.debate, attempts=attempts, message=failed)
            if is_dead:
                await self._persist(DEAD, letter.key, msgspec.json.encode(letter))
                break
            await self._change(held, before, letter)
        started.discard(letter.key)
        await self._change(held, letter, None)
        held.wake()

    async def _attempt(self, letter: Letter) -> str:
        """Send a letter once; why it failed, empty if the receiver has it."""
        hook = self._hooks[letter.hook]
        try:
            fold = await self._folds.at(letter.debate, letter.position)
            (record,) = await self._log.read(letter.debate, letter.position - 1, 1)
        except (StoreUnavailable, ValueError) as error:
            return f"the event cannot be read: {error}"
        body = messages.body_of(letter.type, record, fold, self._base)
        name = messages.message_id(letter.debate, letter.position, letter.type)
        try:
            status = await self._post(hook, hook.headers(name, int(time.time()), body), body)
        except network.NotDelivered as error:
            return str(error)
        if status == GONE:
            self._stopped.add(letter.hook)
            await self._persist(STOPPED, letter.hook, hook.url.encode())
        return "" if status in SUCCESS else f"status {status}"

    async def _change(self, held: _Held, letter: Letter, to: Letter | None) -> None:
        """Replace a letter or, without ``to``, remove it."""
        assert held.waiting is not None
        others = tuple(each for each in held.waiting.letters if each.key != letter.key)
        held.waiting = replace(held.waiting, letters=(*others, to) if to else others)
        await self._keep(held)

    async def _keep(self, held: _Held) -> None:
        """Write what is kept of a debate: durable on return."""
        async with held.lock:
            await self._persist(WAITING, held.debate, msgspec.json.encode(held.waiting))

    async def _letters(self, kind: str) -> dict[str, Letter]:
        return _decoded(await self._log.notes(kind))

    async def _forget_old(self) -> None:
        """Remove the dead letters that are not shown any more."""
        for key, letter in (await self._letters(DEAD)).items():
            if not letter.is_shown:
                await self._persist(DEAD, key, None)

    async def _kept(self, debate: str) -> Waiting | None:
        found = (await self._log.notes(WAITING, debate)).get(debate)
        return None if found is None else msgspec.json.decode(found, type=Waiting)

    async def _persist(self, kind: str, key: str, value: bytes | None) -> None:
        """Keep a note, also if the store is away for a while."""
        while True:
            try:
                await self._log.note(kind, key, value)
            except StoreUnavailable as error:
                logger.warning("store_unavailable", message=str(error))
                await anyio.sleep(STORE_WAIT_S)
            else:
                return


async def _until_first(wait: Callable[[], Any], scope: anyio.CancelScope) -> None:
    await wait()
    scope.cancel()


async def states_of(log: EventLog, hooks: Mapping[str, Hook]) -> tuple[HookState, ...]:
    """The hooks of the settings with their letters, those of all processes.  Raises ``StoreUnavailable``."""
    stopped = await log.notes(STOPPED)
    kept = [msgspec.json.decode(value, type=Waiting) for value in (await log.notes(WAITING)).values()]
    dead = await _dead(log)
    return tuple(
        HookState(
            name=name,
            origin=hook.origin,
            events=hook.events,
            stopped=stopped.get(name) == hook.url.encode(),
            waiting=tuple(letter for each in kept for letter in each.letters if letter.hook == name),
            dead=tuple(letter for letter in dead.values() if letter.hook == name),
        )
        for name, hook in hooks.items()
    )


async def retry(log: EventLog, hooks: Mapping[str, Hook], name: str) -> int:
    """Have the dead letters of a hook tried again, and end its stop; their number.  Raises ``NotFound``."""
    if name not in hooks:
        raise NotFound(f"the settings have no hook {name[:40]!r}")
    await log.note(STOPPED, name, None)
    found = {key: letter for key, letter in (await _dead(log)).items() if letter.hook == name}
    for key, letter in found.items():
        again = replace(letter, attempts=0, next_at=0.0)
        await log.note(RETRIED, key, msgspec.json.encode(again))
        await log.note(DEAD, key, None)
    return len(found)


async def forget(log: EventLog, debates: AbstractSet[str]) -> None:
    """Remove all letters about deleted debates, and how far their logs were read.  Raises ``StoreUnavailable``."""
    for debate in debates & (await log.notes(WAITING)).keys():
        await log.note(WAITING, debate, None)
    for kind in (DEAD, RETRIED):
        for key, letter in _decoded(await log.notes(kind)).items():
            if letter.debate in debates:
                await log.note(kind, key, None)


async def _dead(log: EventLog) -> dict[str, Letter]:
    return {key: letter for key, letter in _decoded(await log.notes(DEAD)).items() if letter.is_shown}


def _decoded(notes: Mapping[str, bytes]) -> dict[str, Letter]:
    return {key: msgspec.json.decode(value, type=Letter) for key, value in notes.items()}
