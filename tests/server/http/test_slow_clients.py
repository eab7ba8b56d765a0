"""Clients over bare sockets that send half of what they should, or nothing, or do not read: all are answered or cut."""

import json
from contextlib import suppress
from functools import partial

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import SocketStream
from structlog.testing import capture_logs

from server.http.connection import MIN_BYTES, PATIENCE_S, BoundedProtocol
from tests.server.feed.test_detached import Served, handshake, read_to_end, served

pytestmark = pytest.mark.anyio
QUICK_S = 0.1
HEAD = b"POST /api/estimate HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server waits for a tenth of a second, in place of ten seconds."""
    assert PATIENCE_S == 10
    monkeypatch.setattr("server.cli.serve.BoundedProtocol", partial(BoundedProtocol, patience_s=QUICK_S))


async def sent(site: Served, data: bytes) -> SocketStream:
    stream = await anyio.connect_tcp("127.0.0.1", site.port)
    if data:
        await stream.send(data)
    return stream


async def answer(site: Served, data: bytes) -> bytes:
    """Everything that the server answers until it ends the connection."""
    async with await sent(site, data) as stream:
        return await read_to_end(stream)


def refusal(came: bytes, status: int) -> str:
    head, _, body = came.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode()), came[:300]
    return str(json.loads(body)["error"]["message"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        (b"X-Long: " + b"x" * 9000, 431, "expected no more than 8192 bytes"),
        (b"Cookie: moot_voter=" + b"x" * 9000, 431, "expected no more than 8192 bytes"),
        (b"\r\n".join(b"X-%d: 1" % number for number in range(200)), 431, "no more than 128 headers"),
        (b"Content-Length: 5", 400, "body"),
        (b"Transfer-Encoding: chunked", 400, "transfer codings"),
        (b"X-Long: " + b"x" * 200_000, 400, "Invalid HTTP"),
    ],
    ids=["header", "cookie", "headers", "body", "chunked", "huge"],
)
async def test_a_handshake_that_cannot_be_read_is_refused(line: bytes, status: int, says: str) -> None:
    async with served() as site:
        whole = handshake(site.port)
        assert says in refusal(await answer(site, whole[:-2] + line + b"\r\n\r\n"), status)


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"", b"G", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", HEAD + b"Content-Length: 10\r\n\r\n", HEAD
        + b"Content-Length: 10\r\n\r\n12345", HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"GET /ws/debates/d HTTP/1.1\r\nUpgrade: websocket\r\n",
    ],
    ids=["nothing", "letter", "head", "no-body", "half-body", "chunk", "handshake"],
)  # fmt: skip
async def test_half_a_request_is_refused_in_time(data: bytes) -> None:
    async with served() as site:
        assert "no whole request came" in refusal(await answer(site, data), 408)
        assert not site.server.server_state.connections


@pytest.mark.slow
async def test_a_second_request_on_a_connection_must_be_whole_too() -> None:
    async with served() as site, await sent(site, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /h") as stream:
        came = await read_to_end(stream)

    assert came.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in came


@pytest.mark.slow
async def test_a_head_that_drips_in_is_refused_in_the_same_time() -> None:
    async with served() as site, await sent(site, b"GET / HTTP/1.1\r\n") as stream:
        with anyio.fail_after(20 * QUICK_S), suppress(anyio.BrokenResourceError):
            while True:
                await stream.send(b"X")
                await anyio.sleep(QUICK_S / 5)


@pytest.mark.slow
async def test_a_body_that_keeps_coming_is_read_to_its_end() -> None:
    size, parts = 2 * MIN_BYTES, 6
    async with served() as site:
        head = HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % (size * parts)
        async with await sent(site, head) as stream:
            for _ in range(parts):
                await anyio.sleep(QUICK_S / 2)
                await stream.send(b" " * size)
            assert "not JSON" in refusal(await read_to_end(stream), 400)


@pytest.mark.slow
async def test_who_does_not_read_the_answer_is_cut_off() -> None:
    async with served() as site:
        stream = await anyio.connect_tcp("127.0.0.1", site.port)
        ask = b"GET /static/debate/debate.js HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: x\r\n\r\n"
        with anyio.fail_after(10):
            with suppress(anyio.BrokenResourceError):
                while True:
                    await stream.send(ask)
            while site.server.server_state.connections:  # noqa: ASYNC110 - there is no event to wait for
                await anyio.sleep(0.01)
        await stream.aclose()


@pytest.mark.slow
async def test_connections_beyond_their_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.cli.serve.OTHERS", 1)
    async with served(max_spectators=1) as site:
        kept = [await sent(site, b"G") for _ in range(2)]
        assert "as many connections as it takes" in refusal(await answer(site, b""), 503)
        for stream in kept:
            await stream.aclose()


@pytest.mark.slow
async def test_an_idle_connection_is_kept_for_the_next_request() -> None:
    async with served() as site, await sent(site, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as stream:
        assert (await stream.receive()).startswith(b"HTTP/1.1 200")
        await anyio.sleep(2 * QUICK_S)
        await stream.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert (await stream.receive()).startswith(b"HTTP/1.1 200")


@pytest.mark.slow
async def test_an_upload_that_breaks_off_is_no_failure_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    async with served() as site:
        with capture_logs() as logged:
            async with await sent(site, HEAD + b"Content-Length: 10\r\n\r\n12345"):
                while not site.server.server_state.tasks:
                    await anyio.lowlevel.checkpoint()
            while site.server.server_state.tasks:  # noqa: ASYNC110
                await anyio.sleep(0.01)

    assert {"debug"} >= {line["log_level"] for line in logged}
    assert [] == caplog.records
