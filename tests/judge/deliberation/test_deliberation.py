"""Agreement of judges, their disagreements, and the causes of changed verdicts."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from events.types import Missing
from events.types.criteria import DeliberationRules
from events.types.deliberation import OpinionGiven
from judge.deliberation.agreement import agreement, disagreements, has_converged, mind_changes
from judge.errors import RubricError
from judge.rubrics.rubric import parse_rubric, rubric_v1
from tests.judge.deliberation.judges import DIMENSIONS, OTHER_QUOTE, QUOTE, RULES, even_scores, opinion, opinions

SCALE = 2.0


def measured(*given: OpinionGiven, scale: float = SCALE) -> Any:
    return agreement(opinions(*given), RULES, scale)


# agreement


def test_two_to_one_with_equal_dimensions_is_exactly_enough() -> None:
    result = measured(opinion("PASS", even_scores(2)), opinion("PASS", even_scores(2)), opinion("FAIL", even_scores(2)))

    assert 0.8 == result
    assert has_converged(result, RULES)


def test_one_to_one_with_equal_dimensions_can_never_converge() -> None:
    result = measured(opinion("PASS", even_scores(3)), opinion("FAIL", even_scores(3)))

    assert 0.7 == result
    assert not has_converged(result, RULES)


def test_one_verdict_and_one_score_is_full_agreement() -> None:
    assert 1.0 == measured(opinion("PASS", even_scores(3)), opinion("PASS", even_scores(3)))


def test_one_verdict_with_scores_at_both_ends_is_the_verdicts_part_alone() -> None:
    assert 0.6 == measured(opinion("PASS", even_scores(1)), opinion("PASS", even_scores(3)))


def test_the_scale_is_data() -> None:
    given = (opinion("pro", {"pro.logic": 1}), opinion("pro", {"pro.logic": 5.5}))

    assert 0.8 == measured(*given, scale=9)


def test_a_dimension_that_one_judge_scored_says_nothing_of_agreement() -> None:
    given = (opinion("PASS", {"risk": 1, "clarity": 1}), opinion("PASS", {"risk": 3}))

    assert 0.6 == measured(*given)


def test_without_a_common_dimension_the_verdicts_alone_count() -> None:
    given = (opinion("PASS", {"risk": 3}), opinion("PASS", {"clarity": 3}), opinion("FAIL"))

    assert pytest.approx(2 / 3) == measured(*given)
    assert not has_converged(measured(*given), RULES)  # .6 × 2/3 + .4 × 1 would have converged


def test_a_missing_opinion_counts_for_nothing() -> None:
    assert 0.7 == measured(opinion("PASS", even_scores(2)), opinion(), opinion("FAIL", even_scores(2)))


@pytest.mark.parametrize(
    "given", [(), (opinion("PASS", even_scores(3)),), (opinion("PASS", even_scores(3)), opinion())]
)
def test_fewer_than_two_opinions_have_no_agreement(given: tuple[OpinionGiven, ...]) -> None:
    result = measured(*given)

    assert isinstance(result, Missing)
    assert not has_converged(result, RULES)


verdicts = st.sampled_from(("PASS", "FAIL", "CONDITIONAL"))
some_scores = st.dictionaries(st.sampled_from(DIMENSIONS), st.integers(1, 3))
some_opinions = st.lists(st.builds(opinion, verdicts, some_scores), min_size=2, max_size=7)


@pytest.mark.slow
@drawn(some_opinions)
def test_agreement_is_the_formula_in_exact_fractions(given: list[OpinionGiven]) -> None:
    names = [each.verdict for each in given]
    share = Fraction(max(names.count(each) for each in names), len(names))
    columns = [[int(each.scores[name]) for each in given if name in each.scores] for name in DIMENSIONS]
    alike = [1 - Fraction(max(column) - min(column), 2) for column in columns if len(column) > 1]
    exact = Fraction(6, 10) * share + Fraction(4, 10) * sum(alike) / len(alike) if alike else share

    assert pytest.approx(float(exact), abs=1e-8) == measured(*given)
    assert (exact >= Fraction(8, 10)) == has_converged(measured(*given), RULES)


@pytest.mark.slow
@drawn(some_opinions, st.randoms(use_true_random=False))
def test_agreement_does_not_ask_in_which_order_judges_sit(given: list[OpinionGiven], random: Any) -> None:
    others = list(given)
    random.shuffle(others)

    assert measured(*given) == measured(*others)
    assert 0 <= measured(*given) <= 1


# disagreements


def found(*given: OpinionGiven, scale: float = SCALE, rules: DeliberationRules = RULES) -> list[tuple[str, float]]:
    return [(each.dimension, each.severity) for each in disagreements(opinions(*given), DIMENSIONS, rules, scale)]


def test_a_split_verdict_weighs_as_much_as_the_commonest_lacks() -> None:
    three = (opinion("PASS"), opinion("PASS"), opinion("FAIL"))
    four = (opinion("PASS"), opinion("FAIL"), opinion("CONDITIONAL"), opinion("PASS"))

    assert [("", pytest.approx(1 / 3))] == found(*three)
    assert [("", 0.5)] == found(*four)


@pytest.mark.parametrize(("gap", "counts"), [(1.4, False), (1.5, True), (2, True)])
def test_a_dimension_counts_from_a_gap_of_one_and_a_half_on_the_scale_of_three(gap: float, *, counts: bool) -> None:
    given = (opinion("PASS", {"risk": 1}), opinion("PASS", {"risk": 1 + gap}))

    assert ([("risk", gap / 2)] if counts else []) == found(*given)


@pytest.mark.parametrize(("gap", "counts"), [(6.74, False), (6.75, True), (9, True)])
def test_on_a_scale_of_ten_it_counts_from_three_quarters_of_it(gap: float, *, counts: bool) -> None:
    given = (opinion("pro", {"risk": 1}), opinion("pro", {"risk": 1 + gap}))

    assert counts == bool(found(*given, scale=9))


def test_the_widest_difference_comes_first_and_equals_stay_in_their_order() -> None:
    low = {"soundness": 1, "completeness": 1.5, "clarity": 1, "risk": 2}
    high = {"soundness": 3, "completeness": 3, "clarity": 3, "risk": 2}

    assert [("soundness", 1), ("clarity", 1), ("completeness", 0.75), ("", 0.5)] == found(
        opinion("PASS", low), opinion("FAIL", high)
    )


def test_of_equal_severity_the_verdict_comes_before_a_dimension() -> None:
    rules = DeliberationRules(gap_share=0.5)

    assert [("", 0.5), ("risk", 0.5)] == found(opinion("PASS", {"risk": 1}), opinion("FAIL", {"risk": 2}), rules=rules)


def test_a_disagreement_names_who_stands_where() -> None:
    (verdict, risk) = disagreements(
        opinions(opinion("PASS", {"risk": 3}), opinion("FAIL", {"risk": 1}), opinion()), DIMENSIONS, RULES, SCALE
    )[::-1]

    assert {"A": "PASS", "B": "FAIL"} == verdict.positions
    assert {"A": 3, "B": 1} == risk.positions


# changes of verdict


def moved(*rounds: OpinionGiven) -> list[tuple[str, str, str]]:
    """The changes of one judge in its last round."""
    *before, now = ({"A": each} for each in rounds)
    return [(each.before, each.after, each.kind) for each in mind_changes(before, now)]


def test_a_checked_quote_that_was_not_named_before_is_new_evidence() -> None:
    before = opinion("PASS", quote=OTHER_QUOTE, verified=True)

    assert [("PASS", "FAIL", "evidence")] == moved(before, opinion("FAIL", quote=QUOTE, verified=True))


@pytest.mark.parametrize(
    ("quote", "verified"),
    [
        ("", False),
        (QUOTE, False),
        (OTHER_QUOTE, True),
        (f"“{OTHER_QUOTE.upper()}”", True),
        (f"{OTHER_QUOTE} at last", True),
        (OTHER_QUOTE[:12], True),
    ],
)
def test_anything_else_is_conformity(quote: str, *, verified: bool) -> None:
    before = opinion("PASS", quote=OTHER_QUOTE, verified=True)

    assert [("PASS", "FAIL", "conformity")] == moved(before, opinion("FAIL", quote=quote, verified=verified))


def test_a_quote_of_any_earlier_round_is_not_new() -> None:
    first, second = opinion("PASS", quote=QUOTE, verified=True), opinion("PASS", quote=OTHER_QUOTE, verified=True)

    assert [("PASS", "FAIL", "conformity")] == moved(first, second, opinion("FAIL", quote=QUOTE, verified=True))


def test_a_judge_that_was_silent_for_a_round_is_compared_with_what_it_last_said() -> None:
    assert [("PASS", "FAIL", "conformity")] == moved(opinion("PASS"), opinion(), opinion("FAIL"))


@pytest.mark.parametrize(
    "rounds", [(opinion("PASS"), opinion("PASS")), (opinion("PASS"), opinion()), (opinion(), opinion("PASS"))]
)
def test_no_other_verdict_no_change(rounds: tuple[OpinionGiven, ...]) -> None:
    assert [] == moved(*rounds)


# the rules as data


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("deliberation", "verdict_share"), 0.7, "deliberation.verdict_share"),
        (("deliberation", "timeout_s"), 0, "deliberation.timeout_s"),
        (("deliberation", "artifact", "high"), 1, "deliberation.artifact"),
        (("deliberation", "artifact", "dimensions"), {}, "deliberation.artifact.dimensions"),
        (("criteria", "low"), 10, "criteria"),
        (("criteria", "dimensions", "logic", "weight"), 0.9, "criteria.dimensions"),
        (("criteria", "dimensions", "logic", "asks"), " ", "criteria.dimensions.logic.asks"),
    ],
)
def test_rules_that_make_no_sense_are_refused_by_name(path: tuple[str, ...], value: Any, field: str) -> None:
    given = msgspec.to_builtins(rubric_v1())
    part = given
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value

    with pytest.raises(RubricError) as caught:
        parse_rubric(msgspec.json.encode(given))
    assert field == caught.value.field


def test_the_shipped_rules_are_the_seeds() -> None:
    rules = rubric_v1().deliberation

    assert rules == RULES
    assert (3, 0.8, 0.6, 0.4, 2, 120) == (
        RULES.rounds,
        RULES.converged,
        RULES.verdict_share,
        RULES.dimension_share,
        RULES.least_judges,
        RULES.timeout_s,
    )
    assert 1.5 == RULES.gap_share * (RULES.artifact.high - RULES.artifact.low)
