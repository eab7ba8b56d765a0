"""Golden logs: a log of a released schema stays readable and gives the same view, to the byte.

``golden/NAME.ndjson`` has its view in ``NAME.view.json``.  Each released schema adds a log; existing ones never change.
A view may gain members: ``without_new_members`` lists those that the golden views do not have.
"""

from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.patch import merge
from events.transfer import parse_lines
from events.types import Missing
from events.verify import verify_lines
from events.view import view as views
from events.view.turn_view import ScoreView
from events.view.view import View

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.ndjson"))


def test_there_are_golden_logs() -> None:
    assert GOLDEN


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_chain_holds(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)

    verdict = verify_lines(lines)

    assert (True, len(lines)) == (verdict.ok, verdict.events)


def without_first_values(scores: dict[str, ScoreView] | Missing) -> dict[str, ScoreView] | Missing:
    if isinstance(scores, Missing):
        return scores
    return {name: replace(score, at_first=UNSET) for name, score in scores.items()}


def without_new_members(view: View) -> View:
    turns = {
        number: replace(turn, origin=UNSET, pressure=UNSET, directive=UNSET, scores=without_first_values(turn.scores))
        for number, turn in view.turns.items()
    }
    premises = {name: replace(premise, original=UNSET) for name, premise in view.premises.items()}
    new = dict.fromkeys(("summary", "outcome", "trait_moves", "rubric_name", "lead", "mark"), UNSET)
    return replace(view, turns=turns, premises=premises, **new)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_view_is_the_same_to_the_byte(path: Path) -> None:
    fold = views.INITIAL
    for record in parse_lines(path.read_bytes().splitlines(keepends=True)):
        fold = views.apply(fold, record)

    view = msgspec.json.encode(without_new_members(fold.view))
    assert path.with_suffix(".view.json").read_bytes() == msgspec.json.format(view, indent=1)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_its_frames_add_up_to_the_view(path: Path) -> None:
    fold, shown = views.INITIAL, {}
    for record in parse_lines(path.read_bytes().splitlines(keepends=True)):
        after = views.apply(fold, record)
        patch = msgspec.json.decode(msgspec.json.encode(views.difference(fold.view, after.view)))
        fold, shown = after, merge(shown, patch)

    assert msgspec.json.decode(msgspec.json.encode(fold.view)) == shown
