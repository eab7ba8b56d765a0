"""The three rounds of format ``protocol`` as values: arguments with what was answered to them, closings, the trace."""

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
    """An argument with everything that was said of it."""

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
        """Where the judge says that it stands."""
        return None if self.trace is UNSET or self.trace.standing is UNSET else self.trace.standing


class ProtocolState(Struct, frozen=True, kw_only=True, gc=False):
    """The whole of it.  ``positions`` are those of the sides' statements and of the assessment."""

    round: Round = "openings"
    arguments: dict[str, ArgumentState] = {}
    openings: dict[Side, ArgumentsOpened] = {}
    crossed: dict[Side, tuple[str, ...]] = {}
    """By who examined: what is wrong with the examination, if anything is."""
    closings: dict[Side, ClosingStated] = {}
    assessment: AssessmentGiven | UnsetType = UNSET
    briefing: Briefing | UnsetType = UNSET
    positions: dict[str, int] = {}
