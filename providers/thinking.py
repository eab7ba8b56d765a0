"""Keeps a model's thinking out of its speech where the model writes both into one text, between tags."""

import re
from typing import Final

PAIRS: Final = (
    *((f"<{of}{word}>", f"</{of}{word}>")
      for of in ("", "seed:") for word in ("think", "thinking", "thought", "thoughts", "reasoning")),
    ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"),
)  # fmt: skip
"""How open models mark it: Qwen and DeepSeek, Gemma, Seed and others; Magistral; Kimi."""
_CLOSING: Final = dict(PAIRS)
_OPENS: Final = re.compile("|".join(re.escape(opens) for opens, _ in PAIRS))
_TAGS: Final = re.compile("|".join(re.escape(tag) for pair in PAIRS for tag in pair))
_PREFIXES: Final = frozenset(tag[:end] for pair in PAIRS for tag in pair for end in range(1, len(tag)))
_LONGEST: Final = max(map(len, _PREFIXES))


class Thinking:
    """Fed with text as it comes, gives what is speech.

    ``holds``: this model is known to think first and to leave the opening tag out, so nothing is speech before the
    closing tag.  ``is_typed``: the text is a typed answer, in which a tag may stand inside a quote: only thinking at
    the very beginning counts.
    """

    def __init__(self, *, holds: bool = False, is_typed: bool = False) -> None:
        self.thought = ""
        self.is_aloud = False
        """A closing tag came without an opening one: what was given as speech was thinking."""
        self._holds, self._is_typed = holds and not is_typed, is_typed
        self._held = ""  # what may yet turn out to be a tag, or thinking
        self._closing = ""  # the tag that ends the thinking
        self._has_spoken = self._has_thought = False

    def feed(self, text: str) -> str:
        """The speech that this text settles; "" while it may be thinking."""
        if self._is_typed and self._has_spoken:
            return text
        self._held += text
        speech = ""
        while (settled := self._step()) is not None:
            speech += settled
        if speech.strip():
            self._has_spoken = True
        return speech if not self.is_aloud else ""

    def release(self) -> None:
        """Thinking comes elsewhere: the text is speech from its beginning."""
        self._holds = False

    def end(self) -> str:
        """What was held back and is speech after all.  Thinking at the beginning that never closed stays thinking."""
        held, self._held = self._held, ""
        if self.is_aloud:
            return ""
        if self._closing and not self._has_spoken:
            self._think(held)
            return ""
        return (self._opened if self._closing else "") + held

    @property
    def _opened(self) -> str:
        return next(opens for opens, closes in PAIRS if closes == self._closing)

    def _step(self) -> str | None:
        """Settle some of what is held; None where more text is needed."""
        if self._closing:
            return self._close(self._closing)
        if self._holds:
            found = _TAGS.search(self._held)
            if found is None:
                return None
            self._holds = False
            if found[0] in _CLOSING:  # it does write the opening tag
                return ""
            return self._close(found[0])
        if not self._has_spoken:
            begun = self._held.lstrip()
            if self._has_thought:
                self._held = begun  # white space between thinking and speech belongs to neither
            if found := _OPENS.match(begun):
                self._closing, self._held = _CLOSING[found[0]], begun[found.end() :]
                return ""
            if not begun or begun in _PREFIXES:
                return None
        if self._is_typed:
            return self._give(len(self._held))
        return self._speak()

    def _close(self, tag: str) -> str | None:
        thought, closed, rest = self._held.partition(tag)
        if not closed:
            return None
        self._think(thought)
        self._closing, self._held, self._has_thought = "", rest, True
        return ""

    def _speak(self) -> str | None:
        found = _TAGS.search(self._held)
        if found is None:
            return self._give(len(self._held) - self._tail()) or None
        before = self._held[: found.start()]
        self._held = self._held[found.end() :]
        if found[0] in _CLOSING:
            self._closing = _CLOSING[found[0]]
        else:
            self.is_aloud = True
        if before.strip():
            self._has_spoken = True
        return before

    def _tail(self) -> int:
        """Characters at the end that may be the beginning of a tag."""
        last = self._held[-_LONGEST:]
        return next((len(last) - at for at in range(len(last)) if last[at:] in _PREFIXES), 0)

    def _give(self, length: int) -> str:
        given, self._held = self._held[:length], self._held[length:]
        return given

    def _think(self, text: str) -> None:
        self.thought = "\n\n".join(filter(None, (self.thought, text.strip())))
