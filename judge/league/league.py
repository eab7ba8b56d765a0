"""A league of players: strengths with intervals, ranks as ranges, sides, motions, and how far two judges agree.

The interval of a strength is a bootstrap's: motions are drawn again with all their debates, and each verdict is drawn
from what its judge would say of the same debate in another reading.  Formulas and sources: docs/league.md.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from events.state.certainty import quantile
from events.types import Winner
from judge.league.davidson import CON, PRO, TIE, Array, contrasts, fit, probabilities
from judge.league.noise import chances_again
from judge.league.results import (
    NORMAL_95,
    RESAMPLES,
    SEED,
    Estimated,
    JudgeAgreement,
    League,
    LeagueMatch,
    MotionFacts,
    PairDifference,
    Standing,
)

NDArrayInt = NDArray[np.intp]
NDArrayBool = NDArray[np.bool_]
OUTCOMES: Final[Mapping[Winner, int]] = {"pro": PRO, "con": CON, "neither": TIE}
PENALTY: Final = 0.05
"""In resamples only, where a player may win all: it pulls towards the estimate as a prior of deviation 4.5 would."""
MAX_FINITE: Final = 15.0
"""Log-odds beyond which a fit has no finite maximum."""
MAX_CELLS: Final = 300_000
"""Numbers that are drawn at once."""
MIN_MOTIONS: Final = 2
MIN_SPREAD: Final = 1e-12
LEVEL: Final = 0.95
ENDS: Final = ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2)
MAX_MOTION_STEPS: Final = 30
MOTION_SD: Final = 1.0
"""Of the prior for the advantage of Pro on one motion, around that of all motions, in log-odds."""


def league_of(
    matches: Iterable[LeagueMatch],
    controls: Sequence[str] = (),
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> League:
    """The league of these verdicts.  ``controls`` names what ``LeagueMatch.controls`` holds."""
    found = tuple(matches)
    table = _Table.of(found)
    plain = _Estimate.of(table, 0)
    drawn = plain.draw(resamples, seed)
    held = _Estimate.of(table, len(controls)) if controls else plain
    held_drawn = held.draw(resamples, seed) if held.kept_controls else None
    apart = _Differences.of(plain, drawn)
    controlled = _strengths(held, held_drawn) if held.kept_controls else {}
    lost = [name for number, name in enumerate(controls) if number not in held.kept_controls]
    first = held.side_column + held.has_side
    return League(
        standings=tuple(_standings(table, plain, drawn, apart, controlled, _by_judge(found))),
        pairs=tuple(apart.pairs(table)),
        motions=tuple(_motions(table, plain)),
        agreements=tuple(_agreements(found)),
        side=plain.span(drawn, plain.side_column) if plain.has_side and plain.is_fitted else None,
        tie=float(np.exp(plain.found[-1])) if plain.is_fitted else None,
        effects={controls[number]: held.span(held_drawn, first + at) for at, number in enumerate(held.kept_controls)},
        debates=len({each.held for each in found}),
        verdicts=len(found),
        noisy=sum(each.reading is not None for each in found),
        resamples=resamples,
        seed=seed,
        notes=(
            *plain.notes,
            *([f"not controlled for, since it does not vary by itself: {', '.join(lost)}"] * bool(lost)),
        ),
    )


class _Table(NamedTuple):
    """The verdicts as arrays."""

    matches: tuple[LeagueMatch, ...]
    players: tuple[str, ...]
    motions: tuple[str, ...]
    sides: NDArrayInt
    """(verdicts × 2): the numbers of Pro and Con."""
    motion: NDArrayInt
    outcome: NDArrayInt
    weight: Array

    @classmethod
    def of(cls, matches: tuple[LeagueMatch, ...]) -> "_Table":
        players = tuple(sorted({name for each in matches for name in (each.pro, each.con)}))
        motions = tuple(dict.fromkeys(each.motion for each in matches))
        number = {name: at for at, name in enumerate(players)}
        of_motion = {name: at for at, name in enumerate(motions)}
        verdicts = Counter(each.held for each in matches)
        return cls(
            matches,
            players,
            motions,
            np.array([(number[each.pro], number[each.con]) for each in matches], dtype=np.intp).reshape(-1, 2),
            np.array([of_motion[each.motion] for each in matches], dtype=np.intp),
            np.array([OUTCOMES[each.outcome] for each in matches], dtype=np.intp),
            np.array([1 / verdicts[each.held] for each in matches]),
        )

    def again(self) -> Array:
        """(verdicts × 3): the chances of each outcome in another reading; 1 for the recorded one without a reading."""
        found: Array = np.eye(3)[self.outcome]
        names = np.eye(len(self.players))
        design = np.column_stack((names[self.sides[:, 0]] - names[self.sides[:, 1]], np.ones(len(self.sides))))
        for judge in {each.judge for each in self.matches}:
            of = [at for at, each in enumerate(self.matches) if each.judge == judge and each.reading is not None]
            readings = [each for at in of if (each := self.matches[at].reading) is not None]
            if of:
                figures = np.array([(each.lead, each.error, each.limit) for each in readings])
                found[of] = chances_again(figures, design[of])
        return found

    def results(self) -> Array:
        """(players × players × 3): how often the first one beat, lost to and tied with the second one."""
        found = np.zeros((len(self.players), len(self.players), 3))
        for (pro, con), outcome, weight in zip(self.sides, self.outcome, self.weight, strict=True):
            found[pro, con, outcome] += weight
            found[con, pro, TIE if outcome == TIE else 1 - outcome] += weight
        return found

    def groups(self) -> tuple[list[int], list[int]]:
        """By player: the players between whom strengths are finite, and those who have met, also through others.

        Strengths are finite within a set of players in which each has a chain of wins or ties to each (Ford 1957).
        """
        results = self.results()
        reached = _reached((results[:, :, PRO] + results[:, :, TIE]) > 0)
        met = _reached(results.sum(axis=2) > 0)
        return _numbered(reached & reached.T), _numbered(met)


def _reached(leads: NDArrayBool) -> NDArrayBool:
    found = leads | np.eye(len(leads), dtype=bool)
    for middle in range(len(found)):
        found |= np.outer(found[:, middle], found[middle])
    return found


def _numbered(together: NDArrayBool) -> list[int]:
    first = [int(np.argmax(row)) for row in together]
    numbers = {each: at for at, each in enumerate(dict.fromkeys(first))}
    return [numbers[each] for each in first]


class _Estimate(NamedTuple):
    """The model fitted to one table: its design, its estimate, and what it cannot tell."""

    table: _Table
    groups: list[int]
    met: list[int]
    basis: Array
    kept: NDArrayInt
    """The verdicts that say something: those between players of one group."""
    rows: Array
    kind: NDArrayInt
    """By kept verdict: its row."""
    has_side: bool
    kept_controls: tuple[int, ...]
    found: Array
    is_fitted: bool
    notes: tuple[str, ...]

    @property
    def side_column(self) -> int:
        return int(self.basis.shape[1])

    @classmethod
    def of(cls, table: _Table, controls: int) -> "_Estimate":
        groups, met = table.groups()
        basis = contrasts(groups)
        inside = np.array([groups[pro] == groups[con] for pro, con in table.sides], dtype=bool)
        kept = np.flatnonzero(inside)
        notes = list(_group_notes(table, groups, met, len(kept)))
        tied = table.outcome[kept] == TIE
        empty = cls(table, groups, met, basis, kept, np.zeros((0, 0)), kept, False, (), np.zeros(0), False, ())
        if not len(kept) or tied.all() or not basis.shape[1]:
            if len(kept):
                notes.append("no debate named a side, so no strength can be estimated")
            return empty._replace(notes=tuple(notes))
        names = np.eye(len(table.players))
        columns = [(names[table.sides[kept, 0]] - names[table.sides[kept, 1]]) @ basis]
        sides, wanted = np.ones((len(kept), 1)), []
        decided = table.outcome[kept][~tied]
        has_side = _adds(columns, sides) and len(set(decided.tolist())) > 1
        if has_side:
            columns.append(sides)
        else:
            notes.append("the advantage of a side cannot be told: players did not exchange sides, or one side won all")
        given = np.array([table.matches[at].controls for at in kept], dtype=np.float64).reshape(len(kept), -1)
        for number in range(controls):
            if _adds(columns, given[:, number : number + 1]):
                columns.append(given[:, number : number + 1])
                wanted.append(number)
        estimate = empty._replace(has_side=has_side, kept_controls=tuple(wanted), notes=tuple(notes))
        while True:
            solved = estimate.solved(np.concatenate(columns, axis=1), has_ties=bool(tied.any()))
            if np.abs(solved.found[np.isfinite(solved.found)]).max(initial=0) < MAX_FINITE:
                return solved._replace(is_fitted=True)
            if len(columns) == 1:
                return empty._replace(notes=(*notes, "the model has no finite estimate"))
            columns.pop()
            if estimate.kept_controls:
                estimate = estimate._replace(kept_controls=estimate.kept_controls[:-1])
            else:
                notes.append("the advantage of a side has no finite estimate")
                estimate = estimate._replace(has_side=False, notes=tuple(notes))

    def solved(self, design: Array, *, has_ties: bool) -> "_Estimate":
        """The largest likelihood of this design (kept verdicts × P)."""
        rows, kind = np.unique(design.round(9), axis=0, return_inverse=True)
        start = np.zeros(rows.shape[1] + 1)
        start[-1] = 0.0 if has_ties else -np.inf
        made = self._replace(rows=rows, kind=kind.reshape(-1))
        counts = made.counted(np.eye(3)[self.table.outcome[self.kept]][None])
        return made._replace(found=fit(rows, counts, start)[0])

    def counted(self, outcomes: Array) -> Array:
        """(samples × rows × 3) of (samples × kept verdicts × 3), by weight."""
        order = np.argsort(self.kind, kind="stable")
        starts = np.searchsorted(self.kind[order], np.arange(len(self.rows)))
        weighted = (outcomes * self.table.weight[self.kept][:, None])[:, order]
        found: Array = np.add.reduceat(weighted, starts, axis=1)
        return found

    @property
    def clusters(self) -> int:
        """The motions that say something."""
        return len(set(self.table.motion[self.kept].tolist()))

    def draw(self, resamples: int, seed: int) -> Array | None:
        """(kinds × resamples × parameters) of resampled motions, with all their debates; None below two motions.

        The first kind keeps the recorded verdicts, which hold the noise of one reading.  The second kind draws each
        copy of a verdict as another reading; it is left out where the noise of no verdict is known.
        """
        if not self.is_fitted or self.clusters < MIN_MOTIONS:
            return None
        rng = np.random.default_rng(seed)
        motions, of = np.unique(self.table.motion[self.kept], return_inverse=True)
        recorded = np.eye(3)[self.table.outcome[self.kept]]
        kinds = [recorded]
        if any(self.table.matches[at].reading is not None for at in self.kept):
            again = self.table.again()[self.kept]
            kinds.append(again / again.sum(axis=1, keepdims=True))
        return np.stack([self._drawn(chances, of, len(motions), resamples, rng) for chances in kinds])

    def _drawn(self, chances: Array, of: NDArrayInt, motions: int, resamples: int, rng: np.random.Generator) -> Array:
        centre = self.found.copy()
        if not np.isfinite(centre[-1]) and chances[:, TIE].any():
            centre[-1] = np.log(0.5 / len(chances))  # no tie was seen, and another reading may be one
        is_certain = bool((chances.max(axis=1) == 1).all())
        parts, left, chunk = [], resamples, max(1, MAX_CELLS // (3 * len(chances)))
        while left:
            size = min(chunk, left)
            left -= size
            times = rng.multinomial(motions, np.full(motions, 1 / motions), size)[:, of]
            outcomes = times[:, :, None] * chances if is_certain else rng.multinomial(times, chances)
            parts.append(fit(self.rows, self.counted(outcomes.astype(np.float64)), centre, PENALTY))
        return np.concatenate(parts)

    def strengths(self, parameters: Array) -> Array:
        """(… × players) of (… × parameters)."""
        found: Array = parameters[..., : self.side_column] @ self.basis.T
        return found

    def span(self, drawn: Array | None, column: int) -> Estimated:
        """One parameter with its interval."""
        return self.span_of(float(self.found[column]), None if drawn is None else drawn[:, :, column])

    def span_of(self, value: float, drawn: Array | None) -> Estimated:
        """A figure with the wider interval of those that each kind of resamples (kinds × resamples) gives."""
        if drawn is None:
            return Estimated(value)
        low, middle, high = np.quantile(drawn, ENDS, axis=1)
        wider = _wider(self.clusters)
        return Estimated(
            value, value + float((low - middle).min()) * wider, value + float((high - middle).max()) * wider
        )


def _wider(clusters: int) -> float:
    """How much wider than the spread of the resamples an interval is: Student's quantile, and G/(G − 1)."""
    return quantile((1 + LEVEL) / 2, clusters - 1) / NORMAL_95 * float(np.sqrt(clusters / (clusters - 1)))


