"""Names of models without folders: readers see ``scripted:debate.json``, whatever folder the file is in."""

from functools import cache
from operator import is_
from typing import Any, TypeVar

from msgspec import UNSET, Struct, structs

from events.types import Event

E = TypeVar("E", bound=Event)


def short_name(model: str) -> str:
    """The name, of a file without its folders: ``scripted:debate.json`` for ``scripted:/home/ann/debate.json``.

    A model that answered is named without its provider.
    """
    head, slash, file = model.rpartition("/")
    provider, colon, folders = head.partition(":")
    if not colon:
        provider, folders = "", head
    is_file = provider == "scripted" or f"{folders}/".startswith(("/", "~", ".")) or file.endswith(".json")
    return provider + colon + file if slash and is_file else model


def with_short_names(event: E) -> E:
    """The event with short names of models; the same object if it has no others."""
    changed = {}
    for name in _parts(type(event)):
        value = getattr(event, name)
        short = _shortened(name, value)
        if short is not value:
            changed[name] = short
    return structs.replace(event, **changed) if changed else event


@cache
def _parts(kind: type[Event]) -> frozenset[str]:
    """The fields that may name a model."""
    return frozenset(each.partition(".")[0] for each in kind.naming)


def _shortened(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return short_name(value) if name in {"model", "second"} else value
    if isinstance(value, tuple):
        shortened = tuple(_shortened(name, each) for each in value)
        return value if all(map(is_, shortened, value)) else shortened
    if not isinstance(value, Struct):
        return value
    changed = {
        field: short
        for field in ("model", "second")
        if (known := getattr(value, field, UNSET)) is not UNSET and (short := _shortened(field, known)) is not known
    }
    return structs.replace(value, **changed) if changed else value
