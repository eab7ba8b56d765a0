"""Effects of a lost exchange on a debater: pressure of four kinds, shifted traits, and a directive in words.

A trait moves by ``elasticity × Σ pressure^½ × weight × (target − trait)``.  The weights of one trait sum to at most 1,
so the new value lies between the old one and the targets, and stays within 1 to 10.  Source: docs/design.md.
"""

from collections.abc import Container, Iterator, Mapping
from math import sqrt
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.exchanges import Comparison
from events.state.ledger import TurnCard
from events.types import (
    SIDES,
    Archetype,
    DebateOpened,
    DirectiveIssued,
    PressureApplied,
    Side,
    Span,
    TraitsShifted,
    other,
)
from events.types.rubric import Rubric
from personalities.archetypes import SIGNALS
from personalities.prompt import BY_PHASE, THREE_TRAITS
from personalities.traits import HIGHEST, LEVELS, LOWEST, TRAITS, WORDS_V3, Trait, in_words, level

MIN_SHIFT = 0.05
"""The smallest shift: a trait that would move by less does not move."""

MAX_INSTRUCTIONS = 3
"""Instructions of one directive, one for each of the traits that moved most."""

MAX_OWN = 2
"""Points of matter against the side itself in one directive."""
MAX_MATTERS = 3
"""Points of matter in one directive."""
STRENGTH = 8.0
"""A trait that begins here or higher is a strength; one lost exchange alone does not lower it."""
QUOTED = 160
"""Characters of a quote in a directive."""
_MARKS = str.maketrans({"“": "‘", "”": "’", "„": "‘", '"': "’"})

Effect = PressureApplied | TraitsShifted | DirectiveIssued

_DIMENSIONS = ("logic", "rhetoric", "tactics", "frame_control", "credibility")


def after_exchange(debate: Debate, comparison: Comparison) -> tuple[Effect, ...]:
    """The events that follow from an exchange: pressure, shifted traits, a directive; each from the one before.

    The loser is pressed, once for each turn.  Where the rubric says so, a new turn that did not lose but has a standing
    penalty is pressed for that.  A side that is not pressed, and in whose turns this exchange exposed a flaw, is told
    of it.  A side without a character, as in a supplied transcript, is never pressed nor told.
    """
    found = [pressure(debate, comparison), *_flagged(debate, comparison)]
    pressed = [each for each in found if each is not None]
    if by_cost(debate):
        known = {each.turn for each in debate.characters.pressures.values()}
        pressed = [each for each in pressed if each.turn not in known]
    effects: list[Effect] = [event for each in pressed for event in _effects(debate, each)]
    if by_cost(debate):
        told = {event.side for event in effects if not isinstance(event, PressureApplied | TraitsShifted)}
        effects += [event for side in SIDES if side not in told for event in _told_anyway(debate, side)]
    return tuple(effects)


def by_cost(debate: Debate) -> bool:
    """Whether directives follow what the record cost: from version 4 of the template on."""
    template = None if debate.opened is None else debate.opened.prompts.get("debater")
    return template is not None and template.version >= THREE_TRAITS


def _told_anyway(debate: Debate, side: Side) -> Iterator[DirectiveIssued]:
    """The directive for a side that is not pressed, if the newest turn exposed a flaw in one of its turns."""
    opened, turns = debate.opened, debate.transcript.spoken()
    own = [turn.turn for turn in turns if turn.side == side]
    if opened is None or not own:
        return
    seat = opened.pro if side == "pro" else opened.con
    if seat.archetype and seat.elasticity and max(own) + 2 <= opened.turns and any(_flaws(debate, own)):
        yield DirectiveIssued(side=side, text=" ".join(matters(debate, side)))


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
    last_turn_next = pressed.turn + 4 > opened.turns
    most = 1 if last_turn_next else MAX_MATTERS
    if by_cost(debate):
        text = " ".join(matters(debate, pressed.side, closes=last_turn_next))
    else:
        text = " ".join(matters_by_kind(debate, pressed.side, most=most))
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


