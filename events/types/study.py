"""A study: the same questions, with one right answer of two, go through several arms."""

from typing import Literal

from msgspec import Struct

Arm = Literal["naive", "consultancy", "debate", "critique", "vote"]
"""What a judge gets before its answer.  ``naive``: nothing; ``vote``: nothing, and it answers again and again."""
ARMS: tuple[Arm, ...] = ("naive", "consultancy", "debate", "critique", "vote")
Answer = Literal[0, 1]
"""One of the two answers of an item, as its source lists them."""


class ItemSpeech(Struct, frozen=True, kw_only=True):
    """A speech that was held elsewhere: the judge alone is run."""

    round: int
    """From 1."""
    answer: Answer
    """The answer that it argues for."""
    text: str


class StudyItem(Struct, frozen=True, kw_only=True):
    """A question of a study with its two answers."""

    id: str
    """Unique in the study."""
    cluster: str
    """What items have in common, mostly their passage: intervals are clustered by it."""
    question: str
    answers: tuple[str, str]
    """As its source lists them."""
    right: Answer
    """Which of them is right."""
    passage: str = ""
    """The key of a passage in the plan; empty without one."""
    speeches: tuple[ItemSpeech, ...] = ()
    """Speeches of a debate that was held elsewhere, in place of debaters."""
