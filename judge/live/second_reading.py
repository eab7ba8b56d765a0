"""What is done once all comparisons of a debate are in, before the closing audit.

A turn whose score lies far from what its comparisons say is scored again, once: the median of all readings counts.  A
dimension without a score gets the points that the comparisons imply.  Both read only what the judge gave, so that the
order of the turns does not matter.
"""

from collections.abc import Mapping
from statistics import mean
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.exchanges import residual_of_turn
from events.state.ledger import TurnCard
from events.state.ring import gap_of, points
from events.types import Reason, ScoreCapped, ScoreHarmonized, ScoreInferred, TurnRescored
from events.types.rubric import Rubric
from judge.live.answers import Answers, why_missing
from judge.live.comparison import pull
from judge.live.docking import recount
from judge.live.entries import record_notes
from judge.live.event_batch import EventBatch
from judge.live.scoring import ComponentAnswer, ScoreAnswer, applicable, record_caps, score_turn

READINGS: Final = 2
"""Further readings of a turn."""


def misfits(debate: Debate) -> dict[int, float]:
    """The turns that are scored again, with how far they lie above their comparisons; none once it was done."""
    rubric, cards = debate.ledger.rubric, debate.ledger.cards
    if rubric is None or rubric.rescore_above is UNSET or any(card.rescored for card in cards.values()):
        return {}
    lies = {turn: residual_of_turn(debate.exchanges, turn) for turn in cards}
    return {turn: by for turn, by in lies.items() if by is not None and abs(by) > rubric.rescore_above}


def rescore(batch: EventBatch, turn: int, residual: float, answers: Answers[ScoreAnswer]) -> None:
    """Record the median of the first score and the further readings, and what it changes; or that the first stands.

    A dimension that the readings give no score, since too few quotes hold, keeps the first one.
    """
    rubric, card = batch.debate.ledger.rubric, batch.debate.ledger.cards[turn]
    spoken = batch.debate.transcript.turns[turn]
    assert rubric is not None, "the turn was scored"
    lies = round(residual, 1)
    if not answers.given:
        batch.add(TurnRescored(turn=turn, residual=lies, missing=why_missing(answers)), batch.debate.course)
        return
    record_notes(batch, turn, "score", answers)
    given = {
        name: ComponentAnswer(points=each.raw, quote=each.quote, reason=each.reason)
        for name, each in card.components.items()
    }
    readings = (ScoreAnswer(components=given), *answers.values)
    read = score_turn(rubric, turn, spoken.text, readings)
    dimensions = {} if read.dimensions is UNSET else read.dimensions
    dimensions = {name: each for name, each in dimensions.items() if name in card.balances}
    kept = {name for each in dimensions for name in rubric.dimensions[each].components}
    found = {} if read.components is UNSET else read.components
    components = {name: each for name, each in found.items() if name in kept}
    before = {name: each.admitted for name, each in card.components.items()}
    is_changed = any(each.admitted != before.get(name) for name, each in components.items())
    alone = [score_turn(rubric, turn, spoken.text, (each,)).dimensions for each in readings]
    again = TurnRescored(
        turn=turn,
        residual=lies,
        readings=len(readings),
        read=tuple([{} if each is UNSET else {name: score.raw for name, score in each.items()} for each in alone]),
    )
    if is_changed:
        again = replace(again, components=components, dimensions=dimensions)
        again = replace(again, changes=_changes(batch, again))
    batch.add(again, answers.cause)


def _changes(batch: EventBatch, again: TurnRescored) -> tuple[ScoreCapped | ScoreHarmonized, ...]:
    """What limits and comparisons change once the median of the readings counts."""
    tried = EventBatch(batch.debate)
    position = tried.add(again, None)
    record_caps(tried, again.turn, position)
    for comparison in tried.debate.exchanges.about(again.turn):
        pull(tried, comparison)
    events = [each.event for each in tried.drafts]
    return tuple([each for each in events if isinstance(each, ScoreCapped | ScoreHarmonized)])


def infer(batch: EventBatch) -> None:
    """Fill dimensions without a score from the comparisons of their turn; what no comparison tells stays missing."""
    before = batch.debate
    rubric = before.ledger.rubric
    if rubric is None or rubric.ring is UNSET:
        return
    for card in before.ledger.cards.values():
        lacking = [name for name in before.ledger.dimensions if name not in card.balances and name in rubric.bands]
        shares = {name: _shares(before, rubric, card, name) for name in lacking}
        known = {name: mean(each.values()) for name, each in shares.items() if each}
        if known:
            _fill(batch, card, known, tuple(sorted({at for name in known for at in shares[name]})))


def _fill(batch: EventBatch, card: TurnCard, known: Mapping[str, float], because_of: tuple[int, ...]) -> None:
    """Give each component of a dimension the share of its maximum that the comparisons imply."""
    rubric = batch.debate.ledger.rubric
    assert rubric is not None, "checked before"
    asked = applicable(rubric, card.turn)
    components = {
        part: round(share * each.maximum, 2)
        for name, share in known.items()
        for part, each in rubric.dimensions[name].components.items()
        if part in asked
    }
    dimensions = {
        name: round(sum(components[part] for part in rubric.dimensions[name].components if part in components), 2)
        for name in known
    }
    why = card.missing or next((card.absent[name] for name in known if name in card.absent), Reason("not said"))
    position = batch.add(
        ScoreInferred(
            turn=card.turn, dimensions=dimensions, components=components, because_of=because_of, reason=why.reason
        ),
        because_of[-1],
    )
    recount(batch, card.turn, position, f"turn {card.turn} has points now, so what was found in it counts")


def _shares(debate: Debate, rubric: Rubric, card: TurnCard, name: str) -> dict[int, float]:
    """By comparison, the share of the maximum that it implies for a dimension that has no score."""
    ring, dimension = debate.ledger.ring, rubric.dimensions[name]
    asked = applicable(rubric, card.turn)
    found: dict[int, float] = {}
    for each in debate.exchanges.about(card.turn):
        of_later = each.later == card.turn
        other = debate.ledger.cards.get(each.earlier if of_later else each.later)
        if (
            ring is None
            or other is None
            or name in other.inferred
            or name not in other.balances
            or name not in each.levels
        ):
            continue
        common = [part for part in dimension.components if part in asked and part in other.components]
        if maximum := sum(dimension.components[part].maximum for part in common):
            gap = gap_of(each.levels[name], maximum, ring.per_degree) * (1 if of_later else -1)
            said = min(max(points(other, name, common) + gap, 0.0), maximum)
            found[each.position] = said / maximum
    return found
