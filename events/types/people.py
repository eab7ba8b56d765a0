"""People in seats: the link of a seat, the browser that took it, lost connections, resignation, takeover by a model.

``seat`` is ``pro``, ``con``, ``judge``, or the name of a rater.
"""

from typing import ClassVar, Literal

from events.types.base import DerivedEvent, Event


class SeatLinkMade(Event, frozen=True, kw_only=True, tag="seat_link_made"):
    """An operator made a link for a seat; an earlier one is void.  ``digest`` is SHA-256 of its token."""

    seat: str
    digest: str
    by: str


class SeatLinkRevoked(Event, frozen=True, kw_only=True, tag="seat_link_revoked"):
    """The link of a seat is void, and the browser that took the seat holds it no more."""

    seat: str
    by: str


class SeatTaken(Event, frozen=True, kw_only=True, tag="seat_taken"):
    """The first browser that opened the link took the seat.  ``digest`` is SHA-256 of the secret that it keeps."""

    seat: str
    digest: str


class SeatConnectionLost(Event, frozen=True, kw_only=True, tag="seat_connection_lost"):
    """The page of a seat has not been heard of for a while, in the middle of a turn.  The clock goes on."""

    seat: str


class SeatReturned(Event, frozen=True, kw_only=True, tag="seat_returned"):
    """The page of a seat is heard of again."""

    seat: str


class SeatResigned(Event, frozen=True, kw_only=True, tag="seat_resigned"):
    """The person in a seat gave up."""

    seat: str


class SeatHandedOver(DerivedEvent, frozen=True, kw_only=True, tag="seat_handed_over"):
    """From now on a model speaks in the seat, as the opening says."""

    naming: ClassVar[frozenset[str]] = frozenset({"model"})

    seat: str
    model: str
    reason: Literal["time_out", "resignation"]
