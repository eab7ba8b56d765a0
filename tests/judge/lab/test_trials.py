import pytest
from msgspec import UNSET

from events.types.lab import PeopleItem
from judge.lab.trials import BATTERIES, FIRST_PLAN, Battery, plan
from server.debate.formats.lab.trials import trials_digest
from tests.judge.lab.two_items import TWO_ITEMS

LAB: tuple[Battery, ...] = tuple(each for each in BATTERIES if each not in {"family", "people"})


def people(kind: str, number: int, better: str) -> PeopleItem:
    return PeopleItem(
        id=f"{kind}{number}",
        topic=f"t{number % 3}",
        motion="Which one convinces?",
        note="",
        speeches=(f"one {number}", f"two {number}"),
        better="first" if better == "first" else "second",
        kind="pairs" if kind == "pairs" else "debates",
    )


@pytest.mark.parametrize("battery", LAB)
def test_a_plan_is_the_same_for_the_same_seed_and_its_ids_are_unique(battery: Battery) -> None:
    trials = plan(battery, TWO_ITEMS, None, 7)

    assert trials == plan(battery, TWO_ITEMS, None, 7)
    assert len({each.id for each in trials}) == len(trials) > 0
    assert {each.cluster for each in trials} == {"libraries", "gardens"}
    assert all(each.battery == battery and each.id.startswith(f"{battery}/") for each in trials)


@pytest.mark.parametrize("battery", LAB)
def test_a_smaller_number_of_items_draws_from_both_motions(battery: Battery) -> None:
    trials = plan(battery, TWO_ITEMS, 2, 1)

    assert {each.cluster for each in trials} == {"libraries", "gardens"}


def test_both_orders_are_the_same_debate() -> None:
    trials = plan("position", TWO_ITEMS, None, 1)
    forward = {each.item: each for each in trials if each.variant == "forward"}

    for each in trials:
        assert each.spoken == forward[each.item].speeches


def test_position_has_a_pair_for_each_text_of_the_target() -> None:
    trials = plan("position", TWO_ITEMS, None, 1)

    assert len({each.item for each in trials}) == 2 * 2 * (1 + 2 + 2)


def test_a_mirrored_debate_has_the_same_words_on_the_other_sides() -> None:
    trials = {(each.item, each.asks, each.variant): each for each in plan("side", TWO_ITEMS, None, 1)}

    for (item, asks, variant), each in trials.items():
        twin = trials[item, asks, "mirrored" if variant == "plain" else "plain"]
        assert [speech.text for speech in each.speeches] == [speech.text for speech in twin.speeches]
        assert all(one.side != two.side for one, two in zip(each.speeches, twin.speeches, strict=True))
        assert each.motion != twin.motion


def test_the_last_speaker_is_crossed_with_the_side_and_with_the_order() -> None:
    trials = plan("last_word", TWO_ITEMS, 1, 1)
    cells = {(each.spoken[-1].side, each.spoken[-1].text, each.backward) for each in trials}

    assert len(trials) == len(cells) == 8
    assert all(each.variant == f"{each.spoken[-1].side}_last" for each in trials)


def test_pressure_names_the_flawed_speech() -> None:
    for each in plan("pressure", TWO_ITEMS, None, 3):
        wrong = "second" if each.truth == "first" else "first"
        assert (wrong in each.note) == (each.variant in {"belief", "crowd"})
        assert each.truth not in each.note
        assert bool(each.challenge) == (each.variant == "challenge")


def test_variants_differ_in_the_target_only() -> None:
    for battery in ("length", "style", "flaw", "injection"):
        by_item: dict[tuple[str, str, bool], set[tuple[str, ...]]] = {}
        for each in plan(battery, TWO_ITEMS, None, 1):
            others = tuple(speech.text for speech in each.spoken[:-1]) if each.asks == "score" else ()
            by_item.setdefault((each.item, each.asks, each.backward), set()).add(others)

        assert all(len(found) == 1 for found in by_item.values())


def test_people_s_better_argument_comes_first_in_one_half() -> None:
    items = [people("pairs", number, "second") for number in range(10)]
    trials = [each for each in plan("people", items, None, 1) if each.variant == "forward"]

    assert sum(each.truth == "first" for each in trials) == 5
    assert all(each.person is UNSET for each in trials)


def test_debates_are_left_out_until_the_halves_are_equal() -> None:
    items = [people("debates", number, "first" if number < 7 else "second") for number in range(10)]
    trials = plan("people", items, None, 1)

    told = [each for each in trials if each.asks == "narrative"]
    assert len(told) == 6
    assert sum(each.truth == "first" for each in told) == 3


def test_each_speech_of_a_debate_is_scored_after_those_before_it() -> None:
    trials = plan("people", [people("debates", 0, "first"), people("debates", 1, "second")], None, 1)
    scored = [each for each in trials if each.asks == "score"]

    assert ["turn1", "turn2"] * 2 == [each.variant for each in scored]
    assert [1, 2] * 2 == [len(each.speeches) for each in scored]


@pytest.mark.parametrize("battery", [each for each in LAB if each != "retest"])
def test_a_question_that_is_asked_again_is_the_same(battery: Battery) -> None:
    once, thrice = (plan(battery, TWO_ITEMS, None, 1, repeats=repeats) for repeats in (1, 3))

    assert len(thrice) == 3 * len(once)
    assert once == tuple(each for each in thrice if each.repeat == 1)
    assert len({each.id for each in thrice}) == len(thrice)


def test_a_run_of_the_first_way_has_the_trials_that_it_began_with() -> None:
    debates = [people("debates", number, ("first", "second")[number]) for number in range(2)]

    assert {"narrative"} == {each.asks for each in plan("people", debates, None, 1, repeats=1, way=FIRST_PLAN)}
    digests = [
        trials_digest(plan(each, TWO_ITEMS, 12, 5, repeats=1, way=FIRST_PLAN)) for each in ("position", "length")
    ]
    assert ["98e7448b0f1484c5", "cf2ed837840d1be5"] == [each[:16] for each in digests]
