"""The moderator of one debate: it takes the steps that the debate's format asks for, and records what happened.

``Moderator.run`` is a loop.  It asks ``next_steps`` for the steps that may be taken now, takes them all at the same
time, appends the results to the log, and asks again until there are no steps.  It decides nothing itself.  After a
crash the next moderator folds the log and goes on: only the calls in flight are lost.

A debate has one moderator, and the moderator is the only writer of its log.  So the commands of people (``pause``,
``resume``, ``halt``, ``appeal``, ``decide``, a vote, a word) go through it too.
"""

import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, aclosing, asynccontextmanager, nullcontext
from functools import cached_property
from typing import Any, Final, assert_never

import anyio
import anyio.abc
import msgspec
import structlog
from msgspec import UNSET

from events.clock import SYSTEM, Clock
from events.errors import LogError
from events.record import Draft
from events.state import derived
from events.state.debate import UNNAMED, Debate
from events.store.log import EventLog
from events.table import LazyTable
from events.text.figures import rounded
from events.text.segmentation import WordCounter, count_words
from events.types import (
    AttemptAbandoned,
    DebateHalted,
    DebatePaused,
    DebateResumed,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from events.types.opening import DebateSettings
from providers.base import Request
from providers.errors import BrokenOff, Empty, ProviderError
from providers.imports import load
from providers.limits.queue import Call
from providers.registry import Registry
from server.debate.calls import (
    BOOKING_S,
    CallInFlight,
    answered,
    failed,
    has_unknown_cost,
    jittered_s,
    usage,
)
from server.debate.formats import FORMATS, NextSteps, next_steps
from server.debate.formats.halts import (
    abandon_turns,
    halt_for_deadline,
    halt_within_turn,
    is_forgiven,
    seconds_between,
    seconds_left,
)
from server.debate.formats.parts import PARTS
from server.debate.formats.steps import Ask, Open, Record, Speak, Step, Wait
from server.debate.speech import PaceRecorder, clean, clip
from server.debate.stream_writer import Build, StreamWriter
from server.debate.time_limits import (
    clock_of_question,
    limit_of_question,
    limit_of_turn,
    seconds_of_question,
    seconds_of_turn,
    with_time_taken,
)
from server.errors import NotNow
from server.feed.channel import TextInFlight
from server.feed.hub import Hub
from server.people.names import HOSTED, answers_outside, is_person
from server.people.names import NAME as PERSON
from server.process import observe

logger = structlog.get_logger()

ACTING: Final = LazyTable[Any](
    {
        "ballots": "server.debate.acting.ballots:BallotQueue",
        "commands": "server.debate.acting.execution",
        "debates": "server.debate.setup.debates:Debates",
        "hosted": "server.people.hosted:Hosted",
        "list_hosted": "server.debate.commands:ListHosted",
        "person": "server.people.provider:People",
        "seats": "server.debate.acting.desk:SeatDesk",
    }
)
"""What takes the acts of people and what opens other debates, imported where the first one comes."""
LIVE = frozenset({"open", "paused"})
"""States in which calls may still be in flight."""
HALTED = "the debate was halted within the call"
STOPPED = "the server stopped within the call"
SLACK_S = 0.05
"""The scope ends this much after the deadline: the loop's clock and the wall clock may differ a little."""


class Moderator:
    """Runs one debate."""

    def __init__(
        self,
        debate: str,
        log: EventLog,
        registry: Registry,
        hub: Hub,
        *,
        idle_timeout_s: float = 60.0,
        clock: Clock = SYSTEM,
        next_steps: NextSteps = next_steps,
        debates: Callable[[], Any] | None = None,
    ) -> None:
        """``debates``: what opens other debates (``setup.debates.Debates``)."""
        self.id = debate
        self.is_running = False
        """Whether its steps are taken; set by the moderators of the process."""
        self.is_draining = False
        """Whether it takes no further steps after those in flight."""
        self.ownership_lost = anyio.Event()
        """Set when another node owns the debate: every further append of this moderator is refused."""
        self.finished = anyio.Event()
        """Set when this moderator does nothing any more, so that another one may begin."""
        self._registry, self._hub, self._clock, self._next_steps = registry, hub, clock, next_steps
        self._debates = debates
        self._writer = StreamWriter(debate, log, hub.waiting, clock, hub.evolve)
        self._idle_timeout_s = idle_timeout_s
        self._run_scope: anyio.CancelScope | None = None
        self._steps_scope: anyio.CancelScope | None = None
        self._steps_tasks: anyio.abc.TaskGroup | None = None
        self._decided_at = 0
        """Position of the debate from which the steps in flight follow."""
        self._acted = anyio.Event()
        """Set when a person acts on the debate after the steps in flight were decided on, and when it drains."""

    @cached_property
    def ballots(self) -> Any:
        """The queue of votes and beliefs (``acting.ballots.BallotQueue``)."""
        return ACTING["ballots"](self._writer.append_at_once)

    @cached_property
    def seats(self) -> Any:
        """The desk of the debate's people (``acting.desk.SeatDesk``)."""
        return ACTING["seats"](self.id, self._registry.provider(PERSON), self._writer)

    @property
    def debate(self) -> Debate:
        """The debate as it stands."""
        return self._writer.debate

    async def load(self) -> None:
        """Fold the log up to now."""
        await self._writer.load()

    @property
    def is_in_doubt(self) -> bool:
        """Whether the log may hold an act of a person that the debate folded here lacks."""
        return self._writer.is_in_doubt

    async def settle(self) -> None:
        """Read the log again once the store answers, and do what follows from an act of a person that it holds."""
        await self._writer.settle()
        if self.debate.seats:
            self.seats.settle()
        self._acted.set()
        if self.debate.status.state not in LIVE:
            self._cancel_steps()

    async def run(self) -> None:
        """Take steps until there are none: the debate rests or has ended."""
        try:
            with anyio.CancelScope() as self._run_scope:
                await self._take_steps()
        finally:
            self._hub.end_text(self.id)
            self._registry.forget(self.id)
            if self.debate.opened is not None:
                derived.forget(self.debate.opened)
            if self.debate.seats and self.debate.status.state == "concluded":
                self.seats.forget()

    async def _take_steps(self) -> None:
        if (opened := self.debate.opened) is not None:
            for module in (FORMATS[opened.format].loads, "judge.panel.outcome" if opened.panel else ""):
                if module:  # it imports numpy or scipy, which would block the loop
                    await load(module)
        if self.debate.evidence.passages:  # up to two million characters
            await anyio.to_thread.run_sync(PARTS["documents"].prepare, self.debate.evidence)
        while not self.is_draining:
            if not (steps := await self._steps()):
                if self.debate.position == self._decided_at:
                    return
                continue  # for example, it was resumed while a thread computed the steps
            with anyio.move_on_after(self._seconds_left() + SLACK_S) as self._steps_scope:
                async with anyio.create_task_group() as self._steps_tasks:
                    for step in steps:
                        self._steps_tasks.start_soon(self._take, step)
            if self._seconds_left() <= 0:
                await self._halt_for_deadline()

    async def _steps(self) -> tuple[Step, ...]:
        """The steps that may be taken now.  A thread computes those of a lab: they read thousands of answers."""
        debate = self.debate
        self._decided_at, self._acted = debate.position, anyio.Event()
        kind = FORMATS.get(debate.opened.format) if debate.opened is not None else None
        if kind is None or not kind.is_long:
            return self._next_steps(debate)
        return await anyio.to_thread.run_sync(self._next_steps, debate)

    def drain(self) -> None:
        """Take no further steps after those in flight."""
        self.is_draining = True
        self._acted.set()

    def stop(self) -> None:
        """Cancel ``run`` and the calls in flight."""
        if self._run_scope is not None:
            self._run_scope.cancel()

    def lose_ownership(self) -> None:
        """Another node owns the debate: stop."""
        self.ownership_lost.set()
        self.stop()

    # commands of people

    async def pause(self, reason: str, by: str) -> int:
        """Finish the calls in flight, then rest."""
        return await self.change_state(DebatePaused(reason=reason, by=by), {"open"})

    async def halt(self, reason: str, by: str) -> int:
        """Stop at once and cancel the calls in flight."""
        position = await self.change_state(DebateHalted(reason=reason, by=by), {"open", "paused"})
        self._cancel_steps()
        return position

    async def append_at_once(self, build: Build) -> int:
        """Record what a person does, or raise the refusal; the position of its event."""
        position = (await self._writer.append_at_once(build))[0].position
        self._acted.set()
        return position

    async def change_state(self, event: DebatePaused | DebateResumed | DebateHalted, states: set[str]) -> int:
        """Record a pause, a resume or a halt, allowed in ``states`` only.  Raises ``NotNow``."""

        def build(debate: Debate) -> Sequence[Draft]:
            if debate.status.state not in states:
                raise NotNow(f"the debate is {debate.status.state}")
            drafts = [Draft(event=event)]
            if isinstance(event, DebateHalted):
                drafts += abandon_turns(debate, event.reason, cause=debate.position + 1)
            return drafts

        return await self.append_at_once(build)

    def answer_hosted(self, question: str, answer: Any) -> int:
        """Bring the answer of a model outside; the position at which its question waits.  Raises the refusal."""
        self._registry.provider(HOSTED).bring(self.id, question, answer)  # type: ignore[attr-defined]
        return self.debate.position

    # steps

    async def _take(self, step: Step) -> None:
        match step:
            case Record():
                await self._record(step)
            case Speak():
                async with self._watched(step):
                    await self._speak(step)
            case Ask():
                async with self._watched(step):
                    await self._ask(step)
            case Wait():
                await self._wait(step)
            case Open():
                await self._open(step)
            case _:
                assert_never(step)

    def _watched(self, step: Speak | Ask) -> AbstractAsyncContextManager[None]:
        """While a person is asked, the connection of the seat is watched."""
        return self.seats.watched(step) if is_person(step.model) else nullcontext()

    async def _wait(self, step: Wait) -> None:
        """Wait until a person acts, or until the step's time, and record then what follows."""
        seconds = seconds_between(self._clock.now(), step.until) if step.until else math.inf
        with anyio.move_on_after(seconds):
            await self._acted.wait()
            return
        await self._writer.append(step.follows)

    async def _open(self, step: Open) -> None:
        """Open another debate, wait for its end, record what follows, and open those that begin then."""
        assert self._debates is not None, "the moderators of a process give it"
        assert self._steps_tasks is not None, "a step is taken in a task group"
        rested = await self._debates().rest(step, self)
        if rested is None:
            return  # it drains: another process waits on
        records = await self._writer.append(lambda debate: step.follows(debate, rested))
        for further in () if self.is_draining else step.then(self.debate, records):
            self._steps_tasks.start_soon(self._open, further)

    async def _record(self, step: Record) -> None:
        """Append the batch of a step.

        If a person's act was recorded meanwhile, append what follows from the debate as it is now instead.
        """
        decided_at = self._decided_at

        def build(debate: Debate) -> Sequence[Draft]:
            steps = (step,) if debate.position == decided_at else self._next_steps(debate)
            return steps[0].drafts if steps and isinstance(steps[0], Record) else ()

        await self._writer.append(build)

    async def _speak(self, step: Speak) -> None:
        """One attempt at a turn: record its start, stream the speech to the spectators, record its end."""
        await self._registry.pause(step.model, jittered_s(step.delay_ms, self._clock.random))
        started = TurnStarted(
            turn=step.turn,
            side=step.side,
            attempt=step.attempt,
            directive=step.directive,
            passages=step.passages or UNSET,
        )

        def start(debate: Debate) -> Sequence[Draft]:
            return [Draft(event=started, cause=step.cause)] if debate.status.state == "open" else []

        if not (records := await self._writer.append(start)):
            return  # the debate was paused or halted while the attempt waited
        (record,) = records
        limit_s = seconds_of_turn(step, self._settings(), self._clock.now())
        speech = TextInFlight(step.turn, step.side, step.attempt, self._clock.now())
        pace, counter = PaceRecorder(), WordCounter()
        name, flight = f"speak.{step.turn}.{step.attempt}", CallInFlight()
        self._hub.start_text(self.id, speech)
        async with self._booked(step, name, record.position, flight):
            try:
                request = Request(
                    key=f"speak:{step.side}",
                    turn=step.turn,
                    attempt=step.attempt,
                    prompt=step.prompt,
                    max_tokens=step.max_tokens,
                    temperature=step.temperature,
                    seed=self._seed(step.turn * 100 + step.attempt),
                    idle_timeout_s=self._idle_timeout_s,
                    think=step.think,
                    debate=self.id,
                    limit_s=limit_s,
                )
                async with self._call(step, flight) as call:
                    with limit_of_turn(step, limit_s):
                        async with aclosing(call.stream(request)) as chunks:
                            async for chunk in chunks:
                                text = clean(chunk)
                                if not speech.text:
                                    text = text.lstrip()
                                if text and counter.number <= step.max_words:
                                    counter.add(text)
                                    self._hub.add_text(self.id, text)
                                    pace.mark(flight.latency_ms, len(speech.text))
                    outcome = with_time_taken(step.since, call.outcome, self._clock.now())
                    call.used(outcome)
                text, clipped = clip(speech.text, step.max_words, cut_short=outcome.finish == "length")
                if not text:
                    raise Empty("the model said nothing", outcome=outcome)
            except ProviderError as error:
                await self._record_failed_turn(step, name, record.position, error, speech.text, flight)
                return
            spoken = TurnSpoken(
                turn=step.turn,
                side=step.side,
                attempt=step.attempt,
                text=text,
                words=count_words(text),
                clipped=clipped,
                pace=() if step.time_s else pace.until(len(text)),
                model="" if step.time_s else outcome.model,
                usage=usage(outcome),
                latency_ms=outcome.latency_ms,
                by="person" if step.time_s else UNSET,
            )

            def build(debate: Debate) -> Sequence[Draft]:
                if not _is_current(step, debate):
                    late = BrokenOff(HALTED, outcome=outcome)
                    unused = failed(step, name, late, speech.text, outcome.latency_ms, debate, "halted")
                    return [Draft(event=unused, cause=record.position)]
                call = answered(step, name, outcome, speech.text, debate)
                return [Draft(event=call, cause=record.position), Draft(event=spoken, cause=debate.position + 1)]

            await self._writer.append(build, flight.close)
        self._hub.end_text(self.id)
        observe.count_call(self._provider(step), "speak", outcome)

    async def _record_failed_turn(
        self, step: Speak, name: str, started: int, error: ProviderError, so_far: str, flight: CallInFlight
    ) -> None:
        self._hub.end_text(self.id)
        self._log_failure(step, "turn_failed", error, turn=step.turn)
        answer, latency_ms = so_far or error.raw, flight.latency_ms

        def build(debate: Debate) -> Sequence[Draft]:
            call = Draft(event=failed(step, name, error, answer, latency_ms, debate), cause=started)
            if not _is_current(step, debate):
                return [call]
            return [call, Draft(event=_failed_turn(step, error, debate), cause=debate.position + 1)]

        await self._writer.append(build, flight.close)
        await self._after_failure(step, error, so_far)

    async def _ask(self, step: Ask) -> None:
        """One call with a typed question: record the answer, or the failure."""
        await self._registry.pause(step.model, jittered_s(step.delay_ms, self._clock.random))
        if self.debate.status.state != "open":
            return
        limit_s, flight = seconds_of_question(step, self.debate, self._clock.now()), CallInFlight()
        async with self._booked(step, step.call, step.cause, flight):
            try:
                request = Request(
                    key=step.key,
                    turn=step.turn or 0,
                    attempt=step.sample + step.attempt - 1,
                    prompt=step.prompt,
                    max_tokens=step.max_tokens,
                    temperature=step.temperature,
                    seed=self._seed((step.turn or 0) * 100 + step.sample * 10 + step.attempt),
                    idle_timeout_s=self._idle_timeout_s,
                    think=step.think,
                    material=step.material,
                    debate=self.id,
                    call=step.call,
                    limit_s=limit_s,
                )
                async with self._call(step, flight) as call:
                    with limit_of_question(step, limit_s):
                        answer = await call.answer(request, step.reads)
                    step.verify(answer.value, raw=answer.raw, outcome=answer.outcome)
                    call.used(answer.outcome)
            except ProviderError as error:
                latency_ms, failure = flight.latency_ms, error
                self._log_failure(step, "question_failed", error, call=step.call)
                await self._writer.append(
                    lambda debate: [
                        Draft(event=failed(step, step.call, failure, failure.raw, latency_ms, debate), cause=step.cause)
                    ],
                    flight.close,
                )
                await self._record_what_follows(step)
                await self._after_failure(step, error, error.raw)
                await self._ask_further(step)
                return
            observe.count_call(self._provider(step), step.purpose, answer.outcome)
            outcome = with_time_taken(clock_of_question(step, self.debate), answer.outcome, self._clock.now())
            await self._writer.append(
                lambda debate: [Draft(event=answered(step, step.call, outcome, answer.raw, debate), cause=step.cause)],
                flight.close,
            )
        await self._record_what_follows(step)
        await self._ask_further(step)

    async def _record_what_follows(self, step: Ask) -> None:
        if step.follows is not None:
            await self._writer.append(step.follows)
            if self.debate.status.state == "concluded":  # a person resigned, and the other one need not write on
                self._cancel_steps()

    async def _ask_further(self, step: Ask) -> None:
        """Ask what is left of the step's statement.  The other steps in flight are not waited for."""
        if step.then is not None and not self.is_draining:
            for further in step.then(self.debate):
                await self._ask(further)

    # what the steps share

    @asynccontextmanager
    async def _booked(
        self, step: Speak | Ask, name: str, cause: int | None, flight: CallInFlight
    ) -> AsyncIterator[None]:
        """Within it a call is made and recorded.

        If a halt, the deadline or the end of the server cancels it before that, what is known of its cost is recorded.
        """
        try:
            yield
        except anyio.get_cancelled_exc_class():
            if flight.call is not None and not flight.is_recorded and not answers_outside(step.model):
                await self._book_cut_off(step, name, cause, flight, flight.call)
            raise

    async def _book_cut_off(
        self, step: Speak | Ask, name: str, cause: int | None, flight: CallInFlight, call: Call
    ) -> None:
        """Record a call that Moot itself ended.  If the store cannot be written, only the server's log has it."""
        is_halted = self._steps_scope is not None and self._steps_scope.cancel_called
        error, kind = BrokenOff(HALTED if is_halted else STOPPED), "halted" if is_halted else "interrupted"
        error.complete(call.progress)
        latency_ms, why = flight.latency_ms, "the store does not answer"

        def build(debate: Debate) -> Sequence[Draft]:
            if flight.is_recorded:  # another task was just writing it
                return []
            return [Draft(event=failed(step, name, error, error.raw, latency_ms, debate, kind), cause=cause)]

        with anyio.move_on_after(BOOKING_S, shield=True):
            try:
                await self._writer.append(build, flight.close)
            except LogError as refusal:  # another node owns the debate
                why = str(refusal)
        if not flight.is_recorded:
            tokens = None if error.outcome is None else msgspec.to_builtins(error.outcome.tokens)
            logger.warning("call_not_booked", debate=self.id, call=name, model=step.model, tokens=tokens, message=why)
        self._count_cost(step, error, error.raw)

    @asynccontextmanager
    async def _call(self, step: Speak | Ask, flight: CallInFlight) -> AsyncIterator[Call]:
        """A place in the provider's queue for one call.

        While the call waits for it, the spectators see why.  The tokens of a failed call count for the limits too.
        """
        with ExitStack() as waits:
            waits.enter_context(self._hub.waiting(self.id, lambda: self._why_waiting(step.model)))
            async with self._registry.call(step.model, self.id, patience_s=self._seconds_left()) as call:
                waits.close()
                flight.begin(call)
                try:
                    yield call
                except ProviderError as error:
                    error.complete(call.progress)
                    if error.outcome is not None:
                        call.used(error.outcome)
                    raise

    def _why_waiting(self, model: str) -> str:
        """Why calls of a model wait, in words.  In a blind debate the words name no model."""
        why = self._registry.wait(model, self.id)
        return "waiting for a model" if why and self.debate.is_blind else why

    async def _after_failure(self, step: Speak | Ask, error: ProviderError, answer: str) -> None:
        """Count a failed call, and halt the debate if the model can be asked again too late."""
        observe.MODEL_FAILURES.labels(_purpose(step), self._provider(step), error.kind).inc()
        self._count_cost(step, error, answer)
        model, why = ("the model", error.kind) if self.debate.is_blind else (step.model, error.message)
        if error.retry_after_s:
            why += f" (in {rounded(error.retry_after_s, 0)} s)"
        if error.retry_after_s and error.retry_after_s >= self._seconds_left():
            await self._halt_for_deadline(f"the deadline comes before {model} can be asked again: {why}")
        elif error.is_lasting:
            reason = f"{model} does not answer, last: {why}. Resume when it does."
            await self._halt(lambda debate: halt_within_turn(debate, reason, "the model does not answer"))

    def _count_cost(self, step: Speak | Ask, error: ProviderError, answer: str) -> None:
        """Count what the vendor charges for a call without a usable answer."""
        if error.outcome is not None:
            observe.count_call(self._provider(step), _purpose(step), error.outcome, is_answered=False)
        elif has_unknown_cost(step.model, error, answer):
            observe.count_unpriced(self._provider(step))

    def _seconds_left(self) -> float:
        """Seconds until the deadline of the debate; infinite without a deadline."""
        left = seconds_left(self.debate, self._clock.now()) if self.debate.status.state in LIVE else None
        return math.inf if left is None else left

    async def _halt_for_deadline(self, why: str = "") -> None:
        await self._halt(lambda debate: halt_for_deadline(debate, why))

    async def _halt(self, build: Callable[[Debate], Record]) -> None:
        await self._writer.append(lambda debate: build(debate).drafts if debate.status.state in LIVE else ())
        self._cancel_steps()

    def _cancel_steps(self) -> None:
        if self._steps_scope is not None:
            self._steps_scope.cancel()

    def _log_failure(self, step: Speak | Ask, name: str, error: ProviderError, **about: Any) -> None:
        """Log a failed call as a warning, or as a detail if the script of an exhibition contains the failure."""
        opened = self.debate.opened
        is_planned = opened is not None and opened.exhibition is not None and self._provider(step) == "scripted"
        log = logger.debug if is_planned else logger.warning
        log(name, debate=self.id, **about, kind=error.kind, message=error.message)

    def _provider(self, step: Speak | Ask) -> str:
        """The model's provider as a metric's label."""
        return observe.provider_of(step.model, self._registry.names)

    def _settings(self) -> DebateSettings:
        assert self.debate.opened is not None
        return self.debate.opened.settings

    def _seed(self, offset: int) -> int | None:
        seed = self._settings().seed
        return None if seed is msgspec.UNSET else int(seed) + offset


def _purpose(step: Speak | Ask) -> str:
    return "speak" if isinstance(step, Speak) else step.purpose


def _is_current(step: Speak, debate: Debate) -> bool:
    """Whether the attempt still stands.  A halt abandons it while its last words are still arriving."""
    turn = debate.transcript.current
    return turn is not None and turn.state == "speaking" and (turn.number, turn.attempt) == (step.turn, step.attempt)


def _failed_turn(step: Speak, error: ProviderError, debate: Debate) -> TurnFailed | AttemptAbandoned:
    """The event of a failed attempt: abandoned if the failure is forgiven (see ``is_forgiven``), else failed."""
    turn = debate.transcript.turns[step.turn]
    fields: dict[str, Any] = {"turn": step.turn, "side": step.side, "attempt": step.attempt, "kind": error.kind}
    if is_forgiven(error.kind, [each.kind for each in turn.failures]):
        return AttemptAbandoned(**fields, message=UNNAMED if debate.is_blind else error.message)
    return TurnFailed(**fields, message=error.message)
