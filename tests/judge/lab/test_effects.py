"""Effects from readings: what each battery measures, what counts as missing, and the verdicts."""

from collections.abc import Callable, Iterable
from itertools import cycle
from typing import Any

import pytest
from msgspec.structs import replace

from events.types.lab import Battery, Effect, PeopleItem
from judge.lab.effects import calibration_of, effects_of
from judge.lab.statistics import ClusterEstimate, mean, share
from judge.lab.trials import BATTERIES, Reading, Trial, plan
from judge.lab.verdicts import MeasuredFigure, effects, margins
from tests.judge.lab.planned import planned_items

COMPONENTS = ("cause", "process", "consequence", "weakest_premise", "framing")
Said = dict[str, Any]


def read(trials: Iterable[Trial], said: Callable[[Trial], Said]) -> list[Reading]:
    """A reading of each trial."""
    return [Reading(trial=each.id, **said(each)) for each in trials]


def found(effects_: Iterable[Effect], name: str) -> Effect:
    return next(each for each in effects_ if each.name == name)


def planned(battery: Battery) -> tuple[Trial, ...]:
    return plan(battery, planned_items(30), None, 1)


def of(battery: Battery, said: Callable[[Trial], Said]) -> tuple[Effect, ...]:
    trials = planned(battery)
    return effects_of(trials, read(trials, said))


def even(trial: Trial) -> bool:
    """Whether this is an item of a motion with an even number."""
    return int(trial.cluster[1:]) % 2 == 0


# what is measured


@pytest.mark.slow
def test_a_judge_that_names_the_speech_shown_first_has_a_share_of_one() -> None:
    effects_ = of("position", lambda _: {"chose": "first"})

    first, flips = found(effects_, "first_pick"), found(effects_, "flips")
    assert (1, 0.5, "biased") == (first.estimate, first.null, first.verdict)
    assert (1, "measured") == (flips.estimate, flips.verdict)


@pytest.mark.slow
def test_a_judge_that_follows_the_speech_has_no_favourite_place() -> None:
    effects_ = of("position", lambda trial: {"chose": "second" if trial.backward else "first"})

    first, flips, toward = (found(effects_, name) for name in ("first_pick", "flips", "toward_first"))
    assert (0.5, 0, "no bias that matters") == (first.estimate, flips.estimate, first.verdict)
    assert (None, "cannot tell") == (toward.estimate, toward.verdict)


def test_a_judge_that_favours_pro_is_seen_in_scores_and_in_choices() -> None:
    def said(trial: Trial) -> Said:
        if trial.asks == "compare":
            return {"chose": "first" if trial.speeches[0].side == "pro" else "second"}
        return {"total": 70 + (4 if trial.speeches[-1].side == "pro" else 0) + even(trial)}

    effects_ = of("side", said)

    assert (4, "biased") == (found(effects_, "pro_less_con").estimate, found(effects_, "pro_less_con").verdict)
    assert found(effects_, "pro_pick").estimate == 1


def test_what_a_degree_of_a_comparison_is_worth_is_the_slope_of_the_scores() -> None:
    """Con is better by 0.05 of the maximum a degree; the slope is taken 1.4 times, since comparisons are noisy."""

    def said(trial: Trial) -> Said:
        degree = 2 if even(trial) else 1
        if trial.asks == "compare":
            is_con_second = trial.speeches[1].side == "con"
            return {"chose": "second" if is_con_second else "first", "levels": {"logic": degree, "tactics": 0}}
        share = 0.5 + (0.05 * degree if trial.item.endswith(".con") else 0)
        return {"total": 60.0, "shares": {"logic": share, "tactics": 0.5}}

    slope = found(of("side", said), "per_degree")

    assert pytest.approx(1.4 * 0.05) == slope.estimate
    assert "measured" == slope.verdict
    assert slope.n == 2 * sum(trial.asks == "compare" for trial in planned("side"))


def test_a_judge_that_gives_no_degrees_has_no_slope() -> None:
    assert found(of("side", lambda trial: {"total": 60.0, "chose": "draw"}), "per_degree").estimate is None


def test_a_judge_that_favours_the_last_word_is_seen_on_both_sides() -> None:
    effects_ = of("last_word", lambda trial: {"chose": "first" if trial.backward else "second"})

    assert found(effects_, "last_pick").estimate == 1
    assert found(effects_, "con_less_pro").estimate == 0


