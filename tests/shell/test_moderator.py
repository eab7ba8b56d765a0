"""Whole debates over a log in memory and a script: every fault, every act of a person, at every moment."""

from typing import Any

import anyio
import msgspec
import pytest

from events.errors import StoreUnavailable, UnknownDebate, UnknownEvent
from events.memory import MemoryLog
from events.record import Recorded
from events.types import (
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    DebatePaused,
    DebateResumed,
    ModelAnswered,
    ModelFailed,
    Reason,
    TurnFailed,
    TurnScored,
    TurnSpoken,
    TurnStarted,
)
from providers.registry import Registry
from providers.scripted import ScriptedProvider
from server import moderator as moderator_module
from server import moderators as moderators_module
from server.errors import NotNow, TooMany
from server.moderators import Moderators
from tests.shell.conftest import CON, PRO
from tests.shell.house import QUICK, Stubborn, check_sound, house, is_a

pytestmark = pytest.mark.anyio

FAULTS = (
    "refuse", "timeout", "reset", "drip", "empty", "bad_json", "wrong_type", "rate_limit", "overloaded", "auth",
    "context_length",
)
PERMANENT = {"auth", "context_length"}
SLOW = {"chunk_ms": 5, "chunk_chars": 4}


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moderator_module, "STORE_WAIT_S", 0.001)
    monkeypatch.setattr(moderators_module, "STORE_WAIT_S", 0.001)


def called(monkeypatch: pytest.MonkeyPatch, calls: int) -> anyio.Event:
    """Set once the script has been asked so many questions."""
    reached, answer, count = anyio.Event(), ScriptedProvider.answer, 0

    async def counted(self: ScriptedProvider, model: str, request: Any, type_: Any) -> Any:
        nonlocal count
        count += 1
        if count == calls:
            reached.set()
        return await answer(self, model, request, type_)

    monkeypatch.setattr(ScriptedProvider, "answer", counted)
    return reached


def fault(kind: str, times: int = 1) -> dict[str, Any]:
    return {"kind": kind, "times": times, "after_ms": 10}


async def test_a_debate_concludes(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script(), turns=4, samples=3, seed=7)

        assert isinstance(await h.ended(debate), DebateConcluded)
        await h.idle()
        records = await check_sound(h.log, debate)

    spoken = [r.event for r in records if isinstance(r.event, TurnSpoken)]
    assert [event.text for event in spoken] == [PRO, CON, PRO, CON]
    assert all(event.pace[-1][1] == len(event.text) for event in spoken)
    answers = [r.event for r in records if isinstance(r.event, ModelAnswered) and r.event.purpose == "score"]
    asked = [(turn, sample) for turn in range(1, 5) for sample in (1, 2, 3)]
    assert asked == sorted((answer.turn, answer.sample) for answer in answers)


async def test_every_cause_stands_before_its_effect_and_has_the_right_type(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script())
        await h.ended(debate)
        records = await check_sound(h.log, debate)

    causes = [
        (type(r.event).__name__, type(records[r.cause - 1].event).__name__) for r in records if r.cause is not None
    ]
    assert causes == [
        ("TurnStarted", "DebateOpened"), ("ModelAnswered", "TurnStarted"), ("TurnSpoken", "ModelAnswered"),
        ("ModelAnswered", "TurnSpoken"), ("TurnScored", "ModelAnswered"), ("TurnStarted", "TurnScored"),
        ("ModelAnswered", "TurnStarted"), ("TurnSpoken", "ModelAnswered"), ("ModelAnswered", "TurnSpoken"),
        ("TurnScored", "ModelAnswered"), ("ScorecardVerdictReached", "TurnScored"),
        ("DebateConcluded", "ScorecardVerdictReached"),
    ]


