"""How much a judge differs from itself: the newest lab run of the store with the same model, rubric and samples."""

import math
from typing import Final

import structlog
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

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
"""What the judge of the run and that of the debate must have in common; and the server, where both name it."""
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
    if UNSET not in (servers := (begun.judge.server, opened.judge.server)) and len(set(servers)) > 1:
        return UNSET
    if measured.rubric_digest != digest(opened.rubric):
        return UNSET
    effects = {(each.battery, each.name): each for each in measured.effects if each.estimate is not None}
    sd = effects.get(("retest", "sd"))
    if sd is None or sd.estimate is None:
        return UNSET
    noise = JudgeNoise(
        sd=sd.estimate,
        low=sd.estimate if sd.low is None else sd.low,
        high=sd.estimate if sd.high is None else sd.high,
        items=sd.n,
        run=run,
    )
    if opened.rubric.certainty is UNSET:
        return noise
    noise = replace(noise, residual=residual_of(sd.estimate), floor=floor_of(sd.estimate))
    slope = effects.get(("side", "per_degree"))
    if slope is not None and slope.estimate is not None and slope.n >= MIN_SLOPES:
        noise = replace(noise, per_degree=round(min(max(slope.estimate, MIN_DEGREE), MAX_DEGREE), 4))
    return noise


OTHERWISE: Final = 14.0
"""Variance between two scores and their comparison that is not the scores' own, in squared points."""
UNSEEN: Final = 20.0
OF_SD: Final = 0.3
"""``floor`` of a judge that always gives the same score, and how much less it is for each squared point of its own."""
MIN_SLOPES: Final = 100
"""Pairs of scores and comparisons, by dimension, from which the worth of a degree is taken."""
MIN_DEGREE: Final = 0.03
MAX_DEGREE: Final = 0.15


def residual_of(sd: float) -> float:
    """What a pair of scores and its comparison lie apart, for a judge whose scores have this standard deviation."""
    return round(math.sqrt(2 * sd**2 + OTHERWISE), 2)


def floor_of(sd: float) -> float:
    """The squared error of a turn that no residual shows, for such a judge."""
    return round(max(0.0, UNSEEN - OF_SD * sd**2), 2)


async def result_of(log: EventLog, run: str) -> tuple[DebateOpened, LabMeasured] | None:
    """The opening and the result of a concluded run, without its answers.  Raises ``LogError``, ``UnknownEvent``."""
    (first,) = await log.envelopes(run, 0, 1)
    opened = decode(first.payload, first.schema)
    for envelope in await log.envelopes(run, max(0, await log.head(run) - LAST), LAST):
        event = decode(envelope.payload, envelope.schema)
        if isinstance(event, LabMeasured) and isinstance(opened, DebateOpened):
            return opened, event
    return None
