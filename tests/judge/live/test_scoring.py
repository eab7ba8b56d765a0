"""The rules of a turn's score; every number was computed by hand."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.types import DimensionScore, Reason, TurnScored
from events.types.rubric import Rubric
from judge.lenient import read_as
from judge.live.scoring import (
    ComponentAnswer,
    ScoreAnswer,
    applicable,
    missing_score,
    score_turn,
    score_type,
)
from judge.rubrics.rubric import rubric_v1, rubric_v3

TEXT = "Cars poison the air because engines burn fuel; in one year the wards counted fewer asthma cases."
QUOTE = "poison the air"
RUBRIC = rubric_v1()


def answer(turn: int = 2, quote: str = QUOTE, **points: float) -> ScoreAnswer:
    """A sample with full points, except for the given components."""
    return ScoreAnswer(
        components={
            name: ComponentAnswer(points=points.get(name, component.maximum), quote=quote, reason="because")
            for name, component in applicable(RUBRIC, turn).items()
        }
    )


def dimension(scored: TurnScored, name: str) -> DimensionScore:
    assert isinstance(scored.dimensions, dict)
    return scored.dimensions[name]


CASES: list[tuple[dict[str, float], str, float, float, str]] = [
    ({}, "logic", 40, 40, ""),
    ({"cause": 0}, "logic", 30, 28, "one of three links missing (cause): logic at most 28"),
    ({"cause": 0, "process": 0}, "logic", 20, 18, "two of three links missing (cause, process): logic at most 18"),
    (
        {"cause": 0, "process": 0, "consequence": 0},
        "logic",
        10,
        8,
        "three of three links missing (cause, process, consequence): logic at most 8",
    ),
    ({"cause": 0, "process": 5, "consequence": 5, "weakest_premise": 5}, "logic", 15, 15, ""),
    ({"weakest_premise": 7}, "logic", 37, 35, "above 35 every component needs 8 (weakest_premise): logic at most 35"),
    ({"weakest_premise": 8}, "logic", 38, 38, ""),
    ({"weakest_premise": 5}, "logic", 35, 35, ""),
    ({"weakest_premise": 0}, "logic", 30, 30, ""),
    ({"framing": 3}, "rhetoric", 25, 21, ""),
    ({"framing": 0}, "rhetoric", 22, 15, ""),
    ({"framing": 4}, "rhetoric", 26, 26, ""),
    ({"framing": 3, "delivery": 4}, "rhetoric", 21, 21, ""),
    ({"targeting": 0}, "tactics", 20, 20, ""),
    ({"credibility": 6}, "credibility", 6, 6, ""),
]


@pytest.mark.parametrize(("points", "name", "raw", "admitted", "rule"), CASES)
def test_rules_from_turn_two_on(points: dict[str, float], name: str, raw: float, admitted: float, rule: str) -> None:
    scored = score_turn(RUBRIC, 2, TEXT, [answer(**points)])

    assert (raw, admitted) == (dimension(scored, name).raw, dimension(scored, name).admitted)
    assert ((rule,) if rule else ()) == dimension(scored, name).rules


def test_the_leash_speaks_at_the_component() -> None:
    scored = score_turn(RUBRIC, 2, TEXT, [answer(framing=3)])

    assert isinstance(scored.components, dict)
    delivery = scored.components["delivery"]
    assert (8, 4) == (delivery.raw, delivery.admitted)
    assert ("framing at 3 is under 4: delivery at most 4",) == delivery.rules


@pytest.mark.parametrize(
    ("points", "name", "raw", "admitted"),
    [
        ({}, "logic", 40, 40),
        ({"cause": 5, "process": 5, "consequence": 6}, "logic", 21.3, 21.3),  # 16 of 30, times 4/3
        ({"cause": 0}, "logic", 26.7, 26.7),  # 20 of 30: under its cap of 28
        ({"cause": 0, "process": 0}, "logic", 13.3, 13.3),
        ({"cause": 7}, "logic", 36, 35),  # 27 of 30: 36, above 35 with a 7
        ({"targeting": 5, "positioning": 6}, "tactics", 16.5, 16.5),  # 11 of 20, times 3/2
        ({"framing": 1}, "rhetoric", 23, 17),
    ],
)
def test_turn_one_is_scaled_up_from_what_applies(
    points: dict[str, float],
    name: str,
    raw: float,
    admitted: float,
) -> None:
    scored = score_turn(RUBRIC, 1, TEXT, [answer(1, **points)])

    assert isinstance(scored.components, dict)
    assert not {"weakest_premise", "responsiveness"} & scored.components.keys()
    assert (raw, admitted) == (dimension(scored, name).raw, dimension(scored, name).admitted)


def test_scaling_is_said() -> None:
    scored = score_turn(RUBRIC, 1, TEXT, [answer(1, cause=5, process=5, consequence=6)])

    rule = "weakest premise cannot apply in turn 1: 16 of 30 counts as 21.3 of 40"
    assert (rule,) == dimension(scored, "logic").rules
    assert () == dimension(scored, "rhetoric").rules


def test_where_nothing_is_scaled_only_what_could_not_be_read_is_said() -> None:
    lacking = ScoreAnswer(components={name: each for name, each in answer().components.items() if name != "cause"})

    assert () == dimension(score_turn(rubric_v3(), 1, TEXT, [answer(1)]), "logic").rules
    assert () == dimension(score_turn(rubric_v3(), 2, TEXT, [answer()]), "logic").rules
    assert ("no points for cause could be read: 30 points can be had",) == dimension(
        score_turn(rubric_v3(), 2, TEXT, [lacking]), "logic"
    ).rules


@pytest.mark.parametrize(
    ("quote", "rule"),
    [
        ("cars cure the sick", "the quote is not in the turn: at most 5 of 10"),
        ("", "no quote given: at most 5 of 10"),
        ("the air", "the quote is under 8 characters: at most 5 of 10"),
    ],
)
def test_an_unfounded_component_keeps_half(quote: str, rule: str) -> None:
    scored = score_turn(RUBRIC, 2, TEXT, [answer(quote=quote, process=4)])

    assert isinstance(scored.components, dict)
    cause, process, structure = (scored.components[name] for name in ("cause", "process", "structure"))
    assert (10, 5, False, None, (rule,)) == (cause.raw, cause.admitted, cause.verified, cause.span, cause.rules)
    assert (4, 4, False, ()) == (process.raw, process.admitted, process.verified, process.rules)
    assert 3.5 == structure.admitted
    assert (34, 19) == (dimension(scored, "logic").raw, dimension(scored, "logic").admitted)
    assert (10, 10) == (dimension(scored, "credibility").raw, dimension(scored, "credibility").admitted)


def test_a_quote_carries_its_place() -> None:
    scored = score_turn(RUBRIC, 2, TEXT, [answer(quote="“POISON  the AIR”")])

    assert isinstance(scored.components, dict)
    assert (5, 19) == scored.components["cause"].span
    assert scored.components["cause"].verified


@pytest.mark.parametrize(
    ("points", "median", "spread", "words"),
    [
        ((4,), 4, 0, "poison the air"),
        ((2, 9, 4), 4, 7, "in one year"),
        ((2, 9), 5.5, 7, "poison the air"),
        ((8, 8, 1, 8), 8, 7, "poison the air"),
    ],
)
def test_samples_give_their_median_and_the_words_nearest_to_it(
    points: tuple[int, ...],
    median: float,
    spread: float,
    words: str,
) -> None:
    quotes = ("poison the air", "engines burn fuel", "in one year", "fewer asthma cases")
    samples = [answer(quote=quote, cause=value) for value, quote in zip(points, quotes, strict=False)]

    scored = score_turn(RUBRIC, 2, TEXT, samples)

    assert isinstance(scored.components, dict)
    cause = scored.components["cause"]
    assert (median, spread, words, len(points)) == (cause.raw, cause.spread, cause.quote, scored.samples)
    assert spread == dimension(scored, "logic").spread


def test_no_answer_is_no_number() -> None:
    absent = missing_score(3, "the judge refused three times")

    assert Reason("the judge refused three times") == absent.missing
    assert absent.components is msgspec.UNSET
    assert absent.dimensions is msgspec.UNSET
    with pytest.raises(ValueError, match="at least one answer"):
        score_turn(RUBRIC, 2, TEXT, [])


def samples_for(rubric: Rubric, turn: int) -> st.SearchStrategy[list[ScoreAnswer]]:
    def one(maximum: int) -> st.SearchStrategy[ComponentAnswer]:
        quote = st.sampled_from(["", QUOTE, "because engines burn", "never said", "x"]) | st.text(max_size=20)
        return st.builds(ComponentAnswer, points=st.integers(0, maximum), quote=quote, reason=st.text(max_size=9))

    card = st.fixed_dictionaries({name: one(part.maximum) for name, part in applicable(rubric, turn).items()})
    return st.lists(st.builds(ScoreAnswer, components=card), min_size=1, max_size=4)


@pytest.mark.slow
@given(st.integers(1, 3), st.data())
def test_rules_only_lower_and_always_say_so(turn: int, data: st.DataObject) -> None:
    answers = data.draw(samples_for(RUBRIC, turn))

    scored = score_turn(RUBRIC, turn, TEXT, answers)

    assert isinstance(scored.components, dict)
    assert isinstance(scored.dimensions, dict)
    for name, part in applicable(RUBRIC, turn).items():
        score = scored.components[name]
        assert 0 <= score.admitted <= score.raw <= part.maximum
        assert (score.admitted < score.raw) == bool(score.rules)
        if part.needs_quote and not score.verified:
            assert score.admitted <= part.maximum / 2
    for name, whole in RUBRIC.dimensions.items():
        score = scored.dimensions[name]
        parts = [scored.components[part] for part in whole.components if part in scored.components]
        assert 0 <= score.admitted <= score.raw <= whole.maximum
        if score.admitted < score.raw:
            assert score.rules or any(part.rules for part in parts)
    assert scored == score_turn(RUBRIC, turn, TEXT, answers)


def test_the_question_leaves_out_what_does_not_apply() -> None:
    first, second = score_type(RUBRIC, 1), score_type(RUBRIC, 2)

    assert second is score_type(RUBRIC, 9)
    assert first is not second
    value: Any = msgspec.convert(msgspec.to_builtins(answer(1)), first)
    found, notes = read_as(msgspec.to_builtins(value), first, ScoreAnswer)
    assert answer(1).components["cause"] == found.components["cause"]
    assert "" == found.components["credibility"].quote
    assert () == notes


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("points", 11),
        ("points", -1),
        ("points", 4.5),
        ("points", "4"),
        ("quote", "x" * 301),
        ("reason", "x" * 401),
    ],
)
def test_the_question_states_its_bounds(field: str, value: object) -> None:
    raw = msgspec.to_builtins(answer())
    raw["components"]["cause"][field] = value

    with pytest.raises(msgspec.ValidationError, match=r"components\.cause"):
        msgspec.convert(raw, score_type(RUBRIC, 2))
