"""The Indicative Route Method, MIRAN's predecessor (miran-2013, sections 1.1, 1.2 and 5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from footway.errors import BadQuery
from footway.follow.kernels.irm import ClearanceIndex
from footway.follow.walker import RouteWalker, route_settings
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footway.corridor import CorridorMap
    from footway.follow.detour import Obstacle
    from footway.follow.walk import RouteWalk
    from footway.terrain.route import IndicativeRoute

_spans: WeakKeyDictionary[CorridorMap, tuple[float, ...]] = WeakKeyDictionary()
"""Bounding boxes x0, y0, x1, y1 of the walls of maps, m: cached for `_check_map`."""


def irm(
    route: IndicativeRoute,
    cmap: CorridorMap,
    *,
    preferences: Mapping[str, float] | None = None,
    radius: float | None = None,
    speed: float = 1.2,
    step: float = 0.1,
    look: float = 0.0,
    clearance: float = 0.5,
    obstacles: Sequence[Obstacle] = (),
    turn_rate: float = math.pi,
    steering: float = 1.0,
    boundary: float = 3.0,
    repulsion: float = 0.4,
    replan: bool = True,
) -> RouteWalk:
    """Move a character along an indicative route by the Indicative Route Method.

    The attraction point is the furthest point of the route in the largest empty disc around the
    point of the medial axis that the character retracts to. Terrain is ignored, and in wide free
    space long parts of the route are skipped; `miran` fixes both.

    Args:
        route: from `fw.route`, or `IndicativeRoute.from_points`.
        cmap: the corridor map of the same environment.
        preferences: used only to measure the walk; by default those of the route.
        radius: m, of the character; must equal the radius of the route's terrain.
        speed: maximum, m/s; this and the other parameters are those of `miran`.
        step: seconds between samples.
        look: m that the character walks between two updates of the attraction point.
        clearance: m, preferred distance beyond the radius, as in `miran`; 0: no boundary force.
        obstacles: standing or moving discs: `Disc`, or (x, y, radius).
        turn_rate: maximum, rad/s.
        steering: c_s, strength of the force toward the attraction point.
        boundary: c_b, strength of the boundary force at the border.
        repulsion: c_o, m: an obstacle at this distance exerts the same force as a steering of 1.
        replan: plan a path back to the route if the character was pushed out of sight of it.

    Raises:
        BadInput: an invalid value; the message states the limit.
        NoPath: obstacles hold the character ("blocked"), or the route is out of sight and `replan`
            is off.

    Example:
        >>> import footway as fw
        >>> from footway.terrain.terrain import Terrain
        >>> from footway.terrain.route import IndicativeRoute
        >>> yard = fw.Environment.from_polygons(bounds=(0, 0, 30, 10))
        >>> route = IndicativeRoute.from_points(Terrain.build(yard), [(2, 3), (15, 8), (28, 3)])
        >>> walk = fw.follow.irm(route, fw.CorridorMap.build(yard))
        >>> walk.goal, walk.length < route.length
        ((28.0, 3.0), True)
    """
    settings = route_settings(
        route, radius, speed=speed, step=step, turn_rate=turn_rate, look=look, clearance=clearance,
        steering=steering, boundary=boundary, repulsion=repulsion,
    )  # fmt: skip
    _check_map(cmap, route)
    source = cmap.solver.index
    index = ClearanceIndex(source.axis, source.grid, source.boundaries)
    return RouteWalker(route, preferences, settings, obstacles, replan=replan, index=index).walk()


def _check_map(cmap: CorridorMap, route: IndicativeRoute) -> None:
    """Raise BadQuery unless `cmap` is the medial axis map of the route's environment."""
    if not hasattr(cmap, "solver"):
        raise BadQuery(f"a corridor map is needed, not {shown(cmap)}: see CorridorMap.build")
    if cmap.roadmap is not None:
        raise BadQuery("a map of a roadmap has no clearance discs: see CorridorMap.build")
    if cmap not in _spans:
        walls = cmap.solver.index.axis.sites.reshape(-1, 2)
        _spans[cmap] = (*walls.min(axis=0).tolist(), *walls.max(axis=0).tolist())
    environment = route.terrain.environment
    difference = max(abs(a - b) for a, b in zip(_spans[cmap], environment.bounds, strict=True))
    if not difference <= 2.0 * environment.grid:
        raise BadQuery(
            f"the corridor map {cmap.name!r} is not of the route's environment "
            f"{environment.name!r}: build it from the same one"
        )
