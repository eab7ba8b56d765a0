"""The lab's verdict finds a planted bias, however noisy the judge is, and accuses no judge without one."""

import pytest
from click.testing import CliRunner

from events.types import Battery
from tests.laws import spread
from tests.measuring.lab_power import FIGURES, NOISES, Noise, main, power_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("noise", NOISES[-1:])
@pytest.mark.parametrize("battery", spread(FIGURES, 4))
def test_a_bias_as_large_as_the_margin_is_found_by_the_noisiest_judge(battery: Battery, noise: Noise) -> None:
    """In at least 80 % of runs: with that power, fewer than 12 of 20 are found in 1 % of tests."""
    for each in power_of(battery, 1.0, 20, noise):
        assert each.biased >= 12 / 20


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("battery", FIGURES)
def test_a_bias_as_large_as_the_margin_is_found_at_every_noise(battery: Battery, noise: Noise) -> None:
    for each in power_of(battery, 1.0, 200, noise):
        assert each.biased >= 0.8


@pytest.mark.parametrize("battery", ["position", "side"])
def test_a_judge_without_bias_is_hardly_ever_accused(battery: Battery) -> None:
    for each in power_of(battery, 0.0, 60):
        assert each.biased <= 8 / 60  # at most 5 % of runs: more than 8 of 60 has a chance of 0.3 %


def test_the_script_prints_a_row_for_each_planted_bias() -> None:
    printed = CliRunner().invoke(main, ["--runs", "2", "--battery", "position"])

    assert printed.exit_code == 0
    assert "| position `first_pick` | 10 pp | 0 / 100 / 0 |" in printed.output
    assert "| figure | margin | 0 points, 0 % | 1.5 points, 22 % | 3 points, 38 % | 6 points, 50 % |" in printed.output
    assert "| position `first_pick` | 10 pp | 100 | 100 | 100 | 100 |\n" in printed.output
    assert "| figure | margin | biased |\n|---|---|---|\n| position `first_pick` | 10 pp | " in printed.output


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("battery", FIGURES)
def test_a_judge_without_bias_is_accused_in_at_most_5_per_cent_of_runs(battery: Battery) -> None:
    for each in power_of(battery, 0.0, 400):
        assert each.biased <= 0.05
