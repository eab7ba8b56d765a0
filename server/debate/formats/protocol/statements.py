"""The statements of format ``protocol``: one question for each statement, and a second one if the answer has faults.

The first answer is sample 1.  If its structure is faulty, the author is asked again with the faults named, as sample 2.
The second answer counts, unless the first one keeps more of the form.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct

from events.state.debate import Debate, UnusedAnswer, question
from events.state.parts.rounds import has_answers
from events.state.seats import debater_of
from events.state.transcript import Turn
from events.text.segmentation import count_words
from events.types import DebateOpened, Side, Think, TurnSpoken, other
from events.types.criteria import ProtocolRules
from judge.live.prompt import with_moderator_messages
from judge.protocol.answers import answers_prompt, answers_type, questioned, read_answers
from judge.protocol.closings import closing_prompt, closing_type, read_closing
from judge.protocol.cross import cross_prompt, cross_type, read_cross
from judge.protocol.openings import opening_prompt, opening_type, read_opening
from judge.protocol.prompt import Prompt, retry_prompt
from judge.protocol.reading import StatementReading, argument_ids, wordless_fault
from providers.base import Material, Segment
from server.debate.formats.protocol.material import statement_material
from server.debate.formats.questions import Question
from server.evidence.given import statement_passages
from server.people.names import is_person

Kind = Literal["open", "cross", "answer", "close"]
KINDS: Final[tuple[Kind, ...]] = ("open", "cross", "answer", "close")
TOKENS: Final[dict[Kind, int]] = {"open": 1600, "cross": 1600, "answer": 1200, "close": 900}
"""Maximum tokens of a statement."""
FIRST, SECOND = 1, 2
"""Numbers of the samples."""


class Statement(Struct, frozen=True, kw_only=True):
    """What a side is asked in one turn, and how its answer is read."""

    kind: Kind
    side: Side
    turn: int
    model: str
    think: Think
    cause: int
    answer_type: Any
    prompt: Callable[[], Prompt]
    material: Callable[[], Material | None]
    """For a person: what the page shows with the form."""
    read: Callable[[str, tuple[str, ...]], StatementReading]

    @property
    def key(self) -> str:
        """The question's key, such as ``open:pro``."""
        return f"{self.kind}:{self.side}"

    def given(self, debate: Debate, sample: int) -> UnusedAnswer | None:
        """The answer of a sample, JSON or not; None if there is none."""
        name = question(self.key, sample)
        return debate.questions.answers.get(name) or debate.questions.unread.get(name)


class AcceptedStatement(Struct, frozen=True, kw_only=True):
    """The answer that counts as the statement."""

    given: UnusedAnswer
    reading: StatementReading


def kinds_of(opened: DebateOpened) -> tuple[Kind, ...]:
    """The statements of each side, in the order of the rounds."""
    return KINDS if has_answers(opened) else tuple(kind for kind in KINDS if kind != "answer")


def turns_of(rules: ProtocolRules) -> int:
    """The turns of a debate that is opened with these rules: one statement of each side in each round."""
    return 2 * (len(KINDS) if rules.answer_words else len(KINDS) - 1)


