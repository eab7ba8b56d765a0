"""Who meets whom next: all pairs, players of like results (Swiss), or the pairs of which most is learned.

A pair meets twice on its motion, with the sides exchanged.  The same league, method and seed give the same pairs.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, count
from typing import Final

import numpy as np

from judge.league.results import Estimated, League, LeagueMatch, Method, NextPair

UNKNOWN: Final = 4.0
"""The variance of a difference of which nothing is known yet, in squared log-odds."""
WORTH: Final = 0.5
"""What a mirrored pair of debates tells about an even difference: Fisher's information without ties, twice 1/4."""


def next_pairs(
    matches: Sequence[LeagueMatch],
    league: League,
    number: int,
    *,
    method: Method,
    seed: int,
    players: Iterable[str] = (),
    motions: Iterable[str] = (),
) -> tuple[NextPair, ...]:
    """The next ``number`` mirrored pairs, at most as many as there are of pairs and motions that have not met.

    ``players`` and ``motions`` come to those of the league.
    """
    names = tuple(sorted({*players, *(name for each in matches for name in (each.pro, each.con))}))
    topics = tuple(dict.fromkeys([*(each.motion for each in matches), *motions]))
    rng = np.random.default_rng(seed)
    luck = {pair: float(rng.random()) for pair in combinations(names, 2)}
    met = {(*sorted((each.pro, each.con)), each.motion) for each in matches}
    open_ = {pair: [topic for topic in topics if (*pair, topic) not in met] for pair in luck}
    meetings = Counter({pair: len(topics) - len(left) for pair, left in open_.items()})
    used = Counter(each.motion for each in matches)
    ranked = _swiss if method == "swiss" else _learn if method == "learn" else _full
    found = []
    for pair in _take(ranked(names, league, meetings, luck), open_, number):
        topic = min(open_[pair], key=lambda each: (used[each], topics.index(each)))
        open_[pair].remove(topic)
        used[topic] += 1
        found.append(NextPair(motion=topic, one=pair[0], other=pair[1]))
    return tuple(found)


Pair = tuple[str, str]
Order = Iterator[Pair]
Ranked = Callable[[Sequence[str], League, Counter[Pair], dict[Pair, float]], Order]


def _take(order: Order, open_: dict[Pair, list[str]], number: int) -> Order:
    """The first pairs of an order without end that have a motion left."""
    left = min(number, sum(map(len, open_.values())))
    while left:
        pair = next(order)
        if open_[pair]:
            left -= 1
            yield pair


def _full(names: Sequence[str], league: League, meetings: Counter[Pair], luck: dict[Pair, float]) -> Order:
    """The pairs that met least first."""
    del names, league
    times = Counter(meetings)
    while True:
        pair = min(luck, key=lambda each: (times[each], luck[each]))
        times[pair] += 1
        yield pair


def _swiss(names: Sequence[str], league: League, meetings: Counter[Pair], luck: dict[Pair, float]) -> Order:
    """Rounds in which each player meets one of like results, the one it met least; one sits out if they are odd."""
    points = {each.player: (each.won + each.tied / 2) / max(each.debates, 1) for each in league.standings}
    start = {name: sum(value for pair, value in luck.items() if name in pair) for name in names}
    order = sorted(names, key=lambda name: (-points.get(name, 0.5), start[name]))
    times, sat_out = Counter(meetings), Counter[str]()
    while True:
        waiting = list(order)
        if len(waiting) % 2:
            out = min(reversed(waiting), key=lambda name: sat_out[name])
            sat_out[out] += 1
            waiting.remove(out)
        while waiting:
            first = waiting.pop(0)
            partner = min(waiting, key=lambda name: (times[_pair(first, name)], waiting.index(name)))
            waiting.remove(partner)
            times[_pair(first, partner)] += 1
            yield _pair(first, partner)


def _learn(names: Sequence[str], league: League, meetings: Counter[Pair], luck: dict[Pair, float]) -> Order:
    """Each time the pair whose difference is least known for what its debates would tell.

    A debate tells most between equals: Fisher's information of an outcome falls with the distance.
    """
    del names, meetings
    spans = {_pair(each.one, each.other): each.difference for each in league.pairs}
    variance = {pair: _variance(spans.get(pair)) for pair in luck}
    told = {pair: WORTH * _evenness(spans.get(pair)) for pair in luck}
    for _ in count():
        pair = max(luck, key=lambda each: (variance[each] - _after(variance[each], told[each]), luck[each]))
        variance[pair] = _after(variance[pair], told[pair])
        yield pair


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def _variance(difference: Estimated | None) -> float:
    if difference is None or difference.low is None or difference.high is None:
        return UNKNOWN
    return ((difference.high - difference.low) / 4) ** 2


def _evenness(difference: Estimated | None) -> float:
    """Four times p(1 − p), for the chance p that one wins where no debate is a tie."""
    return 1.0 if difference is None else float(1 / np.cosh(difference.value / 2) ** 2)


def _after(variance: float, told: float) -> float:
    return 1 / (1 / max(variance, 1e-12) + told)
