"""Ollama's chat by Ollama's rules.

Sources, unless a rule names another, all read 2026-11-22: ollama/ollama at fb307609 (v0.33.0-rc2, 2026-08-21):
server/routes.go, server/prompt.go, api/types.go, llm/llama_server.go; docs of v0.40.12 (2026-10-29).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.providers.vendors import faults, schemas, texts
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.tokens import cut, tokens, written_out
from tests.providers.vendors.vendor import (
    Behaviour,
    Bill,
    Draft,
    FakeVendor,
    Json,
    VendorRefusal,
    VendorRequest,
    VendorResponse,
)

THINKS = ("completion", "tools", "thinking")
SPEAKS = ("completion", "tools")


@dataclass(frozen=True, kw_only=True)
class OllamaModel(Behaviour):
    """``window``: the model's own; ``num_ctx``: the default of a call."""

    capabilities: tuple[str, ...] = THINKS
    stubborn: bool = False
    """It always thinks (gpt-oss: levels only, no off)."""
    num_ctx: int = 4096
    """Below 24 GB of video memory."""
    family: str = "qwen3"
    window: int = 40_960
    most: int = 1_000_000


LEVELS: Mapping[str, float] = {"low": 0.4, "medium": 1.0, "high": 2.0, "max": 2.0}
MODELS: dict[str, OllamaModel] = {
    "qwen3:latest": OllamaModel(),
    "qwen3:8b": OllamaModel(),
    "deepseek-r1:8b": OllamaModel(window=131_072),
    "gpt-oss:20b": OllamaModel(efforts=LEVELS, stubborn=True, window=131_072, family="gptoss"),
    "llama3.2:latest": OllamaModel(thinks=False, capabilities=SPEAKS, window=131_072, family="llama"),
    "llama3.1:8b": OllamaModel(thinks=False, capabilities=SPEAKS, window=131_072, family="llama"),
    "imported:latest": OllamaModel(capabilities=("completion",), tags=True),
    "nomic-embed-text:latest": OllamaModel(thinks=False, capabilities=("embedding",), family="nomic-bert"),
}
"""``imported``: a GGUF whose template has no thinking, so that its text contains <think> (agentscope#1099,
ollama#14212)."""


class Ollama(FakeVendor):
    """``/api/chat``, ``/api/tags``, ``/api/show``, ``/api/ps`` and ``/api/version``."""

    name: ClassVar[str] = "ollama"
    base: ClassVar[str] = "OLLAMA_HOST"
    secret: ClassVar[str] = "OLLAMA_API_KEY"

    def __init__(self, key: str = "") -> None:
        super().__init__(key)
        self.models = dict(MODELS)
        self.loaded: dict[str, Json] = {}
        """Model to the window that it was loaded with, and how long it stays."""
        self.loads = 0

    def schema_of(self, body: Json) -> Json | None:
        form = body.get("format")
        if form == "json":
            return texts.in_words(self.prompt_of(body)) or {"type": "object"}
        return form or None

    def prompt_of(self, body: Json) -> str:
        return written_out((each["role"], each.get("content") or "") for each in body.get("messages", ()))

    def error(self, status: int, message: str, seconds: float | None = None) -> Json:
        return {"error": message}

    def too_long(self) -> VendorRefusal:
        """Source: llm/llama_server.go, where the prompt may not be shifted."""
        return self.refused(
            400,
            "the prompt is longer than the context length currently available to the model; "
            "shorten the prompt, adjust the context length in settings, or use a model with a "
            "longer context length",
        )

    def listing(self, call: VendorRequest) -> VendorResponse:
        match call.path:
            case "/api/tags":
                listed: Any = {
                    "models": [
                        {
                            "name": name,
                            "model": name,
                            "modified_at": "2026-11-01T00:00:00Z",
                            "size": 5_000_000_000,
                            "digest": "0" * 64,
                            "details": details(model),
                        }
                        for name, model in self.models.items()
                    ]
                }
            case "/api/ps":
                listed = {"models": [{"name": name, "model": name} | more for name, more in self.loaded.items()]}
            case "/api/version":
                listed = {"version": "0.40.12"}
            case _:
                raise self.refused(404, "404 page not found")
        return VendorResponse(json.dumps(listed).encode())

    def found(self, name: str) -> OllamaModel:
        model: OllamaModel | None = self.models.get(name) or self.models.get(f"{name}:latest")
        if model is None:
            raise self.refused(404, f"model '{name}' not found")
        return model

    def answer(self, call: VendorRequest, fault: Fault) -> VendorResponse:
        body, name = call.body, self.model_of(call)
        model = self.found(name)
        if call.path == "/api/show":
            return VendorResponse(json.dumps(shown(model)).encode())
        if call.path != "/api/chat":
            raise self.refused(404, "404 page not found")
        if "completion" not in model.capabilities:
            raise self.refused(400, f'"{name}" does not support chat')
        thought = self.thinking(name, model, body)
        if isinstance(form := body.get("format"), dict) and (complaint := schemas.ollama(form)):
            raise self.refused(500, complaint)
        window = self.load(name, model, body)
        body = self.fitted(body, window)
        limit = (body.get("options") or {}).get("num_predict") or -1
        draft = self.draft(model, body, thought, model.most if limit < 0 else limit, fault)
        read = min(tokens(self.prompt_of(body)), window)
        bill = self.add_bill(Bill(model=name, input=read, output=draft.output))
        shows = body.get("think") is not False and "thinking" in model.capabilities
        return Reply(bill, draft, fault, body.get("stream") is not False, shows, model.tags).answer()

    def thinking(self, name: str, model: OllamaModel, body: Json) -> int:
        """A model that can think does so by default; any other model refuses the parameter.

        Source: server/routes.go (chat), api/types.go (ThinkValue); in the words of openclaude#1371 (2026).
        """
        think = body.get("think")
        if think is not None and not isinstance(think, bool) and think not in LEVELS:
            must = 'must be "high", "medium", "low", "max", true, or false'
            raise self.refused(400, f'invalid think value: "{think}" ({must})')
        if think not in {None, False} and "thinking" not in model.capabilities:
            raise self.refused(400, f'"{name}" does not support thinking')
        if not model.thinks or (think is False and not model.stubborn and not model.tags):
            return 0
        return round(model.thought * model.efforts.get(think, 1.0)) if isinstance(think, str) else model.thought

    def load(self, name: str, model: OllamaModel, body: Json) -> int:
        """The window of this call: another one loads the model again.  A duration is seconds, or text with a unit."""
        window = min((body.get("options") or {}).get("num_ctx") or model.num_ctx, model.window)
        stays = body.get("keep_alive", "5m")
        if isinstance(stays, str) and stays.lstrip("-").replace(".", "").isdigit():
            raise self.refused(400, f'time: missing unit in duration "{stays}"')
        self.loads += self.loaded.get(name, {}).get("context_length") != window
        self.loaded[name] = {"context_length": window, "keep_alive": stays}
        return window

    def fitted(self, body: Json, window: int) -> Json:
        """What remains of a prompt that is too long: system messages and the last one, then the newest.  No error.

        Source: server/prompt.go; ``truncate: false`` refuses instead.  A last message too long by itself is cut.
        """
        kept = list(body.get("messages", ()))
        if tokens(self.prompt_of(body)) <= window:
            return body
        if body.get("truncate") is False:
            raise self.too_long()
        place = 0
        while place < len(kept) - 1 and tokens(self.prompt_of({"messages": kept})) > window:
            if kept[place]["role"] == "system":
                place += 1
            else:
                del kept[place]
        kept[-1] = kept[-1] | {"content": cut(kept[-1].get("content") or "", window)}
        return body | {"messages": kept}


