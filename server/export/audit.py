"""The audit of one turn: its score entries with their causes, and what was not answered, not checked or refused."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.ledger import Evidence, ScoreEntry
from events.state.scorecard import basis_of
from events.state.witnesses import Witness, witnesses_of
from events.types import (
    CitationChecked,
    ClaimUpheld,
    EvidenceWeighed,
    FindingRefused,
    QuotedPassage,
    Reason,
    ScorecardVerdictReached,
)
from events.view.trail import FailedCall
from events.view.turn_view import ComparisonView, ComponentView, turn_view
from events.view.view import Fold
from judge.guard.quotes import place
from judge.live.gaps import AUDIT, NOTHING_LEFT
from judge.report.verdict_check import VerdictCheck, check_of
from judge.rubrics.rubric import change_name
from providers.imports import load
from server.export.labels import compared
from server.export.reasons import given_points, plain_charge, plain_reason
from server.export.wording import NAMES
from server.feed.hub import Hub

FLAWS: Final = frozenset({"gaps", "gaps_and_premises", "audit"})
"""Questions about flaws, also in other turns than the one for which they are asked."""


ROUTINE: Final = frozenset({"band", "cap"})
"""Kinds of entries that every turn gets."""
SAID_BY_RULE: Final = {
    "fabricated_citation": "invented study or source",
    "overclaim": "too wide for its grounds",
    "inverted_fact": "a fact turned round",
    "reversed_causality": "cause and effect reversed",
    "no_mechanism": "names no mechanism",
    "hollow_specificity": "sounds exact, names no cause",
    "dropped_premise": "gave up a premise without a word",
}
"""Rules that take points, as a person says them."""


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One score entry.  ``call`` names the model call that it follows from, if it follows from one."""

    position: int
    cause: int | None
    rule: str
    kind: str
    dimension: str
    requested: float
    applied: float
    before: float
    after: float
    evidence: tuple[Evidence, ...]
    reason: str
    call: str | None
    against: QuotedPassage | UnsetType = UNSET
    """The words of the evidence that stand against the claim that cost the points."""
    given: float | UnsetType = UNSET
    """The points that the judge gave for a flaw, where the rules requested another number; below 0."""
    words: str | UnsetType = UNSET
    """``reason`` in plain words, where it holds short notes of the rules."""
    rule_words: str = ""
    """The rule in words."""
    what: str = ""
    """What happened, as a person says it: an invented study, a flaw exposed by turn 4."""
    is_routine: bool = False
    """Whether it is an adjustment that every turn gets."""


class RefusedFinding(Struct, frozen=True, kw_only=True):
    """A finding of the judge that a rule refused or corrected, under the turn whose words it quotes."""

    position: int
    purpose: str
    quote: str
    reason: str
    call: str | None
    judged_with: int | UnsetType = UNSET
    """The turn whose questions brought it, if it is about another one; unset for what the closing audit found."""
    by_audit: bool | UnsetType = UNSET
    """Present and true if the closing audit found it."""
    is_paid: bool | UnsetType = UNSET
    """Present and true if the finding holds, and nothing is left to take for it."""


class SettledClaim(Struct, frozen=True, kw_only=True):
    """The second opinion on a suspect claim, or what the evidence decides of it (``by`` is ``evidence``)."""

    position: int
    claim: str
    verdict: Literal["upheld", "cleared"]
    by: str
    reason: str
    call: str | None


class ClosingAudit(Struct, frozen=True, kw_only=True):
    """The search for flaws in every turn after the last one: how many turns lost points, or why there is no answer."""

    position: int
    found: int
    call: str | None
    missing: Reason | UnsetType = UNSET


class ComparedReading(Struct, frozen=True, kw_only=True):
    """What the judge said of two turns in one order, with the names of the sides."""

    order: tuple[str, ...]
    """The sides in the order of reading; empty if it is not known."""
    text: str


class ComparisonAudit(Struct, frozen=True, kw_only=True):
    """The reasons of a comparison of the turn with an earlier one."""

    earlier: int
    readings: tuple[ComparedReading, ...]


class VerdictAudit(Struct, frozen=True, kw_only=True):
    """The verdict of the scores with what it rests on, where the rubric says how sure it must be."""

    position: int
    verdict: ScorecardVerdictReached
    name_at: float
    """The certainty from which on a side is named."""
    turns: int
    paired: int
    """Comparisons between the sides that moved or filled a score, in so many judged turns."""
    witnesses: tuple[Witness, ...]
    pull: float | UnsetType = UNSET
    """The weight of the ring: a comparison moves each of its turns by half of this share of what lacks."""
    check: VerdictCheck | UnsetType = UNSET
    """Unset where no pair of compared turns has two scores."""


