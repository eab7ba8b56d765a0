"""Which variance of an argument's scores should keep a panel from naming a side?  A simulation of known better sides.

``python -m tests.measuring.panel_disputes`` prints the table of ``docs/design.md``.

Arguments have a true quality, and the means of the two sides differ by a planted lead.  A rater gives an argument its
quality, plus its own strictness, plus an error that is normal with the spread of the row; scores stay within 1 to 10.
In a third of the panels some of the raters, one to three, misread one argument: they see it 5 points better than it is,
or 5 points worse.  All rules decide the same panels, and only the rule of variance differs.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Final

import click
import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from events.types import Rater, Side
from events.types.criteria import PanelRules
from judge.panel.agreement import Ratings
from judge.panel.disputes import variance
from judge.panel.outcome import names_side
from judge.panel.scored import ScoredPanel
from judge.rubrics.rubric import rubric_v3

PANELS: Final = 2_000
RATERS: Final = 4
SEED: Final = 20_261_127
ERRORS: Final = (0.5, 1.0, 1.5, 2.0)
"""Spreads of a rater's error on an argument, in points."""
LEADS: Final = (0.25, 2.5)
"""Bounds of the planted lead, in points."""
MISREAD: Final = 5.0
"""Points by which some raters misread an argument."""
MISREAD_SHARE: Final = 1 / 3
Array = NDArray[np.float64]


class VarianceRule(Struct, frozen=True):
    """From ``disputed`` on an argument is disputed, from ``decisive`` on it alone keeps the panel from naming a side.

    ``always``: whatever the agreement; the rubric lets such an argument pass where alpha is high.
    """

    name: str
    disputed: float
    decisive: float
    always: bool = False


RULES: Final = (
    VarianceRule("none", math.inf, math.inf),
    VarianceRule("3 and it turns the lead", 3.0, math.inf),
    VarianceRule("the same, or 6 (version 2)", 3.0, 6.0),
    VarianceRule("3, under an alpha of .80", 3.0, 3.0),
    VarianceRule("3 (the article)", 3.0, 3.0, always=True),
)


class Named(Struct, frozen=True):
    """How many of the panels name the better side, and how many the other one."""

    right: int
    wrong: int


def named(error: float, arguments: int, panels: int = PANELS) -> dict[str, Named]:
    """Return by rule what panels with this error, and this number of arguments a side, name."""
    counts = {rule.name: [0, 0] for rule in RULES}
    for panel in simulated(error, arguments, panels):
        for rule in RULES:
            side = names_side(replace(panel, rules=_rules(rule)))
            if side != "neither" and not (rule.always and _highest(panel) >= rule.decisive):
                counts[rule.name][side == "con"] += 1  # pro is the better side
    return {name: Named(*each) for name, each in counts.items()}


def _highest(panel: ScoredPanel) -> float:
    """Return the highest variance of an argument's calibrated scores."""
    return max(variance([given[item] for given in panel.deciding.values()]) or 0 for item in panel.sides)


def simulated(error: float, arguments: int, panels: int) -> Iterator[ScoredPanel]:
    """Yield panels whose better side is pro."""
    random = np.random.default_rng(SEED)
    sides: Mapping[str, Side] = {
        f"{side.upper()}-{number}": side for side in ("pro", "con") for number in range(1, arguments + 1)
    }
    seats = tuple(
        Rater(name=f"r{number}", title=f"Rater {number}", domain="general", focus="", weights={"logic": 1}, model="m")
        for number in range(RATERS)
    )
    for _ in range(panels):
        scores = _scores(random, error, arguments)
        totals = {
            seat.name: dict(zip(sides, map(float, row), strict=True)) for seat, row in zip(seats, scores, strict=True)
        }
        yield ScoredPanel(
            seats=seats,
            totals=totals,
            ratings=Ratings(scores, np.arange(len(sides))),
            standings=tuple({} for _ in seats),
            sides=sides,
            rules=_rules(RULES[0]),
            topic_type="default",
        )


def _scores(random: np.random.Generator, error: float, arguments: int) -> Array:
    """Return ``scores[rater, argument]``, those of pro first."""
    quality = random.normal(0, 1, (2, arguments))
    quality -= quality.mean(axis=1, keepdims=True)
    quality += np.array([[0.5], [-0.5]]) * random.uniform(*LEADS) + 5.5
    seen = quality.ravel() + random.normal(0, 1, (RATERS, 1)) + random.normal(0, error, (RATERS, 2 * arguments))
    if random.random() < MISREAD_SHARE:
        who = random.permutation(RATERS)[: random.integers(1, RATERS)]
        seen[who, random.integers(2 * arguments)] += random.choice([-MISREAD, MISREAD])
    return np.asarray(np.clip(np.round(seen, 1), 1, 10))


def _rules(rule: VarianceRule) -> PanelRules:
    found = rubric_v3().panel
    assert found is not None
    free = {"reliable_raters": UNSET, "reliable_items": UNSET}
    return replace(found, disputed_variance=rule.disputed, decisive_variance=rule.decisive, **free)


def main() -> None:
    """Print the table."""
    names = " | ".join(rule.name for rule in RULES)
    click.echo(f"| arguments a side | error | {names} |\n|---|---|{'---|' * len(RULES)}")
    for arguments in (3, 5):
        for error in ERRORS:
            found = named(error, arguments)
            shown = " | ".join(f"{each.right / PANELS:.1%}, {each.wrong / PANELS:.2%}" for each in found.values())
            click.echo(f"| {arguments} | {error} | {shown} |")


if __name__ == "__main__":
    main()
