"""What comparisons do to scores, as arrays: bands, graded wins, and the ring."""

from typing import Final, NamedTuple

import numpy as np
from msgspec import UNSET, Struct

from events.types.rubric import Rubric
from judge.fairness.world import Array, HeldDebates, Parts

AHEAD: Final = 1.0
"""Points by which the winner of a slight win is ahead at least, as in ``judge.live.comparison``."""
CLEAR: Final = 2
"""The degree of a clear difference."""


class Scores(Struct, frozen=True, kw_only=True):
    """What the rules admit of the points of B debates with n turns."""

    components: Array
    """(B, n, C) 0 where a component does not apply."""
    sums: Array
    """(B, n, dimensions) of the components."""
    limits: Array
    """(B, n, dimensions) the most that a dimension can have."""
    has: Array
    """(B, n) turns with a score."""


def moved(held: HeldDebates, rubric: Rubric, points: Array) -> Array:
    """(B, n, dimensions) what comparisons add to ``points`` of the same shape, by bands or by degrees."""
    forward, backward = held.levels[..., 0], held.levels[..., 1]
    won = np.where((np.sign(forward) == np.sign(backward)) & ~held.uncompared[..., None], np.sign(forward), 0)
    clear = (won != 0) & (np.minimum(np.abs(forward), np.abs(backward)) == CLEAR)
    graded = rubric.harmonization == "graded"
    stands, before, names = points.copy(), np.zeros_like(points), list(rubric.dimensions)
    for p in range(points.shape[1] - 1):
        for d, name in enumerate(rubric.bands):
            at, pair = names.index(name), slice(p, p + 2)
            if not graded:
                turn = pair if p == 0 else slice(p + 1, p + 2)  # turn 1 is banded by its first comparison
                stands[:, turn, at] = _banded(rubric, name, points[:, pair, at], won[:, p, d])[:, turn.start - p :]
                continue
            opposite = clear[:, p - 1, d] & (won[:, p - 1, d] != -won[:, p, d]) if p else np.zeros(len(points), bool)
            opposite &= clear[:, p, d]
            stood = stands[:, pair, at]
            move = _banded(rubric, name, stood, won[:, p, d]) - stood
            move[:, 0] = np.where(opposite, -before[:, p, at], move[:, 0])  # what its other comparison moved it by
            stood = np.round(stood + move * clear[:, p, d, None], 2)
            ahead = (won[:, p, d] != 0) & ~opposite & ~held.unscored[:, pair].any(1)
            stood = stood + _put_ahead(rubric, name, stood, won[:, p, d]) * ahead[:, None]
            before[:, p + 1, at] = stood[:, 1] - stands[:, p + 1, at]
            stands[:, pair, at] = np.round(stood, 2)
    change: Array = stands - points
    return change


def _banded(rubric: Rubric, name: str, pair: Array, won: Array) -> Array:
    """(B, 2) the values of a pair, moved into their bands, or towards them as far as one comparison reaches."""
    band, wins = rubric.bands[name], won[:, None] == np.array([-1, 1])
    goal = np.where(wins, np.clip(pair, *band.winner), np.clip(pair, *band.loser))
    reach = np.inf if rubric.band_reach is UNSET or rubric.harmonization != "graded" else rubric.band_reach
    move = np.where(won[:, None] != 0, np.clip(np.round(goal - pair, 2), -reach, reach), 0)
    banded: Array = pair + move
    return banded


def _put_ahead(rubric: Rubric, name: str, pair: Array, won: Array) -> Array:
    """(B, 2) the smallest moves of a pair that put the winner ahead."""
    later = (won > 0)[:, None]
    low, high = np.where(later, pair, pair[:, ::-1]).T
    lacking = np.round(AHEAD - (high - low), 2)
    room = np.maximum(rubric.dimensions[name].maximum - high, 0)
    down = np.minimum(np.round(lacking - np.minimum(np.round(lacking / 2, 2), room), 2), np.maximum(low, 0))
    moves = np.stack([-down, np.minimum(np.round(lacking - down, 2), room)], 1) * (lacking > 0)[:, None]
    by_turn: Array = np.where(later, moves, moves[:, ::-1])
    return by_turn


