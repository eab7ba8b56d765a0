"""The argument map: every edge is what its event says, and the forms say the same as the map."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import arguebuf
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events import types
from events.record import Recorded
from events.transfer import parse_lines
from server.export.map.forms import as_aif, as_argdown, escaped_argdown
from server.export.map.graph import NAMED, ArgumentMap, MapEdge, argument_map
from server.export.map.page import map_html

TESTS = Path(__file__).parents[3]
LOGS = {
    path.stem: parse_lines(path.read_bytes().splitlines(keepends=True))
    for folder in ("events/view/golden", "server/debate/logs")
    for path in sorted((TESTS / folder).glob("*.ndjson"))
}
MAPS = {name: argument_map(records) for name, records in LOGS.items()}
HOSTILE = "</script><b onclick=x> [P1.1]: <!-- // {a: 1} #tag *b* _i_ @[x] \\ `+ [Q]\n- [R] \u202e“"
of_each_log = pytest.mark.parametrize("name", LOGS)


def is_said(edge: MapEdge, found: ArgumentMap, event: types.Event) -> bool:  # noqa: C901, PLR0912 - a case an event
    """Whether an event says what an edge says."""
    source, target = found.nodes[edge.source], found.nodes[edge.target]
    match edge.relation, event:
        case "support" | "attack", types.DebateOpened():
            return (source.id, target.id) == (f"case-{source.side}", "motion") and source.side != target.side
        case "support", types.PremiseStated():
            return (event.premise, f"case-{event.side}") == (source.id, target.id)
        case "answer", types.OpponentAnswered():
            return source.id == f"T{event.turn}" and target.id in event.answered
        case "concession", types.PremiseWithdrawn():
            return (event.quote, event.premise) == (source.quote, target.id)
        case "attack", types.ContradictionFound():
            return target.id in event.premises and source.side == event.side and source.turn == max(event.turns)
        case "attack", types.LogicGapAdjusted():
            return all(
                _holds(node.span, words.span) and node.turn == words.turn
                for node, words in ((source, event.exposed_by), (target, event.fails))
            )
        case "attack", types.ClaimFlagged():
            return target.id == event.claim and source.kind in {"objection", "passage"}
        case "support", types.ClaimUpheld() | types.ClaimCleared():
            return isinstance(event, types.ClaimUpheld) and source.kind == target.kind == "objection"
        case "attack", types.ClaimCleared():
            return source.kind == target.kind == "objection"
        case "support" | "attack", types.EvidenceWeighed():
            return source.id == event.passage and target.turn == event.turn and event.relation[:4] in "supp|contr"
        case "support", types.ArgumentsOpened():
            return source.id in {each.id for each in event.arguments} and target.id == f"case-{event.side}"
        case (("attack" | "concession" | "question"), types.ArgumentCrossExamined()):
            grants = event.response in {"concede", "partial"}
            return target.id == event.target and (edge.relation == "question" or (edge.relation != "attack") == grants)
        case "answer", types.QuestionsAnswered():
            return target.id.removeprefix("Q-") in event.answers and source.side == event.side
        case "concession", types.ClosingStated():
            return target.id == f"case-{event.side}" and source.text in map(" ".join, map(str.split, event.concessions))
        case "attack", types.FallacyFound():
            return event.argument in target.id and source.quote == event.quote
        case (("support" | "attack"), types.OpinionGiven()):
            return f"V-{event.verdict}" in {source.id, target.id}
        case "attack", types.ArtifactJudged():
            return source.text in event.findings
        case "support", types.ArtifactJudged():
            return any(
                source.id == f"O-{rater}" and target.text == point.text
                for point in event.named_findings or ()
                for rater in point.by
            )
    return False


def _holds(one: Any, two: Any) -> bool:
    return (one[0] <= two[0] and two[1] <= one[1]) or (two[0] <= one[0] and one[1] <= two[1])


@of_each_log
def test_no_edge_is_there_that_no_event_says(name: str) -> None:
    found, events = MAPS[name], {record.position: record.event for record in LOGS[name]}

    assert found.edges
    assert [] == [edge for edge in found.edges if not is_said(edge, found, events[edge.position])]


@of_each_log
def test_the_words_of_a_node_stand_where_it_says(name: str) -> None:
    spoken = {each.event.turn: each.event.text for each in LOGS[name] if isinstance(each.event, types.TurnSpoken)}
    placed = [each for each in MAPS[name].nodes.values() if each.span is not UNSET and each.turn is not UNSET]

    assert placed or MAPS[name].format == "deliberation"
    assert {each.id: each.quote for each in placed} == {
        each.id: spoken[each.turn][slice(*each.span)] for each in placed
    }


def test_words_that_show_a_flaw_and_state_a_premise_are_one_argument() -> None:
    attacks = {(each.source, each.target) for each in MAPS["free_transport_v2"].edges if each.relation == "attack"}

    assert {("P2.2", "P1.2"), ("P2.3", "P1.4"), ("P3.2", "P2.2"), ("P8.3", "P7.1")} <= attacks


def without(records: Sequence[Recorded], *kinds: type[types.Event]) -> ArgumentMap:
    return argument_map([each for each in records if not isinstance(each.event, kinds)])


def test_nobody_answered_is_said_only_where_the_judge_was_asked() -> None:
    records = LOGS["0.1-juries_v3"]
    found = MAPS["0.1-juries_v3"]
    unanswered = [each.id for each in found.nodes.values() if each.answered == "unanswered"]
    assert ["P2.3", "P4.1"] == sorted(unanswered)

    unasked = without(records, types.OpponentAnswered)
    assert "unanswered" not in {each.answered for each in unasked.nodes.values()}
    assert "unknown" == unasked.nodes["P4.1"].answered
    assert "Nobody answered" in map_html(found)
    assert "Nobody answered" not in map_html(unasked)

    asked_once = argument_map([each for each in records if not _is_answer(each, 6)])  # turn 5 was asked about, 6 not
    assert "unknown" == asked_once.nodes["P2.3" if asked_once.nodes["P2.3"].side == "pro" else "P5.1"].answered


def _is_answer(record: Recorded, turn: int) -> bool:
    return isinstance(record.event, types.OpponentAnswered) and record.event.turn == turn


def test_an_argument_without_an_answer_in_cross_examination_is_unanswered() -> None:
    records = LOGS["library_fines_v2"]
    left = [each for each in records if getattr(each.event, "target", "") != "PRO-2"]

    assert {"answered"} == {
        each.answered for each in MAPS["library_fines_v2"].nodes.values() if each.kind == "argument"
    }
    assert "unanswered" == argument_map(left).nodes["PRO-2"].answered
    assert "last" == without(records, types.ArgumentCrossExamined).nodes["PRO-2"].answered


@of_each_log
def test_a_map_only_grows_with_its_debate(name: str) -> None:
    records = [each for each in LOGS[name] if type(each.event) in NAMED]
    steps = [argument_map(records[:end]) for end in range(1, len(records) + 1, 1 + len(records) // 12)]
    words = re.compile(r"W\d+\.")
    for one, two in pairwise(steps):
        kept = {each.id for each in one.nodes.values() if not words.match(each.id)}  # words become those of a premise
        assert kept <= two.nodes.keys()
    assert set(MAPS[name].nodes) == set(argument_map(records).nodes)


@of_each_log
def test_aif_reads_and_writes_the_same_by_another_program(name: str) -> None:
    written = json.loads(as_aif(MAPS[name]))
    back: Any = arguebuf.dump.aif(arguebuf.load.aif(json.loads(as_aif(MAPS[name]))))

    assert _parts(written) == _parts(back)
    assert _by_id(written["edges"]) == _by_id(back["edges"])
    kinds = Counter(each["type"] for each in written["nodes"])
    relations = Counter(each.relation for each in MAPS[name].edges)
    assert (relations["support"], relations["attack"]) == (kinds["RA"], kinds["CA"])


def _by_id(edges: Any) -> dict[str, Any]:
    return {each["edgeID"]: each for each in edges}


def _parts(graph: dict[str, Any]) -> set[tuple[str, ...]]:
    """The nodes; the texts of scheme nodes are the program's own."""
    names = ("nodeID", "type", "timestamp")
    return {(*(each[name] for name in names), each["text"] if each["type"] == "I" else "") for each in graph["nodes"]}


