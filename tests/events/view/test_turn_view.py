"""What a turn of the view tells beside its scores: what shaped it, and what has no score."""

from pathlib import Path

import pytest
from msgspec import UNSET

from events.transfer import parse_lines
from events.types import DimensionScore, Missing, PressureApplied, Reason, ScoreChange, TurnScored, TurnStarted
from events.view import view as views
from tests.server.debate_events import folds, opened, recorded, spoken, started

TESTS = Path(__file__).parents[2]
LOGS = (
    TESTS / "events" / "view" / "golden" / "0.1-homework.ndjson",
    TESTS / "server" / "debate" / "logs" / "free_transport_v2.ndjson",
)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_turn_names_its_directive_and_the_pressure_behind_it(path: Path) -> None:
    records = parse_lines(path.read_bytes().splitlines(keepends=True))
    view = views.apply_all(views.INITIAL, records).view
    in_prompt = {each.event.turn: each.event.directive for each in records if isinstance(each.event, TurnStarted)}
    pressures = [each.event for each in records if isinstance(each.event, PressureApplied)]

    shown = {int(number): turn.directive for number, turn in view.turns.items()}
    assert in_prompt == {number: each or None for number, each in shown.items()}
    assert len({each for each in shown.values() if each}) > 1
    for number, turn in view.turns.items():
        earlier = [each for each in pressures if each.side == turn.side and each.turn < int(number)]
        assert (earlier[-1] if earlier else UNSET) == turn.pressure
        if turn.directive:
            assert view.directives[str(turn.directive)].side == turn.side


def test_a_turn_that_ran_before_a_pressure_does_not_show_it() -> None:
    pressed = PressureApplied(side="pro", turn=1, cognitive=0.5, emotional=0, strategic=0, credibility=0)
    turns = folds(recorded([opened(4), started(1), spoken(1), pressed, started(2), spoken(2), started(3)]))[
        -1
    ].view.turns

    assert (turns["1"].pressure, turns["2"].pressure, turns["3"].pressure) == (UNSET, UNSET, pressed)


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
