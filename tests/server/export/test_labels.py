"""The judge's labels become Pro and Con where people read them; the page has the same cases."""

from pathlib import Path
from typing import Any

import msgspec

from events.types import Side
from server.export.labels import compared, named

CASES: dict[str, Any] = msgspec.json.decode((Path(__file__).parents[2] / "web" / "labels.json").read_bytes())
SIDES: dict[int, Side] = {1: "pro", 2: "con", 3: "pro"}
SWAP = {"Pro": "Con", "Con": "Pro"}


def test_a_label_that_can_mean_nothing_else_becomes_the_name_of_its_side() -> None:
    for text, expected in CASES["named"]:
        assert expected == named(text, "pro")
        assert expected.replace("Pro", "~").replace("Con", "Pro").replace("~", "Con") == named(text, "con")


def test_the_reason_of_a_comparison_names_the_sides_in_place_of_the_speeches() -> None:
    for reason, expected in CASES["compared"]:
        assert [(tuple(turns), text) for turns, text in expected] == list(compared(reason, SIDES, "pro"))


def test_a_turn_that_is_not_known_leaves_the_words_as_they_are() -> None:
    assert [((8, 9), "The first is better.")] == list(compared("Shown as 8-9: The first is better.", {}, "pro"))
