"""Comparison of two turns, in both orders, and what it moves: each turn with the one before, the first with the last.

The speeches are "first" and "second" in the order of the prompt.  A choice counts only if both orders agree; otherwise
the dimension is a draw and recorded as flipped.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct

from events.state.debate import Debate
from events.state.exchanges import Comparison
from events.state.ring import Held, held
from events.text.figures import shortest
from events.types import ComparisonOutcome, DebateOpened, Degree, Reason, ScoreHarmonized, TurnsCompared, TurnSpoken
from events.types.rubric import Band, Rubric
from judge.guard.neutralise import quoted
from judge.live.answers import Answers, Why, majority, why_missing
from judge.live.entries import absorbed_note, change_to
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, Prompts, opening
from judge.rubrics.rubric import fmt
from judge.templates import fill, section
from providers.base import Segment

Choice = Literal["first", "second", "draw"]
GradedChoice = Literal["first_clear", "first_slight", "draw", "second_slight", "second_clear"]
LABELS: Final = ("First", "Second")


@lru_cache(maxsize=16)
def _compare_type(dimensions: tuple[str, ...], *, graded: bool) -> type[Struct]:
    reason: tuple[str, Any, Any] = ("reason", Why, "")
    fields: list[Any] = [reason, *((name, GradedChoice if graded else Choice) for name in dimensions)]
    return msgspec.defstruct("Comparison", fields, frozen=True, kw_only=True, module=__name__)


def compare_type(rubric: Rubric) -> type[Struct]:
    """An answer: ``{"reason", dimension: "first"|"second"|"draw", …}`` for every dimension that has a band.

    Where the rubric grades comparisons, the choices are ``first_clear``, ``first_slight`` and so on.
    """
    return _compare_type(tuple(rubric.bands), graded=is_graded(rubric))


def is_graded(rubric: Rubric) -> bool:
    """Whether a comparison says how clear each win is."""
    return rubric.harmonization == "graded" or rubric.ring is not UNSET


def closes_ring(opened: DebateOpened, turn: int) -> bool:
    """Whether ``turn`` is compared with turn 1, too: the last one of more than two, where the rubric has a ring."""
    return opened.rubric.ring is not UNSET and turn == opened.turns > NEIGHBOURS


NEIGHBOURS: Final = 2
"""In a debate of two turns the first and the last are neighbours."""
CompareAnswer = dict[str, str]
"""What one sample says: its reason, and its choice by dimension.  Without a choice a dimension counts as drawn."""


def compared_dimensions(rubric: Rubric) -> str:
    """Return a line for each dimension that is compared: its name and what its components ask."""
    return "\n".join(
        f"- {name}: {', '.join(each.asks for each in rubric.dimensions[name].components.values())}"
        for name in rubric.bands
    )


def compare_prompt(
    prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken], order: tuple[int, ...]
) -> Prompt:
    """Ask about two turns in this order; the prompt does not tell which was spoken first, nor the side or model."""
    frame = section(prompts["judge"], "speech")
    speeches = {turn.turn: turn.text for turn in spoken}
    return (
        *opening(prompts, motion),
        *(
            Segment("user", fill(frame, label=label, text=quoted(speeches[number])))
            for label, number in zip(LABELS, order, strict=True)
        ),
        Segment("user", fill(section(prompts["compare"], "ask"), dimensions=compared_dimensions(rubric))),
    )


def compare_turns(
    batch: EventBatch,
    earlier: int,
    later: int,
    forward: Answers[CompareAnswer],
    backward: Answers[CompareAnswer] | None,
) -> int:
    """Record what both orders agree on; return the comparison's position.  ``forward`` shows ``earlier`` first.

    ``backward`` is None for a person, who sees both turns in the order of the debate and is asked once.
    """
    orders = [((earlier, later), forward), *([((later, earlier), backward)] if backward is not None else [])]
    if unanswered := next((each for each in orders if not each[1].given), None):
        (first, second), given = unanswered
        why = Reason(f"shown as {first}-{second}: {why_missing(given).reason}")
        causes = [each.cause for _, each in orders if each.cause]
        cause = causes[0] if causes else batch.debate.transcript.turns[later].spoken
        return batch.add(TurnsCompared(earlier=earlier, later=later, missing=why), cause)
    rubric = batch.debate.ledger.rubric
    outcomes: dict[str, ComparisonOutcome] = {}
    degrees: dict[str, Degree] = {}
    flipped: list[str] = []
    levels: dict[str, tuple[float, ...]] = {}
    for dimension in rubric.bands if rubric else ():
        levels[dimension] = tuple(
            level_of(each.values, dimension) * (-1 if order[0] == later else 1) + 0.0 for order, each in orders
        )
        one, how_one = _outcome(forward, dimension, ("earlier", "later"))
        two, how_two = (one, how_one) if backward is None else _outcome(backward, dimension, ("later", "earlier"))
        outcomes[dimension] = one if one == two else "draw"
        if one != two:
            flipped.append(dimension)
        elif one != "draw":
            degrees[dimension] = "clear" if how_one == how_two == "clear" else "slight"
    reasons = [
        f"Shown as {first}-{second}: {each.values[0]['reason']}"
        for (first, second), each in orders
        if each.values[0].get("reason")
    ]
    return batch.add(
        TurnsCompared(
            earlier=earlier,
            later=later,
            outcomes=outcomes,
            degrees=degrees if rubric is not None and is_graded(rubric) else UNSET,
            flipped=tuple(flipped),
            levels=UNSET if rubric is None or rubric.ring is UNSET else levels,
            reason=" ".join(reasons),
        ),
        forward.cause,
    )


def _outcome(
    answers: Answers[CompareAnswer], dimension: str, shown: tuple[ComparisonOutcome, ComparisonOutcome]
) -> tuple[ComparisonOutcome, Degree]:
    """The choice of more than half of one order's samples, and of them how clear; without a majority a draw."""
    named: dict[str, ComparisonOutcome] = {"first": shown[0], "second": shown[1], "draw": "draw"}
    choices = [answer.get(dimension, "draw").partition("_") for answer in answers.values]
    outcome = majority([named[choice] for choice, _, _ in choices], "draw")
    degrees: list[Degree] = [
        "slight" if how == "slight" else "clear" for choice, _, how in choices if named[choice] == outcome
    ]
    return outcome, majority(degrees, "slight") if degrees else "slight"


