"""Logic gaps: an earlier turn loses points for a flaw that a later turn exposes."""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from events.state.debate import Debate
from events.types import DebateAudited, LogicGapAdjusted, Passage, Side, Span, TurnSpoken
from events.types.rubric import Rubric
from judge.guard.quotes import place
from judge.live.answers import Answers, Quote, Why, is_majority, overlapping, overlaps, why_missing
from judge.live.docking import Finding, due, is_weighed, note, place_of
from judge.live.entries import SERIOUS, absorbed_note, applied_change, misquote, record_notes, refuse_finding
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, Prompts, speaker, turn_prompt
from judge.live.scoring import applicable
from judge.rubrics.rubric import GAP_MAXIMUM, fmt
from judge.templates import fill, section

PURPOSE: Final = "gaps"
AUDIT: Final = "audit"
RULE: Final = "logic_gap"
MAX_AUDIT_FLAWS: Final = 3
"""Flaws of one speaker for which the closing audit may take points off."""
NOTHING_LEFT: Final = "nothing is left to pay"
"""How the reason begins for which a flaw is refused that is paid for, or that comes after the most for one turn."""
HISTORY: Final = 3
"""Earlier turns in the prompt."""


_BETWEEN_NAMES: Final = re.compile(r"[^\w.-]+")
"""What stands between the names of claims and components."""


class Gap(Struct, frozen=True, kw_only=True):
    """One flaw, and the words that expose it."""

    turn: Annotated[int, Meta(ge=1, le=200)]
    fails: Quote
    exposed_by: Quote
    reason: Why = ""
    points: Annotated[int, Meta(ge=1, le=GAP_MAXIMUM)]


class GapsAnswer(Struct, frozen=True, kw_only=True):
    """The flaws that one turn exposes: ``{"gaps": [{"turn", "fails", "exposed_by", "reason", "points"}]}``."""

    gaps: Annotated[list[Gap], Meta(max_length=3)]


class GradedGap(Gap, frozen=True, kw_only=True):
    """A flaw that may continue one that has cost points already."""

    continues: Annotated[str, Meta(max_length=40)] = ""
    """Claims (``C3.1``) and components of that turn's score; empty if the flaw is new."""


class GradedGaps(Struct, frozen=True, kw_only=True):
    """The flaws that one turn exposes, as a judge that reads the whole debate names them."""

    gaps: Annotated[list[GradedGap], Meta(max_length=3)]


class ShownGap(Gap, frozen=True, kw_only=True):
    """A flaw found after the last turn; the words that show it are in the turn ``shown_in``."""

    shown_in: Annotated[int, Meta(ge=1, le=200)]


class ShownGaps(Struct, frozen=True, kw_only=True):
    """All flaws found after the last turn, in turns of both speakers."""

    gaps: Annotated[list[ShownGap], Meta(max_length=6)]


class AuditedGap(GradedGap, frozen=True, kw_only=True):
    """The same where a flaw may continue one that has cost points already."""

    shown_in: Annotated[int, Meta(ge=1, le=200)]


class AuditAnswer(Struct, frozen=True, kw_only=True):
    """All flaws found after the last turn, where a flaw may continue one that has cost points already."""

    gaps: Annotated[list[AuditedGap], Meta(max_length=6)]


def gaps_type(rubric: Rubric, *, reads_whole: bool) -> type[GapsAnswer | GradedGaps]:
    """The type of an answer about one turn."""
    return GradedGaps if reads_whole and rubric.docking is UNSET else GapsAnswer


def audit_type(rubric: Rubric) -> type[AuditAnswer | ShownGaps]:
    """The type of the closing audit's answer."""
    return AuditAnswer if rubric.docking is UNSET else ShownGaps


