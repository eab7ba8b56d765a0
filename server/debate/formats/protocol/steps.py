"""Format ``protocol``: rounds of two statements (openings, cross-examinations, answers, closings), then the judgement.

Both sides give their statements of a round at the same time.  ``next_steps`` is pure: the same debate always gives the
same steps.  A statement is a typed answer and is not streamed.  So after a crash a round goes on where it was, and no
answered question is asked again.

A statement is recorded as soon as it is complete, while the other side may still be writing.  A debate in which a
person debates records both statements of a round in one batch, and so does one without a round of answers, as older
logs have it.
"""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.record import Draft
from events.state.debate import Debate, question
from events.state.outcome import ahead_by_totals
from events.state.parts.rounds import has_answers
from events.state.seats import debater_of
from events.state.transcript import Turn
from events.types import (
    SIDES,
    DebateConcluded,
    DebateOpened,
    Missing,
    SeatHandedOver,
    Side,
    TurnStarted,
)
from judge.live.event_batch import EventBatch
from judge.panel.material import arguments_material
from judge.protocol.assess import AssessmentAnswer, arguments_in_order, assess_prompt, assess_type
from judge.protocol.judgement import PURPOSE, judges_nothing, record_assessment
from judge.protocol.order import has_both_orders
from providers.errors import TimedOut
from server.debate.formats.halts import halt_if_unaffordable, unless_spent
from server.debate.formats.parts import PARTS, panel
from server.debate.formats.parts.citing import record_statement_citations
from server.debate.formats.parts.poll import vote_steps
from server.debate.formats.prompts import speech_passages
from server.debate.formats.protocol.statements import (
    FIRST,
    AcceptedStatement,
    Statement,
    accepted_statement,
    first_question,
    kinds_of,
    rules_of,
    second_question,
    spoken,
    statement_of,
)
from server.debate.formats.questions import Question, answers, give_up, kind_of, pending
from server.debate.formats.steps import Ask, Record, Step, record
from server.people.names import is_person

