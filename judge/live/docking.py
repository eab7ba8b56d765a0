"""What the findings of a turn take from it together: suspect claims, and flaws that other turns show.

A finding belongs to the sentence in which its quote begins, and a sentence pays for its gravest finding.  Points count
more in a short turn than in a long one, so that the same density of flaws costs the same.  Each entry is the difference
that one finding makes, so the sum depends on what was found and not on the order.  Source: docs/design.md.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.claims import Claim
from events.state.debate import Debate
from events.types import SIDES, Event, PenaltyApplied, PenaltyReversed, Span
from events.types.rubric import DockingRule, Rubric, rule_of
from judge.live.entries import penalize
from judge.live.event_batch import EventBatch
from judge.rubrics.rubric import fmt
from judge.text.words import sentences

RULE: Final = "docking"
"""The rule of entries that follow from no finding: the mean of the words moved, or a claim was cleared."""
SET: Final = frozenset({"penalty", "reversal", "gap"})
"""Kinds of entries that findings make."""


class Finding(Struct, frozen=True):
    """A finding in one turn."""

    name: str
    """In words: ``claim C3.1``."""
    sentence: int
    """The number of its sentence; below 0 for a finding without a place, which is a sentence by itself."""
    points: float
    """What it costs by itself in a turn of mean length."""


def docked(found: Iterable[Finding], times: float, rule: DockingRule) -> float:
    """The points that findings take together; ``times`` is the factor of the turn's length."""
    gravest: dict[int, float] = {}
    for each in found:
        gravest[each.sentence] = max(gravest.get(each.sentence, 0.0), each.points * times)
    most = max(rule.at_most, max(gravest.values(), default=0.0))
    return round(min(math.fsum(gravest.values()), most), 2)


def times_of(words: int, usual: float, rule: DockingRule) -> float:
    """By how much the points of a turn are multiplied: mean words ÷ own words, within the rule's bounds.

    It has one decimal: a few words more or less change nothing.
    """
    return round(min(max(usual / words if words else math.inf, rule.longer), rule.shorter), 1)


def is_weighed(rubric: Rubric | None, dimension: str) -> bool:
    """Whether findings that cost points of this dimension are weighed together."""
    return rubric is not None and rubric.docking is not UNSET and dimension == rubric.gaps.dimension


def due(debate: Debate, turn: int, *more: Finding) -> float:
    """What the findings of a turn, and ``more`` of them, take beyond what has been taken."""
    rubric = debate.ledger.rubric
    assert rubric is not None, "a debate has a rubric"
    assert rubric.docking is not UNSET, "its findings are weighed together"
    wanted = docked((*findings(debate, turn), *more), times(debate, turn), rubric.docking)
    return round(wanted - _taken(debate, rubric, turn), 2) + 0.0


def times(debate: Debate, turn: int) -> float:
    """The factor of a turn's length.  The mean is that of the turns up to the next one, and then stays."""
    rubric, turns = debate.ledger.rubric, debate.transcript.turns
    assert rubric is not None, "a debate has a rubric"
    assert rubric.docking is not UNSET, "its findings are weighed together"
    return times_of(turns[turn].words, mean_words(debate, turn), rubric.docking)


def mean_words(debate: Debate, turn: int) -> float:
    """The mean of both sides' mean words, over the turns up to the one after ``turn``.

    A mean over all turns would count the side more that has spoken once more.
    """
    spoken = [each for each in debate.transcript.turns.values() if each.number <= turn + 1 and each.spoken]
    sides = ([each.words for each in spoken if each.side == side] for side in SIDES)
    means = [sum(words) / len(words) for words in sides if words]
    return sum(means) / len(means)


def findings(debate: Debate, turn: int) -> Iterator[Finding]:
    """What was found in a turn and was not cleared, also what others have paid for."""
    rubric = debate.ledger.rubric
    starts = [start for start, _ in sentences(debate.transcript.turns[turn].text)]
    for name, claim in debate.claims.items():
        if claim.turn != turn or claim.state == "cleared" or not claim.given or rubric is None:
            continue
        rule = rule_of(rubric, claim.kind)
        if rule and is_weighed(rubric, rule.dimension):
            yield Finding(f"claim {name}", _sentence(starts, claim.span), claim.given)
    card = debate.ledger.cards.get(turn)
    for entry in () if card is None else card.entries:
        if entry.kind == "gap" and entry.given:
            fails, shown = entry.evidence[:2]
            name = f"the flaw that turn {shown.turn} shows"
            yield Finding(name, _sentence(starts, fails.span) if fails.span else -entry.position, entry.given)
    for position, refused in debate.refused:
        about = refused.turn if refused.about is UNSET else refused.about
        if about == turn and refused.given:
            place = _sentence(starts, refused.span) if refused.span else -position
            yield Finding("a flaw that is paid for", place, refused.given)


