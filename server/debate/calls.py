"""Calls of models: the wait before a retry, the time limit, and the events that record a call and its cost."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from itertools import compress
from random import Random
from typing import Any, Final

import anyio
from msgspec import UNSET

from events.state.debate import Debate
from events.state.derived import BLOCK, derived
from events.types import Missing, ModelAnswered, ModelFailed, Usage, missing
from providers.answers.streaming import MAX_CHARACTERS
from providers.base import Outcome, Segment
from providers.catalog.addresses import runs_here
from providers.errors import BrokenOff, ProviderError, TimedOut
from providers.limits.queue import Call
from server.debate.formats.steps import Ask, Speak
from server.debate.speech import clean

BROKE_OFF: Final = "the call broke off before the vendor told what it used"
BOOKING_S: Final = 2.0
"""Longest time for which a call that was cancelled stays, to be recorded."""


class CallInFlight:
    """A call that is under way or not recorded yet."""

    def __init__(self) -> None:
        self.call: Call | None = None
        """None while the call waits for its place: it costs nothing."""
        self.began = anyio.current_time()
        self.is_recorded = False

    def begin(self, call: Call) -> None:
        """It has its place: the time in the queue is not the model's."""
        self.call, self.began = call, anyio.current_time()

    def close(self) -> None:
        """The log holds it."""
        self.is_recorded = True

    @property
    def latency_ms(self) -> int:
        """Milliseconds since it began."""
        return int((anyio.current_time() - self.began) * 1000)


def jittered_s(delay_ms: int, random: Random) -> float:
    """Seconds to wait: 0.75 to 1.25 times the delay, so that many debates do not retry at the same moment."""
    return delay_ms / 1000 * random.uniform(0.75, 1.25)


@contextmanager
def time_limit(seconds: float, message: str = "") -> Iterator[None]:
    """Raise ``TimedOut``, a provider's error, if the body takes longer."""
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError as error:
        raise TimedOut(message or f"no complete answer within {seconds:g} s") from error


def usage(outcome: Outcome) -> Usage:
    """The tokens of a call as events hold them."""
    tokens = outcome.tokens
    return Usage(
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cached_tokens=tokens.cached or UNSET,
        written_tokens=tokens.written or UNSET,
        thought_tokens=tokens.thought or UNSET,
    )


def answered(step: Speak | Ask, call: str, outcome: Outcome, answer: str, debate: Debate) -> ModelAnswered:
    """The event of a call that gave an answer or a speech."""
    return ModelAnswered(
        **_shared_fields(step, call, debate),
        model=outcome.model,
        parameters=dict(outcome.parameters),
        usage=usage(outcome),
        latency_ms=outcome.latency_ms,
        cost_usd=_cost(step, outcome, debate),
        answer=clean(answer),
        reasoning=clean(outcome.reasoning[:MAX_CHARACTERS]),
    )


def failed(
    step: Speak | Ask, call: str, error: ProviderError, answer: str, latency_ms: int, debate: Debate, kind: str = ""
) -> ModelFailed:
    """The event of a call that failed, with the tokens that the vendor reported; ``answer`` is the text so far.

    ``kind`` replaces the error's.
    """
    outcome = error.outcome
    if outcome is None:
        used, parameters, cost = Usage(), {}, missing(BROKE_OFF) if has_unknown_cost(step.model, error, answer) else 0.0
    else:
        used, parameters, cost = usage(outcome), dict(outcome.parameters), _cost(step, outcome, debate)
    is_least = outcome is not None and outcome.is_partial and not isinstance(cost, Missing)
    return ModelFailed(
        **_shared_fields(step, call, debate),
        kind=kind or error.kind,
        message=clean(error.message),
        model=step.model,
        parameters=parameters,
        usage=used,
        latency_ms=latency_ms,
        cost_usd=cost,
        answer=clean(answer),
        at_least=True if is_least and not runs_here(step.model) else UNSET,
    )


def has_unknown_cost(model: str, error: ProviderError, answer: str) -> bool:
    """Whether a failed call cost an amount that the vendor did not report.

    Text had begun to arrive, or the vendor gave no answer at all: it may have read the prompt and thought about it.
    """
    if error.outcome is not None or runs_here(model):
        return False
    return bool(answer or error.raw) or (isinstance(error, TimedOut | BrokenOff) and error.http_status is None)


def _cost(step: Speak | Ask, outcome: Outcome, debate: Debate) -> float | Missing:
    """US dollars, or the reason why they are unknown; in a blind debate the reason names no model."""
    if outcome.cost_usd is not None:
        return outcome.cost_usd
    provider = step.model.partition(":")[0]
    return missing(f"no price is known for {'this model' if debate.is_blind else f'{provider}:{outcome.model}'}")


def _shared_fields(step: Speak | Ask, call: str, debate: Debate) -> dict[str, Any]:
    """The fields that ``ModelAnswered`` and ``ModelFailed`` share."""
    prompt, segments = _prompt(step, debate)
    fields: dict[str, Any] = {"call": call, "turn": step.turn, "prompt": prompt, "segments": segments}
    if isinstance(step, Speak):
        return fields | {"key": f"speak:{step.side}", "purpose": "speak", "sample": 1, "order": ()}
    return fields | {"key": step.key, "purpose": step.purpose, "sample": step.sample, "order": step.order}


@lru_cache(maxsize=8192)
def _named(segment: Segment) -> tuple[str, str]:
    """A segment as its role and digest; cached, since all later prompts of a debate have it too."""
    return segment.role, sha256(segment.text.encode()).hexdigest()


def _prompt(step: Speak | Ask, debate: Debate) -> tuple[tuple[tuple[str, str], ...], dict[str, str]]:
    """The prompt as roles and digests, and by digest the texts that the log does not hold yet."""
    assert debate.opened is not None, "a model is called in an open debate"
    kept, prompt = derived(debate.opened), step.prompt
    named: list[tuple[str, str]] = []
    for start in range(0, len(prompt), BLOCK):  # most blocks are those of the last prompt of the kind
        block = prompt[start : start + BLOCK]
        named += kept.of(("named", _kind(step), start), block, partial(_all_named, block))
    digests = [digest for _, digest in named]
    new = debate.segments.without(digests)
    fresh = compress(zip(digests, prompt, strict=True), map(new.__contains__, digests)) if new else ()
    return tuple(named), {digest: segment.text for digest, segment in fresh}


def _all_named(block: Sequence[Segment]) -> tuple[tuple[str, str], ...]:
    return tuple(map(_named, block))


def _kind(step: Speak | Ask) -> str:
    """What a prompt is like: one of the same kind begins like it."""
    return step.side if isinstance(step, Speak) else step.purpose
