"""The seats of people: their links, who holds them, the clock of a turn, and whether a model has taken one over."""

from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.record import Recorded
from events.types import (
    DebateOpened,
    Debater,
    DebateResumed,
    JudgeSeat,
    ModelAnswered,
    Rater,
    SeatConnectionLost,
    SeatHandedOver,
    SeatLinkMade,
    SeatLinkRevoked,
    SeatResigned,
    SeatReturned,
    SeatTaken,
    Side,
    TurnStarted,
)

PERSON: Final = "person:"
"""What the model of a seat begins with if a person has it; the person's name follows."""


class SeatState(Struct, frozen=True, kw_only=True, gc=False):
    """The seat of a person."""

    name: str
    time_s: float
    """Seconds for a turn or a question."""
    link: str = ""
    """SHA-256 of the link's token; empty without one."""
    holder: str = ""
    """SHA-256 of the secret of the browser that took the seat; empty if none did."""
    is_away: bool = False
    turn: int = 0
    """The turn whose clock runs or has run last."""
    since: str = ""
    """When that clock began: at the first attempt at the turn, or at the first one after the debate was resumed."""
    resigned: int = 0
    """Position of the resignation; 0 for none."""
    model: str = ""
    """The model that has taken the seat over; empty for none."""
    handed_over: int = 0
    """Position at which that model took it over; 0 for none."""
    has_sent: bool = False
    """Whether the person has sent the statement of this turn; it is shown with the other side's."""


Seats = dict[str, SeatState]
"""By seat: ``pro``, ``con``, ``judge``, or the name of a rater.  Only seats of people are in it."""

INITIAL: Seats = {}
COURSELESS: Final = frozenset({SeatLinkMade, SeatLinkRevoked, SeatTaken, SeatConnectionLost, SeatReturned})
"""Events on which no step depends."""
MOVED_BY: Final = COURSELESS | {DebateOpened, TurnStarted, ModelAnswered, DebateResumed, SeatResigned, SeatHandedOver}
STATEMENTS: Final = frozenset({"open", "cross", "answer", "close"})
"""Purposes of the questions that a debater answers with a statement of format ``protocol``: ``open:pro`` and so on."""


def debater_of(opened: DebateOpened, seats: Seats, side: Side) -> Debater:
    """The debater of a side: the model that has taken the seat over, with the person's archetype, or as opened."""
    debater = opened.pro if side == "pro" else opened.con
    seat = seats.get(side)
    if seat is None or not seat.model or isinstance(debater.takeover, UnsetType):
        return debater
    taken = debater.takeover
    return replace(
        debater,
        model=taken.model,
        caveat=taken.caveat,
        window=taken.window,
        time_s=UNSET,
        takeover=UNSET,
        max_words=UNSET,
        speaker=UNSET,
    )


def apply(seats: Seats, record: Recorded) -> Seats:  # noqa: C901, PLR0912 - one flat match, a case an event
    """The seats after ``record``; the same object if none changed."""
    event = record.event
    if isinstance(event, DebateOpened):
        return seats_of(event)
    if not seats:
        return seats
    match event:
        case DebateResumed():
            return {name: replace(seat, turn=0, since="", has_sent=False) for name, seat in seats.items()}
        case TurnStarted(side=side, turn=turn):
            seat = seats.get(side)
            is_new = seat is not None and seat.turn != turn
            return _with(seats, side, turn=turn, since=record.at, has_sent=False) if is_new else seats
        case ModelAnswered(purpose=purpose, key=key) if purpose in STATEMENTS:
            return _with(seats, key.partition(":")[2], has_sent=True)
        case SeatLinkMade(seat=name, digest=digest):
            return _with(seats, name, link=digest, holder="", is_away=False)
        case SeatLinkRevoked(seat=name):
            return _with(seats, name, link="", holder="", is_away=False)
        case SeatTaken(seat=name, digest=digest):
            return _with(seats, name, holder=digest, is_away=False)
        case SeatConnectionLost(seat=name):
            return _with(seats, name, is_away=True)
        case SeatReturned(seat=name):
            return _with(seats, name, is_away=False)
        case SeatResigned(seat=name):
            return _with(seats, name, resigned=record.position)
        case SeatHandedOver(seat=name, model=model):
            return _with(seats, name, model=model, handed_over=record.position, is_away=False)
        case _:
            return seats


def _with(seats: Seats, name: str, **changes: str | int | bool) -> Seats:
    return {**seats, name: replace(seats[name], **changes)} if name in seats else seats


def seats_of(opened: DebateOpened) -> Seats:
    """The seats of people as a debate was opened."""
    given: dict[str, Debater | JudgeSeat | Rater] = {"pro": opened.pro, "con": opened.con, "judge": opened.judge}
    given |= {each.name: each for each in opened.panel}
    return {
        name: SeatState(name=seat.model.removeprefix(PERSON), time_s=seat.time_s)
        for name, seat in given.items()
        if seat.model.startswith(PERSON) and not isinstance(seat.time_s, UnsetType)
    }
