"""The course of a debate: how the lead moved at which event, and the moment at which the judge went back furthest.

The first page draws it on the card of a debate, and the picture of a shared link below its outcome.
"""

import re
from collections.abc import AsyncIterable
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.record import Recorded
from events.text.figures import rounded
from events.types import LogicGapAdjusted, Passage, PenaltyApplied, Side, TurnStarted
from events.view.view import Fold, View
from server.export.wording import NAMES

MAX_BEFORE: Final = 90
MAX_AFTER: Final = 60
"""Characters of the speech around a quote."""
LEVEL: Final = "0.0"
_END: Final = re.compile(r"[.!?…]['\"”’)]*\s+")
"""Where a sentence ends."""

Step = tuple[Fold, Recorded, Fold]


class Point(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Something at one event."""

    position: int
    probability: float | UnsetType = UNSET
    """That Pro is ahead after it; absent if it changed nothing, or where the rubric gives no probability."""
    lead: float | UnsetType = UNSET
    """Pro's points less Con's after it, where there is no probability; absent if it changed nothing."""
    dock: bool | UnsetType = UNSET
    """Present and true if it took points off a turn."""
    turn: int | UnsetType = UNSET
    """The turn that it begins."""


class Said(Struct, frozen=True, kw_only=True, gc=False):
    """Words of a turn on which a judgement rests, between the words around them."""

    turn: int
    side: Side
    before: str
    quote: str
    after: str


class Exposure(Struct, frozen=True, kw_only=True, gc=False):
    """An earlier turn lost points for a flaw that a later one exposed."""

    position: int
    fails: Said
    exposes: Said
    turns_later: int
    was: float
    now: float
    """The composite of the earlier turn, before and after it."""
    points: float
    reason: str
    """Words of the judge."""
    text: str
    """What it did to the lead, as one sentence."""
    since: Point
    until: Point
    """The lead before and after it."""


class Course(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """How the lead of a debate moved."""

    end: int
    """The position of its newest event."""
    format: str
    state: str
    motion: str
    turns: int
    """Turns that were spoken."""
    points: tuple[Point, ...] = ()
    name_at: float | UnsetType = UNSET
    """The probability from which on a side is named."""
    docked: int = 0
    """Events that took points off a turn."""
    outcome: str | UnsetType = UNSET
    """Who was ahead, in the words of every page; absent before the end."""
    leads: Side | UnsetType = UNSET
    is_open: bool | UnsetType = UNSET
    """Present and true if the debate ended without a named winner."""
    sentence: str = ""
    """What made the most difference, or how the reading of the whole debate ends; empty before the end."""
    exposure: Exposure | UnsetType = UNSET


async def course_of(steps: AsyncIterable[Step]) -> Course:
    """The course of a debate by its steps from the first event on, as spectators see them."""
    points, exposures = list[Point](), list[Exposure]()
    shown = standing = Point(position=0)
    docked, newest = 0, None
    async for before, record, after in steps:
        event, position, newest = record.event, record.position, after
        standing = _standing(after.view, position)
        is_changed = (standing.probability, standing.lead) != (shown.probability, shown.lead)
        is_dock = isinstance(event, PenaltyApplied | LogicGapAdjusted) and event.applied < 0
        begins = event.turn if isinstance(event, TurnStarted) else UNSET
        docked += is_dock
        if is_changed or is_dock or begins is not UNSET:
            at = standing if is_changed else Point(position=position)
            points.append(Point(
                position=position, probability=at.probability, lead=at.lead, dock=is_dock or UNSET, turn=begins,
            ))  # fmt: skip
        if isinstance(event, LogicGapAdjusted) and (found := _exposure(event, before, after, shown, standing)):
            exposures.append(found)
        shown = standing
    assert newest is not None, "a debate has an event"
    view = newest.view
    rubric = newest.debate.ledger.rubric
    furthest = max(exposures, key=lambda each: (each.turns_later, -each.points), default=UNSET)
    return Course(
        end=view.position,
        format=view.format,
        state=view.state,
        motion=view.motion,
        turns=len(view.turns),
        points=tuple(points),
        name_at=UNSET if rubric is None or rubric.certainty is UNSET else rubric.certainty.name_at,
        docked=docked,
        outcome=UNSET if view.outcome is UNSET else view.outcome.headline,
        leads=view.conclusion.winner if view.conclusion and view.conclusion.winner != "neither" else UNSET,
        is_open=(view.conclusion is not UNSET and view.conclusion.winner == "neither") or UNSET,
        sentence=_sentence(view),
        exposure=furthest,
    )


def _standing(view: View, position: int) -> Point:
    """Who is ahead, by which measure the rubric has."""
    lead, certainty = _lead(view), view.scorecard.certainty
    if view.format != "exchange" or lead is None:
        return Point(position=position)
    if certainty is not UNSET:
        return Point(position=position, probability=certainty if lead >= 0 else round(1 - certainty, 4))
    return Point(position=position, lead=lead)


def _exposure(event: LogicGapAdjusted, before: Fold, after: Fold, was: Point, now: Point) -> Exposure | None:
    """What a later turn exposed in an earlier one; None without points, and for flaws that a turn shows itself."""
    moves = {} if after.view.lead is UNSET else after.view.lead.moves
    move = moves.get(str(after.view.position))
    later = event.exposed_by.turn - event.fails.turn
    if move is None or move.before is UNSET or event.applied >= 0 or later <= 0:
        return None
    return Exposure(
        position=after.view.position,
        fails=_said(event.fails, after.view),
        exposes=_said(event.exposed_by, after.view),
        turns_later=later,
        was=move.before,
        now=move.composite,
        points=event.applied,
        reason=event.reason,
        text=lead_moved(_lead(before.view), _lead(after.view)),
        since=was,
        until=now,
    )


def _lead(view: View) -> float | None:
    """Pro's points less Con's; None if a side has none."""
    if view.lead is UNSET or view.lead.points is UNSET:
        return None
    return -view.lead.points if view.lead.side == "con" else view.lead.points


def lead_moved(before: float | None, after: float | None) -> str:
    """What an event did to the lead (Pro's points less Con's), as one sentence; empty if there is no lead."""
    if before is None or after is None:
        return ""
    was, now = (rounded(abs(each)) for each in (before, after))
    old, new = (NAMES["pro" if each > 0 else "con"] for each in (before, after))
    if now == LEVEL:
        return "The sides stay level." if was == LEVEL else f"{old}’s lead of {was} points is gone."
    if was == LEVEL:
        return f"{new} takes the lead by {now} points."
    if old != new:
        return f"{old} led by {was} points; now {new} leads by {now}."
    if was == now:
        return f"{old}’s lead stays at {was} points."
    return f"{old}’s lead {'falls' if abs(after) < abs(before) else 'grows'} from {was} points to {now}."


def _said(passage: Passage, view: View) -> Said:
    """A quoted passage with the sentence in which it stands, and the sentence before."""
    turn = view.turns[str(passage.turn)]
    text, (start, stop) = turn.text, passage.span
    ends = [found.end() for found in _END.finditer(text, 0, start)]
    begins = next((each for each in [0, *ends][-2:] if start - each <= MAX_BEFORE), None)
    before = f"… {text[text.rfind(' ', 0, start - 20) + 1 : start]}" if begins is None else text[begins:start]
    end = _END.search(text, stop)
    closing = text[stop:] if end is None else text[stop : end.end()]
    if len(closing.strip()) > MAX_AFTER:
        closing = "\u00a0…"
    return Said(turn=passage.turn, side=turn.side, before=before, quote=text[start:stop], after=closing.rstrip())


def first_sentence(text: str) -> str:
    """The first sentence of a text."""
    end = _END.search(text)
    return text if end is None else text[: end.end()].rstrip()


def _sentence(view: View) -> str:
    """The moment that took the most points off a turn, or else the last sentence of the outcome."""
    if view.outcome is UNSET:
        return ""
    moments = () if view.summary is UNSET else view.summary.moments
    for kind in ("docked", "claim", "contradiction", "lead"):
        if found := next((each.text for each in moments if each.kind == kind), ""):
            return found
    *_, last = _END.split(view.outcome.text)
    return last if last != f"{view.outcome.headline}." else ""
