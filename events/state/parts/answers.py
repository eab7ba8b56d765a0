"""A question with two answers: the passage, the quotes of it, what the judge asked, and the answers given."""

from typing import Final

from msgspec import Struct

from events.types import AnswerGiven, CheckedQuote, CritiqueGiven, Missing


class AnswersState(Struct, frozen=True, kw_only=True, gc=False):
    """All of it so far."""

    passage: str = ""
    """The passage, whoever reads it."""
    is_withheld: bool = False
    """Whether the judge, and spectators until the end, do not read it."""
    quotes: dict[int, tuple[CheckedQuote, ...]] = {}
    """By turn."""
    questions: dict[int, str | Missing] = {}
    """What the judge asked the consultant, by the turn before."""
    critique: CritiqueGiven | None = None
    given: tuple[AnswerGiven, ...] = ()
    position: int = 0
    """That of the last answer."""

    def of(self, by: str, stage: str) -> tuple[AnswerGiven, ...]:
        """The answers of the judge, or of the critic, at a stage."""
        return tuple(each for each in self.given if each.by == by and each.stage == stage)


INITIAL: Final = AnswersState()
