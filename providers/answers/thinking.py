"""Separates thinking from text, for models that write both into one text with tags around the thinking."""

import re
from typing import Final

from .lenient import PAIRS

_CLOSING: Final = dict(PAIRS)
_OPENS: Final = re.compile("|".join(re.escape(opens) for opens, _ in PAIRS))
_TAGS: Final = re.compile("|".join(re.escape(tag) for pair in PAIRS for tag in pair))
_PREFIXES: Final = frozenset(tag[:end] for pair in PAIRS for tag in pair for end in range(1, len(tag)))
_LONGEST: Final = max(map(len, _PREFIXES))


class ThinkingFilter:
    """Takes text as it arrives and returns the part that is not thinking.

    ``holds``: this model thinks first and omits the opening tag, so nothing is answer text before the closing tag.
    ``is_typed``: the text is a typed answer, in which a tag may stand inside a quote, so only thinking at the very
    beginning counts.
    """

    def __init__(self, *, holds: bool = False, is_typed: bool = False) -> None:
        self.thinking = ""
        self.found_unopened_tag = False
        """A closing tag came without an opening tag: the text returned so far was thinking."""
        self._holds, self._is_typed = holds and not is_typed, is_typed
        self._pending = ""  # may still turn out to be a tag, or thinking
        self._closing = ""  # the tag that ends the current thinking
        self._has_text = self._has_thinking = False

    def feed(self, text: str) -> str:
        """The answer text that is certain now; "" while it may be thinking."""
        if self._is_typed and self._has_text:
            return text
        self._pending += text
        answer = ""
        while (settled := self._step()) is not None:
            answer += settled
        if answer.strip():
            self._has_text = True
        return answer if not self.found_unopened_tag else ""

    def release(self) -> None:
        """Stop waiting for a closing tag: the server sends thinking in a field of its own."""
        self._holds = False

    def end(self) -> str:
        """The pending text, if it is answer text.  Thinking at the beginning that was never closed stays thinking."""
        pending, self._pending = self._pending, ""
        if self.found_unopened_tag:
            return ""
        if self._closing and not self._has_text:
            self._add_thinking(pending)
            return ""
        opening = next((opens for opens, closes in PAIRS if closes == self._closing), "")
        return opening + pending

    def _step(self) -> str | None:
        """Settle a part of the pending text; None if more text is needed."""
        if self._closing:
            return self._close(self._closing)
        if self._holds:
            found = _TAGS.search(self._pending)
            if found is None:
                return None
            self._holds = False
            if found[0] in _CLOSING:  # it writes the opening tag after all
                return ""
            return self._close(found[0])
        if not self._has_text:
            start = self._pending.lstrip()
            if self._has_thinking:
                self._pending = start  # white space between thinking and answer belongs to neither
            if found := _OPENS.match(start):
                self._closing, self._pending = _CLOSING[found[0]], start[found.end() :]
                return ""
            if not start or start in _PREFIXES:
                return None
        if self._is_typed:
            return self._take(len(self._pending))
        return self._take_text()

    def _close(self, tag: str) -> str | None:
        thinking, closed, rest = self._pending.partition(tag)
        if not closed:
            return None
        self._add_thinking(thinking)
        self._closing, self._pending, self._has_thinking = "", rest, True
        return ""

    def _take_text(self) -> str | None:
        found = _TAGS.search(self._pending)
        if found is None:
            return self._take(len(self._pending) - self._partial_tag_length()) or None
        before = self._pending[: found.start()]
        self._pending = self._pending[found.end() :]
        if found[0] in _CLOSING:
            self._closing = _CLOSING[found[0]]
        else:
            self.found_unopened_tag = True
        if before.strip():
            self._has_text = True
        return before

    def _partial_tag_length(self) -> int:
        """Characters at the end that may be the beginning of a tag."""
        last = self._pending[-_LONGEST:]
        return next((len(last) - at for at in range(len(last)) if last[at:] in _PREFIXES), 0)

    def _take(self, length: int) -> str:
        taken, self._pending = self._pending[:length], self._pending[length:]
        return taken

    def _add_thinking(self, text: str) -> None:
        self.thinking = "\n\n".join(filter(None, (self.thinking, text.strip())))
