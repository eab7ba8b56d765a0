"""Whole debates of three rounds, by script: what is asked, kept, flagged, cut off, taken up again, concluded."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from events.log import read_all
from events.memory import MemoryLog
from events.projections import view as views
from events.record import Draft, Recorded
from events.types import (
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    AttemptAbandoned,
    ClosingStated,
    CrossExaminationFaulted,
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    Event,
    FallacyFound,
    FindingRefused,
    Missing,
    ModelAnswered,
    ModelFailed,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from events.verify import verify_log
from server import frames
from tests.judging.rounds import NAMES, assessment, closing, cross, judged, opening
from tests.shell.house import House, Spectator, fault, house, is_a

pytestmark = pytest.mark.anyio
Script = Callable[..., str]
STATEMENTS = ("open:pro", "open:con", "cross:pro", "cross:con", "close:pro", "close:con")
PROSE = "Trams carry more people than cars. They share one track, and nobody has to park them."
STRAW = {"argument": "PRO-1", "fallacy": "Straw Man", "quote": "plans for the tram plans for all", "reason": "No."}


def answers(**changes: Any) -> dict[str, Any]:
    """A whole debate; ``changes`` by key with ``_`` for the colon, None where the script leaves it out."""
    makers = {"open": opening, "cross": cross, "close": closing}
    said = {key: makers[key.partition(":")[0]](key.partition(":")[2]) for key in STATEMENTS}
    said["assess"] = assessment()
    for name, value in changes.items():
        said[name.replace("_", ":")] = value
    return {key: value for key, value in said.items() if value is not None}


async def held(h: House, model: str, **wish: Any) -> tuple[str, Event]:
    debate = await h.open(model, turns=6, format="protocol", **wish)
    return debate, await h.ended(debate)


async def played(script: Script, **changes: Any) -> tuple[list[Event], Any]:
    """The events of a debate by such answers, and its view; it concluded, and its log is sound."""
    async with house() as h:
        debate, end = await held(h, script(answers=answers(**changes)))
        await check(h.log, debate)

        assert isinstance(end, DebateConcluded)
        return await h.events(debate), await h.view(debate)


async def check(log: Any, debate: str) -> list[Recorded]:
    """What holds of every protocol log: gapless, verified, everything answered and said once."""
    records = [record async for record in read_all(log, debate)]
    events = [record.event for record in records]
    asked = [(each.key, each.sample) for each in events if isinstance(each, ModelAnswered)]
    said = [each.turn for each in events if isinstance(each, TurnSpoken)]
    attempts = [(each.turn, each.attempt) for each in events if isinstance(each, TurnStarted)]

    assert list(range(1, len(records) + 1)) == [record.position for record in records]
    assert (await verify_log(log, debate)).ok
    assert len(set(asked)) == len(asked)
    assert list(range(1, len(said) + 1)) == said
    assert len(set(attempts)) == len(attempts)
    if isinstance(events[-1], DebateConcluded):
        assert list(range(1, 7)) == said
        assert 1 == len(of(events, AssessmentGiven))
        assert {"pro", "con"} == {each.side for each in of(events, ArgumentsOpened)}
    return records


def of(events: Sequence[Event], *types: type) -> list[Any]:
    return [each for each in events if isinstance(each, types)]


def calls(events: Sequence[Event], key: str) -> list[int]:
    return [each.sample for each in of(events, ModelAnswered) if each.key == key]


# a whole debate


async def test_a_debate_of_three_rounds_from_its_opening_to_its_briefing(script: Script) -> None:
    events, view = await played(script, assess=assessment(fallacies=[STRAW]))

    assert [*STATEMENTS, "assess"] == sorted(
        (each.key for each in of(events, ModelAnswered)), key=[*STATEMENTS, "assess"].index
    )
    assert (2, 6, 2, 6) == tuple(
        len(of(events, each)) for each in (ArgumentsOpened, ArgumentCrossExamined, ClosingStated, ArgumentTraced)
    )
    assert DebateConcluded(winner="pro", by_rule="assessment") == events[-1]
    protocol = view["protocol"]
    assert ("done", list(NAMES)) == (protocol["round"], list(protocol["arguments"]))
    assert (21.0, 15.0) == (protocol["assessment"]["pro_total"], protocol["assessment"]["con_total"])
    assert "a clear lead for Pro: 6 points apart, more than 3" == protocol["briefing"]["meaning"]
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
    """Also where one side is asked once more when the other has answered."""
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
    async with house() as h:
        debate, _ = await held(h, script(answers=answers(open_pro=PROSE, assess=assessment(fallacies=[STRAW]))))
        spectator, fold = Spectator(), views.INITIAL
        async for record in read_all(h.log, debate):
            fold, frame = frames.step(fold, record)
            spectator.take(frame.decode() if isinstance(frame, bytes) else frame)

            assert msgspec.json.decode(msgspec.json.encode(fold.view)) == spectator.view
        assert await h.view(debate) == spectator.view
        live = await h.hub.view_at(debate, None)
        assert msgspec.json.decode(msgspec.json.encode(live.view)) == spectator.view


# faulty structure


NINE = {"arguments": [
    {"id": f"PRO-{n}", "claim": f"Claim number {n} of nine.", "reasoning": f"Reasoning number {n} of nine.",
     "evidence": f"Evidence {n}."} for n in range(1, 10)
]}


@pytest.mark.parametrize(
    ("said", "fault_", "kept"),
    [
        ({"arguments": opening("pro")["arguments"][:2]}, "there are 2 arguments, exactly 3 are wanted", 2),
        (NINE, "there are 9 arguments, exactly 3 are wanted", 3),
        (opening("con"), "the ids are PRO-1, PRO-2, PRO-3, not “CON-1”, “CON-2”, “CON-3”", 3),
        (opening("pro", n3={"claim": ""}), "PRO-3: its claim has 0 characters, at least 10 are wanted", 2),
    ],
)
async def test_a_faulty_opening_is_asked_once_more_and_kept_with_its_faults(
    script: Script, said: Any, fault_: str, kept: int
) -> None:
    events, view = await played(script, open_pro=said, assess=None)
    opened = of(events, ArgumentsOpened)[0]

    assert [1, 2] == calls(events, "open:pro")
    assert fault_ in opened.faults
    assert kept == len(opened.arguments)
    assert {each.id for each in opened.arguments} <= set(NAMES[:3])
    assert msgspec.json.decode(opened.free_text) == said
    assert any(fault_ in each for each in view["protocol"]["briefing"]["cautions"])


async def test_a_side_that_mends_its_opening_is_not_flagged(script: Script) -> None:
    faulty = opening("pro", n1={"id": "X-1"})
    events, _ = await played(script, open_pro=[faulty, opening("pro")])
    again = next(each for each in of(events, ModelAnswered) if (each.key, each.sample) == ("open:pro", 2))

    assert () == of(events, ArgumentsOpened)[0].faults
    (told,) = (text for text in again.segments.values() if "What is wrong with it" in text)
    assert "- the ids are PRO-1, PRO-2, PRO-3, not “X-1”" in told
    assert '| {"arguments":[{"id":"X-1"' in told


@pytest.mark.parametrize("said", [PROSE, [PROSE, [PROSE]]])
async def test_an_opening_of_mere_words_is_kept_as_one_argument(script: Script, said: Any) -> None:
    events, view = await played(script, open_pro=said, assess=None)
    (only,) = of(events, ArgumentsOpened)[0].arguments

    assert ("PRO-1", PROSE) == (only.id, only.reasoning)
    assert PROSE == view["turns"]["1"]["text"]


async def test_an_opening_that_is_no_json_at_all_is_kept_as_it_came(script: Script) -> None:
    """The call fails as any other would; its words are kept, asked for once more, and flagged."""
    events, view = await played(script, open_con={"fault": fault("bad_json", 9)}, assess=None)
    opened = of(events, ArgumentsOpened)[1]
    failures = [each for each in of(events, ModelFailed) if each.key == "open:con"]

    assert [(1, "bad_json"), (2, "bad_json")] == [(each.sample, each.kind) for each in failures]
    assert failures[1].answer == opened.free_text == view["turns"]["2"]["text"]
    assert ("it is not JSON of the form that was asked for",) == opened.faults
    assert ["CON-1"] == [each.id for each in opened.arguments]


async def test_words_that_are_no_json_may_be_mended_too(script: Script) -> None:
    mended = {"fault": fault("bad_json"), "then": cross("pro")}
    events, _ = await played(script, cross_pro=mended)

    assert [] == of(events, CrossExaminationFaulted)
    assert 6 == len(of(events, ArgumentCrossExamined))


async def test_the_second_answer_does_not_count_where_it_keeps_less(script: Script) -> None:
    events, _ = await played(script, open_pro=[{"arguments": opening("pro")["arguments"][:2]}, PROSE], assess=None)
    opened = of(events, ArgumentsOpened)[0]

    assert 2 == len(opened.arguments)
    assert "asked once more, it kept less of the form" in opened.faults


async def test_a_second_answer_that_never_comes_leaves_the_first(script: Script) -> None:
    faulty = cross("con", **{"2": {"target": "PRO-9"}})
    never = [faulty, *({"fault": fault("timeout", 9)} for _ in range(3))]
    events, view = await played(script, cross_con=never)
    (faulted,) = of(events, CrossExaminationFaulted)

    assert "PRO-2 is not answered" in faulted.faults
    assert faulted.faults[-1].startswith("asked once more, it gave no answer (timeout: ")
    assert "cross" not in view["protocol"]["arguments"]["PRO-2"]
    assert "PRO-2 was not answered in cross-examination." in view["protocol"]["briefing"]["cautions"]


async def test_a_cross_examination_keeps_what_holds(script: Script) -> None:
    faulty = cross("pro", **{"1": {"response": "dodge"}, "2": {"reasoning": ""}})
    events, view = await played(script, cross_pro=faulty)
    (faulted,) = of(events, CrossExaminationFaulted)

    assert [1, 2] == calls(events, "cross:pro")
    assert ["CON-3"] == [each.target for each in of(events, ArgumentCrossExamined) if each.by == "pro"]
    assert 2 == len(faulted.faults)
    assert list(faulted.faults) == view["protocol"]["crossed"]["pro"]


async def test_a_closing_of_nine_hundred_words_is_kept_whole_and_read_in_part(script: Script) -> None:
    long = " ".join(f"word{n}" for n in range(900))
    said = closing("pro", concessions=[], standing_arguments=[], final_position=long)
    events, view = await played(script, close_pro=said)
    stated = of(events, ClosingStated)[0]
    judge = next(each for each in of(events, ModelAnswered) if each.key == "assess")

    assert [1, 2] == calls(events, "close:pro")
    assert (long, 900, ("it has 900 words, at most 200 are allowed",)) == (
        stated.final_position, stated.words, stated.faults
    )
    assert (True, 200) == (of(events, TurnSpoken)[4].clipped, of(events, TurnSpoken)[4].words)
    assert long.startswith(view["turns"]["5"]["text"])
    (shown,) = (text for text in judge.segments.values() if "Closing statement of Pro" in text)
    assert "(only its first 200 words; it had 900)" in shown


# a model that fails


async def test_a_side_that_says_nothing_halts_the_debate_until_it_can_be_asked(script: Script) -> None:
    async with house() as h:
        silent = script(answers=answers(open_con={"fault": fault("empty", 99)}))
        debate, end = await held(h, silent)

        assert isinstance(end, DebateHalted)
        assert end.reason.startswith(f"turn 2 (con, {silent}) failed 3 times, last: ")
        assert end.reason.endswith("Mend the cause and resume.")
        await h.idle()
        assert {"1": "failed", "2": "failed"} == {
            name: turn["state"] for name, turn in (await h.view(debate))["turns"].items()
        }
        script(answers=answers())
        at = (await check(h.log, debate))[-1].position
        await h.moderators.resume(debate, "mended", "test")

        assert isinstance(await h.ended(debate, at), DebateConcluded)
        events = [record.event for record in await check(h.log, debate)]

    assert [1] == calls(events, "open:pro")   # what pro had answered counts
    assert [(1, 1), (2, 1), (1, 2), (2, 2)] == [
        (each.turn, each.attempt) for each in of(events, TurnStarted) if each.turn < 3
    ]
    assert [2] == [each.turn for each in of(events, TurnFailed)]
    assert [1] == [each.turn for each in of(events, AttemptAbandoned)]


async def test_an_answer_without_a_word_is_asked_for_again(script: Script) -> None:
    events, _ = await played(script, open_pro=[{"arguments": []}, opening("pro")])

    assert ["the answer holds no words"] == [each.message for each in of(events, ModelFailed)]
    assert () == of(events, ArgumentsOpened)[0].faults


async def test_a_wrong_key_is_not_tried_again(script: Script) -> None:
    async with house() as h:
        debate, end = await held(h, script(answers=answers(cross_pro={"fault": fault("auth", 99)})))

        assert isinstance(end, DebateHalted)
        assert "turn 3 (pro, " in end.reason
        assert "failed once, last: the script wants a key" in end.reason
        assert 1 == len(of(await h.events(debate), ModelFailed))


async def test_a_failure_that_passes_leaves_no_trace_in_what_was_said(script: Script) -> None:
    events, _ = await played(script, close_con={"fault": fault("reset"), "then": closing("con")})

    assert ["reset"] == [each.kind for each in of(events, ModelFailed)]
    assert () == of(events, ClosingStated)[1].faults


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
    some = assessment(arguments={name: judged(name) for name in NAMES[:5]} | {"CON-7": judged()})
    events, view = await played(script, assess=some)

    assert DebateConcluded(winner="neither", by_rule="no_judgement") == events[-1]
    assert ["CON-7"] == [each.quote for each in of(events, FindingRefused)]
    assert {"reason": "the judge left it out"} == view["protocol"]["arguments"]["CON-3"]["trace"]["missing"]


@pytest.mark.parametrize(("points", "winner"), [(5, "neither"), (6, "pro")])
async def test_a_gap_under_one_point_names_nobody(script: Script, points: int, winner: str) -> None:
    """One dimension of .30: a point of it moves a total by .3, four of them by 1.2."""
    scores = judged(points=5)["scores"]
    better = scores | {"logic": points + (points > 5) * 3}
    close = assessment(arguments={
        name: judged(name, scores=better if name == "PRO-1" else scores) for name in NAMES
    })
    events, _ = await played(script, assess=close)

    assert DebateConcluded(winner=winner, by_rule="assessment") == events[-1]   # type: ignore[arg-type]


async def test_samples_are_asked_for_and_their_median_counts(script: Script) -> None:
    said = [assessment(arguments={name: judged(name, points) for name in NAMES}) for points in (2, 9, 4)]
    async with house() as h:
        debate, _ = await held(h, script(answers=answers(assess=said)), samples=3)
        events = [record.event for record in await check(h.log, debate)]

    assert [1, 2, 3] == sorted(calls(events, "assess"))
    assert 12.0 == of(events, AssessmentGiven)[0].pro_total


async def test_a_script_that_leaves_everything_out_plays_a_neutral_debate(script: Script) -> None:
    events, _ = await played(script, **{key.replace(":", "_"): None for key in (*STATEMENTS, "assess")})

    assert DebateConcluded(winner="neither", by_rule="assessment") == events[-1]
    assert all(not each.faults for each in of(events, ArgumentsOpened, ClosingStated))
    assert 7 == len(of(events, ModelAnswered))


# rests, money, ends of processes


class Boundaries(MemoryLog):
    """A log that knows where its batches end."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[int] = []

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        records = await super().append(debate, expected, events)
        self.ends.append(records[-1].position)
        return records


