"""Read a debater's answer leniently: JSON in any form that models give, or prose."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct

from events.types import Event, Side
from judge.lenient import CONTROLS
from providers.answers.schema import parse
from providers.errors import Malformed

ID: Final = re.compile(r"\s*+(PRO|CON)\W{0,3}([0-9]{1,3})\s*+", re.IGNORECASE)
SHOWN: Final = 40
"""Characters of an answer that a fault repeats."""
_INSIDE: Final = re.compile(r"[{\[](?:.*[}\]])?", re.DOTALL)
"""From the first opening bracket to the last closing one; the first alone if none closes: then none is tried again."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s|\n")
NOT_JSON: Final = "it is not JSON of the form that was asked for"


class StatementReading(Struct, frozen=True, kw_only=True):
    """A statement as the log records it.  ``kept`` counts the parts in the required form."""

    text: str
    """The text of the turn."""
    events: tuple[Event, ...]
    faults: tuple[str, ...]
    kept: int
    is_clipped: bool = False


def parse_loosely(raw: str) -> Any:
    """Return the JSON value of an answer, also if prose surrounds it; the answer itself if it holds no JSON."""
    inside = _INSIDE.search(raw)
    for candidate in (raw, inside[0] if inside else ""):
        try:
            return parse(candidate, Any)
        except Malformed:
            continue
    return raw


def wordless_fault(value: Any) -> str:
    """Return the fault of an answer without any words; empty for an answer with words."""
    return "" if all_text(value) else "the answer holds no words"


def all_text(value: Any) -> str:
    """Return all text in a value without ids, one line each."""
    return "\n".join(text for each in texts_of(value) if (text := clean_text(each)) and not ID.fullmatch(text))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, at most 240 characters."""
    return _SENTENCE.split(text.strip(), maxsplit=1)[0][:240]


def clean_text(value: Any) -> str:
    """Return text without control characters and without white space around it; empty for other values."""
    return CONTROLS.sub("", value).strip() if isinstance(value, str) else ""


def first_value(item: Any, names: Iterable[str]) -> Any:
    """Return the value of the first of these names that an object has."""
    if not isinstance(item, dict):
        return None
    return next((item[name] for name in names if name in item), None)


def entries(value: Any, around: Iterable[str], ids: Iterable[str]) -> list[tuple[str, Any]]:
    """Return (id, entry) pairs of a list of objects with ids, or of an object of objects keyed by id.

    ``around``: names of the property that may hold the list or object.
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
    """Return ``PRO-1`` for ``pro 1``; text that is no id stays unchanged."""
    found = ID.fullmatch(name)
    return f"{found[1].upper()}-{int(found[2])}" if found else name


def argument_ids(side: Side, count: int) -> tuple[str, ...]:
    """Return the ids of a side's arguments."""
    return tuple(f"{side.upper()}-{number}" for number in range(1, count + 1))


def excerpt(text: str) -> str:
    """Return a short quotation of an answer, for a fault."""
    flat = " ".join(text.split())
    return f"“{flat[:SHOWN]}{'…' if len(flat) > SHOWN else ''}”"


def join_names(names: Iterable[str]) -> str:
    """Join names with commas."""
    return ", ".join(names)


def texts_of(value: Any) -> Iterator[str]:
    """Yield all texts in a value, those of choices among them, and no names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_of(each)
