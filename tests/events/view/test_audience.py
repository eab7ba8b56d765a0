"""Votes and beliefs: the last of each voter counts, and before the end only the director sees them."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import codec
from events.patch import merge
from events.record import Recorded, as_draft, digest_before_first, stamp
from events.state.exchanges import Exchanges
from events.state.folds.audience import apply
from events.state.parts.audience import INITIAL, Audience
from events.types import (
    AudienceVoted,
    BeliefStated,
    DebateConcluded,
    Event,
    ModeratorSpoke,
    TurnsCompared,
    Winner,
    missing,
)
from events.view import view as views
from events.view.audience import audience_view
from events.view.view import Fold
from tests.events.samples import opened, spoken, started

AT = "2026-11-21T09:30:00.123456Z"
END = DebateConcluded(winner="pro", by_rule="scorecard")


def recorded(events: list[Event]) -> tuple[Recorded, ...]:
    payloads = [codec.encode(event) for event in events]
    return stamp("d1", 0, digest_before_first("d1"), [as_draft(event) for event in events], AT, payloads)


def fold(events: list[Event]) -> Fold:
    state = views.INITIAL
    for record in recorded(events):
        state = views.apply(state, record)
    return state


def counted(events: list[Event]) -> Audience:
    audience = INITIAL
    for record in recorded(events):
        audience = apply(audience, record)
    return audience


def shown(events: list[Event]) -> Any:
    view = audience_view(counted(events), Exchanges(), {})
    return msgspec.json.decode(msgspec.json.encode(view))


def vote(voter: str, winner: Winner) -> AudienceVoted:
    return AudienceVoted(voter=voter, winner=winner)


def belief(voter: str, turn: int, value: float) -> BeliefStated:
    return BeliefStated(voter=voter, turn=turn, belief=value)


def compared(later: int, winner: str) -> TurnsCompared:
    return TurnsCompared(
        earlier=later - 1,
        later=later,
        outcomes=dict.fromkeys(("logic", "rhetoric", "tactics"), winner),
        flipped=(),
        reason="so",
    )


def debated(*acts: Event, end: DebateConcluded | None = END) -> list[Event]:
    """Four turns: con wins the second exchange, pro the third.  The audience's events come before the end."""
    events: list[Event] = [opened(turns=4)]
    for turn in range(1, 5):
        events += [started(turn), spoken(turn)]
    events += [compared(2, "draw"), compared(3, "earlier"), compared(4, "earlier"), *acts]
    return [*events, end] if end else events


def test_the_last_vote_of_a_voter_counts() -> None:
    found = shown([vote("a", "pro"), vote("b", "pro"), vote("a", "con"), vote("c", "neither"), vote("a", "con")])

    assert {"pro": 1, "con": 1, "neither": 1, "cast": 3} == found["votes"]
    assert {"pro": 0.3333, "con": 0.3333, "neither": 0.3333} == found["shares"]


def test_the_last_belief_of_a_voter_about_a_turn_counts() -> None:
    found = shown([belief("a", 1, 20), belief("b", 1, 40.5), belief("a", 3, 70), belief("a", 1, 30)])

    assert {"1": {"mean": 35.25, "count": 2}, "3": {"mean": 70.0, "count": 1}} == found["beliefs"]


def test_replaced_events_count_towards_the_bound() -> None:
    assert 3 == counted([vote("a", "pro"), vote("a", "con"), belief("a", 1, 3)]).recorded


voters = st.text("0123456789abcdef", min_size=1, max_size=3)
ballots = st.one_of(
    st.builds(vote, voters, st.sampled_from(("pro", "con", "neither"))),
    st.builds(belief, voters, st.integers(1, 3), st.integers(0, 1000).map(lambda tenths: tenths / 10)),
)


@pytest.mark.slow
@given(st.lists(ballots, max_size=60))
def test_the_last_event_of_each_voter_counts_in_any_order(acts: list[Any]) -> None:
    votes = {each.voter: each.winner for each in acts if isinstance(each, AudienceVoted)}
    beliefs = {(each.turn, each.voter): each.belief for each in acts if isinstance(each, BeliefStated)}
    audience = counted(acts)

    for winner in ("pro", "con", "neither"):
        assert list(votes.values()).count(winner) == audience.votes.get(winner, 0)  # type: ignore[call-overload]
    for turn in range(1, 4):
        values = [round(value * 1000) for (number, _), value in beliefs.items() if number == turn]
        known = audience.beliefs.get(turn)
        assert (sum(values), len(values)) == ((known.total, known.count) if known else (0, 0))


# agreement


