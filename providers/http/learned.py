"""What calls have shown of a model at one address: which parameters it refuses, and how many tokens it needs to think.

A provider keeps one ``Learned`` for each address and model.  All calls use at once what one call has shown.  A refused
parameter is left out for an hour and then tried again.
"""

import json
import re
import time
import zlib
from collections.abc import Callable
from contextlib import aclosing
from typing import Any, Final

from providers.answers.streaming import Source
from providers.base import Outcome, Request, Think
from providers.catalog.models import Model
from providers.errors import BadRequest, ContextExceeded, Malformed

CallParameters = dict[str, Any]
"""What a call sends to the vendor in addition to the prompt."""
EXPIRES_S: Final = 3600.0
ROOM: Final[dict[Think, int]] = {"off": 0, "low": 4096, "default": 16384, "medium": 16384, "high": 32768}
"""Tokens for thinking, in addition to the answer's.  A higher limit costs nothing: only the tokens used are paid."""
MIN_ROOM: Final = 4096
MAX_ROOM: Final = 131_072
MIN_LIMIT: Final = 64
NO_LIMIT: Final = 1 << 30
"""More tokens than any context window holds."""
THINKING_PATIENCE: Final = 5
"""A model that thinks may be silent for this many idle timeouts before its first text."""
ROOM_GROWTH: Final = 4
"""After a call ran out of tokens, the next call gets this many times the room."""
SPARE_ROOM: Final = 2
"""The room is at least this many times the longest thinking so far."""
REASONING_RANKS: Final = {name: at for at, name in enumerate(("minimal", "low", "medium", "high", "xhigh", "max"))}


