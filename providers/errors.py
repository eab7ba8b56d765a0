"""What a model call can fail with.  A provider translates its SDK's exceptions into these and decides nothing.

``server.errors`` says how each is told in HTTP and at the end of a command; a class of yours is told as its base is.

::

    ProviderError
    ├── Unreachable               refused connection, unknown host, a child that will not start
    ├── TimedOut                  no first byte, or silence, or a drip beyond the deadline
    ├── BrokenOff                 the stream ended before the answer did
    ├── Refused                   the model declined
    ├── Empty                     an answer without text
    ├── ToolCalled                it called a tool in place of answering
    ├── Stopped                   the vendor ended the answer for a reason of its own
    ├── Adapted                   the call showed how this model must be asked; the next call asks so
    │   ├── Starved               thinking used up all the tokens
    │   ├── ThoughtAloud          what seemed to be speech was thinking
    │   └── PromptCut             the server cut the prompt without saying so
    ├── Malformed                 not JSON, or not an answer of the asked type (``bad_json``, ``wrong_type``)
    ├── UnknownReference          a well-typed answer that names what does not exist
    ├── RateLimited               obey ``retry_after_s``
    ├── Overloaded                5xx: the other side is in trouble
    ├── NotAuthorised             a missing or wrong key
    ├── UnknownModel              the provider has no such model
    ├── ContextExceeded           the prompt does not fit
    └── BadRequest                the provider rejects the call as it is
"""

from typing import ClassVar

from .base import Outcome
from .redaction import redacted
from .waiting import seconds


class ProviderError(Exception):
    """Base.  ``retryable``: the same call may succeed later.  ``raw`` is what the model had said, if anything.

    ``http_status`` is the vendor's, where it answered with one.  ``outcome`` is there where the vendor told what the
    call used: a failed call is paid for like any other.  No key of ours stands in the message or in ``raw``, whatever a
    vendor repeats.
    """

    kind: ClassVar[str] = "provider_error"
    retryable: ClassVar[bool] = True

    def __init__(
        self, message: str, *, retry_after_s: float | None = None, raw: str = "", outcome: Outcome | None = None
    ) -> None:
        self.message, self.retry_after_s, self.raw = redacted(message), retry_after_s, redacted(raw)
        self.outcome = outcome
        self.http_status: int | None = None
        super().__init__(self.message)


class Unreachable(ProviderError):
    """Nobody answers."""

    kind = "unreachable"


class TimedOut(ProviderError):
    """No text for too long."""

    kind = "timeout"


class BrokenOff(ProviderError):
    """The connection died in mid-answer."""

    kind = "reset"


class Refused(ProviderError):
    """The model declined to answer."""

    kind = "refused"


class Empty(ProviderError):
    """The model answered with nothing."""

    kind = "empty"


class ToolCalled(ProviderError):
    """The model called a tool in place of answering."""

    kind = "tool_call"


class Stopped(ProviderError):
    """The vendor ended the answer for a reason of its own: what came is not a whole answer."""

    kind = "stopped"


class Adapted(ProviderError):
    """The call showed how this model must be asked, and the next call asks so: the first time is nobody's failure."""

    kind = "adapted"


class Starved(Adapted):
    """Thinking used up all the tokens that the call had."""

    kind = "starved"


class ThoughtAloud(Adapted):
    """What seemed to be speech was thinking: the tag that closes it came, the tag that opens it never did."""

    kind = "thought_aloud"


class PromptCut(Adapted):
    """The server cut the prompt without saying so."""

    kind = "prompt_cut"


class Malformed(ProviderError):
    """The answer is not of the asked type.  ``raw`` holds it."""

    kind = "bad_json"


class WrongType(Malformed):
    """It is JSON, but not what was asked for."""

    kind = "wrong_type"


class UnknownReference(ProviderError):
    """A well-typed answer that names what does not exist."""

    kind = "unknown_id"


class RateLimited(ProviderError):
    """Too many calls."""

    kind = "rate_limit"


class Overloaded(ProviderError):
    """The provider is in trouble."""

    kind = "overloaded"


class NotAuthorised(ProviderError):
    """A key is missing or wrong."""

    kind = "auth"
    retryable = False


class UnknownModel(ProviderError):
    """No such model there, or no such provider here."""

    kind = "unknown_model"
    retryable = False


class ContextExceeded(ProviderError):
    """The prompt is longer than the model's window."""

    kind = "context_length"
    retryable = False


class BadRequest(ProviderError):
    """Rejected as it stands."""

    kind = "bad_request"
    retryable = False


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
    """The error that an HTTP status means.

    ``retry_after``: that header, a number of seconds or a date.  ``wait_s``: seconds to wait, where they are known
    already (``waiting.hint``).
    """
    if status < _SERVER_ERROR and any(words in message.lower() for words in _TOO_LONG):
        return ContextExceeded(message)
    error = _BY_STATUS.get(status, Overloaded if status >= _SERVER_ERROR else BadRequest)
    found = error(message, retry_after_s=seconds(retry_after) if wait_s is None else wait_s)
    found.http_status = status
    return found
