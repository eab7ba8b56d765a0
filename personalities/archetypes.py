"""The four characters that a debater can start from.

Source: seed 003, Adaptive Personalities (the four names); their traits are ours.  They are read from
``archetypes.json`` and travel whole in ``DebateOpened``.
"""

from functools import cache
from importlib import resources

import msgspec

from events.types import Archetype
from personalities.errors import PersonalityError
from personalities.traits import checked


@cache
def archetypes() -> dict[str, Archetype]:
    """The shipped archetypes by name."""
    raw = resources.files("personalities").joinpath("archetypes.json").read_bytes()
    loaded = msgspec.json.decode(raw, type=dict[str, Archetype])
    return {
        name: msgspec.structs.replace(archetype, traits=checked(archetype.traits))
        for name, archetype in loaded.items()
    }


def archetype(name: str) -> Archetype:
    """One archetype.  Raises ``PersonalityError`` for an unknown name."""
    known = archetypes()
    if name not in known:
        raise PersonalityError("archetype", f"{name!r} is none of {', '.join(known)}")
    return known[name]
