"""Questions to a model as steps: ``pending`` gives the calls still to make, ``answers`` what came of them.

A question is asked ``samples`` times.  Each sample is repeated after a failure, until its attempts are used up.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from events.record import Draft
from events.state.debate import Debate, question
from events.state.transcript import Turn
from events.text.languages import language_name, tokens_a_word
from events.types import DebateOpened, DebateSettings, Reason, Template, TurnFailed
from judge.guard.neutralise import quoted
from judge.lenient import Note, lenient, read_as
from judge.live.answers import Answers
from judge.templates import fill, has_section, section
from providers.answers.schema import parse
from providers.base import Material, Segment
from providers.errors import ProviderError, Resigned, TimedOut, UnknownReference
from server.debate.formats.halts import (
    abandon_turns,
    count_outages,
    count_tries,
    delay_ms,
    give_up_reason,
    halt,
    is_exhausted,
    is_forgiven,
)
from server.debate.formats.steps import Ask, LazyPrompt, Record, TypedQuestion, no_fault
from server.people.names import is_person, seat_of

PERMANENT: Final = frozenset({"auth", "unknown_model", "context_length", "bad_request"})
"""Kinds of failures that every further attempt would meet again."""
FINAL: Final = frozenset({TimedOut.kind, Resigned.kind})
"""Kinds of failures after which a person is not asked the same again."""
TOLD_LANGUAGE: Final = 2
"""The version of the rubric from which on every question tells a language other than English."""
SHOWN_AGAIN: Final = 4000
"""Characters of an unreadable answer that its model is shown."""


class Question(TypedQuestion, frozen=True, kw_only=True):
    """A typed question that is asked of a model ``samples`` times.  ``prompt`` is built when it is needed."""

    prompt: Callable[[], tuple[Segment, ...]]
    samples: int = 1
    first: int = 1
    """Number of the first sample: 2 if the question repeats another one in other words."""
    misquotes: Callable[[Any], str] = no_fault
    """Returns the costly findings of an answer whose quotes do not hold, in words: it is then asked for once more."""
    part: type[Struct] | None = None
    """The type that it takes from an answer in which other questions have parts too; None: the whole answer."""
    material: Callable[[], Material | None] = lambda: None
    """What the question is about, as values, for a judge that does not read prompts."""
    is_statement: bool = False
    """Whether a debater answers: with the temperature and the attempts of a turn; words without JSON are an answer."""
    temperature: float | None = None
    """A temperature of its own, in place of the debate's."""

    @property
    def numbers(self) -> range:
        """The numbers of its samples."""
        return range(self.first, self.samples + 1)


def pending(debate: Debate, opened: DebateOpened, questions: Sequence[Question]) -> tuple[Ask, ...]:
    """The calls still to make, all at the same time."""
    asks: list[Ask] = []
    for each in questions:
        for sample in each.numbers:
            ask = _ask(debate, opened, each, sample)
            if ask is None and (again := _about_quotes(debate, opened, each, sample)) is not None:
                ask = _ask(debate, opened, again, sample)
            asks += [] if ask is None else [ask]
    return tuple(asks)


def again_key(key: str) -> str:
    """The key of the question that is asked once more because quotes did not hold: ``claims_again:3``."""
    return key.replace(":", "_again:", 1)


def _about_quotes(debate: Debate, opened: DebateOpened, asked: Question, sample: int) -> Question | None:
    """The same question with the answer and its wrong quotes; None if there are none, or for a person.

    A person cannot send a quote that does not hold.
    """
    given, template = debate.questions.answers.get(question(asked.key, sample)), opened.prompts.get("whole")
    if given is None or template is None or asked.misquotes is no_fault or is_person(asked.model):
        return None
    try:
        fault = asked.misquotes(read_answer(asked, given.answer)[0])
    except ProviderError:  # an answer of an older log, which is read otherwise today
        return None
    if not fault:
        return None
    return replace(
        asked,
        key=again_key(asked.key),
        first=sample,
        samples=sample,
        misquotes=no_fault,
        cause=given.position,
        prompt=lambda: (*asked.prompt(), *_in_language(opened), _told(template, given.answer, fault)),
    )


def answers(debate: Debate, asked: Question) -> Answers[Any]:
    """The answers to a question, once none of its calls is pending; or why there is none."""
    given, notes, reason = [], [], None
    for sample in asked.numbers:
        name = question(asked.key, sample)
        first, again = (debate.questions.answers.get(each) for each in (name, question(again_key(asked.key), sample)))
        if (found := again or first) is not None:
            try:
                value, corrected = read_answer(asked, found.answer)
            except ProviderError as error:  # an answer of an older log, which is read otherwise today
                reason = Reason(f"{error.kind}: {error.message}")
                continue
            if asked.part is not None:
                value, corrected = _part(value, corrected, asked.part)
            given.append((found.position, value))
            notes += [(found.position, note) for note in corrected]
        elif failures := debate.questions.failed.get(name):
            reason = failures[-1]
    if given:
        return Answers(given=tuple(given), notes=tuple(notes))
    why = reason.reason if reason else "it was not asked"
    return Answers(failed=Reason(f"the judge gave no usable answer ({why})"))


def verify_answer(ask: Ask, raw: str) -> None:
    """As ``Ask.verify``, for a recorded answer.  Raises ``ProviderError``."""
    if fault := ask.check(read_answer(ask, raw)[0]):
        raise UnknownReference(fault)


def read_answer(asked: TypedQuestion, raw: str) -> tuple[Any, tuple[Note, ...]]:
    """A recorded answer as the rules take it, and what was corrected in it."""
    return _read(raw, asked.answer_type, asked.becomes)


