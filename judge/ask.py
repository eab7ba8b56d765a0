"""The prompt for scoring one turn.

The judge learns no model names and no sides: whoever spoke first is Speaker A.  Each turn is one segment whose text
never depends on the question, so that a log holds it once however often it is read.
"""

from collections.abc import Sequence

from events.rubric import Rubric
from events.types import Template, TurnSpoken
from judge.neutralise import quoted
from judge.questions import applicable
from judge.templates import fill, section
from providers.base import Segment

HISTORY = 1
"""Turns before the scored one that the judge reads in full: what it answers.  A small model quotes from the wrong turn
the more it reads."""


def score_prompt(
    template: Template, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken], *, history: int = HISTORY,
) -> tuple[Segment, ...]:
    """Ask for the score of the last of ``spoken`` (all turns so far, in order)."""
    scored = spoken[-1]
    earlier = spoken[:-1][-history:] if history else ()
    return (
        Segment("system", fill(section(template, "system"), components=_components(rubric, scored.turn))),
        Segment("user", fill(section(template, "motion"), motion=quoted(motion))),
        *(turn_segment(template, spoken, turn) for turn in earlier),
        turn_segment(template, spoken, scored),
        Segment("user", fill(section(template, "ask"), turn=str(scored.turn), speaker=speaker(spoken, scored))),
    )


def turn_segment(template: Template, spoken: Sequence[TurnSpoken], turn: TurnSpoken) -> Segment:
    """One turn as material."""
    text = fill(section(template, "turn"), turn=str(turn.turn), speaker=speaker(spoken, turn), text=quoted(turn.text))
    return Segment("user", text)


def speaker(spoken: Sequence[TurnSpoken], turn: TurnSpoken) -> str:
    """A label that tells neither side nor model."""
    return "Speaker A" if turn.side == spoken[0].side else "Speaker B"


def _components(rubric: Rubric, turn: int) -> str:
    return "\n".join(
        f"- {name} (0 to {component.maximum}): {component.asks}" for name, component in applicable(rubric, turn).items()
    )
