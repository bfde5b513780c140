"""Check answers with Shapely and the brute-force optimum, independently of Footway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely
from tests.oracle.clearance import wall_segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway import Environment

    Floats = NDArray[np.float64]

TOLERANCE = 1e-6
"""m. A path may be this much closer to a wall than the radius before it counts as too close."""


class WrongAnswer(Exception):
    """Footway gave a wrong answer, so its time is not measured."""


class WallTree:
    """All walls of an environment in Shapely's STRtree."""

    def __init__(self, env: Environment) -> None:
        walls = wall_segments(env.walkable, lines=env.lines, points=env.points)
        self._tree = shapely.STRtree(shapely.linestrings(walls.reshape(-1, 2, 2)))

    def distance(self, geometries: NDArray[np.object_]) -> Floats:
        """Return the distance of each geometry to its nearest wall, (n,) m."""
        found, distance = self._tree.query_nearest(
            geometries, return_distance=True, all_matches=False
        )
        nearest = np.full(len(geometries), np.inf)
        nearest[found[0]] = distance
        return nearest

    def path_clearance(self, polylines: list[Floats | None]) -> Floats:
        """Return the least distance of each polyline to a wall, (n,) m; NaN for None.

        Its segments are measured one by one: the box of a whole path holds half the city.
        """
        clearance = np.full(len(polylines), np.nan)
        walked = [i for i, points in enumerate(polylines) if points is not None]
        if not walked:
            return clearance
        steps = [_segments(polylines[i]) for i in walked]
        distance = self.distance(shapely.linestrings(np.vstack(steps)))
        first = np.concatenate([[0], np.cumsum([len(step) for step in steps])[:-1]])
        clearance[walked] = np.minimum.reduceat(distance, first)
        return clearance


@dataclass(frozen=True)
class Quality:
    """Quality of the answers of a navigator."""

    missed: int  # queries that have a path but got none
    invented: int  # paths for queries that have none
    strayed: int  # paths that do not lead from start to goal
    too_close: int  # paths closer to a wall than the radius
    least_clearance: float  # m
    excess: Floats  # of each found path: length over the optimum, minus 1

    def require(self, who: str) -> None:
        """Raise an error for wrong answers.

        Raises:
            WrongAnswer: a count is not 0, or a path is shorter than the optimum.
        """
        faults = {
            "missed": self.missed,
            "invented": self.invented,
            "not from start to goal": self.strayed,
            f"too close to a wall (least clearance {self.least_clearance:.6f} m)": self.too_close,
            "shorter than the optimum": int((self.excess < -1e-7).sum()),
        }
        if any(faults.values()):
            found = ", ".join(f"{count} {fault}" for fault, count in faults.items() if count)
            raise WrongAnswer(f"{who}: {found}")


def judge(
    polylines: list[Floats | None],
    queries: list[tuple[tuple[float, float], tuple[float, float]]],
    optimum: Floats,
    *,
    walls: WallTree,
    radius: float,
) -> Quality:
    """Compare polylines with their queries, with the walls, and with the optimal lengths in m."""
    found = np.array([points is not None for points in polylines])
    exists = np.isfinite(optimum)
    clearance = walls.path_clearance(polylines)[found]
    strayed = [
        points is not None and not np.allclose(points[[0, -1]], query, rtol=0, atol=TOLERANCE)
        for points, query in zip(polylines, queries, strict=True)
    ]
    length = np.array([np.nan if p is None else polyline_length(p) for p in polylines])
    both = found & exists
    return Quality(
        missed=int((exists & ~found).sum()),
        invented=int((found & ~exists).sum()),
        strayed=sum(strayed),
        too_close=int((clearance < radius - TOLERANCE).sum()),
        least_clearance=float(clearance.min(initial=np.inf)),
        excess=length[both] / optimum[both] - 1,
    )


def polyline_length(points: Floats) -> float:
    """Length in metres of an (n, 2) polyline."""
    return float(np.hypot(*np.diff(points, axis=0).T).sum())


def _segments(points: Floats | None) -> Floats:
    assert points is not None
    return np.stack([points[:-1], points[1:]], axis=1)
