"""The course of a debate: how the lead moved at which event, and the moment at which the judge went back furthest.

The first page draws it on the card of a debate, and the picture of a shared link below its outcome.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.state.ledger import Evidence
from events.text.figures import rounded
from events.types import Side
from events.view.lead import LeadMove
from events.view.view import Fold, View
from server.export.wording import NAMES

MAX_BEFORE: Final = 90
MAX_AFTER: Final = 60
"""Characters of the speech around a quote."""
MAX_LEAD: Final = 20
"""A lead of this many points fills a half of the bar, where the rubric gives no probability."""
LEVEL: Final = "0.0"
_END: Final = re.compile(r"[.!?…]['\"”’)]*\s+")
"""Where a sentence ends."""
DOCKING: Final = frozenset({"gap", "penalty"})
"""Kinds of entries that take points off a turn for what it says."""


class CoursePoint(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
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
    since: CoursePoint
    until: CoursePoint
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
    points: tuple[CoursePoint, ...] = ()
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


def course_of(fold: Fold) -> Course:
    """The course of a debate up to its newest event, as spectators see it."""
    view = fold.view
    points = tuple(_points(view))
    exposures = tuple(_exposures(fold))
    return Course(
        end=view.position,
        format=view.format,
        state=view.state,
        motion=view.motion,
        turns=len(view.turns),
        points=points,
        name_at=UNSET if view.lead is UNSET else view.lead.name_at,
        docked=sum(each.dock is True for each in points),
        outcome=UNSET if view.outcome is UNSET else view.outcome.headline,
        leads=view.conclusion.winner if view.conclusion and view.conclusion.winner != "neither" else UNSET,
        is_open=(view.conclusion is not UNSET and view.conclusion.winner == "neither") or UNSET,
        sentence=_sentence(view),
        exposure=max(exposures, key=lambda each: (each.turns_later, -each.points), default=UNSET),
    )


def share_of(point: CoursePoint) -> float | None:
    """The part of the bar that is Pro's, from 0 to 1; None without a figure."""
    if point.probability is not UNSET:
        return point.probability
    return None if point.lead is UNSET else min(1.0, max(0.0, 0.5 + point.lead / MAX_LEAD / 2))


def _points(view: View) -> Iterator[CoursePoint]:
    """What happened at which event, in order: the turns that began, and the changes of the scores."""
    moves = {} if view.lead is UNSET or view.format != "exchange" else view.lead.moves
    begun = {turn.started: int(number) for number, turn in view.turns.items()}
    for position in sorted({*map(int, moves), *begun}):
        move = moves.get(str(position))
        is_dock = move is not None and move.kind in DOCKING and move.applied is not UNSET and move.applied < 0
        shown = _standing(move, position)
        yield replace(shown, dock=is_dock or UNSET, turn=begun.get(position, UNSET))


def _standing(move: LeadMove | None, position: int) -> CoursePoint:
    """Who is ahead after a move, by the measure that the rubric has."""
    if move is None:
        return CoursePoint(position=position)
    if move.probability is not UNSET:
        return CoursePoint(position=position, probability=move.probability)
    return CoursePoint(position=position, lead=move.lead)


def _exposures(fold: Fold) -> Iterator[Exposure]:
    """The losses of earlier turns for what later turns exposed in them."""
    view, lead = fold.view, None
    moves = {} if view.lead is UNSET else view.lead.moves
    gaps = {each.position: each for each in fold.debate.ledger.entries if each.kind == "gap"}
    standing = CoursePoint(position=0)
    for number, move in moves.items():
        position = int(number)
        was, before = standing, lead
        lead = lead if move.lead is UNSET else move.lead
        standing = _standing(move, position)
        if standing.probability is UNSET and lead is not None:
            standing = replace(standing, lead=lead)  # that of an earlier event, where this one did not change it
        gap = gaps.get(position)
        if gap is None or move.by is UNSET or move.by <= move.turn or move.before is UNSET or not gap.applied < 0:
            continue
        fails, exposes = gap.evidence[:2]
        yield Exposure(
            position=position,
            fails=_said(fails, view),
            exposes=_said(exposes, view),
            turns_later=move.by - move.turn,
            was=move.before,
            now=move.composite,
            points=round(move.composite - move.before, 2),
            reason=gap.reason,
            text=lead_moved(before, lead),
            since=was,
            until=standing,
        )


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


def _said(passage: Evidence, view: View) -> Said:
    """A quoted passage with the sentence in which it stands, and the sentence before."""
    turn = view.turns[str(passage.turn)]
    if passage.span is None:
        return Said(turn=passage.turn, side=turn.side, before="", quote=passage.quote, after="")
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
