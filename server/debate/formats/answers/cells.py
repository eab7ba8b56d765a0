"""The debates that a study means: each item through each arm, in both orders of its answers.

The order is that of a batch that may end early: an item's debates follow each other, and repetitions come last.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, Final

from msgspec import UNSET

from events.types import Arm, BatchPlan, BatchSides, Letter, StudyItem, StudyPlan
from judge.answers.answer import LETTERS
from judge.answers.prompt import SIDE_OF
from server.debate.formats.batch.plan import MIRRORED, PlannedDebate, StudyCell, judge_of
from server.errors import BadField

ALONE: Final[frozenset[Arm]] = frozenset({"naive", "vote"})
"""Arms without a debater: one debate for all of them."""
SWAPPED: Final = MIRRORED
"""Ends the key of a debate with the letters of the answers exchanged."""


def expanded(plan: BatchPlan, study: StudyPlan) -> Iterator[PlannedDebate]:
    """All debates of a study, in their order."""
    orders = (False, True) if study.swaps else (False,)
    judges, debaters = list(enumerate(plan.judges, 1)), list(enumerate(plan.models, 1))
    places = product(range(1, plan.repeats + 1), enumerate(study.items, 1), judges, debaters, study.arms, orders)
    for repeat, (number, item), (judge_number, judge), (debater_number, models), arm, swapped in places:
        is_alone = arm in ALONE or (arm == "debate" and bool(item.speeches))
        if is_alone and debater_number > 1:
            continue
        for assigned in _assigned(study, arm):
            parts = [f"i{number}", arm]
            parts += [assigned.lower()] if assigned is not None else []
            parts += [f"d{debater_number}"] if len(debaters) > 1 and not is_alone else []
            parts += [f"j{judge_number}"] if len(judges) > 1 else []
            parts += [f"n{repeat}"] if plan.repeats > 1 else []
            name = judge_of(judge)
            yield PlannedDebate(
                key=".".join((*parts, SWAPPED)[: len(parts) + swapped]),
                motion=item.question,
                language="",
                models=BatchSides(pro=name, con=name) if is_alone else models,
                judge=judge,
                study=StudyCell(
                    item=item.id,
                    arm=arm,
                    swapped=swapped,
                    assigned=UNSET if assigned is None else assigned,
                    debater="" if is_alone else models.pro,
                    judge=name,
                    repeat=repeat,
                ),
            )


def _assigned(study: StudyPlan, arm: Arm) -> tuple[Letter | None, ...]:
    if arm == "critique" and study.assigned_critiques:
        return (None, *LETTERS)
    return LETTERS if arm == "consultancy" else (None,)


def body_of(plan: BatchPlan, planned: PlannedDebate) -> dict[str, Any]:
    """The request for a debate of a study.  It does not say which answer is right."""
    assert plan.study, "a cell is one of a study"
    assert planned.study, "likewise"
    study, cell = plan.study, planned.study
    item = _items(_Items(study))[cell.item]
    first, second = reversed(item.answers) if cell.swapped else item.answers
    asked: dict[str, Any] = {"text": item.question, "answers": [first, second], "sees": study.sees}
    asked["passage"] = study.passages.get(item.passage, "")
    if cell.assigned is not UNSET:
        asked["assigned"] = cell.assigned
    said = dict(plan.each) | {"format": "consultancy" if cell.arm == "consultancy" else "answers", "question": asked}
    said["judge"] = dict(plan.each.get("judge") or {}) | planned.judge
    if cell.arm != "consultancy":
        asked["arm"] = cell.arm
    if cell.arm == "vote":
        asked["vote_tokens"] = study.vote_tokens
    elif cell.arm == "critique":
        asked["critic"] = cell.debater
    elif cell.arm == "debate" and item.speeches:
        speeches = ((each, each.answer ^ cell.swapped) for each in item.speeches)
        asked["speeches"] = [{"round": each.round, "answer": answer, "text": each.text} for each, answer in speeches]
    elif cell.arm in {"debate", "consultancy"}:
        asked["rounds"] = study.rounds
        sides = ("pro", "con") if cell.arm == "debate" else (SIDE_OF[cell.assigned or "A"],)
        said |= {side: dict(plan.each.get(side) or {}) | {"model": cell.debater} for side in sides}
    if cell.arm in {"consultancy", "critique"}:
        said["max_words"] = study.consultant_words
    elif cell.arm == "debate":
        said["max_words"] = study.words
    return said


def check(wanted: Any) -> None:
    """Raise ``BadField`` for a study (``BatchRequest.study``) that cannot be carried out."""
    study: StudyPlan = wanted.study
    for field in ("motions", "characters", "rubrics", "evidence", "seeds"):
        if getattr(wanted, field):
            raise BadField(f"batch.{field}", f"a study has items in place of {field}: leave it out")
    if "format" in wanted.each:
        raise BadField("batch.each.format", "the arms of a study say what format its debates have: leave it out")
    if not study.items or not study.arms:
        raise BadField("batch.study", "a study has at least one item and one arm")
    if len(set(study.arms)) < len(study.arms):
        raise BadField("batch.study.arms", "an arm is named twice")
    if "vote" in study.arms and study.vote_tokens < 1:
        raise BadField("batch.study.vote_tokens", "arm vote needs the tokens after which it ends")
    seen: set[str] = set()
    for number, item in enumerate(study.items):
        where = f"batch.study.items.{number}"
        if item.id in seen:
            raise BadField(f"{where}.id", f"item {item.id!r} is there twice")
        seen.add(item.id)
        if item.passage and item.passage not in study.passages:
            raise BadField(f"{where}.passage", f"the study has no passage {item.passage!r}")


class _Items:
    """A study as a key: equal to itself only."""

    __slots__ = ("study",)

    def __init__(self, study: StudyPlan) -> None:
        self.study = study

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Items) and self.study is other.study

    def __hash__(self) -> int:
        return id(self.study)


@lru_cache(maxsize=4)
def _items(same: _Items) -> dict[str, StudyItem]:
    return {each.id: each for each in same.study.items}
