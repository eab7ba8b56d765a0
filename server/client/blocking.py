"""The client for code without ``async``: a thread runs the loop."""

from collections.abc import Generator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack
from types import TracebackType
from typing import Any, Self

from anyio.from_thread import BlockingPortal, start_blocking_portal

from events.view.view import View
from server.client.connection import ADDRESS, PATIENCE_S, AsyncClient, Export
from server.client.messages import Delta, Frame
from server.export.argument_audit import ArgumentAudit
from server.export.audit import Audit


class Client:
    """What ``AsyncClient`` does, and raises, in calls that wait.  Use it as a context, or call ``close``."""

    def __init__(
        self,
        address: str = ADDRESS,
        token: str | None = None,
        *,
        context: AbstractAsyncContextManager[AsyncClient] | None = None,
    ) -> None:
        """``token`` as for ``AsyncClient``; ``context`` gives the client in place of one for the address."""
        with ExitStack() as stack:
            self._portal: BlockingPortal = stack.enter_context(start_blocking_portal())
            opening = AsyncClient(address, token) if context is None else context
            self._client: AsyncClient = stack.enter_context(self._portal.wrap_async_context_manager(opening))
            self._stack = stack.pop_all()

    @classmethod
    def in_process(cls, store: str = "memory:", **settings: Any) -> Self:
        """A client of a Moot that runs in this process, in a thread.  ``settings`` are those of docs/settings.md."""
        return cls(context=AsyncClient.in_process(store, **settings))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; in process, the debates too."""
        self._stack.close()

    def open(self, motion: str = "", **fields: Any) -> str:
        """Open and start a debate; its id.  ``fields`` are those of docs/http.md#opening-a-debate."""
        return self._portal.call(lambda: self._client.open(motion, **fields))

    def follow(
        self, debate: str, after: int = 0, *, director: bool = False, patience_s: float = PATIENCE_S
    ) -> Generator[Frame | Delta]:
        """Every frame after a position, each once and in order, as ``AsyncClient.follow``."""
        messages = self._client.follow(debate, after, director=director, patience_s=patience_s)
        try:
            while (message := self._portal.call(anext, messages, None)) is not None:
                yield message
        finally:
            self._portal.call(messages.aclose)

    def view(self, debate: str, at: int | None = None, *, director: bool = False) -> View:
        """The view of a debate, at a position or now."""
        return self._portal.call(lambda: self._client.view(debate, at, director=director))

    def audit(self, debate: str, turn: int) -> Audit:
        """Every score entry of a turn, in order."""
        return self._portal.call(self._client.audit, debate, turn)

    def audit_argument(self, debate: str, argument: str) -> ArgumentAudit:
        """What every score of an argument of format ``protocol`` is made of."""
        return self._portal.call(self._client.audit_argument, debate, argument)

    def export(self, debate: str, form: Export = "md", **query: Any) -> str:
        """An export as text.  ``query``: ``calls``, ``evidence``, ``director``, as in docs/http.md."""
        return self._portal.call(lambda: self._client.export(debate, form, **query))

    def get(self, path: str) -> Any:
        """The decoded answer to a GET of any route."""
        return self._portal.call(self._client.get, path)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The decoded answer to a POST to any route."""
        return self._portal.call(self._client.post, path, body)
