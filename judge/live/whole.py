"""Prompts in which the judge reads the whole debate.

Every question begins with the same segments: the role, the date, the motion, the components and anchors, and all turns
so far with the moderator's messages between them.  What was recorded after a turn (scores, points taken off, claims,
premises) follows it.  A question that must not be anchored by the record (which of two turns is better, is a claim what
it was flagged as, who held the better thesis) is asked about the turns alone.  The question itself is the last segment.
So the prompts of a debate are only appended to, and vendors' prompt caches read the beginning of a question again at a
low price: the newest turn, which ends the part that later questions share, is marked with ``ends_prefix``.

Turns that the judge's window no longer holds are shortened or left out (``shortening``).  A model with a small window
gets the short prompts of the other modules instead.
"""

from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Final, TypeVar

from msgspec import UNSET

from events.state.claims import Claim
from events.state.debate import Debate
from events.state.derived import by_turn, derived
from events.state.ledger import Balance, ScoreEntry, TurnCard, without_notes
from events.state.spine import Premise, PremiseChange
from events.table import LazyTable
from events.text.figures import shortest
from events.text.languages import language_name
from events.types import (
    ComponentScore,
    DebateOpened,
    NarrativeVerdictReached,
    Side,
    Span,
    Template,
    TurnSpoken,
    Winner,
    other,
)
from events.types.rubric import Dimension, Rubric, is_unscaled, rule_of
from judge.guard.neutralise import quoted
from judge.guard.quotes import find
from judge.live.claims import claim_candidates
from judge.live.comparison import compared_dimensions
from judge.live.conflict import (
    MOVED_BY,
    NAMED_BY,
    how_far,
    in_points,
    margin_words,
    mean_changes,
    means_words,
    rule_effect,
    tie_words,
    winner_words,
)
from judge.live.gaps import NOTHING_LEFT
from judge.live.prompt import Prompt, moderator_segments
from judge.live.scoring import applicable
from judge.rubrics.rubric import anchor_lines, fmt
from judge.templates import fill, has_section, load_template, section
from providers.base import Segment


def reads_whole(opened: DebateOpened) -> bool:
    """Whether the judge's prompts hold the whole debate: its model can read it, and the rubric was made for that."""
    return opened.judge.reads == "whole" and opened.rubric.examples is not UNSET and "whole" in opened.prompts


P = TypeVar("P")
LABELS = ("A", "B")
LABELLED: Final = LazyTable[Callable[[str], str]]({"exchanged": "judge.guard.labels:exchanged"})
"""Imported where an answer was given with the labels of the speakers exchanged."""
WITHOUT_ANCHORS: Final = 3
"""The version of the template from which on comparisons and the narrative see no record, and no prompt tells caps."""
AHEAD: Final = 4
"""The version from which on the verdicts say who is ahead, and the rules of the rubric choose what is asked."""


