"""The batch of events that the rules build.

The rules add events one after the other.  Each event is folded at once, so that the next rule sees the balance that the
last one left, and an event can refer to the position of an earlier event of the same batch.
"""

from events.record import Draft, unstored
from events.state import debate as debates
from events.state.debate import Debate
from events.types import Event


class EventBatch:
    """Events to append together, and the debate with these events folded."""

    def __init__(self, debate: Debate, *, at: str = "") -> None:
        """``at``: the time of the events; by default the time of the opening, since no rule reads it."""
        self.debate = debate
        self.drafts: list[Draft] = []
        self._at = at or debate.opened_at

    def add(self, event: Event, cause: int | None) -> int:
        """Add an event and return the position that it will have in the log.

        Nothing is stored.  If the debate moves on before the batch is appended, the positions are wrong: the rules
        then run again on a new batch.
        """
        position = self.debate.position + 1
        self.drafts.append(Draft(event=event, cause=cause))
        self.debate = debates.evolve(self.debate, unstored(self.debate.id, position, self._at, cause, event))
        return position
