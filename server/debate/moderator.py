"""The moderator of one debate: fold, ask for the next steps, do their I/O, append what happened.

It decides nothing.  A crash loses at most the calls in flight: the next moderator folds the log and goes on.  It is the
only writer of its debate; everybody else's acts go through ``act``.
"""

import math
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from typing import Any, assert_never

import anyio
import msgspec
import structlog

from events.record import Draft, now
from events.state.debate import UNNAMED, Debate
from events.store.log import EventLog
from events.types import (
    AttemptAbandoned,
    ClaimAppealed,
    DebateHalted,
    DebatePaused,
    DebateResumed,
    DecisionRecorded,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from providers.base import Request
from providers.calls import PATIENCE_S, Call
from providers.errors import Empty, ProviderError, UnknownReference
from providers.imports import load
from providers.registry import Registry
from server import observe
from server.debate.ballots import BallotBox
from server.debate.calls import answered, failed, is_untold, usage
from server.debate.decisions import undecided
from server.debate.floor import Floor, has_floor
from server.debate.formats import next_steps
from server.debate.formats.adapting import is_forgiven
from server.debate.formats.course import cut_off
from server.debate.formats.deadline import late, left_s
from server.debate.formats.steps import Ask, Record, Speak, Step
from server.debate.speech import Pace, Words, clean, clip, words
from server.debate.stream_writer import Build, StreamWriter
from server.debate.timing import deadline, jittered_s
from server.errors import BadField, NotFound, NotNow
from server.feed.hub import Hub
from server.feed.in_flight import Speech

logger = structlog.get_logger()

LIVE = frozenset({"open", "paused"})
"""States in which something may still be in flight."""
SLACK_S = 0.05
"""The deadline is the wall clock's, the scope that keeps it is not: it ends when both agree."""


class Moderator:
    """Runs one debate."""

    def __init__(
        self, debate: str, log: EventLog, registry: Registry, hub: Hub, *, idle_timeout_s: float = 60.0
    ) -> None:
        self.id = debate
        self.is_running = False
        self._registry, self._hub = registry, hub
        self._scribe = StreamWriter(debate, log, hub.waiting)
        self.floor = Floor()
        self._idle_timeout_s = idle_timeout_s
        self._steps: anyio.CancelScope | None = None
        self._decided_at = 0
        self.ballots = BallotBox(self._scribe.append_at_once)

    @property
    def debate(self) -> Debate:
        """As it stands."""
        return self._scribe.debate

    async def load(self) -> None:
        """Fold the log up to now."""
        await self._scribe.load()

    async def run(self) -> None:
        """Take steps until there are none: the debate rests or has ended."""
        self.is_running = True
        try:
            if self.debate.opened and self.debate.opened.panel:  # with numpy: everybody would wait at the verdict
                await load("judge.panel.outcome")
            while not self.floor.is_leaving and (steps := next_steps(self.debate)):
                self._decided_at = self.debate.position
                with anyio.move_on_after(self._left_s() + SLACK_S) as self._steps:
                    async with anyio.create_task_group() as tasks:
                        for step in steps:
                            tasks.start_soon(self._take, step)
                if self._left_s() <= 0:
                    await self._halt_late()
        finally:
            self.is_running = False
            self._hub.silence(self.id)
            self._registry.forget(self.id)

    def _left_s(self) -> float:
        """Seconds until the deadline of the debate; without one there is no end of them."""
        left = left_s(self.debate, now()) if self.debate.standing.state in LIVE else None
        return math.inf if left is None else left

    async def _halt_late(self, why: str = "") -> None:
        """The deadline has passed, or will before what has to be waited for."""
        await self._scribe.append(lambda debate: late(debate, why).drafts if debate.standing.state in LIVE else ())
        if self._steps is not None:
            self._steps.cancel()

    # acts of people

    async def pause(self, reason: str, by: str) -> int:
        """Let what is in flight finish, then rest."""
        return await self._act(DebatePaused(reason=reason, by=by), {"open"})

    async def resume(self, reason: str, by: str, max_cost_usd: float | None = None) -> int:
        """Go on, with a new cap where one is given; the caller runs the moderator again where it has stopped."""
        resumed = DebateResumed(reason=reason, by=by)
        if max_cost_usd is not None:
            if max_cost_usd <= self.debate.usage.cost_usd:
                spent = f"{self.debate.usage.cost_usd:.4f} USD have been spent already"
                raise BadField("max_cost_usd", f"{spent}: a cap must be above that")
            resumed = msgspec.structs.replace(resumed, max_cost_usd=max_cost_usd)
        return await self._act(resumed, {"paused", "halted"})

    async def halt(self, reason: str, by: str) -> int:
        """Stop at once, cutting off what is in flight."""
        position = await self._act(DebateHalted(reason=reason, by=by), {"open", "paused"})
        if self._steps is not None:
            self._steps.cancel()
        return position

    async def appeal(self, claim: str, by: str) -> int:
        """Ask for a second opinion on a flag; it is asked for beside the next turn."""

        def build(debate: Debate) -> Sequence[Draft]:
            entry = debate.claims.get(claim)
            if entry is None:
                raise NotFound(f"there is no claim {claim[:40]!r} in this debate")
            if debate.standing.state == "concluded":
                raise NotNow("the debate has concluded")
            if entry.state != "flagged":
                raise NotNow(f"{claim} is {entry.state}")
            if entry.appealed:
                raise NotNow(f"{claim} was appealed already")
            if debate.verdicts.scorecard is not None:
                raise NotNow("the scorecard's verdict has been reached")
            return [Draft(event=ClaimAppealed(claim=claim, by=by), cause=entry.flagged)]

        return await self.perform(build)

    async def decide(self, decision: str, reason: str, by: str) -> int:
        """Record what a person decides where the panel names no winner, also after the debate has ended."""

        def build(debate: Debate) -> Sequence[Draft]:
            cause = undecided(debate)
            return [Draft(event=DecisionRecorded(by=by, decision=decision, reason=reason), cause=cause)]

        return await self.perform(build)

    async def _act(self, event: DebatePaused | DebateResumed | DebateHalted, states: set[str]) -> int:
        def build(debate: Debate) -> Sequence[Draft]:
            if debate.standing.state not in states:
                raise NotNow(f"the debate is {debate.standing.state}")
            drafts = [Draft(event=event)]
            if isinstance(event, DebateHalted):
                drafts += cut_off(debate, event.reason, cause=debate.position + 1)
            return drafts

        return await self.perform(build)

    async def perform(self, build: Build) -> int:
        """A person's act: recorded now or refused; the position of its event."""
        return (await self._scribe.append_at_once(build))[0].position

    # steps

    async def _take(self, step: Step) -> None:
        match step:
            case Record():
                await self._record(step)
            case Speak():
                await self._speak(step)
            case Ask():
                await self._ask(step)
            case _:
                assert_never(step)

    async def _record(self, step: Record) -> None:
        """Append what follows; where somebody's act came between, what follows from the debate as it is now."""
        decided_at = self._decided_at

        def build(debate: Debate) -> Sequence[Draft]:
            steps = (step,) if debate.position == decided_at else next_steps(debate)
            return steps[0].drafts if steps and isinstance(steps[0], Record) else ()

        await self._scribe.append(build)

    @asynccontextmanager
    async def _call(self, step: Speak | Ask) -> AsyncIterator[Call]:
        """A place for one call.  While it is waited for, the audience is told why.  What a failed one used counts."""
        patience_s = min(PATIENCE_S, self._left_s())
        with ExitStack() as waits:
            waits.enter_context(self._hub.waiting(self.id, lambda: self._wait(step.model)))
            async with self._registry.call(step.model, self.id, patience_s=patience_s) as call:
                waits.close()
                try:
                    yield call
                except ProviderError as error:
                    if error.outcome is not None:
                        call.used(error.outcome)
                    raise

    def _wait(self, model: str) -> str:
        """Why calls to a model wait, in words; in a blind debate only that they do."""
        said = self._registry.wait(model, self.id)
        return "waiting for a model" if said and self.debate.is_blind else said

    async def _failed(self, step: Speak | Ask, error: ProviderError, answer: str) -> None:
        """What follows from any failed call: the numbers, and the end where no time is left for another."""
        purpose, provider = "speak" if isinstance(step, Speak) else step.purpose, self._provider(step)
        observe.MODEL_FAILURES.labels(purpose, provider, error.kind).inc()
        if error.outcome is not None:  # it is paid for like any other
            observe.count_call(provider, purpose, error.outcome, is_answered=False)
        elif is_untold(step.model, error, answer):
            observe.count_untold(provider)
        if error.retry_after_s and error.retry_after_s >= self._left_s():
            model, why = ("the model", error.kind) if self.debate.is_blind else (step.model, error.message)
            wait = f"{why} (in {error.retry_after_s:.0f} s)"
            await self._halt_late(f"the deadline comes before {model} can be asked again: {wait}")

    async def _speak(self, step: Speak) -> None:
        await anyio.sleep(jittered_s(step.delay_ms))
        started = TurnStarted(turn=step.turn, side=step.side, attempt=step.attempt, directive=step.directive)

        def start(debate: Debate) -> Sequence[Draft]:
            return [Draft(event=started, cause=step.cause)] if debate.standing.state == "open" else []

        if not (records := await self._scribe.append(start)):
            return  # paused or halted while the attempt waited
        (record,) = records
        settings = self._settings()
        speech = Speech(step.turn, step.side, step.attempt, now())
        pace, said, began = Pace(), Words(), time.monotonic()
        self._hub.begin(self.id, speech)
        try:
            request = Request(
                key=f"speak:{step.side}",
                turn=step.turn,
                attempt=step.attempt,
                prompt=step.prompt,
                max_tokens=math.ceil(step.max_words * 1.6) + 40,
                temperature=step.temperature,
                seed=self._seed(step.turn * 100 + step.attempt),
                idle_timeout_s=self._idle_timeout_s,
                think=step.think,
            )
            async with self._call(step) as call:
                began = time.monotonic()  # a place in the queue was waited for: that is not the model's time
                with deadline(settings.turn_timeout_s):
                    async with call.provider.stream(call.model, request) as stream:
                        async for chunk in stream:
                            text = clean(chunk)
                            if not speech.text:
                                text = text.lstrip()
                            if text and said.number <= step.max_words:
                                said.add(text)
                                self._hub.say(self.id, text)
                                pace.mark(int((time.monotonic() - began) * 1000), len(speech.text))
                outcome = stream.outcome
                call.used(outcome)
            text, clipped = clip(speech.text, step.max_words, cut_short=outcome.finish == "length")
            if not text:
                raise Empty("the model said nothing", outcome=outcome)
        except ProviderError as error:
            await self._spoke_in_vain(step, record.position, error, speech.text, began)
            return
        spoken = TurnSpoken(
            turn=step.turn,
            side=step.side,
            attempt=step.attempt,
            text=text,
            words=words(text),
            clipped=clipped,
            pace=pace.until(len(text)),
            model=outcome.model,
            usage=usage(outcome),
            latency_ms=outcome.latency_ms,
        )
        name = f"speak.{step.turn}.{step.attempt}"

        def build(debate: Debate) -> Sequence[Draft]:
            if not has_floor(step, debate):
                return []
            call = answered(step, name, outcome, speech.text, debate)
            return [Draft(event=call, cause=record.position), Draft(event=spoken, cause=debate.position + 1)]

        await self._scribe.append(build)
        self._hub.silence(self.id)
        observe.count_call(self._provider(step), "speak", outcome)

    async def _spoke_in_vain(self, step: Speak, started: int, error: ProviderError, so_far: str, began: float) -> None:
        self._hub.silence(self.id)
        logger.warning("turn_failed", debate=self.id, turn=step.turn, kind=error.kind, message=error.message)
        latency_ms = int((time.monotonic() - began) * 1000)

        def build(debate: Debate) -> Sequence[Draft]:
            if not has_floor(step, debate):
                return []
            call = failed(step, f"speak.{step.turn}.{step.attempt}", error, so_far or error.raw, latency_ms, debate)
            return [
                Draft(event=call, cause=started),
                Draft(event=_came_to_nothing(step, error, debate), cause=debate.position + 1),
            ]

        await self._scribe.append(build)
        await self._failed(step, error, so_far)

    async def _ask(self, step: Ask) -> None:
        await anyio.sleep(jittered_s(step.delay_ms))
        if self.debate.standing.state != "open":
            return
        settings, began = self._settings(), time.monotonic()
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
            )
            async with self._call(step) as call:
                began = time.monotonic()
                with deadline(min(settings.judge_timeout_s, step.timeout_s or settings.judge_timeout_s)):
                    answer = await call.provider.answer(call.model, request, step.answer_type)
                if fault := step.check(answer.value):
                    raise UnknownReference(fault, raw=answer.raw, outcome=answer.outcome)
                call.used(answer.outcome)
        except ProviderError as error:
            latency_ms = int((time.monotonic() - began) * 1000)
            logger.warning("question_failed", debate=self.id, call=step.call, kind=error.kind, message=error.message)
            failure = error
            await self._scribe.append(
                lambda debate: [
                    Draft(event=failed(step, step.call, failure, failure.raw, latency_ms, debate), cause=step.cause)
                ]
            )
            await self._failed(step, error, error.raw)
            return
        observe.count_call(self._provider(step), step.purpose, answer.outcome)
        await self._scribe.append(
            lambda debate: [
                Draft(event=answered(step, step.call, answer.outcome, answer.raw, debate), cause=step.cause)
            ]
        )

    def _provider(self, step: Speak | Ask) -> str:
        """What a label says of the model's provider."""
        return observe.provider_of(step.model, self._registry.names)

    def _settings(self) -> Any:
        assert self.debate.opened is not None
        return self.debate.opened.settings

    def _seed(self, offset: int) -> int | None:
        seed = self._settings().seed
        return None if seed is msgspec.UNSET else int(seed) + offset


def _came_to_nothing(step: Speak, error: ProviderError, debate: Debate) -> TurnFailed | AttemptAbandoned:
    """A failure of the debater, or the first one that showed how its model must be asked: that is nobody's."""
    turn = debate.transcript.turns[step.turn]
    told: dict[str, Any] = {"turn": step.turn, "side": step.side, "attempt": step.attempt, "kind": error.kind}
    if is_forgiven(error.kind, [each.kind for each in turn.failures]):
        return AttemptAbandoned(**told, message=UNNAMED if debate.is_blind else error.message)
    return TurnFailed(**told, message=error.message)
