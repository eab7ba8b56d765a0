"""A debate as a graph of arguments, made of its events: no edge without an event that says it.

Words that two events name are one node if one of the two spans lies within the other: then a flaw that words of turn 3
show in words of turn 2 is an attack of the premise that the first state on the premise that the second state.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events import types
from events.record import Recorded
from events.types import SIDES, EvidencePassage, Passage, Side, Span, TurnSpoken, other
from server.export.labels import named
from server.export.reasons import bare_reason
from server.export.text import one_line, shortened

NodeKind = Literal[
    "motion", "case", "premise", "claim", "words", "turn", "concession", "objection", "passage",
    "argument", "reply", "question", "reaction", "artifact", "verdict", "opinion", "finding",
]  # fmt: skip
Relation = Literal["support", "attack", "concession", "answer", "question"]
Answered = Literal["answered", "unanswered", "last", "unknown"]
"""Whether the other side answered: ``unanswered`` only where the judge was asked about each of its later turns;
``last``: it had no later turn; ``unknown``: the judge was not asked, or gave no usable answer."""
EXCERPT: Final = 160
"""Characters of a turn, or of a passage, that stand for it."""
MERGED: Final = ("premise", "claim", "words")
"""Kinds of nodes whose words other events may name, the first before the others."""
CASES: Final = {"pro": "The motion holds.", "con": "The motion does not hold."}
FORMATS: Final = frozenset({"exchange", "protocol", "deliberation"})
"""Formats whose debates have a map."""

NAMED: Final = frozenset(
    {
        types.DebateOpened, types.TurnSpoken, types.EvidenceSupplied, types.PremiseStated, types.PremiseRevised,
        types.PremiseDropped, types.PremiseWithdrawn, types.OpponentAnswered, types.ContradictionFound,
        types.ClaimFlagged, types.ClaimUpheld, types.ClaimCleared, types.LogicGapAdjusted, types.EvidenceWeighed,
        types.ArgumentsOpened, types.ArgumentCrossExamined, types.CrossExaminationFaulted, types.QuestionsAnswered,
        types.ClosingStated, types.FallacyFound, types.ArgumentTraced, types.OpinionGiven, types.ArtifactJudged,
    }
)  # fmt: skip
"""The events that a map is made of."""


class NodeChange(Struct, frozen=True, kw_only=True):
    """A premise was put differently, dropped in silence or given up."""

    turn: int
    what: Literal["revised", "dropped", "withdrawn"]
    text: str
    position: int


class MapNode(Struct, frozen=True, kw_only=True):
    """A statement.  ``quote`` stands in ``turn`` at ``span``, in code points; it is empty where no words are named."""

    id: str
    kind: NodeKind
    text: str
    position: int
    """Of the event that states it."""
    at: str = ""
    """When that was recorded."""
    side: Side | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    quote: str = ""
    span: Span | UnsetType = UNSET
    state: str = ""
    """Of a premise ``kept``, ``revised``, ``dropped`` or ``withdrawn``; of a claim ``flagged``, ``upheld`` or
    ``cleared``; the standing of an argument, the response of a reply, a verdict."""
    answered: Answered | UnsetType = UNSET
    """Of premises and arguments."""
    changes: tuple[NodeChange, ...] = ()


class MapEdge(Struct, frozen=True, kw_only=True):
    """``source`` supports, attacks, concedes, answers or asks about ``target``, as the event at ``position`` says."""

    source: str
    target: str
    relation: Relation
    position: int
    at: str = ""
    reason: str = ""
    """Why, in the words of the event."""


class ArgumentMap(Struct, frozen=True, kw_only=True):
    """Nodes by id in the order of their events, and edges in that of theirs."""

    debate: str
    motion: str
    format: str
    language: str
    position: int
    turns: int
    nodes: dict[str, MapNode]
    edges: tuple[MapEdge, ...]

    def into(self, name: str) -> tuple[MapEdge, ...]:
        """The edges to a node."""
        return tuple(each for each in self.edges if each.target == name)


def argument_map(records: Iterable[Recorded]) -> ArgumentMap:
    """The map of a debate after these events.  It uses no field that is private or names a model or a person."""
    return _Drawing().drawn(records)


class _Drawing:
    """A map while it is drawn."""

    def __init__(self) -> None:
        self.opened: types.DebateOpened | None = None
        self.nodes: dict[str, MapNode] = {}
        self.edges: dict[tuple[str, str, Relation, int], MapEdge] = {}
        self.spoken: dict[int, TurnSpoken] = {}
        self.positions: dict[int, int] = {}
        self.asked: set[int] = set()
        self.crossed: set[Side] = set()
        self.passages: dict[str, EvidencePassage] = {}
        self.opinions: dict[str, tuple[int, types.OpinionGiven]] = {}
        self.late: list[Callable[[], None]] = []
        """What names words of turns: drawn last, when all premises are known."""
        self.debate, self.position = "", 0
        self.times: dict[int, str] = {}

    def drawn(self, records: Iterable[Recorded]) -> ArgumentMap:
        for record in records:
            self.debate, self.position = record.debate, record.position
            self.times[record.position] = record.at
            self._take(record.position, record.event)
        for draw in self.late:
            draw()
        opened = self.opened
        self._cases()
        self._whether_answered()
        return ArgumentMap(
            debate=self.debate,
            motion=opened.motion if opened else "",
            format=opened.format if opened else "",
            language=(opened.language or "en") if opened else "en",
            position=self.position,
            turns=len(self.spoken),
            nodes=self.nodes,
            edges=tuple(self.edges.values()),
        )

    def _take(self, at: int, event: Any) -> None:  # noqa: C901, PLR0912 - one flat match, a case an event
        match event:
            case types.DebateOpened():
                self.opened = event
                self._motion(at, event)
            case types.TurnSpoken():
                self.spoken[event.turn], self.positions[event.turn] = event, at
            case types.EvidenceSupplied():
                self.passages |= {each.id: each for each in event.passages}
            case types.PremiseStated():
                self._stated(at, event)
            case types.PremiseRevised() | types.PremiseDropped() | types.PremiseWithdrawn():
                self._changed(at, event)
            case types.OpponentAnswered():
                self.asked.add(event.turn)
                for name in event.answered:
                    self._edge(self._turn(event.turn), name, "answer", at)
            case types.ContradictionFound():
                self._contradicted(at, event)
            case types.ClaimFlagged():
                self._flagged(at, event)
            case types.ClaimUpheld() | types.ClaimCleared():
                self._decided(at, event)
            case types.LogicGapAdjusted():
                self.late.append(lambda: self._flaw(at, event))
            case types.EvidenceWeighed(relation="supports" | "contradicts"):
                self.late.append(lambda: self._weighed(at, event))
            case types.ArgumentsOpened():
                for each in event.arguments:
                    self._argument(at, event, each)
            case types.ArgumentCrossExamined():
                self._crossed(at, event)
            case types.CrossExaminationFaulted():
                self.crossed.add(event.by)
            case types.QuestionsAnswered():
                for name, answer in event.answers.items():
                    self._reacted(at, event, name, answer)
            case types.ClosingStated():
                for number, text in enumerate(event.concessions, 1):
                    self._conceded(at, event, number, text)
            case types.FallacyFound():
                self._fallacy(at, event)
            case types.ArgumentTraced() if event.argument in self.nodes and event.standing is not UNSET:
                state = event.standing
                self.nodes[event.argument] = replace(self.nodes[event.argument], state=state)
            case types.OpinionGiven() if event.missing is UNSET and self._has_artifact:
                self.opinions[event.rater] = (at, event)
            case types.ArtifactJudged() if event.missing is UNSET and self._has_artifact:
                self._judged(at, event)

    # what all formats share

    @property
    def _has_artifact(self) -> bool:
        return self.opened is not None and self.opened.artifact is not UNSET

    @property
    def _first(self) -> Side:
        return next(iter(self.spoken.values())).side if self.spoken else "pro"

    def _said(self, text: str) -> str:
        """Words of the judge, with the names of the sides."""
        return one_line(named(text, self._first))

    def _node(self, name: str, kind: NodeKind, at: int, text: str, **fields: Any) -> str:
        self.nodes.setdefault(name, MapNode(id=name, kind=kind, position=at, at=self.times[at], text=text, **fields))
        return name

    def _edge(self, source: str, target: str, relation: Relation, at: int, reason: str = "") -> None:
        """Draw an edge between two nodes that exist."""
        if source in self.nodes and target in self.nodes and source != target:
            time = self.times[at]
            edge = MapEdge(source=source, target=target, relation=relation, position=at, at=time, reason=reason)
            self.edges.setdefault((source, target, relation, at), edge)

    def _motion(self, at: int, opened: types.DebateOpened) -> None:
        if opened.artifact is not UNSET:
            self._node("document", "artifact", at, opened.artifact.name)
            return
        self._node("motion", "motion", at, one_line(opened.motion))
        relation: dict[Side, Relation] = {"pro": "support", "con": "attack"}
        for side in SIDES:
            self._node(f"case-{side}", "case", at, CASES[side], side=side)
            self._edge(f"case-{side}", "motion", relation[side], at)

    def _cases(self) -> None:
        """Take away the cases of which nothing is known."""
        for side in SIDES:
            name = f"case-{side}"
            if name in self.nodes and not any(each.target == name for each in self.edges.values()):
                del self.nodes[name]
                self.edges = {key: each for key, each in self.edges.items() if each.source != name}

    def _turn(self, number: int) -> str:
        """The node of a whole turn."""
        turn = self.spoken[number]
        text = shortened(turn.text, EXCERPT)
        return self._node(f"T{number}", "turn", self.positions[number], text, side=turn.side, turn=number)

    def _words(self, passage: Passage, at: int) -> str:
        """The node of words of a turn: that of a known premise, claim or words, if they hold it or it holds them."""
        start, end = passage.span
        found = [
            each
            for each in self.nodes.values()
            if each.kind in MERGED
            and each.turn == passage.turn
            and each.span is not UNSET
            and ((each.span[0] <= start and end <= each.span[1]) or (start <= each.span[0] and each.span[1] <= end))
        ]
        if found:
            return max(found, key=lambda each: (-MERGED.index(each.kind), _shared(each.span, passage.span))).id
        return self._node(
            f"W{passage.turn}.{start}-{end}",
            "words",
            at,
            one_line(passage.quote),
            side=self.spoken[passage.turn].side,
            turn=passage.turn,
            quote=passage.quote,
            span=passage.span,
        )

    # format exchange

    def _stated(self, at: int, event: types.PremiseStated) -> None:
        fields = {"side": event.side, "turn": event.turn, "quote": event.quote, "span": event.span, "state": "kept"}
        self._node(event.premise, "premise", at, self._said(event.text), **fields)
        self._edge(event.premise, f"case-{event.side}", "support", at)

    def _changed(self, at: int, event: types.PremiseRevised | types.PremiseDropped | types.PremiseWithdrawn) -> None:
        premise = self.nodes.get(event.premise)
        if premise is None:
            return
        what: Literal["revised", "dropped", "withdrawn"]
        match event:
            case types.PremiseRevised():
                what, text = "revised", self._said(event.text)
            case types.PremiseDropped():
                what, text = "dropped", self._said(event.reason)
            case types.PremiseWithdrawn():
                what, text = "withdrawn", one_line(event.quote)
        change = NodeChange(turn=event.turn, what=what, text=text, position=at)
        self.nodes[event.premise] = replace(premise, state=what, changes=(*premise.changes, change))
        if isinstance(event, types.PremiseWithdrawn):
            fields = {"side": premise.side, "turn": event.turn, "quote": event.quote, "span": event.span}
            name = self._node(f"G{at}", "concession", at, text, **fields)
            self._edge(name, event.premise, "concession", at)

    def _contradicted(self, at: int, event: types.ContradictionFound) -> None:
        """Draw that the last of the turns contradicts the premises; two of its own contradict each other."""
        last, known = max(event.turns), [each for each in event.premises if each in self.nodes]
        own = [each for each in known if self.nodes[each].turn == last]
        reason = self._said(event.reason)
        for name in known:
            if name not in own:
                self._edge(self._turn(last), name, "attack", at, reason)
        for one, two in pairwise(own):
            self._edge(two, one, "attack", at, reason)
            self._edge(one, two, "attack", at, reason)

    def _flagged(self, at: int, event: types.ClaimFlagged) -> None:
        side = self.spoken[event.turn].side
        fields = {"side": side, "turn": event.turn, "quote": event.quote, "span": event.span, "state": "flagged"}
        self._node(event.claim, "claim", at, one_line(event.quote), **fields)
        kind = event.kind.replace("_", " ")
        doubt = self._node(f"D{at}", "objection", at, f"{kind}: {self._said(event.reason)}".removesuffix(": "))
        self._edge(doubt, event.claim, "attack", at, kind)
        if event.evidence is not UNSET:
            self._edge(self._passage(event.evidence.passage, event.evidence.quote, at), event.claim, "attack", at, kind)

    def _decided(self, at: int, event: types.ClaimUpheld | types.ClaimCleared) -> None:
        """Draw the second opinion: for or against the doubt."""
        if event.claim not in self.nodes:
            return
        is_upheld = isinstance(event, types.ClaimUpheld)
        state = "upheld" if is_upheld else "cleared"
        self.nodes[event.claim] = replace(self.nodes[event.claim], state=state)
        name = self._node(
            f"D{at}", "objection", at, self._said(event.reason) or f"{event.claim} is {state}.", state=state
        )
        for edge in [*self.edges.values()]:
            if edge.target == event.claim and self.nodes[edge.source].kind == "objection":
                self._edge(name, edge.source, "support" if is_upheld else "attack", at)

    def _flaw(self, at: int, event: types.LogicGapAdjusted) -> None:
        reason = self._said(bare_reason(event.reason))
        self._edge(self._words(event.exposed_by, at), self._words(event.fails, at), "attack", at, reason)

    def _weighed(self, at: int, event: types.EvidenceWeighed) -> None:
        start, end = event.claim
        quote = self.spoken[event.turn].text[start:end]
        words = self._words(Passage(turn=event.turn, quote=quote, span=event.claim), at)
        passage = self._passage(event.passage, event.quote, at)
        relation: Relation = "support" if event.relation == "supports" else "attack"
        self._edge(passage, words, relation, at, self._said(event.reason))

    def _passage(self, name: str, quote: str, at: int) -> str:
        """The node of a passage of the evidence."""
        text = one_line(quote) or shortened(self.passages[name].text, EXCERPT)
        return self._node(name, "passage", at, text)

    # format protocol

    def _argument(self, at: int, event: types.ArgumentsOpened, argument: types.Argument) -> None:
        fields: dict[str, Any] = {"side": event.side, "turn": event.turn, **self._place(event.turn, argument.claim)}
        self._node(argument.id, "argument", at, one_line(argument.claim), **fields)
        self._edge(argument.id, f"case-{event.side}", "support", at)

    def _crossed(self, at: int, event: types.ArgumentCrossExamined) -> None:
        self.crossed.add(event.by)
        relation: Relation = "attack" if event.response in {"refute", "challenge"} else "concession"
        fields: dict[str, Any] = {"side": event.by, "turn": event.turn, **self._place(event.turn, event.reasoning)}
        name = self._node(f"X-{event.target}", "reply", at, one_line(event.reasoning), state=event.response, **fields)
        self._edge(name, event.target, relation, at)
        if event.follow_up:
            fields |= {"quote": "", "span": UNSET, **self._place(event.turn, event.follow_up)}
            name = self._node(f"Q-{event.target}", "question", at, one_line(event.follow_up), **fields)
            self._edge(name, event.target, "question", at)

    def _reacted(self, at: int, event: types.QuestionsAnswered, argument: str, answer: str) -> None:
        """Draw what a side answers to the question about one of its arguments."""
        fields: dict[str, Any] = {"side": event.side, "turn": event.turn, **self._place(event.turn, answer)}
        name = self._node(f"A-{argument}", "reaction", at, one_line(answer), **fields)
        self._edge(name, f"Q-{argument}", "answer", at)

    def _conceded(self, at: int, event: types.ClosingStated, number: int, text: str) -> None:
        fields: dict[str, Any] = {"side": event.side, "turn": event.turn, **self._place(event.turn, text)}
        name = self._node(f"G-{event.side}-{number}", "concession", at, one_line(text), **fields)
        self._edge(name, f"case-{event.side}", "concession", at)

    def _fallacy(self, at: int, event: types.FallacyFound) -> None:
        target = f"X-{event.argument}" if event.by is not UNSET else event.argument
        kind = event.fallacy.replace("_", " ")
        fields = {"turn": event.turn, "quote": event.quote, "span": event.span}
        text = f"{kind}: {self._said(event.reason)}".removesuffix(": ")
        self._edge(self._node(f"D{at}", "objection", at, text, **fields), target, "attack", at, kind)

    def _place(self, turn: int, text: str) -> dict[str, Any]:
        """Where a statement stands in its turn, word for word; nothing if it does not."""
        spoken = self.spoken.get(turn)
        start = spoken.text.find(text) if spoken and text else -1
        return {"quote": text, "span": (start, start + len(text))} if start >= 0 else {}

    # a text that judges read

    def _judged(self, at: int, event: types.ArtifactJudged) -> None:
        """Draw the verdict, and the last opinion of each judge with its findings."""
        assert self.opened is not None, "a verdict follows an opening"
        assert self.opened.artifact is not UNSET, "it is one on a text"
        titles = {each.name: each.title for each in self.opened.panel}
        text = self.opened.artifact.text
        for rater, (position, opinion) in self.opinions.items():
            start = text.find(opinion.quote) if opinion.quote and opinion.verified else -1
            place = {"quote": opinion.quote, "span": (start, start + len(opinion.quote))} if start >= 0 else {}
            said = one_line(f"{titles.get(rater, rater)}: {opinion.rationale}")
            verdict = f"V-{opinion.verdict}"
            if verdict not in self.nodes:
                self._node(verdict, "verdict", position, str(opinion.verdict))
                self._edge(verdict, "document", "support" if opinion.verdict == "PASS" else "attack", position)
            if opinion.verdict == event.verdict:
                self.nodes[verdict] = replace(self.nodes[verdict], state="the verdict")
            name = self._node(f"O-{rater}", "opinion", position, said, state=str(opinion.verdict), **place)
            self._edge(name, verdict, "support", position)
        points = event.named_findings or tuple(types.Point(text=each, by=()) for each in event.findings)
        for number, point in enumerate(points, 1):
            name = self._node(f"F{number}", "finding", at, one_line(point.text))
            self._edge(name, "document", "attack", at)
            for rater in point.by:
                self._edge(f"O-{rater}", name, "support", at)

    # what nobody answered

    def _whether_answered(self) -> None:
        """Say of each premise and argument whether the other side answered it."""
        met = {each.target for each in self.edges.values() if self._is_between_sides(each)}
        for name, node in self.nodes.items():
            if node.kind in {"premise", "argument"} and node.side is not UNSET and node.turn is not UNSET:
                said = "answered" if name in met else self._unmet(node.kind, node.side, node.turn)
                self.nodes[name] = replace(node, answered=said)

    def _is_between_sides(self, edge: MapEdge) -> bool:
        sides = {self.nodes[edge.source].side, self.nodes[edge.target].side}
        return sides == set(SIDES) and edge.relation != "question"

    def _unmet(self, kind: NodeKind, side: Side, turn: int) -> Answered:
        if kind == "argument":
            return "unanswered" if other(side) in self.crossed else "last"
        later = {number for number, each in self.spoken.items() if number > turn and each.side != side}
        return "last" if not later else "unanswered" if later <= self.asked else "unknown"


def _shared(one: Any, two: Span) -> int:
    shared: int = min(one[1], two[1]) - max(one[0], two[0])
    return shared
