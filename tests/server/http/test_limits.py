"""The limit on requests: how many, of whom, when again, and how much memory that takes."""

import sys
from typing import Any

import pytest

from providers.limits.minute import MinuteCount
from server.errors import TooMany
from server.http.limits import MAX_CLIENTS, RateLimit, client_of
from tests.server.site import Site, refused


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def allowed(limit: RateLimit, client: str = "a", tries: int = 20) -> int:
    """Requests that are allowed at once."""
    for number in range(tries):
        try:
            limit.check(client, "you")
        except TooMany:
            return number
    return tries


def test_a_client_has_so_many_requests_in_a_minute_and_others_have_their_own() -> None:
    clock = Clock()
    limit = RateLimit(4, "votes came", clock)

    assert 4 == allowed(limit)
    assert 4 == allowed(limit, "b")
    clock.now += 60
    assert 1 == allowed(limit)
    clock.now += 30
    assert 2 == allowed(limit)
    clock.now += 200
    assert 4 == allowed(limit)


@pytest.mark.parametrize("pause_s", [0, 10, 59, 61, 75])
def test_who_comes_back_when_it_is_told_is_served(pause_s: int) -> None:
    clock = Clock()
    limit = RateLimit(3, "votes came", clock)
    allowed(limit)
    clock.now += pause_s
    allowed(limit)
    with pytest.raises(TooMany, match="too many votes came from you in a minute: the limit is 3") as refusal:
        limit.check("a", "you")
    assert 1 <= refusal.value.retry_after_s <= 60

    clock.now += refusal.value.retry_after_s
    limit.check("a", "you")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("", "", True),
        ("testclient", "other", False),
    ],
)
def test_an_address_is_counted_as_the_network_of_one_client(one: str, other: str, *, same: bool) -> None:
    assert same == (client_of(one) == client_of(other))


def test_the_memory_of_a_limit_has_a_bound() -> None:
    limit = RateLimit(600, "votes came", Clock())
    for number in range(3 * MAX_CLIENTS):
        limit.check(str(number), "you")

    assert MAX_CLIENTS == len(limit)
    assert sys.getsizeof(MinuteCount(0.0)) < 100


def test_a_debate_that_does_not_exist_leaves_nothing_in_memory(site: Site) -> None:
    for number in range(5):
        site.client.cookies.clear()
        refused(site.client.post(f"/api/debates/nobody{number}/votes", json={"winner": "pro"}), 404)
        refused(site.client.get(f"/api/debates/nobody{number}"), 404)
        refused(site.client.get(f"/api/debates/nobody{number}/audit/turns/1"), 404)
    state: Any = site.state  # type: ignore[attr-defined]

    assert 0 == len(state.voters._by_voter)
    assert 1 == len(state.voters._by_address)
    assert () == tuple(state.service.hub.channels)
