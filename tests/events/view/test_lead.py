"""The lead: for stored debates it equals what every single event did to the view, and each format has its own."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from msgspec import UNSET

from events.record import Recorded
from events.state.parts.panel import PanelState
from events.state.parts.rounds import ArgumentState, ProtocolState
from events.state.scorecard import Scorecard, SideCard
from events.transfer import parse_lines
from events.types import (
    ArgumentTraced,
    LogicGapAdjusted,
    OpinionGiven,
    Side,
    Standing,
    TurnRescored,
    Verdict,
)
from events.view import view as views
from events.view.lead import LeadView, with_arguments, with_figures, with_opinions
from events.view.turn_view import TurnView
from events.view.view import View
from tests.server.debate_events import random_debates, recorded

GOLDEN = {
    path.stem: parse_lines(path.read_bytes().splitlines(keepends=True))
    for path in sorted((Path(__file__).parent / "golden").glob("*.ndjson"))
}


def composites(view: View) -> dict[int, float]:
    return {int(n): turn.composite for n, turn in view.turns.items() if isinstance(turn.composite, float)}


def difference_of_means(view: View) -> float | None:
    pro, con = view.scorecard.pro.composite, view.scorecard.con.composite
    return round(pro - con, 2) if isinstance(pro, float) and isinstance(con, float) else None


def told(records: list[Recorded]) -> dict[str, dict[str, Any]]:
    """The moves, read off the views before and after every event."""
    found: dict[str, dict[str, Any]] = {}
    fold = views.INITIAL
    lead = None
    for record in records:
        before, fold = composites(fold.view), views.apply(fold, record)
        after = composites(fold.view)
        changed = [turn for turn in after if after[turn] != before.get(turn)]
        if not changed:
            continue
        is_read_again = isinstance(record.event, TurnRescored)
        turn, *others = [record.event.turn, *changed] if is_read_again else changed  # type: ignore[attr-defined]
        assert is_read_again or not others
        move: dict[str, Any] = {"turn": turn, "composite": after[turn]}
        move["during"] = max(int(n) for n, each in fold.view.turns.items() if each.judged is not UNSET)
        if turn in before:
            event: Any = record.event
            move["kind"] = "rescore" if is_read_again else event.entry_kind
            applied = round(after[turn] - before[turn], 2) if is_read_again else event.applied
            move |= {"before": before[turn], "applied": applied}
            if record.event.__struct_config__.tag == "logic_gap_adjusted":
                move["by"] = event.exposed_by.turn
            if is_read_again:
                move["again"] = True
        now, was = difference_of_means(fold.view), lead
        if now is not None and now != lead:
            move["lead"] = lead = now
        if now is not None and was is not None:
            side = fold.view.turns[str(turn)].side
            move["moved"] = round(now - was if side == "pro" else was - now, 2) + 0.0
        if fold.view.lead.probability is not UNSET:  # type: ignore[union-attr]
            move["probability"] = fold.view.lead.probability  # type: ignore[union-attr]
        if isinstance(record.event, LogicGapAdjusted) and record.event.applied < 0:
            move["quote"] = record.event.fails.quote
        found[str(record.position)] = move
    return found


def check(records: Any) -> View:
    one_by_one = views.INITIAL
    for record in records:
        one_by_one = views.apply(one_by_one, record)
    view = one_by_one.view

    assert views.apply_all(views.INITIAL, records).view.lead == view.lead
    assert isinstance(view.lead, LeadView)
    assert told(records) == msgspec.to_builtins(view.lead.moves)
    figure = difference_of_means(view)
    assert (UNSET if figure is None else abs(figure)) == view.lead.points
    assert (UNSET if figure is None else "con" if figure < 0 else "pro") == view.lead.side
    is_sure = view.scorecard.leader != "neither"
    if view.scorecard.certainty is not UNSET:
        is_sure = view.scorecard.certainty >= records[0].event.rubric.certainty.name_at
    assert (figure is not None and not is_sure) == bool(view.lead.is_close)
    return view


@pytest.mark.parametrize("name", GOLDEN)
def test_the_moves_of_a_stored_debate_are_what_each_event_did(name: str) -> None:
    view = check(GOLDEN[name])

    assert isinstance(view.lead, LeadView)
    moves = list(view.lead.moves.values())
    assert {each.turn for each in moves if each.before is UNSET} == composites(view).keys()
    assert difference_of_means(view) == [each.lead for each in moves if each.lead is not UNSET][-1]


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(random_debates())
def test_the_moves_of_any_debate_are_what_each_event_did(events: list[Any]) -> None:
    check(recorded(events))


def test_an_event_sends_only_its_own_move() -> None:
    fold = views.INITIAL
    for record in GOLDEN["0.1-juries"]:
        before, fold = fold.view, views.apply(fold, record)
        patch = msgspec.to_builtins(views.difference(before, fold.view))

        assert patch.get("lead", {}).get("moves", {}).keys() <= {str(record.position)}


def card(pro: float, con: float, noise: float | Any = UNSET) -> Scorecard:
    return Scorecard(pro=SideCard(composite=pro), con=SideCard(composite=con), leader="pro", noise=noise)


@pytest.mark.parametrize(
    ("pro", "noise", "is_within"), [(72.1, 3.4, True), (73.4, 3.4, True), (75.2, 3.4, False), (75.2, UNSET, UNSET)]
)
def test_the_judges_noise_says_how_sure_a_lead_is(pro: float, noise: Any, is_within: Any) -> None:
    lead = with_figures(LeadView(), card(pro, 70.0, noise), ())

    assert ("pro", round(pro - 70.0, 2), is_within) == (lead.side, lead.points, lead.within_noise)


def test_the_samples_of_a_turn_say_how_sure_a_lead_is() -> None:
    turns = [
        TurnView(side="pro", state="judged", attempt=1, started=1, composite_spread=spread)
        for spread in (2.0, 3.0, UNSET)
    ]

    assert 1.25 == with_figures(LeadView(), card(70.0, 60.0), turns).spread
    assert UNSET is with_figures(LeadView(), card(70.0, 60.0), turns[2:]).spread


def test_without_a_score_of_each_side_there_is_no_lead() -> None:
    none = Scorecard(pro=SideCard(composite=70.0))

    assert LeadView() == with_figures(with_figures(LeadView(), card(1.0, 2.0, 3.0), ()), none, ())


def argument(side: Side, standing: Standing | None) -> ArgumentState:
    traced = UNSET if standing is None else ArgumentTraced(argument="x", standing=standing)
    return ArgumentState(side=side, turn=1, claim="", reasoning="", evidence="", opened=1, trace=traced)


def test_a_protocol_counts_the_upheld_arguments_once_one_is_weighed() -> None:
    known = {"PRO-1": argument("pro", "UPHELD"), "PRO-2": argument("pro", None), "CON-1": argument("con", None)}

    assert {"pro": 1, "con": 0} == with_arguments(LeadView(), ProtocolState(arguments=known)).upheld
    del known["PRO-1"]
    assert UNSET is with_arguments(LeadView(), ProtocolState(arguments=known)).upheld


def opinion(rater: str, round_: int, verdict: Verdict | Any) -> OpinionGiven:
    return OpinionGiven(rater=rater, model="m", round=round_, verdict=verdict)


def test_a_deliberation_counts_the_newest_verdict_of_each_rater_and_silence_changes_none() -> None:
    rounds = {
        "10": {"a": opinion("a", 10, UNSET)},
        "0": {name: opinion(name, 0, "FAIL") for name in "abcd"},
        "2": {"b": opinion("b", 2, "PASS"), "c": opinion("c", 2, "FAIL")},
    }

    assert (("FAIL", 3), ("PASS", 1)) == with_opinions(LeadView(), PanelState(opinions=rounds)).opinions
    assert UNSET is with_opinions(LeadView(), PanelState()).opinions
