"""Format ``exchange``: the two sides speak in turn, and every turn is judged before the next one is prompted.

The course of a debate:

1. Pro speaks turn 1, con turn 2, and so on (``_speak``; ``_retry`` after a failure).  If a transcript was supplied,
   the turns come from it instead (``_supply``), and the side that spoke first there has turn 1.
2. After each turn the judge answers its questions about it, and the rules record what follows (``_judge``).
3. Second opinions on flagged claims are asked while the next turn is spoken.
4. After the last turn come the verdicts and the end (``_end``).

With a poll, the debate waits for a vote before turn 1 and for another one before the verdicts (``vote_steps``).

``next_steps`` is pure: the same debate always gives the same steps, whatever the time.  A moderator asks for steps only
while no call is in flight.  So a turn that is being spoken at that moment was interrupted by a crash.
"""

import math
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from events.record import Draft
from events.state.debate import Debate
from events.state.scorecard import scorecard
from events.state.seats import debater_of
from events.state.spine import stabilities
from events.state.transcript import Turn
from events.text.languages import tokens_a_word
from events.text.segmentation import count_words
from events.types import (
    SIDES,
    AttemptAbandoned,
    BothSides,
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    Missing,
    ModeratorSpoke,
    PollRound,
    ScorecardVerdictReached,
    Side,
    SuppliedEntry,
    TurnSpoken,
    TurnStarted,
    Usage,
    missing,
    other,
)
from judge.live.verdicts import certain_verdict, scorecard_verdict
from personalities.pressure import directive_in_force
from server.debate.formats.exchange import judging
from server.debate.formats.halts import delay_ms, give_up_reason, halt, halt_if_unaffordable, is_exhausted, is_forgiven
from server.debate.formats.parts import PARTS
from server.debate.formats.prompts import speech_passages, speech_prompt, summary_due
from server.debate.formats.questions import PERMANENT, pending
from server.debate.formats.steps import Ask, LazyPrompt, Record, Speak, Step, record
from server.people.names import is_person

