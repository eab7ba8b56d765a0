"""One call to a model: it waits for a place in the provider's queue, and its result goes to the provider's breaker.

``Call`` is the edge between a provider and the rest of Moot.

All waiting happens before a call and never during it: for a place, for room in the minute, until a model's
``retry-after`` is over, and while the provider's breaker is open.  A call that would wait too long fails at once.

While calls wait for a provider that rests, one of them asks it again and again whether it answers, which costs nothing
(``Provider.check``).  A provider that did not answer and does so now is tried at once.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from random import Random, SystemRandom
from typing import Final, TypeVar

import anyio
import structlog
from msgspec import Struct
from msgspec.structs import replace

from providers.base import Answer, CallProgress, Outcome, Provider, Request
from providers.errors import BrokenOff, Overloaded, ProviderError, RateLimited

from . import Limit
from .breaker import Breaker
from .limiter import CallLimiter

logger = structlog.get_logger()
T = TypeVar("T")

PATIENCE_S: Final = 120.0
"""Longest wait for a provider that rests.  The wait for a place in the queue has no limit."""
RETRY_PATIENCE_S: Final = 900.0
"""Longest wait that a vendor may ask for (``retry-after``), at once or again and again."""
PROBE_S: Final = 2.0
"""Seconds between questions whether a provider that rests answers again."""
IN_PROCESS: Final = frozenset({"scripted"})
"""Providers for which calls never pause: no server needs a rest."""


def loop_time() -> float:
    """The time of the event loop, also in its callbacks, where ``anyio.current_time`` finds no loop."""
    return asyncio.get_running_loop().time()


class ProviderLoad(Struct, frozen=True, kw_only=True):
    """How busy a provider is.  If ``rests_s`` is above 0, its breaker is open."""

    provider: str
    running: int
    waiting: int
    rests_s: float
    last: str
    limit: Limit


class Call:
    """A call under way, and the edge to its provider.

    What leaves ``stream`` and ``answer`` is a ``ProviderError`` or a cancellation.  Any other error comes from a
    response that the provider did not expect, or is a bug in it: the log gets its traceback, and it becomes
    ``BrokenOff``, so that the call is tried again and no debate ends by it.
    """

    def __init__(self, provider: Provider, model: str, limiter: CallLimiter | None = None) -> None:
        """``limiter``: None for a provider without limits."""
        self.provider, self.model, self._limiter = provider, model, limiter
        self.progress = CallProgress()

    @property
    def outcome(self) -> Outcome:
        """The outcome of a call that has ended."""
        outcome = self.progress.outcome
        assert outcome is not None, "the call has not ended"
        return outcome

    async def stream(self, request: Request) -> AsyncGenerator[str, None]:
        """The pieces of a text.  Close it to end the call; after its end the call has an ``outcome``."""
        with self._edge(request) as asked:
            async with self.provider.stream(self.model, asked) as pieces:
                async for piece in pieces:
                    yield piece
            self.progress.outcome = pieces.outcome

    async def answer(self, request: Request, type_: type[T]) -> Answer[T]:
        """The answer to a typed question."""
        with self._edge(request) as asked:
            answer = await self.provider.answer(self.model, asked, type_)
            self.progress.outcome = answer.outcome
        return answer

    @contextmanager
    def _edge(self, request: Request) -> Iterator[Request]:
        """The request as the provider gets it."""
        try:
            yield replace(request, progress=self.progress)
        except ProviderError:
            raise
        except Exception as error:
            name = self.provider.name
            logger.exception("provider_failed", provider=name, model=self.model, debate=request.debate, key=request.key)
            why = f"{name} sent something that Moot did not expect ({type(error).__name__}): the log has the details"
            raise BrokenOff(why) from error

    def used(self, outcome: Outcome) -> None:
        """Count the tokens of a response against the limit per minute."""
        if self._limiter is not None:
            self._limiter.spend(outcome.tokens.input + outcome.tokens.output)


class ProviderQueue:
    """The limiter and the breaker of one provider, and the times before which its models want no call.

    ``clock``: the seconds by which the waits here pass.  The limits per minute have a monotonic clock of their own.
    """

    def __init__(
        self, name: str, limit: Limit, random: Random | None = None, *, clock: Callable[[], float] = loop_time
    ) -> None:
        self.name, self.limit = name, limit
        self._random, self._clock = random or SystemRandom(), clock
        self.limiter, self.breaker = CallLimiter(limit), Breaker(name, clock)
        self._retry_at: dict[str, float] = {}
        self._limited_since: dict[str, float] = {}
        """When each model first asked for a wait, if it has not answered since."""
        self._tried = anyio.Event()
        """Set when a call or a probe shows whether the provider answers; then replaced by a new one."""
        self._is_probed = self._is_away = False

    @asynccontextmanager
    async def call(
        self, provider: Provider, model: str, debate: str, *, patience_s: float = math.inf
    ) -> AsyncIterator[Call]:
        """A place for one call of ``debate``.

        Raises at once if it would wait longer than ``patience_s``.  Moot's own patience is ``PATIENCE_S`` with a
        provider that rests, and ``RETRY_PATIENCE_S`` if the vendor asks for the wait.
        """
        while True:
            await self._wait_for_retry(model, patience_s)
            async with self.limiter.place(debate):
                if self._retry_in_s(model) > 0:  # another call was told to wait while this one waited for its place
                    continue
                await self._wait_for_breaker(provider, model, patience_s)
                async with self._recorded(model):
                    yield Call(provider, model, self.limiter)
                return

    @asynccontextmanager
    async def _recorded(self, model: str) -> AsyncIterator[None]:
        """Tell the breaker the result of a call, and remember how long the model asks us to wait."""
        try:
            yield
        except ProviderError as error:
            self.breaker.failed(error)
            if isinstance(error, RateLimited | Overloaded) and error.retry_after_s:
                self._leave_alone(model, error.retry_after_s)
            raise
        except BaseException:
            self.breaker.abandoned()
            raise
        else:
            self.breaker.succeeded()
            if not self._retry_in_s(model):  # else the model asked for the wait after this call had begun
                self._retry_at.pop(model, None)
                self._limited_since.pop(model, None)
        finally:
            self._tell()

    def _tell(self) -> None:
        """Wake the calls that wait for the provider."""
        self._tried.set()
        self._tried = anyio.Event()

    def _leave_alone(self, model: str, seconds: float) -> None:
        now = self._clock()
        if now - self._retry_at.get(model, -math.inf) > RETRY_PATIENCE_S:  # nobody has called it since
            self._limited_since[model] = now
        self._retry_at[model] = now + seconds

    def _retry_in_s(self, model: str) -> float:
        return max(0.0, self._retry_at.get(model, 0.0) - self._clock())

    async def _wait_for_retry(self, model: str, patience_s: float) -> None:
        """Wait as long as the vendor asked for this model, plus a random tenth so that calls do not return at once."""
        while (left_s := self._retry_in_s(model)) > 0:
            is_lasting = self._retry_at[model] - self._limited_since[model] > RETRY_PATIENCE_S
            if is_lasting or left_s > patience_s:
                refusal = RateLimited(
                    f"{self.name}:{model} asked to be left alone for {left_s:.0f} s more", retry_after_s=left_s
                )
                refusal.is_lasting = is_lasting
                raise refusal
            await anyio.sleep(left_s * self._random.uniform(1, 1.1))

    async def _wait_for_breaker(self, provider: Provider, model: str, patience_s: float) -> None:
        """Wait while the breaker is open, or while the trial of another call decides whether it closes."""
        if self.name in IN_PROCESS:
            return
        with anyio.move_on_after(PATIENCE_S):
            while self.breaker.is_open and self.breaker.rests_s <= patience_s:
                if self.breaker.rests_s > 0:
                    await self._rest(provider, model)
                elif self.breaker.is_tried:
                    await self._tried.wait()
                else:
                    break
        self.breaker.check()

    async def _rest(self, provider: Provider, model: str) -> None:
        """Wait a part of the breaker's rest.  One of the calls that wait asks whether the provider answers."""
        with anyio.move_on_after(min(self.breaker.rests_s, PROBE_S)):
            await self._tried.wait()
            return
        if self._is_probed or not self.breaker.rests_s:
            return
        self._is_probed = True
        try:
            with anyio.move_on_after(self.breaker.rests_s):
                is_away = not any(status.ok for status in await provider.check(model))
                if self._is_away and not is_away:
                    self.breaker.end_rest()
                    self._tell()
                self._is_away = is_away
        except Exception:
            logger.exception("provider_failed", provider=self.name, model=model)
        finally:
            self._is_probed = False

    def wait(self, model: str, debate: str) -> str:
        """Why a debate's calls to a model wait now, in words; empty if none waits."""
        if (left_s := max(self.breaker.rests_s, self._retry_in_s(model))) > 0:
            return f"{self.name} rests for {left_s:.0f} s"
        if (ahead := self.limiter.ahead(debate)) is not None:
            if ahead == 0:
                return f"waiting for {self.name}: next in line"
            return f"waiting for {self.name}: {ahead} call{'s' if ahead > 1 else ''} ahead"
        if self.limiter.is_paced(debate):
            return f"waiting for {self.name}: its minute is used up"
        return ""

    @property
    def load(self) -> ProviderLoad:
        """How busy the provider is now."""
        return ProviderLoad(
            provider=self.name,
            running=self.limiter.running,
            waiting=self.limiter.waiting,
            rests_s=round(self.breaker.rests_s, 1),
            last=self.breaker.last,
            limit=self.limit,
        )
