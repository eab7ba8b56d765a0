"""Figures of papers that a study is compared with."""

from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from events.types.study import Arm


class PublishedFigure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The accuracy of an arm in a paper, as a share."""

    source: str
    judges: str
    arm: Arm
    accuracy: float


class PublishedSource(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A paper, and in which setting its figures were found."""

    name: str
    link: str
    setting: str


class PublishedFinding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a paper's abstract says, where no figure of an arm is given."""

    name: str
    link: str
    says: str


class Published(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of it."""

    figures: tuple[PublishedFigure, ...]
    sources: tuple[PublishedSource, ...]
    others: tuple[PublishedFinding, ...]


@cache
def published() -> Published:
    """What comes with Moot."""
    content = resources.files("judge").joinpath("study/published.json").read_bytes()
    return msgspec.json.decode(content, type=Published)
