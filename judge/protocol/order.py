"""Which side is read first: drawn from the debate's seed or id, and never by which statement came first.

The judge reads a debate twice, once with each side first.  Of the raters half read each side first.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from events.state.debate import Debate
from events.types import SIDES, DebateOpened, Rater, Side, other

READINGS: Final = SIDES
"""The side that stands first in each of the judge's readings."""


def has_both_orders(opened: DebateOpened) -> bool:
    """Whether the rules ask for both orders of the sides."""
    return opened.rubric.protocol is not None and bool(opened.rubric.protocol.both_orders)


def first_sides(debate: Debate, opened: DebateOpened) -> dict[str, Side]:
    """Return the side that each rater reads first, by name; empty where all read in one order.

    The raters are put in a drawn order, and so is the side of the first one; then the sides alternate.
    """
    if opened.format != "protocol" or not has_both_orders(opened):
        return {}
    drawn: Sequence[Rater] = sorted(opened.panel, key=lambda seat: _draw(debate, f"rater {seat.name}"))
    begins = drawn_side(debate)
    return {seat.name: other(begins) if number % 2 else begins for number, seat in enumerate(drawn)}


def drawn_side(debate: Debate) -> Side:
    """Return the side that the draw of a debate puts first."""
    return SIDES[_draw(debate, "first side")[0] % 2]


def _draw(debate: Debate, what: str) -> bytes:
    seed = UNSET if debate.opened is None else debate.opened.settings.seed
    return hashlib.sha256(f"{debate.id if seed is UNSET else seed}: {what}".encode()).digest()