def gaps_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Ask which flaws the last of ``spoken`` exposes."""
    turn = spoken[-1]
    ask = fill(
        section(prompts["gaps"], "ask"),
        turn=str(turn.turn),
        speaker=speaker(spoken, turn),
        least=fmt(rubric.gaps.least),
        most=fmt(rubric.gaps.most),
    )
    return turn_prompt(prompts, motion, spoken, ask, history=HISTORY)


class _LocatedGap(Struct, frozen=True):
    gap: Gap
    fails: Span
    exposed_by: Span
    position: int
    """Position of the answer."""


def dock(batch: EventBatch, number: int, answers: Answers[Any]) -> None:
    """Take points off for flaws that more than half of the samples name, if both quotes are in their turns."""
    record_notes(batch, number, PURPOSE, answers)
    by_turn: dict[int, list[tuple[int, Span, _LocatedGap]]] = {}
    for sample, (position, answer) in enumerate(answers.given):
        for gap in answer.gaps:
            found = _checked(batch.debate, number, gap, position)
            if isinstance(found, str):
                refuse_finding(batch, number, PURPOSE, gap.fails, found, position, about=gap.turn)
            else:
                by_turn.setdefault(gap.turn, []).append((sample, found.fails, found))
    for turn, findings in sorted(by_turn.items()):
        for group in overlapping(findings):
            votes, samples = len({sample for sample, _, _ in group}), len(answers.given)
            if is_majority(votes, samples):
                _dock(batch, turn, number, {sample: found for sample, _, found in reversed(group)})
            else:
                why = f"only {votes} of {samples} samples find this flaw"
                refuse_finding(batch, number, PURPOSE, group[0][2].gap.fails, why, group[0][2].position, about=turn)


def misquoted(debate: Debate, number: int, answer: GapsAnswer | GradedGaps) -> str:
    """Return the serious flaws of an answer whose quotes do not hold, in words; empty if there are none."""
    faults = [
        f"gaps, number {at}: {why}"
        for at, gap in enumerate(answer.gaps, start=1)
        if gap.points >= SERIOUS and isinstance(why := _checked(debate, number, gap, 0), str)
    ]
    return misquote(faults)


def _checked(debate: Debate, number: int, gap: Gap, position: int) -> _LocatedGap | str:
    """Return the gap with the spans of its quotes, or why it is refused."""
    if gap.turn >= number or gap.turn not in debate.transcript.turns:
        return f"turn {gap.turn} does not stand before turn {number}"
    return _located(debate, gap, number, position)


def _located(debate: Debate, gap: Gap, number: int, position: int) -> _LocatedGap | str:
    """Return the gap with the spans of its quotes, the second in turn ``number``, or why it is refused."""
    rubric, turns = debate.ledger.rubric, debate.transcript.turns
    if rubric is None or gap.turn not in turns or number not in turns:
        return f"there is no turn {gap.turn} or no turn {number}"
    if debate.ledger.balance(gap.turn, rubric.gaps.dimension) is None and rubric.docking is UNSET:
        return f"turn {gap.turn} has no score"
    spans = []
    for quote, turn, what in _quotes(gap, number):
        found = place(quote, turns[turn].text, rubric.quote_minimum)
        if isinstance(found, str):
            return f"the quote of {what} {found}" if found else f"{what} are not in turn {turn}"
        spans.append(found)
    return _LocatedGap(gap, spans[0], spans[1], position)


def _quotes(gap: Gap, number: int) -> tuple[tuple[str, int, str], ...]:
    """Return (quote, turn, what it quotes) for both quotes of a gap that turn ``number`` exposes."""
    return (gap.fails, gap.turn, "the words that fail"), (gap.exposed_by, number, "the words that expose it")


def audit(batch: EventBatch, answers: Answers[AuditAnswer] | Answers[ShownGaps]) -> None:
    """Take points off every turn for flaws that the closing audit shows, and record that it was made.

    The words that show a flaw may be in any turn.  Of several samples the first counts.
    """
    debate = batch.debate
    if not answers.given:
        batch.add(DebateAudited(missing=why_missing(answers)), debate.course)
        return
    last = len(debate.transcript.turns)
    record_notes(batch, last, AUDIT, answers)
    position, answer = answers.given[0]
    docked: set[int] = set()
    found: Counter[Side] = Counter()
    for gap in answer.gaps:
        located = _located(batch.debate, gap, gap.shown_in, position)
        if isinstance(located, str):
            refuse_finding(batch, last, AUDIT, gap.fails, located, position, about=gap.turn)
            continue
        side = debate.transcript.turns[gap.turn].side
        if found[side] == MAX_AUDIT_FLAWS:
            why = f"the closing audit takes at most {MAX_AUDIT_FLAWS} flaws of one speaker"
            refuse_finding(batch, last, AUDIT, gap.fails, why, position, about=gap.turn)
        elif _dock(batch, gap.turn, gap.shown_in, {0: located}):
            docked.add(gap.turn)
            found[side] += 1
    batch.add(DebateAudited(found=len(docked)), position)


def _paid(batch: EventBatch, turn: int, continues: Sequence[str]) -> tuple[float, str]:
    """Points that a turn has already lost by the claims and components that a flaw continues, and a note on that."""
    paid = {name: each for name in continues if (each := _paid_for(batch, turn, name)) is not None}
    costs = (f"{name}, which {verb} {fmt(points)}" for name, (points, verb) in paid.items())
    note = ", and ".join(costs)
    return sum(points for points, _ in paid.values()), note and f"it continues {note}"


def _paid_for(batch: EventBatch, turn: int, name: str) -> tuple[float, str] | None:
    """Points that a turn has lost by one claim (it cost them) or component (it lost them); None if it has neither."""
    claim = batch.debate.claims.get(name)
    if claim is not None and claim.turn == turn:
        return -claim.requested, "cost"
    rubric, component = batch.debate.ledger.rubric, batch.debate.ledger.cards[turn].components.get(name)
    if component is None or rubric is None:
        return None
    dimension = rubric.dimensions[rubric.gaps.dimension]
    parts = applicable(rubric, turn)
    possible = sum(parts[each].maximum for each in dimension.components if each in parts)
    scale = dimension.maximum / possible if name in dimension.components else 1.0
    return round((parts[name].maximum - component.admitted) * scale, 1), "lost"


def _dock(batch: EventBatch, turn: int, number: int, found: dict[int, _LocatedGap]) -> bool:
    """Take points off ``turn`` once for a flaw in several samples: the first one's words, the median of the points."""
    rubric = batch.debate.ledger.rubric
    first = found[min(found)]
    assert rubric is not None, "checked before"
    asked = float(median(each.gap.points for each in found.values()))
    points = min(max(asked, rubric.gaps.least), rubric.gaps.most)
    if is_weighed(rubric, rubric.gaps.dimension):
        return _dock_together(batch, turn, number, first, points)
    if any(
        entry.rule == RULE and entry.evidence[0].span and overlaps(entry.evidence[0].span, first.fails)
        for entry in batch.debate.ledger.cards[turn].entries
    ):
        why = f"turn {turn} has lost points for these words already"
        refuse_finding(batch, number, PURPOSE, first.gap.fails, why, first.position, about=turn)
        return False
    balance = batch.debate.ledger.balance(turn, rubric.gaps.dimension)
    assert balance is not None, "checked before"
    notes = [] if points == asked else [f"requested {fmt(asked)}, allowed {fmt(points)}"]
    if isinstance(first.gap, GradedGap):
        names = [name.strip(".") for name in _BETWEEN_NAMES.split(first.gap.continues)]
        known = batch.debate.claims
        cleared = next((name for name in names if name in known and known[name].state == "cleared"), "")
        paid, note = _paid(batch, turn, names)
        points = max(0.0, round(points - paid, 2))
        notes += [note] if note else []
        if cleared or points == 0:
            why = f"{cleared} was cleared" if cleared else f"{NOTHING_LEFT} ({note})"
            refuse_finding(batch, number, PURPOSE, first.gap.fails, why, first.position, about=turn)
            return False
    if rubric.gaps.most_per_turn is not UNSET:
        most = max(rubric.gaps.most_per_turn, points)  # the gravest flaw counts in full
        lost = -sum(entry.requested for entry in batch.debate.ledger.cards[turn].entries if entry.rule == RULE)
        room = max(0.0, most - lost)
        if room == 0:
            why = f"{NOTHING_LEFT} (turn {turn} has lost {fmt(lost)} for flaws; {_limit(rubric.gaps.most_per_turn)})"
            refuse_finding(batch, number, PURPOSE, first.gap.fails, why, first.position, about=turn)
            return False
        if points > room:
            notes.append(f"requested {fmt(points)}; {_limit(rubric.gaps.most_per_turn)}")
            points = room
    applied = applied_change(balance, -points)
    if absorbed := absorbed_note(balance, -points, applied):
        notes.append(absorbed.strip(" ()"))
    reason = first.gap.reason + (f" ({'; '.join(notes)})" if notes else "")
    _record(batch, turn, number, first, (-points, applied), reason)
    return True


