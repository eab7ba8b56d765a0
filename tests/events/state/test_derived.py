"""What is kept of a debate: made once for equal parts, made again for others, and gone with the opening."""

import gc
from collections.abc import Iterator
from itertools import chain

import pytest

from events.state.derived import BLOCK, Derived, by_turn, derived
from tests.server.debate_events import opened


def test_a_result_is_kept_until_its_parts_differ() -> None:
    kept, made = Derived(), list[str]()

    def of(slot: str, *parts: object) -> str:
        def make() -> str:
            made.append(slot)
            return f"{slot}{len(made)}"

        return kept.of(slot, parts, make)

    assert ["a1", "a1", "b2", "a3", "a4", "b2"] == [
        of("a", (1,)),
        of("a", (1,)),
        of("b", (1,)),
        of("a", (2,)),
        of("a", (1,)),
        of("b", (1,)),
    ]


def test_of_many_parts_only_those_are_made_again_that_have_changed() -> None:
    kept, made = Derived(), list[int]()

    def make(part: int) -> Iterator[tuple[int, int]]:
        made.append(part)
        yield part % 3, part

    def all_of(parts: dict[int, int]) -> list[tuple[int, int]]:
        return list(chain.from_iterable(kept.blocks("x", list(parts.items()), make, tuple)))

    parts = {number: number for number in range(3 * BLOCK)}
    assert [(part % 3, part) for part in parts] == all_of(parts)
    made.clear()
    parts |= {BLOCK + 1: 1000, 3 * BLOCK: 7}

    assert [(part % 3, part) for part in parts.values()] == all_of(parts)
    assert [1000, 7] == made


@pytest.mark.slow
def test_each_opening_has_its_own_which_ends_with_it() -> None:
    one, two = opened(2), opened(2)
    kept, other = derived(one), derived(two)
    kept.of("x", (1,), lambda: "of one")

    assert kept is derived(one)
    assert "of two" == other.of("x", (1,), lambda: "of two")
    del two, other
    gc.collect()
    assert "of one" == kept.of("x", (1,), lambda: "made again")
    three = opened(2)
    assert "of three" == derived(three).of("x", (1,), lambda: "of three")


def test_entries_by_turn_keep_their_order() -> None:
    assert {2: ["a", "c"], 1: ["b"]} == by_turn([(2, "a"), (1, "b"), (2, "c")])
