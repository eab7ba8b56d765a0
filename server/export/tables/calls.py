"""The table of calls to models: what was asked of which model, and what it gave and took."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET

from events.record import Recorded, shows_private, withheld
from events.short_names import with_short_names
from events.types import Missing, ModelAnswered, ModelFailed
from server.export.tables.table import Debate, DebateTable, Says, Seen, TableRow, Time

Sample = Annotated[int, Says("The sample, from 1, where the question was asked several times.")]
IsAnswered = Annotated[bool, Says("Whether the call gave an answer.")]
Temperature = Annotated[float | None, Says("The temperature.")]
Parameters = Annotated[str | None, Says("All parameters of the call, as JSON.")]
SamplingSeed = Annotated[int | None, Says("The seed of the sampling.")]
PromptDigest = Annotated[
    str | None, Says("SHA-256 of the roles and the digests of the prompt's parts: the same for the same prompt.")
]
InputTokens = Annotated[int, Says("Input tokens, cached ones included.", "tokens")]
OutputTokens = Annotated[int, Says("Output tokens, thinking included.", "tokens")]
CachedTokens = Annotated[int | None, Says("Input tokens that the vendor read from its cache.", "tokens")]
ThoughtTokens = Annotated[int | None, Says("Output tokens of thinking.", "tokens")]
Cost = Annotated[float | None, Says("The cost, if it is known.", "USD")]
Latency = Annotated[int, Says("Time of the call.", "ms")]


class CallRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One call to a model, also one that failed."""

    debate: Debate
    position: Annotated[int, Says("The position of its event.")]
    at: Annotated[Time, Says("When it ended.", "UTC")]
    call: Annotated[str, Says("Its id, by which `GET /api/debates/{debate}/calls/{call}` shows the whole prompt.")]
    key: Annotated[str, Says("The question, such as `score:3` or `speak:pro`.")]
    purpose: Annotated[str, Says("What the question is for.")]
    turn: Annotated[int | None, Says("The turn that it is about.")]
    sample: Sample
    order: Annotated[str | None, Says("The turns in the order in which they were shown, separated by commas.")]
    model: Annotated[str | None, Says("The model that answered, as its vendor names it.")]
    answered: IsAnswered
    failure: Annotated[str | None, Says("Why it gave no answer, beginning with the kind of the failure.")]
    at_least: Annotated[bool, Says("Whether it ended before the vendor reported all tokens: they are a minimum.")]
    temperature: Temperature
    parameters: Parameters
    sampling_seed: SamplingSeed
    prompt_digest: PromptDigest
    input_tokens: InputTokens
    output_tokens: OutputTokens
    cached_tokens: CachedTokens
    thought_tokens: ThoughtTokens
    cost_usd: Cost
    latency_ms: Latency
    answer: Annotated[str | None, Says("The text of the answer; none for spectators before the end.")]


def call_rows(seen: Seen, records: Sequence[Recorded]) -> Iterator[CallRow]:
    """A row for each call, without what the reader may not see yet."""
    for record in records:
        event = with_short_names(record.event)
        if not isinstance(event, ModelAnswered | ModelFailed):
            continue
        is_shown = shows_private(event, seen.is_revealed, seen.has_ended)
        hidden = frozenset[str]() if is_shown else withheld(event, blind=seen.view.blind or False)
        figures = figures_of(event)
        yield CallRow(
            debate=record.debate,
            position=record.position,
            at=Time(record.at),
            call=event.call,
            key=event.key,
            purpose=event.purpose,
            turn=event.turn,
            order=",".join(map(str, event.order)) or None,
            model=None if "model" in hidden else event.model or None,
            failure=_failure(event, hidden),
            at_least=isinstance(event, ModelFailed) and event.at_least is True,
            answer=None if "answer" in hidden else event.answer,
            **figures
            | (dict.fromkeys(("temperature", "parameters", "sampling_seed")) if "parameters" in hidden else {})
            | ({"prompt_digest": None} if "prompt" in hidden else {}),
        )


def _failure(event: ModelAnswered | ModelFailed, hidden: frozenset[str]) -> str | None:
    if isinstance(event, ModelAnswered):
        return None
    return event.kind if "message" in hidden else failure_of(event)


def failure_of(event: ModelFailed) -> str:
    """The kind of a failure, and its message."""
    return f"{event.kind}: {event.message}"


def figures_of(event: ModelAnswered | ModelFailed) -> dict[str, Any]:
    """What a call was asked with, and what it took."""
    usage = event.usage
    temperature, seed = (event.parameters.get(name) for name in ("temperature", "seed"))
    return {
        "sample": event.sample,
        "answered": isinstance(event, ModelAnswered),
        "temperature": float(temperature) if isinstance(temperature, int | float) else None,
        "parameters": msgspec.json.encode(event.parameters, order="sorted").decode(),
        "sampling_seed": seed if isinstance(seed, int) else None,
        "prompt_digest": hashlib.sha256(msgspec.json.encode(event.prompt)).hexdigest() if event.prompt else None,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": None if usage.cached_tokens is UNSET else usage.cached_tokens,
        "thought_tokens": None if usage.thought_tokens is UNSET else usage.thought_tokens,
        "cost_usd": None if isinstance(event.cost_usd, Missing) else event.cost_usd,
        "latency_ms": event.latency_ms,
    }


CALLS: Final = DebateTable(CallRow, call_rows, reads_log=True)
