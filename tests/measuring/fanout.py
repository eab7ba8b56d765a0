"""One message to many sockets: deliveries per second of the server's own CPU time.

The clients are another process and do very little, and other programs do not count.  Moot's figure includes the append,
the fold, the frame and every socket.  The two servers send by turns, so that noise of the machine affects both alike.
"""

import time
from typing import Final

import anyio

from events.record import now
from events.types import TurnStarted
from server.bench.figure import BenchFigure, figure, interleaved
from server.bench.material import text_of
from server.feed.channel import TextInFlight
from tests.measuring.clients import ReaderProcess, affordable_sockets, limit_name, readers, sender
from tests.measuring.served import QUIET_S, MootServer, broadcasting, moot, starlette

UNIT: Final = "deliveries/s of CPU"
QUICK, REPETITIONS = 7, 30
JOINED: Final = 16


async def _ours(server: MootServer, clients: ReaderProcess, count: int, joined: int = 1) -> float:
    """Deliveries per second of CPU, for ``joined`` events in one append."""
    began = time.process_time()
    await clients.expect(joined)
    await server.append(joined)
    await clients.received()
    return count * joined / (time.process_time() - began)


async def fanout(*, quick: bool, sockets: int = 1000, joined: int = 1) -> tuple[float, float, int]:
    """Moot and the C loop over that many sockets; and the number of sockets that could be opened."""
    count = affordable_sockets(sockets)
    async with moot() as server, readers(server.port, count, server.path) as clients:
        await anyio.sleep(QUIET_S)
        await server.append()
        size = await server.frame_size()
        async with sender(count, size, joined) as (loop, others):

            async def ours() -> float:
                return await _ours(server, clients, count, joined)

            async def limit() -> float:
                await others.expect(joined)
                spent_s = await loop.send(1)
                await others.received()
                return count * joined / spent_s

            reached, bare = await interleaved(ours, limit, QUICK if quick else REPETITIONS)
    return reached, bare, count


async def fanout_1000(*, quick: bool) -> BenchFigure:
    """A message of 1 KB to 1,000 sockets; if ``quick``, to 400."""
    reached, bare, count = await fanout(quick=quick, sockets=400 if quick else 1000)
    return figure("fan-out", reached, bare, aim=0.8, unit=UNIT, against=f"{limit_name()} over {count:,} sockets")


async def fanout_4000(*, quick: bool) -> BenchFigure:
    """A message of 1 KB to 4,000 sockets; if ``quick``, to 600."""
    reached, bare, count = await fanout(quick=quick, sockets=600 if quick else 4000)
    return figure("fan-out, wide", reached, bare, aim=0.8, unit=UNIT, against=f"{limit_name()} over {count:,} sockets")


async def joined_16(*, quick: bool) -> BenchFigure:
    """Sixteen messages of 1 KB from one append."""
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


async def against_send_text(*, quick: bool) -> BenchFigure:
    """The same message beside Starlette's ``send_text`` in a loop."""
    count = affordable_sockets(250 if quick else 1000)
    async with moot() as server, readers(server.port, count, server.path) as clients:
        await anyio.sleep(QUIET_S)
        await server.append()
        text = "x" * await server.frame_size()
        async with starlette() as (port, sockets), readers(port, count, "/") as others:

            async def theirs() -> float:
                began = time.process_time()
                await others.expect(1)
                for websocket in sockets:
                    await websocket.send_text(text)
                await others.received()
                return count / (time.process_time() - began)

            async def ours() -> float:
                return await _ours(server, clients, count)

            reached, other = await interleaved(ours, theirs, QUICK if quick else REPETITIONS)
    return figure(
        "fan-out / send_text",
        reached,
        other,
        aim=1.6,
        unit=UNIT,
        against=f"Starlette's send_text in a loop over {count:,} sockets",
    )


async def against_broadcast(*, quick: bool) -> BenchFigure:
    """The same message beside ``websockets.broadcast``."""
    count = affordable_sockets(250 if quick else 1000)
    async with moot() as server, readers(server.port, count, server.path) as clients:
        await anyio.sleep(QUIET_S)
        await server.append()
        text = "x" * await server.frame_size()
        async with broadcasting() as (port, send_all), readers(port, count, "/") as others:

            async def theirs() -> float:
                began = time.process_time()
                await others.expect(1)
                send_all(text)
                await others.received()
                return count / (time.process_time() - began)

            async def ours() -> float:
                return await _ours(server, clients, count)

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
"""Words of a delta; as a message it has about 82 bytes."""
OFFER: Final = "permessage-deflate; client_max_window_bits"


class WordStream:
    """The text of a turn, a few words at a time, without repetition."""

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


async def against_each(*, quick: bool) -> BenchFigure:
    """Messages of 1 KB to 1,000 sockets: one compressor for all of them beside one for each."""
    count = affordable_sockets(SOCKETS // 2 if quick else SOCKETS)
    async with moot() as server, readers(server.port, count, server.path, offer=OFFER) as clients:
        await anyio.sleep(QUIET_S)
        for _ in range(ROUNDS):  # newcomers have a compressor of their own for one window
            await server.append()
        async with starlette(deflate=True) as (port, sockets), readers(port, count, "/", offer=OFFER) as others:

            async def ours() -> float:
                began = time.process_time()
                await clients.expect(1)
                await server.append()
                await clients.received()
                return count / (time.process_time() - began)

            async def theirs() -> float:
                head = await server.service.log.head(server.debate)
                [text], _ = await server.service.hub.frames_page(server.debate, head - 1, 1)
                began = time.process_time()
                await others.expect(1)
                for websocket in sockets:
                    await websocket.send_text(text)
                await others.received()
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


async def delta_size(*, quick: bool) -> BenchFigure:
    """Bytes of a delta on the wire, beside the same deltas uncompressed."""
    rounds = 60 if quick else 400

    async def size(offer: str) -> float:
        words = WordStream()
        async with moot(tick_ms=0) as server, readers(server.port, 10, server.path, offer=offer) as clients:
            await anyio.sleep(0.1)
            await _start_turn(server)
            await _send_deltas(server, clients, words, 100)  # newcomers have a compressor of their own for one window
            return await _send_deltas(server, clients, words, rounds) / rounds / 10

    compressed, raw = await size(OFFER), await size("")
    return figure(
        "delta, compressed", compressed, raw, aim=1 / 3, better="less", unit="bytes", against="the same, uncompressed"
    )


async def _send_deltas(server: MootServer, clients: ReaderProcess, words: WordStream, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        await clients.expect(1)
        server.service.hub.add_text(server.debate, words.next())
        total += (await clients.received()).bytes
    return total
