"""Four vendors on the loopback, spoken to through their own SDKs: they debate and judge, and go wrong on cue.

A typed question is answered with the smallest value that its schema allows; a speech is always the same.
"""

import asyncio
import itertools
import json
import re
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from providers import imports
from providers.limits import Limit
from providers.registry import GROUP, Registry
from providers.testing.wire import Scene, anthropic_frames, gemini_frames, llama_frames, ollama_frames

ROOT = Path(__file__).parents[2]
SPEECH = "Trams carry more people than cars, because they share one track. So a city has room again."
FRAMES: Mapping[str, Callable[[Scene], tuple[list[bytes], bytes]]] = {
    "anthropic": anthropic_frames,
    "gemini": gemini_frames,
    "ollama": ollama_frames,
    "openai": llama_frames,
}
BASES = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "ollama": "OLLAMA_HOST",
    "openai": "OPENAI_BASE_URL",
}
KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "ollama": "OLLAMA_API_KEY",
    "openai": "OPENAI_API_KEY",
}
REFUSALS = {"anthropic": "refusal", "gemini": "SAFETY", "ollama": "stop", "openai": "content_filter"}
STATUSES = {
    "400": 400,
    "401": 401,
    "403": 403,
    "404": 404,
    "429": 429,
    "500": 500,
    "502": 502,
    "503": 503,
    "529": 529,
}
TYPES = {
    "anthropic": "text/event-stream",
    "gemini": "text/event-stream",
    "ollama": "application/x-ndjson",
    "openai": "text/event-stream",
}


def registry(limits: Mapping[str, Limit] | None = None) -> Registry:
    """The providers of this tree, whatever is installed."""
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"][GROUP]
    found = [EntryPoint(name, value, GROUP) for name, value in named.items()]
    return Registry(found, limits or {})


