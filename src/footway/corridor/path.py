"""Paths with their certificate: length and clearance, measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import validation
from footway._numba.portable_math import atan2, hypot
from footway.constants import TOUCH
from footway.corridor.kernels.path import (
    FINEST,
    RADIUS,
    X0,
    X1,
    Y0,
    Y1,
    polyline_clearance,
    sample_pieces,
)
from footway.corridor.kernels.widening import TOLERANCE, corners_along, taut_around
from footway.errors import BadQuery
from footway.notebook_display import NotebookDisplay

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor.corridor import Corridor
    from footway.corridor.kernels.layouts import Index
    from footway.corridor.search import Solution, Solver


_STRAIGHT = 0.17  # sine of ten degrees: smaller angles approximate a curve


class Path(NotebookDisplay):
    """A curve that a disc can follow, with its certified clearance.

    `CorridorMap.path` gives a `TautPath`, the shortest one; `footway.follow` gives a `Walk`, which
    also has times and velocities.

    Attributes:
        start: where it begins, (x, y) in metres; (x, y, z) in three dimensions.
        goal: where it ends.
        radius: requested radius of the disc, m.
        points: (n, d) m; a polyline that keeps the clearance.
        length: of the curve, m.
        clearance: least distance of the curve to any wall, m, measured against all walls; never
            below the radius (to 1e-6 m), and the curve crosses no wall.
        method: how it was found. "shortest": no shorter path exists for that radius; "widened":
            the shortest one, moved to get the preferred clearance; "backbone": along the medial
            axis, because the search for the shortest gave up; "roadmap": along the lines and arcs
            of a roadmap; "walk": step by step, by a follower.

    """

    start: tuple[float, ...]
    goal: tuple[float, ...]
    radius: float
    points: Floats
    length: float
    clearance: float
    method: str

    @cached_property
    def arc_lengths(self) -> Floats:
        """(n,) m. Distance along the polyline at each point."""
        step = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(step)])

    @cached_property
    def headings(self) -> Floats:
        """(n,) radians. Direction of travel at each point, counted from the x-axis to the left."""
        step = np.diff(self.points, axis=0)
        heading = atan2(step[:, 1], step[:, 0])
        return np.concatenate([heading, heading[-1:]])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "start": list(self.start),
            "goal": list(self.goal),
            "radius": self.radius,
            "length": self.length,
            "clearance": self.clearance,
            "method": self.method,
            "points": self.points.tolist(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class TautPath(Path):
    """A path of a disc as straight lines and arcs; the shortest if `method` is "shortest".

    Attributes:
        length: of the curve, m; exact.
        pieces: (n, 9) lines and arcs: x0, y0, x1, y1, then for arcs centre x, y, radius, signed
            sweep (radians, positive to the left) and distance to the nearest wall; zeros for lines.
        source: solver of its map; None for a path made by hand.
        crossed: half-edges of the map that its search crossed; empty without a search.
        tolerance: largest distance of `points` from the curve, m; 0.1 % of the radius if less.

    Example:
        >>> import footway as fw
        >>> env = fw.Environment.from_polygons(bounds=(0, 0, 4, 3), obstacles=[
        ...     [(1.5, 1), (2.5, 1), (2.5, 3), (1.5, 3)]])
        >>> path = fw.CorridorMap.build(env).path((0.5, 2), (3.5, 2), radius=0.25)
        >>> round(path.length, 3), round(path.clearance, 3), path.turns
        (4.265, 0.25, 2)

    """

    start: tuple[float, float]
    goal: tuple[float, float]
    radius: float
    length: float
    clearance: float
    pieces: Floats
    method: str = "shortest"
    source: Solver | None = None
    crossed: tuple[int, ...] = ()
    tolerance: float = 0.0

    @classmethod
    def from_solution(
        cls,
        solution: Solution,
        start: tuple[float, float],
        goal: tuple[float, float],
        radius: float,
        source: Solver,
    ) -> TautPath:
        """Return the path of a search that found one, without the checks of a frozen class."""
        path = cls.__new__(cls)
        _, pieces, length, clearance, crossed, method, _ = solution
        values = path.__dict__  # one by one is twice as fast as `update`
        values["start"], values["goal"], values["radius"] = start, goal, radius
        values["length"], values["clearance"], values["pieces"] = length, clearance, pieces
        values["method"], values["source"], values["crossed"] = method, source, crossed
        return path

    def with_tolerance(self, tolerance: float) -> TautPath:
        """Return the same curve with fewer `points`, by at most `tolerance` metres off its arcs.

        They keep the clearance: where a wall is near, they are as close to the curve as before.
        """
        value = validation.number(tolerance, "tolerance", "m", low=0.0)
        if self.source is None:
            raise BadQuery("a path made by hand has no walls to keep its points away from")
        while value > FINEST:  # an arc knows the walls near it, not those near all its points
            path = replace(self, tolerance=value)
            if polyline_clearance(path.points, self.source.index.grid) >= self.clearance - TOUCH:
                return path
            value *= 0.5
        return replace(self, tolerance=0.0)

    @cached_property
    def points(self) -> Floats:  # type: ignore[override]
        """(n, 2) m. A polyline along the path that keeps its clearance.

        Points of an arc lie a little outside of it, so that no chord cuts a corner: at most 0.1 %
        of the radius or `tolerance`, less where a wall on the other side is close.
        """
        points: Floats = sample_pieces(self.pieces, self.tolerance)
        return points

    @property
    def turns(self) -> int:
        """Number of corners that the path turns around: arcs, and angles between lines."""
        arcs = self.pieces[:, RADIUS] > 0
        chord = self.pieces[:, X1 : Y1 + 1] - self.pieces[:, X0 : Y0 + 1]
        before, after = chord[:-1], chord[1:]
        turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
        bends = np.abs(turn) > _STRAIGHT * hypot(*before.T) * hypot(*after.T)
        return int(arcs.sum() + (bends & ~arcs[:-1] & ~arcs[1:]).sum())

    @cached_property
    def corridor(self) -> Corridor:
        """Corridor of the path, without a second search: `CorridorMap.corridor(around="path")`."""
        from footway.corridor.backbone import corridor_of_path  # it imports this module

        if self.source is None:
            raise BadQuery("a path made by hand has no corridor: use CorridorMap.corridor")
        return corridor_of_path(self.source, self)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, without the solver: it belongs to this process."""
        return {k: v for k, v in self.__dict__.items() if k not in ("source", "corridor")}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return super().to_dict() | {"turns": self.turns}

    def __repr__(self) -> str:
        return (
            f"Path({self.length:.2f} m, clearance {self.clearance:.3f} m, {self.turns} turns, "
            f"radius {self.radius:g} m)"
        )


def widen(index: Index, path: TautPath, halves: Ints, wanted: float) -> TautPath:
    """Return the path with up to `wanted` metres of clearance; the path itself if that fails.

    The taut path around circles of the disc's radius becomes the taut path around larger circles:
    each corner of the corridor gets the preferred clearance, or less where the corridor is narrower
    (miran-2013, section 3). The path stays in the same corridor.
    """
    ends = np.array([*path.start, *path.goal])
    corners = corners_along(ends, path.radius, wanted, halves, index.axis, index.corners)
    pieces, length = taut_around(ends, path.radius, path.pieces, corners, index.grid)
    if len(pieces) == 0:
        return path
    wide = replace(path, length=length, pieces=pieces, method="widened")
    clearance = float(polyline_clearance(wide.points, index.grid))
    if clearance < path.clearance - TOLERANCE or length < path.length - TOLERANCE:
        return path  # a path shorter than the shortest one would cross a wall
    return replace(wide, clearance=clearance)
