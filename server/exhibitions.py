"""Exhibitions: scripted debates that ship with the product and say so wherever they appear."""

from typing import Any

import msgspec
from msgspec import Struct

from providers.scripted import shipped
from server.errors import BadField


class Exhibition(Struct, frozen=True, kw_only=True):
    """One of them, as its script describes it."""

    title: str
    motion: str
    turns: int
    pro: dict[str, Any] = {}
    con: dict[str, Any] = {}
    judge: dict[str, Any] = {}
    summary: str = ""
    shows: tuple[str, ...] = ()
    max_words: int = 180


class _Script(Struct, frozen=True):
    exhibition: Exhibition | None = None


def exhibitions() -> dict[str, Exhibition]:
    """All of them, by name."""
    found = {}
    for name, path in shipped().items():
        script = msgspec.json.decode(path.read_bytes(), type=_Script)
        if script.exhibition is not None:
            found[name] = script.exhibition
    return found


def wish_for(name: str) -> dict[str, Any]:
    """The body that opens an exhibition.  Raises ``BadField``."""
    known = exhibitions()
    if name not in known:
        raise BadField("exhibition", f"{name!r} is none of {', '.join(known) or 'none at all'}")
    shown, model = known[name], f"scripted:{name}"
    return {
        "motion": shown.motion, "turns": shown.turns, "max_words": shown.max_words, "exhibition": name,
        "pro": {"model": model, **shown.pro}, "con": {"model": model, **shown.con},
        "judge": {"model": model, **shown.judge},
    }
