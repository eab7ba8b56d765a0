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

Each package below has a tree of its own and knows nothing of HTTP.  ``ERROR_CLASSES`` holds every class of all trees.
A class that it does not hold (a provider's own) takes the entry of its nearest base class.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from msgspec import Struct

from events import errors as log
from judge.errors import BadItem, JudgeError, MissingPackages, RubricError, TemplateError
from personalities.traits import PersonalityError
from providers import errors as calls

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

    retry_after_s = 1

    def __init__(self) -> None:
        super().__init__("this node is about to stop; ask again")


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


class ErrorClass(NamedTuple):
    """How HTTP and ``--json`` report a class of errors, and the exit code of a command that it ends.

    The exit codes: 1 failed, 2 wrong use, 3 does not exist, 4 a log does not verify.
    """

    status: int
    code: str
    exit_code: int = 1


ERROR_CLASSES: Final[Mapping[type[Exception], ErrorClass]] = {
    MootError: ErrorClass(500, "error"),
    BadField: ErrorClass(422, "bad_field", 2),
    BadAnswer: ErrorClass(422, "bad_field", 2),
    BadQuery: ErrorClass(400, "bad_request", 2),
    BadHeader: ErrorClass(400, "error"),
    NotFound: ErrorClass(404, "not_found", 3),
    NotNow: ErrorClass(409, "not_now"),
    TokenMissing: ErrorClass(401, "token_missing"),
    NotAllowed: ErrorClass(403, "not_allowed"),
    TooLarge: ErrorClass(413, "too_large"),
    BadTranscript: ErrorClass(422, "bad_transcript", 2),
    TooMany: ErrorClass(429, "too_many"),
    Draining: ErrorClass(503, "leaving"),
    NotOwner: ErrorClass(409, "elsewhere"),
    CannotServe: ErrorClass(503, "cannot_serve"),

    JudgeError: ErrorClass(500, "judge_error"),
    RubricError: ErrorClass(422, "bad_rubric", 2),
    TemplateError: ErrorClass(500, "bad_template"),
    BadItem: ErrorClass(422, "bad_item", 2),
    MissingPackages: ErrorClass(500, "missing_packages"),
    PersonalityError: ErrorClass(422, "bad_personality", 2),

    log.LogError: ErrorClass(500, "log_error"),
    LinkChanged: ErrorClass(409, "link_changed"),
    log.WrongExpectedPosition: ErrorClass(409, "wrong_expected_position"),
    log.UnknownDebate: ErrorClass(404, "unknown_debate", 3),
    log.DebateDeleted: ErrorClass(410, "debate_deleted", 3),
    log.UnknownEvent: ErrorClass(500, "unknown_event"),
    log.BrokenChain: ErrorClass(422, "broken_chain", 4),
    log.BadTransfer: ErrorClass(422, "bad_transfer"),
    log.BadCursor: ErrorClass(400, "bad_cursor", 2),
    log.BadStore: ErrorClass(500, "bad_store", 2),
    log.Fenced: ErrorClass(409, "fenced"),
    log.Unanswered: ErrorClass(503, "unanswered"),
    log.StoreBusy: ErrorClass(503, "store_busy"),
    log.StoreUnavailable: ErrorClass(503, "store_unavailable"),
    log.NotMigrated: ErrorClass(503, "not_migrated", 2),
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
"""Every class of errors, with its HTTP status, its code and its exit code."""

EXPECTED: Final = (MootError, log.LogError, calls.ProviderError, JudgeError, PersonalityError)
"""The bases of the errors that are reported in one line.  Every other error is a bug."""


def report_of(error: Exception) -> ErrorReport:
    """The report of an error, by its class or the nearest base class in the table."""
    if isinstance(error, ReportedError):
        return error.report
    answer = next(ERROR_CLASSES[kind] for kind in type(error).__mro__ if kind in ERROR_CLASSES)
    return ErrorReport(
        code=answer.code,
        status=answer.status,
        exit_code=answer.exit_code,
        message=str(error),
        field=_field_of(error),
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


def _field_of(error: Exception) -> str | None:
    if isinstance(error, RubricError):
        return error.field or "rubric"
    return error.field if isinstance(error, MootError | PersonalityError) else None


def _wait_of(error: Exception) -> float | None:
    return error.retry_after_s if isinstance(error, TooMany | Draining | calls.ProviderError) else None
