"""What calls have shown of a model at an address: what it does not take, how much it thinks, how it counts tokens.

A provider keeps one ``Learned`` for each address and model.  What one call learns, all others use at once.
What a model does not take is learned from errors that say so, and is tried again after an hour.
"""

import re
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Any, Final

from .base import Outcome, Request, Think
from .errors import BadRequest, ContextExceeded
from .models import Model
from .streaming import Source

Asked = dict[str, Any]
"""What is asked of a vendor beside the prompt."""
EXPIRES_S: Final = 3600.0
ROOM: Final[dict[Think, int]] = {"off": 0, "low": 4096, "default": 16384, "medium": 16384, "high": 32768}
"""Tokens beside the answer for a model that thinks.  A limit costs nothing: what is not thought is not paid."""
LEAST_ROOM: Final = 4096
MOST_ROOM: Final = 131_072
LEAST_LIMIT: Final = 64
MOST_TOKENS: Final = 1 << 30
"""More than any window holds."""
THINKING_PATIENCE: Final = 5
"""A model that thinks may be silent for so many times the idle timeout before its first text."""
GROWS: Final = 4
"""A call that starved gets so many times the room the next time."""
SPARE: Final = 2
"""Room for so many times the longest thinking seen."""


class Learned:
    """One model's at one address.  ``known`` is what the project's data says of it, if anything (``models.json``)."""

    def __init__(
        self, known: Model | None, *, room_share: float = 1.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.known = known
        self._share = room_share
        self.holds = known is not None and known.tags
        """It may write its thinking into its speech without the tag that opens it."""
        self.tokens_a_character = 0.0
        """The most tokens that a character of a prompt took, where the server told."""
        self._clock = clock
        self._lacks: dict[str, float] = {}
        self._room = 0
        self._thought = 0
        self._most: int | None = None if known is None else known.most_output

    def lacks(self) -> frozenset[str]:
        """What it does not take now."""
        at = self._clock()
        return frozenset(name for name, until in self._lacks.items() if until > at)

    def lack(self, name: str) -> None:
        """It does not take this, for an hour."""
        self._lacks[name] = self._clock() + EXPIRES_S

    def forgive(self, name: str) -> None:
        """It does take this, or takes nothing else either."""
        self._lacks.pop(name, None)

    @property
    def thinks(self) -> bool:
        """Whether it thinks unless it is told not to, as far as anything is known."""
        return self._thought > 0 or (self.known is not None and self.known.thinks in {"always", "by_default"})

    def first_s(self, request: Request) -> float:
        """Seconds to wait for the first text.  While a model thinks nothing may come, not even a sign of life."""
        thinks = self._room_for(request) > 0
        return request.idle_timeout_s * (THINKING_PATIENCE if thinks else 1)

    def limit(self, request: Request) -> int:
        """Tokens that an answer and its thinking may have together."""
        wanted = request.max_tokens + self._room_for(request)
        return wanted if self._most is None else min(wanted, self._most)

    def _room_for(self, request: Request) -> int:
        """Tokens beside those of the answer."""
        think, known = request.think, self.known
        can_think = self.thinks or (known is not None and known.thinks == "on_request")
        if think == "off" and (known is None or known.thinks != "always") and "thinking" not in self.lacks():
            room = 0
        elif think == "default":
            room = ROOM[think] if self.thinks else 0
        else:
            room = max(LEAST_ROOM, ROOM[think]) if can_think else 0
        return min(max(round(room * self._share), self._room, SPARE * self._thought), MOST_ROOM)

    def saw(self, outcome: Outcome, request: Request, limit: int, *, has_text: bool) -> None:
        """Take note of how a call ended that had ``limit`` tokens."""
        room = max(0, limit - request.max_tokens)
        thought = outcome.tokens.thought or -(-len(outcome.reasoning) // 4)
        self._thought = max(self._thought, thought)
        if outcome.finish == "length" and (not has_text or thought > room):
            self._room = min(MOST_ROOM, max(LEAST_ROOM, room * GROWS, thought * GROWS))

    def takes_at_most(self, tokens: int) -> bool:
        """The server takes no higher limit than this; False where that was known, or leaves nothing to answer with."""
        if tokens < LEAST_LIMIT or (self._most is not None and self._most <= tokens):
            return False
        self._most = tokens
        return True


class Lessons:
    """One provider's, by address and model.  ``room_share``: room for thinking, of what is usual."""

    def __init__(self, known: Callable[[str], Model | None], *, room_share: float = 1.0) -> None:
        self._known, self._share = known, room_share
        self._learned: dict[tuple[str, str], Learned] = {}

    def of(self, address: str, model: str) -> Learned:
        """What is known of a model at an address."""
        place = (address, model)
        if place not in self._learned:
            self._learned[place] = Learned(self._known(model), room_share=self._share)
        return self._learned[place]


async def adapting(
    request: Request,
    learned: Learned,
    parameters: Callable[[frozenset[str], int], Asked],
    call: Callable[[Asked], Source],
    lack_in: Callable[[str, Asked], str | None],
) -> Source:
    """One call; again, before it has said anything, where the server does not take something that we asked for.

    ``parameters`` makes what is asked from what the model lacks and from the limit of tokens.  ``lack_in`` tells from
    the vendor's sentence what of it the model lacks, None where the sentence says something else.  A sibling may have
    learned the same meanwhile: then this call asks anew as well.  What a prompt leaves of the window bounds this call
    and no other.
    """
    left = MOST_TOKENS
    while True:
        lacks, limit = learned.lacks(), min(learned.limit(request), left)
        asked = parameters(lacks, limit)
        has_spoken = False
        try:
            async with aclosing(call(asked)) as source:
                async for piece in source:
                    has_spoken = has_spoken or bool(piece)
                    yield piece
        except (BadRequest, ContextExceeded) as error:
            if has_spoken:
                raise
            if (most := most_tokens(error.message)) is not None and learned.takes_at_most(most):
                continue
            if (rest := tokens_left(error.message)) is not None and LEAST_LIMIT <= rest < limit:
                left = rest
                continue
            lack = lack_in(error.message, asked) if isinstance(error, BadRequest) else None
            if lack is None or lack in lacks:
                raise
            learned.lack(lack)
        else:
            return


def most_tokens(message: str) -> int | None:
    """The highest limit of tokens that a vendor's refusal names for a model; None where it is about something else."""
    found = next(filter(None, (pattern.search(message) for pattern in _MOST)), None)
    if found is not None:
        return int(found[1])
    beyond = _BEYOND.search(message)
    return None if beyond is None else int(beyond[1]) - 1


def tokens_left(message: str) -> int | None:
    """What a refusal says that a prompt leaves of the window; None where it is about something else."""
    found = next(filter(None, (pattern.search(message) for pattern in _WINDOW)), None)
    return None if found is None else int(found[1]) - int(found[2])


_MOST: Final = (
    re.compile(r"supports at most (\d+) completion tokens"),  # OpenAI
    re.compile(r"max_tokens: \d+ > (\d+)"),  # Anthropic
    re.compile(r"max(?:_completion)?_tokens`? must be less than or equal to `?(\d+)"),  # Groq
)
_BEYOND: Final = re.compile(r"range is from 1 \(inclusive\) to (\d+) \(exclusive\)")  # Gemini
_WINDOW: Final = (  # vLLM's, then and now: all that it holds, and what the prompt takes of it
    re.compile(r"context length is (\d+) tokens\D+\d+ tokens \((\d+) in the messages"),
    re.compile(r"context length is (\d+) tokens and your request has (\d+) input tokens"),
)
