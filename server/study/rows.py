"""From the log of a study and those of its debates: a row for each answer, also for those that are missing."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import anyio.to_thread
from msgspec import UNSET, Struct

from events.errors import UnknownDebate
from events.state.debate import INITIAL as EMPTY
from events.state.debate import Debate, evolve
from events.state.parts.batch import INITIAL, BatchItem
from events.store.log import EventLog, read_all
from events.types import AnswerGiven, BatchPlan, StudyPlan
from events.types.base import Missing
from judge.study.items import Answered
from server.debate.formats.batch.plan import PlannedDebate, StudyCell, id_of, planned
from server.errors import NotFound

NOT_HELD: Final = "not held yet"
RUNS: Final = "still running"
FAILED: Final = "the debate failed"
DELETED: Final = "the debate was deleted"
NO_ANSWER: Final = "the judge gave no answer that can be read"


class StudyBatch(Struct, frozen=True, kw_only=True):
    """A batch that is a study, as far as it is."""

    id: str
    plan: BatchPlan
    study: StudyPlan
    items: dict[str, BatchItem]
    """By key, the debates that were begun."""
    state: str
    reason: str
    position: int
    """Of the last record of the batch."""

    @property
    def ended(self) -> int:
        """Debates that are over, however they ended."""
        return sum(each.state != "running" for each in self.items.values())


async def study_batch(log: EventLog, batch: str) -> StudyBatch:
    """The batch with this id.  Raises ``NotFound`` if it is no study."""
    return batch_of(await folded(log, batch))


async def folded(log: EventLog, debate: str) -> Debate:
    """A debate as its log gives it."""
    found = EMPTY
    async for record in read_all(log, debate):
        found = evolve(found, record)
    return found


def batch_of(debate: Debate) -> StudyBatch:
    """The study of a folded log.  Raises ``NotFound`` if it is none."""
    opened = debate.opened
    if opened is None or opened.batch is UNSET or opened.batch.study is UNSET:
        raise NotFound("there is no study with this id")
    return StudyBatch(
        id=debate.id,
        plan=opened.batch,
        study=opened.batch.study,
        items=dict((debate.batch or INITIAL).items.items()),
        state=debate.status.state,
        reason=debate.status.reason or "",
        position=debate.position,
    )


async def rows_of(log: EventLog, batch: StudyBatch) -> tuple[Answered, ...]:
    """The rows of all planned debates."""
    rows: list[Answered] = []
    cells = await anyio.to_thread.run_sync(planned, batch.plan)
    for key, each in cells.items():
        item = batch.items.get(key)
        given = [] if item is None else await _answers(log, item.debate)
        rows += _rows(batch, each, item, given or [], is_gone=given is None)
    return tuple(rows)


async def _answers(log: EventLog, debate: str) -> list[AnswerGiven] | None:
    """The answers of a debate; None if nothing of it is there."""
    try:
        events = [record.event async for record in read_all(log, debate)]
    except UnknownDebate:  # it is planned and not opened yet, or deleted
        return None
    return [each for each in events if isinstance(each, AnswerGiven)] if events else None


def _rows(
    batch: StudyBatch, each: PlannedDebate, item: BatchItem | None, given: Sequence[AnswerGiven], *, is_gone: bool
) -> Iterator[Answered]:
    cell = each.study
    assert cell is not UNSET, "each debate of a study has its place"
    facts = _facts(batch, cell) | {"debate": id_of(batch.id, each.key) if item is None else item.debate}
    ended = item.ended if item is not None else None
    cost = 0.0 if ended is None else ended.cost_usd
    took: dict[str, Any] = {"tokens": 0 if ended is None else ended.tokens}
    paid: dict[str, Any] = {"cost_usd": cost, "unpriced": ended is not None and ended.unpriced is not UNSET}
    by_judge = [answer for answer in given if answer.by == "judge"]
    if cell.arm == "vote" and by_judge:
        for number, answer in enumerate(by_judge):
            more = paid if number == 0 else {}
            yield _row(facts | more, answer, sample=answer.sample, tokens=answer.tokens)
        return
    if cell.arm == "critique":
        for answer in given:
            if answer.by == "critic" or answer.stage == "alone":
                yield _row(facts, answer, by=answer.by, stage="final" if answer.by == "critic" else "alone")
        by_judge = [answer for answer in by_judge if answer.stage == "final"]
    if by_judge:
        yield _row(facts | took | paid, by_judge[-1])
    else:
        yield Answered(**facts, **took, **paid, p_right=None, missing=_why(item, is_gone=is_gone))


def _facts(batch: StudyBatch, cell: StudyCell) -> dict[str, Any]:
    item = next(each for each in batch.study.items if each.id == cell.item)
    letter: Literal["A", "B"] = "A" if (item.right == 0) != cell.swapped else "B"
    assigned = "" if cell.assigned is UNSET else "right" if cell.assigned == letter else "wrong"
    return {
        "item": item.id,
        "cluster": item.cluster,
        "arm": cell.arm,
        "debater": cell.debater,
        "judge": cell.judge,
        "swapped": cell.swapped,
        "right_letter": letter,
        "assigned": assigned,
        "repeat": cell.repeat,
    }


def _row(facts: dict[str, Any], answer: AnswerGiven, **more: Any) -> Answered:
    letter, p_a, choice = facts["right_letter"], answer.p_a, answer.choice
    why = choice.missing.reason if isinstance(choice, Missing) else ""
    stated = None if isinstance(p_a, Missing) else p_a if letter == "A" else 1 - p_a
    named = None if isinstance(choice, Missing) else choice == letter
    if stated is not None and named is None:
        why = ""
    return Answered(**facts | more, p_right=stated, chosen_right=named, missing=why)


def _why(item: BatchItem | None, *, is_gone: bool) -> str:
    if item is None:
        return NOT_HELD
    if is_gone and item.state != "running":
        return DELETED
    return {"running": RUNS, "concluded": NO_ANSWER, "deleted": DELETED}.get(item.state, FAILED)
