"""Anthropic's messages by Anthropic's rules.

Sources, unless a rule names another, all read 2026-11-22: anthropic 2.12.0 (types/model.py, model_info.py,
thinking_config_param.py, stop_reason.py, usage.py); platform.claude.com/docs, the models' overview and whats-new pages;
anthropics/skills @9d2f1ae (2026-07-01); pydantic/pydantic-ai @4fda3898 (2026-08-22), profiles/anthropic.py.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tests.providers.vendors import schemas
from tests.providers.vendors.anthropic_reply import Reply
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.tokens import tokens
from tests.providers.vendors.vendor import (
    Behaviour,
    Bill,
    FakeVendor,
    Json,
    VendorRefusal,
    VendorRequest,
    VendorResponse,
)

Way = Literal["enabled", "adaptive", "disabled", "between_tools"]
EFFORTS: Mapping[str, float] = {"low": 0.4, "medium": 0.7, "high": 1.0, "xhigh": 2.0, "max": 4.0}
FEW = {name: EFFORTS[name] for name in ("low", "medium", "high")}
EFFORTS_BUT_XHIGH = {name: EFFORTS[name] for name in ("low", "medium", "high", "max")}


@dataclass(frozen=True, kw_only=True)
class AnthropicModel(Behaviour):
    """``ways``: the thinking types that it takes; ``unasked``: its default."""

    ways: tuple[Way, ...] = ("adaptive", "disabled")
    unasked: Way = "adaptive"
    default: str = "high"
    calm: tuple[str, ...] = ("low", "medium", "high", "xhigh", "max")
    """Efforts at which thinking may be switched off."""
    samples: bool = False
    """It takes a temperature other than 1."""
    shows: bool = False
    """Thinking is summarised unless the call omits it; newer models have the opposite default."""
    forced: bool = True
    """It takes a forced tool while it thinks."""
    prefills: bool = False
    minimum: int = 512
    """Tokens from which a beginning is cached."""
    window: int = 1_000_000
    most: int = 128_000


OLD: Mapping[str, Any] = {
    "ways": ("enabled", "disabled"),
    "unasked": "disabled",
    "samples": True,
    "shows": True,
    "forced": False,
    "prefills": True,
    "window": 200_000,
    "most": 64_000,
}
MIDDLE: Mapping[str, Any] = {
    "ways": ("enabled", "adaptive", "disabled"),
    "unasked": "disabled",
    "samples": True,
    "shows": True,
    "efforts": EFFORTS_BUT_XHIGH,
}
ALWAYS: Mapping[str, Any] = {"ways": ("adaptive",), "efforts": EFFORTS, "forced": False}
CALM = ("low", "medium", "high")
MODELS: dict[str, AnthropicModel] = {
    "claude-haiku-4-5": AnthropicModel(**OLD, minimum=4096, billed_as="claude-haiku-4-5-20251001"),
    "claude-sonnet-4-5": AnthropicModel(**OLD, minimum=1024, billed_as="claude-sonnet-4-5-20250929"),
    "claude-opus-4-5": AnthropicModel(**OLD, minimum=4096, efforts=FEW, billed_as="claude-opus-4-5-20251101"),
    "claude-sonnet-4-6": AnthropicModel(**MIDDLE, minimum=1024),
    "claude-opus-4-6": AnthropicModel(**MIDDLE, minimum=4096),
    "claude-opus-4-7": AnthropicModel(unasked="disabled", efforts=EFFORTS, minimum=2048),
    "claude-opus-4-8": AnthropicModel(unasked="disabled", efforts=EFFORTS, minimum=1024),
    "claude-sonnet-5": AnthropicModel(efforts=EFFORTS, minimum=1024),
    "claude-opus-5": AnthropicModel(efforts=EFFORTS, calm=CALM),
    "claude-fable-5": AnthropicModel(**ALWAYS),
    "claude-fable-5-2": AnthropicModel(**ALWAYS),
    "claude-opus-5-5": AnthropicModel(**ALWAYS, default="medium"),
    "claude-sonnet-5-5": AnthropicModel(ways=("adaptive", "between_tools"), efforts=EFFORTS, forced=False, calm=CALM),
    "claude-haiku-5-5": AnthropicModel(efforts=EFFORTS, default="medium", calm=CALM),
}
"""Minimum of the cache: openrouter.ai claude-5-5 and litellm's documentation (2026-10-07); anthropics/skills.  What a
model thinks at each effort is the fake's own."""

ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
BREAKPOINTS, LOOKBACK, MIN_BUDGET = 4, 20, 1024