CON_FIRST = f"{PURPOSE}:con"
"""The key of the question in which Con is read first; the other one is ``assess``, as in debates with one alone."""
TOKENS = 3200
"""Maximum tokens of an assessment."""


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now."""
    opened = debate.opened
    if opened is None or debate.status.state != "open":
        return ()
    if not debate.transcript.turns and (votes := vote_steps(debate, opened, "before")):
        return votes
    if debate.seats and (given_up := PARTS["people"].after_resignation(debate, opened)):
        return record(given_up)
    for pair in rounds(opened):
        if steps := _round(debate, opened, pair):
            return steps
    return (
        vote_steps(debate, opened, "after")
        or _judge(debate, opened)
        or _panel_steps(debate, opened)
        or _end(debate, opened)
    )


# the rounds


def rounds(opened: DebateOpened) -> tuple[tuple[int, int], ...]:
    """The two turns of each round, pro first."""
    return tuple((2 * number + 1, 2 * number + 2) for number in range(len(kinds_of(opened))))


def _round(debate: Debate, opened: DebateOpened, pair: tuple[int, int]) -> tuple[Step, ...]:
    """The steps of one round: begin its turns, ask for the statements, record them.  None once both are spoken."""
    turns = [debate.transcript.turns.get(number) for number in pair]
    if all(turn is not None and turn.event is not None for turn in turns):
        return ()
    begin = [
        Draft(event=_started(debate, opened, number, turn), cause=debate.course)
        for number, turn in zip(pair, turns, strict=True)
        if turn is None or turn.state == "failed"
    ]
    if begin:
        return unless_spent(debate, opened, record(begin))
    under_way = [turn for turn in turns if turn is not None and turn.event is None]
    if debate.seats and (handed := _after_time_out(debate, opened)):
        return record(handed)
    statements = [statement_of(debate, opened, turn) for turn in under_way]
    asks = _asks(debate, opened, statements)
    if not is_shown_together(opened) and (ready := record(_first_ready(debate, opened))):
        is_affordable = halt_if_unaffordable(debate, opened) is None
        return (*ready, *asks) if is_affordable else ready
    if asks:
        return unless_spent(debate, opened, asks)
    return (_recorded(debate, statements, under_way),)


def is_shown_together(opened: DebateOpened) -> bool:
    """Whether both statements of a round are recorded in one batch.

    So it is without a round of answers, as in older logs, and where a person debates: who writes must not read what the
    other side has just said.
    """
    return not has_answers(opened) or is_person(opened.pro.model) or is_person(opened.con.model)


def _started(debate: Debate, opened: DebateOpened, number: int, turn: Turn | None) -> TurnStarted:
    attempt = 1 if turn is None else turn.attempt + 1
    side = side_of(number)
    passages = speech_passages(debate, opened, side)
    return TurnStarted(turn=number, side=side, attempt=attempt, directive=None, passages=passages or UNSET)


def side_of(turn: int) -> Side:
    """Pro has the odd turns, con the even ones."""
    return "pro" if turn % 2 else "con"


def _asks(debate: Debate, opened: DebateOpened, statements: list[Statement]) -> tuple[Ask, ...]:
    """The calls still to make: the statements, and the second questions for those with faults."""
    questions = [first_question(opened, each) for each in statements]
    questions += [again for each in statements if (again := second_question(debate, opened, each)) is not None]
    if debate.seats or not is_shown_together(opened):
        follows = after_person if is_shown_together(opened) else what_is_ready
        questions = [replace(each, follows=follows, then=_Unfinished(turn=each.turn or 0)) for each in questions]
    return pending(debate, opened, questions)


class _Unfinished(Struct, frozen=True):
    """What is still to ask for the statement of one turn: so a side is asked again while the other one still writes."""

    turn: int

    def __call__(self, debate: Debate) -> tuple[Ask, ...]:
        opened, turn = debate.opened, debate.transcript.turns.get(self.turn)
        if opened is None or turn is None or debate.status.state != "open" or turn.state != "speaking":
            return ()
        if halt_if_unaffordable(debate, opened) is not None:
            return ()
        return _asks(debate, opened, [statement_of(debate, opened, turn)])


def what_is_ready(debate: Debate) -> Sequence[Draft]:
    """The batch of a complete statement; nothing if there is none or the debate rests."""
    opened = debate.opened
    return _first_ready(debate, opened) if opened is not None and debate.status.state == "open" else ()


def after_person(debate: Debate) -> Sequence[Draft]:
    """What follows at once from a person's resignation or time-out, while the other side may still be writing.

    A debate that ends by a resignation waits for a model that is being asked: its call is recorded first.
    """
    opened = debate.opened
    if opened is None or debate.status.state != "open":
        return ()
    resigned: Sequence[Draft] = PARTS["people"].after_resignation(debate, opened)
    may_end = all(is_person(debater_of(opened, debate.seats, side).model) for side in SIDES)
    if resigned and (may_end or isinstance(resigned[0].event, SeatHandedOver)):
        return resigned
    return _after_time_out(debate, opened)


def _after_time_out(debate: Debate, opened: DebateOpened) -> tuple[Draft, ...]:
    """A model takes the seat of a person who did not send a statement in time; nothing where no model may."""
    for turn in debate.transcript.turns.values():
        if turn.state != "speaking":
            continue
        statement = statement_of(debate, opened, turn)
        failures = debate.questions.failed.get(question(statement.key, FIRST), ())
        is_late = is_person(statement.model) and failures and kind_of(failures[-1]) == TimedOut.kind
        if is_late and (handed := PARTS["people"].hand_over(opened, turn.side, "time_out")):
            return (Draft(event=handed, cause=debate.course),)
    return ()


def _first_ready(debate: Debate, opened: DebateOpened) -> Sequence[Draft]:
    """The batch of the statement whose answer came first, of those of which nothing is left to ask."""
    ready: list[tuple[AcceptedStatement, Statement, Turn]] = []
    for turn in debate.transcript.turns.values():
        if turn.state != "speaking":
            continue
        statement = statement_of(debate, opened, turn)
        accepted = None if _asks(debate, opened, [statement]) else accepted_statement(debate, statement)
        if accepted is not None:
            ready.append((accepted, statement, turn))
    if not ready:
        return ()
    accepted, statement, turn = min(ready, key=lambda each: each[0].given.position)
    batch = EventBatch(debate)
    _record_statement(batch, statement, accepted, turn)
    return batch.drafts


def _recorded(debate: Debate, statements: list[Statement], turns: list[Turn]) -> Record:
    """Both statements in one batch; a halt if a side gave no answer."""
    accepted = [(each, turn, accepted_statement(debate, each)) for each, turn in zip(statements, turns, strict=True)]
    for each, turn, answer in accepted:
        if answer is None:
            return _give_up(debate, each, turn)
    batch = EventBatch(debate)
    for each, turn, answer in accepted:
        assert answer is not None, "looked for above"
        _record_statement(batch, each, answer, turn)
    return Record(drafts=tuple(batch.drafts))


def _record_statement(batch: EventBatch, statement: Statement, accepted: AcceptedStatement, turn: Turn) -> None:
    position = batch.add(spoken(batch.debate, statement, accepted, turn.attempt), accepted.given.position)
    for event in accepted.reading.events:
        batch.add(event, position)
    assert batch.debate.opened is not None, "the statement has a turn"
    record_statement_citations(batch, batch.debate.opened, statement.turn)


def _give_up(debate: Debate, statement: Statement, turn: Turn) -> Record:
    """A halt that names the side without an answer and the reason."""
    assert debate.opened is not None, "its turn has begun"
    why = PARTS["people"].why_halted(debate, debate.opened, turn) if is_person(statement.model) else ""
    return give_up(debate, debate.opened, turn, statement.key, statement.model, why)


# the judgement


def _judge(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """The question for the assessment, together with the panel's questions; then its batch.  None once it is given."""
    if debate.protocol.assessment is not UNSET:
        return ()
    asked = _assessments(debate, opened)
    if asks := pending(debate, opened, asked):
        return unless_spent(debate, opened, (*asks, *panel.asks(debate, opened)))
    batch = EventBatch(debate)
    record_assessment(batch, answers(debate, asked[0]), opened, *(answers(debate, each) for each in asked[1:]))
    return record(batch.drafts)


