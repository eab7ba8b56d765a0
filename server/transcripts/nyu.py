"""Debates as ``nyu-debates.jsonl`` has them: a question with two answers, one for each side."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from server.errors import BadTranscript
from server.transcripts.entries import EntryCollector, EntrySide, HeldDebate, ReadTranscript, one_line

_JUDGE: Final = "Judge"
JUDGED: Final = (
    "What the person who judged said between the speeches is context, which your judge reads too; "
    "what they said after the last speech is left out."
)
_DEBATERS: Final[Mapping[str, tuple[str, EntrySide]]] = {"A": ("Debater A", "pro"), "B": ("Debater B", "con")}


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


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
