"""JSON with entries, and debates as ``nyu-debates.jsonl`` has them: a question with two answers, one for each side.

The shape of ours: ``{"motion", "source", "licence", "turns": [{"speaker", "text", "side", "at_ms"}]}``; also the list
of turns alone, or one turn a line.  Only ``text``, and ``speaker`` or ``side``, are needed.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from server.debate.formats.exchange.supplied import LATEST_MS
from server.errors import BadTranscript
from server.transcripts.entries import EntryCollector, EntrySide, HeldDebate, ReadTranscript, one_line
from server.transcripts.hints import side_in
from server.transcripts.tables import COLUMNS

_JUDGE: Final = "Judge"
JUDGED: Final = (
    "What the person who judged said between the speeches is context, which your judge reads too; "
    "what they said after the last speech is left out."
)
_OF_SIDE: Final[Mapping[str, str]] = {"pro": "Pro", "con": "Con", "context": "Moderator", "out": ""}
_DEBATERS: Final[Mapping[str, tuple[str, EntrySide]]] = {"A": ("Debater A", "pro"), "B": ("Debater B", "con")}


def is_turn(value: Any) -> bool:
    """Whether a value is an entry: it has a text, and a speaker or a side."""
    if not isinstance(value, dict) or not isinstance(_first(value, "text"), str):
        return False
    return _first(value, "speaker") is not None or _first(value, "side") is not None


def read_turns(turns: Iterable[Any], facts: Mapping[str, Any]) -> ReadTranscript:
    """The entries of a list of turns; ``facts`` has motion, source and licence.  Raises ``BadTranscript``."""
    collector = EntryCollector()
    for number, turn in enumerate(turns, 1):
        if not is_turn(turn):
            raise BadTranscript(f"turn {number} of the JSON needs a text, and a speaker or a side")
        side = _side(_first(turn, "side"))
        named = _first(turn, "speaker")
        name = str(named) if isinstance(named, str | int) and not isinstance(named, bool) else ""
        collector.add(name or _OF_SIDE.get(side or "", ""), str(_first(turn, "text")), side=side, at_ms=_at(turn))
    return collector.transcript(
        "json",
        motion=_text(facts.get("motion")),
        source=_text(facts.get("source")),
        licence=_text(facts.get("licence") or facts.get("license")),
    )


def is_nyu(value: Any) -> bool:
    """Whether a value is a debate as ``nyu-debates.jsonl`` has them."""
    return isinstance(value, dict) and {"question", "answers", "rounds"} <= value.keys()


def titled_nyu(number: int, debate: Mapping[str, Any]) -> HeldDebate:
    """Id and question of a debate; its number stands for an id that it lacks."""
    named = debate.get("id")
    return HeldDebate(
        id=one_line(named, 200) if isinstance(named, str) and named.strip() else str(number),
        title=one_line(_text(debate.get("question")), 300),
    )


def read_nyu(debate: Mapping[str, Any]) -> ReadTranscript:
    """The entries of one debate: A defends the first answer and is Pro.

    What the judge says between the speeches is context.  What it says after the last one is its verdict, which would
    tell another judge whom it believed: it is left out.  Raises ``BadTranscript``.
    """
    question, answers, rounds = debate["question"], debate["answers"], debate["rounds"]
    is_whole = isinstance(question, str) and isinstance(answers, list) and isinstance(rounds, list)
    if not is_whole or len(answers) != len(_DEBATERS) or not all(isinstance(each, str) for each in answers):
        raise BadTranscript("a debate of this shape needs a question, two answers and rounds")
    collector = EntryCollector()
    speeches = [at for at, each in enumerate(rounds) if isinstance(each, dict) and each.get("by") in tuple(_DEBATERS)]
    for at, each in enumerate(rounds):
        if not isinstance(each, dict) or not isinstance(each.get("text"), str):
            continue
        by = each.get("by")
        judge: tuple[str, EntrySide] = (_JUDGE, "context" if speeches and at < speeches[-1] else "out")
        name, side = _DEBATERS.get(by, judge) if isinstance(by, str) else judge
        collector.add(name, each["text"], side=side)
    story = _text(debate.get("story")).strip(' "')
    motion = f"{question.strip()} Pro says: {answers[0].strip()} · Con says: {answers[1].strip()}"
    source = f"NYU debates, about the story “{story}”" if story else "NYU debates"
    found = collector.transcript("nyu", motion=motion, source=source)
    is_judged = any(each.speaker == _JUDGE for each in found.entries)
    return replace(found, warnings=(*found.warnings, JUDGED)) if is_judged else found


def _first(value: Mapping[str, Any], column: str) -> Any:
    """The value under the first key that has the meaning of a column."""
    keys = (column, *sorted(COLUMNS[column] - {column}))
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _side(value: Any) -> EntrySide | None:
    return side_in(value) if isinstance(value, str) else None


def _at(turn: Mapping[str, Any]) -> int | None:
    at = turn.get("at_ms")
    return int(at) if isinstance(at, int | float) and not isinstance(at, bool) and 0 <= at < LATEST_MS else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
