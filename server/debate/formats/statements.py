"""The statements of the protocol as questions: what is asked, once more where its structure is faulty, what came of it.

The first answer to a statement is its sample 1.  A faulty one is put back to its author with its faults, as sample 2;
of the two the later one counts, unless the first keeps more of the form.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from events.state.debate import Debate, UnusedAnswer, question
from events.state.transcript import Turn
from events.types import DebateOpened, Side, Think, TurnSpoken, other
from events.types.criteria import ProtocolRules
from judge.live.prompt import with_moderator_words
from judge.protocol.closings import closing_prompt, closing_type, own_arguments, read_closing
from judge.protocol.cross import cross_prompt, cross_type, read_cross, targets
from judge.protocol.openings import opening_prompt, opening_type, read_opening
from judge.protocol.prompt import Prompt, retry_prompt
from judge.protocol.reading import StatementReading, wordless_fault
from server.debate.formats.questions import Question
from server.debate.speech import count_words

Kind = Literal["open", "cross", "close"]
KINDS: Final[tuple[Kind, ...]] = ("open", "cross", "close")
TOKENS: Final[dict[Kind, int]] = {"open": 1600, "cross": 1600, "close": 900}
FIRST, SECOND = 1, 2
"""Samples: what is asked, and what is asked once more."""


class Statement(Struct, frozen=True, kw_only=True):
    """What is asked of a side in one turn, and how its answer is read."""

    kind: Kind
    side: Side
    turn: int
    model: str
    think: Think
    cause: int
    answer_type: Any
    prompt: Callable[[], Prompt]
    read: Callable[[str, tuple[str, ...]], StatementReading]

    @property
    def key(self) -> str:
        """``open:pro``."""
        return f"{self.kind}:{self.side}"

    def given(self, debate: Debate, sample: int) -> UnusedAnswer | None:
        """What came: an answer, or words that are no JSON."""
        name = question(self.key, sample)
        return debate.calls.given.get(name) or debate.calls.unread.get(name)


class AcceptedStatement(Struct, frozen=True, kw_only=True):
    """What counts as the statement."""

    given: UnusedAnswer
    reading: StatementReading


def statement(debate: Debate, opened: DebateOpened, turn: Turn) -> Statement:
    """The statement that a turn holds."""
    kind, side, protocol = KINDS[(turn.number - 1) // 2], turn.side, debate.protocol
    rules = rules_of(opened)
    prompt: Callable[[], Prompt]
    read: Callable[[str, tuple[str, ...]], StatementReading]
    if kind == "open":
        answer_type, prompt = opening_type(side, rules), lambda: opening_prompt(opened, side)
        read = lambda raw, also: read_opening(raw, side, turn.number, rules, also)  # noqa: E731 - one of three
    elif kind == "cross":
        names = targets(protocol, side)
        answer_type, prompt = cross_type(names), lambda: cross_prompt(opened, protocol, side)
        read = lambda raw, also: read_cross(raw, side, turn.number, names, also)  # noqa: E731
    else:
        names = own_arguments(protocol, side)
        examined = _examination(debate, other(side))
        answer_type, prompt = closing_type(names), lambda: closing_prompt(opened, protocol, side, examined)
        read = lambda raw, also: read_closing(raw, side, turn.number, names, rules, also)  # noqa: E731
    words = [word for at, word in debate.words.items() if int(at) < turn.started]
    seat = opened.pro if side == "pro" else opened.con
    return Statement(
        kind=kind,
        side=side,
        turn=turn.number,
        model=seat.model,
        think=seat.think,
        cause=turn.started,
        answer_type=answer_type,
        read=read,
        prompt=lambda: with_moderator_words(prompt(), opened.prompts, words, "protocol"),
    )


def rules_of(opened: DebateOpened) -> ProtocolRules:
    """The rubric's rules of the protocol."""
    assert opened.rubric.protocol is not None, "an opening fills in what a rubric leaves out"
    return opened.rubric.protocol


def first_question(opened: DebateOpened, said: Statement) -> Question:
    """What is asked of a side, once."""
    return Question(
        key=said.key,
        purpose=said.kind,
        turn=said.turn,
        model=said.model,
        prompt=said.prompt,
        answer_type=said.answer_type,
        max_tokens=TOKENS[said.kind],
        think=said.think,
        cause=said.cause,
        check=wordless_fault,
        timeout_s=opened.settings.turn_timeout_s,
        is_statement=True,
    )


def second_question(debate: Debate, opened: DebateOpened, said: Statement) -> Question | None:
    """The same once more, the faults named; None where the first answer has none, or there is none."""
    given = said.given(debate, FIRST)
    if given is None:
        return None
    faults = said.read(given.answer, ()).faults
    if not faults:
        return None
    return msgspec.structs.replace(
        first_question(opened, said),
        first=SECOND,
        samples=SECOND,
        cause=given.position,
        prompt=lambda: retry_prompt(opened, said.prompt(), given.answer, faults),
    )


def accepted_statement(debate: Debate, said: Statement) -> AcceptedStatement | None:
    """What counts, once nothing more is asked; None where a side gave nothing to count."""
    first = said.given(debate, FIRST)
    if first is None:
        return None
    reading = said.read(first.answer, ())
    if not reading.faults:
        return AcceptedStatement(given=first, reading=reading)
    second = said.given(debate, SECOND)
    if second is None:
        failures = debate.calls.failed.get(question(said.key, SECOND), ())
        why = f" ({failures[-1].reason})" if failures else ""
        return AcceptedStatement(
            given=first, reading=said.read(first.answer, (f"asked once more, it gave no answer{why}",))
        )
    later = said.read(second.answer, ())
    if later.kept >= reading.kept:
        return AcceptedStatement(given=second, reading=later)
    return AcceptedStatement(
        given=first, reading=said.read(first.answer, ("asked once more, it kept less of the form",))
    )


def spoken(debate: Debate, said: Statement, what: AcceptedStatement, attempt: int) -> TurnSpoken:
    """The statement as a turn of the transcript."""
    asked_ms = debate.calls.spent_ms
    latency_ms = sum(asked_ms.get(question(said.key, sample), 0) for sample in (FIRST, SECOND))
    text = what.reading.text
    return TurnSpoken(
        turn=said.turn,
        side=said.side,
        attempt=attempt,
        text=text,
        words=count_words(text),
        clipped=what.reading.is_clipped,
        pace=((latency_ms, len(text)),),
        model=what.given.model,
        usage=what.given.usage,
        latency_ms=latency_ms,
    )


def _examination(debate: Debate, by: Side) -> str:
    """All that a side said in its cross-examination."""
    return next(
        (
            turn.text
            for turn in debate.transcript.spoken()
            if turn.side == by and KINDS[(turn.turn - 1) // 2] == "cross"
        ),
        "",
    )
