"""The debates that a plan means: a pure function of the plan, in the order in which they begin.

The two sides of a mirrored pair follow each other, and repetitions come last: a batch that ends early is balanced.
"""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec import UNSET, Struct, UnsetType

from events.table import LazyTable
from events.types.batch import BatchPlan, BatchSides
from events.types.study import Arm, Letter

NAMES: Final = ("n", "s", "m", "e", "r", "j", "c", "d")
"""Begins the part of a key for each axis: repetition, seed, motion, evidence, rubric, judge, characters, debaters."""
MIRRORED: Final = "x"
"""Ends the key of a debate with the sides exchanged."""
STUDY: Final = LazyTable[Any]({"cells": "server.debate.formats.answers.cells"})
"""The debates of a study, which a plain batch does not load."""


class StudyCell(Struct, frozen=True, kw_only=True):
    """The place of a debate in a study."""

    item: str
    """The id of the item."""
    arm: Arm
    swapped: bool = False
    """Whether answer A is the second one of the item."""
    assigned: Letter | UnsetType = UNSET
    """The letter that the consultant, or the critic, argues for."""
    debater: str = ""
    """The model that argues; empty where the judge is alone."""
    judge: str
    repeat: int = 1


class PlannedDebate(Struct, frozen=True, kw_only=True):
    """One debate of a plan."""

    key: str
    """Unique in the batch: the number of the value in each axis that has several, such as ``m3.d2x``."""
    motion: str
    language: str
    models: BatchSides
    characters: BatchSides | None = None
    judge: dict[str, Any]
    rubric: str | None = None
    evidence: int | None = None
    """The number of its documents in the plan."""
    seed: int | None = None
    study: StudyCell | UnsetType = UNSET

    @property
    def providers(self) -> tuple[str, ...]:
        """The providers of its models, each once."""
        names = (*self.models_of_sides, judge_of(self.judge))
        return tuple(dict.fromkeys(each.partition(":")[0] for each in names))

    @property
    def models_of_sides(self) -> tuple[str, str]:
        """The models of pro and con."""
        return (self.models.pro, self.models.con)

    def body(self, plan: BatchPlan) -> dict[str, Any]:
        """Its request, as ``POST /api/debates`` takes it."""
        if self.study is not UNSET:
            return STUDY["cells"].body_of(plan, self)  # type: ignore[no-any-return]
        said = dict(plan.each) | {"motion": self.motion, "language": self.language}
        for side in ("pro", "con"):
            seat = dict(plan.each.get(side) or {}) | {"model": getattr(self.models, side)}
            if self.characters is not None:
                seat["archetype"] = getattr(self.characters, side)
            said[side] = seat
        said["judge"] = dict(plan.each.get("judge") or {}) | self.judge
        if self.rubric is not None:
            said["rubric"] = self.rubric
        if self.evidence is not None:
            said["evidence"] = list(plan.evidence[self.evidence])
        if self.seed is not None:
            said["seed"] = self.seed
        return said


def judge_of(judge: dict[str, Any]) -> str:
    """The name of a judge of a plan: a model, or ``person:NAME``."""
    return str(judge.get("model") or f"person:{judge.get('person')}")


def expanded(plan: BatchPlan) -> Iterator[PlannedDebate]:
    """All debates of a plan, in their order."""
    if plan.study is not UNSET:
        yield from STUDY["cells"].expanded(plan, plan.study)
        return
    axes: tuple[tuple[Any, ...], ...] = (
        tuple(range(plan.repeats)),
        plan.seeds or (None,),
        tuple(zip(plan.motions, plan.languages, strict=True)),
        tuple(range(len(plan.evidence))) or (None,),
        plan.rubrics or (None,),
        plan.judges,
        plan.characters or (None,),
        plan.models,
    )
    for places in product(*(range(len(axis)) for axis in axes)):
        _, seed, motion, evidence, rubric, judge, characters, models = (
            axis[place] for axis, place in zip(axes, places, strict=True)
        )
        named = zip(NAMES, axes, places, strict=True)
        key = ".".join(f"{name}{place + 1}" for name, axis, place in named if len(axis) > 1) or "d1"
        one = PlannedDebate(
            key=key,
            motion=motion[0],
            language=motion[1],
            models=models,
            characters=characters,
            judge=judge,
            rubric=rubric,
            evidence=evidence,
            seed=seed,
        )
        yield one
        other = msgspec.structs.replace(
            one, key=key + MIRRORED, models=_exchanged(models), characters=_exchanged(characters)
        )
        if plan.mirrored and (other.models, other.characters) != (one.models, one.characters):
            yield other


def _exchanged(sides: BatchSides | None) -> BatchSides | None:
    return None if sides is None else BatchSides(pro=sides.con, con=sides.pro)


def digest_of(plan: BatchPlan) -> str:
    """SHA-256 of the planned debates; a document counts by its number."""
    digest = hashlib.sha256()
    for each in expanded(plan):
        digest.update(msgspec.json.encode(each, order="sorted") + b"\n")
    return digest.hexdigest()


class _PlanKey:
    """A plan as a key: equal to itself only."""

    __slots__ = ("plan",)

    def __init__(self, plan: BatchPlan) -> None:
        self.plan = plan

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _PlanKey) and self.plan is other.plan

    def __hash__(self) -> int:
        return id(self.plan)


@lru_cache(maxsize=4)
def _planned(same: _PlanKey) -> tuple[dict[str, PlannedDebate], bool]:
    return {each.key: each for each in expanded(same.plan)}, digest_of(same.plan) == same.plan.digest


def planned(plan: BatchPlan) -> dict[str, PlannedDebate]:
    """All debates of a batch by key, in their order."""
    return _planned(_PlanKey(plan))[0]


def is_as_planned(plan: BatchPlan) -> bool:
    """Whether these are the debates that the batch began with: another version of Moot may plan others."""
    return _planned(_PlanKey(plan))[1]


def id_of(batch: str, key: str) -> str:
    """The id of the debate with this key: the same whoever computes it, so that it is opened once."""
    return str(uuid5(NAMESPACE_URL, f"moot:batch/{batch}/{key}"))
