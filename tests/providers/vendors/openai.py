"""OpenAI's chat completions by OpenAI's rules, and gateways with the same protocol and other rules."""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tests.providers.vendors import schemas, texts
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.openai_reply import NOW, Reply, Shown
from tests.providers.vendors.tokens import PrefixCache, tokens, written_out
from tests.providers.vendors.vendor import (
    Behaviour,
    Bill,
    FakeVendor,
    Json,
    VendorRefusal,
    VendorRequest,
    VendorResponse,
)

MARK = "prompt_cache_breakpoint"
REASONING = {"low": 0.4, "medium": 1.0, "high": 2.0}


@dataclass(frozen=True, kw_only=True)
class OpenAIModel(Behaviour):
    """``default``: the effort of a call that sends none."""

    default: str = "medium"
    bounds: bool = True
    """Strict schemas may say minimum, maxItems and the like."""
    breakpoints: bool = False
    """The cache matches at breakpoints only, and reports its writes (gpt-5.6 and later)."""
    is_blunt: bool = False
    """Sampling is an unknown parameter to it, whatever its value, and the error has no code."""
    window: int = 400_000
    most: int = 128_000


FIRST = {"minimal": 0.1, **REASONING}
LATER = {"none": 0.0, **REASONING, "xhigh": 4.0}
LATEST = {**LATER, "max": 8.0}
ALWAYS = {**REASONING, "xhigh": 4.0}
MODELS: dict[str, OpenAIModel] = {
    "gpt-4o-mini": OpenAIModel(thinks=False, billed_as="gpt-4o-mini-2024-07-18", window=128_000, most=16_384),
    "gpt-4.1": OpenAIModel(thinks=False, billed_as="gpt-4.1-2025-04-14", window=1_047_576, most=32_768),
    "gpt-4.1-mini": OpenAIModel(thinks=False, billed_as="gpt-4.1-mini-2025-04-14", window=1_047_576, most=32_768),
    "o3": OpenAIModel(efforts=REASONING, billed_as="o3-2025-04-16", window=200_000, most=100_000),
    "gpt-5": OpenAIModel(efforts=FIRST, billed_as="gpt-5-2025-08-07"),
    "gpt-5-mini": OpenAIModel(efforts=FIRST, billed_as="gpt-5-mini-2025-08-07"),
    "gpt-5-nano": OpenAIModel(efforts=FIRST, billed_as="gpt-5-nano-2025-08-07"),
    "gpt-5.1": OpenAIModel(efforts={"none": 0.0, **REASONING}, default="none", billed_as="gpt-5.1-2025-11-13"),
    "gpt-5.2": OpenAIModel(efforts=LATER, default="none", billed_as="gpt-5.2-2025-12-11"),
    "gpt-5.4-mini": OpenAIModel(efforts=LATER, default="none", billed_as="gpt-5.4-mini-2026-03-17"),
    "gpt-5.5": OpenAIModel(efforts=LATER, billed_as="gpt-5.5-2026-04-23", window=1_050_000),
    "gpt-5.6-sol": OpenAIModel(efforts=LATEST, breakpoints=True, window=1_050_000),
    "gpt-5.6-terra": OpenAIModel(efforts=LATEST, breakpoints=True, window=1_050_000),
    "gpt-5.6-luna": OpenAIModel(efforts=LATEST, breakpoints=True, window=400_000),
    "gpt-6-astra": OpenAIModel(efforts=ALWAYS, breakpoints=True, window=1_050_000, is_blunt=True),
    "gpt-6-sol": OpenAIModel(efforts=LATEST, breakpoints=True, window=1_050_000),
    "gpt-6-luna": OpenAIModel(efforts=LATEST, breakpoints=True, window=1_050_000),
    "gpt-6.1-sol": OpenAIModel(efforts=ALWAYS, breakpoints=True, window=1_050_000),
    "gpt-6.1-terra": OpenAIModel(efforts=LATEST, breakpoints=True, window=1_050_000),
    "gpt-6.2-sol": OpenAIModel(efforts=ALWAYS, breakpoints=True, window=1_050_000),
}
"""Efforts: gpt-5 minimal to high (pydantic-ai, 2026-08-22); 5.1 to 5.4 think nothing unless asked (langchaingo#1497,
2026-04-24); 5.6 none to max, no minimal (experientiallabs/experiential#764, 2026-09-03); gpt-6-astra low to xhigh, no
none, in chat completions (BerriAI/litellm-docs#1173, 2026-09-03); gpt-6.2 likewise (BerriAI/litellm discussion 52347,
2026-11).  Models that were switched off are unknown: o4-mini since 2026-10-23.  Dated names, none from gpt-5.6 on:
openai 3.54.0, types/shared/chat_model.py.  The thinking of each effort is the fake's own."""


