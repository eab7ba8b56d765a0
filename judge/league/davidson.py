"""The model of Bradley and Terry with ties (Davidson 1970), the advantage of a side and covariates, for many samples.

A debate between Pro i and Con j has η = θ_i − θ_j + γ + β·z, and its outcomes have the weights exp(η/2), exp(−η/2) and
exp(δ) for a tie: with π = exp(θ) those are γ̃π_i, π_j and ν√(γ̃π_iπ_j), as ``GenDavidson`` of BradleyTerry2 has them.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
PRO, CON, TIE = 0, 1, 2
"""The columns of a table of outcomes."""
MAX_STEPS: Final = 60
MAX_STEP: Final = 1.0
"""A step of Newton's method changes no parameter by more: from far away a whole step could overshoot."""
CLOSE: Final = 1e-9
CLOSE_ENOUGH: Final = 1e-6
"""In resamples, whose spread alone counts."""
CURVE_STEPS: Final = 5
"""Resamples keep the curvature for so many steps: they lie near the centre, and it takes most of the time."""
STEADY: Final = 1e-10
"""It keeps the matrix of a step invertible where the likelihood has no maximum; where it has one, nothing moves."""


def probabilities(eta: Array, tie: Array) -> Array:
    """The probability of each outcome, in a new last axis.  ``tie`` is δ, −inf where no debate can be a tie."""
    exponents = np.stack(np.broadcast_arrays(eta / 2, -eta / 2, tie), axis=-1)
    weights = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    found: Array = weights / weights.sum(axis=-1, keepdims=True)
    return found


def contrasts(groups: "list[int]") -> Array:
    """A basis (players × dimensions) of strengths that sum to 0 within each group.  ``groups[i]``: that of player i."""
    columns = []
    for group in dict.fromkeys(groups):
        of = [player for player, each in enumerate(groups) if each == group]
        for size in range(1, len(of)):
            column = np.zeros(len(groups))
            column[of[:size]], column[of[size]] = 1, -size
            columns.append(column / np.linalg.norm(column))
    return np.stack(columns, axis=1) if columns else np.zeros((len(groups), 0))


def fit(rows: Array, counts: Array, centre: Array, penalty: float = 0.0) -> Array:
    """The parameters (samples × (P + 1)) of largest likelihood; the last one is δ.

    ``rows`` (K × P): how each kind of debate makes η.  ``counts`` (samples × K × 3): how often it had each outcome.
    ``centre`` (P + 1): where the search starts, and from where ``penalty``/2 · ‖difference‖² is taken off the
    likelihood; its δ is −inf if no debate can be a tie.  Without a penalty the rows must have full rank, and a finite
    estimate must exist.
    """
    size, has_ties = rows.shape[1], bool(np.isfinite(centre[-1]))
    free = size + has_ties
    steady = max(penalty, STEADY) * np.eye(free)
    pairs = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    found = np.tile(centre, (len(counts), 1))
    again, close = (1, CLOSE) if len(counts) == 1 else (CURVE_STEPS, CLOSE_ENOUGH)
    left = np.arange(len(counts))
    total = counts.sum(axis=2)
    inverse = np.zeros((len(counts), free, free))
    for step_number in range(MAX_STEPS):
        chances = probabilities(found[left, :size] @ rows.T, found[left, size:])
        lean = (chances[:, :, PRO] - chances[:, :, CON]) / 2
        slope = np.empty((len(left), free))
        slope[:, :size] = ((counts[left, :, PRO] - counts[left, :, CON]) / 2 - total[left] * lean) @ rows
        if has_ties:
            slope[:, size] = (counts[left, :, TIE] - total[left] * chances[:, :, TIE]).sum(axis=1)
        slope -= penalty * (found[left, :free] - centre[:free])
        if step_number % again == 0:
            curve = np.empty((len(left), free, free))
            decided = (1 - chances[:, :, TIE]) / 4
            curve[:, :size, :size] = ((total[left] * (decided - lean**2)) @ pairs).reshape(-1, size, size)
            if has_ties:
                ties = total[left] * chances[:, :, TIE]
                curve[:, :size, size] = curve[:, size, :size] = -(ties * lean) @ rows
                curve[:, size, size] = (ties * (1 - chances[:, :, TIE])).sum(axis=1)
            inverse[left] = np.linalg.inv(curve + steady)
        step = (inverse[left] @ slope[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, initial=0)
        found[left, :free] += step * np.minimum(1, MAX_STEP / np.maximum(largest, MAX_STEP))[:, None]
        left = left[largest > close]
        if not len(left):
            break
    return found


def information(row: Array, parameters: Array) -> float:
    """What one more debate of this kind tells about η: Fisher's information."""
    pro, con, tie = probabilities(row @ parameters[:-1], parameters[-1])
    return float((1 - tie) / 4 - ((pro - con) / 2) ** 2)
