"""Formats ``answers`` and ``consultancy``: what is said for the answers, then which one the judge takes for right.

- ``naive``: the judge answers alone.
- ``vote``: it answers alone again and again, until the tokens of its answers reach a figure.
- ``debate``: in each round both sides speak at once, and know the earlier rounds only; then the judge answers.
- ``critique``: the judge answers alone while a critic, who does not read that answer, writes; then it answers again.
- ``consultancy``: one side speaks, the judge may ask it something after each speech but the last, and then answers.

``next_steps`` is pure: the same debate always gives the same steps.  Every speech is a typed answer, so after a crash a
round goes on where it was, and no answered question is asked again.
"""

import math
from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec.structs import replace

from events.record import Draft
from events.state.debate import Debate, question
from events.state.folds.answers import answers_of, letter_of
from events.state.seats import debater_of
from events.state.transcript import Turn
from events.types import (
    AnswerGiven,
    AnswersSetup,
    ConsultantQuestioned,
    CritiqueGiven,
    DebateConcluded,
    DebateOpened,
    Missing,
    Side,
    TurnStarted,
    Usage,
    missing,
)
from judge.answers.answer import (
    Inquiry,
    JudgedAnswer,
    answer_type,
    contradiction,
    critique_type,
    given,
    inquiry_type,
    without,
)
from judge.answers.material import answers_material
from judge.answers.prompt import (
    SIDE_OF,
    alone_prompt,
    critique_prompt,
    final_prompt,
    inquiry_prompt,
    judge_quotes,
    setup_of,
)
from judge.answers.quotes import checked
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt
from judge.text.words import tokens
from server.debate.formats.answers.speeches import (
    given_speech,
    quoting,
    record_speech,
    record_supplied,
    speech_question,
    speech_tokens,
)
from server.debate.formats.halts import halt, unless_spent
from server.debate.formats.questions import Question, again_key, answers, give_up, kind_of, pending
from server.debate.formats.steps import Ask, Step, record
from server.people.names import is_person

ALONE, FINAL = "choose:alone", "choose:final"
CHOOSE: Final = "choose"
CRITIQUE: Final = "critique:given"
ANSWER_TOKENS: Final = 700
INQUIRY_TOKENS: Final = 250
MAX_SAMPLES: Final = 400
"""Samples of a vote, however few tokens they have."""
AT_ONCE: Final = 8
"""Samples that are asked for at the same time."""
LOST_IN_A_ROW: Final = 3
"""Samples without an answer after which a vote ends."""
Stage = Literal["alone", "final"]
READABLE: Final = frozenset({"bad_json", "wrong_type", "unknown_id", "empty", "refused"})
"""Failures of a model that gave no usable answer: the answer is missing.  After others, such as an outage, the
debate is halted, and asks again when it is resumed.
"""


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now; a halt in place of calls if the cost cap is reached or cannot be kept."""
    opened = debate.opened
    if opened is None or debate.status.state != "open":
        return ()
    steps = _steps(debate, opened, setup_of(opened))
    return unless_spent(debate, opened, steps) if any(isinstance(step, Ask) for step in steps) else steps


def _steps(debate: Debate, opened: DebateOpened, setup: AnswersSetup) -> tuple[Step, ...]:
    match setup.arm:
        case "vote":
            return _vote(debate, opened, setup) or _end(debate)
        case "naive":
            return _answer(debate, opened, ALONE) or _end(debate)
        case "critique":
            return _critique(debate, opened) or _answer(debate, opened, FINAL) or _end(debate)
        case "debate" if setup.speeches:
            return _supplied(debate, opened) or _answer(debate, opened, FINAL) or _end(debate)
        case "debate":
            rounds = [(2 * number - 1, 2 * number) for number in range(1, setup.rounds + 1)]
            said = (steps for pair in rounds if (steps := _round(debate, opened, pair)))
            return next(said, ()) or _answer(debate, opened, FINAL) or _end(debate)
        case "consultancy":
            said = (steps for turn in range(1, setup.rounds + 1) if (steps := _advice(debate, opened, turn)))
            return next(said, ()) or _answer(debate, opened, FINAL) or _end(debate)


# speeches


def _round(debate: Debate, opened: DebateOpened, numbers: Sequence[int]) -> tuple[Step, ...]:
    """Begin the turns of a round, ask for all its speeches, and record them together; none once they are spoken."""
    turns = [debate.transcript.turns.get(number) for number in numbers]
    if all(turn is not None and turn.event is not None for turn in turns):
        return ()
    begin = [
        Draft(event=_started(opened, number, turn), cause=debate.course)
        for number, turn in zip(numbers, turns, strict=True)
        if turn is None or turn.state == "failed"
    ]
    if begin:
        return record(begin)
    under_way = [turn for turn in turns if turn is not None and turn.event is None]
    if asks := pending(debate, opened, [speech_question(debate, opened, turn) for turn in under_way]):
        return asks
    batch = EventBatch(debate)
    for turn in under_way:
        if (speech := given_speech(debate, turn)) is None:
            model = debater_of(opened, debate.seats, turn.side).model
            return (give_up(debate, opened, turn, f"speech:{turn.number}", model),)
        record_speech(batch, opened, turn, speech)
    return record(batch.drafts)


def _started(opened: DebateOpened, number: int, turn: Turn | None) -> TurnStarted:
    setup = setup_of(opened)
    side: Side = "pro" if number % 2 else "con"
    if setup.arm == "consultancy":
        side = SIDE_OF[setup.assigned or "A"]
    return TurnStarted(turn=number, side=side, attempt=1 if turn is None else turn.attempt + 1, directive=None)


def _supplied(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """The speeches that were given elsewhere; none once they are recorded."""
    if debate.transcript.turns:
        return ()
    batch = EventBatch(debate)
    record_supplied(batch, opened)
    return record(batch.drafts)


def _advice(debate: Debate, opened: DebateOpened, turn: int) -> tuple[Step, ...]:
    """A speech of the consultant, and the judge's question after it, but for the last one."""
    if steps := _round(debate, opened, (turn,)):
        return steps
    if turn == setup_of(opened).rounds or turn in answers_of(debate).questions:
        return ()
    asked = _judge_question(
        debate,
        opened,
        f"inquire:{turn}",
        "inquire",
        inquiry_prompt,
        answer_type=inquiry_type(),
        becomes=Inquiry,
        max_tokens=INQUIRY_TOKENS,
        check=lambda value: "" if value.question.strip() else "the question has no words",
        cause=debate.transcript.turns[turn].spoken,
    )
    if asks := pending(debate, opened, [asked]):
        return asks
    came = answers(debate, asked)
    if not came.given:
        if halted := _halted(debate, asked):
            return halted
        lacks = missing("" if came.failed is None else came.failed.reason)
        return record([Draft(event=ConsultantQuestioned(after_turn=turn, text=lacks), cause=debate.course)])
    position, value = came.given[0]
    put = ConsultantQuestioned(after_turn=turn, text=value.question.strip())
    return record([Draft(event=put, cause=position)])


