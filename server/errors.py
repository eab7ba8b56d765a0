"""The errors of the server, and how every error of Moot is reported: by HTTP, by ``--json``, by an exit code.

::

    MootError
    ├── BadField              ``field`` names it, dotted
    │   └── BadAnswer         of a person: ``faults`` at places of the answer
    ├── BadQuery              not JSON, or an invalid query
    ├── BadHeader             a header that cannot be read
    ├── NotFound
    ├── NotNow                the debate is not in a state for that
    ├── TokenMissing
    ├── NotAllowed
    ├── TooLarge
    ├── BadTranscript         a file in which no debate can be found
    ├── TooMany               ``retry_after_s``
    ├── Draining              this node is about to stop; ``retry_after_s``
    ├── NotOwner              another node runs the debate
    ├── CannotServe           no free port, or not safe to start
    └── ReportedError         holds its own report
        ├── HttpRefusal       from the router
        └── Relayed           from the node that runs the debate

Each package below has a tree of its own and knows nothing of HTTP.  ``ERROR_CLASSES`` and
``EXIT_CODES`` hold every class of all trees.  A class that they do not hold (a provider's own) takes the entry of its
nearest base class.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct

from events import errors as log
from judge.errors import BadItem, JudgeError, MissingPackages, RubricError, TemplateError
from personalities.traits import PersonalityError
from providers import errors as calls

T = TypeVar("T")
Faults = tuple[tuple[tuple[str | int, ...], str], ...]


class MootError(Exception):
    """Base of the errors that are reported to the user in one line."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        self.message, self.field = message, field
        super().__init__(message)


class BadField(MootError):
    """A field with a value that is not allowed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message, field=field)


class BadAnswer(BadField):
    """A person's answer that cannot count.  ``faults``: (place in the answer, what is wrong there)."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        places = "1 place" if len(faults) == 1 else f"{len(faults)} places"
        super().__init__("text", f"{places} of the answer must be corrected")


class BadQuery(MootError):
    """A request that cannot be read."""


class BadHeader(MootError):
    """A header that cannot be read."""


class NotFound(MootError):
    """The thing does not exist."""


class NotNow(MootError):
    """The state does not allow it."""


class TokenMissing(MootError):
    """The request needs the token."""


class NotAllowed(MootError):
    """The origin or the client is not allowed to do this."""


class TooLarge(MootError):
    """A body or a debate above its limit."""


class BadTranscript(MootError):
    """A file in which no debate between two sides can be found."""


class TooMany(MootError):
    """Above a rate or a number."""

    def __init__(self, message: str, retry_after_s: int = 1) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class Draining(MootError):
    """This node is about to stop and starts nothing new."""

    def __init__(self, message: str = "this node is about to stop; ask again", retry_after_s: int = 1) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class NotOwner(MootError):
    """Another node runs the debate.  Clients do not see this error: the command is forwarded to that node."""

    def __init__(self, debate: str) -> None:
        super().__init__(f"debate {debate} is run by another node")


class CannotServe(MootError):
    """The server cannot start."""


class LinkChanged(log.LogError):
    """The link of an unlisted debate has changed: readers have to come back and be admitted again."""


class ErrorReport(Struct, frozen=True, kw_only=True):
    """An error as it is reported.  ``retry_after_s``: seconds after which the same request may succeed."""

    code: str
    status: int
    exit_code: int
    message: str
    field: str | None = None
    retry_after_s: float | None = None
    faults: Faults = ()


class ReportedError(MootError):
    """An error that holds its own report, because its class does not determine it."""

    def __init__(self, report: ErrorReport) -> None:
        self.report = report
        super().__init__(report.message, field=report.field)


class HttpRefusal(ReportedError):
    """A refusal of the router: a method, a path.  The router uses more statuses than there are classes here."""

    def __init__(self, status: int, message: str) -> None:
        code = HTTPStatus(status).name.lower()
        super().__init__(ErrorReport(code=code, status=status, exit_code=1, message=message))