class Audit(Struct, frozen=True, kw_only=True):
    """All score entries of a turn in order, and the scores after them; then what is missing, if anything is.

    Questions about the whole debate count for its last turn.
    """

    turn: int
    side: str
    entries: tuple[AuditEntry, ...]
    effective: dict[str, float]
    components: dict[str, dict[str, ComponentView]] | UnsetType = UNSET
    """The parts of the score with their reasons and quotes: by dimension, then by component."""
    comparisons: tuple[ComparisonAudit, ...] | UnsetType = UNSET
    missing: Reason | UnsetType = UNSET
    absent: dict[str, Reason] | UnsetType = UNSET
    """Dimensions without a score."""
    unchecked: dict[str, Reason] | UnsetType = UNSET
    """``claims``, ``gaps``, ``premises`` or ``evidence`` without a usable answer."""
    failed: tuple[FailedCall, ...] | UnsetType = UNSET
    refused: tuple[RefusedFinding, ...] | UnsetType = UNSET
    opinions: tuple[SettledClaim, ...] | UnsetType = UNSET
    closing: ClosingAudit | UnsetType = UNSET
    """Of the last turn only, as is the next."""
    verdict: VerdictAudit | UnsetType = UNSET
    passages: tuple[str, ...] | UnsetType = UNSET
    """The passages of the evidence that the debater was given."""
    citations: tuple[CitationChecked, ...] | UnsetType = UNSET
    weighed: tuple[EvidenceWeighed, ...] | UnsetType = UNSET
    """What the judge said of passages and claims of the turn."""


class Auditor:
    """Makes the audit of any turn of a debate."""

    def __init__(self, fold: Fold) -> None:
        self.debate, self._trail = fold.debate, fold.trail

    @cached_property
    def _refused(self) -> dict[int, list[RefusedFinding]]:
        """What rules refused or corrected in answers, by the turn that it is about."""
        found = defaultdict[int, list[RefusedFinding]](list)
        for position, event in self.debate.refused:
            about, call = self._quoted_turn(position, event), self.cause_call(position)
            by_audit = call is not None and call.partition(".")[0] == AUDIT
            found[about].append(
                RefusedFinding(
                    position=position,
                    purpose=event.purpose,
                    quote=event.quote,
                    reason=event.reason,
                    call=call,
                    judged_with=UNSET if by_audit or about == event.turn else event.turn,
                    by_audit=by_audit or UNSET,
                    is_paid=event.reason.startswith(NOTHING_LEFT) or UNSET,
                )
            )
        return found

    @cached_property
    def _opinions(self) -> dict[int, list[SettledClaim]]:
        """What became of suspect claims, by their turn."""
        found = defaultdict[int, list[SettledClaim]](list)
        for position, event in self._trail.settled:
            if event.claim in self.debate.claims:
                settled = SettledClaim(
                    position=position,
                    claim=event.claim,
                    verdict="upheld" if isinstance(event, ClaimUpheld) else "cleared",
                    by=event.by,
                    reason=event.reason,
                    call=self.cause_call(position),
                )
                found[self.debate.claims[event.claim].turn].append(settled)
        return found

    @property
    def _closing(self) -> ClosingAudit | None:
        audited, position = self.debate.audited, self._trail.audited
        if audited is None:
            return None
        call = self.cause_call(position)
        return ClosingAudit(position=position, found=audited.found, missing=audited.missing, call=call)

    def _quoted_turn(self, position: int, refused: FindingRefused) -> int:
        """The turn that a refused finding is about.  Older logs do not name it: it is the one that has the quote."""
        if refused.about is not UNSET:
            return refused.about
        rubric, turns = self.debate.ledger.rubric, self.debate.transcript.turns
        if refused.purpose not in FLAWS or rubric is None or not refused.quote:
            return refused.turn
        quoted = [
            number
            for number, turn in turns.items()
            if 0 < turn.spoken < position and not isinstance(place(refused.quote, turn.text, rubric.quote_minimum), str)
        ]
        return quoted[0] if len(quoted) == 1 else refused.turn

    def optional_parts(self, number: int) -> dict[str, Any]:
        """What is missing, refused, settled or cited in a turn, as fields of its audit; nothing empty."""
        is_last = number == len(self.debate.transcript.turns)
        cited = self.debate.citations
        failed = self._trail.failed.get(number, ()) + (self._trail.failed.get(None, ()) if is_last else ())
        parts = {
            "failed": failed,
            "refused": tuple(self._refused.get(number, ())),
            "opinions": tuple(self._opinions.get(number, ())),
            "unchecked": self.debate.unchecked.get(number),
            "closing": self._closing if is_last else None,
            "verdict": _verdict(self.debate) if is_last else None,
            "passages": self.debate.transcript.turns[number].passages,
            "citations": tuple(each for each in cited.checked.values() if each.turn == number),
            "weighed": tuple(each for each in cited.weighed.values() if each.turn == number),
        }
        return {name: part for name, part in parts.items() if part}

    def cause_call(self, position: int) -> str | None:
        """The judge's call that an event follows from; None if it follows from none."""
        return self._trail.calls.get(position)

    def refused(self) -> Iterator[RefusedFinding]:
        """What rules refused or corrected in answers, of all turns."""
        return (each for found in self._refused.values() for each in found)

    def audit(self, number: int) -> Audit | None:
        """The audit of a turn; None if the debate has no such turn."""
        return _audit(self, self.debate, number)

    def audits(self) -> list[Audit]:
        """The audits of all turns, in order."""
        return [each for number in sorted(self.debate.transcript.turns) if (each := self.audit(number)) is not None]


