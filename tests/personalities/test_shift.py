"""Shifts of traits under pressure, and the directives that follow."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.state.debate import Debate
from events.types import Archetype, DirectiveIssued, Event, PressureApplied, Response, Side, TraitsShifted
from personalities.archetypes import SIGNALS, archetype, archetypes, checked_archetype
from personalities.pressure import after_exchange, directive, shift
from personalities.prompt import debater_prompt, debater_template, style
from personalities.traits import TRAITS, PersonalityError
from tests.personalities.exchanges import GOOD, WORSE, character, exchange, fold, opened, penalty, turns

NAMES = ["engineer", "philosopher", "strategist", "provocateur"]
UNIT = st.floats(0, 1)
VALUE = st.floats(1, 10)
SIGNAL = st.sampled_from(SIGNALS)


def pressed(
    cognitive: float = 0,
    emotional: float = 0,
    strategic: float = 0,
    credibility: float = 0,
) -> PressureApplied:
    return PressureApplied(
        side="pro",
        turn=1,
        cognitive=cognitive,
        emotional=emotional,
        strategic=strategic,
        credibility=credibility,
    )


def moved(who: Archetype, pressure: PressureApplied, elasticity: float = 0.5) -> dict[str, tuple[float, float]]:
    found = shift(who, who.traits, elasticity, pressure)
    return found.shifts if found else {}


@st.composite
def characters(draw: st.DrawFn) -> Archetype:
    """Random archetypes whose weights of one trait sum to at most 1."""
    responses: dict[str, dict[str, Response]] = {signal: {} for signal in SIGNALS}
    for trait in TRAITS:
        left = 1.0
        for signal in draw(st.lists(SIGNAL, unique=True)):
            weight = draw(st.floats(0, left))
            left = max(left - weight, 0.0)
            responses[signal][trait] = Response(target=draw(VALUE), weight=weight)
    traits = {trait: draw(VALUE) for trait in TRAITS}
    return checked_archetype("x", Archetype(title="the X", manner="…", traits=traits, responses=responses))


PRESSURE = st.builds(pressed, UNIT, UNIT, UNIT, UNIT)


def told(events: tuple[Event, ...]) -> str:
    assert isinstance(events[-1], DirectiveIssued)
    return events[-1].text


# the formula


@pytest.mark.parametrize(
    ("responses", "pressure", "elasticity", "after"),
    [
        # the Engineer's flexibility is 4
        ({"cognitive": (9, 0.8)}, {"cognitive": 0.25}, 0.5, 5.0),  # 0.5 × 0.5 × 0.8 × 5
        ({"cognitive": (9, 0.8)}, {"cognitive": 1}, 0.5, 6.0),  # 0.5 × 1 × 0.8 × 5
        ({"cognitive": (9, 0.8)}, {"cognitive": 0.25}, 1, 6.0),  # 1 × 0.5 × 0.8 × 5
        ({"cognitive": (9, 1)}, {"cognitive": 1}, 1, 9.0),  # all the way
        ({"cognitive": (1, 0.5)}, {"cognitive": 0.36}, 0.5, 3.55),  # 0.5 × 0.6 × 0.5 × −3
        ({"cognitive": (8, 0.4), "emotional": (2, 0.5)}, {"cognitive": 0.25, "emotional": 1}, 0.5, 3.9),
        ({"cognitive": (8, 0.4), "emotional": (8, 0.6)}, {"cognitive": 1, "emotional": 1}, 1, 8.0),
        ({"strategic": (9, 0.8)}, {"strategic": 0.0833}, 0.5, 4.58),  # 0.5 × 0.28862 × 4
        ({"credibility": (9, 0.2)}, {"credibility": 0.01}, 0.5, 4.05),  # just enough
        ({"credibility": (9, 0.16)}, {"credibility": 0.01}, 0.5, None),  # 0.04 is too little
        ({"cognitive": (9, 0.8)}, {"emotional": 1}, 1, None),  # another signal
        ({"cognitive": (4, 1)}, {"cognitive": 1}, 1, None),  # it is there already
        ({"cognitive": (9, 0)}, {"cognitive": 1}, 1, None),
        ({"cognitive": (9, 1)}, {"cognitive": 1}, 0, None),
        ({}, {"cognitive": 1}, 1, None),
    ],
)
def test_by_hand(
    responses: dict[str, tuple[float, float]],
    pressure: dict[str, float],
    elasticity: float,
    after: float | None,
) -> None:
    who = replace(
        archetype("engineer"),
        responses={
            signal: {"flexibility": Response(target=target, weight=weight)}
            for signal, (target, weight) in responses.items()
        },
    )
    found = shift(who, who.traits, elasticity, pressed(**pressure))

    assert found == (None if after is None else TraitsShifted(side="pro", shifts={"flexibility": (4.0, after)}))


@pytest.mark.slow
@given(characters(), st.lists(st.tuples(PRESSURE, UNIT), max_size=12))
def test_traits_stay_within_one_and_ten(who: Archetype, blows: list[tuple[PressureApplied, float]]) -> None:
    traits = dict(who.traits)
    for blow, elasticity in blows:
        found = shift(who, traits, elasticity, blow)
        traits |= {name: after for name, (_, after) in found.shifts.items()} if found else {}

    assert all(1 <= value <= 10 for value in traits.values())


def test_not_even_a_foreign_character_leaves_the_scale() -> None:
    both = {"flexibility": Response(target=10, weight=1)}
    who = replace(archetype("engineer"), responses=dict.fromkeys(SIGNALS, both))

    assert {"flexibility": (4.0, 10.0)} == moved(who, pressed(1, 1, 1, 1), 1)


@pytest.mark.slow
@given(characters(), PRESSURE)
def test_without_elasticity_nothing_moves(who: Archetype, blow: PressureApplied) -> None:
    assert shift(who, who.traits, 0, blow) is None


@pytest.mark.slow
@given(characters(), UNIT)
def test_without_pressure_nothing_moves(who: Archetype, elasticity: float) -> None:
    assert shift(who, who.traits, elasticity, pressed()) is None


@pytest.mark.slow
@given(characters(), SIGNAL, UNIT, UNIT, UNIT)
def test_more_pressure_moves_no_less(who: Archetype, signal: str, one: float, two: float, elasticity: float) -> None:
    little, much = (moved(who, pressed(**{signal: each}), elasticity) for each in sorted((one, two)))

    for name, (before, after) in little.items():
        further = much[name][1]
        assert before < after <= further or before > after >= further


@pytest.mark.slow
@given(st.sampled_from(NAMES), PRESSURE, SIGNAL, UNIT)
def test_more_of_one_signal_never_leads_away_from_its_target(
    name: str,
    blow: PressureApplied,
    signal: str,
    more: float,
) -> None:
    who = archetype(name)
    higher = replace(blow, **{signal: max(getattr(blow, signal), more)})
    first, second = (who.traits | {k: b for k, (_, b) in moved(who, each).items()} for each in (blow, higher))

    for trait, response in who.responses[signal].items():
        towards = 1 if response.target >= who.traits[trait] else -1
        assert towards * (second[trait] - first[trait]) > -0.06  # what is under the threshold is not shown


# the four characters


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "signal", "trait"),
    [
        ("engineer", "cognitive", "flexibility"),
        ("engineer", "emotional", "flexibility"),
        ("engineer", "strategic", "flexibility"),
        ("provocateur", "cognitive", "structure"),
        ("provocateur", "strategic", "structure"),
        ("strategist", "cognitive", "analysis"),
        ("provocateur", "credibility", "evidence"),
        ("engineer", "emotional", "empathy"),
        ("philosopher", "credibility", "evidence"),
    ],
)
@given(weight=st.floats(0.1, 1), elasticity=st.floats(0.2, 1))
def test_each_gives_way_as_it_is_known_to(
    name: str,
    signal: str,
    trait: str,
    weight: float,
    elasticity: float,
) -> None:
    before, after = moved(archetype(name), pressed(**{signal: weight}), elasticity)[trait]

    assert before < after


def test_a_provocateur_caught_making_things_up_reaches_for_evidence() -> None:
    opening = opened(pro="provocateur")
    events = after_exchange(*exchange(WORSE, GOOD, penalty(2), opening=opening))

    assert "Bring more facts" in told(events)


def test_a_strategist_beaten_on_logic_is_told_to_reason() -> None:
    even = {**GOOD, "logic": 22}
    events = after_exchange(*exchange(even, GOOD, opening=opened(pro="strategist")))

    assert told(events).startswith("Reason more closely: explain how causes work.")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", ["pro", "con"])
def test_three_lost_exchanges_show_in_the_prompt(name: str, side: Side) -> None:
    debate = fold(Debate(), opened(pro=name, con=name))
    before = dict(debate.characters.traits[side])
    debate = turns(debate, side, 4)
    for comparison in debate.exchanges.comparisons.values():
        events = after_exchange(debate, comparison)
        assert {side} == {event.side for event in events}  # type: ignore[union-attr]
        debate = fold(debate, *events)
    after = debate.characters.traits[side]
    spoken = debate.characters.directives[debate.characters.in_force[side]].text

    assert archetype(name).traits == debate.characters.traits["con" if side == "pro" else "pro"]
    assert style(before) != style(after)
    assert len([trait for trait in TRAITS if abs(after[trait] - before[trait]) >= 0.5]) >= 3
    prompts = [
        debater_prompt(
            debater_template("short"),
            side=side,
            motion="Ban cars",
            max_words=180,
            archetype=archetype(name),
            traits=traits,
            spoken=[],
            quote=str,
            directive=text,
        )[0][1]
        for traits, text in ((before, ""), (after, spoken))
    ]
    assert spoken in prompts[1]
    assert len(set(prompts[0].split(". ")) ^ set(prompts[1].split(". "))) >= 4
    assert len(prompts[1].split()) < 240


def test_under_elasticity_zero_only_pressure_is_recorded() -> None:
    events = after_exchange(*exchange(opening=opened(elasticity=0)))

    assert [PressureApplied] == [type(event) for event in events]


@pytest.mark.parametrize(
    "change",
    [
        {"archetypes": {}},
        {"archetypes": {"engineer": character()}},
        {"archetypes": {"engineer": Archetype(title="old", manner="", traits={"rigour": 8.0})}},
    ],
)
def test_a_character_without_responses_is_only_pressed(change: dict[str, Any]) -> None:
    assert 1 == len(after_exchange(*exchange(opening=opened(**change))))


def test_after_a_draw_nothing_follows() -> None:
    assert () == after_exchange(*exchange(winner=None))


@pytest.mark.parametrize("winner", [None, "pro"])
def test_under_version_2_a_flag_presses_a_turn_that_did_not_lose(winner: Side | None) -> None:
    plain = opened(pro="provocateur")
    rules = replace(plain, rubric=replace(plain.rubric, flags_press=True))
    flag = penalty(2)
    own, theirs = (GOOD, WORSE) if winner else (GOOD, GOOD)

    def pressure_on_pro(opening: Any, *more: Event) -> list[PressureApplied]:
        events = after_exchange(*exchange(own, theirs, *more, opening=opening, winner=winner))
        return [event for event in events if isinstance(event, PressureApplied) and event.side == "pro"]

    [found] = pressure_on_pro(rules, flag)
    assert (1, 0, 0, 0, 0.5) == (found.turn, found.cognitive, found.emotional, found.strategic, found.credibility)
    assert [] == pressure_on_pro(plain, flag)
    assert [] == pressure_on_pro(rules)


def test_a_loser_with_a_flag_is_pressed_once() -> None:
    plain = opened()
    rules = replace(plain, rubric=replace(plain.rubric, flags_press=True))

    assert after_exchange(*exchange(WORSE, GOOD, penalty(2), opening=plain)) == after_exchange(
        *exchange(WORSE, GOOD, penalty(2), opening=rules)
    )


def test_pressure_then_traits_then_directive() -> None:
    kinds = [type(event).__name__ for event in after_exchange(*exchange())]

    assert ["PressureApplied", "TraitsShifted", "DirectiveIssued"] == kinds


# directives


@pytest.mark.parametrize(
    ("shifts", "expected"),
    [
        ({}, ""),
        ({"analysis": (6.0, 7.2)}, "Reason more closely: trace cause and effect step by step."),
        ({"flexibility": (4.0, 4.8)}, "Be readier to adapt where you have been answered."),  # not "hold your line"
        ({"intensity": (9.0, 8.6)}, "Speak more coolly."),  # not "be fiery"
        ({"concession": (5.0, 3.0)}, "Grant the opponent less: grant almost nothing."),
        (
            {"analysis": (6.0, 6.1), "evidence": (3.0, 5.5), "structure": (3.0, 4.0), "imagery": (9.0, 8.0)},
            "Bring more facts: give a concrete example. Put your points in a stricter order. Use plainer words.",
        ),
    ],
)
def test_what_is_said(shifts: dict[str, tuple[float, float]], expected: str) -> None:
    assert expected == directive(shifts)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(sorted(TRAITS)), st.tuples(VALUE, VALUE), min_size=1))
def test_plain_words_that_betray_nothing(shifts: dict[str, tuple[float, float]]) -> None:
    text = directive(shifts)

    assert min(len(shifts), 3) == text.count(".")
    assert not re.search(r"\d|judge|score|pressure|point[s]? (lost|won)|trait", text, re.IGNORECASE)
    assert len(text.split()) <= 60
    assert text == text.strip()


@given(st.sampled_from(sorted(TRAITS)), st.floats(1, 9.9), st.floats(0.05, 9))
def test_up_and_down_are_different_words(name: str, low: float, step: float) -> None:
    high = min(low + step, 10.0)

    assert directive({name: (low, high)}) != directive({name: (high, low)})


# what is checked when archetypes are read


def test_the_shipped_ones_answer_every_signal() -> None:
    for who in archetypes().values():
        assert set(SIGNALS) == set(who.responses)
        for trait in TRAITS:
            assert sum(by[trait].weight for by in who.responses.values() if trait in by) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("responses", "message"),
    [
        ({"moral": {}}, r"x\.responses\.moral: there is no such signal"),
        ({"cognitive": {"luck": (5, 0.5)}}, r"x\.responses\.cognitive\.luck: there is no such trait"),
        ({"cognitive": {"analysis": (0.5, 0.5)}}, r"x\.responses\.cognitive\.analysis\.target: 0\.5 is not"),
        ({"cognitive": {"analysis": (11, 0.5)}}, r"x\.responses\.cognitive\.analysis\.target: 11 is not"),
        ({"cognitive": {"analysis": (float("nan"), 0.5)}}, r"analysis\.target: nan is not"),
        ({"cognitive": {"analysis": (5, -0.1)}}, r"x\.responses\.cognitive\.analysis\.weight: -0\.1 is not"),
        ({"cognitive": {"analysis": (5, 1.1)}}, r"x\.responses\.cognitive\.analysis\.weight: 1\.1 is not"),
        ({"cognitive": {"analysis": (5, float("nan"))}}, r"analysis\.weight: nan is not"),
        (
            {"cognitive": {"analysis": (9, 0.7)}, "emotional": {"analysis": (2, 0.4)}},
            r"x\.responses\.emotional\.analysis: its weights sum to 1\.1, more than 1",
        ),
    ],
)
def test_responses_that_do_not_hold(responses: dict[str, dict[str, tuple[float, float]]], message: str) -> None:
    who = replace(
        archetype("engineer"),
        responses={
            signal: {trait: Response(target=target, weight=weight) for trait, (target, weight) in by.items()}
            for signal, by in responses.items()
        },
    )
    with pytest.raises(PersonalityError, match=message):
        checked_archetype("x", who)


def test_weights_may_sum_to_one() -> None:
    thirds = {
        signal: {"analysis": Response(target=9, weight=weight)}
        for signal, weight in zip(SIGNALS, (0.7, 0.1, 0.1, 0.1), strict=True)
    }

    assert thirds == checked_archetype("x", replace(archetype("engineer"), responses=thirds)).responses
