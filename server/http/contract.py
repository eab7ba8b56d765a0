"""What a route takes and answers, declared with it, and the description of the API (OpenAPI 3.1) made of that."""

import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar, cast

import msgspec
from anyio import to_thread
from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from events.view.readable import OneOf, readable
from server.export.kept import KeptAnswers
from server.http.requests import packed_response, whole_number
from server.people.checks import AnswerFault
from server.process.version import VERSION

E = TypeVar("E", bound=Callable[..., Any])
ROOT: Final = "#/components/schemas/"
DESCRIBED: Final = ("/api/", "/healthz", "/readyz", "/metrics")
"""Beginnings of the paths that the description has: the others are pages."""


class QueryNumber(Struct, frozen=True):
    """A whole number in a query, within bounds; without it the default, if that is the same for every request."""

    name: str
    default: int | None
    least: int
    most: int

    def read(self, request: Request, default: int = 0) -> int:
        """The number of this request.  Raises ``BadQuery``."""
        default = default if self.default is None else self.default
        return whole_number(request, self.name, default, self.least, self.most)


class QueryText(Struct, frozen=True):
    """A text in a query: any, or one of ``values``."""

    name: str
    values: tuple[str, ...] = ()
    required: bool = False


MAX_POSITION: Final = 1 << 40
AFTER: Final = QueryNumber("after", 0, 0, MAX_POSITION)
DIRECTOR: Final = QueryText("director", ("0", "1"))


class Contract(Struct, frozen=True, kw_only=True):
    """What a route takes and answers.  ``answer`` is a type, or the media types of what is no JSON."""

    answer: Any
    status: int
    body: Any
    raw_body: str
    query: tuple[QueryNumber | QueryText, ...]
    needs_operator: bool


def answers(
    answer: Any,
    *query: QueryNumber | QueryText,
    status: int = 200,
    body: Any = None,
    raw_body: str = "",
    needs_operator: bool = False,
) -> Callable[[E], E]:
    """Declare what an endpoint takes and answers.  ``raw_body`` is the media type of a body that need not be JSON."""

    def declared(endpoint: E) -> E:
        vars(endpoint)["contract"] = Contract(
            answer=answer, status=status, body=body, raw_body=raw_body, query=query, needs_operator=needs_operator
        )
        return endpoint

    return declared


class ActAnswer(Struct, frozen=True, kw_only=True):
    """The answer to what is recorded: the position of its event, and the link that it made, if it made one."""

    position: int
    link: str | UnsetType = UNSET


class RefusedRequest(Struct, frozen=True, kw_only=True):
    """What is wrong; ``field`` names the field or the part of the query."""

    code: str
    message: str
    field: str | None = None
    faults: tuple[AnswerFault, ...] | UnsetType = UNSET


class RefusalAnswer(Struct, frozen=True):
    """The shape of every error."""

    error: RefusedRequest


@answers(dict[str, Any])
async def show_description(request: Request) -> Response:
    """GET /api/openapi.json: this description."""

    async def made() -> AsyncIterator[bytes]:
        yield msgspec.json.encode(await to_thread.run_sync(description, request.app.routes))

    pages: KeptAnswers = request.app.state.pages
    return packed_response(request, await pages.answer(("openapi", ""), made), "application/json")


def described(routes: Iterable[BaseRoute]) -> Iterator[tuple[str, str, Contract, Route]]:
    """Path, method and contract of every route that the description has.

    Raises ``TypeError`` for one without a contract.
    """
    for route in routes:
        if isinstance(route, Route) and route.path.startswith(DESCRIBED):
            for method in sorted((route.methods or set()) - {"HEAD"}):
                contract = vars(route.endpoint).get("contract")
                if contract is None:
                    raise TypeError(f"{method} {route.path}: its endpoint has no line @answers")
                yield route.path, method.lower(), contract, route


