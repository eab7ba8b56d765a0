"""The tables of the ledger, which holds every change of a score, and of the comparisons that move scores."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from msgspec import UNSET

from events.record import Recorded
from events.types.base import Side as Of
from events.view.summary import moves_of_means
from events.view.turn_view import ComparisonView
from server.export.tables.table import Debate, DebateTable, Dimension, Says, Seen, Side, TableRow, Turn, known


class LedgerRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One entry of the ledger: a change of the score of one turn on one dimension."""

    debate: Debate
    position: Annotated[int, Says("The position of its event.")]
    cause: Annotated[int | None, Says("The position of the event that it follows from.")]
    turn: Turn
    side: Side
    dimension: Dimension
    kind: Annotated[
        str,
        Says(
            "What happened: `score`, `rescore` and `inferred` set points; `cap`, `band` (a comparison), `penalty`, "
            "`reversal` and `gap` (a flaw that a later turn shows) move them."
        ),
    ]
    rule: Annotated[str, Says("The rule that did it.")]
    requested: Annotated[float, Says("Points that the rule requested.", "points")]
    applied: Annotated[float, Says("Points by which the score changed.", "points")]
    before: Annotated[float, Says("The score before it.", "points")]
    after: Annotated[float, Says("The score after it.", "points")]
    lead_points: Annotated[
        float | None,
        Says(
            "Points by which it moved `lead` of the table `debates`, above 0 towards Pro; none for what sets points or "
            "does not count in the scorecard.",
            "points",
        ),
    ]
    given: Annotated[
        float | None, Says("Points that a flaw counts by itself, where all findings of a turn are weighed.", "points")
    ]
    quote: Annotated[str | None, Says("The first words that support it.")]
    by_turn: Annotated[int | None, Says("The turn whose words show the flaw.")]
    reason: Annotated[str | None, Says("Its reason.")]


class ComparisonRow(TableRow, frozen=True, kw_only=True, gc=False):
    """What a comparison of two turns says of one dimension."""

    debate: Debate
    position: Annotated[int, Says("The position of its event.")]
    earlier: Annotated[int, Says("The number of the earlier turn.")]
    earlier_side: Annotated[str, Says("The side that spoke the earlier turn: `pro` or `con`.")]
    later: Annotated[int, Says("The number of the later turn.")]
    later_side: Annotated[str, Says("The side that spoke the later turn: `pro` or `con`.")]
    is_closing: Annotated[bool, Says("Whether it compares the last turn with the first one.")]
    dimension: Annotated[str | None, Says("The dimension; none where the comparison is missing.")]
    outcome: Annotated[str | None, Says("The better turn: `earlier`, `later` or `draw`.")]
    degree: Annotated[str | None, Says("How clear that is: `clear` or `slight`, where the rubric asks for it.")]
    flipped: Annotated[bool, Says("Whether the answers in both orders disagree, which counts as a draw.")]
    level: Annotated[
        float | None,
        Says("How much better the later turn is, as shown in the order of the debate: −2 to 2.", "degrees"),
    ]
    level_swapped: Annotated[float | None, Says("The same with the turns shown in the other order.", "degrees")]
    residual: Annotated[
        float | None, Says("By how much the later turn lies above what the comparison expects of both.", "points")
    ]
    reason: Annotated[str | None, Says("The reason of the judge.")]
    missing: Annotated[str | None, Says("Why there is no comparison.")]


def ledger_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[LedgerRow]:
    """A row for each entry, in the order of the log."""
    ledger = seen.fold.debate.ledger
    moved = {id(entry): points for entry, points in moves_of_means(ledger)}
    for entry in ledger.entries:
        side: Of = ledger.sides[entry.turn]
        points = moved.get(id(entry))
        yield LedgerRow(
            debate=seen.view.id,
            position=entry.position,
            cause=entry.cause,
            turn=entry.turn,
            side=side,
            dimension=entry.dimension,
            kind=entry.kind,
            rule=entry.rule,
            requested=entry.requested,
            applied=entry.applied,
            before=entry.before,
            after=entry.after,
            lead_points=None if points is None else round(points if side == "pro" else -points, 4) + 0.0,
            given=entry.given or None,
            quote=entry.evidence[0].quote if entry.evidence else None,
            by_turn=entry.evidence[1].turn if entry.kind == "gap" else None,
            reason=entry.reason or None,
        )


def comparison_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[ComparisonRow]:
    """A row for each dimension of each comparison, and one for a comparison that is missing."""
    turns = seen.view.turns
    for name, turn in turns.items():
        for made in (turn.compared, turn.closing):
            if made is UNSET:
                continue
            for dimension in tuple(dict.fromkeys((*made.outcomes, *made.flipped))) or (None,):
                levels = () if dimension is None else (made.levels or {}).get(dimension, ())
                yield ComparisonRow(
                    debate=seen.view.id,
                    position=made.position,
                    earlier=made.earlier,
                    earlier_side=turns[str(made.earlier)].side,
                    later=int(name),
                    later_side=turn.side,
                    is_closing=made is turn.closing,
                    dimension=dimension,
                    outcome=None if dimension is None else _outcome(made, dimension),
                    degree=None if dimension is None else (made.degrees or {}).get(dimension),
                    flipped=dimension in made.flipped,
                    level=levels[0] if levels else None,
                    level_swapped=levels[1] if len(levels) > 1 else None,
                    residual=known(made.residual),
                    reason=made.reason or None,
                    missing=None if made.missing is UNSET else made.missing.reason,
                )


def _outcome(made: ComparisonView, dimension: str) -> str:
    return "draw" if dimension in made.flipped else made.outcomes[dimension]


LEDGER: Final = DebateTable(LedgerRow, ledger_rows)
COMPARISONS: Final = DebateTable(ComparisonRow, comparison_rows)
