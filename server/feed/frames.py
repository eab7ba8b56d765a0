"""Messages to a page as JSON text: frames, snapshots, deltas.  Live debates and replays use the same functions."""

from typing import Any, Final

import msgspec

from events.record import Recorded, payload_without, withheld
from events.short_names import with_short_names
from events.types import ALL_PRIVATE, AttemptAbandoned, DebateOpened
from events.view import view as views
from events.view.view import Fold, View

SUBPROTOCOL: Final = "moot.v1"
"""The WebSocket subprotocol of these messages."""
_json: Final = msgspec.json.Encoder()
LIVE: Final = '{"kind":"live"}'
HEARTBEAT: Final = '{"kind":"heartbeat"}'


def _text(value: Any) -> str:
    return _json.encode(value).decode()


def _encoded(record: Recorded, before: View, after: View, *, revealed: bool, blind: bool) -> str:
    """One event with the patch that it makes.  The event never has prompts and raw answers.

    ``revealed``: show events that only the director may see (a directive, a belief), and name the models;
    ``blind``: if not revealed, do not name the models.
    """
    shown: dict[str, Any] = {
        "kind": "frame",
        "position": record.position,
        "id": record.id,
        "at": record.at,
        "cause": record.cause,
        "schema": record.schema,
        "digest": record.digest.hex(),
    }
    event = with_short_names(record.event)
    private = withheld(event, blind=blind and not revealed)
    if revealed and private == ALL_PRIVATE and not event.sealed:
        private = frozenset()
    if private or event is not record.event:
        shown["payload_digest"] = record.payload_digest.hex()
        shown["event"] = payload_without(event, private)
    else:
        shown["event"] = msgspec.Raw(record.payload)
    shown["patch"] = views.difference(before, after)
    return _text(shown)


def step(fold: Fold, record: Recorded, *, revealed: bool = False) -> tuple[Fold, str]:
    """Fold one record and give its frame: for spectators, or for the director (``revealed``)."""
    after = views.apply(fold, record)
    return after, frame(fold, record, after, revealed=revealed)


def frame(before: Fold, record: Recorded, after: Fold, *, revealed: bool = False) -> str:
    """The frame of a record, from the folds before and after it."""
    # The last frame reveals everything to readers that had only the spectators' frames until then.
    ends = before.view.state != after.view.state == "concluded"
    is_directors = revealed and (ends or differs_for_director(before, record))
    known = views.for_director(before) if is_directors and not ends else before.view
    shown = views.for_director(after) if is_directors else after.view
    return _encoded(record, known, shown, revealed=revealed, blind=after.debate.is_blind)


def differs_for_director(fold: Fold, record: Recorded) -> bool:
    """Whether the director's frame of a record differs from the spectators' frame; ``fold`` is the one before it."""
    event = record.event
    blind = fold.debate.is_blind or (isinstance(event, DebateOpened) and event.blind)
    if blind and isinstance(event, AttemptAbandoned):  # it names no model, but views hide the words of all failures
        return True
    return (event.private == ALL_PRIVATE and not event.sealed) or (blind and bool(event.naming))


def snapshot(view: View, speaking: dict[str, Any] | None) -> str:
    """The whole view, with the text so far of a turn in flight."""
    return _text({"kind": "snapshot", "position": view.position, "view": view, "speaking": speaking})


def delta(turn: int, attempt: int, at: int, text: str) -> str:
    """Text that was spoken but is not recorded yet; ``at`` counts code points."""
    return _text({"kind": "delta", "turn": turn, "attempt": attempt, "at": at, "text": text})


def status(**facts: Any) -> str:
    """Facts that are no events, for example the number of spectators."""
    return _text({"kind": "status", **facts})


def error(code: str, message: str) -> str:
    """The reason why the server is about to close the socket."""
    return _text({"kind": "error", "code": code, "message": message})