MORE_TOKENS: Final = 40
"""Tokens beyond those of the most words, so that a speech ends at its limit of words and not in the middle."""


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now.  A halt replaces them if they cost money and the cost cap is reached."""
    opened = debate.opened
    if opened is None or debate.status.state != "open":
        return ()
    votes = () if debate.transcript.turns else _votes(debate, opened, "before")
    steps = votes or _steps(debate, opened)
    costs = any(isinstance(step, Speak | Ask) for step in steps)
    if costs and (stop := halt_if_unaffordable(debate, opened)) is not None:
        return (stop,)
    return steps


def _steps(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """The steps, whatever they cost."""
    turn = debate.transcript.current
    if turn is not None and turn.state == "speaking":
        return record(_supply(debate, turn.number)) if is_supplied(opened, turn.side) else (_abandon(turn),)
    if debate.seats and (given_up := PARTS["people"].after_resignation(debate, opened)):
        return record(given_up)
    due = judging.second_opinions(debate, opened)
    if settled := judging.settled(debate, opened, due):
        return record(settled)
    opinions = pending(debate, opened, list(due.values()))
    if turn is not None and turn.state == "spoken":
        if turn.number >= opened.turns and (opens := _opened_vote(debate, opened, "after")):
            return opens
        steps = _judge(debate, opened, turn)
        return steps if isinstance(steps[0], Record) else (*steps, *opinions)
    if turn is not None and turn.state == "judged" and turn.number >= opened.turns:
        context = record(_closing_context(debate))
        return opinions or context or _votes(debate, opened, "after") or _end(debate, opened)
    number = turn.number if turn is not None and turn.state == "failed" else len(debate.transcript.turns) + 1
    if is_supplied(opened, _side_of(debate, number)):
        return record(_supply(debate, number))
    if (summarised := summary_due(debate, opened, number, _side_of(debate, number))) is not None:
        return record([Draft(event=summarised, cause=debate.course)])
    if turn is not None and turn.state == "failed":
        return (_retry(debate, opened, turn), *opinions)
    # Second opinions are asked while the next turn is spoken: they delay nothing.
    return (_speak(debate, opened, number, attempt=1, delay_ms=0), *opinions)


def _votes(debate: Debate, opened: DebateOpened, when: PollRound) -> tuple[Step, ...]:
    """Open a vote of the poll and wait for its end; none without a poll."""
    steps: tuple[Step, ...] = PARTS["poll"].vote_steps(debate, opened, when) if opened.poll else ()
    return steps


def _opened_vote(debate: Debate, opened: DebateOpened, when: PollRound) -> tuple[Step, ...]:
    """Open a vote of the poll; nothing if it was opened, or without a poll."""
    steps: tuple[Step, ...] = PARTS["poll"].opening_of_vote(debate, opened, when) if opened.poll else ()
    return steps


def side_of(turn: int, first: Side = "pro") -> Side:
    """The sides alternate, and ``first`` speaks turn 1."""
    return first if turn % 2 else other(first)


def _side_of(debate: Debate, turn: int) -> Side:
    """Pro begins, unless con began the transcript that was supplied."""
    supplied = debate.transcript.supplied
    return side_of(turn) if supplied is None or not supplied.turns else side_of(turn, supplied.turns[0].side)


def is_supplied(opened: DebateOpened, side: Side) -> bool:
    """Whether the turns of a side come from a transcript: no model speaks for it."""
    return not (opened.pro if side == "pro" else opened.con).model


def _supply(debate: Debate, number: int) -> list[Draft]:
    """A turn of the transcript, after what the moderator said before it there."""
    supplied = debate.transcript.supplied
    if supplied is None or number > len(supplied.turns):
        return [
            Draft(event=DebateHalted(reason=f"the transcript has no turn {number}", by="moot"), cause=debate.course)
        ]
    turn, cause = supplied.turns[number - 1], supplied.position
    spoken = TurnSpoken(
        turn=number,
        side=turn.side,
        attempt=1,
        text=turn.text,
        words=count_words(turn.text),
        clipped=False,
        pace=(),
        model="",
        usage=Usage(),
        latency_ms=0,
        by="transcript",
    )
    rest = [Draft(event=spoken, cause=cause)]
    if number not in debate.transcript.turns:  # else a log that was cut off here holds its beginning
        rest.insert(0, Draft(event=TurnStarted(turn=number, side=turn.side, attempt=1, directive=None), cause=cause))
    return [*_context(debate, turn.context, number - 1), *rest]


def _closing_context(debate: Debate) -> list[Draft]:
    """What the moderator said after the last turn of the transcript; nothing once it is recorded."""
    supplied, last = debate.transcript.supplied, debate.transcript.current
    if supplied is None or last is None or last.number != len(supplied.turns):
        return []
    return _context(debate, supplied.closing, last.number)


def _context(debate: Debate, entries: Sequence[SuppliedEntry], after_turn: int) -> list[Draft]:
    """What was said after a turn by others than the sides, and is not recorded yet."""
    said = [ModeratorSpoke(text=entry.text, by=entry.speaker or "moderator") for entry in entries]
    known = {(each.by, each.text) for each in debate.words.values() if each.after_turn == after_turn}
    cause = debate.transcript.supplied.position if debate.transcript.supplied else None
    return [Draft(event=each, cause=cause) for each in said if (each.by, each.text) not in known]


def _abandon(turn: Turn) -> Record:
    """Record that a crash interrupted the attempt; the next attempt follows."""
    cut = AttemptAbandoned(
        turn=turn.number,
        side=turn.side,
        attempt=turn.attempt,
        kind="interrupted",
        message="the server stopped while this turn was being spoken",
    )
    return Record(drafts=(Draft(event=cut, cause=turn.started),))


def _retry(debate: Debate, opened: DebateOpened, turn: Turn) -> Step:
    """The next attempt at a turn that failed, or a halt if a further attempt is not allowed or would fail again."""
    last = turn.failures[-1]
    settings = opened.settings
    if debate.seats and (drafts := PARTS["people"].after_time_out(debate, opened, turn)):
        return Record(drafts=drafts)
    too_many = is_exhausted(turn.tries, turn.outages, settings.turn_attempts, settings)
    if turn.tries and (last.kind in PERMANENT or too_many):
        model = debater_of(opened, debate.seats, turn.side).model
        return halt(
            give_up_reason(opened, turn.number, turn.side, turn.tries, last.kind, last.message, model), last.position
        )
    waits = turn.tries > 0 and not is_forgiven(last.kind, [each.kind for each in turn.failures[:-1]])
    delay = delay_ms(turn.tries, settings) if waits else 0
    return _speak(debate, opened, turn.number, attempt=turn.attempt + 1, delay_ms=delay, cause=last.position)


def _speak(
    debate: Debate, opened: DebateOpened, number: int, *, attempt: int, delay_ms: int, cause: int | None = None
) -> Speak:
    """One attempt at a turn."""
    side = _side_of(debate, number)
    seat = debater_of(opened, debate.seats, side)
    asks_person = is_person(seat.model)
    prompt = PARTS["people"].turn_prompt if asks_person else speech_prompt
    passages = speech_passages(debate, opened, side)
    max_words = seat.max_words or opened.max_words
    return Speak(
        turn=number,
        side=side,
        attempt=attempt,
        model=seat.model,
        think=seat.think,
        lazy_prompt=LazyPrompt(lambda: prompt(debate, opened, side, passages)),
        max_words=max_words,
        max_tokens=math.ceil(max_words * tokens_a_word(opened.language or "en")) + MORE_TOKENS,
        temperature=opened.settings.temperature,
        directive=directive_in_force(debate, side),
        passages=passages,
        delay_ms=delay_ms,
        cause=cause or debate.course,
        time_s=seat.time_s or None,
        since=PARTS["people"].clock_of(debate, side, number) if asks_person else "",
    )


def _judge(debate: Debate, opened: DebateOpened, turn: Turn) -> tuple[Step, ...]:
    """The open questions about a turn; once all are answered or given up, the batch that follows from the answers."""
    if (shortened := judging.shortening_due(debate, opened)) is not None:
        return record([Draft(event=shortened, cause=turn.spoken)])
    asked = judging.turn_questions(debate, opened, turn)
    calls = {each.key: each for each in asked.values()}
    if asks := pending(debate, opened, list(calls.values())):
        return asks
    evidence, more = judging.evidence_of(debate, opened, turn, asked)
    asks = pending(debate, opened, list(more.values()))
    return asks or record(judging.judged(debate, opened, turn, asked | more, evidence))


def _scorecard(debate: Debate, opened: DebateOpened) -> ScorecardVerdictReached:
    """The verdict of the numbers."""
    card = scorecard(debate.ledger, debate.exchanges, opened.noise)
    unsupported = [side for side in SIDES if _lacks_support(debate, side)]
    if opened.rubric.certainty is not UNSET:
        return certain_verdict(card, opened.rubric, unsupported=unsupported, baseline=opened.judge.baseline or "")
    spines = stabilities(debate.spine)
    stability = [missing("no premise") if each is UNSET else each for each in (spines[s].stability for s in SIDES)]
    return scorecard_verdict(
        BothSides(pro=card.pro.composite, con=card.con.composite),
        card.rounds,
        opened.rubric,
        measures={
            "credibility": (card.pro.credibility, card.con.credibility),
            "stability": (stability[0], stability[1]),
        },
        unsupported=unsupported,
        baseline=opened.judge.baseline or "",
        noise=card.noise,
    )


def _lacks_support(debate: Debate, side: Side) -> bool:
    """Whether more than half of a side's judged turns have no composite, or one that had to be inferred in part."""
    cards = [card for card in debate.ledger.cards.values() if card.side == side and card.is_scored]
    dimensions = debate.ledger.dimensions
    return 2 * sum(card.composite(dimensions) is None or bool(card.inferred) for card in cards) > len(cards)


