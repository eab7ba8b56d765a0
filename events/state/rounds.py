"""The values of ``protocol``: arguments with their answers and standings, openings, closings."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from events.types import (
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    Briefing,
    ClosingStated,
    FallacyFound,
    Side,
    Standing,
)

Round = Literal["openings", "cross_examination", "closings", "judgement", "done"]


class ArgumentState(Struct, frozen=True, kw_only=True, gc=False):
    """An argument with the opponent's answer, its fallacies and its standing."""

    side: Side
    turn: int
    claim: str
    reasoning: str
    evidence: str
    opened: int
    """Position of its opening."""
    cross: ArgumentCrossExamined | UnsetType = UNSET
    crossed: int | UnsetType = UNSET
    fallacies: dict[str, FallacyFound] = {}
    """By position."""
    trace: ArgumentTraced | UnsetType = UNSET
    traced: int | UnsetType = UNSET

    @property
    def standing(self) -> Standing | None:
        """The judge's standing of the argument; None without one."""
        return None if self.trace is UNSET or self.trace.standing is UNSET else self.trace.standing


class ProtocolState(Struct, frozen=True, kw_only=True, gc=False):
    """All three rounds.  ``positions`` are those of the statements and of the assessment."""

    round: Round = "openings"
    arguments: dict[str, ArgumentState] = {}
    openings: dict[Side, ArgumentsOpened] = {}
    crossed: dict[Side, tuple[str, ...]] = {}
    """By the examining side: the faults of its cross-examination."""
    closings: dict[Side, ClosingStated] = {}
    assessment: AssessmentGiven | UnsetType = UNSET
    briefing: Briefing | UnsetType = UNSET
    positions: dict[str, int] = {}
