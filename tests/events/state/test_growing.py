from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.state.growing import GrowingMap


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(), max_size=3)))
def test_it_holds_what_a_dict_would_hold_and_leaves_earlier_maps_alone(entries: list[dict[str, int]]) -> None:
    whole: dict[str, int] = {}
    grown: GrowingMap[str, int] = GrowingMap()
    earlier: list[tuple[GrowingMap[str, int], dict[str, int]]] = []
    for each in entries:
        earlier.append((grown, dict(whole)))
        whole |= each
        grown = grown.with_(each)
    earlier.append((grown, whole))

    for one, other in earlier:
        assert dict(one.items()) == other
        assert all(one.get(name) == other.get(name) and (name in one) == (name in other) for name in "abcdefgh")


def test_adding_copies_each_entry_a_logarithmic_number_of_times() -> None:
    number, copied = 4096, 0
    grown: GrowingMap[str, int] = GrowingMap()
    known: set[int] = set()
    for each in range(number):
        grown = grown.with_({str(each): each})
        parts: tuple[Mapping[str, int], ...] = grown._parts
        copied += sum(len(part) for part in parts if id(part) not in known)
        known = {id(part) for part in parts}

    assert copied <= number * 13
    assert len(grown._parts) <= 13
