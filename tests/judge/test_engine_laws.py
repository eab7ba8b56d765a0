"""Laws of the whole engine, over random debates.

The tests recompute everything from the events without the folds, and compare after every event.
"""

from collections import defaultdict
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from events.patch import merge
from events.record import Recorded
from events.state.debate import INITIAL, Debate, evolve
from events.types import (
    ClaimAppealed,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    DebateConcluded,
    DirectiveIssued,
    InjectionDetected,
    LogicGapAdjusted,
    PenaltyApplied,
    PenaltyReversed,
    PremiseStated,
    PressureApplied,
    ScorecardVerdictReached,
    ScoreChange,
    ScoreHarmonized,
    TraitsShifted,
    TurnsCompared,
    TurnScored,
    TurnSpoken,
)
from events.view import view as views
from judge.guard.quotes import comparable
from personalities.archetypes import SIGNALS
from server.feed import frames
from tests.judge.random_debate import RandomDebate, speeches
from tests.laws import examples
from tests.server.debate_events import RUBRIC, Play

seeds = given(st.integers(0, 2**32))
COMPOSITE = ("logic", "rhetoric", "tactics")


class Sums:
    """The ledger without the fold: sums by turn and dimension, and the outcome of each comparison."""

    def __init__(self) -> None:
        self.admitted: dict[tuple[int, str], float] = {}
        self.applied: dict[tuple[int, str], float] = defaultdict(float)
        self.asked: dict[tuple[int, str], float] = defaultdict(float)
        self.compared: list[TurnsCompared] = []

    def take(self, event: Any) -> None:
        if isinstance(event, TurnScored) and event.dimensions is not UNSET:
            for name, score in event.dimensions.items():
                self.admitted[event.turn, name] = self.applied[event.turn, name] = score.admitted
        elif isinstance(event, ScoreChange):
            self.applied[event.turn, event.dimension] += event.applied
            self.asked[event.turn, event.dimension] += event.requested
        elif isinstance(event, TurnsCompared):
            self.compared.append(event)

    def check(self, debate: Debate) -> None:
        ledger = debate.ledger
        there = {(turn, name) for turn, card in ledger.cards.items() for name in card.balances}
        assert there == set(self.admitted)
        for key, admitted in self.admitted.items():
            found = ledger.balance(*key)
            assert found is not None
            assert found.effective == pytest.approx(self.applied[key], abs=1e-6)
            clamped = min(max(admitted + self.asked[key], 0), RUBRIC.dimensions[key[1]].maximum)
            assert found.effective == pytest.approx(clamped, abs=1e-6)
            assert found.harmonized + found.outstanding == pytest.approx(self.asked[key], abs=1e-6)
        for turn, card in ledger.cards.items():
            if card.missing is None:
                whole = sum(self.applied[turn, name] for name in COMPOSITE)
                assert card.composite(ledger.dimensions) == pytest.approx(whole, abs=1e-6)
        found = debate.exchanges.anomalies.values()
        assert {(each.comparison, each.turn, each.dimension, each.outcome) for each in found} == self.conflicts(debate)

    def conflicts(self, debate: Debate) -> set[tuple[int, int, str, str]]:
        """Every score outside the band of a comparison, found by checking all scores."""
        found = set()
        for event in self.compared:
            position = debate.exchanges.comparisons[event.later].position
            for name, outcome in ({} if event.outcomes is UNSET else event.outcomes).items():
                for place, turn in (("earlier", event.earlier), ("later", event.later)):
                    if outcome == "draw" or (turn, name) not in self.admitted:
                        continue
                    role = "winner" if outcome == place else "loser"
                    low, high = getattr(RUBRIC.bands[name], role)
                    if not low - 1e-6 <= self.applied[turn, name] <= high + 1e-6:
                        found.add((position, turn, name, role))
        return found


def law_the_ledger_adds_up_and_no_conflict_is_missed_after_any_event(play: Play) -> None:
    sums, debate = Sums(), INITIAL
    for record in play.records:
        debate = evolve(debate, record)
        sums.take(record.event)
        sums.check(debate)


