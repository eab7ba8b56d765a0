"""How long a turn and a question may take: the limits of the debate, or the time of a person's seat."""

from contextlib import AbstractContextManager
from typing import Final

from msgspec.structs import replace

from events.state.debate import Debate
from events.state.seats import STATEMENTS
from events.types.opening import DebateSettings
from providers.base import Outcome
from providers.catalog.addresses import is_batched
from server.debate.calls import time_limit
from server.debate.formats.halts import seconds_between
from server.debate.formats.steps import Ask, Speak
from server.people.names import is_hosted, is_person, seat_of

SEND_S: Final = 3.0
"""Seconds beyond a person's time for a text that was sent within it."""
BACK_S: Final = 15.0
"""Minimum seconds that a person has left after the server was down in the middle of a turn."""
HOSTED_S: Final = 86_400.0
"""Seconds that a model has whose answers a program outside brings: its person may be asleep."""
BATCHED_S: Final = 90_000.0
"""Seconds that the batches of a vendor have, which end after 24 hours."""
TOO_LATE: Final = "the person did not send a text in time"


def seconds_of_turn(step: Speak, settings: DebateSettings, now: str) -> float:
    """How long an attempt at a turn may take.

    A person's time runs from the first attempt, also while the server is down; then at least ``BACK_S`` are left.
    """
    if step.time_s is not None:
        return _seconds_left(step.time_s, step.since, now)
    return HOSTED_S if is_hosted(step.model) else settings.turn_timeout_s


def _seconds_left(time_s: float, since: str, now: str) -> float:
    """What is left of a person's time; all of it if the clock has not begun."""
    return max(time_s - ms_between(since, now) / 1000, min(BACK_S, time_s)) if since else time_s


def limit_of_turn(step: Speak, seconds: float) -> AbstractContextManager[None]:
    """Raise ``TimedOut`` if the body takes longer; the text of a person may be under way for ``SEND_S`` more."""
    return time_limit(seconds) if step.time_s is None else time_limit(seconds + SEND_S, TOO_LATE)


def limit_of_question(step: Ask, seconds: float) -> AbstractContextManager[None]:
    """Raise ``TimedOut`` if the body takes longer; the statement of a person may be under way for ``SEND_S`` more."""
    is_own = is_person(step.model) and step.purpose in STATEMENTS
    return time_limit(seconds + SEND_S, TOO_LATE) if is_own else time_limit(seconds)


def with_time_taken(since: str, outcome: Outcome, now: str) -> Outcome:
    """The outcome with the time that a person took since the turn's clock began, also over a restart of the server.

    ``since``: when it began; empty for a model.
    """
    return replace(outcome, latency_ms=ms_between(since, now)) if since else outcome


def clock_of_question(step: Ask, debate: Debate) -> str:
    """When the time of a person began for a statement; empty for every other question."""
    seat = debate.seats.get(seat_of(step.key)) if is_person(step.model) else None
    return "" if seat is None else seat.since


def seconds_of_question(step: Ask, debate: Debate, now: str) -> float:
    """How long a question may take: the time of the person's seat, or the limits of the debate and the question.

    A statement of a person has the clock of its turn, as a speech has.
    """
    assert debate.opened is not None
    seat = debate.seats.get(seat_of(step.key)) if is_person(step.model) else None
    if seat is not None:
        return _seconds_left(seat.time_s, seat.since, now)
    if is_hosted(step.model):
        return HOSTED_S
    if is_batched(step.model):
        return BATCHED_S
    limit_s = debate.opened.settings.judge_timeout_s
    return min(limit_s, step.timeout_s or limit_s)


def ms_between(since: str, now: str) -> int:
    """Milliseconds between two times of records; 0 if the clock was put back."""
    return max(0, round(seconds_between(since, now) * 1000))
