"""Debates as a log of Inspect (inspect.aisi.org.uk): a sample for each debate, in the form ``.eval``.

The form is a ZIP archive with a JSON file for each sample, ``summaries.json`` and ``header.json``; version 2 of its
schema.  A sample is written when it is made, so memory holds one debate and a short summary of each other one.
"""

import hashlib
import math
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec
from msgspec import UNSET

from events.record import Recorded
from events.state.parts.panel import PanelState
from events.store.log import EventLog, read_pages
from events.types import Missing, ModelAnswered, ModelFailed, Usage
from events.view import view as views
from events.view.view import View
from server.export.tables.debates import debate_rows
from server.export.tables.table import Seen, known, seen_by
from server.export.wording import SIGNS
from server.process.version import VERSION

ENDING: Final = ".eval"
"""How the name of such a file ends, by which Inspect knows it."""
SCHEMA: Final = 2
SCORER: Final = "moot"
SHORT: Final = 1000
"""Characters of a text in a summary."""
COST: Final = "microdollars"
"""The cost of the calls of a model, among its tokens."""
NO_MODEL: Final = "none/none"
"""What Inspect calls a model of which there is none."""


async def write_evals(log: EventLog, debates: AsyncIterator[tuple[str, int]], file: BinaryIO) -> int:
    """Write a log of these debates; the number of samples.  Of a deleted debate there is none.

    ``debates``: ids, each with a number of events.
    """
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        written = _Written()
        async for debate, _ in debates:
            fold, used = views.INITIAL, dict[str, Counter[str]]()
            async for page in read_pages(log, debate):
                fold = views.apply_all(fold, page)
                _count(used, page)
            if fold.view.position:
                sample = sample_of(seen_by(fold, director=True), used)
                archive.writestr(f"samples/{debate}_epoch_1.json", msgspec.json.encode(sample))
                written.add(sample, used)
        archive.writestr("summaries.json", msgspec.json.encode(written.summaries))
        archive.writestr("header.json", msgspec.json.encode(written.header()))
    return len(written.summaries)


