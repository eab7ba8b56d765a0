"""Who leads, by how much and how surely, and every event that moved it, in the terms of the debate's format."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.state.certainty import certainty_of
from events.state.exchanges import Exchanges
from events.state.ledger import Ledger, ScoreEntry
from events.state.parts.panel import PanelState
from events.state.parts.rounds import ProtocolState
from events.state.scorecard import Scorecard, ScorecardSums, basis_of, lead_of
from events.types import SIDES, Missing, OpinionGiven, Side, Verdict
from events.types.rubric import Rubric
from events.types.scores import EntryKind
from events.view.turn_view import TurnView


class LeadMove(Struct, frozen=True, kw_only=True, gc=False):
    """An event that gave a turn its composite, or changed one; a second reading also changes its neighbours."""

    turn: int
    during: int
    """The turn that was judged last when it happened."""
    composite: float
    """Of ``turn``, after it."""
    before: float | UnsetType = UNSET
    """The composite before it; absent if it scored the turn."""
    applied: float | UnsetType = UNSET
    """The points by which it changed the score; absent if it scored the turn."""
    by: int | UnsetType = UNSET
    """The turn whose words show the flaw for which ``turn`` lost points."""
    again: bool | UnsetType = UNSET
    """Present and true if ``turn`` was scored again; the turns compared with it moved with it."""
    lead: float | UnsetType = UNSET
    """Pro's points less Con's, after it; absent if a side has none, and if it is what it was."""
    moved: float | UnsetType = UNSET
    """The points by which it moved the lead towards the side of ``turn``; absent if there was no lead before it."""
    probability: float | UnsetType = UNSET
    """That Pro is ahead, after it; absent where ``LeadView.probability`` is."""
    quote: str | UnsetType = UNSET
    """The words of ``turn`` that lost points for a flaw."""
    kind: EntryKind | UnsetType = UNSET
    """Of its entry in the ledger; absent if it scored the turn."""


class LeadView(Struct, frozen=True, kw_only=True, gc=False):
    """The lead.  Its members are those of one format; absent is what is not known yet."""

    side: Side | UnsetType = UNSET
    """The side with more points: means of the composite, or a protocol's totals.  Pro if both have the same."""
    points: float | UnsetType = UNSET
    probability: float | UnsetType = UNSET
    """That Pro is ahead, from 0 to 1, where the rubric says how sure a lead must be."""
    name_at: float | UnsetType = UNSET
    """The probability from which on the rubric names a side; present with ``probability``."""
    is_close: bool | UnsetType = UNSET
    """Present and true where the lead names no side: within the rubric's tie margin, or if it is not sure enough."""
    within_noise: bool | UnsetType = UNSET
    """Whether ``points`` are at most the scorecard's ``noise``, where a lab run has measured the judge's."""
    spread: float | UnsetType = UNSET
    """Half the range of the composites that the judge's samples give one turn, as a mean over the turns.  Absent where
    the scorecard has the error of the lead."""
    moves: dict[str, LeadMove] = {}
    """By position, in order.  Only appended to, so that a patch holds the new ones."""
    upheld: dict[Side, int] | UnsetType = UNSET
    """Arguments of each side that the judge has upheld, once it has weighed one."""
    opinions: tuple[tuple[Verdict, int], ...] | UnsetType = UNSET
    """How many raters hold each verdict by their newest opinion, once one has given a verdict."""


_position: Final = attrgetter("position")
FIRST: Final = frozenset({"score", "inferred"})
"""Kinds of entries that give a dimension its first points."""
FORMATS: Final = frozenset({"exchange", "protocol", "deliberation"})
"""Formats whose view has a lead."""


def with_figures(lead: LeadView, card: Scorecard, turns: Iterable[TurnView], rubric: Rubric | None = None) -> LeadView:
    """The lead of an exchange by its scorecard."""
    figures = _ahead(card.pro.composite, card.con.composite)
    points = figures["points"]
    if points is UNSET:
        unknown = dict.fromkeys(("probability", "name_at", "is_close", "within_noise", "spread"), UNSET)
        return replace(lead, **figures, **unknown)
    if rubric is not None and rubric.certainty is not UNSET:
        sure = card.certainty
        is_sure = sure is not UNSET and sure >= rubric.certainty.name_at
        return replace(
            lead,
            **figures,
            probability=UNSET if sure is UNSET else of_pro(figures["side"], sure),
            name_at=UNSET if sure is UNSET else rubric.certainty.name_at,
            is_close=not is_sure or UNSET,
            within_noise=UNSET,
            spread=UNSET,
        )
    halves = [each.composite_spread / 2 for each in turns if each.composite_spread]
    return replace(
        lead,
        **figures,
        is_close=card.leader == "neither" or UNSET,
        within_noise=points <= card.noise if card.noise else UNSET,
        spread=round(sum(halves) / len(halves), 2) if halves else UNSET,
    )


def of_pro(side: Side, certainty: float) -> float:
    """The probability that Pro is ahead, from the one that ``side`` is."""
    return certainty if side == "pro" else round(1 - certainty, 4)


