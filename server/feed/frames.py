"""What travels to a page: frames, snapshots, deltas, as JSON text.  Live and replay use these same functions."""

from typing import Any, Final

import msgspec

from events.record import Recorded, public_payload, withheld
from events.types import ALL_PRIVATE, AttemptAbandoned, DebateOpened
from events.view import view as views
from events.view.view import Fold, View

_json: Final = msgspec.json.Encoder()
LIVE: Final = '{"kind":"live"}'


def _text(value: Any) -> str:
    return _json.encode(value).decode()


def frame(record: Recorded, before: View, after: View, *, revealed: bool = False, blind: bool = False) -> str:
    """One event with the patch that it makes.  The event carries no prompts and no raw answers, ever.

    ``revealed``: an event that is the director's as a whole (a directive, a vote) is shown, and models are named;
    ``blind``: otherwise they are not.
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
    private = withheld(record.event, blind=blind and not revealed)
    if private and not (revealed and private == ALL_PRIVATE):
        shown["payload_digest"] = record.payload_digest.hex()
        shown["event"] = public_payload(record.event, blind=blind and not revealed)
    else:
        shown["event"] = msgspec.Raw(record.payload)
    shown["patch"] = views.difference(before, after)
    return _text(shown)


def step(fold: Fold, record: Recorded, *, revealed: bool = False) -> tuple[Fold, str]:
    """Fold one record and give its frame, for spectators or (``revealed``) for the director."""
    after = views.apply(fold, record)
    return after, told(fold, record, after, revealed=revealed)


def told(before: Fold, record: Recorded, after: Fold, *, revealed: bool = False) -> str:
    """The frame of a record between its two folds.  The director's views are made only where they may differ."""
    # The last frame reveals everything to whoever had only the spectators' frames until then.
    ends = before.view.state != after.view.state == "concluded"
    is_directors = revealed and (ends or is_told_apart(before, record))
    known = views.for_director(before) if is_directors and not ends else before.view
    shown = views.for_director(after) if is_directors else after.view
    return frame(record, known, shown, revealed=revealed, blind=after.debate.is_blind)


def is_told_apart(fold: Fold, record: Recorded) -> bool:
    """Whether the director's frame of a record differs from the spectators'; ``fold`` is the one before it."""
    event = record.event
    blind = fold.debate.is_blind or (isinstance(event, DebateOpened) and event.blind)
    if blind and isinstance(event, AttemptAbandoned):  # names nobody, yet views keep the words of all failures back
        return True
    return event.private == ALL_PRIVATE or (blind and bool(event.naming))


def snapshot(view: View, speaking: dict[str, Any] | None) -> str:
    """The whole view at once, with the text so far of a turn in flight."""
    return _text({"kind": "snapshot", "position": view.position, "view": view, "speaking": speaking})


def delta(turn: int, attempt: int, at: int, text: str) -> str:
    """Text that was spoken but is not recorded yet; ``at`` counts code points."""
    return _text({"kind": "delta", "turn": turn, "attempt": attempt, "at": at, "text": text})


def status(**facts: Any) -> str:
    """Presence and the like: what is not an event."""
    return _text({"kind": "status", **facts})


def error(code: str, message: str) -> str:
    """Why the server is about to close the socket."""
    return _text({"kind": "error", "code": code, "message": message})