def smallest(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:  # noqa: C901 - a case for each type
    """The smallest JSON value that a schema allows."""
    root = root or schema
    if "$ref" in schema:
        found: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return smallest(found, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return "neither" if "neither" in schema["enum"] else schema["enum"][0]
    for kind in ("anyOf", "oneOf"):
        if kind in schema:
            return smallest(schema[kind][0], root)
    match schema.get("type"):
        case "object":
            wanted = schema.get("required", schema.get("properties", {}))
            return {name: smallest(schema["properties"][name], root) for name in wanted}
        case "array":
            return [smallest(schema["items"], root)] * schema.get("minItems", 0)
        case "string":
            return "so it is"
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
    return None


def form_of(body: dict[str, Any]) -> dict[str, Any] | None:
    """The schema that an answer is held to, in whatever dialect; None for a speech."""
    said = [
        body.get("output_config", {}).get("format", {}).get("schema"),
        body.get("response_format", {}).get("json_schema", {}).get("schema"),
        body.get("generationConfig", {}).get("responseJsonSchema"),
        body.get("format"),
        *(tool.get("input_schema") for tool in body.get("tools", ())),
    ]
    return next((each for each in said if each), None)


@dataclass(frozen=True)
class Trouble:
    """What goes wrong with a model: from which of its calls on, or of its speeches, and how often."""

    kind: str = ""
    first: int = 0
    times: int = 0
    of_speeches: bool = False


NONE = Trouble()


@dataclass
class Vendor:
    """One vendor's server."""

    name: str
    port: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    faults: dict[str, "Trouble"] = field(default_factory=dict)
    """By model."""
    met: Counter[str] = field(default_factory=Counter)
    connections: set[asyncio.StreamWriter] = field(default_factory=set)
    echo: bool = False
    """Repeat the key in every error, as careless servers do."""
    server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}" + ("/v1" if self.name == "openai" else "")

    async def listen(self) -> None:
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(writer)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.connections.discard(writer)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, path, *_ = head.split(" ")
        fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head.splitlines()[1:])}
        body = json.loads(await reader.readexactly(int(fields.get("content-length", 0))) or b"{}")
        if method == "GET":
            await self._list(reader, writer, path, fields)
            return
        model = body.get("model") or re.split(r"[/:]", path)[-2]
        form = form_of(body)
        trouble = self.faults.get(model, NONE)
        fault = ""
        if form is None or not trouble.of_speeches:
            self.calls[model] += 1
            fault = trouble.kind if trouble.first <= self.calls[model] < trouble.first + trouble.times else ""
        if fault:
            self.met[fault] += 1
        text = SPEECH if form is None else json.dumps(smallest(form))
        await self._play(reader, writer, fault, text, key_of(fields))

    async def _list(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, fields: dict[str, str]
    ) -> None:
        model = path.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
        trouble = self.faults.get("check", NONE)
        if trouble.kind == "401":
            await self._status(writer, 401, "this key is wrong", key_of(fields))
            return
        if trouble.kind == "silence":
            await reader.read()
            return
        said: dict[str, Any] = {"id": model, "name": f"models/{model}", "data": []}
        if self.name == "ollama":
            said = {"models": [{"model": f"d{number}:latest"} for number in range(500)]}
        await send(writer, json.dumps(said).encode(), "application/json")

    async def _status(self, writer: asyncio.StreamWriter, status: int, said: str, key: str, *more: str) -> None:
        message = f"{said}: {key}" if self.echo else said
        kind = {401: "authentication_error", 429: "rate_limit_error"}.get(status, "api_error")
        error = {"type": kind, "message": message, "code": status, "status": "X"}
        said_whole: Any = {"error": message} if self.name == "ollama" else {"type": "error", "error": error}
        await send(writer, json.dumps(said_whole).encode(), "application/json", f"{status} X", *more)

    async def _play(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: str, text: str, key: str
    ) -> None:
        if fault in STATUSES:
            await self._status(writer, STATUSES[fault], "it went wrong", key)
            return
        match fault:
            case "429 with retry-after":
                await self._status(writer, 429, "slow down", key, "retry-after: 1")
                return
            case "context overflow":
                await self._status(writer, 400, "maximum context length exceeded: token count exceeds", key)
                return
            case "wrong content type":
                await send(writer, b"<html>Please log in.</html>", "text/html")
                return
            case "hang up":
                return
            case "refused" if self.server is not None:
                loop, server, self.server = asyncio.get_running_loop(), self.server, None
                for each in server.sockets:
                    loop.remove_reader(each.fileno())
                await asyncio.sleep(0)  # asyncio forgets whoever it is accepting while it closes
                server.close()  # whoever comes next finds nobody, for a moment
                loop.call_later(0.1, lambda: reopening.add(asyncio.ensure_future(self.listen())))
        await self._stream(reader, writer, fault, text)

    async def _stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: str, text: str) -> None:
        end = {"refusal": REFUSALS[self.name], "length stop": "length"}.get(fault, "stop")
        changed = {
            "empty": "",
            "refusal": "" if self.name == "ollama" else text,
            "truncated JSON": text[: len(text) // 2],
            "broken JSON": text.replace('"', "", 1),
            "prose around JSON": f"Here it is:\n```json\n{text}\n```\nDone.",
            "extra field": text.replace("{", '{"extra": 1, ', 1) if text.startswith("{") else text,
        }.get(fault, text)
        frames, last = FRAMES[self.name](
            Scene(texts=tuple(changed[i : i + 40] for i in range(0, len(changed), 40)), end=end)
        )
        writer.write(
            f"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {TYPES[self.name]}\r\n"
            "transfer-encoding: chunked\r\n\r\n".encode()
        )
        half = frames[: len(frames) // 2 + 1]
        match fault:
            case "reset":
                await chunks(writer, half)
                writer.transport.abort()
                return
            case "silence":
                await chunks(writer, half)
                await reader.read()
                return
            case "slow drip":
                for frame in itertools.cycle(frames):
                    await chunks(writer, [frame])
                    await asyncio.sleep(0.05)
            case "endless":
                for frame in itertools.cycle(frames[-1:]):
                    await chunks(writer, [frame])
                    await asyncio.sleep(0)
            case "cut in mid-character":
                whole = b"".join((*frames, last))
                await chunks(writer, [whole[i : i + 1] for i in range(len(whole))])
            case "garbage":
                await chunks(writer, [*half, b"data: {\x00not json\n\n"])
            case "quits early":
                await chunks(writer, half)
            case _:
                await chunks(writer, [*frames, last])
        writer.write(b"0\r\n\r\n")
        await writer.drain()


reopening: set[asyncio.Future[None]] = set()

WIRE_FAULTS = (
    *STATUSES,
    "429 with retry-after",
    "context overflow",
    "wrong content type",
    "hang up",
    "refused",
    "refusal",
    "length stop",
    "empty",
    "truncated JSON",
    "broken JSON",
    "prose around JSON",
    "extra field",
    "reset",
    "silence",
    "slow drip",
    "endless",
    "cut in mid-character",
    "garbage",
    "quits early",
)


def key_of(fields: Mapping[str, str]) -> str:
    """The key that a request carries."""
    said = fields.get("x-api-key") or fields.get("x-goog-api-key") or fields.get("authorization", "")
    return said.removeprefix("Bearer ")


async def chunks(writer: asyncio.StreamWriter, pieces: list[bytes]) -> None:
    for piece in filter(None, pieces):
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()


async def send(writer: asyncio.StreamWriter, content: bytes, kind: str, status: str = "200 OK", *more: str) -> None:
    fields = "".join(f"{line}\r\n" for line in (f"content-type: {kind}", f"content-length: {len(content)}", *more))
    writer.write(f"HTTP/1.1 {status}\r\nconnection: close\r\n{fields}\r\n".encode() + content)
    await writer.drain()


@asynccontextmanager
async def trading(monkeypatch: pytest.MonkeyPatch, *, key: str = "the-key-of-{}") -> AsyncIterator[dict[str, Vendor]]:
    """All four vendors, with the environment that leads to them.  The SDKs are imported: deadlines here are short."""
    for name in imports.SDKS:
        imports.load_now(name)
    vendors = {name: Vendor(name) for name in FRAMES}
    for name, vendor in vendors.items():
        await vendor.listen()
        monkeypatch.setenv(BASES[name], vendor.url)
        monkeypatch.setenv(KEYS[name], key.format(name))
    try:
        yield vendors
    finally:
        for vendor in vendors.values():
            if vendor.server is not None:
                vendor.server.close()
