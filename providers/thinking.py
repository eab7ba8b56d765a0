"""Keeps a model's thinking out of its speech where the model writes both into one text, between ``<think>`` tags."""

OPENS, CLOSES = "<think>", "</think>"


class Thinking:
    """Fed with text as it comes, gives what is speech.  Only thinking at the very beginning counts."""

    def __init__(self) -> None:
        self.thought = ""
        self._held = ""   # what may yet turn out to be a tag
        self._state = "undecided"

    def feed(self, text: str) -> str:
        """The speech that this text settles; "" while it may be thinking."""
        if self._state == "speech":
            return text
        self._held += text
        if self._state == "undecided":
            begun = self._held.lstrip()
            if begun.startswith(OPENS):
                self._state, self._held = "thinking", begun.removeprefix(OPENS)
            elif OPENS.startswith(begun):   # also while there is nothing but white space
                return ""
            else:
                return self._speak(self._held)
        thought, closed, speech = self._held.partition(CLOSES)
        if not closed:
            return ""
        self.thought = thought.strip()
        return self._speak(speech.lstrip())

    def end(self) -> str:
        """What was held back and is speech after all.  Thinking that never closed stays thinking."""
        held, self._held = self._held, ""
        if self._state == "thinking":
            self.thought = held.strip()
            return ""
        return held

    def _speak(self, text: str) -> str:
        self._state, self._held = "speech", ""
        return text
