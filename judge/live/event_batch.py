"""A batch in the making.

The rules write events on the desk one after the other; each is folded at once, so that the next rule sees the balance
that the last one left, and an event may point at the position of one before it in the same batch.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from events.record import Draft, Recorded
from events.state import debate as debates
from events.state.debate import Debate
from events.types import Event, Reason

T = TypeVar("T")


class Answers(Struct, Generic[T], frozen=True, kw_only=True):
    """What came of one question: (position of the call, answer) of each sample, or why there is nothing."""

    given: tuple[tuple[int, T], ...] = ()
    failed: Reason | None = None

    @property
    def values(self) -> tuple[T, ...]:
        """The answers alone."""
        return tuple(value for _, value in self.given)

    @property
    def cause(self) -> int | None:
        """Position of the first answer."""
        return self.given[0][0] if self.given else None


class EventBatch:
    """Events to be appended together, over the debate as it stands."""

    def __init__(self, debate: Debate, *, at: str = "") -> None:
        """``at``: the time that the events are given; by default the opening's, since no rule asks for it."""
        self.debate = debate
        self.drafts: list[Draft] = []
        self._at = at or debate.opened_at

    def add(self, event: Event, cause: int | None) -> int:
        """Put an event on the desk; the position that it will have."""
        position = self.debate.position + 1
        self.drafts.append(Draft(event=event, cause=cause))
        self.debate = debates.evolve(
            self.debate,
            Recorded(
                debate=self.debate.id,
                position=position,
                id="",
                at=self._at,
                cause=cause,
                schema=1,
                salt=b"",
                payload=b"",
                digest=b"",
                event=event,
            ),
        )
        return position

    def batch(self) -> Sequence[Draft]:
        """What was put on the desk."""
        return tuple(self.drafts)
