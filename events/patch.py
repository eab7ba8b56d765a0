"""RFC 7396 merge patches between two views.

Views are trees of frozen structs, dicts with string keys, and leaves.  They hold no nulls (absence is ``UNSET`` or a
missing key), so a merge patch can express every difference.  Subtrees that are the same object are skipped.
"""

from collections.abc import Iterator
from itertools import chain, compress, islice
from operator import is_, is_not
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import asdict


def diff(before: Any, after: Any) -> dict[str, Any]:
    """The patch that takes ``before`` to ``after``, structs or dicts.  Empty when equal.

    A list that differs is whole in the patch: lists are replaced, not merged.
    """
    patch: dict[str, Any] = {}
    old, new = _as_members(before), _as_members(after)
    has_all = len(old) <= len(new) and all(map(is_, old, new))  # the usual case, far below the time of a loop
    for key, value in _grown(old, new) if has_all else _differing(old, new):
        known = old.get(key, UNSET)
        if value is UNSET:
            if known is not UNSET:
                patch[key] = None
        elif value == known:  # far below the time of a walk
            continue
        elif isinstance(value, Struct | dict) and isinstance(known, Struct | dict):
            if deeper := diff(known, value):
                patch[key] = deeper
        else:
            patch[key] = value
    if not has_all:
        patch.update({key: None for key, value in old.items() if key not in new and value is not UNSET})
    return patch


def _grown(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The members of ``new``, which begins with the names of ``old``, that are not the same objects there."""
    return chain(compress(new.items(), map(is_not, old.values(), new.values())), islice(new.items(), len(old), None))


def _differing(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The members of ``new`` that are not the same objects in ``old``."""
    return ((key, value) for key, value in new.items() if value is not old.get(key, UNSET))


def merge(target: Any, patch: Any) -> Any:
    """Apply a patch to builtins; ``target`` stays as it is.  Source: RFC 7396, section 2."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def _as_members(value: Any) -> dict[str, Any]:
    if isinstance(value, Struct):
        return asdict(value)
    assert isinstance(value, dict)
    return value
