"""McKenna: the footprint of a small training village, 200 x 200 m.

After the McKenna MOUT site of miran-2013 (section 5: 23 convex obstacle polygons, 96 vertices):
loose houses along a bent road and a side street, a church on the green.
"""

from __future__ import annotations

from typing import Final

import shapely

from footway.environment import Area, Environment
from footway.environment.gallery import _convex as convex
from footway.environment.gallery._convex import polygons

SIDE: Final = 200.0

ROUTE: Final = (
    *((5.0, 78.0), (50.0, 84.0), (88.0, 97.0), (83.0, 118.0), (72.0, 127.0), (66.0, 162.0)),
    *((30.0, 170.0), (10.0, 150.0), (9.0, 110.0), (50.0, 114.0), (98.0, 112.0), (104.0, 105.0)),
    *((145.0, 122.0), (190.0, 156.0), (192.0, 100.0), (150.0, 84.0), (150.0, 6.0), (92.0, 6.0)),
    *((84.0, 50.0), (8.0, 50.0), (8.0, 10.0), (40.0, 10.0)),
)
"""An indicative route by hand, m, that crosses itself in a loop, as in miran-2013, figure 7."""

HOUSES: Final = (
    # North of the main road, from west to east.
    ((24.0, 92.0), (17.0, 11.0), 0.10),
    ((48.0, 98.0), (14.0, 12.0), 0.16),
    ((69.0, 103.5), (16.0, 10.0), 0.20),
    ((120.0, 124.5), (18.0, 12.0), 0.42),
    ((141.0, 136.5), (14.0, 11.0), 0.52),
    ((160.0, 149.5), (17.0, 12.0), 0.60),
    ((178.0, 165.0), (12.0, 12.0), 0.66),
    # South of it.
    ((20.0, 66.0), (15.0, 12.0), 0.10),
    ((42.0, 70.5), (18.0, 11.0), 0.16),
    ((66.0, 76.0), (14.0, 13.0), 0.22),
    ((112.0, 92.5), (20.0, 12.0), 0.40),
    ((135.0, 104.0), (15.0, 13.0), 0.48),
    ((156.0, 117.0), (18.0, 11.0), 0.58),
    ((177.0, 133.5), (16.0, 13.0), 0.66),
    # Along the side street to the south-east.
    ((98.0, 68.0), (11.0, 15.0), 0.34),
    ((127.0, 67.0), (12.0, 17.0), 0.30),
    ((106.0, 43.0), (13.0, 16.0), 0.26),
    ((135.0, 40.0), (11.0, 14.0), 0.24),
    ((112.0, 19.0), (15.0, 12.0), 0.20),
    # Outlying: barracks, sheds.
    ((38.0, 148.0), (32.0, 11.0), -0.12),
    ((170.0, 62.0), (13.0, 30.0), 0.12),
)
"""Centre (m), width and depth (m), direction (rad) of the four-sided buildings."""

CHURCH: Final = [(-13.0, -6.0), (9.0, -6.0), (14.0, -2.5), (14.0, 2.5), (9.0, 6.0), (-13.0, 6.0)]
SCHOOL: Final = [(-14.0, -7.0), (10.0, -7.0), (14.0, -3.0), (14.0, 8.0), (-10.0, 8.0), (-14.0, 4.0)]
"""Six-sided buildings around the origin, m."""


def mckenna() -> Environment:
    """Return the village of 200 x 200 m: see the module."""
    rings = [convex.block(centre, size, angle=angle) for centre, size, angle in HOUSES]
    rings.append(convex.placed(CHURCH, (94.0, 134.0), angle=0.3))
    rings.append(convex.placed(SCHOOL, (60.0, 36.0), angle=0.2))
    return Environment.from_polygons(
        bounds=(0.0, 0.0, SIDE, SIDE),
        obstacles=list(polygons(rings)),
        areas=(
            Area("west road", shapely.box(2.0, 76.0, 8.0, 84.0)),
            Area("east road", shapely.box(190.0, 156.0, 198.0, 164.0)),
            Area("green", shapely.box(74.0, 146.0, 104.0, 168.0)),
        ),
        name="gallery:mckenna",
    )
