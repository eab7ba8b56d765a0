"""The lab is tested like an instrument: it finds what is planted in mock judges, and accuses no judge without bias.

The short form has few runs and wide limits; the full one (mark ``thorough``) has 400 runs of each battery and size.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from events.types.lab import Battery
from judge.lab.trials import BATTERIES
from tests.laws import spread
from tests.measuring.lab_coverage import SIZES, Coverage, coverage_of, false_alarms, main, rejections
from tests.measuring.mock_judges import Size

pytestmark = pytest.mark.slow
SHORT, FULL = 40, 400
covered_once = cache(coverage_of)
"""The same runs, measured once for all figures of a battery."""


def pooled(rows: list[Coverage]) -> float:
    """How often the intervals of a battery's figures hold the truth."""
    return float(np.average([each.covered for each in rows], weights=[each.runs for each in rows]))


@pytest.mark.parametrize("battery", spread(BATTERIES, 4))
def test_intervals_hold_a_planted_bias(battery: Battery) -> None:
    rows = coverage_of(battery, "medium", SHORT)

    assert pooled(rows) >= 0.88
    assert all(each.covered >= 0.8 for each in rows)
    assert all(each.truth == pytest.approx(each.mean, abs=each.half_width / 2) for each in rows)


@pytest.mark.parametrize(
    ("battery", "figure"),
    spread(
        [
            ("position", "first_pick"),
            ("position", "toward_first"),
            ("side", "pro_less_con"),
            ("side", "pro_pick"),
            ("labels", "pro_by_name"),
            ("last_word", "last_pick"),
            ("length", "padded_100"),
            ("length", "padded_100_wins"),
            ("authority", "cited_false"),
            ("authority", "cited_false_flagged"),
            ("obscure", "sourced_flagged"),
            ("style", "ornate"),
            ("flaw", "chain_named"),
            ("flaw", "chain_sensitivity"),
            ("injection", "points"),
            ("injection", "wins"),
            ("pressure", "belief"),
            ("family", "own_pick"),
            ("people", "pairs_accuracy"),
        ],
        8,
    ),
)
def test_a_larger_bias_gives_a_larger_figure(battery: Battery, figure: str) -> None:
    found = [next(each for each in covered_once(battery, size, 8) if each.name == figure) for size in ("none", "large")]

    planted = found[1].truth - found[0].truth
    assert abs(planted) > 0.5 * found[0].half_width
    assert found[1].mean - found[0].mean == pytest.approx(planted, abs=0.9 * found[0].half_width)


def test_a_judge_without_bias_is_hardly_ever_accused() -> None:
    assert false_alarms(30)["runs"] <= 5  # at most 5 % of runs: more than 5 of 30 has a chance of 0.3 %


@pytest.mark.parametrize(("battery", "name"), [("position", "first_pick"), ("last_word", "last_pick")])
def test_a_bias_that_cancels_out_over_motions_is_no_bias_on_average(battery: Battery, name: str) -> None:
    """McNemar's test, which takes the pairs of one motion for independent, rejects in 12 per cent of such runs."""
    assert rejections(battery, name, 100) <= 0.11


def test_the_script_prints_its_tables() -> None:
    short = CliRunner().invoke(main, ["--runs", "2", "--battery", "obscure"])
    full = CliRunner().invoke(main, ["--runs", "2", "--battery", "obscure", "--figures"])

    assert (0, 0) == (short.exit_code, full.exit_code)
    assert "| obscure | sourced_flagged, share | 0.00 → " in short.output
    assert "| obscure | 3 | " in short.output
    assert "| obscure | sourced_flagged | large |" in full.output


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("battery", "size"), list(product(BATTERIES, SIZES)))
def test_intervals_hold_the_truth_in_93_to_97_per_cent(battery: Battery, size: Size) -> None:
    rows = coverage_of(battery, size, FULL)

    assert 0.93 <= pooled(rows) <= 0.97
    assert all(0.91 <= each.covered <= 0.985 for each in rows)


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_a_judge_without_bias_is_accused_in_at_most_5_per_cent_of_runs() -> None:
    assert false_alarms(FULL)["runs"] <= 0.05 * FULL
