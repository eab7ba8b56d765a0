"""The question to a rater about a case with a known outcome: the panel's own question, about the opening arguments.

A rater's track record therefore measures the same task as in a debate.  The rater sees the arguments, but not the
outcome, its source or the answers of other raters.
"""

from typing import Any

from msgspec import UNSET

from events.types import Case, DebateOpened, Rater, Reason
from events.types.criteria import Criteria
from judge.guard.neutralise import quoted
from judge.live.answers import Answers
from judge.live.prompt import Prompt, opening
from judge.panel.questions import RaterAnswer, asks_finding, panel_type, rating_segment
from judge.panel.reading import read_rater
from judge.panel.truth import Scores
from judge.protocol.prompt import argument_text
from judge.templates import fill, section
from providers.base import Segment


def names_of(case: Case) -> tuple[str, ...]:
    """Return the ids of all arguments, pro's first."""
    return tuple(each.id for each in (*case.pro, *case.con))


def case_type(opened: DebateOpened, case: Case, criteria: Criteria) -> Any:
    """Return the type of a rater's answer."""
    return panel_type(names_of(case), criteria, finding=asks_finding(opened))


def case_prompt(opened: DebateOpened, seat: Rater, case: Case) -> Prompt:
    """Ask a rater for its scores of every argument of a case."""
    frame = section(opened.prompts["protocol"], "argument")
    shown = (
        Segment("user", fill(frame, id=each.id, text=quoted(argument_text(each)))) for each in (*case.pro, *case.con)
    )
    return (*opening(opened.prompts, case.motion), *shown, rating_segment(opened, seat, names_of(case)))


def read_case(seat: Rater, answers: Answers[RaterAnswer], case: Case, criteria: Criteria) -> Scores | Reason:
    """Return the scores by argument and dimension, or why there are none."""
    given = read_rater(seat, answers, names_of(case), criteria)
    return given.scores if given.missing is UNSET else given.missing
