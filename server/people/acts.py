"""What happens at a person's seat: its link, the browser that takes it, drafts, answers, resignation.

The functions take the debate as it stands, and give the events to record or raise the refusal.
"""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from events.record import Draft
from events.state.debate import Debate
from events.state.seats import SeatState
from events.types import SeatLinkMade, SeatLinkRevoked, SeatResigned, SeatReturned, SeatTaken
from server.errors import NotAllowed, NotFound, NotNow
from server.people.links import has_link, holds

MAX_TEXT: Final = 60_000
"""Characters of a draft or an answer: a turn of 1,000 words has a tenth of it."""
VOID: Final = "this link is not valid: it was revoked, or replaced by a new one; ask the operator of the debate"
TAKEN: Final = "another browser has taken this seat; write there, or ask the operator of the debate for a new link"


class AtSeat(Struct, frozen=True, kw_only=True, tag="at_seat"):
    """What the page of a seat does.  ``link`` and ``holder`` are digests of its token and of its secret.

    ``request`` is the id of the open request that a draft or an answer belongs to.
    """

    seat: str
    link: str
    holder: str
    act: Literal["take", "hear", "draft", "send", "resign"]
    request: str = ""
    text: str = ""


def seat_in(debate: Debate, seat: str) -> SeatState:
    """The seat of a person.  Raises ``NotFound``."""
    found = debate.seats.get(seat)
    if found is None:
        raise NotFound(f"no person has the seat {seat[:40]!r} in this debate")
    return found


def link_drafts(debate: Debate, seat: str, digest: str, by: str) -> Sequence[Draft]:
    """A new link, which replaces an earlier one.  Raises ``NotFound``, ``NotNow``."""
    state = seat_in(debate, seat)
    if debate.status.state == "concluded":
        raise NotNow("the debate has concluded")
    if state.model:
        raise NotNow(f"{'a model' if debate.is_blind else state.model} has taken this seat over")
    return [Draft(event=SeatLinkMade(seat=seat, digest=digest, by=by))]


def revoke_drafts(debate: Debate, seat: str, by: str) -> Sequence[Draft]:
    """The end of a link.  Raises ``NotFound``, ``NotNow``."""
    if not seat_in(debate, seat).link:
        raise NotNow("this seat has no link")
    return [Draft(event=SeatLinkRevoked(seat=seat, by=by))]


def invited(debate: Debate, seat: str, link: str) -> SeatState:
    """The seat of a valid link.  Raises ``NotFound``."""
    state = debate.seats.get(seat)
    if state is None or not has_link(state, link):
        raise NotFound(VOID)
    return state


def held(debate: Debate, seat: str, link: str, holder: str) -> SeatState:
    """The seat that this browser has taken.  Raises ``NotFound``, ``NotAllowed``."""
    state = invited(debate, seat, link)
    if not state.holder:
        raise NotAllowed("take the seat first")
    if not holds(state, holder):
        raise NotAllowed(TAKEN)
    return state


def take_drafts(debate: Debate, seat: str, link: str, holder: str) -> Sequence[Draft]:
    """The seat is taken; nothing if this browser has it already.  Raises ``NotFound``, ``NotAllowed``, ``NotNow``."""
    state = invited(debate, seat, link)
    if state.holder:
        held(debate, seat, link, holder)
        return []
    if debate.status.state == "concluded":
        raise NotNow("the debate has concluded")
    return [Draft(event=SeatTaken(seat=seat, digest=holder))]


def resign_drafts(debate: Debate, seat: str, link: str, holder: str) -> Sequence[Draft]:
    """A resignation.  Raises ``NotFound``, ``NotAllowed``, ``NotNow``."""
    state = held(debate, seat, link, holder)
    if debate.status.state == "concluded":
        raise NotNow("the debate has concluded")
    if state.resigned:
        raise NotNow("you have resigned already")
    return [Draft(event=SeatResigned(seat=seat))]


def return_drafts(debate: Debate, seat: str) -> Sequence[Draft]:
    """The return of a seat whose connection counts as lost; nothing for another."""
    if not debate.seats[seat].is_away or debate.status.state == "concluded":
        return []
    return [Draft(event=SeatReturned(seat=seat))]
