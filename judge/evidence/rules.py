"""What the evidence decides: findings as events, flags with both quotes, and flags of fabricated citations.

The order within a turn: every citation is checked; flags of fabricated citations are decided by what was found; what is
misquoted or invented is flagged; the judge's answers are weighed; and claims that a passage contradicts are flagged.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import UNSET

from events.state.claims import BY_EVIDENCE
from events.types import (
    CheckMissing,
    CitationChecked,
    ClaimFlagged,
    ClaimUpheld,
    EvidenceKind,
    EvidenceWeighed,
    QuotedPassage,
    Span,
)
from events.types.rubric import rule_of
from judge.evidence.checks import MAX_CHECKED, CheckedCitation, CheckedTurn, stands_in
from judge.evidence.question import PURPOSE, EvidenceAnswer, Pair, WeighedPair, weigh
from judge.live.answers import Answers, overlaps, why_missing
from judge.live.claims import clear, known_claims, next_claim
from judge.live.docking import charge_claim, cost_of, given_points, pays_together
from judge.live.entries import record_notes, refuse_finding
from judge.live.event_batch import EventBatch

FABRICATED: Final = "fabricated_citation"
FAULTY: Final = frozenset({"misquoted", "unknown_passage"})
_JUDGE: Final = "judge"


def record_evidence(
    batch: EventBatch,
    number: int,
    checked: CheckedTurn,
    pairs: Sequence[Pair],
    passages: Mapping[str, str],
    given: Mapping[str, Answers[EvidenceAnswer]],
) -> None:
    """Record what follows from the evidence for one turn.  ``given``: the answers by order; empty if none was asked."""
    names = record_citations(batch, number, checked)
    _decide_fabricated(batch, number, checked.citations, names)
    for name, each in zip(names, checked.citations, strict=True):
        _flag_faulty(batch, number, name, each, passages)
    if given:
        _record_weighed(batch, number, names, pairs, passages, given)


def record_citations(batch: EventBatch, number: int, checked: CheckedTurn) -> list[str]:
    """Record what was found of each citation of a turn, and return the ids of the findings."""
    names, spoken = [], batch.debate.transcript.turns[number].spoken
    for place, each in enumerate(checked.citations, 1):
        names.append(f"R{number}.{place}")
        found = CitationChecked(
            citation=names[-1],
            turn=number,
            passage=each.passage,
            span=each.span,
            claim=each.statement,
            quote=each.quote,
            finding=each.finding,
            quoted=each.quoted or UNSET,
            stands=each.stands or UNSET,
            found_in=each.found_in or UNSET,
        )
        batch.add(found, spoken)
    if checked.unchecked:
        why = f"{checked.unchecked} further citations were not checked: at most {MAX_CHECKED} of a turn are"
        refuse_finding(batch, number, PURPOSE, "", why, spoken)
    return names


def _decide_fabricated(batch: EventBatch, number: int, checked: Sequence[CheckedCitation], names: list[str]) -> None:
    """Uphold the judge's flags of fabricated citations where the evidence refutes the citation; clear all others."""
    positions = batch.debate.citations.positions
    for flag, claim in batch.debate.claims.items():
        if claim.turn != number or claim.kind != FABRICATED or claim.state != "flagged":
            continue
        near = [
            (name, each)
            for name, each in zip(names, checked, strict=True)
            if overlaps(claim.span, each.statement) or overlaps(claim.span, each.span)
        ]
        cited = [(name, each) for name, each in near if each.passage]
        faulty = next(((name, each) for name, each in cited if each.finding in FAULTY and not each.found_in), None)
        name, found = faulty or next(iter([*cited, *near]), ("", None))
        cause = positions.get(name, claim.flagged)
        if faulty is not None and found is not None:
            batch.add(ClaimUpheld(claim=flag, by=BY_EVIDENCE, reason=_refuted(found)), cause)
        else:
            clear(batch, flag, by=BY_EVIDENCE, reason=_confirmed(found), cause=cause)


def _refuted(found: CheckedCitation) -> str:
    if found.finding == "unknown_passage":
        return f"The evidence has no passage {found.passage}."
    if found.hides:
        return f"The quotation leaves out or puts in “{found.hides}”: passage {found.passage} says something else."
    return f"Passage {found.passage} does not have the quoted words."


def _confirmed(found: CheckedCitation | None) -> str:
    if found is None or not found.passage:
        return "The source is not in the evidence: so it is uncited, and not fabricated."
    if found.finding == "verified":
        return f"Passage {found.passage} of the evidence has the quoted words."
    if found.found_in:
        return f"The quoted words stand in passage {found.found_in} of the evidence."
    return f"{found.passage} is a passage of the evidence."


