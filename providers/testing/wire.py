"""A loopback HTTP server that plays a scene: the bytes that a model's server sends, and its faults."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

END = "stop"
OK = 200


@dataclass(frozen=True)
class Scene:
    """The behaviour of a model's server in one call.

    ``texts``: one chunk each.  Then ``end``: stop, length, reset (the socket is aborted), quit (the response ends
    regularly but too early), silence or endless.  ``cut``: each byte is sent alone.  ``status``: an error instead.
    """

    texts: tuple[str, ...] = ("Cars ", "are ", "loud.")
    end: str = END
    status: int = 200
    cut: bool = False
    error: Any = "no"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Wire:
    """The server: the requests that it got, and whether its client has closed the connection."""

    frames: Callable[[Scene], tuple[list[bytes], bytes]]
    scene: Scene = Scene()
    port: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    fixed: dict[str, Any] = field(default_factory=dict)  # path -> JSON that always answers it
    refusals: list[tuple[int, Any]] = field(default_factory=list)  # status and error of the next calls

    vanish: Callable[[], None] = lambda: None  # stops listening at the address

    def refuse_once(self, status: int, error: Any) -> None:
        """Answer the next call with an error."""
        self.refusals.append((status, error))

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection."""
        try:
            await self._play(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        finally:
            writer.close()

    async def _play(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ")[1].partition("?")[0]
        fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head.splitlines()[1:])}
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        self.headers.append(fields)
        if self.refusals or path in self.fixed or self.scene.status != OK:
            status, more = self.scene.status, "".join(f"{k}: {v}\r\n" for k, v in self.scene.headers.items())
            answer: Any = {"error": self.scene.error}
            if self.refusals:
                self.asked.append(json.loads(body))
                (status, error), more = self.refusals.pop(0), ""
                answer = {"error": error}
            elif path in self.fixed:
                status, answer = OK, self.fixed[path]
            content = json.dumps(answer).encode()
            head = f"HTTP/1.1 {status} X\r\n{more}connection: close\r\ncontent-length: {len(content)}\r\n\r\n"
            writer.write(head.encode() + content)
            await writer.drain()
            return
        self.asked.append(json.loads(body))
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n")
        frames, last = self.frames(self.scene)
        for frame in frames:
            for piece in [frame[i : i + 1] for i in range(len(frame))] if self.scene.cut else [frame]:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
        if self.scene.end in {"stop", "length"}:
            writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(last), last))
        elif self.scene.end == "quit":
            writer.write(b"0\r\n\r\n")
        elif self.scene.end == "endless":
            await self._go_on(frames[-1], writer)
        elif self.scene.end == "silence":
            await reader.read()
            self.hung_up.set()
        else:
            await writer.drain()
            writer.transport.abort()
        await writer.drain()

    async def _go_on(self, frame: bytes, writer: asyncio.StreamWriter) -> None:
        """Repeat the frame until the client closes the connection."""
        try:
            while True:
                writer.write(b"%x\r\n%s\r\n" % (len(frame), frame))
                await writer.drain()
                await asyncio.sleep(0.01)
        finally:
            self.hung_up.set()


@asynccontextmanager
async def playing(frames: Callable[[Scene], tuple[list[bytes], bytes]]) -> AsyncIterator[Wire]:
    """A server on a free port; ``frames`` converts a scene into the frames of a protocol and its last frame."""
    wire = Wire(frames)
    server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
    wire.port = server.sockets[0].getsockname()[1]
    wire.vanish = server.close
    async with server:
        yield wire
        server.close()


def llama_frames(scene: Scene) -> tuple[list[bytes], bytes]:
    """Chat completions, as llama.cpp streams them."""

    def event(**more: Any) -> bytes:
        return b"data: " + json.dumps({"model": "m"} | more, ensure_ascii=False).encode() + b"\n\n"

    texts = [event(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": None}]) for text in scene.texts]
    last = event(choices=[{"index": 0, "delta": {}, "finish_reason": scene.end}])
    usage = event(choices=[], usage={"prompt_tokens": 11, "completion_tokens": 3})
    return [b": a comment\n\n", *texts], last + usage + b"data: [DONE]\n\n"