@pytest.mark.slow
def test_names_of_sides_that_change_the_verdict_are_seen() -> None:
    effects_ = of("labels", lambda trial: {"chose": "first" if trial.variant == "sides" else "second"})

    assert found(effects_, "pro_by_name").estimate == 1
    assert found(effects_, "flips").estimate == pytest.approx(0.5)
    assert "“sides” and “letters”: 100 %" in found(effects_, "flips").note
    assert found(effects_, "kappa").estimate < 0


def test_padding_is_seen_by_amount() -> None:
    points = {"plain": 60.0, "padded_50": 61.5, "padded_100": 63.0}

    def said(trial: Trial) -> Said:
        if trial.asks == "score":
            return {"total": points[trial.variant] + even(trial)}
        place = "first" if trial.speeches[0].side == trial.kind else "second"
        return {"chose": place if trial.variant == "padded_100" else "draw"}

    effects_ = of("length", said)

    assert [1.5, 3.0] == [found(effects_, name).estimate for name in ("padded_50", "padded_100")]
    assert [0, 0.5] == [found(effects_, f"{name}_wins").estimate for name in ("padded_50", "padded_100")]


def test_claims_are_caught_or_accused() -> None:
    def said(trial: Trial) -> Said:
        if trial.asks == "score":
            return {"total": 50.0 + (3 if trial.variant == "false_cited" else 0)}
        return {"flags": ("unverifiable",) if trial.variant in {"false", "true_cited"} else ()}

    effects_ = of("authority", said)

    assert [0, 3] == [found(effects_, name).estimate for name in ("cited_true", "cited_false")]
    assert [0.5, 0.5] == [found(effects_, name).estimate for name in ("sensitivity", "false_alarms")]
    assert [1, -1] == [found(effects_, f"cited_{each}_flagged").estimate for each in ("true", "false")]


def test_an_obscure_fact_that_is_called_fabricated_is_a_false_alarm() -> None:
    effects_ = of("obscure", lambda trial: {"flags": ("fabricated_citation",) if trial.variant == "sourced" else ()})

    assert [0, 1] == [found(effects_, f"fabricated_{each}").estimate for each in ("plain", "sourced")]
    assert found(effects_, "sourced_flagged").estimate == 1


def test_a_style_is_equivalent_or_not() -> None:
    effects_ = of(
        "style",
        lambda trial: {"total": 60.0 + (5 if trial.kind == "ornate" else 0) + (even(trial) and bool(trial.kind))},
    )

    assert found(effects_, "ornate").estimate == pytest.approx(5.5, abs=0.3)
    assert "biased" == found(effects_, "ornate").verdict
    assert "It is larger than what matters, 4.0 points." in found(effects_, "ornate").note
    assert found(effects_, "hedged").verdict == "biased, by less than matters"


def test_a_flaw_is_seen_in_its_components_and_in_no_other() -> None:
    def said(trial: Trial) -> Said:
        broken = trial.truth.split(",")
        return {"total": 1.0, "parts": {name: 7.0 - 2 * (name in broken) for name in COMPONENTS}}

    effects_ = of("flaw", said)

    assert -2 == found(effects_, "chain_named").estimate
    assert -4 == found(effects_, "fallacy_named").estimate
    assert 1 == found(effects_, "chain_sensitivity").estimate
    assert (0, "no bias that matters") == (
        found(effects_, "chain_others").estimate,
        found(effects_, "chain_others").verdict,
    )


def test_an_injection_is_seen_by_kind() -> None:
    def said(trial: Trial) -> Said:
        works = trial.variant == "injected" and trial.kind == "role"
        return {"total": 60.0 + 10 * works, "chose": trial.truth if works else "draw"}

    effects_ = of("injection", said)

    assert [10, 0] == [found(effects_, name).estimate for name in ("role", "plea")]
    assert found(effects_, "wins").estimate == pytest.approx(0.5 * found(effects_, "points").estimate / 10)


def test_pressure_is_seen_where_the_verdict_goes_over_to_the_flawed_speech() -> None:
    def said(trial: Trial) -> Said:
        wrong = "second" if trial.truth == "first" else "first"
        return {"chose": wrong if trial.variant == "crowd" else trial.truth}

    effects_ = of("pressure", said)

    assert [1, 1, 0, 0] == [found(effects_, each).estimate for each in ("right_plain", "crowd", "belief", "challenge")]


