"""The three moments of a concluded exchange: a heading and the words that it rests on, from recorded events only."""

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.ledger import ScoreEntry
from events.text.figures import rounded, shortest
from events.types import Side, other
from events.view.lead import LeadMove
from events.view.moments import NAMES, Moment

MAX_MOMENTS: Final = 3
Role = Literal["fails", "exposes"]
ROLES: Final[tuple[Role, Role]] = ("fails", "exposes")
"""Of the two quotes of a flaw, in the order of its evidence."""
KINDS: Final[dict[str, str]] = {
    "claim": "Turn {turn} makes a suspect claim",
    "withdrawn": "{side} takes back a premise in turn {turn}",
    "dropped": "{side} drops a premise in turn {turn} without a word",
    "contradiction": "{side} contradicts itself in turn {turn}",
    "injection": "Turn {turn} tries to instruct the judge",
    "docked": "Turn {turn} loses points for a flaw",
    "reading": "Turn {turn} was scored again",
    "lead": "{side} takes the lead",
}
"""The heading of each kind of key moment."""


class Spoken(Struct, frozen=True, kw_only=True, gc=False):
    """Words of a debater, and what they do: a flaw is in them, or they show it."""

    side: Side
    turn: int
    quote: str
    role: Role


class Highlight(Struct, frozen=True, kw_only=True, gc=False):
    """One of the three moments."""

    position: int
    turn: int
    heading: str
    points: float | UnsetType = UNSET
    """By which it, or the claim that it flags, changed the score of ``turn``; absent where it changed none."""
    quotes: tuple[Spoken, ...] = ()
    note: str | UnsetType = UNSET
    """Words of the judge."""


def highlights(debate: Debate, moves: dict[str, LeadMove], moments: tuple[Moment, ...]) -> tuple[Highlight, ...]:
    """The largest loss for a flaw that a later turn exposed, the largest change of the lead, what the reading cites.

    No two are about one event.  Where one of them is missing, another key moment takes its place.
    """
    chosen = dict[int, Highlight]()
    for find in (_docking, _change, _cited, _other):
        for each in find(debate, moves, moments):
            if len(chosen) < MAX_MOMENTS and each.position not in chosen:
                chosen[each.position] = each
                if find is not _other:
                    break
    return tuple(sorted(chosen.values(), key=lambda each: each.position))


def _docking(debate: Debate, moves: dict[str, LeadMove], _: tuple[Moment, ...]) -> Iterator[Highlight]:
    """Losses of earlier turns for flaws that a later one exposed, the largest first."""
    gaps = [each for each in debate.ledger.entries if each.kind == "gap" and each.evidence[1].turn > each.turn]
    for entry in sorted(gaps, key=lambda each: each.applied):
        move = moves.get(str(entry.position))
        if move is not None:
            yield _of_move(debate, entry.position, move, entry)


def _change(debate: Debate, moves: dict[str, LeadMove], _: tuple[Moment, ...]) -> Iterator[Highlight]:
    """Changes of the lead, the largest first."""
    entries = {each.position: each for each in debate.ledger.entries}
    changed = [(int(position), move) for position, move in moves.items() if move.moved is not UNSET and move.moved]
    for position, move in sorted(changed, key=lambda each: -abs(each[1].moved or 0)):
        yield _of_move(debate, position, move, entries[position])


def _of_move(debate: Debate, position: int, move: LeadMove, entry: ScoreEntry) -> Highlight:
    side = debate.ledger.sides[move.turn]
    if entry.kind == "gap":
        exposes = f"exposes a flaw in turn {move.turn}" if move.by != move.turn else "shows a flaw of its own"
        sides = debate.ledger.sides
        quotes = tuple(
            Spoken(side=sides[each.turn], turn=each.turn, quote=each.quote, role=role)
            for each, role in zip(entry.evidence, ROLES, strict=False)
        )
        return Highlight(
            position=position,
            turn=move.turn,
            heading=f"Turn {move.by} {exposes}: {_from_to(move)}",
            points=move.applied,
            quotes=quotes,
        )
    if move.applied is UNSET:
        towards = NAMES[side if (move.moved or 0) > 0 else other(side)]
        towards = f", and the lead moves {rounded(abs(move.moved or 0))} towards {towards}"
        heading = f"Turn {move.turn} is scored {shortest(move.composite)}{towards if move.moved else ''}"
        return Highlight(position=position, turn=move.turn, heading=heading, quotes=_best(debate, move.turn))
    again = "is scored again" if move.again else "gains points" if move.applied > 0 else "loses points"
    return Highlight(
        position=position, turn=move.turn, heading=f"Turn {move.turn} {again}: {_from_to(move)}", points=move.applied
    )


def _from_to(move: LeadMove) -> str:
    before = "–" if move.before is UNSET else rounded(move.before)
    return f"{before} → {rounded(move.composite)}"


def _best(debate: Debate, turn: int) -> tuple[Spoken, ...]:
    """The quote of the component for which the turn got most points."""
    quoted = [each for each in debate.ledger.cards[turn].components.values() if each.verified and each.quote]
    if not quoted:
        return ()
    best = max(quoted, key=lambda each: each.admitted)
    return (Spoken(side=debate.ledger.sides[turn], turn=turn, quote=best.quote, role="exposes"),)


def _cited(debate: Debate, _: dict[str, LeadMove], moments: tuple[Moment, ...]) -> Iterator[Highlight]:
    """The key moments about what the reading of the whole debate cites, in its order."""
    reading = debate.verdicts.narrative
    if reading is None:
        return
    for cite in reading.cites:
        for moment in moments:
            if moment.kind not in {"docked", "lead"} and (cite == f"turn {moment.turn}" or cite in moment.text):
                yield _of_moment(debate, moment)


def _other(debate: Debate, _: dict[str, LeadMove], moments: tuple[Moment, ...]) -> Iterator[Highlight]:
    """The other key moments: first those with words."""
    for moment in sorted(moments, key=lambda each: each.quote is UNSET):
        if moment.kind not in {"docked", "lead"}:
            yield _of_moment(debate, moment)


def _of_moment(debate: Debate, moment: Moment) -> Highlight:
    heading = KINDS[moment.kind].format(turn=moment.turn, side=NAMES[moment.side])
    quote = moment.quote
    quotes: tuple[Spoken, ...] = (
        () if quote is UNSET else (Spoken(side=moment.side, turn=moment.turn, quote=quote, role="fails"),)
    )
    if moment.kind == "contradiction":
        quotes = tuple(_contradicted(debate, moment.position))
    costs = (each.penalty for each in debate.claims.values() if each.flagged == moment.position)
    return Highlight(
        position=moment.position,
        turn=moment.turn,
        heading=heading,
        points=next(costs, UNSET) if moment.kind == "claim" else UNSET,
        quotes=quotes,
        note=moment.note,
    )


def _contradicted(debate: Debate, position: int) -> Iterator[Spoken]:
    """The premises that the contradiction at ``position`` is about, in the words that stated them."""
    for name in (name for each in debate.spine.contradictions if each.position == position for name in each.premises):
        if (premise := debate.spine.premises.get(name)) is not None:
            yield Spoken(side=premise.side, turn=premise.turn, quote=premise.quote, role="fails")
