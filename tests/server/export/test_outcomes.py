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
    AssessmentGiven,
    BothSides,
    ConflictResolved,
    DebateConcluded,
    Dispute,
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
GOLDEN = Path(__file__).parents[2] / "events" / "view" / "golden" / "0.1-juries_v3.ndjson"
EXCHANGE, PROTOCOL = "under_sixteen_v2", "library_fines_v2"
CLOSE: dict[str, Any] = {"mean": BothSides(pro=60.2, con=60.9), "margin": 0.7}
NOBODY: dict[str, Any] = {"winner": "neither", "reason": "too close"}
TIE_BREAK = "pro 60.2, con 60.9: within 2 credibility decides: pro 6, con 7"
NO_MARGIN = {"margin": missing("con has no judged turn"), **NOBODY}
FOR_REFERENCE = {"winner": "neither", "reference_only": ["6 arguments where at least 10 are needed"]}
SURER = re.compile(
    r"\b(?:Pro|Con) (?:wins|won|was ahead)\b|(?<!Not distinguishable: )\b(?:Pro|Con) leads\b", re.IGNORECASE
)

V3 = "juries_v3"
LEAD: dict[str, Any] = {"mean": BothSides(pro=66.0, con=70.2), "margin": 4.2, "leaning": "con"}
SURE: dict[str, Any] = {**LEAD, "winner": "con", "certainty": 0.9461, "error": 2.2, "pairs": 6}
UNSURE: dict[str, Any] = {**SURE, "winner": "neither", "certainty": 0.8999}
EQUAL: dict[str, Any] = {**UNSURE, "mean": BothSides(pro=66.0, con=66.0), "margin": 0.0, "leaning": "neither"}
OTHER: dict[str, Any] = {"mean": BothSides(pro=70.2, con=66.0), "leaning": "pro"}
UNKNOWN: dict[str, Any] = {"leaning": UNSET, "certainty": UNSET, "error": UNSET, "pairs": UNSET}
SCORECARD, NARRATIVE, PANEL = ScorecardVerdictReached, NarrativeVerdictReached, PanelConcluded
AHEAD: dict[str, dict[type, dict[str, Any]]] = {
    "pro": {AssessmentGiven: {"pro_total": 20.0, "con_total": 15.0}},
    "con": {AssessmentGiven: {"pro_total": 15.0, "con_total": 20.0}},
    "neither": {AssessmentGiven: {"pro_total": 18.0, "con_total": 18.5}},
}
"""What the judge's totals say."""
TURNING = {"PRO-1": Dispute(variance=4.0, decides=True, turns=True, scores={"a": 2.0, "b": 6.0})}


def seats(outcome: str, **changes: Any) -> dict[type, dict[str, Any]]:
    return {PANEL: {**FOR_REFERENCE, "outcome": outcome, "leaning": "pro", "disputed": {}, **changes}}


NO_WINNER, NO_SIDE = "No winner is named: the judge names Pro", "No winner is named: the judge names no side"
IN_PART = "the raters agree in part and lean to Pro"
JUDGE_AND_PANEL: dict[str, tuple[str, dict[type, dict[str, Any]], str]] = {
    "both name pro": (
        "pro",
        AHEAD["pro"] | seats("concluded"),
        "Pro wins by judge and panel together: the judge names Pro, and the raters agree and lean to Pro.",
    ),
    "both in part": (
        "pro",
        AHEAD["pro"] | seats("cautious"),
        f"Pro wins by judge and panel together: the judge names Pro, and {IN_PART}.",
    ),
    "they differ": (
        "neither",
        AHEAD["con"] | seats("concluded"),
        "No winner is named: the judge names Con, and the raters agree and lean to Pro.",
    ),
    "the judge is even": (
        "neither",
        AHEAD["neither"] | seats("concluded"),
        f"{NO_SIDE}, and the raters agree and lean to Pro.",
    ),
    "neither names a side": (
        "neither",
        AHEAD["neither"] | seats("too_close"),
        f"{NO_SIDE}, and the panel none either: the two sides are too close to tell apart.",
    ),
    "the panel is divided": (
        "neither",
        AHEAD["pro"] | seats("contested", gap=0.1),
        f"{NO_WINNER}, and the panel none: the panel leans to Pro, but the raters are divided.",
    ),
    "it hangs on a rater": (
        "neither",
        AHEAD["pro"] | seats("cautious"),
        f"{NO_WINNER}, and {IN_PART}, but one rater alone could change that.",
    ),
    "it hangs on an argument": (
        "neither",
        AHEAD["pro"] | seats("cautious", disputed=TURNING),
        f"{NO_WINNER}, and {IN_PART}, but one argument alone could change that.",
    ),
}
"""How a debate with a panel for reference only ends: the winner, what was recorded, and the sentence."""
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
    "sure": (V3, "con", "scorecard", {SCORECARD: SURE}),
    "not sure": (V3, "neither", "scorecard", {SCORECARD: UNSURE}),
    "not sure of the other": (V3, "neither", "scorecard", {SCORECARD: {**UNSURE, **OTHER}}),
    "same points": (V3, "neither", "scorecard", {SCORECARD: EQUAL}),
    "no judgement of a lead": (V3, "neither", "no_judgement", {SCORECARD: {**NO_MARGIN, **UNKNOWN}}),
    "baseline with a lead": (V3, "neither", "baseline", {SCORECARD: {**LEAD, **UNKNOWN, **NOBODY, "leaning": "con"}}),
    "resignation with a lead": (V3, "pro", "resignation", {SCORECARD: SURE}),
    **{name: (PROTOCOL, winner, "judge_and_panel", changes) for name, (winner, changes, _) in JUDGE_AND_PANEL.items()},
    "not both": (PROTOCOL, "neither", "judge_and_panel", {PANEL: {**FOR_REFERENCE, "outcome": "cautious"}}),
}

