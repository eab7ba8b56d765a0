"""Counts of the results of a judge's answers: a fold over a debate's records, and sums over debates.

A tally has no text of models and no names of people: only counts by kind and item (``("flipped", "logic")``), and
values for means and correlations.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from events.record import Recorded
from events.state import exchanges, ledger
from events.state.ledger import TurnCard
from events.types import (
    SIDES,
    AgreementMeasured,
    ClaimAppealed,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    ConflictResolved,
    ConvergenceAssessed,
    DebateOpened,
    DeliberationHeld,
    Event,
    FamilyWarned,
    FindingRefused,
    InjectionDetected,
    LogicGapAdjusted,
    ModelAnswered,
    ModelFailed,
    NarrativeVerdictReached,
    OpinionGiven,
    PanelConcluded,
    PanelistScored,
    RaterCalibrated,
    ScorecardVerdictReached,
    ScoreChange,
    TurnRescored,
    TurnsCompared,
    TurnScored,
    TurnSpoken,
    Winner,
)
from events.types.rubric import Rubric

SPOKEN: Final = frozenset({"speak", "open", "cross", "answer", "close"})
"""Purposes of debaters' calls; all others are calls to judges."""
SCRIPTED: Final = "scripted"
SETTLED: Final = "settled"
CountKey = tuple[str, str]


class Tally(Struct, frozen=True, kw_only=True):
    """Counts by (what, which), and values by name; ``words``, ``given`` and ``composite`` have one value a turn."""

    counts: Counter[CountKey] = msgspec.field(default_factory=Counter)
    values: dict[str, tuple[float, ...]] = {}

    def of(self, what: str, which: str | None = None) -> int:
        """Return a count; without ``which``, the sum over all of them."""
        if which is not None:
            return self.counts[what, which]
        return sum(count for (name, _), count in self.counts.items() if name == what)

    def by(self, what: str) -> dict[str, int]:
        """Return the count of each, the most frequent first."""
        found = {which: count for (name, which), count in self.counts.items() if name == what}
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def below(self, prefix: str) -> dict[str, tuple[float, ...]]:
        """Return the values with names ``prefix.…``, by the rest of the name."""
        return {
            name.removeprefix(f"{prefix}."): found
            for name, found in self.values.items()
            if name.startswith(f"{prefix}.")
        }


def total(tallies: Iterable[Tally]) -> Tally:
    """Add up tallies."""
    counts: Counter[CountKey] = Counter()
    values: dict[str, list[float]] = {}
    for each in tallies:
        counts.update(each.counts)
        for name, found in each.values.items():
            values.setdefault(name, []).extend(found)
    return Tally(counts=counts, values={name: tuple(found) for name, found in values.items()})


class DebateCounter:
    """Counts one debate from its records, in order."""

    def __init__(self) -> None:
        self.judge = ""
        """The judge: the model's name, ``scripted`` for any script, empty if there is only a panel."""
        self._counts: Counter[CountKey] = Counter()
        self._values: dict[str, list[float]] = {}
        self._marked: set[tuple[str, int]] = set()
        self._ledger, self._exchanges = ledger.INITIAL, exchanges.INITIAL
        self._spoken: dict[int, TurnSpoken] = {}
        self._scorecard: Winner | None = None
        self._narrative: Winner | None = None

    def take(self, record: Recorded) -> None:
        """Count one record."""
        event = record.event
        self._ledger = ledger.apply(self._ledger, record)
        self._exchanges = exchanges.apply(self._exchanges, self._ledger, record)
        self._counts.update(counted(event))
        for name, value in valued(event, self._ledger.rubric):
            self._values.setdefault(name, []).append(value)
        match event:
            case DebateOpened():
                models = [event.judge.model, *(seat.model for seat in event.panel)]
                named = next((model for model in models if model), "")
                self.judge = SCRIPTED if named.startswith(f"{SCRIPTED}:") else named
            case TurnSpoken():
                self._spoken[event.turn] = event
            case TurnScored() if event.components is not UNSET:
                self._counts.update(("quotes", how) for how in _quotes(event, self._ledger.rubric))
            case ScorecardVerdictReached():
                self._scorecard = event.winner
            case NarrativeVerdictReached() if event.winner is not UNSET:
                self._narrative = event.winner
            case _:
                self._marked.update(_marks(event))

    def tally(self) -> Tally:
        """Return the counts so far, with those that need the whole debate."""
        counts = self._counts.copy()
        counts.update((what, "") for what, _ in self._marked)
        counts.update(("anomalies", each.outcome) for each in self._exchanges.anomalies.values())
        if self._scorecard is not None and self._narrative is not None:
            counts["verdicts", "same" if self._scorecard == self._narrative else "differ"] += 1
        values = {name: tuple(found) for name, found in self._values.items()}
        known = [card for card in self._ledger.cards.values() if card.missing is None and not card.inferred]
        judged = [card for card in known if card.turn in self._spoken]
        whole = [(card, total) for card in judged if (total := card.composite(self._ledger.dimensions)) is not None]
        if whole:
            values["words"] = tuple(float(self._spoken[card.turn].words) for card, _ in whole)
            values["given"] = tuple(self._given(card) for card, _ in whole)
            values["composite"] = tuple(total for _, total in whole)
        counts.update(self._longer(judged))
        return Tally(counts=counts, values=values)

    def _given(self, card: TurnCard) -> float:
        """Return the composite of the judge's raw scores, before any rule."""
        return round(sum(card.balances[name].raw for name in self._ledger.dimensions if name in card.balances), 2)

    def _longer(self, judged: list[TurnCard]) -> Iterator[CountKey]:
        """Count whether the side with more words a turn won the scorecard."""
        words = {side: [self._spoken[card.turn].words for card in judged if card.side == side] for side in SIDES}
        if self._scorecard in (None, "neither") or not all(words.values()):
            return
        pro, con = (sum(each) / len(each) for each in words.values())
        if pro != con:
            yield "longer", "won" if (pro > con) == (self._scorecard == "pro") else "lost"


