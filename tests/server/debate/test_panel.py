"""The panel of a debate: raters are asked at the same time, their answers are recorded, and they name the winner."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from events.record import Draft
from events.store.memory import MemoryLog
from events.types import (
    AgreementMeasured,
    AssessmentGiven,
    DebateConcluded,
    DebateHalted,
    DeliberationHeld,
    FindingRefused,
    ModelAnswered,
    ModelFailed,
    NarrativeVerdictReached,
    OpinionGiven,
    PanelConcluded,
    PanelistScored,
    Reason,
    ScorecardVerdictReached,
)
from judge.rubrics.rubric import rubric_v2, rubric_v3
from server.debate.formats.parts import panel
from server.debate.formats.steps import Ask, Record, Speak
from tests.judge.panel.rater_scores import DIMENSIONS, rater_seats
from tests.judge.protocol.rounds import NAMES
from tests.server.debate.test_protocol_rests import Boundaries
from tests.server.debate_events import KINDS, Play, no_reply, opened, reply, spoken, started
from tests.server.harness import check_sound, fault, harness
from tests.server.panels import AGREED, RATERS, SPLIT, agreeing, asked, names, of_arguments, of_turns
from tests.server.protocol_debates import answers, check, of

pytestmark = pytest.mark.anyio

Script = Callable[..., str]
END = ["agreement_measured", "panel_concluded", "debate_concluded"]


async def judged(script: Script, raters: dict[str, Any], **request: Any) -> tuple[list[Any], Any]:
    """The events and the view of a protocol debate with a panel of four."""
    async with harness() as h:
        model = script(answers=answers() | raters)
        debate = await h.open(model, turns=6, format="protocol", **{"panel": [model], **request})
        assert isinstance(await h.ended(debate), DebateConcluded)
        await check(h.log, debate)
        return await h.events(debate), await h.view(debate)


async def argued(script: Script, raters: dict[str, Any], turns: int = 2, **request: Any) -> tuple[list[Any], Any]:
    """The same for an exchange."""
    async with harness() as h:
        model = script(answers=raters)
        debate = await h.open(model, turns=turns, panel=[model], **request)
        assert isinstance(await h.ended(debate), DebateConcluded)
        await check_sound(h.log, debate)
        return await h.events(debate), await h.view(debate)


def one(events: list[Any], type_: Any) -> Any:
    (found,) = of(events, type_)
    return found


def with_panel(**rules: Any) -> dict[str, Any]:
    """Rubric v2 with other rules of the panel."""
    known = rubric_v2()
    assert known.panel is not None
    return dict(
        msgspec.to_builtins(msgspec.structs.replace(known, panel=msgspec.structs.replace(known.panel, **rules)))
    )


def without_deliberation() -> dict[str, Any]:
    known = rubric_v3()
    assert known.deliberation is not None
    rules = msgspec.structs.replace(known.deliberation, rounds=0)
    return dict(msgspec.to_builtins(msgspec.structs.replace(known, deliberation=rules)))


# protocol


@pytest.mark.slow
async def test_a_panel_that_agrees_names_the_winner(script: Script) -> None:
    events, view = await judged(script, AGREED)

    assert ["panelist_scored"] * 4 + END == names(events)
    assert list(RATERS) == [each.rater for each in of(events, PanelistScored)]
    conclusion = one(events, PanelConcluded)
    assert ("concluded", "pro", "default") == (conclusion.outcome, conclusion.leaning, conclusion.topic_type)
    assert set(NAMES) == view["panel"]["raters"]["risk"]["scored"]["scores"].keys()
    assert view["panel"]["agreement"]["calibrated"]["value"] > 0.8
    assert DebateConcluded(winner="pro", by_rule="judge_and_panel") == events[-1]
    assert "neither" == view["panel"]["conclusion"]["winner"]


async def test_under_version_1_six_arguments_are_enough_for_the_panel_alone(script: Script) -> None:
    events, view = await judged(script, agreeing(of_arguments, 4, 3, 4, 8, 7, 8), rubric="v1")

    assert DebateConcluded(winner="con", by_rule="panel") == events[-1]
    assert view["panel"]["agreement"]["raw"]["value"] > 0.8
    assert view["panel"]["conclusion"]["winner"] == view["conclusion"]["winner"] == "con"


@pytest.mark.slow
async def test_a_panel_of_enough_raters_and_arguments_names_the_winner_alone(script: Script) -> None:
    events, _ = await judged(script, agreeing(of_arguments, 4, 3, 4, 8, 7, 8), rubric=with_panel(reliable_items=6))

    assert ("con", UNSET) == (one(events, PanelConcluded).winner, one(events, PanelConcluded).reference_only)
    assert DebateConcluded(winner="con", by_rule="panel") == events[-1]


async def test_raters_are_asked_together_with_the_judge(script: Script) -> None:
    events, _ = await judged(script, AGREED)
    calls = [each for each in of(events, ModelAnswered) if each.purpose in {"assess", "panel"}]

    assert {"assess", "assess:con", *AGREED} == {each.key for each in calls}
    assert max(map(events.index, calls)) < events.index(one(events, AssessmentGiven))


async def test_a_panel_for_reference_and_a_judge_that_differ_name_nobody(script: Script) -> None:
    """The script's judge gives pro 21 and con 15."""
    events, view = await judged(script, agreeing(of_arguments, 4, 3, 4, 8, 7, 8))

    assert "con" == one(events, PanelConcluded).leaning
    assert DebateConcluded(winner="neither", by_rule="judge_and_panel") == events[-1]
    assert view["protocol"]["assessment"]["pro_total"] > view["protocol"]["assessment"]["con_total"]


