"""``khan-2024``: hard questions of QuALITY, selected as by Khan et al. 2024."""

from collections.abc import Sequence

from judge.errors import BadItem
from server.study.data.shapes import DataFile, StudyData


def read_quality(files: Sequence[DataFile]) -> StudyData:
    raise BadItem("in work")