def _adds(columns: Sequence[Array], column: Array) -> bool:
    """Whether a column says what the others together do not."""
    before = np.concatenate(columns, axis=1)
    return bool(np.linalg.matrix_rank(np.concatenate((before, column), axis=1)) > np.linalg.matrix_rank(before))


def _group_notes(table: _Table, groups: list[int], met: list[int], kept: int) -> Iterable[str]:
    if len(set(met)) > 1:
        yield f"{len(set(met))} sets of players never met, not even through others: no ranks between them"
    if len(groups) and len(set(groups)) > len(set(met)):
        silent = len(table.matches) - kept
        yield f"{silent:,} verdicts were all won by the same side of a divide: they order players and give no figure"
    if 0 < len(table.motions) < MIN_MOTIONS:
        yield "all debates are on one motion, so there are no intervals and no ranks"


class _Differences(NamedTuple):
    """The differences of all pairs that are comparable."""

    plain: _Estimate
    spans: dict[tuple[int, int], Estimated]
    ranked: frozenset[tuple[int, int]]
    """Pairs of which the first one is stronger."""

    @classmethod
    def of(cls, plain: _Estimate, drawn: Array | None) -> "_Differences":
        if not plain.is_fitted:
            return cls(plain, {}, frozenset())
        pairs = [(i, j) for i, j in combinations(range(len(plain.groups)), 2) if plain.groups[i] == plain.groups[j]]
        strengths = plain.strengths(plain.found)
        if drawn is None:
            return cls(plain, {(i, j): Estimated(float(strengths[i] - strengths[j])) for i, j in pairs}, frozenset())
        found = plain.strengths(drawn)
        apart = np.stack([found[:, :, i] - found[:, :, j] for i, j in pairs], axis=2)
        value = np.array([strengths[i] - strengths[j] for i, j in pairs])
        spans = {pair: plain.span_of(float(value[at]), apart[:, :, at]) for at, pair in enumerate(pairs)}
        low, middle, high = np.quantile(apart, ENDS, axis=1)
        spread = np.maximum((high - low) / (2 * NORMAL_95), MIN_SPREAD)
        farthest = np.quantile(np.abs((apart - middle[:, None]) / spread[:, None]).max(axis=2), LEVEL, axis=1)
        reach = (spread * farthest[:, None]).max(axis=0) * _wider(plain.clusters)
        ranked = set()
        for at, (i, j) in enumerate(pairs):
            if abs(value[at]) > reach[at] and spans[i, j].excludes_0:
                ranked.add((i, j) if value[at] > 0 else (j, i))
        return cls(plain, spans, frozenset(ranked))

    def ranks(self, player: int) -> tuple[int, int]:
        worse = sum(above == player for above, _ in self.ranked)
        better = sum(below == player for _, below in self.ranked)
        return 1 + better, len(self.plain.groups) - worse

    def pairs(self, table: _Table) -> Iterable[PairDifference]:
        results = table.results()
        for i, j in combinations(range(len(table.players)), 2):
            won, lost, tied = map(float, results[i, j])
            yield PairDifference(
                one=table.players[i],
                other=table.players[j],
                difference=self.spans.get((i, j)),
                is_ranked=bool({(i, j), (j, i)} & self.ranked),
                won=won,
                tied=tied,
                lost=lost,
            )


