"""The tables of suspect claims, and of the premises of both sides."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from msgspec import UNSET

from events.record import Recorded
from server.export.tables.table import Debate, DebateTable, End, Says, Seen, Side, Start, TableRow, Turn, known


class ClaimRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One suspect claim."""

    debate: Debate
    claim: Annotated[str, Says("Its id in the debate, such as `C3.1`.")]
    turn: Turn
    side: Side
    kind: Annotated[str, Says("What is suspect, such as `fabricated_citation` or `overclaim`.")]
    state: Annotated[str, Says("The state: `flagged`, `upheld` or `cleared`.")]
    by: Annotated[str, Says("What flagged it: the judge, a scan of the words, or the evidence.")]
    decided_by: Annotated[str | None, Says("`evidence` if the evidence decided it, and no second opinion.")]
    penalty: Annotated[float, Says("Points that its turn loses now, 0 or less.", "points")]
    requested: Annotated[float, Says("Points by the rubric.", "points")]
    given: Annotated[
        float | None, Says("Points that it counts by itself, where all findings of a turn are weighed.", "points")
    ]
    quote: Annotated[str, Says("Its words.")]
    start: Start
    end: End
    reason: Annotated[str | None, Says("Why it was flagged.")]
    answer: Annotated[str | None, Says("Why it was upheld or cleared.")]
    against: Annotated[str | None, Says("The words of the evidence that stand against it.")]
    passage: Annotated[str | None, Says("The passage that has these words.")]
    flagged: Annotated[int, Says("The position of its flag.")]
    appealed: Annotated[int | None, Says("The position of the appeal, if there was one.")]


class PremiseRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One premise of the case of a side."""

    debate: Debate
    premise: Annotated[str, Says("Its id in the debate.")]
    turn: Annotated[int, Says("The turn that stated it, from 1.")]
    side: Annotated[str, Says("The side that holds it: `pro` or `con`.")]
    state: Annotated[str, Says("The state: `kept`, `revised`, `dropped` without mention, or `withdrawn` openly.")]
    text: Annotated[str, Says("Its newest form.")]
    original: Annotated[str | None, Says("Its first form, if it was revised.")]
    quote: Annotated[str, Says("The words that state it.")]
    start: Start
    end: End
    stated: Annotated[int, Says("The position of its event.")]
    changes: Annotated[int, Says("How often it was revised, dropped or withdrawn.")]
    changed_turn: Annotated[int | None, Says("The turn of the newest change.")]


def claim_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[ClaimRow]:
    """A row for each claim."""
    for name, claim in seen.view.claims.items():
        yield ClaimRow(
            debate=seen.view.id,
            claim=name,
            turn=claim.turn,
            side=seen.view.turns[str(claim.turn)].side,
            kind=claim.kind,
            state=claim.state,
            by=claim.by,
            decided_by=claim.decided_by or None,
            penalty=claim.penalty,
            requested=claim.requested,
            given=known(claim.given),
            quote=claim.quote,
            start=claim.span[0],
            end=claim.span[1],
            reason=claim.reason or None,
            answer=claim.answer or None,
            against=None if claim.evidence is UNSET else claim.evidence.quote,
            passage=None if claim.evidence is UNSET else claim.evidence.passage,
            flagged=claim.flagged,
            appealed=claim.appealed or None,
        )


def premise_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[PremiseRow]:
    """A row for each premise."""
    for name, premise in seen.view.premises.items():
        yield PremiseRow(
            debate=seen.view.id,
            premise=name,
            turn=premise.turn,
            side=premise.side,
            state=premise.state,
            text=premise.text,
            original=premise.original or None,
            quote=premise.quote,
            start=premise.span[0],
            end=premise.span[1],
            stated=premise.stated,
            changes=len(premise.changes),
            changed_turn=premise.changes[-1].turn if premise.changes else None,
        )


CLAIMS: Final = DebateTable(ClaimRow, claim_rows)
PREMISES: Final = DebateTable(PremiseRow, premise_rows)