def law_a_band_takes_no_penalty_back_and_each_turn_is_banded_by_one_comparison(play: Play) -> None:
    banded: dict[int, set[int]] = defaultdict(set)
    compared = {record.position: record.event for record in play.records if isinstance(record.event, TurnsCompared)}
    for event in play.of(ScoreHarmonized):
        banded[event.turn].add(event.because_of)
        pair = compared[event.because_of]
        assert event.turn == pair.later or (event.turn, pair.earlier) == (1, 1)
        balance = play.debate.ledger.balance(event.turn, event.dimension)
        assert balance is not None
        band = getattr(RUBRIC.bands[event.dimension], event.rule.removeprefix("band_"))
        assert band[0] <= round(balance.admitted + balance.harmonized, 6) <= band[1]
    assert all(len(causes) == 1 for causes in banded.values())


def law_the_life_of_a_claim_is_lawful(play: Play) -> None:
    state: dict[str, list[str]] = defaultdict(list)
    asked: dict[str, float] = defaultdict(float)
    for event in play.events:
        match event:
            case ClaimFlagged(claim=name, turn=turn):
                assert name == f"C{turn}.{sum(key.startswith(f'C{turn}.') for key in state) + 1}"
                assert state[name] == []
                state[name].append("flagged")
            case ClaimAppealed(claim=name):
                assert state[name] == ["flagged"]
                state[name].append("appealed")
            case ClaimUpheld(claim=name) | ClaimCleared(claim=name):
                assert state[name] == ["flagged", "appealed"]
                state[name].append("upheld" if isinstance(event, ClaimUpheld) else "cleared")
            case PenaltyApplied(claim=str() as name) | PenaltyReversed(claim=str() as name):
                assert state[name][-1] == ("flagged" if isinstance(event, PenaltyApplied) else "cleared")
                asked[name] += event.requested
            case _:
                pass
    for name, each in play.debate.claims.items():
        priced = play.debate.ledger.balance(each.turn, "logic") is not None
        due = 0 if each.state == "cleared" or not priced else -RUBRIC.claims[each.kind].points
        assert asked[name] == due == each.requested
        assert each.state == next(word for word in reversed(state[name]) if word != "appealed")


def law_nobody_is_misquoted(play: Play) -> None:
    said = speeches(play)
    for event in play.events:
        match event:
            case ClaimFlagged() | PremiseStated() | InjectionDetected():
                assert said[event.turn][slice(*event.span)] == event.quote
            case LogicGapAdjusted(fails=fails, exposed_by=exposed_by):
                assert fails.turn == event.turn < exposed_by.turn
                for words in (fails, exposed_by):
                    assert said[words.turn][slice(*words.span)] == words.quote
            case TurnScored(components=dict() as components):
                for part in components.values():
                    assert part.verified == (part.span is not None)
                    if part.span is not None:
                        quoted = comparable(part.quote).strip(" .,;:!?…")  # a quote is found without its ends' marks
                        assert quoted in comparable(said[event.turn])
                        assert quoted in comparable(said[event.turn][slice(*part.span)])
            case _:
                pass


def law_only_the_loser_is_pressed_and_traits_stay_between_1_and_10(play: Play) -> None:
    lost: dict[int, str | None] = {}
    records: dict[int, Recorded] = {record.position: record for record in play.records}
    for record in play.records:
        match record.event:
            case TurnsCompared() as event:
                outcomes = list(({} if event.outcomes is UNSET else event.outcomes).values())
                ahead = outcomes.count("later") - outcomes.count("earlier")
                sides = {"earlier": "pro" if event.earlier % 2 else "con", "later": "pro" if event.later % 2 else "con"}
                lost[record.position] = None if ahead == 0 else sides["earlier" if ahead > 0 else "later"]
            case PressureApplied() as event:
                assert record.cause is not None
                assert lost.pop(record.cause) == event.side
                assert all(0 <= getattr(event, signal) <= 1 for signal in SIGNALS)
            case TraitsShifted() as event:
                assert isinstance(records[record.cause or 0].event, PressureApplied)
                assert all(1 <= value <= 10 for pair in event.shifts.values() for value in pair)
            case DirectiveIssued():
                assert isinstance(records[record.cause or 0].event, TraitsShifted | PressureApplied | TurnsCompared)
            case _:
                pass
    assert all(1 <= value <= 10 for traits in play.debate.characters.traits.values() for value in traits.values())