def _standings(
    table: _Table,
    plain: _Estimate,
    drawn: Array | None,
    apart: _Differences,
    controlled: Mapping[int, Estimated],
    by_judge: Mapping[str, Mapping[str, float]],
) -> Iterator[Standing]:
    """The players, the strongest first; those without a finite estimate by their share of wins, last."""
    results = table.results().sum(axis=1)
    strengths, costs = _strengths(plain, drawn), _costs(table.matches)
    share = (results[:, PRO] + results[:, TIE] / 2) / results.sum(axis=1)
    order = sorted(
        range(len(table.players)),
        key=lambda each: (each not in strengths, -strengths[each].value if each in strengths else 0, -share[each]),
    )
    for player in order:
        name = table.players[player]
        won, lost, tied = map(float, results[player])
        cost = costs.get(name)
        yield Standing(
            player=name,
            strength=strengths.get(player),
            controlled=controlled.get(player),
            ranks=apart.ranks(player),
            group=plain.groups[player],
            debates=len({each.held for each in table.matches if name in {each.pro, each.con}}),
            won=won,
            tied=tied,
            lost=lost,
            cost_usd=cost,
            cost_a_win=cost / won if cost is not None and won else None,
            why="" if player in strengths else _why(won, tied, lost),
            by_judge={judge: of[name] for judge, of in by_judge.items() if name in of},
        )


