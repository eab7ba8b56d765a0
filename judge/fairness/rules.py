"""The rules of a rubric as array code: from what the judge answered in many debates to their scorecards.

Tests hold it equal to the rules of ``judge.live`` and the folds of ``events.state``.
"""

import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.types.rubric import Rubric, is_unscaled
from judge.fairness.certainty import certainty_of
from judge.fairness.comparisons import Scores, filled, misfits, moved, ring
from judge.fairness.findings import taken
from judge.fairness.world import PREMISES, SIDES, Array, HeldDebates, Parts, lead_of, mean_over, parts_of


class SimulatedVerdicts(Struct, frozen=True, kw_only=True):
    """Verdicts of B debates."""

    lead: Array
    """(B,) what the opener is ahead by; NaN where a side has no score."""
    named: Array
    """(B,) 1 the opener, −1 the replier, 0 neither."""
    certainty: Array
    """(B,) the probability that the leading side was ahead; NaN where the rubric computes none."""
    error: Array
    """(B,) standard error of the lead; likewise."""
    decided: Array
    """(B,) whether credibility or stability decided."""


def judged(held: HeldDebates, rubric: Rubric) -> SimulatedVerdicts:
    """The verdicts of debates under a rubric."""
    parts = parts_of(rubric)
    scores = admitted(held, rubric, parts, held.points)
    residuals = np.full(held.uncompared.shape, np.nan)
    if rubric.ring is not UNSET:
        shift, residuals = ring(held, rubric, parts, scores)
        again = misfits(held, residuals) > (rubric.rescore_above or np.inf)
        if again.any():
            readings = np.median([held.points, *held.again], axis=0)
            scores = admitted(held, rubric, parts, np.where(again[..., None], readings, held.points))
            shift, residuals = ring(held, rubric, parts, scores)
        if not scores.has.all():
            components, is_filled = filled(held, rubric, parts, scores)
            limits = np.where(is_filled[..., None], np.inf, scores.limits)
            scores = replace(_scores(rubric, parts, components, limits), has=scores.has | is_filled)
    else:
        shift = moved(held, rubric, _dimensions(rubric, parts, scores))
    return _verdict(held, rubric, parts, scores, shift - taken(held, rubric, parts, scores), residuals)


def _verdict(
    held: HeldDebates, rubric: Rubric, parts: Parts, scores: Scores, change: Array, residuals: Array
) -> SimulatedVerdicts:
    """``change`` (B, n, dimensions): what comparisons and findings add to the admitted points."""
    names, points = list(rubric.dimensions), _dimensions(rubric, parts, scores)
    composite = [at for at, each in enumerate(rubric.dimensions.values()) if each.in_composite]
    effective = np.round(np.clip(points + change, 0, [each.maximum for each in rubric.dimensions.values()]), 2)
    if is_unscaled(rubric):
        more = (points - scores.sums + change)[..., composite].sum(-1)
        lead = np.round(lead_of(scores.components, parts, more, scores.has), 2)
    else:
        lead = _ahead(effective[..., composite].sum(-1), scores.has)
    decided, nothing = np.zeros(lead.shape, bool), np.full(lead.shape, np.nan)
    if rubric.certainty is not UNSET:
        certainty, error = certainty_of(held, rubric.certainty, parts, lead, residuals, scores.has)
        named = np.where(certainty >= rubric.certainty.name_at, np.sign(lead), 0)
        return SimulatedVerdicts(lead=lead, named=named, certainty=certainty, error=error, decided=decided)
    named = np.where(np.abs(lead) > rubric.tie_within, np.sign(lead), 0)
    for name, least in (rubric.decided_by or {}).items():
        differs = _ahead(effective[..., names.index(name)], scores.has) if name in names else _stability(held)
        now = (named == 0) & (np.round(np.abs(differs), 6) >= least) & ~np.isnan(lead)
        named, decided = np.where(now, np.sign(differs), named), decided | now
    return SimulatedVerdicts(lead=lead, named=named, certainty=nothing, error=nothing, decided=decided)


def admitted(held: HeldDebates, rubric: Rubric, parts: Parts, points: Array) -> Scores:
    """The judge's points (B, n, C) after the limits of components and dimensions; every quote holds."""
    applies = parts.apply(points.shape[1])
    given = points * applies
    limits = np.full((*points.shape[:2], len(rubric.dimensions)), np.inf)
    for d, (name, dimension) in enumerate(rubric.dimensions.items()):
        at = dict(zip(dimension.components, parts.of[name], strict=True))
        if (leash := dimension.leash) is not None:
            leader, follower = given[..., at[leash.leader]], given[..., at[leash.follower]]
            is_weak = (leader < leash.under) & applies[:, at[leash.leader]]
            given[..., at[leash.follower]] = np.where(is_weak, np.minimum(follower, leader + leash.slack), follower)
        if (chain := dimension.chain) is not None:
            links = [at[link] for link in chain.links]
            absent = ((given[..., links] == 0) & applies[:, links]).sum(-1)
            limits[..., d] = np.array([np.inf, *chain.caps])[absent]
        if (excellence := dimension.excellence) is not None:
            weak = ((given[..., parts.of[name]] < excellence.each_at_least) & applies[:, parts.of[name]]).any(-1)
            limits[..., d] = np.minimum(limits[..., d], np.where(weak, excellence.above, np.inf))
    return replace(_scores(rubric, parts, given, limits), has=~held.unscored)


def _scores(rubric: Rubric, parts: Parts, components: Array, limits: Array) -> Scores:
    sums = np.stack([components[..., parts.of[name]].sum(-1) for name in rubric.dimensions], -1)
    return Scores(components=components, sums=sums, limits=limits, has=np.ones(sums.shape[:2], bool))


def _dimensions(rubric: Rubric, parts: Parts, scores: Scores) -> Array:
    """(B, n, dimensions) the sums, scaled to the maximum where the rubric scales, within the limits."""
    sums = scores.sums
    if not is_unscaled(rubric):
        applies = parts.apply(sums.shape[1])
        possible = np.stack([applies[:, members] @ parts.maxima[members] for members in parts.of.values()], -1)
        sums = np.round(sums * ([each.maximum for each in rubric.dimensions.values()] / possible), 1)
    return np.minimum(sums, scores.limits)


def _ahead(values: Array, has: Array) -> Array:
    """(B,) the opener's mean of ``values`` (B, n) less the replier's, each rounded to two decimals."""
    opener, replier = (np.round(mean_over(values[:, side], has[:, side]), 2) for side in SIDES)
    return np.round(opener - replier, 2)


def _stability(held: HeldDebates) -> Array:
    """(B,) the share of its premises that the opener kept, less the replier's."""
    everything = np.ones(held.drops.shape, bool)
    opener, replier = (1 - mean_over(held.drops[:, each], everything[:, each]) / PREMISES for each in SIDES)
    kept: Array = opener - replier
    return kept
