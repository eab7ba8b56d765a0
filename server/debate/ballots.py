"""The ballot box of one debate: votes that come together are recorded together.

A debate has one writer, and every append waits until it is durable.  A thousand votes one by one would keep the judge's
next event waiting a thousand times that; here whoever comes first takes along all who wait, and the judge waits for
one batch at most.
"""

from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import Final

import anyio

from events.record import Draft, Recorded
from events.state.debate import Debate
from server.debate.acts import Ballot, refusal
from server.errors import MootError

BATCH: Final = 100
"""Ballots in one append: more would keep the event loop folding for too long at a time."""
Append = Callable[[Callable[[Debate], Sequence[Draft]]], Awaitable[tuple[Recorded, ...]]]


class _Slip:
    """One ballot and what became of it."""

    def __init__(self, ballot: Ballot) -> None:
        self.ballot = ballot
        self.refused: MootError | None = None
        self.position = 0


class BallotBox:
    """Takes ballots one by one and appends them in batches."""

    def __init__(self, append: Append) -> None:
        self._append = append
        self._slips: dict[_Slip, None] = {}
        """Those who wait, in order."""
        self._counting = anyio.Lock()

    async def cast(self, ballot: Ballot) -> int:
        """Record a ballot; its position.  Raises ``NotNow`` where it is not taken, ``StoreUnavailable``."""
        slip = _Slip(ballot)
        self._slips[slip] = None
        try:
            async with self._counting:
                while not slip.position and slip.refused is None:
                    await self._count()
        finally:
            self._slips.pop(slip, None)  # still there where whoever sent it was cancelled, or the store has failed
        if slip.refused is not None:
            raise slip.refused
        return slip.position

    async def _count(self) -> None:
        """Append the first of those who wait."""
        taken = tuple(islice(self._slips, BATCH))
        kept: list[_Slip] = []

        def build(debate: Debate) -> Sequence[Draft]:
            kept.clear()
            for slip in taken:
                slip.refused = refusal(debate, slip.ballot, len(kept))
                if slip.refused is None:
                    kept.append(slip)
            return [Draft(event=slip.ballot) for slip in kept]

        records = await self._append(build)
        for slip, record in zip(kept, records, strict=True):
            slip.position = record.position
        for slip in taken:
            self._slips.pop(slip, None)