def _strengths(estimate: _Estimate, drawn: Array | None) -> dict[int, Estimated]:
    """By player: the strength, if it has a finite one."""
    if not estimate.is_fitted:
        return {}
    sizes = Counter(estimate.groups)
    values = estimate.strengths(estimate.found)
    found = None if drawn is None else estimate.strengths(drawn)
    return {
        player: estimate.span_of(float(values[player]), None if found is None else found[:, :, player])
        for player, group in enumerate(estimate.groups)
        if sizes[group] > 1
    }


def _why(won: float, tied: float, lost: float) -> str:
    if not tied and not lost:
        return "won all its debates: no finite estimate"
    if not tied and not won:
        return "lost all its debates: no finite estimate"
    return "no chain of wins and ties leads to it and back: no finite estimate"


def _costs(matches: Iterable[LeagueMatch]) -> dict[str, float]:
    """By player whose speeches all have a price: the sum over the debates that were held, each counted once."""
    found: dict[str, float] = defaultdict(float)
    unknown = set()
    for each in {match.held: match for match in matches}.values():
        for side, player in enumerate((each.pro, each.con)):
            if each.costs is None:
                unknown.add(player)
            else:
                found[player] += each.costs[side]
    return {player: cost for player, cost in found.items() if player not in unknown}


