"""Model calls as events: what was asked, by which model, what came, what it cost."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from events.projections.debate import Debate
from events.types import Missing, ModelAnswered, ModelFailed, Usage, missing
from providers.base import Outcome, Segment
from providers.errors import ProviderError
from server.formats.steps import Ask, Speak
from server.speech import clean


def usage(outcome: Outcome) -> Usage:
    """Tokens as events keep them."""
    return Usage(input_tokens=outcome.tokens.input, output_tokens=outcome.tokens.output)


def cost(outcome: Outcome) -> float | Missing:
    """US dollars, or that nobody knows."""
    return missing("no price is known for this model") if outcome.cost_usd is None else outcome.cost_usd


def answered(step: Speak | Ask, call: str, outcome: Outcome, answer: str, debate: Debate) -> ModelAnswered:
    """A call that came back with what was asked for."""
    return ModelAnswered(
        **_question(step, call, debate), model=outcome.model, parameters=dict(outcome.parameters),
        usage=usage(outcome), latency_ms=outcome.latency_ms, cost_usd=cost(outcome), answer=clean(answer),
        reasoning=clean(outcome.reasoning),
    )


def failed(
    step: Speak | Ask, call: str, error: ProviderError, answer: str, latency_ms: int, debate: Debate,
    *, outcome: Outcome | None = None,
) -> ModelFailed:
    """A call that gave nothing usable; ``outcome`` is there where the model did answer and is to be paid."""
    return ModelFailed(
        **_question(step, call, debate), kind=error.kind, message=clean(error.message), model=step.model,
        latency_ms=latency_ms, answer=clean(answer), usage=usage(outcome) if outcome else Usage(),
        cost_usd=cost(outcome) if outcome else 0.0,
    )


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