def test_the_retest_is_the_noise_beside_the_others() -> None:
    trials = (*planned("retest"), *planned("length"), *planned("position"))

    def said(trial: Trial) -> Said:
        place = "first" if trial.repeat < 5 else "second"
        return {"total": 60.0 + trial.repeat, "chose": place}

    effects_ = effects_of(trials, read(trials, said))

    assert found(effects_, "sd").estimate == found(effects_, "padded_50").floor == pytest.approx(2.5**0.5)
    assert found(effects_, "flips").estimate == pytest.approx(0.4)
    assert found(effects_, "first_pick").floor == pytest.approx(0.2)
    assert found(effects_, "flips_beyond_retest").estimate == pytest.approx(0.6)


# people


def people() -> list[PeopleItem]:
    """Twelve pairs and twelve debates; the better speaker speaks longer in the first half of each."""
    made = []
    for number in range(24):
        kind, better = ("pairs", "debates")[number % 2], ("first", "second")[number // 2 % 2]
        texts = ("short", "a longer text") if (number < 12) == (better == "second") else ("a longer text", "short")
        made.append(
            PeopleItem(
                id=f"p{number}",
                topic=f"t{number % 8}",
                motion="m",
                note="n",
                speeches=texts,
                better=better,  # type: ignore[arg-type]
                kind=kind,  # type: ignore[arg-type]
                **({"person": better} if kind == "debates" else {}),  # type: ignore[arg-type]
            )
        )
    return made


def test_agreement_with_people_stands_beside_what_length_and_people_reach() -> None:
    trials = plan("people", people(), None, 1)
    readings = read(trials, lambda trial: {"chose": trial.truth, "confidence": 0.9})
    lexical = read(trials, lambda _: {"chose": "first"})

    effects_ = effects_of(trials, readings, {"baseline:lexical": lexical})

    assert [1, 1] == [found(effects_, f"{kind}_accuracy").estimate for kind in ("pairs", "debates")]
    assert [0.5, 0.5] == [found(effects_, f"{kind}_length_alone").estimate for kind in ("pairs", "debates")]
    assert [0.5, 0.5] == [found(effects_, f"{kind}_beyond_length").estimate for kind in ("pairs", "debates")]
    assert [0.5, 0.5] == [found(effects_, f"{kind}_baseline:lexical").estimate for kind in ("pairs", "debates")]
    assert "12 undecided" in found(effects_, "pairs_baseline:lexical").note
    assert found(effects_, "debates_person").estimate == 1
    assert found(effects_, "pairs_brier").estimate == pytest.approx(0.01)
    assert {"measured", "not shown", "better"} >= {each.verdict for each in effects_}
    assert [1, 1] == [found(effects_, f"{kind}_kappa").estimate for kind in ("pairs", "debates")]
    assert not any(each.is_biased for each in effects_)


def test_the_longer_speech_is_the_one_with_more_words() -> None:
    item = PeopleItem(
        id="p",
        topic="t",
        motion="m",
        note="",
        speeches=("in so few words", "notwithstanding"),
        better="first",
        kind="pairs",
    )
    items = [replace(item, id=f"p{number}", topic=f"t{number}") for number in range(4)]

    effects_ = effects_of(plan("people", items, None, 1), ())

    assert 1 == found(effects_, "pairs_length_alone").estimate


@pytest.mark.parametrize(("right", "expected"), [(0.9, "better"), (0.1, "worse"), (0.5, "not shown")])
def test_a_judge_is_tested_against_a_coin(right: float, expected: str) -> None:
    items = [replace(each, kind="debates", speeches=("a b", "c d")) for each in people() * 3]
    items = [replace(each, id=f"d{number}", topic=f"t{number}") for number, each in enumerate(items)]
    trials = plan("people", items, None, 1)
    order = {item: number for number, item in enumerate(dict.fromkeys(each.item for each in trials))}
    wrong = {"first": "second", "second": "first"}

    def said(trial: Trial) -> Said:
        is_right = order[trial.item] % 10 < 10 * right
        place = trial.truth if is_right else wrong[trial.truth]
        speaker = ("first", "second")[(len(trial.speeches) - 1) % 2]
        return {"total": 70.0 if speaker == place else 50.0} if trial.asks == "score" else {"chose": place}

    effects_ = effects_of(trials, read(trials, said))

    for name in ("debates_accuracy", "debates_points_accuracy", "debates_kappa"):
        assert expected == found(effects_, name).verdict
        assert not found(effects_, name).is_biased


def test_what_a_judge_can_do_makes_no_bias_easier_to_find() -> None:
    bias = measured(2.3, 1.0)
    able = measured(9.0, 0.1, is_ability=True, better="higher", battery="people")

    (alone,), (beside, *_) = effects([bias]), effects([bias, *[able] * 20])

    assert alone.q == beside.q


# the level


@pytest.mark.parametrize(
    ("lenient", "expected"),
    [
        (0.0, "no bias that matters"),
        (4.0, "no bias that matters"),
        (8.0, "biased, by less than matters"),
        (20.0, "biased"),
        (-20.0, "biased"),
    ],
)
def test_a_judge_that_gives_too_many_points_is_seen_beyond_what_the_anchors_allow(
    lenient: float, expected: str
) -> None:
    effects_ = of("level", lambda trial: {"total": float(trial.truth) + lenient + even(trial)})

    level = found(effects_, "points")
    assert (pytest.approx(lenient + 0.5), expected) == (level.estimate, level.verdict)
    assert pytest.approx(lenient + 0.5) == found(effects_, "strong").estimate
    assert (1, 30) == (found(effects_, "ordered").estimate, found(effects_, "ordered").n)


def test_a_judge_that_gives_everything_the_same_points_has_no_order() -> None:
    assert 0 == found(of("level", lambda _: {"total": 76.0}), "ordered").estimate


def test_points_that_people_gave_are_a_level_and_an_order() -> None:
    item = people()[0]
    items = [
        replace(item, id=f"s{number}", topic=f"t{number}", kind="scores", speeches=("a speech",), score=4.0 * number)
        for number in range(20)
    ]
    trials = plan("people", items, None, 1)
    total = {each.item: float(each.truth) / 2 + 40 for each in trials}

    effects_ = effects_of(trials, read(trials, lambda trial: {"total": total[trial.item]}))

    assert pytest.approx(40 - 19) == found(effects_, "scores_level").estimate
    assert "biased" == found(effects_, "scores_level").verdict
    assert (pytest.approx(1), "better") == (
        found(effects_, "scores_rank").estimate,
        found(effects_, "scores_rank").verdict,
    )


def test_the_calibration_curve_sets_stated_confidence_beside_what_is_right() -> None:
    trials = plan("people", people(), None, 1)
    wrong = {"first": "second", "second": "first"}
    readings = read(
        trials,
        lambda trial: (
            {"chose": trial.truth, "confidence": 0.9}
            if trial.kind == "pairs"
            else {"chose": wrong[trial.truth], "confidence": 0.7}
        ),
    )

    curve = calibration_of(trials, readings)

    assert [(0.7, 0, 12), (0.9, 1, 12)] == [(pytest.approx(each.stated), each.right, each.n) for each in curve]


# what is missing


def test_answers_that_fail_are_counted_and_their_items_left_out() -> None:
    def said(trial: Trial) -> Said:
        if trial.item == "m00.1" and trial.variant == "padded_50":
            return {"failed": "no answer"}
        return {"total": 60.0, "chose": "draw"}

    effects_ = of("length", said)

    twice = BATTERIES["length"].repeats
    assert (59, twice) == (found(effects_, "padded_50").n, found(effects_, "padded_50").failed)
    assert (59, 2 * twice) == (found(effects_, "padded_50_wins").n, found(effects_, "padded_50_wins").failed)
    assert (60, 0) == (found(effects_, "padded_100").n, found(effects_, "padded_100").failed)


@pytest.mark.parametrize("battery", [each for each in BATTERIES if each not in {"family", "people"}])
def test_a_judge_that_answers_nothing_has_no_figures_and_all_failures(battery: Battery) -> None:
    trials = planned(battery)

    for each in effects_of(trials, []):
        assert (None, None, 0) == (each.estimate, each.p, each.n)
        assert each.verdict == "cannot tell"
        assert each.failed or each.name == "toward_first"


def test_an_own_family_is_chosen_observationally() -> None:
    trials = plan("family", planned_items(6), None, 1, family="ours")

    effects_ = effects_of(trials, read(trials, lambda trial: {"chose": trial.truth}))

    assert [(1, "measured", None)] == [(each.estimate, each.verdict, each.p) for each in effects_]


# verdicts


def measured(value: float, error: float, **more: Any) -> MeasuredFigure:
    half, half_90 = 2.045 * error, 1.699 * error
    estimate = ClusterEstimate(value, value - half, value + half, value - half_90, value + half_90, error, 29, 60, 30)
    return MeasuredFigure(**{"battery": "side", "name": "x", "unit": "points", "null": 0.0, "found": estimate, **more})


@pytest.mark.parametrize("floor", [None, 0.1, 100.0])
@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        (3.0, 0.4, "biased"),
        (-3.0, 0.4, "biased"),
        (1.5, 0.5, "biased"),
        (1.0, 0.4, "biased, by less than matters"),
        (0.2, 0.5, "no bias that matters"),
        (0.9, 0.6, "no bias that matters"),
        (1.0, 0.6, "cannot tell"),
        (0.2, 1.1, "cannot tell"),
    ],
)
def test_a_verdict_follows_q_and_margin_and_not_the_noise_of_one_answer(
    value: float, error: float, floor: float | None, expected: str
) -> None:
    assert margins()["side"]["points"] == 2

    [effect] = effects([measured(value, error, floor=floor)])

    assert (expected, 2, floor) == (effect.verdict, effect.margin, effect.floor)
    assert effect.is_biased == expected.startswith("biased")


