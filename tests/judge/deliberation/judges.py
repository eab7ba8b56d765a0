"""Helpers for tests of deliberation: artifacts, judges and their answers, without a model, a loop or a clock."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from events.types import NOBODY, Artifact, DebateOpened, ModelAnswered, ModelFailed, Rater, Reason, Usage
from events.types.criteria import DeliberationRules
from events.types.deliberation import OpinionGiven
from events.types.rubric import Rubric
from judge.panel.raters import shipped
from judge.rubrics.rubric import rubric_v1
from providers.answers.neutral import neutral
from providers.answers.schema import parse
from server.debate.formats.steps import Ask, Record
from tests.server.debate_events import Play, opened

TEXT = "One server holds all the data.\nNo password is asked for.\nA copy is made every night."
QUOTE, OTHER_QUOTE = "No password is asked for", "A copy is made every night"
PERSONAS = ("technical_architect", "compliance_auditor", "security_analyst", "domain_expert", "qa_evaluator")
DIMENSIONS = ("soundness", "completeness", "clarity", "risk")
RULES = DeliberationRules()
STANDS: Mapping[str, Any] = {"judge_s": 120.0, "carries": True, "reasons": True, "groups": True}
"""What version 3 adds to the rules."""
NO_REPLY = object()
"""Stands for a call that fails."""
Say = Callable[[Ask], Any]


def rubric(**rules: Any) -> Rubric:
    """Version 1 with other rules of deliberation."""
    known = rubric_v1()
    assert known.deliberation is not None
    return msgspec.structs.replace(known, deliberation=msgspec.structs.replace(known.deliberation, **rules))


def persona_seats(share: Mapping[str, float] | None = None) -> tuple[Rater, ...]:
    """The five personas, or only those with a weight in ``share``."""
    profiles = shipped().personas
    return tuple(
        Rater(
            name=name,
            title=profiles[name].title,
            domain=profiles[name].domain,
            focus=profiles[name].focus,
            weights=profiles[name].weights,
            model="scripted:judge",
            share=share[name] if share is not None else profiles[name].share,
        )
        for name in (PERSONAS if share is None else share)
    )


def artifact_opened(
    share: Mapping[str, float] | None = None,
    *,
    text: str = TEXT,
    settings: Mapping[str, Any] | None = None,
    **rules: Any,
) -> DebateOpened:
    """The opening of a deliberation on an artifact."""
    return msgspec.structs.replace(
        opened(0, **(settings or {})),
        motion="Does it pass?",
        format="deliberation",
        pro=NOBODY,
        con=NOBODY,
        archetypes={},
        panel=persona_seats(share),
        rubric=rubric(**rules),
        artifact=Artifact(name="design.md", text=text, digest="0" * 64),
    )


def opinion_answer(verdict: str, score: float = 2, quote: str = "", **more: Any) -> dict[str, Any]:
    """An answer with one score on every dimension."""
    return {
        "verdict": verdict,
        "confidence": 0.7,
        "scores": dict.fromkeys(DIMENSIONS, score),
        "findings": [],
        "remediation": [],
        "rationale": f"so {verdict}",
        "quote": quote,
        **more,
    }


def answers_by_round(*answers: Mapping[str, Any]) -> Say:
    """Answers by round and persona; the last round repeats, ``*`` stands for all other personas.

    The question about near-duplicates gets the neutral answer.
    """

    def say(step: Ask) -> Any:
        if step.key == "group":
            return None
        _, name, number = step.key.split(":")
        said = answers[min(int(number), len(answers) - 1)]
        return said.get(name, said.get("*"))

    return say


def answer_steps(play: Play, say: Say, *, latency_ms: int | Callable[[Ask], int] = 1, cost_usd: float = 0.0) -> None:
    """Answer all questions and record all batches until no step is left."""
    while steps := play.steps:
        if isinstance(steps[0], Record):
            play.add(*steps[0].drafts)
            continue
        for step in steps:
            assert isinstance(step, Ask)
            lasted = latency_ms(step) if callable(latency_ms) else latency_ms
            play.add(model_reply(step, say(step), lasted, cost_usd))


def model_reply(step: Ask, value: Any, latency_ms: int = 1, cost_usd: float = 0.0) -> ModelAnswered | ModelFailed:
    """The event of a call; a call that exceeds its deadline fails."""
    late = step.timeout_s is not None and latency_ms > step.timeout_s * 1000
    if value is NO_REPLY or late:
        lasted = round((step.timeout_s or 0) * 1000) if late else latency_ms
        return ModelFailed(
            call=step.call,
            key=step.key,
            purpose=step.purpose,
            turn=step.turn,
            sample=step.sample,
            order=step.order,
            kind="timeout" if late else "refused",
            message="it did not answer",
            latency_ms=lasted,
        )
    said = msgspec.json.encode(neutral(step.answer_type) if value is None else value).decode()
    parse(said, step.reads)
    return ModelAnswered(
        call=step.call,
        key=step.key,
        purpose=step.purpose,
        turn=step.turn,
        sample=step.sample,
        order=step.order,
        model="judge",
        parameters={},
        usage=Usage(),
        latency_ms=latency_ms,
        cost_usd=cost_usd,
        prompt=(),
        segments={},
        answer=said,
        reasoning="",
    )


def opinion(
    verdict: str = "",
    scores: Mapping[str, float] | None = None,
    *,
    quote: str = "",
    verified: bool = False,
    rater: str = "",
    number: int = 0,
    **more: Any,
) -> OpinionGiven:
    """An opinion; a missing one without a verdict."""
    if not verdict:
        return OpinionGiven(rater=rater, model="m", round=number, missing=Reason("it did not answer"))
    return OpinionGiven(
        rater=rater,
        model="m",
        round=number,
        verdict=verdict,
        scores=dict(scores or {}),
        quote=quote,  # type: ignore[arg-type]
        verified=verified,
        **more,
    )


def opinions(*given: OpinionGiven) -> dict[str, OpinionGiven]:
    """Opinions by rater: A, B, C and so on."""
    return {chr(ord("A") + index): each for index, each in enumerate(given)}


def even_scores(score: float) -> dict[str, float]:
    """One score on every dimension."""
    return dict.fromkeys(DIMENSIONS, score)
