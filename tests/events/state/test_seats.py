"""The fold of the seats of people: links, holders, clocks, takeovers."""

from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state import seats
from events.state.debate import INITIAL, Debate, evolve
from events.state.seats import debater_of
from events.types import (
    DebateHalted,
    DebateOpened,
    DebateResumed,
    Event,
    SeatConnectionLost,
    SeatHandedOver,
    SeatLinkMade,
    SeatLinkRevoked,
    SeatResigned,
    SeatReturned,
    SeatTaken,
    Takeover,
    TurnFailed,
    TurnStarted,
)
from tests.events.samples import opened

TAKEOVER = Takeover(model="scripted:b", caveat="tiny", window=2048)


def with_ann() -> DebateOpened:
    """A debate in which Ann speaks for Pro."""
    given = opened()
    ann = replace(given.pro, model="person:Ann", speaker="Ann", time_s=60.0, takeover=TAKEOVER)
    return replace(given, pro=ann)


def fold(*events: Event) -> Debate:
    debate = INITIAL
    for position, event in enumerate((with_ann(), *events), 1):
        debate = evolve(
            debate,
            Recorded(
                debate="d1",
                position=position,
                id="",
                at=f"2026-11-22T10:00:{position:02}.000000Z",
                cause=None,
                schema=1,
                salt=b"",
                payload=b"",
                digest=b"",
                event=event,
            ),
        )
    return debate


START = TurnStarted(turn=1, side="pro", attempt=1, directive=None)
AGAIN = TurnStarted(turn=1, side="pro", attempt=2, directive=None)


def test_a_debate_without_people_has_no_seats_of_people() -> None:
    assert seats.seats_of(opened()) == {}


def test_a_new_link_and_a_revoked_one_free_the_seat() -> None:
    taken = fold(SeatLinkMade(seat="pro", digest="a", by="m"), SeatTaken(seat="pro", digest="h"))
    again = fold(
        SeatLinkMade(seat="pro", digest="a", by="m"),
        SeatTaken(seat="pro", digest="h"),
        SeatLinkMade(seat="pro", digest="b", by="m"),
    )
    revoked = fold(SeatLinkMade(seat="pro", digest="a", by="m"), SeatLinkRevoked(seat="pro", by="m"))

    assert (taken.seats["pro"].link, taken.seats["pro"].holder) == ("a", "h")
    assert (again.seats["pro"].link, again.seats["pro"].holder) == ("b", "")
    assert (revoked.seats["pro"].link, revoked.seats["pro"].holder) == ("", "")


def test_the_clock_of_a_turn_begins_with_its_first_attempt_and_again_with_a_resume() -> None:
    interrupted = fold(START, TurnFailed(turn=1, side="pro", attempt=1, kind="timeout", message=""), AGAIN)
    resumed = fold(
        START,
        TurnFailed(turn=1, side="pro", attempt=1, kind="timeout", message=""),
        DebateHalted(reason="", by="moot"),
        DebateResumed(reason="", by="m"),
        AGAIN,
    )

    assert interrupted.seats["pro"].since == "2026-11-22T10:00:02.000000Z"
    assert resumed.seats["pro"].since == "2026-11-22T10:00:06.000000Z"


def test_links_and_connections_do_not_move_the_course_of_the_debate() -> None:
    before = fold(START)
    after = fold(
        START,
        SeatLinkMade(seat="pro", digest="a", by="m"),
        SeatTaken(seat="pro", digest="h"),
        SeatConnectionLost(seat="pro"),
        SeatReturned(seat="pro"),
    )

    assert (before.course, after.course, after.position) == (2, 2, 6)
    assert fold(START, SeatResigned(seat="pro")).course == 3


def test_the_model_that_takes_over_has_the_character_of_the_seat() -> None:
    debate = fold(START, SeatHandedOver(seat="pro", model="scripted:b", reason="time_out"))
    given = with_ann()

    found = debater_of(given, debate.seats, "pro")

    assert (found.model, found.caveat, found.window) == ("scripted:b", "tiny", 2048)
    assert (found.speaker, found.time_s, found.archetype) == (UNSET, UNSET, given.pro.archetype)
    assert debater_of(given, debate.seats, "con") == given.con


def test_an_event_about_a_seat_that_is_no_persons_changes_nothing() -> None:
    assert fold(SeatTaken(seat="con", digest="h")).seats == fold().seats
