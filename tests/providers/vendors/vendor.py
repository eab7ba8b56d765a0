"""The base of the four fake vendors: a loopback server with rules, bills and faults."""

import asyncio
import contextlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from tests.providers.vendors import faults, natural, texts
from tests.providers.vendors.faults import Fault, Of
from tests.providers.vendors.tokens import CacheEntries, cut, tokens

CLOSING_S = 1.0
"""Seconds in which a client has to read what was sent before the connection closed."""
LAST_STEPS = 20
"""Steps of the event loop, more than it takes from ``accept`` to ``_serve``."""

JSON_IN_FRAME = re.compile(rb"\{.*\}", re.DOTALL)
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """The behaviour of a model.  ``thought``: its tokens of thinking by default."""

    thought: int = 600
    thinks: bool = True
    efforts: Mapping[str, float] = field(default_factory=dict)
    """The accepted efforts, each as a multiple of ``thought``."""
    billed_as: str = ""
    """The dated name in its responses; "" for the requested name."""
    natural: bool = False
    """Its answers have natural lengths and stand in prose, instead of the smallest JSON of the schema."""
    words: int = 60
    says: str = ""
    """A fixed text instead of the fake's."""
    window: int = 200_000
    most: int = 64_000
    """The most tokens of an answer, including thinking."""
    tags: bool = False
    """Thinking comes as text between <think> tags."""


@dataclass
class Bill:
    """The tokens of a call: ``input`` includes ``cached`` and ``written``, ``output`` includes ``thought``.

    ``is_usage_sent``: the usage was sent.  A stream that broke off is billed too.
    """

    model: str
    input: int
    output: int
    cached: int = 0
    written: int = 0
    thought: int = 0
    is_usage_sent: bool = False


@dataclass(frozen=True)
class VendorRequest:
    """A request as it arrived."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Json


@dataclass
class VendorResponse:
    """A response: ``frames`` and then ``last``, or only ``last`` if it does not stream."""

    last: bytes
    frames: list[bytes] = field(default_factory=list)
    kind: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    bill: Bill | None = None
    error: bytes = b""
    """The vendor's error frame within a stream."""
    streams: bool = False


class VendorRefusal(Exception):
    """An error response of the vendor."""

    def __init__(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, body)
        self.status, self.body, self.headers = status, body, dict(headers or {})

    def answer(self) -> VendorResponse:
        return VendorResponse(json.dumps(self.body).encode(), status=self.status, headers=self.headers)


@dataclass(frozen=True)
class Draft:
    """The text and the thinking of a model within its limit."""

    text: str
    thoughts: str
    thought: int
    spoken: int
    is_cut: bool

    @property
    def output(self) -> int:
        return self.thought + self.spoken


def draft_within(text: str, thought: int, limit: int, seed: str) -> Draft:
    """Thinking comes first and counts against the limit; the rest is for the text."""
    spent = min(thought, limit)
    spoken = cut(text, limit - spent)
    is_cut = spent < thought or spoken != text
    return Draft(spoken, texts.thought(spent, seed) if spent else "", spent, tokens(spoken), is_cut)