@pytest.mark.slow
async def test_a_panel_that_is_split_names_nobody_and_deliberates(script: Script) -> None:
    events, view = await judged(script, SPLIT)
    told = names(events)

    assert "irreconcilable" == one(events, PanelConcluded).outcome
    assert DebateConcluded(winner="neither", by_rule="judge_and_panel") == events[-1]
    assert ["panelist_scored"] * 4 + END[:1] == told[:5]
    assert END[1:] == told[-2:]
    assert {"opinion_given", "deliberation_held"} == set(told[5:-2])
    assert view["panel"]["conclusion"]["disputed"]["PRO-1"]["decides"]


@pytest.mark.slow
async def test_deliberation_changes_nothing_that_the_panel_says(script: Script) -> None:
    moved = {
        f"deliberate:{name}:{number}": {"verdict": "Con", "confidence": 1.0, "rationale": "I follow.", "quote": ""}
        for name in RATERS
        for number in (1, 2, 3)
    }
    silent, _ = await judged(script, SPLIT, rubric=without_deliberation())
    talked, _ = await judged(script, SPLIT | moved)

    assert [] == of(silent, OpinionGiven, DeliberationHeld)
    assert of(talked, DeliberationHeld)
    assert {"con"} == {each.verdict for each in of(talked, OpinionGiven)[-4:]}
    for one_, other in zip(of(silent, PanelistScored), of(talked, PanelistScored), strict=True):
        assert one_ == msgspec.structs.replace(other, first=one_.first)  # each debate draws its orders
    for type_ in (AgreementMeasured, PanelConcluded):
        assert of(silent, type_) == of(talked, type_)


# exchange


async def test_in_an_exchange_the_items_are_turns_and_all_verdicts_stand_side_by_side(script: Script) -> None:
    events, view = await argued(script, agreeing(of_turns, 8, 3))

    assert [{"1", "2"}] * 4 == [each.scores.keys() for each in of(events, PanelistScored)]
    assert {"1", "2"} == one(events, PanelConcluded).disputed.keys() | view["turns"].keys()
    assert one(events, ScorecardVerdictReached).winner == "neither"
    assert of(events, NarrativeVerdictReached)
    assert ("2 turns where at least 10 are needed",) == one(events, PanelConcluded).reference_only
    assert DebateConcluded(winner="neither", by_rule="judge_and_panel") == events[-1]
    assert {"scorecard", "narrative"} <= view["verdicts"].keys()


