"""A league ranks nobody without grounds: what is planted, and data that have no finite estimate or no interval."""

from collections.abc import Iterable
from itertools import permutations

import numpy as np
import pytest
from msgspec.structs import replace

from events.types import Winner
from judge.league.league import league_of
from judge.league.noise import chances_again
from judge.league.pairing import next_pairs
from judge.league.results import METHODS, LeadReading, League, LeagueMatch, Method, reading_by_noise
from tests.measuring.league import EQUALS, STRENGTHS, played

FEW = 100
"""Resamples."""


def matches(*said: tuple[str, str, Winner], motions: int = 1) -> list[LeagueMatch]:
    """Each match on every motion."""
    return [
        LeagueMatch(debate=f"{number}/{motion}", motion=f"motion {motion}", pro=pro, con=con, outcome=outcome)
        for motion in range(motions)
        for number, (pro, con, outcome) in enumerate(said)
    ]


def by_player(league: League) -> dict[str, tuple[int, int]]:
    return {each.player: each.ranks for each in league.standings}


def league(found: Iterable[LeagueMatch], *controls: str) -> League:
    return league_of(found, controls, resamples=FEW)


@pytest.fixture(scope="module")
def planted() -> tuple[LeagueMatch, ...]:
    return played(np.random.default_rng(4))


def test_planted_strengths_are_ordered_and_equals_are_not_ranked(planted: tuple[LeagueMatch, ...]) -> None:
    found = league(planted)
    order = [each.player for each in found.standings]
    pairs = {(each.one, each.other): each for each in found.pairs}

    assert "first" == order[0]
    assert "last" == order[-1]
    assert not pairs[EQUALS].is_ranked
    assert (1, 1) == by_player(found)["first"]
    assert (len(planted), len(planted)) == (found.debates, found.noisy)
    assert found.side is not None
    assert found.side.value > 0
    # no rank between players whose difference's interval holds 0
    assert all(each.difference.excludes_0 for each in found.pairs if each.is_ranked and each.difference)


def test_the_same_matches_and_seed_give_the_same_league(planted: tuple[LeagueMatch, ...]) -> None:
    assert league(planted[:200]) == league(planted[:200])


def test_another_reading_has_the_distribution_of_the_first(planted: tuple[LeagueMatch, ...]) -> None:
    names = sorted(STRENGTHS)
    design = np.array([[(each.pro == name) - (each.con == name) for name in names] + [1] for each in planted], float)
    readings = [each.reading for each in planted if each.reading is not None]
    again = chances_again(np.array([(each.lead, each.error, each.limit) for each in readings]), design)
    recorded = [sum(each.outcome == name for each in planted) / len(planted) for name in ("pro", "con", "neither")]

    assert again.mean(axis=0) == pytest.approx(recorded, abs=0.03)
    of_first = [number for number, each in enumerate(planted) if each.pro == "first"]
    won = sum(planted[number].outcome == "pro" for number in of_first) / len(of_first)
    assert again[of_first, 0].mean() == pytest.approx(won, abs=0.05)


def test_noise_of_a_lab_run_makes_a_narrow_lead_turn_over() -> None:
    readings = [reading_by_noise(lead, noise=4.0, limit=4.0) for lead in (0.5, 30.0)]
    chances = chances_again(np.array([(each.lead, each.error, each.limit) for each in readings]), np.ones((2, 1)))

    assert chances[0, 2] > 0.7
    assert chances[1, 0] > 0.99


def test_the_noise_of_the_judge_widens_an_interval_that_motions_do_not() -> None:
    # every motion ends alike, so motions alone tell nothing
    alike = matches(("A", "B", "pro"), ("B", "A", "neither"), ("A", "B", "con"), ("B", "A", "con"), motions=8)
    leads = {"pro": 3.0, "con": -3.0, "neither": 0.5}
    noisy = [replace(each, reading=LeadReading(leads[each.outcome], 3.0, 2.0)) for each in alike]
    widths = []
    for each in (alike, noisy):
        span = league(each).pairs[0].difference
        assert span is not None
        assert span.low is not None
        assert span.high is not None
        widths.append(span.high - span.low)

    assert widths[0] == pytest.approx(0, abs=1e-6)
    assert widths[1] > 0.5


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (matches(("A", "B", "pro"), ("B", "A", "con"), motions=9), "won all its debates: no finite estimate"),
        (matches(("A", "B", "pro")), "won all its debates: no finite estimate"),
        (matches(("A", "B", "neither"), ("B", "A", "neither"), motions=9), "no debate named a side"),
        (matches(("A", "B", "neither")), "no debate named a side"),
        (matches(("A", "B", "pro"), ("B", "A", "pro")), "on one motion"),
        (
            matches(("A", "B", "pro"), ("B", "A", "pro"), ("C", "D", "pro"), ("D", "C", "con"), motions=9),
            "2 sets of players never met",
        ),
        (matches(("A", "B", "pro"), ("A", "B", "con"), motions=9), "the advantage of a side cannot be told"),
    ],
    ids=["all won", "one debate", "all tied", "one tie", "one motion", "disconnected", "no exchange"],
)
def test_what_data_cannot_tell_is_said_and_not_ranked(found: list[LeagueMatch], says: str) -> None:
    made = league(found)
    said = [*made.notes, *(each.why for each in made.standings)]

    assert any(says in each for each in said), said
    assert not any(each.is_ranked for each in made.pairs)
    assert {(1, len(made.standings))} == set(by_player(made).values())


