"""The moderator's words as material: what both debaters were told, and the judge must know of to understand them.

They are delimited and neutralised as a debater's are, and stand behind the motion, before everything that was said.
Source of the templates: the debate's own; one that was opened before they had a place for a word uses the shipped ones.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from events.state.words import Word, Words
from events.types import Template
from judge.guard.neutralise import quoted
from judge.live.shortening import IN_FULL, shortened
from judge.templates import fill, has_section, load_template, section
from providers.base import Segment

FRAME: Final = 2
"""Segments that every prompt begins with: who is asked, and the motion."""
SECTION: Final = "word"
Prompt = tuple[Segment, ...]


def heard(prompt: Prompt, prompts: Mapping[str, Template], words: Iterable[Word], name: str = "judge") -> Prompt:
    """A prompt with the moderator's words in it; ``name`` is the template whose section frames them."""
    return (*prompt[:FRAME], *word_segments(prompts, words, name), *prompt[FRAME:])


def word_segments(prompts: Mapping[str, Template], words: Iterable[Word], name: str = "judge") -> Prompt:
    """Each word as a segment of its own.  Of many the newest are in full, earlier ones by their first sentence."""
    said = tuple(words)
    if not said:
        return ()
    own = prompts.get(name)
    frame = section(own if own is not None and has_section(own, SECTION) else load_template(name), SECTION)
    return tuple(
        Segment("user", fill(frame, when=_when(word), text=quoted(word.text if whole else shortened(word.text))))
        for whole, word in ((number >= len(said) - IN_FULL, word) for number, word in enumerate(said))
    )


def around(words: Words, turn: int) -> tuple[Word, ...]:
    """The words that a turn, and the one before it, were the first to hear: context for whoever judges it."""
    return tuple(word for word in words.values() if turn - 2 <= word.after_turn < turn)


def _when(word: Word) -> str:
    return f"after turn {word.after_turn}" if word.after_turn else "before the first turn"