def _motions(table: _Table, estimate: _Estimate) -> Iterator[MotionFacts]:
    for number, motion in enumerate(table.motions):
        of = np.flatnonzero(table.motion == number)
        weights = np.bincount(table.outcome[of], table.weight[of], minlength=3)
        yield MotionFacts(
            motion=motion,
            debates=len({table.matches[at].held for at in of}),
            pro=float(weights[PRO]),
            con=float(weights[CON]),
            tied=float(weights[TIE]),
            side=_side_of(estimate, number) if estimate.has_side and estimate.is_fitted else None,
            difficulty=float(weights[TIE] / weights.sum()),
        )


def _side_of(estimate: _Estimate, motion: int) -> Estimated | None:
    """The advantage of Pro on one motion, with the players and ties of the whole league, under a normal prior."""
    own = np.flatnonzero(estimate.table.motion[estimate.kept] == motion)
    if not len(own):
        return None
    usual = float(estimate.found[estimate.side_column])
    eta = estimate.rows[estimate.kind[own]] @ estimate.found[:-1]
    outcomes = np.eye(3)[estimate.table.outcome[estimate.kept[own]]]
    weight = estimate.table.weight[estimate.kept[own]]
    more = 0.0
    for _ in range(MAX_MOTION_STEPS):
        chances = probabilities(eta + more, estimate.found[-1])
        lean = (chances[:, PRO] - chances[:, CON]) / 2
        slope = float(weight @ ((outcomes[:, PRO] - outcomes[:, CON]) / 2 - lean)) - more / MOTION_SD**2
        curve = float(weight @ ((1 - chances[:, TIE]) / 4 - lean**2)) + 1 / MOTION_SD**2
        more += slope / curve
        if abs(slope / curve) < MIN_SPREAD:
            break
    reach = NORMAL_95 / float(np.sqrt(curve))
    return Estimated(usual + more, usual + more - reach, usual + more + reach)


