"""Reads how long a vendor asks a client to wait, in each of the forms that vendors use."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

LONGEST_S: Final = 86_400.0
_RESET_HEADERS: Final = ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset")
"""OpenAI and Groq send a duration such as ``6m0s``; OpenRouter sends a time in milliseconds since 1970."""
_ANTHROPIC_RESET: Final = re.compile(r"anthropic-ratelimit-.+-reset")
_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART: Final = re.compile(r"(?<!\d)(\d++(?:\.\d++)?)(ms|us|µs|ns|h|m|s)")
_DURATION: Final = re.compile(rf"(?:{_PART.pattern})+")
_NUMBER: Final = re.compile(r"\d+(?:\.\d*)?")
_IN_MESSAGE: Final = re.compile(r"(?:retry|try again) in (\d[\d.]*(?:ms|h|m|s)(?:\d[\d.]*(?:ms|m|s))*)", re.IGNORECASE)
_EPOCH_MS: Final = 1e11
"""A larger number is a time in milliseconds since 1970."""


def wait_of(headers: Mapping[str, str], body: Any = None, message: str = "") -> float | None:
    """Seconds to wait; None if the response does not say.  The most direct form wins.

    In this order: ``retry-after-ms``; ``retry-after`` (a number, a fraction, a date: RFC 9110, section 10.2.3);
    Gemini's ``RetryInfo`` in the body; "try again in 20s" in the message; and last the time at which an exhausted limit
    is reset (``x-ratelimit-reset-*``, ``anthropic-ratelimit-*-reset``).
    """
    if (ms := headers.get("retry-after-ms", "").strip()) and _NUMBER.fullmatch(ms):
        return min(float(ms) / 1000, LONGEST_S)
    if (wait_s := seconds(headers.get("retry-after", ""))) is not None:
        return wait_s
    if (wait_s := _retry_info(body)) is not None:
        return wait_s
    if found := _IN_MESSAGE.search(message):
        return seconds(found[1].rstrip("."))
    return _until_reset(headers)


def seconds(text: str) -> float | None:
    """Seconds from now, from a number, a duration (``1m2.5s``) or a date; None for anything else."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return min(float(text), LONGEST_S)
    if _DURATION.fullmatch(text):
        return min(sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text)), LONGEST_S)
    try:
        at = datetime.fromisoformat(text) if text[:4].isdecimal() else parsedate_to_datetime(text)
        left = at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, left.total_seconds()), LONGEST_S)


def _retry_info(body: Any) -> float | None:
    """Source: google.rpc.RetryInfo, whose ``retryDelay`` is a duration such as ``34.07s``."""
    error = body.get("error", body) if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for each in details if isinstance(details, list) else ():
        if isinstance(each, dict) and isinstance(delay := each.get("retryDelay"), str):
            return seconds(delay)
    return None


def _until_reset(headers: Mapping[str, str]) -> float | None:
    """The longest wait among the exhausted limits.  A limit without a ``remaining`` header counts as exhausted."""
    waits: list[float] = []
    for name, value in headers.items():
        if name in _RESET_HEADERS or _ANTHROPIC_RESET.fullmatch(name):
            left = headers.get(name.replace("-reset", "-remaining", 1), "0").strip()
            if left in {"0", "0.0"} and (wait_s := _until(value.strip())) is not None:
                waits.append(wait_s)
    return max(waits, default=None)


def _until(text: str) -> float | None:
    if _NUMBER.fullmatch(text) and float(text) > _EPOCH_MS:
        return min(max(0.0, float(text) / 1000 - datetime.now(UTC).timestamp()), LONGEST_S)
    return seconds(text)
