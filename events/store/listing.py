"""The list of debates: its rows, the cursor of a page, and the search in motions.

A row is folded from a debate's events.  Every store keeps the rows next to its events and can rebuild them at any time.
With each row it keeps ``searched``: one text with the folded motion and a mark for each fact that a list can be limited
to.  So a text search and a limit are the same comparison, and one index serves both.
A cursor holds the opening time and the number of the row that a page ended with, so every page costs the same and a new
debate shifts no page.
"""

import binascii
import unicodedata
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from events.errors import BadCursor
from events.record import Recorded
from events.types import (
    DebateConcluded,
    DebateHalted,
    DebateLabelled,
    DebateOpened,
    DebatePaused,
    DebateResumed,
    DebateState,
    Format,
    MeasuredLead,
    Origin,
    ScorecardVerdictReached,
    TranscriptSupplied,
    TurnSpoken,
    Winner,
)


class Summary(Struct, frozen=True, kw_only=True, gc=False):
    """A row of the list of debates."""

    id: str
    motion: str
    state: DebateState
    format: str
    turns_planned: int
    turns_spoken: int
    opened_at: str
    exhibition: str | None
    pro: str
    con: str
    judge: str
    position: int
    winner: Winner | None = None
    decided_by: str | UnsetType = UNSET
    """The measure that decided a tie of the scores."""
    lead: MeasuredLead | UnsetType = UNSET
    """The lead of the scores, where the rubric says how sure it must be."""
    by_rule: str | UnsetType = UNSET
    """What decided the debate; absent in rows of older versions."""
    title: str = ""
    """Shown in place of the motion."""
    tags: tuple[str, ...] = ()
    hidden: bool = False
    archived: bool = False
    unlisted: bool = False
    blind: bool = False
    """Whether spectators see no names of models before the debate has concluded."""
    source: str | UnsetType = UNSET
    """Where the turns come from, if a transcript was supplied; ``pro`` and ``con`` are the speakers then."""
    origin: Origin | UnsetType = UNSET
    """The debate that this one was made from."""


class Limits(Struct, frozen=True, kw_only=True):
    """What a list is limited to; None does not limit it."""

    state: DebateState | None = None
    format: Format | None = None
    winner: Winner | None = None
    exhibition: bool | None = None
    tag: str | None = None
    hidden: bool | None = None
    archived: bool | None = None
    unlisted: bool | None = None
    origin: str | None = None
    """The id of the debate that the listed ones were made from."""

    def marks(self) -> tuple[str, ...]:
        """The texts that ``searched`` must have for a row."""
        given = [MARKS.get((name, getattr(self, name))) for name in self.__struct_fields__]
        named = [of(each) for of, each in ((_tag, self.tag), (_made_from, self.origin)) if each is not None]
        return (*(mark for mark in given if mark is not None), *named)

    def absent_marks(self) -> tuple[str, ...]:
        """The marks that a row must not have."""
        return tuple(MARKS[name, True] for name in FILED if getattr(self, name) is False)


FILED: Final = ("hidden", "archived", "unlisted")
"""Facts that have a mark only if they are true."""
ALL: Final = Limits()
LISTED: Final = Limits(hidden=False, archived=False, unlisted=False)
"""The limits of a list for readers that ask for nothing else."""
FINDABLE: Final = Limits(hidden=False, unlisted=False)
"""The limits of a search in what was said, and of what is made of all debates of a store."""
MARKS: Final[dict[tuple[str, object], str]] = {
    ("state", "open"): "\ue000",
    ("state", "paused"): "\ue001",
    ("state", "halted"): "\ue002",
    ("state", "concluded"): "\ue003",
    ("format", "exchange"): "\ue008",
    ("format", "protocol"): "\ue009",
    ("format", "deliberation"): "\ue00a",
    ("format", "calibration"): "\ue00b",
    ("format", "lab"): "\ue00c",
    ("format", "batch"): "\ue00d",
    ("winner", "pro"): "\ue010",
    ("winner", "con"): "\ue011",
    ("winner", "neither"): "\ue012",
    ("exhibition", True): "\ue018",
    ("exhibition", False): "\ue019",
    ("hidden", True): "\ue020",
    ("archived", True): "\ue021",
    ("unlisted", True): "\ue022",
}
"""Characters of the private use area.  Stores hold them, so a released mark never changes."""
_TAG: Final = ("\ue030", "\ue031")
"""They stand around a tag."""
_ORIGIN: Final = "\ue032"
"""It stands before the id of the debate from which a debate was made, in hexadecimal digits from U+E040."""
_WITHOUT_MARKS: Final = dict.fromkeys(range(0xE000, 0xE100))


