"""``moot calibrate``: measure raters by cases whose outcome is known."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET

from events.store.address import sqlite_path
from events.text.figures import percent, rounded
from events.types import RaterCalibrated
from events.types.criteria import PanelRules
from judge.panel.truth import chance, meaning, record_of, wilson
from judge.panel.weights import accuracy
from judge.rubrics.rubric import default_rubric
from server.cli.debates.debate_runner import run_debate
from server.cli.debates.event_lines import case_lines
from server.cli.debates.printer import FeedPrinter, say_opening
from server.cli.measure.case_files import read_cases
from server.cli.options import chosen, open_store, with_json, with_settings, with_think
from server.cli.output import emit, run_async
from server.cli.seats import panel_names, panel_request
from server.debate.formats.calibration.cases import CaseRequest
from server.debate.opening.records import Known, calibrations
from server.export.document import Column, Lines, Table
from server.export.document.terminal import say, show
from server.settings import Settings


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--panel", metavar="MODEL,…", help="The raters' models: one for every seat, or several in turn.")
@click.option(
    "--raters",
    "raters",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of rater profiles to use instead of the four of Moot.",
)
@click.option("--samples", type=int, default=1, show_default=True, help="Times a rater is asked; the median counts.")
@with_think("panel", "the raters are asked", "medium")
@click.option("--max-cost", type=float, metavar="USD", help="Halt the calibration at this cost.")
@click.option("--seed", type=int, help="For models that accept a seed.")
@with_settings
@with_json
def calibrate(
    settings: Settings,
    /,
    folder: Path,
    *,
    as_json: bool,
    **options: Any,
) -> None:
    r"""Measure the raters of a panel by cases whose outcome is known.

    Each file in DIR holds a case: {"motion", "pro": [{"claim", "reasoning", "evidence"}], "con": […], "winner":
    "pro|con|neither", "source": "who says so"}; or an exported protocol debate NAME.ndjson with NAME.truth.json
    {"winner", "source"}.  The results change the weights of every later panel with the same raters and models.

    \b
      moot calibrate cases/
      moot calibrate cases/ --panel ollama:qwen3,anthropic:claude-haiku-5-5
    """
    body = _body(read_cases(folder), options)
    run_async(lambda: _calibrate(settings, body, as_json=as_json))


def _body(cases: Sequence[CaseRequest], options: Mapping[str, Any]) -> dict[str, Any]:
    """The body that the page would post for the same calibration."""
    body: dict[str, Any] = {
        "format": "calibration",
        "cases": msgspec.to_builtins(cases),
        "judge": {"samples": options["samples"]},
    }
    if models := [each for each in panel_names(options["panel"]) if ":" in each]:
        body["judge"]["model"] = models[0]  # the judge is not asked, but its seat needs a model
    body["judge"] |= chosen(options, think="panel_think")  # raters without a seat of their own think as the judge does
    panel = panel_request(options["panel"], options["raters"], options["samples"], options["panel_think"])
    if panel is not None:
        body["panel"] = panel
    return body | chosen(options, seed="seed", max_cost_usd="max_cost")


async def _calibrate(settings: Settings, body: dict[str, Any], *, as_json: bool) -> None:
    path = sqlite_path(settings.store)
    known: Known = {}
    if path is not None and path.exists():
        async with open_store(settings) as log:
            known = await calibrations(log)
    await run_debate(settings, body, CalibrationPrinter(known, as_json=as_json))


class RaterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A rater's record: ``here`` counts this calibration, the rest counts every case in the store."""

    rater: str
    model: str
    here: tuple[int, int]
    """How many were right, of how many."""
    missing: int
    right: int
    of: int
    accuracy: float
    """(right + 2) ÷ (of + 4)."""
    low: float | msgspec.UnsetType
    high: float | msgspec.UnsetType
    chance: float
    meaning: str


class CalibrationPrinter(FeedPrinter):
    """Prints a line for each case, and at the end the record of each rater."""

    def __init__(self, known: Known, *, as_json: bool) -> None:
        super().__init__(as_json=as_json)
        self._known = known
        self._here: dict[tuple[str, str], list[RaterCalibrated]] = {}
        self._case: dict[str, RaterCalibrated] = {}

    def note(self, event: dict[str, Any]) -> None:
        """Note the answer of a rater."""
        match event["type"]:
            case "rater_calibrated":
                self._measured(msgspec.convert(event, RaterCalibrated))
            case "debate_paused":
                click.echo(f"paused: {event['reason']}", err=True)

    def event(self, event: dict[str, Any]) -> None:
        """Print the opening."""
        if event["type"] == "debate_opened":
            say_opening(event)

    def _measured(self, event: RaterCalibrated) -> None:
        rater = event.rater, event.model
        self._here.setdefault(rater, []).append(event)
        if event.said is not UNSET:
            self._known.setdefault(rater, {})[event.digest] = event
        self._case[event.rater] = event
        if len(self._case) == len(self.view["panel"]["raters"]):
            if not self.as_json:
                for line in case_lines(self._case.values()):
                    say(line.text, line.style)
            self._case = {}

    def rows(self) -> list[RaterRecord]:
        """The records, in the order of the seats."""
        rules = default_rubric().panel
        assert rules is not None
        return [self._row(rater, model, events, rules) for (rater, model), events in self._here.items()]

    def _row(self, rater: str, model: str, events: Sequence[RaterCalibrated], rules: PanelRules) -> RaterRecord:
        verdicts = self._known.get((rater, model), {}).values()
        here, record = record_of(events), record_of(verdicts)
        interval, by_chance = wilson(record), chance(each.truth for each in verdicts)
        return RaterRecord(
            rater=rater,
            model=model,
            here=(here.right, here.of),
            missing=len(events) - here.of,
            right=record.right,
            of=record.of,
            accuracy=round(accuracy(record, rules), 4),
            chance=round(by_chance, 4),
            low=round(interval.low, 4) if interval else UNSET,
            high=round(interval.high, 4) if interval else UNSET,
            meaning=meaning(record, by_chance),
        )

    def finish(self) -> None:
        """Print the record of each rater."""
        rows = self.rows()
        if self.as_json:
            emit({"records": rows})
            return
        if not rows:
            return
        figures = (Column(name, "n") for name in ("here", "right/of", "accuracy", "95 %"))
        notes = ["right/of: every case in the store, each once.  accuracy: (right + 2) ÷ (n + 4)."]
        if (most := max(row.chance for row in rows)) > 0.5:  # noqa: PLR2004 - the chance of a coin
            chance_of = f"Always naming the most frequent outcome would be right in {percent(most, 0)}"
            notes.append(f"{chance_of}: that counts as chance.")
        click.echo()
        table = Table(("rater", "model", *figures, "what that means"), tuple(map(_cells, rows)))
        show(table, Lines(tuple(notes)))


def _cells(row: RaterRecord) -> tuple[str, ...]:
    lost = f", {row.missing} missing" if row.missing else ""
    low, high = row.low, row.high
    interval = "–" if low is UNSET or high is UNSET else f"{rounded(low, 2)}–{rounded(high, 2)}"
    here, of = f"{row.here[0]}/{row.here[1]}{lost}", f"{row.right}/{row.of}"
    return row.rater, row.model, here, of, rounded(row.accuracy, 2), interval, row.meaning
