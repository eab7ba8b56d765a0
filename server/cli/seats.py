"""The seats of a panel from the options ``--panel`` and ``--raters``: models, names of profiles, a file of profiles."""

from pathlib import Path
from typing import Any

import msgspec

from events.types import Think
from judge.panel.raters import load_profiles, shipped
from server.errors import BadField


def panel_names(listed: str | None) -> list[str]:
    """The models and profiles in a list with commas.  Raises ``BadField`` for an empty item."""
    if listed is None:
        return []
    named = [each.strip() for each in listed.split(",")]
    if not all(named):
        raise BadField("panel", "the list has an empty item")
    return named


def named_seats(listed: str, think: Think | None = None) -> list[dict[str, Any]]:
    """The seats of a list ``PROFILE=MODEL,…``, as the page would post them.  Raises ``BadField``."""
    seats = []
    for each in panel_names(listed):
        profile, _, model = (part.strip() for part in each.partition("="))
        if not profile or not model:
            raise BadField("judges", f"{each!r} is not PERSONA=MODEL, as security_analyst=ollama:qwen3")
        seats.append({"rater": profile, "model": model, **({} if think is None else {"think": think})})
    return seats


def panel_request(
    listed: str | None, raters: Path | None, samples: int, think: Think | None = None
) -> list[Any] | None:
    """The panel as the page would post it; None if there is none.

    The profiles of a file replace those of Moot, and the models take the seats in turn.  A name in ``listed`` seats the
    profile with that name.  Raises ``BadField``, ``RubricError``.
    """
    named = panel_names(listed)
    if raters is None and (think is None or not named):
        return named or None
    profiles = shipped().raters if raters is None else load_profiles(raters).raters
    if not profiles:
        raise BadField("raters", f"{raters} has no raters")
    shared = {"samples": samples} if think is None else {"samples": samples, "think": think}

    def seat(name: str, **model: str) -> dict[str, Any]:
        own = {"profile": msgspec.to_builtins(profiles[name])} if raters is not None and name in profiles else {}
        return {"rater": name, **shared, **own, **model}

    models = [each for each in named if ":" in each]
    seats = [seat(each) for each in named if ":" not in each]
    if seats and not models:
        return seats
    names = list(profiles)
    for number in range(max(len(names), len(models))):
        model = {"model": models[number % len(models)]} if models else {}
        seats.append(seat(names[number % len(names)], **model))
    return seats
