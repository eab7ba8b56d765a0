"""Loading a rubric, and finding out whether it makes sense.

The figures of version 1 (``rubrics/v1.json``) are those of the design.  Source: seed 003, level 1 (points, chain,
framing and delivery) and level 2 (the 22/40 band); the splits within rhetoric and tactics are the design's own.
"""

import hashlib
import re
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from events.types.rubric import Rubric, canonical_bytes
from judge.errors import RubricError
from judge.rubric_checks import faults

_AT = re.compile(r" - at (?:`key` in )?`\$\.?([^`]*)`")


@cache
def rubric_v1() -> Rubric:
    """The rubric that ships with Moot."""
    return parse_rubric(resources.files("judge").joinpath("rubrics/v1.json").read_bytes())


def load_rubric(path: Path) -> Rubric:
    """The rubric in a JSON file.  Raises ``RubricError`` with the field's path."""
    try:
        return parse_rubric(path.read_bytes())
    except OSError as error:
        raise RubricError("", f"{path} cannot be read: {error.strerror}") from error


def parse_rubric(raw: bytes) -> Rubric:
    """The rubric written in ``raw`` (JSON), checked."""
    try:
        rubric = msgspec.json.decode(raw, type=Rubric)
    except msgspec.ValidationError as error:
        found = _AT.search(str(error))
        raise RubricError(found[1] if found else "", _AT.sub("", str(error))) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RubricError("", f"not JSON: {error}") from error
    return checked(rubric)


def digest(rubric: Rubric) -> str:
    """SHA-256 of the rubric's canonical bytes, in hexadecimal."""
    return hashlib.sha256(canonical_bytes(rubric)).hexdigest()


def checked(rubric: Rubric) -> Rubric:
    """The same rubric, or ``RubricError`` with the first thing that is wrong with it."""
    for field, why in faults(rubric):
        raise RubricError(field, why)
    return rubric