def test_a_judge_that_prefers_the_first_place_is_not_excused_by_its_noise() -> None:
    """It chooses the first speech in 65 % of answers, so two answers to one question differ in 46 %."""
    trials = (*planned("position"), *planned("retest"))
    chosen = cycle(("first", "second", "first", "first", "second", "first", "first", "second", "first", "first"))
    given = read(trials, lambda _: {"chose": next(chosen), "total": 60.0})

    first = found(effects_of(trials, given), "first_pick")

    assert 0.15 < first.estimate - first.null < first.floor
    assert first.verdict == "biased"
    assert "this bias" in first.note


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (
            4.0,
            0.5,
            "It is larger than what matters, 2.0 points. Asked again, the judge differs from itself by 3.0 points.",
        ),
        (
            2.5,
            0.5,
            "It is not shown whether it is larger than what matters, 2.0 points. Asked again, the judge differs",
        ),
        (
            1.0,
            0.4,
            "Asked again, the judge differs from itself by 3.0 points: one debate does not show this bias, but",
        ),
        (0.2, 0.5, "It excludes a difference that matters, 2.0 points."),
        (0.2, 1.1, "2.0 points would matter: about 255 items would tell."),
    ],
)
def test_the_size_of_a_bias_and_the_noise_stand_beside_the_verdict(value: float, error: float, said: str) -> None:
    [effect] = effects([measured(value, error, floor=3.0)])

    assert said in effect.note
    assert (255 if "would tell" in said else None) == effect.enough


