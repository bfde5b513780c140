"""Checks of crowds before they are timed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely
from scipy.spatial import KDTree

from benchmarks.checks import TOLERANCE, WallTree, WrongAnswer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import footway as fw
    from benchmarks.crowd_scene import Scene

    Floats = NDArray[np.float64]

DEEP = 0.1
"""Of the radius: overlaps below this are the give of shoulders."""

STILL = 0.001
"""Share of a crowd that may stand where it began: some wait where others come towards them."""


@dataclass(frozen=True)
class Observed:
    """Observed motion of a crowd."""

    looks: int  # character-steps
    clearance: float  # m, least
    overlaps: float  # share of the looks in which a character overlaps another one deeply
    still: int  # characters that never moved further than the radius
    speed: float  # m/s, mean over all looks


def watched(crowd: fw.Crowd, *, radius: float, steps: int, every: int) -> Observed:
    """Do some steps, and check all characters after each of them or after every few.

    Raises:
        WrongAnswer: a character is in a wall, or too many do not move.
    """
    begin = crowd.positions
    strayed = np.zeros(len(begin), bool)
    looks, least, overlaps, speeds = 0, np.inf, 0, 0.0
    for _ in range(0, steps, every):
        crowd.step(every)
        here = crowd.positions
        looks += len(here)
        least = min(least, float(crowd.map.clearance(here).min()))
        overlaps += _overlapping(here, radius)
        speeds += float(np.hypot(*crowd.velocities.T).sum())
        strayed |= np.hypot(*(here - begin).T) > radius
    observed = Observed(looks, least, overlaps / looks, int((~strayed).sum()), speeds / looks)
    _require(observed, len(begin), radius)
    return observed


def _overlapping(points: Floats, radius: float) -> int:
    """Return how many characters overlap another one too much."""
    pairs = KDTree(points).query_pairs((2 - DEEP) * radius, output_type="ndarray")
    return len(np.unique(pairs))


def _require(observed: Observed, count: int, radius: float) -> None:
    if observed.clearance < radius - TOLERANCE:
        raise WrongAnswer(f"one of {count:,} characters is {observed.clearance:.6f} m from a wall")
    if observed.still > STILL * count:
        raise WrongAnswer(f"{observed.still:,} of {count:,} characters do not move")


def require_free(scene: Scene, points: Floats, radius: float) -> float:
    """Return the least distance to a wall by Shapely, m.

    Raises:
        WrongAnswer: a character overlaps a wall.
    """
    shapely.prepare(scene.area)
    inside = shapely.contains_xy(scene.area, points).all()
    least = float(WallTree(scene.env).distance(shapely.points(points)).min())
    if not inside or least < radius - TOLERANCE:
        raise WrongAnswer(f"one of {len(points):,} characters overlaps a wall: {least:.6f} m")
    return least


def require_same(crowds: list[fw.Crowd]) -> None:
    """Require bitwise equal crowds.

    Raises:
        WrongAnswer: positions or velocities differ.
    """
    first, *others = crowds
    for other in others:
        if not (
            np.array_equal(first.positions, other.positions)
            and np.array_equal(first.velocities, other.velocities)
        ):
            raise WrongAnswer(f"{len(first):,} characters walk differently on more threads")