def _by_judge(matches: Sequence[LeagueMatch]) -> dict[str, dict[str, float]]:
    """By judge and player: the strength; empty for a single judge."""
    judges = sorted({each.judge for each in matches})
    if len(judges) == 1:
        return {}
    found = {}
    for judge in judges:
        table = _Table.of(tuple(each for each in matches if each.judge == judge))
        strengths = _strengths(_Estimate.of(table, 0), None)
        found[judge] = {table.players[player]: span.value for player, span in strengths.items()}
    return found


def _agreements(matches: Sequence[LeagueMatch]) -> Iterator[JudgeAgreement]:
    """Each two judges with debates that both have judged; of several verdicts of one judge the first one counts."""
    verdicts: dict[str, dict[str, LeagueMatch]] = defaultdict(dict)
    for each in matches:
        verdicts[each.judge].setdefault(each.held, each)
    for one, other in combinations(sorted(verdicts), 2):
        common = sorted(verdicts[one].keys() & verdicts[other].keys())
        if not common:
            continue
        both = [(verdicts[one][held], verdicts[other][held]) for held in common]
        said = np.array([(OUTCOMES[first.outcome], OUTCOMES[second.outcome]) for first, second in both])
        same = said[:, 0] == said[:, 1]
        shares = [np.bincount(said[:, judge], minlength=3) / len(said) for judge in (0, 1)]
        chance = float(shares[0] @ shares[1])
        yield JudgeAgreement(
            one=one,
            other=other,
            debates=len(common),
            same=_share(same, [first.motion for first, _ in both]),
            kappa=(float(same.mean()) - chance) / (1 - chance) if chance < 1 else None,
        )


def _share(values: NDArrayBool, motions: Sequence[str]) -> Estimated:
    """A share with Wilson's interval for the effective sample, which the variance between motions gives."""
    mean, count = float(values.mean()), float(len(values))
    names = {name: at for at, name in enumerate(dict.fromkeys(motions))}
    clusters = len(names)
    if clusters < MIN_MOTIONS:
        return Estimated(mean)
    sums = np.bincount([names[each] for each in motions], values - mean)
    error = float(np.sqrt((sums**2).sum() * clusters / (clusters - 1))) / count
    count = min(count, mean * (1 - mean) / error**2) if 0 < mean < 1 and error > 0 else float(clusters)
    z = quantile((1 + LEVEL) / 2, clusters - 1)
    middle, reach = mean + z**2 / (2 * count), z * float(np.sqrt(mean * (1 - mean) / count + z**2 / (4 * count**2)))
    return Estimated(mean, (middle - reach) / (1 + z**2 / count), (middle + reach) / (1 + z**2 / count))
