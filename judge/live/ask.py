"""How a question to the judge is put together.

The judge learns no model names and no sides: whoever spoke first is Speaker A.  Every prompt begins the same way (who
the judge is, the motion, the turns), and the question stands last: a model that keeps what it has read reads a turn
once, however many questions follow.  Each turn is one segment whose text never depends on the question, so that a log
holds it once as well.
"""

from collections.abc import Mapping, Sequence

from events.types import Template, TurnSpoken
from judge.guard.neutralise import quoted
from judge.templates import fill, section
from providers.base import Segment

HISTORY = 1
"""Turns before the judged one that the judge reads in full: what it answers.  A small model quotes from the wrong turn
the more it reads."""

Prompts = Mapping[str, Template]
Prompt = tuple[Segment, ...]


def opening(prompts: Prompts, motion: str) -> Prompt:
    """Who the judge is, and the motion."""
    frame = prompts["judge"]
    return (
        Segment("system", section(frame, "system")),
        Segment("user", fill(section(frame, "motion"), motion=quoted(motion))),
    )


def turn_prompt(
    prompts: Prompts, motion: str, spoken: Sequence[TurnSpoken], ask: str, *, history: int = HISTORY
) -> Prompt:
    """Ask something about the last of ``spoken`` (all turns so far, in order)."""
    shown = spoken[-history - 1 :]
    return (
        *opening(prompts, motion),
        *(turn_segment(prompts, spoken, turn) for turn in shown),
        Segment("user", ask),
    )


def turn_segment(prompts: Prompts, spoken: Sequence[TurnSpoken], turn: TurnSpoken) -> Segment:
    """One turn as material."""
    frame = section(prompts["judge"], "turn")
    return Segment("user", fill(frame, turn=str(turn.turn), speaker=speaker(spoken, turn), text=quoted(turn.text)))


def speaker(spoken: Sequence[TurnSpoken], turn: TurnSpoken) -> str:
    """A label that tells neither side nor model."""
    return "Speaker A" if turn.side == spoken[0].side else "Speaker B"