def matters(debate: Debate, side: Side, *, closes: bool = False) -> tuple[str, ...]:
    """What the side should take up in its next turn, in words that quote the record; empty if nothing is against it.

    What cost it most comes first, at most ``MAX_OWN``, and the same words only once.  Then one premise that the
    opponent's turn left without an answer, as the judge says, and one weak point of the opponent.  A turn that
    ``closes`` the side's case is not sent back to what it lost: it is told the latter two only.
    """
    own = [turn.turn for turn in debate.transcript.spoken() if turn.side == side]
    if not own:
        return ()
    last, named = max(own), list[str]()
    against = [*_broken(debate, side, last), *_flaws(debate, own), *_doubts(debate, last)]
    lost: list[str] = []
    for each in sorted(against, key=lambda each: -each.cost):
        if not _overlaps(each.quote, named):
            named.append(each.quote)
            lost.append(each.text)
    if not lost:
        return ()
    forward = (*_unanswered(debate, side, last, named), *_weak_point(debate, other(side)))
    return forward if closes else (*lost[:MAX_OWN], *forward)


def _unanswered(debate: Debate, side: Side, last: int, attacked: list[str]) -> Iterator[str]:
    """A premise of the side's last turn that the opponent's turn after it did not answer, as the judge says."""
    answered = debate.spine.answered.get(last + 1)
    if answered is None:
        return
    contradicted = {name for found in debate.spine.contradictions for name in found.premises}
    card = debate.ledger.cards.get(last)
    faulted = [entry.evidence[0].span for entry in (card.entries if card else ()) if entry.kind == "gap"]
    faulted += [claim.span for claim in debate.claims.values() if claim.turn == last and claim.state != "cleared"]
    for name, premise in debate.spine.premises.items():
        is_attacked = name in answered or name in contradicted or _overlaps(premise.quote, attacked)
        is_attacked = is_attacked or any(span and _meets(premise.span, span) for span in faulted)
        if premise.side == side and premise.turn == last and premise.state == "kept" and not is_attacked:
            yield f"The judge names no answer to “{_brief(premise.quote)}”: build on it."
            return


def _meets(one: Span, two: Span) -> bool:
    return one[0] < two[1] and two[0] < one[1]


def _weak_point(debate: Debate, side: Side) -> Iterator[str]:
    """What cost a side most of the flaws that the last two turns exposed and the doubted claims of its last turn."""
    turns = [turn.turn for turn in debate.transcript.spoken() if turn.side == side]
    newest = len(debate.transcript.turns)
    claims = [
        _Against(-claim.requested, claim.quote, f"The opponent’s “{_brief(claim.quote)}” was doubted: press it.")
        for claim in debate.claims.values()
        if claim.turn == max(turns, default=0) and claim.state != "cleared" and claim.requested
    ]
    flaws = [
        replace(each, text=f"The judge found a flaw in the opponent’s “{_brief(each.quote)}”: press it.")
        for each in _flaws(debate, turns, since=newest - 1)
    ]
    if found := [*flaws, *claims]:
        yield max(found, key=lambda each: each.cost).text


class _Against(Struct, frozen=True):
    """Something on record against a side: what it cost, the words, and what to do."""

    cost: float
    quote: str
    text: str


def matters_by_kind(debate: Debate, side: Side, most: int = MAX_MATTERS) -> tuple[str, ...]:
    """What templates before version 4 tell: what the side should take up in its next turn, and what stands.

    A contradiction or a dropped premise of its last turn, flaws that were exposed since that turn, and doubted claims
    of it: ``most`` of them, and the same words only once.  With them goes a premise that the opponent's turn left
    standing: told only what is attacked, a debater gives up more than it must.
    """
    own = [turn.turn for turn in debate.transcript.spoken() if turn.side == side]
    if not own:
        return ()
    last = max(own)
    named: list[str] = []
    found = [each.text for each in _broken(debate, side, last)]
    for each in (*_flaws(debate, own), *_doubts(debate, last)):
        if not _overlaps(each.quote, named):
            named.append(each.quote)
            found.append(each.text)
    return (*found[:most], *_standing(debate, side, last, named)) if found else ()


