"""What a rater is asked about a case whose outcome is known, and how its answer is read.

The rater sees the arguments and never the outcome, its source, or what another rater says.
"""

from functools import lru_cache
from statistics import median
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from events.criteria import Criteria
from events.types import SIDES, Case, DebateOpened, Rater, Reason
from judge.ask import Prompt
from judge.desk import Answers
from judge.neutralise import quoted
from judge.panel.truth import Scores
from judge.protocol.frame import SPEAKER
from judge.protocol.openings import in_words, keyed
from judge.protocol.reading import listed
from judge.protocol.verdict import read_assessment
from judge.samples import why_missing
from judge.templates import fill, section
from providers.base import Segment
from providers.schema import guided


def case_type(case: Case, criteria: Criteria) -> Any:
    """``{"scores": {"PRO-1": {"logic": 7, …}, …}}``, held to strictly and read leniently."""
    return _case_type(names_of(case), tuple(criteria.dimensions), criteria.low, criteria.high)


@lru_cache(maxsize=64)
def _case_type(names: tuple[str, ...], dimensions: tuple[str, ...], low: int, high: int) -> Any:
    points = Annotated[int, Meta(ge=low, le=high)]
    card = msgspec.defstruct(
        "ArgumentScores", [(name, points) for name in dimensions], frozen=True, kw_only=True, module=__name__
    )
    writes = msgspec.defstruct(
        "CaseScores", [("scores", keyed("ScoredArguments", names, card))], frozen=True, kw_only=True, module=__name__
    )
    return guided(Any, writes, {"scores": {}})


def names_of(case: Case) -> tuple[str, ...]:
    """The ids of all arguments, pro's first."""
    return tuple(each.id for each in (*case.pro, *case.con))


def case_prompt(opened: DebateOpened, seat: Rater, case: Case) -> Prompt:
    """Ask a rater for its scores of every argument of a case."""
    template, criteria = opened.prompts["case"], criteria_of(opened)
    system = fill(section(template, "system"), title=seat.title.lower(), focus=seat.focus)
    shown = [
        fill(section(template, "argument"), id=each.id, speaker=SPEAKER[side], text=quoted(in_words(each)))
        for side in SIDES
        for each in (case.pro if side == "pro" else case.con)
    ]
    ask = fill(
        section(template, "ask"), ids=listed(names_of(case)), low=str(criteria.low), high=str(criteria.high),
        criteria="\n".join(f"- {name}: {each.asks}" for name, each in criteria.dimensions.items()),
    )
    return (
        Segment("system", system),
        Segment("user", fill(section(template, "motion"), motion=quoted(case.motion))),
        *(Segment("user", text) for text in shown),
        Segment("user", ask),
    )


def criteria_of(opened: DebateOpened) -> Criteria:
    """The dimensions on which arguments are scored."""
    assert opened.rubric.criteria is not None, "an opening fills in what a rubric leaves out"
    return opened.rubric.criteria


def read_case(answers: Answers[Any], case: Case, criteria: Criteria) -> Scores | Reason:
    """The median of each score over the samples that give it; what is off the scale or left out is not there."""
    if not answers.given:
        return why_missing(answers)
    read = [read_assessment(value, names_of(case), criteria).arguments for value in answers.values]
    found: dict[str, dict[str, float]] = {}
    for name in names_of(case):
        for dimension in criteria.dimensions:
            if given := [each[name].scores[dimension] for each in read if dimension in each[name].scores]:
                found.setdefault(name, {})[dimension] = float(median(given))
    return found or Reason("the answer holds no score that can be read")
