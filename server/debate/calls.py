"""Model calls as events: what was asked, by which model, what came, what it cost."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from msgspec import UNSET

from events.state.debate import Debate
from events.types import Missing, ModelAnswered, ModelFailed, Usage, missing
from providers.base import Outcome, Segment
from providers.errors import ProviderError
from providers.pricing import runs_here
from server.debate.formats.steps import Ask, Speak
from server.debate.speech import clean

BROKE_OFF: Final = "the call broke off before the vendor told what it used"


def usage(outcome: Outcome) -> Usage:
    """Tokens as events keep them."""
    tokens = outcome.tokens
    return Usage(
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cached_tokens=tokens.cached or UNSET,
        written_tokens=tokens.written or UNSET,
        thought_tokens=tokens.thought or UNSET,
    )


def answered(step: Speak | Ask, call: str, outcome: Outcome, answer: str, debate: Debate) -> ModelAnswered:
    """A call that came back with what was asked for."""
    return ModelAnswered(
        **_question(step, call, debate),
        model=outcome.model,
        parameters=dict(outcome.parameters),
        usage=usage(outcome),
        latency_ms=outcome.latency_ms,
        cost_usd=_cost(step, outcome, debate),
        answer=clean(answer),
        reasoning=clean(outcome.reasoning),
    )


def failed(
    step: Speak | Ask, call: str, error: ProviderError, answer: str, latency_ms: int, debate: Debate
) -> ModelFailed:
    """A call that gave nothing usable, booked as far as the vendor told what it used; ``answer`` is what had come."""
    outcome = error.outcome
    if outcome is None:
        used, parameters, cost = Usage(), {}, missing(BROKE_OFF) if is_untold(step.model, error, answer) else 0.0
    else:
        used, parameters, cost = usage(outcome), dict(outcome.parameters), _cost(step, outcome, debate)
    return ModelFailed(
        **_question(step, call, debate),
        kind=error.kind,
        message=clean(error.message),
        model=step.model,
        parameters=parameters,
        usage=used,
        latency_ms=latency_ms,
        cost_usd=cost,
        answer=clean(answer),
    )


def is_untold(model: str, error: ProviderError, answer: str) -> bool:
    """Whether a failed call cost something and nobody told how much: text had begun to come."""
    return error.outcome is None and bool(answer or error.raw) and not runs_here(model)


def _cost(step: Speak | Ask, outcome: Outcome, debate: Debate) -> float | Missing:
    """US dollars, or that nobody knows; in a blind debate the reason names no model."""
    if outcome.cost_usd is not None:
        return outcome.cost_usd
    provider = step.model.partition(":")[0]
    return missing(f"no price is known for {'this model' if debate.is_blind else f'{provider}:{outcome.model}'}")


def _question(step: Speak | Ask, call: str, debate: Debate) -> dict[str, Any]:
    """What both kinds of event say of the question."""
    prompt, segments = _prompt(step.prompt, debate)
    said: dict[str, Any] = {"call": call, "turn": step.turn, "prompt": prompt, "segments": segments}
    if isinstance(step, Speak):
        return said | {"key": f"speak:{step.side}", "purpose": "speak", "sample": 1, "order": ()}
    return said | {"key": step.key, "purpose": step.purpose, "sample": step.sample, "order": step.order}


def _prompt(prompt: Sequence[Segment], debate: Debate) -> tuple[tuple[tuple[str, str], ...], dict[str, str]]:
    """A prompt as digests, and the texts that the log does not hold yet."""
    said = [(segment.role, sha256(segment.text.encode()).hexdigest(), segment.text) for segment in prompt]
    new = {digest: text for _, digest, text in said if digest not in debate.segments}
    return tuple((role, digest) for role, digest, _ in said), new
