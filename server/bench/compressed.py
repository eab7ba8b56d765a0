"""What is told, compressed once for everybody, against a compressor for each socket and against no compression."""

import time
from typing import Final

import anyio

from events.record import now
from events.types import TurnStarted
from server.bench.clients import Audience, affordable, audience
from server.bench.fanout import QUICK, REPETITIONS, UNIT
from server.bench.figure import Figure, figure, interleaved
from server.bench.material import text_of
from server.bench.served import QUIET_S, House, moot, starlette
from server.feed.channel import TextInFlight

SOCKETS: Final = 1000
ROUNDS: Final = 10
WORDS: Final = 3
"""Words of a delta: with all its names, about 82 bytes."""
OFFER: Final = "permessage-deflate; client_max_window_bits"


class Talk:
    """A turn that is being spoken, a few words at a time, never twice the same."""

    def __init__(self) -> None:
        self._words = [word for turn in range(1, 400) for word in text_of(turn).split()]
        self._at = 0

    def next(self) -> str:
        """The next words."""
        self._at = (self._at + WORDS) % len(self._words)
        return " ".join(self._words[self._at : self._at + WORDS]) + " "


async def _begin(house: House) -> None:
    head = await house.service.log.head(house.debate)
    await house.service.log.append(house.debate, head, [TurnStarted(turn=1, side="pro", attempt=1, directive=None)])
    await house.service.hub.view_at(house.debate, None)
    house.service.hub.start_text(house.debate, TextInFlight(1, "pro", 1, now()))


async def against_each(*, quick: bool) -> Figure:
    """Messages of 1 KB to 1,000 sockets, one compressor for all of them and one for each."""
    count = affordable(SOCKETS // 2 if quick else SOCKETS)
    async with moot() as house, audience(house.port, count, house.path, offer=OFFER) as watching:
        await anyio.sleep(QUIET_S)
        for _ in range(ROUNDS):  # until a window has gone by they are newcomers
            await house.append()
        async with starlette(deflate=True) as (port, sockets), audience(port, count, "/", offer=OFFER) as reading:

            async def ours() -> float:
                began = time.process_time()
                await watching.expect(1)
                await house.append()
                await watching.had()
                return count / (time.process_time() - began)

            async def theirs() -> float:
                head = await house.service.log.head(house.debate)
                [text], _ = await house.service.hub.frames_page(house.debate, head - 1, 1)
                began = time.process_time()
                await reading.expect(1)
                for websocket in sockets:
                    await websocket.send_text(text)
                await reading.had()
                return count / (time.process_time() - began)

            reached, other = await interleaved(ours, theirs, QUICK if quick else REPETITIONS)
    return figure(
        "fan-out, compressed",
        reached,
        other,
        aim=4,
        unit=UNIT,
        against=f"a compressor for each of {count:,} sockets (uvicorn, send_text)",
    )


async def delta_size(*, quick: bool) -> Figure:
    """Bytes of a delta on the wire, and of the same deltas uncompressed."""
    rounds = 60 if quick else 400

    async def size(offer: str) -> float:
        talk = Talk()
        async with moot(tick_ms=0) as house, audience(house.port, 10, house.path, offer=offer) as watching:
            await anyio.sleep(0.1)
            await _begin(house)
            await _told(house, watching, talk, 100)  # until a window has gone by they are newcomers
            return await _told(house, watching, talk, rounds) / rounds / 10

    compressed, raw = await size(OFFER), await size("")
    return figure(
        "delta, compressed", compressed, raw, aim=1 / 3, better="less", unit="bytes", against="the same, uncompressed"
    )


async def _told(house: House, watching: Audience, talk: Talk, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        await watching.expect(1)
        house.service.hub.add_text(house.debate, talk.next())
        total += (await watching.had()).bytes
    return total
