"""Whole scripted debates of format protocol: questions, statements, judgement and conclusion."""

from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.store.log import read_all
from events.types import (
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    ClosingStated,
    DebateConcluded,
    DebateOpened,
    Event,
    FallacyFound,
    FindingRefused,
    Missing,
    ModelAnswered,
    TurnSpoken,
    TurnStarted,
)
from events.view import view as views
from server.debate.commands import Halt
from server.debate.formats.steps import Ask, Record
from server.debate.setup.opening import build_opening
from server.debate.setup.request import as_request
from server.feed import frames
from tests.judge.protocol.rounds import (
    NAMES,
    RUBRIC_2,
    argument_answer,
    assessment,
    closing,
    cross,
    opening,
    protocol_opened,
    replies,
)
from tests.server.debate_events import Play, reply
from tests.server.harness import Spectator, fault, harness, is_a
from tests.server.protocol_debates import PROSE, STATEMENTS, STRAW, Script, answers, calls, check, held, of, played

pytestmark = pytest.mark.anyio


async def test_a_debate_of_three_rounds_from_its_opening_to_its_briefing(script: Script) -> None:
    events, view = await played(script, assess=assessment(fallacies=[STRAW]))

    asked = [*STATEMENTS, "assess", "assess:con"]
    assert asked == sorted((each.key for each in of(events, ModelAnswered)), key=asked.index)
    assert (2, 6, 2, 6) == tuple(
        len(of(events, each)) for each in (ArgumentsOpened, ArgumentCrossExamined, ClosingStated, ArgumentTraced)
    )
    assert DebateConcluded(winner="pro", by_rule="assessment") == events[-1]
    protocol = view["protocol"]
    assert ("done", list(NAMES)) == (protocol["round"], list(protocol["arguments"]))
    assert (21.0, 15.0) == (protocol["assessment"]["pro_total"], protocol["assessment"]["con_total"])
    assert "the judge’s totals put Pro clearly ahead: 6 points apart, more than 3" == protocol["briefing"]["meaning"]
    assert ["UPHELD"] * 6 == [each["trace"]["standing"] for each in protocol["arguments"].values()]
    assert "PRO-1: straw man in “plans for the tram plans for all”." in protocol["briefing"]["cautions"]
    (found,) = protocol["arguments"]["PRO-1"]["fallacies"].values()
    assert "plans for the tram plans for all" == view["turns"]["1"]["text"][slice(*found["span"])]


async def test_a_round_is_asked_of_both_sides_at_once(script: Script) -> None:
    events, _ = await played(script)

    for first in (1, 3, 5):
        starts = [events.index(each) for each in of(events, TurnStarted) if each.turn in {first, first + 1}]
        ends = [events.index(each) for each in of(events, TurnSpoken) if each.turn in {first, first + 1}]

        assert starts[1] == starts[0] + 1
        assert starts[1] < min(
            events.index(each) for each in of(events, ModelAnswered) if each.turn in {first, first + 1}
        )
        assert ends[0] > max(
            events.index(each) for each in of(events, ModelAnswered) if each.turn in {first, first + 1}
        )


async def test_neither_opening_knows_a_word_of_the_other(script: Script) -> None:
    """Also if one side is asked again after the other has answered."""
    first = opening("con", n2={"claim": ""})
    events, _ = await played(script, open_con=[first, opening("con")])
    segments: dict[str, str] = {}
    for each in of(events, ModelAnswered):
        segments |= each.segments
    told = {
        (each.key, each.sample): "\n".join(segments[digest] for _, digest in each.prompt)
        for each in of(events, ModelAnswered)
    }

    assert {("open:pro", 1), ("open:con", 1), ("open:con", 2)} <= told.keys()
    for word in ("tram", "noise", "air", "PRO"):
        assert word not in told["open:con", 1]
        assert word not in told["open:con", 2]
    for word in ("nurse", "shop", "bus", "CON"):
        assert word not in told["open:pro", 1]
    assert "nurse" in told["open:con", 2]


async def test_a_turn_says_its_statement_and_how_long_it_took(script: Script) -> None:
    events, _ = await played(script)
    spoken = of(events, TurnSpoken)[0]

    assert spoken.text.startswith("PRO-1: The tram decides what a city is for.")
    assert ((spoken.latency_ms, len(spoken.text)),) == spoken.pace
    assert len(spoken.text.split()) == spoken.words
    assert spoken.usage.output_tokens > 0
    assert spoken.model