async def test_a_process_may_end_after_any_batch(script: Script) -> None:
    """Whoever takes it up asks nothing twice and ends with the same verdict."""
    faulty = answers(
        open_pro=[opening("pro", n1={"claim": ""}), opening("pro")], cross_con={"fault": fault("bad_json", 9)},
        assess=[assessment(), assessment()],
    )
    log = Boundaries()
    async with house(log) as h:
        debate, _ = await held(h, script(answers=faulty), samples=2)
        whole = await check(h.log, debate)

    assert len(log.ends) > 12
    for cut in log.ends[:-1]:
        shorter = MemoryLog()
        await shorter.adopt(whole[:cut])
        async with house(shorter) as h:
            await h.moderators.take_up()
            assert isinstance(await h.ended(debate), DebateConcluded)
            records = await check(shorter, debate)
        asked = [(e.key, e.sample) for e in (r.event for r in records) if isinstance(e, ModelAnswered | ModelFailed)]

        assert whole[:cut] == records[:cut]
        assert sorted(asked) == sorted(
            (e.key, e.sample) for e in (r.event for r in whole) if isinstance(e, ModelAnswered | ModelFailed)
        )
        assert whole[-1].event == records[-1].event
        assert [] == of([record.event for record in records], AttemptAbandoned, DebateHalted)


