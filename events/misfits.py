"""What does not fit a type, in plain words.  msgspec's own messages name Python's types: ``Expected `int` <= 200``."""

import re
from typing import Final

from msgspec import ValidationError

_AT: Final = re.compile(r" - at (?:`key` in )?`\$[^`]*`")
_BOUND: Final = re.compile(r"Expected `(\w+)`( of length)? (<=|>=|<|>) (-?[\d.e+]+)")
_TYPE: Final = re.compile(r"Expected `([^`]+)`(?:, got `(\w+)`)?")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.+)`", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(.+)`", re.DOTALL)
_VALUE: Final = re.compile(r"Invalid enum value (.+)", re.DOTALL)
_BOUNDS: Final = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}
_TYPES: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def misfit_words(error: ValidationError, name: str = "it") -> str:
    """``turns must be at most 200``.  ``name``: the field's, as the sentence shows it."""
    message = _AT.sub("", str(error))
    if found := _BOUND.fullmatch(message):
        kind, is_length, sign, bound = found.groups()
        number = bound.removesuffix(".0")
        if is_length:
            one, many = ("character", "characters") if kind == "str" else ("entry", "entries")
            return f"{name} must have {_BOUNDS[sign]} {number} {one if number == '1' else many}"
        return f"{name} must be {_BOUNDS[sign]} {number}"
    if found := _TYPE.fullmatch(message):
        kinds = [each for each in found[1].split(" | ") if each != "null"]  # who means null leaves the field out
        wanted = " or ".join(_TYPES.get(each, each) for each in kinds)
        is_fraction = kinds == ["int"] and found[2] == "float"
        got = f", not {_TYPES.get(found[2], found[2])}" if found[2] and not is_fraction else ""
        return f"{name} must be {wanted}{got}"
    if found := _UNKNOWN.fullmatch(message):
        return f"there is no field `{found[1]}`"
    if found := _MISSING.fullmatch(message):
        return f"the field `{found[1]}` is missing"
    if found := _VALUE.fullmatch(message):
        return f"{name} cannot be {found[1]}"
    return message
