"""What a stream of Anthropic's events says: a message in the making, and the tokens that it takes."""

from typing import Any

from .base import Tokens
from .hosted import Hearing, as_text


class Message:
    """A message in the making, fed with the stream's events."""

    def __init__(self, model: str, hearing: Hearing) -> None:
        self.model, self.finish, self.why, self.is_whole, self.usage = model, "", "", False, Usage()
        self._hearing = hearing

    def feed(self, event: Any) -> str:
        """The speech that an event brings; "" for one that is only a sign of life."""
        match event.type:
            case "message_start":
                self.model = event.message.model or self.model
                self.usage.read(event.message.usage)
            case "content_block_delta":
                return self._delta(event.delta)
            case "message_delta":
                self.finish = event.delta.stop_reason or self.finish
                self.why = as_text(getattr(getattr(event.delta, "stop_details", None), "category", None))
                self.usage.read(event.usage)
            case "message_stop":
                self.is_whole = True
                return self._hearing.end()
        return ""

    def _delta(self, delta: Any) -> str:
        match delta.type:
            case "text_delta":
                return self._hearing.text(delta.text)
            case "input_json_delta":
                return self._hearing.text(str(delta.partial_json))
            case "thinking_delta":
                return self._hearing.thought(delta.thinking)
        return ""


class Usage:
    """Tokens as they are told, some at the start and some at the end."""

    def __init__(self) -> None:
        self.fresh = self.output = self.cached = self.written = self.thought = 0
        self.is_told = False

    @property
    def tokens(self) -> Tokens:
        """All of them; what was read from the cache or put there counts as input, whatever it costs."""
        return Tokens(
            input=self.fresh + self.cached + self.written,
            output=self.output,
            cached=self.cached,
            written=self.written,
            thought=self.thought,
        )

    def read(self, said: Any) -> None:
        """What a message says of its tokens; what it leaves out stays as it was."""
        if said is None:
            return
        self.fresh = getattr(said, "input_tokens", None) or self.fresh
        self.output = getattr(said, "output_tokens", None) or self.output
        self.cached = getattr(said, "cache_read_input_tokens", None) or self.cached
        self.written = getattr(said, "cache_creation_input_tokens", None) or self.written
        details = getattr(said, "output_tokens_details", None)
        self.thought = getattr(details, "thinking_tokens", None) or self.thought
        self.is_told = self.is_told or self.fresh + self.cached + self.written > 0
