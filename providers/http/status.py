"""The error of a call by the HTTP status of its response."""

from providers.errors import (
    BadRequest,
    ContextExceeded,
    NotAuthorised,
    Overloaded,
    ProviderError,
    RateLimited,
    TimedOut,
    UnknownModel,
)

from .retry_after import seconds

_BY_STATUS: dict[int, type[ProviderError]] = {
    401: NotAuthorised, 403: NotAuthorised, 404: UnknownModel, 408: TimedOut, 429: RateLimited, 504: TimedOut,
}  # fmt: skip
_SERVER_ERROR = 500
_TOO_LONG = (
    "context length",
    "context size",
    "context window",
    "context_length",
    "exceed_context_size_error",
    "prompt is too long",
    "input is too long",
    "input length",
    "maximum number of tokens allowed",
)


def by_status(status: int, message: str, retry_after: str = "", *, wait_s: float | None = None) -> ProviderError:
    """The error for an HTTP status.

    ``retry_after``: the header of that name, a number of seconds or a date.  ``wait_s``: the seconds to wait, if they
    are already known (``retry_after.wait_of``).
    """
    if status < _SERVER_ERROR and any(words in message.lower() for words in _TOO_LONG):
        return ContextExceeded(message)
    error = _BY_STATUS.get(status, Overloaded if status >= _SERVER_ERROR else BadRequest)
    made = error(message, retry_after_s=seconds(retry_after) if wait_s is None else wait_s)
    made.http_status = status
    return made
