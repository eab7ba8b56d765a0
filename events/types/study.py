"""A study: items with two answers each go through arms, to learn which of them helps a judge to find the right one.

Which answer is right stands in the plan of the batch alone, and not in its debates (``answers``, ``consultancy``).
"""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import Event, Missing, Span

Arm = Literal["naive", "consultancy", "debate", "critique", "vote"]
"""What a judge gets before its answer; nothing in ``naive`` and ``vote``, and in the latter it answers repeatedly."""
Letter = Literal["A", "B"]
ARMS: tuple[Arm, ...] = ("naive", "consultancy", "debate", "critique", "vote")
Answer = Literal[0, 1]
PassageReaders = Literal["debaters", "all"]
"""Who reads the passage: those who argue, or the judge too."""


class ItemSpeech(Struct, frozen=True, kw_only=True):
    """A speech of a debate that was held elsewhere.  ``answer``: the number of the answer that it argues for."""

    round: int
    answer: Answer
    text: str


class StudyItem(Struct, frozen=True, kw_only=True):
    """A question with two answers, one of which is right; ``passage`` is a key in the plan, or empty."""

    id: str
    cluster: str
    question: str
    answers: tuple[str, str]
    right: Answer
    passage: str = ""
    speeches: tuple[ItemSpeech, ...] = ()
    """Where they were given elsewhere: in arm ``debate`` the judge alone is asked."""


class PersonAnswered(Struct, frozen=True, kw_only=True):
    """The last probability of the right answer of a person who judged a debate that other people held."""

    item: str
    cluster: str
    p_right: float


class StudyPlan(Struct, frozen=True, kw_only=True):
    """Each item of some ``data`` through each arm, with the models and judges of the batch; debaters are one model."""

    data: str
    items: tuple[StudyItem, ...]
    passages: dict[str, str] = {}
    arms: tuple[Arm, ...]
    sees: PassageReaders = "debaters"
    swaps: bool = True
    rounds: int = 3
    words: int = 150
    consultant_words: int = 200
    """The most words of a consultant's speech, and of a critique; ``words`` are those of a debater's speech."""
    vote_tokens: int = 0
    assigned_critiques: bool = False
    """Whether critics also argue for an assigned answer, once for each; without it, they choose only."""
    notes: tuple[str, ...] = ()
    people: tuple[PersonAnswered, ...] = ()
    margin: float = 0.05
    """Two arms are equivalent if their accuracies differ by less."""
    audit_of: tuple[int, int] = (0, 0)
    """Items and clusters of the study whose audit this is; 0 for a study."""


class AnswersSetup(Struct, frozen=True, kw_only=True):
    """What is debated.  Pro argues for answer A, which is 0 in ``speeches``, con for B."""

    question: str
    answers: tuple[str, str]
    arm: Arm
    assigned: Letter | UnsetType = UNSET
    critic: str | UnsetType = UNSET
    sees: PassageReaders = "debaters"
    has_passage: bool = False
    rounds: int = 0
    vote_tokens: int = 0
    speeches: tuple[ItemSpeech, ...] = ()


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
    """The judge asked the consultant something after a turn, or nothing that can be read."""

    after_turn: int
    text: str | Missing


class CritiqueGiven(Event, frozen=True, kw_only=True, tag="critique_given"):
    """A critic, who has not read the judge's answer, wrote about both answers."""

    text: str
    quotes: tuple[CheckedQuote, ...] = ()


class AnswerGiven(Event, frozen=True, kw_only=True, tag="answer_given"):
    """The judge, or a critic, said which answer it takes for right, and by ``p_a`` how probable A is."""

    by: Literal["judge", "critic"]
    sample: int = 1
    stage: Literal["alone", "final"]
    p_a: float | Missing
    choice: Letter | Missing
    reason: str
    quotes: tuple[CheckedQuote, ...] = ()
    tokens: int = 0
