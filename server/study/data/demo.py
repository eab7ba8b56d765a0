"""``demo``: questions on passages that were written for Moot, so that no model can know the answers beforehand."""

from collections.abc import Sequence
from typing import Final

from judge.study.demo import installed, passages
from server.study.data.shapes import DataFile, StudyData, whole

NOTE: Final = (
    "The passages were written for this study: their places, people and devices are invented, so that no model can "
    "know the answers from its training."
)


def read_demo(files: Sequence[DataFile]) -> StudyData:
    """The questions that come with Moot; no file is read."""
    del files
    items = tuple(each.item() for each in installed())
    return whole(StudyData(protocol="demo", items=items, passages=passages(), notes=(NOTE,)))
