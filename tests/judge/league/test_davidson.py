"""The fit of a league agrees with statsmodels (ties and sides) and with choix (without them)."""

from itertools import permutations

import choix
import numpy as np
import pytest
import statsmodels.api as sm

from events.types import Winner
from judge.league.davidson import Array, contrasts, fit, information, probabilities
from judge.league.league import league_of
from judge.league.results import LeagueMatch

PLAYERS = 5


def drawn(*, ties: bool, per_cell: int = 12) -> tuple[list[tuple[int, int]], Array]:
    """How often each ordered pair ended with Pro, Con or neither."""
    rng = np.random.default_rng(11)
    strength = rng.normal(0, 0.9, PLAYERS)
    cells = list(permutations(range(PLAYERS), 2))
    eta = np.array([strength[pro] - strength[con] + 0.4 * ties for pro, con in cells])
    chances = probabilities(eta, np.array(-0.2 if ties else -np.inf))
    return cells, np.stack([rng.multinomial(per_cell, each) for each in chances]).astype(np.float64)


def fitted(cells: list[tuple[int, int]], counts: Array, *, ties: bool) -> tuple[Array, Array]:
    """The strengths, and the other parameters."""
    basis = contrasts([0] * PLAYERS)
    rows = np.array([basis[pro] - basis[con] for pro, con in cells])
    if ties:
        rows = np.column_stack((rows, np.ones(len(cells))))
    centre = np.zeros(rows.shape[1] + 1)
    centre[-1] = 0.0 if ties else -np.inf
    found = fit(rows, counts[None], centre)[0]
    return basis @ found[: basis.shape[1]], found[basis.shape[1] :]


def test_ties_and_sides_agree_with_a_poisson_regression() -> None:
    cells, counts = drawn(ties=True)
    strengths, (side, tie) = fitted(cells, counts, ties=True)
    design, outcomes = [], []
    for match, (pro, con) in enumerate(cells):
        for cell, (mine, theirs, has_side, tied) in enumerate(((1, 0, 1, 0), (0, 1, 0, 0), (0.5, 0.5, 0.5, 1))):
            row = np.zeros(PLAYERS - 1 + 2 + len(cells))
            for player, share in ((pro, mine), (con, theirs)):
                if player:  # the first player is the reference
                    row[player - 1] += share
            row[PLAYERS - 1 : PLAYERS + 1] = has_side, tied
            row[PLAYERS + 1 + match] = 1
            design.append(row)
            outcomes.append(counts[match, cell])
    found = (
        sm.GLM(np.array(outcomes), np.array(design), family=sm.families.Poisson()).fit(tol=1e-12, maxiter=200).params
    )

    assert strengths[1:] - strengths[0] == pytest.approx(found[: PLAYERS - 1], abs=1e-4)
    assert (side, tie) == pytest.approx(tuple(found[PLAYERS - 1 : PLAYERS + 1]), abs=1e-4)


def test_without_ties_and_sides_it_agrees_with_choix() -> None:
    cells, counts = drawn(ties=False)
    strengths, _ = fitted(cells, counts, ties=False)
    wins = [pair for (pro, con), row in zip(cells, counts, strict=True) for pair in [(pro, con)] * int(row[0])]
    wins += [pair for (pro, con), row in zip(cells, counts, strict=True) for pair in [(con, pro)] * int(row[1])]

    assert not counts[:, 2].any()
    assert strengths == pytest.approx(choix.ilsr_pairwise(PLAYERS, wins, alpha=0), abs=1e-4)


def test_an_even_debate_tells_most() -> None:
    parameters = np.array([1.0, -np.inf])
    even, uneven = (information(np.array([distance]), parameters) for distance in (0.0, 3.0))

    assert even == pytest.approx(0.25)
    assert uneven < even / 2


BASEBALL = {
    "Milwaukee": "0-0 4-3 4-2 4-3 6-1 4-2 6-0",
    "Detroit": "3-3 0-0 4-2 4-3 6-0 6-1 4-3",
    "Toronto": "2-5 4-3 0-0 2-4 4-3 4-2 6-0",
    "New York": "3-3 5-1 2-5 0-0 4-3 4-2 6-1",
    "Boston": "5-1 2-5 3-3 4-2 0-0 5-2 6-0",
    "Cleveland": "2-5 3-3 3-4 4-3 4-2 0-0 2-4",
    "Baltimore": "2-5 1-5 1-6 2-4 1-6 3-4 0-0",
}
"""Wins and losses at home against each team in 1987: Agresti (2002), section 10.6."""


def test_baseball_has_the_published_abilities_and_advantage_at_home() -> None:
    """Turner and Firth (2012), the model with ``at.home``, against Baltimore."""
    teams = list(BASEBALL)
    found = []
    for home, row in BASEBALL.items():
        for away, games in zip(teams, row.split(), strict=True):
            won, lost = map(int, games.split("-"))
            outcomes: list[Winner] = ["pro"] * won + ["con"] * lost
            found += [
                LeagueMatch(debate=f"{home} {away} {game}", motion=f"{game}", pro=home, con=away, outcome=outcome)
                for game, outcome in enumerate(outcomes)
            ]
    made = league_of(found, resamples=20)
    strengths = {each.player: each.strength.value for each in made.standings if each.strength}
    against = [round(strengths[team] - strengths["Baltimore"], 4) for team in teams[:-1]]

    assert against == [1.6196, 1.4754, 1.3271, 1.2813, 1.1438, 0.7047]
    assert made.side is not None
    assert made.side.value == pytest.approx(0.3023, abs=5e-5)
