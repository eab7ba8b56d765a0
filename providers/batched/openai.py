"""``openai-batch:MODEL``: OpenAI's Batch API, with chat completions.

Source: the SDK's ``batches`` and ``files``, and platform.openai.com/docs/guides/batch, read 2026-11-28.
"""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final

import msgspec

from providers.errors import BadRequest, Overloaded, Stopped
from providers.http.connection import as_text
from providers.http.vendor import VendorCall
from providers.openai import OpenAIProvider, prompt_of

from .provider import BatchedProvider
from .queue import SentBatch

ENDPOINT: Final = "/v1/chat/completions"
MARK: Final = "moot"
"""The field of a batch's metadata that holds our mark."""
LISTED: Final = 100
OVER: Final = frozenset({"completed", "expired", "cancelled", "failed"})
FINE: Final = 200


class OpenAIBatches(BatchedProvider, OpenAIProvider):
    """Typed answers as ``openai:MODEL`` gives them."""

    name = "openai-batch"

    def body(self, call: VendorCall) -> dict[str, Any]:
        """A completion without a stream."""
        sent = {name: value for name, value in call.sent.items() if name != "stream_options"}
        return {"model": call.model, "messages": prompt_of(call), **sent.pop("extra_body", {}), **sent}

    def whole(self, result: Any) -> Iterator[Any]:
        """A completion as one chunk, and its usage."""
        choices = [SimpleNamespace(finish_reason=each.finish_reason, delta=each.message) for each in result.choices]
        yield SimpleNamespace(model=result.model, usage=result.usage, choices=choices)

    # the interface of the vendor's batches

    async def create(self, bodies: Mapping[str, dict[str, Any]], mark: str) -> str:
        """Upload the calls and begin their batch."""
        lines = [
            msgspec.json.encode({"custom_id": name, "method": "POST", "url": ENDPOINT, "body": body})
            for name, body in bodies.items()
        ]
        file = ("moot.jsonl", b"\n".join(lines) + b"\n")
        uploaded = await self.sent(self.client().files.create(file=file, purpose="batch"))
        create = self.client().batches.create
        made = await self.sent(
            create(input_file_id=uploaded.id, endpoint=ENDPOINT, completion_window="24h", metadata={MARK: mark})
        )
        return str(made.id)

    async def found(self, sent: SentBatch, mark: str) -> str:
        """The batch with our mark."""
        del sent
        page = await self.sent(self.client().batches.list(limit=LISTED))
        return next((str(each.id) for each in page.data if (each.metadata or {}).get(MARK) == mark), "")

    async def is_over(self, batch: str) -> bool:
        """Whether nothing more is done."""
        found = await self.sent(self.client().batches.retrieve(batch))
        return found.status in OVER

    async def results(self, batch: str) -> AsyncIterator[tuple[str, Any]]:
        """What stands in the file of results and in the file of errors."""
        found = await self.sent(self.client().batches.retrieve(batch))
        if found.status == "failed":
            faults = "; ".join(as_text(each.message) for each in (found.errors.data if found.errors else None) or ())
            raise BadRequest(f"{self.label} refused the batch: {faults or 'no reason is given'}")
        for file in filter(None, (found.output_file_id, found.error_file_id)):
            content = await self.sent(self.client().files.content(file))
            for line in content.text.splitlines():
                if line.strip():
                    said = json.loads(line)
                    yield str(said.get("custom_id")), self._result(said)

    def _result(self, said: dict[str, Any]) -> Any:
        from openai.types.chat import ChatCompletion  # noqa: PLC0415 - SDKs are imported when first used

        response = said.get("response") or {}
        body, fault = response.get("body") or {}, said.get("error") or {}
        if response.get("status_code") == FINE:
            return ChatCompletion.construct(**body)
        if fault.get("code") == "batch_expired":
            return Overloaded(f"{self.label} did not come to this call within 24 hours")
        if fault.get("code") == "batch_cancelled":
            return Stopped(f"the batch was cancelled at {self.label}")
        of = body.get("error") or fault
        message, parameter = as_text(of.get("message")) or "an error without a message", as_text(of.get("param"))
        if parameter and parameter not in message:
            message = f"{message} ({parameter})"
        return self.status_error(int(response.get("status_code") or 500), message, body=body)
