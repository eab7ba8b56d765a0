"""The items of the lab: one JSON file a motion in ``judge/lab/items``, read and checked."""

import codecs
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Final

import msgspec
from msgspec import UNSET

from events.types.lab import AuthorityItem, InjectionItem, LabItem, LabPair, ObscureFact, PeopleItem, PlantedFlaw
from judge.errors import BadItem

__all__ = [
    "AuthorityItem",
    "InjectionItem",
    "LabItem",
    "LabPair",
    "ObscureFact",
    "PeopleItem",
    "PlantedFlaw",
    "digest",
    "faults",
    "installed",
    "read_item",
    "read_items",
    "target_text",
]


@cache
def installed() -> tuple[LabItem, ...]:
    """The items that come with Moot, by id."""
    folder = resources.files("judge").joinpath("lab/items")
    files = sorted((each for each in folder.iterdir() if each.name.endswith(".json")), key=lambda each: each.name)
    return tuple(read_item(each.name, each.read_bytes()) for each in files)


def read_item(name: str, content: bytes) -> LabItem:
    """The item in the bytes of a file.  Raises ``BadItem`` with the file's name."""
    try:
        item = msgspec.json.decode(content, type=LabItem)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadItem(f"{name}: {error}") from error
    if wrong := next(faults(item), ""):
        raise BadItem(f"{name}: {wrong}")
    return item


def read_items(name: str, content: bytes) -> tuple[LabItem, ...]:
    """The motions in the bytes of a file of one's own: one object, a list of objects, or an object a line.

    Raises ``BadItem`` with the file, and the line or the number of the object.
    """
    text = content.removeprefix(codecs.BOM_UTF8).strip()
    try:
        if text.startswith(b"["):
            parts = [bytes(each) for each in msgspec.json.decode(text, type=list[msgspec.Raw])]
        else:
            parts = [text]
            msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        parts = [line for line in text.splitlines() if line.strip()]
        if len(parts) < MIN_LINES:
            raise BadItem(f"{name}: {error}") from error
    items = tuple(read_item(f"{name}, motion {number}", part) for number, part in enumerate(parts, 1))
    if len({each.id for each in items}) < len(items):
        raise BadItem(f"{name}: two motions have the same id")
    return items


def target_text(pair: LabPair) -> str:
    """The speech that the variants of a pair are made of."""
    return pair.pro if pair.target == "pro" else pair.con


def digest(items: Iterable[LabItem | PeopleItem]) -> str:
    """SHA-256 of the items in their order, as canonical JSON."""
    return hashlib.sha256(msgspec.json.encode(list(items), order="sorted")).hexdigest()


MIN_LINES: Final = 2
MAX_POINTS: Final = 100


def faults(item: LabItem) -> Iterator[str]:
    """What is wrong with an item, in words."""
    if not item.id or not item.motion or "/" in item.id:
        yield "an item has an id without a slash, and a motion"
    ids = [each.id for each in item.pairs]
    if len(set(ids)) < len(ids):
        yield "two pairs have the same id"
    for text in _texts(item.pairs, item):
        if not text.strip():
            yield "a text is empty"
    if item.level is not UNSET and not all(0 <= each.points <= MAX_POINTS for each in item.level.values()):
        yield "an anchor has points from 0 to 100"


def _texts(pairs: Sequence[LabPair], item: LabItem) -> Iterator[str]:
    for pair in pairs:
        yield from (pair.pro, pair.con, *pair.padding, *pair.styles.values())
        yield from (each.text for each in pair.flaws.values())
    for given in (item.authority, item.obscure):
        if given is not UNSET:
            yield from msgspec.structs.astuple(given)
    for anchor in () if item.level is UNSET else item.level.values():
        yield anchor.text
    for each in item.injection:
        yield from (each.text, each.control)
