"""The key moments of a debate: the recorded events that made the most difference, each with one sentence."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.ledger import Ledger, ScoreEntry
from events.state.scorecard import ScorecardSums, leader_of
from events.text.figures import rounded, shortest
from events.types import Side

NAMES: Final[dict[str, str]] = {"pro": "Pro", "con": "Con"}
MAX_MOMENTS: Final = 8
MIN_MOMENTS: Final = 5
"""With fewer moments than this, more of one kind are taken than ``MAX_OF_KIND`` allows."""
MomentKind = Literal["lead", "reading", "docked", "claim", "withdrawn", "dropped", "contradiction", "injection"]
MAX_OF_KIND: Final[dict[MomentKind, int]] = {
    "lead": 3,
    "reading": 2,
    "docked": 3,
    "claim": 2,
    "withdrawn": 2,
    "dropped": 2,
    "contradiction": 2,
    "injection": 1,
}
ALWAYS: Final = 100.0
"""Weight of a change of the lead.  Other weights are points that a turn lost, or stand for as many."""
INJECTED: Final = 6.0
CONTRADICTED: Final = 4.0
WITHDRAWN: Final = 4.0
UPHELD: Final = 2.0
"""Added where a second opinion upheld a flag."""
DROPPED: Final = 1.0


class Moment(Struct, frozen=True, kw_only=True, gc=False):
    """An event that made a difference."""

    position: int
    kind: MomentKind
    side: Side
    """The side that it is about; of a lead, the side that now leads."""
    turn: int
    text: str
    quote: str | UnsetType = UNSET
    """Words of the debater."""
    note: str | UnsetType = UNSET
    """Words of the judge."""


class _Candidate(Struct, frozen=True):
    """A moment and its weight, in points."""

    weight: float
    moment: Moment


def key_moments(debate: Debate) -> tuple[Moment, ...]:
    """The moments that made the most difference, at most ``MAX_MOMENTS``, in the order of their events."""
    found = (_leads, _readings, _dockings, _claims, _premises, _contradictions, _injections)
    ranked = sorted((each for find in found for each in find(debate)), key=lambda each: -each.weight)
    taken: dict[str, int] = defaultdict(int)
    chosen, rest = list[Moment](), list[Moment]()
    for each in ranked:
        taken[each.moment.kind] += 1
        (chosen if taken[each.moment.kind] <= MAX_OF_KIND[each.moment.kind] else rest).append(each.moment)
    chosen = chosen[:MAX_MOMENTS]
    chosen += rest[: max(0, MIN_MOMENTS - len(chosen))]
    return tuple(sorted(chosen, key=lambda each: each.position))


def _leads(debate: Debate) -> Iterator[_Candidate]:
    """Changes of the side that leads, from one judged turn to the next."""
    ledger = debate.ledger
    sums = ScorecardSums()
    leader: Side | None = None
    for turn, entries in _judgements(ledger):
        for number, moved in groupby(sorted(entries, key=lambda each: each.turn), key=lambda each: each.turn):
            changed = list(moved)
            known, card = (
                ledger.cards[number].as_of(position) for position in (changed[0].position - 1, changed[-1].position)
            )
            sums = sums.moved(known, card, ledger)
        pro, con = sums.exact(ledger.rubric)
        if pro is None or con is None or ledger.rubric is None:
            continue
        if (ahead := leader_of(pro, con, ledger.rubric)) == "neither":
            continue
        before, leader = leader, ahead
        if before is not None and before != leader:
            text = f"{NAMES[leader]} took the lead when turn {turn} was judged: Pro {rounded(pro)}, Con {rounded(con)}."
            moment = Moment(position=entries[-1].position, kind="lead", side=leader, turn=turn, text=text)
            yield _Candidate(ALWAYS + turn, moment)


def _judgements(ledger: Ledger) -> Iterator[tuple[int, list[ScoreEntry]]]:
    """Each turn, and the entries that followed when it was judged: its own, and those of earlier turns."""
    judged = sorted((card.position, turn) for turn, card in ledger.cards.items())
    starts = [position for position, _ in judged]
    counted = (entry for entry in ledger.entries if entry.dimension in ledger.dimensions)
    for number, entries in groupby(counted, key=lambda entry: bisect_right(starts, entry.position)):
        yield judged[number - 1][1], list(entries)


def _readings(debate: Debate) -> Iterator[_Candidate]:
    """Turns that were scored again, where the median of the readings has other points than the first one."""
    dimensions = debate.ledger.dimensions
    for turn, card in debate.ledger.cards.items():
        again = [each for each in card.entries if each.kind == "rescore"]
        moved = round(sum(each.applied for each in again if each.dimension in dimensions), 2)
        if not moved:
            continue
        now = sum(card.balances[name].raw for name in dimensions)
        before = sum(each.requested for each in card.entries if each.kind == "score" and each.dimension in dimensions)
        side = debate.ledger.sides[turn]
        points = f"the judge’s points for it are {shortest(now)}, and the first reading gave {shortest(before)}"
        text = f"Turn {turn} of {NAMES[side]} was scored again: {points}."
        moment = Moment(position=again[0].position, kind="reading", side=side, turn=turn, text=text)
        yield _Candidate(abs(moved), moment)


def _dockings(debate: Debate) -> Iterator[_Candidate]:
    """Turns that lost points for flaws that one turn exposed."""
    found: dict[tuple[int, int], list[ScoreEntry]] = defaultdict(list)
    for entry in debate.ledger.entries:
        if entry.kind == "gap":
            found[entry.turn, entry.evidence[1].turn].append(entry)
    for (turn, by), entries in found.items():
        points = -sum(entry.applied for entry in entries)
        worst = min(entries, key=lambda entry: entry.applied)
        flaws = "a flaw" if len(entries) == 1 else f"{len(entries)} flaws"
        shows = "exposed" if by > turn else "shows"  # the closing audit may point to an earlier turn
        why = f"turn {by} {shows} {flaws} in it" if by != turn else f"it shows {flaws} itself"
        side = debate.ledger.sides[turn]
        text = f"Turn {turn} of {NAMES[side]} lost {_points(points, worst.dimension)}: {why}."
        yield _Candidate(
            points,
            Moment(
                position=entries[0].position,
                kind="docked",
                side=side,
                turn=turn,
                text=text,
                quote=worst.evidence[0].quote,
                note=worst.reason or UNSET,
            ),
        )


def _claims(debate: Debate) -> Iterator[_Candidate]:
    """Suspect claims that cost points."""
    for name, claim in debate.claims.items():
        if claim.state == "cleared" or not claim.penalty:
            continue
        side = debate.ledger.sides[claim.turn]
        agrees = "" if claim.decided_by else ", and a second opinion agreed"
        if claim.decided_by and claim.kind == "fabricated_citation":
            agrees = ", and the evidence agreed"
        upheld = agrees if claim.state == "upheld" else ""
        text = f"Claim {name} of {NAMES[side]} was flagged: {claim.kind.replace('_', ' ')}{upheld}."
        yield _Candidate(
            -claim.penalty + UPHELD * (claim.state == "upheld"),
            Moment(
                position=claim.flagged,
                kind="claim",
                side=side,
                turn=claim.turn,
                text=text,
                quote=claim.quote,
                note=claim.answer or claim.reason or UNSET,
            ),
        )


GIVEN_UP: Final[dict[str, tuple[MomentKind, float, str]]] = {
    "withdrawn": ("withdrawn", WITHDRAWN, "withdrew premise {} openly"),
    "dropped": ("dropped", DROPPED, "dropped premise {} without saying so"),
}
"""Changes of a premise that are moments: their kind, their weight and their words."""


def _premises(debate: Debate) -> Iterator[_Candidate]:
    """Premises that a side gave up."""
    for name, premise in debate.spine.premises.items():
        for change in premise.changes:
            if change.what not in GIVEN_UP:
                continue
            kind, weight, words = GIVEN_UP[change.what]
            text = f"{NAMES[premise.side]} {words.format(name)} in turn {change.turn}."
            moment = Moment(
                position=change.position,
                kind=kind,
                side=premise.side,
                turn=change.turn,
                text=text,
                quote=premise.quote or UNSET,
                note=premise.text,
            )
            yield _Candidate(weight, moment)


def _contradictions(debate: Debate) -> Iterator[_Candidate]:
    for each in debate.spine.contradictions:
        turn = max(each.turns)
        text = f"{NAMES[each.side]} contradicted {' and '.join(each.premises) or 'itself'} in turn {turn}."
        note = each.reason or UNSET
        moment = Moment(position=each.position, kind="contradiction", side=each.side, turn=turn, text=text, note=note)
        yield _Candidate(CONTRADICTED, moment)


def _injections(debate: Debate) -> Iterator[_Candidate]:
    """The first attempt of each turn to instruct the judge."""
    seen = set[int]()
    for position, each in debate.injections:
        if each.turn in seen:
            continue
        seen.add(each.turn)
        side = debate.ledger.sides[each.turn]
        text = f"Turn {each.turn} of {NAMES[side]} tried to instruct the judge."
        moment = Moment(position=position, kind="injection", side=side, turn=each.turn, text=text, quote=each.quote)
        yield _Candidate(INJECTED, moment)


def _points(points: float, dimension: str) -> str:
    return f"{points:g} {'point' if points == 1 else 'points'} of {dimension.replace('_', ' ')}"
