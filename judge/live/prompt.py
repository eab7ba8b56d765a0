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
from judge.live.text import IN_FULL, shortened
from judge.templates import fill, has_section, load_template, section
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


OPENING_SEGMENTS: Final = 2
"""Segments that every prompt begins with: who is asked, and the motion."""
WORD_SECTION: Final = "word"


def with_moderator_words(
    prompt: Prompt, prompts: Mapping[str, Template], words: Iterable[ModeratorMessage], name: str = "judge"
) -> Prompt:
    """A prompt with the moderator's words in it; ``name`` is the template whose section frames them."""
    return (*prompt[:OPENING_SEGMENTS], *moderator_segments(prompts, words, name), *prompt[OPENING_SEGMENTS:])


def moderator_segments(
    prompts: Mapping[str, Template], words: Iterable[ModeratorMessage], name: str = "judge"
) -> Prompt:
    """Each word as a segment of its own.  Of many the newest are in full, earlier ones by their first sentence."""
    said = tuple(words)
    if not said:
        return ()
    own = prompts.get(name)
    frame = section(own if own is not None and has_section(own, WORD_SECTION) else load_template(name), WORD_SECTION)
    return tuple(
        Segment(
            "user", fill(frame, when=_place_of_word(word), text=quoted(word.text if whole else shortened(word.text)))
        )
        for whole, word in ((number >= len(said) - IN_FULL, word) for number, word in enumerate(said))
    )


def words_before_turn(words: ModeratorMessages, turn: int) -> tuple[ModeratorMessage, ...]:
    """The words that a turn, and the one before it, were the first to hear: context for whoever judges it."""
    return tuple(word for word in words.values() if turn - 2 <= word.after_turn < turn)


def _place_of_word(word: ModeratorMessage) -> str:
    return f"after turn {word.after_turn}" if word.after_turn else "before the first turn"
