"""Laws of the projections, for random debates: any prefix folds, and the frames add up to the view."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given

from events import codec
from events.patch import merge
from events.record import Draft, Recorded
from events.state.exchanges import Exchanges
from events.state.ledger import Balance, Ledger, TurnCard
from events.state.scorecard import scorecard
from events.types import BothSides, Missing, ModelAnswered, Rounds, ScorecardVerdictReached, TurnScored
from events.view import view as views
from judge.live.verdicts import scorecard_verdict
from server.debate.formats.steps import Ask, Record, Speak
from server.feed import frames
from tests.laws import examples
from tests.server.debate_events import (
    HALTED,
    PAUSED,
    RESUMED,
    RUBRIC,
    Play,
    abandoned,
    answered,
    besides,
    debate,
    failed,
    folds,
    opened,
    question_failed,
    random_debates,
    recorded,
    reply,
    score,
    spoken,
    started,
    steps,
)


def finished(turns: int = 4, points: float = 0.5) -> list[Any]:
    """A debate played from its opening to its end by the rules."""
    play = Play(opened(turns))
    while todo := play.steps:
        match todo[0]:
            case Record(drafts=drafts):
                play.add(*drafts)
            case Speak(turn=turn, attempt=attempt):
                play.add(started(turn, attempt), spoken(turn, attempt))
            case _:
                play.add(*(_answer(step, points) for step in todo if isinstance(step, Ask)))
    return [Draft(event=record.event, cause=record.cause) for record in play.records]


def _answer(step: Ask, points: float) -> ModelAnswered:
    if step.purpose != "score":
        return reply(step)
    assert step.turn is not None
    return reply(step, score(step.turn, points * (1 - 0.1 * (step.turn % 2))))


def as_json(view: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(view))


def has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(has_null, value.values()))
    if isinstance(value, list):
        return any(map(has_null, value))
    return value is None


def law_frames_applied_in_order_give_the_view_at_every_position(events: list[Any]) -> None:
    seen: Any = {}
    records = recorded(events)
    fold = views.INITIAL
    for record, expected in zip(records, folds(records)[1:], strict=True):
        fold, frame = frames.step(fold, record)
        message = msgspec.json.decode(frame)
        seen = merge(seen, message["patch"])

        assert as_json(expected.view) == seen
        assert record.position == message["position"] == seen["position"]


def law_a_view_never_holds_a_null(events: list[Any]) -> None:
    for fold in folds(recorded(events))[1:]:
        assert not has_null(as_json(fold.view))


def law_decoded_events_fold_to_the_same_view(events: list[Any]) -> None:
    records = recorded(events)
    again = [_read_back(record) for record in records]

    assert [fold.view for fold in folds(records)] == [fold.view for fold in folds(again)]


def _read_back(record: Recorded) -> Recorded:
    return msgspec.structs.replace(record, event=codec.decode(record.payload, record.schema))


def law_the_ledger_sums_to_the_cards_and_the_cards_to_the_scorecard(events: list[Any]) -> None:
    ledger = debate(events).ledger
    composites: dict[str, list[float]] = {"pro": [], "con": []}
    for turn, card in ledger.cards.items():
        for name, balance in card.balances.items():
            entries = [entry for entry in ledger.entries if (entry.turn, entry.dimension) == (turn, name)]

            assert balance.effective == sum(entry.applied for entry in entries)
            assert balance.effective == entries[-1].after
            assert all(one.after == other.before for one, other in pairwise(entries))
        if card.missing is None:
            total = sum(card.balances[name].effective for name in ("logic", "rhetoric", "tactics"))
            composites[card.side].append(total)

    shown = scorecard(ledger, debate(events).exchanges)
    for side, values in composites.items():
        card_of_side = getattr(shown, side)

        assert len(values) == card_of_side.judged_turns
        if values:
            assert round(sum(values) / len(values), 2) == pytest.approx(card_of_side.composite, abs=0.011)
        else:
            assert isinstance(card_of_side.composite, Missing)


def law_the_leader_is_the_winner_of_the_verdict(events: list[Any]) -> None:
    state = debate(events)
    card = scorecard(state.ledger, state.exchanges)
    verdict = scorecard_verdict(BothSides(pro=card.pro.composite, con=card.con.composite), Rounds(), RUBRIC)

    assert verdict.winner == card.leader


def law_a_missing_score_is_no_number_and_counts_for_no_side(events: list[Any]) -> None:
    view = as_json(folds(recorded(events))[-1].view)
    for number, turn in view["turns"].items():
        drafts = [e for e in events if isinstance(getattr(e, "event", None), TurnScored)]
        scored = [draft for draft in drafts if draft.event.turn == int(number)]
        if not scored:
            assert turn["scores"] == {}
            assert "composite" not in turn
        elif scored[0].event.missing is msgspec.UNSET:
            assert {"logic", "rhetoric", "tactics", "frame_control", "credibility"} == turn["scores"].keys()
        else:
            assert {"missing": {"reason": scored[0].event.missing.reason}} == turn["scores"] == turn["composite"]


def law_usage_counts_every_call_once(events: list[Any]) -> None:
    bare = [getattr(event, "event", event) for event in events]
    calls = [event for event in bare if type(event).__name__ in {"ModelAnswered", "ModelFailed"}]
    usage = debate(events).usage

    assert len(calls) == usage.calls
    assert sum(type(event).__name__ == "ModelFailed" for event in calls) == usage.failed_calls
    assert sum(e.usage.input_tokens + e.usage.output_tokens for e in calls) == usage.tokens
    assert round(sum(e.cost_usd for e in calls if isinstance(e.cost_usd, float)), 6) == pytest.approx(usage.cost_usd)


LAWS = (
    law_frames_applied_in_order_give_the_view_at_every_position,
    law_a_view_never_holds_a_null,
    law_decoded_events_fold_to_the_same_view,
    law_the_ledger_sums_to_the_cards_and_the_cards_to_the_scorecard,
    law_the_leader_is_the_winner_of_the_verdict,
    law_a_missing_score_is_no_number_and_counts_for_no_side,
    law_usage_counts_every_call_once,
)


@pytest.mark.slow
@examples(20, whole=350)
@given(random_debates())
def test_the_laws_hold_for_any_debate(events: list[Any]) -> None:
    for law in LAWS:
        law(events)


def test_parts_that_did_not_change_are_the_same_objects() -> None:
    all_of_them = folds(recorded([*finished(2)[:-2], PAUSED]))

    assert all_of_them[-2].view.turns is all_of_them[-1].view.turns
    assert all_of_them[-2].view.scorecard is all_of_them[-1].view.scorecard


def test_a_patch_holds_only_changes() -> None:
    before, after = folds(recorded([*finished(4)[:-2], PAUSED]))[-2:]

    patch = views.difference(before.view, after.view)

    assert {"position": after.view.position, "state": "paused", "reason": "tea"} == patch


def test_the_first_patch_holds_the_whole_view() -> None:
    before, after = folds(recorded([opened()]))

    assert as_json(after.view) == as_json(views.difference(before.view, after.view))


def test_a_turn_goes_through_its_states() -> None:
    events = [opened(), started(1), failed(1), started(1, 2), abandoned(1, 2), started(1, 3), spoken(1, 3)]
    events += [answered(1), *besides(*events)]
    (scored,) = steps(*events)[0].drafts  # type: ignore[union-attr]
    views_then = [fold.view for fold in folds(recorded([*events, scored]))]

    states = [view.turns["1"].state if view.turns else "" for view in views_then]
    assert states == ["", "", "speaking", "failed", "speaking", "failed", "speaking", *["spoken"] * 4, "judged"]
    assert [(f.attempt, f.kind) for f in views_then[-1].turns["1"].failures] == [(1, "timeout"), (2, "interrupted")]


def test_states_follow_pauses_and_halts() -> None:
    views_then = [fold.view for fold in folds(recorded([opened(), PAUSED, RESUMED, HALTED, RESUMED]))]

    assert [view.state for view in views_then[1:]] == ["open", "paused", "open", "halted", "open"]
    assert views_then[4].reason == "stop"


def test_a_concluded_view_holds_the_verdict_and_who_won() -> None:
    events = finished(2)
    view = as_json(folds(recorded(events))[-1].view)
    verdict = next(e.event for e in events if isinstance(getattr(e, "event", None), ScorecardVerdictReached))

    assert view["state"] == "concluded"
    assert verdict.winner == view["conclusion"]["winner"] == view["verdicts"]["scorecard"]["winner"]


def test_a_rounding_error_beyond_the_tie_margin_is_still_a_tie() -> None:
    """64.02 − 62.02 is not 2 in floating point."""

    def ledger(pro: float, con: float) -> Ledger:
        cards = {
            turn: TurnCard(
                turn=turn, side=side, balances={"logic": Balance(raw=v, admitted=v, effective=v, maximum=100)}
            )  # type: ignore[arg-type]
            for turn, side, v in ((1, "pro", pro), (2, "con", con))
        }
        return Ledger(rubric=RUBRIC, dimensions=("logic",), cards=cards)

    beyond = [n / 100 for n in range(200, 10_000) if n / 100 - (n - 200) / 100 > 2]

    assert beyond
    assert {"neither"} == {scorecard(ledger(pro, round(pro - 2, 2)), Exchanges()).leader for pro in beyond}
    assert scorecard(ledger(64.03, 62.02), Exchanges()).leader == "pro"


def test_a_failed_question_is_kept_for_its_turn_only() -> None:
    events = [opened(), started(1), spoken(1), question_failed(1)]

    assert list(debate(events).questions.failed) == ["score:1/1"]
    assert debate([*events, RESUMED]).questions.failed == {}
    assert debate([*events, RESUMED]).questions.asked == {"score:1/1": 1}