class Compared(NamedTuple):
    """What a ring reads in one dimension of a pair: admitted points (B,) of what both turns have, and the answer."""

    dimension: int
    earlier: Array
    later: Array
    gap: Array
    """(B,) the expected lead of the later turn."""
    maximum: float


def _compared(held: HeldDebates, rubric: Rubric, parts: Parts, scores: Scores, p: int) -> list[Compared]:
    """What the comparison of a pair says, for each dimension."""
    (a, b), applies, names = held.pairs[p], parts.apply(scores.has.shape[1]), list(rubric.dimensions)
    assert rubric.ring is not UNSET, "only a ring asks"
    found = []
    for d, name in enumerate(rubric.bands):
        at = names.index(name)
        common = [each for each in parts.of[name] if applies[a, each] and applies[b, each]]
        capped = np.minimum(scores.limits[..., at] - scores.sums[..., at], 0)
        earlier, later = (np.maximum(scores.components[:, t, common].sum(-1) + capped[:, t], 0) for t in (a, b))
        top = float(parts.maxima[common].sum())
        found.append(Compared(at, earlier, later, rubric.ring.per_degree * top * held.levels[:, p, d].mean(-1), top))
    return found


def ring(held: HeldDebates, rubric: Rubric, parts: Parts, scores: Scores) -> tuple[Array, Array]:
    """What the comparisons add (B, n, dimensions), and the residuals (B, P) of the pairs in points of 100."""
    assert rubric.ring is not UNSET, "only a ring is asked"
    shift, residuals = np.zeros_like(scores.sums), np.full(held.uncompared.shape, np.nan)
    for p, (a, b) in enumerate(held.pairs):
        known = scores.has[:, a] & scores.has[:, b] & ~held.uncompared[:, p]
        compared = _compared(held, rubric, parts, scores, p)
        for at, earlier, later, gap, top in compared:
            for turn, lacks in (
                (a, np.clip(later - gap, 0, top) - earlier),
                (b, np.clip(earlier + gap, 0, top) - later),
            ):
                shift[:, turn, at] += known * np.round(rubric.ring.weight / 2 * lacks, 2)
        if compared:
            above = np.sum([each.later - each.earlier - each.gap for each in compared], axis=0)
            residuals[:, p] = np.where(known, above * 100 / sum(each.maximum for each in compared), np.nan)
    return shift, residuals


def misfits(held: HeldDebates, residuals: Array) -> Array:
    """(B, n) how far a turn's points lie from what its comparisons say: the size of its mean signed residual."""
    sums, counts = np.zeros(held.words.shape), np.zeros(held.words.shape)
    for p, pair in enumerate(held.pairs):
        for turn, sign in zip(pair, (-1, 1), strict=True):
            sums[:, turn] += sign * np.nan_to_num(residuals[:, p])
            counts[:, turn] += ~np.isnan(residuals[:, p])
    size: Array = np.abs(sums) / np.maximum(counts, 1)
    return size


def filled(held: HeldDebates, rubric: Rubric, parts: Parts, scores: Scores) -> tuple[Array, Array]:
    """The components (B, n, C) with what comparisons say of a turn without a score, as shares of the maxima.

    The second value (B, n) says which turns were filled.
    """
    given, counts = scores.components * scores.has[..., None], np.zeros(scores.has.shape)
    applies = parts.apply(scores.has.shape[1])
    for p, (a, b) in enumerate(held.pairs):
        for turn, other in ((a, b), (b, a)):
            use = ~scores.has[:, turn] & scores.has[:, other] & ~held.uncompared[:, p]
            counts[:, turn] += use
            for at, earlier, later, gap, top in _compared(held, rubric, parts, scores, p) if use.any() else ():
                said = np.clip(later - gap if turn == a else earlier + gap, 0, top) / top * use
                members = [each for each in list(parts.of.values())[at] if applies[turn, each]]
                given[:, turn, members] += said[:, None] * parts.maxima[members]
    is_filled = ~scores.has & (counts > 0)
    return np.where(is_filled[..., None], given / np.maximum(counts, 1)[..., None], given), is_filled