class Relayed(ReportedError):
    """The refusal of another node, reported as that node reports it."""


def _nothing(error: Exception) -> None:
    del error


def _own_field(error: MootError | PersonalityError) -> str | None:
    return error.field


def _rubric_field(error: RubricError) -> str:
    return error.field or "rubric"


class ErrorClass(NamedTuple):
    """How HTTP and ``--json`` report a class of errors.  ``field`` reads the field that an error names."""

    status: int
    code: str
    field: Callable[[Any], str | None] = _nothing


ERROR_CLASSES: Final[Mapping[type[Exception], ErrorClass]] = {
    MootError: ErrorClass(500, "error", _own_field),
    BadField: ErrorClass(422, "bad_field", _own_field),
    BadAnswer: ErrorClass(422, "bad_field", _own_field),
    BadQuery: ErrorClass(400, "bad_request", _own_field),
    BadHeader: ErrorClass(400, "error", _own_field),
    NotFound: ErrorClass(404, "not_found", _own_field),
    NotNow: ErrorClass(409, "not_now", _own_field),
    TokenMissing: ErrorClass(401, "token_missing", _own_field),
    NotAllowed: ErrorClass(403, "not_allowed", _own_field),
    TooLarge: ErrorClass(413, "too_large", _own_field),
    BadTranscript: ErrorClass(422, "bad_transcript", _own_field),
    TooMany: ErrorClass(429, "too_many", _own_field),
    Draining: ErrorClass(503, "leaving", _own_field),
    NotOwner: ErrorClass(409, "elsewhere", _own_field),
    CannotServe: ErrorClass(503, "cannot_serve", _own_field),

    JudgeError: ErrorClass(500, "judge_error"),
    RubricError: ErrorClass(422, "bad_rubric", _rubric_field),
    TemplateError: ErrorClass(500, "bad_template"),
    BadItem: ErrorClass(422, "bad_item"),
    MissingPackages: ErrorClass(500, "missing_packages"),
    PersonalityError: ErrorClass(422, "bad_personality", _own_field),

    log.LogError: ErrorClass(500, "log_error"),
    LinkChanged: ErrorClass(409, "link_changed"),
    log.WrongExpectedPosition: ErrorClass(409, "wrong_expected_position"),
    log.UnknownDebate: ErrorClass(404, "unknown_debate"),
    log.UnknownEvent: ErrorClass(500, "unknown_event"),
    log.BrokenChain: ErrorClass(422, "broken_chain"),
    log.BadTransfer: ErrorClass(422, "bad_transfer"),
    log.BadCursor: ErrorClass(400, "bad_cursor"),
    log.BadStore: ErrorClass(500, "bad_store"),
    log.Fenced: ErrorClass(409, "fenced"),
    log.Unanswered: ErrorClass(503, "unanswered"),
    log.StoreBusy: ErrorClass(503, "store_busy"),
    log.StoreUnavailable: ErrorClass(503, "store_unavailable"),
    log.NotMigrated: ErrorClass(503, "not_migrated"),
    log.StoreDamaged: ErrorClass(503, "store_damaged"),

    calls.ProviderError: ErrorClass(502, "provider_error"),
    calls.Unreachable: ErrorClass(503, "provider_error"),
    calls.TimedOut: ErrorClass(504, "provider_error"),
    calls.BrokenOff: ErrorClass(502, "provider_error"),
    calls.Refused: ErrorClass(502, "provider_error"),
    calls.Empty: ErrorClass(502, "provider_error"),
    calls.ToolCalled: ErrorClass(502, "provider_error"),
    calls.Stopped: ErrorClass(502, "provider_error"),
    calls.Adapted: ErrorClass(502, "provider_error"),
    calls.Starved: ErrorClass(502, "provider_error"),
    calls.ThinkingAsText: ErrorClass(502, "provider_error"),
    calls.PromptCut: ErrorClass(502, "provider_error"),
    calls.Malformed: ErrorClass(502, "provider_error"),
    calls.WrongType: ErrorClass(502, "provider_error"),
    calls.UnknownReference: ErrorClass(502, "provider_error"),
    calls.RateLimited: ErrorClass(429, "provider_error"),
    calls.Overloaded: ErrorClass(503, "provider_error"),
    calls.NotAuthorised: ErrorClass(401, "provider_error"),
    calls.UnknownModel: ErrorClass(422, "provider_error"),
    calls.ContextExceeded: ErrorClass(422, "provider_error"),
    calls.Resigned: ErrorClass(409, "provider_error"),
    calls.BadRequest: ErrorClass(422, "provider_error"),

    Exception: ErrorClass(500, "error"),
}  # fmt: skip
"""Every class of errors, with its HTTP status, its code and its field."""

