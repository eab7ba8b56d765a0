"""Statements with faults are asked for again, kept and flagged; models that fail are named."""

from typing import Any

import msgspec
import pytest

from events.text.segmentation import first_words
from events.types import (
    ArgumentCrossExamined,
    ArgumentsOpened,
    AttemptAbandoned,
    ClosingStated,
    CrossExaminationFaulted,
    DebateConcluded,
    DebateHalted,
    ModelAnswered,
    ModelFailed,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from server.debate.commands import Resume
from tests.judge.protocol.rounds import NAMES, closing, cross, opening
from tests.server.harness import fault, harness
from tests.server.protocol_debates import PROSE, Script, answers, calls, check, held, of, played, stated

pytestmark = pytest.mark.anyio


NINE = {
    "arguments": [
        {
            "id": f"PRO-{n}",
            "claim": f"Claim number {n} of nine.",
            "reasoning": f"Reasoning number {n} of nine.",
            "evidence": f"Evidence {n}.",
        }
        for n in range(1, 10)
    ]
}


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
    opened = stated(events, ArgumentsOpened, "pro")

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

    assert () == stated(events, ArgumentsOpened, "pro").faults
    (told,) = (text for text in again.segments.values() if "What is wrong with it" in text)
    assert "- the ids are PRO-1, PRO-2, PRO-3, not “X-1”" in told
    assert '| {"arguments":[{"id":"X-1"' in told


@pytest.mark.parametrize("said", [PROSE, [PROSE, [PROSE]]])
async def test_an_opening_of_mere_words_is_kept_as_one_argument(script: Script, said: Any) -> None:
    events, view = await played(script, open_pro=said, assess=None)
    (only,) = stated(events, ArgumentsOpened, "pro").arguments

    assert ("PRO-1", PROSE) == (only.id, only.reasoning)
    assert PROSE == view["turns"]["1"]["text"]


async def test_an_opening_that_is_no_json_at_all_is_kept_as_it_came(script: Script) -> None:
    """The call fails; its text is kept, the statement is asked for again, and the text is flagged."""
    events, view = await played(script, open_con={"fault": fault("bad_json", 9)}, assess=None)
    opened = stated(events, ArgumentsOpened, "con")
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
    opened = stated(events, ArgumentsOpened, "pro")

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
    closed = stated(events, ClosingStated, "pro")
    judge = next(each for each in of(events, ModelAnswered) if each.key == "assess")

    assert [1, 2] == calls(events, "close:pro")
    assert (long, 908, ("it has 908 words, at most 200 are allowed",)) == (
        closed.final_position,
        closed.words,
        closed.faults,
    )
    assert [(True, 200)] == [(each.clipped, each.words) for each in of(events, TurnSpoken) if each.turn == 7]
    assert f"{first_words(long, 200)}…".startswith(view["turns"]["7"]["text"])
    (shown,) = (text for text in judge.segments.values() if "Closing statement of Pro" in text)
    assert "(only its first 200 words; it had 908)" in shown


# a model that fails


async def test_a_side_that_says_nothing_halts_the_debate_until_it_can_be_asked(script: Script) -> None:
    async with harness() as h:
        silent = script(answers=answers(open_con={"fault": fault("empty", 99)}))
        debate, end = await held(h, silent)

        assert isinstance(end, DebateHalted)
        assert end.reason.startswith(f"turn 2 (con, {silent}) failed 3 times, last: ")
        assert end.reason.endswith("Mend the cause and resume.")
        await h.idle()
        assert {"1": "spoken", "2": "failed"} == {
            name: turn["state"] for name, turn in (await h.view(debate))["turns"].items()
        }
        script(answers=answers())
        at = (await check(h.log, debate))[-1].position
        await h.moderators.act(debate, Resume("mended", "test"))

        assert isinstance(await h.ended(debate, at), DebateConcluded)
        events = [record.event for record in await check(h.log, debate)]

    assert [1] == calls(events, "open:pro")  # what pro has stated stands
    assert [(1, 1), (2, 1), (2, 2)] == [(each.turn, each.attempt) for each in of(events, TurnStarted) if each.turn < 3]
    assert [2] == [each.turn for each in of(events, TurnFailed)]
    assert [] == of(events, AttemptAbandoned)


async def test_an_answer_without_a_word_is_asked_for_again(script: Script) -> None:
    events, _ = await played(script, open_pro=[{"arguments": []}, opening("pro")])

    assert ["the answer holds no words"] == [each.message for each in of(events, ModelFailed)]
    assert () == stated(events, ArgumentsOpened, "pro").faults


async def test_a_wrong_key_is_not_tried_again(script: Script) -> None:
    async with harness() as h:
        debate, end = await held(h, script(answers=answers(cross_pro={"fault": fault("auth", 99)})))

        assert isinstance(end, DebateHalted)
        assert "turn 3 (pro, " in end.reason
        assert "failed once, last: the script wants a key" in end.reason
        assert 1 == len(of(await h.events(debate), ModelFailed))


async def test_a_failure_that_passes_leaves_no_trace_in_what_was_said(script: Script) -> None:
    events, _ = await played(script, close_con={"fault": fault("reset"), "then": closing("con")})

    assert ["reset"] == [each.kind for each in of(events, ModelFailed)]
    assert () == stated(events, ClosingStated, "con").faults
