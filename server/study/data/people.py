"""``nyu``: debates of people on a story, which people judged (Michael et al. 2023)."""

from collections.abc import Sequence

from judge.errors import BadItem
from server.study.data.shapes import DataFile, StudyData


def read_people(files: Sequence[DataFile]) -> StudyData:
    raise BadItem("in work")
