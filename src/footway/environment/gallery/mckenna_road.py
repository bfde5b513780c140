"""McKenna with a road: the village of `mckenna`, 200 x 200 m, with four kinds of terrain.

After "McKenna + Road" of miran-2013 (figure 8: 10 convex terrain polygons with 39 vertices): the
main road, a sidewalk along its north side, and mud next to the sidewalk.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from footway.environment import Environment, TerrainRegion
from footway.environment.gallery._convex import polygons, strip
from footway.environment.gallery.mckenna import SIDE, mckenna

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footway.environment.gallery._convex import Point, Ring

PEDESTRIAN: Final[Mapping[str, float]] = MappingProxyType(
    {"sidewalk": 0.5, "road": 4.0, "mud": 40.0}
)
"""Preferences of the pedestrian of the paper (section 5); other terrain has weight 1."""

ROUTE: Final = (
    *((30.0, 77.0), (18.0, 83.3), (48.6, 87.9), (90.7, 101.0), (107.6, 108.6)),
    *((110.6, 113.4), (108.0, 119.6), (98.0, 122.4), (87.0, 120.0), (84.4, 112.6)),
)
"""A route drawn by hand, m, as in figure 8: over the road, along the sidewalk, around the mud.

Route and mud were adjusted to reproduce the observations of the paper: with another bend of the
route, candidates 10 m apart leave no path around the mud for MIRAN either.
"""

ROAD: Final = ((1.0, 77.0), (50.0, 84.5), (92.0, 97.5), (145.0, 121.5), (198.0, 162.5))
"""The middle of the road, m, from west to east."""
HALF_ROAD: Final = 2.5
SIDEWALK: Final = 2.5
"""m. Half the width of the road, and the full width of the sidewalk."""

MUD: Final = (
    [(81.0, 97.5), (104.0, 107.3), (98.0, 115.0), (83.0, 108.2)],
    [(141.0, 125.0), (149.0, 130.0), (148.0, 133.0)],
)
"""Corners of the mud, m: north of the sidewalk, which lies on top of it."""


def mckenna_road() -> Environment:
    """Return the village with road, sidewalk and mud: see the module."""
    road = _to_the_edges(strip(ROAD, right=-HALF_ROAD, left=HALF_ROAD))
    sidewalk = _to_the_edges(strip(ROAD, right=HALF_ROAD, left=HALF_ROAD + SIDEWALK))
    kinds = {"mud": list(MUD), "road": road, "sidewalk": sidewalk}
    return replace(
        mckenna(),
        terrain=tuple(
            TerrainRegion(kind, polygon)
            for kind, rings in kinds.items()
            for polygon in polygons(rings)
        ),
        name="gallery:mckenna-road",
    )


def _to_the_edges(strip: list[Ring]) -> list[Ring]:
    """Return a strip whose ends reach the western and the eastern edge of the map."""
    a, b, c, d = strip[0]
    first = [_at(0.0, a, b), b, c, _at(0.0, d, c)]
    a, b, c, d = strip[-1]
    return [first, *strip[1:-1], [a, _at(SIDE, a, b), _at(SIDE, d, c), d]]


def _at(x: float, p: Point, q: Point) -> Point:
    """Return the point at x of the line through p and q."""
    return x, p[1] + (x - p[0]) * (q[1] - p[1]) / (q[0] - p[0])
