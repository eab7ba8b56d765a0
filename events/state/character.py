"""The debaters' characters: traits, pressure, and the directives in force."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from events.record import Recorded
from events.types import DebateOpened, DirectiveIssued, PressureApplied, Side, TraitsShifted


class Directive(Struct, frozen=True, kw_only=True, gc=False):
    """An instruction for a debater, and the event that caused it."""

    side: Side
    text: str
    cause: int | None


class Characters(Struct, frozen=True, kw_only=True, gc=False):
    """Both debaters.  Traits and pressure are public; directives are private until the debate has concluded."""

    traits: dict[str, dict[str, float]] = {}
    pressure: dict[str, PressureApplied] = {}
    """The latest event of each side."""
    pressures: dict[int, PressureApplied] = {}
    """All of them by position."""
    moves: dict[str, TraitsShifted] = {}
    """Moves of traits by position."""
    directives: dict[int, Directive] = {}
    """By position."""
    in_force: dict[str, int] = {}
    """The position of each side's newest directive."""


INITIAL = Characters()
MOVED_BY: Final = frozenset({DebateOpened, PressureApplied, TraitsShifted, DirectiveIssued})


def apply(characters: Characters, record: Recorded) -> Characters:
    """The characters after ``record``."""
    event = record.event
    if isinstance(event, DebateOpened):
        seats = {"pro": event.pro, "con": event.con}
        traits = {
            side: event.archetypes[seat.archetype].traits
            for side, seat in seats.items()
            if seat.archetype in event.archetypes
        }
        return Characters(traits=traits)
    if isinstance(event, PressureApplied):
        return replace(
            characters,
            pressure={**characters.pressure, event.side: event},
            pressures={**characters.pressures, record.position: event},
        )
    if isinstance(event, TraitsShifted):
        moved = {trait: after for trait, (_, after) in event.shifts.items()}
        return replace(
            characters,
            traits={**characters.traits, event.side: {**characters.traits.get(event.side, {}), **moved}},
            moves={**characters.moves, str(record.position): event},
        )
    if isinstance(event, DirectiveIssued):
        directive = Directive(side=event.side, text=event.text, cause=record.cause)
        return replace(
            characters,
            directives={**characters.directives, record.position: directive},
            in_force={**characters.in_force, event.side: record.position},
        )
    return characters