async def auditor_of(hub: Hub, debate: str) -> Auditor:
    """The auditor of a debate as it is now, from the hub's fold.  Raises ``UnknownDebate``."""
    fold = await hub.view_at(debate, None)
    if fold.debate.verdicts.scorecard is not None or fold.debate.panel.conclusion is not UNSET:
        await load("numpy")  # importing it on the loop would block every debate
    return Auditor(fold)


def _audit(auditor: Auditor, debate: Debate, number: int) -> Audit | None:
    turn = debate.transcript.turns.get(number)
    if turn is None:
        return None
    card = debate.ledger.cards.get(number)
    if card is None:
        return Audit(turn=number, side=turn.side, entries=(), effective={}, **auditor.optional_parts(number))
    flagged = {
        claim.flagged: (Evidence(turn=claim.turn, quote=claim.quote, span=claim.span),)
        for claim in debate.claims.values()
    }
    shown = turn_view(debate, number)
    against = {claim.flagged: claim.evidence for claim in debate.claims.values()}
    return Audit(
        turn=number,
        side=turn.side,
        entries=tuple(
            AuditEntry(
                position=each.position,
                cause=each.cause,
                rule=each.rule,
                kind=each.kind,
                dimension=each.dimension,
                requested=each.requested,
                applied=each.applied,
                before=each.before,
                after=each.after,
                evidence=each.evidence or flagged.get(each.cause or 0, ()),
                reason=each.reason,
                call=auditor.cause_call(each.position),
                against=against.get(each.cause or 0, UNSET),
                **_in_words(each),
            )
            for each in card.entries
        ),
        effective={name: balance.effective for name, balance in card.balances.items()},
        components=shown.components or UNSET,
        comparisons=tuple(_comparisons(debate, (shown.compared, shown.closing))) or UNSET,
        missing=UNSET if card.missing is None else card.missing,
        absent=card.absent or UNSET,
        **auditor.optional_parts(number),
    )


def _comparisons(debate: Debate, found: Iterable[ComparisonView | UnsetType]) -> Iterator[ComparisonAudit]:
    sides = {number: turn.side for number, turn in debate.transcript.turns.items()}
    for each in found:
        if each and each.reason:
            readings = tuple(
                ComparedReading(order=tuple(NAMES[sides[turn]] for turn in turns if turn in sides), text=text)
                for turns, text in compared(each.reason, sides, sides.get(1, "pro"))
            )
            yield ComparisonAudit(earlier=each.earlier, readings=readings)


def _verdict(debate: Debate) -> VerdictAudit | None:
    """The verdict with what it rests on; None before it, and where the rubric does not say how sure it must be."""
    given, rubric = debate.verdicts.scorecard, debate.ledger.rubric
    if given is None or rubric is None or rubric.certainty is UNSET:
        return None
    basis = basis_of(debate.ledger, debate.exchanges)
    return VerdictAudit(
        position=debate.verdicts.positions["scorecard"],
        verdict=given,
        name_at=rubric.certainty.name_at,
        turns=basis.turns,
        paired=basis.paired,
        witnesses=witnesses_of(debate),
        pull=UNSET if debate.ledger.ring is None else debate.ledger.ring.weight,
        check=check_of(debate) or UNSET,
    )


def _in_words(entry: ScoreEntry) -> dict[str, Any]:
    """An entry in words; ``given`` and ``words`` where they say more than its request and its reason."""
    given = given_points(entry.reason, entry.requested) if entry.kind == "gap" else entry.requested
    given = -entry.given or given
    words = plain_charge(entry.reason, entry.requested) if entry.kind == "gap" else plain_reason(entry.reason)
    return {
        "given": UNSET if given == entry.requested else given,
        "words": UNSET if words == entry.reason else words,
        "rule_words": change_name(entry.rule),
        "what": _what(entry),
        "is_routine": entry.kind in ROUTINE or entry.rule == "docking",
    }


def _what(entry: ScoreEntry) -> str:
    if entry.kind != "gap":
        return SAID_BY_RULE.get(entry.rule, change_name(entry.rule))
    turns = [each.turn for each in entry.evidence]
    is_exposed = len(turns) > 1 and turns[0] != turns[1]
    return f"flaw exposed by turn {turns[1]}" if is_exposed else "flaw of its own"
