"""``moot.inspect``: a scorer for tasks of Inspect, whose outputs a Moot server judges.  It needs the extra ``inspect``.

Inspect finds it by its entry point, as ``moot/moot``.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState
from msgspec import UNSET

from events.state.parts.panel import PanelState
from events.types import SIDES, Missing, OpinionGiven, Side, other
from events.view.view import View
from server.client.connection import ADDRESS, AsyncClient
from server.export.text import one_line, shortened

OF: Final = ("text", "debate")
MAX_PURPOSE: Final = 300
"""Characters of what a text is judged for."""
MAX_NAME: Final = 60
PURPOSE: Final = "an answer to: {input}"
LONG_PURPOSE: Final = "an answer to the task that stands above it"
VALUES: Final = {"PASS": "C", "CONDITIONAL": "P", "FAIL": "I"}
"""Inspect’s marks: correct, partial, incorrect."""


@scorer(metrics=[accuracy(), stderr()])
def moot(
    model: str = "",
    *,
    of: Literal["text", "debate"] = "text",
    rubric: str | dict[str, Any] | None = None,
    purpose: str = "",
    side: Side = "pro",
    panel: Sequence[Any] | None = None,
    max_cost_usd: float | None = None,
    server: str = ADDRESS,
) -> Scorer:
    """Judge outputs by a Moot server; ``MOOT_TOKEN`` of the environment is its token.

    ``of="text"``: five judges read the completion as a text for a purpose (format ``deliberation``): PASS is ``C``,
    CONDITIONAL ``P``, FAIL ``I``.  ``purpose`` says for what; without it, for the input of the sample.

    ``of="debate"``: the conversation is a supplied transcript, and the judge scores each turn (format ``exchange``).
    The assistant speaks for ``side`` and the user for the other one; the motion is ``motion`` of the sample's metadata,
    or its input, which is then no turn.  A win is ``C``, a loss ``I``, and no winner ``P``.

    ``model``: the judge, as ``provider:model``; without it the server’s choice.  ``panel`` and ``rubric`` are as in
    docs/http.md.  A sample without a verdict is not scored.
    """
    if of not in OF:
        raise ValueError(f"of is text or debate, not {of!r}")
    judge = {"model": model} if model else None
    asked = {"judge": judge, "rubric": rubric, "panel": panel, "max_cost_usd": max_cost_usd}
    given: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}

    async def score(state: TaskState, target: Target) -> Score:
        del target  # Moot judges what is said, and knows no right answer
        fields = _text(state, purpose) if of == "text" else _debate(state, side)
        if isinstance(fields, str):
            return Score.unscored(reason=fields, explanation=f"Moot did not judge this sample: {fields}.")
        async with AsyncClient(server) as client:
            debate = await client.open(**fields, **given)
            async for _ in client.follow(debate):
                pass
            view = await client.view(debate, director=True)
        link = f"{server.rstrip('/')}/d/{debate}"
        return _text_score(view, link) if of == "text" else _debate_score(view, link, side)

    return score


def _text(state: TaskState, purpose: str) -> dict[str, Any] | str:
    """The request that judges a completion; a reason if there is none to judge."""
    text = state.output.completion
    if not text.strip():
        return "the output is empty"
    wanted = one_line(purpose or PURPOSE.format(input=state.input_text))
    if len(wanted) > MAX_PURPOSE:
        text = f"Task:\n\n{state.input_text}\n\nAnswer:\n\n{text}"
        wanted = shortened(purpose, MAX_PURPOSE - 2) if purpose else LONG_PURPOSE
    artifact = {"name": f"sample {state.sample_id}"[:MAX_NAME], "text": text, "purpose": wanted}
    return {"format": "deliberation", "artifact": artifact}


def _debate(state: TaskState, side: Side) -> dict[str, Any] | str:
    """The request that judges a conversation; a reason if it is no debate."""
    motion = str((state.metadata or {}).get("motion") or "")
    said = [each for each in state.messages if each.text.strip()]
    if not motion:
        motion = state.input_text
        first = next((number for number, each in enumerate(said) if isinstance(each, ChatMessageUser)), None)
        said = said if first is None else said[:first] + said[first + 1 :]
    turns = [{"side": speaks, "speaker": "", "text": each.text} for each in said if (speaks := _side_of(each, side))]
    if {each["side"] for each in turns} != set(SIDES):
        return "only one side speaks in it"
    source = f"sample {state.sample_id} of a task of Inspect"
    return {"motion": one_line(motion), "transcript": {"source": source, "kind": "json", "turns": turns}}


def _side_of(message: ChatMessage, side: Side) -> str:
    """The side that a message speaks for; empty for one that speaks for none."""
    if isinstance(message, ChatMessageAssistant):
        return side
    return other(side) if isinstance(message, ChatMessageUser) else ""


def _text_score(view: View, link: str) -> Score:
    panel = view.panel if isinstance(view.panel, PanelState) else PanelState()
    verdict = panel.verdict
    if verdict is UNSET or verdict.missing is not UNSET or verdict.verdict is UNSET:
        why = view.reason if verdict is UNSET or verdict.missing is UNSET else verdict.missing.reason
        return _unscored(view, link, why)
    last: dict[str, OpinionGiven] = {}
    for opinions in panel.opinions.values():
        last |= {rater: each for rater, each in opinions.items() if each.missing is UNSET}
    metadata = {
        **_shared(view, link),
        "shares": verdict.shares,
        "agreement": None if verdict.agreement is UNSET else verdict.agreement,
        "findings": list(verdict.findings),
        "remediation": list(verdict.remediation),
        "opinions": [
            {
                "judge": panel.raters[rater].seat.title,
                "model": each.model,
                "verdict": each.verdict,
                "rationale": each.rationale,
                "quote": each.quote,
                "quote_stands_in_text": each.verified,
            }
            for rater, each in last.items()
        ],
    }
    said = [panel.says or "", *(f"- {each}" for each in verdict.findings), link]
    answer = str(verdict.verdict)
    return Score(value=VALUES[answer], answer=answer, explanation="\n".join(filter(None, said)), metadata=metadata)


def _debate_score(view: View, link: str, side: Side) -> Score:
    if view.conclusion is UNSET:
        return _unscored(view, link, view.reason)
    winner, lead = view.conclusion.winner, view.verdicts.scorecard
    value = "C" if winner == side else "I" if winner == other(side) else "P"
    quotes = [
        {
            "turn": int(number),
            "side": turn.side,
            "component": f"{dimension}, {name}",
            "points": component.admitted,
            "maximum": component.maximum,
            "quote": component.quote,
            "reason": component.reason,
        }
        for number, turn in view.turns.items()
        for dimension, components in turn.components.items()
        for name, component in components.items()
        if component.verified and component.quote
    ]
    points = {each: _known(getattr(view.scorecard, each).composite) for each in SIDES}
    metadata = {
        **_shared(view, link),
        "points": points,
        "certainty": None if lead is UNSET else _known(lead.certainty),
        "probability_that_pro_leads": None if view.lead is UNSET else _known(view.lead.probability),
        "quotes": quotes,
    }
    said = "" if view.outcome is UNSET else view.outcome.text
    return Score(value=value, answer=winner, explanation=f"{said}\n{link}".strip(), metadata=metadata)


def _unscored(view: View, link: str, why: str) -> Score:
    why = why or f"the debate is {view.state}"
    return Score.unscored(
        reason="no verdict", explanation=f"Moot reached no verdict: {why}.\n{link}", metadata=_shared(view, link)
    )


def _shared(view: View, link: str) -> dict[str, Any]:
    """What is told of every debate.  ``audit`` shows every call, quote and rule."""
    return {
        "debate": view.id,
        "audit": f"{link}?view=audit",
        "rubric": view.rubric_name or view.rubric,
        "judge": None if view.judge is UNSET else view.judge.model or None,
        "tokens": view.usage.tokens,
        "cost_usd": view.usage.cost_usd,
        "unpriced_calls": view.usage.unpriced_calls,
    }


def _known(value: Any) -> Any:
    return None if value is UNSET or isinstance(value, Missing) else value