def hostile() -> ArgumentMap:
    """A map whose texts try to be markup of every form."""
    found = MAPS["free_transport_v2"]
    nodes = {
        name: replace(each, text=f"{HOSTILE} {name}", quote=each.quote and HOSTILE)
        for name, each in found.nodes.items()
    }
    edges = tuple(replace(each, reason=HOSTILE) for each in found.edges)
    return replace(found, nodes=nodes, edges=edges, motion=HOSTILE)


def test_a_text_is_never_markup_of_argdown() -> None:
    text = as_argdown(hostile()).decode()
    statements = re.findall(r"(?m)^\[([^]]+)\]: (.*) \{kind: .*\}$", text)

    assert list(hostile().nodes) == [name for name, _ in statements]
    assert not [each for _, each in statements if re.search(r"(?<!\\)(?:\\\\)*[][<>{}#*_@/+-]", each)]
    assert "A b" == escaped_argdown("A\n b")


class _Page(HTMLParser):
    """The ids, the links and the elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.elements: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if "href" in given else []


@pytest.mark.parametrize("found", [*MAPS.values(), hostile()], ids=[*MAPS, "hostile"])
def test_the_page_links_each_statement_to_its_words_and_to_those_that_answer_it(found: ArgumentMap) -> None:
    page = _Page(map_html(found))
    anchors = {each for each in page.ids if each.startswith("n-")}

    assert len(page.ids) == len(set(page.ids))
    assert [] == [each for each in page.links if each.startswith("#") and each[1:] not in page.ids]
    assert {f"n-{each.id}" for each in found.nodes.values() if each.kind in {"premise", "argument", "claim"}} <= anchors
    assert not {"script", "b-onclick"} & page.elements
    for each in found.nodes.values():
        if each.kind in {"premise", "argument"}:
            assert f"/d/{found.debate}?said={each.turn}.{each.span[0]}-{each.span[1]}" in page.links  # type: ignore[index]
