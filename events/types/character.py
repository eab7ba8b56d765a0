"""Pressure, the traits that it moves, and the directives that they become."""

from typing import ClassVar

from events.types.base import ALL_PRIVATE, Base, Side


class PressureApplied(Base, frozen=True, kw_only=True, tag="pressure_applied"):
    """The loser of an exchange feels it, on four signals in [0, 1]."""

    side: Side
    turn: int
    cognitive: float
    emotional: float
    strategic: float
    credibility: float


class TraitsShifted(Base, frozen=True, kw_only=True, tag="traits_shifted"):
    """Traits moved: ``{trait: [from, to]}``."""

    side: Side
    shifts: dict[str, tuple[float, float]]


class DirectiveIssued(Base, frozen=True, kw_only=True, tag="directive_issued"):
    """What a debater is told from its next turn on; nobody else reads it before the debate has concluded."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    side: Side
    text: str
