"""Which debates count in a league, who their players are, and what noise their verdicts have."""

import anyio
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Envelope
from events.store.listing import Summary
from events.store.memory import MemoryLog
from events.types import (
    DebateConcluded,
    DebateOpened,
    Event,
    Missing,
    ModelAnswered,
    Origin,
    ScorecardVerdictReached,
    SeatHandedOver,
    TurnSpoken,
    Usage,
)
from events.types.base import missing
from judge.league.results import LeadReading, LeagueMatch
from judge.rubrics.rubric import default_rubric, rubric_v2
from server.league import matches as rules
from server.league.matches import LeagueDebate, held_debate, reading_of
from tests.server.league.planted import events_of

MATCH = LeagueMatch(
    debate="one",
    motion="Trams",
    pro="wise-1, analyst",
    con="person Ann",
    outcome="pro",
    judge="a:judge",
    reading=LeadReading(9.0, 3.0, 4.0),
)


def read(*events: Event) -> LeagueDebate:
    async def whole() -> LeagueDebate:
        log = MemoryLog()
        await log.append("one", 0, [*events])
        return await held_debate(log, "one")

    return anyio.run(whole)


def changed(
    *, opening: dict[str, object] | None = None, end: Event | None = None, more: Event | None = None
) -> list[Event]:
    """The events of a match with some of them replaced."""
    first, *others, last = events_of(MATCH)
    assert isinstance(first, DebateOpened)
    added = [] if more is None else [more]
    return [replace(first, **(opening or {})), *added, *others, end or last]


def test_a_player_is_a_model_as_served_with_its_character_or_a_person() -> None:
    found = read(*events_of(MATCH))

    assert ("wise-1, analyst", "Ann", ("Ann",)) == (found.pro, found.con, found.people)
    assert ("pro", "", "a:judge") == (found.outcome, found.why, found.judge)


@pytest.mark.parametrize(
    ("events", "why"),
    [
        (changed(more=SeatHandedOver(seat="con", model="other:model", reason="time_out")), rules.HANDED_OVER),
        (changed(end=DebateConcluded(winner="neither", by_rule="no_judgement")), rules.NOT_JUDGED),
        (changed(end=DebateConcluded(winner="neither", by_rule="baseline")), rules.NOT_JUDGED),
        (changed(opening={"origin": Origin(kind="fork", debate="zero", position=1, digest="")}), rules.FORK),
        (events_of(MATCH)[:-1], rules.NOT_ENDED),
    ],
    ids=["handed over", "no judgement", "baseline", "fork", "not ended"],
)
def test_a_debate_that_does_not_count_says_why(events: list[Event], why: str) -> None:
    assert why == read(*events).why


def test_two_models_for_one_side_are_no_player() -> None:
    events = events_of(MATCH)
    other = next(each for each in events if isinstance(each, TurnSpoken) and each.side == "pro")

    assert rules.SEVERAL_MODELS == read(*events[:-1], replace(other, turn=3, model="wise-2"), events[-1]).why


def test_words_marks_and_costs_of_both_sides_are_counted() -> None:
    def paid(side: str, cost: float | Missing) -> ModelAnswered:
        return ModelAnswered(
            call=f"speak:{side}",
            key=f"speak:{side}",
            purpose="speak",
            turn=1,
            sample=1,
            order=(),
            model="wise-1",
            parameters={},
            usage=Usage(),
            latency_ms=1,
            cost_usd=cost,
            prompt=(),
            segments={},
            answer="",
            reasoning="",
        )

    events = events_of(MATCH)
    spoken = next(each for each in events if isinstance(each, TurnSpoken) and each.side == "pro")
    long = replace(spoken, turn=3, text="# Trams\n- fast\n- **cheap**\n1. clean", words=200)
    found = read(*events[:-1], long, paid("pro", 0.25), paid("pro", 0.5), paid("con", 0.1), events[-1])
    unpriced = read(*events[:-1], paid("con", missing("no price")), events[-1])

    assert (2.0, 5.0) == found.controls
    assert found.costs == pytest.approx((0.75, 0.1))
    assert unpriced.costs is None


def test_the_reading_names_a_side_where_the_verdict_did() -> None:
    first, *_, card, _ = events_of(MATCH)
    assert isinstance(first, DebateOpened)
    assert isinstance(card, ScorecardVerdictReached)
    found = reading_of(first, card)
    assert found is not None

    assert (9.0, 3.0) == (found.lead, found.error)
    assert 3.0 * 1.28 < found.limit < 3.0 * 2.0  # Student's quantile at 90 %, with the prior


def test_without_a_certainty_the_lab_has_the_noise_and_without_both_there_is_none() -> None:
    first, *_, card, _ = events_of(MATCH)
    assert isinstance(first, DebateOpened)
    assert isinstance(card, ScorecardVerdictReached)
    older = replace(first, rubric=rubric_v2())
    bare = replace(card, certainty=UNSET, error=UNSET, pairs=UNSET, leaning=UNSET)
    found = reading_of(older, replace(bare, noise=4.0))

    assert found is not None
    assert found.error == pytest.approx(4.0 / 1.96, abs=0.01)
    assert found.limit in {rubric_v2().tie_within, 4.0}
    assert reading_of(older, bare) is None


def test_a_log_that_cannot_be_read_is_left_out() -> None:
    class Broken(MemoryLog):
        async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
            found = await super().envelopes(debate, after, limit)
            return tuple(replace(each, payload=b"{") for each in found)

    async def whole() -> LeagueDebate:
        log = Broken()
        await log.append("one", 0, events_of(MATCH))
        return await held_debate(log, "one")

    assert rules.UNREAD == anyio.run(whole).why
    assert default_rubric().certainty


def test_of_too_many_players_those_with_most_debates_are_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_PLAYERS", 3)
    pairs = ("ab", "ab", "bc", "ca", "ad", "de")
    held = read(*events_of(MATCH))
    known = {str(at): replace(held, id=str(at), pro=pro, con=con, people=()) for at, (pro, con) in enumerate(pairs)}
    rows = [
        Summary(
            id=each, motion="m", state="concluded", format="exchange", turns_planned=2, turns_spoken=2, opened_at="",
            exhibition=None, pro="", con="", judge="", position=9,
        )
        for each in known
    ]  # fmt: skip
    found = rules.counted(rows, known, ())

    assert [(each.pro, each.con) for each in found.matches] == [tuple(each) for each in pairs[:4]]
    assert found.left_out == {rules.BEYOND: 2}