DEGREES: Final = {
    "first_clear": -2,
    "first_slight": -1,
    "first": -1,
    "second": 1,
    "second_slight": 1,
    "second_clear": 2,
}
"""How much better the second speech is; drawn is 0."""


def level_of(samples: Sequence[Mapping[str, str]], dimension: str) -> float:
    """How much better the second speech is: the median of the samples."""
    return float(median(DEGREES.get(answer.get(dimension, "draw"), 0) for answer in samples))


def harmonize(batch: EventBatch, comparison: int) -> None:
    """Bring scores in line with a comparison, as the rubric says.

    Bands move the admitted values only; penalties are applied in full afterwards.
    """
    found = next(each for each in batch.debate.exchanges.pairs if each.position == comparison)
    rubric = batch.debate.ledger.rubric
    if rubric is None or found.missing is not None:
        return
    if rubric.ring is not UNSET:
        pull(batch, found)
        return
    turns = (found.later, found.earlier) if found.earlier == 1 else (found.later,)
    for dimension, outcome in found.outcomes.items():
        if outcome == "draw" or dimension not in rubric.bands:
            continue
        if not is_graded(rubric):
            for turn in turns:
                balance = batch.debate.ledger.balance(turn, dimension)
                if balance is not None and not balance.harmonized:  # only the first move counts
                    _band(batch, found, turn, dimension, rubric.bands[dimension])
        elif found.degrees.get(dimension) == "slight":
            _put_ahead(batch, found, dimension)
        else:
            turns = (found.earlier, found.later)
            banded = [_clear_band(batch, found, turn, dimension, rubric.bands[dimension]) for turn in turns]
            if all(banded):
                _put_ahead(batch, found, dimension)


RING_RULE: Final = "comparison"


def pull(batch: EventBatch, found: Comparison) -> None:
    """Move both turns of a pair towards what their comparison expects of the admitted scores.

    It also brings the entries of a pair up to date after a score of the pair was read again.
    """
    ring = batch.debate.ledger.ring
    if ring is None:
        return
    for dimension, pair in held(batch.debate.ledger, found).items():
        for turn in (found.earlier, found.later):
            of_later = turn == found.later
            shift = pair.moves(ring.weight, of_later=of_later)
            before = moved_by(batch.debate, turn, dimension, found.position)
            due = round(shift - before, 2) + 0.0
            reason = _pulled(found, dimension, pair, of_later=of_later)
            reason += _instead(round(shift, 2), before) if before else ""
            _shift(batch, found, turn, dimension, due, rule=RING_RULE, reason=reason)


def _instead(now: float, before: float) -> str:
    """What a comparison moves after a second reading, and what it moved before, in words."""
    moves = "adds nothing" if not now else f"{'adds' if now > 0 else 'takes'} {shortest(abs(now), 2)}"
    moved = f"{'added' if before > 0 else 'took'} {shortest(abs(before), 2)}"
    return f"; after the second reading the comparison {moves}, where it {moved} before"


def _pulled(found: Comparison, dimension: str, pair: Held, *, of_later: bool) -> str:
    """Why a comparison moves a turn, in words."""
    against = found.earlier if of_later else found.later
    said = ", ".join(degree_words(level if of_later else -level) for level in found.levels[dimension])
    expected = f"{fmt(pair.expected(of_later=of_later))} of {fmt(pair.maximum)}"
    shared = "" if pair.is_whole else " (of the components that both turns have)"
    told = f"{said}; {expected}{shared} would fit that, the score gives {fmt(pair.own(of_later=of_later))}"
    return f"{dimension} compared with turn {against}: {told}"


SLIGHT: Final = 0.5
CLEAR: Final = 1.5
"""Mean degrees of samples from which on a turn is called slightly and clearly better."""


