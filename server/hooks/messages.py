"""Which events of a debate are told, and in which words: what spectators see at that position, and no more."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from events.record import Recorded
from events.types import ClaimFlagged, DebateConcluded, DebateHalted, PollClosed, TurnStarted
from events.view.view import Fold, View
from server.export.preview.card import title_of
from server.hooks.hook import EventType

MAX_QUOTE: Final = 280
"""Characters of a flagged claim."""


def leader_of(view: View) -> str:
    """The side that the scores name, empty for none."""
    lead = view.lead
    is_named = lead is not UNSET and lead.side is not UNSET and bool(lead.points) and lead.is_close is not True
    return str(lead.side) if is_named and lead is not UNSET else ""


def found_in(led: str, record: Recorded, after: Fold) -> Iterator[EventType]:
    """What is told of one record.  ``led``: the side that was named last.

    The lead is looked at when the next turn begins or the debate ends: while a turn is being judged it moves with each
    part of the score.
    """
    event = record.event
    if isinstance(event, TurnStarted | DebateConcluded) and leader_of(after.view) not in {"", led}:
        yield "lead.changed"
    match event:
        case DebateConcluded():
            yield "debate.concluded"
        case DebateHalted():
            yield "debate.halted"
        case ClaimFlagged():
            yield "claim.flagged"
        case PollClosed():
            yield "vote.closed"


def message_id(debate: str, position: int, kind: EventType) -> str:
    """The ``webhook-id``: the same at every attempt.  It has no dots, since dots separate what is signed."""
    return f"{debate}_{position}_{kind}".replace(".", "-")


def body_of(kind: EventType, record: Recorded, fold: Fold, base: str) -> bytes:
    """The body of a message about ``record``; ``fold`` is that at its position."""
    view = fold.view
    said = {"debate": view.id or record.debate, "position": record.position, "title": title_of(view)}
    said |= {"state": view.state, "url": f"{base}/d/{quote(record.debate, safe='')}"}
    data = said | _about(kind, record, view)
    return msgspec.json.encode({"type": kind, "timestamp": record.at, "data": data})


def _about(kind: EventType, record: Recorded, view: View) -> dict[str, Any]:
    lead = {} if view.lead is UNSET else _known(points=view.lead.points, probability_pro=view.lead.probability)
    match kind, record.event:
        case "lead.changed", _:
            return {"side": leader_of(view), **lead}
        case "debate.concluded", DebateConcluded(winner=winner, by_rule=rule):
            words = view.outcome
            outcome = {} if words is UNSET else {"outcome": words.headline, "text": words.text}
            certainty = _known(certainty=view.scorecard.certainty)
            return {"winner": winner, "by_rule": rule, **outcome, **certainty, **lead}
        case "claim.flagged", ClaimFlagged(claim=claim, turn=turn, kind=flag, quote=words):
            shown = words if len(words) <= MAX_QUOTE else f"{words[: MAX_QUOTE - 1]}…"
            return {"claim": claim, "turn": turn, "kind": flag, "quote": shown}
        case "vote.closed", PollClosed(when=when, cast=cast):
            return {"when": when, "cast": cast}
        case _:
            return {"reason": view.reason}


def _known(**figures: Any) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if isinstance(value, int | float)}
