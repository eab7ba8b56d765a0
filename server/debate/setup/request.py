"""A request from JSON: its format says which type it is."""

from typing import Any, Final

import msgspec

from events.table import LazyTable
from server.debate.formats import FORMATS
from server.debate.opening.request import MAX_MOTION, DebateRequest, as_field_error
from server.debate.speech import clean
from server.errors import BadField, BadQuery

EXHIBITIONS: Final = LazyTable[Any]({"request": "server.debate.setup.exhibitions:request_for"})


def as_request(said: Any) -> DebateRequest:
    """A request from JSON values, with every bound checked.  Raises ``BadQuery``, ``BadField``."""
    if not isinstance(said, dict):
        raise BadQuery("the body must be a JSON object")
    if isinstance(said.get("exhibition"), str):
        kept = {name: said[name] for name in ("rubric",) if isinstance(said.get(name), str)}
        said = {**EXHIBITIONS["request"](said["exhibition"]), "blind": said.get("blind", False), **kept}
    name = said.get("format", "exchange")
    if isinstance(name, str) and name not in FORMATS:
        raise BadField("format", f"format cannot be {name[:40]!r}")
    kind = FORMATS[name].request if isinstance(name, str) else DebateRequest
    try:
        request = msgspec.convert(_own_fields(said, kind), kind)
    except msgspec.ValidationError as error:
        raise as_field_error(error) from error
    motion = clean(request.motion).strip() or request.usual_motion()
    if not 1 <= len(motion) <= MAX_MOTION:
        raise BadField("motion", f"a motion has 1 to {MAX_MOTION} characters, this one has {len(motion)}")
    request.check()
    return msgspec.structs.replace(request, motion=motion)


def _own_fields(said: dict[str, Any], kind: type[DebateRequest]) -> dict[str, Any]:
    """What is said without the empty fields of other formats.  Raises ``BadField`` for one that is not empty."""
    fields = dict(said)
    for field in said.keys() - set(kind.__struct_fields__):
        for each in (FORMATS[name].request for name in FORMATS):
            if field not in each.__struct_fields__:
                continue
            if said[field] not in (None, False, []):
                raise BadField(*_why_only(each, field))
            fields.pop(field, None)
    return fields


def _why_only(kind: type[DebateRequest], field: str) -> tuple[str, str]:
    """The field to blame and the reason, if a request of another format has a field of ``kind``."""
    told: list[dict[str, tuple[str, str]]] = [vars(base).get("only", {}) for base in kind.__mro__]
    return next(each[field] for each in told if field in each)
