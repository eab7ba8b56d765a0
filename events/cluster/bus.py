"""Messages between nodes that are not stored: text in flight, for spectators of a debate that another node runs.

While a bus is down its messages are lost.  Events are not affected: they travel through the log.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from msgspec import Struct

Receive = Callable[[bytes], None]


class BusState(Struct, frozen=True):
    """``up``: other nodes are reached now; ``dropped``: messages that were not sent since the start."""

    up: bool
    dropped: int


class Bus(Protocol):
    """No method waits or raises.  A node does not get its own messages."""

    @property
    def state(self) -> BusState:
        """The state now."""
        ...

    def publish(self, debate: str, message: bytes) -> None:
        """Send a message to the nodes that subscribe to ``debate``.

        Nothing is acknowledged or repeated: a message that cannot be sent now is dropped and counted.
        """
        ...

    def subscribe(self, debate: str, receive: Receive) -> AbstractContextManager[None]:
        """Within it, ``receive`` is called in the loop with the messages of other nodes about ``debate``, in order."""
        ...

    async def close(self) -> None:
        """Send and receive no more."""
        ...


class Subscribers:
    """The subscribers on this node, by debate."""

    def __init__(self) -> None:
        self._subscribers: dict[str, list[Receive]] = {}

    def __contains__(self, debate: str) -> bool:
        return debate in self._subscribers

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._subscribers))

    def deliver(self, debate: str, message: bytes) -> None:
        """Call the subscribers of ``debate``."""
        for receive in tuple(self._subscribers.get(debate, ())):
            receive(message)

    @contextmanager
    def subscribed(
        self, debate: str, receive: Receive, first: Callable[[str], None], last: Callable[[str], None]
    ) -> Iterator[None]:
        """``first`` is called for the first subscriber of a debate, ``last`` when the last one has left."""
        if debate not in self._subscribers:
            self._subscribers[debate] = []
            first(debate)
        self._subscribers[debate].append(receive)
        try:
            yield
        finally:
            self._subscribers[debate].remove(receive)
            if not self._subscribers[debate]:
                del self._subscribers[debate]
                last(debate)


class SingleNodeBus:
    """The bus of a node without other nodes."""

    @property
    def state(self) -> BusState:
        """Always up."""
        return BusState(up=True, dropped=0)

    def publish(self, debate: str, message: bytes) -> None:
        """Do nothing."""

    @contextmanager
    def subscribe(self, debate: str, receive: Receive) -> Iterator[None]:
        """Nothing is received."""
        del debate, receive
        yield

    async def close(self) -> None:
        """Do nothing."""
