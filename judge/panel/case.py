"""The question to a rater about a case with a known outcome: the scores of its opening arguments.

Nobody has answered these arguments.  So the rater is asked for no standings and not how they meet what is put to them;
the rest is as in a debate.  It sees the arguments, but not the outcome, its source or the answers of other raters.
"""

import math
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from events.types import Case, DebateOpened, Rater, Reason
from events.types.criteria import Criteria
from judge.guard.neutralise import quoted
from judge.live.answers import Answers
from judge.live.prompt import Prompt
from judge.panel.questions import (
    CASE,
    RaterAnswer,
    asks_finding,
    case_segment,
    panel_type,
    rater_opening,
    rating_segment,
)
from judge.panel.reading import read_rater
from judge.panel.truth import Scores
from judge.protocol.assess import RESPONSIVENESS
from judge.protocol.prompt import argument_text
from judge.templates import fill, has_section, section
from providers.base import Segment


def names_of(case: Case) -> tuple[str, ...]:
    """Return the ids of all arguments, pro's first."""
    return tuple(each.id for each in (*case.pro, *case.con))


def asks_scores(opened: DebateOpened) -> bool:
    """Whether raters are asked for scores alone; otherwise, as in records of before, the question is a debate's."""
    return asks_finding(opened) and has_section(opened.prompts["panel"], CASE)


def case_criteria(opened: DebateOpened) -> Criteria:
    """Return the criteria of a case: those of a debate, without the one that a reply alone can meet."""
    criteria = opened.rubric.criteria
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    rest = {name: each for name, each in criteria.dimensions.items() if name != RESPONSIVENESS}
    return replace(criteria, dimensions=rest) if rest and asks_scores(opened) else criteria


def case_seat(opened: DebateOpened, seat: Rater) -> Rater:
    """Return the seat with its weights of the case's criteria, which sum to 1 again."""
    asked = case_criteria(opened).dimensions
    weights = {name: weight for name, weight in seat.weights.items() if name in asked}
    total = math.fsum(weights.values())
    if not total or len(weights) == len(seat.weights):
        return seat
    return replace(seat, weights={name: weight / total for name, weight in weights.items()})


def case_type(opened: DebateOpened, case: Case) -> Any:
    """Return the type of a rater's answer."""
    criteria, is_debates = case_criteria(opened), not asks_scores(opened)
    return panel_type(names_of(case), criteria, finding=is_debates and asks_finding(opened), standing=is_debates)


def case_prompt(opened: DebateOpened, seat: Rater, case: Case) -> Prompt:
    """Ask a rater for its scores of every argument of a case."""
    frame = section(opened.prompts["protocol"], "argument")
    shown = (
        Segment("user", fill(frame, id=each.id, text=quoted(argument_text(each)))) for each in (*case.pro, *case.con)
    )
    names, role = names_of(case), rater_opening(opened, case.motion)
    if asks_scores(opened):
        return (*role, *shown, case_segment(opened, seat, names, case_criteria(opened)))
    return (*role, *shown, rating_segment(opened, seat, names))


def read_case(seat: Rater, answers: Answers[RaterAnswer], case: Case, criteria: Criteria) -> Scores | Reason:
    """Return the scores by argument and dimension, or why there are none."""
    given = read_rater(seat, answers, names_of(case), criteria)
    return given.scores if given.missing is UNSET else given.missing
