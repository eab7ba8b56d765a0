"""The changed rules: a shipped rubric, a patch of the debate's own one, or its panel without one rater."""

import copy
from typing import Any, Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from events.patch import merge
from events.types import DebateOpened
from events.types.rubric import Rubric
from judge.errors import RubricError
from judge.rubrics.rubric import (
    SHIPPED,
    ShippedRubric,
    default_rubric,
    parse_rubric,
    rubric_v1,
    shipped_rubric,
    with_evidence,
)
from server.errors import BadField

DEEPEST: Final = 16
"""Levels of nesting in a patch; a rubric has six."""
MAX_BOOTSTRAP: Final = 5000
"""Resamplings for an agreement's interval that a request may ask for."""
MAX_FIGURES: Final = 200
"""Values that a request may name by their paths."""
MERGED: Final = ("criteria", "protocol", "panel", "deliberation")
"""Parts that a rubric may leave out: then those of Moot's rubric hold, of version 1 for a debate under version 1."""


class WhatIfRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The changes; none by default."""

    base: ShippedRubric | None = None
    """The shipped rubric that takes the place of the debate's own one."""
    rubric: dict[str, Any] = {}
    """A merge patch of it."""
    figures: dict[str, Any] = {}
    """Values by their dotted paths in it."""
    without_rater: str = ""

    def opening(self, opened: DebateOpened) -> DebateOpened:
        """The debate's opening with the changes.  Raises ``BadField`` with the path of a fault."""
        return replace(opened, rubric=self._rubric(opened.rubric), panel=self._panel(opened))

    def _rubric(self, own: Rubric) -> Rubric:
        rubric = own
        if self.base is not None:
            rubric = shipped_rubric(self.base)
            rubric = rubric if own.evidence is UNSET else with_evidence(rubric)
        if not self.rubric and not self.figures:
            return rubric
        whole = msgspec.to_builtins(rubric)
        patch = copy.deepcopy(self.rubric)
        for path, value in self.figures.items():
            put(patch, whole, path, value)
        try:
            read = _merged(whole, patch)
        except RubricError as error:
            path = error.field or "rubric"
            raise BadField(path, error.why + _offered(whole, path)) from error
        if read.panel is not None and read.panel.bootstrap > MAX_BOOTSTRAP and read.panel != rubric.panel:
            raise BadField("panel.bootstrap", f"at most {MAX_BOOTSTRAP} here")
        known = rubric_v1() if rubric.version == 1 else default_rubric()
        return replace(read, **{name: getattr(read, name) or getattr(known, name) for name in MERGED})

    def _panel(self, opened: DebateOpened) -> Any:
        if not self.without_rater:
            return opened.panel
        names = [seat.name for seat in opened.panel]
        if self.without_rater not in names:
            known = f"none of {', '.join(names)}" if names else "no rater: this debate has no panel"
            raise BadField("without_rater", f"{self.without_rater[:40]!r} is {known}")
        if len(names) == 1:
            raise BadField("without_rater", f"{self.without_rater!r} is the only rater")
        return tuple(seat for seat in opened.panel if seat.name != self.without_rater)


def read_request(said: dict[str, Any]) -> WhatIfRequest:
    """The changes in ``{"rubric": {…} or a name, "figures": {path: value}, "without_rater": name}``, at least one.

    Raises ``BadField``.
    """
    if unknown := said.keys() - {"rubric", "figures", "without_rater"}:
        raise BadField(min(unknown)[:40], "there is no such field: rubric, figures, without_rater")
    rubric, without_rater, figures = said.get("rubric"), said.get("without_rater"), said.get("figures")
    if figures is not None and (not isinstance(figures, dict) or len(figures) > MAX_FIGURES):
        raise BadField("figures", f"at most {MAX_FIGURES} values by their paths")
    is_name = isinstance(rubric, str)
    base = rubric if is_name else None
    if figures and rubric is None and without_rater is None:
        return WhatIfRequest(figures=figures)
    return replace(as_request(None if is_name else rubric, without_rater, base=base), figures=figures or {})


def as_request(rubric: Any, without_rater: Any, *, base: Any = None) -> WhatIfRequest:
    """The changes, each of them checked.  Raises ``BadField``.

    ``rubric`` is a patch of the debate's rubric, or of the shipped one that is named ``base``.
    """
    if base is not None and base not in SHIPPED:
        raise BadField("rubric", f"{str(base)[:40]!r} is none of {', '.join(SHIPPED)}")
    if rubric is not None and not isinstance(rubric, dict):
        raise BadField("rubric", "the changes of the rubric are an object, or the name of a shipped rubric")
    if without_rater is not None and not isinstance(without_rater, str):
        raise BadField("without_rater", "the name of a rater is a text")
    if not rubric and not without_rater and base is None:
        raise BadField("rubric", "name a change: rubric, without_rater, or both")
    if _depth(rubric) > DEEPEST:
        raise BadField("rubric", f"a rubric has no {DEEPEST} levels")
    return WhatIfRequest(base=base, rubric=rubric or {}, without_rater=without_rater or "")


def put(patch: dict[str, Any], rubric: Any, path: str, value: Any) -> None:
    """Put one value into a patch of ``rubric`` (builtins).  ``bands.logic.winner.0`` names an item of a list.

    Raises ``BadField`` if the path goes through a value that is not an object.
    """
    names = path.split(".")
    into, known = patch, rubric
    for at, name in enumerate(names[:-1]):
        known = known.get(name) if isinstance(known, dict) else None
        if isinstance(known, list | tuple):
            into[name] = _with_item(list(into.get(name, known)), names[at + 1 :], path, value)
            return
        into = into.setdefault(name, {})
        if not isinstance(into, dict):
            raise BadField(path, f"{name} is no object")
    into[names[-1]] = value


def _with_item(items: list[Any], names: list[str], path: str, value: Any) -> list[Any]:
    if len(names) != 1 or not names[0].isdecimal() or int(names[0]) >= len(items):
        raise BadField(path, f"the list has items 0 to {len(items) - 1}")
    number = int(names[0])
    return [*items[:number], value, *items[number + 1 :]]


def _merged(whole: Any, patch: Any) -> Rubric:
    return parse_rubric(msgspec.json.encode(merge(whole, patch)))


def _offered(whole: Any, path: str) -> str:
    """The names that the rubric knows at an unknown name's place; empty if the name is known."""
    *above, name = path.split(".")
    for each in above:
        whole = whole.get(each) if isinstance(whole, dict) else None
    return f" (one of: {', '.join(sorted(whole))})" if isinstance(whole, dict) and name not in whole else ""


def _depth(value: Any) -> int:
    """Levels of nested objects and lists, counted up to ``DEEPEST`` + 1."""
    level, deep = [value], 0
    while level and deep <= DEEPEST:
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        deep += 1
    return deep
