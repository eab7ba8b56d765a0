"""The check of a verdict: scores and comparisons solved together, against the equations stacked row by row."""

import numpy as np
import pytest
from hypothesis import given
from msgspec import UNSET
from msgspec.structs import replace

from events.state.scorecard import sums_of
from events.types import BothSides
from judge.live.event_batch import EventBatch
from judge.report.verdict_check import check_of
from judge.rubrics.rubric import rubric_v2
from tests.judge.ring_debates import COMPARED, DRAWN, RUBRIC, Judged, debate, judgings, pairs_of
from tests.judge.turns import debate_of, score, side_of
from tests.laws import examples

HALF = {"cause": 5, "process": 5, "consequence": 5, "framing": 5, "structure": 3, "positioning": 5}


def by_rows(judged: Judged) -> dict[str, float]:
    """Each side's points: for every turn a row that its score stays, for every pair one that it fits its comparison."""
    clean = debate(Judged(judged.points, {}))
    cards = clean.debate.ledger.cards
    moved: dict[int, float] = dict.fromkeys(cards, 0.0)
    for name in COMPARED:
        rows, lacks = list(np.eye(len(cards))), [0.0] * len(cards)
        for (earlier, later), levels in judged.levels.items():
            both = [
                (part, each.maximum)
                for part, each in RUBRIC.dimensions[name].components.items()
                if part in cards[earlier].components and part in cards[later].components
            ]
            most = sum(maximum for _, maximum in both)
            y = [
                max(
                    0,
                    sum(cards[turn].components[part].admitted for part, _ in both) + cards[turn].balances[name].capped,
                )
                for turn in (earlier, later)
            ]
            row = np.zeros(len(cards))
            row[later - 1], row[earlier - 1] = 1, -1
            rows.append(row)
            lacks.append(0.085 * most * sum(levels[name]) / 2 - (y[1] - y[0]))
        found, *_ = np.linalg.lstsq(np.array(rows), np.array(lacks), rcond=None)
        for turn in cards:
            moved[turn] += float(found[turn - 1])
    pro, con = sums_of(clean.debate.ledger).cards(RUBRIC)
    points = {"pro": pro.composite, "con": con.composite}
    for side, before in points.items():
        own = [turn for turn in cards if side_of(turn) == side]
        assert isinstance(before, float)
        points[side] = before + sum(moved[turn] for turn in own) / len(own)
    return points  # type: ignore[return-value]


@pytest.mark.slow
@examples(15, whole=300)
@given(judgings())
def test_it_solves_all_equations_at_once(judged: Judged) -> None:
    batch = debate(judged)
    found, expected = check_of(batch.debate), by_rows(judged)

    assert found is not None
    assert (found.points.pro, found.points.con) == (
        pytest.approx(expected["pro"], abs=0.021),
        pytest.approx(expected["con"], abs=0.021),
    )
    assert found.by_rule == sums_of(batch.debate.ledger).lead(RUBRIC)


def drawn(points: dict[int, dict[str, int]]) -> EventBatch:
    return debate(Judged(points, dict.fromkeys(pairs_of(len(points)), DRAWN)))


def test_scores_that_fit_their_comparisons_are_left() -> None:
    found = check_of(drawn(dict.fromkeys(range(1, 5), HALF)).debate)

    assert found is not None
    assert (found.points, found.lead, found.moved) == (BothSides(pro=28, con=28), 0, 0)


def test_it_names_the_turn_that_fits_worst() -> None:
    odd = HALF | {"cause": 10, "process": 10, "consequence": 10}
    found = check_of(drawn(dict.fromkeys(range(1, 7), HALF) | {4: odd}).debate)

    assert found is not None
    assert 4 == found.worst
    assert found.moved < -4


def test_there_is_none_without_a_ring_or_without_a_pair() -> None:
    batch = debate_of("One.", "Two.", rubric=rubric_v2())
    for turn in (1, 2):
        score(batch, turn)

    assert check_of(batch.debate) is None
    assert check_of(debate(Judged({1: HALF, 2: HALF}, {})).debate) is None
    without = debate(Judged({1: HALF}, {}), rubric=replace(RUBRIC, ring=UNSET))
    assert check_of(without.debate) is None
