"""The table of the calls of lab runs, each with what its trial gave after the rules of the rubric."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final

from msgspec import UNSET

from events.record import Recorded
from events.short_names import with_short_names
from events.state.debate import LAB_KEY
from events.state.parts.lab import AGAIN, SWAPPED
from events.types import ModelAnswered, ModelFailed
from judge.lab.trials import Reading, Trial
from server.debate.formats.lab.trials import readings_of, trials_of
from server.export.tables.calls import (
    CachedTokens,
    Cost,
    InputTokens,
    IsAnswered,
    Latency,
    OutputTokens,
    Parameters,
    PromptDigest,
    Sample,
    SamplingSeed,
    Temperature,
    ThoughtTokens,
    failure_of,
    figures_of,
)
from server.export.tables.table import DebateTable, Says, Seen, TableRow


class TrialRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One call of a lab run, and what its trial gave after the rules of the rubric."""

    run: Annotated[str, Says("The id of the run, which is `debate` in the other tables.")]
    position: Annotated[int, Says("The position of its event.")]
    battery: Annotated[str, Says("The battery that the trial belongs to.")]
    item: Annotated[str, Says("The item that the trial shows.")]
    cluster: Annotated[str, Says("What items of one origin have in common: intervals count clusters.")]
    variant: Annotated[str, Says("The variant of the item.")]
    kind: Annotated[str, Says("The kind of the variant.")]
    asks: Annotated[str, Says("What the trial asks of the judge, such as `score` or `compare`.")]
    order: Annotated[
        str | None,
        Says("Of a comparison: `forward` shows the speeches as they were spoken, `backward` the other way round."),
    ]
    repeat: Annotated[int, Says("The repetition of the trial.")]
    question: Annotated[
        str, Says("`first`, `again` after a challenge, or `swapped` with the labels of the speakers swapped.")
    ]
    sample: Sample
    truth: Annotated[str | None, Says("What is right, where that is known.")]
    answered: IsAnswered
    failure: Annotated[str | None, Says("Why it gave no answer, beginning with the kind of the failure.")]
    answer: Annotated[str, Says("The text of the answer.")]
    trial_chose: Annotated[
        str | None, Says("What the trial gave, of all its calls: the speech shown first or second, or a draw.")
    ]
    trial_total: Annotated[float | None, Says("The score that the trial gave.", "points of 100")]
    trial_flags: Annotated[str | None, Says("What the trial flagged, separated by commas.")]
    trial_confidence: Annotated[float | None, Says("How sure the judge says that it is.", "0 to 1")]
    trial_failed: Annotated[str | None, Says("Why the trial gave nothing.")]
    judge: Annotated[str, Says("The model that was asked.")]
    server: Annotated[str | None, Says("`vendor`, or the beginning of the SHA-256 of another address.")]
    served_model: Annotated[str | None, Says("The model that answered, as its vendor names it.")]
    effort: Annotated[str, Says("How many calls the judge gets for a turn: `full` or `brief`.")]
    thinking: Annotated[str, Says("How much the judge is asked to think before it answers.")]
    temperature: Temperature
    parameters: Parameters
    run_seed: Annotated[int, Says("The seed that drew the items.")]
    sampling_seed: SamplingSeed
    rubric_digest: Annotated[str, Says("The digest of the rubric.")]
    prompt_digest: PromptDigest
    input_tokens: InputTokens
    output_tokens: OutputTokens
    cached_tokens: CachedTokens
    thought_tokens: ThoughtTokens
    cost_usd: Cost
    latency_ms: Latency


def trial_rows(seen: Seen, records: Sequence[Recorded]) -> Iterator[TrialRow]:
    """A row for each call of a lab run, in their order; for spectators once the run has its result."""
    opened = seen.fold.debate.opened
    if opened is None or opened.lab is UNSET or not seen.is_revealed:
        return
    of_run: dict[str, Any] = {
        "run": seen.view.id,
        "judge": opened.judge.model,
        "server": opened.judge.server or None,
        "effort": opened.judge.effort,
        "thinking": opened.judge.think,
        "run_seed": opened.lab.seed,
        "rubric_digest": opened.lab.rubric_digest,
    }
    trials, readings = _trials(seen)
    for record in records:
        event = with_short_names(record.event)
        if not isinstance(event, ModelAnswered | ModelFailed) or not event.key.startswith(LAB_KEY):
            continue
        trial, question = _asked(event.key, trials)
        reading = readings[trial.id]
        yield TrialRow(
            **of_run,
            **figures_of(event),
            position=record.position,
            battery=trial.battery,
            item=trial.item,
            cluster=trial.cluster,
            variant=trial.variant,
            kind=trial.kind,
            asks=trial.asks,
            order=("backward" if trial.backward else "forward") if trial.asks == "compare" else None,
            repeat=trial.repeat,
            question=question,
            truth=trial.truth or None,
            failure=failure_of(event) if isinstance(event, ModelFailed) else None,
            answer=event.answer,
            served_model=event.model or None,
            trial_chose=reading.chose or None,
            trial_total=reading.total,
            trial_flags=",".join(reading.flags) or None,
            trial_confidence=reading.confidence,
            trial_failed=reading.failed or None,
        )


@lru_cache(maxsize=1)
def _trials(seen: Seen) -> tuple[Mapping[str, Trial], Mapping[str, Reading]]:
    """The trials of a run and what came of them, by id; the same for all pages of a log."""
    debate = seen.fold.debate
    assert debate.opened is not None, "a run has been opened"
    assert debate.opened.lab is not UNSET, "its format has a setup"
    readings = {each.trial: each for each in readings_of(debate)}
    return {each.id: each for each in trials_of(debate.opened.lab)}, readings


def _asked(key: str, trials: Mapping[str, Trial]) -> tuple[Trial, str]:
    name = key.removeprefix(LAB_KEY)
    for ending in (AGAIN, SWAPPED):
        if name.endswith(ending):
            return trials[name.removesuffix(ending)], ending.removeprefix(":")
    return trials[name], "first"


TRIALS: Final = DebateTable(TrialRow, trial_rows, reads_log=True)