async def test_the_last_turns_raters_are_asked_beside_the_narrative(script: Script) -> None:
    events, _ = await argued(script, agreeing(of_turns, 8, 3))
    calls = [each for each in of(events, ModelAnswered) if each.purpose in {"narrative", "panel"}]

    assert {"narrative", "narrative:swapped", *AGREED} == {each.key for each in calls}
    assert max(map(events.index, calls)) < events.index(one(events, NarrativeVerdictReached))


async def test_turns_are_known_however_a_rater_writes_them(script: Script) -> None:
    written = of_turns(8, 3)
    written["scores"] = {f"Turn {name}": each for name, each in written["scores"].items()}
    written["standings"] = {f"T{name}": each for name, each in written["standings"].items()} | {"T9": "UPHELD"}
    events, _ = await argued(script, agreeing(of_turns, 8, 3) | {"panel:risk": written})
    risk = next(each for each in of(events, PanelistScored) if each.rater == "risk")

    assert ({"1": "UPHELD", "2": "REFUTED"}, {}) == (risk.standings, risk.absent)
    assert FindingRefused(
        turn=0, purpose="panel", quote="T9", reason="Risk rater rated a turn that nobody spoke"
    ) == one(events, FindingRefused)


async def test_without_a_panel_nothing_of_one_is_there(script: Script) -> None:
    async with harness() as h:
        debate = await h.open(script(), turns=2)
        end = await h.ended(debate)
        events, view = await h.events(debate), await h.view(debate)

    assert isinstance(end, DebateConcluded)
    assert "panel" != end.by_rule
    assert [] == of(events, PanelistScored, AgreementMeasured, PanelConcluded)
    assert {} == view["panel"]
    assert (False, "") == (bool(events[0].panel), events[0].topic_type)
    play = Play(opened())
    assert ((), ()) == (panel.asks(play.debate, events[0]), panel.steps(play.debate, events[0]))
    assert Draft(event=end, cause=7) == panel.ending(play.debate, events[0], end, 7)


def test_a_rater_of_many_turns_may_answer_at_length() -> None:
    """For a hundred turns as for two: an answer that is cut short could not be read."""
    most = []
    for turns in (2, 100):
        play = Play(msgspec.structs.replace(opened(turns), panel=tuple(rater_seats(2))))
        for turn in range(1, turns + 1):
            play.add(started(turn), spoken(turn))
        assert play.debate.opened is not None
        most += {ask.max_tokens for ask in panel.asks(play.debate, play.debate.opened)}

    assert 98 * panel.ITEM_TOKENS == most[1] - most[0]


# what raters give


@pytest.mark.slow
async def test_what_a_rater_gives_wrongly_is_recorded_and_the_panel_goes_on(script: Script) -> None:
    faulty = of_arguments(8, 7, 8, 4, 3, 4)
    faulty["scores"]["PRO-1"] |= {"logic": "eight", "evidence": 0, "honesty": None}
    faulty["scores"]["PRO-9"] = faulty["scores"].pop("CON-2")
    faulty["standings"]["CON-3"] = "WON"
    events, _ = await judged(script, AGREED | {"panel:business": faulty})
    business = of(events, PanelistScored)[1]

    assert {"responsiveness": 7.0, "evidence": 1.0} == business.scores["PRO-1"]
    assert business.absent["PRO-1.logic"] == '"eight" is not a number'
    assert {"PRO-1.logic", "PRO-1.honesty", "CON-3.standing"} < business.absent.keys()
    assert [
        ("panel", "PRO-9", "Business rater rated an argument that nobody opened"),
        ("panel", "scores.PRO-1.evidence", "requested 0, applied 1"),
    ] == [(each.purpose, each.quote, each.reason) for each in of(events, FindingRefused)]
    assert "pro" == events[-1].winner


