"""Transcripts of debates that were held elsewhere: as requests, and as the log holds them."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from events.state.transcript import SuppliedTurn, merged
from events.types import NOBODY, SIDES, JudgeSeat, Side, SuppliedEntry, TranscriptSupplied
from events.types.rubric import Rubric
from judge.live.shortening import DENSE, room_for_turns
from judge.text.words import tokens
from server.debate.formats.exchange.supplied import TranscriptRequest, TurnRequest
from server.debate.speech import clean
from server.errors import BadField

MAX_TURNS: Final = 200
MAX_TEXT: Final = 60_000
"""Characters of one turn: some 10,000 words."""
MAX_TOTAL: Final = 4_000_000
"""Characters of a transcript: the event that holds it is one line of an export."""
MAX_SOURCE: Final = 500
MAX_LICENCE: Final = 200
MAX_SPEAKER: Final = 80
MAX_CONTEXT: Final = 100
"""Entries of context: each of them is in the judge's prompts that follow."""
MAX_CONTEXT_TEXT: Final = 4000
SHORT_TOKENS: Final = 3500
"""Of a judge that reads two turns: tokens for the question and the answer."""
EMBEDDED_WINDOW: Final = 8192
"""The embedded model reads this much, and less of it well."""
SAMPLED: Final = 20
SAMPLE_LENGTH: Final = 400
CANONICAL: Final = msgspec.json.Encoder(order="deterministic")


def digest_of(entries: Sequence[SuppliedEntry]) -> str:
    """SHA-256 of the entries as compact JSON with sorted keys, in hex."""
    return hashlib.sha256(CANONICAL.encode(list(entries))).hexdigest()


def supplied_of(request: TranscriptRequest) -> TranscriptSupplied:
    """The event for a transcript.  Raises ``BadField`` for the first fault, such as ``transcript.turns.3.text``."""
    source, licence = _words(request.source), _words(request.licence)
    if not 1 <= len(source) <= MAX_SOURCE:
        raise BadField("transcript.source", f"say in 1 to {MAX_SOURCE} characters where the transcript comes from")
    if len(licence) > MAX_LICENCE:
        raise BadField("transcript.licence", f"a licence has at most {MAX_LICENCE} characters")
    entries = tuple(_entry(number, each) for number, each in enumerate(request.turns))
    turns, _ = merged(entries)
    for side in SIDES:
        if not any(turn.side == side for turn in turns):
            raise BadField("transcript.turns", f"{side} says nothing in it: a debate has two sides")
    if len(turns) > MAX_TURNS:
        raise BadField("transcript.turns", f"a debate has at most {MAX_TURNS} turns, this one has {len(turns)}")
    for number, turn in enumerate(turns, 1):
        if len(turn.text) > MAX_TEXT:
            raise BadField(
                "transcript.turns",
                f"turn {number} has {len(turn.text):,} characters, and a turn has at most {MAX_TEXT:,}",
            )
    if (length := sum(len(entry.text) for entry in entries)) > MAX_TOTAL:
        raise BadField(
            "transcript.turns", f"a transcript has at most {MAX_TOTAL:,} characters, this one has {length:,}"
        )
    if (number := sum(entry.side == "context" for entry in entries)) > MAX_CONTEXT:
        why = f"a transcript has at most {MAX_CONTEXT} entries of context, this one has {number}: leave some out"
        raise BadField("transcript.turns", why)
    return TranscriptSupplied(
        source=source, digest=digest_of(entries), licence=licence, kind=request.kind, turns=entries
    )


def fields_of(supplied: TranscriptSupplied, judge: JudgeSeat, rubric: Rubric, motion: str) -> dict[str, Any]:
    """The fields of an opening whose turns are those of the transcript.  Raises ``BadField`` as ``check_room``."""
    check_room(supplied, judge, rubric, motion)
    return {
        "turns": len(turns_of_transcript(supplied)),
        "max_words": 0,
        "pro": replace(NOBODY, speaker=speaker_of(supplied, "pro")),
        "con": replace(NOBODY, speaker=speaker_of(supplied, "con")),
    }


def turns_of_transcript(supplied: TranscriptSupplied) -> tuple[SuppliedTurn, ...]:
    """The turns that the entries make."""
    return merged(supplied.turns)[0]


def speaker_of(supplied: TranscriptSupplied, side: Side) -> str:
    """The names of everyone who speaks for a side, as one name; the side's own name if none is given."""
    names = dict.fromkeys(entry.speaker for entry in supplied.turns if entry.side == side and entry.speaker)
    text = ", ".join(names) or side.capitalize()
    return text if len(text) <= MAX_SPEAKER else text[: MAX_SPEAKER - 1] + "…"


def check_room(supplied: TranscriptSupplied, judge: JudgeSeat, rubric: Rubric, motion: str) -> None:
    """Raise ``BadField`` if the judge cannot read two turns in a row, and the first one, at the same time."""
    window = judge.window or 0
    if not window:
        return
    reads_whole = judge.reads == "whole"
    if judge.model.startswith("embedded:"):
        window = max(window, EMBEDDED_WINDOW)
    room = room_for_turns(rubric, motion, window) if reads_whole else (window - SHORT_TOKENS) / DENSE
    sizes = [tokens(turn.text) for turn in turns_of_transcript(supplied)]
    for number, pair in enumerate(pairwise(sizes), 2):
        first = sizes[0] if reads_whole and number > 2 else 0.0  # noqa: PLR2004 - turn 1 is in the first pair
        if (size := sum(pair) + first) > room:
            others = "turn 1 with them" if first else "nothing else"
            why = f"turns {number - 1} and {number} have about {size:,.0f} tokens with {others}"
            most = f"{judge.model} reads {max(room, 0):,.0f} of them at once"
            raise BadField("transcript.turns", f"{why}, and {most}: name a judge with a larger window")


def beginnings(supplied: TranscriptSupplied | None) -> tuple[str, ...]:
    """The beginning of each of the first entries: enough to tell the language."""
    entries = () if supplied is None else supplied.turns[:SAMPLED]
    return tuple(entry.text[:SAMPLE_LENGTH] for entry in entries)


def _entry(number: int, request: TurnRequest) -> SuppliedEntry:
    text, speaker = clean(request.text).strip(), _words(request.speaker)
    most = MAX_CONTEXT_TEXT if request.side == "context" else MAX_TEXT
    if not 1 <= len(text) <= most:
        raise BadField(
            f"transcript.turns.{number}.text", f"it has 1 to {most:,} characters, this one has {len(text):,}"
        )
    if len(speaker) > MAX_SPEAKER:
        raise BadField(f"transcript.turns.{number}.speaker", f"a name has at most {MAX_SPEAKER} characters")
    at_ms = UNSET if request.at_ms is None else request.at_ms
    return SuppliedEntry(side=request.side, speaker=speaker, text=text, at_ms=at_ms)


def _words(text: str) -> str:
    """The text on one line, without control characters."""
    return " ".join(clean(text).split())
