"""What suspect claims and flaws take from a turn, as arrays."""

from typing import Final

import numpy as np
from msgspec import UNSET

from events.types.register import ClaimKind
from events.types.rubric import DockingRule, Rubric
from judge.fairness.comparisons import Scores
from judge.fairness.world import PER_ANSWER, SIDES, Array, HeldDebates, Parts

ORDINARY: Final[ClaimKind] = "no_mechanism"
GRAVE: Final[ClaimKind] = "inverted_fact"
"""The kinds of the claims that a simulated judge finds suspect."""


def taken(held: HeldDebates, rubric: Rubric, parts: Parts, scores: Scores) -> Array:
    """(B, n, dimensions) what claims, flaws and conduct take."""
    lost, names = np.zeros_like(scores.sums), list(rubric.dimensions)
    rules = [rubric.claims.get(kind) for kind in (ORDINARY, GRAVE)]
    costs = np.array([*(0.0 if rule is None else rule.points for rule in rules), 0.0])[held.claim_grave]
    if rubric.docking is not UNSET:
        lost[..., names.index(rubric.gaps.dimension)] = _docked(held, rubric, rubric.docking, costs)
    else:
        lost[..., names.index(rubric.gaps.dimension)] = _docked_in_order(held, rubric, parts, scores, costs)
        for grave, rule in enumerate(rules):
            if rule is not None:
                lost[..., names.index(rule.dimension)] += (costs * (held.claim_grave == grave)).sum(-1)
    if cost := rubric.conduct.get("dropped_premise"):
        lost[..., names.index(cost.dimension)] += cost.points * held.drops
    return lost


def _named_by_audit(held: HeldDebates, rubric: Rubric, found: Array) -> Array:
    """(B, n, SLOTS) the flaws that the closing audit names: of each speaker the first ones that no turn exposed."""
    named = np.zeros(found.shape, bool)
    rank = np.where(found < found.shape[1], np.inf, held.audited)
    for side in SIDES:
        ranks = rank[:, side].reshape(len(rank), -1)
        if rubric.gaps.closing_audit and ranks.shape[1]:
            last = np.sort(ranks, axis=1)[:, PER_ANSWER - 1, None]
            named[:, side] = (np.isfinite(ranks) & (ranks <= last)).reshape(rank[:, side].shape)
    return named


def _docked_in_order(held: HeldDebates, rubric: Rubric, parts: Parts, scores: Scores, costs: Array) -> Array:
    """(B, n) what flaws cost a turn, one after the other in the order in which the judge names them."""
    rule, n = rubric.gaps, held.found.shape[1]
    audit = _named_by_audit(held, rubric, held.found)
    when = np.where(audit, n + np.where(audit, held.audited, 0), np.where(held.found < n, held.found, np.inf))
    points = np.clip(held.worth, rule.least, rule.most)
    if rule.most_per_turn is not UNSET:  # such a rubric asks what a flaw continues
        members = parts.of[rule.dimension]
        applies = parts.apply(n)[:, members]
        scale = rubric.dimensions[rule.dimension].maximum / (applies @ parts.maxima[members])
        lost = np.round((parts.maxima[members] - scores.components[..., members]) * scale[:, None], 1) * applies
        paid = np.concatenate([costs, lost, np.zeros((*costs.shape[:2], 1))], axis=-1)
        which = np.where(held.continues < paid.shape[-1] - 1, held.continues, -1)
        points = np.maximum(0, np.round(points - np.take_along_axis(paid, which, axis=-1), 2))
    points = np.where(np.isfinite(when), points, 0)
    total, is_paid = np.zeros(when.shape[:2]), np.zeros(when.shape, bool)
    for slot in np.moveaxis(np.argsort(when, axis=-1, kind="stable"), -1, 0)[..., None]:
        words = np.take_along_axis(held.same, slot, axis=-1)  # the same words are paid for once
        known = np.take_along_axis(is_paid, words, axis=-1)
        each = np.where(known, 0, np.take_along_axis(points, slot, axis=-1))[..., 0]
        most = np.inf if rule.most_per_turn is UNSET else np.maximum(rule.most_per_turn, each)
        each = np.minimum(each, np.maximum(0, most - total))
        np.put_along_axis(is_paid, words, known | (each > 0)[..., None], axis=-1)
        total += each
    return total


def _docked(held: HeldDebates, rubric: Rubric, rule: DockingRule, costs: Array) -> Array:
    """(B, n) what the findings of a turn take together; the last turn is not asked what it exposes."""
    n, words = held.words.shape[1], held.words
    found = np.where(held.found >= n - 1, n, held.found)
    named = (found < n) | _named_by_audit(held, rubric, found)
    flaws = np.where(named, np.clip(held.worth, rubric.gaps.least, rubric.gaps.most), 0)
    of_sides = [np.arange(n) % 2 == side for side in range(2)]
    so_far = [np.cumsum(words * own, axis=1) / np.maximum(np.cumsum(own), 1) for own in of_sides]
    mean = (so_far[0] + so_far[1])[:, np.minimum(np.arange(n) + 1, n - 1)] / min(n, 2)
    times = np.round(np.clip(mean / words, rule.longer, rule.shorter), 1)
    points = np.concatenate([costs, flaws], axis=-1) * times[..., None]
    return set_cost(points, np.concatenate([held.claim_sentence, held.sentence], axis=-1), rule.at_most)


def set_cost(points: Array, sentences: Array, at_most: float) -> Array:
    """What findings (last axis) cost together: a sentence its gravest, and all at most ``at_most`` or the gravest."""
    order = np.lexsort((-points, sentences), axis=-1)
    ordered, places = (np.take_along_axis(each, order, axis=-1) for each in (points, sentences))
    is_gravest = np.ones(points.shape, bool)
    is_gravest[..., 1:] = places[..., 1:] != places[..., :-1]
    together: Array = np.minimum((ordered * is_gravest).sum(-1), np.maximum(at_most, points.max(-1)))
    return np.round(together, 2)