def test_who_won_all_leaves_the_others_their_ranks() -> None:
    best = [("best", other, "pro") for other in "AB"] + [(other, "best", "con") for other in "AB"]
    rng = np.random.default_rng(2)
    others: list[LeagueMatch] = []
    for number in range(400):
        pro, con = ("A", "B") if number % 2 else ("B", "A")
        outcome: Winner = "pro" if (rng.random() < 0.75) == (pro == "A") else "con"
        others.append(
            LeagueMatch(debate=f"o{number}", motion=f"motion {number % 40}", pro=pro, con=con, outcome=outcome)
        )
    made = league([*matches(*best, motions=40), *others])  # type: ignore[arg-type]
    strengths = {each.player: each.strength for each in made.standings}

    assert strengths["best"] is None
    assert "best" == made.standings[-1].player
    assert [True] == [each.is_ranked for each in made.pairs if {each.one, each.other} == {"A", "B"}]
    assert strengths["A"] is not None
    assert strengths["A"].value > 0


@pytest.mark.slow
def test_what_is_controlled_for_is_taken_out() -> None:
    rng = np.random.default_rng(8)
    found = []
    for number in range(1200):
        pro, con = ("wordy", "brief") if number % 2 else ("brief", "wordy")
        longer = (1.0 if pro == "wordy" else -1.0) + rng.normal(0, 0.7)  # words decide, and nothing else
        outcome: Winner = "pro" if rng.random() < 1 / (1 + np.exp(-1.5 * longer)) else "con"
        found.append(
            LeagueMatch(
                debate=f"{number}", motion=f"{number % 30}", pro=pro, con=con, outcome=outcome, controls=(longer, 0.0)
            )
        )
    made = league(found, "100 words", "formatting marks")
    wordy = made.standings[0]

    assert "wordy" == wordy.player
    assert wordy.strength is not None
    assert wordy.strength.excludes_0
    assert wordy.controlled is not None
    assert not wordy.controlled.excludes_0
    assert ["100 words"] == list(made.effects)
    assert made.effects["100 words"].value == pytest.approx(1.5, abs=0.3)
    assert any("formatting marks" in each for each in made.notes)


def test_two_judges_of_the_same_debates_count_once_and_their_agreement_is_told(
    planted: tuple[LeagueMatch, ...],
) -> None:
    again = [
        replace(each, debate=f"{each.debate}/2", turns=each.debate, judge="other", costs=(0.5, 0.5))
        for each in planted[:100]
    ]
    turned = [replace(each, outcome="neither") for each in again[:20]]
    made = league([*planted, *turned, *again[20:]])
    (agreement,) = made.agreements
    same = 80 + sum(each.outcome == "neither" for each in planted[:20])

    assert (len(planted), len(planted) + 100) == (made.debates, made.verdicts)
    assert (100, same / 100) == (agreement.debates, agreement.same.value)
    assert agreement.same.low is not None
    assert agreement.same.low < agreement.same.value
    assert {"judge", "other"} == set(made.standings[0].by_judge)
    assert sum(each.won + each.tied + each.lost for each in made.standings) == pytest.approx(2 * len(planted))


def test_a_win_has_its_cost_and_a_call_without_a_price_leaves_it_out() -> None:
    said: list[tuple[str, str, Winner]] = [("A", "B", "pro"), ("B", "A", "con"), ("A", "B", "con"), ("C", "A", "con")]
    priced = [replace(each, costs=(0.10, 0.20)) for each in matches(*said)]
    unpriced = [*priced[:-1], replace(priced[-1], costs=None)]
    costs = {each.player: (each.cost_usd, each.cost_a_win) for each in league(priced).standings}

    assert (pytest.approx(0.60), pytest.approx(0.20)) == costs["A"]
    assert (pytest.approx(0.10), None) == costs["C"]
    assert {"A": None, "C": None} == {
        each.player: each.cost_usd for each in league(unpriced).standings if each.player != "B"
    }


# pairing


@pytest.mark.parametrize("method", METHODS)
def test_pairs_are_new_seeded_and_as_many_as_asked_for(method: Method, planted: tuple[LeagueMatch, ...]) -> None:
    half = [each for each in planted if "last" not in {each.pro, each.con} or each.motion < "motion 2"]
    made = league(half)
    ask = {"method": method, "motions": ["a new one"]}
    pairs = next_pairs(half, made, 12, seed=5, **ask)  # type: ignore[arg-type]
    met = {(frozenset((each.pro, each.con)), each.motion) for each in half}
    new = {(frozenset((each.one, each.other)), each.motion) for each in pairs}

    assert 12 == len(new)
    assert not new & met
    assert pairs == next_pairs(half, made, 12, seed=5, **ask)  # type: ignore[arg-type]
    everything = next_pairs(half, made, 10_000, seed=5, **ask)  # type: ignore[arg-type]
    assert len(set(everything)) == len(everything) == 10 * 41 - len(met)


def test_a_full_round_has_each_pair_once() -> None:
    names = "ABCDE"
    pairs = next_pairs((), league_of(()), 10, method="full", seed=1, players=names, motions=["m", "n"])

    assert set(map(frozenset, permutations(names, 2))) == {frozenset((each.one, each.other)) for each in pairs}


def test_swiss_rounds_pair_like_results_and_everybody_once() -> None:
    said: list[tuple[str, str, Winner]] = [("A", "C", "pro"), ("D", "B", "con"), ("C", "A", "con"), ("B", "D", "pro")]
    found = matches(*said)
    pairs = next_pairs(found, league(found), 2, method="swiss", seed=1, motions=["next"])

    assert {frozenset("AB"), frozenset("CD")} == {frozenset((each.one, each.other)) for each in pairs}


def test_the_next_pair_is_the_one_of_which_least_is_known(planted: tuple[LeagueMatch, ...]) -> None:
    made = league(planted)
    (pair,) = next_pairs(planted, made, 1, method="learn", seed=1, players=["newcomer"], motions=["next"])

    assert "newcomer" in {pair.one, pair.other}