MOVED_BY: Final = frozenset(
    {
        DebateOpened,
        TranscriptSupplied,
        TurnSpoken,
        DebatePaused,
        DebateHalted,
        DebateResumed,
        ScorecardVerdictReached,
        DebateConcluded,
        DebateLabelled,
    }
)
"""Events that change a row."""


def apply(summary: Summary | None, record: Recorded) -> Summary | None:  # noqa: C901 - a case for each event
    """The row after ``record``; None until the debate has opened."""
    event = record.event
    if type(event) not in MOVED_BY:
        return summary
    if isinstance(event, DebateOpened):
        return Summary(
            id=record.debate,
            motion=event.motion,
            state="open",
            format=event.format,
            turns_planned=event.turns,
            turns_spoken=0,
            opened_at=record.at,
            exhibition=event.exhibition,
            pro=event.pro.model or event.pro.speaker or "",
            con=event.con.model or event.con.speaker or "",
            judge=event.judge.model,
            position=record.position,
            blind=event.blind,
            origin=event.origin,
        )
    if summary is None:
        return None
    match event:
        case TurnSpoken():
            return msgspec.structs.replace(
                summary, turns_spoken=max(summary.turns_spoken, event.turn), position=record.position
            )
        case DebatePaused():
            return msgspec.structs.replace(summary, state="paused", position=record.position)
        case DebateHalted():
            return msgspec.structs.replace(summary, state="halted", position=record.position)
        case DebateResumed():
            return msgspec.structs.replace(summary, state="open", position=record.position)
        case ScorecardVerdictReached():
            return msgspec.structs.replace(
                summary, decided_by=event.tie_broken_by, lead=event.lead, position=record.position
            )
        case DebateConcluded():
            return msgspec.structs.replace(
                summary, state="concluded", winner=event.winner, by_rule=event.by_rule, position=record.position
            )
        case DebateLabelled():
            return _labelled(summary, event, record.position)
        case TranscriptSupplied():
            return msgspec.structs.replace(summary, source=event.source, position=record.position)
        case _:
            return summary


def _labelled(summary: Summary, event: DebateLabelled, position: int) -> Summary:
    said = {name: getattr(event, name) for name in ("title", "tags", "hidden", "archived")}
    if event.link is not UNSET:
        said["unlisted"] = bool(event.link)
    given = {name: value for name, value in said.items() if value is not UNSET}
    return msgspec.structs.replace(summary, **given, position=position)


def fold_text(text: str) -> str:
    """The form of a text that searches compare: NFKC, case folded, without the characters of marks."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_WITHOUT_MARKS)


def searched(row: Summary) -> str:
    """The text that a search in the list compares: the folded motion, then the marks of the row."""
    facts = {"exhibition": row.exhibition is not None, "state": row.state, "format": row.format, "winner": row.winner}
    facts |= {name: getattr(row, name) for name in FILED}
    marks = "".join(MARKS.get(fact, "") for fact in facts.items())
    marks += "" if row.origin is UNSET else _made_from(row.origin.debate)
    return f"{fold_text(row.title)} {fold_text(row.motion)}".lstrip() + marks + "".join(map(_tag, row.tags))


def _tag(tag: str) -> str:
    return fold_text(tag).join(_TAG)


def _made_from(debate: str) -> str:
    """The mark of debates made from this one; no search for a text finds its digits."""
    return _ORIGIN + "".join(chr(0xE040 + int(digit, 16)) for digit in debate.encode().hex()) + _ORIGIN


def write_cursor(opened_at: str, number: int) -> str:
    """The opaque cursor for the page after this row."""
    return urlsafe_b64encode(msgspec.json.encode((opened_at, number))).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[str, int]:
    """Opening time and number of the row before the page.  Raises ``BadCursor``."""
    try:
        written = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        opened_at, number = msgspec.json.decode(written, type=tuple[str, int])
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise BadCursor(cursor) from error
    if not 0 <= number < 1 << 63:
        raise BadCursor(cursor)
    return opened_at, number
