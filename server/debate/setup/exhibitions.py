"""Exhibitions: scripted debates that ship with Moot and are marked as such wherever they appear."""

from typing import Any

import msgspec
from msgspec import Struct

from events.types import Format
from providers.scripted.provider import shipped
from server.errors import BadField


class Exhibition(Struct, frozen=True, kw_only=True):
    """An exhibition, as its script describes it."""

    title: str
    motion: str
    turns: int
    format: Format = "exchange"
    pro: dict[str, Any] = {}
    con: dict[str, Any] = {}
    judge: dict[str, Any] = {}
    panel: tuple[str, ...] = ()
    """Names of the raters; the script answers for each of them."""
    topic_type: str = ""
    """Topic of the motion, for the raters' weights; if it is empty, the words of the motion decide."""
    summary: str = ""
    shows: tuple[str, ...] = ()
    max_words: int = 180


class _Script(Struct, frozen=True):
    exhibition: Exhibition | None = None


def exhibitions() -> dict[str, Exhibition]:
    """All exhibitions, by name."""
    found = {}
    for name, path in shipped().items():
        script = msgspec.json.decode(path.read_bytes(), type=_Script)
        if script.exhibition is not None:
            found[name] = script.exhibition
    return found


def request_for(name: str) -> dict[str, Any]:
    """The request that opens an exhibition.  Raises ``BadField`` for an unknown name."""
    known = exhibitions()
    if name not in known:
        raise BadField("exhibition", f"{name!r} is none of {', '.join(known) or 'none at all'}")
    shown, model = known[name], f"scripted:{name}"
    request: dict[str, Any] = {
        "motion": shown.motion,
        "format": shown.format,
        "turns": shown.turns,
        "max_words": shown.max_words,
        "exhibition": name,
        "pro": {"model": model, **shown.pro},
        "con": {"model": model, **shown.con},
        "judge": {"model": model, **shown.judge},
    }
    if shown.panel:
        request["panel"] = [{"rater": rater, "model": model} for rater in shown.panel]
    if shown.topic_type:
        request["topic_type"] = shown.topic_type
    return request
