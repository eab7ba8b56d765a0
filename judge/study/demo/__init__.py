"""Questions of our own for a study: passages as Markdown in ``passages``, and their questions in ``items.json``."""

from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from events.types.study import Answer, StudyItem


class DemoItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question with what the passage shows for each answer.  No model is given ``shows`` and ``tempts``."""

    id: str
    passage: str
    """The name of its file."""
    question: str
    answers: tuple[str, str]
    right: Answer
    shows: tuple[str, ...]
    """Quotes of the passage that together decide for the right answer."""
    tempts: tuple[str, ...]
    """Quotes that seem to support the wrong one."""

    def item(self) -> StudyItem:
        """The question as a study asks it."""
        return StudyItem(
            id=self.id,
            cluster=self.passage,
            question=self.question,
            answers=self.answers,
            right=self.right,
            passage=self.passage,
        )


@cache
def installed() -> tuple[DemoItem, ...]:
    """The questions, in the order of their file."""
    content = resources.files("judge").joinpath("study/demo/items.json").read_bytes()
    return msgspec.json.decode(content, type=tuple[DemoItem, ...])


@cache
def passages() -> Mapping[str, str]:
    """The passages by name, in the order of the names."""
    folder = resources.files("judge").joinpath("study/demo/passages")
    names = sorted(each.name for each in folder.iterdir() if each.name.endswith(".md"))
    return {name.removesuffix(".md"): folder.joinpath(name).read_text("utf-8").strip() for name in names}
