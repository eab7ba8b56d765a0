"""Who has the floor: a moderator among the nodes, and an attempt at a turn within its debate."""

import anyio

from events.state.debate import Debate
from server.debate.formats.steps import Speak


class Floor:
    """What a moderator is told about its own end: a debate has one moderator, on one node."""

    def __init__(self) -> None:
        self.is_leaving = False
        """Whether it goes no further than what is in flight."""
        self.lost = anyio.Event()
        """Another node has the debate: whatever this moderator wants to write is refused."""
        self.gone = anyio.Event()
        """It does nothing any more, so that another one may begin."""
        self._scope: anyio.CancelScope | None = None

    def taken(self) -> anyio.CancelScope:
        """The scope to run in."""
        self._scope = anyio.CancelScope()
        return self._scope

    def lose(self) -> None:
        """Another node has the debate: stop."""
        self.lost.set()
        self.stop()

    def stop(self) -> None:
        """Break off what is in flight."""
        if self._scope is not None:
            self._scope.cancel()


def has_floor(step: Speak, debate: Debate) -> bool:
    """Whether the attempt still stands: a halt takes the floor away while the last words are under way."""
    turn = debate.transcript.current
    return turn is not None and turn.state == "speaking" and (turn.number, turn.attempt) == (step.turn, step.attempt)
