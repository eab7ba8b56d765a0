"""The report on a transcript: the outcome, the suspect claims that stand, and the flaws that were exposed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from events.state.claims import Claim
from events.state.debate import Conclusion
from events.state.outcome import OutcomeWords
from events.types import SIDES, LogicGapAdjusted, Reason, Side
from events.view.turn_view import Attempt, ComponentView
from judge.guard.injection import POSSIBLE
from server.export.gate.artifact import INSTRUCTIONS
from server.export.gate.places import JudgedFile
from server.export.gate.report import GateFinding, GateReport, Position, Result, UnclearIs
from server.export.labels import named
from server.export.wording import NAMES, judge_name
from server.process.version import VERSION

CLAIMS: Final = "claims"
FLAWS: Final = "flaws"
FAIL_ON: Final = (*SIDES, CLAIMS, FLAWS)
CHECKS: Final = {CLAIMS: "claims", FLAWS: "gaps"}
"""The questions about each turn by what they find."""
MAX_REASONS: Final = 3
"""Quotes that show on what an outcome rests."""


class ReadTurn(Struct, frozen=True, kw_only=True):
    """What is read of a turn of the view; see ``events.view.turn_view.TurnView``, which JSON cannot be turned into."""

    side: Side
    components: dict[str, dict[str, ComponentView]] = {}
    injections: tuple[Attempt, ...] = ()
    unchecked: dict[str, Reason] | UnsetType = UNSET


def transcript_report(
    view: Mapping[str, Any],
    file: JudgedFile,
    *,
    judge: str,
    flaws: Iterable[LogicGapAdjusted],
    audit_missing: str,
    fail_on: Sequence[str],
    unclear_is: UnclearIs | None,
    link: str,
    stopped: str,
) -> GateReport:
    """The report on a debate that was held elsewhere.  ``view``: as it is sent to readers.

    ``audit_missing``: why the last look for flaws gave no answer; empty if it gave one or was not due.
    """
    turns = {number: msgspec.convert(each, ReadTurn) for number, each in view["turns"].items()}
    ended = msgspec.convert(view["conclusion"], Conclusion) if "conclusion" in view else None
    words = msgspec.convert(view["outcome"], OutcomeWords).text if "outcome" in view else ""
    winner = "" if ended is None or ended.winner == "neither" else str(ended.winner)
    first = turns["1"].side if "1" in turns else "pro"
    by = judge_name(judge)
    rests_on = _quotes_for(winner, turns, file, by, first)
    found = (*_claims(view, file, first, fail_on), *_flaws(flaws, file, by, first, fail_on))
    unclear = []
    if ended is None:
        unclear.append(f"The debate was not judged to its end: {stopped}.")
    elif set(SIDES) & set(fail_on) and not winner:
        unclear.append(words or "No side is named.")
    elif winner in fail_on and not rests_on:
        unclear.append(f"{NAMES[winner]} is named, but no score of this side rests on a quote that was checked.")
    unclear += _unchecked(turns, fail_on, audit_missing)
    told = [number for number, each in turns.items() if any(part.pattern != POSSIBLE for part in each.injections)]
    if told:
        unclear.append(f"Turn {told[0]} gives the judge instructions, so a person must read it.")
    fails = any(each.fails for each in found) or (winner in fail_on and bool(rests_on))
    result: Result = "fail" if fails else "unclear" if unclear else "pass"
    outcome = _outcome(winner, words, rests_on, by, fails=winner in fail_on and bool(rests_on))
    return GateReport(
        result=result,
        file=file.uri,
        question=view["motion"],
        options=tuple(NAMES[side] for side in SIDES),
        verdict=NAMES.get(winner, ""),
        outcome=" ".join((words or "No outcome.", *_counted(found, fail_on))),
        certainty=(),
        fail_on=tuple(fail_on),
        unclear=tuple(unclear) if result == "unclear" else (),
        unclear_is=unclear_is,
        findings=(*outcome, *found, *_instructions(turns, file)),
        positions=rests_on,
        debate=view["id"],
        link=link,
        opened_at=view["opened_at"],
        version=VERSION,
    )


def _outcome(winner: str, words: str, rests_on: Sequence[Position], by: str, *, fails: bool) -> Iterator[GateFinding]:
    if winner and rests_on:
        best = rests_on[0]
        yield GateFinding(
            rule="outcome",
            text=words,
            judges=(by,),
            reason=best.reason,
            verdict=winner,
            quote=best.quote,
            fails=fails,
        )


def _quotes_for(
    winner: str, turns: Mapping[str, ReadTurn], file: JudgedFile, by: str, first: Side
) -> tuple[Position, ...]:
    """The quotes of the named side on which its best scores rest, the best first."""
    rated = [
        (each.admitted / each.maximum, each)
        for turn in turns.values()
        if turn.side == winner
        for parts in turn.components.values()
        for each in parts.values()
        if each.verified and each.quote and each.maximum
    ]
    rated.sort(key=lambda pair: -pair[0])
    once = {each.quote: each for _, each in rated}
    return tuple(
        Position(
            judge=by,
            model=by,
            verdict=NAMES[winner],
            reason=named(each.reason, first),
            quote=file.quote(each.quote, checked=True),
        )
        for each in list(once.values())[:MAX_REASONS]
    )


def _claims(view: Mapping[str, Any], file: JudgedFile, first: Side, fail_on: Sequence[str]) -> Iterator[GateFinding]:
    """The suspect claims that were not cleared; their quotes were checked when they were recorded."""
    for each in msgspec.convert(view.get("claims", {}), dict[str, Claim]).values():
        if each.state != "cleared":
            yield GateFinding(
                rule=each.kind,
                text=f"Suspect claim in turn {each.turn}: {each.kind.replace('_', ' ')}, {each.state}.",
                judges=(judge_name(each.by),),
                reason=named(each.answer or each.reason, first),
                verdict=CLAIMS,
                quote=file.quote(each.quote, checked=True),
                turn=each.turn,
                fails=CLAIMS in fail_on,
            )


def _flaws(
    flaws: Iterable[LogicGapAdjusted], file: JudgedFile, by: str, first: Side, fail_on: Sequence[str]
) -> Iterator[GateFinding]:
    """Each flaw once; both its quotes were checked when it was recorded."""
    for each in {(flaw.fails.turn, flaw.fails.quote): flaw for flaw in flaws}.values():
        yield GateFinding(
            rule="flaw",
            text=f"Flaw in turn {each.fails.turn}, exposed by turn {each.exposed_by.turn}.",
            judges=(by,),
            reason=named(each.reason, first),
            verdict=FLAWS,
            quote=file.quote(each.fails.quote, checked=True),
            turn=each.fails.turn,
            fails=FLAWS in fail_on,
        )


def _unchecked(turns: Mapping[str, ReadTurn], fail_on: Sequence[str], audit_missing: str) -> Iterator[str]:
    """What the gate asks for and the judge did not check."""
    for asked in filter(fail_on.__contains__, CHECKS):
        for number, turn in turns.items():
            lacks: dict[str, Reason] = turn.unchecked or {}
            if (why := lacks.get(CHECKS[asked])) is not None:
                yield f"Turn {number} was not checked for {asked}: {why.reason}."
    if FLAWS in fail_on and audit_missing:
        yield f"The last look for flaws gave no answer: {audit_missing}."


def _counted(found: Iterable[GateFinding], fail_on: Sequence[str]) -> Iterator[str]:
    counts = {kind: sum(each.verdict == kind for each in found) for kind in (CLAIMS, FLAWS)}
    for kind, one in ((CLAIMS, "suspect claim"), (FLAWS, "flaw")):
        if kind in fail_on or counts[kind]:
            yield f"{counts[kind]} {one}{'' if counts[kind] == 1 else 's'}."


def _instructions(turns: Mapping[str, ReadTurn], file: JudgedFile) -> Iterator[GateFinding]:
    for number, turn in turns.items():
        for each in turn.injections:
            if each.pattern == POSSIBLE:
                continue
            yield GateFinding(
                rule=INSTRUCTIONS,
                text=f"Turn {number} gives the judge instructions ({each.pattern.replace('_', ' ')}).",
                judges=("Moot",),
                quote=file.quote(each.quote, checked=True),
                turn=int(number),
            )
