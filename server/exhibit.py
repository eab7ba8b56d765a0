"""Exhibitions played in memory for the first page: no debate is stored, no reader waits, and one playing serves all."""

import gzip
from importlib.metadata import EntryPoint
from typing import Final

import anyio

from events.store.log import follow
from events.store.memory import MemoryLog
from events.types import DebateConcluded, DebateHalted
from providers.registry import GROUP, Registry
from server.debate.moderators import Moderators
from server.debate.setup import opening
from server.debate.setup.exhibitions import request_for
from server.errors import BadField, NotFound
from server.feed.hub import Hub
from server.settings import Settings

UNPACED: Final = EntryPoint("scripted", "providers.scripted.provider:UnpacedProvider", GROUP)
MOST_FRAMES: Final = 5000
RETRY_MS: Final = 1
"""A script's broken answer is asked for again at once."""


class PlayedExhibitions:
    """The frames of exhibitions, each played once in this process."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._lock = anyio.Lock()

    async def packed_frames(self, name: str) -> bytes:
        """All frames of an exhibition as one page, compressed with gzip.  Raises ``NotFound``."""
        async with self._lock:
            if name not in self._packed:
                self._packed[name] = gzip.compress(await _played(name), mtime=0)
            return self._packed[name]


async def _played(name: str) -> bytes:
    try:
        wanted = opening.as_request(request_for(name))
    except BadField as error:
        raise NotFound(f"there is no exhibition {name!r}") from error
    settings = Settings(retry_ms=RETRY_MS)
    registry = Registry([UNPACED])
    async with MemoryLog() as log, anyio.create_task_group() as tasks:
        hub = Hub(log, tick_ms=settings.tick_ms)
        moderators = Moderators(log, registry, hub)
        await tasks.start(hub.run)
        await tasks.start(moderators.run)
        debate = await moderators.open(await opening.build_opening(wanted, registry, settings))
        async for record in follow(log, debate):
            if isinstance(record.event, DebateConcluded | DebateHalted):
                break
        page, _ = await hub.frames_page(debate, 0, MOST_FRAMES)
        tasks.cancel_scope.cancel()
    await registry.close()
    return f'{{"frames":[{",".join(page)}],"next":null}}'.encode()
