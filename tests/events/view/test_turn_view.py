"""What a turn of the view tells beside its scores: what shaped it, and what has no score."""

from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.store.log import read_all
from events.transfer import parse_lines
from events.types import DimensionScore, DirectiveIssued, Missing, PressureApplied, Reason, ScoreChange, TurnScored
from events.view import view as views
from tests.server.debate_events import failed, folds, opened, recorded, spoken, started
from tests.server.harness import harness
from tests.server.told import check_told

TESTS = Path(__file__).parents[2]
LOGS = sorted(TESTS.rglob("*.ndjson"))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_turn_names_the_directive_and_the_pressure_that_shaped_it(path: Path) -> None:
    records = parse_lines(path.read_bytes().splitlines(keepends=True))
    view = views.apply_all(views.INITIAL, records).view

    check_told(records)
    for turn in view.turns.values():
        if turn.directive:
            assert view.directives[str(turn.directive)].side == turn.side


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("name", ["cars", "homework", "juries"])
async def test_a_turn_of_an_exhibition_shows_what_its_debater_was_told(name: str, tmp_path: Path) -> None:
    async with harness() as h:
        debate = await h.exhibit(name, tmp_path)
        check_told([record async for record in read_all(h.log, debate)])


def test_a_turn_without_a_directive_shows_none_though_its_side_was_given_one_before() -> None:
    issued = DirectiveIssued(side="pro", text="Be brief.")
    begun = [opened(6), started(1), spoken(1), issued, started(2), spoken(2)]
    told = [replace(started(3), directive=4), spoken(3), started(4), spoken(4), started(5)]
    turns = folds(recorded([*begun, *told]))[-1].view.turns

    assert [UNSET, UNSET, 4, UNSET, UNSET] == [turn.directive for turn in turns.values()]


def test_a_turn_shows_the_pressure_since_its_sides_turn_before() -> None:
    pressed = PressureApplied(side="pro", turn=1, cognitive=0.5, emotional=0, strategic=0, credibility=0)
    begun = [opened(6), started(1), spoken(1), pressed, started(2), spoken(2), started(3), failed(3), started(3, 2)]
    turns = folds(recorded([*begun, spoken(3, 2), started(4), spoken(4), started(5)]))[-1].view.turns

    assert [UNSET, UNSET, pressed, UNSET, UNSET] == [turn.pressure for turn in turns.values()]


def test_dimensions_without_a_score_are_told_with_their_reason() -> None:
    why = Reason("only 1 of 4 quotes is in the turn")
    score = TurnScored(
        turn=1,
        components={},
        dimensions={"logic": DimensionScore(raw=20, admitted=20)},
        samples=1,
        absent={"rhetoric": why},
    )
    before, after = folds(recorded([opened(), started(1), spoken(1), score]))[-2:]

    assert before.view.turns["1"].absent is UNSET
    assert after.view.turns["1"].absent == {"rhetoric": why}


def test_a_score_tells_its_value_at_first_only_if_it_changed_later() -> None:
    """Turn 2 was banded and penalised when it was judged, and docked later; turn 3 was only banded."""
    path = TESTS / "events" / "view" / "golden" / "0.1-cars.ndjson"
    records = parse_lines(path.read_bytes().splitlines(keepends=True))
    turns = views.apply_all(views.INITIAL, records).view.turns
    changes = [each for each in records if isinstance(each.event, ScoreChange)]
    judged_at = {each.event.turn: each.at for each in records if isinstance(each.event, TurnScored)}

    shown = 0
    for number, turn in turns.items():
        assert not isinstance(turn.scores, Missing)
        for name, score in turn.scores.items():
            of_it = [each for each in changes if (each.event.turn, each.event.dimension) == (int(number), name)]
            later = sum(each.event.applied for each in of_it if each.at != judged_at[int(number)])
            assert (UNSET if not later else pytest.approx(score.effective - later)) == score.at_first
            shown += bool(of_it) and not later
    assert shown, "a score that changed only while its turn was judged"