def with_arguments(lead: LeadView, protocol: ProtocolState) -> LeadView:
    """The lead of a protocol by its totals; before them, how many arguments are upheld."""
    weighed = [each for each in protocol.arguments.values() if each.trace is not UNSET]
    upheld = {side: sum(each.side == side and each.standing == "UPHELD" for each in weighed) for side in SIDES}
    given = protocol.assessment
    figures = {} if given is UNSET else _ahead(given.pro_total, given.con_total)
    return replace(lead, **figures, upheld=upheld if weighed else UNSET)


def with_opinions(lead: LeadView, panel: PanelState) -> LeadView:
    """The lead of a deliberation: how many raters hold each verdict, by the last one that each gave."""
    rounds = sorted(panel.opinions.items(), key=_round)
    newest = {rater: said.verdict for _, given in rounds for rater, said in given.items() if said.verdict is not UNSET}
    counts = Counter(newest.values())
    return replace(lead, opinions=tuple(counts.items()) or UNSET)


def with_moves(
    lead: LeadView,
    before: Ledger,
    after: Ledger,
    sums: ScorecardSums,
    turns: Iterable[int],
    card_after: Scorecard,
    exchanges: Mapping[int, Exchanges],
) -> LeadView:
    """The lead with the events that changed the scores of ``turns`` since ``before``, whose sums are ``sums``.

    ``card_after`` is the scorecard of ``after``.  ``exchanges``: those after each event since ``before``.
    """
    entries = sorted((each for turn in turns for each in _new_entries(before, after, turn)), key=_position)
    if not entries:
        return lead
    moves = dict(lead.moves)
    now = next((each.lead for each in reversed(moves.values()) if each.lead is not UNSET), UNSET)
    newest = next(reversed(exchanges))
    for position, group in groupby(entries, key=_position):
        changed = tuple(group)
        entry = next((each for each in changed if each.kind == "rescore"), changed[0])
        turn = entry.turn
        counted = [each.applied for each in changed if each.turn == turn and each.dimension in after.dimensions]
        cards = {number: after.cards[number] for number in dict.fromkeys(each.turn for each in changed)}
        steps = {number: (card.as_of(position - 1), card.as_of(position)) for number, card in cards.items()}
        is_last = position == entries[-1].position
        is_now = is_last and position == newest
        if not is_last or (after.certainty is not None and not is_now):
            for one, two in steps.values():
                sums = sums.moved(one, two, after)
        known, card = steps[turn]
        was, composite = known.composite(after.dimensions), card.composite(after.dimensions)
        if composite is None or composite == was:
            continue
        was_lead, now = now, lead_of(card_after.pro, card_after.con) if is_last else sums.lead(after.rubric)
        is_first = entry.kind in FIRST
        sign = 1 if after.sides[turn] == "pro" else -1
        moves[str(position)] = LeadMove(
            turn=turn,
            during=next(number for number in reversed(after.cards) if after.cards[number].position <= position),
            composite=composite,
            before=UNSET if is_first or was is None else was,
            applied=UNSET if is_first else round(sum(counted), 2),
            by=entry.evidence[1].turn if entry.kind == "gap" else UNSET,
            again=entry.kind == "rescore" or UNSET,
            lead=UNSET if now == was_lead else now,
            moved=UNSET if was_lead is UNSET or now is UNSET else round(sign * (now - was_lead), 2) + 0.0,
            probability=(
                _probability_now(now, card_after)
                if is_now
                else _probability(now, after, exchanges[position], sums, position)
            ),
            quote=entry.evidence[0].quote if entry.kind == "gap" and entry.applied < 0 else UNSET,
            kind=UNSET if is_first else entry.kind,
        )
    return replace(lead, moves=moves) if len(moves) > len(lead.moves) else lead


def _probability(
    lead: float | UnsetType, ledger: Ledger, exchanges: Exchanges, sums: ScorecardSums, position: int
) -> float | UnsetType:
    """That Pro is ahead, as the scorecard at a position has it."""
    if lead is UNSET or ledger.certainty is None or not (sums.pro.scored and sums.con.scored):
        return UNSET
    judged = {turn: card for turn, card in ledger.cards.items() if card.position <= position}
    found = certainty_of(lead, basis_of(replace(ledger, cards=judged), exchanges, sums), ledger.certainty)
    return _of_lead(lead, round(found.probability, 4))


def _probability_now(lead: float | UnsetType, card: Scorecard) -> float | UnsetType:
    """That Pro is ahead, by a scorecard: it has been computed already."""
    return UNSET if lead is UNSET or card.certainty is UNSET else _of_lead(lead, card.certainty)


def _of_lead(lead: float, certainty: float) -> float:
    return of_pro("pro" if lead >= 0 else "con", certainty)


def _new_entries(before: Ledger, after: Ledger, turn: int) -> tuple[ScoreEntry, ...]:
    card, known = after.cards.get(turn), before.cards.get(turn)
    return () if card is None else card.entries[0 if known is None else len(known.entries) :]


def _ahead(pro: float | Missing, con: float | Missing) -> dict[str, Any]:
    if isinstance(pro, Missing) or isinstance(con, Missing):
        return {"side": UNSET, "points": UNSET}
    return {"side": "pro" if pro >= con else "con", "points": round(abs(pro - con), 2)}


def _round(opinions: tuple[str, dict[str, OpinionGiven]]) -> int:
    return int(opinions[0])
