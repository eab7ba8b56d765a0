"""``anthropic-batch:MODEL``: Anthropic's Message Batches.

Source: the SDK's ``messages.batches``, and platform.claude.com/docs, "Batch processing", read 2026-11-28.  A batch has
no field for a mark of ours, so one whose answer was lost is found by its time and its number of calls.
"""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, Final

from providers.anthropic import AnthropicProvider, error_of, prompt_of
from providers.errors import Overloaded, ProviderError, Stopped
from providers.http.vendor import VendorCall

from .provider import BatchedProvider
from .queue import SentBatch

SLACK_S: Final = 120.0
"""Seconds by which two clocks may differ."""
LISTED: Final = 100


class AnthropicBatches(BatchedProvider, AnthropicProvider):
    """Typed answers as ``anthropic:MODEL`` gives them."""

    name = "anthropic-batch"

    def body(self, call: VendorCall) -> dict[str, Any]:
        """A message without a stream."""
        sent = dict(call.sent)
        return {"model": call.model, **prompt_of(call.prompt), **sent.pop("extra_body", {}), **sent}

    def whole(self, result: Any) -> Iterator[Any]:
        """The events of a message that is complete."""
        yield SimpleNamespace(type="message_start", message=result)
        for block in result.content:
            if block.type == "text":
                delta = SimpleNamespace(type="text_delta", text=block.text)
            elif block.type == "thinking":
                delta = SimpleNamespace(type="thinking_delta", thinking=block.thinking)
            elif block.type == "tool_use":
                delta = SimpleNamespace(type="input_json_delta", partial_json=json.dumps(block.input))
            else:
                continue
            yield SimpleNamespace(type="content_block_delta", delta=delta)
        yield SimpleNamespace(type="message_delta", delta=result, usage=result.usage)
        yield SimpleNamespace(type="message_stop")

    # the interface of the vendor's batches

    async def create(self, bodies: Mapping[str, dict[str, Any]], mark: str) -> str:
        """Send a batch."""
        del mark
        requests = [{"custom_id": name, "params": body} for name, body in bodies.items()]
        made = await self.sent(self.client().messages.batches.create(requests=requests))
        return str(made.id)

    async def found(self, sent: SentBatch, mark: str) -> str:
        """The batch that was made then, with as many calls; what it does not answer is sent again at its end."""
        del mark
        page = await self.sent(self.client().messages.batches.list(limit=LISTED))
        begin = datetime.fromtimestamp(sent.at - SLACK_S, UTC)
        for each in page.data:
            calls = sum(each.request_counts.to_dict().values())
            if each.created_at >= begin and calls == len(sent.calls):
                return str(each.id)
        return ""

    async def is_over(self, batch: str) -> bool:
        """Whether every call has succeeded, failed, or was too late."""
        found = await self.sent(self.client().messages.batches.retrieve(batch))
        return bool(found.processing_status == "ended")

    async def results(self, batch: str) -> AsyncIterator[tuple[str, Any]]:
        """The results as the vendor streams them."""
        with self.translating():
            async for each in await self.client().messages.batches.results(batch):
                yield each.custom_id, self._result(each.result)

    def _result(self, result: Any) -> Any:
        match result.type:
            case "succeeded":
                return result.message
            case "errored":
                fault = result.error.error
                return error_of(self, str(fault.type), str(fault.message))
            case "expired":
                error: ProviderError = Overloaded("Anthropic did not come to this call within 24 hours")
            case _:
                error = Stopped("the batch was cancelled at Anthropic")
        return error
