"""The base of the providers with a vendor's SDK: one call, from its parameters to its outcome.

A vendor's module names the parameters, opens the stream of its SDK, reads the parts of a response, and translates the
errors of its SDK.  Everything else is here.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final, TypeVar

import httpx2
from msgspec import Struct
from msgspec.structs import replace

from providers.answers.dialects import in_words
from providers.answers.schema import schema
from providers.answers.streaming import Source, open_stream, read_answer
from providers.base import Answer, ModelStatus, Outcome, Parameters, Request, Segment, TextStream, Tokens
from providers.catalog.models import likely_model
from providers.catalog.pricing import call_cost
from providers.environment import variable
from providers.errors import FORBIDDEN, BadRequest, BrokenOff, Malformed, NotAuthorised, ProviderError, Unreachable
from providers.imports import load

from .connection import as_text, connection_error, http_client, shortened
from .learned import CallParameters, Learned, LearnedModels, adaptive_call, learn_from_prose
from .response import ResponseReader
from .retry_after import wait_of
from .status import by_status

T = TypeVar("T")

NO_SUCH_ROUTE: Final = frozenset({404, 405, 501})
"""Statuses with which servers answer a request that they do not know."""
BAD_KEY: Final = "API key not valid"
"""Gemini answers a wrong key with 400 and this message."""
ENFORCED: Final = frozenset({"json_schema", "tool"})
"""Methods of structured output that hold a model to the schema.  With any other one the prompt describes the schema."""


class VendorCall(Struct, frozen=True, kw_only=True):
    """One call to a vendor."""

    model: str
    request: Request
    json_schema: dict[str, Any] | None
    """The schema of a typed answer; None for a speech."""
    learned: Learned
    sent: CallParameters = {}
    """What is sent in addition to the model and the prompt."""
    method: str = ""
    """How the schema is enforced, as the event records it; empty for a speech."""

    @property
    def prompt(self) -> tuple[Segment, ...]:
        """The prompt, with the schema in words if nothing else holds the model to it."""
        if self.json_schema is None or self.method in ENFORCED:
            return self.request.prompt
        return in_words(self.request.prompt, self.json_schema)


class Reply(ABC):
    """What the parts of one response build up."""

    cuts: frozenset[str]
    """The reasons to finish that mean that the limit of tokens was reached."""

    def __init__(self, call: VendorCall, reader: ResponseReader) -> None:
        self.call, self.reader = call, reader
        self.model = call.model
        """The model's name in the response."""
        self.tokens = Tokens()
        """The tokens that the vendor has reported so far."""
        self.finish = ""
        """Why the vendor ended the response, in its own word; empty before that."""
        self.refusal = ""
        """What the vendor says of a refusal."""
        self.is_over = False
        """Whether nothing more is read."""

    @abstractmethod
    def feed(self, part: Any) -> str:
        """Read one part of the stream: the text of the answer in it, "" for a part without any."""

    @abstractmethod
    def check(self, outcome: Outcome) -> None:
        """Raise if a whole response is no answer."""


