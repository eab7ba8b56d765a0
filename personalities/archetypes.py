"""The four characters that a debater can start from, and how each responds to pressure.

They are read from ``archetypes.json``.  ``DebateOpened`` holds the archetypes of its debate in full.
"""

from functools import cache
from importlib import resources

import msgspec

from events.types import Archetype, Response
from personalities.traits import HIGHEST, LOWEST, TRAITS, PersonalityError, checked

SIGNALS = ("cognitive", "emotional", "strategic", "credibility")
"""The kinds of pressure: the number fields of ``PressureApplied``."""

_TINY = 1e-9
"""Tolerance for sums of weights such as 0.7 + 0.2 + 0.1, which may exceed 1 slightly."""


@cache
def archetypes() -> dict[str, Archetype]:
    """The shipped archetypes by name."""
    raw = resources.files("personalities").joinpath("archetypes.json").read_bytes()
    loaded = msgspec.json.decode(raw, type=dict[str, Archetype])
    return {name: checked_archetype(name, each) for name, each in loaded.items()}


def archetype(name: str) -> Archetype:
    """One archetype.  Raises ``PersonalityError`` for an unknown name."""
    known = archetypes()
    if name not in known:
        raise PersonalityError("archetype", f"{name!r} is none of {', '.join(known)}")
    return known[name]


def checked_archetype(name: str, given: Archetype) -> Archetype:
    """The archetype with its traits in their order.  Raises ``PersonalityError`` that names the faulty field."""
    sums = dict.fromkeys(TRAITS, 0.0)
    for signal, responses in given.responses.items():
        place = f"{name}.responses.{signal}"
        if signal not in SIGNALS:
            raise PersonalityError(place, f"there is no such signal; there are {', '.join(SIGNALS)}")
        for trait, response in responses.items():
            _check(f"{place}.{trait}", trait, response)
            sums[trait] += response.weight
            if sums[trait] > 1 + _TINY:
                raise PersonalityError(f"{place}.{trait}", f"its weights sum to {sums[trait]:g}, more than 1")
    return msgspec.structs.replace(given, traits=checked(given.traits))


def _check(place: str, trait: str, response: Response) -> None:
    if trait not in TRAITS:
        raise PersonalityError(place, "there is no such trait")
    if not LOWEST <= response.target <= HIGHEST:
        raise PersonalityError(f"{place}.target", f"{response.target} is not within 1 to 10")
    if not 0 <= response.weight <= 1:
        raise PersonalityError(f"{place}.weight", f"{response.weight} is not within 0 to 1")
