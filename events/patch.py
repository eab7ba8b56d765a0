"""RFC 7396 merge patches between two views.

Views are trees of frozen structs, dicts with string keys, and leaves.  They hold no nulls (absence is ``UNSET`` or a
missing key), so every difference can be said in a merge patch.  Subtrees that are the same object are skipped.
"""

from typing import Any

from msgspec import UNSET, Struct


def diff(before: Any, after: Any) -> dict[str, Any]:
    """The patch that takes ``before`` to ``after``, two structs of one type or two dicts.  Empty when equal."""
    return _members(_as_members(before), _as_members(after))


def merge(target: Any, patch: Any) -> Any:
    """Apply a patch to builtins.  Source: RFC 7396, section 2."""
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
        return {name: getattr(value, name) for name in value.__struct_fields__}
    assert isinstance(value, dict)
    return value


def _members(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for key, new in after.items():
        old = before.get(key, UNSET)
        if new is old or new == old:
            continue
        if new is UNSET:
            patch[key] = None
        elif isinstance(new, Struct | dict) and isinstance(old, Struct | dict):
            patch[key] = _members(_as_members(old), _as_members(new))
        else:
            patch[key] = new
    for key, old in before.items():
        if key not in after and old is not UNSET:
            patch[key] = None
    return patch
