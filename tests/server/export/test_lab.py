"""The words of a lab run: what its summary says, and the names of its effects."""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.types import Battery, Effect, LabVerdict
from events.types.lab import LeftOut
from events.types.opening import JudgeSeat
from events.view.lab import BatteryView, LabView
from events.view.view import View
from server.export.lab import BATTERIES, answers, effect_name, summary, verdict_words
from server.export.lab.figures import in_figures, shown
from server.export.lab.latex import Parameters, report_latex
from server.export.lab.use import ANOTHER, PEOPLE, may_use


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


# may I use this judge


def good(battery: Battery, name: str) -> Effect:
    return replace(FREE, battery=battery, name=name)


KAPPAS = [
    replace(
        MEASURED,
        battery="people",
        name=f"{kind}_kappa",
        unit="kappa",
        verdict="better",
        estimate=0.7,
        low=0.5,
        high=0.9,
    )
    for kind in ("pairs", "debates")
]
GOOD = [
    *KAPPAS,
    *(replace(each, name=each.name.replace("kappa", "beyond_length"), unit="share") for each in KAPPAS),
    replace(MEASURED, battery="retest", name="flips"),
    good("position", "first_pick"),
    good("level", "points"),
    replace(MEASURED, battery="flaw", name="chain_sensitivity", low=0.2, high=0.8),
    *(
        good(battery, "x")
        for battery in ("side", "labels", "last_word", "length", "style", "authority", "injection", "pressure")
    ),
]


def without(battery: str, name: str = "") -> list[Effect]:
    return [each for each in GOOD if each.battery != battery or not each.name.endswith(name)]


def answered(effects: list[Effect], about: str) -> str:
    return next(each.answer for each in may_use(effects).conditions if about in each.asks)


def test_a_judge_may_be_used_if_every_condition_is_met() -> None:
    use = may_use(GOOD)

    assert ("yes", {"yes"}) == (use.answer, {each.answer for each in use.conditions})
    assert "Yes, for texts like those of this run: every condition is met." == use.says
    assert all(each.figures for each in use.conditions)


@pytest.mark.parametrize(
    ("battery", "name", "about"),
    [
        ("people", "kappa", "beyond chance"),
        ("people", "beyond_length", "longer speech"),
        ("people", "debates_kappa", "more than one kind"),
        ("retest", "flips", "either order"),
        ("position", "first_pick", "either order"),
        ("level", "points", "anchors"),
        ("flaw", "chain_sensitivity", "planted flaws"),
        ("pressure", "x", "opinions of others"),
    ],
)
def test_a_condition_that_is_not_measured_is_not_yet_shown(battery: str, name: str, about: str) -> None:
    use = may_use(without(battery, name))

    assert ("not yet shown", "not yet shown") == (use.answer, answered(without(battery, name), about))
    assert use.says.startswith("Not yet shown: 1")


@pytest.mark.parametrize(
    ("replaced", "about"),
    [
        (replace(KAPPAS[0], low=0.1, high=0.3), "beyond chance"),
        (replace(KAPPAS[0], name="pairs_beyond_length", verdict="worse"), "longer speech"),
        (effect("biased", "position", "first_pick", q=0.0), "either order"),
        (effect("biased", "level", "points", q=0.0), "anchors"),
        (replace(MEASURED, battery="flaw", name="chain_sensitivity", low=-0.8, high=-0.2), "planted flaws"),
        (effect("biased", "side", "x", q=0.0), "side that a speech"),
    ],
)
def test_a_condition_that_fails_decides(replaced: Effect, about: str) -> None:
    effects = [replaced if (each.battery, each.name) == (replaced.battery, replaced.name) else each for each in GOOD]

    assert ("no", "no") == (may_use(effects).answer, answered(effects, about))
    assert "13 of 14 conditions are met." in may_use(effects).says


def test_points_that_people_gave_can_fail_the_level_and_do_not_show_it_without_the_anchors() -> None:
    alike, apart = good("people", "scores_level"), effect("biased", "people", "scores_level", q=0.0)

    assert "not yet shown" == answered([*without("level"), alike], "anchors")
    assert "no" == answered([*GOOD, apart], "anchors")