def agreement(*acts: Event, end: DebateConcluded = END) -> Any:
    return msgspec.json.decode(msgspec.json.encode(fold(debated(*acts, end=end)).view))["audience"]["agreement"]


def test_the_share_of_votes_for_the_judges_winner() -> None:
    found = agreement(vote("a", "pro"), vote("b", "con"), vote("c", "pro"))

    assert ("pro", 0.6667) == (found["winner"], found["votes"])


def test_without_votes_there_is_no_share() -> None:
    assert missing("no votes were cast") == msgspec.convert(agreement(belief("a", 1, 3))["votes"], type(missing("")))


def test_without_a_verdict_there_is_no_agreement() -> None:
    found = agreement(vote("a", "neither"), end=DebateConcluded(winner="neither", by_rule="no_judgement"))

    assert {"missing": {"reason": "the judge reached no verdict"}} == found["votes"]


def test_changes_of_belief_agree_with_the_winner_of_the_exchange_or_not() -> None:
    # Turn 2 (con) won against turn 3, turn 3 (pro) against turn 4.
    found = agreement(
        belief("a", 2, 60),
        belief("b", 2, 50),
        belief("a", 3, 40),
        belief("b", 3, 45),
        belief("a", 4, 35),
        belief("b", 4, 40),
    )

    assert {"winner": "con", "moved": -12.5, "voters": 2, "agrees": True} == found["turns"]["3"]
    assert {"winner": "pro", "moved": -5.0, "voters": 2, "agrees": False} == found["turns"]["4"]
    assert (1, 0.5) == (found["moved"], found["share"])


def test_only_voters_with_beliefs_after_both_turns_count() -> None:
    found = agreement(belief("a", 2, 60), belief("a", 3, 70), belief("late", 3, 0))

    assert {"winner": "con", "moved": 10.0, "voters": 1, "agrees": False} == found["turns"]["3"]
    assert {"3"} == found["turns"].keys()


def test_a_draw_and_an_unchanged_belief_agree_with_no_side() -> None:
    found = agreement(belief("a", 1, 50), belief("a", 2, 60), belief("a", 3, 60))

    assert {"3": False} == {turn: each["agrees"] for turn, each in found["turns"].items()}


# visibility


ACTS: tuple[Event, ...] = (vote("a", "pro"), belief("a", 2, 60), belief("a", 3, 40))


def test_before_the_end_only_the_director_sees_the_audience() -> None:
    live = fold(debated(*ACTS, end=None))
    director = msgspec.json.decode(msgspec.json.encode(views.for_director(live).audience))

    assert b"audience" not in msgspec.json.encode(live.view)
    assert {"pro": 1, "con": 0, "neither": 0, "cast": 1} == director["votes"]
    assert "agreement" not in director


def test_after_the_end_everyone_sees_the_audience() -> None:
    ended = fold(debated(*ACTS))

    assert views.for_director(ended).audience == ended.view.audience
    assert {"votes", "shares", "beliefs", "agreement"} == msgspec.to_builtins(ended.view.audience).keys()


def test_without_votes_and_beliefs_the_view_has_no_audience() -> None:
    assert b"audience" not in msgspec.json.encode(fold(debated()).view)


@pytest.mark.parametrize("is_director", [False, True])
def test_frames_add_up_to_the_view(is_director: bool) -> None:
    patched: Any = {}
    state = views.INITIAL
    for record in recorded(debated(*ACTS, ModeratorSpoke(text="Costs?", by="Ada"), *ACTS[:1])):
        after = views.apply(state, record)
        before = views.for_director(state) if is_director else state.view
        now = views.for_director(after) if is_director else after.view
        patch = msgspec.json.decode(msgspec.json.encode(views.difference(before, now)))
        if record.event in ACTS and not is_director:
            assert {"position"} == patch.keys()
        patched, state = merge(patched, patch), after

    assert msgspec.json.decode(msgspec.json.encode(state.view)) == patched


# the moderator's message


def test_a_message_is_placed_after_the_newest_turn_that_did_not_get_it() -> None:
    def word(text: str) -> ModeratorSpoke:
        return ModeratorSpoke(text=text, by="Ada")

    state = fold([opened(), word("first"), started(1), word("second"), spoken(1), word("third")])
    words = msgspec.to_builtins(state.view.words)

    assert {"2": 0, "4": 1, "6": 1} == {at: each["after_turn"] for at, each in words.items()}
    assert {"text": "first", "by": "Ada", "after_turn": 0} == words["2"]


def test_a_vote_does_not_change_the_next_steps() -> None:
    events = debated(*ACTS, end=None)

    assert len(events) - len(ACTS) == fold(events).debate.course
    assert len(events) == fold(events).debate.position
