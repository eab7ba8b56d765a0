"""What a search found, as JSON for spectators: the route and the command give the same."""

from typing import Any

from events.store.log import SearchHit, SearchPage
from events.types import TurnSpoken
from server.export.rows import public_row


def page_of_hits(page: SearchPage) -> dict[str, Any]:
    """``{"hits", "next"}``; ``start`` is the place of ``text`` in the whole text, ``marks`` are places in ``text``."""
    return {"hits": [_hit(each) for each in page.hits], "next": page.next}


def _hit(hit: SearchHit) -> dict[str, Any]:
    event = hit.record.event
    spoken = {"turn": event.turn, "side": event.side} if isinstance(event, TurnSpoken) else {}
    return {
        "debate": public_row(hit.row),
        "position": hit.record.position,
        **spoken,
        "text": hit.excerpt.text,
        "start": hit.excerpt.start,
        "marks": hit.excerpt.marks,
    }
