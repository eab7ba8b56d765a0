"""What a comparison expects of the scores of its two turns, and what it moves.  Formulas: docs/design.md.

Only the points that the rules admitted are read, over the components that both turns have: they are fixed once they are
given, so the order of events does not matter.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from events.state.exchanges import Comparison
    from events.state.ledger import Ledger, TurnCard

SCALE: Final = 100.0
"""Residuals are given in points of a composite of this maximum."""


def gap_of(levels: Sequence[float], maximum: float, per_degree: float) -> float:
    """The expected lead of the later turn in points: the mean degree × ``per_degree`` × ``maximum``."""
    return per_degree * maximum * sum(levels) / len(levels)


class Held(Struct, frozen=True, kw_only=True, gc=False):
    """Two turns in one dimension, over the components that both have: points, and the expected lead of the later."""

    earlier: float
    later: float
    gap: float
    maximum: float
    is_whole: bool
    """Whether both turns have all components of the dimension."""

    def expected(self, *, of_later: bool) -> float:
        """What the other turn's points and the comparison say of one of the turns."""
        said = self.earlier + self.gap if of_later else self.later - self.gap
        return min(max(said, 0.0), self.maximum)

    def own(self, *, of_later: bool) -> float:
        """The points of one of the turns."""
        return self.later if of_later else self.earlier

    def moves(self, weight: float, *, of_later: bool) -> float:
        """By how much one of the turns moves: half of ``weight`` of what it lacks to what is expected of it."""
        return weight / 2 * (self.expected(of_later=of_later) - self.own(of_later=of_later))


def held(ledger: "Ledger", comparison: "Comparison") -> dict[str, Held]:
    """The dimensions of a comparison in which both turns have a score by the judge."""
    rubric, ring = ledger.rubric, ledger.ring
    earlier, later = ledger.cards.get(comparison.earlier), ledger.cards.get(comparison.later)
    if rubric is None or ring is None or comparison.missing is not None or earlier is None or later is None:
        return {}
    found: dict[str, Held] = {}
    for name, levels in comparison.levels.items():
        dimension = rubric.dimensions.get(name)
        if dimension is None or not levels or not _is_scored(earlier, name) or not _is_scored(later, name):
            continue
        common = [part for part in dimension.components if part in earlier.components and part in later.components]
        if maximum := sum(dimension.components[part].maximum for part in common):
            found[name] = Held(
                earlier=points(earlier, name, common),
                later=points(later, name, common),
                gap=gap_of(levels, maximum, ring.per_degree),
                maximum=maximum,
                is_whole=maximum == dimension.maximum,
            )
    return found


def _is_scored(card: "TurnCard", dimension: str) -> bool:
    """Whether the judge gave the dimension a score."""
    return dimension in card.balances and dimension not in card.inferred


def points(card: "TurnCard", dimension: str, components: Iterable[str]) -> float:
    """The admitted points of these components, with what the caps of their dimension took; at least 0."""
    given = sum(card.components[each].admitted for each in components)
    return max(0.0, round(given + card.balances[dimension].capped, 2))


def residual(found: Iterable[Held]) -> float | None:
    """By how much the later turn lies above what the comparison expects, in points of 100; None of nothing."""
    each = tuple(found)
    if not (maximum := sum(one.maximum for one in each)):
        return None
    return sum(one.later - one.earlier - one.gap for one in each) * SCALE / maximum
