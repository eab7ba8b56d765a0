"""A draft in OpenAI's protocol, with thinking in each form that gateways use."""

from dataclasses import dataclass
from typing import Literal

from tests.providers.vendors import faults, texts
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.vendor import Bill, Draft, Json, VendorResponse

NOW = 1_795_305_600  # 2026-11-22, for unused fields
Shown = Literal["", "reasoning_content", "reasoning", "reasoning_details", "content list", "tags", "swallowed tag"]


@dataclass
class Reply:
    """A draft in OpenAI's protocol, streamed or whole."""

    bill: Bill
    draft: Draft
    fault: Fault
    body: Json
    shows: Shown

    @property
    def finish(self) -> str:
        match self.fault.kind:
            case "tool call":
                return "tool_calls"
            case "refusal":
                return "stop"  # Source: openai 3.54.0, ChoiceDelta.refusal: the text comes there instead
            case "finish":
                return str(self.fault.value)
        return "length" if self.draft.is_cut else "stop"

    @property
    def usage(self) -> Json:
        bill = self.bill
        prompt = {"cached_tokens": bill.cached, "audio_tokens": 0} | (
            {"cache_write_tokens": bill.written} if bill.written else {}
        )
        completion = {
            "reasoning_tokens": bill.thought,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        }
        return {
            "prompt_tokens": bill.input,
            "completion_tokens": bill.output,
            "total_tokens": bill.input + bill.output,
            "prompt_tokens_details": prompt,
            "completion_tokens_details": completion,
        }

    def answer(self) -> VendorResponse:
        headers = {
            "x-request-id": "req_1",
            "openai-processing-ms": "1",
            "x-ratelimit-limit-requests": "500",
            "x-ratelimit-remaining-requests": "499",
            "x-ratelimit-reset-requests": "120ms",
            "x-ratelimit-limit-tokens": "200000",
            "x-ratelimit-remaining-tokens": "199000",
            "x-ratelimit-reset-tokens": "300ms",
        }  # Source: platform.openai.com/docs/guides/rate-limits, "Rate limits in headers", 2025
        if not self.body.get("stream"):
            return VendorResponse(faults.encoded(self.fault.kind, self.whole()), headers=headers, bill=self.bill)
        frames = [self.event({"role": "assistant", "content": "", "refusal": None}), *map(self.event, self.deltas())]
        last = self.event({}, self.finish)
        if (self.body.get("stream_options") or {}).get("include_usage"):
            last += self.frame({"choices": [], "usage": self.usage})
        return VendorResponse(
            last + b"data: [DONE]\n\n",
            frames,
            "text/event-stream",
            headers=headers,
            bill=self.bill,
            streams=True,
            error=self.broken(),
        )

    def deltas(self) -> list[Json]:
        """Thinking in the form of the server, then the text."""
        text, thoughts = self.draft.text, self.draft.thoughts
        if self.fault.kind == "tool call":
            call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "answer", "arguments": ""}}
            arguments = {"index": 0, "function": {"arguments": text if text.startswith("{") else "{}"}}
            return [{"tool_calls": [call]}, {"tool_calls": [arguments]}]
        if self.fault.kind == "refusal":
            return [{"refusal": "I'm sorry, I can't help with that."}]
        if self.shows == "tags" and thoughts:
            text, thoughts = f"<think>\n{thoughts}\n</think>\n\n{text}", ""
        if self.shows == "swallowed tag" and thoughts:
            text, thoughts = f"{thoughts}\n</think>\n\n{text}", ""
        shown = [self.thinking(each) for each in texts.pieces(thoughts)] if self.shows else []
        spoken = faults.split_pieces(self.fault.kind, texts.pieces(text))
        return shown + [{"content": each} for each in spoken]

    def thinking(self, piece: str) -> Json:
        """A piece of thinking in one of the known forms: DeepSeek and vLLM, OpenRouter, Mistral."""
        match self.shows:
            case "reasoning_details":
                details = [{"type": "reasoning.text", "text": piece, "format": "unknown", "index": 0}]
                return {"content": "", "reasoning": piece, "reasoning_details": details}
            case "content list":
                return {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}
        return {"content": None, self.shows: piece}

    def event(self, delta: Json, finish: str | None = None) -> bytes:
        return self.frame({"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]})

    def frame(self, more: Json) -> bytes:
        chunk = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": NOW,
            "model": self.bill.model,
            "service_tier": "default",
            "system_fingerprint": None,
        }
        return b"data: " + faults.encoded(self.fault.kind, chunk | more) + b"\n\n"

    def broken(self) -> bytes:
        """OpenRouter's error within a stream.  Source: openrouter.ai/docs/api/reference/errors-and-debugging, 2026."""
        error = {"code": 502, "message": "Provider disconnected"}
        choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
        return self.frame({"error": error, "choices": [choice]})

    def whole(self) -> Json:
        """Not streamed: the same deltas as one message."""
        message: Json = {"role": "assistant", "content": "", "refusal": None}
        for delta in self.deltas():
            for name, piece in delta.items():
                if isinstance(piece, str) and isinstance(message.get(name) or "", str):
                    message[name] = (message.get(name) or "") + piece
        if self.finish == "tool_calls":
            message |= {
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "answer", "arguments": self.draft.text},
                    }
                ],
            }
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": NOW,
            "model": self.bill.model,
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish}],
            "usage": self.usage,
        }
