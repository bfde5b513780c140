"""A point retracted to the Voronoi diagram, slowly: Shapely distances and small steps.

The procedure of voronoi-roadmaps-2004, section 2.1, as it is printed: steps of the first distance
to the wall, then binary search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

if TYPE_CHECKING:
    Point = tuple[float, float]

NEAR = 1e-9
"""m. Two distances that differ by less are equal."""


def retracted(point: Point, walls: shapely.Geometry, *, epsilon: float) -> Point:
    """Point of the Voronoi diagram of the walls behind a point, as seen from its nearest wall."""
    here = shapely.Point(point)
    on_wall = shapely.get_point(shapely.shortest_line(here, walls), 1)
    step = here.distance(walls)
    away = ((here.x - on_wall.x) / step, (here.y - on_wall.y) / step)

    def at(distance: float) -> shapely.Point:
        return shapely.Point(on_wall.x + distance * away[0], on_wall.y + distance * away[1])

    def is_nearest(distance: float) -> bool:
        return at(distance).distance(walls) >= distance - NEAR

    low = step
    while is_nearest(low + step):
        low += step
    high = low + step
    while high - low > epsilon:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_nearest(middle) else (low, middle)
    found = at(low)
    return found.x, found.y