class FakeVendor:
    """A fake vendor.  A subclass has its protocol and its rules."""

    name: ClassVar[str]
    base: ClassVar[str]
    """The variable of its address."""
    secret: ClassVar[str]
    """The variable of its key."""

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.models: dict[str, Any] = {}
        self.bills: list[Bill] = []
        self.entries = CacheEntries()
        self.latency_s = 0.0
        """Seconds before a response begins."""
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.faults: list[Fault] = []
        self.fault_counts: Counter[str] = Counter()
        self.prompt_counts: Counter[str] = Counter()
        self.redirected: list[dict[str, str]] = []
        """Headers of the requests that followed a redirect to another origin."""
        self.echo = False
        """Repeat the key in every error, as careless servers do."""
        self.port = 0
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[Any] | None] = {}
        self._server: asyncio.Server | None = None
        self._other_origin: asyncio.Server | None = None
        self._reopening: list[asyncio.Future[None]] = []

    # Implemented by each vendor.

    def answer(self, call: VendorRequest, fault: Fault) -> VendorResponse:
        """Answer a call by the vendor's rules, or raise ``VendorRefusal``."""
        raise NotImplementedError

    def listing(self, call: VendorRequest) -> VendorResponse:
        """Answer a GET."""
        raise NotImplementedError

    def model_of(self, call: VendorRequest) -> str:
        return str(call.body.get("model", ""))

    def schema_of(self, body: Json) -> Json | None:
        """The schema in the request."""
        raise NotImplementedError

    def prompt_of(self, body: Json) -> str:
        """The whole prompt as text."""
        raise NotImplementedError

    def error(self, status: int, message: str, seconds: float | None = None) -> Json:
        """The vendor's error body; with ``seconds`` it says when to retry, if the vendor has a field for that."""
        raise NotImplementedError

    def too_long(self) -> VendorRefusal:
        """The vendor's error for a prompt that is too long."""
        raise NotImplementedError

    # Shared by all vendors.

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {self.base: self.url, self.secret: self.key}

    @property
    def has_leaked(self) -> bool:
        """Whether the key arrived at another origin."""
        return any(self.key in value for headers in self.redirected for value in headers.values())

    def refused(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> VendorRefusal:
        return VendorRefusal(status, self.error(status, f"{message} {self.key}" if self.echo else message), headers)

    def form(self, body: Json) -> Json | None:
        """The schema of the answer, from the request or the prompt; None for plain text."""
        found = self.schema_of(body)
        if found is None and '"properties"' in (prompt := self.prompt_of(body)):
            found = texts.in_words(prompt)
        return found

    def draft(self, model: Behaviour, body: Json, thought: int, limit: int, fault: Fault) -> Draft:
        """The model's text and thinking within its limit."""
        prompt, form = self.prompt_of(body), self.form(body)
        self.prompt_counts[prompt] += 1
        seed = f"{prompt}{self.prompt_counts[prompt]}"
        if form is None:
            text = model.says or texts.speech(model.words, seed)
        elif model.natural:
            text = natural.answer(form, prompt, seed)
        else:
            text = json.dumps(texts.smallest(form))
        draft = draft_within(faults.changed(fault.kind, text), thought, min(limit, model.most), seed)
        if fault.kind == "length stop":
            return Draft(draft.text, draft.thoughts, draft.thought, draft.spoken, is_cut=True)
        return draft

    def add_bill(self, bill: Bill) -> Bill:
        self.bills.append(bill)
        return bill

    async def listen(self) -> None:
        """Listen, at the same port as before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def stop_listening(self) -> None:
        """Stop listening and close all connections.

        A connection that was accepted in this step of the event loop is made in the next one.  It would stay open for
        ever if its server were closed before.
        """
        if self._server is not None:
            loop = asyncio.get_running_loop()
            for each in self._server.sockets:
                loop.remove_reader(each.fileno())
            loop.call_soon(loop.call_soon, self._server.close)
            self._server = None
        for writer in self._connections:
            writer.transport.abort()

    async def close(self) -> None:
        """Stop listening and wait until all connections have ended."""
        for future in self._reopening:
            future.cancel()
        self.stop_listening()
        for _ in range(LAST_STEPS):
            await asyncio.sleep(0)  # a connection that was accepted at the last moment is served from now on
        gone = asyncio.gather(*self._reopening, *filter(None, self._connections.values()), return_exceptions=True)
        self.stop_listening()
        await gone
        if self._other_origin is not None:
            self._other_origin.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections[writer] = asyncio.current_task()
        try:
            while await self._hear(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            await self._end(writer)

    async def _end(self, writer: asyncio.StreamWriter) -> None:
        """Close a connection: what is still to be sent goes out first, unless nothing reads it."""
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(writer.wait_closed(), CLOSING_S)
        writer.transport.abort()
        self._connections.pop(writer, None)

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; returns whether the connection stays open."""
        call = await received(reader)
        of: Of = "listing" if call.method == "GET" else "speech"
        if call.method != "GET":
            self.requests.append(call.body)
            of = "speech" if self.form(call.body) is None else "question"
        self.headers.append(dict(call.headers))
        self.paths.append(call.path)
        name = self.model_of(call)
        struck = [fault for fault in self.faults if fault.applies(name, of)]
        fault = struck[0] if struck else faults.NONE
        self.fault_counts[fault.kind] += bool(fault.kind)
        if fault.kind == "silence" and of == "listing":
            await reader.read()
            return False
        if fault.kind in faults.CONNECTION_FAULTS:
            lives = await self._connection_fault(reader, writer, fault)
            if lives is not None:
                return lives
        try:
            self._raise_fault(fault)
            answer = self.listing(call) if call.method == "GET" else self.answer(call, fault)
        except VendorRefusal as no:
            answer = no.answer()
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        self.entries.settle()
        return await self._send(reader, writer, answer, fault.kind)

    def _raise_fault(self, fault: Fault) -> None:
        """Raise the faults that replace the response."""
        if fault.kind in faults.STATUSES:
            raise self.refused(faults.STATUSES[fault.kind], "it went wrong")
        if fault.kind in faults.WAITING:
            seconds = fault.value or faults.PAUSE_S
            delay_s = seconds if fault.kind == "429 with RetryInfo" else None
            raise VendorRefusal(429, self.error(429, "slow down", delay_s), faults.WAITING[fault.kind](seconds))
        if fault.kind == "context overflow":
            raise self.too_long()

    async def _connection_fault(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: Fault
    ) -> bool | None:
        """Faults of the connection: returns whether it stays open; None if the call is answered all the same."""
        match fault.kind:
            case "wrong content type":
                page = VendorResponse(b"<html>Please log in.</html>", kind="text/html")
                return await self._send(reader, writer, page, "")
            case "redirect":
                there = f"http://127.0.0.1:{await self._other_origin_port()}/elsewhere"
                return await self._send(
                    reader, writer, VendorResponse(b"", status=307, headers={"location": there}), ""
                )
            case "context overflow":
                return None
            case "down":
                writer.transport.abort()
            case "refused":
                self.stop_listening()
                self._reopening.append(asyncio.ensure_future(self._reopen(fault.value or 0.1)))
        return False

    async def _reopen(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.listen()

    async def _other_origin_port(self) -> int:
        """The port of another origin, which records its requests."""
        if self._other_origin is None:
            self._other_origin = await asyncio.start_server(self._record_redirected, "127.0.0.1", 0)
        return int(self._other_origin.sockets[0].getsockname()[1])

    async def _record_redirected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = await received(reader)
        self.redirected.append(dict(call.headers))
        await self._send(reader, writer, VendorRefusal(401, self.error(401, "who are you?")).answer(), "")
        writer.close()

    async def _send(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: VendorResponse, fault: str
    ) -> bool:
        fields = {"content-type": answer.kind, **answer.headers}
        if not answer.streams:
            writer.write(head(answer.status, fields | {"content-length": str(len(answer.last))}) + answer.last)
            mark_usage_sent(answer)
            await writer.drain()
            return True
        writer.write(head(answer.status, fields | {"transfer-encoding": "chunked"}))
        half = answer.frames[: len(answer.frames) // 2 + 1]
        match fault:
            case "reset":
                await chunks(writer, half)
                writer.transport.abort()
                return False
            case "silence":
                await chunks(writer, half)
                await reader.read()
                return False
            case "slow drip":
                await go_on(writer, answer.frames, 0.05)
            case "endless":
                await go_on(writer, answer.frames[-1:], 0)
            case _:
                await chunks(writer, self._streamed_frames(answer, fault, half))
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def _streamed_frames(self, answer: VendorResponse, fault: str, half: list[bytes]) -> list[bytes]:
        """The frames before the regular end."""
        match fault:
            case "garbage":
                return [*half, b"data: {\x00not json\n\n"]
            case "quits early":
                return half
            case "odd part":
                return [*half, JSON_IN_FRAME.sub(b"7", half[-1]), *answer.frames[len(half) :], answer.last]
            case "odd error":
                return [*half, JSON_IN_FRAME.sub(b'{"type": "error", "error": "overloaded"}', half[-1])]
            case "error in mid-stream":
                return [*half, answer.error]
        mark_usage_sent(answer)
        whole = [*answer.frames, answer.last]
        if fault == "cut in mid-character":
            return [bytes([each]) for each in b"".join(whole)]
        return whole


async def go_on(writer: asyncio.StreamWriter, frames: list[bytes], pause_s: float) -> None:
    """Repeat the frames until the client closes the connection."""
    while True:
        for frame in frames:
            await chunks(writer, [frame])
            await asyncio.sleep(pause_s)


def mark_usage_sent(answer: VendorResponse) -> None:
    """Record that the usage was sent."""
    if answer.bill is not None:
        answer.bill.is_usage_sent = True


async def received(reader: asyncio.StreamReader) -> VendorRequest:
    """One request of HTTP/1.1 with a known length."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    body = await reader.readexactly(int(fields.get("content-length", 0)))
    parts = urlsplit(target)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return VendorRequest(method, parts.path, query, fields, json.loads(body) if body else {})


def head(status: int, fields: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode()


async def chunks(writer: asyncio.StreamWriter, pieces: list[bytes]) -> None:
    for piece in filter(None, pieces):
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()
