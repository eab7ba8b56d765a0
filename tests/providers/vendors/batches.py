"""The batch interfaces of Anthropic and OpenAI on the loopback, with their bad days.

A call of a batch is answered by the fake vendor of ``anthropic`` or ``openai``, with its rules and bills.  The shapes
follow the SDKs (anthropic 2.14.0, ``types/messages/batches``; openai 3.57.0, ``types/batch.py``).
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.providers.vendors import faults
from tests.providers.vendors.anthropic import Anthropic
from tests.providers.vendors.openai import OpenAI
from tests.providers.vendors.vendor import Json, VendorRefusal, VendorRequest

KEYS = {"x-api-key": "a", "authorization": "Bearer o", "anthropic-version": "2023-06-01"}
LIVE = ("in_progress", "ended")


@dataclass
class Batch:
    """One batch as the vendor has it."""

    id: str
    calls: dict[str, Json]
    metadata: Json
    looks: int = 0
    """How often it was asked about."""
    results: dict[str, Json] = field(default_factory=dict)


class BatchVendors:
    """Both vendors.  What they do on a bad day is set by the fields."""

    def __init__(self) -> None:
        self.anthropic, self.openai = Anthropic("a"), OpenAI("o")
        self.batches: dict[str, Batch] = {}
        self.files: dict[str, bytes] = {}
        self.slow = 0
        """Looks after which a batch has ended; negative: never."""
        self.expires: set[int] = set()
        """Calls, by their number over all batches, that the vendor does not come to within a day."""
        self.fails: set[int] = set()
        """Calls that fail at the vendor."""
        self.loses = 0
        """Batches that are accepted without an answer that arrives."""
        self.refuses = 0
        """Status with which further batches are refused."""
        self.calls: list[str] = []
        """The names of all calls that were accepted, in their order."""
        self.port = 0

    # what both do

    def accept(self, calls: dict[str, Json], metadata: Json) -> Batch:
        made = Batch(f"batch_{len(self.batches) + 1}", calls, metadata)
        self.batches[made.id] = made
        self.calls += calls
        return made

    def has_ended(self, batch: Batch) -> bool:
        batch.looks += 1
        return 0 <= self.slow < batch.looks

    def answered(self, of: str, batch: Batch, path: str) -> list[tuple[str, str, Json]]:
        """(name of the call, what came of it, body); a call is answered once."""
        found = []
        for name, body in batch.calls.items():
            number = self.calls.index(name) + 1
            if number in self.expires:
                found.append((name, "expired", {}))
            elif number in self.fails:
                found.append((name, "500", getattr(self, of).error(500, "it went wrong")))
            else:
                if name not in batch.results:
                    try:
                        answer = getattr(self, of).answer(VendorRequest("POST", path, {}, KEYS, body), faults.NONE)
                        batch.results[name] = {"status": 200, "body": json.loads(answer.last)}
                    except VendorRefusal as refusal:
                        batch.results[name] = {"status": refusal.status, "body": refusal.body}
                kept = batch.results[name]
                found.append((name, str(kept["status"]), kept["body"]))
        return found

    def _lost(self) -> bool:
        self.loses -= 1
        return self.loses >= 0

    # Anthropic

    async def message_batches(self, request: Request) -> Response:
        if request.method == "GET":
            listed = [self._message_batch(each) for each in reversed(self.batches.values())]
            return JSONResponse({"data": listed, "has_more": False, "first_id": None, "last_id": None})
        if self.refuses:
            return JSONResponse(self.anthropic.error(self.refuses, "no"), status_code=self.refuses)
        said = await request.json()
        made = self.accept({each["custom_id"]: each["params"] for each in said["requests"]}, {})
        if self._lost():
            return JSONResponse(self.anthropic.error(502, "bad gateway"), status_code=502)
        return JSONResponse(self._message_batch(made))

    async def message_batch(self, request: Request) -> Response:
        batch = self.batches[request.path_params["id"]]
        return JSONResponse(self._message_batch(batch, has_ended=self.has_ended(batch)))

    def _message_batch(self, batch: Batch, *, has_ended: bool = False) -> Json:
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        counts["succeeded" if has_ended else "processing"] = len(batch.calls)
        now = datetime.now(UTC).isoformat()
        return {
            "id": batch.id, "type": "message_batch", "processing_status": LIVE[has_ended], "request_counts": counts,
            "created_at": now, "expires_at": now, "ended_at": now if has_ended else None, "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"http://127.0.0.1:{self.port}/v1/messages/batches/{batch.id}/results",
        }  # fmt: skip

    async def message_results(self, request: Request) -> Response:
        batch, lines = self.batches[request.path_params["id"]], []
        for name, kind, body in self.answered("anthropic", batch, "/v1/messages"):
            result: Json = {"type": "succeeded", "message": body}
            if kind == "expired":
                result = {"type": "expired"}
            elif kind != "200":
                result = {"type": "errored", "error": body}
            lines.append(json.dumps({"custom_id": name, "result": result}))
        return PlainTextResponse("\n".join(lines) + "\n", media_type="application/x-jsonl")

    # OpenAI

    async def upload(self, request: Request) -> Response:
        async with request.form() as form:
            file = f"file-{len(self.files) + 1}"
            self.files[file] = await form["file"].read()  # type: ignore[union-attr]
        return JSONResponse(
            {
                "id": file,
                "object": "file",
                "bytes": 1,
                "created_at": 1,
                "filename": "f",
                "purpose": "batch",
                "status": "processed",
            }
        )

    async def openai_batches(self, request: Request) -> Response:
        if request.method == "GET":
            data = [self._batch(each) for each in self.batches.values()]
            return JSONResponse({"object": "list", "data": data, "has_more": False})
        if self.refuses:
            return JSONResponse(self.openai.error(self.refuses, "no"), status_code=self.refuses)
        said = await request.json()
        lines = [json.loads(line) for line in self.files[said["input_file_id"]].splitlines()]
        assert {line["url"] for line in lines} == {said["endpoint"]}
        assert len({line["body"]["model"] for line in lines}) == 1, "OpenAI takes one model in a batch"
        made = self.accept({line["custom_id"]: line["body"] for line in lines}, said.get("metadata") or {})
        if self._lost():
            return JSONResponse(self.openai.error(502, "bad gateway"), status_code=502)
        return JSONResponse(self._batch(made))

    async def openai_batch(self, request: Request) -> Response:
        batch = self.batches[request.path_params["id"]]
        return JSONResponse(self._batch(batch, has_ended=self.has_ended(batch)))

    def _batch(self, batch: Batch, *, has_ended: bool = False) -> Json:
        status = ("expired" if self.expires else "completed") if has_ended else "in_progress"
        files = {"output_file_id": f"out-{batch.id}", "error_file_id": f"err-{batch.id}"} if has_ended else {}
        return {
            "id": batch.id, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h",
            "created_at": 1, "input_file_id": "file-1", "status": status, "metadata": batch.metadata, **files,
        }  # fmt: skip

    async def content(self, request: Request) -> Response:
        kind, _, name = request.path_params["id"].partition("-")
        lines: list[Json] = []
        for call, said, body in self.answered("openai", self.batches[name], "/v1/chat/completions"):
            line: Json = {"id": "r", "custom_id": call, "response": None, "error": None}
            if said == "expired":
                line["error"] = {"code": "batch_expired", "message": "This request could not be executed."}
            else:
                line["response"] = {"status_code": int(said), "request_id": "q", "body": body}
            if (said == "200") == (kind == "out"):
                lines.append(line)
        return PlainTextResponse("\n".join(map(json.dumps, lines)), media_type="application/jsonl")

    async def models(self, request: Request) -> Response:
        of = self.anthropic if "x-api-key" in request.headers else self.openai
        call = VendorRequest("GET", request.url.path, dict(request.query_params), dict(request.headers), {})
        return Response(of.listing(call).last, media_type="application/json")

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/messages/batches", self.message_batches, methods=["GET", "POST"]),
                Route("/v1/messages/batches/{id}", self.message_batch),
                Route("/v1/messages/batches/{id}/results", self.message_results),
                Route("/v1/files", self.upload, methods=["POST"]),
                Route("/v1/files/{id}/content", self.content),
                Route("/v1/batches", self.openai_batches, methods=["GET", "POST"]),
                Route("/v1/batches/{id}", self.openai_batch),
                Route("/v1/models", self.models),
                Route("/v1/models/{id}", self.models),
            ]
        )

    @property
    def environment(self) -> dict[str, str]:
        url = f"http://127.0.0.1:{self.port}"
        return {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "a",
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "o",
        }


@asynccontextmanager
async def running_batches() -> AsyncIterator[BatchVendors]:
    """Both vendors at a port of this machine."""
    made = BatchVendors()
    server = uvicorn.Server(uvicorn.Config(made.app(), port=0, log_config=None, access_log=False, lifespan="off"))
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    made.port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.should_exit = True
        await task
