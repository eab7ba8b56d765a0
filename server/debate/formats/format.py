"""What a format is: how its request is read, how its opening is built, and what its next steps are."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from events.state.debate import Debate
from server.debate.formats.steps import Step
from server.debate.opening.build import Desk, Opening
from server.debate.opening.request import DebateRequest

NextSteps = Callable[[Debate], tuple[Step, ...]]


class DebateFormat(Struct, frozen=True, kw_only=True):
    """One format.  ``build`` raises ``BadField`` for a request that cannot be opened."""

    request: type[DebateRequest]
    build: Callable[[Any, Desk], Awaitable[Opening]]
    next_steps: NextSteps
    is_long: bool = False
    """Whether computing the next steps takes long: a thread does it."""
    loads: str = ""
    """A module that its steps import and that takes long to import: a thread does it before."""
    is_asked_once: bool = False
    """Whether what follows the first answers cannot be foreseen: an estimate ends with them."""