def law_it_always_concludes_with_the_winner_of_the_card_as_it_stands(play: Play) -> None:
    (verdict,), (end,) = play.of(ScorecardVerdictReached), play.of(DebateConcluded)
    fold = views.INITIAL
    for record in play.records:
        fold = views.apply(fold, record)

    assert play.events[-1] is end
    assert verdict.winner == end.winner == fold.view.scorecard.leader
    card = fold.view.scorecard
    assert (verdict.mean.pro, verdict.mean.con) == (card.pro.composite, card.con.composite)
    assert list(speeches(play)) == list(range(1, play.debate.opened.turns + 1))  # type: ignore[union-attr]
    assert [event.turn for event in play.of(TurnScored)] == list(speeches(play))
    assert play.debate.verdicts.narrative is not None
    assert (play.debate.verdicts.convergence is not None) == (len(speeches(play)) >= 10)


LAWS = (
    law_the_ledger_adds_up_and_no_conflict_is_missed_after_any_event,
    law_a_band_takes_no_penalty_back_and_each_turn_is_banded_by_one_comparison,
    law_the_life_of_a_claim_is_lawful,
    law_nobody_is_misquoted,
    law_only_the_loser_is_pressed_and_traits_stay_between_1_and_10,
    law_it_always_concludes_with_the_winner_of_the_card_as_it_stands,
)


@pytest.mark.slow
@examples(20, whole=360)
@seeds
def test_the_laws_hold_for_any_debate(seed: int) -> None:
    play = RandomDebate(seed).run()
    for law in LAWS:
        law(play)


@pytest.mark.slow
@examples(12, whole=60)
@seeds
def test_frames_give_the_view_and_hide_every_directive_until_the_end(seed: int) -> None:
    play = RandomDebate(seed, turns=5).run()
    secret = [event.text.encode() for event in play.of(DirectiveIssued)]
    fold, seen = views.INITIAL, {}
    for record in play.records:
        fold, frame = frames.step(fold, record)
        seen = merge(seen, msgspec.json.decode(frame)["patch"])
        if not isinstance(record.event, DebateConcluded):
            assert not [text for text in secret if text in frame.encode()]

    assert msgspec.json.decode(msgspec.json.encode(fold.view)) == seen
    told = seen.get("directives", {}).values()
    assert sorted(text.decode() for text in secret) == sorted(each["text"] for each in told)


@pytest.mark.slow
def test_random_debates_reach_every_event_of_a_judgement() -> None:
    """The laws above prove little about events that never occur."""
    seen = {type(event).__name__ for seed in range(12) for event in RandomDebate(seed, turns=5).run().events}

    assert {
        "TurnScored",
        "TurnsCompared",
        "ScoreHarmonized",
        "PenaltyApplied",
        "PenaltyReversed",
        "LogicGapAdjusted",
        "FindingRefused",
        "ClaimFlagged",
        "ClaimAppealed",
        "ClaimUpheld",
        "ClaimCleared",
        "PremiseStated",
        "PremiseRevised",
        "PremiseDropped",
        "ContradictionFound",
        "InjectionDetected",
        "PressureApplied",
        "TraitsShifted",
        "DirectiveIssued",
        "NarrativeVerdictReached",
        "ConflictResolved",
        "ModelFailed",
    } <= seen


def test_the_same_seed_makes_the_same_debate() -> None:
    def told(play: Play) -> list[bytes]:
        return [record.payload for record in play.records if not isinstance(record.event, TurnSpoken)]

    assert told(RandomDebate(7).run()) == told(RandomDebate(7).run())
