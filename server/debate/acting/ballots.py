"""The queue of ballots of one debate: votes that arrive together are appended together.

A debate has one writer, and every append waits until it is durable.  A thousand votes, appended one by one, would
delay the judge's next event by a thousand appends.  With the queue the judge waits for one batch at most.
"""

from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import Final

import anyio

from events.errors import StoreUnavailable
from events.record import Draft, Recorded
from events.state.debate import Debate
from server.debate.acts import Ballot, ballot_refusal
from server.errors import MootError

BATCH: Final = 100
"""Ballots in one append.  More would block the event loop for too long while they are folded."""
Append = Callable[[Callable[[Debate], Sequence[Draft]]], Awaitable[tuple[Recorded, ...]]]


class _PendingBallot:
    """One ballot and its outcome: a position, or the error that refuses it."""

    def __init__(self, ballot: Ballot) -> None:
        self.ballot = ballot
        self.refused: MootError | StoreUnavailable | None = None
        self.position = 0


class BallotQueue:
    """Takes ballots one by one and appends them in batches."""

    def __init__(self, append: Append) -> None:
        self._append = append
        self._pending: dict[_PendingBallot, None] = {}
        """The ballots that wait, in their order."""
        self._appending = anyio.Lock()

    async def cast(self, ballot: Ballot) -> int:
        """Record a ballot; its position.  Raises ``NotNow`` if it is not allowed now, ``StoreUnavailable``."""
        pending = _PendingBallot(ballot)
        self._pending[pending] = None
        try:
            async with self._appending:
                while not pending.position and pending.refused is None:
                    await self._append_batch()
        finally:
            self._pending.pop(pending, None)  # it is still there after a cancellation or a failure of the store
        if pending.refused is not None:
            raise pending.refused
        return pending.position

    async def _append_batch(self) -> None:
        """Append the first of the ballots that wait."""
        taken = tuple(islice(self._pending, BATCH))
        allowed: list[_PendingBallot] = []

        def build(debate: Debate) -> Sequence[Draft]:
            allowed.clear()
            for each in taken:
                each.refused = ballot_refusal(debate, each.ballot, len(allowed))
                if each.refused is None:
                    allowed.append(each)
            return [Draft(event=each.ballot) for each in allowed]

        try:
            records = await self._append(build)
        except StoreUnavailable as error:  # it holds for all of them: none is appended a second time
            for each in taken:
                each.refused = each.refused or error
        else:
            for each, record in zip(allowed, records, strict=True):
                each.position = record.position
        for each in taken:
            self._pending.pop(each, None)