def place_of(debate: Debate, turn: int, span: Span) -> int:
    """The number of the sentence in which words begin."""
    return _sentence([start for start, _ in sentences(debate.transcript.turns[turn].text)], span)


def _sentence(starts: list[int], span: Span) -> int:
    return max(bisect_right(starts, span[0]), 1)


def _taken(debate: Debate, rubric: Rubric, turn: int) -> float:
    """Points that findings have taken from a turn, less what was given back."""
    entries = debate.ledger.cards[turn].entries
    return -math.fsum(
        each.requested
        for each in entries
        if each.kind in SET and each.dimension == rubric.gaps.dimension and each.rule not in rubric.conduct
    )


def note(debate: Debate, turn: int, found: Finding, charged: float) -> str:
    """How the points of a finding became those that are charged, in brackets; empty if they are the same.

    The finding is none of the debate's yet, or the newest of its claims.
    """
    rubric = debate.ledger.rubric
    if rubric is None or rubric.docking is UNSET or charged == found.points:
        return ""
    counts = times(debate, turn)
    parts = [f"{fmt(found.points)} by itself"]
    if counts != 1:
        longer = "longer" if counts < 1 else "shorter"
        parts.append(f"{fmt(counts)} times that, since the turn is {longer} than the mean")
    same = [each for each in findings(debate, turn) if each.sentence == found.sentence and each.name != found.name]
    if same:
        gravest = max(same, key=lambda each: each.points)
        if gravest.points >= found.points:
            parts.append(f"its sentence pays once, for its gravest finding: {gravest.name} costs {fmt(gravest.points)}")
        else:
            parts.append(f"its sentence pays once, and {gravest.name} has cost {fmt(gravest.points)} of that")
    alone = round(max(found.points - max((each.points for each in same), default=0.0), 0.0) * counts, 2)
    if charged < alone:
        parts.append(
            f"the findings of one turn take at most {fmt(rubric.docking.at_most)} together, or what the gravest costs"
        )
    return f" ({'; '.join(parts)})"


def given_points(rubric: Rubric, dimension: str, points: float) -> float | UnsetType:
    """The points of a claim as its flag records them; unset where claims are paid for by themselves."""
    return points if is_weighed(rubric, dimension) else UNSET


def cost_of(claim: Claim) -> float:
    """What a claim costs by itself, 0 or less; a claim that was cleared costs nothing."""
    if claim.given is UNSET:
        return claim.requested
    return 0.0 if claim.state == "cleared" else -claim.given


def pays_together(debate: Debate, turn: int, claim: Claim, span: Span) -> bool:
    """Whether words of a turn stand in the sentence of a claim that is weighed with the other findings of its turn."""
    is_own = claim.turn == turn and claim.given is not UNSET
    return is_own and place_of(debate, turn, claim.span) == place_of(debate, turn, span)


def charge_claim(batch: EventBatch, name: str, dimension: str, points: float, *, because_of: int, reason: str) -> None:
    """Take from its turn what a claim costs that has just been flagged."""
    claim = batch.debate.claims[name]
    if is_weighed(batch.debate.ledger.rubric, dimension):
        if batch.debate.ledger.balance(claim.turn, dimension) is None:
            return
        found = Finding(f"claim {name}", place_of(batch.debate, claim.turn, claim.span), points)
        points = due(batch.debate, claim.turn)
        reason += note(batch.debate, claim.turn, found, points)
    penalize(batch, claim.turn, dimension, points, rule=claim.kind, because_of=because_of, reason=reason, claim=name)


def recount(batch: EventBatch, turn: int, cause: int, reason: str) -> None:
    """Bring what the findings of a turn have taken up to date; nothing where it is."""
    rubric = batch.debate.ledger.rubric
    if rubric is None or not is_weighed(rubric, dimension := rubric.gaps.dimension):
        return
    balance = batch.debate.ledger.balance(turn, dimension)
    if balance is None or not (points := due(batch.debate, turn)):
        return
    kind: type[Event] = PenaltyApplied if points > 0 else PenaltyReversed
    batch.add(
        kind(
            turn=turn,
            dimension=dimension,
            requested=-points,
            applied=-points,
            rule=RULE,
            because_of=cause,
            reason=reason,
        ),
        cause,
    )


def recount_by_length(batch: EventBatch, turn: int) -> None:
    """Weigh the findings of ``turn`` by the mean of the words once the turn after it has been spoken."""
    after = batch.debate.transcript.turns.get(turn + 1)
    if after is None or turn not in batch.debate.ledger.cards:
        return
    usual, words = mean_words(batch.debate, turn), batch.debate.transcript.turns[turn].words
    recount(
        batch, turn, after.spoken, f"turn {turn} has {words} words, and the mean up to turn {turn + 1} is {fmt(usual)}"
    )
