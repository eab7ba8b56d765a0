"""What a lab run will take: its calls, tokens, cost and time, before it begins."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Struct

from events.state import debate as debates
from events.state.debate import Debate
from events.types import DebateOpened, Event, Missing, missing
from judge.lab.trials import Trial
from judge.live.event_batch import EventBatch
from judge.text.words import tokens
from providers.answers.schema import schema
from providers.catalog.addresses import is_free
from providers.catalog.pricing import cost, is_priced
from server.debate.formats.lab.trials import keys_of, question_of, trials_of
from server.debate.setup.estimate import (
    CALL_TOKENS,
    NONE_MEASURED,
    PACES,
    Durations,
    Estimate,
    estimate,
    lasting,
    money,
    thought_tokens,
)
from server.debate.setup.estimate import in_words as estimate_in_words
from server.debate.setup.rehearsal import filler_answer

SAMPLED: Final = 6
"""Trials of a battery whose prompts are built for the estimate."""


class LabEstimate(Struct, frozen=True, kw_only=True):
    """What a run will take.  ``minutes`` are a rough guess: vendors differ, and so does their load."""

    trials: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | Missing
    minutes: float
    thought_tokens: int = 0


def estimate_lab(opened: DebateOpened) -> LabEstimate:
    """Calls, tokens, cost and time of a run; no model is asked."""
    assert opened.lab is not UNSET, "a run has a setup"
    trials, debate = trials_of(opened.lab), _unasked(opened)
    model, samples = opened.judge.model, opened.judge.samples
    thought = thought_tokens(model, opened.judge.think)
    calls = read = written = 0.0
    by_kind: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        by_kind.setdefault((trial.battery, trial.asks), []).append(trial)
    for alike in by_kind.values():
        number = sum(len(keys_of(each, opened)) for each in alike) * samples
        calls += number
        if opened.judge.baseline:
            continue
        sampled = alike[:: max(1, len(alike) // SAMPLED)]
        asked = [question_of(each, keys_of(each, opened)[0], debate, opened) for each in sampled]
        form = tokens(msgspec.json.encode(schema(asked[0].answer_type)).decode())
        prompts = sum(CALL_TOKENS + form + sum(tokens(part.text) for part in each.prompt()) for each in asked)
        said = sum(tokens(filler_answer(each.purpose, each.answer_type)) for each in asked)
        read += number * prompts / len(asked)
        written += number * (said / len(asked) + thought)
    return LabEstimate(
        trials=len(trials),
        calls=round(calls),
        input_tokens=round(read),
        output_tokens=round(written),
        cost_usd=_price(model, calls, read, written),
        minutes=round(_seconds(opened, calls, read, written) / 60, 1),
        thought_tokens=round(thought * calls),
    )


def _unasked(opened: DebateOpened) -> Debate:
    batch = EventBatch(debates.INITIAL)
    batch.add(opened, None)
    return batch.debate


def _price(model: str, calls: float, read: float, written: float) -> float | Missing:
    if is_free(model):
        return 0.0
    if not is_priced(model):
        return missing(f"no price is known for {model}")
    provider, _, name = model.partition(":")
    each = max(calls, 1)
    one = cost(provider, name, round(read / each), round(written / each))
    return missing(f"no price is known for {model}") if one is None else round(one * calls, 4)


HOSTED: Final = (5000.0, 60.0, 8)
"""Tokens read and written a second, and calls at once, of a model elsewhere: rough guesses."""
COUNTED_S: Final = 0.004
"""Seconds of a call of a judge without a model."""


def _seconds(opened: DebateOpened, calls: float, read: float, written: float) -> float:
    if opened.judge.baseline:
        return calls * COUNTED_S
    provider = opened.judge.model.partition(":")[0]
    reading, writing, at_once = (*PACES[provider], 1) if provider in PACES else HOSTED
    return (read / reading + written / writing) / at_once


def estimate_of(
    opened: DebateOpened, measured: Durations = NONE_MEASURED, supplied: Sequence[Event] = ()
) -> Estimate | LabEstimate:
    """The estimate of anything that this opens.  ``measured`` and ``supplied`` as in ``estimate``."""
    return estimate(opened, measured, supplied) if opened.lab is UNSET else estimate_lab(opened)


def in_words(found: Estimate | LabEstimate) -> str:
    """An estimate in one line for a reader."""
    if isinstance(found, Estimate):
        return estimate_in_words(found)
    counted = round(found.input_tokens + found.output_tokens, -3)
    calls = f"{found.trials} trials, about {found.calls} calls and {counted:,} tokens"
    return f"{calls}, {money(found.cost_usd)}, {lasting(found.minutes)}"
