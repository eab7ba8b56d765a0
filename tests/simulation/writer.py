"""Writes a debate without a moderator: batches and text at random times, in any order that a debate allows.

It appends and passes text to the hub as the moderator does.
"""

import asyncio
import random
from collections.abc import Sequence
from typing import Final

from events.errors import StoreUnavailable
from events.record import Draft
from events.types import (
    DebateConcluded,
    DebatePaused,
    DebateResumed,
    Event,
    ModeratorSpoke,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from server.debate.formats.exchange.steps import side_of
from server.feed.channel import TextInFlight
from tests.simulation.client import Oracle
from tests.simulation.format import events_after, opening
from tests.simulation.node import SimulatedNode, random_text

RETRY_S: Final = 0.3
MAX_S: Final = 0.6
RESTS: Final[tuple[Event, ...]] = (DebatePaused(reason="tea", by="x"), DebateResumed(reason="on", by="x"))


class RandomWriter:
    """Writes one debate on one node."""

    def __init__(self, node: SimulatedNode, oracle: Oracle, rng: random.Random, *, longest: int) -> None:
        self._node, self._oracle, self._rng, self._longest = node, oracle, rng, longest
        self._clock = node.log.shared.clock
        self._position = self._turn = 0
        self._attempt = 1

    async def write(self, seed: int, turns: int, *, large: bool, blind: bool) -> None:
        """Write from the opening to the conclusion."""
        await self._append([opening(seed, turns, large=large, blind=blind)])
        while self._turn < turns:
            await asyncio.sleep(self._rng.uniform(0, MAX_S))
            match self._rng.choice(("turn", "turn", "turn", "batch", "rest", "word")):
                case "turn":
                    await self._speak()
                case "batch":
                    await self._append(events_after(seed, self._rng.randint(0, 99), large=large))
                case "rest":
                    await self._append(RESTS * self._rng.choice((1, 1, 2, 7)))
                case _:
                    text = random_text(self._rng, self._longest)[:800]
                    await self._append([ModeratorSpoke(text=text, by="x")] * self._rng.choice((1, 3)))
        await self._append([DebateConcluded(winner="pro", by_rule="scorecard")])

    async def _speak(self) -> None:
        rng, debate = self._rng, self._oracle.debate
        turn, attempt = self._turn + 1, self._attempt
        side = side_of(turn)
        await self._append([TurnStarted(turn=turn, side=side, attempt=attempt, directive=None)])
        chunks = [random_text(rng, self._longest) for _ in range(rng.randint(1, 7))]
        self._oracle.speeches[turn, attempt] = "".join(chunks)
        self._node.hub.start_text(debate, TextInFlight(turn, side, attempt, self._clock.now()))
        fails = rng.random() < 0.2
        message = ""
        for chunk in chunks[: len(chunks) // 2 if fails else None]:
            self._node.hub.add_text(debate, chunk)
            message += chunk
            await asyncio.sleep(rng.choice((0, 0, 0.01, 0.1)))
            if rng.random() < 0.1:
                await self._append([ModeratorSpoke(text="Order!", by="x")])
        if fails:
            self._node.hub.end_text(debate)
            failed = TurnFailed(turn=turn, side=side, attempt=attempt, kind="reset", message="it broke off")
            await self._append([failed])
            self._attempt += 1
            return
        text = message.strip()
        spoken = TurnSpoken(
            turn=turn,
            side=side,
            attempt=attempt,
            text=text,
            words=len(text.split()),
            clipped=False,
            pace=((0, len(text)),),
            model="sim",
            usage=Usage(),
            latency_ms=1,
        )
        await self._append([spoken, *events_after(turn, attempt, large=False)] if rng.random() < 0.5 else [spoken])
        self._node.hub.end_text(debate)
        self._turn, self._attempt = turn, 1

    async def _append(self, events: Sequence[Event]) -> None:
        """Append, and repeat with the same ids until it succeeds, as the moderator does."""
        drafts = [Draft(event=event, id=self._clock.new_id()) for event in events]
        while drafts:
            try:
                records = await self._node.log.append(self._oracle.debate, self._position, drafts)
            except StoreUnavailable:
                await asyncio.sleep(RETRY_S)
            else:
                self._position = records[-1].position
                return
