"""The path of a value that does not fit a rubric.

The decoder reports ``dimensions[...].maximum`` without the name of the entry.  It stops at the first value that does
not fit, so bisection finds the entry: the last one of the shortest beginning of the table with the same error.
"""

import re
from bisect import bisect_left
from functools import reduce
from operator import getitem
from typing import Any, Final

import msgspec

from events.misfits import misfit_words
from events.types.rubric import Rubric
from judge.errors import RubricError

_AT: Final = re.compile(r" - at (`key` in )?`\$\.?([^`]*)`")
_STEP: Final = re.compile(r"\[(\d+)\]|(\[\.\.\.\])|([^.\[\]]+)")
_UNKNOWN: Final = re.compile(r"unknown field `([^`]+)`|Invalid enum value '([^']+)'", re.DOTALL)
_MAX_NAME: Final = 40
"""Characters of a name that an error message shows."""


def misfit(error: msgspec.ValidationError, whole: Any) -> RubricError:
    """Convert a decoder's error to a ``RubricError``.  ``whole`` is the decoded document, as builtins."""
    names: list[Any] = []
    for index, entry, name in _STEP.findall(_place(error)):
        names.append(_first_misfit(error, whole, names) if entry else int(index) if index else name)
    why = _AT.sub("", str(error))
    unknown = _UNKNOWN.search(why)
    if unknown:
        names.append(unknown[1] or unknown[2])
    return RubricError(".".join(str(name)[:_MAX_NAME] for name in names), misfit_words(error))


def _place(error: msgspec.ValidationError) -> str:
    found = _AT.search(str(error))
    return found[2] if found else ""


def _first_misfit(error: msgspec.ValidationError, whole: Any, above: list[Any]) -> Any:
    """Return the name of the first entry that does not fit, in the table at the path ``above``."""
    table = reduce(getitem, above, whole)
    names = list(table)

    def is_in(number: int) -> bool:
        return _error_of(_replaced(whole, above, {name: table[name] for name in names[:number]})) == str(error)

    return names[bisect_left(range(1, len(names)), True, key=is_in)]


def _error_of(whole: Any) -> str:
    try:
        msgspec.json.decode(msgspec.json.encode(whole), type=Rubric)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def _replaced(whole: Any, path: list[Any], value: Any) -> Any:
    """Return a copy with another value at a path."""
    if not path:
        return value
    same = whole.copy()
    same[path[0]] = _replaced(whole[path[0]], path[1:], value)
    return same
