"""Google's generateContent by Google's rules, and proxies in front of it.

Sources, unless a rule names another, all read 2026-11-22: google-genai 3.4.0 (types.py: ThinkingConfig, FinishReason,
GenerateContentResponseUsageMetadata, response_json_schema); ai.google.dev/gemini-api/docs, thinking and caching
(2026-10-13).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.providers.vendors import faults, schemas, texts
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.tokens import PrefixCache, tokens, written_out
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

LEVELS: Mapping[str, float] = {"minimal": 0.1, "low": 0.4, "medium": 1.0, "high": 2.0, "xhigh": 4.0}


@dataclass(frozen=True, kw_only=True)
class GeminiModel(Behaviour):
    """``budget``: the fewest and the most tokens of thinking, with ``offs`` if 0 switches it off.

    ``efforts`` are its levels; a model with levels takes a budget only where it has one as well.
    """

    budget: tuple[int, int] | None = None
    offs: bool = False
    default: str = ""
    minimum: int = 4096
    """Tokens from which a beginning is cached; longer ones in blocks of half as many.

    As measured: blocks of about 2,048 (googleapis/python-genai#2064) and, of the 2.5 models, 1,024
    (discuss.ai.google.dev/t/107342).
    """
    beta: bool = False
    """Known at v1beta only."""
    penalties: bool = True
    window: int = 1_048_576
    most: int = 65_536


def levels(*names: str) -> dict[str, float]:
    return {name: LEVELS[name] for name in names}


USUAL = levels("low", "medium", "high")
WIDE = levels("minimal", "low", "medium", "high")
FOUR = levels("low", "medium", "high", "xhigh")
ANY = (1, 65_536)
MODELS: dict[str, GeminiModel] = {
    "gemini-2.5-pro": GeminiModel(budget=(128, 32_768), minimum=2048),
    "gemini-2.5-flash": GeminiModel(budget=(1, 24_576), offs=True, minimum=2048),
    "gemini-2.5-flash-lite": GeminiModel(budget=(512, 24_576), offs=True, default="off", minimum=2048),
    "gemini-3.1-pro-preview": GeminiModel(efforts=USUAL, default="high", budget=ANY),
    "gemini-3.5-flash-lite": GeminiModel(efforts=WIDE, default="minimal", budget=ANY),
    "gemini-3.6-flash": GeminiModel(efforts=WIDE, default="medium", budget=ANY),
    "gemini-3.8-flash": GeminiModel(efforts=USUAL, default="medium", budget=ANY),
    "gemini-4-argon": GeminiModel(efforts=USUAL, default="medium", penalties=False),
    "gemini-4-neon": GeminiModel(efforts=FOUR, default="high", penalties=False),
    "gemini-flash-latest": GeminiModel(
        efforts=USUAL, default="medium", budget=ANY, beta=True, billed_as="gemini-3.8-flash"
    ),
    "gemma-3-27b-it": GeminiModel(thinks=False, window=131_072, most=8192),
}
"""Budgets: juspay/neurolink#1707; levels: docs.cloud.google.com guides and litellm discussion 51436 (2026-11); aliases
at v1beta only: googleapis/go-genai v1.78.0.  Each level's thinking is the fake's own."""

STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
RPC = "type.googleapis.com/google.rpc."


@dataclass(frozen=True, kw_only=True)
class GeminiProxy:
    """A server in front of Gemini: ``get`` answers GET /models/X, ``v1`` everything under /v1/ (0: as it should)."""

    get: int = 0
    v1: int = 0


class Gemini(FakeVendor):
    """``/v1`` and ``/v1beta``: models, generateContent, streamGenerateContent."""

    name: ClassVar[str] = "gemini"
    base: ClassVar[str] = "GOOGLE_GEMINI_BASE_URL"
    secret: ClassVar[str] = "GEMINI_API_KEY"

    def __init__(self, key: str = "", proxy: GeminiProxy | None = None) -> None:
        super().__init__(key)
        self.models = dict(MODELS)
        self.proxy = proxy or GeminiProxy()
        self.cache = PrefixCache(self.entries)

    def model_of(self, call: VendorRequest) -> str:
        return call.path.rpartition("/models/")[2].partition(":")[0]

    def schema_of(self, body: Json) -> Json | None:
        config = body.get("generationConfig") or {}
        return config.get("responseJsonSchema") or config.get("responseSchema")

    def prompt_of(self, body: Json) -> str:
        contents = [("system", body["systemInstruction"])] if "systemInstruction" in body else []
        contents += [(each.get("role", "user"), each) for each in body.get("contents", ())]
        return written_out(
            (role, "".join(part.get("text", "") for part in each.get("parts", ()))) for role, each in contents
        )

    def error(self, status: int, message: str, seconds: float | None = None) -> Json:
        """google.rpc.Status, with RetryInfo where it says when.  Source: browserbase/mcp-server-browserbase#129."""
        error: Json = {"code": status, "message": message, "status": STATUS.get(status, "UNKNOWN")}
        if seconds is not None:
            metric = "generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count"
            violation = {
                "quotaMetric": metric,
                "quotaId": "GenerateContentPaidTierInputTokensPerModelPerMinute",
                "quotaValue": "4000000",
            }
            error["message"] = (
                "You exceeded your current quota, please check your plan and billing details.\n"
                f"Please retry in {seconds}s."
            )
            error["details"] = [
                {"@type": f"{RPC}Help", "links": [{"description": "Learn more", "url": "https://ai.google.dev/"}]},
                {"@type": f"{RPC}QuotaFailure", "violations": [violation]},
                {"@type": f"{RPC}RetryInfo", "retryDelay": f"{seconds}s"},
            ]
        return {"error": error}

    def refusal(self, message: str) -> VendorRefusal:
        return VendorRefusal(400, self.error(400, message))

    def too_long(self, window: int = 1_048_576, used: int = 1_048_577) -> VendorRefusal:
        """Source: google-gemini/gemini-cli#6678 (2025)."""
        return self.refusal(f"The input token count ({used}) exceeds the maximum number of tokens allowed ({window}).")

    def admit(self, call: VendorRequest) -> None:
        """A wrong key is a 400 here, with its reason in the details.  Source: google-gemini/gemini-cli#25198."""
        given = call.headers.get("x-goog-api-key") or call.query.get("key")
        if self.key and given != self.key:
            body = self.error(400, "API key not valid. Please pass a valid API key.")
            body["error"]["details"] = [
                {"@type": f"{RPC}ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
            ]
            raise VendorRefusal(400, body)
        if self.proxy.v1 and call.path.startswith("/v1/"):
            raise VendorRefusal(self.proxy.v1, {"detail": "Method Not Allowed"})

    def found(self, call: VendorRequest) -> tuple[str, GeminiModel]:
        """A model at a version of the API."""
        version, name = call.path.split("/")[1], self.model_of(call)
        model = self.models.get(name)
        if model is None or (model.beta and version == "v1"):
            raise self.refused(
                404,
                f"models/{name} is not found for API version {version}, or is not supported for "
                "generateContent. VendorRequest ListModels to see the list of available models and their "
                "supported methods.",
            )
        return name, model

    def listing(self, call: VendorRequest) -> VendorResponse:
        self.admit(call)
        if call.path in {"/v1/models", "/v1beta/models"}:
            every = call.path.startswith("/v1beta")
            shown = [described(name, model) for name, model in self.models.items() if every or not model.beta]
            return VendorResponse(json.dumps({"models": shown}).encode())
        if self.proxy.get:
            raise VendorRefusal(self.proxy.get, {"detail": "Not Found"})
        return VendorResponse(json.dumps(described(*self.found(call))).encode())

    def answer(self, call: VendorRequest, fault: Fault) -> VendorResponse:
        self.admit(call)
        body = call.body
        name, model = self.found(call)
        config: Json = body.get("generationConfig") or {}
        asked = camel(config.get("thinkingConfig") or {})
        thought = self.thinking(model, asked)
        self.check(model, config)
        prompt = self.prompt_of(body)
        read = tokens(prompt)
        if read > model.window:
            raise self.too_long(model.window, read)
        cached = self.cache.read(name, prompt, minimum=model.minimum, step=model.minimum // 2)
        draft = self.draft(model, body, thought, config.get("maxOutputTokens") or model.most, fault)
        bill = self.add_bill(
            Bill(
                model=model.billed_as or name,
                input=read,
                output=draft.output,
                cached=cached,
                thought=draft.thought,
            )
        )
        shows = bool(asked.get("includeThoughts"))
        return Reply(bill, draft, fault, shows, model.tags).answer(streams=call.path.endswith(":streamGenerateContent"))

    def thinking(self, model: GeminiModel, asked: Mapping[str, Any]) -> int:
        """Thoughts of a call, counted against maxOutputTokens.

        Sources: RooCodeInc/Roo-Code#10700 and #4399, sterlp/eclipse-peon-ai#115 (2026-08), snailyp/gemini-balance#206,
        googleapis/python-genai#2936 (2026-09-08, no off on 3.5-flash-lite); 4.x takes no budget: dev.to/aihubmix
        (2026-11); that thoughts count: vectorize-io/hindsight#3365 and googleapis/python-genai#811.
        """
        budget, level = asked.get("thinkingBudget"), str(asked.get("thinkingLevel") or "").lower()
        if not model.thinks:
            if asked:
                raise self.refusal("Thinking is not enabled for this model.")
            return 0
        if budget is not None and level:
            raise self.refusal("You can only set only one of thinking budget and thinking level.")
        if level and not model.efforts:
            raise self.refusal("Thinking level is not supported for this model.")
        if level and level not in model.efforts:
            raise self.refusal(f"Thinking level {level.upper()} is not supported for this model.")
        if budget == 0 and not model.offs:
            raise self.refusal("Budget 0 is invalid. This model only works in thinking mode.")
        if budget is not None and model.budget is None:
            raise self.refusal("Thinking budget is not supported for this model. Please use thinking level instead.")
        if budget not in {None, 0, -1} and model.budget and not model.budget[0] <= budget <= model.budget[1]:
            raise self.refusal(f"The thinking budget ({budget}) is invalid.")
        if budget == 0 or (budget is None and model.default == "off"):
            return 0
        usual = round(model.thought * model.efforts.get(level or model.default, 1.0))
        return usual if budget in {None, -1} else min(usual, budget)

    def check(self, model: GeminiModel, config: Mapping[str, Any]) -> None:
        """What a configuration may not hold.  Source: SDK types.py, response_json_schema; dev.to/aihubmix (2026-11)."""
        form = config.get("responseJsonSchema")
        if form is not None and config.get("responseMimeType") != "application/json":
            raise self.refusal("Response schema is only supported with response mime type 'application/json'.")
        if form is not None and "responseSchema" in config:
            raise self.refusal("Only one of response_schema and response_json_schema can be set.")
        if form is not None and (complaint := schemas.gemini(form)):
            raise self.refusal(complaint)
        if not model.penalties and {"frequencyPenalty", "presencePenalty"} & set(config):
            raise self.refusal("Penalty is not enabled for this model")
        if not 0 <= config.get("temperature", 1) <= 2:
            raise self.refusal("Unable to submit request because temperature must be in the range [0, 2].")


def camel(given: Mapping[str, Any]) -> Json:
    """The documented names: proto3's JSON takes names with underscores too, and the SDK sends some of them."""
    return {re.sub(r"_(.)", lambda found: found[1].upper(), name): value for name, value in given.items()}


def described(name: str, model: GeminiModel) -> Json:
    """A model as it is listed."""
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name,
        "inputTokenLimit": model.window,
        "outputTokenLimit": model.most,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
        "temperature": 1,
        "topP": 0.95,
        "maxTemperature": 2,
        "thinking": model.thinks,
    }


@dataclass
class Reply:
    """A draft in Google's protocol, streamed or whole."""

    bill: Bill
    draft: Draft
    fault: Fault
    shows: bool
    tags: bool

    @property
    def finish(self) -> str:
        match self.fault.kind:
            case "refusal":
                return "SAFETY"
            case "finish":
                return str(self.fault.value)
        return "MAX_TOKENS" if self.draft.is_cut else "STOP"

    @property
    def usage(self) -> Json:
        """Thinking is counted apart from the candidates; empty fields are left out, as in proto3's JSON."""
        bill = self.bill
        counts = {
            "promptTokenCount": bill.input,
            "candidatesTokenCount": bill.output - bill.thought,
            "totalTokenCount": bill.input + bill.output,
            "cachedContentTokenCount": bill.cached,
            "thoughtsTokenCount": bill.thought,
        }
        return {name: count for name, count in counts.items() if count}

    def parts(self) -> list[Json]:
        text = self.draft.text
        if self.fault.kind in {"refusal", "finish"}:
            text = "" if self.finish in {"SAFETY", "MALFORMED_FUNCTION_CALL"} else text[: len(text) // 2]
        if self.fault.kind == "tool call":
            return [{"functionCall": {"name": "answer", "args": {}}}]
        if self.tags and self.draft.thoughts:
            text = f"<think>\n{self.draft.thoughts}\n</think>\n\n{text}"
        summary = self.draft.thoughts[: len(self.draft.thoughts) // 3] if self.shows else ""
        found: list[Json] = [{"text": each, "thought": True} for each in texts.pieces(summary)]
        return found + [{"text": each} for each in faults.split_pieces(self.fault.kind, texts.pieces(text, 60))]

    def frame(self, part: Json | None, **more: Any) -> Json:
        content = {"role": "model"} if part is None else {"role": "model", "parts": [part]}
        usage = {"promptTokenCount": self.bill.input, "totalTokenCount": self.bill.input}
        frame = {"candidates": [{"index": 0, "content": content} | more], "modelVersion": self.bill.model}
        return frame | {"usageMetadata": self.usage if more else usage, "responseId": "r1"}

    def answer(self, *, streams: bool) -> VendorResponse:
        parts = self.parts()
        if not streams:
            frame = self.frame(None, finishReason=self.finish)
            if parts:
                frame["candidates"][0]["content"]["parts"] = parts
            return VendorResponse(faults.encoded(self.fault.kind, frame), bill=self.bill)
        last = self.event(self.frame({"text": ""} if parts else None, finishReason=self.finish))
        failed = {"code": 503, "message": "The model is overloaded. Please try again later.", "status": "UNAVAILABLE"}
        return VendorResponse(
            last,
            [self.event(self.frame(part)) for part in parts],
            "text/event-stream",
            bill=self.bill,
            streams=True,
            error=self.event({"error": failed}),
        )

    def event(self, frame: Json) -> bytes:
        return b"data: " + faults.encoded(self.fault.kind, frame) + b"\r\n\r\n"
