"""Detached sockets over real connections, and the parts of the installed uvicorn that they rely on."""

import asyncio
import base64
import gc
import random
import socket as sockets
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import msgspec
import pytest
import uvicorn
from anyio.abc import SocketStream
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from events.types import DebateConcluded
from server.cli.serve import web_config
from server.feed.websocket.connections import Connections
from server.feed.websocket.incoming import unmasked
from server.feed.websocket.upgrade import EXTENSION, DetachableProtocol
from server.feed.websocket.wire import serialize
from server.http.access import Access
from server.http.app import make_app
from server.service import Service, running
from server.settings import Settings
from tests.server.debate_events import HALTED, PAUSED, RESUMED, opened, spoken, started
from tests.server.harness import Spectator

pytestmark = pytest.mark.anyio


class Served:
    """The whole server in this event loop."""

    def __init__(self, service: Service, server: uvicorn.Server, port: int) -> None:
        self.service, self.server, self.port = service, server, port

    @property
    def connections(self) -> Connections:
        connections: Connections = self.server.config.app.state.connections  # type: ignore[union-attr]
        return connections

    def connect(self, query: str = "", *, compression: Any = "deflate") -> connect:
        url = f"ws://127.0.0.1:{self.port}/ws/debates/d{query}"
        return connect(url, proxy=None, compression=compression, max_size=None, subprotocols=["moot.v1"])  # type: ignore[list-item]

    async def raw(self) -> SocketStream:
        """A bare TCP connection, after the handshake."""
        stream = await anyio.connect_tcp("127.0.0.1", self.port)
        await stream.send(handshake(self.port))
        assert b"101" in await stream.receive(16)
        return stream

    async def watched_by(self, number: int) -> None:
        with anyio.fail_after(10):
            while self.service.hub.spectators != number:  # noqa: ASYNC110 - there is no event to wait for
                await anyio.sleep(0.005)


@asynccontextmanager
async def served(connections: Callable[[Service], Connections] | None = None, **settings: Any) -> AsyncIterator[Served]:
    """A server as ``moot serve`` configures it."""
    chosen = Settings(store="memory:", retry_ms=0, **{"tick_ms": 0, **settings})
    with sockets.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        async with running(chosen) as service:
            config = web_config(service, Access(chosen))
            if connections is not None:
                config.app.state.connections = connections(service)  # type: ignore[union-attr]
            server = uvicorn.Server(config)
            task = asyncio.create_task(server._serve([listening]))
            await service.log.append("d", 0, [opened(), PAUSED])
            try:
                yield Served(service, server, listening.getsockname()[1])
            finally:
                server.should_exit = True
                await task


def handshake(port: int) -> bytes:
    key = base64.b64encode(bytes(16)).decode()
    return (
        f"GET /ws/debates/d HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )


def client_frame(payload: bytes, opcode: int = Opcode.TEXT) -> bytes:
    whole = bytearray(serialize(opcode, payload))
    whole[1] |= 0x80
    head = len(whole) - len(payload)
    return bytes(whole[:head]) + b"mask" + unmasked(payload, b"mask")


async def read_to_end(stream: SocketStream) -> bytes:
    """All bytes until the server ends the connection."""
    came = b""
    with anyio.fail_after(10):
        try:
            while True:
                came += await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return came


@pytest.mark.slow
async def test_a_socket_detaches_from_the_installed_uvicorn() -> None:
    """The extension is offered, the connection is detached, and no object of uvicorn's outlives that."""
    offered: list[Any] = []
    held: list[weakref.ref[Any]] = []
    made = DetachableProtocol.handle_connect

    def spy(self: DetachableProtocol, event: Any) -> None:
        made(self, event)
        offered.append(self.scope["extensions"])
        assert EXTENSION in offered[0]
        assert self in self.connections
        held.append(weakref.ref(self))
        offered.append(self.connections)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DetachableProtocol, "handle_connect", spy)
        async with served() as site, site.connect() as client:
            await client.recv()
            assert EXTENSION not in offered[0]
            assert {site.connections} == offered[1] == site.server.server_state.connections
            assert site.server.server_state.tasks == set()
            gc.collect()
            assert held[0]() is None
            assert (1, 1) == (site.connections.sockets, site.service.hub.spectators)
            await client.close()
            await site.watched_by(0)
            assert offered[1] == set()


