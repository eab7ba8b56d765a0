"""Rater profiles as data: the four of a debate's panel, the five personas that judge an artifact, and more by file.

Sources: seed 000 (the four and their weights), seed 001 (the personas and their shares).
"""

import math
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from events.types.criteria import Share
from judge.errors import RubricError

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}(?:-[0-9]{1,2})?")
CLOSE_TO_ONE: Final = 1e-6
Words = Annotated[str, Meta(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]*$")]


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What makes one rater see other things than the next.  ``weights`` of the dimensions sum to 1."""

    title: Words
    focus: Words
    weights: dict[str, Share]
    domain: Words = "general"
    share: Share | UnsetType = UNSET
    """A persona's weight in the verdict on an artifact."""


class Profiles(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of them."""

    raters: dict[str, Profile] = {}
    personas: dict[str, Profile] = {}


@cache
def shipped() -> Profiles:
    """The profiles that come with Moot."""
    return parse_profiles(resources.files("judge").joinpath("panel/raters.json").read_bytes())


def load_profiles(path: Path) -> Profiles:
    """The profiles in a JSON file of the shipped one's shape.  Raises ``RubricError``."""
    try:
        return parse_profiles(path.read_bytes())
    except OSError as error:
        raise RubricError("", f"{path} cannot be read: {error.strerror}") from error


def parse_profiles(raw: bytes) -> Profiles:
    """Profiles written in JSON, checked."""
    try:
        profiles = msgspec.json.decode(raw, type=Profiles)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RubricError("raters", str(error)) from error
    for kind, known in (("raters", profiles.raters), ("personas", profiles.personas)):
        for name, profile in known.items():
            check(f"{kind}.{name}", name, profile)
    return profiles


def check(where: str, name: str, profile: Profile) -> None:
    """Raise ``RubricError`` where a profile makes no sense."""
    if not NAME.fullmatch(name):
        raise RubricError(where, "a rater's name is lower case letters, digits and underscores, at most 40")
    if not profile.weights:
        raise RubricError(f"{where}.weights", "a rater weighs at least one dimension")
    total = math.fsum(profile.weights.values())
    if abs(total - 1) > CLOSE_TO_ONE:
        raise RubricError(f"{where}.weights", f"the weights sum to {total:g}, not to 1")
