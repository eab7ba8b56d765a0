"""The simulation behind the variance that prevents a winner, with fewer panels than the documentation's."""

import pytest

from judge.panel.disputes import side_scores
from tests.measuring.panel_disputes import RATERS, RULES, named, simulated

PANELS = 150


@pytest.mark.slow
def test_the_articles_variance_costs_right_winners_and_spares_hardly_a_wrong_one() -> None:
    found = named(1.5, 3, PANELS)
    free, ours, article = (found[rule.name] for rule in (RULES[0], RULES[2], RULES[4]))

    assert free.right >= ours.right > 2 * article.right
    assert free.wrong - article.wrong <= 0.02 * PANELS


def test_pro_is_the_better_side_in_the_mean() -> None:
    even = {f"r{number}": 1 / RATERS for number in range(RATERS)}
    leads = [side_scores(panel.totals, even, panel.sides).leaning for panel in simulated(0.5, 3, PANELS)]

    assert leads.count("pro") > 0.9 * PANELS
    assert "con" in leads, "some panels are misled"
