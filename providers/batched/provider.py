"""What the providers have in common that answer by a vendor's batches."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec.structs import replace

from providers.base import Answer, Request
from providers.catalog.addresses import BATCH
from providers.errors import BadRequest, ProviderError
from providers.http.vendor import VendorCall, VendorProvider

from .queue import CallBatches, SentBatch, name_of

if TYPE_CHECKING:
    from providers.registry import Registry

T = TypeVar("T")

NO_CALL: Final[Any] = None
"""A batch is no single call, and no error of the SDK is about one."""
LATER_S: Final = 90_000.0
"""Seconds that an answer may take: the vendors end a batch after 24 hours."""
CAVEAT: Final = "It answers within a day, by the vendor's batches at half the price: nobody should wait for it."


class BatchedProvider(VendorProvider):
    """Answers questions by batches; the parameters, prompts, replies and errors are those of the vendor's provider."""

    speaks = False

    def __init__(self, registry: "Registry") -> None:
        super().__init__()
        self._registry = registry
        self._batches = CallBatches(self.name, self)

    # a vendor's own part

    @abstractmethod
    def body(self, call: VendorCall) -> dict[str, Any]:
        """What is sent of one call: the body of a request that does not stream."""

    @abstractmethod
    def whole(self, result: Any) -> Iterator[Any]:
        """The parts in which the vendor's provider reads a whole reply."""

    @abstractmethod
    async def create(self, bodies: Mapping[str, dict[str, Any]], mark: str) -> str:
        """As ``queue.BatchAPI``."""

    @abstractmethod
    async def found(self, sent: SentBatch, mark: str) -> str:
        """As ``queue.BatchAPI``."""

    @abstractmethod
    async def is_over(self, batch: str) -> bool:
        """As ``queue.BatchAPI``."""

    @abstractmethod
    def results(self, batch: str) -> AsyncIterator[tuple[str, Any]]:
        """As ``queue.BatchAPI``."""

    # the protocol of a provider

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer when the batch of the call has ended."""
        return await super().answer(model, replace(request, idle_timeout_s=LATER_S), type_)

    async def parts(self, call: VendorCall) -> AsyncGenerator[Any, None]:
        """The parts of a reply, all at once."""
        if self._registry.notes is None:
            raise BadRequest(f"{self.name} keeps in a store what it has sent, and there is none")
        body, request = self.body(call), call.request
        name = name_of(self.address(), request.debate, request.call or request.key, request.attempt, body)
        result = await self._batches.result(self._registry.notes, name, body)
        for part in self.whole(result):
            yield part

    def caveat(self, model: str) -> str:
        """That its answers take long."""
        del model
        return CAVEAT

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Raise the ``ProviderError`` for what the SDK or the connection raises in the body."""
        try:
            yield
        except ProviderError:
            raise
        except Exception as error:
            if (translated := self.translated(error, NO_CALL)) is None:
                raise
            raise translated from error

    async def sent(self, call: Awaitable[Any]) -> Any:
        """What the SDK gives.  Raises ``ProviderError``."""
        with self.translating():
            return await call

    @property
    def of(self) -> str:
        """The name of the vendor's provider that answers at once."""
        return BATCH[self.name]