@pytest.mark.slow
async def test_a_rater_whose_model_fails_is_missing_and_counts_for_nobody(script: Script) -> None:
    events, _ = await judged(script, AGREED | {"panel:risk": {"fault": fault("refuse", 99)}})
    risk = of(events, PanelistScored)[2]

    assert isinstance(risk.missing, Reason)
    assert "the judge gave no usable answer" in risk.missing.reason
    assert ({}, {}, {}) == (risk.scores, risk.standings, risk.absent)
    conclusion = one(events, PanelConcluded)
    assert {"technical", "business", "general"} == conclusion.weights.keys() == conclusion.without.keys()
    assert "pro" == conclusion.leaning == events[-1].winner


async def test_a_panel_of_which_nobody_answers_names_nobody(script: Script) -> None:
    events, view = await judged(script, {key: {"fault": fault("timeout", 99)} for key in AGREED})

    assert ["panelist_scored"] * 4 + END == names(events)
    assert ("undetermined", "neither") == (one(events, PanelConcluded).outcome, events[-1].winner)
    assert "nobody rated anything" == one(events, AgreementMeasured).raw.undefined
    assert "missing" in view["panel"]["conclusion"]["gap"]


async def test_one_rater_that_answers_is_no_panel(script: Script) -> None:
    only = AGREED | {key: {"fault": fault("refuse", 99)} for key in list(AGREED)[1:]}
    events, _ = await judged(script, only)

    assert ("undetermined", "neither") == (one(events, PanelConcluded).outcome, events[-1].winner)


@pytest.mark.slow
async def test_samples_are_asked_at_once_and_their_median_counts(script: Script) -> None:
    three = [of_arguments(score, 7, 8, 4, 3, 4) for score in (9, 5, 6)]
    events, _ = await judged(script, AGREED | {"panel:risk": three}, samples=3)
    risk = of(events, PanelistScored)[2]

    assert sorted((key, sample) for key in AGREED for sample in (1, 2, 3)) == sorted(asked(events))
    assert (3, 6.0, 4.0) == (risk.samples, risk.scores["PRO-1"]["logic"], risk.spread["PRO-1"]["logic"])


async def test_raters_are_asked_the_models_of_their_seats(script: Script) -> None:
    other = script("other", answers=AGREED)
    async with harness() as h:
        model = script(answers=answers() | AGREED)
        debate = await h.open(model, turns=6, format="protocol", panel=[model, other])
        await h.ended(debate)
        events = await h.events(debate)
    spoke = {each.key: each.model for each in of(events, ModelAnswered) if each.purpose == "panel"}

    assert spoke["panel:technical"] == spoke["panel:risk"] != spoke["panel:business"] == spoke["panel:general"]
    assert [model, other] * 2 == [each.model for each in of(events, PanelistScored)]


# money, cuts


async def test_raters_are_not_asked_once_the_money_is_spent(script: Script) -> None:
    """A protocol without its panel makes seven calls; an exchange of two turns more than that."""
    async with harness() as h:
        paid = script(answers=answers() | AGREED, cost_usd=0.01)
        for request in ({"turns": 6, "format": "protocol"}, {"turns": 2}):
            debate = await h.open(paid, panel=[paid], max_cost_usd=0.06, **request)
            end = await h.ended(debate)
            events = await h.events(debate)

            assert isinstance(end, DebateHalted)
            assert end.reason.startswith("the cost cap is reached")
            assert [] == asked(events)
            assert [] == of(events, PanelistScored)


