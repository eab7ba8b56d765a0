"""A question to the judge as a prompt: who the judge is, the motion, the moderator's words, the turns, the question.

The judge learns no model names and no sides: the side that spoke first is Speaker A.  Every prompt begins the same way
and the question comes last, so that a model with a prompt cache reads a turn once for all questions.  The segment of a
turn never depends on the question, so a log stores it once as well.

The moderator's words are delimited and neutralised like a debater's.  They follow the motion and come before all turns.
Their template is the debate's own; a debate that was opened before that section existed uses the shipped one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from events.state.words import ModeratorMessage, ModeratorMessages
from events.types import Template, TurnSpoken
from judge.guard.neutralise import quoted
from judge.templates import fill, has_section, load_template, section
from judge.text.words import IN_FULL, shortened
from providers.base import Segment

HISTORY = 1
"""Turns before the judged one in a prompt.  With more turns, small models quote from the wrong one more often."""

Prompts = Mapping[str, Template]
Prompt = tuple[Segment, ...]


def opening(prompts: Prompts, motion: str) -> Prompt:
    """Return the judge's role and the motion."""
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
    """Return one turn as material."""
    frame = section(prompts["judge"], "turn")
    return Segment("user", fill(frame, turn=str(turn.turn), speaker=speaker(spoken, turn), text=quoted(turn.text)))


def speaker(spoken: Sequence[TurnSpoken], turn: TurnSpoken) -> str:
    """Return a label that tells neither side nor model."""
    return "Speaker A" if turn.side == spoken[0].side else "Speaker B"


OPENING_SEGMENTS: Final = 2
"""Segments that every prompt begins with: the role and the motion."""
WORD_SECTION: Final = "word"


def with_moderator_messages(
    prompt: Prompt, prompts: Mapping[str, Template], messages: Iterable[ModeratorMessage], name: str = "judge"
) -> Prompt:
    """Insert the moderator's messages into a prompt; ``name`` is the template with the section for them."""
    return (*prompt[:OPENING_SEGMENTS], *moderator_segments(prompts, messages, name), *prompt[OPENING_SEGMENTS:])


def moderator_segments(
    prompts: Mapping[str, Template], messages: Iterable[ModeratorMessage], name: str = "judge"
) -> Prompt:
    """Return each message as a segment; the newest are in full, earlier ones shortened to their first sentence."""
    shown = tuple(messages)
    if not shown:
        return ()
    own = prompts.get(name)
    frame = section(own if own is not None and has_section(own, WORD_SECTION) else load_template(name), WORD_SECTION)
    return tuple(
        Segment(
            "user",
            fill(frame, when=_when_sent(message), text=quoted(message.text if whole else shortened(message.text))),
        )
        for whole, message in ((number >= len(shown) - IN_FULL, message) for number, message in enumerate(shown))
    )


def messages_before_turn(messages: ModeratorMessages, turn: int) -> tuple[ModeratorMessage, ...]:
    """Return the messages that came just before a turn or its predecessor: context for the judge."""
    return tuple(message for message in messages.values() if turn - 2 <= message.after_turn < turn)


def _when_sent(message: ModeratorMessage) -> str:
    return f"after turn {message.after_turn}" if message.after_turn else "before the first turn"
