"""An answer read leniently: JSON in any dress that models give it, or prose; and what was made of it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from events.types import Event, Side
from providers.errors import Malformed
from providers.schema import parse

ID: Final = re.compile(r"\s*(PRO|CON)\W{0,3}([0-9]{1,3})\s*", re.IGNORECASE)
SHOWN: Final = 40
"""Characters of somebody's words that a fault repeats."""
_INSIDE: Final = re.compile(r"[{\[].*[}\]]", re.DOTALL)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s|\n")
NOT_JSON: Final = "it is not JSON of the form that was asked for"


class StatementReading(Struct, frozen=True, kw_only=True):
    """A statement as it enters the log.  ``kept`` counts the parts that keep the form."""

    text: str
    """What the turn says."""
    events: tuple[Event, ...]
    faults: tuple[str, ...]
    kept: int
    is_clipped: bool = False


def parse_loosely(raw: str) -> Any:
    """The JSON value of an answer, also where prose stands around it; the answer itself where it is none."""
    inside = _INSIDE.search(raw)
    for candidate in (raw, inside[0] if inside else ""):
        try:
            return parse(candidate, Any)
        except Malformed:
            continue
    return raw


def wordless_fault(value: Any) -> str:
    """What is wrong with an answer that says nothing at all; empty where it says something."""
    return "" if all_text(value) else "the answer holds no words"


def all_text(value: Any) -> str:
    """Everything that is said in a value, ids left out, a line each."""
    return "\n".join(text for each in _strings(value) if (text := clean_text(each)) and not ID.fullmatch(text))


def first_sentence(text: str, most: int = 240) -> str:
    """What a text begins with."""
    return _SENTENCE.split(text.strip(), maxsplit=1)[0][:most]


def clean_text(value: Any) -> str:
    """Text without control characters or white space around it; nothing for what is no text."""
    return _CONTROL.sub("", value).strip() if isinstance(value, str) else ""


def first_value(item: Any, names: Iterable[str]) -> Any:
    """The value of the first of these names that an object has."""
    if not isinstance(item, dict):
        return None
    return next((item[name] for name in names if name in item), None)


def entries(value: Any, around: Iterable[str], ids: Iterable[str]) -> list[tuple[str, Any]]:
    """(id, entry) of each: a list of objects that name their id, or an object of objects keyed by it.

    ``around``: names under which the list or object may stand.
    """
    inner = first_value(value, around)
    if isinstance(inner, list | dict):
        return entries(inner, (), ids)
    if isinstance(value, dict):
        return [(clean_text(name), item) for name, item in value.items() if isinstance(item, dict)]
    if isinstance(value, list):
        names = tuple(ids)
        return [(clean_text(first_value(item, names)), item) for item in value]
    return []


def argument_id(name: str) -> str:
    """``PRO-1`` for ``pro 1``; what is no id stays as it is."""
    found = ID.fullmatch(name)
    return f"{found[1].upper()}-{int(found[2])}" if found else name


def argument_ids(side: Side, count: int) -> tuple[str, ...]:
    """The ids of a side's arguments."""
    return tuple(f"{side.upper()}-{number}" for number in range(1, count + 1))


def as_written(value: Any) -> str:
    """A value that should have been another, as it was written."""
    return "a list or an object" if isinstance(value, list | dict) else msgspec.json.encode(value).decode()[:SHOWN]


def excerpt(text: str) -> str:
    """Somebody's words within a sentence of ours, shortened."""
    flat = " ".join(text.split())
    return f"“{flat[:SHOWN]}{'…' if len(flat) > SHOWN else ''}”"


def join_names(names: Iterable[str]) -> str:
    """Names in a row."""
    return ", ".join(names)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)
