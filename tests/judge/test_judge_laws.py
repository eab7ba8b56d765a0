"""Laws of the judge for any answers: the numbers add up, no conflict is missed, and quotes are exact.

The tests recompute everything from the events without the folds.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from events.state import debate as debates
from events.state.debate import Debate
from events.types import (
    ClaimCleared,
    ClaimFlagged,
    ClaimKind,
    ClaimUpheld,
    ContradictionFound,
    ConvergenceKind,
    Event,
    FindingRefused,
    LogicGapAdjusted,
    NarrativeVerdictReached,
    Pattern,
    PenaltyApplied,
    PenaltyReversed,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    ScoreChange,
    ScoreHarmonized,
    TurnsCompared,
    TurnScored,
    TurnSpoken,
)
from judge.lenient import read_as
from judge.live import claims, comparison, convergence, gaps, scoring, spine, verdicts
from judge.live.answers import Answers
from judge.live.event_batch import EventBatch
from tests.judge.turns import NO_ANSWER, RUBRIC, comparison_answer, debate_of, given, record, scored, side_of, speak
from tests.laws import examples

WORDS = ("trams", "carry", "63 percent", "of all", "people", "Cars", "stand", "“still”", "because", "judges", "—", "İ")
SPEECH = st.lists(st.sampled_from(WORDS), min_size=4, max_size=14).map(" ".join)
POINTS = {name: dimension.maximum for name, dimension in RUBRIC.dimensions.items()}
REASON = st.text(max_size=8)


@st.composite
def quotes(draw: st.DrawFn, said: Sequence[str]) -> str:
    """Words of a turn, sometimes words of no turn."""
    if draw(st.integers(0, 9)) == 9:
        return draw(st.text(max_size=30) | SPEECH)
    text = draw(st.sampled_from(said))
    start = draw(st.integers(0, max(len(text) - 9, 0)))
    return text[start : start + draw(st.integers(8, 40))]


@st.composite
def answered(draw: st.DrawFn, one: st.SearchStrategy[Any]) -> Answers[Any]:
    """No answer, one, or up to three that may disagree; their positions are before the turn's batch."""
    match draw(st.integers(0, 9)):
        case 0:
            return NO_ANSWER
        case 1 | 2:
            samples = draw(st.lists(one, min_size=1, max_size=3))
        case 3 | 4:
            samples = [draw(one)] * 2 + [draw(one)]
        case _:
            samples = [draw(one)]
    return given(*samples)


