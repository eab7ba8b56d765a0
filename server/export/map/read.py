"""The map of a debate in a store."""

from events.record import Recorded
from events.store.log import EventLog, read_pages
from server.errors import NotFound
from server.export.map.graph import FORMATS, NAMED, ArgumentMap, argument_map


async def map_of(log: EventLog, debate: str) -> ArgumentMap:
    """The map of a debate as far as it has gone.  Raises ``UnknownDebate``, ``NotFound`` for what has no arguments."""
    kept: list[Recorded] = []
    async for page in read_pages(log, debate):
        kept += [each for each in page if type(each.event) in NAMED]
    found = argument_map(kept)
    if found.format not in FORMATS:
        raise NotFound(f"a debate of format {found.format} has no argument map")
    return found