class VendorProvider(ABC):
    """One connection pool.  The SDK is imported, and the environment read, at the first use."""

    name: str
    label: str
    """What messages call the vendor."""
    sdk: str
    """The module of the SDK."""
    default_address: str
    """The vendor's own address."""
    keys: tuple[str, ...]
    """The variables that may hold the key; messages name the first."""
    key_hint: str
    """What to do without a key."""
    address_name: str
    """The variable that holds the address."""
    limit_names: tuple[str, ...]
    """The parameters that may hold the limit of tokens."""
    reply: type[Reply]
    room_share = 1.0
    """Share of the thinking room of hosted models."""
    window: int | None = None
    """The window of its models, if it has the same for all."""

    speaks = True
    """Whether models speak, besides answering questions."""

    def __init__(self) -> None:
        self._learned = LearnedModels(likely_model, room_share=self.room_share)
        self._sdk_client: Any = None

    # a vendor's own part

    def address(self) -> str:
        """The address of the API."""
        return variable(self.address_name) or self.default_address

    def is_vendors(self) -> bool:
        """Whether the address is the vendor's own, and not that of a compatible server."""
        return self.address() == self.default_address

    @abstractmethod
    def connect(self) -> Any:
        """A client of the SDK, without retries of its own.  Raises ``NotAuthorised`` without a key."""

    @abstractmethod
    def parameters(self, call: VendorCall, unsupported: frozenset[str], limit: int) -> CallParameters:
        """What to send, without the parameters that the model refuses.  ``limit``: tokens that the call may use."""

    @abstractmethod
    def method(self, sent: CallParameters) -> str:
        """How a schema is enforced with these parameters; ``prompt`` if nothing but the prompt describes it."""

    @abstractmethod
    def recorded(self, call: VendorCall) -> Parameters:
        """The parameters as the event records them."""

    @abstractmethod
    def refused_in(self, message: str, call: VendorCall) -> str | None:
        """The parameter that an error message refuses; None if the message is about something else."""

    @abstractmethod
    def parts(self, call: VendorCall) -> AsyncGenerator[Any, None]:
        """Make the call: the parts of its stream, as the SDK gives them.  Closing it closes the connection."""

    @abstractmethod
    async def listed(self, model: str | None) -> dict[str, int | None]:
        """The models that the server lists, with their windows; only ``model`` where one can be asked for.

        Raises ``ProviderError``.
        """

    def translated(self, error: Exception, call: VendorCall) -> ProviderError | None:  # noqa: ARG002 - for subclasses
        """The ``ProviderError`` for an error of the SDK or of the connection; None for an error that nobody expects."""
        if isinstance(error, httpx2.HTTPError):
            return connection_error(self.label, self.address(), error)
        if isinstance(error, ValueError):
            return BrokenOff(f"{self.label} sent a response that does not follow its protocol")
        return None

    def cost(self, call: VendorCall, model: str, tokens: Tokens) -> float | None:
        """US dollars of the tokens; ``model`` is the name in the response."""
        return call_cost(self.name, self.address(), model, tokens, requested=call.model)

    # the protocol of a provider

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Stream text.  The idle timeout begins after the SDK is loaded."""
        if not self.speaks:
            raise BadRequest(f"{self.name}:{model} only judges")
        await load(self.sdk)
        source, first_s = self._source(model, request, None), self._learned_of(model).first_text_timeout_s(request)
        async with open_stream(source, request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON, by the method of structured output that the model takes.

        A compatible server may ignore parameters that it does not know.  An answer in prose shows that, and the next
        call uses another method.
        """
        await load(self.sdk)
        learned = self._learned_of(model)
        source, first_s = self._source(model, request, schema(type_)), learned.first_text_timeout_s(request)
        try:
            return await read_answer(source, request, type_, first_s=first_s)
        except Malformed as error:
            if not self.is_vendors():
                learn_from_prose(learned, error)
            raise

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that this key can use.  A compatible server may answer to names that it does not list."""
        url, is_elsewhere = self.address(), not self.is_vendors()
        try:
            listed = await self.listed(model)
        except ProviderError as error:
            if model is not None and is_elsewhere and error.http_status in NO_SUCH_ROUTE:
                detail = f"{url} lists no models: the first call will show whether it answers"
                return (self.status(model, ok=True, detail=detail),)
            hint = self.key_hint if isinstance(error, NotAuthorised) else ""
            if isinstance(error, Unreachable):
                hint = f"check whether this machine can reach it; {self.address_name} sets another address"
            return (self.status(model or "MODEL", ok=False, detail=error.message, hint=hint),)
        if model is not None and listed and model not in listed:
            hint = ", ".join(list(listed)[:5])
            return (self.status(model, ok=is_elsewhere, detail=f"not listed at {url}", hint=hint),)
        found = listed if model is None else {model: listed.get(model)}
        return tuple(
            self.status(name, ok=True, detail=f"listed at {url}", window=window) for name, window in found.items()
        )

    def status(self, model: str, *, ok: bool, detail: str, hint: str = "", window: int | None = None) -> ModelStatus:
        """Whether a model answers, under its full name."""
        name = f"{self.name}:{model}"
        return ModelStatus(name=name, provider=self.name, ok=ok, detail=detail, hint=hint, window=window or self.window)

    def caveat(self, model: str) -> str:  # noqa: ARG002 - the protocol's parameter
        """No caveat."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        client, self._sdk_client = self._sdk_client, None
        if client is not None:
            await client.close()

    # one call

    def client(self) -> Any:
        """The client of the SDK, made at the first call."""
        if self._sdk_client is None:
            self._sdk_client = self.connect()
        return self._sdk_client

    async def get_json(self, url: str, headers: Mapping[str, str]) -> Any:
        """The JSON object at ``url``.  A plain GET needs no SDK, which takes seconds to import.

        Raises ``ProviderError``.
        """
        try:
            async with http_client(url, address=self.address_name) as client:
                response = await client.get(url, headers={**headers, "accept": "application/json"})
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise connection_error(self.label, url, error) from error
        except UnicodeEncodeError as error:
            raise NotAuthorised(f"{self.keys[0]} contains characters that a key cannot have") from error
        try:
            body = json.loads(response.content)
        except ValueError:
            body = None
        if response.is_error:
            fault = body.get("error", body) if isinstance(body, dict) else body
            message = as_text(fault.get("message") if isinstance(fault, dict) else fault)
            message = message or f"status {response.status_code}"
            status = httpx2.codes.UNAUTHORIZED if BAD_KEY in message else response.status_code
            raise self.status_error(status, message, response.headers, body)
        if not isinstance(body, dict):
            raise BrokenOff(f"{self.label} sent a response that does not follow its protocol")
        return body

    def http_client(self) -> httpx2.AsyncClient:
        """A client for the vendor's address."""
        return http_client(self.address(), address=self.address_name)

    @property
    def secret(self) -> str:
        """The key of the environment; empty without one."""
        return variable(*self.keys)

    def status_error(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, body: Any = None
    ) -> ProviderError:
        """The error of a call that was answered with an error status."""
        words = f"{self.label} says: {shortened(message)}"
        error = by_status(status, words, wait_s=wait_of(headers or {}, body, message))
        if isinstance(error, NotAuthorised):
            key = next(filter(variable, self.keys), self.keys[0])
            doubt = f" (may {key} use this model?)" if status == FORBIDDEN else f" (is {key} right?)"
            error.add(doubt if variable(key) else f": set {key}")
        return error

    def _learned_of(self, model: str) -> Learned:
        return self._learned.of(self.address(), model)

    def _source(self, model: str, request: Request, json_schema: dict[str, Any] | None) -> Source:
        """One call, repeated without a parameter that the model refuses."""
        learned = self._learned_of(model)
        plain = VendorCall(model=model, request=request, json_schema=json_schema, learned=learned)

        def with_(sent: CallParameters) -> VendorCall:
            return replace(plain, sent=sent, method="" if json_schema is None else self.method(sent))

        return adaptive_call(
            request,
            learned,
            lambda unsupported, limit: self.parameters(plain, unsupported, limit),
            lambda sent: self._call(with_(sent)),
            lambda message, sent: self.refused_in(message, with_(sent)),
        )

    async def _call(self, call: VendorCall) -> Source:
        """Read the stream to its end.  If it ends before the response does, so does this source."""
        limit = next((call.sent[name] for name in self.limit_names if name in call.sent), call.request.max_tokens)
        reader = ResponseReader(call.learned, call.request, limit, is_typed=call.json_schema is not None)
        reply, is_read = self.reply(call, reader), False
        try:
            async with aclosing(self.parts(call)) as parts:
                async for part in parts:
                    yield reply.feed(part)
                    if reply.is_over:
                        break
            yield reader.end()
            is_read = bool(reply.finish)
        except ProviderError:
            raise
        except Exception as error:
            if (translated := self.translated(error, call)) is None:
                raise
            raise translated from error
        finally:  # also if the call is cancelled or closed
            if not is_read and reply.tokens.input:
                call.request.progress.outcome = self._outcome(call, reply, is_partial=not reply.finish)
        if is_read:
            outcome = self._outcome(call, reply)
            reply.check(outcome)
            yield outcome

    def _outcome(self, call: VendorCall, reply: Reply, *, is_partial: bool = False) -> Outcome:
        structured: Parameters = {"structured_output": call.method} if call.method else {}
        return reply.reader.outcome(
            reply.model,
            reply.tokens,
            self.cost(call, reply.model, reply.tokens),
            is_cut=reply.finish in reply.cuts,
            parameters=self.recorded(call) | structured,
            is_partial=is_partial,
        )


def window_of(value: Any) -> int | None:
    """A context window in tokens, if a vendor's value is one."""
    return value if isinstance(value, int) and value > 0 else None
