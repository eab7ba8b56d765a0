"""One message to many sockets, as deliveries per second of the server's own CPU.

The clients are another process and do next to nothing; what other programs do meanwhile does not count.  Ours takes the
whole way: from the append, over the fold and the frame, to each socket.  One message is told by one server, then one by
the other, and so on: what disturbs the machine disturbs both.
"""

import time
from typing import Final

import anyio

from events.record import now
from events.types import TurnStarted
from server.bench.clients import ReaderProcess, affordable_sockets, limit_name, readers, sender
from server.bench.figure import Figure, figure, interleaved
from server.bench.material import text_of
from server.bench.served import QUIET_S, MootServer, broadcasting, moot, starlette
from server.feed.channel import TextInFlight

UNIT: Final = "deliveries/s of CPU"
QUICK, REPETITIONS = 7, 30
JOINED: Final = 16


async def _ours(server: MootServer, watching: ReaderProcess, count: int, joined: int = 1) -> float:
    """Deliveries per CPU-second of so many events that are appended together."""
    began = time.process_time()
    await watching.expect(joined)
    await server.append(joined)
    await watching.received()
    return count * joined / (time.process_time() - began)


async def fanout(*, quick: bool, sockets: int = 1000, joined: int = 1) -> tuple[float, float, int]:
    """Ours and the C loop over so many sockets, and how many there were."""
    count = affordable_sockets(sockets)
    async with moot() as server, readers(server.port, count, server.path) as watching:
        await anyio.sleep(QUIET_S)
        await server.append()
        size = await server.frame_size()
        async with sender(count, size, joined) as (loop, reading):

            async def ours() -> float:
                return await _ours(server, watching, count, joined)

            async def limit() -> float:
                await reading.expect(joined)
                spent_s = await loop.send(1)
                await reading.received()
                return count * joined / spent_s

            reached, bare = await interleaved(ours, limit, QUICK if quick else REPETITIONS)
    return reached, bare, count


async def fanout_1000(*, quick: bool) -> Figure:
    """A message of 1 KB to 1,000 sockets; in a hurry to 400."""
    reached, bare, count = await fanout(quick=quick, sockets=400 if quick else 1000)
    return figure("fan-out", reached, bare, aim=0.8, unit=UNIT, against=f"{limit_name()} over {count:,} sockets")


async def fanout_4000(*, quick: bool) -> Figure:
    """A message of 1 KB to 4,000 sockets; in a hurry to 600."""
    reached, bare, count = await fanout(quick=quick, sockets=600 if quick else 4000)
    return figure("fan-out, wide", reached, bare, aim=0.8, unit=UNIT, against=f"{limit_name()} over {count:,} sockets")


async def joined_16(*, quick: bool) -> Figure:
    """Sixteen messages of 1 KB that were appended together."""
    reached, bare, count = await fanout(quick=quick, joined=JOINED, sockets=600 if quick else 4000)
    return figure(
        "fan-out, joined",
        reached,
        bare,
        aim=1e6,
        aim_of="value",
        unit="messages/s of CPU",
        against=f"{limit_name()}, {JOINED} a write, over {count:,} sockets",
    )


async def against_send_text(*, quick: bool) -> Figure:
    """Against Starlette's ``send_text`` in a loop."""
    count = affordable_sockets(250 if quick else 1000)
    async with moot() as server, readers(server.port, count, server.path) as watching:
        await anyio.sleep(QUIET_S)
        await server.append()
        text = "x" * await server.frame_size()
        async with starlette() as (port, sockets), readers(port, count, "/") as reading:

            async def theirs() -> float:
                began = time.process_time()
                await reading.expect(1)
                for websocket in sockets:
                    await websocket.send_text(text)
                await reading.received()
                return count / (time.process_time() - began)

            async def ours() -> float:
                return await _ours(server, watching, count)

            reached, other = await interleaved(ours, theirs, QUICK if quick else REPETITIONS)
    return figure(
        "fan-out / send_text",
        reached,
        other,
        aim=1.6,
        unit=UNIT,
        against=f"Starlette's send_text in a loop over {count:,} sockets",
    )


