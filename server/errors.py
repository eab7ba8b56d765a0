"""What the server refuses, and how it says so.

::

    MootError                 500  exit 1
    ├── BadField              422  exit 2   ``field`` names it, dotted
    ├── BadQuery              400  exit 2   not JSON, or a query that makes no sense
    ├── NotFound              404  exit 3
    ├── NotNow                409  exit 1   the debate is not in a state for that
    ├── TokenMissing          401  exit 1
    ├── NotAllowed            403  exit 1
    ├── TooLarge              413  exit 1
    ├── TooMany               429  exit 1   ``retry_after_s``
    ├── Leaving               503  exit 1   this node goes; ``retry_after_s``
    ├── HttpRefusal           as the router says
    ├── Relayed               as the node says that runs the debate
    └── CannotServe           503  exit 1   no free port, or not safe to start

Errors of the log and of the providers carry the same class attributes and are shown the same way.
"""

from http import HTTPStatus
from typing import Any, ClassVar


class MootError(Exception):
    """Base of everything that a person is told in one line."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, field: str | None = None) -> None:
        self.message, self.field = message, field
        super().__init__(message)


class BadField(MootError):
    """A value that is not acceptable."""

    code = "bad_field"
    status = 422
    exit_code = 2

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message, field=field)


class BadQuery(MootError):
    """A request that cannot be read."""

    code = "bad_request"
    status = 400
    exit_code = 2


class NotFound(MootError):
    """Nothing is there."""

    code = "not_found"
    status = 404
    exit_code = 3


class NotNow(MootError):
    """Not in this state."""

    code = "not_now"
    status = 409


class TokenMissing(MootError):
    """This needs the token."""

    code = "token_missing"
    status = 401


class NotAllowed(MootError):
    """Not from there, or not by you."""

    code = "not_allowed"
    status = 403


class TooLarge(MootError):
    """A body beyond the bound."""

    code = "too_large"
    status = 413


class TooMany(MootError):
    """Over a rate or a count."""

    code = "too_many"
    status = 429

    def __init__(self, message: str, retry_after_s: int = 1) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class CannotServe(MootError):
    """The server does not start."""

    code = "cannot_serve"
    status = 503


class HttpRefusal(MootError):
    """What the router itself refuses: a method, a path."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status  # type: ignore[misc]  # the router knows more statuses than we have classes
        self.code = HTTPStatus(status).name.lower()  # type: ignore[misc]
        super().__init__(message)


class Leaving(MootError):
    """This node is about to stop and takes nothing on."""

    code = "leaving"
    status = 503

    def __init__(self, message: str = "this node is about to stop; ask again", retry_after_s: int = 1) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class Relayed(MootError):
    """What another node refused, told as it told it."""

    def __init__(
        self, code: str, status: int, exit_code: int, message: str, field: str | None, retry_after_s: int | None
    ) -> None:
        self.code, self.status, self.exit_code = code, status, exit_code  # type: ignore[misc]  # it is of any class
        self.retry_after_s = retry_after_s
        super().__init__(message, field=field)


def described(error: Exception) -> dict[str, Any]:
    """The one shape of an error, for HTTP and for ``--json``."""
    return {
        "error": {
            "code": getattr(error, "code", "error"),
            "message": str(error),
            "field": getattr(error, "field", None),
        }
    }
