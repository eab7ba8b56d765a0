"""The twelve traits, each from 1 to 10, and the instruction of each level of a trait (``traits.json``).

A trait has six levels of 1.5 points each: so a shift by 1.5 or more always changes the instruction.
"""

from collections.abc import Mapping
from importlib import resources

import msgspec
from msgspec import Struct

LOWEST, HIGHEST = 1.0, 10.0
MIDDLE = 5.5
"""The value between the lowest and the highest."""
LEVELS = 6
_WIDTH = (HIGHEST - LOWEST) / LEVELS


class PersonalityError(Exception):
    """An unknown archetype, a trait out of range, or a template that does not fit; ``field`` names the place."""

    def __init__(self, field: str, why: str) -> None:
        self.field, self.why = field, why
        super().__init__(f"{field}: {why}")


class Trait(Struct, frozen=True, kw_only=True):
    """One trait.  ``levels`` are the instructions from its lowest to its highest level.

    ``more`` and ``less`` are instructions to move up or down from any level.
    """

    group: str
    more: str
    less: str
    levels: tuple[str, str, str, str, str, str]


class _TraitFile(Struct, frozen=True, forbid_unknown_fields=True):
    traits: dict[str, Trait]
    version_3: dict[str, Trait]


_FILE = msgspec.json.decode(resources.files("personalities").joinpath("traits.json").read_bytes(), type=_TraitFile)
TRAITS = _FILE.traits
"""Four cognitive, four emotional and four rhetorical traits."""
WORDS_V3 = TRAITS | _FILE.version_3
"""The words that go with version 3 of the debater's template: none of them asks for facts that a model may not have."""


def level(value: float) -> int:
    """The level of a trait's value, 0 to 5."""
    return min(int((value - LOWEST) / _WIDTH), LEVELS - 1)


def in_words(name: str, value: float, words: Mapping[str, Trait] = TRAITS) -> str:
    """The instruction of a trait at ``value``."""
    return words[name].levels[level(value)]


def checked(traits: Mapping[str, float]) -> dict[str, float]:
    """All twelve traits in their order.  Raises ``PersonalityError`` if one is missing, unknown or out of range."""
    for name in traits.keys() ^ TRAITS.keys():
        raise PersonalityError(f"traits.{name}", "missing" if name in TRAITS else "there is no such trait")
    for name, value in traits.items():
        if not LOWEST <= value <= HIGHEST:
            raise PersonalityError(f"traits.{name}", f"{value} is not within 1 to 10")
    return {name: float(traits[name]) for name in TRAITS}