def _assessments(debate: Debate, opened: DebateOpened) -> list[Question]:
    """The judge's question, and perhaps a second one with the sides in the other order.

    A person, and a judge without a model, read once, Pro first.
    """
    if not has_both_orders(opened):
        return [_assessment(debate, opened, PURPOSE, None)]
    pro_first = _assessment(debate, opened, PURPOSE, "pro")
    if is_person(opened.judge.model) or opened.judge.baseline:
        return [pro_first]
    return [pro_first, _assessment(debate, opened, CON_FIRST, "con")]


def _assessment(debate: Debate, opened: DebateOpened, key: str, first: Side | None) -> Question:
    criteria, names = opened.rubric.criteria, arguments_in_order(debate.protocol, first)
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    return Question(
        key=key,
        purpose=PURPOSE,
        turn=None,
        model=opened.judge.model,
        samples=opened.judge.samples,
        prompt=lambda: assess_prompt(opened, debate, first),
        max_tokens=TOKENS,
        think=opened.judge.think,
        cause=debate.transcript.turns[rounds(opened)[-1][1]].spoken,
        answer_type=assess_type(names, criteria, rules_of(opened)),
        material=lambda: arguments_material(debate, PURPOSE, first),
        becomes=AssessmentAnswer,
        check=judges_nothing,
    )


def _panel_steps(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """What the panel still has to do; none once it has concluded, or without a panel."""
    due = panel.steps(debate, opened)
    return unless_spent(debate, opened, due) if any(isinstance(step, Ask) for step in due) else due


def _end(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """The winner: the side ahead in the assessment, or what follows from the panel if there is one."""
    given = debate.protocol.positions["assessment"]
    return record([panel.ending(debate, opened, _by_totals(debate, opened), given)])


def _by_totals(debate: Debate, opened: DebateOpened) -> DebateConcluded:
    given = debate.protocol.assessment
    assert given is not UNSET, "a debate ends after its assessment"
    if isinstance(given.pro_total, Missing) or isinstance(given.con_total, Missing):
        return DebateConcluded(winner="neither", by_rule="no_judgement")
    if opened.judge.baseline:
        return DebateConcluded(winner="neither", by_rule="baseline")
    return DebateConcluded(winner=ahead_by_totals(given, rules_of(opened)), by_rule="assessment")
