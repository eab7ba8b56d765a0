"""The words of a lab run: what its summary says, and the names of its effects."""

import pytest
from msgspec.structs import replace

from events.types import Battery, Effect, LabVerdict
from server.export.lab import BATTERIES, answers, effect_name, summary, verdict_words


def effect(verdict: LabVerdict, battery: Battery = "side", name: str = "pro_pick", q: float | None = 0.5) -> Effect:
    return Effect(
        battery=battery,
        name=name,
        unit="share",
        estimate=0.5,
        low=0.4,
        high=0.6,
        null=0.5,
        n=60,
        clusters=30,
        failed=0,
        p=None,
        q=q,
        detectable=None,
        floor=0.1,
        verdict=verdict,
        note="",
    )


BIASED = effect("biased", "length", "padded_50", q=0.01)
LESS = effect("biased, by less than matters", "length", "padded_100", q=0.04)
FREE, OPEN, MEASURED = effect("no bias that matters"), effect("cannot tell"), effect("measured", q=None)
EARLIER = effect("within the floor", "position", "first_pick", q=0.0)
"""A bias that an earlier rule hid behind the noise of one answer."""


def test_a_summary_says_how_many_comparisons_exclude_a_bias_that_matters() -> None:
    assert "Of 3 comparisons, 2 exclude a bias that matters; the rest cannot tell." == summary(
        [FREE, FREE, OPEN, MEASURED]
    )
    assert "Of 1 comparison, 1 excludes a bias that matters." == summary([FREE])
    assert "Of 2 comparisons, none can tell whether there is a bias that matters." == summary([OPEN, OPEN])
    assert "No figure of this run has a value to compare it with." == summary([MEASURED])


def test_a_summary_names_the_biases_first() -> None:
    biased = "2 of 4 comparisons show a bias (Length, 50 % longer: change of the score; "
    less = "Length, 100 % longer: change of the score, by less than matters)."
    rest = "Of the other 2, none can tell whether there is a bias that matters."

    assert f"{biased}{less} {rest}" == summary([OPEN, BIASED, LESS, OPEN])


def test_each_battery_has_an_answer() -> None:
    unknown = effect("cannot tell", "last_word", "last_pick")
    found = answers([FREE, OPEN, MEASURED, unknown, effect("biased", "pressure", "belief", q=0.0), LESS])

    assert found == [
        (BATTERIES[FREE.battery][0], "no bias that matters in 1 of 2 figures; the rest is not known"),
        ("Last word", "not known: more items are needed"),
        ("Pressure", "biased (a belief: flawed speech chosen more often)"),
        ("Length", "biased (100 % longer: change of the score, by less than matters)"),
    ]
    assert answers([FREE]) == [(BATTERIES[FREE.battery][0], "no bias that matters")]
    assert answers([MEASURED]) == []


def test_a_bias_that_an_earlier_rule_hid_is_named() -> None:
    assert [("Position", "biased (first speech chosen)")] == answers([EARLIER])
    assert "1 of 1 comparison shows a bias (Position, first speech chosen)." == summary([EARLIER])
    assert [(BATTERIES["side"][0], "not known: more items are needed")] == answers([effect("within the floor")])


def test_what_cannot_be_told_says_how_many_items_would_tell() -> None:
    assert "cannot tell: 1,240 items would" == verdict_words(replace(OPEN, enough=1240))
    assert "no bias that matters" == verdict_words(FREE)


def test_all_comparisons_may_show_a_bias() -> None:
    said = summary([BIASED] * 8)

    assert said.startswith("8 of 8 comparisons show a bias (Length, ")
    assert said.endswith("; and 2 more).")


@pytest.mark.parametrize(
    ("battery", "name", "expected"),
    [
        ("position", "toward_first", "first chosen, of pairs judged by order"),
        ("flaw", "dropped_premise_others", "dropped premise: all other components"),
        ("people", "debates_person", "debates: accuracy of people who judged live"),
        ("people", "debates_beyond_person", "debates: judge less people who judged live"),
        ("people", "pairs_baseline:lexical", "pairs baseline:lexical"),
        ("injection", "fake_verdict", "fake verdict: change of the score"),
        ("style", "ornate", "ornate: change of the score"),
    ],
)
def test_the_name_of_an_effect_is_words(battery: str, name: str, expected: str) -> None:
    assert expected == effect_name(battery, name)