def _flag_faulty(batch: EventBatch, number: int, name: str, each: CheckedCitation, passages: Mapping[str, str]) -> None:
    """Flag quoted words that the passage does not have, and passages that do not exist.

    No second opinion is asked: the words were compared.  So the flag is upheld at once.
    """
    if each.finding not in FAULTY:
        return
    cause, span = batch.debate.citations.positions[name], each.quoted or each.statement
    if each.found_in:
        kind: EvidenceKind = "wrong_passage"
        reason = f"The words stand in passage {each.found_in}, not in {each.passage}."
        against = _words(each.found_in, passages, stands_in(each.quote, passages[each.found_in], 1))
    elif each.finding == "unknown_passage":
        kind, reason, against = "invented_passage", f"The evidence has no passage {each.passage}.", None
    else:
        reason = _refuted(each) if each.hides else f"Passage {each.passage} does not have these words."
        kind = "misquotation"
        against = _words(each.passage, passages, each.stands)
    flag = _flag(batch, number, kind, span, reason, cause, against, by=BY_EVIDENCE)
    if flag:
        batch.add(ClaimUpheld(claim=flag, by=BY_EVIDENCE, reason=reason), cause)


def _words(passage: str, passages: Mapping[str, str], span: Span | None) -> QuotedPassage | None:
    if span is None:
        return None
    return QuotedPassage(passage=passage, quote=passages[passage][span[0] : span[1]], span=span)


def _record_weighed(
    batch: EventBatch,
    number: int,
    names: Sequence[str],
    pairs: Sequence[Pair],
    passages: Mapping[str, str],
    given: Mapping[str, Answers[EvidenceAnswer]],
) -> None:
    """Record how each passage bears on its claim, and flag claims that a passage contradicts."""
    spoken = batch.debate.transcript.turns[number].spoken
    for answers in given.values():
        record_notes(batch, number, PURPOSE, answers)
    if unanswered := next((each for each in given.values() if not each.given), None):
        batch.add(CheckMissing(turn=number, purpose=PURPOSE, reason=why_missing(unanswered).reason), spoken)
        return
    for place, pair in enumerate(pairs, 1):
        weighed = weigh(place, given["forward"], given["backward"])
        if weighed is None:
            why = f"the judge did not say in both orders how {pair.passage} bears on it"
            refuse_finding(batch, number, PURPOSE, _claim(batch, number, pair), why, spoken)
            continue
        stands = _stands(batch, weighed, passages[pair.passage])
        position = batch.add(
            EvidenceWeighed(
                turn=number,
                passage=pair.passage,
                claim=pair.claim,
                forward=weighed.forward,
                backward=weighed.backward,
                relation=weighed.relation,
                quote="" if stands is None else passages[pair.passage][stands[0] : stands[1]],
                stands=UNSET if stands is None else stands,
                reason=weighed.reason,
                citations=tuple(names[each] for each in pair.citations),
            ),
            weighed.position,
        )
        if weighed.relation != "contradicts":
            continue
        if (against := _words(pair.passage, passages, stands)) is None:
            why = f"the words that contradict it are not in passage {pair.passage}, or too short to tell"
            refuse_finding(batch, number, PURPOSE, _claim(batch, number, pair), why, weighed.position)
            continue
        reason = weighed.reason or f"Passage {pair.passage} says the opposite."
        _flag(batch, number, "contradicted_by_evidence", pair.claim, reason, position, against, by=_JUDGE)


def _claim(batch: EventBatch, number: int, pair: Pair) -> str:
    return batch.debate.transcript.turns[number].text[pair.claim[0] : pair.claim[1]]


def _stands(batch: EventBatch, weighed: WeighedPair, passage: str) -> Span | None:
    """Return where the words that the judge relies on stand in the passage; None if it copied none."""
    rubric = batch.debate.ledger.rubric
    minimum = rubric.quote_minimum if rubric else 1
    return next((span for quote in weighed.quotes if (span := stands_in(quote, passage, minimum))), None)


def _flag(
    batch: EventBatch,
    number: int,
    kind: EvidenceKind,
    span: Span,
    reason: str,
    cause: int,
    against: QuotedPassage | None,
    *,
    by: str,
) -> str:
    """Enter a claim into the register, with its cost beyond what the same words have cost; return its id.

    Empty if the rubric has no such rule, or if the same claim has cost as much already.
    """
    rubric, turn = batch.debate.ledger.rubric, batch.debate.transcript.turns[number]
    rule = rule_of(rubric, kind) if rubric else None
    if rule is None:
        return ""
    quote = turn.text[span[0] : span[1]]
    points, beyond, register = rule.points, rule.points, batch.debate.claims
    known = min(known_claims(batch.debate, turn.side, quote), key=lambda each: cost_of(register[each]), default=None)
    if known is not None:
        beyond += cost_of(register[known])
        if beyond <= 0:
            refuse_finding(batch, number, PURPOSE, quote, f"already flagged as {known}", cause)
            return ""
        if not pays_together(batch.debate, number, register[known], span):
            points = beyond
    name = next_claim(batch.debate, number)
    flag = batch.add(
        ClaimFlagged(
            claim=name,
            turn=number,
            quote=quote,
            span=span,
            kind=kind,
            reason=reason,
            by=by,
            evidence=against or UNSET,
            given=given_points(rubric, rule.dimension, points) if rubric else UNSET,
        ),
        cause,
    )
    paid = f" (beside what {known} has cost)" if known is not None and beyond < rule.points else ""
    charge_claim(batch, name, rule.dimension, points, because_of=flag, reason=f"{name} {rule.asks}{paid}")
    return name
