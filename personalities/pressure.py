"""Effects of a lost exchange on a debater: pressure of four kinds, shifted traits, and a directive in words.

A trait moves by ``elasticity × Σ pressure^½ × weight × (target − trait)``.  The weights of one trait sum to at most 1,
so the new value lies between the old one and the targets, and stays within 1 to 10.  Source: docs/design.md.
"""

from collections.abc import Container, Iterator, Mapping
from math import sqrt
from typing import Any

from events.state.debate import Debate
from events.state.exchanges import Comparison
from events.state.ledger import TurnCard
from events.table import LazyTable
from events.types import Archetype, DebateOpened, DirectiveIssued, PressureApplied, Side, TraitsShifted
from events.types.rubric import Rubric
from personalities.archetypes import SIGNALS
from personalities.matters import flaws, matters
from personalities.prompt import BY_PHASE, THREE_TRAITS
from personalities.traits import HIGHEST, LEVELS, LOWEST, TRAITS, WORDS_V3, Trait, in_words, level

MIN_SHIFT = 0.05
"""The smallest shift: a trait that would move by less does not move."""

MAX_INSTRUCTIONS = 3
"""Instructions of one directive, one for each of the traits that moved most."""

STRENGTH = 8.0
"""A trait that begins here or higher is a strength; one lost exchange alone does not lower it."""
BY_KIND = LazyTable[Any]({"matters": "personalities.matters_by_kind"})
"""What the directives of templates before version 4 name."""

Effect = PressureApplied | TraitsShifted | DirectiveIssued

_DIMENSIONS = ("logic", "rhetoric", "tactics", "frame_control", "credibility")


def after_exchange(debate: Debate, comparison: Comparison) -> tuple[Effect, ...]:
    """The events that follow from an exchange: pressure, shifted traits, a directive; each from the one before.

    The loser is pressed, once for each turn.  Where the rubric says so, a new turn that did not lose but has a standing
    penalty is pressed for that.  From version 4 of the debater's template on, the side that speaks next gets the
    directive: if its last turn was pressed, or the newest turn exposed a flaw in one of its turns.  A side without a
    character, as in a supplied transcript, is never pressed nor told.
    """
    found = [pressure(debate, comparison), *_flagged(debate, comparison)]
    pressed = [each for each in found if each is not None]
    if not by_cost(debate):
        return tuple(event for each in pressed for event in _effects(debate, each))
    known = {each.turn for each in debate.characters.pressures.values()}
    first, then = comparison.later, comparison.earlier  # the directive follows the pressure on its side
    pressed = [each for turn in (first, then) for each in pressed if each.turn == turn and turn not in known]
    effects = [event for each in pressed for event in _effects(debate, each)]
    return (*effects, *_next_directive(debate, comparison, effects))


def by_cost(debate: Debate) -> bool:
    """Whether directives follow what the record cost: from version 4 of the template on."""
    template = None if debate.opened is None else debate.opened.prompts.get("debater")
    return template is not None and template.version >= THREE_TRAITS


def _next_directive(debate: Debate, comparison: Comparison, effects: list[Effect]) -> Iterator[DirectiveIssued]:
    """The directive for the side that speaks next, as templates from version 4 on have it."""
    opened, last, newest = debate.opened, comparison.earlier, comparison.later
    if opened is None or newest >= opened.turns or last not in debate.ledger.sides:
        return
    side = debate.ledger.sides[last]
    seat = opened.pro if side == "pro" else opened.con
    if not (seat.archetype in opened.archetypes and seat.elasticity):
        return
    characters = debate.characters
    pressed = [at for at, each in characters.pressures.items() if each.turn == last]
    now = [each for each in effects if each.side == side]
    if pressed or now or any(flaws(debate, side)):
        closes = newest + 3 > opened.turns
        text = " ".join(matters(debate, side, closes=closes))
        since = [each for at, each in characters.moves.items() if pressed and int(at) > pressed[0]]
        moves = [each for each in (*since, *now) if isinstance(each, TraitsShifted) and each.side == side]
        if not text and moves and not closes:
            text = directive(moves[-1].shifts, WORDS_V3)
        if text:
            yield DirectiveIssued(side=side, text=text)