class Learned:
    """What is known of one model at one address.  ``known`` is the entry of the model catalog, if it has one."""

    def __init__(
        self, known: Model | None, *, room_share: float = 1.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.known = known
        self._room_share = room_share
        self.omits_opening_tag = known is not None and known.tags
        """It may write its thinking into its text without the opening tag."""
        self.tokens_per_character = 0.0
        """The most tokens that a character of a prompt took, if the server reported it."""
        self._clock = clock
        self._unsupported_until: dict[str, float] = {}
        self._room = 0
        self._longest_thinking = 0
        self._highest_limit: int | None = None if known is None else known.most_output

    def unsupported(self) -> frozenset[str]:
        """The parameters that it refuses now."""
        now = self._clock()
        return frozenset(name for name, until in self._unsupported_until.items() if until > now)

    def mark_unsupported(self, name: str) -> None:
        """Leave a parameter out for an hour."""
        self._unsupported_until[name] = self._clock() + EXPIRES_S

    def mark_supported(self, name: str) -> None:
        """Use a parameter again: it works, or nothing else works either."""
        self._unsupported_until.pop(name, None)

    @property
    def thinks(self) -> bool:
        """Whether it thinks unless it is told not to, as far as is known."""
        return self._longest_thinking > 0 or (self.known is not None and self.known.thinks in {"always", "by_default"})

    def first_text_timeout_s(self, request: Request) -> float:
        """Seconds to wait for the first text.  A model that thinks may send nothing until it has finished thinking."""
        thinks = self._room_for(request) > 0
        return request.idle_timeout_s * (THINKING_PATIENCE if thinks else 1)

    def token_limit(self, request: Request) -> int:
        """Tokens that an answer and its thinking may use together."""
        wanted = request.max_tokens + self._room_for(request)
        return wanted if self._highest_limit is None else min(wanted, self._highest_limit)

    def _room_for(self, request: Request) -> int:
        """Tokens in addition to the answer's."""
        think, known = request.think, self.known
        can_think = self.thinks or (known is not None and known.thinks == "on_request")
        if think == "off" and (known is None or known.thinks != "always") and "thinking" not in self.unsupported():
            room = 0
        elif think == "default":
            room = ROOM[think] if self.thinks else 0
        else:
            room = max(MIN_ROOM, ROOM[think]) if can_think else 0
        return min(max(round(room * self._room_share), self._room, SPARE_ROOM * self._longest_thinking), MAX_ROOM)

    def record(self, outcome: Outcome, request: Request, limit: int, *, has_text: bool) -> None:
        """Learn from the outcome of a call that had ``limit`` tokens."""
        room = max(0, limit - request.max_tokens)
        thought = outcome.tokens.thought or -(-len(outcome.reasoning) // 4)
        self._longest_thinking = max(self._longest_thinking, thought)
        if outcome.finish == "length" and (not has_text or thought > room):
            self._room = min(MAX_ROOM, max(MIN_ROOM, room * ROOM_GROWTH, thought * ROOM_GROWTH))

    def lower_limit(self, tokens: int) -> bool:
        """Accept that the server takes no higher limit; False if that was known or leaves no room for an answer."""
        if tokens < MIN_LIMIT or (self._highest_limit is not None and self._highest_limit <= tokens):
            return False
        self._highest_limit = tokens
        return True


class LearnedModels:
    """What one provider has learned, by address and model.  ``room_share``: its share of the usual thinking room."""

    def __init__(self, find: Callable[[str], Model | None], *, room_share: float = 1.0) -> None:
        self._find, self._room_share = find, room_share
        self._learned: dict[tuple[str, str], Learned] = {}

    def of(self, address: str, model: str) -> Learned:
        """What is known of a model at an address."""
        key = (address, model)
        if key not in self._learned:
            self._learned[key] = Learned(self._find(model), room_share=self._room_share)
        return self._learned[key]


async def adaptive_call(
    request: Request,
    learned: Learned,
    parameters: Callable[[frozenset[str], int], CallParameters],
    call: Callable[[CallParameters], Source],
    refused_in: Callable[[str, CallParameters], str | None],
) -> Source:
    """Make a call, and make it again without a parameter that the server refused, unless text has already come.

    ``parameters`` makes the parameters from the names that the model refuses and the limit of tokens.  ``refused_in``
    finds the refused parameter in the vendor's message; None if the message is about something else.  If another call
    has learned the same meanwhile, this call is repeated too.  A limit that follows from the length of this prompt
    holds for this call only.
    """
    left = NO_LIMIT
    while True:
        unsupported, limit = learned.unsupported(), min(learned.token_limit(request), left)
        sent = parameters(unsupported, limit)
        has_text = False
        try:
            async with aclosing(call(sent)) as source:
                async for piece in source:
                    has_text = has_text or bool(piece)
                    yield piece
        except (BadRequest, ContextExceeded) as error:
            if has_text:
                raise
            if (highest := highest_limit_in(error.message)) is not None and learned.lower_limit(highest):
                continue
            if (rest := tokens_left_in(error.message)) is not None and MIN_LIMIT <= rest < limit:
                left = rest
                continue
            refused = refused_in(error.message, sent) if isinstance(error, BadRequest) else None
            if refused is None or refused in unsupported:
                raise
            learned.mark_unsupported(refused)
        else:
            return


def highest_limit_in(message: str) -> int | None:
    """The highest limit of tokens that a vendor's error names; None if the error is about something else."""
    found = next(filter(None, (pattern.search(message) for pattern in _HIGHEST_LIMIT)), None)
    if found is not None:
        return int(found[1])
    beyond = _BEYOND_LIMIT.search(message)
    return None if beyond is None else int(beyond[1]) - 1


def tokens_left_in(message: str) -> int | None:
    """The tokens that an error says the prompt leaves of the window; None if the error is about something else."""
    found = next(filter(None, (pattern.search(message) for pattern in _WINDOW)), None)
    return None if found is None else int(found[1]) - int(found[2])


def schema_id(schema: dict[str, Any]) -> str:
    """The name under which one schema is marked as unsupported."""
    return f"json_schema {zlib.crc32(json.dumps(schema).encode()):08x}"


def learn_from_prose(learned: Learned, error: Malformed) -> None:
    """Mark structured output as unsupported if a compatible server answered with prose instead of JSON.

    An answer that a server holds to a schema begins with a brace, even if it is cut short.  Prose shows that the server
    ignored the schema, and the next call asks in another way.
    """
    if error.outcome is not None and error.raw.strip() and "{" not in error.raw:
        method = str(error.outcome.parameters.get("structured_output"))
        learned.mark_unsupported("response_format" if method == "json_object" else method)


def effort_level(learned: Learned, think: Think, unsupported: frozenset[str]) -> str | None:
    """The vendor's value for this much thinking, among the values that the model takes; None to send nothing.

    A refused value stands in ``unsupported`` as ``effort=VALUE``.
    """
    known = learned.known
    if think == "default" or known is None:
        return None
    if think == "off" and known.off and f"effort={known.off}" not in unsupported:
        return known.off
    ranks = REASONING_RANKS
    levels = [level for level in known.levels if level in ranks and f"effort={level}" not in unsupported]
    rank = ranks["minimal" if think == "off" else think]
    return min(levels, key=lambda level: (abs(ranks[level] - rank), -ranks[level]), default=None)


_HIGHEST_LIMIT: Final = (
    re.compile(r"supports at most (\d+) completion tokens"),  # OpenAI
    re.compile(r"max_tokens: \d+ > (\d+)"),  # Anthropic
    re.compile(r"max(?:_completion)?_tokens`? must be less than or equal to `?(\d+)"),  # Groq
)
_BEYOND_LIMIT: Final = re.compile(r"range is from 1 \(inclusive\) to (\d+) \(exclusive\)")  # Gemini
_WINDOW: Final = (  # old and new vLLM: the whole window, and the prompt's part of it
    re.compile(r"context length is (\d+) tokens\D+\d+ tokens \((\d+) in the messages"),
    re.compile(r"context length is (\d+) tokens and your request has (\d+) input tokens"),
)