@dataclass(frozen=True)
class Block:
    """A piece of the prompt, in the order in which the cache reads: tools, system, messages."""

    text: str
    is_marked: bool


class Anthropic(FakeVendor):
    """``/v1/messages`` and ``/v1/models``."""

    name: ClassVar[str] = "anthropic"
    base: ClassVar[str] = "ANTHROPIC_BASE_URL"
    secret: ClassVar[str] = "ANTHROPIC_API_KEY"

    def __init__(self, key: str = "") -> None:
        super().__init__(key)
        self.models = dict(MODELS)
        self.written = self.entries

    def schema_of(self, body: Json) -> Json | None:
        form = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
        if "schema" in form:
            return dict(form["schema"])
        choice = body.get("tool_choice") or {}
        tools = {tool["name"]: tool.get("input_schema") for tool in body.get("tools", ()) if "name" in tool}
        if choice.get("type") == "any":
            return next(iter(tools.values()), None)
        return tools.get(choice.get("name"))

    def prompt_of(self, body: Json) -> str:
        return "".join(block.text for block in blocks(body))

    def error(self, status: int, message: str, seconds: float | None = None) -> Json:
        kind = ERRORS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    def refusal(self, message: str) -> VendorRefusal:
        return VendorRefusal(400, self.error(400, message), {"request-id": "req_1"})

    def too_long(self, window: int = 1_000_000, used: int = 1_000_001) -> VendorRefusal:
        """Source: platform.claude.com/docs, context windows, 2025: an error, not a cut."""
        return self.refusal(f"prompt is too long: {used} tokens > {window} maximum")

    def admit(self, call: VendorRequest) -> None:
        """A wrong key, or no version."""
        given = call.headers.get("x-api-key") or call.headers.get("authorization", "").removeprefix("Bearer ")
        if self.key and given != self.key:
            raise self.refused(401, "invalid x-api-key")
        if "anthropic-version" not in call.headers:
            raise self.refusal("anthropic-version: header is required")

    def listing(self, call: VendorRequest) -> VendorResponse:
        self.admit(call)
        found = {name: described(name, model) for name, model in self.models.items()}
        if call.path == "/v1/models":
            data = list(found.values())
            ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {}
            return VendorResponse(json.dumps({"data": data, "has_more": False, **ends}).encode())
        name = call.path.removeprefix("/v1/models/")
        dated = {model.billed_as: name for name, model in self.models.items()}
        if name not in found and name not in dated:
            raise self.refused(404, f"model: {name}")
        return VendorResponse(json.dumps(found.get(name) or found[dated[name]]).encode())

    def answer(self, call: VendorRequest, fault: Fault) -> VendorResponse:
        self.admit(call)
        if call.path != "/v1/messages":
            raise self.refused(404, "Not found")
        body, name = call.body, self.model_of(call)
        dated = {model.billed_as: model for model in self.models.values() if model.billed_as}
        model = self.models.get(name) or dated.get(name)
        if model is None:
            raise self.refused(404, f"model: {name}")
        way = self.way(model, body)
        self.check(model, body, way)
        read = tokens(self.prompt_of(body))
        if read > model.window:
            raise self.too_long(model.window, read)
        cached, written = self.cached(name, model, body)
        effort = (body.get("output_config") or {}).get("effort") or model.default
        thought = 0 if way in {"disabled", "between_tools"} else round(model.thought * EFFORTS[effort])
        if way == "enabled":
            thought = min(model.thought, body["thinking"]["budget_tokens"])
        draft = self.draft(model, body, thought, body["max_tokens"], fault)
        bill = self.add_bill(
            Bill(
                model=model.billed_as or name,
                input=read,
                output=draft.output,
                cached=cached,
                written=written,
                thought=draft.thought,
            )
        )
        display = (body.get("thinking") or {}).get("display") or ("summarized" if model.shows else "omitted")
        return Reply(bill, draft, fault, body, self.schema_of(body), shows=display == "summarized").answer()

    def way(self, model: AnthropicModel, body: Json) -> Way:
        """Its thinking, by its default or by the parameters.

        Sources: the words for "enabled" OpenHands/software-agent-sdk#3427 (2026-05-29), sausheong/harness#2
        (2026-07-27); for "disabled" dev.to/persimmoq (2026-10); the budget: docs, extended thinking.
        """
        asked: Json = body.get("thinking") or {"type": model.unasked}
        way: Way = asked["type"]
        if way not in model.ways:
            message = f'"thinking.type.{way}" is not supported for this model. '
            if way == "adaptive":
                raise self.refusal("adaptive thinking is not supported on this model")
            if way == "disabled" and "between_tools" in model.ways:
                raise self.refusal(
                    message + 'To turn thinking off on this model, send "thinking": {"type": "between_tools"}.'
                )
            instead = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
            raise self.refusal(message + instead)
        effort = (body.get("output_config") or {}).get("effort") or model.default
        if way in {"disabled", "between_tools"} and model.efforts and effort not in model.calm:
            raise self.refusal(f'"thinking.type.{way}" is not supported at effort "{effort}" on this model.')
        if way == "enabled":
            self.check_budget(asked.get("budget_tokens"), body.get("max_tokens", 0))
        return way

    def check_budget(self, budget: int | None, limit: int) -> None:
        """At least 1,024, and less than the limit.  Source: docs, extended thinking."""
        if budget is None:
            raise self.refusal("thinking.enabled.budget_tokens: Field required")
        if budget < MIN_BUDGET:
            raise self.refusal("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
        if budget >= limit:
            raise self.refusal(
                "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our "
                "documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
                "#max-tokens-and-context-window-size"
            )

    def check(self, model: AnthropicModel, body: Json, way: Way) -> None:
        """Other parameters that a model refuses.

        Sources: forced tools and prefill: docs, fable-5-1 and opus-5-5; four breakpoints: docs, prompt caching.
        """
        thinks = way in {"enabled", "adaptive"}
        self.check_sampling(model, body, thinks=thinks)
        if "max_tokens" not in body:
            raise self.refusal("max_tokens: Field required")
        if body["max_tokens"] > model.most:
            raise self.refusal(
                f"max_tokens: {body['max_tokens']} > {model.most}, which is the maximum allowed number of "
                f"output tokens for {body['model']}"
            )
        effort = (body.get("output_config") or {}).get("effort")
        if effort is not None and not model.efforts:
            raise self.refusal("This model does not support the effort parameter.")
        if effort is not None and effort not in model.efforts:
            levels = ", ".join(model.efforts)
            raise self.refusal(f"This model does not support effort level '{effort}'. Supported levels: {levels}.")
        forced = (body.get("tool_choice") or {}).get("type") in {"tool", "any"}
        if forced and thinks and not model.forced:
            raise self.refusal("Thinking may not be enabled when tool_choice forces tool use.")
        messages = body.get("messages") or [{"role": "assistant"}]
        if messages[-1]["role"] == "assistant" and not model.prefills:
            raise self.refusal(
                "This model does not support assistant message prefill. The conversation must end with a user message."
            )
        if sum(block.is_marked for block in blocks(body)) > BREAKPOINTS:
            marked = sum(block.is_marked for block in blocks(body))
            raise self.refusal(f"A maximum of 4 blocks with cache_control may be provided. Found {marked}.")
        self.check_format(body)

    def check_sampling(self, model: AnthropicModel, body: Json, *, thinks: bool) -> None:
        """A temperature.  Sources: tak848/ccgate#113 (2026-07-31), mnfst/modelparams.dev#214 (2026-07)."""
        for name in ("temperature", "top_p", "top_k"):
            if not model.samples and name in body and body[name] != 1:
                raise self.refusal(f"`{name}` is deprecated for this model.")
        if not 0 <= body.get("temperature", 1) <= 1:
            raise self.refusal("temperature: range: 0..1")
        if thinks and body.get("temperature", 1) != 1:
            raise self.refusal(
                "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please "
                "consult our documentation at https://docs.claude.com/en/docs/build-with-claude/"
                "extended-thinking"
            )
        if {"temperature", "top_p"} <= set(body):
            raise self.refusal(
                "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
            )

    def check_format(self, body: Json) -> None:
        """The schema of ``output_config.format`` and of strict tools, see ``schemas.anthropic``."""
        form = (body.get("output_config") or {}).get("format")
        if form is not None and form.get("type") != "json_schema":
            raise self.refusal("output_config.format.type: Input should be 'json_schema'")
        if form is not None and (complaint := schemas.anthropic(form.get("schema") or {})):
            raise self.refusal(complaint)
        for place, tool in enumerate(body.get("tools", ())):
            where = f"tools.{place}.custom.input_schema"
            if tool.get("strict") and (complaint := schemas.anthropic(tool["input_schema"], where=where)):
                raise self.refusal(complaint)

    def cached(self, name: str, model: AnthropicModel, body: Json) -> tuple[int, int]:
        """Tokens read from the cache and written to it: explicit marks, whole blocks, 20 blocks back.

        Another format of the answer is another prompt.  Below the minimum nothing is cached, without an error.
        Source: platform.claude.com/docs/en/build-with-claude/prompt-caching and /structured-outputs, 2026.
        """
        prompt = list(blocks(body))
        head = json.dumps([name, (body.get("output_config") or {}).get("format")])
        upto = [head + "\x1e".join(block.text for block in prompt[: i + 1]) for i in range(len(prompt))]
        size = [tokens("".join(block.text for block in prompt[: i + 1])) for i in range(len(prompt))]
        marks = [i for i, block in enumerate(prompt) if block.is_marked and size[i] >= model.minimum]
        if not marks:
            return 0, 0
        seen = [i for mark in marks for i in range(max(0, mark - LOOKBACK + 1), mark + 1) if upto[i] in self.written]
        known = size[max(seen)] if seen else 0
        for mark in marks:
            self.written.put(upto[mark])
        return known, max(0, size[marks[-1]] - known)


def blocks(body: Json) -> list[Block]:
    """The prompt's pieces.  A mark on the whole request falls on the last of them."""
    found = [Block(json.dumps(tool), "cache_control" in tool) for tool in body.get("tools", ())]
    found = [Block("", block.is_marked) for block in found]  # tools cost nothing here
    parts = [("system", body.get("system") or [])]
    parts += [(message["role"], message["content"]) for message in body.get("messages", ())]
    for role, content in parts:
        pieces = [{"text": content}] if isinstance(content, str) else content
        found += [Block(f"{role}: {piece.get('text', '')}\n", "cache_control" in piece) for piece in pieces]
    if body.get("cache_control") and found:
        found[-1] = Block(found[-1].text, is_marked=True)
    return found


def described(name: str, model: AnthropicModel) -> Json:
    """A model as the models endpoint lists it.  Source: anthropic 2.12.0, model_info.py, model_capabilities.py."""

    def can(claim: bool) -> Json:
        return {"supported": claim}

    types = {way: can(way in model.ways) for way in ("adaptive", "between_tools", "disabled", "enabled")}
    plain = ("batch", "citations", "code_execution", "image_input", "pdf_input", "structured_outputs")
    return {
        "type": "model",
        "id": model.billed_as or name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": None,
        "max_input_tokens": model.window,
        "max_tokens": model.most,
        "capabilities": {
            **{each: can(True) for each in plain},
            "thinking": {"supported": True, "types": types},
            "effort": {"supported": bool(model.efforts), **{each: can(each in model.efforts) for each in EFFORTS}},
            "context_management": {"supported": True},
            "server_tools": {"supported": True},
        },
    }
