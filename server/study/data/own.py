"""``own``: questions of the user, one JSON object a line."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from events.types.study import Answer, ItemSpeech, StudyItem
from server.study.data.shapes import DataFile, StudyData, named, read_lines, whole

NEEDS: Final = "a question needs the fields question, answers and right"


class OwnLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line: a question, or a passage on which several questions are."""

    id: str
    question: str = ""
    answers: tuple[str, str] | UnsetType = UNSET
    right: Answer | UnsetType = UNSET
    """Which answer is right: 0 the first, 1 the second."""
    passage: str = ""
    """The text that the question is about."""
    passage_id: str = ""
    """The id of a line with the text, in place of ``passage``."""
    cluster: str = ""
    """What it has in common with other questions: its passage, if nothing is said."""
    speeches: tuple[ItemSpeech, ...] = ()
    """The speeches of a debate that was held elsewhere."""


def read_own(files: Sequence[DataFile]) -> StudyData:
    """The questions of the files' lines.  Raises ``BadItem`` with the file, the line and the reason."""
    passages: dict[str, str] = {}

    def read(line: bytes) -> StudyItem | None:
        found = msgspec.json.decode(line, type=OwnLine)
        if found.passage:
            if found.passage_id or found.id in passages:
                raise ValueError(f"{found.id!r}: its passage is given twice")
            passages[found.id] = found.passage
        return _item(found)

    items = tuple(item for item in read_lines(files, read) if item is not None)
    return whole(StudyData(protocol="own", items=items, passages=passages, notes=(f"From {named(files)}.",)))


def _item(line: OwnLine) -> StudyItem | None:
    """The question of a line; None for one with a passage only."""
    if line.passage and not line.question and line.answers is UNSET and line.right is UNSET:
        return None
    if not line.question or isinstance(line.answers, UnsetType) or isinstance(line.right, UnsetType):
        raise ValueError(NEEDS)
    key = line.passage_id or (line.id if line.passage else "")
    return StudyItem(
        id=line.id,
        cluster=line.cluster or key or line.id,
        question=line.question,
        answers=line.answers,
        right=line.right,
        passage=key,
        speeches=line.speeches,
    )
