"""The Indicative Route Method, MIRAN's predecessor (miran-2013, sections 1.1, 1.2 and 5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from footway.errors import BadQuery
from footway.follow.kernels.irm import irm_walk
from footway.follow.kernels.visibility import make_eyes
from footway.follow.route_walk import RouteWalker, check_route, gait_of
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footway.corridor import CorridorMap
    from footway.follow.kernels.steering import BodyParameters
    from footway.follow.obstacles import Disc
    from footway.follow.route_walk import RouteWalk
    from footway.terrain.route import IndicativeRoute

    Obstacle = Disc | tuple[float, ...]


_spans: WeakKeyDictionary[CorridorMap, tuple[float, ...]] = WeakKeyDictionary()
"""x0, y0, x1, y1 of the walls of maps that were checked before, m."""


def irm(
    route: IndicativeRoute,
    cmap: CorridorMap,
    *,
    preferences: Mapping[str, float] | None = None,
    radius: float | None = None,
    speed: float = 1.2,
    step: float = 0.1,
    look: float = 0.0,
    clearance: float = 0.0,
    obstacles: Sequence[Obstacle] = (),
    turn_rate: float = math.pi,
    steering: float = 1.0,
    boundary: float = 3.0,
    obstacle: float = 0.4,
    replan: bool = True,
) -> RouteWalk:
    """Walk of a character along an indicative route, by the Indicative Route Method.

    The attraction point is the furthest point of the route in the largest empty disc around the
    place of the medial axis that the character retracts to. Terrain plays no part, and where there
    is much room, long parts of the route are skipped: `miran` mends both.

    Args:
        route: from `fw.route`, or `IndicativeRoute.from_points`.
        cmap: the corridor map of the same environment.
        preferences: only to measure the walk: those of the route where none are given.
        radius: m, of the character: the one that the route's terrain was made for.
        speed: greatest, m/s.
        step: seconds between samples.
        look: m that the character walks before it looks for another attraction point; 0: it looks
            at every step.
        clearance: m, wanted beyond the radius; the boundary force keeps it where there is room.
        obstacles: discs that stand or move: `Disc`, or (x, y, radius).
        turn_rate: greatest, rad/s.
        steering: c_s, strength of the force toward the attraction point.
        boundary: c_b, strength of the boundary force at the border.
        obstacle: c_o, m: a disc at this distance pushes as hard as a steering of 1.
        replan: a way back to the route where a character was pushed out of sight of it.

    Raises:
        BadInput: a value that makes no sense, with its limit.
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
    check_route(route)
    _check_map(cmap, route)
    gait = gait_of(
        route, radius=radius, speed=speed, step=step, turn_rate=turn_rate, look=look,
        clearance=clearance, steering=steering, boundary=boundary, obstacle=obstacle,
    )  # fmt: skip
    return IrmWalker(route, cmap, preferences, gait, obstacles, replan=replan).walk()


def _check_map(cmap: CorridorMap, route: IndicativeRoute) -> None:
    """Refuse what is no medial axis, or that of another environment: its discs are not empty."""
    if not hasattr(cmap, "solver"):
        raise BadQuery(f"a corridor map is needed, not {shown(cmap)}: see CorridorMap.build")
    if cmap.roadmap is not None:
        raise BadQuery("a map of a roadmap has no clearance discs: see CorridorMap.build")
    if cmap not in _spans:
        walls = cmap.solver.index.axis.sites.reshape(-1, 2)
        _spans[cmap] = (*walls.min(axis=0).tolist(), *walls.max(axis=0).tolist())
    environment = route.terrain.environment
    off = max(abs(a - b) for a, b in zip(_spans[cmap], environment.bounds, strict=True))
    if not off <= 2.0 * environment.grid:
        raise BadQuery(
            f"the corridor map {cmap.name!r} is not of the route's environment "
            f"{environment.name!r}: build it from the same one"
        )


class IrmWalker(RouteWalker):
    """A character that is drawn to the furthest point of the route in its disc."""

    def __init__(
        self,
        route: IndicativeRoute,
        cmap: CorridorMap,
        preferences: Mapping[str, float] | None,
        gait: BodyParameters,
        obstacles: Sequence[Obstacle],
        *,
        replan: bool,
    ) -> None:
        self.index = cmap.solver.index
        super().__init__(route, preferences, gait, obstacles, replan=replan)

    def begin(self) -> None:
        """Take memory for the boundary force."""
        self.eyes = make_eyes(len(self.ground.triangles), 0)

    def run(self, steps: int, first: int) -> tuple[int, int]:
        """Walk for some steps: (status, samples written)."""
        trail, index = self.trail, self.index
        status, count = irm_walk(
            self.state, steps, self.gait, self.weights, self.discs, self.course, self.ground,
            self.eyes, index.axis, index.grid, index.fans, trail.points[first:],
            trail.velocities[first:], trail.directions[first:], trail.places[first:],
        )  # fmt: skip
        return int(status), int(count)