def statement_of(debate: Debate, opened: DebateOpened, turn: Turn) -> Statement:
    """The statement of a turn."""
    kind, side, protocol = kinds_of(opened)[(turn.number - 1) // 2], turn.side, debate.protocol
    rules = rules_of(opened)
    names: tuple[str, ...]
    prompt: Callable[[], Prompt]
    read: Callable[[str, tuple[str, ...]], StatementReading]
    if kind == "open":
        names = argument_ids(side, rules.arguments)
        answer_type, prompt = opening_type(side, rules), lambda: opening_prompt(opened, side)
        read = lambda raw, also: read_opening(raw, side, turn.number, rules, also)  # noqa: E731 - one of four
    elif kind == "cross":
        names = protocol.arguments_of(other(side))
        answer_type, prompt = cross_type(names), lambda: cross_prompt(opened, protocol, side)
        read = lambda raw, also: read_cross(raw, side, turn.number, names, also)  # noqa: E731
    elif kind == "answer":
        names, examined = questioned(protocol, side), _examination(debate, other(side))
        answer_type, prompt = answers_type(names, rules), lambda: answers_prompt(opened, protocol, side, examined)
        read = lambda raw, also: read_answers(raw, side, turn.number, names, rules, also)  # noqa: E731
    else:
        names = protocol.arguments_of(side)
        examined = _examination(debate, other(side))
        answer_type, prompt = closing_type(names, rules), lambda: closing_prompt(opened, protocol, side, examined)
        read = lambda raw, also: read_closing(raw, side, turn.number, names, rules, also)  # noqa: E731
    words = [word for at, word in debate.words.items() if int(at) < turn.started]
    seat = debater_of(opened, debate.seats, side)
    return Statement(
        kind=kind,
        side=side,
        turn=turn.number,
        model=seat.model,
        think=seat.think,
        cause=turn.started,
        answer_type=answer_type,
        read=read,
        prompt=lambda: with_moderator_messages(
            _with_passages(debate, opened, turn, prompt()), opened.prompts, words, "protocol"
        ),
        material=lambda: (
            statement_material(debate, kind, side, names, turn.passages) if is_person(seat.model) else None
        ),
    )


def _with_passages(debate: Debate, opened: DebateOpened, turn: Turn, prompt: Prompt) -> Prompt:
    """The prompt with the passages that the turn was given, before its question."""
    shown = statement_passages(debate, opened, turn.passages)
    return (*prompt[:-1], Segment("user", shown), prompt[-1]) if shown else prompt


def rules_of(opened: DebateOpened) -> ProtocolRules:
    """The rubric's rules of the protocol."""
    assert opened.rubric.protocol is not None, "an opening fills in what a rubric leaves out"
    return opened.rubric.protocol


def first_question(opened: DebateOpened, statement: Statement) -> Question:
    """The first question for a statement."""
    temperature = rules_of(opened).temperature
    return Question(
        key=statement.key,
        purpose=statement.kind,
        turn=statement.turn,
        model=statement.model,
        prompt=statement.prompt,
        material=statement.material,
        answer_type=statement.answer_type,
        max_tokens=TOKENS[statement.kind],
        think=statement.think,
        cause=statement.cause,
        check=wordless_fault,
        timeout_s=opened.settings.turn_timeout_s,
        is_statement=True,
        temperature=None if statement.kind == "open" or temperature is UNSET else temperature,
    )


def second_question(debate: Debate, opened: DebateOpened, statement: Statement) -> Question | None:
    """The same question with the faults of the first answer; None if it has no faults or has not been given.

    A person is not asked again: an answer with faults cannot be sent.
    """
    given = statement.given(debate, FIRST)
    if given is None or is_by_person(debate, statement.side, given):
        return None
    faults = statement.read(given.answer, ()).faults
    if not faults:
        return None
    return msgspec.structs.replace(
        first_question(opened, statement),
        first=SECOND,
        samples=SECOND,
        cause=given.position,
        prompt=lambda: retry_prompt(opened, statement.prompt(), given.answer, faults),
    )


def accepted_statement(debate: Debate, statement: Statement) -> AcceptedStatement | None:
    """The answer that counts, once nothing is pending; None if the side gave no answer."""
    first = statement.given(debate, FIRST)
    if first is None:
        return None
    reading = statement.read(first.answer, ())
    if not reading.faults or is_by_person(debate, statement.side, first):
        return AcceptedStatement(given=first, reading=reading)
    second = statement.given(debate, SECOND)
    if second is None:
        failures = debate.questions.failed.get(question(statement.key, SECOND), ())
        why = f" ({failures[-1].reason})" if failures else ""
        return AcceptedStatement(
            given=first, reading=statement.read(first.answer, (f"asked once more, it gave no answer{why}",))
        )
    later = statement.read(second.answer, ())
    if later.kept >= reading.kept:
        return AcceptedStatement(given=second, reading=later)
    return AcceptedStatement(
        given=first, reading=statement.read(first.answer, ("asked once more, it kept less of the form",))
    )


def is_by_person(debate: Debate, side: Side, given: UnusedAnswer) -> bool:
    """Whether a person gave an answer, and not the model that took the seat over later."""
    seat = debate.seats.get(side)
    return seat is not None and (not seat.handed_over or given.position < seat.handed_over)


def spoken(debate: Debate, statement: Statement, accepted: AcceptedStatement, attempt: int) -> TurnSpoken:
    """The statement as a turn in the transcript."""
    asked_ms = debate.questions.spent_ms
    latency_ms = sum(asked_ms.get(question(statement.key, sample), 0) for sample in (FIRST, SECOND))
    text, is_own = accepted.reading.text, is_by_person(debate, statement.side, accepted.given)
    return TurnSpoken(
        turn=statement.turn,
        side=statement.side,
        attempt=attempt,
        text=text,
        words=count_words(text),
        clipped=accepted.reading.is_clipped,
        pace=() if is_own else ((latency_ms, len(text)),),
        model="" if is_own else accepted.given.model,
        usage=accepted.given.usage,
        latency_ms=latency_ms,
        by="person" if is_own else UNSET,
    )


def _examination(debate: Debate, by: Side) -> str:
    """The text of a side's cross-examination."""
    return next(
        (
            turn.text
            for turn in debate.transcript.spoken()
            if turn.side == by and KINDS[(turn.turn - 1) // 2] == "cross"  # cross-examinations come before answers
        ),
        "",
    )
