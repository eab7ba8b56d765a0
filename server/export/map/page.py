"""A map as HTML: what nobody answered, what was given up, a drawing, and the case of each side as a nested list."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from msgspec import UNSET

from events.types import SIDES, Side
from judge.report.figures import plural
from server.export.document.html import tag
from server.export.map.drawing import drawing_of
from server.export.map.forms import place_of
from server.export.map.graph import ArgumentMap, MapEdge, MapNode
from server.export.text import in_quotes, one_line, shortened
from server.export.wording import NAMES, RESPONSES, SIGNS, STANDINGS

OPEN: Final = 8
"""Turns, or entries of a list, up to which a part of the page is open at first."""
DRAWN_OPEN: Final = 16
"""Turns up to which the drawing is open at first."""
SHORT: Final = 140
"""Characters of a statement where it is only named."""
ANSWERED: Final = {
    "answered": "",
    "unanswered": "nobody answered",
    "last": "the other side had no turn after it",
    "unknown": "not known whether it was answered",
}
CHANGED: Final = {"revised": "put differently in", "dropped": "passed over in silence in", "withdrawn": "given up in"}
UNKNOWN: Final = (
    "of a premise or argument “not known whether it was answered” means that the judge was not asked what each later "
    "turn answers, or gave no usable answer"
)
TOP: Final = frozenset({"premise", "claim", "argument", "verdict", "finding"})
"""Kinds of nodes that have a place of their own; elsewhere they are named, with a link."""
PLACED: Final = TOP | {"words", "turn"}
"""Kinds of nodes for which their turn is shown."""
EMPTY: Final = "Nothing is on the map yet: the judge has named no premise, and no argument has been opened."


def map_html(found: ArgumentMap) -> str:
    """The parts of the page below its header."""
    return "\n".join(_MapPage(found).parts())


class _MapPage:
    """The page of one map."""

    def __init__(self, found: ArgumentMap) -> None:
        self._map = found
        self._spoken = {"lang": found.language, "dir": "auto"}
        self._into: dict[str, list[MapEdge]] = {}
        for edge in found.edges:
            self._into.setdefault(edge.target, []).append(edge)
        self._anchored: set[str] = set()
        """Nodes that have their place on the page already."""

    def parts(self) -> Iterator[str]:
        found = self._map
        yield tag("h1", "Argument map")
        link = tag("a", escape(found.motion), href=f"/d/{escape(found.debate)}")
        yield tag("p", link, class_="motion", **self._spoken)
        if len(found.nodes) <= 1:
            yield tag("p", EMPTY, class_="lead")
            return
        yield tag("p", escape(self._figures()), class_="lead")
        yield from self._named(
            "open",
            "Nobody answered",
            "By what the log holds, no later turn of the other side answers these.",
            list(filter(_is_open, found.nodes.values())),
        )
        yield from self._given_up()
        if any(each.kind == "premise" for each in found.nodes.values()):
            yield self._drawing()
        if found.format == "deliberation":
            yield from self._opinions()
        else:
            yield tag("div", "\n".join(map(self._case, SIDES)), class_="cases")
        if any(each.answered == "unknown" for each in found.nodes.values()):
            yield tag("p", f"{UNKNOWN[0].upper()}{UNKNOWN[1:]}.", class_="small")

    def _figures(self) -> str:
        """What is on the map, in numbers."""
        nodes = self._map.nodes.values()
        if self._map.format == "deliberation":
            kinds = ("opinion", "finding")
            return f"{' and '.join(plural(sum(each.kind == kind for each in nodes), kind) for kind in kinds)}."
        stated = [each for each in nodes if each.kind in {"premise", "argument"}]
        kind = "argument" if self._map.format == "protocol" else "premise"
        sides = (f"{NAMES[side]} has {plural(sum(each.side == side for each in stated), kind)}" for side in SIDES)
        counts = {
            "answered by the other side": sum(each.answered == "answered" for each in stated),
            "answered by nobody": sum(map(_is_open, stated)),
            "given up": sum(each.state == "withdrawn" for each in stated),
            "passed over in silence": sum(each.state == "dropped" for each in stated),
            "not known to be answered or not": sum(each.answered == "unknown" for each in stated),
        }
        said = ", ".join(
            f"{number} {'is' if number == 1 else 'are'} {words}" for words, number in counts.items() if number
        )
        return f"{', '.join(sides)}. Of these, {said}." if said else f"{', '.join(sides)}."

    # lists of names

    def _named(self, name: str, title: str, says: str, nodes: list[MapNode]) -> Iterator[str]:
        if nodes:
            yield self._list(name, title, says, [self._short(each) for each in nodes])

    def _given_up(self) -> Iterator[str]:
        """What was conceded: premises, arguments of the other side, and what a closing concedes."""
        items = []
        for edge in self._map.edges:
            if edge.relation != "concession":
                continue
            source, target = self._map.nodes[edge.source], self._map.nodes[edge.target]
            words = self._quote(source) or tag("span", escape(source.text), **self._spoken)
            who = f"{SIGNS[source.side]}, turn {source.turn}: " if source.side is not UNSET else ""
            if target.kind == "case":
                items.append(f"{escape(who)}{words}")
            else:
                verb = "gives up" if source.side == target.side else RESPONSES[source.state].replace(" this", "")
                items.append(f"{escape(who)}{verb} {self._short(target)}{f': {words}' if verb == 'gives up' else ''}")
        if items:
            yield self._list("conceded", "Conceded", "What a side gives up or accepts, by its own words.", items)

    def _list(self, name: str, title: str, says: str, items: list[str]) -> str:
        """Entries below a heading, folded if they are many."""
        entries = tag("ul", "".join(tag("li", each) for each in items))
        if len(items) > OPEN:
            summary = tag("summary", f"Show all {len(items)}")
            entries = f"<details>{summary}{entries}</details>"
        head = tag("h2", f"{title} ({len(items)})", id=f"{name}-title")
        note = tag("p", says, class_="small")
        return tag("section", f"{head}{note}{entries}", class_="glance", **{"aria-labelledby": f"{name}-title"})

    def _short(self, node: MapNode) -> str:
        """The name of a node as a link to its place on the page, with the beginning of its text."""
        link = tag("a", escape(node.id), href=f"#{_anchor(node)}", class_=_side(node))
        return f"{link} {tag('span', escape(shortened(node.text, SHORT)), **self._spoken)}"

    # the drawing

    def _drawing(self) -> str:
        is_open = " open" if self._map.turns <= DRAWN_OPEN else ""
        summary = tag("summary", "Drawing: premises in the order of the turns, and who answers them")
        legend = tag("ul", "".join(tag("li", words, class_=kind) for kind, words in LEGEND.items()), class_="legend")
        return f'<details class="drawn"{is_open}>{summary}{drawing_of(self._map)}{legend}</details>'

    # the cases

    def _case(self, side: Side) -> str:
        groups = self._by_turn(side)
        head = tag("h2", f"{SIGNS[side]}’s case", id=f"{side}-title")
        is_open = len(groups) <= OPEN
        parts = [self._turn(number, nodes, is_open=is_open) for number, nodes in groups.items()]
        inner = "\n".join(parts) or tag("p", "Nothing yet.", class_="quiet")
        return tag("section", f"{head}{inner}", class_=side, **{"aria-labelledby": f"{side}-title"})

    def _by_turn(self, side: Side) -> dict[int, list[MapNode]]:
        """What a side states, by turn, in the order of the words; words only if something is said of them."""
        groups: dict[int, list[MapNode]] = {}
        for node in self._map.nodes.values():
            if node.side == side and node.turn is not UNSET and node.kind in PLACED:
                groups.setdefault(node.turn, []).extend([node] if self._stands_alone(node) else [])
        return {number: sorted(groups[number], key=_where) for number in sorted(groups)}

    def _turn(self, number: int, nodes: list[MapNode], *, is_open: bool) -> str:
        kinds = {kind: sum(each.kind == kind for each in nodes) for kind in ("argument", "premise")}
        counts = [plural(count, kind) for kind, count in kinds.items() if count]
        lacking = sum(map(_is_open, nodes))
        counts += [f"{lacking} that nobody answered"] if lacking else []
        title = " · ".join((f"Turn {number}", *counts))
        items = "".join(map(self._item, nodes))
        answers = self._answers_of(number)
        body = f"{answers}{tag('ul', items, class_='nodes') if items else ''}"
        state = " open" if is_open else ""
        return f'<details id="turn-{number}"{state}><summary>{escape(title)}</summary>{body}</details>'

    def _answers_of(self, number: int) -> str:
        """Which statements a turn answers, and in which its words show a flaw."""
        nodes = self._map.nodes
        made = [each for each in self._map.edges if nodes[each.source].turn == number]
        answers = [each.target for each in made if each.relation == "answer" and nodes[each.source].kind == "turn"]
        kinds = {"premise", "claim", "words"}
        flaws = [
            each.target
            for each in made
            if each.relation == "attack" and nodes[each.source].kind in kinds and nodes[each.target].kind in TOP
        ]
        said = [f"answers {self._links(answers)}"] if answers else []
        said += [f"shows a flaw in {self._links(flaws)}"] if flaws else []
        return tag("p", f"This turn {' and '.join(said)}.", class_="answers") if said else ""

    def _links(self, names: Iterable[str]) -> str:
        return ", ".join(
            tag("a", escape(each), href=f"#{_anchor(self._map.nodes[each])}") for each in dict.fromkeys(names)
        )

    def _item(self, node: MapNode) -> str:
        """A statement with its words, and what is said of it."""
        name = "" if node.kind in {"words", "verdict"} else f"{tag('b', escape(node.id))} "
        states = [tag("span", escape(each), class_=f"state {kind}") for kind, each in _states(node)]
        quote = self._quote(node)
        is_quoted = one_line(node.quote) == node.text
        text = quote if is_quoted else tag("span", escape(node.text), **self._spoken)
        lines = [f"{name}{' '.join((*states, text))}", "" if is_quoted else quote]
        changes = [self._change(each.turn, each.what, each.text) for each in node.changes if each.what != "withdrawn"]
        body = "".join(tag("p", each) for each in (*lines, *changes) if each)
        below = self._below(node, frozenset({node.id}))
        return tag("li", f"{body}{below}", id=_anchor(node), class_=f"{_side(node)} {node.kind}".strip())

    def _change(self, turn: int, what: str, text: str) -> str:
        said = tag("span", escape(text), **self._spoken)
        return f"{tag('i', f'{CHANGED[what].capitalize()} turn {turn}:')} {said}" if text else ""

    def _quote(self, node: MapNode) -> str:
        """The words of a node, which lead to their place in the debate; of a turn its number."""
        href = place_of(self._map.debate, node)
        if node.kind == "turn":
            return tag("a", f"turn {node.turn}", href=href)
        return tag("a", escape(in_quotes(node.quote)), href=href, class_="said", **self._spoken) if node.quote else ""

    def _below(self, node: MapNode, seen: frozenset[str]) -> str:
        """What supports, attacks, concedes, answers or asks about a node."""
        edges = [each for each in self._into.get(node.id, ()) if each.source not in seen]
        told = {self._map.nodes[each.source].turn for each in edges if each.relation == "attack"}
        lines = [
            self._line(each, node, seen)
            for each in edges
            if not (each.relation == "answer" and self._map.nodes[each.source].turn in told)
        ]
        return tag("ul", "".join(lines)) if lines else ""

    def _line(self, edge: MapEdge, target: MapNode, seen: frozenset[str]) -> str:
        """One thing that is said of a node, with what is said of that."""
        source = self._map.nodes[edge.source]
        verb = tag("i", escape(_verb(edge, source, target)))
        reason = tag("span", escape(edge.reason), **self._spoken) if edge.reason and source.kind != "objection" else ""
        if target.kind == "finding":
            title = source.text.partition(":")[0]
            return tag("li", f"{verb} {tag('a', escape(title), href=f'#{_anchor(source)}')}", class_=edge.relation)
        if source.kind in TOP:
            return tag("li", f"{verb} {self._short(source)} {reason}", class_=_kinds(edge, source))
        quote = self._quote(source)
        is_quoted = source.kind == "turn" or one_line(source.quote) == source.text
        text = "" if is_quoted else tag("span", escape(source.text), **self._spoken)
        parts = " ".join(filter(None, (verb, text, quote, reason)))
        name = "" if source.kind == "turn" or self._stands_alone(source) else self._new_anchor(source)
        return tag("li", f"{parts}{self._below(source, seen | {source.id})}", id=name, class_=_kinds(edge, source))

    def _stands_alone(self, node: MapNode) -> bool:
        """Whether a node has a place of its own, and not only below others."""
        return node.kind in TOP or (node.kind == "words" and node.id in self._into)

    def _new_anchor(self, node: MapNode) -> str:
        """The anchor of a node; empty if it has one already."""
        if node.id in self._anchored:
            return ""
        self._anchored.add(node.id)
        return _anchor(node)

    # a text that judges read

    def _opinions(self) -> Iterator[str]:
        """Each verdict with the judges who hold it, and what they found."""
        for kind, title in (("verdict", "Verdicts"), ("finding", "Findings")):
            nodes = [each for each in self._map.nodes.values() if each.kind == kind]
            if nodes:
                items = tag("ul", "".join(map(self._item, nodes)), class_="nodes")
                head = tag("h2", title, id=f"{kind}-title")
                yield tag("section", f"{head}{items}", **{"aria-labelledby": f"{kind}-title"})


VERBS: Final[dict[tuple[str, str, str], str]] = {
    ("objection", "objection", "support"): "A second opinion upholds the doubt:",
    ("objection", "objection", "attack"): "A second opinion clears it:",
    ("objection", "", "attack"): "The judge:",
    ("passage", "", "support"): "Passage {passage} supports it:",
    ("passage", "", "attack"): "Passage {passage} stands against it:",
    ("question", "", "question"): "{who} asks:",
    ("reaction", "", "answer"): "{who} answers:",
    ("concession", "", "concession"): "{who} gives it up{turn}:",
    ("turn", "", "answer"): "{who} answers it:",
    ("turn", "", "attack"): "{who} contradicts it:",
    ("opinion", "verdict", "support"): "Held by",
    ("opinion", "", "support"): "Named by",
}
"""What an edge says, by the kinds of its source and its target (empty: any) and its relation."""
LEGEND: Final = {
    "flaw": "shows a flaw in it, or contradicts it",
    "answer": "answers it",
    "met": "answered",
    "unmet": "nobody answered",
    "unknown": "not known",
    "gone": "given up, or passed over in silence",
}


def _states(node: MapNode) -> Iterator[tuple[str, str]]:
    """What is known of a statement, each with a class."""
    if node.kind == "verdict":
        if node.state:
            yield "settled", node.state
        return
    if node.kind == "argument" and node.state:
        yield "standing", STANDINGS.get(node.state, node.state)
    if node.kind == "claim":
        yield node.state, {"flagged": "doubted", "upheld": "doubted, and upheld", "cleared": "cleared"}[node.state]
    gone = [each for each in node.changes if each.what != "revised"]
    if node.kind == "premise" and node.state in {"dropped", "withdrawn"} and gone:
        yield "gone", f"{CHANGED[node.state]} turn {gone[-1].turn}"
    if node.answered is not UNSET and ANSWERED[node.answered] and node.state != "withdrawn":
        yield node.answered, ANSWERED[node.answered]


def _verb(edge: MapEdge, source: MapNode, target: MapNode) -> str:
    """What the source of an edge does, in words."""
    who = NAMES.get(source.side or "", "")
    turn = f" in turn {source.turn}" if source.turn is not UNSET else ""
    if source.kind == "reply":
        return f"{who} {RESPONSES[source.state]}:"
    if words := VERBS.get((source.kind, target.kind, edge.relation)) or VERBS.get((source.kind, "", edge.relation)):
        return words.format(who=who, turn=turn, passage=source.id)
    if source.side == target.side:
        return f"{who}’s own words{turn} show a flaw in it:"
    return f"{who} shows a flaw in it{turn}:"


def _is_open(node: MapNode) -> bool:
    """Whether nobody answered a statement that its side has not given up."""
    return node.answered == "unanswered" and node.state != "withdrawn"


def _anchor(node: MapNode) -> str:
    return f"n-{node.id}"


def _side(node: MapNode) -> str:
    return node.side or ""


def _kinds(edge: MapEdge, source: MapNode) -> str:
    return " ".join(filter(None, (edge.relation, _side(source))))


def _where(node: MapNode) -> tuple[int, str]:
    return (node.span[0] if node.span is not UNSET else 0, node.id)
