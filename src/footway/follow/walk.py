"""Walks: paths in time, the results of followers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from footway._numba.portable_math import atan2
from footway.corridor.kernels.path import polyline_clearance
from footway.corridor.path import Path
from footway.follow.kernels.discs import least_depth, least_gap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from footway.arrays import Floats
    from footway.corridor import Corridor
    from footway.corridor.kernels.layouts import Grid
    from footway.follow.detour import Disc
    from footway.terrain.route import IndicativeRoute


@dataclass(frozen=True, eq=False, repr=False)
class Walk(Path):
    """Positions, velocities and times of a character from the start of a corridor to its goal.

    The velocity of a sample leads to the next sample: `points[k + 1]` is `points[k] +
    velocities[k] * step`. In the last sample the character stands on the goal.

    Attributes:
        made_in: returns the corridor of the walk.
        radius: of the character, m.
        speed: maximum speed, m/s.
        step: seconds from one sample to the next.
        points: (n, d) m.
        velocities: (n, d) m/s.
        stands: (n, d) headings for samples in which the character stands; None: it never stands.
        obstacles: dynamic obstacles that were avoided.
        discs: (m, 7) the obstacles as an array: centre, radius and velocity.
        grid: walls of the map, to measure the clearance; None for a corridor from balls.
    """

    made_in: Callable[[], Corridor]
    radius: float
    speed: float
    step: float
    points: Floats
    velocities: Floats
    stands: Floats | None
    obstacles: tuple[Disc, ...]
    discs: Floats
    grid: Grid | None

    @property
    def method(self) -> str:  # type: ignore[override]
        """Always "walk"."""
        return "walk"

    @property
    def start(self) -> tuple[float, ...]:  # type: ignore[override]
        """First point, m."""
        return tuple(self.points[0].tolist())

    @property
    def goal(self) -> tuple[float, ...]:  # type: ignore[override]
        """Last point, m."""
        return tuple(self.points[-1].tolist())

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.points.shape[1])

    @cached_property
    def corridor(self) -> Corridor:
        """Corridor of the walk; the sub-corridor if it made a detour around obstacles."""
        return self.made_in()

    @cached_property
    def directions(self) -> Floats:
        """(n, d) headings: unit vectors along the velocities.

        The character may turn on the spot if a curve does not fit. At the goal it keeps its last
        heading.
        """
        pace = np.linalg.norm(self.velocities, axis=1)
        directions: Floats = self.velocities / np.maximum(pace, 1e-300)[:, None]
        if self.stands is not None:
            directions = np.where(pace[:, None] > 0.0, directions, self.stands)
        if len(pace) > 1:
            directions[-1] = directions[-2]
        return directions

    @cached_property
    def times(self) -> Floats:
        """(n,) s. Time of each sample; the first is 0."""
        return np.arange(len(self.points), dtype=np.float64) * self.step

    @property
    def duration(self) -> float:
        """Seconds from start to goal."""
        return (len(self.points) - 1) * self.step

    @property
    def length(self) -> float:  # type: ignore[override]
        """Length of the walk, m."""
        return float(self.arc_lengths[-1])

    @cached_property
    def headings(self) -> Floats:
        """(n,) radians. Heading in the plane, counterclockwise from the x-axis."""
        heading: Floats = atan2(self.directions[:, 1], self.directions[:, 0])
        return heading

    @cached_property
    def clearance(self) -> float:  # type: ignore[override]
        """Least distance of the walk to any wall, m; computed on first access.

        For a corridor from balls: the least distance of the samples to the outside of the balls.
        """
        if self.grid is not None:
            return float(polyline_clearance(self.points, self.grid))
        return float(least_depth(self._points_3d, self.corridor.balls))

    @cached_property
    def gap(self) -> float:
        """Least distance between the character and any dynamic obstacle over time, m."""
        if len(self.discs) == 0:
            return math.inf
        return float(least_gap(self._points_3d, self.step, self.discs)) - self.radius

    @property
    def _points_3d(self) -> Floats:
        """(n, 3) m."""
        points = np.zeros((len(self.points), 3))
        points[:, : self.dimension] = self.points
        return points

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return super().to_dict() | {
            "speed": self.speed,
            "step": self.step,
            "duration": self.duration,
            "gap": self.gap if math.isfinite(self.gap) else None,
            "times": self.times.tolist(),
            "velocities": self.velocities.tolist(),
        }

    def __repr__(self) -> str:
        return (
            f"Walk({self.length:.2f} m in {self.duration:.1f} s, {len(self.points)} samples, "
            f"radius {self.radius:g} m)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class RouteWalk(Walk):
    """A walk along an indicative route.

    Attributes:
        route: the route that was followed.
        preferences: weight of each kind of terrain for the character.
        references: (n,) m along the route: the reference point of each sample.
        attractions: (n,) m along the route: the attraction point of each sample.
        attraction_points: (n, 2) coordinates of the attraction points, m.
        replanned: how often the route was out of sight and a path back to it was planned.
    """

    route: IndicativeRoute
    preferences: Mapping[str, float]
    references: Floats
    attractions: Floats
    attraction_points: Floats
    replanned: int

    @cached_property
    def clearance(self) -> float:  # type: ignore[override]
        """Least distance of the walk to any wall, m; computed on first access."""
        from footway.terrain.terrain import wall_grid  # imports Shapely

        return float(polyline_clearance(self.points, wall_grid(self.route.terrain.environment)))

    def measure(self) -> dict[str, float]:
        """Return the exact length of the walk on each kind of terrain, m."""
        return self.route.terrain.measure(self.points, self.preferences)

    @cached_property
    def weighted_length(self) -> float:
        """Length of the walk, m, weighted by the terrain."""
        return self.route.terrain.weighted_length(self.points, self.preferences)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return super().to_dict() | {
            "weighted_length": self.weighted_length,
            "ground": self.measure(),
            "references": self.references.tolist(),
            "attractions": self.attractions.tolist(),
            "replanned": self.replanned,
        }

    def __repr__(self) -> str:
        return (
            f"RouteWalk({self.length:.2f} m in {self.duration:.1f} s along a route of "
            f"{self.route.length:.2f} m, radius {self.radius:g} m)"
        )
