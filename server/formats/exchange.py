"""Format ``exchange``: turns alternate, every turn is judged before the next one is prompted.

Nothing here waits or knows of time: the same debate always gives the same steps.  A turn that the debate shows as being
spoken when steps are asked for was cut off by a crash, since a moderator asks only when nothing is in flight.
"""

from typing import Final

from events.projections.debate import Debate, question
from events.projections.scorecard import scorecard
from events.projections.transcript import Turn
from events.record import Draft
from events.types import (
    AttemptAbandoned,
    BothSides,
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    Missing,
    Side,
)
from judge.ask import score_prompt
from judge.questions import read_score, score_type
from judge.scorecard import scorecard_verdict
from judge.scoring import missing_score, score_turn
from providers.schema import parse
from server.formats.prompts import speech_prompt
from server.formats.steps import Ask, Record, Speak, Step

PERMANENT: Final = frozenset({"auth", "unknown_model", "context_length", "bad_request"})
"""Failures that trying again does not mend."""
SCORE_TOKENS: Final = 1600


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """What may be done now."""
    opened = debate.opened
    if opened is None or debate.standing.state != "open":
        return ()
    turn = debate.transcript.current
    if turn is not None and turn.state == "speaking":
        return (_abandon(turn),)
    if turn is not None and turn.state == "spoken":
        return _judge(debate, opened, turn)
    if turn is not None and turn.state == "judged" and turn.number >= opened.turns:
        return (_conclude(debate),)
    if (halt := _spent(debate, opened)) is not None:
        return (halt,)
    if turn is not None and turn.state == "failed":
        return (_again(debate, opened, turn),)
    return (_speak(debate, opened, 1 if turn is None else turn.number + 1, attempt=1, delay_ms=0),)


def side_of(turn: int) -> Side:
    """Pro opens; sides alternate."""
    return "pro" if turn % 2 else "con"


def _halt(reason: str, cause: int | None) -> Record:
    return Record(drafts=(Draft(event=DebateHalted(reason=reason, by="moot"), cause=cause),))


def _abandon(turn: Turn) -> Record:
    cut = AttemptAbandoned(
        turn=turn.number, side=turn.side, attempt=turn.attempt, kind="interrupted",
        message="the server stopped while this turn was being spoken",
    )
    return Record(drafts=(Draft(event=cut, cause=turn.started),))


def _spent(debate: Debate, opened: DebateOpened) -> Record | None:
    """A halt once the money is spent."""
    most = opened.settings.max_cost_usd
    if not isinstance(most, float) or debate.usage.cost_usd < most:
        return None
    spent = f"{debate.usage.cost_usd:.4f} of {most:.4f} USD"
    return _halt(f"the cost cap is reached: {spent}; open a debate with a higher cap", debate.position)


def _again(debate: Debate, opened: DebateOpened, turn: Turn) -> Step:
    """The next attempt at a turn that failed, or a halt when trying again is of no use."""
    last = turn.failures[-1]
    if turn.tries and (last.kind in PERMANENT or turn.tries >= opened.settings.turn_attempts):
        model = (opened.pro if turn.side == "pro" else opened.con).model
        times = "once" if turn.tries == 1 else f"{turn.tries} times"
        return _halt(
            f"turn {turn.number} ({turn.side}, {model}) failed {times}, last: {last.message}. "
            "Mend the cause and resume.",
            last.position,
        )
    delay_ms = opened.settings.retry_ms * 2 ** (turn.tries - 1) if turn.tries else 0
    return _speak(debate, opened, turn.number, attempt=turn.attempt + 1, delay_ms=delay_ms, cause=last.position)


def _speak(
    debate: Debate, opened: DebateOpened, number: int, *, attempt: int, delay_ms: int, cause: int | None = None
) -> Speak:
    side = side_of(number)
    return Speak(
        turn=number, side=side, attempt=attempt, model=(opened.pro if side == "pro" else opened.con).model,
        prompt=speech_prompt(opened, debate.transcript.spoken(), number, side), max_words=opened.max_words,
        temperature=opened.settings.temperature, delay_ms=delay_ms, cause=cause or debate.position,
    )


def _judge(debate: Debate, opened: DebateOpened, turn: Turn) -> tuple[Step, ...]:
    """The questions still to be asked about a turn; once all are answered or given up, what follows from them."""
    answers, asks, reasons = [], [], []
    rubric, settings = opened.rubric, opened.settings
    answer_type = score_type(rubric, turn.number)
    for sample in range(1, opened.judge.samples + 1):
        key = question("score", turn.number, sample)
        failures = debate.calls.failed.get(key, ())
        if given := debate.calls.given.get(key):
            answers.append((given.position, read_score(parse(given.answer, answer_type))))
        elif len(failures) >= settings.judge_attempts or any(_kind(each.reason) in PERMANENT for each in failures):
            reasons.append(failures[-1])
        else:
            attempt = debate.calls.asked.get(key, 0) + 1
            asks.append(
                Ask(
                    call=f"score.{turn.number}.{sample}.{attempt}", key=f"score:{turn.number}", purpose="score",
                    turn=turn.number, sample=sample, attempt=attempt, model=opened.judge.model,
                    prompt=score_prompt(opened.prompts["score"], rubric, opened.motion, debate.transcript.spoken()),
                    answer_type=answer_type, max_tokens=SCORE_TOKENS, temperature=settings.judge_temperature,
                    delay_ms=settings.retry_ms * 2 ** (len(failures) - 1) if failures else 0, cause=turn.spoken,
                )
            )
    if asks:
        return tuple(asks)
    if answers:
        scored = score_turn(rubric, turn.number, turn.text, [answer for _, answer in answers])
        return (Record(drafts=(Draft(event=scored, cause=answers[0][0]),)),)
    scored = missing_score(turn.number, f"the judge gave no usable answer ({reasons[-1].reason})")
    return (Record(drafts=(Draft(event=scored, cause=turn.spoken),)),)


def _kind(reason: str) -> str:
    return reason.partition(":")[0]


def _conclude(debate: Debate) -> Record:
    card = scorecard(debate.ledger)
    assert debate.opened is not None
    verdict = scorecard_verdict(
        BothSides(pro=card.pro.composite, con=card.con.composite), card.rounds, debate.opened.rubric
    )
    nobody = isinstance(verdict.margin, Missing)
    concluded = DebateConcluded(winner=verdict.winner, by_rule="no_judgement" if nobody else "scorecard")
    return Record(
        drafts=(Draft(event=verdict, cause=debate.position), Draft(event=concluded, cause=debate.position + 1))
    )
