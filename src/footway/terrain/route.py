"""Indicative routes: the rough route of a character (miran-2013, sections 2 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from footway.environment import Environment
from footway.errors import BadQuery
from footway.terrain.cut_route import CutRoute, first_hole, make_course, without_repeats
from footway.terrain.explain import refusal
from footway.terrain.improvement import best_path, over_cells
from footway.terrain.kernels.improvement import weigh
from footway.terrain.kernels.search import dual_path, search_triangles
from footway.terrain.terrain import Terrain
from footway.validation import FARTHEST, as_text, flag, number, one_of, point, shown
from footway.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

Method = Literal["triangles", "grid"]

RADIUS = 0.25  # m, default


def route(
    ground: Terrain | Environment,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    preferences: Mapping[str, float] | None = None,
    radius: float | None = None,
    method: Method = "triangles",
    resolution: float | None = None,
    improve: bool = True,
    margin: float = 0.75,
) -> IndicativeRoute:
    """Return an indicative route from start to goal (x, y in m) over preferred terrain.

    Args:
        ground: a terrain, or a map to build one from.
        start: first point of the route.
        goal: last point of the route.
        preferences: positive weight of each kind of terrain; 1 is neutral and the default, higher
            is worse.
        radius: m, of the character; by default that of the terrain, or 0.25.
        method: the graph to search, "triangles" or "grid" (miran-2013, section 4).
        resolution: m, side of the grid's cells; by default the map's longer side / 512.
        improve: return a nearly optimal route by weighted length, instead of one through the
            centres of triangles or cells.
        margin: m that an improved route keeps from the borders of worse terrain, and about half of
            it at their corners, so that a character that cuts corners stays out of it. The margin
            is halved while it does not fit or costs more than 5 %. A quarter of `spacing` suffices
            for `miran`. 0: the optimal route, along the border itself.

    Raises:
        BadInput: a weight is not a positive number, or the map lacks a kind of terrain.
        BadQuery: a point lies in a wall, or is not two finite numbers.
        NoPath: there is no path for this radius; the message says why.

    Example:
        >>> import footway as fw
        >>> room = fw.Environment.from_polygons(
        ...     bounds=(0, 0, 10, 8), terrain=[("mud", [(4, 0), (6, 0), (6, 6), (4, 6)])]
        ... )
        >>> found = route(room, (1, 1), (9, 1), preferences={"mud": 10.0})
        >>> found.measure()["mud"]
        0.0

    """
    terrain = _terrain(ground, radius)
    a, b = point(start, "start"), point(goal, "goal")
    weights = terrain.weights(preferences)
    _check(method, resolution, margin, a, b)
    flag(improve, "improve")
    points = (
        _improved(terrain, a, b, weights, method, resolution, float(margin))
        if improve
        else _rough(terrain, a, b, weights, method, resolution)
    )
    if points is None:
        raise refusal(terrain, a, b, grid=method == "grid")
    weights_by_kind = {} if preferences is None else dict(preferences)
    return IndicativeRoute(points, terrain, weights_by_kind, method, resolution, improve)


@dataclass(frozen=True, eq=False, repr=False)
class IndicativeRoute:
    """A polyline in the free space of a disc that a character follows roughly.

    Attributes:
        points: (n, 2) m.
        terrain: the terrain of the route.
        preferences: weight of each kind of terrain; 1 by default.
        method: how the route was found, "triangles" or "grid"; "drawn": given by points.
        resolution: m, side of the grid's cells; None: the default.
        is_improved: whether the weighted length was minimized.

    """

    points: Floats
    terrain: Terrain
    preferences: Mapping[str, float]
    method: Method | Literal["drawn"] = "drawn"
    resolution: float | None = None
    is_improved: bool = False

    @classmethod
    def from_points(
        cls,
        terrain: Terrain,
        points: ArrayLike,
        preferences: Mapping[str, float] | None = None,
    ) -> IndicativeRoute:
        """Return a route through given points (n, 2), m.

        Raises:
            BadQuery: fewer than two different points, NaN, or the route crosses an obstacle.

        Example:
            >>> import footway as fw
            >>> from footway.terrain.terrain import Terrain
            >>> room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
            >>> route = IndicativeRoute.from_points(Terrain.build(room), [(1, 1), (4, 1), (4, 5)])
            >>> route.length
            7.0

        """
        if not isinstance(terrain, Terrain):
            raise BadQuery(f"a Terrain is needed, not {shown(terrain)}: see fw.Terrain.build")
        terrain.weights(preferences)
        route = cls(_checked(points), terrain, {} if preferences is None else dict(preferences))
        hole = first_hole(route.course)
        if hole is not None:
            x, y = route.point_at(hole)
            raise BadQuery(
                f"the route leaves the free space at ({x:.3f}, {y:.3f}), {hole:.2f} m from its "
                f"start: draw it where a disc of radius {terrain.radius:g} m fits"
            )
        return route

    @cached_property
    def course(self) -> CutRoute:
        """The route cut at the triangles of the terrain, for followers."""
        return make_course(self.points, self.terrain.ground)

    @property
    def length(self) -> float:
        """Length of the route, m."""
        return self.course.length

    @property
    def start(self) -> tuple[float, float]:
        """First point, m."""
        return float(self.points[0, 0]), float(self.points[0, 1])

    @property
    def goal(self) -> tuple[float, float]:
        """Last point, m."""
        return float(self.points[-1, 0]), float(self.points[-1, 1])

    @cached_property
    def weighted_length(self) -> float:
        """Length weighted by the terrain, m."""
        return self.terrain.weighted_length(self.points, self.preferences)

    @cached_property
    def before(self) -> IndicativeRoute:
        """The route before it was improved; computed on first access."""
        if not self.is_improved:
            return self
        return route(
            self.terrain, self.start, self.goal, preferences=self.preferences,
            method=cast("Method", self.method), resolution=self.resolution, improve=False,
        )  # fmt: skip

    @property
    def weighted_length_before(self) -> float:
        """Weighted length before the route was improved, m."""
        return self.before.weighted_length

    def measure(self) -> dict[str, float]:
        """Return the length of the route on each kind of terrain, m."""
        return self.terrain.measure(self.points, self.preferences)

    def point_at(self, s: float) -> Floats:
        """Return the point (2,) at a distance along the route, m, clamped to its ends."""
        s = number(s, "distance along the route", "m")
        return self.course.at(s)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "start": list(self.start),
            "goal": list(self.goal),
            "radius": self.terrain.radius,
            "method": self.method,
            "preferences": dict(self.preferences),
            "length": self.length,
            "weighted_length": self.weighted_length,
            "weighted_length_before": self.weighted_length_before,
            "points": self.points.tolist(),
        }

    def save(self, file: str | PathLike[str]) -> None:
        """Write the route: .geojson or .json a LineString with all properties, .csv its points."""
        from footway.terrain import route_file

        route_file.save(file, self)

    @classmethod
    def load(
        cls,
        file: str | PathLike[str],
        terrain: Terrain,
        preferences: Mapping[str, float] | None = None,
    ) -> IndicativeRoute:
        """Read a route for a terrain; preferences default to those of the file.

        Raises:
            BadFile: the file is missing or contains no line.
            BadQuery: as `from_points`.

        """
        from footway.terrain import route_file

        points, found = route_file.read(file)
        return cls.from_points(terrain, points, found if preferences is None else preferences)

    def __repr__(self) -> str:
        return f"IndicativeRoute({self.length:.2f} m, {len(self.points)} points)"


def _checked(points: ArrayLike) -> Floats:
    """Return points (n, 2) without duplicates; raise BadQuery if fewer than two are left."""
    given = checked_points(points, name="points of a route")
    if len(without_repeats(given)) < 2:
        raise BadQuery("a route of one point leads nowhere: give at least two different points")
    return without_repeats(given)


def _terrain(ground: Terrain | Environment, radius: float | None) -> Terrain:
    """Return the terrain for a radius, built from an environment if necessary."""
    if isinstance(ground, Environment):
        return Terrain.build(ground, RADIUS if radius is None else radius)
    if not isinstance(ground, Terrain):
        raise BadQuery(f"a route needs a Terrain or an Environment, not {shown(ground)}")
    if radius is not None and number(radius, "radius", "m", low=0.0) != ground.radius:
        raise BadQuery(
            f"the terrain is for a radius of {ground.radius:g} m, not {radius:g} m: give the map, "
            f"or Terrain.build(map, radius={radius:g})"
        )
    return ground


def _check(
    method: str, resolution: float | None, margin: float, start: Floats, goal: Floats
) -> None:
    """Raise BadQuery for invalid options."""
    one_of(method, "method", get_args(Method))
    if resolution is not None and method != "grid":
        raise BadQuery("a resolution is for method='grid'; triangles need none")
    number(margin, "margin", "m", low=0.0, high=FARTHEST)
    if (start == goal).all():
        raise BadQuery(
            f"the start {as_text(start)} is the goal: a route of one point leads nowhere"
        )


def _rough(
    terrain: Terrain, start: Floats, goal: Floats, weights: Floats, method: Method,
    resolution: float | None, bound: float = np.inf,
) -> Floats | None:  # fmt: skip
    """Return points (n, 2) of the cheapest path over cells, or triangles if below `bound`."""
    if method == "grid":
        return over_cells(terrain, start, goal, weights, resolution)
    path = search_triangles(start, goal, weights, bound, terrain.ground)
    return without_repeats(dual_path(start, goal, path, terrain.ground)) if len(path) else None


def _improved(
    terrain: Terrain, start: Floats, goal: Floats, weights: Floats, method: Method,
    resolution: float | None, margin: float,
) -> Floats | None:  # fmt: skip
    """Return points (n, 2) of the cheapest known path; None if `method` finds no path."""
    best, length = best_path(terrain, start, goal, weights, margin)
    if not len(best):
        return None
    rough = _rough(terrain, start, goal, weights, method, resolution, bound=length)
    if rough is None:
        return best if method == "triangles" else None
    cost = weigh(rough, weights, terrain.ground)
    if margin > 0.0 and cost < length:  # the margin costs more than the improvement gained
        best, length = best_path(terrain, start, goal, weights, 0.0)
    return rough if cost < length else best