HEADLINES = {
    "sure": "Con was ahead in this debate, by 4.2 points (94 % sure)",
    "not sure": "Not distinguishable: Con leads by 4.2 (89 % sure)",
    "not sure of the other": "Not distinguishable: Pro leads by 4.2 (89 % sure)",
    "same points": "Not distinguishable: both sides have the same points",
    "no judgement of a lead": "No winner is named",
    "baseline with a lead": "No side is named",
    "resignation with a lead": "Pro wins: the other side resigned",
}


def ending(name: str) -> Iterator[Recorded]:
    """The records of a recorded debate that ends otherwise."""
    log, winner, rule, changes = CASES[name]
    path = GOLDEN if log == V3 else LOGS / f"{log}.ndjson"
    for record in parse_lines(path.read_bytes().splitlines(keepends=True)):
        changed = changes.get(type(record.event), {})
        if isinstance(record.event, DebateConcluded):
            changed = {"winner": winner, "by_rule": rule}
        yield replace(record, event=replace(record.event, **changed))


@pytest.mark.slow
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
        assert outcome.headline == HEADLINES.get(name, "No winner is named")
        rendered = (outcome.text, terminal, markdown, outcome_of_row(row))
        assert [[]] * len(rendered) == [SURER.findall(text) for text in rendered]
    else:
        assert not [text for text in (terminal, markdown) if "No winner is named" in text]


@pytest.mark.parametrize("name", JUDGE_AND_PANEL)
def test_where_judge_and_panel_decide_together_what_each_of_them_names_is_said_once(name: str) -> None:
    winner, changes, sentence = JUDGE_AND_PANEL[name]
    text = said(name).text
    totals = changes[AssessmentGiven]

    figures = f"The judge’s scores: Pro {totals['pro_total']}, Con {totals['con_total']}."
    assert f"{sentence} {figures}" == text
    assert "For reference only" not in text
    assert "wins" not in text or winner != "neither"


def said(name: str) -> Any:
    outcome = views.apply_all(views.INITIAL, tuple(ending(name))).view.outcome
    assert outcome is not UNSET
    return outcome


@pytest.mark.parametrize("name", HEADLINES)
def test_a_side_is_said_to_be_ahead_only_if_that_is_sure_enough(name: str) -> None:
    assert HEADLINES[name] == said(name).headline
    assert ("90 % on" in said(name).text) == (name in {"sure", "not sure", "not sure of the other", "same points"})


def test_what_else_points_to_a_side_is_said_of_the_side_that_leads() -> None:
    """Credibility is 4.33 and 8, of Pro's premises 60 % are kept, and the reading names Con."""
    for name, too in (("not sure", " too"), ("not sure of the other", "")):
        text = said(name).text
        assert f"conduct points to Con{too} (credibility: Pro 4.33, Con 8)" in text
        assert f"the share of premises kept points to Con{too} (stability: Pro 0.6, Con 1)" in text
    assert "Beside the scores" not in said("same points").text


@pytest.mark.slow
def test_no_word_of_v3_says_that_a_side_wins() -> None:
    for name in ("sure", "not sure", "same points"):
        records = tuple(ending(name))
        view = views.apply_all(views.INITIAL, records).view
        assert not re.search(r"\b(?:wins?|winner of|stronger|tie)\b", said(name).text)
        assert not re.search(r"\b(?:Pro|Con) wins\b|\btie-break", as_markdown(view))


def test_a_panel_that_names_no_side_says_so_once() -> None:
    """A panel's conclusion in the place of the judge's explanation, in a debate whose scores have a certainty."""
    protocol = parse_lines((LOGS / f"{PROTOCOL}.ndjson").read_bytes().splitlines(keepends=True))
    (panel,) = [each.event for each in protocol if isinstance(each.event, PanelConcluded)]
    records = [
        replace(each, event=panel) if isinstance(each.event, ConflictResolved) else each for each in ending("not sure")
    ]
    end = replace(records[-1].event, by_rule="panel")
    outcome = views.apply_all(views.INITIAL, (*records[:-1], replace(records[-1], event=end))).view.outcome

    assert outcome is not UNSET
    assert "No side is named" == outcome.headline
    assert outcome.text.startswith("No side is named: the two sides are too close to tell apart.")
    assert "winner" not in outcome.text.partition("The reading")[0]
