"""What a view says that a debater was told, compared with the prompts in the log."""

import re
from collections.abc import Sequence

from msgspec import UNSET

from events.record import Recorded
from events.types import DirectiveIssued, ModelAnswered, ModelFailed, PressureApplied, TurnSpoken, TurnStarted
from events.view import view as views

MARKS = re.compile(r"\W+")


def letters(text: str) -> str:
    """Without the blanks and marks that a prompt may change."""
    return MARKS.sub("", text)


def check_told(records: Sequence[Recorded]) -> None:
    """Each turn shows the directive in its prompt and no other, and the pressure since its side's turn before."""
    issued: dict[int, str] = {}
    pressures: dict[str, PressureApplied] = {}
    segments: dict[str, str] = {}
    told: dict[int, int | None] = {}
    pressed: dict[int, PressureApplied] = {}
    for record in records:
        event = record.event
        if isinstance(event, ModelAnswered | ModelFailed):
            segments |= event.segments
        match event:
            case DirectiveIssued():
                issued[record.position] = letters(event.text)
            case PressureApplied():
                pressures[event.side] = event
            case TurnStarted():
                told[event.turn] = event.directive
                if event.side in pressures:
                    pressed[event.turn] = pressures[event.side]
            case TurnSpoken():
                pressures.pop(event.side, None)
            case ModelAnswered(purpose="speak", turn=int(turn)):
                prompt = letters("".join(segments[digest] for _, digest in event.prompt))
                given = issued[at] if (at := told[turn]) else ""

                assert given in prompt
                assert not [text for text in issued.values() if text in prompt.replace(given, "")]
            case _:
                pass
    turns = views.apply_all(views.INITIAL, records).view.turns

    assert told == {int(name): turn.directive or None for name, turn in turns.items()}
    assert pressed == {int(name): turn.pressure for name, turn in turns.items() if turn.pressure is not UNSET}
