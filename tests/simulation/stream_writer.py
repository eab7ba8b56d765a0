"""A writer without a moderator: batches and text at any moment, in any order that a debate allows.

It appends and tells the hub as the moderator does, event by event as the schedule draws them.
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
from server.debate.formats.exchange import side_of
from server.feed.channel import TextInFlight
from tests.simulation.course import beside, opening
from tests.simulation.node import Place, words
from tests.simulation.watcher import Truth

RETRY_S: Final = 0.3
MOST_S: Final = 0.6
RESTS: Final[tuple[Event, ...]] = (DebatePaused(reason="tea", by="x"), DebateResumed(reason="on", by="x"))


class StreamWriter:
    """Writes one debate on one node."""

    def __init__(self, place: Place, truth: Truth, chance: random.Random, *, longest: int) -> None:
        self._place, self._truth, self._chance, self._longest = place, truth, chance, longest
        self._position = self._turn = 0
        self._attempt = 1

    async def write(self, seed: int, turns: int, *, loud: bool, blind: bool) -> None:
        """From the opening to the conclusion."""
        await self._append([opening(seed, turns, loud=loud, blind=blind)])
        while self._turn < turns:
            await asyncio.sleep(self._chance.uniform(0, MOST_S))
            match self._chance.choice(("turn", "turn", "turn", "batch", "rest", "word")):
                case "turn":
                    await self._speak()
                case "batch":
                    await self._append(beside(seed, self._chance.randint(0, 99), loud=loud))
                case "rest":
                    await self._append(RESTS * self._chance.choice((1, 1, 2, 7)))
                case _:
                    text = words(self._chance, self._longest)[:800]
                    await self._append([ModeratorSpoke(text=text, by="x")] * self._chance.choice((1, 3)))
        await self._append([DebateConcluded(winner="pro", by_rule="scorecard")])

    async def _speak(self) -> None:
        chance, debate = self._chance, self._truth.debate
        turn, attempt = self._turn + 1, self._attempt
        side = side_of(turn)
        await self._append([TurnStarted(turn=turn, side=side, attempt=attempt, directive=None)])
        chunks = [words(chance, self._longest) for _ in range(chance.randint(1, 7))]
        self._truth.said[turn, attempt] = "".join(chunks)
        self._place.hub.start_text(debate, TextInFlight(turn, side, attempt, self._place.line.shared.clock.now()))
        fails = chance.random() < 0.2
        said = ""
        for chunk in chunks[: len(chunks) // 2 if fails else None]:
            self._place.hub.add_text(debate, chunk)
            said += chunk
            await asyncio.sleep(chance.choice((0, 0, 0.01, 0.1)))
            if chance.random() < 0.1:
                await self._append([ModeratorSpoke(text="Order!", by="x")])
        if fails:
            self._place.hub.end_text(debate)
            failed = TurnFailed(turn=turn, side=side, attempt=attempt, kind="reset", message="it broke off")
            await self._append([failed])
            self._attempt += 1
            return
        text = said.strip()
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
        await self._append([spoken, *beside(turn, attempt, loud=False)] if chance.random() < 0.5 else [spoken])
        self._place.hub.end_text(debate)
        self._turn, self._attempt = turn, 1

    async def _append(self, events: Sequence[Event]) -> None:
        """As the moderator: the same events again until they are there."""
        drafts = [Draft(event=event, id=self._place.line.shared.clock.new_id()) for event in events]
        while drafts:
            try:
                records = await self._place.line.append(self._truth.debate, self._position, drafts)
            except StoreUnavailable:
                await asyncio.sleep(RETRY_S)
            else:
                self._position = records[-1].position
                return