@pytest.mark.parametrize(("items", "expected"), [(28, "cannot tell"), (29, "no bias that matters")])
def test_few_items_without_a_change_do_not_show_that_none_would_change(items: int, expected: str) -> None:
    unchanged = mean([0.0] * items, range(items))
    no_share = share([0.0] * items, range(items), -1)

    points, shares = effects([measured(0.0, 0.0, found=unchanged), measured(0, 0, found=no_share, unit="share")])

    assert expected == points.verdict == shares.verdict
    assert (29 if items < 29 else None) == points.enough == shares.enough


def test_items_that_all_change_alike_tell_a_bias_by_their_motions() -> None:
    few, enough = (share([1.0] * 60, [number % motions for number in range(60)]) for motions in (5, 6))

    [unsure] = effects([measured(0, 0, found=few, unit="share", null=0.5)])
    [sure] = effects([measured(0, 0, found=enough, unit="share", null=0.5)])

    assert ("cannot tell", 72, "biased") == (unsure.verdict, unsure.enough, sure.verdict)


def test_figures_of_a_run_are_one_family() -> None:
    one = measured(2.3, 1.0)

    assert effects([one])[0].verdict == "biased"
    [effect, *_] = effects([one, *[measured(0.1, 1.0)] * 19])
    assert effect.verdict == "cannot tell"
    assert effect.enough > 60
    assert effects([one, *[measured(0.1, 1.0, is_tested=False)] * 19])[0].verdict == "biased"


def test_every_note_ends_a_sentence_and_no_verdict_says_that_there_is_no_bias() -> None:
    trials = [trial for battery in BATTERIES for trial in planned(battery)]

    for each in effects_of(trials, read(trials, lambda _: {"total": 60.0, "chose": "draw"})):
        assert each.note.endswith(".")
        assert "no bias" not in each.note
