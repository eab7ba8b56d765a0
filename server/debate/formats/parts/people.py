"""The rules of a person's seat: what follows from a resignation and from a time-out, and what the person is told.

After either, the model that the opening names takes the seat over.  Without such a model the opponent wins by the rule
``resignation``, and a time-out halts the debate: an operator can resume it, and the turn's clock begins again.
"""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import UnsetType

from events.record import Draft
from events.state.debate import Debate
from events.state.seats import debater_of
from events.state.transcript import Turn
from events.types import SIDES, DebateConcluded, DebateHalted, DebateOpened, SeatHandedOver, Side
from events.types.base import other
from judge.guard.neutralise import quoted
from personalities.pressure import directive_in_force
from providers.base import Segment
from providers.errors import TimedOut
from server.debate.formats.halts import abandon_turns
from server.evidence.given import statement_passages
from server.people.names import is_person

RESIGNATION: Final = "resignation"
"""The rule by which the opponent of a person wins who resigns."""


def after_resignation(debate: Debate, opened: DebateOpened) -> tuple[Draft, ...]:
    """What follows from a resignation; nothing if none is open."""
    for side in SIDES:
        seat = debate.seats.get(side)
        if seat is None or not seat.resigned or seat.model:
            continue
        if handed := hand_over(opened, side, "resignation"):
            return (Draft(event=handed, cause=seat.resigned),)
        cut = abandon_turns(debate, "the person resigned", seat.resigned)
        return (*cut, Draft(event=DebateConcluded(winner=other(side), by_rule=RESIGNATION), cause=seat.resigned))
    return ()


def after_time_out(debate: Debate, opened: DebateOpened, turn: Turn) -> tuple[Draft, ...]:
    """What follows from a turn that a person did not send in time; nothing after any other failure."""
    last = turn.failures[-1]
    seat = debate.seats.get(turn.side)
    is_due = turn.tries and last.kind == TimedOut.kind and is_person(debater_of(opened, debate.seats, turn.side).model)
    if seat is None or not is_due:
        return ()
    if handed := hand_over(opened, turn.side, "time_out"):
        return (Draft(event=handed, cause=last.position),)
    return (Draft(event=DebateHalted(reason=why_halted(debate, opened, turn), by="moot"), cause=last.position),)


def clock_of(debate: Debate, side: Side, turn: int) -> str:
    """When the person's time for a turn began; empty if it has not begun."""
    seat = debate.seats.get(side)
    return seat.since if seat is not None and seat.turn == turn else ""


def turn_prompt(debate: Debate, opened: DebateOpened, side: Side, passages: Sequence[str] = ()) -> tuple[Segment, ...]:
    """What the page of the seat tells the person about the turn, besides the debate itself."""
    directive = directive_in_force(debate, side)
    asked = f"You speak for {side.capitalize()}. The motion:\n{quoted(opened.motion)}\n"
    asked += f"Write at most {opened.max_words} words."
    if directive:
        asked += f"\nThe directive for this turn:\n{quoted(debate.characters.directives[directive].text)}"
    if passages:
        asked += f"\n{statement_passages(debate, opened, passages)}"
    return (Segment("user", asked),)


def hand_over(opened: DebateOpened, side: Side, reason: Literal["resignation", "time_out"]) -> SeatHandedOver | None:
    """The seat goes to the model that the opening names; None without such a model."""
    takeover = (opened.pro if side == "pro" else opened.con).takeover
    if isinstance(takeover, UnsetType):
        return None
    return SeatHandedOver(seat=side, model=takeover.model, reason=reason)


def why_halted(debate: Debate, opened: DebateOpened, turn: Turn) -> str:
    """Why a turn without a text of its person halts the debate.

    Spectators read it: in a blind debate it does not name the person.
    """
    seat = debate.seats[turn.side]
    who = turn.side if opened.blind else f"{turn.side}, {seat.name}"
    unused = "" if seat.holder else " No browser has taken the seat: make a link for it and send it to the person."
    return (
        f"turn {turn.number} ({who}): the time of {seat.time_s:g} s has passed.{unused} "
        "Resume the debate, and the clock of this turn begins again."
    )