async def test_a_halt_cuts_both_statements_off_and_a_resume_asks_what_is_missing(script: Script) -> None:
    async with house() as h:
        late = script(answers=answers(open_con={"fault": {"kind": "timeout", "after_ms": 60_000}}))
        debate = await h.open(late, turns=6, format="protocol")
        await h.until(debate, is_a(ModelAnswered))
        at = await h.moderators.halt(debate, "a break", "test")
        await h.idle()
        script(answers=answers())
        await h.moderators.resume(debate, "on", "test")

        assert isinstance(await h.ended(debate, at), DebateConcluded)
        events = [record.event for record in await check(h.log, debate)]

    assert [(1, "halted"), (2, "halted")] == [(each.turn, each.kind) for each in of(events, AttemptAbandoned)]
    assert [(1, 1), (2, 1), (1, 2), (2, 2)] == [
        (each.turn, each.attempt) for each in of(events, TurnStarted) if each.turn < 3
    ]
    assert [1] == calls(events, "open:pro")
    assert [2, 2] == [each.attempt for each in of(events, TurnSpoken) if each.turn < 3]


async def test_a_pause_lets_what_is_asked_be_answered(script: Script) -> None:
    async with house() as h:
        model = script(answers=answers(), pace={"answer_ms": 40})
        debate = await h.open(model, turns=6, format="protocol")
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.pause(debate, "tea", "test")
        await h.idle()

        events = await h.events(debate)
        assert len(of(events, ModelAnswered)) in {0, 2}   # asked before the pause or not at all
        assert [] == of(events, TurnSpoken)
        await h.moderators.resume(debate, "on", "test")
        assert isinstance(await h.ended(debate), DebateConcluded)
        await check(h.log, debate)


