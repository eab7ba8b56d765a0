"""What a reader of questions gives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from events.types.study import PersonAnswered, StudyItem
from judge.errors import BadItem

T = TypeVar("T")


class DataFile(Struct, frozen=True, kw_only=True):
    """A file that a user named."""

    name: str
    content: bytes


class StudyData(Struct, frozen=True, kw_only=True):
    """Questions, and the texts that they are about."""

    protocol: str
    items: tuple[StudyItem, ...]
    passages: Mapping[str, str]
    """Their texts by key; only those that an item names."""
    notes: tuple[str, ...] = ()
    """Sentences on where the questions come from, how they were selected, and what was left out."""
    people: tuple[PersonAnswered, ...] = ()
    """Answers of people to the same questions."""


def read_lines(files: Sequence[DataFile], read: Callable[[bytes], T]) -> Iterator[T]:
    """What ``read`` makes of each line that is not empty.  Raises ``BadItem`` with file, line and reason."""
    for file in files:
        for number, line in enumerate(file.content.splitlines(), 1):
            if not line.strip():
                continue
            try:
                found = read(line)
            except (msgspec.DecodeError, ValueError) as error:  # bytes that are not UTF-8 are a ValueError
                raise BadItem(f"{file.name}, line {number}: {error}") from error
            yield found


def named(files: Sequence[DataFile]) -> str:
    """Their names."""
    return " and ".join(each.name for each in files)


def whole(data: StudyData) -> StudyData:
    """The same data, checked.

    Raises ``BadItem`` if there is no question, two have one id, the answers of one are the same or empty, or its
    passage is missing.
    """
    if not data.items:
        raise BadItem(f"{data.protocol}: no question is left. {' '.join(data.notes)}".strip())
    seen = set()
    for each in data.items:
        wrong = ""
        if each.id in seen:
            wrong = "two questions have this id"
        elif not each.question.strip():
            wrong = "the question is empty"
        elif not all(answer.strip() for answer in each.answers):
            wrong = "an answer is empty"
        elif each.answers[0].strip() == each.answers[1].strip():
            wrong = "both answers are the same"
        elif each.passage and not data.passages.get(each.passage, "").strip():
            wrong = f"its passage {each.passage!r} is missing or empty"
        if wrong:
            raise BadItem(f"{data.protocol}, question {each.id!r}: {wrong}")
        seen.add(each.id)
    named = {each.passage for each in data.items}
    kept = {key: text for key, text in data.passages.items() if key in named}
    return msgspec.structs.replace(data, passages=kept)
