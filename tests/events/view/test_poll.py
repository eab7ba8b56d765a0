"""The two votes of a poll: the last vote counts, who moved wins, and before the end no reader sees a stance."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events import codec
from events.record import Recorded, as_draft, digest_before_first, stamp
from events.state.folds.audience import count_poll
from events.types import (
    STANCES,
    DebateConcluded,
    Event,
    Missing,
    PollClosed,
    PollCounts,
    PollOpened,
    PollRound,
    PollSetup,
    Stance,
    StanceStated,
)
from events.view import view as views
from events.view.poll import LeadChange, result_of
from events.view.view import Fold, for_director
from tests.events.samples import opened

AT = "2026-11-21T09:30:00.123456Z"
OPENED = replace(opened(), poll=PollSetup())
BEFORE, AFTER = PollOpened(when="before", closes_after_s=90.5), PollOpened(when="after")
ALL = dict.fromkeys(STANCES, 0)


def recorded(events: list[Event]) -> tuple[Recorded, ...]:
    payloads = [codec.encode(event) for event in events]
    return stamp("d1", 0, digest_before_first("d1"), [as_draft(event) for event in events], AT, payloads)


def fold(events: list[Event]) -> Fold:
    state = views.INITIAL
    for record in recorded(events):
        state = views.apply(state, record)
    return state


def stated(voter: str, when: PollRound, stance: Stance) -> StanceStated:
    return StanceStated(voter=f"{voter:0>16}", when=when, stance=stance)


def voted(votes: dict[str, str]) -> list[Event]:
    """The events of voters with a letter for each vote: ``pu`` is Pro before and undecided after, ``-`` no vote."""
    names: dict[str, Stance] = {"p": "pro", "c": "con", "u": "undecided"}
    first: list[Event] = [stated(who, "before", names[both[0]]) for who, both in votes.items() if both[0] != "-"]
    second: list[Event] = [stated(who, "after", names[both[1]]) for who, both in votes.items() if both[1] != "-"]
    closed = PollClosed(when="before", by="moderator", cast=len(first))
    return [OPENED, BEFORE, *first, closed, AFTER, *second]


def counted(*votes: str) -> PollCounts:
    return count_poll(fold(voted({str(number): each for number, each in enumerate(votes)})).debate.audience)


def ended(*votes: str) -> list[Event]:
    events = voted({str(number): each for number, each in enumerate(votes)})
    closed = PollClosed(when="after", by="moderator", cast=len(votes), counts=counted(*votes))
    return [*events, closed, DebateConcluded(winner="con", by_rule="scorecard")]


# counts


def test_a_changed_vote_counts_once_and_as_the_last_one() -> None:
    events: list[Event] = [OPENED, BEFORE, *(stated("a", "before", each) for each in ("pro", "con", "undecided"))]
    found = fold(events)

    assert 1 == found.view.poll.before.cast
    assert {**ALL, "undecided": 1} == count_poll(found.debate.audience).left


def test_voters_are_told_apart_by_the_votes_that_they_cast() -> None:
    counts = counted("pp", "pc", "uc", "u-", "-p", "c-", "cc")

    assert {"pro": 1, "con": 1, "undecided": 0} == counts.moved["pro"]
    assert {"pro": 0, "con": 1, "undecided": 0} == counts.moved["undecided"]
    assert {"pro": 0, "con": 1, "undecided": 0} == counts.moved["con"]
    assert {"pro": 1, "con": 0, "undecided": 0} == counts.joined
    assert {"pro": 0, "con": 1, "undecided": 1} == counts.left


@pytest.mark.slow
@given(st.lists(st.sampled_from([a + b for a in "pcu-" for b in "pcu-"]), max_size=40))
def test_the_counts_are_the_votes_whoever_cast_them(votes: list[str]) -> None:
    counts = counted(*votes)
    twice = sum(sum(row.values()) for row in counts.moved.values())

    assert twice + sum(counts.left.values()) == sum(each[0] != "-" for each in votes)
    assert twice + sum(counts.joined.values()) == sum(each[1] != "-" for each in votes)
    if votes:
        result = result_of(counts)
        assert twice == 0 or isinstance(result.twice, LeadChange)


# who won the audience


def winner(*votes: str) -> tuple[Any, Any]:
    result = result_of(counted(*votes))
    return tuple(
        each.missing.reason if isinstance(each, Missing) else each.winner for each in (result.twice, result.everyone)
    )


def test_the_side_that_more_moved_to_wins_and_not_the_larger_one() -> None:
    """Pro keeps three of four, but Con went from none to one."""
    assert ("con", "con") == winner("pp", "pp", "pp", "uc")


def test_undecided_voters_that_split_evenly_are_a_tie() -> None:
    assert ("neither", "neither") == winner("up", "uc", "pp")


def test_no_voter_that_moved_is_a_tie() -> None:
    assert ("neither", "neither") == winner("pp", "cc", "uu")


def test_those_who_left_move_all_voters_but_not_the_audiences_winner() -> None:
    """Three that were for Con have gone home: the shares of Pro grow, though the only voter that moved went to Con."""
    assert ("con", "pro") == winner("pp", "pc", "c-", "c-", "c-", "-p")


def test_a_winner_is_decided_on_whole_numbers() -> None:
    """One vote in fifty thousand decides, although both gains are 0 to four decimals."""
    counts = PollCounts(
        moved={"pro": {**ALL, "pro": 49_999}, "con": ALL, "undecided": {**ALL, "pro": 1}}, joined=ALL, left=ALL
    )
    result = result_of(counts)
    assert isinstance(result.twice, LeadChange)

    assert {"pro": 0.0, "con": 0.0} == result.twice.gains
    assert "pro" == result.twice.winner


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ((), ("no voter voted twice", "one of the two votes had no voter")),
        (("p-", "-c"), ("no voter voted twice", "con")),
        (("p-", "c-"), ("no voter voted twice", "one of the two votes had no voter")),
    ],
)
def test_without_voters_a_winner_is_missing_with_its_reason(votes: tuple[str, ...], expected: Any) -> None:
    assert expected == winner(*votes)


def test_gains_are_differences_of_shares() -> None:
    result = result_of(counted("up", "uc", "up", "cc", "-p"))
    assert isinstance(result.twice, LeadChange)
    assert isinstance(result.everyone, LeadChange)

    assert {"pro": 0.5, "con": 0.25} == result.twice.gains
    assert {"pro": 0.6, "con": 0.15} == result.everyone.gains


def test_shares_have_wilsons_interval() -> None:
    """The bounds for 8 of 10 are those of Wilson's formula, worked out by hand."""
    result = result_of(counted(*["pp"] * 8, *["cc"] * 2))
    share = result.after["pro"]

    assert (8, 0.8, 0.4902, 0.9433) == (share.count, share.share, share.low, share.high)
    assert (0, 0.0, 0.0, 0.2775) == tuple(msgspec.structs.astuple(result.after["undecided"]))


# who reads what


def test_no_reader_sees_a_stance_before_the_end() -> None:
    secret = {"stance", "moved", "joined", "left", "counts", "result"}
    events = ended("pc", "uc", "-p", "p-")[:-1]
    for state in (fold(events[:end]) for end in range(1, len(events) + 1)):
        for view in (state.view, for_director(state)):
            said = msgspec.json.encode(view).decode()
            assert not [name for name in secret if f'"{name}"' in said]


def test_at_the_end_every_reader_sees_who_moved() -> None:
    view = fold(ended("pc", "uc", "-p", "p-")).view

    assert 3 == view.poll.after.cast
    assert "con" == view.poll.result.twice.winner
    assert {"pro": 0, "con": 1, "undecided": 0} == view.poll.result.moved["pro"]


def test_the_view_says_when_a_vote_closes() -> None:
    view = fold([OPENED, BEFORE]).view

    assert ("open", "2026-11-21T09:31:30.623456Z") == (view.poll.before.state, view.poll.before.closes_at)


def test_a_debate_without_a_poll_shows_none() -> None:
    assert "poll" not in msgspec.json.decode(msgspec.json.encode(fold([opened()]).view))
