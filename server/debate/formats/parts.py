"""What a debate may have besides its turns and its judge: a table of modules, imported where a debate has the part."""

from typing import Any, Final

from events.table import LazyTable

PARTS: Final = LazyTable[Any](
    {
        "documents": "server.evidence.given",
        "evidence": "server.debate.formats.citing",
        "panel": "server.debate.formats.panel",
        "people": "server.debate.formats.people",
        "poll": "server.debate.formats.poll",
    }
)
