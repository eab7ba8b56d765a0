"""What is said between the nodes and not kept: text in flight, for those who watch a debate that another node runs.

A bus that is down costs what was said meanwhile and nothing else: events travel through the log.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from msgspec import Struct

Receive = Callable[[bytes], None]


class BusState(Struct, frozen=True):
    """``up``: others are reached now; ``dropped``: messages that were not sent since the start."""

    up: bool
    dropped: int


class Bus(Protocol):
    """Nothing here waits and nothing raises.  A node does not hear itself."""

    @property
    def state(self) -> BusState:
        """How it is."""
        ...

    def publish(self, debate: str, message: bytes) -> None:
        """Say it to the nodes that listen to ``debate``, if they can be reached."""
        ...

    def subscribe(self, debate: str, receive: Receive) -> AbstractContextManager[None]:
        """Within it, ``receive`` is called in the loop with the messages of other nodes about ``debate``, in order."""
        ...

    async def close(self) -> None:
        """Say no more and hear no more."""
        ...


class Subscribers:
    """Who listens to what on this node."""

    def __init__(self) -> None:
        self._subscribers: dict[str, list[Receive]] = {}

    def __contains__(self, debate: str) -> bool:
        return debate in self._subscribers

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._subscribers))

    def deliver(self, debate: str, message: bytes) -> None:
        """Call those who listen to ``debate``."""
        for receive in tuple(self._subscribers.get(debate, ())):
            receive(message)

    @contextmanager
    def subscribed(
        self, debate: str, receive: Receive, first: Callable[[str], None], last: Callable[[str], None]
    ) -> Iterator[None]:
        """``first`` is called when nobody listened to the debate before, ``last`` when nobody does any more."""
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
    """The bus of a node that has no others."""

    @property
    def state(self) -> BusState:
        """There is nobody to be reached."""
        return BusState(up=True, dropped=0)

    def publish(self, debate: str, message: bytes) -> None:
        """Nobody hears it."""

    @contextmanager
    def subscribe(self, debate: str, receive: Receive) -> Iterator[None]:
        """Nothing will be heard."""
        del debate, receive
        yield

    async def close(self) -> None:
        """Nothing to end."""