def sample_of(seen: Seen, used: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """A debate as a sample.  ``used``: what each model used, by its name; the metadata are the columns of a table."""
    view = seen.view
    row: dict[str, Any] = msgspec.to_builtins(next(debate_rows(seen, ())))
    lead = view.verdicts.scorecard
    said = "" if view.outcome is UNSET else view.outcome.text
    metadata = row | {"certainty": None if lead is UNSET else known(lead.certainty), "path": f"/d/{view.id}"}
    return {
        "id": view.id,
        "epoch": 1,
        "input": view.motion,
        "target": "",
        "messages": [{"id": f"{view.id}-{number}", **each} for number, each in enumerate(_messages(view))],
        "output": {
            "model": row["judge_model"] or "",
            "choices": [{"message": {"role": "assistant", "content": said}, "stop_reason": "stop"}] if said else [],
        },
        "scores": _scores(view, metadata, said),
        "metadata": metadata,
        "model_usage": {name: _told(counts) for name, counts in used.items()},
        "started_at": view.opened_at,
        "completed_at": seen.fold.debate.at,
        "total_time": _seconds(view.opened_at, seen.fold.debate.at),
    }


def _messages(view: View) -> Iterator[dict[str, Any]]:
    """The motion, and every turn; of a judged text the text and the opinions."""
    yield {"role": "user", "content": view.motion}
    if view.artifact is not UNSET:
        yield {"role": "user", "content": view.artifact.text}
    for number, turn in view.turns.items():
        if turn.text:
            metadata: dict[str, Any] = {"side": turn.side, "turn": int(number)}
            content = f"{SIGNS[turn.side]}, turn {number}\n\n{turn.text}"
            yield {"role": "assistant", "content": content, "model": turn.model or None, "metadata": metadata}
    panel = view.panel if isinstance(view.panel, PanelState) else PanelState()
    for number, opinions in panel.opinions.items():
        for rater, given in opinions.items():
            if given.missing is UNSET:
                content = f"{panel.raters[rater].seat.title}, round {number}: {given.verdict}\n\n{given.rationale}"
                metadata = {"rater": rater, "round": int(number), "quote": given.quote, "verified": given.verified}
                yield {"role": "assistant", "content": content, "model": given.model or None, "metadata": metadata}


def _scores(view: View, metadata: Mapping[str, Any], said: str) -> dict[str, Any]:
    """The score of a debate that has ended with points or shares; none of another."""
    panel = view.panel if isinstance(view.panel, PanelState) else PanelState()
    answer: str | None
    if view.format == "deliberation" and panel.verdict is not UNSET and panel.verdict.missing is UNSET:
        value, answer = dict(panel.verdict.shares), panel.verdict.verdict or None
    elif view.conclusion is not UNSET and None not in (metadata["pro_points"], metadata["con_points"]):
        value, answer = {"pro": metadata["pro_points"], "con": metadata["con_points"]}, view.conclusion.winner
    else:
        return {}
    names = ("winner", "by_rule", "certainty", "pro_probability", "lead", "lead_error", "rubric", "judge_model", "path")
    told = {name: metadata[name] for name in names}
    return {SCORER: {"value": value, "answer": answer, "explanation": said or panel.says or "", "metadata": told}}


def _count(used: dict[str, Counter[str]], records: Sequence[Recorded]) -> None:
    """Add what calls used to the sums of their models."""
    for record in records:
        event = record.event
        if isinstance(event, ModelAnswered | ModelFailed) and event.model:
            sums = used.setdefault(event.model, Counter())
            sums.update(_usage(event.usage))
            sums[COST] += 0 if isinstance(event.cost_usd, Missing) else round(event.cost_usd * 1_000_000)


def _usage(usage: Usage) -> dict[str, int]:
    """The tokens of a call as Inspect counts them: its ``input_tokens`` are without those of a cache."""
    read, written = usage.cached_tokens or 0, usage.written_tokens or 0
    return {
        "input_tokens": max(0, usage.input_tokens - read - written),
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "input_tokens_cache_read": read,
        "input_tokens_cache_write": written,
        "reasoning_tokens": usage.thought_tokens or 0,
    }


def _told(counts: Mapping[str, int]) -> dict[str, float]:
    return {**{name: each for name, each in counts.items() if name != COST}, "total_cost": counts[COST] / 1_000_000}


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


class _Written:
    """What the header of a log says of the samples that were written."""

    def __init__(self) -> None:
        self.summaries: list[dict[str, Any]] = []
        self._formats: set[str] = set()
        self._values: dict[str, list[float]] = {}
        self._used: dict[str, Counter[str]] = {}
        self._digest = hashlib.sha256()

    def add(self, sample: Mapping[str, Any], used: Mapping[str, Counter[str]]) -> None:
        """Count a sample."""
        kept = ("id", "epoch", "target", "scores", "model_usage", "started_at", "completed_at", "total_time")
        metadata = {name: _short(value) for name, value in sample["metadata"].items()}
        summary = {name: sample[name] for name in kept}
        self.summaries.append(summary | {"input": _short(sample["input"]), "metadata": metadata, "completed": True})
        self._formats.add(metadata["format"])
        self._digest.update(f"{sample['id']} {metadata['events']}\n".encode())
        for score in sample["scores"].values():
            for name, value in score["value"].items():
                self._values.setdefault(name, []).append(value)
        for model, counts in used.items():
            self._used.setdefault(model, Counter()).update(counts)

    def header(self) -> dict[str, Any]:
        """The log without its samples.  There are means only where all debates have one format, and so one scale."""
        ids = [each["id"] for each in self.summaries]
        key = self._digest.hexdigest()[:22]
        started, ended = (
            pick((each[name] for each in self.summaries), default="")
            for pick, name in ((min, "started_at"), (max, "completed_at"))
        )
        return {
            "version": SCHEMA,
            "status": "success",
            "eval": {
                "eval_id": key,
                "run_id": key,
                "task_id": key,
                "created": ended or "1970-01-01T00:00:00Z",
                "task": SCORER,
                "dataset": {"name": SCORER, "samples": len(ids), "sample_ids": ids},
                "model": NO_MODEL,
                "config": {"epochs": 1},
                "packages": {SCORER: VERSION},
            },
            "plan": {},
            "results": {
                "total_samples": len(ids),
                "completed_samples": len(ids),
                "scores": list(self._means()) if len(self._formats) == 1 else [],
            },
            "stats": {
                "started_at": started,
                "completed_at": ended,
                "model_usage": {name: _told(counts) for name, counts in self._used.items()},
            },
        }

    def _means(self) -> Iterator[dict[str, Any]]:
        for name, values in self._values.items():
            mean = math.fsum(values) / len(values)
            metrics = {"mean": mean}
            if len(values) > 1:
                squares = math.fsum((each - mean) ** 2 for each in values)
                metrics["stderr"] = math.sqrt(squares / (len(values) - 1) / len(values))
            yield {
                "name": name,
                "scorer": SCORER,
                "scored_samples": len(values),
                "unscored_samples": len(self.summaries) - len(values),
                "metrics": {metric: {"name": metric, "value": value} for metric, value in metrics.items()},
            }


def _short(value: Any) -> Any:
    return value[:SHORT] if isinstance(value, str) else value