async def test_without_the_extension_uvicorn_keeps_the_socket() -> None:
    chosen = Settings(store="memory:", tick_ms=0)
    async with running(chosen) as service:
        app = make_app(service, Access(chosen))
        await service.log.append("d", 0, [opened(), PAUSED])
        sent: list[Any] = []
        came = asyncio.Queue[Any]()
        await came.put({"type": "websocket.connect"})

        async def send(message: Any) -> None:
            sent.append(message)
            if "live" in message.get("text", ""):
                await came.put({"type": "websocket.disconnect", "code": 1000})

        scope = {
            "type": "websocket",
            "path": "/ws/debates/d",
            "raw_path": b"/ws/debates/d",
            "root_path": "",
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1"), (b"sec-websocket-extensions", b"permessage-deflate")],
            "subprotocols": ["moot.v1"],
            "client": ("127.0.0.1", 1),
            "scheme": "ws",
            "state": {},
            "extensions": {},
        }
        with anyio.fail_after(10):
            await app(scope, came.get, send)

    assert sent[0]["subprotocol"] == "moot.v1"
    assert sent[0]["headers"] == [], "compression is agreed on only if the server compresses"
    assert '"snapshot"' in sent[1]["text"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_joining_at_random_with_and_without_compression_shows_the_same(script: Any, seed: int) -> None:
    chance = random.Random(seed)
    says = {side: ["Trams 🚋 carry people. " * 30] for side in ("pro", "con")}
    model = script(pace={"chunk_ms": 1, "chunk_chars": 9}, says=says)
    async with served(tick_ms=2) as site:
        service = site.service
        seats = {role: {"model": model} for role in ("pro", "con", "judge")}
        body = {"motion": "Cities should ban cars", "turns": 2, **seats}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{site.port}") as http:
            debate = (await http.post("/api/debates", json=body)).json()["id"]
        seen: list[tuple[list[str], list[str]]] = []

        async def watch(compression: str | None, kept: list[str], spectator: Spectator) -> None:
            url = f"ws://127.0.0.1:{site.port}/ws/debates/{debate}"
            async with connect(url, proxy=None, compression=compression, max_size=None) as client:
                assert bool(client.protocol.extensions) == (compression is not None)
                async for message in client:
                    spectator.take(str(message))
                    kept.append(str(message))
                    if spectator.view["state"] == "concluded":
                        return

        pairs: list[list[Spectator]] = []
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                for _ in range(8):
                    pair: tuple[list[str], list[str]] = ([], [])
                    pairs.append([Spectator(), Spectator()])
                    seen.append(pair)
                    for compression, kept, spectator in zip((None, "deflate"), pair, pairs[-1], strict=True):
                        tasks.start_soon(watch, compression, kept, spectator)
                    await anyio.sleep(chance.random() * 0.2)
        expected = msgspec.json.decode(msgspec.json.encode(await service.hub.view(debate)))
        head = await service.log.read(debate)

    assert isinstance(head[-1].event, DebateConcluded)
    frames: dict[int, set[str]] = {}
    for pair, spectators in zip(seen, pairs, strict=True):
        assert [expected] * 2 == [spectator.view for spectator in spectators]
        for message in pair[0] + pair[1]:
            if message.startswith('{"kind":"frame"'):
                frames.setdefault(msgspec.json.decode(message)["position"], set()).add(message)
    assert {1} == {len(texts) for texts in frames.values()}, "the same bytes for all"


@pytest.mark.slow
async def test_compression_can_be_switched_off() -> None:
    async with served(compress=False) as site, site.connect() as client:
        assert client.protocol.extensions == []
        assert "snapshot" in str(await client.recv())


@pytest.mark.slow
async def test_a_server_that_stops_closes_all_sockets_with_a_position() -> None:
    async with served() as site:
        clients = [await site.connect(compression=how) for how in (None, "deflate") * 5]
        stalled = await site.raw()
        for client in clients:
            await client.recv()
        await site.service.log.append("d", 2, [RESUMED])
        closes = []
        with anyio.fail_after(5):
            site.server.should_exit = True
            for client in clients:
                with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012 - messages may come first
                    while True:
                        await client.recv()
                closes.append(closed.value.rcvd)
            while site.connections.sockets:  # noqa: ASYNC110 - there is no event to wait for
                await anyio.sleep(0.01)
        await stalled.aclose()

    expected = {(1001, "the server stops; come back with after=3")}
    assert expected == {(close.code, close.reason) for close in closes if close}


@pytest.mark.slow
async def test_a_client_that_breaks_a_rule_gets_the_close_code() -> None:
    async with served() as site:
        for stream, code in (
            (b"\x81\x05plain", 1002),
            (client_frame(b"\xff\xfe"), 1007),
            (client_frame(b"x" * 70_000), 1009),
        ):
            client = await site.raw()
            await client.send(stream)
            assert code.to_bytes(2, "big") in (await read_to_end(client))[-125:]
            await client.aclose()
        await site.watched_by(0)


@pytest.mark.slow
async def test_pings_are_answered_even_if_they_came_before_the_handshake_was() -> None:
    async with served() as site:
        entered, gate, channel = anyio.Event(), anyio.Event(), site.service.hub.channel

        async def later(debate: str) -> Any:
            entered.set()
            await gate.wait()
            return await channel(debate)

        site.service.hub.channel = later  # type: ignore[method-assign]
        client = await anyio.connect_tcp("127.0.0.1", site.port)
        await client.send(handshake(site.port))
        with anyio.fail_after(10):
            await entered.wait()
            for word in (b"early", b"earlier"):
                await client.send(client_frame(word, Opcode.PING))
                await anyio.wait_all_tasks_blocked()
            gate.set()
            await client.send(client_frame(b"late", Opcode.PING))
            came = b""
            while b"\x8a\x04late" not in came:
                came += await client.receive()
        await client.aclose()

    assert came.index(b"\r\n\r\n") < came.index(b"\x8a\x05early") < came.index(b"\x8a\x07earlier")


@pytest.mark.slow
async def test_a_client_that_answers_no_ping_is_disconnected() -> None:
    async with served(lambda service: Connections(service.hub, slow_reader_s=10, ping_s=0.2)) as site:
        silent = await site.raw()
        async with site.connect() as client:
            await client.recv()
            came = await read_to_end(silent)
            await site.watched_by(1)
            await silent.aclose()
            await site.service.log.append("d", 2, [HALTED])
            spectator = Spectator()
            with anyio.fail_after(10):
                spectator.view = {"position": 2}
                while spectator.position < 3:
                    spectator.take(str(await client.recv()))

    assert b"\x89\x00" in came, "it was pinged"


@pytest.mark.slow
async def test_a_stalled_client_has_a_small_buffer_and_delays_no_other() -> None:
    """4 MB are sent to a client that does not read: nothing more is written once 64 KB are in its buffer."""
    async with served(slow_reader_s=0.4) as site:
        raw = sockets.socket()
        raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        raw.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(raw, ("127.0.0.1", site.port))
        await loop.sock_sendall(raw, handshake(site.port))
        await loop.sock_recv(raw, 16)
        await site.watched_by(1)
        [stalled] = site.connections.spectators()
        most = 0
        spectator = Spectator()
        async with site.connect("?after=2", compression=None) as swift:
            spectator.view = {"position": 2}
            for position in range(2, 400, 2):
                turn = position // 2
                text = random.Random(turn).randbytes(10_000).hex()
                await site.service.log.append("d", position, [started(turn), spoken(turn, text=text)])
                while spectator.position < position + 2:
                    spectator.take(str(await swift.recv()))
                most = max(most, stalled.waiting)
                if stalled.is_closing:
                    break
            with anyio.fail_after(10):
                while not stalled.is_closing:  # noqa: ASYNC110 - there is no event to wait for
                    await anyio.sleep(0.01)
                at = stalled.position
                end = b""
                while b"come back" not in end:
                    end = (end + await loop.sock_recv(raw, 1 << 16))[-200:]
        raw.close()

    assert 1 << 16 < most <= 1 << 18
    assert (4408).to_bytes(2, "big") + f"too slow; come back with after={at}".encode() in end


@pytest.mark.slow
async def test_a_close_frame_is_answered() -> None:
    async with served() as site:
        clients: list[ClientConnection] = [await site.connect() for _ in range(3)]
        for client in clients:
            await client.close(4000, "seen enough")
            assert client.protocol.close_rcvd is not None
            assert client.protocol.close_rcvd.code == 4000
        await site.watched_by(0)
