"""The rounds of format ``protocol``, and the judge's assessment of them."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from events.types.base import BothSides, DerivedEvent, Missing, Reason, Side, Span
from events.types.criteria import Fallacy, Standing

Shift = Literal["strengthened", "weakened", "adjusted", "unchanged"]
"""How a side's position shifted in the debate, in its own words."""
CrossResponse = Literal["refute", "challenge", "concede", "partial"]


class Argument(Struct, frozen=True, kw_only=True):
    """An opening argument.  Ids are ``PRO-1``, ``CON-1`` and so on."""

    id: str
    claim: str
    reasoning: str
    evidence: str


class ArgumentsOpened(DerivedEvent, frozen=True, kw_only=True, tag="arguments_opened"):
    """A side opened.  ``faults``: errors of its structure after two attempts; ``free_text``: the whole text."""

    side: Side
    turn: int
    arguments: tuple[Argument, ...]
    faults: tuple[str, ...] = ()
    free_text: str = ""


class ArgumentCrossExamined(DerivedEvent, frozen=True, kw_only=True, tag="argument_cross_examined"):
    """A side answered one of the opponent's arguments."""

    by: Side
    turn: int
    target: str
    response: CrossResponse
    reasoning: str
    follow_up: str


class CrossExaminationFaulted(DerivedEvent, frozen=True, kw_only=True, tag="cross_examination_faulted"):
    """A cross-examination was still wrong after two attempts: it left out an argument, or its target is no argument."""

    by: Side
    turn: int
    faults: tuple[str, ...]
    free_text: str


class QuestionsAnswered(DerivedEvent, frozen=True, kw_only=True, tag="questions_answered"):
    """A side answered the questions put to it in cross-examination.

    ``answers`` and ``words`` are by argument; an answer is whole here, but the judge reads only the rubric's
    ``answer_words`` of it.
    """

    side: Side
    turn: int
    answers: dict[str, str]
    words: dict[str, int]
    faults: tuple[str, ...] = ()
    free_text: str = ""


class ClosingStated(DerivedEvent, frozen=True, kw_only=True, tag="closing_stated"):
    """A side closed.  ``words`` counts the whole statement; the judge reads only the rubric's ``closing_words``."""

    side: Side
    turn: int
    concessions: tuple[str, ...]
    standing_arguments: tuple[str, ...]
    final_position: str
    words: int
    faults: tuple[str, ...] = ()
    free_text: str = ""
    shift: Shift | UnsetType = UNSET
    """Unset where the rubric does not ask for it, or the side did not say it."""
    shift_reason: str | UnsetType = UNSET


class FallacyFound(DerivedEvent, frozen=True, kw_only=True, tag="fallacy_found"):
    """A fallacy in what is said for an argument, or against it; ``quote`` stands in ``turn`` at ``span``."""

    argument: str
    fallacy: Fallacy
    quote: str
    turn: int
    span: Span
    reason: str = ""
    by: Side | UnsetType = UNSET
    """The examiner, if it stands in the cross-examination of the argument; unset for the argument's own side."""


class ArgumentReading(Struct, frozen=True, kw_only=True):
    """What the judge says of an argument in one of two readings."""

    standing: Standing | UnsetType = UNSET
    reason: str = ""
    scores: dict[str, float] = {}


class ArgumentTraced(DerivedEvent, frozen=True, kw_only=True, tag="argument_traced"):
    """The standing of an argument at the end, and its scores (1–10 for each dimension; ``total`` is weighted).

    ``readings``: if the judge read the debate twice, each reading by the side that stood first in it.
    """

    argument: str
    standing: Standing | UnsetType = UNSET
    reason: str = ""
    scores: dict[str, float] = field(default_factory=dict)
    spread: dict[str, float] = field(default_factory=dict)
    total: float | Missing = 0.0
    missing: Reason | UnsetType = UNSET
    """Why there is no standing."""
    readings: dict[Side, ArgumentReading] | UnsetType = UNSET


class AssessmentGiven(DerivedEvent, frozen=True, kw_only=True, tag="assessment_given"):
    """The judge's assessment.  A total is a side's mean score × the rubric's number of arguments.

    ``readings``: if the judge read the debate twice, the totals of each reading by the side that stood first in it.
    """

    pro_total: float | Missing
    con_total: float | Missing
    key_insight: str = ""
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""
    missing: Reason | UnsetType = UNSET
    readings: dict[Side, BothSides] | UnsetType = UNSET


class Briefing(Struct, frozen=True, kw_only=True):
    """A briefing for the person who decides: part of the fold, not an event.  Lists hold argument ids or sentences."""

    gap: float | Missing
    meaning: str
    """The gap in words."""
    rely_on: tuple[str, ...] = ()
    """Upheld."""
    with_care: tuple[str, ...] = ()
    """Partially upheld."""
    do_not_use: tuple[str, ...] = ()
    """Refuted."""
    still_open: tuple[str, ...] = ()
    """Uncertain, or without a standing."""
    unresolved: tuple[str, ...] = ()
    find_out: tuple[str, ...] = ()
    key_insight: str = ""
    recommendation: str = ""
    cautions: tuple[str, ...] = ()
    """Limits of this briefing: a tiny model, faulty structure, a missing assessment, fallacies."""
    limits: dict[str, str] | UnsetType = UNSET
    """By argument that is partially upheld: the judge's reason, which says how far it holds."""
    standings: dict[str, str] | UnsetType = UNSET
    """By argument: the judge's standing and those of the panel, in words."""
