"""What a debate may have besides its turns and its judge: a table of modules, imported where a debate has the part.

``citing`` evidence · ``panel`` raters, and the ``rounds`` in which they read each other · ``people`` in seats ·
``poll``.  ``judge.live`` has the convergence of a long debate, and what its judge's
window does not hold.
"""

from typing import Any, Final

from events.table import LazyTable

PARTS: Final = LazyTable[Any](
    {
        "convergence": "judge.live.convergence",
        "documents": "server.evidence.given",
        "evidence": "server.debate.formats.parts.citing",
        "panel": "server.debate.formats.parts.panel",
        "people": "server.debate.formats.parts.people",
        "poll": "server.debate.formats.parts.poll",
        "shortening": "judge.live.shortening",
    }
)
