"""``gemini:MODEL``: Google's SDK.  ``GEMINI_API_KEY``, and ``GOOGLE_GEMINI_BASE_URL`` for another address."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

import httpx2

from .base import Answer, ModelStatus, Outcome, Parameters, Request, Segment, TextStream, Tokens
from .dialects import GEMINI, spoken
from .environment import variable
from .errors import BadRequest, BrokenOff, NotAuthorised, ProviderError, Refused, Stopped, UnknownModel
from .hosted import (
    BAD_KEY,
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
    from google.genai import Client

T = TypeVar("T")

URL: Final = "https://generativelanguage.googleapis.com"
KEY: Final = "GEMINI_API_KEY"
ADDRESS: Final = "GOOGLE_GEMINI_BASE_URL"
HINT: Final = f"set {KEY}"
VERSIONS: Final = ("v1beta", "v1")
"""Of the API.  Some models and most compatible servers are only under the first."""
STOPS: Final = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED", "MAX_TOKENS"})
REFUSALS: Final = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"})
TOOLS: Final = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
BUDGETS: Final = {"low": 2048, "medium": 8192, "high": 24_576}
"""Tokens of thinking, for the models that want a number."""
VAGUE: Final = "Request contains an invalid argument"
"""What Gemini says of a schema that is too much for it, and of other things."""


_responses: ContextVar[list[httpx2.Response]] = ContextVar("responses")
"""The responses of the call in this context: what the SDK opens is ours to close."""


class GeminiProvider:
    """One connection pool.  The SDK is imported and the environment read when first used."""

    name = "gemini"

    def __init__(self) -> None:
        self._made: dict[str, Client] = {}
        self._http: httpx2.AsyncClient | None = None
        self._lessons = Lessons(presumed)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Speak.  Loading the SDK is no part of the idle timeout."""
        await load("google.genai")
        first_s = self._lessons.of(url(), model).first_s(request)
        async with speaking(self._listen(model, request, None), request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``response_json_schema``; by the prompt where the schema is refused."""
        await load("google.genai")
        first_s = self._lessons.of(url(), model).first_s(request)
        return await answered(self._listen(model, request, schema(type_)), request, type_, first_s=first_s)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models of this key that generate text.

        A compatible server may list nothing: a model there is known to answer only once it is called.
        """
        key = variable(KEY, "GOOGLE_API_KEY")
        try:
            if not key:
                raise NotAuthorised("no key")
            found = await self._listed(model, {"x-goog-api-key": key})
        except ProviderError as error:
            if model is not None and url() != URL and isinstance(error, _NoList):
                return (status_of(self.name, model, ok=True, detail=unlisted(url())),)
            hint = hint_for(error, key=HINT, address=ADDRESS)
            return (status_of(self.name, model or "MODEL", ok=False, detail=error.message, hint=hint),)
        listed = {
            model or as_text(each.get("name")).removeprefix("models/"): window_of(each.get("inputTokenLimit"))
            for each in found
        }
        return all_listed(self.name, url(), listed)

    async def _listed(self, model: str | None, headers: dict[str, str]) -> list[dict[str, Any]]:
        """One model as it is listed, or all that speak.  Raises ``_NoList`` where a server does not list."""
        for version in VERSIONS:
            base = f"{url().rstrip('/')}/{version}/models"
            one = (f"{base}/{quote(model, safe='')}",) if model else ()
            for where in (*one, f"{base}?pageSize=200"):
                try:
                    said = await listing("Gemini", where, headers, key=KEY, address=ADDRESS)
                except ProviderError as error:
                    if error.http_status not in NOT_THERE or url() == URL:  # the vendor's word is final
                        raise
                    continue
                if "models" not in said:
                    return [said]
                found = [each for each in objects(said["models"]) if _speaks(each)]
                if model is None:
                    return found
                return [each for each in found if as_text(each.get("name")).removeprefix("models/") == model] or [{}]
        raise _NoList(f"{url()} lists no models")

    def caveat(self, model: str) -> str:  # noqa: ARG002 - models are as good as people chose them
        """Nothing."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        made, self._made = self._made, {}
        http, self._http = self._http, None
        for client in made.values():
            client.close()
        if http is not None:
            await http.aclose()

    def _client(self, version: str) -> Client:
        if version not in self._made:
            key = variable(KEY, "GOOGLE_API_KEY")
            if not key:
                raise NotAuthorised(f"no key: {HINT}")
            from google.genai import Client  # noqa: PLC0415 - SDKs are imported when first used
            from google.genai.types import HttpOptions, HttpRetryOptions  # noqa: PLC0415

            if self._http is None:
                self._http = client_for(url(), address=ADDRESS)
                self._http.event_hooks["response"].append(_hold)
            options = HttpOptions(
                base_url=url(),
                api_version=version,
                httpx_async_client=self._http,
                retry_options=HttpRetryOptions(attempts=1),
            )
            self._made[version] = Client(api_key=key, http_options=options, vertexai=False)
        return self._made[version]

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
        from google.genai.errors import APIError  # noqa: PLC0415

        held: list[httpx2.Response] = []
        _responses.set(held)
        hearing = Hearing(learned, request, asked["max_output_tokens"], is_typed=form is not None)
        said = _Reply(model, hearing)
        system, contents = _prompt(told(request.prompt, form) if _means(asked) == "prompt" else request.prompt)
        config = {name: value for name, value in asked.items() if name != "version"}
        config |= {"system_instruction": system} if system else {}
        version = asked["version"]
        try:
            parts = await self._client(version).aio.models.generate_content_stream(
                model=model,
                contents=contents,
                config=config,  # type: ignore[arg-type]
            )
            async for part in parts:
                for text in said.feed(part):
                    yield text
            yield hearing.end()
        except APIError as error:
            raise self._translate(error, version, learned) from error
        except httpx2.HTTPError as error:
            raise broken("Gemini", url(), error) from error
        except ValueError as error:
            raise BrokenOff("Gemini sent what is not of its protocol") from error
        finally:
            for response in held:  # the SDK leaves a stream that nobody reads on to the garbage collector
                await response.aclose()
        if not said.finish and not said.blocked:
            return  # the stream ended before the message did: whoever listens says so
        outcome = hearing.outcome(
            said.model,
            said.tokens,
            paid(self.name, url(), said.model, said.tokens, asked=model),
            is_cut=said.finish == "MAX_TOKENS",
            parameters=_recorded(form, asked),
        )
        said.check(outcome)
        yield outcome

    def _translate(self, error: Any, version: str, learned: Learned) -> ProviderError:
        """What the SDK raises, as one of ours."""
        said, secret = as_text(error.message) or str(error), variable(KEY, "GOOGLE_API_KEY")
        status = 401 if BAD_KEY in said else error.code if isinstance(error.code, int) else 500
        if "token count" in said and "exceeds" in said:
            said = f"context length: {said}"
        headers = getattr(error.response, "headers", None) or {}
        if status in NOT_THERE and url() != URL and error.status != "NOT_FOUND":
            if version == VERSIONS[0]:
                return BadRequest(f"{_NOTHING_UNDER} {version}: {secretless(said, secret)}")
            learned.forgive(VERSIONS[0])
        return refused("Gemini", status, said, headers, key=KEY, secret=secret, body=error.details)


class _NoList(UnknownModel):
    """The server does not list its models."""


class _Reply:
    """A reply in the making, fed with the stream's parts."""

    def __init__(self, model: str, hearing: Hearing) -> None:
        self.model, self.finish, self.blocked, self.tokens = model, "", "", Tokens()
        self._hearing = hearing

    def feed(self, part: Any) -> Iterator[str]:
        """The texts that a part brings, "" for a thought."""
        self.model = part.model_version or self.model
        if (used := part.usage_metadata) is not None:
            self.tokens = _tokens(used)
        if (feedback := part.prompt_feedback) is not None and feedback.block_reason is not None:
            self.blocked = _word(feedback.block_reason)
        for candidate in (part.candidates or [])[:1]:
            self.finish = _word(candidate.finish_reason) or self.finish
            for piece in (candidate.content and candidate.content.parts) or []:
                if piece.function_call is not None:
                    self._hearing.is_tool_call = True
                text = piece.text or ""
                yield self._hearing.thought(text) if piece.thought else self._hearing.text(text)

    def check(self, outcome: Outcome) -> None:
        """Raise where what came is no answer."""
        if self.blocked:
            raise Refused(f"the prompt was blocked ({self.blocked})", outcome=outcome)
        if self.finish in REFUSALS:
            raise Refused(f"the model declined to answer ({self.finish})", outcome=outcome)
        self._hearing.is_tool_call = self._hearing.is_tool_call or self.finish in TOOLS
        self._hearing.check(outcome)
        if self.finish not in STOPS:
            raise Stopped(f"the model stopped for a reason of its own ({self.finish})", outcome=outcome)


def _tokens(used: Any) -> Tokens:
    """The tokens of a call: thoughts are told apart from the answer, and paid like it."""
    thought = used.thoughts_token_count or 0
    return Tokens(
        input=(used.prompt_token_count or 0) + (used.tool_use_prompt_token_count or 0),
        output=(used.candidates_token_count or 0) + thought,
        cached=used.cached_content_token_count or 0,
        thought=thought,
    )


async def _hold(response: httpx2.Response) -> None:
    _responses.get([]).append(response)


def url() -> str:
    """Where the API is."""
    return variable("GOOGLE_GEMINI_BASE_URL") or URL


def _speaks(model: Any) -> bool:
    return "generateContent" in (model.get("supportedGenerationMethods") or ["generateContent"])


def _word(reason: Any) -> str:
    """An enumeration's value as text; a value that the SDK does not know is one too."""
    return "" if reason is None else as_text(getattr(reason, "value", reason))


def _prompt(prompt: tuple[Segment, ...]) -> tuple[str, list[dict[str, Any]]]:
    """The system's text, and the turns: a part a segment."""
    system = "\n\n".join(each.text for each in prompt if each.role == "system")
    contents: list[dict[str, Any]] = []
    for each in prompt:
        if each.role == "system":
            continue
        role = "model" if each.role == "assistant" else "user"
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"].append({"text": each.text})
        else:
            contents.append({"role": role, "parts": [{"text": each.text}]})
    return system, contents


def _parameters(
    request: Request, form: dict[str, Any] | None, learned: Learned, lacks: frozenset[str], limit: int
) -> dict[str, Any]:
    """What is asked of the model beside the prompt, without what it does not take."""
    said: dict[str, Any] = {
        "version": next((each for each in VERSIONS if each not in lacks), VERSIONS[0]),
        "max_output_tokens": limit,
        "temperature": request.temperature,
        "seed": request.seed,
        "thinking_config": _thinking(request, learned, lacks, limit),
        "automatic_continuation": False,  # it would make several calls of one
    }
    if form is not None:
        said["response_mime_type"] = "application/json"
        if not lacks & {"json_schema", form_id(form)}:
            said["response_json_schema"] = spoken(form, GEMINI)
    return {name: value for name, value in said.items() if name not in lacks and value is not None}


def _thinking(request: Request, learned: Learned, lacks: frozenset[str], limit: int) -> dict[str, Any] | None:
    """How a model is asked to think; thoughts are asked for where there may be any."""
    known, think = learned.known, request.think
    if known is not None and known.thinks == "never":
        return None
    said: dict[str, Any] = {"include_thoughts": True}
    if known is None or think == "default" or "thinking" in lacks:
        return said
    if known.budget is not None:
        least, most = known.budget
        wanted = min(BUDGETS.get(think, 0), max(least, limit - request.max_tokens))
        said["thinking_budget"] = int(known.off) if think == "off" and known.off else max(least, min(wanted, most))
    elif (level := level_of(learned, think, lacks)) is not None:
        said["thinking_level"] = level
    return said


def _means(asked: dict[str, Any]) -> str:
    """How an answer is held to its form: by a schema, or by the prompt."""
    return "json_schema" if "response_json_schema" in asked else "prompt"


def _recorded(form: dict[str, Any] | None, asked: dict[str, Any]) -> Parameters:
    """What was asked for, as the event keeps it; a fallback is said."""
    said: Parameters = {"temperature": asked.get("temperature"), "seed": asked.get("seed")}
    thinking = asked.get("thinking_config", {})
    said |= {name: thinking[name] for name in ("thinking_budget", "thinking_level") if name in thinking}
    return said if form is None else said | {"structured_output": _means(asked)}


def _lack(message: str, asked: dict[str, Any], form: dict[str, Any] | None) -> str | None:
    """What the model does not take of what was asked, told from the vendor's sentence; None where it says another."""
    if _NOTHING_UNDER in message:
        return str(asked["version"])
    if "thinking_config" in asked and re.search(r"[Tt]hinking|[Bb]udget \d+ is invalid|thought", message):
        return "thinking" if len(asked["thinking_config"]) > 1 else "thinking_config"
    for name, words in (("temperature", "temperature"), ("seed", r"\bseed\b")):
        if name in asked and re.search(words, message):
            return name
    if form is not None and "response_json_schema" in asked:
        if re.search(r"too many states|nesting depth|properties|enum|items", message) or VAGUE in message:
            return form_id(form)
        if re.search(r"[Ss]chema", message):
            return "json_schema"
    if "response_mime_type" in asked and re.search(r"response_?[mM]ime_?[tT]ype|JSON mode", message):
        return "response_mime_type"
    return None


_NOTHING_UNDER: Final = "the server has nothing under"
