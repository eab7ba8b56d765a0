"""Types that msgspec can read where a field holds one of two objects: for clients, and for the description of the API.

The view writes ``dict[str, ScoreView] | Missing`` as it is, but msgspec reads no union of two objects, and the names of
rare parts are known to the type checker only.  ``readable`` gives a type of the same shape that can be read; its
structs are subclasses of the ones that write.
"""

from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Struct, UnsetType, field

from events.view.answers import AnswersView
from events.view.audience import AudienceView
from events.view.batch import BatchView
from events.view.evidence_view import EvidenceView
from events.view.lab import LabView
from events.view.poll import PollView

T = TypeVar("T")
_RARE = {each.__name__: each for each in (AnswersView, AudienceView, BatchView, EvidenceView, LabView, PollView)}
_BEGUN: set[type[Struct]] = set()


class _HasAll(type):
    def __instancecheck__(cls, value: object) -> bool:
        return True  # msgspec asks whether what the hook has read is of the type


class OneOf(metaclass=_HasAll):
    """Base of the types that stand for a union; ``kinds`` are its members."""

    kinds: tuple[Any, ...]


def read(value: Any, kind: type[T]) -> T:
    """JSON values as this type.  Raises ``msgspec.ValidationError``."""
    return cast("T", msgspec.convert(value, readable(cast("Any", kind)), dec_hook=_read_one))


@cache
def readable(kind: Any) -> Any:
    """A type of the same shape that msgspec can read; the type itself where it can."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        if kind in _BEGUN:
            return kind  # a part of itself: no such struct needs a change
        _BEGUN.add(kind)
        try:
            return _readable_struct(kind)
        finally:
            _BEGUN.remove(kind)
    origin, parts = get_origin(kind), tuple(get_args(kind))
    if origin is None or origin is Literal:
        return kind
    if origin is Annotated:
        return Annotated[readable(parts[0]), *kind.__metadata__]
    parts = tuple(each if each is Ellipsis else readable(each) for each in parts)
    if origin is not Union and origin is not UnionType:
        return origin[parts]
    objects = [each for each in parts if _is_object(each)]
    if len(objects) <= 1 or all(_is_tagged(each) for each in objects):
        return Union[parts]  # noqa: UP007 - the parts are known at run time only
    held = tuple(each for each in parts if each is not UnsetType)
    one = _HasAll("OneOf", (OneOf,), {"kinds": held})
    return one if held == parts else one | UnsetType


def _is_object(kind: Any) -> bool:
    return get_origin(kind) is dict or (isinstance(kind, type) and issubclass(kind, Struct))


def _is_tagged(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct) and kind.__struct_config__.tag is not None


def _readable_struct(kind: type[Struct]) -> type[Struct]:
    hints = get_type_hints(kind, localns=_RARE, include_extras=True)
    written = {
        name: said for base in reversed(kind.__mro__) for name, said in vars(base).get("__annotations__", {}).items()
    }
    names = kind.__struct_fields__
    defaults = dict(zip(reversed(names), reversed(kind.__struct_defaults__), strict=False))
    changed = [
        (name, readable(hints[name]), _default(defaults.get(name, NODEFAULT)))
        for name in names
        if _is_rare(written[name]) or readable(hints[name]) != hints[name]
    ]
    if not changed:
        return kind
    how = kind.__struct_config__
    return msgspec.defstruct(
        kind.__name__, changed, bases=(kind,), module=kind.__module__, kw_only=True, frozen=how.frozen,
        tag=how.tag, tag_field=how.tag_field, rename=None,
    )  # fmt: skip


def _is_rare(written: Any) -> bool:
    return isinstance(written, str) and any(name in written for name in _RARE)


def _default(given: Any) -> Any:
    factory = getattr(given, "factory", None)
    return field(default_factory=factory) if factory is not None else field(default=given)


def _read_one(kind: type[OneOf], value: Any) -> Any:
    """The first member of a union that a value fits.  An empty object stays one where the union has a dictionary."""
    if not value and any(get_origin(each) is dict for each in kind.kinds):
        return value
    failed = ""
    for each in kind.kinds:
        try:
            return msgspec.convert(value, each, dec_hook=_read_one)
        except msgspec.ValidationError as error:
            failed = str(error)
    raise ValueError(failed)
