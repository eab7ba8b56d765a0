"""Track records of raters: how often they were right, folded from all calibrations in the store.

A record belongs to a rater together with its model.  Another model with the same profile does not inherit it, and
neither does the same model under another name.
"""

from collections.abc import Mapping

import structlog
from msgspec import UNSET
from msgspec.structs import replace

from events.codec import decode
from events.errors import UnknownEvent
from events.store.log import PAGE, EventLog
from events.types import DebateLabelled, DebateOpened, Event, RaterCalibrated, TrackRecord
from judge.panel.truth import record_of
from providers.registry import Registry
from server.debate.setup.lab import items_for
from server.debate.setup.noise import noise_of
from server.debate.setup.opening import build_opening, events_after
from server.debate.setup.privacy import NO_LABELS, filed_as
from server.debate.setup.request import DebateRequest, has_panel
from server.settings import Settings

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


async def records_for(log: EventLog, request: DebateRequest) -> Mapping[tuple[str, str], TrackRecord]:
    """The track records that an opening needs; none if the request asks for no panel."""
    return await track_records(log) if has_panel(request) else {}


async def opening_for(
    log: EventLog, request: DebateRequest, registry: Registry, settings: Settings
) -> tuple[DebateOpened, tuple[Event, ...]]:
    """The event that opens what a request asks for, with what it needs of the store, and what follows the opening.

    That is the transcript and the documents of the request, and the labels of the debates that a lab run is made of.
    Raises as ``build_opening`` and ``items_for``.
    """
    records, spoken = await records_for(log, request), await items_for(log, request.lab)
    opened = await build_opening(request, registry, settings, records, [item for item, _ in spoken])
    follows = (*await events_after(request), *filed_as(labels for _, labels in spoken))
    if opened.format != "exchange" or not opened.rubric.lead_beyond_noise:
        return opened, follows
    opened = replace(opened, noise=await noise_of(log, opened))
    if request.ignore_noise:
        opened = replace(opened, rubric=replace(opened.rubric, lead_beyond_noise=False))
    return opened, follows
