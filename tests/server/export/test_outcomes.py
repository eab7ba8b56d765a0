"""However a debate ends, every reader gets the outcome in the words of the view, and none gets a surer one."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.store import listing
from events.transfer import parse_lines
from events.types import (
    BothSides,
    DebateConcluded,
    NarrativeVerdictReached,
    PanelConcluded,
    ScorecardVerdictReached,
    missing,
)
from events.types.base import SIDES
from events.view import view as views
from server.cli.debates.transcript import DebatePrinter
from server.export.debate.transcript import as_markdown
from server.export.preview.card import standing_of
from server.export.reports.debater import report_for
from server.export.rows import outcome_of_row

LOGS = Path(__file__).parents[1] / "debate" / "logs"
EXCHANGE, PROTOCOL = "under_sixteen_v2", "library_fines_v2"
CLOSE: dict[str, Any] = {"mean": BothSides(pro=60.2, con=60.9), "margin": 0.7}
NOBODY: dict[str, Any] = {"winner": "neither", "reason": "too close"}
TIE_BREAK = "pro 60.2, con 60.9: within 2 credibility decides: pro 6, con 7"
NO_MARGIN = {"margin": missing("con has no judged turn"), **NOBODY}
FOR_REFERENCE = {"winner": "neither", "reference_only": ["6 arguments where at least 10 are needed"]}
SURER = re.compile(r"\b(?:Pro|Con) (?:wins|won|leads)\b", re.IGNORECASE)

SCORECARD, NARRATIVE, PANEL = ScorecardVerdictReached, NarrativeVerdictReached, PanelConcluded
CASES: dict[str, tuple[str, str, str, dict[type, dict[str, Any]]]] = {
    "clear": (EXCHANGE, "con", "scorecard", {}),
    "beyond noise": (EXCHANGE, "con", "scorecard", {SCORECARD: {"noise": 2.0}}),
    "within noise": (EXCHANGE, "neither", "scorecard", {SCORECARD: {**NOBODY, "noise": 9.0}}),
    "tie-break": (EXCHANGE, "con", "scorecard", {SCORECARD: {**CLOSE, "decided_by": "credibility"}}),
    "older tie-break": (EXCHANGE, "con", "scorecard", {SCORECARD: {**CLOSE, "reason": TIE_BREAK}}),
    "tie": (EXCHANGE, "neither", "scorecard", {SCORECARD: {**CLOSE, **NOBODY}}),
    "resignation": (EXCHANGE, "pro", "resignation", {}),
    "no judgement": (EXCHANGE, "neither", "no_judgement", {SCORECARD: NO_MARGIN}),
    "baseline": (EXCHANGE, "neither", "baseline", {SCORECARD: NOBODY}),
    "against": (EXCHANGE, "con", "scorecard", {NARRATIVE: {"winner": "pro"}}),
    "flipped": (EXCHANGE, "con", "scorecard", {NARRATIVE: {"winner": "neither", "flipped": True}}),
    "no reading": (EXCHANGE, "con", "scorecard", {NARRATIVE: {"winner": UNSET, "missing": missing("x").missing}}),
    "assessment": (PROTOCOL, "pro", "assessment", {}),
    "even assessment": (PROTOCOL, "neither", "assessment", {}),
    "panel": (PROTOCOL, "pro", "panel", {PANEL: {"outcome": "concluded", "winner": "pro"}}),
    "undecided panel": (PROTOCOL, "neither", "panel", {}),
    "both": (PROTOCOL, "pro", "judge_and_panel", {PANEL: {**FOR_REFERENCE, "outcome": "concluded", "leaning": "pro"}}),
    "not both": (PROTOCOL, "neither", "judge_and_panel", {PANEL: {**FOR_REFERENCE, "outcome": "cautious"}}),
}


def ending(name: str) -> Iterator[Recorded]:
    """The records of a recorded debate that ends otherwise."""
    log, winner, rule, changes = CASES[name]
    for record in parse_lines((LOGS / f"{log}.ndjson").read_bytes().splitlines(keepends=True)):
        changed = changes.get(type(record.event), {})
        if isinstance(record.event, DebateConcluded):
            changed = {"winner": winner, "by_rule": rule}
        yield replace(record, event=replace(record.event, **changed))


@pytest.mark.parametrize("name", CASES)
def test_every_reader_gets_the_outcome_in_the_words_of_the_view(name: str, capsys: Any) -> None:
    records = tuple(ending(name))
    fold, row = views.apply_all(views.INITIAL, records), None
    view = fold.view
    for record in records:
        row = listing.apply(row, record)
    printer = DebatePrinter(as_json=False)
    printer.view, printer.ended = msgspec.to_builtins(view), {"type": "debate_concluded"}
    printer.finish()
    outcome, terminal, markdown = view.outcome, capsys.readouterr().out, as_markdown(view)

    assert outcome is not UNSET
    assert row is not None
    assert outcome.text.startswith(outcome.headline)
    assert outcome.text in " ".join(terminal.split())
    assert outcome.text in markdown.replace("\\", "")
    assert standing_of(view).startswith(f"{outcome.headline} · ")
    assert outcome_of_row(row) == outcome.headline
    for side in SIDES:
        assert outcome.text in ["".join(map(str, fact.text)) for fact in report_for(records, fold, view, side).facts]
    if CASES[name][1] == "neither":
        assert outcome.headline == "No winner is named"
        rendered = (outcome.text, terminal, markdown, outcome_of_row(row))
        assert [[]] * len(rendered) == [SURER.findall(text) for text in rendered]
    else:
        assert not [text for text in (terminal, markdown) if "No winner is named" in text]