async def against_broadcast(*, quick: bool) -> Figure:
    """Against ``websockets.broadcast``."""
    count = affordable_sockets(250 if quick else 1000)
    async with moot() as server, readers(server.port, count, server.path) as watching:
        await anyio.sleep(QUIET_S)
        await server.append()
        text = "x" * await server.frame_size()
        async with broadcasting() as (port, tell), readers(port, count, "/") as reading:

            async def theirs() -> float:
                began = time.process_time()
                await reading.expect(1)
                tell(text)
                await reading.received()
                return count / (time.process_time() - began)

            async def ours() -> float:
                return await _ours(server, watching, count)

            reached, other = await interleaved(ours, theirs, QUICK if quick else REPETITIONS)
    return figure(
        "fan-out / broadcast",
        reached,
        other,
        aim=1.1,
        unit=UNIT,
        against=f"websockets.broadcast over {count:,} sockets",
    )


SOCKETS: Final = 1000
ROUNDS: Final = 10
WORDS: Final = 3
"""Words of a delta: with all its names, about 82 bytes."""
OFFER: Final = "permessage-deflate; client_max_window_bits"


class WordStream:
    """A turn that is being spoken, a few words at a time, never twice the same."""

    def __init__(self) -> None:
        self._words = [word for turn in range(1, 400) for word in text_of(turn).split()]
        self._at = 0

    def next(self) -> str:
        """The next words."""
        self._at = (self._at + WORDS) % len(self._words)
        return " ".join(self._words[self._at : self._at + WORDS]) + " "


async def _start_turn(server: MootServer) -> None:
    head = await server.service.log.head(server.debate)
    await server.service.log.append(server.debate, head, [TurnStarted(turn=1, side="pro", attempt=1, directive=None)])
    await server.service.hub.view_at(server.debate, None)
    server.service.hub.start_text(server.debate, TextInFlight(1, "pro", 1, now()))


async def against_each(*, quick: bool) -> Figure:
    """Messages of 1 KB to 1,000 sockets, one compressor for all of them and one for each."""
    count = affordable_sockets(SOCKETS // 2 if quick else SOCKETS)
    async with moot() as server, readers(server.port, count, server.path, offer=OFFER) as watching:
        await anyio.sleep(QUIET_S)
        for _ in range(ROUNDS):  # until a window has gone by they are newcomers
            await server.append()
        async with starlette(deflate=True) as (port, sockets), readers(port, count, "/", offer=OFFER) as reading:

            async def ours() -> float:
                began = time.process_time()
                await watching.expect(1)
                await server.append()
                await watching.received()
                return count / (time.process_time() - began)

            async def theirs() -> float:
                head = await server.service.log.head(server.debate)
                [text], _ = await server.service.hub.frames_page(server.debate, head - 1, 1)
                began = time.process_time()
                await reading.expect(1)
                for websocket in sockets:
                    await websocket.send_text(text)
                await reading.received()
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
        words = WordStream()
        async with moot(tick_ms=0) as server, readers(server.port, 10, server.path, offer=offer) as watching:
            await anyio.sleep(0.1)
            await _start_turn(server)
            await _send_deltas(server, watching, words, 100)  # until a window has gone by they are newcomers
            return await _send_deltas(server, watching, words, rounds) / rounds / 10

    compressed, raw = await size(OFFER), await size("")
    return figure(
        "delta, compressed", compressed, raw, aim=1 / 3, better="less", unit="bytes", against="the same, uncompressed"
    )


async def _send_deltas(server: MootServer, watching: ReaderProcess, words: WordStream, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        await watching.expect(1)
        server.service.hub.add_text(server.debate, words.next())
        total += (await watching.received()).bytes
    return total
