"""What the page of a seat says to the person: who they are, the rules before they take it, how it stands."""

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import UNSET, Struct

from events.state.debate import Debate
from events.state.outcome import outcome_of
from events.types import SIDES
from events.types.study import AnswersSetup

NAMES: Final = {"pro": "Pro", "con": "Con"}
DOES: Final = {"judge": "judge"}
"""What a seat without a side does; every other one rates."""
ANSWERING: Final[dict[str, str]] = {
    "naive": "You say ",
    "vote": "You say ",
    "debate": "When both sides have argued in all rounds, you say ",
    "consultancy": "After each speech but the last you ask the consultant a question. Then you say ",
    "critique": "You answer, read one critique, and answer again: you say ",
}
"""What the judge of a question with two answers does, by arm."""
RESTS: Final = {"paused": "The debate is paused", "halted": "The debate is halted"}
MINUTES_FROM_S: Final = 120
"""So many seconds and more are said in minutes."""
RESIGNED: Final = "You have resigned."

SeatStanding = Literal["free", "taken", "yours", "resigned", "handed_over"]


class SeatFacts(Struct, frozen=True, kw_only=True):
    """What the sentences of one seat follow from."""

    now: Debate
    seat: str
    name: str
    standing: SeatStanding
    time_s: float
    takeover: bool
    has_resigned: bool
    has_sent: bool
    turn: int | None
    """The turn that waits for the person's speech."""
    questions: int
    """Questions that wait for the person."""
    documents: tuple[str, ...]


class SeatWords(Struct, frozen=True, kw_only=True):
    """The sentences of a seat."""

    who: str
    invited: str
    rules: tuple[str, ...]
    state: str
    leave: str
    """What it means to resign."""


def seat_words(facts: SeatFacts) -> SeatWords:
    """The sentences for these facts."""
    side, name = NAMES.get(facts.seat), facts.name
    does = DOES.get(facts.seat, "rate")
    state = _state(facts)
    is_told = facts.has_resigned and state != RESIGNED
    return SeatWords(
        who=f"{name} speaks for {side}" if side else f"{name} {does}s this debate",
        invited=f"{name}, you are invited to {f'speak for {side}' if side else f'{does} this debate'}.",
        rules=(
            "The first browser that takes the seat keeps it. The link works in no other browser.",
            *(_rules_to_speak(facts) if side else _rules_to_judge(facts, does)),
        ),
        state=f"{RESIGNED} {state}".rstrip() if is_told else state,
        leave=_leave(facts),
    )


def minutes(seconds: float) -> str:
    """``90 seconds``, ``2 minutes and 30 seconds``."""
    if seconds < MINUTES_FROM_S:
        return f"{seconds:g} seconds"
    whole, rest = divmod(seconds, 60)
    return f"{whole:g} minutes and {rest:g} seconds" if rest else f"{whole:g} minutes"


def _rules_to_speak(facts: SeatFacts) -> Iterator[str]:
    opened, time = facts.now.opened, minutes(facts.time_s)
    assert opened is not None, "a seat belongs to a debate that was opened"
    is_protocol = opened.format == "protocol"
    if is_protocol:
        yield (
            f"The debate has {opened.turns // 2} rounds. In each you fill in one form, within {time}. Both sides write "
            "at the same time, and what they wrote is shown when both have sent it. A form that is complete is sent "
            "when the time ends, if this page is open."
        )
    else:
        yield (
            f"The debate has {opened.turns} turns. You have {time} and at most {opened.max_words} words for each of "
            "yours."
        )
    yield (
        "The clock of a turn begins when the turn begins, whether or not you have opened this page, and goes on while "
        "your connection is lost."
    )
    yield (
        "If you send nothing in time, or resign, a model speaks in your place from then on."
        if facts.takeover
        else "If you send nothing in time, the debate is halted, and its operator can resume it. If you resign, the "
        "other side wins."
    )
    if facts.documents:
        yield (
            f"You may cite {', '.join(facts.documents)}: each of your turns shows you passages with their numbers. "
            "Quote the exact words and put the number after them: “the words” [E1]. Each citation is checked."
        )
    yield (
        "What you write is seen by others only when both sides have sent. A judge scores the debate when it is over."
        if is_protocol
        else "What you write is seen by others only when you send it. A judge then scores it, as it scores every turn."
    )