@dataclass(frozen=True, kw_only=True)
class Gateway:
    """A server that is not OpenAI's.  It takes any model's name, and of the limits only those in ``limits``.

    ``shows``: the field of the thinking, or tags in the text; "swallowed tag": the template removes the
    opening <think>, so that the text begins with thinking and then has </think>.
    """

    limits: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    takes_format: bool = True
    is_strict: bool = False
    """Strict schemas are checked by OpenAI's rules."""
    ignores: tuple[str, ...] = ()
    """Parameters that it accepts and ignores, such as response_format."""
    shows: Shown = ""
    has_list: bool = True
    model: OpenAIModel = field(default_factory=lambda: OpenAIModel(efforts=REASONING))


class OpenAI(FakeVendor):
    """``/v1/chat/completions`` and ``/v1/models``."""

    name: ClassVar[str] = "openai"
    base: ClassVar[str] = "OPENAI_BASE_URL"
    secret: ClassVar[str] = "OPENAI_API_KEY"

    schema_code: str | None = None
    """Chat completions send none with a refused schema, the Responses API invalid_json_schema.  Source: outlines#844
    (2024-10-21), agentscope-java#2548 (2026-08-04), pi-web-providers#14."""

    def __init__(self, key: str = "", gateway: Gateway | None = None) -> None:
        super().__init__(key)
        self.models = dict(MODELS)
        self.gateway = gateway
        self.cache = PrefixCache(self.entries)
        self.written = self.entries

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

    def schema_of(self, body: Json) -> Json | None:
        if self.gateway is not None and "response_format" in self.gateway.ignores:
            return None
        form = body.get("response_format") or {}
        if form.get("type") == "json_object":
            return texts.in_words(self.prompt_of(body)) or {"type": "object"}
        return (form.get("json_schema") or {}).get("schema")

    def prompt_of(self, body: Json) -> str:
        return written_out((each["role"], text_of(each.get("content"))) for each in body.get("messages", ()))

    def error(self, status: int, message: str, seconds: float | None = None, **more: Any) -> Json:
        kind = {429: "requests", 401: "invalid_request_error", 400: "invalid_request_error"}.get(status, "server_error")
        code = {429: "rate_limit_exceeded", 401: "invalid_api_key"}.get(status)
        return {"error": {"message": message, "type": kind, "param": None, "code": code} | more}

    def refusal(self, message: str, param: str | None, code: str | None) -> VendorRefusal:
        """A 400 in OpenAI's shape."""
        return VendorRefusal(400, self.error(400, message, param=param, code=code))

    def too_long(self, window: int = 400_000, used: int = 400_001) -> VendorRefusal:
        """Source: OpenAI's error as quoted in many places, and by cline/cline#5474 (2025-08-09) for gpt-5."""
        message = (
            f"This model's maximum context length is {window} tokens. However, your messages resulted in {used} "
            "tokens. Please reduce the length of the messages."
        )
        return self.refusal(message, "messages", "context_length_exceeded")

    def listing(self, call: VendorRequest) -> VendorResponse:
        self.admit(call)
        if self.gateway is not None and not self.gateway.has_list:
            raise self.refused(404, "Not Found")
        data = [{"id": name, "object": "model", "created": NOW, "owned_by": "system"} for name in self.models]
        if call.path == "/v1/models":
            return VendorResponse(json.dumps({"object": "list", "data": data}).encode())
        name = call.path.removeprefix("/v1/models/")
        found = next((each for each in data if each["id"] == name), None)
        if found is None:
            raise self.unknown(name)
        return VendorResponse(json.dumps(found).encode())

    def unknown(self, name: str) -> VendorRefusal:
        message = f"The model `{name}` does not exist or you do not have access to it."
        return VendorRefusal(404, self.error(404, message, type="invalid_request_error", code="model_not_found"))

    def admit(self, call: VendorRequest) -> None:
        """A wrong key.  Source: platform.openai.com/docs/guides/error-codes, 2025."""
        if self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            raise self.refused(
                401,
                "Incorrect API key provided: ***. You can find your API key at "
                "https://platform.openai.com/account/api-keys.",
            )

    def answer(self, call: VendorRequest, fault: Fault) -> VendorResponse:
        self.admit(call)
        if call.path != "/v1/chat/completions":
            raise self.refused(404, f"Invalid URL (POST {call.path})")
        body, name = call.body, self.model_of(call)
        dated = {each.billed_as: each for each in self.models.values() if each.billed_as}
        model = self.models.get(name) or dated.get(name)
        if model is None and self.gateway is not None:
            model = self.gateway.model
        if model is None:
            raise self.unknown(name)
        if self.gateway is None:
            self.check(model, body)
        else:
            self.check_gateway(self.gateway, body)
        self.check_format(model, body)
        read = tokens(self.prompt_of(body))
        if read > model.window:
            raise self.too_long(model.window, read)
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or model.most
        draft = self.draft(model, body, self.thinking(model, body), limit, fault)
        cached, written = self.cached(name, model, body)
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
        return Reply(bill, draft, fault, body, self.shown(model)).answer()

    def shown(self, model: OpenAIModel) -> Shown:
        """Where thinking is shown: never by OpenAI in chat completions.  Source: the reasoning guide, 2025 to 2026."""
        if self.gateway is not None:
            return self.gateway.shows
        return "tags" if model.tags else ""

    def thinking(self, model: OpenAIModel, body: Json) -> int:
        """Reasoning tokens of a call: unseen, and within max_completion_tokens.  Source: the reasoning guide, 2025."""
        if not model.thinks:
            return 0
        effort = body.get("reasoning_effort") or (body.get("reasoning") or {}).get("effort") or model.default
        return round(model.thought * model.efforts.get(effort, 1.0))

    def check(self, model: OpenAIModel, body: Json) -> None:
        """What reasoning models refuse: a limit by its old name, sampling, efforts that they do not know.

        Sources: griptape-ai/ComfyUI-Griptape#312 (2025-08-22); experientiallabs/experiential#764 (2026-09-03); a limit
        of 0: mnfst/modelparams.dev#236 (2026-08-17).
        """
        effort = body.get("reasoning_effort")
        if effort is not None and not model.thinks:
            raise self.refusal(
                "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
                "reasoning_effort",
                "unsupported_parameter",
            )
        if effort is not None and effort not in model.efforts:
            *first, last = map(repr, model.efforts)
            raise self.refusal(
                f"Unsupported value: 'reasoning_effort' does not support '{effort}' with this model. "
                f"Supported values are: {', '.join(first)}, and {last}.",
                "reasoning_effort",
                "unsupported_value",
            )
        if model.thinks and "max_tokens" in body:
            raise self.refusal(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead.",
                "max_tokens",
                "unsupported_parameter",
            )
        if "max_tokens" in body and "max_completion_tokens" in body:
            raise self.refusal(
                "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
                None,
                "invalid_parameter_combination",
            )
        for name in ("max_tokens", "max_completion_tokens"):
            self.check_limit(model, name, body.get(name))
        self.check_marks(model, body)
        self.check_sampling(model, body, reasons=model.thinks and (effort or model.default) != "none")

    def check_marks(self, model: OpenAIModel, body: Json) -> None:
        """Models before gpt-5.6 know no breakpoints, and messages of the assistant carry none.

        Sources: dev.to/synthorai, GPT-5.6 prompting guide (2026): "return a 400"; BerriAI/litellm#37628 (2026-09).  The
        words are the fake's own.
        """
        marked = [each["role"] for each in body.get("messages", ()) if marks(each)]
        for name, is_sent in (("prompt_cache_options", "prompt_cache_options" in body), (MARK, bool(marked))):
            if is_sent and not model.breakpoints:
                raise self.refusal(
                    f"Unsupported parameter: '{name}' is not supported with this model.", name, "unsupported_parameter"
                )
        if "assistant" in marked:
            raise self.refusal(f"Unsupported parameter: '{MARK}' in a message of the assistant.", MARK, None)

    def check_sampling(self, model: OpenAIModel, body: Json, *, reasons: bool) -> None:
        """Parameters that need effort none: sampling, and tools from gpt-5.6 on.

        Sources: tak848/ccgate#113 (2026-07-31), langchaingo#1497 (2026-04-24); gpt-6-astra: BerriAI/litellm#39631
        (2026-09); tools: Vane#1173 (2026-09).
        """
        for name in ("temperature", "top_p"):
            if model.is_blunt and name in body:
                raise self.refusal(f"Unsupported parameter: '{name}' is not supported with this model.", name, None)
            if reasons and body.get(name, 1) != 1:
                raise self.refusal(
                    f"Unsupported value: '{name}' does not support {body[name]} with this model. Only the "
                    "default (1) value is supported.",
                    name,
                    "unsupported_value",
                )
        if body.get("tools") and model.breakpoints and reasons:
            raise self.refusal(
                f"Function tools with reasoning_effort are not supported for {body['model']} in "
                "/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to "
                "'none'.",
                "reasoning_effort",
                None,
            )
        for name in ("presence_penalty", "frequency_penalty", "logprobs", "logit_bias"):
            if reasons and body.get(name):
                raise self.refusal(
                    f"Unsupported parameter: '{name}' is not supported with this model.", name, "unsupported_parameter"
                )

    def check_limit(self, model: OpenAIModel, name: str, limit: int | None) -> None:
        if limit is not None and limit < 1:
            raise self.refusal(
                f"Invalid '{name}': integer below minimum value. Expected a value >= 1, but got {limit} instead.",
                name,
                "integer_below_min_value",
            )
        if limit is not None and limit > model.most:
            raise self.refusal(
                f"{name} is too large: {limit}. This model supports at most {model.most} completion tokens, "
                f"whereas you provided {limit}.",
                name,
                "invalid_value",
            )

    def check_gateway(self, gateway: Gateway, body: Json) -> None:
        """The errors of gateways, as vLLM and others word them."""
        for name in ("max_tokens", "max_completion_tokens"):
            if name in body and name not in gateway.limits:
                other = f" Use '{gateway.limits[0]}' instead." if gateway.limits else ""
                raise self.refusal(
                    f"Unsupported parameter: '{name}' is not supported with this model.{other}",
                    name,
                    "unsupported_parameter",
                )
        if any(marks(each) for each in body.get("messages", ())) or any(
            name.startswith("prompt_cache") for name in body
        ):
            raise self.refusal("Unrecognized request argument supplied: prompt_cache_options", None, None)
        if "response_format" in body and not gateway.takes_format:
            raise self.refusal("Unrecognized request argument supplied: response_format", None, None)

    def check_format(self, model: OpenAIModel, body: Json) -> None:
        """Strict schemas by the published rules, see ``schemas.openai``."""
        form = body.get("response_format") or {}
        if self.gateway is not None and not self.gateway.is_strict:
            return
        if form.get("type") == "json_object" and "json" not in self.prompt_of(body).lower():
            raise self.refusal(
                "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
                "messages",
                None,
            )
        named = form.get("json_schema") or {}
        if form.get("type") != "json_schema" or not named.get("strict"):
            return
        complaint = schemas.openai(named.get("schema") or {}, bounds=model.bounds)
        if complaint is not None:
            raise self.refusal(
                f"Invalid schema for response_format '{named.get('name')}': {complaint}",
                "response_format",
                self.schema_code,
            )

    def cached(self, name: str, model: OpenAIModel, body: Json) -> tuple[int, int]:
        """Tokens read from the cache, and written to it.

        Up to gpt-5.5: the longest beginning seen before, from 1,024 tokens in steps of 128; writing costs nothing.
        From gpt-5.6 on: beginnings that end at a breakpoint of this call, from 1,024 tokens on.  Of the explicit ones
        the latest 80 are looked for, and the latest 4 are written.  Unless the mode is explicit, the latest message of
        the user ends one too (and the system message, as measured).  Writes are reported and cost 1.25 times.
        The schema of the answer and the effort are part of the beginning.
        Sources: developers.openai.com/api/docs/guides/prompt-caching as quoted in tleyden/arty#146 (2026-08) and
        w3cschool.cn/openai_api (2026-11-04); openai 3.54.0, types/chat/completion_create_params.py; ax-llm/ax#573
        (2026-08-05).
        """
        settings = (name, json.dumps(body.get("response_format")), body.get("reasoning_effort") or model.default)
        if not model.breakpoints:
            return self.cache.read(str(settings), self.prompt_of(body), minimum=1024, step=128), 0
        messages = body.get("messages", ())
        marked = [(i, part) for i, each in enumerate(messages) for part in marks(each)]
        ends, writes = set(marked[-80:]), set(marked[-4:])
        if (body.get("prompt_cache_options") or {}).get("mode") != "explicit":
            implicit = {i for i, each in enumerate(messages) if each["role"] in {"system", "developer"}}
            implicit.add(max((i for i, each in enumerate(messages) if each["role"] == "user"), default=0))
            ends |= {(i, None) for i in implicit}
            writes = set(marked[-3:]) | {(i, None) for i in implicit}
        known = longest = 0
        for i, part in ends:
            last = messages[i] if part is None else messages[i] | {"content": messages[i]["content"][: part + 1]}
            text = self.prompt_of({"messages": [*messages[:i], last]})
            if (count := tokens(text)) < 1024:
                continue
            if (settings, text) in self.written:
                known = max(known, count)
            if (i, part) in writes:
                longest = max(longest, count)
                self.written.put((settings, text))
        return known, max(0, longest - known)


def marks(message: Json) -> list[int]:
    """The positions of the parts of a message that carry a breakpoint."""
    content = message.get("content")
    return [i for i, part in enumerate(content) if MARK in part] if isinstance(content, list) else []


def text_of(content: Any) -> str:
    """A message's content, whether it is one text or parts."""
    return content or "" if isinstance(content, str | None) else "".join(part.get("text", "") for part in content)
