"""The lab's verdict finds a planted bias, however noisy the judge is, and accuses no judge without one."""

import pytest
from click.testing import CliRunner

from events.types import Battery
from tests.measuring.lab_power import FIGURES, main, power_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("battery", "sd"), [("position", 3.0), ("side", 3.0), ("side", 6.0)])
def test_a_planted_bias_is_called_biased_at_every_noise(battery: Battery, sd: float) -> None:
    """At one and a half margins: a chance of 65 % for the first speech, and 3 points for Pro."""
    first = power_of(battery, 1.5, 20, sd)[0]

    assert first.biased >= 0.9


@pytest.mark.parametrize("battery", ["position", "side"])
def test_a_judge_without_bias_is_hardly_ever_accused(battery: Battery) -> None:
    for each in power_of(battery, 0.0, 60):
        assert each.biased <= 8 / 60  # at most 5 % of runs: more than 8 of 60 has a chance of 0.3 %


def test_the_script_prints_a_row_for_each_planted_bias() -> None:
    printed = CliRunner().invoke(main, ["--runs", "2", "--battery", "position"])

    assert printed.exit_code == 0
    assert "| position `first_pick` | 10 pp | 0 / 100 / 0 |" in printed.output
    assert printed.output.endswith("| 100 / 0 / 0 | 100 / 0 / 0 | 100 / 0 / 0 |\n")


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("battery", FIGURES)
def test_a_judge_without_bias_is_accused_in_at_most_5_per_cent_of_runs(battery: Battery) -> None:
    for each in power_of(battery, 0.0, 400):
        assert each.biased <= 0.05
