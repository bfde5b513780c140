"""`footway path --follow miran` and `irm`: walk along an indicative route."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footway.cli.follow import Follower, WalkResult, obstacles_of, write_trajectory
from footway.cli.maps import LoadedMap, build_map, load_environment
from footway.cli.no_path_picture import draw_refusal, drawing_refusals
from footway.cli.routes import (
    RADIUS,
    build_terrain,
    find_route,
    in_command_line_terms,
    route_facts,
    terrain_text,
    weighted_text,
)
from footway.errors import NoPath

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from footway.cli.follow import WalkRequest
    from footway.cli.output import Steps
    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.follow import RouteWalk
    from footway.terrain import IndicativeRoute


@dataclass(frozen=True)
class RouteQuery:
    """Query of a walk along a route; start and goal default to the ends of the route."""

    map_name: str
    start: tuple[float, float] | None
    goal: tuple[float, float] | None
    radius: float | None
    clearance: float | None
    scale: float | None


@dataclass(frozen=True)
class RouteWalkResult(WalkResult):
    """A walk along a route, ready to draw and print."""

    walk: RouteWalk

    def draw(self, loaded: LoadedMap) -> Figure:
        """Draw the terrain, the route and the walk."""
        from footway.plot import draw_route

        del loaded
        return draw_route(self.walk.route, self.walk)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {**super().as_json(), "route": route_facts(self.walk.route)}

    def rows(self) -> list[tuple[str, str]]:
        """Return the names and values to print."""
        walk, route = self.walk, self.walk.route
        rows = super().rows()
        at = [name for name, _ in rows].index("length") + 1
        rows[at:at] = [
            ("weighted", f"{walk.weighted_length:,.3f} m"),
            ("ground", terrain_text(walk.measure())),
            ("route", f"{route.length:,.3f} m, weighted {weighted_text(route)}"),
        ]
        if walk.replanned:
            rows.append(("back", f"{walk.replanned} times a path back to the route was planned"))
        return rows


def walk_route(
    query: RouteQuery, request: WalkRequest, steps: Steps, *, plot: str | None, quiet: bool
) -> RouteWalkResult:
    """Find the route, walk along it, and write the trajectory if requested."""
    assert request.route is not None
    environment = load_environment(query.map_name, scale=query.scale, steps=steps)
    radius = RADIUS if query.radius is None else query.radius
    terrain = build_terrain(environment, radius, request.route, steps)
    cmap = build_map(environment, steps=steps) if request.method is Follower.IRM else None

    def draw(refusal: NoPath) -> Figure:
        return _draw_refusal(environment, query, cmap, refusal)

    with drawing_refusals(draw, plot, quiet=quiet):
        route = find_route(terrain, query.start, query.goal, request.route, steps)
        walk = _walk(route, cmap, query, request, steps)
    if request.output is not None:
        write_trajectory(walk, request.output)
    return RouteWalkResult(walk, request)


def _walk(
    route: IndicativeRoute,
    cmap: CorridorMap | None,
    query: RouteQuery,
    request: WalkRequest,
    steps: Steps,
) -> RouteWalk:
    from footway.follow import irm, miran

    options = dict(request.options)
    if query.clearance is not None:  # of the centre; followers take the distance beyond the radius
        options["clearance"] = max(0.0, query.clearance - route.terrain.radius)
    obstacles = obstacles_of(request)
    try:
        with steps.step("walk", "Walking"):
            if cmap is not None:
                return irm(route, cmap, obstacles=obstacles, **options)
            return miran(route, obstacles=obstacles, **options)
    except NoPath as refusal:
        raise in_command_line_terms(refusal) from None


def _draw_refusal(
    environment: Environment, query: RouteQuery, cmap: CorridorMap | None, refusal: NoPath
) -> Figure:
    """Draw why there is no path; only the map if the ends are defined by a route file."""
    from footway.corridor import CorridorMap
    from footway.plot import draw_map

    if query.start is None or query.goal is None:
        return draw_map(environment)
    known = CorridorMap.build(environment) if cmap is None else cmap
    return draw_refusal(known, environment, query.start, query.goal, refusal)
