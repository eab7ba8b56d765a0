"""``own``: questions of the user, one JSON object a line."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from events.types.study import Answer, StudyItem
from judge.errors import BadItem
from server.study.data.shapes import DataFile, StudyData, whole


class OwnLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line: a question, or a passage on which several questions are."""

    id: str
    question: str = ""
    answers: tuple[str, str] | None = None
    right: Answer | None = None
    """Which answer is right: 0 the first, 1 the second."""
    passage: str = ""
    """The text that the question is about."""
    passage_id: str = ""
    """The id of a line with the text, in place of ``passage``."""
    cluster: str = ""
    """What it has in common with other questions: its passage, if nothing is said."""


def read_own(files: Sequence[DataFile]) -> StudyData:
    """The questions of the files' lines.  Raises ``BadItem`` with the file, the line and the reason."""
    items: list[StudyItem] = []
    passages: dict[str, str] = {}
    for file in files:
        for number, line in enumerate(file.content.splitlines(), 1):
            if not line.strip():
                continue
            try:
                _read(msgspec.json.decode(line, type=OwnLine), items, passages)
            except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
                raise BadItem(f"{file.name}, line {number}: {error}") from error
    names = " and ".join(each.name for each in files)
    return whole(StudyData(protocol="own", items=tuple(items), passages=passages, notes=(f"From {names}.",)))


def _read(line: OwnLine, items: list[StudyItem], passages: dict[str, str]) -> None:
    if line.passage:
        if line.passage_id:
            raise ValueError("it has passage and passage_id: one of them is enough")
        if line.id in passages:
            raise ValueError(f"two passages have the id {line.id!r}")
        passages[line.id] = line.passage
    if not line.question and line.answers is None and line.right is None and line.passage:
        return
    if not line.question or line.answers is None or line.right is None:
        raise ValueError("a question needs the fields question, answers and right")
    key = line.passage_id or (line.id if line.passage else "")
    items.append(
        StudyItem(
            id=line.id,
            cluster=line.cluster or key or line.id,
            question=line.question,
            answers=line.answers,
            right=line.right,
            passage=key,
        )
    )
