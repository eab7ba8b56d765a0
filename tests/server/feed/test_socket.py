"""The socket over a real connection: close codes, clients that do not read, messages of a client."""

import asyncio
import base64
import socket as sockets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
import uvicorn
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from server.feed.websocket.upgrade import DetachableProtocol
from server.http.access import Access
from server.http.app import make_app
from server.process.observe import CLOSES
from server.service import Service, running
from server.settings import Settings
from tests.server.debate_events import HALTED, PAUSED, opened, spoken, started
from tests.server.harness import Spectator

pytestmark = pytest.mark.anyio
WS: list[Any] = ["websockets-sansio"]


@pytest.fixture(autouse=True, params=["websockets-sansio", DetachableProtocol], ids=["kept", "detached"])
def ws(request: pytest.FixtureRequest) -> Iterator[None]:
    """All tests here run with detached sockets, and with sockets that uvicorn keeps."""
    WS.append(request.param)
    yield
    WS.pop()


@asynccontextmanager
async def site(**settings: Any) -> AsyncIterator[tuple[Service, int]]:
    """A real server in this event loop, configured as by ``moot serve``; gives its port."""
    chosen = Settings(store="memory:", retry_ms=0, tick_ms=0, **settings)
    with sockets.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        async with running(chosen) as service:
            server = uvicorn.Server(
                uvicorn.Config(
                    make_app(service, Access(chosen)),
                    ws=WS[-1],
                    ws_per_message_deflate=False,
                    log_config=None,
                    access_log=False,
                    timeout_graceful_shutdown=1,
                )
            )
            server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
            task = asyncio.create_task(server._serve([listening]))
            try:
                yield service, listening.getsockname()[1]
            finally:
                server.should_exit = True
                await task


async def closed_with(port: int, path: str, **headers: str) -> int | None:
    """The code with which the server closes the socket."""
    with anyio.fail_after(10):
        async with connect(f"ws://127.0.0.1:{port}{path}", additional_headers=headers, proxy=None) as client:
            with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012 - messages may come first
                while True:
                    await client.recv()
    return closed.value.rcvd.code if closed.value.rcvd else None


@pytest.mark.slow
async def test_close_codes() -> None:
    async with site(max_spectators=1) as (service, port):
        await service.log.append("d", 0, [opened(), PAUSED])

        assert await closed_with(port, "/ws/debates/unknown") == 4404
        assert await closed_with(port, "/ws/debates/d?after=3") == 1008
        assert await closed_with(port, "/ws/debates/d?after=x") == 1008
        assert await closed_with(port, "/ws/debates/d", origin="https://evil.example") == 4403
        async with connect(f"ws://127.0.0.1:{port}/ws/debates/d", proxy=None) as first:
            assert "snapshot" in str(await first.recv())
            assert await closed_with(port, "/ws/debates/d") == 4429


@pytest.mark.slow
async def test_the_subprotocol_is_agreed_on_and_messages_of_a_client_are_ignored() -> None:
    async with site() as (service, port):
        await service.log.append("d", 0, [opened(), PAUSED])
        spectator = Spectator()
        url = f"ws://127.0.0.1:{port}/ws/debates/d?after=0"
        async with connect(url, subprotocols=["moot.v1"], proxy=None) as client:  # type: ignore[list-item]
            assert client.subprotocol == "moot.v1"
            for nonsense in ("", "{", b"\xff", "x" * 60_000):
                await client.send(nonsense)
            await service.log.append("d", 2, [HALTED])
            with anyio.fail_after(10):
                while spectator.position < 3:
                    spectator.take(str(await client.recv()))

    assert spectator.view["state"] == "halted"


@pytest.mark.slow
async def test_a_line_on_which_nothing_happens_has_heartbeats() -> None:
    async with site() as (service, port):
        service.hub.heartbeat_s = 0.05
        await service.log.append("d", 0, [opened(), PAUSED])
        spectator = Spectator()
        async with connect(f"ws://127.0.0.1:{port}/ws/debates/d", proxy=None) as client:
            with anyio.fail_after(10):
                while spectator.kinds.count("heartbeat") < 3:
                    spectator.take(str(await client.recv()))

    assert ["snapshot", "live", "status", "heartbeat"] == list(dict.fromkeys(spectator.kinds))


@pytest.mark.slow
async def test_a_spectator_that_leaves_is_noticed() -> None:
    async with site() as (service, port):
        await service.log.append("d", 0, [opened(), PAUSED])
        async with connect(f"ws://127.0.0.1:{port}/ws/debates/d", proxy=None) as client:
            await client.recv()
            assert service.hub.spectators == 1
        with anyio.fail_after(5):
            while service.hub.spectators:  # noqa: ASYNC110 - there is no event to wait for
                await anyio.sleep(0.005)


@pytest.mark.slow
async def test_a_client_that_does_not_read_is_closed_with_4408_and_delays_no_other() -> None:
    closes = CLOSES.labels("4408")._value.get()
    async with site(slow_reader_s=0.5) as (service, port):
        await service.log.append("d", 0, [opened(), PAUSED])
        raw = sockets.socket()
        raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        raw.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(raw, ("127.0.0.1", port))
        key = base64.b64encode(bytes(16)).decode()
        await loop.sock_sendall(
            raw,
            f"GET /ws/debates/d HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode(),
        )
        assert b"101" in await loop.sock_recv(raw, 16)

        async with connect(f"ws://127.0.0.1:{port}/ws/debates/d?after=2", max_size=None, proxy=None) as swift:
            big = "x" * 12_000_000  # more than both ends' buffers take
            await service.log.append("d", 2, [started(1), spoken(1, text=big), HALTED])
            last = ""
            with anyio.fail_after(20):
                while '"debate_halted"' not in last:
                    last = str(await swift.recv())[:400]
                while CLOSES.labels("4408")._value.get() == closes:  # noqa: ASYNC110 - there is no event to wait for
                    await anyio.sleep(0.01)

        tail = b""
        with anyio.fail_after(20):
            while b"come back" not in tail and (chunk := await loop.sock_recv(raw, 1 << 20)):
                tail = (tail + chunk)[-200:]
        raw.close()

    assert b"too slow; come back with after=" in tail
    assert (4408).to_bytes(2, "big") in tail
