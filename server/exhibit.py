"""Exhibitions played in memory, for their pages and the first page.

No debate is stored, no reader waits, and one playing serves all.
"""

from collections import defaultdict
from importlib.metadata import EntryPoint
from typing import Any, Final

import anyio
import structlog
from msgspec import Struct

from events.store.log import follow
from events.store.memory import MemoryLog
from events.types import DebateConcluded, DebateHalted
from providers.registry import GROUP, Registry
from server.debate.moderators import Moderators
from server.debate.setup.exhibitions import request_for
from server.debate.setup.opening import build_opening
from server.debate.setup.request import as_request
from server.errors import BadField, NotFound
from server.export.archive import archive_of
from server.export.html import html_export
from server.export.kept import GzipText, pack, whole
from server.export.preview.course import Course, course_of
from server.feed.hub import Hub
from server.process.observe import REHEARSED
from server.settings import Settings

UNPACED: Final = EntryPoint("scripted", "providers.scripted.provider:UnpacedProvider", GROUP)
MAX_FRAMES: Final = 5000
RETRY_MS: Final = 1
"""A script's broken answer is asked for again at once."""


class PlayedExhibition(Struct, frozen=True):
    """A recording."""

    frames: GzipText
    """All frames as one page of JSON."""
    page: GzipText
    """An HTML page that replays them."""
    operators_page: GzipText
    """The same with a button that opens the exhibition for the wall of a room."""
    course: Course


class PlayedExhibitions:
    """Recordings of exhibitions, each played once in this process."""

    def __init__(self) -> None:
        self._played: dict[str, PlayedExhibition] = {}
        self._locks = defaultdict[str, anyio.Lock](anyio.Lock)

    async def recording(self, name: str) -> PlayedExhibition:
        """The recording of an exhibition.  Raises ``NotFound``."""
        if name not in self._played:
            try:
                wanted = request_for(name)
            except BadField as error:
                raise NotFound(f"there is no exhibition {name!r}") from error
            async with self._locks[name]:
                if name not in self._played:
                    with structlog.contextvars.bound_contextvars(**{REHEARSED: name}):
                        self._played[name] = await _play(wanted, f"/exhibitions/{name}/wall")
        return self._played[name]


async def _play(wanted: dict[str, Any], wall: str) -> PlayedExhibition:
    settings = Settings(retry_ms=RETRY_MS)
    registry = Registry([UNPACED])
    async with MemoryLog() as log, anyio.create_task_group() as tasks:
        hub = Hub(log, tick_ms=settings.tick_ms)
        moderators = Moderators(log, registry, hub)
        await tasks.start(hub.run)
        await tasks.start(moderators.run)
        debate = await moderators.open(await build_opening(as_request(wanted), registry, settings))
        async for record in follow(log, debate):
            if isinstance(record.event, DebateConcluded | DebateHalted):
                break
        page, _ = await hub.frames_page(debate, 0, MAX_FRAMES)
        frames = f'{{"frames":[{",".join(page)}],"next":null}}'.encode()
        archive = await archive_of(log, debate)
        played = PlayedExhibition(
            await pack(whole(frames)),
            await pack(html_export(archive)),
            await pack(html_export(archive, wall)),
            course_of(await hub.view_at(debate, None)),
        )
        tasks.cancel_scope.cancel()
    await registry.close()
    return played
