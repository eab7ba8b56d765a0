"""What other sites show of a link to a debate: its title, one sentence, and the Open Graph members of its page."""

from html import escape
from typing import Final

from msgspec import UNSET

from events.view.view import View
from server.export.text import one_line

MOST_TITLE: Final = 160
"""Characters."""
STATES: Final = {"open": "Live", "paused": "Paused", "halted": "Halted", "concluded": "Ended"}
WINNERS: Final = {"pro": "Pro won", "con": "Con won", "neither": "No winner"}


def title_of(view: View) -> str:
    """The title of a debate, or its motion."""
    named = one_line(view.title) if view.title is not UNSET else one_line(view.motion)
    return named if len(named) <= MOST_TITLE else f"{named[: MOST_TITLE - 1]}…"


def sentence_of(view: View) -> str:
    """The state of a debate, its turns and its scores; no name of a model."""
    parts = [STATES[view.state]]
    if view.conclusion is not UNSET and view.pro is not UNSET:
        parts = [WINNERS[view.conclusion.winner]]
    if view.pro is not UNSET and view.turns:
        parts.append(f"{len(view.turns)} of {view.turns_planned} turns")
    scores = [(name, side.composite) for name, side in (("Pro", view.scorecard.pro), ("Con", view.scorecard.con))]
    known = [f"{name} {points:.1f}" for name, points in scores if isinstance(points, int | float)]
    if len(known) == len(scores):
        parts.append(", ".join(known))
    return f"{' · '.join(parts)}. A debate judged turn by turn, every score with its reasons."


def head_of(view: View, address: str) -> str:
    """The elements for the head of the page at ``address``."""
    title, sentence = escape(title_of(view)), escape(sentence_of(view))
    return (
        f"<title>{title} · Moot</title>\n"
        f'<meta name="description" content="{sentence}">\n'
        '<meta property="og:type" content="article">\n'
        '<meta property="og:site_name" content="Moot">\n'
        f'<meta property="og:title" content="{title}">\n'
        f'<meta property="og:description" content="{sentence}">\n'
        f'<meta property="og:url" content="{escape(address)}">'
    )
