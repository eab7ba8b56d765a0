"""How much a judge differs from itself: the newest lab run of the store with the same model, rubric and samples."""

from typing import Final

import structlog
from msgspec import UNSET, UnsetType

from events.codec import decode
from events.errors import LogError, UnknownEvent
from events.store.listing import FINDABLE
from events.store.log import EventLog
from events.types import DebateOpened, JudgeNoise, LabMeasured
from judge.rubrics.rubric import digest

logger = structlog.get_logger()

MOTION: Final = "Lab: how far can you trust the numbers of {judge}?"
"""The motion of a run; a judge's runs are found by it."""
LAST: Final = 3
"""Events at the end of a run among which its result is."""
ASKED_ALIKE: Final = ("model", "samples", "effort")
"""What the judge of the run and that of the debate must have in common."""
MAX_RUNS: Final = 50
"""Runs of a judge that are looked at, newest first."""


async def noise_of(log: EventLog, opened: DebateOpened) -> JudgeNoise | UnsetType:
    """The noise of the judge of a debate; unset if no run in the store has measured it."""
    page = await log.summaries(None, MAX_RUNS, MOTION.format(judge=opened.judge.model), FINDABLE)
    for run in page.debates:
        if run.format != "lab" or run.state != "concluded":
            continue
        try:
            found = await _measured(log, run.id, opened)
        except (LogError, UnknownEvent) as error:  # a run that cannot be read must not keep a debate from its opening
            logger.warning("lab_not_read", debate=run.id, message=str(error))
            continue
        if found is not UNSET:
            return found
    return UNSET


async def _measured(log: EventLog, run: str, opened: DebateOpened) -> JudgeNoise | UnsetType:
    result = await result_of(log, run)
    if result is None:
        return UNSET
    begun, measured = result
    if any(getattr(begun.judge, name) != getattr(opened.judge, name) for name in ASKED_ALIKE):
        return UNSET
    if measured.rubric_digest != digest(opened.rubric):
        return UNSET
    for each in measured.effects:
        if (each.battery, each.name) == ("retest", "sd") and each.estimate is not None:
            return JudgeNoise(
                sd=each.estimate,
                low=each.estimate if each.low is None else each.low,
                high=each.estimate if each.high is None else each.high,
                items=each.n,
                run=run,
            )
    return UNSET


async def result_of(log: EventLog, run: str) -> tuple[DebateOpened, LabMeasured] | None:
    """The opening and the result of a concluded run, without its answers.  Raises ``LogError``, ``UnknownEvent``."""
    (first,) = await log.envelopes(run, 0, 1)
    opened = decode(first.payload, first.schema)
    for envelope in await log.envelopes(run, max(0, await log.head(run) - LAST), LAST):
        event = decode(envelope.payload, envelope.schema)
        if isinstance(event, LabMeasured) and isinstance(opened, DebateOpened):
            return opened, event
    return None
