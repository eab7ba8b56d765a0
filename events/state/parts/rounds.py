"""The values of ``protocol``: the rounds, arguments with their answers and standings, openings, closings."""

from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types import (
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    Briefing,
    ClosingStated,
    CrossExaminationFaulted,
    DebateOpened,
    FallacyFound,
    PanelConcluded,
    QuestionsAnswered,
    Side,
    Standing,
)

Round = Literal["openings", "cross_examination", "answers", "closings", "judgement", "done"]
THREE_ROUNDS: Final = 6
"""Turns of a protocol debate without a round of answers, as they were opened before that round existed."""


def has_answers(opened: DebateOpened | None) -> bool:
    """Whether both sides answer the questions put to them, in a round between cross-examination and closings."""
    return opened is not None and opened.turns > THREE_ROUNDS


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
    answer: str | UnsetType = UNSET
    """Its side's answer to the question in ``cross``."""
    answered: int | UnsetType = UNSET
    fallacies: dict[str, FallacyFound] = {}
    """By position."""
    trace: ArgumentTraced | UnsetType = UNSET

    @property
    def standing(self) -> Standing | None:
        """The judge's standing of the argument; None without one."""
        return None if self.trace is UNSET or self.trace.standing is UNSET else self.trace.standing


class ProtocolState(Struct, frozen=True, kw_only=True, gc=False):
    """All rounds.  ``positions`` are those of the statements and of the assessment."""

    round: Round = "openings"
    arguments: dict[str, ArgumentState] = {}
    openings: dict[Side, ArgumentsOpened] = {}
    crossed: dict[Side, tuple[str, ...]] = {}
    """By the examining side: the faults of its cross-examination."""
    answered: dict[Side, QuestionsAnswered] = {}
    closings: dict[Side, ClosingStated] = {}
    assessment: AssessmentGiven | UnsetType = UNSET
    briefing: Briefing | UnsetType = UNSET
    positions: dict[str, int] = {}

    def arguments_of(self, side: Side) -> tuple[str, ...]:
        """The ids of a side's arguments."""
        return tuple(name for name, each in self.arguments.items() if each.side == side)


INITIAL = ProtocolState()
MOVED_BY: Final = frozenset(
    {
        ArgumentsOpened,
        ArgumentCrossExamined,
        CrossExaminationFaulted,
        QuestionsAnswered,
        ClosingStated,
        FallacyFound,
        ArgumentTraced,
        AssessmentGiven,
        PanelConcluded,
    }
)
