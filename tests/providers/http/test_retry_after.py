"""The wait that vendors ask for, in each form."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.http.retry_after import LONGEST_S, seconds, wait_of


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3", 3), ("1.5", 1.5), ("0", 0), ("20ms", 0.02), ("6m0s", 360), ("1m2.5s", 62.5), ("1h", 3600), ("", None),
        ("soon", None), ("-3", None), ("99999999999", LONGEST_S),
    ],
)  # fmt: skip
def test_numbers_and_durations(value: str, expected: float | None) -> None:
    assert expected == seconds(value)


def test_dates_of_both_kinds_count_from_now() -> None:
    at = datetime.now(UTC) + timedelta(seconds=90)

    for value in (format_datetime(at, usegmt=True), at.isoformat(), at.isoformat().replace("+00:00", "Z")):
        found = seconds(value)
        assert found is not None
        assert 85 < found <= 90
    assert 0 == seconds("Wed, 21 Oct 2015 07:28:00 GMT")


@pytest.mark.parametrize(
    ("headers", "body", "message", "expected"),
    [
        ({"retry-after-ms": "250", "retry-after": "9"}, None, "", 0.25),
        ({"retry-after": "2.5"}, None, "", 2.5),
        ({}, {"error": {"details": [{"@type": "google.rpc.Help"}, {"retryDelay": "34.07s"}]}}, "", 34.07),
        ({}, None, "Quota exceeded. Please retry in 47.434392449s.", 47.434392449),
        ({}, None, "Please try again in 1m2s.", 62),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0",
          "x-ratelimit-remaining-requests": "7"}, None, "", 360),
        ({"x-ratelimit-reset-requests": "2ms", "x-ratelimit-remaining-requests": "7"}, None, "", None),
        ({"retry-after": "soon"}, {"error": "no"}, "no", None), ({}, [1], "", None),
    ],
)  # fmt: skip
def test_the_most_direct_form_counts(headers: dict[str, str], body: Any, message: str, expected: float | None) -> None:
    assert expected == wait_of(headers, body, message)


def test_moments_at_which_limits_are_reset() -> None:
    at = datetime.now(UTC) + timedelta(seconds=30)
    anthropic = wait_of({"anthropic-ratelimit-input-tokens-reset": at.isoformat(timespec="seconds")})
    openrouter = wait_of({"x-ratelimit-reset": str(round(at.timestamp() * 1000)), "x-ratelimit-remaining": "0"})

    assert anthropic is not None
    assert 28 <= anthropic <= 31
    assert openrouter is not None
    assert 28 <= openrouter <= 31


@pytest.mark.slow
@given(value=st.text(), message=st.text())
def test_no_text_of_a_vendor_breaks_it(value: str, message: str) -> None:
    found = wait_of(
        {"retry-after": value, "retry-after-ms": value, "x-ratelimit-reset": value}, {"error": value}, message
    )

    assert found is None or 0 <= found <= LONGEST_S
