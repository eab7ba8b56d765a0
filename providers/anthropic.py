"""``anthropic:MODEL``: the official SDK.  ``ANTHROPIC_API_KEY``, and ``ANTHROPIC_BASE_URL`` for a compatible server."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

import httpx2

from .anthropic_message import Message
from .base import Answer, ModelStatus, Outcome, Parameters, Request, Segment, TextStream
from .dialects import ANTHROPIC, fits, is_closed, is_object, spoken
from .environment import variable
from .errors import BrokenOff, ContextExceeded, Malformed, NotAuthorised, ProviderError, Refused, Stopped
from .hosted import (
    NOT_THERE,
    Hearing,
    all_listed,
    as_text,
    broken,
    client_for,
    form_id,
    hint_for,
    level_of,
    listing,
    notice_prose,
    objects,
    paid,
    refused,
    secretless,
    status_of,
    told,
    unlisted,
    window_of,
)
from .imports import load
from .learned import Learned, Lessons, adapting
from .models import presumed
from .schema import schema
from .streaming import Source, answered, speaking

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

T = TypeVar("T")

URL: Final = "https://api.anthropic.com"
KEY: Final = "ANTHROPIC_API_KEY"
ADDRESS: Final = "ANTHROPIC_BASE_URL"
HINT: Final = f"set {KEY}"
TOOL: Final = "answer"
FAILED: Final = 400
VERSION: Final = "2023-06-01"
CACHED: Final = {"type": "ephemeral"}
BUDGETS: Final = {"low": 2048, "medium": 8192, "high": 24_576}
"""Tokens of thinking, for the models that want a number."""
LEAST_BUDGET: Final = 1024
ENDS: Final = frozenset({"end_turn", "stop_sequence", "max_tokens", "tool_use"})


class AnthropicProvider:
    """One connection pool.  The SDK is imported and the environment read when first used."""

    name = "anthropic"

    def __init__(self) -> None:
        self._made: AsyncAnthropic | None = None
        self._lessons = Lessons(presumed)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Speak.  Loading the SDK is no part of the idle timeout."""
        await load("anthropic")
        first_s = self._lessons.of(url(), model).first_s(request)
        async with speaking(self._listen(model, request, None), request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``output_config.format``; by a forced tool, or by the prompt, where that is lacking.

        A compatible server may pass over what it does not know: prose shows that, and the next call asks otherwise.
        """
        await load("anthropic")
        try:
            first_s = self._lessons.of(url(), model).first_s(request)
            return await answered(self._listen(model, request, schema(type_)), request, type_, first_s=first_s)
        except Malformed as error:
            if url() != URL:
                notice_prose(self._lessons.of(url(), model), error)
            raise

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models of this key."""
        key = variable(KEY, "ANTHROPIC_AUTH_TOKEN")
        headers = {"x-api-key": key} if variable(KEY) else {"authorization": f"Bearer {key}"}
        one = model if url() == URL else None  # of compatible servers few can be asked for one model
        where = f"{url().rstrip('/')}/v1/models" + (f"/{quote(one, safe='')}" if one else "?limit=50")
        try:
            if not key:
                raise NotAuthorised("no key")
            said = await listing("Anthropic", where, headers | {"anthropic-version": VERSION}, key=KEY, address=ADDRESS)
        except ProviderError as error:
            if model is not None and url() != URL and error.http_status in NOT_THERE:
                return (status_of(self.name, model, ok=True, detail=unlisted(url())),)
            hint = hint_for(error, key=HINT, address=ADDRESS)
            return (status_of(self.name, model or "MODEL", ok=False, detail=error.message, hint=hint),)
        found = [said] if one else objects(said.get("data"))
        listed = {as_text(each.get("id")): window_of(each.get("max_input_tokens")) for each in found}
        if model is not None:  # a compatible server that lists other names may answer to this one too
            listed = {model: listed.get(model)}
        return all_listed(self.name, url(), listed)

    def caveat(self, model: str) -> str:  # noqa: ARG002 - models are as good as people chose them
        """Nothing."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        made, self._made = self._made, None
        if made is not None:
            await made.close()

    def _client(self) -> AsyncAnthropic:
        if self._made is None:
            key, token = variable(KEY), variable("ANTHROPIC_AUTH_TOKEN")
            if not key and not token:
                raise NotAuthorised(f"no key: {HINT}")
            from anthropic import AsyncAnthropic  # noqa: PLC0415 - SDKs are imported when first used

            self._made = AsyncAnthropic(
                api_key=key or None,
                auth_token=None if key else token,
                base_url=url(),
                max_retries=0,
                http_client=client_for(url(), address=ADDRESS),
            )
        return self._made

    def _listen(self, model: str, request: Request, form: dict[str, Any] | None) -> Source:
        """One call; again where the model does not take what we asked for, before it has said anything."""
        learned = self._lessons.of(url(), model)
        return adapting(
            request,
            learned,
            lambda lacks, limit: _parameters(request, form, learned, lacks, limit),
            lambda asked: self._call(model, request, form, learned, asked),
            lambda message, asked: _lack(message, asked, form),
        )

    async def _call(
        self, model: str, request: Request, form: dict[str, Any] | None, learned: Learned, asked: dict[str, Any]
    ) -> Source:
        from anthropic import APIError  # noqa: PLC0415

        means = _means(asked)
        hearing = Hearing(learned, request, asked["max_tokens"], is_typed=form is not None)
        said = Message(model, hearing)
        prompt = told(request.prompt, form) if means == "prompt" else request.prompt

        def outcome() -> Outcome:
            tokens = said.usage.tokens
            return hearing.outcome(
                said.model,
                tokens,
                paid(self.name, url(), said.model, tokens, asked=model),
                is_cut=said.finish == "max_tokens",
                parameters=_recorded(request, form, asked),
            )

        try:
            stream = await self._client().messages.create(model=model, stream=True, **_prompt(prompt), **asked)
            async with stream:
                async for event in stream:
                    yield said.feed(event)
                    if said.is_whole:
                        break
        except (APIError, httpx2.HTTPError, ValueError) as error:  # of the call as a whole, or in mid-stream
            failure = self._translate(error)
            failure.outcome = outcome() if said.usage.is_told else None
            raise failure from error
        if not said.is_whole:  # the stream ended before the message did
            told_so_far = outcome() if said.usage.is_told else None
            raise BrokenOff("the stream ended before the answer did", outcome=told_so_far)
        whole = outcome()
        if said.finish == "refusal":
            raise Refused(f"the model declined to answer {said.why}".strip(), outcome=whole)
        if said.finish == "model_context_window_exceeded":
            raise ContextExceeded("the model's window is full", outcome=whole)
        if said.finish not in ENDS:
            raise Stopped(f"the model stopped for a reason of its own ({said.finish})", outcome=whole)
        hearing.is_tool_call = said.finish == "tool_use" and means != "tool"
        hearing.check(whole)
        yield whole

    def _translate(self, error: Exception) -> ProviderError:
        """What the SDK or the connection raises, as one of ours."""
        from anthropic import APIStatusError  # noqa: PLC0415

        if isinstance(error, httpx2.HTTPError):
            return broken("Anthropic", url(), error)
        if isinstance(error, ValueError):
            return BrokenOff("Anthropic sent what is not of its protocol")
        secret = variable(KEY, "ANTHROPIC_AUTH_TOKEN")
        body = getattr(error, "body", None)
        named = body.get("error") if isinstance(body, dict) else None
        kind = as_text(named.get("type")) if isinstance(named, dict) else ""
        if isinstance(error, APIStatusError):
            said, headers = error.api_message or str(error), error.response.headers
            status = error.status_code if error.status_code >= FAILED else _BY_KIND.get(kind, FAILED)  # in mid-stream
            return refused("Anthropic", status, said, headers, key=KEY, secret=secret, body=body)
        if kind in _BY_KIND:
            return refused("Anthropic", _BY_KIND[kind], str(error), {}, key=KEY, secret=secret)
        if error.__cause__ is not None:
            return broken("Anthropic", url(), error)
        return BrokenOff(f"Anthropic says: {secretless(str(error), secret)}")


_BY_KIND: Final = {
    "overloaded_error": 529,
    "api_error": 500,
    "rate_limit_error": 429,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
}


def url() -> str:
    """Where the API is."""
    return variable(ADDRESS) or URL


def _prompt(prompt: tuple[Segment, ...]) -> dict[str, Any]:
    """System and messages, a block a segment; what comes before the last block is cached, since it grows and stays."""
    system = [{"type": "text", "text": each.text} for each in prompt if each.role == "system"]
    messages: list[dict[str, Any]] = []
    for each in prompt:
        if each.role == "system":
            continue
        block: dict[str, Any] = {"type": "text", "text": each.text}
        if messages and messages[-1]["role"] == each.role:
            messages[-1]["content"].append(block)
        else:
            messages.append({"role": each.role, "content": [block]})
    blocks = [block for message in messages for block in message["content"]]
    if len(blocks) > 1:
        blocks[-2]["cache_control"] = CACHED
    return {"messages": messages, **({"system": system} if system else {})}


def _parameters(
    request: Request, form: dict[str, Any] | None, learned: Learned, lacks: frozenset[str], limit: int
) -> dict[str, Any]:
    """What is asked of the model beside the prompt, without what it does not take."""
    known = learned.known
    asked: dict[str, Any] = {"max_tokens": limit}
    thinking = None if "thinking" in lacks else _thinking(request, learned, limit)
    if thinking is not None:
        asked["thinking"] = thinking
    is_thinking = thinking is not None and thinking["type"] in {"adaptive", "enabled"}
    config: dict[str, Any] = {}
    if known is not None and known.vendor == "anthropic" and "effort" not in lacks:
        level = level_of(learned, "low" if request.think == "off" else request.think, lacks)
        if level is not None:
            config["effort"] = level
    takes = url() != URL if known is None else known.takes_sampling or known.samples_when_off
    if takes and not is_thinking and "temperature" not in lacks:
        asked["extra_body"] = {"temperature": min(request.temperature, 1.0)}  # the SDK has no such parameter any more
    if form is not None:
        is_strict = is_object(form) and is_closed(form) and fits(form, ANTHROPIC)
        takes_tool = "tool" not in lacks and not is_thinking and (known is None or known.takes_forced_tool)
        if is_strict and not lacks & {"json_schema", form_id(form)}:
            config["format"] = {"type": "json_schema", "schema": spoken(form, ANTHROPIC)}
        elif takes_tool:
            tool = {"name": TOOL, "description": "Gives the answer that is asked for.", "input_schema": form}
            asked |= {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}
    return asked | ({"output_config": config} if config else {})


def _thinking(request: Request, learned: Learned, limit: int) -> dict[str, Any] | None:
    """How a model is asked to think; None leaves it as it does by itself.

    Thoughts are asked for in a summary: without it nothing comes while the model thinks.
    """
    known = learned.known
    if known is None or known.vendor != "anthropic" or request.think == "default":
        return None
    if request.think == "off":
        off = known.off if known.off in known.types else ""
        return {"type": off} if off and known.thinks == "by_default" else None
    if "adaptive" in known.types:
        return {"type": "adaptive", "display": "summarized"}
    budget = min(BUDGETS[request.think], limit - request.max_tokens)
    return {"type": "enabled", "budget_tokens": budget} if "enabled" in known.types and budget >= LEAST_BUDGET else None


def _means(asked: dict[str, Any]) -> str:
    """How an answer is held to its form: by the vendor's own means, by a forced tool, or by words."""
    if "format" in asked.get("output_config", {}):
        return "json_schema"
    return "tool" if "tools" in asked else "prompt"


def _recorded(request: Request, form: dict[str, Any] | None, asked: dict[str, Any]) -> Parameters:
    """What was asked for, as the event keeps it; a fallback is said."""
    thinking = asked.get("thinking", {})
    said: Parameters = {"seed": request.seed, "temperature": asked.get("extra_body", {}).get("temperature")}
    if thinking:
        said["thinking"] = thinking["type"]
    if "budget_tokens" in thinking:
        said["budget_tokens"] = thinking["budget_tokens"]
    if "effort" in asked.get("output_config", {}):
        said["effort"] = asked["output_config"]["effort"]
    return said if form is None else said | {"structured_output": _means(asked)}


def _lack(message: str, asked: dict[str, Any], form: dict[str, Any] | None) -> str | None:
    """What the model does not take of what was asked, told from the vendor's sentence; None where it says another."""
    said = message.lower()
    config = asked.get("output_config", {})
    if "extra_body" in asked and "temperature" in said:
        return "temperature"
    if "thinking" in asked and re.search(r"thinking|budget_tokens|adaptive|between_tools|display", said):
        return "thinking"
    if "effort" in config and "effort" in said:
        return f"effort={config['effort']}" if config["effort"] in said else "effort"
    if "tools" in asked and re.search(r"tool_choice|\btools?\b|input_schema", said):
        return "tool"
    if form is not None and "format" in config:
        if re.search(r"format\.schema|compiled grammar|too complex|invalid schema", said):
            return form_id(form)
        if re.search(r"output_config|output_format|json_schema|structured output|schema", said):
            return "json_schema"
    return None
