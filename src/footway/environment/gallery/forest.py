"""Forest: a walk of two ways through the trees, 200 x 200 m, with ground of five kinds.

After figure 1 of miran-2013: a path in a forest with obstacle trees, puddles, fallen trees that can
be climbed over, and a spot with a panoramic view. The path forks. Its northern branch leads past
the view, its southern branch through puddles; fallen trees cut off the bends of the south.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from footway.environment import Area, Environment, TerrainRegion
from footway.environment.gallery import _convex as convex
from footway.environment.gallery._dice import Dice
from footway.environment.gallery._rings import polygons
from footway.environment.gallery._strips import strip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footway.environment.gallery._convex import Point, Ring

ADULT: Final[Mapping[str, float]] = MappingProxyType(
    {"forest": 30.0, "path": 2.0, "puddle": 10.0, "tree": 30.0, "view": 1.0}
)
CHILD: Final[Mapping[str, float]] = MappingProxyType(
    {"forest": 30.0, "path": 2.0, "puddle": 1.0, "tree": 1.0, "view": 10.0}
)
"""What the paper's adult and child prefer (section 4)."""

START: Final[Point] = (8.0, 96.0)
GOAL: Final[Point] = (192.0, 108.0)

SIDE: Final = 200.0
SEED: Final = 7
HALF_PATH: Final = 4.0
"""m, half of the path's width."""

NORTH: Final = (
    *((3.0, 95.0), (24.0, 98.0), (44.0, 106.0), (58.0, 126.0), (76.0, 144.0), (100.0, 150.0)),
    *((126.0, 144.0), (142.0, 126.0), (156.0, 110.0), (176.0, 106.0), (197.0, 109.0)),
)
SOUTH: Final = (
    *((44.0, 104.0), (58.0, 84.0), (52.0, 62.0), (64.0, 46.0), (84.0, 48.0), (92.0, 66.0)),
    *((108.0, 74.0), (122.0, 60.0), (140.0, 56.0), (152.0, 74.0), (148.0, 94.0), (156.0, 110.0)),
)
"""The middle of the path and of its southern branch, m."""

PUDDLES: Final = (
    ((56.0, 74.0), (5.5, 5.0)),
    ((74.0, 47.0), (6.0, 4.6)),
    ((100.0, 70.0), (5.4, 4.8)),
    ((131.0, 58.0), (6.0, 5.0)),
    ((150.5, 84.0), (5.2, 5.6)),
    ((90.0, 152.5), (3.6, 2.6)),
)
"""Centre and half axes, m."""

FALLEN: Final = (
    ((59.0, 61.0), 22.0, -1.02),
    ((97.5, 60.5), 30.0, 0.8),
    ((129.0, 70.0), 40.0, -0.06),
    ((44.0, 116.0), 18.0, 0.9),
    ((133.0, 128.0), 20.0, 2.2),
)
"""Centre (m), length (m) and direction (rad) of fallen trees."""
TRUNK: Final = 2.0
"""m, width of a fallen tree."""

VIEW: Final[tuple[Point, float]] = ((100.0, 158.0), 15.0)
"""Centre and radius of the panoramic spot, m."""

TREES: Final = 150
ROUND: Final = 8
"""Sides of a trunk."""


def forest() -> Environment:
    """Return the forest of 200 x 200 m: see the module."""
    path = strip(NORTH, right=-HALF_PATH, left=HALF_PATH)
    path += strip(SOUTH, right=-HALF_PATH, left=HALF_PATH)
    view = convex.regular(VIEW[0], VIEW[1], sides=12)
    puddles = [_puddle(centre, axes) for centre, axes in PUDDLES]
    fallen = [convex.block(at, (length, TRUNK), angle=turn) for at, length, turn in FALLEN]
    everywhere = convex.rectangle(0.0, 0.0, SIDE, SIDE)
    kinds = {
        "forest": [everywhere], "path": path, "view": [view], "puddle": puddles, "tree": fallen,
    }  # fmt: skip
    trunks = _trunks([*path, view, *fallen])
    return Environment.from_polygons(
        bounds=(0.0, 0.0, SIDE, SIDE),
        obstacles=list(polygons(trunks)),
        areas=(
            Area("west gate", _square(START)),
            Area("east gate", _square(GOAL)),
        ),
        terrain=[
            TerrainRegion(kind, polygon)
            for kind, rings in kinds.items()
            for polygon in polygons(rings)
        ],
        name="gallery:forest",
    )


def _puddle(centre: Point, axes: tuple[float, float]) -> Ring:
    return [
        (centre[0] + axes[0] * x, centre[1] + axes[1] * y)
        for x, y in convex.regular((0.0, 0.0), 1.0, sides=12)
    ]


def _trunks(open_ground: list[Ring]) -> list[Ring]:
    """Return round trees at random, apart from each other and off the open ground."""
    dice = Dice(SEED)
    found: list[tuple[Point, float]] = []
    while len(found) < TREES:
        at = dice.between(4.0, SIDE - 4.0), dice.between(4.0, SIDE - 4.0)
        radius = dice.between(0.8, 2.2)
        apart = all(math.dist(at, other) > radius + r + 2.5 for other, r in found)
        if apart and all(_is_off(ring, at, radius) for ring in open_ground):
            found.append((at, radius))
    return [convex.regular(at, radius, sides=ROUND, angle=math.pi / ROUND) for at, radius in found]


def _is_off(ring: Ring, at: Point, radius: float) -> bool:
    """Whether a trunk stands at least 0.3 m outside a convex ring."""
    return not convex.contains(ring, at) and convex.distance_to_sides(ring, at) > radius + 0.3


def _square(centre: Point) -> Ring:
    return convex.block(centre, (4.0, 4.0))
