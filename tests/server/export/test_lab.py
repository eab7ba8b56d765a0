"""The words of a lab run: what its summary says, and the names of its effects."""

import pytest
from msgspec.structs import replace

from events.types import Battery, Effect, LabVerdict
from server.export.lab import BATTERIES, answers, effect_name, summary


def effect(verdict: LabVerdict, battery: Battery = "side", name: str = "pro_pick", floor: float | None = 0.1) -> Effect:
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
        q=None,
        detectable=None,
        floor=floor,
        verdict=verdict,
        note="",
    )


BIASED = effect("biased", "length", "padded_50")
SEEN, UNSEEN, MEASURED = effect("within the floor"), effect("could not have seen it"), effect("measured")
WITHOUT_FLOOR = effect("within the floor", floor=None)


def test_a_summary_says_how_many_comparisons_could_have_seen_a_difference() -> None:
    seen = "Of 3 comparisons, 2 could have seen a difference that matters, and found none"

    assert f"{seen} larger than the judge's own variation; 1 could not." == summary([SEEN, SEEN, UNSEEN, MEASURED])
    assert f"{seen}; 1 could not." == summary([WITHOUT_FLOOR, WITHOUT_FLOOR, replace(UNSEEN, floor=None)])
    assert "Of 2 comparisons, none could have seen a difference that matters." == summary([UNSEEN, UNSEEN])
    assert "No figure of this run has a value to compare it with." == summary([MEASURED])


def test_a_summary_names_the_biases_first() -> None:
    biased = "1 of 3 comparisons shows a bias (Length, 50 % longer: change of the score)."
    rest = "Of the other 2, none could have seen a difference that matters."

    assert f"{biased} {rest}" == summary([UNSEEN, BIASED, UNSEEN])


def test_each_battery_has_an_answer() -> None:
    unknown = effect("could not have seen it", "last_word", "last_pick")
    found = answers([SEEN, UNSEEN, MEASURED, unknown, effect("biased", "pressure", "belief")])

    assert found == [
        (BATTERIES[SEEN.battery][0], "no bias that matters in 1 of 2 figures; the rest is not known"),
        ("Last word", "not known: more items are needed"),
        ("Pressure", "biased (a belief: flawed speech chosen more often)"),
    ]
    assert answers([SEEN]) == [(BATTERIES[SEEN.battery][0], "no bias that matters")]
    assert answers([MEASURED]) == []


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
