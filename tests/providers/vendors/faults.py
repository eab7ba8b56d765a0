"""The faults of the fakes: before a response, in its text, or in its stream."""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

Of = Literal["any", "speech", "question", "listing"]


@dataclass
class Fault:
    """A fault of this ``kind`` in the calls of a model ("": all models), from the ``first`` on, ``times`` times.

    ``value`` is a parameter of some kinds: seconds to wait, or the vendor's own finish reason.
    """

    kind: str
    model: str = ""
    first: int = 1
    times: int = 1
    of: Of = "any"
    value: Any = None
    seen: int = 0

    def applies(self, model: str, of: Of) -> bool:
        """Count a call; returns whether it fails."""
        if self.model not in {"", model} or (self.of == "any" and of == "listing") or self.of not in {"any", of}:
            return False
        self.seen += 1
        return self.first <= self.seen < self.first + self.times


NONE = Fault("")

STATUSES: Mapping[str, int] = {
    "400": 400,
    "401": 401,
    "403": 403,
    "404": 404,
    "429": 429,
    "500": 500,
    "502": 502,
    "503": 503,
    "529": 529,
}


def http_date(seconds: float) -> str:
    """RFC 9110, 10.2.3: a date has whole seconds, so it is rounded up."""
    return format_datetime(datetime.fromtimestamp(int(time.time() + seconds + 0.999), UTC), usegmt=True)


WAITING: Mapping[str, Callable[[float], dict[str, str]]] = {
    "429 with retry-after": lambda seconds: {"retry-after": str(max(1, round(seconds)))},
    "429 with a fraction": lambda seconds: {"retry-after": str(seconds)},
    "429 with a date": lambda seconds: {"retry-after": http_date(seconds)},
    "429 with retry-after-ms": lambda seconds: {"retry-after-ms": str(round(seconds * 1000))},
    "429 with RetryInfo": lambda _: {},
    "429 with x-ratelimit-reset": lambda seconds: {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": f"{round(seconds * 1000)}ms",
        "x-ratelimit-remaining-tokens": "100000",
        "x-ratelimit-reset-tokens": "6m0s",
    },
    "429 with anthropic-ratelimit": lambda seconds: {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(),
    },
}
"""Each form of saying when to retry: after 0.25 s, unless the fault has a value."""

PAUSE_S = 0.25


def flat(text: str) -> str:
    """An answer without the object around it: the values of its first object."""
    value = json.loads(text)
    inner = next((each for each in value.values() if isinstance(each, dict)), value)
    return json.dumps(inner)


def in_upper_case(text: str) -> str:
    """The text with each one-word value in upper case."""
    return re.sub(r'(: )"([a-z_]+)"', lambda found: f'{found[1]}"{found[2].upper()}"', text)


JSON_CHANGES: Mapping[str, Callable[[str], str]] = {
    "broken JSON": lambda text: text.replace('"', "", 1),
    "extra field": lambda text: text.replace("{", '{"extra": 1, ', 1),
    "trailing comma": lambda text: f"{text[:-1]},}}" if text != "{}" else text,
    "one object too deep": lambda text: json.dumps({"answer": json.loads(text)}),
    "one object too flat": flat,
    "another case": in_upper_case,
}
CHANGES: Mapping[str, Callable[[str], str]] = {
    "empty": lambda _: "",
    "truncated JSON": lambda text: text[: len(text) // 2],
    "length stop": lambda text: text[: len(text) // 2],
    "prose around JSON": lambda text: f"Here it is:\n```json\n{text}\n```\nDone.",
    "code fence": lambda text: f"```json\n{text}\n```",
    "U+2028": lambda text: inserted(text, "\u2028"),
    "split surrogate": lambda text: inserted(text, "\N{GRINNING FACE}"),
    "split UTF-8": lambda text: inserted(text, "\N{GRINNING FACE}"),
}


def inserted(text: str, more: str) -> str:
    """The text with an insertion that keeps JSON valid: in its first filler, or after its first word."""
    word = "so it is" if text.startswith("{") else " "
    if word not in text:
        return text
    place = text.index(word) + 1
    return text[:place] + more + text[place:]


def changed(kind: str, text: str) -> str:
    """The text as a fault changes it."""
    if kind in JSON_CHANGES:
        return JSON_CHANGES[kind](text) if text.startswith("{") else text
    return CHANGES[kind](text) if kind in CHANGES else text


def split_pieces(kind: str, pieces: list[str]) -> list[str]:
    """Pieces of a text, cut within a character: between its surrogates, or between its bytes (see ``encoded``)."""
    if kind not in {"split surrogate", "split UTF-8"}:
        return pieces
    text = "".join(pieces)
    place = text.find("\N{GRINNING FACE}")
    if place < 0:
        return pieces
    halves = ("\ud83d", "\ude00") if kind == "split surrogate" else ("\udcf0\udc9f", "\udc98\udc80")
    return [text[:place] + halves[0], halves[1] + text[place + 1 :]]


def encoded(kind: str, value: Any) -> bytes:
    """JSON on the wire: text as it is, half a surrogate pair as an escape, half a character as its bytes."""
    if kind == "split surrogate":
        return json.dumps(value).encode()
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape")


STREAMS = (
    "reset",
    "silence",
    "slow drip",
    "endless",
    "cut in mid-character",
    "garbage",
    "quits early",
    "error in mid-stream",
    "odd part",
    "odd error",
)
ANSWERS = ("refusal", "tool call", "finish")
"""Ends with a finish reason of the vendor; the value of ``finish`` is the reason."""

CONNECTION_FAULTS = ("hang up", "refused", "wrong content type", "redirect", "down", "context overflow")
"""``refused``: no server listens for the value's seconds (0.1).  ``down``: the connection is reset before an answer."""

KINDS = (*STATUSES, *WAITING, *JSON_CHANGES, *CHANGES, *STREAMS, *ANSWERS, *CONNECTION_FAULTS)
