"""How sure a lead is: Student's distribution against scipy, and the standard error against its formula."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy import special, stats

from events.state.certainty import LeadBasis, certainty_of, error_of, incomplete_beta, student, weight_of
from events.types.rubric import Certainty
from tests.laws import examples

RULE = Certainty(
    residual=7.3,
    residual_weight=4,
    pair_weight=0.75,
    of_residual=0.35,
    unpaired=1.1,
    floor=14,
    prior_lead=8,
    name_at=0.9,
)
SIX = LeadBasis(residuals=(3.0, -5.0, 8.0, -2.0, 6.0, -9.0), turns=6, paired=6, weight=5.58)
leads = st.floats(0, 60)


@pytest.mark.slow
@examples(100, whole=2000)
@given(st.floats(-40, 40), st.floats(0.5, 400))
def test_students_distribution_is_that_of_scipy(t: float, freedom: float) -> None:
    assert stats.t.cdf(t, freedom) == pytest.approx(student(t, freedom), abs=1e-10)


@examples(100, whole=2000)
@given(st.floats(0.05, 200), st.floats(0.05, 200), st.floats(0, 1))
def test_the_incomplete_beta_function_is_that_of_scipy(a: float, b: float, x: float) -> None:
    assert special.betainc(a, b, x) == pytest.approx(incomplete_beta(a, b, x), abs=1e-9)


def test_the_error_follows_its_formula() -> None:
    """Two fewer comparisons than turns, and a variance that scores and comparisons share."""
    basis, rule = replace(SIX, paired=4), replace(RULE, shared=2.25)
    squares = sum(each**2 for each in SIX.residuals)
    variance = (4 * 7.3**2 + 0.75 * squares) / (4 + 0.75 * 6)
    expected = math.sqrt(((0.35 + 1.1 * 2 / 6) * variance + 14 + 4 * 2.25) / 5.58)

    assert (pytest.approx(expected), 8.5) == error_of(basis, rule)


def test_the_certainty_shrinks_the_lead_by_what_leads_usually_are() -> None:
    error, freedom = error_of(SIX, RULE)
    shrunk = 4.0 / math.sqrt(error**2 + error**4 / 8**2)

    found = certainty_of(-4.0, SIX, RULE)

    assert pytest.approx(stats.t.cdf(shrunk, freedom)) == found.probability
    assert (error, 6) == (found.error, found.pairs)


@pytest.mark.parametrize(
    ("turns", "weight"), [(4, 3.48), (6, 5.58), (10, 9.64)], ids=["four turns", "six turns", "ten turns"]
)
def test_components_that_not_all_turns_have_weigh_less(turns: int, weight: float) -> None:
    """Of 100 points, 30 are of components that turn 1 does not have; turn 1 is Pro's."""
    own = turns // 2

    assert pytest.approx(weight, abs=0.005) == weight_of([(0.7, own, own), (0.3, own - 1, own)])


def test_no_component_has_no_weight() -> None:
    assert weight_of([]) == 0
    with pytest.raises(ValueError, match="at least one turn"):
        certainty_of(1.0, replace(SIX, weight=0.0), RULE)


@examples(60, whole=600)
@given(leads, leads)
def test_a_larger_lead_is_never_less_sure(one: float, two: float) -> None:
    less, more = (certainty_of(each, SIX, RULE).probability for each in sorted((one, two)))

    assert 0.5 <= less <= more <= 1
    assert 0.5 == certainty_of(0.0, SIX, RULE).probability


@pytest.mark.parametrize(
    "worse",
    [
        {"paired": 5},
        {"paired": 0},
        {"weight": 4.0},
        {"residuals": (3.0, -5.0, 8.0, -2.0, 6.0, -19.0)},
    ],
    ids=["a comparison is missing", "none is known", "fewer turns", "a pair that fits worse"],
)
def test_what_is_known_less_exactly_is_less_sure(worse: dict[str, Any]) -> None:
    known, less = certainty_of(4.0, SIX, RULE), certainty_of(4.0, replace(SIX, **worse), RULE)

    assert less.error > known.error
    assert less.probability < known.probability


def test_without_any_comparison_the_usual_figures_count() -> None:
    error, freedom = error_of(LeadBasis(residuals=(), turns=6, paired=0, weight=5.58), RULE)

    assert 4 == freedom
    assert pytest.approx(math.sqrt((1.45 * 7.3**2 + 14) / 5.58)) == error
