"""Field: ten cones, two fences and four trees on 47 x 47 m.

After the Field of cmm-2007 (figure 6b) and of the 2006 paper on reachability roadmaps (table I):
cluttered in a large part, mostly empty elsewhere, with many alternative routes.
"""

from __future__ import annotations

import math
from typing import Final

import shapely

from footway.environment import Area, Environment
from footway.environment.gallery import _convex as convex
from footway.environment.gallery._convex import polygons

SIDE: Final = 47.0
SIDES_OF_ROUND: Final = 16
"""A cone or a trunk is a regular polygon with this many sides."""

CONES: Final = (
    *((6.2, 33.4, 0.8), (10.4, 29.6, 0.6), (12.6, 39.0, 0.9), (18.4, 33.2, 0.7), (17.1, 22.6, 1.0)),
    *((24.8, 27.4, 0.6), (26.3, 39.6, 0.8), (31.2, 33.0, 1.0), (8.3, 19.7, 0.7), (34.6, 41.2, 0.5)),
)
TREES: Final = ((20.9, 41.8, 1.7), (5.4, 42.0, 2.1), (36.8, 26.2, 2.4), (11.7, 9.8, 1.9))
"""x, y and radius, m."""

FENCES: Final = (((15.4, 28.6), 12.5, 0.42), ((29.6, 21.4), 15.0, -0.6))
"""Centre (m), length (m) and direction (rad)."""
FENCE_WIDTH: Final = 0.25


def field() -> Environment:
    """Return the field of 47 x 47 m: see the module."""
    rounds = [
        convex.regular((x, y), radius, sides=SIDES_OF_ROUND, angle=math.pi / SIDES_OF_ROUND)
        for x, y, radius in (*CONES, *TREES)
    ]
    fences = [
        convex.block(centre, (length, FENCE_WIDTH), angle=angle) for centre, length, angle in FENCES
    ]
    return Environment.from_polygons(
        bounds=(0.0, 0.0, SIDE, SIDE),
        obstacles=list(polygons(rounds + fences)),
        areas=(
            Area("start", shapely.box(1.0, 45.0, 4.0, 46.5)),
            Area("meadow", shapely.box(22.0, 3.0, 44.0, 12.0)),
        ),
        name="gallery:field",
    )