def lists(one: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[list[Any]]:
    return st.lists(one, max_size=most)


def tuples(one: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return lists(one).map(tuple)


def flags(said: Sequence[str]) -> st.SearchStrategy[claims.ClaimsAnswer]:
    one = st.builds(
        claims.SuspectClaim, quote=quotes(said[-1:]), kind=st.sampled_from(get_args(ClaimKind)), reason=REASON
    )
    return st.builds(claims.ClaimsAnswer, claims=lists(one, 4))


@st.composite
def gap(draw: st.DrawFn, said: Sequence[str]) -> gaps.Gap:
    turn = draw(st.integers(1, len(said) + 1))
    return gaps.Gap(
        turn=turn,
        fails=draw(quotes(said[turn - 1 : turn] or said)),
        exposed_by=draw(quotes(said[-1:])),
        points=draw(st.integers(1, 8)),
        reason=draw(REASON),
    )


def premises(said: Sequence[str], known: list[str]) -> st.SearchStrategy[spine.FirstPremises]:
    name = st.sampled_from([*known * 4, "P1.1", "P2.1", "P9.9", f"P{len(said)}.1"])
    stated = tuples(st.builds(spine.Stated, text=SPEECH | REASON, quote=quotes(said[-1:])))
    return st.builds(spine.FirstPremises, stated=stated) | st.builds(
        spine.PremisesAnswer,
        stated=stated,
        revised=tuples(st.builds(spine.Revised, premise=name, text=SPEECH | REASON)),
        dropped=tuples(st.builds(spine.Dropped, premise=name, reason=REASON)),
        contradictions=tuples(st.builds(spine.Contradicted, premises=lists(name, 2), reason=REASON)),
    )


CHOICE = st.sampled_from(("first", "second", "draw"))
MIRRORED = {"first": "second", "second": "first", "draw": "draw"}
OPINION = st.builds(claims.SecondOpinion, verdict=st.sampled_from(("upheld", "cleared")), reason=REASON)
CITES = lists(st.sampled_from(("P1.1", "C1.1", "turn 1", "Turn 2", "turn 9", "C9.9", "?")), 6)
ARC = st.builds(verdicts.SpeakerNarrative, evolution=REASON, fractures=REASON, held=REASON)
NARRATIVE = st.builds(
    verdicts.NarrativeAnswer,
    A=ARC,
    B=ARC,
    pattern=st.sampled_from(get_args(Pattern)),
    explanation=REASON,
    winner=st.sampled_from(("A", "B", "neither")),
    cites=CITES,
)
DRIFT = st.builds(convergence.DriftAnswer, early=REASON, late=REASON)
CONVERGENCE = st.builds(
    convergence.ConvergenceAnswer, A=DRIFT, B=DRIFT, reason=REASON, kind=st.sampled_from(get_args(ConvergenceKind))
)


@st.composite
def orders(draw: st.DrawFn) -> tuple[Answers[Any], Answers[Any]]:
    """Two orders that mostly agree."""
    won = {name: draw(CHOICE) for name in RUBRIC.bands}
    back = {name: MIRRORED[each] if draw(st.integers(0, 5)) else draw(CHOICE) for name, each in won.items()}
    return draw(answered(st.just(comparison_answer(**won)))), draw(answered(st.just(comparison_answer(**back))))


@st.composite
def points(draw: st.DrawFn) -> dict[str, float]:
    """Scores that often lie at a floor, a ceiling or the edge of a band."""
    edges = st.sampled_from((0, 0.5, 1, 2, 16, 16.5, 17, 21, 21.7, 22, 23))
    return {
        name: min(draw(edges | st.integers(0, 10 * most).map(lambda tenths: tenths / 10)), most)
        for name, most in POINTS.items()
    }


@st.composite
def desks(draw: st.DrawFn) -> EventBatch:
    """A debate of up to five turns with random answers of the judge."""
    batch = debate_of()
    said: list[str] = []
    for turn in range(1, draw(st.integers(2, 5)) + 1):
        said.append(draw(SPEECH))
        speak(batch, said[-1])
        if draw(st.integers(0, 7)):
            batch.add(scored(turn, **draw(points())), batch.debate.position)
        else:
            scoring.record_score(batch, turn, NO_ANSWER)
        if turn > 1:
            comparison.harmonize(batch, comparison.compare_turns(batch, turn - 1, turn, *draw(orders())))
        claims.flag_claims(batch, turn, draw(answered(flags(said))))
        if turn > 1:
            gaps.dock(batch, turn, draw(answered(st.builds(gaps.GapsAnswer, gaps=lists(gap(said))))))
        mine = [name for name, each in batch.debate.spine.premises.items() if each.side == side_of(turn)]
        spine.record_premises(batch, turn, draw(answered(premises(said, mine))))
        for claim in draw(lists(st.sampled_from([*batch.debate.claims, "C9.9"]))):
            claims.settle(batch, claim, draw(answered(OPINION)), by="second")
    verdicts.record_narrative(batch, draw(answered(NARRATIVE)))
    verdicts.record_conflict(batch, draw(answered(st.builds(verdicts.ConflictAnswer, text=REASON, cites=CITES))))
    convergence.record_convergence(batch, draw(answered(CONVERGENCE)))
    return batch


def happened(batch: EventBatch) -> list[Event]:
    return [draft.event for draft in batch.drafts]


def prefixes(events: Sequence[Event]) -> Iterator[tuple[list[Event], Debate]]:
    """Yield every prefix with its fold."""
    state = Debate()
    for position, event in enumerate(events, 1):
        state = debates.evolve(state, record(position, event))
        yield list(events[:position]), state


# computed without the folds


class Sums:
    """Effective values as sums over the events, without the ledger."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.sums: dict[tuple[int, str], float] = {}
        for event in events:
            if isinstance(event, TurnScored) and isinstance(event.dimensions, dict):
                self.sums |= {(event.turn, name): each.admitted for name, each in event.dimensions.items()}
            elif isinstance(event, ScoreChange):
                self.sums[event.turn, event.dimension] += event.requested

    def effective(self) -> dict[tuple[int, str], float]:
        return {at: round(min(max(sum_, 0.0), float(POINTS[at[1]])), 2) for at, sum_ in self.sums.items()}


def conflicts(events: Sequence[Event]) -> set[tuple[int, int, str]]:
    """(later turn of the comparison, turn, dimension) of every score outside its band."""
    stands = Sums(events).effective()
    found = set()
    for event in events:
        if not isinstance(event, TurnsCompared) or not isinstance(event.outcomes, dict):
            continue
        for name, outcome in event.outcomes.items():
            for place, turn in (("earlier", event.earlier), ("later", event.later)):
                if outcome == "draw" or (turn, name) not in stands:
                    continue
                low, high = RUBRIC.bands[name].winner if outcome == place else RUBRIC.bands[name].loser
                if stands[turn, name] < low or stands[turn, name] > high:
                    found.add((event.later, turn, name))
    return found


# the laws


def law_the_ledger_sums_to_the_card_at_every_prefix(batch: EventBatch) -> None:
    for events, state in prefixes(happened(batch)):
        card = {
            (turn, name): balance.effective
            for turn, each in state.ledger.cards.items()
            for name, balance in each.balances.items()
        }
        applied: dict[tuple[int, str], float] = defaultdict(float)
        for entry in state.ledger.entries:
            assert entry.before == round(applied[entry.turn, entry.dimension], 2)
            applied[entry.turn, entry.dimension] += entry.applied
            assert entry.after == round(applied[entry.turn, entry.dimension], 2)

        assert Sums(events).effective() == card
        assert {at: round(sum_, 2) for at, sum_ in applied.items()} == card
        assert all(
            balance.effective == balance.after()
            for each in state.ledger.cards.values()
            for balance in each.balances.values()
        )
        for each in state.ledger.cards.values():
            if each.balances:
                assert round(sum(each.balances[name].effective for name in ("logic", "rhetoric", "tactics")), 2) == (
                    each.composite(state.ledger.dimensions)
                )


def law_no_anomaly_is_missed_or_made_up_at_any_prefix(batch: EventBatch) -> None:
    for events, state in prefixes(happened(batch)):
        shown = {
            (state.exchanges.comparisons[int(key.split(".")[0].split("-")[1])].later, each.turn, each.dimension)
            for key, each in state.exchanges.anomalies.items()
        }

        assert conflicts(events) == shown
        assert all(
            Sums(events).effective()[each.turn, each.dimension] == each.effective
            for each in state.exchanges.anomalies.values()
        )


def law_the_life_of_a_claim_is_legal(batch: EventBatch) -> None:
    life: dict[str, list[str]] = defaultdict(list)
    paid: dict[str, float] = defaultdict(float)
    for event in happened(batch):
        match event:
            case ClaimFlagged():
                life[event.claim].append("flagged")
                assert event.claim.startswith(f"C{event.turn}.")
            case PenaltyApplied() if isinstance(event.claim, str):
                life[event.claim].append("paid")
                paid[event.claim] += event.requested
            case ClaimUpheld():
                life[event.claim].append("upheld")
            case ClaimCleared():
                life[event.claim].append("cleared")
            case PenaltyReversed():
                assert isinstance(event.claim, str)
                life[event.claim].append("returned")
                paid[event.claim] += event.requested

    legal = {
        ("flagged",),
        ("flagged", "upheld"),
        ("flagged", "cleared"),
        ("flagged", "paid"),
        ("flagged", "paid", "upheld"),
        ("flagged", "paid", "cleared", "returned"),
    }
    assert set() == {tuple(each) for each in life.values()} - legal
    assert not [claim for claim, each in life.items() if "returned" in each and paid[claim]]
    assert sorted(life) == sorted(batch.debate.claims)


def law_nobody_is_misquoted(batch: EventBatch) -> None:
    said: dict[int, str] = {}
    for event in happened(batch):
        match event:
            case TurnSpoken():
                said[event.turn] = event.text
            case ClaimFlagged() | PremiseStated():
                assert said[event.turn][slice(*event.span)] == event.quote
            case LogicGapAdjusted():
                assert event.fails.turn == event.turn < event.exposed_by.turn
                for passage in (event.fails, event.exposed_by):
                    assert said[passage.turn][slice(*passage.span)] == passage.quote
            case NarrativeVerdictReached():
                assert all(verdicts.is_citable(batch.debate, cite) for cite in event.cites)


def law_a_change_is_never_larger_than_asked_and_follows_from_something(batch: EventBatch) -> None:
    events = happened(batch)
    for position, event in enumerate(events, 1):
        if isinstance(event, ScoreChange):
            assert 0 < event.because_of < position
            assert 0 <= event.applied / event.requested <= 1.0001  # rounded to two decimals
            assert (event.applied == event.requested) == ("applied:" not in event.reason)
        if isinstance(event, PenaltyApplied | LogicGapAdjusted):
            assert event.requested < 0
    banded = [(each.turn, each.dimension) for each in events if isinstance(each, ScoreHarmonized)]
    assert len(banded) == len(set(banded))
    docked = [(each.turn, each.fails.span) for each in events if isinstance(each, LogicGapAdjusted)]
    assert not [
        one
        for at, (one, span) in enumerate(docked)
        for two, other in docked[:at]
        if one == two and span[0] < other[1] and other[0] < span[1]
    ]


def law_the_spine_names_only_what_stands_and_only_its_own(batch: EventBatch) -> None:
    live: dict[str, str] = {}
    for event in happened(batch):
        match event:
            case PremiseStated():
                assert event.premise not in live
                assert side_of(event.turn) == event.side
                live[event.premise] = event.side
            case PremiseRevised():
                assert side_of(event.turn) == live[event.premise]
            case PremiseDropped():
                assert side_of(event.turn) == live[event.premise]
                live[event.premise] = "gone"
            case ContradictionFound():
                assert {event.side} == {live[name] for name in event.premises}


def law_a_refusal_changes_no_number(batch: EventBatch) -> None:
    before = Debate()
    for _, state in prefixes(happened(batch)):
        refused = [draft.event for draft in batch.drafts[before.position : state.position]]
        if refused and isinstance(refused[-1], FindingRefused):
            assert (before.ledger, before.claims, before.spine) == (state.ledger, state.claims, state.spine)
        before = state


LAWS = (
    law_the_ledger_sums_to_the_card_at_every_prefix,
    law_no_anomaly_is_missed_or_made_up_at_any_prefix,
    law_the_life_of_a_claim_is_legal,
    law_nobody_is_misquoted,
    law_a_change_is_never_larger_than_asked_and_follows_from_something,
    law_the_spine_names_only_what_stands_and_only_its_own,
    law_a_refusal_changes_no_number,
)


@pytest.mark.slow
@examples(15, whole=100)
@drawn(desks())
def test_the_laws_hold(batch: EventBatch) -> None:
    for law in LAWS:
        law(batch)


@pytest.mark.slow
@examples(20, whole=60)
@drawn(SPEECH, st.integers(1, 4), st.data())
def test_a_score_of_any_type_is_taken(text: str, turn: int, data: st.DataObject) -> None:
    batch = debate_of(*[text] * turn)
    card = scoring.score_type(RUBRIC, turn)
    samples = [
        {
            "components": {
                name: {
                    "points": data.draw(st.integers(0, each.maximum)),
                    "reason": "",
                    "quote": data.draw(quotes([text])),
                }
                for name, each in scoring.applicable(RUBRIC, turn).items()
            }
        }
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    scoring.record_score(batch, turn, given(*(read_as(each, card, scoring.ScoreAnswer)[0] for each in samples)))

    assert isinstance(happened(batch)[-1], TurnScored)
    assert all(0 <= each.effective <= each.maximum for each in batch.debate.ledger.cards[turn].balances.values())
