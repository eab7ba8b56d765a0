"""How long a vendor asks to be left alone, in each of the forms in which vendors say so."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

LONGEST_S: Final = 86_400.0
_RESETS: Final = ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset")
"""OpenAI's and Groq's: a duration such as ``6m0s``; OpenRouter's: a moment in milliseconds since 1970."""
_ANTHROPIC: Final = re.compile(r"anthropic-ratelimit-.+-reset")
_REMAINING: Final = "-remaining"
_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|h|m|s)")
_DURATION: Final = re.compile(rf"(?:{_PART.pattern})+")
_NUMBER: Final = re.compile(r"\d+(?:\.\d*)?")
_SAID: Final = re.compile(r"(?:retry|try again) in (\d[\d.]*(?:ms|h|m|s)(?:\d[\d.]*(?:ms|m|s))*)", re.IGNORECASE)
_EPOCH_MS: Final = 1e11
"""A larger number is a moment in milliseconds."""


def hint(headers: Mapping[str, str], body: Any = None, message: str = "") -> float | None:
    """Seconds to wait; None where nothing is said.  What is said most directly counts.

    In this order: ``retry-after-ms``; ``retry-after`` (a number, a fraction, a date: RFC 9110, section 10.2.3);
    Gemini's ``RetryInfo`` in the body; "try again in 20s" in the message; and last the moment at which a limit that is
    used up is reset (``x-ratelimit-reset-*``, ``anthropic-ratelimit-*-reset``).
    """
    if (ms := headers.get("retry-after-ms", "").strip()) and _NUMBER.fullmatch(ms):
        return min(float(ms) / 1000, LONGEST_S)
    if (found := seconds(headers.get("retry-after", ""))) is not None:
        return found
    if (found := _retry_info(body)) is not None:
        return found
    if said := _SAID.search(message):
        return seconds(said[1].rstrip("."))
    return _reset(headers)


def seconds(said: str) -> float | None:
    """Seconds from now: of a number, a duration (``1m2.5s``) or a date; None for anything else."""
    said = said.strip()
    if _NUMBER.fullmatch(said):
        return min(float(said), LONGEST_S)
    if _DURATION.fullmatch(said):
        return min(sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(said)), LONGEST_S)
    try:
        at = datetime.fromisoformat(said) if said[:4].isdecimal() else parsedate_to_datetime(said)
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


def _reset(headers: Mapping[str, str]) -> float | None:
    """The longest wait among the limits that are used up; among all that are told where none says how much is left."""
    told: dict[str, float] = {}
    for name in headers:
        is_reset = name in _RESETS or _ANTHROPIC.fullmatch(name)
        if is_reset and (wait_s := _moment(headers[name].strip())) is not None:
            told[name] = wait_s
    used_up = [wait_s for name, wait_s in told.items() if headers.get(_left(name), "0").strip() in {"0", "0.0"}]
    return max(used_up, default=None)


def _left(reset: str) -> str:
    """The header that says how much is left of what another header says is reset."""
    if reset.startswith("anthropic"):
        return reset.removesuffix("-reset") + _REMAINING
    return reset.replace("-reset", _REMAINING, 1)


def _moment(said: str) -> float | None:
    if _NUMBER.fullmatch(said) and float(said) > _EPOCH_MS:
        return min(max(0.0, float(said) / 1000 - datetime.now(UTC).timestamp()), LONGEST_S)
    return seconds(said)
