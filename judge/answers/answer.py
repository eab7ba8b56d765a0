"""The judge's answer: which of two answers is right, the probability that it is A, and the reason."""

from functools import lru_cache
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from events.types import AnswerGiven, CheckedQuote, Letter, Missing, missing
from judge.lenient import choice, longest, loose
from providers.answers.schema import guided

MAX_REASON: Final = 1200
MAX_QUOTES: Final = 3
MAX_QUOTE: Final = 400
MAX_QUESTION: Final = 600
EVEN: Final = 0.5
WORD_CHARACTERS: Final = 12
"""Characters that the answer of a model may have for each word of a speech."""
LETTERS: Final[tuple[Letter, Letter]] = ("A", "B")
Probability = Annotated[float, Meta(ge=0, le=1, extra_json_schema={"x-neutral": EVEN})]


class JudgedAnswer(Struct, frozen=True, kw_only=True):
    """What was answered; what could not be read is not in it."""

    critique: str = ""
    reason: str = ""
    quotes: tuple[str, ...] = ()
    p_a: float | None = None
    answer: Letter | None = None

    @property
    def choice(self) -> Letter | None:
        """The letter, or the one that follows from the probability."""
        if self.answer is not None or self.p_a is None or self.p_a == EVEN:
            return self.answer
        return "A" if self.p_a > EVEN else "B"


@lru_cache(maxsize=8)
def answer_type(*, quotes: bool) -> Any:
    """``{"reason", "quotes"?, "p_a", "answer"}``."""
    quote = Annotated[str, Meta(max_length=MAX_QUOTE, extra={"verbatim": True})]
    many: list[tuple[str, Any]] = [("quotes", Annotated[list[quote], Meta(max_length=MAX_QUOTES)])]
    return loose(
        "Answer",
        ("reason", longest(MAX_REASON)),
        *(many if quotes else ()),
        ("p_a", Probability),
        ("answer", choice(LETTERS)),
    )


@lru_cache(maxsize=8)
def critique_type(words: int) -> Any:
    """``{"critique", "p_a", "answer"}``."""
    return loose(
        "Critique", ("critique", longest(WORD_CHARACTERS * words)), ("p_a", Probability), ("answer", choice(LETTERS))
    )


class Inquiry(Struct, frozen=True, kw_only=True):
    """A question to a consultant."""

    question: str = ""


@lru_cache(maxsize=8)
def speech_type(words: int) -> Any:
    """``{"speech"}``, or prose."""
    form = loose("Speech", ("speech", longest(WORD_CHARACTERS * words)))
    return guided(Any, form, {"speech": "The script gives no speech."})


@lru_cache(maxsize=1)
def inquiry_type() -> Any:
    """``{"question"}``."""
    return loose("Inquiry", ("question", longest(MAX_QUESTION)))


def contradiction(value: JudgedAnswer) -> str:
    """What is wrong with an answer, in words: its letter and its probability name different answers, or one lacks."""
    if value.p_a is None:
        return 'it has no "p_a", the probability from 0 to 1 that answer A is right'
    if value.answer is None:
        return 'it has no "answer", which is "A" or "B"' if value.p_a == EVEN else ""
    likelier = "A" if value.p_a >= EVEN else "B"
    if value.answer == likelier or value.p_a == EVEN:
        return ""
    return (
        f'its "answer" is {value.answer}, but its "p_a" is {value.p_a:g}: by that, answer {likelier} is more probable.'
        ' "p_a" is always the probability of answer A'
    )


def facts_of(value: JudgedAnswer) -> tuple[float | Missing, Letter | Missing]:
    """The probability and the letter that count; each is missing if the answer lacks it, both if they contradict."""
    if value.p_a is not None and value.answer is not None and contradiction(value):
        why = missing(f"its letter is {value.answer}, and its probability of A is {value.p_a:g}: they contradict")
        return why, why
    letter = value.choice
    return (
        missing("the answer has no probability") if value.p_a is None else value.p_a,
        missing("the answer names neither A nor B") if letter is None else letter,
    )


def without(reason: str, **fields: Any) -> AnswerGiven:
    """The event of an answer that was not given."""
    return AnswerGiven(p_a=missing(reason), choice=missing(reason), reason="", **fields)


def given(value: JudgedAnswer, quotes: tuple[CheckedQuote, ...], **fields: Any) -> AnswerGiven:
    """The event of an answer."""
    p_a, letter = facts_of(value)
    return AnswerGiven(p_a=p_a, choice=letter, reason=value.reason, quotes=quotes, **fields)