class WholeDebate:
    """Builds the prompts of one debate as it stands.

    ``swapped``: whoever spoke first is Speaker B.  ``up_to``: as it stood when this turn had been spoken.
    """

    def __init__(
        self, debate: Debate, opened: DebateOpened, *, swapped: bool = False, up_to: int | None = None
    ) -> None:
        self._debate, self._opened = debate, opened
        self._template: Template = opened.prompts["whole"]
        self._is_without_anchors = self._template.version >= WITHOUT_ANCHORS
        self._rubric: Rubric = opened.rubric
        self._spoken = debate.transcript.spoken()[:up_to]
        first: Side = self._spoken[0].side if self._spoken else "pro"
        labels = LABELS[::-1] if swapped else LABELS
        self.labels: dict[Side, str] = {first: labels[0], other(first): labels[1]}
        self._swapped, self._up_to = swapped, up_to
        self._derived = derived(opened)
        self._turns_alone: dict[int, Prompt] = {}
        context = debate.context_shortened
        self._shortened = {each.turn: each.kept for each in (context.turns_shortened if context is not None else ())}
        self._left_out = context.turns_left_out if context is not None else ()
        self._without_record = context.turns_without_record if context is not None else ()

    # what every question begins with

    @cached_property
    def prefix(self) -> Prompt:
        """The segments before the question: built once for all questions of a turn.

        Each turn is followed by what was recorded before the next one was spoken, and that never changes.  So the
        prompts about the next turn begin with the same text, up to the newest turn.
        """
        newest = len(self._spoken)
        since = self._noted_after_turn[newest].text if not self._up_to and newest in self._record else ""
        parts = [*self._means(), *self._settled(), since or self._fill("unrecorded", turn=str(newest))]
        return (
            *self._frame(),
            *_ending(self._turns(self._up_to or 0, with_record=True)),
            Segment("user", "\n\n".join(parts)),
        )

    def _frame(self) -> Prompt:
        """The role and the rules: the same for all questions of a debate."""
        return self._derived.of(
            "frame",
            (self._debate.opened_at,),
            lambda: (Segment("system", self._text("system")), Segment("user", self._rules())),
        )

    def _rules(self) -> str:
        dimensions = self._rubric.dimensions.items()
        components = "\n".join(line for name, dimension in dimensions for line in _components(name, dimension))
        examples = "\n\n".join(
            self._fill(
                "example",
                motion=each.motion,
                text=quoted(each.text),
                component=each.component,
                points=fmt(each.points),
                reason=each.reason,
                quote=each.quote,
            )
            for each in self._rubric.examples or ()
        )
        return self._fill(
            "rules",
            date=self._debate.opened_at[:10],
            language=language_name(self._opened.language or "en"),
            motion=quoted(self._opened.motion),
            components=components,
            examples=examples or self._text("none"),
            **self._by_rubric("scaling", is_unscaled(self._rubric), "scaled", "unscaled"),
            **self._bookkeeping(rules="\n".join(f"- {each}" for each in _rules(self._rubric))),
        )

    def _bookkeeping(self, **told: str) -> dict[str, str]:
        """What only templates before version 3 tell: rules and caps that the server applies."""
        return {} if self._is_without_anchors else told

    def _by_rubric(self, member: str, is_new: bool, old: str, new: str) -> dict[str, str]:
        """A text that the rubric chooses, in templates that leave it a place."""
        return {member: self._text(new if is_new else old)} if self._template.version >= AHEAD else {}

    def _turns(self, in_full: int = 0, *, with_record: bool = False) -> Iterator[Segment]:
        """Turns in their order, each after the moderator's messages that came before it.

        Turn ``in_full`` is given in full even if it is shortened or left out elsewhere.  ``with_record``: each turn but
        the newest is followed by its record.
        """
        said = self._said_in_turn(in_full)
        noted = self._noted_after_turn if with_record else {}
        messages = list(self._debate.words.values())
        for turn in self._spoken:
            before = [each for each in messages if each.after_turn < turn.turn] if messages else []
            messages = messages[len(before) :]
            if turn.turn in said:
                if before:
                    yield from moderator_segments(self._opened.prompts, before)
                yield said[turn.turn]
            if turn.turn in noted and turn.turn < len(self._spoken):
                yield noted[turn.turn]
            if self._left_out and turn.turn == self._left_out[-1]:
                yield Segment("user", self._fill("left_out", first=str(self._left_out[0]), last=str(turn.turn)))

    def _said_in_turn(self, in_full: int) -> dict[int, Segment]:
        """The turns that are not left out."""
        left_out, brief = frozenset(self._left_out) - {in_full}, frozenset(self._without_record)
        kept = self._shortened | {in_full: None}
        given = [
            (turn.turn, (turn, kept.get(turn.turn), turn.turn in brief))
            for turn in self._spoken
            if turn.turn not in left_out
        ]
        return self._segments("turn", given, self._said)

    def _said(self, given: tuple[TurnSpoken, Sequence[Span] | None, bool]) -> Iterator[tuple[int, Segment]]:
        """A turn in full, or the parts of it that are kept; and whether it is one without a record."""
        turn, kept, is_brief = given
        named = {"turn": str(turn.turn), "speaker": self._speaker(turn.side)}
        if kept is None:
            yield turn.turn, Segment("user", self._fill("turn", text=quoted(turn.text), **named))
            return
        parts = [quoted(turn.text[start:end]) for start, end in kept]
        name = "first_sentence" if is_brief else "shortened"
        yield turn.turn, Segment("user", self._fill(name, text=f"\n{self._text('gap')}\n".join(parts), **named))

    @cached_property
    def _noted_after_turn(self) -> dict[int, Segment]:
        """What was recorded after each turn after which something was."""
        record = [(turn, (turn, tuple(self._record[turn]))) for turn in sorted(self._record)]
        return self._segments("noted", record, self._noted)

    def _noted(self, recorded: tuple[int, tuple[str, ...]]) -> Iterator[tuple[int, Segment]]:
        """What was recorded after a turn."""
        turn, entries = recorded
        yield turn, Segment("user", self._fill("noted", turn=str(turn), entries="\n".join(entries)))

    def _segments(
        self, slot: str, parts: Sequence[tuple[int, P]], make: Callable[[P], Iterable[tuple[int, Segment]]]
    ) -> dict[int, Segment]:
        """A segment for each of these parts, by its turn."""
        segments: dict[int, Segment] = {}
        for block in self._derived.blocks(f"{slot} {self._swapped}", parts, make, dict[int, Segment]):
            segments |= block
        return segments

    @cached_property
    def _record(self) -> dict[int, list[str]]:
        """What was recorded, by the turn that had been spoken last."""
        record: dict[int, list[str]] = defaultdict(list)
        for entries in (*self._scores(), *self._case()):
            for turn, told in entries.items():
                record[turn] += told
        return record

    def _each(
        self, slot: str, parts: Sequence[tuple[Hashable, P]], make: Callable[[P], Iterable[tuple[int, str]]]
    ) -> Iterator[dict[int, list[str]]]:
        """Entries of the record that follow from each of these parts alone, by the turn that had been spoken last."""
        return self._derived.blocks(f"{slot} {self._swapped}", parts, make, by_turn)

    def _scores(self) -> Iterator[dict[int, list[str]]]:
        """Scores as they were given, claims, and changes of scores."""
        brief = frozenset(self._without_record)
        cards = [(turn, card) for turn, card in self._debate.ledger.cards.items() if turn not in brief]
        yield from self._each("card", cards, self._card)
        if self._template.version >= AHEAD:
            yield from self._each("later", cards, self._given_later)
        settled = self._debate.settled if self._is_without_anchors else {}
        claims = [
            (name, (name, claim, settled.get(name)))
            for name, claim in self._debate.claims.items()
            if claim.turn not in brief
        ]
        yield from self._each("claim", claims, self._claimed)
        yield from self._each("changes", cards, self._changes)
        yield by_turn(self._paid_already() if self._is_without_anchors else ())

    def _case(self) -> Iterator[dict[int, list[str]]]:
        """Premises, their changes, and contradictions."""
        brief = self._without_record
        premises = [(name, (name, premise, brief)) for name, premise in self._debate.spine.premises.items()]
        yield from self._each("premise", premises, self._premise_told)
        yield by_turn(self._contradictions())

    def _contradictions(self) -> Iterator[tuple[int, str]]:
        for found in self._debate.spine.contradictions:
            if (turn := max(found.turns)) not in self._without_record:
                named = {"speaker": self._speaker(found.side), "turn": str(turn)}
                yield turn, self._fill("contradiction", premises=", ".join(found.premises), **named)

    def _claimed(self, given: tuple[str, Claim, int | None]) -> Iterator[tuple[int, str]]:
        """A claim, and what was decided of it at a position."""
        name, claim, settled = given
        yield claim.turn, self._claim(name, claim)
        if settled is not None:
            yield self._newest_at(settled), self._decided(name, claim)

    def _premise_told(self, given: tuple[str, Premise, tuple[int, ...]]) -> Iterator[tuple[int, str]]:
        """A premise and its changes; ``given`` ends with the turns without a record."""
        name, premise, brief = given
        is_told = premise.turn not in brief
        if is_told:
            yield premise.turn, self._premise(name, premise)
        for change in premise.changes:
            if is_told or change.turn not in brief:
                yield change.turn, self._premise_change(name, premise, change)

    def _changes(self, card: TurnCard) -> Iterator[tuple[int, str]]:
        """What changed the scores of a turn after they were given, with the turn that was spoken last."""
        changes: dict[int, list[ScoreEntry]] = defaultdict(list)
        for entry in card.entries:
            if entry.kind in MOVED_BY:
                changes[self._newest_at(entry.position)].append(entry)
        for turn, entries in changes.items():
            yield from ((turn, entry) for entry in self._changed(card, entries))

    def _newest_at(self, position: int) -> int:
        """The turn that had been spoken last at a position of the log."""
        return bisect(self._spoken_at, position)

    @cached_property
    def _spoken_at(self) -> list[int]:
        """The positions at which the turns had been spoken, those after ``up_to`` too: their records are not shown."""
        return [turn.spoken for turn in self._debate.transcript.turns.values() if turn.event is not None]

    def _changed(self, card: TurnCard, entries: Sequence[ScoreEntry]) -> Iterator[str]:
        """The points taken off for flaws among the changes of a turn, and its scores after the changes."""
        for entry in entries:
            if entry.kind == "gap" and len(entry.evidence) > 1:
                fails, exposed = entry.evidence[:2]
                yield self._fill(
                    "docked",
                    turn=str(card.turn),
                    points=in_points(-entry.applied) if self._is_without_anchors else fmt(-entry.applied),
                    because=str(exposed.turn),
                    quote=quoted(fails.quote),
                    reason=self._own(without_notes(entry.reason) if self._is_without_anchors else entry.reason),
                )
        moved: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for entry in entries:
            moved[entry.dimension][self._mover(entry)] += entry.applied
        is_exact = self._template.version >= AHEAD
        after = {entry.dimension: shortest(entry.after, 2) if is_exact else fmt(entry.after) for entry in entries}
        told = {
            name: [_moved(*each, is_exact=is_exact) for each in kinds.items() if round(each[1], 2) or not is_exact]
            for name, kinds in moved.items()
        }
        scores = [f"{name} {after[name]} ({', '.join(parts)})" for name, parts in told.items() if parts]
        if scores:
            yield self._fill("stands", turn=str(card.turn), speaker=self._speaker(card.side), scores="; ".join(scores))

    def _mover(self, entry: ScoreEntry) -> str:
        """What moved a score: a claim by its name, or a rule in words."""
        if not self._is_without_anchors or entry.kind not in {"penalty", "reversal"}:
            return (NAMED_BY if self._is_without_anchors else MOVED_BY)[entry.kind]
        flagged = (name for name, claim in self._debate.claims.items() if claim.flagged == entry.cause)
        return next(flagged, without_notes(entry.reason))

    def _paid_already(self) -> Iterator[tuple[int, str]]:
        """The flaws that were refused because nothing was left to pay, with the turn spoken before: once for each."""
        told: set[tuple[int, Span]] = set()
        for position, refused in self._debate.refused:
            turn = refused.turn if refused.about is UNSET else refused.about
            if not refused.reason.startswith(NOTHING_LEFT) or turn in self._without_record:
                continue
            text = self._debate.transcript.turns[turn].text
            span = self._derived.of(("paid", position), (refused, text), partial(find, refused.quote, text, 1))
            if span is not None and (turn, span) not in told:
                told.add((turn, span))
                quote = quoted(text[slice(*span)])
                yield self._newest_at(position), self._fill("paid", turn=str(turn), quote=quote)

    def _settled(self) -> Iterator[str]:
        """What second opinions and the evidence said of claims; from version 3 on each stands where it was said."""
        if self._is_without_anchors:
            return
        for name, claim in self._debate.claims.items():
            if claim.state != "flagged" and claim.turn not in self._without_record:
                yield self._decided(name, claim)

    def _decided(self, name: str, claim: Claim) -> str:
        """What a second opinion or the evidence said of a claim."""
        if claim.decided_by and has_section(template := self._opened.prompts["evidence"], claim.state):
            return fill(section(template, claim.state), name=name)
        return self._fill(claim.state, name=name)

    def _means(self) -> Iterator[str]:
        """The mean scores of the turns without a record of their own, by speaker."""
        for side, label in sorted(self.labels.items(), key=lambda each: each[1]):
            cards = [card for turn in self._without_record if (card := self._debate.ledger.cards.get(turn)) is not None]
            balances = [card.balances for card in cards if card.side == side]
            means = (
                f"- {name} {fmt(round(sum(values) / len(values), 1))} of {dimension.maximum}"
                for name, dimension in self._rubric.dimensions.items()
                if (values := [each[name].effective for each in balances if name in each])
            )
            if scores := "\n".join(means):
                first, last = self._without_record[0], self._without_record[-1]
                yield self._fill("means", speaker=f"Speaker {label}", scores=scores, first=str(first), last=str(last))

    def _card(self, card: TurnCard) -> Iterator[tuple[int, str]]:
        """The scores as they were given, and what was said of them, with their turn."""
        named = {"turn": str(card.turn), "speaker": self._speaker(card.side)}
        first = card.first_components or card.components
        given = {name: each for name, each in card.balances.items() if name not in card.inferred}
        if card.missing is not None or not given:
            yield card.turn, self._fill("unscored", **named)
            return
        scores = [f"- {name} {self._given(first, name, each, card.admitted(name))}" for name, each in given.items()]
        yield card.turn, self._fill("given", scores="\n".join(scores), **named)
        yield from ((card.turn, reason) for reason in self._reasons(card, first))

    def _given_later(self, card: TurnCard) -> Iterator[tuple[int, str]]:
        """Scores that followed when all turns had been judged: of a second reading, and what comparisons imply."""
        named = {"turn": str(card.turn), "speaker": self._speaker(card.side)}
        for kind, section_name in (("rescore", "read_again"), ("inferred", "implied")):
            at = next((each.position for each in card.entries if each.kind == kind), None)
            names = [
                name for name in card.balances if (name in card.inferred) == (kind == "inferred") and at is not None
            ]
            if at is None or not names:
                continue
            scores = [
                f"- {name} {self._given(card.components, name, card.balances[name], card.balances[name].admitted)}"
                for name in names
            ]
            yield self._newest_at(at), self._fill(section_name, scores="\n".join(scores), **named)
            if kind == "rescore":
                yield from ((self._newest_at(at), why) for why in self._reasons(card, card.components))

    def _reasons(self, card: TurnCard, components: Mapping[str, ComponentScore]) -> Iterator[str]:
        """Why components of the dimension that flaws cost are below their maximum: what a flaw may continue."""
        dimension = self._rubric.dimensions.get(self._rubric.gaps.dimension)
        for name, component in (dimension.components if dimension else {}).items():
            score = components.get(name)
            if score is not None and score.reason and score.admitted < component.maximum:
                yield self._fill(
                    "because",
                    turn=str(card.turn),
                    component=name,
                    points=fmt(score.admitted),
                    maximum=fmt(component.maximum),
                    reason=self._own(score.reason),
                )

    def _given(self, components: Mapping[str, ComponentScore], name: str, balance: Balance, admitted: float) -> str:
        """A dimension and its components as the rules admitted them."""
        parts = [
            f"{component} {fmt(components[component].admitted)}"
            for component in self._rubric.dimensions[name].components
            if component in components
        ]
        return f"{fmt(admitted)} of {fmt(balance.maximum)} ({', '.join(parts)})"

    def _claim(self, name: str, claim: Claim) -> str:
        rule = rule_of(self._rubric, claim.kind)
        cost = 0 - rule.points if rule is not None else 0
        return self._fill(
            "flagged",
            name=name,
            turn=str(claim.turn),
            kind=claim.kind.replace("_", " "),
            points=in_points(cost) if self._is_without_anchors else fmt(cost),
            quote=quoted(claim.quote),
            reason=self._own(claim.reason),
        )

    def _premise(self, name: str, premise: Premise) -> str:
        return self._fill(
            "premise",
            name=name,
            speaker=self._speaker(premise.side),
            fate=f"stated in turn {premise.turn}",
            text=self._own(premise.original or premise.text),
        )

    def _premise_change(self, name: str, premise: Premise, change: PremiseChange) -> str:
        named = {"name": name, "speaker": self._speaker(premise.side), "turn": str(change.turn)}
        text = quoted(change.text) if change.what == "withdrawn" else self._own(change.text)
        return self._fill(change.what, text=text, **named)

    # the questions

    def score(self, turn: TurnSpoken) -> Prompt:
        """Ask for the score of ``turn``."""
        names = ", ".join(applicable(self._rubric, turn.turn))
        charged = {"charged": " and ".join(sorted({each.dimension for each in self._rubric.claims.values()}))}
        told = charged if self._is_without_anchors else {}
        return self._about(turn, self._fill("score", turn=str(turn.turn), components=names, **told))

    def claims(self, turn: TurnSpoken) -> Prompt:
        """Ask for the suspect claims of ``turn``."""
        kinds = "\n".join(
            f"- {kind}: it {rule.asks}. It is {rule.means or rule.asks}; it is not {rule.excludes or 'anything else'}."
            for kind, rule in self._rubric.claims.items()
        )
        found = claim_candidates(turn.text) or self._text("none")
        ask = self._fill("claims", turn=str(turn.turn), kinds=kinds, candidates=found)
        return self._about(turn, ask)

    def premises(self, turn: TurnSpoken) -> Prompt:
        """Ask what ``turn`` does to the premises of its side."""
        sides = {each.side for each in self._debate.spine.premises.values()}
        first = "first_reply" if sides and self._is_without_anchors else "first_premises"
        name = "premises" if turn.side in sides else first
        return self._about(turn, self._fill(name, turn=str(turn.turn), speaker=self._speaker(turn.side)))

    def gaps(self, turn: TurnSpoken) -> Prompt:
        """Ask what ``turn`` exposes in earlier turns."""
        return self._about(turn, self._fill("gaps", turn=str(turn.turn), **self._gap_scale()))

    def audit(self) -> Prompt:
        """Ask for the flaws of all turns, after the last one."""
        return self._asked_once(self._fill("audit", **self._gap_scale()))

    def compare(self, order: Sequence[int]) -> Prompt:
        """Ask which of two turns is better, named in ``order``."""
        speeches = {turn.turn: turn for turn in self._spoken}
        first, second = (self._speech(speeches[number]) for number in order)
        ask = self._fill("compare", first=first, second=second, dimensions=compared_dimensions(self._rubric))
        return self._asked_of_turns(ask) if self._is_without_anchors else self._asked(ask)

    def second_opinion(self, claim: Claim) -> Prompt:
        """Ask whether a claim is what it was flagged as; the prompt does not say that it was flagged."""
        rule = rule_of(self._rubric, claim.kind)
        assert rule is not None, "a claim is flagged by a rule"
        turn = self._debate.transcript.turns[claim.turn]
        ask = self._fill(
            "second_opinion",
            turn=str(claim.turn),
            speaker=self._speaker(turn.side),
            quote=quoted(claim.quote),
            kind=rule.asks,
            means=rule.means or rule.asks,
            excludes=rule.excludes or "anything else",
        )
        return self._asked_of_turns(ask, in_full=claim.turn)

    def narrative(self) -> Prompt:
        """Ask for a reading of the whole debate."""
        ask = self._fill("narrative", one="A", two="B")
        return _once(self._asked_of_turns(ask) if self._is_without_anchors else self._asked(ask))

    def conflict(self) -> Prompt:
        """Ask how scorecard and narrative differ, and for the pattern of the debate."""
        verdicts = self._debate.verdicts
        card, narrative = verdicts.scorecard, verdicts.narrative
        assert card is not None
        assert narrative is not None
        numbers = means_words(self._debate, card, self.labels)
        effect, lead, margin = rule_effect(self._debate, self.labels), "", ""
        is_same_winner = self._is_without_anchors and card.winner == narrative.winner
        if self._is_without_anchors:
            effect = mean_changes(self._debate, self.labels)
            lead, margin = how_far(card, self._rubric, self.labels), margin_words(narrative)
        ask = self._fill(
            "conflict_of_margins" if is_same_winner else "conflict",
            scorecard=f"{self._winner(card.winner)} ({numbers}{tie_words(card, self._rubric)}{lead})",
            rules=quoted(effect),
            narrative=f"{self._read(narrative)}{margin}, because:\n{quoted(narrative.explanation)}",
        )
        return self._asked_once(ask)

    def _read(self, narrative: NarrativeVerdictReached) -> str:
        """Who won by the reading of the whole, and whether the reading with exchanged labels named another one."""
        flipped = "; with the speakers' labels exchanged it named another winner" if narrative.flipped else ""
        return self._winner(narrative.winner or "neither") + flipped

    # parts

    def _about(self, turn: TurnSpoken, ask: str) -> Prompt:
        """A question about one turn, with its place in the debate."""
        turns, speaker = self._opened.turns, self._speaker(turn.side)
        if turn.turn >= turns:
            place = self._text("last")
        elif turn.turn + 2 > turns:
            place = self._fill("last_of_side", speaker=speaker)
        else:
            place = self._fill("more", each=str(turns // 2) if turns % 2 == 0 else f"{turns // 2} or {turns // 2 + 1}")
        text = self._fill("question", ask=ask, turn=str(turn.turn), turns=str(turns), speaker=speaker, place=place)
        return self._asked(text)

    def _asked(self, ask: str) -> Prompt:
        return (*self.prefix, Segment("user", ask))

    def _asked_once(self, ask: str) -> Prompt:
        return _once(self._asked(ask))

    def _asked_of_turns(self, ask: str, *, in_full: int = 0) -> Prompt:
        """A question about what was said: the record is not shown."""
        return (*self._frame(), *self._alone(in_full), Segment("user", ask))

    def _alone(self, in_full: int) -> Prompt:
        """The turns without their record."""
        if in_full not in self._turns_alone:
            self._turns_alone[in_full] = _ending(self._turns(in_full))
        return self._turns_alone[in_full]

    def _speech(self, turn: TurnSpoken) -> str:
        named = {"turn": str(turn.turn), "speaker": self._speaker(turn.side)}
        if turn.turn == 1:
            return self._fill("opened", **named)
        return self._fill("answered", before=str(turn.turn - 1), **named)

    def _speaker(self, side: Side) -> str:
        return f"Speaker {self.labels[side]}"

    def _own(self, text: str) -> str:
        """Words of the judge's record as material; the speakers have the labels of this prompt."""
        return quoted(LABELLED["exchanged"](text) if self._swapped else text)

    def _winner(self, winner: Winner) -> str:
        return winner_words(winner, self.labels, says_ahead=self._template.version >= AHEAD)

    def _gap_scale(self) -> dict[str, str]:
        gaps = self._rubric.gaps
        anchors = "\n".join(anchor_lines(gaps.anchors, gaps.least, gaps.most))
        scale = {"least": fmt(gaps.least), "most": fmt(gaps.most), "anchors": anchors}
        if self._is_without_anchors:
            is_weighed = self._rubric.docking is not UNSET
            return scale | self._by_rubric("paid", is_weighed, "continued", "untaken")
        limit = " " + self._fill("gap_limit", points=fmt(gaps.most_per_turn)) if gaps.most_per_turn else ""
        return scale | {"limit": limit}

    def _text(self, name: str) -> str:
        """A section of the debate's template; of the shipped one for a debate that is older than the section."""
        return section(self._template if has_section(self._template, name) else load_template("whole"), name)

    def _fill(self, name: str, /, **values: str) -> str:
        return fill(self._text(name), **values)


def both_asked(prompts: Mapping[str, Template], first: str, second: str) -> str:
    """Two questions as one, for a judge that is asked briefly."""
    own = prompts.get("whole")
    template = own if own is not None and has_section(own, "both") else load_template("whole")
    return fill(section(template, "both"), first=first, second=second)


def _ending(turns: Iterable[Segment]) -> Prompt:
    """Segments of which the last one ends what later prompts begin with."""
    segments = tuple(turns)
    return (*segments[:-1], *(Segment(each.role, each.text, ends_prefix=True) for each in segments[-1:]))


def _once(prompt: Prompt) -> Prompt:
    """A question that is asked at the end: no later prompt begins with its turns, so a cache keeps the rules only."""
    system, rules, *others = prompt
    rest = (Segment(each.role, each.text) for each in others)
    return (system, Segment(rules.role, rules.text, ends_prefix=True), *rest)


def _moved(kind: str, points: float, *, is_exact: bool) -> str:
    """What moved a score, by how many points; ``is_exact``: so that the parts add up to the score."""
    if not is_exact:
        return f"{kind} {points:+.1f}"
    return f"{kind} {'+' if points > 0 else '-'}{shortest(abs(points), 2)}"


def _components(name: str, dimension: Dimension) -> Iterator[str]:
    counted = "" if dimension.in_composite else ", beside the composite"
    yield f"{name.replace('_', ' ')} (0 to {dimension.maximum}{counted}):"
    for component, each in dimension.components.items():
        later = f", from turn {each.applies_from} on" if each.applies_from > 1 else ""
        quote = "" if each.needs_quote else ", without a quote"
        yield f"- {component} (0 to {each.maximum}{later}{quote}): {each.asks}"
        yield from (f"  {line}" for line in anchor_lines(each.anchors, 0, each.maximum))


def _rules(rubric: Rubric) -> Iterator[str]:
    """What acts on the points that the judge gives, in words."""
    yield f"Without a quote that is in the turn, a component keeps at most {rubric.unquoted_share:.0%} of its maximum."
    for name, dimension in rubric.dimensions.items():
        if (chain := dimension.chain) is not None:
            caps = ", ".join(fmt(cap) for cap in chain.caps)
            links = ", ".join(chain.links)
            yield f"With one, two or more of {links} at 0 points, {name} is at most {caps} in turn."
        if (excellence := dimension.excellence) is not None:
            each, above = fmt(excellence.each_at_least), fmt(excellence.above)
            yield f"Above {above}, every component of {name} needs at least {each} points."
        if (leash := dimension.leash) is not None:
            under, slack = fmt(leash.under), fmt(leash.slack)
            yield f"While {leash.leader} is under {under}, {leash.follower} is at most {slack} above {leash.leader}."
    if rubric.supported_share:
        yield f"With fewer than {rubric.supported_share:.0%} of its quotes in the turn a dimension has no score."
