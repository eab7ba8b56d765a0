"""Load and check a rubric.  ``docs/design.md`` explains the figures."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from events.patch import merge
from events.table import LazyTable
from events.types.criteria import Criteria
from events.types.register import EvidenceKind
from events.types.rubric import Anchors, ClaimRule, Rubric, canonical_bytes
from judge.errors import RubricError

ShippedRubric = Literal["v1", "v2", "v2-evidence", "v3", "v3-evidence"]
"""``v1``: of the first release.  ``v3``: the default.  ``…-evidence``: the same with other criteria for arguments."""
DEFAULT: Final[ShippedRubric] = "v3"
GAP_MAXIMUM: Final = 8
"""The most points that an answer can give to a gap."""
EVIDENCE_FROM: Final = 2
"""The version of the rubric from which on evidence decides what costs points."""
CHECKS: Final = LazyTable[Any]({"faults": "judge.rubrics.checks:faults", "misfit": "judge.rubrics.places:misfit"})
"""Of rubrics from outside; tests check the shipped ones."""
SHIPPED: Final[tuple[ShippedRubric, ...]] = get_args(ShippedRubric)


PATCHES: Final[dict[ShippedRubric, tuple[ShippedRubric, str]]] = {
    "v2-evidence": ("v2", "v2-evidence"),
    "v3": ("v2", "v3"),
    "v3-evidence": ("v3", "v2-evidence"),
}
"""Rubrics that are a merge patch (RFC 7396) of another one: that one, and the file of the patch."""


@cache
def shipped_rubric(name: ShippedRubric) -> Rubric:
    """The shipped rubric of this name."""
    base, file = PATCHES.get(name, (None, name))
    raw = resources.files("judge").joinpath(f"rubrics/{file}.json").read_bytes()
    if base is not None:
        raw = msgspec.json.encode(merge(msgspec.to_builtins(shipped_rubric(base)), msgspec.json.decode(raw)))
    return msgspec.json.decode(raw, type=Rubric)


def rubric_v1() -> Rubric:
    """The rubric of the first release.  Logs name it, and a debate may still be opened with it."""
    return shipped_rubric("v1")


def rubric_v2() -> Rubric:
    """The rubric of the second release.  Logs name it, and a debate may still be opened with it."""
    return shipped_rubric("v2")


def rubric_v3() -> Rubric:
    """The rubric of the third release."""
    return shipped_rubric("v3")


def default_rubric() -> Rubric:
    """The rubric of every debate that brings none of its own."""
    return shipped_rubric(DEFAULT)


@cache
def evidence_rules() -> dict[EvidenceKind, ClaimRule]:
    """What the evidence decides in a debate whose rubric does not say it itself."""
    raw = resources.files("judge").joinpath("rubrics/evidence.json").read_bytes()
    return msgspec.json.decode(raw, type=dict[EvidenceKind, ClaimRule])


def scores_turns_as(one: Rubric, two: Rubric) -> bool:
    """Whether two rubrics have the same rules for turns; they may differ in what only arguments and panels need."""
    return _of_turns(one) == _of_turns(two)


def _of_turns(rubric: Rubric) -> Rubric:
    return replace(rubric, name="", criteria=None, protocol=None, panel=None, deliberation=None)


def with_evidence(rubric: Rubric) -> Rubric:
    """Return the rubric of a debate with evidence.  Version 1, and a rubric with rules of its own, stay as they are.

    A rule whose dimension the rubric does not have is left out.
    """
    if rubric.evidence is not UNSET or rubric.version < EVIDENCE_FROM:
        return rubric
    rules = {kind: rule for kind, rule in evidence_rules().items() if rule.dimension in rubric.dimensions}
    return msgspec.structs.replace(rubric, evidence=rules)


def load_rubric(path: Path) -> Rubric:
    """Read a rubric from a JSON file.  Raises ``RubricError`` with the field's path."""
    try:
        return parse_rubric(path.read_bytes())
    except OSError as error:
        raise RubricError("", f"{path} cannot be read: {error.strerror}") from error


def parse_rubric(raw: bytes) -> Rubric:
    """Decode and check a rubric in JSON.  Raises ``RubricError`` with the field's path."""
    try:
        whole = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RubricError("", f"not JSON: {error}") from error
    try:
        return checked(msgspec.json.decode(raw, type=Rubric))
    except msgspec.ValidationError as error:
        raise CHECKS["misfit"](error, whole) from error


def as_rubric(value: dict[str, Any]) -> Rubric:
    """Convert builtins to a checked rubric.  Raises ``RubricError`` with the field's path."""
    try:
        raw = msgspec.json.encode(value)
    except RecursionError as error:
        raise RubricError("", "its objects nest too deeply") from error
    return parse_rubric(raw)


def digest(rubric: Rubric) -> str:
    """Return the SHA-256 of the rubric's canonical bytes, in hexadecimal."""
    return hashlib.sha256(canonical_bytes(rubric)).hexdigest()


def checked(rubric: Rubric) -> Rubric:
    """Return the rubric unchanged.  Raises ``RubricError`` with its first fault."""
    for field, why in CHECKS["faults"](rubric):
        raise RubricError(field, why)
    return rubric


def anchor_lines(anchors: Anchors, least: float, most: float) -> Iterator[str]:
    """Yield what earns how many points, for the points that are on the scale."""
    for points, text in (anchors or {}).items():
        if least <= int(points) <= most:
            yield f"{points}: {text}"


def criteria_lines(criteria: Criteria) -> str:
    """Return each criterion with what it asks, and with its anchors if the rubric has any."""
    return "\n".join(
        line
        for name, each in criteria.dimensions.items()
        for line in (
            f"- {name}: {each.asks}",
            *(f"  {anchor}" for anchor in anchor_lines(each.anchors, criteria.low, criteria.high)),
        )
    )


def has_anchors(criteria: Criteria) -> bool:
    """Whether the criteria say what earns how many points, as they do from version 2 on."""
    return any(each.anchors for each in criteria.dimensions.values())


def without_anchors(criteria: Criteria) -> Criteria:
    """Return the criteria as the prompts of older debates show them."""
    bare = {name: msgspec.structs.replace(each, anchors=UNSET) for name, each in criteria.dimensions.items()}
    return msgspec.structs.replace(criteria, dimensions=bare)


CHANGED_BY: Final = {
    "band_winner": "a clear win",
    "band_loser": "a clear loss",
    "slight_winner": "won the comparison",
    "slight_loser": "lost the comparison",
    "band_conflict": "a clear win and a clear loss",
    "comparison": "what the comparison says",
    "score_limit": "limit of a score",
    "docking": "findings of a turn weighed together",
    "rescore": "second reading",
    "inferred": "implied by the comparisons",
    "cleared": "penalty reversed",
    "contradicted_by_evidence": "the evidence says the opposite",
}
"""The same words as ``CHANGED_BY`` in web/words/words.js.

A slight win also follows a clear one, so its words say no degree; the reason of the entry does.
"""


def change_name(rule: str) -> str:
    """Return the rule that changed a score, in words."""
    return CHANGED_BY.get(rule, rule.replace("_", " "))


def fmt(points: float) -> str:
    """Format points with at most one decimal: 8, 3.5."""
    return f"{points:.1f}".removesuffix(".0")
