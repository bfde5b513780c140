"""Indicative routes: the rough route of a character (miran-2013, sections 2 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, get_args
from weakref import WeakKeyDictionary

import numpy as np

from footway.corridor import CorridorMap
from footway.environment import Environment
from footway.errors import BadQuery, NoPath
from footway.terrain.cut_route import CutRoute, cut_route, first_hole, without_repeats
from footway.terrain.improvement import best_path, path_over_cells
from footway.terrain.kernels.improvement import MARGIN_COST, weigh
from footway.terrain.kernels.search import dual_path, search_triangles
from footway.terrain.terrain import Terrain
from footway.validation import FARTHEST, as_text, flag, number, one_of, point, shown
from footway.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from numpy.typing import ArrayLike

    from footway.arrays import Floats

Method = Literal["triangles", "grid"]

RADIUS = 0.25  # m, default


def route(
    terrain: Terrain | Environment,
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
        terrain: a terrain, or a map to build one from.
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
    terrain = _as_terrain(terrain, radius)
    a, b = point(start, "start"), point(goal, "goal")
    weights = terrain.weights(preferences)
    one_of(method, "method", get_args(Method))
    if resolution is not None and method != "grid":
        raise BadQuery("the resolution is only for method='grid': leave it out")
    number(margin, "margin", "m", low=0.0, high=FARTHEST)
    if (a == b).all():
        raise BadQuery(f"the start {as_text(a)} is the goal: a route needs two different points")
    flag(improve, "improve")
    query = _Query(terrain, a, b, weights, method, resolution)
    points = query.improved(float(margin)) if improve else query.rough()
    if points is None:
        raise _no_route(query)
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
        cls, terrain: Terrain, points: ArrayLike, preferences: Mapping[str, float] | None = None
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
        given = without_repeats(checked_points(points, name="points of a route"))
        if len(given) < 2:
            raise BadQuery("a route needs at least two different points")
        route = cls(given, terrain, {} if preferences is None else dict(preferences))
        hole = first_hole(route.cut)
        if hole is not None:
            x, y = route.point_at(hole)
            raise BadQuery(
                f"the route leaves the free space at ({x:.3f}, {y:.3f}), {hole:.2f} m from its "
                f"start: draw it where a disc of radius {terrain.radius:g} m fits"
            )
        return route

    @cached_property
    def cut(self) -> CutRoute:
        """The route cut at the triangles of the terrain, for followers."""
        return cut_route(self.points, self.terrain.mesh)

    @property
    def length(self) -> float:
        """Length of the route, m."""
        return self.cut.length

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
        return self.cut.at(s)

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


def _as_terrain(given: Terrain | Environment, radius: float | None) -> Terrain:
    """Return the terrain for a radius, built from an environment if necessary."""
    if isinstance(given, Environment):
        return Terrain.build(given, RADIUS if radius is None else radius)
    if not isinstance(given, Terrain):
        raise BadQuery(f"a route needs a Terrain or an Environment, not {shown(given)}")
    if radius is not None and number(radius, "radius", "m", low=0.0) != given.radius:
        raise BadQuery(
            f"the terrain is for a radius of {given.radius:g} m, not {radius:g} m: give the map, "
            f"or Terrain.build(map, radius={radius:g})"
        )
    return given


class _Query(NamedTuple):
    """A valid request for a route."""

    terrain: Terrain
    start: Floats
    goal: Floats
    weights: Floats
    method: Method
    resolution: float | None

    def rough(self, bound: float = np.inf) -> Floats | None:
        """Return points (n, 2) of the cheapest path over cells, or triangles if below `bound`."""
        terrain, start, goal, weights = self.terrain, self.start, self.goal, self.weights
        if self.method == "grid":
            return path_over_cells(terrain, start, goal, weights, self.resolution)
        path = search_triangles(start, goal, weights, bound, terrain.mesh)
        return without_repeats(dual_path(start, goal, path, terrain.mesh)) if len(path) else None

    def improved(self, margin: float) -> Floats | None:
        """Return points (n, 2) of the cheapest known path; None if `method` finds no path.

        A margin is given up only if it costs MARGIN_COST more than the rough path, which may pass
        worse terrain on another side.
        """
        best, cost = best_path(*self[:4], margin)
        if not len(best):
            return None
        rough = self.rough(bound=cost)
        if rough is None:
            return best if self.method == "triangles" else None
        rough_cost = weigh(rough, self.weights, self.terrain.mesh)
        if margin > 0.0 and cost <= (1.0 + MARGIN_COST) * rough_cost:
            return best
        if margin > 0.0:
            best, cost = best_path(*self[:4], 0.0)
        return rough if rough_cost < cost else best


_maps: WeakKeyDictionary[Environment, CorridorMap] = WeakKeyDictionary()


def _no_route(query: _Query) -> BadQuery | NoPath:
    """Return the error that explains why there is no route, by a query of the corridor map.

    Builds the corridor map of the environment on the first call.
    """
    terrain, ends = query.terrain, f"from {as_text(query.start)} to {as_text(query.goal)}"
    cmap = _maps.get(terrain.environment) or CorridorMap.build(terrain.environment)
    _maps[terrain.environment] = cmap
    try:
        cmap.path(query.start, query.goal, radius=terrain.radius)
    except (BadQuery, NoPath) as error:
        return error
    if query.method == "grid":
        return NoPath(
            f"no path over the grid {ends}, though a disc of radius {terrain.radius:g} m gets "
            "there: use a finer resolution, or method='triangles'",
            reason="pinch",  # a passage that is too narrow for the cells
        )
    # Triangles replace arcs around corners by tangents, which takes less than 1 % of the radius.
    return NoPath(
        f"a disc of radius {terrain.radius:g} m is too wide to get {ends} along the triangles: use "
        "a radius that is 1 % smaller",
        reason="pinch",
    )
