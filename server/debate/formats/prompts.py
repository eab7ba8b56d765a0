"""The prompt of a debater at a turn, made to fit the window of its model.

The prompt holds all turns if they fit.  If they do not, it holds the newest turns in full and the first sentences of
earlier ones, as many as fit.  The event ``context_summarised`` records which, so that nothing is left out silently.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.derived import derived
from events.state.seats import debater_of
from events.text.languages import language_name, tokens_a_word
from events.types import ContextSummarised, DebateOpened, Debater, Side, TurnSpoken
from judge.guard.neutralise import quoted
from judge.text.words import shortened, tokens
from personalities.motions import motion_kind
from personalities.pressure import directive_in_force
from personalities.prompt import BY_PHASE, Place, begun_prompt, debater_prompt
from providers.base import Segment
from server.debate.formats.parts import PARTS
from server.debate.opening.models import TINY, is_small

DENSE: Final = 4 / 3
"""A text is taken to have more tokens by this factor: a turn too few is better than a prompt that does not fit."""
FRAME_TOKENS: Final = 700
"""Tokens kept for the character, the motion, the directive and the question."""
SHARE_OF_WORDS: Final = 4
"""The moderator's words, except the newest, have at most a quarter of the room: the turns matter more."""


class Context(NamedTuple):
    """What a prompt holds: turns in full, turns as their first sentence (by number), and the moderator's words."""

    in_full: tuple[int, ...]
    summarised: tuple[int, ...]
    words: tuple[str, ...]
    """Positions of the moderator's words."""


def is_begun(model: str, opened: DebateOpened) -> bool:
    """Whether a debater gets the first words of its speeches: a very small model in an English debate."""
    return model == TINY and "begun" in opened.prompts and (opened.language or "en").partition("-")[0] == "en"


def speech_passages(debate: Debate, opened: DebateOpened, side: Side) -> tuple[str, ...]:
    """The passages of the evidence that the next turn of ``side`` is given."""
    seat = debater_of(opened, debate.seats, side)
    if not debate.evidence.passages:
        return ()
    found: tuple[str, ...] = PARTS["documents"].passages_for(debate, opened, side, _form(seat, opened), seat.window)
    return found


def speech_prompt(
    debate: Debate, opened: DebateOpened, side: Side, passages: Sequence[str] = ()
) -> tuple[Segment, ...]:
    """The prompt for the next turn of ``side``, with its present traits, the directive in force, and ``passages``."""
    seat = debater_of(opened, debate.seats, side)
    given = PARTS["documents"].with_passages if passages else lambda *_: ("", "")
    rules, shown = given(debate, opened, side, passages, _form(seat, opened))
    directive = directive_in_force(debate, side)
    context = _context(debate, opened, side)
    spoken = _given(debate, context)
    kind = opened.motion_kind or motion_kind(opened.motion)
    text = debate.characters.directives[directive].text if directive else ""
    template = opened.prompts["debater"]
    if is_begun(seat.model, opened):
        pieces = begun_prompt(
            opened.prompts["begun"],
            side=side,
            motion=opened.motion,
            kind=kind,
            spoken=debate.transcript.spoken(),
            quote=quoted,
            directive=text,
            words=tuple(debate.words[at].text for at in context.words),
        )
        begun = tuple(Segment(role, text) for role, text in pieces)
        return (*begun[:-2], Segment("user", shown), *begun[-2:]) if shown else begun
    if is_small(seat.model, seat.window):
        template = opened.prompts.get("short", template)
    pieces = debater_prompt(
        template,
        side=side,
        motion=opened.motion,
        max_words=opened.max_words,
        archetype=opened.archetypes[seat.archetype],
        traits=debate.characters.traits[side],
        spoken=spoken,
        quote=quoted,
        history=len(spoken),
        directive=text,
        words=tuple((debate.words[at].after_turn, debate.words[at].text) for at in context.words),
        place=Place(
            turn=len(debate.transcript.spoken()) + 1,
            turns=opened.turns,
            kind=kind,
            language=language_name(opened.language or "en"),
        ),
    )
    system, *said, ask = (Segment(role, text) for role, text in pieces)
    if template.version >= BY_PHASE:
        said[-1] = replace(said[-1], ends_prefix=True)
    if not shown:
        return (system, *said, ask)
    return (replace(system, text=f"{system.text}\n\n{rules}"), *said, Segment("user", shown), ask)


def _form(seat: Debater, opened: DebateOpened) -> Literal["whole", "short", "begun"]:
    """How much of the documents a debater reads."""
    if is_begun(seat.model, opened):
        return "begun"
    return "short" if is_small(seat.model, seat.window) else "whole"


def summary_due(debate: Debate, opened: DebateOpened, number: int, side: Side) -> ContextSummarised | None:
    """The event that must come before turn ``number``; None if the context has not changed since the last one."""
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
    """The turns of a context, some of them shortened."""
    in_full, given = set(context.in_full), {*context.in_full, *context.summarised}
    return tuple(
        turn if turn.turn in in_full else replace(turn, text=shortened(turn.text))
        for turn in debate.transcript.spoken()
        if turn.turn in given
    )


def _context(debate: Debate, opened: DebateOpened, side: Side) -> Context:
    """What fits into the window, newest first.  The turn to answer is always there in full."""
    parts = (debate.transcript.turns, debate.words, debate.seats, debate.evidence)
    return derived(opened).of(("context", side), parts, lambda: _chosen(debate, opened, side))


def _chosen(debate: Debate, opened: DebateOpened, side: Side) -> Context:
    spoken = debate.transcript.spoken()
    window = debater_of(opened, debate.seats, side).window
    if not window:
        return Context(tuple(turn.turn for turn in spoken), (), tuple(debate.words))
    answer = round(opened.max_words * tokens_a_word(opened.language or "en"))
    room = PARTS["documents"].room_for(debate, window) if debate.evidence.passages else 0.0
    left = (window - FRAME_TOKENS - room - answer) / DENSE
    words = _words(debate, left / SHARE_OF_WORDS)
    left -= sum(tokens(debate.words[at].text) for at in words)
    brief = [tokens(shortened(turn.text)) for turn in spoken]
    kept = accumulate(brief, initial=0.0)  # room for the first sentences of all turns before a turn
    in_full: list[int] = []
    summarised: list[int] = []
    for turn, short, before in reversed(list(zip(spoken, brief, kept, strict=False))):
        if not summarised and (not in_full or tokens(turn.text) <= left - before):
            in_full.append(turn.turn)
            left -= tokens(turn.text)
        elif short <= left:
            summarised.append(turn.turn)
            left -= short
        else:
            break
    return Context(tuple(reversed(in_full)), tuple(reversed(summarised)), words)


def _words(debate: Debate, room: float) -> tuple[str, ...]:
    """The moderator's words that fit into ``room`` tokens; the newest is always there."""
    given: list[str] = []
    for at, word in reversed(debate.words.items()):
        room -= tokens(word.text)
        if given and room < 0:
            break
        given.insert(0, at)
    return tuple(given)