@lru_cache(maxsize=256)
def _read(raw: str, answer_type: Any, becomes: Any) -> tuple[Any, tuple[Note, ...]]:
    """The same; cached, since the answer to a question is read for its quotes first, and by the rules later."""
    if becomes is None:
        return parse(raw, answer_type), ()
    return read_as(parse(raw, lenient(answer_type)), answer_type, becomes)


def _part(value: Any, notes: tuple[Note, ...], part: type[Struct]) -> tuple[Struct, tuple[Note, ...]]:
    """The members of one question in an answer to several, and what was corrected in them."""
    names = part.__struct_fields__
    return (
        part(**{name: getattr(value, name) for name in names}),
        tuple(note for note in notes if note.path.partition(".")[0] in names),
    )


def _ask(debate: Debate, opened: DebateOpened, asked: Question, sample: int) -> Ask | None:
    """The next call for one sample; None if it is answered or given up."""
    name = question(asked.key, sample)
    failures = debate.questions.failed.get(name, ())
    settings = opened.settings
    attempts = settings.turn_attempts if asked.is_statement else settings.judge_attempts
    kinds = [kind_of(each) for each in failures]
    tries = count_tries(kinds)
    given_up = is_given_up(failures, attempts, settings) or _is_left_out(debate, asked, kinds)
    is_answered = name in debate.questions.answers or (asked.is_statement and name in debate.questions.unread)
    if is_answered or given_up:
        return None
    attempt = debate.questions.asked.get(name, 0) + 1
    waits = tries > 0 and not is_forgiven(kinds[-1], kinds[:-1])
    shared = {field: getattr(asked, field) for field in TypedQuestion.__struct_fields__}
    return Ask(
        **shared | {"max_tokens": _most_tokens(opened, asked)},
        call=f"{asked.key.replace(':', '.')}.{sample}.{attempt}",
        sample=sample,
        attempt=attempt,
        lazy_prompt=LazyPrompt(
            lambda: (*asked.prompt(), *_in_language(opened), *_again(debate, opened, asked, name)), asked.material
        ),
        temperature=_temperature(asked, settings),
        delay_ms=delay_ms(tries, settings) if waits else 0,
    )


def is_given_up(failures: Sequence[Reason], attempts: int, settings: DebateSettings) -> bool:
    """Whether a call that failed so is not repeated."""
    kinds = [kind_of(each) for each in failures]
    is_spent = is_exhausted(count_tries(kinds), count_outages(kinds), attempts, settings)
    return is_spent or not PERMANENT.isdisjoint(kinds)


def _is_left_out(debate: Debate, asked: Question, kinds: Sequence[str]) -> bool:
    """Whether a person is not asked again: the time of the question has passed, or the person has resigned."""
    if not is_person(asked.model):
        return False
    seat = debate.seats.get(seat_of(asked.key))
    return not FINAL.isdisjoint(kinds) or (seat is not None and bool(seat.resigned))


def _in_language(opened: DebateOpened) -> tuple[Segment, ...]:
    """What tells a model to write in the language of the debate; nothing in English, or under rubric version 1."""
    template, language = opened.prompts.get("whole"), opened.language or "en"
    if (
        language == "en"
        or opened.rubric.version < TOLD_LANGUAGE
        or not template
        or not has_section(template, "language")
    ):
        return ()
    return (Segment("user", fill(section(template, "language"), language=language_name(language))),)


def _most_tokens(opened: DebateOpened, asked: Question) -> int:
    """The most tokens of an answer: more in a language whose words take more, if the model has room for it."""
    if opened.judge.reads != "whole":
        return asked.max_tokens
    return math.ceil(asked.max_tokens * tokens_a_word(opened.language or "en") / tokens_a_word("en"))


def _temperature(asked: Question, settings: DebateSettings) -> float:
    if asked.temperature is not None:
        return asked.temperature
    return settings.temperature if asked.is_statement else settings.judge_temperature


def _again(debate: Debate, opened: DebateOpened, asked: Question, name: str) -> tuple[Segment, ...]:
    """What follows the prompt when it is asked again: the answer that could not be read, and what is wrong with it.

    Both are words of a model and are marked as material.  A debate that was opened before the template existed asks
    the same question once more.
    """
    template, unread = opened.prompts.get("whole"), debate.questions.unread.get(name)
    if template is None or unread is None or asked.becomes is None:
        return ()
    try:
        read_answer(asked, unread.answer)
    except ProviderError as error:
        return (_told(template, unread.answer, error.message),)
    return ()


def _told(template: Template, answer: str, fault: str) -> Segment:
    return Segment("user", fill(section(template, "again"), answer=quoted(answer[:SHOWN_AGAIN]), fault=quoted(fault)))


def give_up(debate: Debate, opened: DebateOpened, turn: Turn, key: str, model: str, reason: str = "") -> Record:
    """A halt after the question of a turn got no answer; the answer of another turn stays in the log.

    ``reason``: why, for a person; of a model it names the side and the failure.
    """
    failures = debate.questions.failed.get(question(key, 1), ())
    kind, _, message = failures[-1].reason.partition(": ") if failures else ("", "", "it was not asked")
    tries = count_tries([kind_of(each) for each in failures])
    why = reason or give_up_reason(opened, turn.number, turn.side, tries, kind, message, model)
    failed = TurnFailed(turn=turn.number, side=turn.side, attempt=turn.attempt, kind=kind, message=message)
    cut = abandon_turns(debate, why, debate.course, but=turn.number)
    return Record(drafts=(Draft(event=failed, cause=debate.course), *halt(why, debate.course).drafts, *cut))


def kind_of(failure: Reason) -> str:
    """The kind of a failure: its reason begins with it."""
    return failure.reason.partition(":")[0]