def _dock_together(batch: EventBatch, turn: int, number: int, first: _LocatedGap, points: float) -> bool:
    """Take what the flaw adds to all that was found in its turn; a flaw that adds nothing is refused and counts on."""
    debate, rubric = batch.debate, batch.debate.ledger.rubric
    assert rubric is not None, "checked before"
    flaw = Finding("the flaw", place_of(debate, turn, first.fails), points)
    has_score = debate.ledger.balance(turn, rubric.gaps.dimension) is not None
    charged = due(debate, turn, flaw) if has_score else 0.0
    notes = note(debate, turn, flaw, charged)
    if charged <= 0:
        why = f"{NOTHING_LEFT}{notes}" if has_score else f"turn {turn} has no score"
        refuse_finding(
            batch, number, PURPOSE, first.gap.fails, why, first.position, about=turn, given=points, span=first.fails
        )
        return False
    _record(batch, turn, number, first, (-charged, -charged), first.gap.reason + notes, given=points)
    return True


def _record(
    batch: EventBatch,
    turn: int,
    number: int,
    found: _LocatedGap,
    points: tuple[float, float],
    reason: str,
    *,
    given: float | UnsetType = UNSET,
) -> None:
    """Record what a flaw takes from ``turn``, as (requested, applied)."""
    rubric, texts = batch.debate.ledger.rubric, batch.debate.transcript.turns
    assert rubric is not None, "checked before"
    requested, applied = points
    batch.add(
        LogicGapAdjusted(
            turn=turn,
            dimension=rubric.gaps.dimension,
            requested=requested,
            applied=applied,
            rule=RULE,
            because_of=texts[number].spoken,
            reason=reason,
            fails=_passage(turn, texts[turn].text, found.fails),
            exposed_by=_passage(number, texts[number].text, found.exposed_by),
            given=given,
        ),
        found.position,
    )


def _limit(points: float) -> str:
    return f"the flaws of one turn cost at most {fmt(points)} together, or what the gravest costs alone"


def _passage(turn: int, text: str, span: Span) -> Passage:
    return Passage(turn=turn, quote=text[span[0] : span[1]], span=span)
