"""Whether a league finds the strengths that are planted, and how often it ranks players that are equal.

``python -m tests.measuring.league [--leagues N]`` prints the table of ``docs/league.md``.  Five players, two of them
equal, debate motions in both orders.  A lead is made of strengths, the side, what the motion gives to the side and to
each player, and the day's form; the judge reads it with an error, and names a side where the rubric is sure enough.
"""

from collections.abc import Sequence
from itertools import combinations, permutations
from math import sqrt
from statistics import NormalDist
from typing import Final

import click
import numpy as np
from msgspec import Struct

from events.types import Winner
from judge.league.davidson import contrasts, fit
from judge.league.league import league_of
from judge.league.results import RESAMPLES, League, LeagueMatch, reading_by_certainty
from judge.rubrics.rubric import default_rubric

STRENGTHS: Final = {"first": 5.0, "second": 2.5, "equal one": 0.0, "equal two": 0.0, "last": -3.0}
"""In points of the scale of 100, where the leads of like players have a standard deviation of about 8."""
EQUALS: Final = ("equal one", "equal two")
SIDE: Final = 1.0
MOTION_SIDE_SD: Final = 2.0
MOTION_PLAYER_SD: Final = 2.0
FORM_SD: Final = 5.0
ERROR: Final = 3.5
"""The judge's standard error of a lead, in points."""
PAIRS: Final = 6
"""Compared pairs of turns in a debate."""
MOTIONS: Final = 40
LEAGUES: Final = 200
SEED: Final = 20_261_128
NORMAL: Final = NormalDist()


def truths() -> dict[str, float]:
    """The strengths of the model that fits the planted world best, from the exact chances of each outcome."""
    rule = default_rubric().certainty
    assert rule, "the default rubric says how sure a verdict must be"
    names = tuple(STRENGTHS)
    limit = reading_by_certainty(0.0, ERROR, PAIRS, rule).limit
    spread = sqrt(2 * MOTION_PLAYER_SD**2 + MOTION_SIDE_SD**2 + FORM_SD**2 + ERROR**2)
    basis = contrasts([0] * len(names))
    of = dict(zip(names, basis, strict=True))
    rows, counts = [], []
    for pro, con in permutations(names, 2):
        lead = STRENGTHS[pro] - STRENGTHS[con] + SIDE
        chances = (1 - NORMAL.cdf((limit - lead) / spread), NORMAL.cdf((-limit - lead) / spread))
        rows.append([*(of[pro] - of[con]), 1.0])
        counts.append([*chances, 1 - sum(chances)])
    found = fit(np.array(rows), np.array([counts]), np.zeros(len(rows[0]) + 1))[0]
    return dict(zip(names, (basis @ found[: basis.shape[1]]).tolist(), strict=True))


def played(rng: np.random.Generator, motions: int = MOTIONS) -> tuple[LeagueMatch, ...]:
    """One league of the planted world."""
    rule = default_rubric().certainty
    assert rule, "the default rubric says how sure a verdict must be"
    found: list[LeagueMatch] = []
    for motion in range(motions):
        side = SIDE + rng.normal(0, MOTION_SIDE_SD)
        at = {name: strength + rng.normal(0, MOTION_PLAYER_SD) for name, strength in STRENGTHS.items()}
        for pro, con in permutations(STRENGTHS, 2):
            lead = at[pro] - at[con] + side + rng.normal(0, FORM_SD) + rng.normal(0, ERROR)
            reading = reading_by_certainty(lead, ERROR, PAIRS, rule)
            named: Winner = "pro" if lead > 0 else "con"
            found.append(
                LeagueMatch(
                    debate=f"{len(found)}",
                    motion=f"motion {motion}",
                    pro=pro,
                    con=con,
                    outcome=named if abs(lead) >= reading.limit else "neither",
                    judge="judge",
                    reading=reading,
                )
            )
    return tuple(found)


