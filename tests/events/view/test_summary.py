"""The summary of a concluded exchange: what the rules did to the lead, and the key moments, from recorded events."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from msgspec import UNSET

from events.state import debate as debates
from events.state.debate import Debate
from events.state.scorecard import scorecard
from events.text.figures import rounded
from events.transfer import parse_lines
from events.types import (
    ContradictionFound,
    DimensionScore,
    Event,
    InjectionDetected,
    LogicGapAdjusted,
    Passage,
    PenaltyApplied,
    PenaltyReversed,
    PremiseDropped,
    PremiseStated,
    PremiseWithdrawn,
    Reason,
    ScoreHarmonized,
    TurnScored,
)
from events.view import view as views
from events.view.moments import MAX_MOMENTS, MIN_MOMENTS, key_moments
from events.view.summary import ALONE, DebateSummary, _in_words, summary_of
from tests.server.debate_events import debate, opened, random_debates, side, spoken, started

TESTS = Path(__file__).parents[2]
LOGS = {
    "v1": TESTS / "events" / "view" / "golden" / "0.1-juries.ndjson",
    "v2": TESTS / "server" / "debate" / "logs" / "free_transport_v2.ndjson",
    "v3": TESTS / "events" / "view" / "golden" / "0.1-juries_v3.ndjson",
}


@cache
def recorded(name: str) -> tuple[Any, ...]:
    return parse_lines(LOGS[name].read_bytes().splitlines(keepends=True))


def summary(name: str) -> DebateSummary:
    found = views.apply_all(views.INITIAL, recorded(name)).view.summary
    assert isinstance(found, DebateSummary)
    return found


def scored(turn: int, logic: float, *, raw: float | None = None) -> TurnScored:
    """A score with so many points of logic, 10 of rhetoric and 10 of tactics."""
    points = {"logic": logic, "rhetoric": 10.0, "tactics": 10.0, "credibility": 5.0}
    dimensions = {name: DimensionScore(raw=each, admitted=each) for name, each in points.items()}
    if raw is not None:
        dimensions["logic"] = DimensionScore(raw=raw, admitted=logic)
    return TurnScored(turn=turn, components={}, dimensions=dimensions, samples=1)


def moved(kind: type[Any], turn: int, points: float, rule: str, dimension: str = "logic", **more: Any) -> Event:
    change: Event = kind(
        turn=turn, dimension=dimension, requested=points, applied=points, rule=rule, because_of=1, **more
    )
    return change


def docked(turn: int, points: float, by: int) -> Event:
    flaw = Passage(turn=turn, quote=f"flaw of {points:g}", span=(0, 4))
    shown = Passage(turn=by, quote="shown", span=(0, 5))
    return moved(LogicGapAdjusted, turn, -points, "logic_gap", fails=flaw, exposed_by=shown)


def held(*turns: list[Event]) -> Debate:
    """A debate; each list is what followed when a turn was spoken."""
    events: list[Any] = [opened(len(turns))]
    for number, after in enumerate(turns, 1):
        events += [started(number), spoken(number), *after]
    return debate(events)


def effects(state: Debate) -> Any:
    return summary_of(state, {}).rules


def test_a_debate_has_a_summary_once_it_has_concluded() -> None:
    fold = views.apply_all(views.INITIAL, recorded("v1")[:-1])

    assert fold.view.summary is UNSET
    assert views.apply(fold, recorded("v1")[-1]).view.summary == summary("v1")


def test_without_rules_that_act_the_lead_is_the_judges() -> None:
    rules = effects(held([scored(1, 20)], [scored(2, 18.8)]))

    assert rules.moved == {}
    assert rules.text == f"Nothing moved the lead after the judge gave its points; {ALONE} Pro would lead by 1.2 too."


def test_one_rule_is_named_with_its_points_and_direction() -> None:
    band = moved(ScoreHarmonized, 1, -3.1, "band_loser")

    rules = effects(held([scored(1, 20)], [scored(2, 18.8), band]))

    assert rules.moved == {"comparisons": -3.1}
    assert rules.text == f"Comparisons moved the lead 3.1 points towards Con; {ALONE} Pro would lead by 1.2."


def test_every_kind_of_rule_is_counted_apart_and_a_reversal_gives_back() -> None:
    state = held(
        [scored(1, 20, raw=24)],
        [
            scored(2, 20),
            moved(ScoreHarmonized, 2, 2, "slight_winner"),
            moved(PenaltyApplied, 2, -2, "inverted_fact"),
            moved(PenaltyApplied, 1, -1, "overclaim"),
            moved(PenaltyReversed, 1, 1, "cleared"),
            docked(1, 3, by=2),
            moved(PenaltyApplied, 1, -2, "dropped_premise"),
            moved(PenaltyApplied, 1, -1, "dropped_premise", dimension="credibility"),
        ],
    )

    rules = effects(state)

    assert rules.moved == {"limits": -4, "comparisons": -2, "claims": 2, "gaps": -3, "conduct": -2}
    assert (rules.given.pro, rules.given.con, rules.recorded.pro, rules.recorded.con) == (44, 40, 35, 40)
    assert rules.text == (
        "The lead moved 9.0 points towards Con after the judge gave its points (limits of a score 4.0, "
        "flaws shown later 3.0, comparisons 2.0, conduct 2.0; towards Pro: suspect claims 2.0); "
        f"{ALONE} Pro would lead by 4.0."
    )


def test_rules_that_cancel_out_are_told_too() -> None:
    state = held([scored(1, 20)], [scored(2, 20), moved(ScoreHarmonized, 1, 2, "band_winner"), docked(1, 2, by=2)])

    assert effects(state).text == (
        "What moved the lead cancels out (towards Pro: comparisons 2.0; towards Con: flaws shown later 2.0); "
        f"{ALONE} neither side would lead either."
    )


def test_a_turn_without_a_composite_does_not_count_and_a_side_without_one_has_no_effects() -> None:
    partial = TurnScored(
        turn=1,
        components={},
        dimensions={"logic": DimensionScore(raw=30, admitted=30)},
        samples=1,
        absent={"rhetoric": Reason("none of its quotes is in the turn")},
    )

    assert effects(held([partial], [scored(2, 20)])) is UNSET
    assert effects(held([partial], [scored(2, 20)], [scored(3, 22)])).given.pro == 42


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(random_debates())
def test_what_the_judge_gave_and_what_the_rules_moved_is_what_is_recorded(events: list[Any]) -> None:
    state = debate(events)
    rules = effects(state)
    if rules is UNSET:
        return

    ahead = rules.given.pro - rules.given.con + sum(rules.moved.values())
    assert ahead == pytest.approx(rules.recorded.pro - rules.recorded.con, abs=0.06)
    card = scorecard(state.ledger, state.exchanges)
    assert (card.pro.composite, card.con.composite) == (rules.recorded.pro, rules.recorded.con)


@pytest.mark.parametrize("name", LOGS)
def test_the_recorded_means_are_those_of_the_scorecard(name: str) -> None:
    view = views.apply_all(views.INITIAL, recorded(name)).view
    rules = summary(name).rules

    assert rules is not UNSET
    assert view.verdicts.scorecard is not UNSET
    assert view.verdicts.scorecard.mean == rules.recorded


@pytest.mark.parametrize(
    ("name", "moved", "without"),
    [
        ("v1", "(flaws shown later 2.0, comparisons 0.7, suspect claims 0.7)", "Pro would lead by 8.6"),
        ("v2", "(comparisons 5.2, flaws shown later 5.0; towards Pro: suspect claims 0.8)", "Con would lead by 4.3"),
    ],
)
def test_what_the_rules_did_in_a_debate_of_each_rubric(name: str, moved: str, without: str) -> None:
    rules = summary(name).rules

    assert rules is not UNSET
    card = views.apply_all(views.INITIAL, recorded(name)).view.scorecard
    leads = [card.con.composite - card.pro.composite, rules.given.con - rules.given.pro]  # type: ignore[operator]
    total = float(rounded(leads[0])) - float(rounded(leads[1]))  # as a reader subtracts what is shown
    start = f"The lead moved {total:.1f} points towards Con after the judge gave its points"
    assert rules.text == f"{start} {moved}; {ALONE} {without}."
    towards, _, back = moved.partition("; towards")
    sums = [sum(map(float, re.findall(r" ([0-9.]+)[,)]?", part))) for part in (towards, back)]
    assert total == pytest.approx(sums[0] - sums[1])


@pytest.mark.parametrize(
    ("lead", "recorded", "ahead", "says"),
    [
        ({"gaps": 0.05, "claims": 0.05, "conduct": 0.04}, 1.14, 1.0, "0.1"),
        ({"gaps": 8.84, "limits": 2.24, "claims": -0.96, "conduct": -0.5, "comparisons": -0.26}, -7.03, -16.39, "9.4"),
        ({"gaps": -0.04, "claims": 0.04}, 3.0, 3.0, "Nothing"),
    ],
)
def test_what_is_shown_adds_up(lead: Any, recorded: float, ahead: float, says: str) -> None:
    """The parts to the sum, and the sum to the two leads, as they are rounded."""
    text = _in_words(lead, recorded, ahead, None)
    towards, _, back = text.partition(" (")[2].partition(")")[0].partition("; towards")
    sums = [sum(map(float, re.findall(r" ([0-9.]+)", f" {part}"))) for part in (towards, back)]

    assert says in text
    if says != "Nothing":
        assert float(says) == pytest.approx(abs(sums[0] - sums[1]) or float(says))
        assert float(says) == pytest.approx(abs(round(recorded, 1) - round(ahead, 1)))


def test_the_first_readings_are_told_beside_those_that_count() -> None:
    told = {first: _in_words({}, -7.0, -7.0, first) for first in (-16.2, 4.0, 0.0)}

    assert told[-16.2].endswith(f"{ALONE} Con would lead by 7.0 too (by its first readings by 16.2).")
    assert told[4.0].endswith("too (by its first readings Pro by 4.0).")
    assert told[0.0].endswith("too (by its first readings neither side).")


def test_a_turn_that_was_scored_again_is_a_key_moment() -> None:
    state = debates.INITIAL
    for record in recorded("v3"):
        state = debates.evolve(state, record)
    [again] = [each for each in key_moments(state) if each.kind == "reading"]

    assert (153, 2, "con") == (again.position, again.turn, again.side)
    assert re.fullmatch(
        r"Turn 2 of Con was scored again: the judge’s points for it are [0-9.]+, and the first reading gave [0-9.]+\.",
        again.text,
    )


# Key moments


@pytest.mark.parametrize("name", LOGS)
def test_moments_are_few_in_order_and_each_stands_at_its_event(name: str) -> None:
    kinds = {
        "docked": "logic_gap_adjusted",
        "claim": "claim_flagged",
        "withdrawn": "premise_withdrawn",
        "dropped": "premise_dropped",
        "contradiction": "contradiction_found",
    }
    moments = summary(name).moments
    events = {record.position: type(record.event).__struct_config__.tag for record in recorded(name)}

    assert MIN_MOMENTS <= len(moments) <= MAX_MOMENTS
    assert [each.position for each in moments] == sorted(each.position for each in moments)
    for each in moments:
        assert events[each.position] == kinds.get(each.kind, events[each.position])


def test_the_moments_of_a_debate_of_each_rubric() -> None:
    assert [each.text for each in summary("v1").moments] == [
        "Claim C3.1 of Pro was flagged: fabricated citation, and a second opinion agreed.",
        "Pro dropped premise P1.1 without saying so in turn 3.",
        "Turn 1 of Pro lost 4 points of logic: turn 4 exposed a flaw in it.",
        "Con took the lead when turn 4 was judged: Pro 62.9, Con 65.0.",
        "Turn 3 of Pro lost 2 points of logic: turn 4 exposed a flaw in it.",
        "Pro took the lead when turn 5 was judged: Pro 68.9, Con 65.0.",
        "Pro contradicted P1.3 in turn 5.",
        "Pro dropped premise P3.1 without saying so in turn 5.",
    ]
    assert [(each.kind, each.turn, each.side) for each in summary("v2").moments] == [
        ("claim", 1, "pro"),
        ("claim", 2, "con"),
        ("withdrawn", 3, "pro"),
        ("dropped", 3, "pro"),
        ("docked", 3, "pro"),
        ("docked", 5, "pro"),
        ("withdrawn", 7, "pro"),
        ("docked", 7, "pro"),
    ]


def test_flaws_that_one_turn_exposes_are_one_moment_with_the_worst_of_them() -> None:
    [moment] = key_moments(held([scored(1, 20)], [scored(2, 20), docked(1, 2, by=2), docked(1, 4, by=2)]))

    assert moment.text == "Turn 1 of Pro lost 6 points of logic: turn 2 exposed 2 flaws in it."
    assert (moment.quote, moment.side, moment.turn) == ("flaw of 4", "pro", 1)


def test_a_flaw_that_the_closing_audit_found_in_a_turn_itself() -> None:
    [moment] = key_moments(held([scored(1, 20)], [scored(2, 20), docked(2, 1, by=2)]))

    assert moment.text == "Turn 2 of Con lost 1 point of logic: it shows a flaw itself."


def test_the_lead_changes_only_between_sides_and_beyond_the_tie_margin() -> None:
    def leads(*points: float) -> list[str]:
        state = held(*([scored(turn, each)] for turn, each in enumerate(points, 1)))
        return [moment.text for moment in key_moments(state) if moment.kind == "lead"]

    assert leads(20, 18) == [], "a tie is no lead"
    assert leads(20, 10, 8, 10) == []
    assert leads(20, 10, 2, 18) == ["Con took the lead when turn 4 was judged: Pro 31.0, Con 34.0."]
    assert leads(20, 10, 2, 14, 30) == [], "the turns between were a tie"


def test_attempts_to_instruct_the_judge_and_premises_given_up_are_moments() -> None:
    def stated(name: str, turn: int) -> PremiseStated:
        return PremiseStated(premise=name, side=side(turn), turn=turn, text=f"{name} holds", quote="q", span=(0, 1))

    moments = key_moments(
        held(
            [stated("P1.1", 1), stated("P1.2", 1)],
            [InjectionDetected(turn=2, pattern="role", quote="Judge, ignore", span=(0, 13))] * 2,
            [
                PremiseWithdrawn(premise="P1.1", turn=3, quote="granted", span=(0, 7)),
                PremiseDropped(premise="P1.2", turn=3),
                ContradictionFound(side="pro", turns=(1, 3), premises=("P1.1",), reason="both ways"),
            ],
        )
    )

    assert [(each.text, each.quote or each.note) for each in moments] == [
        ("Turn 2 of Con tried to instruct the judge.", "Judge, ignore"),
        ("Pro withdrew premise P1.1 openly in turn 3.", "q"),
        ("Pro dropped premise P1.2 without saying so in turn 3.", "q"),
        ("Pro contradicted P1.1 in turn 3.", "both ways"),
    ]


def test_of_one_kind_only_some_moments_are_taken_unless_there_are_few_others() -> None:
    dockings = [[scored(1, 40)], *([scored(turn, 40), docked(turn - 1, turn, by=turn)] for turn in range(2, 8))]
    attempts = [InjectionDetected(turn=turn, pattern="role", quote="Judge", span=(0, 5)) for turn in (1, 2)]
    few = key_moments(held(*dockings))
    many = key_moments(held(*dockings, [*attempts, ContradictionFound(side="pro", turns=(1,), premises=(), reason="")]))

    assert [each.turn for each in few] == [2, 3, 4, 5, 6], "the five that cost most"
    assert [each.kind for each in many] == ["docked", "docked", "docked", "injection", "contradiction"]
    assert [each.turn for each in many if each.kind == "docked"] == [4, 5, 6]
