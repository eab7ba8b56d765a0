"""The circuit breaker: when it opens, and when it allows a trial."""

import pytest

from providers import errors
from providers.http.status import by_status
from providers.limits.breaker import FAILURES, LONGEST_REST_S, REST_S, Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker("ollama", clock)


def fail(breaker: Breaker, times: int = FAILURES, error: type[errors.ProviderError] = errors.Overloaded) -> None:
    for _ in range(times):
        breaker.failed(error("too much to do"))


def test_it_stays_closed_below_so_many_failures(breaker: Breaker) -> None:
    fail(breaker, FAILURES - 1)

    breaker.check()
    assert 0 == breaker.rests_s


def test_it_opens_and_says_when_to_retry(breaker: Breaker) -> None:
    fail(breaker)

    with pytest.raises(errors.Unreachable, match=r"left alone for 15 s after 5 failures, last: too much to do") as left:
        breaker.check()

    assert REST_S == left.value.retry_after_s == breaker.rests_s


@pytest.mark.parametrize("error", [errors.Malformed, errors.Refused, errors.RateLimited, errors.ContextExceeded])
def test_failures_of_one_question_do_not_count(breaker: Breaker, error: type[errors.ProviderError]) -> None:
    fail(breaker, 20, error)

    breaker.check()
    assert 0 == breaker.rests_s


def test_a_forbidden_model_is_no_failure_of_its_provider(breaker: Breaker) -> None:
    for _ in range(20):
        breaker.failed(by_status(403, "this key may not use the model"))

    breaker.check()
    assert 0 == breaker.rests_s


@pytest.mark.parametrize("error", [errors.Unreachable, errors.Overloaded, errors.TimedOut, errors.NotAuthorised])
def test_a_refusal_of_the_breaker_can_always_pass(breaker: Breaker, error: type[errors.ProviderError]) -> None:
    fail(breaker, error=error)

    with pytest.raises(errors.Unreachable):
        breaker.check()


def test_one_success_forgets_the_failures(breaker: Breaker) -> None:
    fail(breaker, FAILURES - 1)
    breaker.succeeded()
    fail(breaker, FAILURES - 1)

    breaker.check()
    assert "" != breaker.last


def test_after_the_rest_one_call_is_let_through_and_no_second(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += REST_S

    breaker.check()
    with pytest.raises(errors.Unreachable):
        breaker.check()


def test_a_trial_that_succeeds_closes_it(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += REST_S
    breaker.check()
    breaker.succeeded()

    breaker.check()
    breaker.check()
    assert "" == breaker.last


def test_a_trial_that_fails_doubles_the_rest_up_to_a_limit(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    rests = []
    for _ in range(6):
        clock.now += breaker.rests_s
        breaker.check()
        fail(breaker, 1)
        rests.append(breaker.rests_s)

    assert [30, 60, 120, LONGEST_REST_S, LONGEST_REST_S, LONGEST_REST_S] == rests


def test_a_trial_that_was_cut_off_leaves_room_for_another(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += REST_S
    breaker.check()
    breaker.abandoned()

    breaker.check()
    assert 0 == breaker.rests_s


def test_failures_last_after_three_minutes_of_trials(breaker: Breaker, clock: Clock) -> None:
    seen = []
    fail(breaker)
    for _ in range(4):
        clock.now += breaker.rests_s
        breaker.check()
        failure = errors.Unreachable("refused")
        breaker.failed(failure)
        seen.append((clock.now - 100, failure.is_lasting))
    with pytest.raises(errors.Unreachable) as refused:
        breaker.check()

    assert [(15, False), (45, False), (105, False), (225, True)] == seen
    assert refused.value.is_lasting


def test_failures_that_were_long_ago_do_not_last(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += 10_000
    breaker.check()
    failure = errors.Unreachable("refused")
    breaker.failed(failure)

    assert not failure.is_lasting


def test_a_rest_ends_when_the_provider_is_seen_to_answer(breaker: Breaker) -> None:
    fail(breaker)
    breaker.end_rest()

    breaker.check()
    assert breaker.is_tried