def _read_again(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """Second readings of scores that do not fit their comparisons; none once the closing audit was made."""
    if debate.audited is not None:
        return ()
    again = judging.second_readings(debate, opened)
    return pending(debate, opened, list(again.values())) or record(judging.reread(debate, again))


def _end(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """The end of a debate, one step after the other.

    First second readings of scores that do not fit the comparisons, the closing audit if the rubric has one, and the
    verdict of the scorecard.  Then the narrative verdict and the convergence, then the explanation of a conflict
    between the two verdicts, then the panel, and last the winner.
    """
    if (shortened := judging.shortening_due(debate, opened)) is not None:
        return record([Draft(event=shortened, cause=debate.course)])
    if debate.verdicts.scorecard is None:
        if again := _read_again(debate, opened):
            return again
        if audit := judging.audit_question(debate, opened):
            return pending(debate, opened, [audit]) or record(judging.audited(debate, audit))
        return record([Draft(event=_scorecard(debate, opened), cause=debate.course)])
    asked = judging.final_questions(debate, opened)
    seats = PARTS["panel"].asks(debate, opened) if opened.panel else ()
    if asks := (*pending(debate, opened, list(asked.values())), *seats):
        return asks
    if asked:
        return record(judging.concluded_from(debate, asked))
    if conflict := judging.conflict_question(debate, opened):
        return pending(debate, opened, [conflict]) or record(judging.resolved(debate, conflict))
    has_no_margin = isinstance(debate.verdicts.scorecard.margin, Missing)
    rule = "no_judgement" if has_no_margin else "baseline" if opened.judge.baseline else "scorecard"
    concluded = DebateConcluded(winner=debate.verdicts.scorecard.winner, by_rule=rule)
    cause = debate.verdicts.positions["scorecard"]
    if not opened.panel:
        return record([Draft(event=concluded, cause=cause)])
    panel = PARTS["panel"]
    return panel.steps(debate, opened) or record([panel.ending(debate, opened, concluded, cause)])
