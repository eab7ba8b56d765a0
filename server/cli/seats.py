"""Who sits on a panel, as the command line is told: models, profiles by name, profiles by file."""

from pathlib import Path
from typing import Any

import msgspec

from events.types import Think
from judge.panel.raters import load_profiles, shipped
from server.errors import BadField


def panel_names(said: str | None) -> list[str]:
    """The models and profiles of a list with commas.  Raises ``BadField`` for an empty place."""
    if said is None:
        return []
    named = [each.strip() for each in said.split(",")]
    if not all(named):
        raise BadField("panel", "the list has an empty place")
    return named


def panel_request(said: str | None, raters: Path | None, samples: int, think: Think | None = None) -> list[Any] | None:
    """A panel as a browser would ask for it; None where nobody asked.

    The profiles of a file take the seats in place of those that ship, the models taking turns.  A name in ``said``
    seats that profile of the file, or of those that ship.  Raises ``BadField``, ``RubricError``.
    """
    named = panel_names(said)
    if raters is None and (think is None or not named):
        return named or None
    profiles = shipped().raters if raters is None else load_profiles(raters).raters
    if not profiles:
        raise BadField("raters", f"{raters} has no raters")
    asked = {"samples": samples} if think is None else {"samples": samples, "think": think}

    def seat(name: str, **model: str) -> dict[str, Any]:
        own = {"profile": msgspec.to_builtins(profiles[name])} if raters is not None and name in profiles else {}
        return {"rater": name, **asked, **own, **model}

    models = [each for each in named if ":" in each]
    seats = [seat(each) for each in named if ":" not in each]
    if seats and not models:
        return seats
    names = list(profiles)
    for number in range(max(len(names), len(models))):
        model = {"model": models[number % len(models)]} if models else {}
        seats.append(seat(names[number % len(names)], **model))
    return seats
