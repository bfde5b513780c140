"""Speed diagrams by brute force: a linear programme, and a search over places and speeds.

Both know nothing of forward and backward passes. They think in the square of the speed, e = v^2,
whose slope in arc length is twice the acceleration.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Bounds(NamedTuple):
    """What a motion along a curve must keep; it starts and ends standing."""

    breaks: Floats  # (n + 1,) m
    limits: Floats  # (n,) m/s
    acceleration: float  # m/s^2
    deceleration: float  # m/s^2

    def places(self, parts: int) -> Floats:
        """Arc lengths: the breaks, and `parts - 1` places between two of them."""
        cut = [np.linspace(a, b, parts + 1)[:-1] for a, b in itertools.pairwise(self.breaks)]
        return np.append(np.concatenate(cut), self.breaks[-1])

    def most(self, places: Floats) -> Floats:
        """Greatest square of the speed at each place; at a break the lesser of both sides."""
        last = len(self.limits) - 1
        right = np.clip(np.searchsorted(self.breaks, places, side="right") - 1, 0, last)
        left = np.clip(np.searchsorted(self.breaks, places, side="left") - 1, 0, last)
        most = np.minimum(self.limits[right], self.limits[left]) ** 2
        most[[0, -1]] = 0.0
        return most


def highest_speeds(bounds: Bounds, places: Floats) -> Floats:
    """Greatest speed (k,) that any motion can have at each place, m/s: a linear programme.

    The greatest values at all places are reached together, so that their sum has them all.
    """
    step, count = np.diff(places), len(places)
    slope = sparse.diags_array([-np.ones(count - 1), np.ones(count - 1)], offsets=[0, 1],
                               shape=(count - 1, count))  # fmt: skip
    most = bounds.most(places)
    found = linprog(
        -np.ones(count),
        A_ub=sparse.vstack([slope, -slope]),
        b_ub=np.concatenate([2 * bounds.acceleration * step, 2 * bounds.deceleration * step]),
        bounds=np.column_stack([np.zeros(count), most]),
    )
    assert found.success
    return np.asarray(np.sqrt(np.maximum(found.x, 0.0)))


def fastest_search(bounds: Bounds, places: Floats, levels: int) -> float:
    """Seconds of the fastest motion whose e is one of `levels` values at each place.

    Each such motion keeps the bounds, so that none can be faster than the optimum.
    """
    squares = np.linspace(0.0, float(bounds.limits.max()) ** 2, levels)
    speeds, most = np.sqrt(squares), bounds.most(places)
    pace = speeds[:, None] + speeds[None, :]
    rise = squares[None, :] - squares[:, None]
    best = np.where(squares == 0.0, 0.0, np.inf)
    for k, step in enumerate(np.diff(places)):
        allowed = (rise <= 2 * bounds.acceleration * step) & (
            -rise <= 2 * bounds.deceleration * step
        )
        allowed &= (squares <= most[k + 1])[None, :] & (pace > 0.0)
        time = np.where(allowed, 2.0 * step / np.where(pace > 0.0, pace, 1.0), np.inf)
        best = (best[:, None] + time).min(axis=0)
    return float(best[0])
