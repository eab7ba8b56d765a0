"""The first failure that shows how a model must be asked does not count: the call is repeated at once."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.record import Draft
from events.store.log import read_all
from events.types import (
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    DebateResumed,
    ModelFailed,
    TurnFailed,
    TurnScored,
    TurnStarted,
)
from providers.errors import Adapted, Empty, PromptCut, Starved, ThinkingAsText
from server.debate.formats.halts import ADAPTED, count_tries, is_forgiven
from server.debate.formats.steps import Ask, Record, Speak
from server.whatif.replay import replay
from tests.judge.random_debate import RandomDebate
from tests.server.debate_events import (
    RESUMED,
    Play,
    abandoned,
    besides,
    failed,
    opened,
    question_failed,
    spoken,
    started,
    steps,
)
from tests.server.faulty_scripts import USED, faulty_registry
from tests.server.harness import check_sound, harness
from tests.server.protocol_debates import answers, held

pytestmark = pytest.mark.anyio
Script = Callable[..., str]


def test_every_error_that_shows_how_to_ask_is_known_by_its_kind() -> None:
    assert {each.kind for each in Adapted.__subclasses__()} == ADAPTED


def test_the_first_of_each_kind_does_not_count() -> None:
    assert 2 == count_tries(["starved", "timeout", "thought_aloud", "starved"])
    assert is_forgiven("starved", ["thought_aloud"])
    assert not is_forgiven("starved", ["starved"])
    assert not is_forgiven("timeout", [])


# a turn


@pytest.mark.parametrize("kind", sorted(ADAPTED))
def test_the_next_attempt_follows_at_once_and_has_every_try_left(kind: str) -> None:
    events: list[Any] = [opened(retry_ms=100, turn_attempts=2), started(1), failed(1)]
    events += [started(1, 2), abandoned(1, 2, kind)]
    (step,) = steps(*events)
    (later,) = steps(*events, started(1, 3), failed(1, 3, kind))

    assert isinstance(step, Speak)
    assert (3, 0) == (step.attempt, step.delay_ms)
    assert isinstance(later, Record)
    assert isinstance(later.drafts[0].event, DebateHalted)
    assert "failed 2 times" in later.drafts[0].event.reason


def test_the_second_of_a_kind_is_waited_for_like_any_failure() -> None:
    events = [opened(retry_ms=100), started(1), abandoned(1, 1, "starved"), started(1, 2), failed(1, 2, "starved")]
    (step,) = steps(*events)

    assert isinstance(step, Speak)
    assert (3, 100) == (step.attempt, step.delay_ms)


@pytest.mark.parametrize("error", [Starved, ThinkingAsText, PromptCut])
@pytest.mark.parametrize("blind", [False, True])
async def test_a_turn_is_abandoned_once_a_kind_and_then_failed(
    script: Script, error: type[Adapted], *, blind: bool
) -> None:
    met = [error("gpt-zq thinks", outcome=USED), error("gpt-zq thinks", outcome=USED), Empty("gpt-zq")]
    async with harness(registry=faulty_registry({"speak:pro": met})) as h:
        debate = await h.open(script(), turns=1, blind=blind)
        end = await h.ended(debate)
        events = [record.event for record in await check_sound(h.log, debate)]

    told = [each for each in events if isinstance(each, AttemptAbandoned | TurnFailed)]
    assert isinstance(end, DebateConcluded)
    assert [(AttemptAbandoned, error.kind), (TurnFailed, error.kind)] == [(type(each), each.kind) for each in told][:2]
    assert ("gpt-zq" in told[0].message) is not blind
    assert [0.125, 0.125] == [each.cost_usd for each in events if isinstance(each, ModelFailed)][:2]
    assert [1, 2, 3, 4] == [each.attempt for each in events if isinstance(each, TurnStarted)]


async def test_each_kind_is_forgiven_once(script: Script) -> None:
    met = [Starved("a"), ThinkingAsText("b"), PromptCut("c"), Starved("d"), ThinkingAsText("e")]
    async with harness(registry=faulty_registry({"speak:pro": met})) as h:
        debate = await h.open(script(), turns=1)
        end = await h.ended(debate)
        events = await h.events(debate)

    assert isinstance(end, DebateConcluded)
    assert 3 == sum(isinstance(each, AttemptAbandoned) for each in events)
    assert ["starved", "thought_aloud"] == [each.kind for each in events if isinstance(each, TurnFailed)]


async def test_the_same_log_walked_again_is_the_same_debate(script: Script) -> None:
    met = {"speak:pro": [Starved("a"), Starved("b")], "score:1": [Starved("c"), Starved("d")]}
    async with harness(registry=faulty_registry(met)) as h:
        debate = await h.open(script(), turns=1)
        await h.ended(debate)
        walked = replay([record async for record in read_all(h.log, debate)], lambda opening: opening)

    assert (0, ()) == (walked.diverges_at, walked.unanswered)
    assert walked.recorded == walked.would_be


# a question


def due(*events: Any) -> Any:
    """The question for the score that may be asked now."""
    (step,) = (step for step in steps(*events) if isinstance(step, Ask) and step.purpose == "score")
    return step


@pytest.mark.parametrize("kind", sorted(ADAPTED))
def test_a_question_is_put_again_at_once_and_has_every_try_left(kind: str) -> None:
    events: list[Any] = [opened(judge_attempts=2, retry_ms=50), started(1), spoken(1)]
    events += besides(*events)
    waits = []
    for attempt, met in enumerate((kind, kind, "timeout"), 1):
        waits.append(due(*events).delay_ms)
        events.append(question_failed(1, kind=met, attempt=attempt))

    (step,) = steps(*events)
    assert [0, 0, 50] == waits
    assert isinstance(step, Record)
    (scored,) = (each.event for each in step.drafts if isinstance(each.event, TurnScored))
    assert "timeout" in scored.missing.reason


def test_a_question_waits_after_a_failure_that_counts_and_not_after_one_that_does_not() -> None:
    events: list[Any] = [opened(judge_attempts=5, retry_ms=50), started(1), spoken(1)]
    waits = []
    for attempt, met in enumerate(("timeout", "starved", "starved", "prompt_cut"), 1):
        events.append(question_failed(1, kind=met, attempt=attempt))
        waits.append(due(*events).delay_ms)

    assert [50, 0, 100, 0] == waits


def test_a_resume_forgets_a_questions_failures() -> None:
    play = Play(opened(judge_attempts=1, retry_ms=50), started(1), spoken(1), question_failed(1, kind="starved"))
    play.add(*(Draft(event=each) for each in besides(*play.events)), question_failed(1, kind="starved", attempt=2))
    (rest,) = play.steps

    assert isinstance(rest, Record)
    assert 0 == due(opened(judge_attempts=1), started(1), spoken(1), question_failed(1), RESUMED).delay_ms


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_no_question_fails_more_often_than_it_may(seed: int) -> None:
    play, failures = RandomDebate(seed).run(), defaultdict[tuple[str, int], list[str]](list)
    most = play.debate.opened.settings.judge_attempts  # type: ignore[union-attr]
    for event in play.events:
        if isinstance(event, DebateResumed):
            failures.clear()
        elif isinstance(event, ModelFailed):
            failures[event.key, event.sample].append(event.kind)

            assert count_tries(failures[event.key, event.sample]) <= most


async def test_a_statement_is_forgiven_like_a_question(script: Script) -> None:
    async with harness(
        registry=faulty_registry({"open:pro": [Starved("a", outcome=USED), Starved("b"), Starved("c")]})
    ) as h:
        debate, end = await held(h, script(answers=answers()))
        events = await h.events(debate)

    assert isinstance(end, DebateConcluded)
    assert 3 == sum(isinstance(each, ModelFailed) for each in events)


async def test_a_statement_that_is_given_up_says_how_often_it_failed(script: Script) -> None:
    async with harness(registry=faulty_registry({"open:pro": [Starved("x")] * 4})) as h:
        _, end = await held(h, script(answers=answers()))

    assert isinstance(end, DebateHalted)
    assert "failed 3 times" in end.reason
