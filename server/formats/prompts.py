"""What a debater is told at a turn, from the debate's own templates and characters."""

from collections.abc import Sequence

from events.types import DebateOpened, Side, TurnSpoken
from judge.neutralise import quoted
from personalities.prompt import debater_prompt
from providers.base import Segment


def speech_prompt(
    opened: DebateOpened, spoken: Sequence[TurnSpoken], turn: int, side: Side
) -> tuple[Segment, ...]:
    """The prompt that gives ``side`` the floor in ``turn``."""
    del turn
    seat = opened.pro if side == "pro" else opened.con
    archetype = opened.archetypes[seat.archetype]
    pieces = debater_prompt(
        opened.prompts["debater"], side=side, motion=opened.motion, max_words=opened.max_words, archetype=archetype,
        traits=archetype.traits, spoken=spoken, quote=quoted,
    )
    return tuple(Segment(role, text) for role, text in pieces)