def _effects(debate: Debate, pressed: PressureApplied) -> Iterator[Effect]:
    """The pressure itself, and what it changes in its debater."""
    opened = debate.opened
    if opened is None:
        yield pressed
        return
    seat = opened.pro if pressed.side == "pro" else opened.con
    if not seat.archetype:
        return
    yield pressed
    archetype = opened.archetypes.get(seat.archetype)
    traits = debate.characters.traits.get(pressed.side)
    if not archetype or not traits:
        return
    if not has_substance(opened):
        if (shifted := shift(archetype, traits, seat.elasticity, pressed)) is not None:
            yield shifted
            yield DirectiveIssued(side=pressed.side, text=directive(shifted.shifts))
        return
    before = (pressed.side, pressed.turn - 2)
    was_pressed = any((each.side, each.turn) == before for each in debate.characters.pressures.values())
    kept = frozenset() if was_pressed else strengths(archetype)
    shifted = shift(archetype, traits, seat.elasticity, pressed, kept)
    if shifted is not None:
        yield shifted
    if by_cost(debate):
        return
    text = " ".join(BY_KIND["matters"].matters_by_kind(debate, pressed.side, closes=pressed.turn + 4 > opened.turns))
    if not text and shifted is not None:
        text = directive(shifted.shifts, WORDS_V3)
    if text and seat.elasticity and pressed.turn + 2 <= opened.turns:
        yield DirectiveIssued(side=pressed.side, text=text)


def has_substance(opened: DebateOpened) -> bool:
    """Whether directives name matter as well as manner and hold for one turn: from version 3 of the template on."""
    template = opened.prompts.get("debater")
    return template is not None and template.version >= BY_PHASE


def directive_in_force(debate: Debate, side: Side) -> int | None:
    """The position of the directive for the side's next turn; one that has shaped a turn holds no longer."""
    position = debate.characters.in_force.get(side)
    if position is None or debate.opened is None or not has_substance(debate.opened):
        return position
    last = max((turn.spoken for turn in debate.transcript.turns.values() if turn.side == side), default=0)
    return position if position > last else None


def strengths(archetype: Archetype) -> frozenset[str]:
    """The traits that make a character: those that begin at ``STRENGTH`` or more."""
    return frozenset(name for name, value in archetype.traits.items() if value >= STRENGTH)


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
    """Points of penalty that hold against a turn, as requested; without bands, logic gaps, and reversed penalties."""
    return max(-sum(entry.requested for entry in card.entries if entry.kind in {"penalty", "reversal"}), 0.0)


def shift(
    archetype: Archetype,
    traits: Mapping[str, float],
    elasticity: float,
    pressure: PressureApplied,
    kept: Container[str] = (),
) -> TraitsShifted | None:
    """The traits that move by at least ``MIN_SHIFT``, rounded to two decimals; None if none does.

    Those in ``kept`` do not fall.
    """
    shifts: dict[str, tuple[float, float]] = {}
    for name in (name for name in TRAITS if name in traits):
        before = traits[name]
        pull = sum(
            sqrt(getattr(pressure, signal)) * response.weight * (response.target - before)
            for signal in SIGNALS
            if (response := archetype.responses.get(signal, {}).get(name)) is not None
        )
        after = round(min(max(before + elasticity * pull, LOWEST), HIGHEST), 2)
        if round(abs(after - before), 2) >= MIN_SHIFT and not (after < before and name in kept):
            shifts[name] = (before, after)
    return TraitsShifted(side=pressure.side, shifts=shifts) if shifts else None


def directive(shifts: Mapping[str, tuple[float, float]], words: Mapping[str, Trait] = TRAITS) -> str:
    """The traits that moved most, as plain instructions, without numbers and without their cause."""
    most = sorted(shifts, key=lambda name: -round(abs(shifts[name][1] - shifts[name][0]), 2))
    return " ".join(_instruction(words, name, *shifts[name]) for name in most[:MAX_INSTRUCTIONS])


def _instruction(words: Mapping[str, Trait], name: str, before: float, after: float) -> str:
    """The direction; and the instruction of the new level, if it points in the same direction."""
    up = after > before
    towards = words[name].more if up else words[name].less
    agrees = up == (level(after) >= LEVELS // 2)
    return f"{towards}: {in_words(name, after, words)}." if agrees else f"{towards}."


def _deficits(rubric: Rubric, own: TurnCard, theirs: TurnCard) -> dict[str, float] | None:
    """How far a card is behind in each dimension, as a share of the maximum; None if a score is missing.

    In a turn in which not all components count, the maximum is that of those which do.
    """
    found: dict[str, float] = {}
    for name in _DIMENSIONS:
        dimension, mine, other = rubric.dimensions.get(name), own.balances.get(name), theirs.balances.get(name)
        if dimension is None or mine is None or other is None:
            return None
        behind = (other.effective - mine.effective) / dimension.maximum
        if mine.maximum != other.maximum:
            behind = other.effective / other.maximum - mine.effective / mine.maximum
        found[name] = min(max(0.0, behind), 1.0)
    return found
