"""Forest: a forking path through trees, 800 x 800 m, with five kinds of terrain.

After figure 1 of miran-2013: a path in a forest with obstacle trees, puddles, fallen trees that can
be climbed over, and a spot with a panoramic view. Its northern branch leads past the
view, its southern branch through most of the puddles and over most of the fallen trees; each of
them leaves part of the path free.

The paper gives no scale. Here the path is slightly wider than the distance between candidates of
the followers (d = 20 m) and bends little within that distance.
"""

from __future__ import annotations

import math
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from footway._numba.portable_math import atan2, dist
from footway._numba.random_stream import RandomStream
from footway.environment import Area, Environment, TerrainRegion
from footway.environment.gallery import _convex as convex
from footway.environment.gallery._convex import polygons, strip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footway.environment.gallery._convex import Point, Ring

ADULT: Final[Mapping[str, float]] = MappingProxyType(
    {"forest": 30.0, "path": 2.0, "puddle": 10.0, "tree": 30.0, "view": 1.0}
)
CHILD: Final[Mapping[str, float]] = MappingProxyType(
    {"forest": 30.0, "path": 2.0, "puddle": 1.0, "tree": 1.0, "view": 10.0}
)
"""Preferences of the adult and the child of the paper (section 4)."""

START: Final[Point] = (30.0, 392.0)
GOAL: Final[Point] = (770.0, 424.0)

SIDE: Final = 800.0
SEED: Final = 7
HALF_PATH: Final = 15.0
"""m, half of the path's width."""

NORTH: Final = (
    *((6.0, 386.0), (90.0, 402.0), (172.0, 408.0), (226.0, 452.0), (252.0, 518.0), (306.0, 568.0)),
    *((376.0, 584.0), (448.0, 580.0), (506.0, 544.0), (540.0, 480.0), (596.0, 436.0)),
    *((670.0, 424.0), (794.0, 424.0)),
)
SOUTH: Final = (
    *((150.0, 406.0), (196.0, 384.0), (232.0, 330.0), (222.0, 262.0), (246.0, 194.0)),
    *((310.0, 156.0), (376.0, 176.0), (418.0, 232.0), (480.0, 258.0), (538.0, 222.0)),
    *((602.0, 204.0), (656.0, 244.0), (660.0, 314.0), (646.0, 380.0), (706.0, 424.0)),
)
"""Control points of the centre lines of the path and of its southern branch, m."""

PUDDLES: Final = (
    (NORTH, 92.0, -9.0, (21.0, 8.0)),
    (NORTH, 262.0, 10.0, (18.0, 7.0)),
    (NORTH, 648.0, 11.0, (19.0, 7.0)),
    (SOUTH, 70.0, 5.0, (21.0, 10.0)),
    (SOUTH, 230.0, -7.0, (24.0, 9.0)),
    (SOUTH, 350.0, -4.0, (26.0, 11.0)),
    (SOUTH, 500.0, 6.0, (22.0, 10.0)),
    (SOUTH, 640.0, -5.0, (25.0, 10.0)),
    (SOUTH, 812.0, 6.0, (22.0, 9.0)),
)
"""Line, m along it, m to its left, half axes along and across it (m)."""

FALLEN: Final = (
    (NORTH, 340.0, -25.0, 48.0, 1.3),
    (NORTH, 775.0, 26.0, 50.0, 1.8),
    (SOUTH, 155.0, 14.0, 46.0, 1.2),
    (SOUTH, 288.0, -16.0, 50.0, 1.9),
    (SOUTH, 428.0, 15.0, 52.0, 1.1),
    (SOUTH, 570.0, -14.0, 46.0, 1.3),
    (SOUTH, 738.0, 15.0, 50.0, 1.9),
)
"""Line, m along it, m to its left, length (m) and direction (rad) from the line's."""
ROOT: Final = 8.0
CROWN: Final = 5.0
"""m, width of a fallen tree at its ends."""

VIEW: Final[tuple[Point, float]] = ((396.0, 622.0), 62.0)
"""Centre and radius of the panoramic spot, m."""

TREES: Final = 110
ROUND: Final = 6
"""Sides of a standing tree."""


def forest() -> Environment:
    """Return the forest of 800 x 800 m: see the module."""
    path = [
        ring
        for line in (NORTH, SOUTH)
        for ring in strip(_rounded(line), right=-HALF_PATH, left=HALF_PATH)
    ]
    view = convex.regular(VIEW[0], VIEW[1], sides=12)
    puddles = [_puddle(*where) for where in PUDDLES]
    fallen = [_fallen(*where) for where in FALLEN]
    everywhere = convex.rectangle(0.0, 0.0, SIDE, SIDE)
    kinds = {
        "forest": [everywhere], "path": path, "view": [view], "puddle": puddles, "tree": fallen,
    }  # fmt: skip
    trees = _trees([*path, view, *puddles, *fallen])
    return Environment.from_polygons(
        bounds=(0.0, 0.0, SIDE, SIDE),
        obstacles=list(polygons(trees)),
        areas=(
            Area("west gate", convex.block(START, (10.0, 10.0))),
            Area("east gate", convex.block(GOAL, (10.0, 10.0))),
        ),
        terrain=[
            TerrainRegion(kind, polygon)
            for kind, rings in kinds.items()
            for polygon in polygons(rings)
        ],
        name="gallery:forest",
    )


def _rounded(line: Sequence[Point]) -> list[Point]:
    """Return the line with each corner cut off at a quarter of both sides."""
    cut = [
        (p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]))
        for p, q in pairwise(line)
        for share in (0.25, 0.75)
    ]
    return [line[0], *cut[1:-1], line[-1]]


def _beside(line: Sequence[Point], along: float, left: float) -> tuple[Point, float]:
    """Return the point `left` m to the left of a rounded line, and the line's direction (rad)."""
    for p, q in pairwise(_rounded(line)):
        length = dist(p, q)
        if along <= length:
            break
        along -= length
    ux, uy = (q[0] - p[0]) / length, (q[1] - p[1]) / length
    at = p[0] + along * ux - left * uy, p[1] + along * uy + left * ux
    return at, atan2(uy, ux)


def _puddle(line: Sequence[Point], along: float, left: float, axes: Point) -> Ring:
    at, turn = _beside(line, along, left)
    ring = convex.regular((0.0, 0.0), 1.0, sides=8, angle=math.pi / 8)
    return convex.placed([(axes[0] * x, axes[1] * y) for x, y in ring], at, angle=turn)


def _fallen(line: Sequence[Point], along: float, left: float, length: float, turn: float) -> Ring:
    at, direction = _beside(line, along, left)
    x, root, crown = 0.5 * length, 0.5 * ROOT, 0.5 * CROWN
    ring = [(-x, -root), (x, -crown), (x, crown), (-x, root)]
    return convex.placed(ring, at, angle=direction + turn)


def _trees(open_areas: list[Ring]) -> list[Ring]:
    """Return random round trees, apart from each other and outside the open areas."""
    dice = RandomStream(SEED)
    found: list[tuple[Point, float]] = []
    while len(found) < TREES:
        at = dice.between(12.0, SIDE - 12.0), dice.between(12.0, SIDE - 12.0)
        radius = dice.between(3.0, 8.0)
        # 10 m apart from each other, 1 m outside the open areas.
        if all(dist(at, other) > radius + r + 10.0 for other, r in found) and all(
            not convex.contains(ring, at) and convex.distance_to_sides(ring, at) > radius + 1.0
            for ring in open_areas
        ):
            found.append((at, radius))
    return [convex.regular(at, radius, sides=ROUND, angle=math.pi / ROUND) for at, radius in found]
