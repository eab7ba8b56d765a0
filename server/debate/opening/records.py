"""Track records of raters: how often they were right, folded from all calibrations in the store.

A record belongs to a rater together with its model.  Another model with the same profile does not inherit it, and
neither does the same model under another name.
"""

from collections.abc import Mapping

import structlog
from msgspec import UNSET

from events.codec import decode
from events.errors import UnknownEvent
from events.store.log import PAGE, EventLog
from events.types import DebateLabelled, RaterCalibrated, TrackRecord
from judge.panel.truth import record_of
from server.debate.opening.privacy import NO_LABELS

logger = structlog.get_logger()

Known = dict[tuple[str, str], dict[str, RaterCalibrated]]
"""Verdicts by (rater, model), then by the digest of the case."""

_MARKS = (b'"rater_calibrated"', b'"debate_labelled"')


async def calibrations(log: EventLog) -> Known:
    """Every verdict that counts: the newest of several on one case.  A missing verdict replaces none."""
    found: dict[tuple[tuple[str, str], str], tuple[str, RaterCalibrated]] = {}
    for debate in await log.calibrations():
        for at, event in await _verdicts(log, debate):
            key = (event.rater, event.model), event.digest
            if key not in found or found[key][0] <= at:
                found[key] = at, event
    known: Known = {}
    for (rater, digest), (_, event) in found.items():
        known.setdefault(rater, {})[digest] = event
    return known


async def _verdicts(log: EventLog, debate: str) -> list[tuple[str, RaterCalibrated]]:
    """The verdicts of one calibration, each with its time; none of one that readers do not find."""
    after, labels = 0, NO_LABELS
    found: list[tuple[str, RaterCalibrated]] = []
    while page := await log.envelopes(debate, after, PAGE):
        after = page[-1].position
        for envelope in page:
            if not any(mark in envelope.payload for mark in _MARKS):
                continue  # most events of a calibration are prompts and answers: they are not decoded
            try:
                event = decode(envelope.payload, envelope.schema)
            except UnknownEvent as error:  # an unreadable one must not stop every panel
                logger.warning("calibration_not_read", debate=debate, position=envelope.position, message=str(error))
                continue
            if isinstance(event, DebateLabelled):
                labels = labels.after(event)
            elif isinstance(event, RaterCalibrated) and event.said is not UNSET:
                found.append((envelope.at, event))
    return found if labels.is_findable else []


async def track_records(log: EventLog) -> Mapping[tuple[str, str], TrackRecord]:
    """The track records by (rater, model), for the seats of a panel that is opened."""
    return {rater: record_of(verdicts.values()) for rater, verdicts in (await calibrations(log)).items()}
