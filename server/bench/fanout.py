"""One message to many sockets, as deliveries per second of the server's own CPU.

The clients are another process and do next to nothing; what other programs do meanwhile does not count.  Ours takes the
whole way: from the append, over the fold and the frame, to each socket.  One message is told by one server, then one by
the other, and so on: what disturbs the machine disturbs both.
"""

import time
from typing import Final

import anyio

from server.bench.clients import Audience, affordable, audience, limit_is, sender
from server.bench.figure import Figure, figure, interleaved
from server.bench.served import QUIET_S, House, broadcasting, moot, starlette

UNIT: Final = "deliveries/s of CPU"
QUICK, REPETITIONS = 7, 30
JOINED: Final = 16


async def _ours(house: House, watching: Audience, count: int, joined: int = 1) -> float:
    """Deliveries per CPU-second of so many events that are appended together."""
    began = time.process_time()
    await watching.expect(joined)
    await house.append(joined)
    await watching.had()
    return count * joined / (time.process_time() - began)


async def fanout(*, quick: bool, sockets: int = 1000, joined: int = 1) -> tuple[float, float, int]:
    """Ours and the C loop over so many sockets, and how many there were."""
    count = affordable(sockets)
    async with moot() as house, audience(house.port, count, house.path) as watching:
        await anyio.sleep(QUIET_S)
        await house.append()
        size = await house.frame_size()
        async with sender(count, size, joined) as (loop, reading):

            async def ours() -> float:
                return await _ours(house, watching, count, joined)

            async def limit() -> float:
                await reading.expect(joined)
                spent_s = await loop.send(1)
                await reading.had()
                return count * joined / spent_s

            reached, bare = await interleaved(ours, limit, QUICK if quick else REPETITIONS)
    return reached, bare, count


async def fanout_1000(*, quick: bool) -> Figure:
    """A message of 1 KB to 1,000 sockets; in a hurry to 400."""
    reached, bare, count = await fanout(quick=quick, sockets=400 if quick else 1000)
    return figure("fan-out", reached, bare, aim=0.8, unit=UNIT, against=f"{limit_is()} over {count:,} sockets")


async def fanout_4000(*, quick: bool) -> Figure:
    """A message of 1 KB to 4,000 sockets; in a hurry to 600."""
    reached, bare, count = await fanout(quick=quick, sockets=600 if quick else 4000)
    return figure("fan-out, wide", reached, bare, aim=0.8, unit=UNIT, against=f"{limit_is()} over {count:,} sockets")


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
        against=f"{limit_is()}, {JOINED} a write, over {count:,} sockets",
    )


async def against_send_text(*, quick: bool) -> Figure:
    """Against Starlette's ``send_text`` in a loop."""
    count = affordable(250 if quick else 1000)
    async with moot() as house, audience(house.port, count, house.path) as watching:
        await anyio.sleep(QUIET_S)
        await house.append()
        text = "x" * await house.frame_size()
        async with starlette() as (port, sockets), audience(port, count, "/") as reading:

            async def theirs() -> float:
                began = time.process_time()
                await reading.expect(1)
                for websocket in sockets:
                    await websocket.send_text(text)
                await reading.had()
                return count / (time.process_time() - began)

            async def ours() -> float:
                return await _ours(house, watching, count)

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
    count = affordable(250 if quick else 1000)
    async with moot() as house, audience(house.port, count, house.path) as watching:
        await anyio.sleep(QUIET_S)
        await house.append()
        text = "x" * await house.frame_size()
        async with broadcasting() as (port, tell), audience(port, count, "/") as reading:

            async def theirs() -> float:
                began = time.process_time()
                await reading.expect(1)
                tell(text)
                await reading.had()
                return count / (time.process_time() - began)

            async def ours() -> float:
                return await _ours(house, watching, count)

            reached, other = await interleaved(ours, theirs, QUICK if quick else REPETITIONS)
    return figure(
        "fan-out / broadcast",
        reached,
        other,
        aim=1.1,
        unit=UNIT,
        against=f"websockets.broadcast over {count:,} sockets",
    )
