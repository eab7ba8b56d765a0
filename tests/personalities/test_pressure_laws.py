"""Responses of each character to pressure, over its range and together with other pressure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.state.debate import Debate
from events.types import PressureApplied, Side
from personalities.archetypes import archetype, archetypes
from personalities.pressure import after_exchange, shift
from personalities.prompt import debater_prompt, debater_template, style
from tests.personalities.exchanges import GOOD, compared, fold, opened, penalty, scored, speaker, turns

NAMES = ["engineer", "philosopher", "strategist", "provocateur"]
UNIT = st.floats(0, 1)
PRESSED = st.floats(0.1, 1)
ELASTIC = st.floats(0.2, 1)
PRESSURE = st.builds(
    PressureApplied,
    side=st.just("pro"),
    turn=st.just(1),
    cognitive=UNIT,
    emotional=UNIT,
    strategic=UNIT,
    credibility=UNIT,
)


def after(name: str, elasticity: float, *blows: PressureApplied) -> dict[str, float]:
    """The traits of a character after some lost exchanges."""
    who = archetype(name)
    traits = dict(who.traits)
    for blow in blows:
        found = shift(who, traits, elasticity, blow)
        traits |= {trait: to for trait, (_, to) in found.shifts.items()} if found else {}
    return traits


@pytest.mark.slow
@given(PRESSURE, st.sampled_from(["cognitive", "emotional", "strategic"]), PRESSED, ELASTIC)
def test_a_rigid_debater_loosens(blow: PressureApplied, signal: str, most: float, elasticity: float) -> None:
    found = after("engineer", elasticity, replace(blow, **{signal: most}))

    assert archetype("engineer").traits["flexibility"] < found["flexibility"]


@pytest.mark.slow
@given(PRESSURE, st.sampled_from(["cognitive", "strategic"]), PRESSED, ELASTIC)
def test_a_scattered_debater_sharpens(blow: PressureApplied, signal: str, most: float, elasticity: float) -> None:
    found = after("provocateur", elasticity, replace(blow, **{signal: most}))

    assert archetype("provocateur").traits["structure"] < found["structure"]


@pytest.mark.slow
@given(PRESSURE, PRESSED, ELASTIC)
def test_a_strategist_losing_on_logic_grows_analytical(
    blow: PressureApplied,
    cognitive: float,
    elasticity: float,
) -> None:
    found = after("strategist", elasticity, replace(blow, cognitive=cognitive))

    assert archetype("strategist").traits["analysis"] < found["analysis"]


@pytest.mark.slow
@given(PRESSURE, PRESSED, ELASTIC)
def test_a_provocateur_under_credibility_pressure_reaches_for_evidence(
    blow: PressureApplied,
    credibility: float,
    elasticity: float,
) -> None:
    found = after("provocateur", elasticity, replace(blow, credibility=credibility))

    assert archetype("provocateur").traits["evidence"] < found["evidence"]


@pytest.mark.slow
@given(st.sampled_from(NAMES), st.lists(PRESSURE, max_size=40), UNIT)
def test_no_sequence_of_blows_leaves_the_scale(name: str, blows: list[PressureApplied], elasticity: float) -> None:
    assert all(1 <= value <= 10 for value in after(name, elasticity, *blows).values())


@pytest.mark.slow
@given(st.sampled_from(NAMES), PRESSURE)
def test_full_pressure_for_ever_ends_between_the_targets(name: str, blow: PressureApplied) -> None:
    who = archetypes()[name]
    targets: dict[str, list[float]] = {trait: [value] for trait, value in who.traits.items()}
    for responses in who.responses.values():
        for trait, response in responses.items():
            targets[trait].append(response.target)

    found = after(name, 1, *[blow] * 30)

    assert all(min(some) - 0.01 <= found[trait] <= max(some) + 0.01 for trait, some in targets.items())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", ["pro", "con"])
@given(behind=st.integers(8, 22))
def test_three_exchanges_lost_on_logic_alone_change_the_words_of_the_traits(
    name: str,
    side: Side,
    behind: int,
) -> None:
    debate = fold(Debate(), opened(pro=name, con=name))
    debate = turns(debate, side, 4, {**GOOD, "logic": 30 - behind})
    for comparison in debate.exchanges.comparisons.values():
        debate = fold(debate, *after_exchange(debate, comparison))
    who = archetype(name)
    prompts = [
        debater_prompt(
            debater_template("short"),
            side=side,
            motion="Ban cars",
            max_words=180,
            archetype=who,
            traits=traits,
            spoken=[],
            quote=str,
        )
        for traits in (who.traits, debate.characters.traits[side])
    ]

    assert style(who.traits) != style(debate.characters.traits[side])
    assert prompts[0] != prompts[1]


SCORES = st.fixed_dictionaries(
    {
        "logic": st.integers(0, 40),
        "rhetoric": st.integers(0, 30),
        "tactics": st.integers(0, 30),
        "frame_control": st.integers(0, 10),
        "credibility": st.integers(0, 10),
    }
)


@pytest.mark.slow
@given(st.lists(st.tuples(SCORES, st.sampled_from(["pro", "con", None]), st.booleans()), min_size=2, max_size=6))
def test_in_a_whole_debate_only_losers_are_pressed_and_moved(
    story: list[tuple[dict[str, float], Side | None, bool]],
) -> None:
    debate = fold(Debate(), opened())
    for turn, (points, winner, caught) in enumerate(story, 1):
        debate = fold(debate, *scored(turn, points))
        if caught:
            fine = min(2, points["logic"])
            debate = fold(debate, penalty(fine, turn=turn, claim=f"C{turn}.1"))
        if turn == 1:
            continue
        debate = fold(debate, compared(turn, winner))
        before = debate.characters
        events = after_exchange(debate, debate.exchanges.comparisons[turn])
        debate = fold(debate, *events)

        loser = None if winner is None else "con" if winner == "pro" else "pro"
        assert {event.side for event in events} <= {loser}  # type: ignore[union-attr]
        for side in {"pro", "con"} - {loser}:
            assert before.traits[side] == debate.characters.traits[side]
            assert before.in_force.get(side) == debate.characters.in_force.get(side)
        if events:
            assert isinstance(events[0], PressureApplied)
            assert loser == speaker(events[0].turn)