async def test_each_prompt_text_lies_in_the_log_once(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script(), turns=4)
        await h.ended(debate)
        events = await h.events(debate)

    calls = [event for event in events if isinstance(event, ModelAnswered)]
    digests = [digest for call in calls for digest in call.segments]
    assert len(set(digests)) == len(digests)
    assert {digest for call in calls for _, digest in call.prompt} == set(digests)


@pytest.mark.parametrize("kind", FAULTS)
async def test_a_fault_in_a_turn_is_recorded_and_tried_again_or_halts(script: Any, kind: str) -> None:
    second = {"text": PRO, "fault": fault(kind), "then": "A second try, well spoken."}
    model = script(says={"pro": [PRO, second], "con": [CON]})
    async with house() as h:
        debate = await h.open(model, turns=4)
        end = await h.ended(debate)
        await h.idle()
        records = await check_sound(h.log, debate)

    failures = [r.event for r in records if isinstance(r.event, TurnFailed)]
    assert [(event.turn, event.attempt) for event in failures] == [(3, 1)]
    assert [r.event.call for r in records if isinstance(r.event, ModelFailed)] == ["speak.3.1"]
    if kind in PERMANENT:
        assert isinstance(end, DebateHalted)
        assert "turn 3 (pro, " in end.reason
        assert "resume" in end.reason
    else:
        assert isinstance(end, DebateConcluded)
        assert next(
            r.event.text for r in records if isinstance(r.event, TurnSpoken) and r.event.turn == 3
        ) == "A second try, well spoken."


@pytest.mark.parametrize("kind", FAULTS)
async def test_a_fault_that_stays_halts_with_a_reason_and_resume_goes_on(script: Any, kind: str) -> None:
    many = {"text": PRO, "fault": fault(kind, times=3), "then": PRO}
    async with house() as h:
        debate = await h.open(script(says={"pro": [many], "con": [CON]}))
        end = await h.ended(debate)
        assert isinstance(end, DebateHalted)
        assert "Mend the cause and resume." in end.reason
        while isinstance(end, DebateHalted):   # a permanent fault halts at each attempt
            position = await h.moderators.resume(debate, "mended", "test")
            end = await h.ended(debate, position)
        records = await check_sound(h.log, debate)

    assert isinstance(end, DebateConcluded)
    assert sum(isinstance(r.event, TurnFailed) for r in records) == 3


@pytest.mark.parametrize("kind", FAULTS)
async def test_a_fault_of_the_judge_is_asked_again_or_leaves_a_missing_value(script: Any, kind: str) -> None:
    async with house() as h:
        debate = await h.open(script(answers={"score:1": {"fault": fault(kind)}}))
        end = await h.ended(debate)
        records = await check_sound(h.log, debate)

    assert isinstance(end, DebateConcluded)
    scored = next(r.event for r in records if isinstance(r.event, TurnScored))
    assert sum(isinstance(r.event, ModelFailed) for r in records) == 1
    if kind in PERMANENT:
        assert "gave no usable answer" in scored.missing.reason
        assert (end.winner, end.by_rule) == ("neither", "no_judgement")
    else:
        assert scored.samples == 1


@pytest.mark.parametrize("kind", sorted(set(FAULTS) - PERMANENT))
async def test_a_judge_that_never_answers_is_asked_so_often_and_never_again(script: Any, kind: str) -> None:
    async with house() as h:
        debate = await h.open(script(answers={"score:*": {"fault": fault(kind, times=99)}}), samples=2)
        end = await h.ended(debate)
        records = await check_sound(h.log, debate)

    assert isinstance(end, DebateConcluded)
    assert end.winner == "neither"
    failures = [r.event for r in records if isinstance(r.event, ModelFailed)]
    assert 2 * 2 * QUICK.attempts == len({event.call for event in failures}) == len(failures)
    assert [isinstance(r.event.missing, Reason) for r in records if isinstance(r.event, TurnScored)] == [True, True]