async def test_frames_add_up_to_the_view(script: Script) -> None:
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers(open_pro=PROSE, assess=assessment(fallacies=[STRAW]))))
        spectator, fold = Spectator(), views.INITIAL
        async for record in read_all(h.log, debate):
            fold, frame = frames.step(fold, record)
            spectator.take(frame.decode() if isinstance(frame, bytes) else frame)

            assert msgspec.json.decode(msgspec.json.encode(fold.view)) == spectator.view
        assert await h.view(debate) == spectator.view
        live = await h.hub.view_at(debate, None)
        assert msgspec.json.decode(msgspec.json.encode(live.view)) == spectator.view


# the judge


async def test_a_judge_that_fails_leaves_everything_missing_and_the_debate_concludes(script: Script) -> None:
    events, view = await played(script, assess={"fault": fault("timeout", 99)})
    (given,) = of(events, AssessmentGiven)

    assert isinstance(given.pro_total, Missing)
    assert isinstance(given.con_total, Missing)
    assert DebateConcluded(winner="neither", by_rule="no_judgement") == events[-1]
    assert 6 == len([each for each in of(events, ArgumentTraced) if each.missing])
    assert list(NAMES) == view["protocol"]["briefing"]["still_open"]


async def test_a_judge_that_leaves_an_argument_out_names_no_winner(script: Script) -> None:
    some = assessment(arguments={name: argument_answer(name) for name in NAMES[:5]} | {"CON-7": argument_answer()})
    events, view = await played(script, assess=some)

    assert DebateConcluded(winner="neither", by_rule="no_judgement") == events[-1]
    assert ["CON-7"] == [each.quote for each in of(events, FindingRefused)]
    assert {"reason": "the judge left it out"} == view["protocol"]["arguments"]["CON-3"]["trace"]["missing"]


@pytest.mark.parametrize(("points", "winner"), [(5, "neither"), (6, "pro")])
async def test_a_gap_under_one_point_names_nobody(script: Script, points: int, winner: str) -> None:
    """A dimension with weight 0.30: one point moves a total by 0.3, four points by 1.2."""
    scores = argument_answer(points=5)["scores"]
    better = scores | {"logic": points + (points > 5) * 3}
    close = assessment(
        arguments={name: argument_answer(name, scores=better if name == "PRO-1" else scores) for name in NAMES}
    )
    events, _ = await played(script, assess=close)

    assert DebateConcluded(winner=winner, by_rule="assessment") == events[-1]  # type: ignore[arg-type]


async def test_samples_are_asked_for_and_their_median_counts(script: Script) -> None:
    said = [assessment(arguments={name: argument_answer(name, points) for name in NAMES}) for points in (2, 9, 4)]
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers(assess=said)), samples=3)
        events = [record.event for record in await check(h.log, debate)]

    assert [1, 2, 3] == sorted(calls(events, "assess"))
    assert 12.0 == of(events, AssessmentGiven)[0].pro_total


async def test_a_script_that_leaves_everything_out_plays_a_neutral_debate(script: Script) -> None:
    events, _ = await played(script, **{key.replace(":", "_"): None for key in (*STATEMENTS, "assess")})

    assert DebateConcluded(winner="neither", by_rule="assessment") == events[-1]
    assert all(not each.faults for each in of(events, ArgumentsOpened, ClosingStated))
    assert 10 == len(of(events, ModelAnswered))


# beside the format


@pytest.mark.slow
async def test_pressure_moves_nobody_and_nobody_scores_a_turn(script: Script) -> None:
    events, view = await played(script)
    kinds = {type(each).__struct_config__.tag for each in events}

    assert not kinds & {"pressure_applied", "traits_shifted", "directive_issued", "turn_scored", "claim_flagged"}
    assert view["traits"] == view["archetype_traits"]


async def test_no_side_has_a_character_unless_the_request_names_one() -> None:
    seats = {key: {"model": "scripted:lamps"} for key in ("pro", "con", "judge")}
    asked = {"motion": "Cities should ban cars", "format": "protocol", **seats}
    shaking = {"model": "scripted:lamps", "archetype": "provocateur"}
    async with harness() as h:
        plain, named, exchanged = [
            await build_opening(as_request(asked | more), h.registry, h.settings)
            for more in ({}, {"con": shaking}, {"format": "exchange"})
        ]

    assert ("", "", {}) == (plain.pro.archetype, plain.con.archetype, plain.archetypes)
    assert ("", "provocateur", ["provocateur"]) == (named.pro.archetype, named.con.archetype, [*named.archetypes])
    assert ("engineer", "provocateur") == (exchanged.pro.archetype, exchanged.con.archetype)


