"""The deadline of a debate: it halts with a reason and cancels the calls in flight; a resume gives the time again."""

from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from events.record import Draft
from events.state import debate as debates
from events.types import (
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    TurnFailed,
    TurnScored,
    TurnSpoken,
    TurnStarted,
)
from server.debate.commands import Resume
from server.debate.formats import next_steps
from server.debate.formats.halts import seconds_left
from server.debate.formats.steps import Ask, Record, Speak
from server.debate.setup.request import as_request
from server.errors import BadField
from tests.server import debate_events
from tests.server.conftest import CON, PRO
from tests.server.debate_events import RESUMED, failed, opened, recorded, started
from tests.server.harness import check_sound, fault, harness, is_end

pytestmark = pytest.mark.anyio

MINUTE = "2026-11-21T09:{:02}:00.000000Z"


def at(*events: Any) -> Any:
    """A debate whose events come one minute apart."""
    state = debates.INITIAL
    for minute, record in enumerate(recorded(events)):
        state = debates.evolve(state, replace(record, at=MINUTE.format(minute)))
    return state


def test_time_is_what_the_records_say() -> None:
    state = at(opened(deadline_s=600), started(1))

    assert 540 == seconds_left(state, state.at)
    assert 480 == seconds_left(state, MINUTE.format(2))
    assert seconds_left(at(opened()), MINUTE.format(9)) is None


def test_nothing_that_costs_is_begun_once_it_has_passed() -> None:
    (step,) = next_steps(at(opened(deadline_s=60), started(1), failed(1)))
    assert isinstance(step, Record)
    (halted,) = [draft.event for draft in step.drafts]

    assert isinstance(halted, DebateHalted)
    assert "the deadline of 60 s has passed; resume it, and it has 60 s again" == halted.reason


def test_what_costs_nothing_is_still_recorded() -> None:
    (step,) = next_steps(at(opened(deadline_s=60), started(1)))  # a turn that a crash cut off
    assert isinstance(step, Record)

    assert [AttemptAbandoned] == [type(draft.event) for draft in step.drafts]


def test_before_it_the_steps_are_what_they_were() -> None:
    events = (opened(deadline_s=86_400), started(1), failed(1))

    assert debate_events.steps(opened(), *events[1:]) == next_steps(debate_events.debate(events))


def test_a_resume_gives_as_long_again() -> None:
    halted = DebateHalted(reason="late", by="moot")
    state = at(opened(deadline_s=150), started(1), failed(1), halted, RESUMED)

    assert 150 == seconds_left(state, state.at)
    assert all(isinstance(step, Speak | Ask) for step in next_steps(state))


@pytest.mark.parametrize("seconds", [0, 0.5, 86_401, "soon"])
def test_a_deadline_out_of_bounds_is_refused_by_name(seconds: Any) -> None:
    with pytest.raises(BadField) as refused:
        as_request({"motion": "m", "deadline_s": seconds})

    assert "deadline_s" == refused.value.field


@pytest.mark.slow
async def test_it_cuts_off_a_turn_in_flight_and_the_debate_goes_on_when_resumed(script: Any) -> None:
    slow = script(pace={"chunk_ms": 60_000, "chunk_chars": 1})
    async with harness() as h:
        debate = await h.open(slow, deadline_s=2)
        end = await h.until(debate, is_end)
        assert isinstance(end.event, DebateHalted)
        await h.idle()
        script()  # the same file, quick now
        position = await h.moderators.act(debate, Resume("again", "test"))

        assert isinstance(await h.ended(debate, position), DebateConcluded)
        records = await check_sound(h.log, debate)

    assert end.event.reason.startswith("the deadline of 2 s has passed")
    (cut,) = [record.event for record in records if isinstance(record.event, AttemptAbandoned)]
    assert ("halted", 1) == (cut.kind, cut.turn)
    first = records[0].at, end.at
    assert first[0] < first[1]


@pytest.mark.slow
async def test_a_statement_of_a_protocol_is_cut_off_too(script: Any) -> None:
    slow = script(answers={"open:pro": {"fault": {"kind": "timeout", "after_ms": 60_000}}})
    async with harness() as h:
        debate = await h.open(slow, turns=6, format="protocol", deadline_s=1)
        end = await h.ended(debate)
        await h.idle()
        events = await h.events(debate)

    assert isinstance(end, DebateHalted)
    assert [1, 2] == [event.turn for event in events if isinstance(event, TurnStarted)]
    assert [1] == [event.turn for event in events if isinstance(event, AttemptAbandoned)]
    assert [2] == [event.turn for event in events if isinstance(event, TurnSpoken)]


async def test_nobody_sleeps_into_it(script: Any) -> None:
    """If a provider asks for more time than is left, the debate halts at once."""
    busy = {"text": PRO, "fault": fault("rate_limit") | {"retry_after_s": 90}, "then": PRO}
    async with harness() as h:
        with anyio.fail_after(10):
            debate = await h.open(script(says={"pro": [busy], "con": [CON]}), deadline_s=60)
            end = await h.ended(debate)
            await h.idle()
        events = await h.events(debate)

    assert isinstance(end, DebateHalted)
    assert "the deadline comes before scripted:" in end.reason
    assert "the script has too many calls (in 90 s); resume it, and it has 60 s again" in end.reason
    assert 1 == sum(isinstance(event, TurnFailed) for event in events)


async def test_who_asks_for_more_time_than_anybody_has_is_not_asked_again(script: Any) -> None:
    busy = {"text": PRO, "fault": fault("rate_limit") | {"retry_after_s": 3600}, "then": PRO}
    async with harness() as h:
        with anyio.fail_after(10):
            debate = await h.open(script(says={"pro": [busy], "con": [CON]}))
            end = await h.ended(debate)
        failures = [event for event in await h.events(debate) if isinstance(event, TurnFailed)]

    assert "the script has too many calls" == failures[0].message
    assert "asked to be left alone for 3600 s more" in failures[1].message
    assert 2 == len(failures)
    assert isinstance(end, DebateHalted)
    assert "debate.json asked to be left alone for 3600 s more (in 3600 s). Resume when it does." in end.reason


async def test_a_judge_that_asks_for_so_much_time_halts_the_debate_and_leaves_no_score_out(script: Any) -> None:
    busy = script("busy", answers={"score:*": {"fault": fault("rate_limit") | {"retry_after_s": 3600}}})
    async with harness() as h:
        debate = await h.open(script(), judge=busy)
        end = await h.ended(debate)
        events = await h.events(debate)

    assert isinstance(end, DebateHalted)
    assert "does not answer" in end.reason
    assert [] == [event for event in events if isinstance(event, TurnScored)]


async def test_a_deadline_that_passed_while_nothing_ran_halts_what_is_taken_up(script: Any) -> None:
    model = script()
    async with harness() as h:
        opening = await h.opening(model, deadline_s=60)
        long_ago = replace(opening, settings=replace(opening.settings, deadline_s=1e-6))
        await h.log.append("d", 0, [Draft(event=long_ago)])
        await h.moderators.take_up()
        end = await h.ended("d")

    assert isinstance(end, DebateHalted)
    assert "the deadline of 1e-06 s has passed" in end.reason
