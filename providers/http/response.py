"""Reads one response of a model: the text, the thinking apart from it, and how the call ended."""

import time

from providers.answers.thinking import ThinkingFilter
from providers.base import Outcome, Parameters, Request, Tokens
from providers.errors import ThinkingAsText, ToolCalled

from .learned import Learned


class ResponseReader:
    """Takes the pieces of one response and gives the text among them.  ``limit``: tokens that the call may use."""

    def __init__(self, learned: Learned, request: Request, limit: int, *, is_typed: bool) -> None:
        self._learned, self._request, self._limit = learned, request, limit
        self._began_at = time.monotonic()
        holds = learned.omits_opening_tag and request.think != "off"
        self._filter = ThinkingFilter(holds=holds, is_typed=is_typed)
        self._thinking = ""
        """Thinking that came in a field of its own."""
        self._has_text = self.is_tool_call = False

    @property
    def reasoning(self) -> str:
        """The model's thinking, as far as the vendor sent it."""
        return "\n\n".join(filter(None, (self._thinking.strip(), self._filter.thinking)))

    def add_text(self, text: str) -> str:
        """The part of ``text`` that belongs to the answer; "" while it may be thinking."""
        answer = self._filter.feed(text)
        self._has_text = self._has_text or bool(answer.strip())
        return answer

    def add_thinking(self, text: str) -> str:
        """Keep thinking that came in a field of its own.  Returns "", which a source yields as a sign of life."""
        if text:
            self._learned.omits_opening_tag = False  # this server separates thinking from text
            self._filter.release()
            self._thinking += text
        return ""

    def end(self) -> str:
        """The rest of the text, which was held back until now."""
        answer = self._filter.end()
        self._has_text = self._has_text or bool(answer.strip())
        return answer

    def outcome(
        self,
        model: str,
        tokens: Tokens,
        cost_usd: float | None,
        *,
        is_cut: bool,
        parameters: Parameters,
        is_partial: bool = False,
    ) -> Outcome:
        """The outcome of the call, which ``Learned`` records.  ``is_cut``: it reached its limit of tokens.

        ``is_partial``: the call goes on, and nothing is learned from it yet.
        """
        outcome = Outcome(
            model=model,
            tokens=tokens,
            latency_ms=round((time.monotonic() - self._began_at) * 1000),
            cost_usd=cost_usd,
            finish="length" if is_cut else "stop",
            reasoning="" if is_partial else self.reasoning,
            parameters={"max_tokens": self._request.max_tokens, "limit": self._limit, "think": self._request.think}
            | parameters,
            is_partial=is_partial,
        )
        if not is_partial:
            if tokens.thought:
                self._learned.omits_opening_tag = self._learned.omits_opening_tag and bool(self._filter.thinking)
            self._learned.record(outcome, self._request, self._limit, has_text=self._has_text)
        return outcome

    def check(self, outcome: Outcome) -> None:
        """Raise if the response is no answer: a tool call, or thinking that looked like text."""
        if self.is_tool_call:
            raise ToolCalled("the model called a tool instead of answering", outcome=outcome)
        if self._filter.found_unopened_tag:
            self._learned.omits_opening_tag = True
            raise ThinkingAsText("the server sent thinking as text: it left out the opening tag", outcome=outcome)
