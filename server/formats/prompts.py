"""What a debater is told at a turn, from the debate's own templates and characters."""

from events.projections.debate import Debate
from events.types import DebateOpened, Side
from judge.neutralise import quoted
from personalities.prompt import debater_prompt
from providers.base import Segment


def speech_prompt(debate: Debate, opened: DebateOpened, side: Side) -> tuple[Segment, ...]:
    """The prompt that gives ``side`` the floor: its traits as they stand now, and the directive in force."""
    seat = opened.pro if side == "pro" else opened.con
    directive = debate.temper.in_force.get(side)
    pieces = debater_prompt(
        opened.prompts["debater"], side=side, motion=opened.motion, max_words=opened.max_words,
        archetype=opened.archetypes[seat.archetype], traits=debate.temper.traits[side],
        spoken=debate.transcript.spoken(), quote=quoted,
        directive=debate.temper.directives[directive].text if directive else "",
    )
    return tuple(Segment(role, text) for role, text in pieces)