def _standing(debate: Debate, side: Side, last: int, attacked: list[str]) -> Iterator[str]:
    """A premise of the side's last turn that the opponent has answered and nothing on record shakes."""
    if last == len(debate.transcript.spoken()):
        return
    contradicted = {name for found in debate.spine.contradictions for name in found.premises}
    for name, premise in debate.spine.premises.items():
        quote = premise.quote
        is_attacked = name in contradicted or _overlaps(quote, attacked)
        if premise.side == side and premise.turn == last and premise.state == "kept" and not is_attacked:
            yield f"“{_brief(quote)}” was left standing: build on it, and give it another ground."
            return


def _broken(debate: Debate, side: Side, last: int) -> Iterator[_Against]:
    """The contradictions of a side's turn, then the premises that it dropped; until version 3 in the judge's words."""
    known, rubric, quotes = debate.spine.premises, debate.ledger.rubric, by_cost(debate)
    conduct = {} if rubric is None else rubric.conduct

    def cost(rule: Literal["contradiction", "dropped_premise"]) -> float:
        return conduct[rule].points if rule in conduct else 0.0

    for found in debate.spine.contradictions:
        if found.side != side or max(found.turns) != last:
            continue
        named = [known[name] for name in found.premises if name in known]
        earlier = [each for each in named if each.turn < last] or named
        said = [each.quote for each in earlier] if quotes else [each.text for each in named]
        both = " and ".join(f"“{_brief(each)}”" for each in said)
        told = f"The judge says that your last turn contradicts {both}" if quotes else f"You have said {both}"
        yield _Against(cost("contradiction"), both, f"{told}: say which of it holds.")
    for premise in known.values():
        if premise.side == side and premise.state == "dropped" and premise.changes[-1].turn == last:
            words = premise.quote if quotes else premise.text
            told = f"You left “{_brief(words)}” without a word"
            if quotes:
                told = f"The judge says that your last turn dropped “{_brief(words)}” in silence"
            yield _Against(cost("dropped_premise"), words, f"{told}: defend it or give it up openly.")


def _flaws(debate: Debate, own: list[int], since: int | None = None) -> Iterator[_Against]:
    """The flaws of own turns that turns from ``since`` on exposed (None: the newest), those that cost most first."""
    newest = len(debate.transcript.spoken()) if since is None else since
    found = [
        entry
        for turn in own
        if turn in debate.ledger.cards
        for entry in debate.ledger.cards[turn].entries
        if entry.kind == "gap" and len(entry.evidence) > 1 and entry.evidence[1].turn >= newest
    ]
    for entry in sorted(found, key=lambda entry: entry.requested):
        fails, exposed = entry.evidence[:2]
        met = f"“{_brief(fails.quote)}” was met by “{_brief(exposed.quote)}”"
        text = f"{met}: defend that step, narrow it or give it up."
        yield _Against(-entry.applied, fails.quote, text)


def _doubts(debate: Debate, last: int) -> Iterator[_Against]:
    """The doubted claims of a turn."""
    for claim in debate.claims.values():
        if claim.turn == last and claim.state != "cleared":
            why = _brief(claim.reason).rstrip(".")
            doubted = f"“{_brief(claim.quote)}” was doubted{f' because “{why}”' if why else ''}"
            yield _Against(-claim.requested, claim.quote, f"{doubted}: support it, weaken it or withdraw it.")


def _overlaps(quote: str, others: list[str]) -> bool:
    """Whether one of the other quotes holds this one, or is a part of it."""
    return any(quote in other or other in quote for other in others)


def _brief(quote: str) -> str:
    """A quote of at most ``QUOTED`` characters, without quotation marks of its own."""
    text = " ".join(quote.split()).translate(_MARKS)
    return text if len(text) <= QUOTED else f"{text[:QUOTED].rsplit(' ', 1)[0]} …"


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
    """How far a card is behind in each dimension, as a share of the maximum; None if a score is missing."""
    found: dict[str, float] = {}
    for name in _DIMENSIONS:
        dimension, mine, other = rubric.dimensions.get(name), own.balances.get(name), theirs.balances.get(name)
        if dimension is None or mine is None or other is None:
            return None
        found[name] = min(max(0.0, other.effective - mine.effective) / dimension.maximum, 1.0)
    return found
