"""How events change what is known of a question with two answers, and its outcome in words."""

from collections import Counter

from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state.debate import Debate
from events.state.parts.answers import INITIAL, AnswersState
from events.text.figures import rounded
from events.types import (
    AnswerGiven,
    ConsultantQuestioned,
    CritiqueGiven,
    Letter,
    Missing,
    PassageSupplied,
    SpeechQuoted,
)

STOPS = (".", "!", "?")
MAX_ANSWER = 160
"""Characters of an answer in a sentence."""


def answers_of(debate: Debate) -> AnswersState:
    """What is known of the question of a debate."""
    return debate.answers or INITIAL


def apply(before: AnswersState | None, record: Recorded) -> AnswersState:
    """The state after ``record``."""
    answers = before or INITIAL
    match record.event:
        case PassageSupplied() as event:
            return replace(answers, passage=event.text or event.withheld, is_withheld=bool(event.withheld))
        case SpeechQuoted() as event:
            return replace(answers, quotes={**answers.quotes, event.turn: event.quotes})
        case ConsultantQuestioned() as event:
            return replace(answers, questions={**answers.questions, event.after_turn: event.text})
        case CritiqueGiven() as event:
            return replace(answers, critique=event)
        case AnswerGiven() as event:
            return replace(answers, given=(*answers.given, event), position=record.position)
        case _:
            return answers


def letter_of(answers: AnswersState) -> Letter | None:
    """The letter that the judge answers in the end: its final answer; of a vote, the one that most samples name."""
    final = answers.of("judge", "final")
    counted = Counter(each.choice for each in final or answers.of("judge", "alone") if each.choice in {"A", "B"})
    if counted["A"] == counted["B"]:
        return None
    return "A" if counted["A"] > counted["B"] else "B"


def headline(debate: Debate) -> str:
    """What the judge answered in the end, without a full stop."""
    letter, samples, sure = letter_of(answers_of(debate)), _samples(debate), _sure(debate)
    if len(samples) > 1:
        named = Counter(each.choice for each in samples if isinstance(each.choice, str))
        if letter is None:
            return f"The judge’s {len(samples)} answers name A and B equally often"
        return f"The judge answers {letter} in {named[letter]} of {len(samples)} samples"
    return "The judge gave no answer" if letter is None else f"The judge answers {letter}{sure}"


def sentences(debate: Debate) -> str:
    """The same with the words of the answer, why there is none, and what the judge answered before."""
    opened, letter, samples = debate.opened, letter_of(answers_of(debate)), _samples(debate)
    assert opened is not None, "a debate ends after its opening"
    if opened.question is UNSET:
        return f"{headline(debate)}."
    if letter is None:
        lacks = [each.choice.missing.reason for each in samples if isinstance(each.choice, Missing)]
        return f"{headline(debate)}{f': {lacks[0]}' if lacks and len(samples) == 1 else ''}."
    words = opened.question.answers[letter == "B"]
    short = words if len(words) <= MAX_ANSWER else f"{words[:MAX_ANSWER].rstrip()}…"
    said = f"{headline(debate)}: “{short}”{'' if short.endswith(STOPS) else '.'}"
    before, final = answers_of(debate).of("judge", "alone"), answers_of(debate).of("judge", "final")
    if before and final:
        said += f" Alone, before the critique, it {_before(before[-1])}."
    return said


def _before(alone: AnswerGiven) -> str:
    if isinstance(alone.choice, Missing):
        return "gave no answer"
    return f"answered {alone.choice}{_by_statement(alone)}"


def _samples(debate: Debate) -> tuple[AnswerGiven, ...]:
    """The answers that the outcome follows from."""
    return answers_of(debate).of("judge", "final") or answers_of(debate).of("judge", "alone")


def _sure(debate: Debate) -> str:
    samples = _samples(debate)
    return _by_statement(samples[-1]) if samples else ""


def _by_statement(given: AnswerGiven) -> str:
    """How sure the judge is of its letter, as it says itself; empty where it gave no probability."""
    if isinstance(given.p_a, Missing) or isinstance(given.choice, Missing):
        return ""
    p = given.p_a if given.choice == "A" else 1 - given.p_a
    return f", {rounded(100 * p, 0)} % sure by its own statement"
