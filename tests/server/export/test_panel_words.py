"""What every text says of generated panels by rubric v3: no agreement where there is none, and no quarrel either."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state.outcome import ahead_by_totals
from events.store.memory import MemoryLog
from events.types import AssessmentGiven, DebateConcluded, Event, PanelistScored, Winner
from events.types.criteria import STANDINGS, PanelRules
from events.view import view as views
from events.view.view import View
from judge.panel.outcome import conclude
from judge.panel.raters import shipped
from judge.rubrics.rubric import rubric_v3
from server.cli.debates.transcript import DebatePrinter
from server.debate.formats.parts.panel import BOTH, supports
from server.export.debate.transcript import as_markdown
from server.feed import frames
from tests.browser.protocol_logs import DIMENSIONS, opened, protocol, rater
from tests.judge.panel.rater_scores import ITEMS, few_resamples

pytestmark = pytest.mark.anyio
WEB: Final = Path(__file__).parents[3] / "web"
SEED: Final = 20_261_127
PANELS: Final = 30
"""Panels of each kind."""
AGREE: Final = re.compile(
    r"(?<!do not )(?<!does not )\bagrees?\b|\bscores? alike\b|\bpanel concludes\b|\benough to (?:rely|conclude)\b"
)
"""Words that say that raters agree; how far they agree is a question, and "too little to conclude" is a denial."""
QUARREL: Final = re.compile(r"irreconcilable|divided|too little to conclude|raters do not agree", re.IGNORECASE)


def panel_rules() -> PanelRules:
    found = few_resamples(rubric_v3()).panel
    assert found is not None
    return found


def given(chance: np.random.Generator, error: float) -> list[PanelistScored]:
    """Scores of four raters.  On each criterion all of them score higher or lower, so that criteria agree anyhow."""
    quality = chance.normal(5.5, 1.5, len(ITEMS))
    criteria = np.array([-1.0, -0.3, 0.3, 1.0]) * chance.uniform(0, 3.5)
    seen = quality[:, None] + criteria + chance.normal(0, error, (len(shipped().raters), len(ITEMS), 1))
    scores = np.clip(np.rint(seen), 1, 10)
    apart = error * chance.choice([0.1, 1.0])  # raters can give the same standings for different reasons
    marks = np.digitize(quality + chance.normal(0, apart, (len(scores), len(ITEMS))), [4, 5, 6.5])
    if chance.random() < 0.3:
        scores[chance.integers(len(scores)), chance.integers(len(ITEMS))] = chance.choice([1, 10])
    return [
        PanelistScored(
            rater=name,
            model=f"scripted:{name}",
            scores={
                item: dict(zip(DIMENSIONS, map(float, row), strict=True)) for item, row in zip(ITEMS, of, strict=True)
            },
            standings={item: STANDINGS[3 - mark] for item, mark in zip(ITEMS, stands, strict=True)},
        )
        for name, of, stands in zip(shipped().raters, scores, marks, strict=True)
    ]


def debate(scored: list[PanelistScored], rules: PanelRules) -> list[Event]:
    """A whole debate with these scores, as it would end."""
    rubric = replace(rubric_v3(), panel=rules)
    assert rubric.criteria is not None
    seats = tuple(rater(name) for name in shipped().raters)
    measured, concluded = conclude(
        seats, {each.rater: each for each in scored}, ITEMS, rules, rubric.criteria, "default"
    )
    before = [*protocol()]
    (assessed,) = [each for each in before if isinstance(each, AssessmentGiven)]
    assert rubric.protocol is not None
    winner: Winner = ahead_by_totals(assessed, rubric.protocol)
    end = DebateConcluded(winner=concluded.winner, by_rule="panel")
    if concluded.reference_only is not UNSET:
        is_same = winner == concluded.leaning and supports(concluded, rules)
        end = DebateConcluded(winner=winner if is_same else "neither", by_rule=BOTH)
    return [opened(panel=seats, rubric=rubric), *before, *scored, measured, concluded, end]


def alpha_of(view: View) -> float:
    found = view.panel.agreement.arguments.value
    assert isinstance(found, float)
    return found


@cache
def generated(kind: str) -> tuple[list[Event], ...]:
    """Debates with an alpha over arguments under .50, or of .80 and more; every second panel may name a side alone."""
    low, high, errors = {"none": (-1.0, 0.4999995, (1.5, 4.0)), "high": (0.8, 1.0, (0.1, 0.7))}[kind]
    return tuple(_generated(low, high, errors))


def _generated(low: float, high: float, errors: tuple[float, float]) -> Iterator[list[Event]]:
    chance, found = np.random.default_rng(SEED), 0
    while found < PANELS:
        alone = {"reliable_items": UNSET, "reliable_raters": UNSET} if found % 2 else {}
        events = debate(given(chance, chance.uniform(*errors)), replace(panel_rules(), **alone))
        value = events[-3].arguments.value
        if value is not UNSET and low <= value <= high:
            found += 1
            yield events


async def records(events: list[Event]) -> list[Recorded]:
    log = MemoryLog()
    await log.append("d1", 0, events)
    return list(await log.read("d1"))


async def texts(events: list[Event], capsys: pytest.CaptureFixture[str]) -> tuple[View, dict[str, str]]:
    """The view, and everything that is said of a debate: its sentences, the Markdown, and what a terminal prints."""
    printer, fold = DebatePrinter(as_json=False), views.INITIAL
    for record in await records(events):
        fold, message = frames.step(fold, record, revealed=True)
        printer.take(message)
    printer.finish()
    view = fold.view
    conclusion = view.panel.conclusion
    said = {
        "sentence": view.panel.says,
        "outcome": view.outcome.text,
        "reasons": " ".join((*conclusion.reasons, *conclusion.advice, *conclusion.act)),
        "briefing": msgspec.json.encode(view.protocol.briefing).decode(),
        "markdown": as_markdown(view),
        "terminal": capsys.readouterr().out,
    }
    # What the panel would be without a rater is said of another panel.
    return view, {name: re.sub(r"(?m)^\W*[Ww]ithout .*$", "", text) for name, text in said.items()}


def claims(pattern: re.Pattern[str], said: dict[str, str]) -> dict[str, list[str]]:
    asked = re.compile(r"\b[Hh]ow far (?:the raters|they) agree\b")
    return {
        name: found for name, text in said.items() if (found := pattern.findall(asked.sub("", " ".join(text.split()))))
    }


@pytest.mark.slow
async def test_no_panel_whose_alpha_by_argument_is_under_a_half_is_said_to_agree(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen, criteria = set(), []
    for events in generated("none"):
        view, said = await texts(events, capsys)
        assert alpha_of(view) < 0.5
        assert view.panel.conclusion.winner == "neither"
        assert "neither" == view.conclusion.winner
        assert {} == claims(AGREE, said)
        seen.add(view.panel.conclusion.outcome)
        criteria.append(view.panel.agreement.calibrated.value)

    assert {"irreconcilable", "contested"} == seen
    assert max(criteria) > 0.67, "all rate one criterion higher: that is agreement on the criteria alone"


@pytest.mark.slow
async def test_no_panel_with_a_high_alpha_by_argument_is_called_irreconcilable(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen = set()
    for events in generated("high"):
        view, said = await texts(events, capsys)
        assert alpha_of(view) >= 0.8
        assert {} == claims(QUARREL, said)
        seen.add(view.panel.conclusion.outcome)

    assert {"concluded", "too_close"} <= seen <= {"concluded", "too_close", "cautious"}


@pytest.mark.parametrize("file", ["words/panel.js", "panel/panel.js", "panel/briefing.js"])
def test_the_page_has_no_words_of_its_own_that_say_that_raters_agree(file: str) -> None:
    assert [] == AGREE.findall((WEB / file).read_text())