async def test_what_was_asked_is_the_directors_until_the_end(script: Script) -> None:
    events, _ = await played(script)
    opened = events[0]

    assert isinstance(opened, DebateOpened)
    assert {"protocol", "open", "cross", "close", "assess"} <= opened.prompts.keys()
    assert {"prompt", "segments", "answer"} <= ModelAnswered.private
    assert FallacyFound.private == frozenset()


# a panel beside the judge


RATERS = ("technical", "business", "risk", "general")


def rated(pro: int, con: int) -> dict[str, Any]:
    """A rater's answer: the same score in every dimension of a side's arguments, varied by the argument's number."""
    points = {name: min(10, (pro if name.startswith("PRO") else con) + int(name[-1]) - 2) for name in NAMES}
    return {
        "scores": {name: argument_answer(points=value)["scores"] for name, value in points.items()},
        "standings": {name: "UPHELD" if name.startswith("PRO") else "REFUTED" for name in NAMES},
    }


async def test_a_small_panel_and_the_judge_name_a_winner_together(script: Script) -> None:
    async with harness() as h:
        said = answers() | {f"panel:{name}": rated(8, 4) for name in RATERS}
        _, end = await held(h, script(answers=said), panel=list(RATERS))

    assert DebateConcluded(winner="pro", by_rule="judge_and_panel") == end


async def test_where_a_small_panel_contradicts_the_judge_no_winner_is_named_and_the_briefing_says_so(
    script: Script,
) -> None:
    async with harness() as h:
        said = answers() | {f"panel:{name}": rated(4, 8) for name in RATERS}
        debate, end = await held(h, script(answers=said), panel=list(RATERS))
        events = [record.event for record in await check(h.log, debate)]
        view = await h.view(debate)

    assert DebateConcluded(winner="neither", by_rule="judge_and_panel") == end
    assert 21.0 == of(events, AssessmentGiven)[0].pro_total  # the judge's own totals stand beside it
    asked = [each.key for each in of(events, ModelAnswered)][6:]
    assert {"assess", *(f"panel:{name}" for name in RATERS)} <= set(asked)
    assert view["protocol"]["briefing"]["meaning"].startswith("the judge’s totals put Pro clearly ahead")
    cautions = view["protocol"]["briefing"]["cautions"]
    assert "The panel leans to Con, though the judge's totals stand higher for Pro." in cautions
    few = "6 arguments where at least 10 are needed to rely on its agreement"
    assert f"The panel is for reference only: {few}." in cautions


async def test_a_panel_that_cannot_agree_names_nobody_and_says_what_to_find_out(script: Script) -> None:
    async with harness() as h:
        pairs = dict(zip(RATERS, ((9, 2), (2, 9), (8, 3), (3, 8)), strict=True))
        said = answers() | {f"panel:{name}": rated(*pair) for name, pair in pairs.items()}
        debate, end = await held(h, script(answers=said), panel=list(RATERS))
        await check(h.log, debate)
        view = await h.view(debate)

    assert DebateConcluded(winner="neither", by_rule="judge_and_panel") == end
    briefing = view["protocol"]["briefing"]
    panel = view["panel"]["conclusion"]
    assert view["panel"]["says"] in briefing["cautions"]
    assert any(each in briefing["find_out"] for each in panel["advice"])
    assert "irreconcilable" == panel["outcome"]
    assert any(each.startswith("Do not decide by this panel") for each in panel["act"])
    assert [*panel["act"]] == [each for each in briefing["cautions"] if each in panel["act"]]
    assert not {*panel["act"]} & {*briefing["find_out"]}


# statement by statement


async def test_a_statement_is_recorded_while_the_other_side_still_writes(script: Script) -> None:
    async with harness() as h:
        slow = {"fault": {"kind": "timeout", "after_ms": 60_000}}
        for name, said in {"pro": answers(open_con=slow), "con": answers(open_pro=slow)}.items():
            debate = await h.open(script(name, answers=said), turns=8, format="protocol")
            opened_ = (await h.until(debate, is_a(ArgumentsOpened))).event
            view = await h.view(debate)

            assert isinstance(opened_, ArgumentsOpened)
            assert name == opened_.side
            assert [name] == list(view["protocol"]["openings"])
            assert {"spoken", "speaking"} == {turn["state"] for turn in view["turns"].values()}
            await h.moderators.act(debate, Halt("enough", "test"))
        await h.idle()


