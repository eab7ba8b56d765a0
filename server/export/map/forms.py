"""A map as AIF, the JSON of argument corpora, and as Argdown, a text in which arguments are written by hand.

AIF has a scheme node for each edge: RA supports, CA attacks.  Concessions, answers and questions are neither, so their
scheme nodes have no type.  What AIF has no place for stands in the member ``moot``, which its readers leave out.
Source of both forms: www.argumentinterchange.org, argdown.org.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET

from server.export.map.graph import ArgumentMap, MapNode, Relation
from server.export.text import one_line

SCHEMES: Final[dict[Relation, tuple[str, str]]] = {
    "support": ("RA", "Default Inference"),
    "attack": ("CA", "Default Conflict"),
    "concession": ("", "Concession"),
    "answer": ("", "Answer"),
    "question": ("", "Question"),
}
"""The type and the text of a scheme node."""
SIGNS: Final[dict[Relation, str]] = {"support": "+", "attack": "-"}
"""The relations that Argdown has; others are data of their source."""
_MARKS: Final = re.compile(r"[!-/:-@\[-`{-~]")
"""Characters that may mean something to Argdown."""
LEFT_OUT: Final = frozenset({"id", "text", "at", "quote", "span"})
"""Members of a node that its line of Argdown says elsewhere, or not."""


def as_json(found: ArgumentMap) -> bytes:
    """The map as it is in memory."""
    return msgspec.json.encode(found)


def as_aif(found: ArgumentMap) -> bytes:
    """The map as AIF."""
    nodes, edges = [_aif_node(found, each) for each in found.nodes.values()], []
    for number, each in enumerate(found.edges, 1):
        scheme = f"S{number}"
        kind, text = SCHEMES[each.relation]
        told = {"relation": each.relation, "position": each.position, "reason": each.reason}
        nodes.append({"nodeID": scheme, "text": text, "type": kind, "timestamp": _time(each.at), "moot": told})
        for part, (source, target) in enumerate(((each.source, scheme), (scheme, each.target)), 1):
            edges.append({"edgeID": f"{scheme}-{part}", "fromID": source, "toID": target, "formEdgeID": None})
    return msgspec.json.encode({"nodes": nodes, "edges": edges, "locutions": []})


def _aif_node(found: ArgumentMap, node: MapNode) -> dict[str, Any]:
    told = {name: value for name, value in msgspec.to_builtins(node).items() if name not in {"id", "text", "at"}}
    told["href"] = place_of(found.debate, node)
    return {"nodeID": node.id, "text": node.text, "type": "I", "timestamp": _time(node.at), "moot": told}


def _time(at: str) -> str:
    """A time in UTC as AIF has it: ``2026-11-28 07:13:25``."""
    return at[:19].replace("T", " ")


def place_of(debate: str, node: MapNode) -> str:
    """The address of the words of a node, or of its event if it names none."""
    if node.turn is not UNSET and node.span is not UNSET:
        return f"/d/{debate}?said={node.turn}.{node.span[0]}-{node.span[1]}"
    return f"/d/{debate}#e{node.position}"


def as_argdown(found: ArgumentMap) -> bytes:
    """The map as Argdown: a statement for each node, with what supports and attacks it."""
    return "\n".join((f"===\ntitle: {_quoted(one_line(found.motion))}\n===\n", *_statements(found))).encode()


def _statements(found: ArgumentMap) -> Iterator[str]:
    for node in found.nodes.values():
        told: dict[str, Any] = {
            name: value
            for name, value in msgspec.to_builtins(node).items()
            if name not in LEFT_OUT and value not in ("", [], ())
        }
        told.pop("changes", None)
        for relation in ("concession", "answer", "question"):
            if named := [each.target for each in found.edges if each.source == node.id and each.relation == relation]:
                told[relation] = named
        told["words"] = place_of(found.debate, node)
        data = ", ".join(f"{name}: {_value(value)}" for name, value in told.items())
        yield f"[{node.id}]: {escaped_argdown(node.text) or '–'} {{{data}}}"
        into = ((each.relation, each.source) for each in found.into(node.id) if each.relation in SIGNS)
        yield from (f"  {SIGNS[relation]} [{source}]" for relation, source in dict.fromkeys(into))
        yield ""


def escaped_argdown(text: str) -> str:
    """A text on one line that Argdown reads as words only."""
    return _MARKS.sub(r"\\\g<0>", one_line(text))


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()


MAPS: Final[dict[str, Callable[[ArgumentMap], bytes]]] = {"json": as_json, "aif": as_aif, "argdown": as_argdown}
"""What makes each form of a map."""
