"""A question with two answers as the page shows it: what was said of it, its quotes, and the judge's answers."""

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.folds.answers import answers_of
from events.types import AnswerGiven, Arm, CheckedQuote, CritiqueGiven, Letter, Missing, PassageReaders


class AnswersView(Struct, frozen=True, kw_only=True, gc=False):
    """All of it."""

    question: str
    a: str
    b: str
    arm: Arm
    assigned: Letter | UnsetType = UNSET
    """The answer that the consultant, or the critic, was told to argue for."""
    critic: str | UnsetType = UNSET
    """The model of the critic."""
    sees: PassageReaders
    rounds: int = 0
    passage: str | UnsetType = UNSET
    """Absent without one, and before the end where the judge does not read it."""
    has_passage: bool
    quotes: dict[str, tuple[CheckedQuote, ...]] = {}
    """By turn."""
    questions: dict[str, str | Missing] = {}
    """What the judge asked the consultant, by the turn before."""
    critique: CritiqueGiven | UnsetType = UNSET
    given: tuple[AnswerGiven, ...] = ()


def answers_view(debate: Debate) -> AnswersView | UnsetType:
    """The view; unset in other formats."""
    if debate.opened is None or debate.opened.question is UNSET:
        return UNSET
    setup, answers = debate.opened.question, answers_of(debate)
    shows = answers.passage and (not answers.is_withheld or debate.status.conclusion is not None)
    return AnswersView(
        question=setup.question,
        a=setup.answers[0],
        b=setup.answers[1],
        arm=setup.arm,
        assigned=setup.assigned,
        critic=setup.critic,
        sees=setup.sees,
        rounds=setup.rounds,
        passage=answers.passage if shows else UNSET,
        has_passage=setup.has_passage,
        quotes={str(turn): each for turn, each in answers.quotes.items()},
        questions={str(turn): each for turn, each in answers.questions.items()},
        critique=UNSET if answers.critique is None else answers.critique,
        given=answers.given,
    )
