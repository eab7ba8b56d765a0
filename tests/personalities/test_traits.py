"""Twelve traits on a scale of 1 to 10, and their instructions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personalities.archetypes import archetype, archetypes
from personalities.traits import TRAITS, PersonalityError, checked, in_words, level

VALUES = st.floats(1, 10, allow_nan=False)


def test_twelve_in_three_groups() -> None:
    groups = [trait.group for trait in TRAITS.values()]

    assert {"cognitive": 4, "emotional": 4, "rhetorical": 4} == {group: groups.count(group) for group in groups}


def test_no_two_levels_say_the_same() -> None:
    phrases = [phrase for trait in TRAITS.values() for phrase in trait.levels]

    assert 72 == len(set(phrases))
    assert max(len(phrase.split()) for phrase in phrases) <= 9


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 0),
        (2.4, 0),
        (2.5, 1),
        (3.9, 1),
        (4, 2),
        (5.5, 3),
        (7, 4),
        (8.4, 4),
        (8.5, 5),
        (10, 5),
    ],
)
def test_levels_are_one_and_a_half_wide(value: float, expected: int) -> None:
    assert expected == level(value)


@pytest.mark.slow
@given(st.sampled_from(sorted(TRAITS)), VALUES, VALUES)
def test_a_shift_of_one_and_a_half_changes_the_words(name: str, before: float, after: float) -> None:
    assert level(before) <= level(after) or before > after
    if abs(before - after) >= 1.5:
        assert in_words(name, before) != in_words(name, after)


def test_four_archetypes_with_all_traits_in_order() -> None:
    assert ["engineer", "philosopher", "strategist", "provocateur"] == list(archetypes())
    for one in archetypes().values():
        assert list(TRAITS) == list(one.traits)
        assert one.title.startswith("the ")
        assert one.manner.endswith(".")


@pytest.mark.parametrize(
    ("name", "trait", "above", "other"),
    [
        ("engineer", "analysis", True, "provocateur"),
        ("provocateur", "intensity", True, "engineer"),
        ("philosopher", "abstraction", True, "engineer"),
        ("strategist", "flexibility", True, "engineer"),
        ("provocateur", "evidence", False, "strategist"),
        ("philosopher", "concession", True, "provocateur"),
    ],
)
def test_characters_differ_where_their_names_say(name: str, trait: str, above: bool, other: str) -> None:
    mine, theirs = archetype(name).traits[trait], archetype(other).traits[trait]

    assert abs(mine - theirs) >= 1.5
    assert above == (mine > theirs)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"analysis": 0.9}, "traits.analysis"),
        ({"analysis": 10.1}, "traits.analysis"),
        ({"analysis": float("nan")}, "traits.analysis"),
        ({"luck": 5}, "traits.luck"),
    ],
)
def test_traits_out_of_bounds(change: dict[str, float], field: str) -> None:
    with pytest.raises(PersonalityError) as caught:
        checked({**archetype("engineer").traits, **change})

    assert field == caught.value.field


def test_what_is_missing_or_unknown() -> None:
    with pytest.raises(PersonalityError, match=r"traits\.analysis: missing"):
        checked({name: 5 for name in TRAITS if name != "analysis"})
    with pytest.raises(PersonalityError, match="'clown' is none of engineer, philosopher"):
        archetype("clown")
