"""Laws of whole debates under rubric v3, over random debates with failures, halts, appeals and samples."""

from collections import defaultdict
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from events.patch import merge
from events.state.debate import INITIAL, Debate, evolve
from events.state.scorecard import scorecard
from events.types import (
    DebateConcluded,
    Missing,
    ScorecardVerdictReached,
    ScoreChange,
    ScoreInferred,
    TurnRescored,
    TurnsCompared,
    TurnScored,
)
from events.view import view as views
from judge.live import docking
from server.feed import frames
from server.whatif.replay import replay
from tests.judge.random_debate import RandomDebate
from tests.judge.ring_debates import COMPARED, RUBRIC, points_by_hand
from tests.laws import examples
from tests.server.debate_events import Play

seeds = given(st.integers(0, 2**32))


def played(seed: int, **options: Any) -> Play:
    return RandomDebate(seed, rubric=RUBRIC, **options).run()


class Sums:
    """The ledger without the fold: the newest reading of each dimension, and what changed it."""

    def __init__(self) -> None:
        self.given: dict[tuple[int, str], float] = {}
        self.applied: dict[tuple[int, str], float] = defaultdict(float)

    def take(self, event: Any) -> None:
        if isinstance(event, TurnScored | TurnRescored) and event.dimensions is not UNSET:
            self.given |= {(event.turn, name): each.admitted for name, each in event.dimensions.items()}
        elif isinstance(event, ScoreInferred):
            self.given |= {(event.turn, name): points for name, points in event.dimensions.items()}
        followed = event.changes if isinstance(event, TurnRescored) and event.changes is not UNSET else ()
        for each in (event, *followed):
            if isinstance(each, ScoreChange):
                assert each.requested == each.applied
                self.applied[each.turn, each.dimension] += each.applied

    def check(self, debate: Debate) -> None:
        cards = debate.ledger.cards
        assert {(turn, name) for turn, card in cards.items() for name in card.balances} == set(self.given)
        for (turn, name), points in self.given.items():
            stands = cards[turn].balances[name].effective
            assert stands == pytest.approx(points + self.applied[turn, name], abs=1e-6)
            entries = [each for each in cards[turn].entries if each.dimension == name]
            assert stands == pytest.approx(sum(each.applied for each in entries), abs=1e-6)


def law_the_ledger_adds_up_after_any_event(play: Play) -> None:
    sums, debate = Sums(), INITIAL
    for record in play.records:
        debate = evolve(debate, record)
        sums.take(record.event)
        sums.check(debate)


def law_the_points_of_a_side_are_those_of_its_components_and_entries(play: Play) -> None:
    card = scorecard(play.debate.ledger, play.debate.exchanges)
    if not isinstance(card.pro.composite, float) or not isinstance(card.con.composite, float):
        return
    by_hand = points_by_hand(play.debate)
    assert (card.pro.composite, card.con.composite) == (
        pytest.approx(by_hand["pro"], abs=0.0051),
        pytest.approx(by_hand["con"], abs=0.0051),
    )


def law_what_was_found_in_a_turn_has_been_taken_from_it(play: Play) -> None:
    dimension = RUBRIC.gaps.dimension
    for turn, card in play.debate.ledger.cards.items():
        if dimension in card.balances:
            assert docking.due(play.debate, turn) == 0


def law_the_ring_is_closed_by_one_comparison(play: Play) -> None:
    turns = play.debate.transcript.turns
    pairs = [(each.earlier, each.later) for each in play.of(TurnsCompared)]
    near = [(turn, turn + 1) for turn in range(1, len(turns))]
    assert sorted(pairs) == sorted([*near, (1, len(turns))] if len(turns) > 2 else near)
    for each in play.of(TurnsCompared):
        if each.levels is not UNSET:
            assert {*COMPARED} == each.levels.keys()
            assert all(-2 <= level <= 2 for said in each.levels.values() for level in said)


