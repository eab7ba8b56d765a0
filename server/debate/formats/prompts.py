"""What a debater is told at a turn, from the debate's own templates and characters, within its model's window.

All turns are given as long as they fit.  Where they do not, the newest are given in full and earlier ones by their
first sentence, as many as fit; which are which is an event, so that nothing is cut in silence.
"""

from typing import Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import Debate
from events.types import ContextSummarised, DebateOpened, Side, TurnSpoken
from judge.guard.neutralise import quoted
from judge.live.text import shortened
from personalities.prompt import debater_prompt
from providers.base import Segment

CHARACTERS_A_TOKEN: Final = 3
"""A low guess: rather a turn too few than a prompt that does not fit."""
FRAME_TOKENS: Final = 700
"""Room for the character, the motion, the directive and the question."""
WORD_TOKENS: Final = 1.6
SHARE_OF_WORDS: Final = 4
"""The moderator's words, but the newest, have at most the fourth part of the room: the debate is in the turns."""


class Context(NamedTuple):
    """What a debater is given: turns by number, in full and by their first sentence, and the moderator's words."""

    in_full: tuple[int, ...]
    summarised: tuple[int, ...]
    words: tuple[str, ...]
    """Positions of the moderator's words that it is given."""


def speech_prompt(debate: Debate, opened: DebateOpened, side: Side) -> tuple[Segment, ...]:
    """The prompt that gives ``side`` the floor: its traits as they stand now, and the directive in force."""
    seat = opened.pro if side == "pro" else opened.con
    directive = debate.temper.in_force.get(side)
    context = _context(debate, opened, side)
    spoken = _given(debate, context)
    pieces = debater_prompt(
        opened.prompts["debater"],
        side=side,
        motion=opened.motion,
        max_words=opened.max_words,
        archetype=opened.archetypes[seat.archetype],
        traits=debate.temper.traits[side],
        spoken=spoken,
        quote=quoted,
        history=len(spoken),
        directive=debate.temper.directives[directive].text if directive else "",
        words=tuple((debate.words[at].after_turn, debate.words[at].text) for at in context.words),
    )
    return tuple(Segment(role, text) for role, text in pieces)


def summary_due(debate: Debate, opened: DebateOpened, number: int, side: Side) -> ContextSummarised | None:
    """The event that must come before turn ``number``: its speaker is given other turns than it was last told of."""
    context = _context(debate, opened, side)
    left_out = tuple(int(at) for at in debate.words if at not in context.words)
    if len(context.in_full) == len(debate.transcript.spoken()) and not left_out:
        return None
    due = ContextSummarised(
        turn=number,
        side=side,
        turns_in_full=context.in_full,
        turns_summarised=context.summarised,
        words_left_out=left_out or UNSET,
    )
    last = debate.context.get(side)
    return None if last is not None and replace(last, turn=number) == due else due


def _given(debate: Debate, context: Context) -> tuple[TurnSpoken, ...]:
    return tuple(
        turn if turn.turn in context.in_full else replace(turn, text=shortened(turn.text))
        for turn in debate.transcript.spoken()
        if turn.turn in context.in_full or turn.turn in context.summarised
    )


def _context(debate: Debate, opened: DebateOpened, side: Side) -> Context:
    """What fits, the newest first.  The turn that is answered is always given in full."""
    spoken = debate.transcript.spoken()
    window = (opened.pro if side == "pro" else opened.con).window
    if not window:
        return Context(tuple(turn.turn for turn in spoken), (), tuple(debate.words))
    left = (window - FRAME_TOKENS - round(opened.max_words * WORD_TOKENS)) * CHARACTERS_A_TOKEN
    words = _words(debate, left // SHARE_OF_WORDS)
    left -= sum(len(debate.words[at].text) for at in words)
    in_full: list[int] = []
    summarised: list[int] = []
    for turn in reversed(spoken):
        if not summarised and (not in_full or len(turn.text) <= left - _short(spoken, turn.turn)):
            in_full.insert(0, turn.turn)
            left -= len(turn.text)
        elif len(short := shortened(turn.text)) <= left:
            summarised.insert(0, turn.turn)
            left -= len(short)
        else:
            break
    return Context(tuple(in_full), tuple(summarised), words)


def _words(debate: Debate, room: int) -> tuple[str, ...]:
    """The moderator's words that fit into so many characters, the newest always."""
    given: list[str] = []
    for at, word in reversed(debate.words.items()):
        room -= len(word.text)
        if given and room < 0:
            break
        given.insert(0, at)
    return tuple(given)


def _short(spoken: tuple[TurnSpoken, ...], before: int) -> int:
    """Characters of the first sentences of the turns before one: room is kept for them."""
    return sum(len(shortened(turn.text)) for turn in spoken if turn.turn < before)
