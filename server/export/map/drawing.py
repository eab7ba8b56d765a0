"""The premises of an exchange as a drawing: two lanes, the turns from above to below, and curves between them.

The list below the drawing says the same in words, so the drawing is hidden from screen readers and from the keyboard.
"""

from collections.abc import Iterator
from html import escape
from typing import Final
from unicodedata import east_asian_width

from msgspec import UNSET

from events.types import Side
from server.export.map.graph import ArgumentMap, MapEdge, MapNode

WIDTH: Final = 1080
LANE: Final = 410
"""Width of a lane; the curves are between the lanes."""
ROW: Final = 22
GAP: Final = 12
TOP: Final = 4
CHARACTERS: Final = 56
"""Columns of text in a lane, of which a wide character takes two."""


def drawing_of(found: ArgumentMap) -> str:
    """The drawing as SVG."""
    rows = _placed(found)
    height = max((y for y, _ in rows.values()), default=0) + ROW + TOP
    parts = [*_curves(found, rows), *_entries(found, rows)]
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    heads = "".join(
        f'<marker id="head-{kind}" class="{kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 8 4 0 8z"/></marker>'
        for kind in ("flaw", "answer")
    )
    return f'<svg class="map" aria-hidden="true" {size}><defs>{heads}</defs>{"".join(parts)}</svg>'


def _placed(found: ArgumentMap) -> dict[str, tuple[int, Side]]:
    """The height and the lane of each turn and of what it states.  A turn and the answer to it are side by side."""
    stated: dict[int, list[MapNode]] = {}
    sides: dict[int, Side] = {}
    for node in found.nodes.values():
        if node.turn is not UNSET and node.side is not UNSET:
            sides.setdefault(node.turn, node.side)
            known = stated.setdefault(node.turn, [])
            if node.kind in {"premise", "claim", "words"} and _is_met(found, node):
                known.append(node)
    rows: dict[str, tuple[int, Side]] = {}
    below: dict[Side, int] = {"pro": TOP, "con": TOP}
    before: Side | None = None
    for number in sorted(stated):
        side = sides[number]
        if side == before:
            below[side] += GAP
        elif before is not None and not _opens_band(number, sides):
            below[side] = max(below[side], _start_of(number - 1, rows, below, before))
        else:
            below = dict.fromkeys(below, max(below.values()))
        y = below[side]
        rows[f"T{number}"] = (y, side)
        for place, node in enumerate(sorted(stated[number], key=_where), 1):
            rows[node.id] = (y + place * ROW, side)
        below[side] = y + (len(stated[number]) + 1) * ROW + GAP
        before = side
    return rows


def _opens_band(number: int, sides: dict[int, Side]) -> bool:
    """Whether a turn is of the side that spoke first: then a new pair of turns begins."""
    return sides[number] == sides[min(sides)]


def _start_of(number: int, rows: dict[str, tuple[int, Side]], below: dict[Side, int], side: Side) -> int:
    return rows[f"T{number}"][0] if f"T{number}" in rows else below[side]


def _is_met(found: ArgumentMap, node: MapNode) -> bool:
    return node.kind == "premise" or any(
        node.id in {each.source, each.target} and _joins_words(found, each) for each in found.edges
    )


def _joins_words(found: ArgumentMap, edge: MapEdge) -> bool:
    kinds = {found.nodes[edge.source].kind, found.nodes[edge.target].kind}
    return kinds <= {"premise", "claim", "words", "turn"}


def _where(node: MapNode) -> tuple[int, str]:
    return (node.span[0] if node.span is not UNSET else 0, node.id)


def _curves(found: ArgumentMap, rows: dict[str, tuple[int, Side]]) -> Iterator[str]:
    attacked = {(found.nodes[each.source].turn, each.target) for each in found.edges if each.relation == "attack"}
    for edge in found.edges:
        if edge.source not in rows or edge.target not in rows or not _joins_words(found, edge):
            continue
        is_answer = edge.relation == "answer"
        if is_answer and (found.nodes[edge.source].turn, edge.target) in attacked:
            continue
        kind = "answer" if is_answer else "flaw"
        (y1, one), (y2, two) = rows[edge.source], rows[edge.target]
        x1, x2 = _inner(one), _inner(two)
        y1, y2 = y1 + ROW // 2, y2 + ROW // 2
        bend = (WIDTH - 2 * LANE) // 2
        c1, c2 = (x1 + bend if one == "pro" else x1 - bend), (x2 + bend if two == "pro" else x2 - bend)
        yield f'<path class="{kind}" d="M{x1} {y1}C{c1} {y1} {c2} {y2} {x2} {y2}" marker-end="url(#head-{kind})"/>'


def _inner(side: Side) -> int:
    """Where the curves of a lane begin."""
    return LANE + 8 if side == "pro" else WIDTH - LANE - 8


def _entries(found: ArgumentMap, rows: dict[str, tuple[int, Side]]) -> Iterator[str]:
    for name, (y, side) in rows.items():
        x = 0 if side == "pro" else WIDTH - LANE
        middle = y + ROW // 2
        if name not in found.nodes or found.nodes[name].kind == "turn":
            number = name.removeprefix("T")
            words = f"{side.capitalize()}, turn {number}"
            yield (
                f'<a href="#turn-{number}" tabindex="-1"><text class="turn {side}" x="{x}" y="{middle + 5}">'
                f"{words}</text></a>"
            )
            continue
        node = found.nodes[name]
        label = node.text if node.kind == "words" else f"{node.id} {node.text}"
        dot = LANE - 2 if side == "pro" else WIDTH - LANE + 2
        start = x if side == "pro" else x + 14
        state = _state(node)
        yield (
            f'<a href="#n-{escape(node.id)}" tabindex="-1"><title>{escape(label)}</title>'
            f'<text class="{state}" x="{start}" y="{middle + 4}">{escape(_cut(label))}</text>'
            f'<circle class="{side} {state}" cx="{dot}" cy="{middle}" r="5"/></a>'
        )


def _state(node: MapNode) -> str:
    if node.state in {"withdrawn", "dropped"}:
        return "gone"
    if node.kind != "premise":
        return "words"
    return {"answered": "met", "unanswered": "unmet"}.get(node.answered or "", "unknown")


def _cut(text: str) -> str:
    """The beginning of a text that fits into a lane."""
    used = 0
    for number, character in enumerate(text):
        used += 2 if east_asian_width(character) in "WF" else 1
        if used > CHARACTERS:
            return f"{text[: number - 1]}…"
    return text
