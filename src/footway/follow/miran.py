"""Modified Indicative Routes and Navigation (miran-2013): walks that follow terrain preferences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from footway.errors import BadQuery
from footway.follow.walker import RouteWalker, route_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footway.follow.detour import Obstacle
    from footway.follow.walk import RouteWalk
    from footway.terrain.route import IndicativeRoute


def miran(
    route: IndicativeRoute,
    *,
    preferences: Mapping[str, float] | None = None,
    radius: float | None = None,
    speed: float = 1.2,
    step: float = 0.1,
    sigma: float = 30.0,
    spacing: float = 1.0,
    look: float = 0.0,
    clearance: float = 0.5,
    obstacles: Sequence[Obstacle] = (),
    turn_rate: float = math.pi,
    steering: float = 1.0,
    boundary: float = 3.0,
    repulsion: float = 0.4,
    replan: bool = True,
) -> RouteWalk:
    """Move a character along an indicative route according to its terrain preferences.

    At every step the visible parts of the route ahead are computed exactly. Of the candidates on
    them, the attraction point is the one with the lowest cost of the straight line to it, relative
    to the length of route gained. The character never comes closer to a wall than its radius.

    Args:
        route: from `fw.route`, or `IndicativeRoute.from_points`.
        preferences: weight of each kind of terrain; 1 is neutral, higher is worse; by default those
            of the route.
        radius: m, of the character; must equal the radius of the route's terrain.
        speed: maximum, m/s.
        step: seconds between samples.
        sigma: m, the shortcut parameter: maximum length of route that may be skipped at once.
        spacing: m, the paper's d: maximum distance between candidates along the route.
        look: m that the character walks between two updates of the attraction point; 0: updated at
            every step.
        clearance: m, preferred distance beyond the radius; the boundary force maintains it where
            the free space is wide enough (miran-2013, section 3.4; the paper gives no distance).
            0: no boundary force. If that force holds the character, it is off from there on.
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
        >>> yard = fw.Environment.from_polygons(
        ...     bounds=(0, 0, 30, 10), terrain=[("mud", [(10, 0), (20, 0), (20, 6), (10, 6)])]
        ... )
        >>> route = IndicativeRoute.from_points(
        ...     Terrain.build(yard), [(2, 3), (8, 8), (22, 8), (28, 3)], {"mud": 5.0}
        ... )
        >>> walk = fw.follow.miran(route, sigma=12, spacing=2)
        >>> walk.goal, walk.length < route.length, walk.measure()["mud"]
        ((28.0, 3.0), True, 0.0)
    """
    settings = route_settings(
        route, radius, speed=speed, step=step, turn_rate=turn_rate, sigma=sigma, spacing=spacing,
        look=look, clearance=clearance, steering=steering, boundary=boundary, repulsion=repulsion,
    )  # fmt: skip
    if settings.sigma < settings.spacing:
        raise BadQuery(
            f"sigma is {settings.sigma:g} m and spacing {settings.spacing:g} m: sigma, the longest "
            "part that may be skipped, must not be less than the distance between candidates; "
            "give a larger sigma or a smaller spacing"
        )
    return RouteWalker(route, preferences, settings, obstacles, replan=replan).walk()