_BY_EXIT_CODE: Final[Mapping[int, tuple[type[Exception], ...]]] = {
    1: (  # failed
        MootError, BadHeader, NotNow, TokenMissing, NotAllowed, TooLarge, TooMany, Draining, NotOwner, CannotServe,
        JudgeError, TemplateError, MissingPackages,
        log.LogError, LinkChanged, log.WrongExpectedPosition, log.UnknownEvent, log.BadTransfer, log.Fenced,
        log.Unanswered, log.StoreBusy, log.StoreUnavailable, log.StoreDamaged,
        calls.ProviderError, calls.Unreachable, calls.TimedOut, calls.BrokenOff, calls.Refused, calls.Empty,
        calls.ToolCalled, calls.Stopped, calls.Adapted, calls.Starved, calls.ThinkingAsText, calls.PromptCut,
        calls.Malformed, calls.WrongType, calls.UnknownReference, calls.RateLimited, calls.Overloaded,
        calls.NotAuthorised, calls.UnknownModel, calls.ContextExceeded, calls.Resigned,
        calls.BadRequest,
        Exception,
    ),
    2: (  # wrong use
        BadField, BadAnswer, BadQuery, BadTranscript, RubricError, BadItem, PersonalityError,
        log.BadCursor, log.BadStore, log.NotMigrated,
    ),
    3: (NotFound, log.UnknownDebate),  # does not exist
    4: (log.BrokenChain,),  # a log does not verify
}  # fmt: skip
EXIT_CODES: Final[Mapping[type[Exception], int]] = {
    kind: code for code, kinds in _BY_EXIT_CODE.items() for kind in kinds
}
"""Every class of errors, with the exit code of a command that it ends."""

EXPECTED: Final = (MootError, log.LogError, calls.ProviderError, JudgeError, PersonalityError)
"""The bases of the errors that are reported in one line.  Every other error is a bug."""


def report_of(error: Exception) -> ErrorReport:
    """The report of an error, by its class or the nearest base class in the tables."""
    if isinstance(error, ReportedError):
        return error.report
    answer = _nearest(ERROR_CLASSES, error)
    return ErrorReport(
        code=answer.code,
        status=answer.status,
        exit_code=_nearest(EXIT_CODES, error),
        message=str(error),
        field=answer.field(error),
        retry_after_s=_wait_of(error),
        faults=error.faults if isinstance(error, BadAnswer) else (),
    )


def error_body(error: Exception) -> dict[str, Any]:
    """The JSON body of an error, for HTTP and for ``--json``."""
    found = report_of(error)
    body: dict[str, Any] = {"code": found.code, "message": found.message, "field": found.field}
    if found.faults:
        body["faults"] = [{"path": list(path), "message": message} for path, message in found.faults]
    return {"error": body}


def leaves(error: Exception) -> list[Exception]:
    """The failures themselves, which task groups may have wrapped."""
    if isinstance(error, ExceptionGroup):
        return [leaf for each in error.exceptions for leaf in leaves(each)]
    return [error]


def _nearest(table: Mapping[type[Exception], T], error: Exception) -> T:
    return next(table[kind] for kind in type(error).__mro__ if kind in table)


def _wait_of(error: Exception) -> float | None:
    return error.retry_after_s if isinstance(error, TooMany | Draining | calls.ProviderError) else None
