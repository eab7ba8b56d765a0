"""The report of a study: its figures and audit, from the log of its batch and those of its debates."""

from collections.abc import Mapping, Sequence

import anyio
import anyio.to_thread
from msgspec import Struct

from events.store.log import EventLog
from events.types import Arm, StudyPlan
from judge.study.items import UNDECIDED, Answered
from judge.study.results import StudyAudit, StudyFigure, StudyResult
from server.debate.formats.batch.plan import judge_of
from server.people.names import PREFIX
from server.study.rows import RUNS, StudyBatch, rows_of, study_batch


class StudyShown(Struct, frozen=True, kw_only=True):
    """A study as its report shows it."""

    id: str
    name: str
    state: str
    reason: str
    planned: int
    ended: int
    """Debates that are over, however they ended."""
    data: str
    notes: tuple[str, ...]
    sees: str
    rounds: int
    arms: tuple[Arm, ...]
    swaps: bool
    repeats: int
    debaters: tuple[str, ...]
    judges: tuple[str, ...]
    result: StudyResult
    audit: StudyAudit | None
    people: StudyFigure | None
    """Accuracy of the people who judged the same questions elsewhere."""
    rows: tuple[Answered, ...]
    chosen: Mapping[str, str] = {}
    """The answers that a reader of the page asked for: ``arm``, ``debater``, ``judge``."""
    seats: tuple[str, ...] = ()
    """The debates that run and whose judge is a person."""

    @property
    def is_finished(self) -> bool:
        """Whether every planned debate is over."""
        return self.ended == self.planned

    @property
    def has_people(self) -> bool:
        """Whether a person judges."""
        return any(each.startswith(PREFIX) for each in self.judges)


async def read_study(log: EventLog, batch: str) -> StudyShown:
    """The report of a study, also of one that runs.  Raises ``NotFound`` if the batch is none."""
    found = await study_batch(log, batch)
    rows = await rows_of(log, found)
    return await anyio.to_thread.run_sync(shown, found, rows)


def shown(batch: StudyBatch, rows: Sequence[Answered]) -> StudyShown:
    """The report from the rows of a study."""
    from judge.study.audit import audit_of  # noqa: PLC0415 - numpy is imported where a study is asked for
    from judge.study.study import study_of  # noqa: PLC0415 - likewise

    plan, study = batch.plan, batch.study
    items, clusters = study.audit_of
    return StudyShown(
        id=batch.id,
        name=plan.name,
        state=batch.state,
        reason=batch.reason,
        planned=plan.debates,
        ended=batch.ended,
        data=study.data,
        notes=study.notes,
        sees=study.sees,
        rounds=study.rounds,
        arms=study.arms,
        swaps=study.swaps,
        repeats=plan.repeats,
        debaters=tuple(each.pro for each in plan.models),
        judges=tuple(map(judge_of, plan.judges)),
        result=study_of(rows, study.margin),
        audit=audit_of(rows, items, clusters) if items else None,
        people=_people(study),
        rows=tuple(rows),
        seats=tuple(
            row.debate for row in rows if row.judge.startswith(PREFIX) and row.score is None and row.missing == RUNS
        ),
    )


def _people(study: StudyPlan) -> StudyFigure | None:
    from judge.study.study import accuracy  # noqa: PLC0415 - numpy is imported where a study is asked for

    scores: dict[str, float] = {}
    for each in study.people:
        scores[each.item] = UNDECIDED if each.p_right == UNDECIDED else float(each.p_right > UNDECIDED)
    return accuracy(scores, {each.item: each.cluster for each in study.people})