def law_a_turn_is_scored_again_once_and_before_the_end(play: Play) -> None:
    events = play.events
    again = [each.turn for each in play.of(TurnRescored)]
    assert len(again) == len(set(again))
    assert all(abs(each.residual) > RUBRIC.rescore_above - 0.05 for each in play.of(TurnRescored))
    last = [at for at, each in enumerate(events) if isinstance(each, TurnRescored | ScoreInferred)]
    (verdict,) = [at for at, each in enumerate(events) if isinstance(each, ScorecardVerdictReached)]
    assert not last or max(last) < verdict


def law_it_concludes_with_the_lead_of_the_card_as_it_stands(play: Play) -> None:
    (verdict,), (end,) = play.of(ScorecardVerdictReached), play.of(DebateConcluded)
    card = views.apply_all(views.INITIAL, play.records).view.scorecard

    assert verdict.winner == end.winner
    assert (verdict.mean.pro, verdict.mean.con) == (card.pro.composite, card.con.composite)
    if isinstance(verdict.margin, Missing):
        assert end.winner == "neither"
        return
    assert (verdict.certainty, verdict.error, verdict.pairs) == (card.certainty, card.error, card.pairs)
    assert verdict.certainty is not UNSET
    assert RUBRIC.certainty is not UNSET
    is_named = verdict.certainty >= RUBRIC.certainty.name_at and verdict.leaning != "neither"
    assert verdict.winner == (verdict.leaning if is_named else "neither")
    assert 0.5 <= verdict.certainty <= 1


LAWS = (
    law_the_ledger_adds_up_after_any_event,
    law_the_points_of_a_side_are_those_of_its_components_and_entries,
    law_what_was_found_in_a_turn_has_been_taken_from_it,
    law_the_ring_is_closed_by_one_comparison,
    law_a_turn_is_scored_again_once_and_before_the_end,
    law_it_concludes_with_the_lead_of_the_card_as_it_stands,
)


@pytest.mark.slow
@examples(20, whole=360)
@seeds
def test_the_laws_hold_for_any_debate(seed: int) -> None:
    play = played(seed)
    for law in LAWS:
        law(play)


@pytest.mark.slow
@examples(12, whole=60)
@seeds
def test_every_prefix_has_the_view_that_its_frames_give(seed: int) -> None:
    play = played(seed, turns=4)
    fold, seen = views.INITIAL, {}
    for number, record in enumerate(play.records, 1):
        fold, frame = frames.step(fold, record)
        seen = merge(seen, msgspec.json.decode(frame)["patch"])
        if number % 20 == 0 or number == len(play.records):
            assert views.apply_all(views.INITIAL, play.records[:number]).view == fold.view
            assert msgspec.json.decode(msgspec.json.encode(fold.view)) == seen


@pytest.mark.slow
@examples(12, whole=60)
@seeds
def test_a_what_if_under_the_own_rubric_is_the_record(seed: int) -> None:
    random_debate, ends = RandomDebate(seed, rubric=RUBRIC), []
    add = random_debate.play.add

    def noted(*events: Any) -> None:
        add(*events)
        ends.append(len(random_debate.play.records))

    random_debate.play.add = noted  # type: ignore[method-assign]  # a log ends where a batch ends
    records = random_debate.run().records
    for end in (len(records), *Random(seed).sample(ends, min(3, len(ends)))):
        walked = replay(records[:end], lambda debate: debate)

        assert walked.recorded == walked.would_be
        assert (0, ()) == (walked.diverges_at, walked.unanswered)


@pytest.mark.slow
def test_random_debates_reach_what_v3_adds() -> None:
    """The laws above prove little about events that never occur."""
    plays = [played(seed, turns=5) for seed in range(12)]
    seen = {type(event).__name__ for play in plays for event in play.events}

    assert {
        "TurnRescored",
        "ScoreInferred",
        "ScoreCapped",
        "ScoreHarmonized",
        "PenaltyReversed",
        "LogicGapAdjusted",
        "DebateAudited",
    } <= seen
    assert {each.rule for play in plays for each in play.of(ScoreChange)} >= {"docking", "cleared", "comparison"}
