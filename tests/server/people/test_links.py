"""The tokens of seats: what a token names, and texts that are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.state.seats import SeatState
from server.people.links import digest_of_link, has_link, holds, is_secret, new_token, place_of

SEAT = SeatState(name="Ann", time_s=60.0)
ids = st.from_regex(r"[A-Za-z0-9_-]{1,80}", fullmatch=True)


@pytest.mark.slow
@given(ids, st.text(min_size=1, max_size=20))
def test_a_token_names_its_debate_and_seat(debate: str, seat: str) -> None:
    try:
        seat.encode()
    except UnicodeEncodeError:
        return
    assert place_of(new_token(debate, seat)) == (debate, seat)


@given(st.text(max_size=400))
def test_any_other_text_names_nothing(text: str) -> None:
    assert place_of(text) is None


def test_two_tokens_of_a_seat_differ_and_have_128_random_bits() -> None:
    one, other = (new_token("d1", "pro").rpartition(".")[2] for _ in range(2))

    assert one != other
    assert len(one) == len(other) == 22


def test_a_seat_without_a_link_admits_nobody() -> None:
    assert not has_link(SEAT, "")
    assert not has_link(SEAT, digest_of_link(""))
    assert not holds(SEAT, "")


@given(st.text(max_size=80))
def test_a_secret_is_long_enough_to_be_one(text: str) -> None:
    assert not is_secret(text) or len(text) >= 22