class PlantedLeagues(Struct, frozen=True, kw_only=True):
    """How leagues of the planted world fared, in shares."""

    leagues: int
    differences: float
    """Covered by their intervals: of all differences of two players."""
    strengths: float
    worst: float
    """The smallest coverage of one difference."""
    false_ranks: float
    """Leagues that rank the two equal players."""
    ordered: float
    """Pairs of unequal players that are ranked, and rightly."""
    wrong: float
    """Pairs of unequal players that are ranked the wrong way."""
    bias: float
    """The largest mean error of a difference, in log-odds."""


def fared(leagues: int, motions: int = MOTIONS, resamples: int = RESAMPLES, seed: int = SEED) -> PlantedLeagues:
    """Play and fit so many leagues."""
    truth = truths()
    pairs = list(combinations(sorted(STRENGTHS), 2))
    unequal = [pair for pair in pairs if pair != EQUALS]
    covered, of_players, errors = np.zeros((leagues, len(pairs))), np.zeros(leagues), np.zeros((leagues, len(pairs)))
    ranked = {"equal": 0, "right": 0, "wrong": 0}
    for at in range(leagues):
        league = league_of(played(np.random.default_rng([seed, at]), motions), resamples=resamples, seed=at)
        found = {(each.one, each.other): each for each in league.pairs}
        for number, (one, other) in enumerate(pairs):
            each, apart = found[one, other], truth[one] - truth[other]
            span = each.difference
            assert span is not None, "every player has a finite strength"
            assert span.low is not None, "with its interval"
            assert span.high is not None
            covered[at, number] = span.low <= apart <= span.high
            errors[at, number] = span.value - apart
            if each.is_ranked:
                kind = "equal" if (one, other) == EQUALS else "right" if span.value * apart > 0 else "wrong"
                ranked[kind] += 1
        of_players[at] = _covered(league, truth)
    return PlantedLeagues(
        leagues=leagues,
        differences=float(covered.mean()),
        strengths=float(of_players.mean()),
        worst=float(covered.mean(axis=0).min()),
        false_ranks=ranked["equal"] / leagues,
        ordered=ranked["right"] / leagues / len(unequal),
        wrong=ranked["wrong"] / leagues / len(unequal),
        bias=float(np.abs(errors.mean(axis=0)).max()),
    )


def _covered(league: League, truth: dict[str, float]) -> float:
    """The share of the players whose interval holds the truth."""
    found: list[bool] = []
    for each in league.standings:
        span = each.strength
        found.append(
            span is not None
            and span.low is not None
            and span.high is not None
            and span.low <= truth[each.player] <= span.high
        )
    return sum(found) / len(found)


def table(rows: Sequence[tuple[int, PlantedLeagues]]) -> str:
    """A row for each number of motions."""
    head = "motions, leagues, differences covered, worst of them, strengths covered, equals ranked"
    head += ", unequal ranked rightly, wrongly, largest mean error"
    lines = [
        f"| {head.replace(', ', ' | ')} |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {motions} | {row.leagues:,} | {row.differences:.1%} | {row.worst:.1%} | {row.strengths:.1%} "
        f"| {row.false_ranks:.1%} | {row.ordered:.1%} | {row.wrong:.1%} | {row.bias:.3f} |"
        for motions, row in rows
    ]
    return "\n".join(lines).replace("%", " %")


@click.command()
@click.option("--leagues", type=click.IntRange(1), default=LEAGUES, show_default=True)
@click.option("--motions", type=click.IntRange(2), multiple=True, default=(MOTIONS,), show_default=True)
@click.option("--seed", type=int, default=SEED, show_default=True)
def main(leagues: int, motions: Sequence[int], seed: int) -> None:
    """Print how planted strengths are found."""
    click.echo(", ".join(f"{name} {value:+.2f}" for name, value in truths().items()))
    click.echo(table([(each, fared(leagues, each, seed=seed)) for each in motions]))


if __name__ == "__main__":
    main()
