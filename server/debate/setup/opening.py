"""Opening a debate: the builder of its format makes the event ``debate_opened``, which holds everything."""

from events.store.log import EventLog
from events.types import DebateOpened
from providers.registry import Registry
from server.debate.formats import FORMATS
from server.debate.opening.build import Desk, Opening
from server.debate.opening.request import DebateRequest
from server.settings import Settings


async def opening_for(log: EventLog | None, request: DebateRequest, registry: Registry, settings: Settings) -> Opening:
    """The event that opens what a request asks for, and what follows it.  Checks that every model answers.

    ``log``: the stored debates that it may be made of; None to use nothing of them.  Raises ``BadField``, and as the
    store does.
    """
    return await FORMATS[request.format].build(request, Desk(registry, settings, log))


async def build_opening(request: DebateRequest, registry: Registry, settings: Settings) -> DebateOpened:
    """The opening alone, without anything of stored debates."""
    return (await opening_for(None, request, registry, settings)).opened