def degree_words(level: float) -> str:
    """How a turn compares with another one in one order."""
    if abs(level) < SLIGHT:
        return "drawn"
    return f"{'clearly' if abs(level) >= CLEAR else 'slightly'} {'better' if level > 0 else 'worse'}"


def moved_by(debate: Debate, turn: int, dimension: str, comparison: int) -> float:
    """Points by which one comparison has moved a turn's dimension."""
    return round(
        sum(
            entry.requested
            for entry in debate.ledger.cards[turn].entries
            if entry.kind == "band" and entry.dimension == dimension and entry.cause == comparison
        ),
        2,
    )


AHEAD: Final = 1.0
"""Points by which the winner of a slight win is ahead at least."""


def _put_ahead(batch: EventBatch, found: Comparison, dimension: str) -> None:
    """Both values move by the same amount, the smallest that puts the winner one point ahead."""
    won, lost = found.later, found.earlier
    if found.outcomes[dimension] == "earlier":
        won, lost = lost, won
    winner, loser = (batch.debate.ledger.balance(turn, dimension) for turn in (won, lost))
    if winner is None or loser is None:
        return
    high, low = (round(each.admitted + each.harmonized, 2) for each in (winner, loser))
    lacking = round(AHEAD - (high - low), 2)
    if lacking <= 0:
        return
    up = min(round(lacking / 2, 2), max(winner.maximum - high, 0))
    down = min(round(lacking - up, 2), max(low, 0))
    up = min(round(lacking - down, 2), max(winner.maximum - high, 0))
    for turn, against, shift, word in ((won, lost, up, "won"), (lost, won, -down, "lost")):
        how = found.degrees.get(dimension, "clear")
        reason = f"{how}ly {word} {dimension} against turn {against}: the winner is put {fmt(AHEAD)} ahead"
        rule = "slight_winner" if word == "won" else "slight_loser"
        _shift(batch, found, turn, dimension, shift, rule=rule, reason=reason)


def _clear_band(batch: EventBatch, found: Comparison, turn: int, dimension: str, band: Band) -> bool:
    """A clear win: the turn moves towards its band.

    A turn that clearly won one comparison and clearly lost the other is left as the judge scored it; it shows as an
    anomaly, and the result is False.
    """
    won, against = _result(found, turn, dimension)
    other = batch.debate.exchanges.comparisons.get(turn) if turn == found.earlier else None
    if other is None or not _is_clear(other, dimension) or _result(other, turn, dimension)[0] == won:
        _band(batch, found, turn, dimension, band)
        return True
    moved = moved_by(batch.debate, turn, dimension, other.position)
    word = "won" if won else "lost"
    reason = f"clearly {word} {dimension} against turn {against} and the opposite against turn {other.earlier}: left"
    _shift(batch, found, turn, dimension, -moved, rule="band_conflict", reason=reason)
    return False


def _is_clear(comparison: Comparison, dimension: str) -> bool:
    return comparison.outcomes.get(dimension, "draw") != "draw" and comparison.degrees.get(dimension) == "clear"


def _shift(
    batch: EventBatch, found: Comparison, turn: int, dimension: str, requested: float, *, rule: str, reason: str
) -> None:
    """Record one move of an admitted value; nothing where it would not move."""
    balance = batch.debate.ledger.balance(turn, dimension)
    if balance is None or requested == 0:
        return
    applied = change_to(balance, balance.after(shift=requested))
    batch.add(
        ScoreHarmonized(
            turn=turn,
            dimension=dimension,
            requested=requested,
            applied=applied,
            rule=rule,
            because_of=found.position,
            reason=reason + absorbed_note(balance, requested, applied),
        ),
        found.position,
    )


def _band(batch: EventBatch, found: Comparison, turn: int, dimension: str, band: Band) -> None:
    """Move one balance into its band."""
    balance = batch.debate.ledger.balance(turn, dimension)
    if balance is None:
        return
    won, against = _result(found, turn, dimension)
    floor, ceiling = band.winner if won else band.loser
    stands = round(balance.admitted + balance.harmonized, 2)
    requested = round(min(max(stands, floor), ceiling) - stands, 2)
    bound = f"gives at least {fmt(floor)}" if requested > 0 else f"leaves at most {fmt(ceiling)}"
    bound += " points"
    reach = rubric.band_reach if (rubric := batch.debate.ledger.rubric) is not None else UNSET
    if reach is not UNSET and abs(requested) > reach:
        requested = reach if requested > 0 else -reach
        bound += f"; one comparison moves at most {fmt(reach)}"
    reason = f"{'won' if won else 'lost'} {dimension} against turn {against}, which {bound}"
    _shift(batch, found, turn, dimension, requested, rule="band_winner" if won else "band_loser", reason=reason)


def _result(found: Comparison, turn: int, dimension: str) -> tuple[bool, int]:
    """Return whether a turn won the dimension, and against which turn."""
    place, against = ("later", found.earlier) if turn == found.later else ("earlier", found.later)
    return found.outcomes[dimension] == place, against
