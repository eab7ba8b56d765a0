"""Rater profiles as data: four raters for debates, five personas for artifacts, and more from files."""

import math
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from events.types.panel import Profile
from judge.errors import RubricError

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}(?:-[0-9]{1,2})?")
CLOSE_TO_ONE: Final = 1e-6


class Profiles(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of profiles."""

    raters: dict[str, Profile] = {}
    personas: dict[str, Profile] = {}


@cache
def shipped() -> Profiles:
    """Return the profiles that ship with Moot."""
    return parse_profiles(resources.files("judge").joinpath("panel/raters.json").read_bytes())


def load_profiles(path: Path) -> Profiles:
    """Read profiles from a JSON file with the shape of the shipped one.  Raises ``RubricError``."""
    try:
        return parse_profiles(path.read_bytes())
    except OSError as error:
        raise RubricError("", f"{path} cannot be read: {error.strerror}") from error


def parse_profiles(raw: bytes) -> Profiles:
    """Decode and check profiles in JSON.  Raises ``RubricError``."""
    try:
        profiles = msgspec.json.decode(raw, type=Profiles)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RubricError("raters", str(error)) from error
    for kind, known in (("raters", profiles.raters), ("personas", profiles.personas)):
        for name, profile in known.items():
            check(f"{kind}.{name}", name, profile)
    return profiles


def check(where: str, name: str, profile: Profile) -> None:
    """Check a profile.  Raises ``RubricError`` if it is not valid."""
    if not NAME.fullmatch(name):
        raise RubricError(where, "a rater's name is lower case letters, digits and underscores, at most 40")
    if not profile.weights:
        raise RubricError(f"{where}.weights", "a rater weighs at least one dimension")
    total = math.fsum(profile.weights.values())
    if abs(total - 1) > CLOSE_TO_ONE:
        raise RubricError(f"{where}.weights", f"the weights sum to {total:g}, not to 1")