async def test_a_judge_of_its_own_may_fail_while_the_debaters_speak(script: Any) -> None:
    bad, good = script("bad", answers={"score:*": {"fault": fault("auth")}}), script("good")
    async with house() as h:
        debate = await h.open(good, judge=bad)
        assert isinstance(await h.ended(debate), DebateConcluded)
        events = await h.events(debate)

    assert all(isinstance(event.missing, Reason) for event in events if isinstance(event, TurnScored))


async def test_what_a_judge_writes_beyond_the_type_is_not_believed(script: Any) -> None:
    """Points over the maximum are of the wrong type: a failure, never clamped in silence."""
    async with house() as h:
        cheat = {"components": {"cause": {"quote": "Cars take the space", "reason": "x", "points": 99}}}
        debate = await h.open(script(answers={"score:*": cheat}), turns=1)
        await h.ended(debate)
        events = await h.events(debate)

    assert {"wrong_type"} == {event.kind for event in events if isinstance(event, ModelFailed)}


# acts of people


async def test_a_pause_in_mid_turn_lets_the_turn_finish_and_then_rests(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script(pace=SLOW))
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.pause(debate, "tea", "test")
        await h.until(debate, is_a(TurnSpoken))
        await h.idle()
        assert isinstance((await h.events(debate))[-1], TurnSpoken)

        await h.moderators.resume(debate, "", "test")
        assert isinstance(await h.ended(debate), DebateConcluded)
        records = await check_sound(h.log, debate)

    assert not any(isinstance(r.event, AttemptAbandoned) for r in records)