def _rules_to_judge(facts: SeatFacts, does: str) -> Iterator[str]:
    opened = facts.now.opened
    assert opened is not None, "a seat belongs to a debate that was opened"
    if opened.question is not UNSET:
        yield from _rules_to_answer(opened.question, facts.time_s)
        return
    is_protocol = opened.format == "protocol"
    yield (
        "After each turn, and once more at the end, you answer some questions about it in forms."
        if facts.seat == "judge" and not is_protocol
        else f"When the debate has been held, you {does} each turn or argument in a form."
    )
    yield (
        f"You have {minutes(facts.time_s)} for each question. All questions about a turn are open at once, and you may "
        "answer them in any order. A question that you do not answer in time is left out."
    )
    yield (
        f"You do not see {'' if is_protocol else 'which side a speaker is on, '}who the speakers are, or what others "
        "think of them. Please do not open the page of the debate before you have answered."
    )
    yield "What you have filled in is kept until you send it."


def _rules_to_answer(question: AnswersSetup, time_s: float) -> Iterator[str]:
    yield f"{ANSWERING[question.arm]}which of the two answers is right, and how probable that is."
    yield f"You have {minutes(time_s)} for each form."
    if question.has_passage and question.sees == "debaters":
        marked = "" if question.arm in {"naive", "vote"} else ": its quotes in the texts are checked, and marked"
        yield f"You do not read the passage that the question is about{marked}."
    yield "Please do not open the page of the study before you have answered."
    yield "What you have filled in is kept until you send it."


def _state(facts: SeatFacts) -> str:
    """How the seat and the debate stand, for this person."""
    now, seat = facts.now, facts.seat
    is_judge, state = seat not in SIDES, now.status.state
    if facts.standing == "taken":
        return "Another browser has taken this seat. Write there, or ask the operator of the debate for a new link."
    if state == "concluded":
        outcome = outcome_of(now)
        return "The debate has ended. Thank you for judging." if is_judge else outcome.text if outcome else ENDED
    if state in RESTS and facts.turn is None:
        return f"{RESTS[state]}{f': {now.status.reason}' if now.status.reason else '.'}"
    if facts.standing != "yours":
        return OTHERS[facts.standing]
    if facts.questions:
        many = (
            "One question waits for your answer."
            if facts.questions == 1
            else (f"{facts.questions} questions wait for your answers.")
        )
        return many if is_judge else "Your statement is asked for."
    if facts.turn is not None:
        return f"Turn {facts.turn} is yours."
    return _waits(facts, is_judge=is_judge)


ENDED: Final = "The debate has ended."
OTHERS: Final = {"free": "", "handed_over": "A model speaks in your seat now. You can read on.", "resigned": RESIGNED}


def _waits(facts: SeatFacts, *, is_judge: bool) -> str:
    """What the debate waits for while nothing is asked of the person."""
    now, turn = facts.now, facts.now.transcript.current
    assert now.opened is not None, "a seat belongs to a debate that was opened"
    if now.audience.poll.open_round is not None:
        return "The audience votes. The debate goes on when the vote has closed."
    if is_judge:
        return "Nothing is asked of you now. This page shows the next questions by itself: you can leave it open."
    spoken = sum(each.event is not None for each in now.transcript.turns.values())
    if spoken >= now.opened.turns:
        return "All turns have been spoken. The judge reads."
    if turn is None or turn.state != "speaking":
        return "The judge reads. The next turn begins after that."
    if now.opened.format == "protocol":
        if facts.has_sent:
            return "Your statement is sent. It is shown when the other side has sent its own."
        return "Both sides write. What they wrote is shown when both have sent it."
    return f"{NAMES[turn.side]} has the word: turn {turn.number}."


def _leave(facts: SeatFacts) -> str:
    if facts.seat not in SIDES:
        return "The debate goes on. Your open questions and all later ones stay without an answer."
    if facts.takeover:
        return "A model then speaks in your seat until the end."
    return f"The debate then ends at once, and {NAMES['con' if facts.seat == 'pro' else 'pro']} wins."
