"""The errors of a model call.  A provider translates its SDK's exceptions into these and decides nothing else.

``server.errors`` maps each class to an HTTP status and an exit code; a subclass of yours is mapped like its base.

::

    ProviderError
    ├── Unreachable               refused connection, unknown host, a child that will not start
    ├── TimedOut                  no first byte, silence, or a stream that is too slow
    ├── BrokenOff                 the stream ended before the answer did
    ├── Refused                   the model declined
    ├── Empty                     an answer without text
    ├── ToolCalled                the model called a tool instead of answering
    ├── Stopped                   the vendor ended the answer early
    ├── Adapted                   the call showed how to call this model; the next call does so
    │   ├── Starved               thinking used all the tokens
    │   ├── ThinkingAsText        the text was thinking
    │   └── PromptCut             the server cut the prompt without an error
    ├── Malformed                 not JSON, or not an answer of the requested type (``bad_json``, ``wrong_type``)
    ├── UnknownReference          an answer of the right type with a reference to something that does not exist
    ├── RateLimited               wait ``retry_after_s``
    ├── Overloaded                5xx: the server has a problem
    ├── NotAuthorised             a missing or wrong key, or one that may not use the model (403)
    ├── UnknownModel              the provider has no such model
    ├── ContextExceeded           the prompt does not fit
    ├── Resigned                  the person who was asked gave up the seat
    └── BadRequest                the provider rejects the call as it is
"""

from typing import ClassVar, Final

from .base import CallProgress, Outcome
from .environment import redacted

FORBIDDEN: Final = 403
"""The status of a vendor that knows the key and does not allow it to use this model."""


class ProviderError(Exception):
    """The base class.  ``raw``: the text so far, if any.

    ``http_status`` is the vendor's status, if it answered with one.  ``is_lasting``: Moot has waited for the vendor as
    long as it waits for any; the queue and the breaker set it.  ``outcome`` is set if the vendor reported what the
    call used: a failed call costs as much as any other.  The keys of the environment are removed from the message and
    from ``raw``, because a vendor may repeat them.
    """

    kind: ClassVar[str] = "provider_error"

    def __init__(
        self, message: str, *, retry_after_s: float | None = None, raw: str = "", outcome: Outcome | None = None
    ) -> None:
        self.message, self.retry_after_s, self.raw = redacted(message), retry_after_s, redacted(raw)
        self.outcome = outcome
        self.http_status: int | None = None
        self.is_lasting = False
        super().__init__(self.message)

    def add(self, words: str) -> None:
        """Add words to the message."""
        self.message += words
        self.args = (self.message,)

    def complete(self, so_far: CallProgress) -> None:
        """Add what came before the call failed, where the error does not hold it."""
        self.raw = self.raw or redacted(so_far.text)
        self.outcome = self.outcome or so_far.outcome


class Unreachable(ProviderError):
    """No server answers."""

    kind = "unreachable"


class TimedOut(ProviderError):
    """No text came for too long."""

    kind = "timeout"


class BrokenOff(ProviderError):
    """The connection broke within the answer."""

    kind = "reset"


class Refused(ProviderError):
    """The model declined to answer."""

    kind = "refused"


class Empty(ProviderError):
    """The answer has no text."""

    kind = "empty"


class ToolCalled(ProviderError):
    """The model called a tool instead of answering."""

    kind = "tool_call"


class Stopped(ProviderError):
    """The vendor ended the answer early, for a reason of its own."""

    kind = "stopped"


class Adapted(ProviderError):
    """The call showed how to call this model, and the next call does so: the first time does not count as a failure."""

    kind = "adapted"


class Starved(Adapted):
    """Thinking used all the tokens of the call."""

    kind = "starved"


class ThinkingAsText(Adapted):
    """The text was thinking: a closing tag came without an opening tag."""

    kind = "thought_aloud"


class PromptCut(Adapted):
    """The server cut the prompt without an error."""

    kind = "prompt_cut"


class Malformed(ProviderError):
    """The answer does not have the requested type.  ``raw`` holds it."""

    kind = "bad_json"


class WrongType(Malformed):
    """The answer is JSON of another type."""

    kind = "wrong_type"


class UnknownReference(ProviderError):
    """The answer has the right type and refers to something that does not exist."""

    kind = "unknown_id"


class RateLimited(ProviderError):
    """Too many calls."""

    kind = "rate_limit"


class Overloaded(ProviderError):
    """The server has a problem."""

    kind = "overloaded"


class NotAuthorised(ProviderError):
    """A key is missing or wrong, or with status 403, may not use this model."""

    kind = "auth"


class UnknownModel(ProviderError):
    """The provider has no such model, or there is no such provider."""

    kind = "unknown_model"


class ContextExceeded(ProviderError):
    """The prompt is longer than the model's window."""

    kind = "context_length"


class Resigned(ProviderError):
    """The person who was asked gave up the seat."""

    kind = "resigned"


class BadRequest(ProviderError):
    """The provider rejects the call."""

    kind = "bad_request"