async def test_a_pause_in_mid_judgement_keeps_the_answers_that_come(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = called(monkeypatch, 2)
    async with house() as h:
        debate = await h.open(script(pace={"answer_ms": 30}), samples=2)
        await asked.wait()
        await h.moderators.pause(debate, "tea", "test")
        await h.idle()
        scored = [e for e in await h.events(debate) if isinstance(e, ModelAnswered) and e.purpose == "score"]
        assert len(scored) == 2
        assert (await h.view(debate))["state"] == "paused"

        await h.moderators.resume(debate, "", "test")
        assert isinstance(await h.ended(debate), DebateConcluded)
        await check_sound(h.log, debate)


async def test_a_halt_in_mid_turn_stops_at_once_and_leaves_no_half_turn(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        await h.until(debate, is_a(TurnStarted))
        with anyio.fail_after(2):
            await h.moderators.halt(debate, "stop", "test")
            await h.idle()

        halted, abandoned = (await h.events(debate))[-2:]
        assert isinstance(halted, DebateHalted)
        assert isinstance(abandoned, AttemptAbandoned)
        assert (abandoned.kind, abandoned.message, abandoned.attempt) == ("halted", "stop", 1)
        assert (await h.view(debate))["turns"]["1"]["state"] == "failed"


async def test_a_halt_in_mid_judgement_stops_at_once_and_resume_asks_again(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = called(monkeypatch, 1)
    model = script(pace={"answer_ms": 60_000})
    async with house() as h:
        debate = await h.open(model, turns=1)
        await asked.wait()
        with anyio.fail_after(2):
            await h.moderators.halt(debate, "stop", "test")
            await h.idle()
        script()   # the same file, without the long thought

        await h.moderators.resume(debate, "", "test")

        assert isinstance(await h.ended(debate, len(await h.events(debate))), DebateConcluded)
        await check_sound(h.log, debate)


async def test_resume_after_a_halt_gives_a_fresh_attempt(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000}), turns=1)
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.halt(debate, "stop", "test")
        script()
        position = await h.moderators.resume(debate, "", "test")
        await h.ended(debate, position)
        records = await check_sound(h.log, debate)

    assert [(r.event.turn, r.event.attempt) for r in records if isinstance(r.event, TurnStarted)] == [(1, 1), (1, 2)]


async def test_a_pause_while_a_retry_waits_is_obeyed(script: Any) -> None:
    """An attempt that is still waiting for its turn is not in flight."""
    settings = _with(retry_ms=50)
    async with house(settings=settings) as h:
        debate = await h.open(script(says={"pro": [{"text": PRO, "fault": fault("reset")}], "con": [CON]}))
        await h.until(debate, is_a(TurnFailed))
        await h.moderators.pause(debate, "tea", "test")
        await h.idle()

        assert isinstance((await h.events(debate))[-1], DebatePaused)


async def test_a_question_that_waits_for_its_retry_is_not_asked_after_a_pause(script: Any) -> None:
    async with house(settings=_with(retry_ms=50)) as h:
        debate = await h.open(script(answers={"score:1": {"fault": fault("reset")}}))
        await h.until(debate, is_a(ModelFailed))
        await h.moderators.pause(debate, "tea", "test")
        await h.idle()

        assert isinstance((await h.events(debate))[-1], DebatePaused)


def _with(**changes: Any) -> Any:
    return msgspec.structs.replace(QUICK, **changes)


@pytest.mark.parametrize("act", ["pause", "halt"])
@pytest.mark.parametrize("moment", range(1, 14))
async def test_an_act_after_any_event_is_obeyed_and_undone(script: Any, act: str, moment: int) -> None:
    """Right after the n-th event the debate rests, nothing is half done, and it can go on to its end."""
    async with house() as h:
        debate = await h.open(script(pace={"chunk_ms": 0, "chunk_chars": 8}))
        await h.until(debate, lambda record: record.position >= moment)
        try:
            await getattr(h.moderators, act)(debate, "now", "test")
        except NotNow:
            assert isinstance((await h.events(debate))[-1], DebateConcluded)
            return
        await h.idle()
        events = await h.events(debate)
        rest = next(i for i, e in enumerate(events) if isinstance(e, DebatePaused | DebateHalted))
        after = {type(event) for event in events[rest + 1 :]}
        allowed = {ModelAnswered, TurnSpoken} if act == "pause" else {AttemptAbandoned}
        assert after <= allowed

        position = await h.moderators.resume(debate, "on", "test")
        assert isinstance(await h.ended(debate, position), DebateConcluded)
        await check_sound(h.log, debate)


async def test_acts_that_make_no_sense_now_are_refused(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script(pace=SLOW))
        with pytest.raises(NotNow, match="the debate is open"):
            await h.moderators.resume(debate, "", "test")
        await h.moderators.pause(debate, "", "test")
        with pytest.raises(NotNow, match="the debate is paused"):
            await h.moderators.pause(debate, "", "test")
        await h.moderators.halt(debate, "", "test")
        with pytest.raises(NotNow, match="the debate is halted"):
            await h.moderators.halt(debate, "", "test")
        position = await h.moderators.resume(debate, "", "test")
        await h.ended(debate, position)
        for act in (h.moderators.pause, h.moderators.resume, h.moderators.halt):
            with pytest.raises(NotNow, match="the debate is concluded"):
                await act(debate, "", "test")
        with pytest.raises(UnknownDebate):
            await h.moderators.pause("nobody", "", "test")


async def test_halt_and_resume_again_and_again_never_makes_two_moderators(script: Any) -> None:
    """A second moderator would write beside the first, and one of them would fail on the position."""
    async with house() as h:
        debate = await h.open(script(pace={"chunk_ms": 1, "chunk_chars": 4}))
        for _ in range(30):
            try:
                await h.moderators.halt(debate, "stop", "test")
                await h.moderators.resume(debate, "on", "test")
                await anyio.lowlevel.checkpoint()
            except NotNow:
                break
        assert isinstance(await h.until(debate, is_a(DebateConcluded)), Recorded)
        records = await check_sound(h.log, debate)

    assert not [r.event for r in records if isinstance(r.event, DebateHalted) and r.event.by == "moot"]


class SlowToResume(MemoryLog):
    """Holds the append of a resume until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.go = anyio.Event(), anyio.Event()

    async def append(self, debate: str, expected: int, events: Any) -> Any:
        if isinstance(getattr(events[0], "event", None), DebateResumed) and not self.go.is_set():
            self.reached.set()
            await self.go.wait()
        return await super().append(debate, expected, events)


async def test_a_moderator_that_ends_while_somebody_resumes_stays_the_only_one(script: Any) -> None:
    log = SlowToResume()
    async with house(log) as h, anyio.create_task_group() as tasks:
        debate = await h.open(script(pace=SLOW))
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.halt(debate, "stop", "test")
        tasks.start_soon(h.moderators.resume, debate, "on", "test")
        await log.reached.wait()
        await h.idle()
        log.go.set()
        resumed = await h.until(debate, is_a(DebateResumed))
        await h.moderators.pause(debate, "tea", "test")
        await h.moderators.resume(debate, "on", "test")

        assert isinstance(await h.ended(debate, resumed.position), DebateConcluded)
        await check_sound(h.log, debate)


async def test_a_moderator_that_has_nothing_to_do_is_let_go(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script(), turns=1)
        await h.ended(debate)
        await h.idle()
        with pytest.raises(NotNow):
            await h.moderators.halt(debate, "", "test")

        assert h.moderators._known == {}


# the store, bugs, and the end


@pytest.mark.parametrize("after_commit", [False, True])
async def test_a_store_that_fails_for_a_while_loses_nothing(script: Any, after_commit: bool) -> None:
    """Every append fails three times, also where it was committed and only the answer was lost."""
    log = Stubborn(lambda tried: tried > 1 and tried % 4 != 0, after_commit=after_commit)
    async with house(log) as h:
        debate = await h.open(script(), turns=3, samples=2)

        assert isinstance(await h.ended(debate), DebateConcluded)
        await h.idle()
        records = await check_sound(h.log, debate)

    assert len(records) == 1 + 3 * (3 + 2 + 1) + 2


async def test_while_the_store_fails_an_act_is_refused_at_once_and_the_debate_goes_on_later(script: Any) -> None:
    is_down = True
    log = Stubborn(lambda tried: tried > 1 and is_down)
    async with house(log) as h:
        debate = await h.open(script())
        with anyio.fail_after(5):
            await log.reached(4)
            with pytest.raises(StoreUnavailable):
                await h.moderators.pause(debate, "", "test")
        is_down = False

        assert isinstance(await h.ended(debate), DebateConcluded)


async def test_cancelling_while_the_store_fails_ends_at_once(script: Any) -> None:
    log = Stubborn(lambda tried: tried > 1)
    with anyio.fail_after(5):
        async with house(log) as h:
            await h.open(script())
            await log.reached(3)


async def test_cancelling_in_mid_turn_leaves_a_log_that_another_process_finishes(script: Any) -> None:
    log = MemoryLog()
    async with house(log) as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}), turns=2)
        await h.until(debate, is_a(TurnStarted))
    script()
    async with house(log) as h:
        assert await h.moderators.take_up() == 1
        assert isinstance(await h.ended(debate), DebateConcluded)
        records = await check_sound(log, debate)

    assert [r.event.kind for r in records if isinstance(r.event, AttemptAbandoned)] == ["interrupted"]


async def test_a_process_may_end_after_any_event(script: Any) -> None:
    """Cut the log at every position: who takes it up ends with everything once."""
    async with house() as h:
        debate = await h.open(script(), turns=2, samples=2)
        await h.ended(debate)
        whole = await check_sound(h.log, debate)
    for cut in range(1, len(whole)):
        log = MemoryLog()
        await log.adopt(whole[:cut])
        async with house(log) as h:
            await h.moderators.take_up()
            assert isinstance(await h.ended(debate), DebateConcluded)
            records = await check_sound(log, debate)

        assert whole[:cut] == records[:cut]
        assert (await log.unfinished()) == ()


async def test_a_bug_halts_its_debate_and_leaves_the_others(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = Registry.resolve

    def broken(self: Registry, name: str) -> Any:
        if "broken" in name:
            raise ZeroDivisionError
        return resolve(self, name)

    async with house() as h:
        bad, good = await h.opening(script("broken")), await h.opening(script("good"))
        monkeypatch.setattr(Registry, "resolve", broken)
        first, second = await h.moderators.open(bad), await h.moderators.open(good)

        halted = await h.ended(first)
        assert isinstance(halted, DebateHalted)
        assert halted.reason == "an error inside Moot (ZeroDivisionError); its log has the details"
        assert isinstance(await h.ended(second), DebateConcluded)
        await h.idle()
        await check_sound(h.log, first)
        assert (await h.view(first))["turns"]["1"]["state"] == "failed"


async def test_a_debate_that_cannot_be_read_does_not_keep_the_others_from_going_on(script: Any) -> None:
    class Damaged(MemoryLog):
        bad = ""

        async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
            if debate == self.bad:
                raise UnknownEvent("from the future")
            return await super().read(debate, after, limit)

    log = Damaged()
    async with house(log) as h:
        opened = await h.opening(script())
    first = (await log.append("first", 0, [opened]))[0].debate
    await log.append("second", 0, [opened])
    log.bad = first
    async with house(log) as h:
        assert await h.moderators.take_up() == 1
        assert isinstance(await h.ended("second"), DebateConcluded)


async def test_more_debates_than_may_run_are_refused(script: Any) -> None:
    async with house() as h:
        opened = await h.opening(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        h.moderators = Moderators(h.log, h.registry, h.hub, most=1)
        async with anyio.create_task_group() as tasks:
            await tasks.start(h.moderators.run)
            await h.moderators.open(opened)
            with pytest.raises(TooMany) as refused:
                await h.moderators.open(opened)
            tasks.cancel_scope.cancel()

    assert refused.value.retry_after_s


async def test_a_hundred_debates_at_once(script: Any) -> None:
    async with house() as h:
        opened = await h.opening(script(pace={"chunk_ms": 0, "chunk_chars": 40}))
        ids = [await h.moderators.open(opened) for _ in range(100)]
        for debate in ids:
            assert isinstance(await h.ended(debate), DebateConcluded)
        await h.idle()
        for debate in ids[::20]:
            await check_sound(h.log, debate)


async def test_a_model_that_talks_too_much_is_clipped_at_a_sentence(script: Any) -> None:
    long = "One two three four five six seven eight nine ten. " * 12
    async with house() as h:
        debate = await h.open(script(says={"pro": [long], "con": [CON]}), turns=1, max_words=20)
        await h.ended(debate)
        (spoken,) = [event for event in await h.events(debate) if isinstance(event, TurnSpoken)]

    assert (spoken.words, spoken.clipped) == (20, True)
    assert spoken.text.endswith("ten.")
    assert len(spoken.text) == spoken.pace[-1][1]


async def test_words_of_any_script_are_kept_and_control_characters_are_not(script: Any) -> None:
    text = "𝄞 Straßen 🚋 gehören\x00 den Menschen, 日本語。"
    async with house() as h:
        debate = await h.open(script(says={"pro": [text], "con": [CON]}, pace={"chunk_chars": 1}), turns=1)
        await h.ended(debate)
        (spoken,) = [event for event in await h.events(debate) if isinstance(event, TurnSpoken)]

    assert spoken.text == "𝄞 Straßen 🚋 gehören den Menschen, 日本語。"
    assert len(spoken.text) == spoken.pace[-1][1]


async def test_the_cost_cap_halts_between_turns(script: Any) -> None:
    async with house() as h:
        debate = await h.open(script(cost_usd=0.4), turns=6, max_cost_usd=1)
        end = await h.ended(debate)
        await check_sound(h.log, debate)

    assert isinstance(end, DebateHalted)
    assert "cost cap" in end.reason
