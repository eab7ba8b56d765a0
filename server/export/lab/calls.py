"""The calls of a lab run as a table, one row a call: as CSV, or as Parquet with the extra ``parquet``."""

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final, get_type_hints

import msgspec
from msgspec import UNSET, Struct

from events.record import Recorded
from events.state.debate import Debate
from events.state.parts.lab import AGAIN, PREFIX, SWAPPED
from events.types import Missing, ModelAnswered, ModelFailed
from judge.lab.trials import Trial
from server.debate.formats.lab.trials import readings_of, trials_of
from server.errors import BadField
from server.process.extras import is_installed, needed
from server.process.version import VERSION

PARQUET: Final = "parquet"
INERT: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a text that a spreadsheet takes for a formula."""


class CallRow(Struct, frozen=True, kw_only=True):
    """One call: what was asked, what came, and what its trial gave after the rules of the rubric.

    Scores are points of 100.  A column that a call does not have is empty.
    """

    run: str
    position: int
    """The position of its event in the log."""
    battery: str
    item: str
    cluster: str
    variant: str
    kind: str
    asks: str
    order: str
    """Of a comparison: ``forward`` shows the speeches as they were spoken, ``backward`` the other way round."""
    repeat: int
    question: str
    """``first``, ``again`` after a challenge, or ``swapped`` with the labels of the speakers swapped."""
    sample: int
    truth: str
    answered: bool
    failure: str
    answer: str
    """The text of the answer."""
    trial_chose: str
    """What the trial gave, of all its calls: the speech shown first or second, or a draw."""
    trial_total: float | None
    trial_flags: str
    trial_confidence: float | None
    trial_failed: str
    judge: str
    """The model that was asked."""
    server: str
    """``vendor``, the beginning of the SHA-256 of another address, or empty."""
    served_model: str
    """The model that answered, as its vendor names it."""
    effort: str
    thinking: str
    temperature: float | None
    parameters: str
    """All parameters of the call, as JSON."""
    run_seed: int
    """The seed that drew the items."""
    sampling_seed: int | None
    rubric_digest: str
    prompt_digest: str
    """SHA-256 of the roles and the digests of the prompt's parts: the same for the same prompt."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int | None
    thought_tokens: int | None
    cost_usd: float | None
    latency_ms: int


def call_rows(run: str, debate: Debate, records: Iterable[Recorded]) -> Iterator[CallRow]:
    """A row for each call of a run, in their order.  ``debate`` is the run with all its records."""
    opened = debate.opened
    assert opened is not None, "a run has been opened"
    assert opened.lab is not UNSET, "its format has a setup"
    trials = {each.id: each for each in trials_of(opened.lab)}
    readings = {each.trial: each for each in readings_of(debate)}
    of_run: dict[str, Any] = {
        "run": run,
        "judge": opened.judge.model,
        "server": "" if opened.judge.server is UNSET else opened.judge.server,
        "effort": opened.judge.effort,
        "thinking": opened.judge.think,
        "run_seed": opened.lab.seed,
        "rubric_digest": opened.lab.rubric_digest,
    }
    for record in records:
        event = record.event
        if not isinstance(event, ModelAnswered | ModelFailed) or not event.key.startswith(PREFIX):
            continue
        trial, question = _asked(event.key, trials)
        reading = readings[trial.id]
        yield CallRow(
            **of_run,
            **_said(event),
            position=record.position,
            battery=trial.battery,
            item=trial.item,
            cluster=trial.cluster,
            variant=trial.variant,
            kind=trial.kind,
            asks=trial.asks,
            order=("backward" if trial.backward else "forward") if trial.asks == "compare" else "",
            repeat=trial.repeat,
            question=question,
            truth=trial.truth,
            trial_chose=reading.chose or "",
            trial_total=reading.total,
            trial_flags=",".join(reading.flags),
            trial_confidence=reading.confidence,
            trial_failed=reading.failed,
        )


def _asked(key: str, trials: Mapping[str, Trial]) -> tuple[Trial, str]:
    name = key.removeprefix(PREFIX)
    for ending in (AGAIN, SWAPPED):
        if name.endswith(ending):
            return trials[name.removesuffix(ending)], ending.removeprefix(":")
    return trials[name], "first"


def _said(event: ModelAnswered | ModelFailed) -> dict[str, Any]:
    """What a call was asked with, and what it gave and took."""
    is_answer, usage = isinstance(event, ModelAnswered), event.usage
    temperature, seed = (event.parameters.get(name) for name in ("temperature", "seed"))
    return {
        "sample": event.sample,
        "answered": is_answer,
        "failure": "" if isinstance(event, ModelAnswered) else f"{event.kind}: {event.message}",
        "answer": event.answer,
        "served_model": event.model,
        "temperature": float(temperature) if isinstance(temperature, int | float) else None,
        "parameters": msgspec.json.encode(event.parameters, order="sorted").decode(),
        "sampling_seed": seed if isinstance(seed, int) else None,
        "prompt_digest": hashlib.sha256(msgspec.json.encode(event.prompt)).hexdigest() if event.prompt else "",
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": None if usage.cached_tokens is UNSET else usage.cached_tokens,
        "thought_tokens": None if usage.thought_tokens is UNSET else usage.thought_tokens,
        "cost_usd": None if isinstance(event.cost_usd, Missing) else event.cost_usd,
        "latency_ms": event.latency_ms,
    }


def calls_csv(rows: Iterable[CallRow]) -> str:
    """The table as CSV with a head."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CallRow.__struct_fields__)
    for row in rows:
        writer.writerow("" if value is None else inert(value) for value in msgspec.structs.astuple(row))
    return text.getvalue()


def inert(value: Any) -> Any:
    """A cell that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(INERT) else value


def calls_parquet(rows: Iterable[CallRow]) -> bytes:
    """The table as one Parquet file.  Raises ``BadField`` without pyarrow."""
    if not is_installed(PARQUET):
        raise BadField("as", f"a table as Parquet {needed(PARQUET)}; --as csv needs nothing")
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    types = {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    fields = [
        arrow.field(name, types[next(each for each in types if hint in (each, each | None))])
        for name, hint in get_type_hints(CallRow).items()
    ]
    schema = arrow.schema(fields, metadata={"moot": VERSION})
    table = arrow.Table.from_pylist([msgspec.structs.asdict(row) for row in rows], schema=schema)
    written = io.BytesIO()
    parquet.write_table(table, written, compression="zstd")
    return written.getvalue()
