"""What other sites show of a link to a debate: its title, one sentence, and the Open Graph members of its page."""

from html import escape
from typing import Final
from urllib.parse import quote

from msgspec import UNSET, UnsetType

from events.state.parts.rounds import ProtocolState
from events.text.figures import rounded
from events.types import Side
from events.view.origin import MarkView
from events.view.view import View
from server.export.text import one_line
from server.export.wording import NAMES
from server.process.extras import is_installed

PICTURE_SIZE: Final = (1200, 630)
"""Pixels of the preview picture."""
MAX_TITLE: Final = 160
"""Characters."""
STATES: Final = {"open": "Live", "paused": "Paused", "halted": "Halted", "concluded": "Ended"}
COMPOSITE_MAXIMUM: Final = 100
IPTC: Final = "http://cv.iptc.org/newscodes/digitalsourcetype/"
TOTAL_MAXIMUM: Final = 30
"""The most that a side's total can be in a protocol: a mean of at most 10, times three arguments."""


def title_of(view: View) -> str:
    """The title of a debate, or its motion."""
    named = one_line(view.title) if view.title is not UNSET else one_line(view.motion)
    return named if len(named) <= MAX_TITLE else f"{named[: MAX_TITLE - 1]}…"


def standing_of(view: View) -> str:
    """The state or the outcome of a debate, and its turns."""
    parts = [STATES[view.state] if view.outcome is UNSET else view.outcome.headline]
    if view.pro is not UNSET and view.turns:
        parts.append(f"{len(view.turns)} of {view.turns_planned} turns")
    return " · ".join(parts)


def scores_of(view: View) -> tuple[dict[Side, float | None], int]:
    """The score of each side, None if there is none, and the highest score: of a protocol the judge's totals."""
    if isinstance(view.protocol, ProtocolState):
        assessment = view.protocol.assessment
        given = (UNSET, UNSET) if assessment is UNSET else (assessment.pro_total, assessment.con_total)
    else:
        given = (view.scorecard.pro.composite, view.scorecard.con.composite)
    pro, con = (points if isinstance(points, float) else None for points in given)
    most = view.scorecard.pro.maximum or COMPOSITE_MAXIMUM
    return {"pro": pro, "con": con}, TOTAL_MAXIMUM if view.format == "protocol" else most


def sentence_of(view: View) -> str:
    """The state of a debate, its turns and its scores; no name of a model."""
    parts = [standing_of(view)]
    scores, _ = scores_of(view)
    known = [f"{NAMES[side]} {rounded(points)}" for side, points in scores.items() if points is not None]
    if len(known) == len(scores):
        parts.append(", ".join(known))
    return f"{' · '.join(parts)}. A debate judged turn by turn, every score with its reasons."


def mark_meta(mark: MarkView | UnsetType) -> str:
    """The mark of a debate for machines, as elements of a page's head.

    Source: IPTC NewsCodes, digital source type; schema.org, ``digitalSourceType``.
    """
    if mark is UNSET or not mark.text:
        return ""
    words = f'<meta name="moot:origin" content="{escape(mark.text)}">'
    if mark.source_type is UNSET:
        return words
    name = f"{mark.source_type[0].upper()}{mark.source_type[1:]}DigitalSource"
    return (
        f'{words}\n<meta name="iptc:DigitalSourceType" content="{IPTC}{mark.source_type}">\n'
        f'<meta property="schema:digitalSourceType" content="https://schema.org/{name}">'
    )


def head_of(view: View, address: str, base: str) -> str:
    """The elements for the head of the page at ``address``; ``base`` is that of the server's pages.

    Other sites find by oEmbed what to show of an address, but not of an unlisted debate.  No picture without the extra
    for it, and none of an unlisted debate: its address would hold the token of its link.
    """
    title, sentence, at = escape(title_of(view)), escape(sentence_of(view)), escape(address)
    picture = (
        f'\n<meta property="og:image" content="{at}/preview.png">\n'
        '<meta property="og:image:type" content="image/png">\n'
        f'<meta property="og:image:width" content="{PICTURE_SIZE[0]}">\n'
        f'<meta property="og:image:height" content="{PICTURE_SIZE[1]}">\n'
        f'<meta property="og:image:alt" content="{title} · {sentence}">\n'
        '<meta name="twitter:card" content="summary_large_image">'
    )
    shown = f"{base}/oembed?url={quote(address, safe='')}&format=json"
    found = f'\n<link rel="alternate" type="application/json+oembed" href="{escape(shown)}" title="{title}">'
    return (
        f"<title>{title} · Moot</title>\n"
        f'<meta name="description" content="{sentence}">\n'
        '<meta property="og:type" content="article">\n'
        '<meta property="og:site_name" content="Moot">\n'
        f'<meta property="og:title" content="{title}">\n'
        f'<meta property="og:description" content="{sentence}">\n'
        f'<meta property="og:url" content="{at}">\n'
        f"{mark_meta(view.mark)}"
        f"{'' if view.unlisted else found}"
        f"{picture if is_installed('preview') and not view.unlisted else ''}"
    )
