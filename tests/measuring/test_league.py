"""A league is tested like an instrument: its intervals hold what is planted, and equals are not ranked.

The short form has few leagues and wide limits; the full one (mark ``thorough``) is that of ``docs/league.md``.
"""

import pytest
from click.testing import CliRunner

from tests.measuring.league import LEAGUES, fared, main


@pytest.mark.slow
def test_intervals_hold_planted_strengths() -> None:
    found = fared(8, resamples=100)

    assert found.differences >= 0.85
    assert found.false_ranks <= 0.25
    assert found.ordered >= 0.8
    assert found.wrong == 0


@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_two_hundred_leagues_hold_what_the_documentation_says() -> None:
    found = fared(LEAGUES)

    assert 0.93 <= found.differences <= 0.97
    assert 0.93 <= found.strengths <= 0.97
    assert found.false_ranks <= 0.05
    assert found.ordered >= 0.85
    assert found.wrong == 0


@pytest.mark.slow
def test_the_table_has_a_row_for_each_number_of_motions() -> None:
    result = CliRunner().invoke(main, ["--leagues", "1", "--motions", "4", "--motions", "6"])

    assert (0, 5) == (result.exit_code, len(result.output.splitlines()))