def test_a_condition_without_figures_says_what_to_measure() -> None:
    figures = {each.asks: each.figures for each in may_use(()).conditions}
    of_one_kind = without("people", "debates_kappa")

    assert (PEOPLE,) == next(figures[each] for each in figures if "more than one kind" in each)
    assert ("Run the battery retest.", "Run the battery position.") == next(
        figures[each] for each in figures if "either order" in each
    )
    assert ANOTHER == next(
        each.figures[-1] for each in may_use(of_one_kind).conditions if "more than one kind" in each.asks
    )
    assert not any({PEOPLE, ANOTHER} & set(each.figures) for each in may_use(GOOD).conditions)


def test_a_bias_that_is_less_than_matters_does_not_forbid_a_judge() -> None:
    less = effect("biased, by less than matters", "side", "x", q=0.0)

    assert "yes" == answered([*without("side"), less], "side that a speech")


def test_a_judge_that_repeats_itself_and_follows_the_order_may_not_be_used() -> None:
    """A retest without a difference stands beside the effect of the order, and excuses nothing."""
    steady = replace(MEASURED, battery="retest", name="flips", estimate=0.0, low=0.0, high=0.02)
    moved = effect("biased", "position", "first_pick", q=0.0)

    assert "no" == answered([steady, moved], "either order")
    assert "Retest, repeated verdicts that differ: 0 %" in may_use([steady, moved]).conditions[3].figures[0]


# few clusters, small shares


def test_few_topics_stand_beside_the_interval() -> None:
    few = replace(OPEN, battery="people", estimate=0.66, low=0.16, high=0.95, clusters=3)

    assert "66 %, 95 % 16 % to 95 % (3 topics)" == in_figures(few)
    assert "(1 motion)" in in_figures(replace(few, battery="side", clusters=1))
    assert "(" not in in_figures(replace(few, clusters=10))


def test_a_share_below_one_per_cent_is_not_written_as_none() -> None:
    assert ["0 %", "0.4 %", "−0.4 %", "1 %"] == [shown(each, "share") for each in (0.0, 0.004, -0.004, 0.011)]
    assert ["0 %", "0.0", "0.00"] == [shown(-1e-9, unit) for unit in ("share", "points", "kappa")]


def test_abilities_are_told_apart_from_biases() -> None:
    able = replace(KAPPAS[0], q=0.0)

    assert not able.is_biased
    assert [("People", "pairs: agreement beyond chance (kappa): better")] == answers([able])
    assert summary([able]).startswith("No figure of this run has a value")


# the methods, for a paper

RUN = LabView(
    batteries={"side": BatteryView(items=60, trials=400)},
    effects=(OPEN,),
    failed_trials=3,
    repeats={"side": 2},
    left_out=(LeftOut(battery="people", kind="debates", given=8, asked=6, why="so it is"),),
)
SEAT = JudgeSeat(model="openai:x", samples=3, think="high", effort="brief")


@pytest.mark.parametrize(
    ("said", "run", "seat", "parameters"),
    [
        ("Each question of a trial was asked 3 times;", RUN, replace(SEAT, samples=1), {}),
        ("and an item has the mean of its answers: side 2.", replace(RUN, repeats={"side": 1}), SEAT, {}),
        ("The temperature was 0.7.", RUN, SEAT, {"temperature": 1.0}),
        ("Thinking was set to high.", RUN, replace(SEAT, think="default"), {}),
        ("The judge was asked briefly.", RUN, replace(SEAT, effort="full"), {}),
        ("3 trials have no usable answer;", replace(RUN, failed_trials=0), SEAT, {}),
        ("Of 8 debates that people judged 6 were used: so it is.", replace(RUN, left_out=UNSET), SEAT, {}),
    ],
)
def test_the_methods_say_what_the_run_records(said: str, run: LabView, seat: JudgeSeat, parameters: Parameters) -> None:
    assert said in report_latex(View(), RUN, SEAT, {"temperature": 0.7})
    assert said not in report_latex(View(), run, seat, parameters)
