"""Kinds of motions, and the phases of a debate.

``motions.json`` holds 60 motions with their kinds and languages, labelled by a coach that had not seen the rule.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from personalities.motions import burden, motion_kind, phase
from server.debate.opening.language import language_of

MOTIONS: list[dict[str, str]] = json.loads(Path(__file__).with_name("motions.json").read_bytes())


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda each: each["motion"][:30])
def test_kind_and_language_of_a_motion(motion: Any) -> None:
    assert motion["kind"] == motion_kind(motion["motion"])
    assert motion["language"] == language_of(motion["motion"])


@pytest.mark.parametrize("text", ["Ban cars", "Zoo", "Homework", "Tabs vs spaces", "", "42", "🚲"])
def test_a_text_too_short_to_tell_is_english(text: str) -> None:
    assert "en" == language_of(text)


@pytest.mark.parametrize(
    ("turns", "phases"),
    [
        (8, ["Open the", "Open your", *["Clash"] * 4, "Close", "Close"]),
        (4, ["Open the", "Open your", "Close", "Close"]),
        (3, ["Open the", "This is your only", "Close"]),
        (2, ["This is your only"] * 2),
        (1, ["This is your only"]),
    ],
)
def test_each_side_opens_clashes_and_closes(turns: int, phases: list[str]) -> None:
    shown = [phase(turn, turns) for turn in range(1, turns + 1)]

    assert all(text.startswith(begins) for text, begins in zip(shown, phases, strict=True))


def test_both_sides_of_each_kind_have_their_own_burden() -> None:
    assert 6 == len({burden(kind, side) for kind in ("policy", "fact", "value") for side in ("pro", "con")})
