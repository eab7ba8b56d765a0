"""What a rater is asked about a case whose outcome is known, and how its answer is read."""

from collections.abc import Mapping
from statistics import median
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from events.criteria import Criteria
from events.types import Case, Rater, Reason, Template
from judge.desk import Answers
from judge.neutralise import quoted
from judge.panel.truth import Scores
from judge.samples import why_missing
from providers.base import Segment
from providers.schema import guided


def case_type(case: Case, criteria: Criteria) -> Any:
    """What a rater answers."""
    points = Annotated[int, Meta(ge=criteria.low, le=criteria.high)]
    card = msgspec.defstruct("Card", [(name, points) for name in criteria.dimensions])
    ids = [each.id for each in (*case.pro, *case.con)]
    scores = msgspec.defstruct(
        "Scores", [(f"a{n}", card) for n in range(len(ids))], rename={f"a{n}": each for n, each in enumerate(ids)}
    )
    return guided(dict[str, Any], msgspec.defstruct("Given", [("scores", scores)]), {})


def case_prompt(prompts: Mapping[str, Template], criteria: Criteria, seat: Rater, case: Case) -> tuple[Segment, ...]:
    """The motion, both sides' arguments, the question."""
    del prompts
    shown = "\n".join(
        f"{each.id}:\n{quoted(each.claim)}\n{quoted(each.reasoning)}\n{quoted(each.evidence)}"
        for each in (*case.pro, *case.con)
    )
    asks = "\n".join(f"- {name}: {each.asks}" for name, each in criteria.dimensions.items())
    return (
        Segment("system", f"You are a {seat.title}. You look at {seat.focus}. Answer with JSON only."),
        Segment("user", f"The motion:\n{quoted(case.motion)}\n\n{shown}"),
        Segment("user", f"Score each argument from {criteria.low} to {criteria.high} on:\n{asks}"),
    )


def read_case(answers: Answers[Any], case: Case, criteria: Criteria) -> Scores | Reason:
    """The median of each score over the samples."""
    if not answers.given:
        return why_missing(answers)
    found: dict[str, dict[str, float]] = {}
    for each in (*case.pro, *case.con):
        for name in criteria.dimensions:
            said = [
                value
                for answer in answers.values
                if isinstance(value := ((answer.get("scores") or {}).get(each.id) or {}).get(name), int | float)
                and criteria.low <= value <= criteria.high
            ]
            if said:
                found.setdefault(each.id, {})[name] = float(median(said))
    return found or Reason("no score could be read")
