"""`footway path --follow miran` and `irm`: how a character walks along its route."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footway.cli.follow import Follower, Walked, discs_of, write_trajectory
from footway.cli.maps import LoadedMap, build_map, load_environment
from footway.cli.no_path_picture import draw_why, refusal_drawn
from footway.cli.routes import (
    RADIUS,
    build_terrain,
    find_route,
    ground_text,
    in_cli_words,
    route_facts,
    weighted_text,
)
from footway.errors import NoPath

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from footway.cli.follow import Manner
    from footway.cli.output import Steps
    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.follow import RouteWalk
    from footway.terrain import IndicativeRoute


@dataclass(frozen=True)
class OnRoute:
    """What was asked: ends that are left out are those of the route."""

    map_name: str
    start: tuple[float, float] | None
    goal: tuple[float, float] | None
    radius: float | None
    clearance: float | None
    scale: float | None


@dataclass(frozen=True)
class RouteWalked(Walked):
    """A walk along a route, ready to be drawn and printed."""

    walk: RouteWalk

    def draw(self, loaded: LoadedMap) -> Figure:
        """Return a picture of the ground, route and walk."""
        from footway.plot import draw_route

        del loaded
        return draw_route(self.walk.route, self.walk)

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {**super().as_json(), "route": route_facts(self.walk.route)}

    def rows(self) -> list[tuple[str, str]]:
        """Return names and values for a person."""
        walk, route = self.walk, self.walk.route
        rows = super().rows()
        at = [name for name, _ in rows].index("length") + 1
        rows[at:at] = [
            ("weighted", f"{walk.weighted_length:,.3f} m"),
            ("ground", ground_text(walk.measure())),
            ("route", f"{route.length:,.3f} m, weighted {weighted_text(route)}"),
        ]
        if walk.replanned:
            rows.append(("back", f"{walk.replanned} times a way back to the route was planned"))
        return rows


def walk_route(
    query: OnRoute, manner: Manner, steps: Steps, *, plot: str | None, quiet: bool
) -> RouteWalked:
    """Find the route, walk along it, and write the trajectory where that was asked for."""
    assert manner.wanted is not None
    environment = load_environment(query.map_name, scale=query.scale, steps=steps)
    radius = RADIUS if query.radius is None else query.radius
    terrain = build_terrain(environment, radius, manner.wanted, steps)
    cmap = build_map(environment, steps=steps) if manner.method is Follower.IRM else None

    def draw(refusal: NoPath) -> Figure:
        return _why(environment, query, cmap, refusal)

    with refusal_drawn(draw, plot, quiet=quiet):
        route = find_route(terrain, query.start, query.goal, manner.wanted, steps)
        walk = _walked(route, cmap, query, manner, steps)
    if manner.output is not None:
        write_trajectory(walk, manner.output)
    return RouteWalked(walk, manner)


def _walked(
    route: IndicativeRoute, cmap: CorridorMap | None, query: OnRoute, manner: Manner, steps: Steps
) -> RouteWalk:
    """Walk twice: the first time loads the compiled kernels, the second is timed."""
    from footway.follow import irm, miran

    wishes = dict(manner.wishes)
    if query.clearance is not None:  # of the centre; followers want what is beyond the radius
        wishes["clearance"] = max(0.0, query.clearance - route.terrain.radius)
    discs = discs_of(manner)

    def walk() -> RouteWalk:
        try:
            if cmap is not None:
                return irm(route, cmap, obstacles=discs, **wishes)
            return miran(route, obstacles=discs, **wishes)
        except NoPath as refusal:
            raise in_cli_words(refusal) from None

    with steps.step("walk", "Walking"):
        walk()
    begin = time.perf_counter()
    walked = walk()
    steps.seconds["walk"] = time.perf_counter() - begin
    return walked


def _why(
    environment: Environment, query: OnRoute, cmap: CorridorMap | None, refusal: NoPath
) -> Figure:
    """Draw why there is no way; without ends, which a file has, the map alone."""
    from footway.corridor import CorridorMap
    from footway.plot import draw_map

    if query.start is None or query.goal is None:
        return draw_map(environment)
    known = CorridorMap.build(environment) if cmap is None else cmap
    return draw_why(known, environment, query.start, query.goal, refusal)