@pytest.mark.slow
async def test_what_raters_cost_is_counted(script: Script) -> None:
    raters, view = await judged(script, AGREED)
    none, without = await judged(script, AGREED, panel=None)

    assert 4 == len(asked(raters)) == view["usage"]["calls"] - without["usage"]["calls"]
    assert view["usage"]["tokens"] > without["usage"]["tokens"]
    assert [] == asked(none)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["protocol", "exchange"])
async def test_a_process_may_end_after_any_batch_and_no_rater_is_asked_twice(script: Script, form: str) -> None:
    said = SPLIT if form == "protocol" else agreeing(of_turns, 8, 3)
    said = answers() | said | {"panel:risk": {"fault": fault("refuse", 99)}}
    log = Boundaries()
    async with harness(log) as h:
        model = script(answers=said)
        debate = await h.open(model, turns=6 if form == "protocol" else 2, format=form, panel=[model], samples=2)
        assert isinstance(await h.ended(debate), DebateConcluded)
        whole = await log.read(debate, 0, 1000)
    kinds = (ModelAnswered, ModelFailed)
    first = next(r.position for r in whole if isinstance(r.event, ModelAnswered) and r.event.purpose == "panel")

    for cut in [end for end in log.ends[:-1] if end >= first - 1]:
        shorter = MemoryLog()
        await shorter.adopt(tuple(whole[:cut]))
        async with harness(shorter) as h:
            await h.moderators.take_up()
            assert isinstance(await h.ended(debate), DebateConcluded)
        records = await shorter.read(debate, 0, 1000)

        assert sorted(r.event.call for r in whole if isinstance(r.event, kinds)) == sorted(
            r.event.call for r in records if isinstance(r.event, kinds)
        )
        for type_ in (PanelistScored, AgreementMeasured, PanelConcluded, DebateConcluded):
            assert of([r.event for r in whole], type_) == of([r.event for r in records], type_)


# laws


SCORE = st.integers(-1, 12) | st.sampled_from((None, "8/10", True, 7.5))
ITEM = st.dictionaries(st.sampled_from(DIMENSIONS), SCORE) | st.none() | st.just("good")
STANDINGS = st.sampled_from(("UPHELD", "REFUTED", "won", None))
TURNS = st.sampled_from(("1", "2", "T2", "turn 1", "3", "PRO-1"))
GIVEN = st.fixed_dictionaries({"scores": st.dictionaries(TURNS, ITEM), "standings": st.dictionaries(TURNS, STANDINGS)})


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_raters_say_the_debate_ends_with_what_the_panel_says(data: st.DataObject) -> None:
    seated = tuple(rater_seats(data.draw(st.integers(2, 4))))
    play = Play(msgspec.structs.replace(opened(2, judge_attempts=2), panel=seated))
    for _ in range(200):
        if play.debate.status.state == "concluded":
            break
        steps = play.steps
        if isinstance(steps[0], Record):
            play.add(*steps[0].drafts)
            continue
        for step in data.draw(st.permutations(steps)):
            if isinstance(step, Speak):
                play.add(started(step.turn, step.attempt), spoken(step.turn, step.attempt))
            elif step.purpose == "panel" and data.draw(st.integers(0, 4)) == 0:
                play.add(no_reply(step, data.draw(st.sampled_from(KINDS))))
            else:
                assert isinstance(step, Ask)
                play.add(reply(step, data.draw(GIVEN) if step.purpose == "panel" else None))
    (conclusion,) = play.of(PanelConcluded)
    calls = [each.call for each in play.of(ModelAnswered, ModelFailed)]

    assert DebateConcluded(winner=conclusion.winner, by_rule="panel") == play.events[-1]
    assert len(set(calls)) == len(calls)
    assert [seat.name for seat in seated] == [each.rater for each in play.of(PanelistScored)]
    assert 1 == len(play.of(AgreementMeasured))
    assert ("neither" == conclusion.winner) == (conclusion.outcome not in {"concluded", "cautious"})
