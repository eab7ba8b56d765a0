"""A study: items with two answers each go through arms, to learn which of them helps a judge to find the right one.

The plan of a study is part of the plan of its batch.  A debate of it, in format ``answers`` or ``consultancy``, holds a
question with the answers A and B and what the judge says of them.  Which answer is right stands in the plan alone.
"""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import Event, Missing, Span

Arm = Literal["naive", "consultancy", "debate", "critique", "vote"]
"""How a judge comes to an answer.

``naive``: alone · ``consultancy``: with one model that argues for an assigned answer · ``debate``: after a debate ·
``critique``: alone, and again after one critique · ``vote``: alone, again and again.
"""
Letter = Literal["A", "B"]
ARMS: tuple[Arm, ...] = ("naive", "consultancy", "debate", "critique", "vote")
Answer = Literal[0, 1]
"""One of the two answers of an item, as its source lists them."""
PassageReaders = Literal["debaters", "all"]
"""Who reads the passage: the debaters, consultants and critics, or the judge too."""


class ItemSpeech(Struct, frozen=True, kw_only=True):
    """A speech of a debate that was held elsewhere.  ``answer``: the number of the answer that it argues for."""

    round: int
    answer: Answer
    text: str


class StudyItem(Struct, frozen=True, kw_only=True):
    """A question with two answers, one of which is right."""

    id: str
    """Unique in the study."""
    cluster: str
    """Items of one cluster have their passage in common: intervals are clustered by it."""
    question: str
    answers: tuple[str, str]
    """As the source lists them."""
    right: Answer
    """The number of the right answer."""
    passage: str = ""
    """Its key in the study's passages; empty without one."""
    speeches: tuple[ItemSpeech, ...] = ()
    """The speeches of arm ``debate``, where they were given elsewhere: the judge alone is asked."""


class StudyPlan(Struct, frozen=True, kw_only=True):
    """What a batch expands to in place of its axes: each item through each arm.

    The debaters are the models of the batch (both sides the same), and the judges those of the batch.
    """

    data: str
    """Where the items come from: ``demo``, ``khan-2024``, ``nyu``, or the name of a file."""
    items: tuple[StudyItem, ...]
    passages: dict[str, str] = {}
    """The texts of the passages, each once."""
    arms: tuple[Arm, ...]
    sees: PassageReaders = "debaters"
    swaps: bool = True
    """Whether each debate is also held with the letters of the answers exchanged."""
    rounds: int = 3
    words: int = 150
    """The most words of a speech in a debate."""
    consultant_words: int = 200
    """The most words of a speech of a consultant, and of a critique."""
    vote_tokens: int = 0
    """Tokens after which no further sample of arm ``vote`` is asked for."""
    assigned_critiques: bool = False
    """Whether a critique argues for an assigned answer, once for each; without it, the critic chooses."""


class AnswersSetup(Struct, frozen=True, kw_only=True):
    """What is debated in formats ``answers`` and ``consultancy``.  Pro argues for answer A, con for B."""

    question: str
    answers: tuple[str, str]
    """A and B."""
    arm: Arm
    assigned: Letter | UnsetType = UNSET
    """The answer that a consultant, or a critic, has to argue for."""
    critic: str | UnsetType = UNSET
    """The model that gives the critique."""
    sees: PassageReaders = "debaters"
    has_passage: bool = False
    """Whether a passage follows the opening."""
    rounds: int = 0
    vote_tokens: int = 0
    speeches: tuple[ItemSpeech, ...] = ()
    """Speeches that were given elsewhere; ``answer`` 0 is A."""


class PassageSupplied(Event, frozen=True, kw_only=True, tag="passage_supplied"):
    """The passage that the question is about: ``text`` if the judge reads it too, else ``withheld``."""

    private: ClassVar[frozenset[str]] = frozenset({"withheld"})

    text: str = ""
    withheld: str = ""


class CheckedQuote(Struct, frozen=True, kw_only=True):
    """A quote in a text.  ``span``: its words in that text.  ``stands``: whether they stand in the passage."""

    text: str
    span: Span
    stands: bool


class SpeechQuoted(Event, frozen=True, kw_only=True, tag="speech_quoted"):
    """The quotes of a turn were compared with the passage."""

    turn: int
    quotes: tuple[CheckedQuote, ...]


class ConsultantQuestioned(Event, frozen=True, kw_only=True, tag="consultant_questioned"):
    """The judge asked the consultant after a turn; ``text`` is missing if the judge asked nothing that can be read."""

    after_turn: int
    text: str | Missing


class CritiqueGiven(Event, frozen=True, kw_only=True, tag="critique_given"):
    """A critic, who has not read the judge's answer, wrote about both answers."""

    text: str
    quotes: tuple[CheckedQuote, ...] = ()


class AnswerGiven(Event, frozen=True, kw_only=True, tag="answer_given"):
    """The judge, or a critic, said which answer it takes for right, and how sure it is."""

    by: Literal["judge", "critic"]
    sample: int = 1
    stage: Literal["alone", "final"]
    """``alone``: before it has read what others say."""
    p_a: float | Missing
    """The probability that A is right, 0 to 1, by its own statement."""
    choice: Letter | Missing
    reason: str
    quotes: tuple[CheckedQuote, ...] = ()
    """Its own quotes, where it reads the passage."""
    tokens: int = 0
    """Tokens of the calls for this answer, input and output."""