async def test_the_cost_cap_halts_before_the_next_question(script: Script) -> None:
    async with house() as h:
        model = script(answers=answers(open_pro=[opening("pro", n1={"claim": ""}), opening("pro")]), cost_usd=0.25)
        for most, spoken, cut in ((0.4, 0, 2), (0.7, 2, 0), (1.2, 4, 0), (1.6, 6, 0)):
            debate, end = await held(h, model, max_cost_usd=most)
            events = await h.events(debate)

            assert spoken == len(of(events, TurnSpoken))
            assert cut == len(of(events, AttemptAbandoned))
            assert isinstance(end, DebateHalted)
            assert "the cost cap is reached" in end.reason


async def test_a_debate_that_is_within_its_means_concludes(script: Script) -> None:
    async with house() as h:
        _, end = await held(h, script(answers=answers(), cost_usd=0.25), max_cost_usd=1.8)

        assert isinstance(end, DebateConcluded)


# beside the format


async def test_pressure_moves_nobody_and_nobody_scores_a_turn(script: Script) -> None:
    events, view = await played(script)
    kinds = {type(each).__struct_config__.tag for each in events}

    assert not kinds & {"pressure_applied", "traits_shifted", "directive_issued", "turn_scored", "claim_flagged"}
    assert view["traits"] == view["archetype_traits"]


async def test_what_was_asked_is_the_directors_until_the_end(script: Script) -> None:
    events, _ = await played(script)
    opened = events[0]

    assert isinstance(opened, DebateOpened)
    assert {"protocol", "open", "cross", "close", "assess"} <= opened.prompts.keys()
    assert {"prompt", "segments", "answer"} <= ModelAnswered.private
    assert FallacyFound.private == frozenset()
