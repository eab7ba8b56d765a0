"""Questions to a model as steps: ``pending`` gives the calls still to make, ``answers`` what came of them.

A question is asked ``samples`` times.  Each sample is repeated after a failure, until its attempts are used up.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from events.state.debate import Debate, question
from events.types import DebateOpened, Reason, Think
from judge.live.answers import Answers
from providers.base import Segment
from providers.schema import parse
from server.debate.formats.retries import count_outages, count_tries, delay_ms, is_exhausted, is_forgiven
from server.debate.formats.steps import Ask, LazyPrompt

PERMANENT: Final = frozenset({"auth", "unknown_model", "context_length", "bad_request"})
"""Kinds of failures that every further attempt would meet again."""


def no_fault(_: Any) -> str:
    """The check of a question that accepts every well-typed answer."""
    return ""


class Question(Struct, frozen=True, kw_only=True):
    """A typed question that is asked of a model ``samples`` times.  ``prompt`` is built when it is needed."""

    key: str
    purpose: str
    turn: int | None
    model: str
    prompt: Callable[[], tuple[Segment, ...]]
    answer_type: Any
    max_tokens: int
    think: Think
    samples: int = 1
    first: int = 1
    """Number of the first sample: 2 if the question repeats another one in other words."""
    order: tuple[int, ...] = ()
    cause: int | None = None
    check: Callable[[Any], str] = no_fault
    """Returns what is wrong with a well-typed answer, in words; an empty text if nothing is wrong."""
    timeout_s: float | None = None
    """A shorter time limit than the debate's ``judge_timeout_s``."""
    is_statement: bool = False
    """Whether a debater answers: with the temperature and the attempts of a turn; words without JSON are an answer."""

    @property
    def numbers(self) -> range:
        """The numbers of its samples."""
        return range(self.first, self.samples + 1)


def pending(debate: Debate, opened: DebateOpened, questions: Sequence[Question]) -> tuple[Ask, ...]:
    """The calls still to make, all at the same time."""
    return tuple(
        ask for each in questions for sample in each.numbers if (ask := _ask(debate, opened, each, sample)) is not None
    )


def answers(debate: Debate, asked: Question) -> Answers[Any]:
    """The answers to a question, once none of its calls is pending; or why there is none."""
    given, reason = [], None
    for sample in asked.numbers:
        name = question(asked.key, sample)
        if (found := debate.questions.answers.get(name)) is not None:
            given.append((found.position, parse(found.answer, asked.answer_type)))
        elif failures := debate.questions.failed.get(name):
            reason = failures[-1]
    if given:
        return Answers(given=tuple(given))
    why = reason.reason if reason else "it was not asked"
    return Answers(failed=Reason(f"the judge gave no usable answer ({why})"))


def _ask(debate: Debate, opened: DebateOpened, asked: Question, sample: int) -> Ask | None:
    """The next call for one sample; None if it is answered or given up."""
    name = question(asked.key, sample)
    failures = debate.questions.failed.get(name, ())
    settings = opened.settings
    attempts = settings.turn_attempts if asked.is_statement else settings.judge_attempts
    kinds = [kind_of(each) for each in failures]
    tries = count_tries(kinds)
    given_up = is_exhausted(tries, count_outages(kinds), attempts, settings) or not PERMANENT.isdisjoint(kinds)
    is_answered = name in debate.questions.answers or (asked.is_statement and name in debate.questions.unread)
    if is_answered or given_up:
        return None
    attempt = debate.questions.asked.get(name, 0) + 1
    waits = tries > 0 and not is_forgiven(kinds[-1], kinds[:-1])
    return Ask(
        call=f"{asked.key.replace(':', '.')}.{sample}.{attempt}",
        key=asked.key,
        purpose=asked.purpose,
        turn=asked.turn,
        sample=sample,
        attempt=attempt,
        model=asked.model,
        lazy_prompt=LazyPrompt(asked.prompt),
        answer_type=asked.answer_type,
        max_tokens=asked.max_tokens,
        temperature=settings.temperature if asked.is_statement else settings.judge_temperature,
        think=asked.think,
        order=asked.order,
        delay_ms=delay_ms(tries, settings) if waits else 0,
        cause=asked.cause,
        check=asked.check,
        timeout_s=asked.timeout_s,
    )


def kind_of(failure: Reason) -> str:
    """The kind of a failure: its reason begins with it."""
    return failure.reason.partition(":")[0]