def details(model: OllamaModel) -> Json:
    return {
        "parent_model": "",
        "format": "gguf",
        "family": model.family,
        "families": [model.family],
        "parameter_size": "8.2B",
        "quantization_level": "Q4_K_M",
    }


def shown(model: OllamaModel) -> Json:
    """The response of /api/show."""
    return {
        "modelfile": "",
        "parameters": "",
        "template": "{{ .Prompt }}",
        "details": details(model),
        "model_info": {"general.architecture": model.family, f"{model.family}.context_length": model.window},
        "capabilities": list(model.capabilities),
        "modified_at": "2026-11-01T00:00:00Z",
    }


@dataclass
class Reply:
    """A draft in Ollama's protocol: a line of JSON each, or one."""

    bill: Bill
    draft: Draft
    fault: Fault
    streams: bool
    shows: bool
    tags: bool

    def answer(self) -> VendorResponse:
        text, thoughts = self.draft.text, self.draft.thoughts
        if self.fault.kind == "refusal":
            text = ""  # Ollama has no word for it
        if self.tags and thoughts:
            text, thoughts = f"<think>\n{thoughts}\n</think>\n\n{text}", ""
        thoughts = thoughts if self.shows else ""
        reason = self.fault.value if self.fault.kind == "finish" else "length" if self.draft.is_cut else "stop"
        counts = {"prompt_eval_count": self.bill.input, "eval_count": self.bill.output}
        ending: Json = {
            "done": True,
            "done_reason": reason,
            "total_duration": 1_000_000,
            "load_duration": 1000,
            "prompt_eval_duration": 1000,
            "eval_duration": 1000,
        } | {name: count for name, count in counts.items() if count}  # omitempty
        tools = [{"function": {"name": "answer", "arguments": {}}}] if self.fault.kind == "tool call" else None
        called: Json = {"tool_calls": tools} if tools else {}
        if not self.streams:
            message = {"content": "" if tools else text} | ({"thinking": thoughts} if thoughts else {}) | called
            return VendorResponse(self.line(message, **ending), kind="application/json; charset=utf-8", bill=self.bill)
        pieces: list[Json] = [{"content": "", "thinking": each} for each in texts.pieces(thoughts)]
        spoken = faults.split_pieces(self.fault.kind, texts.pieces(text))
        pieces += [{"content": "", **called}] if tools else [{"content": each} for each in spoken]
        return VendorResponse(
            self.line({"content": ""}, **ending),
            [self.line(each, done=False) for each in pieces],
            "application/x-ndjson",
            bill=self.bill,
            streams=True,
            error=b'{"error":"an error was encountered while running the model: unexpected EOF"}\n',
        )

    def line(self, message: Json, **more: Any) -> bytes:
        head = {"model": self.bill.model, "created_at": "2026-11-22T00:00:00Z"}
        reply = {"message": {"role": "assistant"} | message}
        return faults.encoded(self.fault.kind, head | reply | more) + b"\n"