def description(routes: Iterable[BaseRoute]) -> dict[str, Any]:
    """The OpenAPI document of these routes."""
    found = list(described(routes))
    kinds = list(dict.fromkeys(
        readable(kind)
        for _, _, contract, _ in found
        for kind in (contract.answer, contract.body)
        if kind is not None and not isinstance(kind, str)
    ))  # fmt: skip
    schemas = Schemas([*kinds, RefusalAnswer])
    paths: dict[str, dict[str, Any]] = {}
    for path, method, contract, route in found:
        paths.setdefault(path, {})[method] = _operation(path, method, contract, route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Moot", "version": VERSION, "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "paths": paths,
        "components": {
            "schemas": schemas.components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


class Schemas:
    """The schemas of types, and the components that they name."""

    def __init__(self, kinds: Iterable[Any]) -> None:
        self._ones: dict[type[OneOf], str] = {}
        known, self._of = list(kinds), dict[Any, Any]()
        while len(self._of) < len(known):  # a union that is met adds its members
            made, self.components = msgspec.json.schema_components(
                known, schema_hook=self._hook, ref_template=ROOT + "{name}"
            )
            self._of = dict(zip(known, made, strict=True))
            known = list(dict.fromkeys([*known, *(each for one in self._ones for each in one.kinds)]))
        self.components = cast("dict[str, Any]", self._filled(self.components))

    def of(self, kind: Any) -> Any:
        """The schema of one of the types."""
        return self._filled(self._of[readable(kind)])

    def _hook(self, kind: type) -> dict[str, Any]:
        if not issubclass(kind, OneOf):
            raise NotImplementedError
        return {"$one": self._ones.setdefault(kind, str(len(self._ones)))}

    def _filled(self, schema: Any) -> Any:
        """The schema with the members of unions in their places."""
        if isinstance(schema, list | tuple):
            return [self._filled(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        if "$one" in schema:
            one = list(self._ones)[int(schema["$one"])]
            rest = {name: each for name, each in schema.items() if name != "$one"}
            return {**rest, "anyOf": [self._filled(self._of[each]) for each in one.kinds]}
        return {name: self._filled(each) for name, each in schema.items()}


def _operation(path: str, method: str, contract: Contract, route: Route, schemas: Schemas) -> dict[str, Any]:
    said = " ".join((route.endpoint.__doc__ or "").split())
    words = re.sub(r"^(?:GET|POST|PUT|DELETE) \S+?[:.,]+(?: |$)", "", said) or path
    if isinstance(contract.answer, str):
        content: dict[str, Any] = {media: {} for media in contract.answer.split()}
    else:
        content = {"application/json": {"schema": schemas.of(contract.answer)}}
    refused = {"description": "Refused", "content": {"application/json": {"schema": schemas.of(RefusalAnswer)}}}
    operation = {
        "operationId": re.sub(r"\W+", "_", f"{method}{path.removeprefix('/api')}").strip("_"),
        "description": words[:1].upper() + words[1:],
        "parameters": [
            *({"name": each, "in": "path", "required": True, "schema": {"type": "string"}} for each in _places(path)),
            *map(_parameter, contract.query),
            *(
                [_parameter(QueryText("link"))]
                if vars(route.endpoint).get("has_link") and not _has_link(contract)
                else []
            ),
        ],
        "responses": {
            str(contract.status): {"description": "Done", "content": content},
            "4XX": refused,
            "503": refused,
        },
    }
    if contract.needs_operator:
        operation["security"] = [{"token": []}]
    bodies = {"application/json": {"schema": schemas.of(contract.body)}} if contract.body is not None else {}
    bodies |= {contract.raw_body: {}} if contract.raw_body else {}
    if bodies:
        operation["requestBody"] = {"content": bodies}
    return operation


def _has_link(contract: Contract) -> bool:
    return any(each.name == "link" for each in contract.query)


def _places(path: str) -> list[str]:
    return re.findall(r"{(\w+)}", path)


def _parameter(query: QueryNumber | QueryText) -> dict[str, Any]:
    if isinstance(query, QueryNumber):
        schema: Mapping[str, Any] = {
            "type": "integer", "minimum": query.least, "maximum": query.most,
            **({} if query.default is None else {"default": query.default}),
        }  # fmt: skip
        return {"name": query.name, "in": "query", "schema": schema}
    schema = {"type": "string", **({"enum": list(query.values)} if query.values else {})}
    return {"name": query.name, "in": "query", "schema": schema, "required": query.required}
