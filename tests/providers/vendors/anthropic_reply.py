"""A draft in Anthropic's protocol."""

import json
from dataclasses import dataclass
from typing import Any

from tests.providers.vendors import faults, texts
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.vendor import Bill, Draft, Json, VendorResponse

SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk"


@dataclass
class Reply:
    """A draft in Anthropic's protocol, streamed or whole."""

    bill: Bill
    draft: Draft
    fault: Fault
    body: Json
    form: Json | None
    shows: bool

    @property
    def is_tool(self) -> bool:
        return self.fault.kind == "tool call" or (self.body.get("tool_choice") or {}).get("type") in {"tool", "any"}

    @property
    def stop(self) -> str:
        match self.fault.kind:
            case "refusal":
                return "refusal"
            case "finish":
                return str(self.fault.value)
        if self.draft.is_cut:
            return "max_tokens"
        return "tool_use" if self.is_tool else "end_turn"

    def usage(self, output: int) -> Json:
        """``input_tokens`` leaves out what the cache read and wrote; ``output_tokens`` includes thinking."""
        bill = self.bill
        return {
            "input_tokens": bill.input - bill.cached - bill.written,
            "cache_read_input_tokens": bill.cached,
            "cache_creation_input_tokens": bill.written,
            "output_tokens": output,
        }

    def blocks(self) -> list[Json]:
        """The content: thinking, with its text or with its signature alone, then text or a tool's input."""
        found: list[Json] = []
        if self.draft.thought and self.fault.kind != "refusal":
            thoughts = self.draft.thoughts[: len(self.draft.thoughts) // 3] if self.shows else ""
            found.append({"type": "thinking", "thinking": thoughts, "signature": SIGNATURE})
        if self.fault.kind == "refusal":
            return found
        if self.is_tool and (self.draft.text or not self.draft.is_cut):
            name = (self.body.get("tool_choice") or {}).get("name") or "answer"
            found.append({"type": "tool_use", "id": "toolu_1", "name": name, "input": self.draft.text})
        elif self.draft.text or not self.draft.is_cut:
            found.append({"type": "text", "text": self.draft.text})
        return found

    def answer(self) -> VendorResponse:
        headers = {
            "request-id": "req_1",
            "anthropic-ratelimit-requests-limit": "1000",
            "anthropic-ratelimit-requests-remaining": "999",
            "anthropic-ratelimit-requests-reset": "2026-11-22T00:00:01Z",
        }
        message: Json = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self.bill.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
        }
        details = {"output_tokens_details": {"thinking_tokens": self.bill.thought}}
        stopped: Json = {"stop_reason": self.stop, "stop_sequence": None}
        if self.stop == "refusal":
            stopped["stop_details"] = {"type": "refusal", "category": "general_harms", "explanation": None}
        if not self.body.get("stream"):
            content = [
                each | {"input": as_object(each["input"])} if "input" in each else each for each in self.blocks()
            ]
            usage = self.usage(self.bill.output) | details
            body = message | stopped | {"content": content, "usage": usage}
            return VendorResponse(faults.encoded(self.fault.kind, body), headers=headers, bill=self.bill)
        created = {"cache_creation": {"ephemeral_5m_input_tokens": self.bill.written, "ephemeral_1h_input_tokens": 0}}
        usage = self.usage(1) | created | {"service_tier": "standard"}
        frames = [self.event("message_start", message=message | {"usage": usage}), self.event("ping")]
        for place, block in enumerate(self.blocks()):
            frames += self.streamed(place, block)
        last = self.event("message_delta", delta=stopped, usage=self.usage(self.bill.output) | details)
        return VendorResponse(
            last + self.event("message_stop"),
            frames,
            "text/event-stream",
            headers=headers,
            bill=self.bill,
            streams=True,
            error=self.event("error", error={"type": "overloaded_error", "message": "Overloaded"}),
        )

    def streamed(self, place: int, block: Json) -> list[bytes]:
        """A block's events.  Omitted thoughts have no thinking_delta, only the signature (docs, thinking display)."""
        empty: Json
        match block["type"]:
            case "thinking":
                empty = {"thinking": "", "signature": ""}
                deltas: list[Json] = [
                    {"type": "thinking_delta", "thinking": each} for each in texts.pieces(block["thinking"])
                ]
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            case "tool_use":
                empty = {"input": {}}
                pieces = ["", *faults.split_pieces(self.fault.kind, texts.pieces(block["input"]))]
                deltas = [{"type": "input_json_delta", "partial_json": each} for each in pieces]
            case _:
                empty = {"text": ""}
                pieces = faults.split_pieces(self.fault.kind, texts.pieces(block["text"]))
                deltas = [{"type": "text_delta", "text": each} for each in pieces]
        start = self.event("content_block_start", index=place, content_block=block | empty)
        middle = [self.event("content_block_delta", index=place, delta=delta) for delta in deltas]
        return [start, *middle, self.event("content_block_stop", index=place)]

    def event(self, kind: str, **more: Any) -> bytes:
        return f"event: {kind}\ndata: ".encode() + faults.encoded(self.fault.kind, {"type": kind} | more) + b"\n\n"


def as_object(text: str) -> Json:
    """A tool's input: the whole object, or none where it was cut."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
