"""How much does the winner of a protocol debate depend on the side that is read first?  A simulation.

``python -m tests.measuring.reading_order`` prints the table of ``docs/design.md``.

An argument has a true quality, its side has a lead of its own, a reader is more or less strict, and each of its scores
has noise.  A reader adds the *effect* to every score of the side that it reads first, in points of 100; the scores are
whole numbers of the rubric's scale.  The judge and the panel then decide by the rules of the product.  Each debate is
decided twice with the same truth and the same noise: as the sides were read, and with every reader's order reversed.
"""

from collections.abc import Mapping
from typing import Final

import click
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from events.state.outcome import ahead_by_totals
from events.types import SIDES, AssessmentGiven, PanelistScored, Rater, Side, Standing, Winner, other
from events.types.criteria import Criteria, PanelRules
from judge.panel.outcome import names_side, scored_panel
from judge.panel.raters import shipped
from judge.protocol.judgement import PLACES
from judge.rubrics.rubric import rubric_v3

DEBATES: Final = 600
SEED: Final = 20_261_127
EFFECTS: Final = (0, 5, 10, 20)
"""Points of 100 that a reader adds to the side that it reads first."""
LEAD, QUALITY, STRICTNESS, NOISE = 0.5, 0.6, 0.7, 0.45
"""Standard deviations in points of the scale from 1 to 10, about those of two debates that were answered by hand."""
MIDDLE: Final = 6.0
NAMES: Final = tuple(f"{side.upper()}-{number}" for side in SIDES for number in (1, 2, 3))
RUBRIC: Final = rubric_v3()
Array = NDArray[np.float64]


class Readers(Struct, frozen=True):
    """The scores that each reader of a debate would give without rounding and without an effect of the order.

    ``judge``: readings × arguments × criteria.  ``raters``: raters × arguments × criteria.
    """

    judge: Array
    raters: Array


class Winners(Struct, frozen=True):
    """Who wins by the judge's totals, and who wins the debate."""

    judge: Winner
    debate: Winner


def debates(count: int, seed: int = SEED) -> list[Readers]:
    """Return so many debates.  Neither side is better on average."""
    random = np.random.default_rng(seed)
    size = (len(NAMES), len(criteria().dimensions))
    found = []
    for _ in range(count):
        lead = random.normal(0, LEAD)
        side = np.array([lead / 2 if name.startswith("PRO") else -lead / 2 for name in NAMES])
        truth = MIDDLE + side + random.normal(0, QUALITY, len(NAMES))
        judge = truth[:, None] + random.normal(0, STRICTNESS) + random.normal(0, NOISE, (2, *size))
        strict = random.normal(0, STRICTNESS, (len(raters()), 1, 1))
        found.append(Readers(judge, truth[:, None] + strict + random.normal(0, NOISE, (len(raters()), *size))))
    return found


def decided(read: Readers, effect: float, *, both_orders: bool, is_reversed: bool) -> Winners:
    """Return the winners of a debate.  Without ``both_orders`` all readers read Pro first, or, reversed, Con."""
    begin: Side = "con" if is_reversed else "pro"
    if both_orders:
        judged = np.mean([_scores(scores, first, effect) for scores, first in zip(read.judge, SIDES, strict=True)], 0)
        first = [other(begin) if number % 2 else begin for number in range(len(read.raters))]
    else:
        judged, first = _scores(read.judge[0], begin, effect), [begin] * len(read.raters)
    judge = _by_totals(judged)
    seats = raters()
    scored = {
        seat.name: _scored(seat, _scores(scores, side, effect))
        for seat, scores, side in zip(seats, read.raters, first, strict=True)
    }
    sides: Mapping[str, Side] = {name: "pro" if name.startswith("PRO") else "con" for name in NAMES}
    panel = scored_panel(seats, scored, sides, panel_rules(), criteria(), "default")
    return Winners(judge, judge if judge == names_side(panel) else "neither")


def _scores(scores: Array, first: Side, effect: float) -> Array:
    """Return what a reader gives: the side read first has the effect, and scores are whole numbers of the scale."""
    low, high = criteria().low, criteria().high
    added = np.array([effect / 100 * (high - low) if name.startswith(first.upper()) else 0.0 for name in NAMES])
    return np.asarray(np.clip(np.rint(scores + added[:, None]), low, high))


def _by_totals(scores: Array) -> Winner:
    """Return the side ahead by the judge's totals."""
    rules = RUBRIC.protocol
    assert rules is not None
    totals = scores @ np.array([each.weight for each in criteria().dimensions.values()])
    pro, con = (round(float(each.mean()) * rules.arguments, PLACES) for each in (totals[:3], totals[3:]))
    return ahead_by_totals(AssessmentGiven(pro_total=pro, con_total=con), rules)


def _scored(seat: Rater, scores: Array) -> PanelistScored:
    names = tuple(criteria().dimensions)
    given = {item: dict(zip(names, map(float, row), strict=True)) for item, row in zip(NAMES, scores, strict=True)}
    standings = {item: _standing(float(row.mean())) for item, row in zip(NAMES, scores, strict=True)}
    return PanelistScored(rater=seat.name, model=seat.model, scores=given, standings=standings)


def _standing(mean: float) -> Standing:
    if mean >= MIDDLE:
        return "UPHELD" if mean >= MIDDLE + 1 else "PARTIALLY_UPHELD"
    return "REFUTED" if mean < MIDDLE - 1 else "UNCERTAIN"


def criteria() -> Criteria:
    """Return the criteria of arguments."""
    assert RUBRIC.criteria is not None
    return RUBRIC.criteria


def panel_rules() -> PanelRules:
    """Return the panel's rules."""
    assert RUBRIC.panel is not None
    return RUBRIC.panel


def raters() -> list[Rater]:
    """Return the four shipped raters."""
    return [
        Rater(name=name, title=each.title, domain=each.domain, focus=each.focus, weights=each.weights, model="m")
        for name, each in shipped().raters.items()
    ]


def changes(read: list[Readers], effect: float, *, both_orders: bool) -> list[tuple[Winners, Winners]]:
    """Return for each debate the winners as the sides were read, and with every order reversed."""
    return [
        (
            decided(each, effect, both_orders=both_orders, is_reversed=False),
            decided(each, effect, both_orders=both_orders, is_reversed=True),
        )
        for each in read
    ]


def shares(pairs: list[tuple[Winners, Winners]], part: str) -> tuple[float, float, float]:
    """Return the shares of debates with another winner if reversed, with the other side, and with a winner at all."""
    both = [(getattr(one, part), getattr(two, part)) for one, two in pairs]
    other_side = [one != two and "neither" not in {one, two} for one, two in both]
    changed, named = [one != two for one, two in both], [one != "neither" for one, _ in both]
    return float(np.mean(changed)), float(np.mean(other_side)), float(np.mean(named))


@click.command()
@click.option("--debates", "count", default=DEBATES, show_default=True)
def main(count: int) -> None:
    """Print the table."""
    read = debates(count)
    click.echo("| effect | order | judge: changed (other side) | debate: changed (other side) | debate: named |")
    click.echo("|---|---|---|---|---|")
    for effect in EFFECTS:
        for order, both in (("one", False), ("both", True)):
            pairs = changes(read, effect, both_orders=both)
            judge, debate = shares(pairs, "judge"), shares(pairs, "debate")
            shown = [f"{changed:.1%} ({sided:.1%})" for changed, sided, _ in (judge, debate)]
            click.echo(f"| {effect} | {order} | {' | '.join(shown)} | {debate[2]:.0%} |")


if __name__ == "__main__":
    main()
