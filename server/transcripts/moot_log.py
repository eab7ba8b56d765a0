"""Moot's own logs: what was said in an exported debate.  The chain is not checked: ``moot verify`` does that."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from server.errors import BadTranscript
from server.transcripts.entries import EntryCollector, ReadTranscript

SIDES: Final = {"pro": "Pro", "con": "Con"}


class LoggedEvent(Struct):
    """What is read of an event; a value of another type than expected is ignored."""

    type: Any = None
    motion: Any = None
    format: Any = None
    pro: Any = None
    con: Any = None
    side: Any = None
    text: Any = None


class LoggedLine(Struct):
    """What is read of a line of a log."""

    debate: str
    position: int
    event: LoggedEvent


_decoder: Final = msgspec.json.Decoder(LoggedLine)


def is_logged(value: Any) -> bool:
    """Whether a value is a line of a log."""
    return isinstance(value, dict) and {"debate", "position", "event", "digest"} <= value.keys()


def read_log(lines: Iterable[bytes]) -> ReadTranscript:
    """The turns and the moderator's messages of an exported debate.  Raises ``BadTranscript``."""
    collector = EntryCollector()
    names = dict(SIDES)
    motion = debate = form = ""
    spoken = 0
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            line = _decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadTranscript(f"line {number} is no event of a Moot log") from error
        event = line.event
        match event.type:
            case "debate_opened":
                debate = line.debate
                motion = event.motion if isinstance(event.motion, str) else ""
                form = event.format if isinstance(event.format, str) else ""
                names = _names(event)
            case "turn_spoken" if isinstance(event.text, str) and event.side in ("pro", "con"):
                collector.add(names[event.side], event.text, side=event.side)
                spoken += 1
            case "moderator_spoke" if isinstance(event.text, str):
                collector.add("Moderator", event.text, side="context")
            case _:
                pass
    if not spoken:
        why = f": its format is {form}" if form and form != "exchange" else ""
        raise BadTranscript(f"no turn was spoken in this Moot debate{why[:60]}")
    return collector.transcript("moot", motion=motion, source=f"Moot debate {debate}")


def _names(opened: LoggedEvent) -> dict[str, str]:
    """The names of both sides: the person, or the model, told apart by side if both are the same."""
    found = {side: _name(getattr(opened, side)) or title for side, title in SIDES.items()}
    if found["pro"] == found["con"]:
        return {side: f"{name} ({SIDES[side]})" for side, name in found.items()}
    return found


def _name(seat: Any) -> str:
    if not isinstance(seat, Mapping):
        return ""
    return next((seat[key] for key in ("speaker", "model") if isinstance(seat.get(key), str) and seat[key]), "")