def _marks(event: Event) -> Iterator[tuple[str, int]]:
    """Yield what counts only once a turn, or once a debate (turn 0)."""
    yield from (("changed", each.turn) for each in _changes(event))
    match event:
        case LogicGapAdjusted():
            yield "docked", event.turn
        case InjectionDetected():
            yield "attacked", event.turn
        case FamilyWarned():
            yield "kin", 0
        case _:
            pass


def _changes(event: Event) -> tuple[ScoreChange, ...]:
    """Return the changes of scores that an event holds."""
    if isinstance(event, TurnRescored):
        return event.changes or ()
    return (event,) if isinstance(event, ScoreChange) else ()


def counted(event: Event) -> Iterator[CountKey]:
    """Yield what one event adds to the counts."""
    yield from _of_turns(event)
    yield from _of_wholes(event)


def _of_turns(event: Event) -> Iterator[CountKey]:  # noqa: C901, PLR0912 - a case for each event that says something
    match event:
        case DebateOpened():
            yield "debates", event.format
            if event.panel and event.format in {"exchange", "protocol"}:
                yield "panels", ""
        case TurnSpoken():
            yield "turns", event.side
        case ModelFailed(is_cut_off=True):
            pass  # it says nothing about the judge
        case ModelAnswered() | ModelFailed() if event.purpose not in SPOKEN:
            yield "calls", event.purpose
            if isinstance(event, ModelFailed):
                yield "failed", event.kind
            elif event.purpose == "compare":
                yield from (("shown", choice) for choice in _choices(event.answer))
        case TurnScored():
            yield "scores", "given" if event.missing is UNSET else "missing"
            if event.samples is not UNSET and event.samples > 1:
                yield "sampled", ""
        case TurnsCompared():
            yield "comparisons", "given" if event.missing is UNSET else "missing"
            if event.outcomes is not UNSET:
                yield from (("compared", dimension) for dimension in event.outcomes)
            if event.flipped:
                yield "turned", ""
                yield from (("flipped", dimension) for dimension in event.flipped)
        case ScoreChange() | TurnRescored():
            for each in _changes(event):
                yield "changes", each.rule
                if round(abs(each.requested - each.applied), 2) > 0:
                    yield "absorbed", each.rule
        case FindingRefused():
            yield "refused", event.purpose
        case ClaimFlagged():
            yield "claims", event.kind
        case ClaimAppealed():
            yield "appeals", ""
        case ClaimUpheld():
            yield SETTLED, "upheld"
        case ClaimCleared():
            yield SETTLED, "cleared"
        case InjectionDetected():
            yield "injections", event.pattern
        case _:
            pass


def _of_wholes(event: Event) -> Iterator[CountKey]:
    match event:
        case ScorecardVerdictReached():
            yield "scorecards", event.winner
        case NarrativeVerdictReached() | ConflictResolved() | ConvergenceAssessed():
            yield "wholes", "given" if event.missing is UNSET else "missing"
        case PanelistScored():
            yield "ratings", "given" if event.missing is UNSET else "missing"
        case AgreementMeasured():
            yield "alphas", "undefined" if event.deciding.value is UNSET else str(event.deciding.band or "")
        case PanelConcluded():
            yield "panel_outcomes", event.outcome
        case DeliberationHeld():
            yield "rounds", ""
            yield from (("minds", change.kind) for change in event.changes)
        case OpinionGiven() if event.quote:
            yield "opinion_quotes", "verified" if event.verified else "not_there"
        case RaterCalibrated() if event.right is not UNSET:
            yield "truths", "right" if event.right else "wrong"
        case _:
            pass


def valued(event: Event, rubric: Rubric | None) -> Iterator[tuple[str, float]]:
    """Yield what one event adds to the values.  Components are the judge's raw points as shares of the maximum."""
    match event:
        case TurnScored() if event.components is not UNSET and event.dimensions is not UNSET and rubric is not None:
            for name, dimension in rubric.dimensions.items():
                for component, rule in dimension.components.items():
                    if component in event.components:
                        yield f"component.{component}", round(event.components[component].raw / rule.maximum, 4)
                if event.samples is not UNSET and event.samples > 1 and name in event.dimensions:
                    yield f"spread.{name}", event.dimensions[name].spread
        case AgreementMeasured() if event.deciding.value is not UNSET:
            yield "alpha", event.deciding.value
        case _:
            pass


def _quotes(event: TurnScored, rubric: Rubric | None) -> Iterator[str]:
    """Yield for every component that needs a quote whether the quote was found."""
    assert event.components is not UNSET
    for dimension in rubric.dimensions.values() if rubric is not None else ():
        for name, rule in dimension.components.items():
            score = event.components.get(name)
            if rule.needs_quote and score is not None:
                yield "held" if score.verified else "not_there" if score.quote.strip() else "none_given"


def _choices(answer: str) -> Iterator[str]:
    """Yield the choice of a comparison's answer for each dimension; nothing if the answer is not plain JSON."""
    try:
        choices: Any = msgspec.json.decode(answer)
    except msgspec.DecodeError:
        return
    if isinstance(choices, dict):
        yield from (
            choices[name] for name in choices if name != "reason" and choices[name] in ("first", "second", "draw")
        )
