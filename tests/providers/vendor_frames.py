"""The scenes of ``providers.testing.wire`` in the vendors' protocols."""

import json
from typing import Any

from providers.testing.wire import Scene


def ollama_frames(scene: Scene) -> tuple[list[bytes], bytes]:
    """Ollama's lines of JSON."""

    def line(**more: Any) -> bytes:
        message = {"model": "m:1", "created_at": "2026-01-01T00:00:00Z"} | more
        return json.dumps(message, ensure_ascii=False).encode() + b"\n"

    texts = [line(message={"role": "assistant", "content": text}, done=False) for text in scene.texts]
    ending = {"done": True, "done_reason": scene.end, "prompt_eval_count": 11, "eval_count": 3}
    return texts, line(message={"role": "assistant", "content": ""}, **ending)


def anthropic_frames(scene: Scene) -> tuple[list[bytes], bytes]:
    """Anthropic's events."""

    def event(kind: str, **more: Any) -> bytes:
        return f"event: {kind}\n".encode() + b"data: " + json.dumps({"type": kind} | more).encode() + b"\n\n"

    usage = {"input_tokens": 11, "output_tokens": 0}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    start = event("message_start", message=message | {"stop_reason": None, "stop_sequence": None})
    block = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    texts = [event("content_block_delta", index=0, delta={"type": "text_delta", "text": text}) for text in scene.texts]
    reason = {"stop": "end_turn", "length": "max_tokens"}.get(scene.end, scene.end)
    last = event("content_block_stop", index=0)
    last += event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 3})
    return [start, event("ping"), block, *texts], last + event("message_stop")


def gemini_frames(scene: Scene) -> tuple[list[bytes], bytes]:
    """Gemini's events."""

    def part(text: str, **more: Any) -> bytes:
        content = {"role": "model", "parts": [{"text": text}]}
        message: dict[str, Any] = {"candidates": [{"index": 0, "content": content} | more], "modelVersion": "m"}
        if more:
            message["usageMetadata"] = {"promptTokenCount": 11, "candidatesTokenCount": 3, "totalTokenCount": 14}
        return b"data: " + json.dumps(message, ensure_ascii=False).encode() + b"\r\n\r\n"

    reason = {"stop": "STOP", "length": "MAX_TOKENS"}.get(scene.end, scene.end)
    return [part(text) for text in scene.texts], part("", finishReason=reason)