def _critique(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """The judge's answer alone and the critique, at the same time; none once both are recorded."""
    alone, critique = _question(debate, opened, ALONE), _critic_question(debate, opened)
    is_answered, is_criticised = bool(answers_of(debate).of("judge", "alone")), answers_of(debate).critique is not None
    if is_answered and is_criticised:
        return ()
    if asks := pending(debate, opened, [alone, critique]):
        return asks
    if not is_answered:
        return _recorded(debate, alone, "alone")
    came = answers(debate, critique)
    if not came.given:
        failures = debate.questions.failed.get(question(CRITIQUE, 1), ())
        why = failures[-1].reason if failures else "it was not asked"
        return (halt(f"the critic gave no critique, last: {why}. Mend the cause and resume.", debate.course),)
    position, value = came.given[0]
    text, quotes, _ = quoting(debate, opened, value.critique)
    batch = EventBatch(debate)
    at = batch.add(CritiqueGiven(text=text, quotes=quotes), position)
    batch.add(given(value, (), by="critic", stage="alone", tokens=_tokens(debate, critique, 1)), at)
    return record(batch.drafts)


def _critic_question(debate: Debate, opened: DebateOpened) -> Question:
    asked = _judge_question(
        debate,
        opened,
        CRITIQUE,
        "critique",
        critique_prompt,
        answer_type=critique_type(opened.max_words),
        becomes=JudgedAnswer,
        max_tokens=speech_tokens(opened),
        check=lambda value: "" if value.critique.strip() else 'the answer has no "critique"',
        misquotes=contradiction,
        cause=1,
    )
    return replace(asked, model=str(setup_of(opened).critic), temperature=opened.settings.temperature, think="low")


# the judge's answers


def _judge_question(
    debate: Debate, opened: DebateOpened, key: str, purpose: str, build: Any, **fields: Any
) -> Question:
    return Question(
        key=key,
        purpose=purpose,
        turn=None,
        model=opened.judge.model,
        prompt=lambda: build(debate, opened),
        material=lambda: answers_material(debate, opened, purpose, is_final=key == FINAL),
        think=opened.judge.think,
        **fields,
    )


def _question(debate: Debate, opened: DebateOpened, key: str, *, first: int = 1, samples: int = 1) -> Question:
    """The question which answer is right."""
    build: Any = alone_prompt if key == ALONE else final_prompt
    asked = _judge_question(
        debate,
        opened,
        key,
        CHOOSE,
        build,
        answer_type=answer_type(quotes=judge_quotes(debate) and not is_person(opened.judge.model)),
        becomes=JudgedAnswer,
        max_tokens=ANSWER_TOKENS,
        misquotes=contradiction,
        cause=1 if key == ALONE else debate.course,
        first=first,
        samples=samples,
    )
    return replace(asked, temperature=opened.settings.temperature) if setup_of(opened).arm == "vote" else asked


def _answer(debate: Debate, opened: DebateOpened, key: str) -> tuple[Step, ...]:
    """Ask the judge and record its answer; none once it is recorded."""
    stage: Stage = "alone" if key == ALONE else "final"
    if answers_of(debate).of("judge", stage):
        return ()
    asked = _question(debate, opened, key)
    return pending(debate, opened, [asked]) or _recorded(debate, asked, stage)


def _recorded(debate: Debate, asked: Question, stage: Stage) -> tuple[Step, ...]:
    """The answers of all samples as events; a halt if the model did not answer at all."""
    drafts = []
    for sample in asked.numbers:
        one = replace(asked, first=sample, samples=sample)
        came, facts = answers(debate, one), {"by": "judge", "sample": sample, "stage": stage}
        facts["tokens"] = _tokens(debate, one, sample)
        if came.given:
            position, value = came.given[0]
            drafts.append(Draft(event=_given(debate, value, facts), cause=position))
        elif halted := _halted(debate, one, sample):
            return halted
        else:
            lacks = without("" if came.failed is None else came.failed.reason, **facts)
            drafts.append(Draft(event=lacks, cause=debate.course))
    return record(drafts)


def _given(debate: Debate, value: JudgedAnswer, facts: dict[str, Any]) -> AnswerGiven:
    opened = debate.opened
    assert opened is not None, "it was asked"
    least = opened.rubric.quote_minimum
    # The span of a quote of the judge is that of its own words.
    quotes = tuple(checked(each, (0, len(each)), answers_of(debate).passage, least) for each in value.quotes)
    return given(value, quotes, **facts)


def _halted(debate: Debate, asked: Question, sample: int = 1) -> tuple[Step, ...]:
    """A halt if the last failure is none of a model that answered; none otherwise."""
    failures = debate.questions.failed.get(question(asked.key, sample), ())
    if not failures or kind_of(failures[-1]) in READABLE:
        return ()
    return (halt(f"the judge gave no answer, last: {failures[-1].reason}. Mend the cause and resume.", debate.course),)


def _tokens(debate: Debate, asked: Question, sample: int) -> int:
    """Tokens of the calls that a sample took; an estimate where the provider reported none."""
    found = debate.questions.answers
    calls = [found.get(question(key, sample)) for key in (asked.key, again_key(asked.key))]
    used = 0
    for each in filter(None, calls):
        used += _reported(each.usage) or round(_prompt_tokens(asked.prompt()) + tokens(each.answer))
    return used


def _reported(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _prompt_tokens(prompt: Prompt) -> float:
    return sum(tokens(segment.text) for segment in prompt)


def _vote(debate: Debate, opened: DebateOpened, setup: AnswersSetup) -> tuple[Step, ...]:
    """Further samples of the judge's answer, or the events of those that were given; none once there are enough."""
    known = answers_of(debate).of("judge", "alone")
    used, lost = sum(each.tokens for each in known), 0
    for each in reversed(known):
        if not isinstance(each.choice, Missing):
            break
        lost += 1
    if used >= setup.vote_tokens or len(known) >= MAX_SAMPLES or lost >= LOST_IN_A_ROW:
        return ()
    left = (setup.vote_tokens - used) / (used / len(known)) if used else 1
    first = len(known) + 1
    last = min(first - 1 + min(math.ceil(left), AT_ONCE), MAX_SAMPLES)
    asked = _question(debate, opened, ALONE, first=first, samples=last)
    return pending(debate, opened, [asked]) or _recorded(debate, asked, "alone")


def _end(debate: Debate) -> tuple[Step, ...]:
    """The end: pro if the judge answers A, con if B, neither without an answer."""
    letter = letter_of(answers_of(debate))
    winner = "neither" if letter is None else SIDE_OF[letter]
    return record([Draft(event=DebateConcluded(winner=winner, by_rule="answer"), cause=answers_of(debate).position)])
