"""Effects of a lost exchange on a debater: pressure of four kinds, shifted traits, and a directive in words.

A trait moves by ``elasticity × Σ pressure^½ × weight × (target − trait)``.  The weights of one trait sum to at most 1,
so the new value lies between the old one and the targets, and stays within 1 to 10.  Source: docs/design.md.
"""

from collections.abc import Iterator, Mapping
from math import sqrt

from events.state.debate import Debate
from events.state.exchanges import Comparison
from events.state.ledger import TurnCard
from events.types import Archetype, DirectiveIssued, Event, PressureApplied, TraitsShifted
from events.types.rubric import Rubric
from personalities.archetypes import SIGNALS
from personalities.traits import HIGHEST, LEVELS, LOWEST, TRAITS, in_words, level

LEAST = 0.05
"""The smallest shift: a trait that would move by less does not move."""

MOST_INSTRUCTIONS = 3
"""Instructions of one directive, one for each of the traits that moved most."""

_DIMENSIONS = ("logic", "rhetoric", "tactics", "frame_control", "credibility")


def after_exchange(debate: Debate, comparison: Comparison) -> tuple[Event, ...]:
    """The events that follow from an exchange: pressure, shifted traits, a directive; each from the one before.

    The loser is pressed.  Where the rubric says so, a new turn that did not lose but has a standing penalty is pressed
    for that.
    """
    pressed = [pressure(debate, comparison), *_flagged(debate, comparison)]
    return tuple(event for each in pressed if each is not None for event in _effects(debate, each))


def _effects(debate: Debate, pressed: PressureApplied) -> Iterator[Event]:
    """The pressure itself, and what it changes in its debater."""
    yield pressed
    opened = debate.opened
    if opened is None:
        return
    seat = opened.pro if pressed.side == "pro" else opened.con
    archetype = opened.archetypes.get(seat.archetype)
    traits = debate.characters.traits.get(pressed.side)
    shifted = shift(archetype, traits, seat.elasticity, pressed) if archetype and traits else None
    if shifted is not None:
        yield shifted
        yield DirectiveIssued(side=pressed.side, text=directive(shifted.shifts))


def pressure(debate: Debate, comparison: Comparison) -> PressureApplied | None:
    """The pressure on the loser of an exchange, from effective scores; None for a draw or a missing score."""
    lost = _loser(comparison)
    rubric = debate.ledger.rubric
    if lost is None or rubric is None:
        return None
    won = comparison.later if lost == comparison.earlier else comparison.earlier
    own, theirs = debate.ledger.cards.get(lost), debate.ledger.cards.get(won)
    if own is None or theirs is None:
        return None
    deficits = _deficits(rubric, own, theirs)
    if deficits is None:
        return None
    return PressureApplied(
        side=own.side,
        turn=lost,
        cognitive=round(deficits["logic"], 4),
        emotional=round(deficits["rhetoric"], 4),
        strategic=round((deficits["tactics"] + deficits["frame_control"]) / 2, 4),
        credibility=round(max(deficits["credibility"], _penalised(rubric, own)), 4),
    )


def _flagged(debate: Debate, comparison: Comparison) -> Iterator[PressureApplied]:
    """The pressure of standing penalties on turns that are new in this exchange and did not lose it."""
    rubric = debate.ledger.rubric
    if rubric is None or not rubric.flags_press:
        return
    new = (comparison.earlier, comparison.later) if comparison.earlier == 1 else (comparison.later,)
    for turn in new:
        card = debate.ledger.cards.get(turn)
        if card is not None and turn != _loser(comparison) and (share := _penalised(rubric, card)):
            yield PressureApplied(
                side=card.side, turn=turn, cognitive=0.0, emotional=0.0, strategic=0.0, credibility=round(share, 4)
            )


def _loser(comparison: Comparison) -> int | None:
    """The turn that lost the exchange; None for a draw or a missing comparison."""
    outcome = comparison.winner()
    if outcome is None or outcome == "draw":
        return None
    return comparison.earlier if outcome == "later" else comparison.later


def _penalised(rubric: Rubric, card: TurnCard) -> float:
    """The standing penalties of a turn as a share of full pressure, at most 1."""
    return min(penalties(card) / rubric.full_pressure, 1.0)


def penalties(card: TurnCard) -> float:
    """Points of penalty that hold against a turn, as requested; without bands, dockings, and reversed penalties."""
    return max(-sum(entry.requested for entry in card.entries if entry.kind in {"penalty", "reversal"}), 0.0)


def shift(
    archetype: Archetype,
    traits: Mapping[str, float],
    elasticity: float,
    pressure: PressureApplied,
) -> TraitsShifted | None:
    """The traits that move by at least ``LEAST``, rounded to two decimals; None if none does."""
    shifts: dict[str, tuple[float, float]] = {}
    for name in (name for name in TRAITS if name in traits):
        before = traits[name]
        pull = sum(
            sqrt(getattr(pressure, signal)) * response.weight * (response.target - before)
            for signal in SIGNALS
            if (response := archetype.responses.get(signal, {}).get(name)) is not None
        )
        after = round(min(max(before + elasticity * pull, LOWEST), HIGHEST), 2)
        if round(abs(after - before), 2) >= LEAST:
            shifts[name] = (before, after)
    return TraitsShifted(side=pressure.side, shifts=shifts) if shifts else None


def directive(shifts: Mapping[str, tuple[float, float]]) -> str:
    """The traits that moved most, as plain instructions, without numbers and without their cause."""
    most = sorted(shifts, key=lambda name: -round(abs(shifts[name][1] - shifts[name][0]), 2))
    return " ".join(_instruction(name, *shifts[name]) for name in most[:MOST_INSTRUCTIONS])


def _instruction(name: str, before: float, after: float) -> str:
    """The direction; and the instruction of the new level, if it points in the same direction."""
    up = after > before
    towards = TRAITS[name].more if up else TRAITS[name].less
    agrees = up == (level(after) >= LEVELS // 2)
    return f"{towards}: {in_words(name, after)}." if agrees else f"{towards}."


def _deficits(rubric: Rubric, own: TurnCard, theirs: TurnCard) -> dict[str, float] | None:
    """How far a card is behind in each dimension, as a share of the maximum; None if a score is missing."""
    found: dict[str, float] = {}
    for name in _DIMENSIONS:
        dimension, mine, other = rubric.dimensions.get(name), own.balances.get(name), theirs.balances.get(name)
        if dimension is None or mine is None or other is None:
            return None
        found[name] = min(max(0.0, other.effective - mine.effective) / dimension.maximum, 1.0)
    return found