async def test_a_side_is_asked_again_while_the_other_side_still_writes(script: Script) -> None:
    async with harness() as h:
        slow = {"fault": {"kind": "timeout", "after_ms": 60_000}}
        late = [opening("pro", n1={"claim": ""}), {"fault": fault("reset"), "then": opening("pro")}]
        debate = await h.open(script(answers=answers(open_pro=late, open_con=slow)), turns=8, format="protocol")
        opened_ = (await h.until(debate, is_a(ArgumentsOpened))).event
        events = await h.events(debate)

        assert isinstance(opened_, ArgumentsOpened)
        assert ("pro", ()) == (opened_.side, opened_.faults)
        assert [1, 2] == calls(events, "open:pro")
        assert [] == calls(events, "open:con")
        await h.moderators.act(debate, Halt("enough", "test"))
        await h.idle()


def test_a_complete_statement_is_recorded_beside_what_is_still_asked() -> None:
    play = Play(protocol_opened(rubric=RUBRIC_2))
    play.add(*_drafts(play))
    pro, con = play.steps
    assert isinstance(pro, Ask)
    assert isinstance(con, Ask)
    play.add(reply(con, opening("con", n1={"claim": ""})))
    play.add(reply(pro, opening("pro")))

    batch, again = play.steps

    assert isinstance(batch, Record)
    assert [1, 1] == [getattr(each.event, "turn", 0) for each in batch.drafts]
    assert isinstance(again, Ask)
    assert ("open:con", 2) == (again.key, again.sample)


def test_of_two_complete_statements_the_one_that_was_answered_first_comes_first() -> None:
    play = Play(protocol_opened(rubric=RUBRIC_2))
    play.add(*_drafts(play))
    for ask, side in zip(reversed(play.steps), ("con", "pro"), strict=True):
        assert isinstance(ask, Ask)
        play.add(reply(ask, opening(side)))
    play.add(*_drafts(play))
    play.add(*_drafts(play))

    assert [2, 1] == [each.turn for each in play.of(TurnSpoken)]


def test_a_debate_that_was_opened_before_the_round_of_answers_goes_on_as_it_began() -> None:
    """Six turns under rubric v2: no answers, and both statements of a round in one batch."""
    play = Play(replace(protocol_opened(rubric=RUBRIC_2), turns=6))
    play.add(*_drafts(play))
    pro, con = play.steps
    assert isinstance(pro, Ask)
    assert isinstance(con, Ask)
    assert pro.follows is None
    play.add(reply(con, opening("con")))

    assert ["open:pro"] == [each.key for each in play.steps if isinstance(each, Ask)]
    play.add(reply(pro, opening("pro")))
    assert [1, 2] == [each.event.turn for each in _drafts(play) if isinstance(each.event, TurnSpoken)]
    while play.debate.protocol.assessment is UNSET:
        steps = play.steps
        play.add(*_drafts(play)) if isinstance(steps[0], Record) else play.add(*map(_plain, steps))
    assert [1, 2, 3, 4, 5, 6] == [each.turn for each in play.of(TurnSpoken)]


def test_openings_are_written_with_the_debates_temperature_and_all_else_with_the_rubrics() -> None:
    temperatures: dict[str, float] = {}
    play = Play(protocol_opened(rubric=RUBRIC_2))
    while play.debate.protocol.assessment is UNSET:
        steps = play.steps
        temperatures |= {step.key: step.temperature for step in steps if isinstance(step, Ask)}
        play.add(*_drafts(play)) if isinstance(steps[0], Record) else play.add(*map(_plain, steps))

    assert {"open": {0.8}, "cross": {0.5}, "answer": {0.5}, "close": {0.5}, "assess": {0.2}} == {
        kind: {value for key, value in temperatures.items() if key.partition(":")[0] == kind}
        for kind in ("open", "cross", "answer", "close", "assess")
    }


def _drafts(play: Play) -> Any:
    (step,) = play.steps
    assert isinstance(step, Record)
    return step.drafts


def _plain(step: Any) -> Event:
    """An answer without faults."""
    kind, _, side = step.key.partition(":")
    makers: dict[str, Any] = {"open": opening, "cross": cross, "answer": replies, "close": closing}
    return reply(step, makers[kind](side) if side else assessment())
