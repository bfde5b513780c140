"""Build the footprint of a house on a parcel: plain, L-shaped, U-shaped or around a court."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from footway._numba.portable_math import dist
from footway.environment.gallery import _convex as convex

if TYPE_CHECKING:
    from footway.environment.gallery._convex import Point, Ring
    from footway.environment.gallery._dice import Dice

SHARPEST: Final = math.radians(50)
BEVEL: Final = 3.0
"""m. Length by which acute corners of houses are cut off."""
SQUARE: Final = 0.46947156278589075  # cosine of 62 degrees
"""Maximum cosine of corner angles of houses with wings, which would be too thin otherwise."""
SMALLEST_WITH_WINGS: Final = 9.5
"""m. Minimum side of a house with a yard."""
COURT_SIDE: Final = 17.0
WING: Final = 5.4
GATEWAY: Final = 3.0
"""m. Minimum side of a house with a court, depth of its wings, width of its gate."""


def house(parcel: Ring, block: Ring, dice: Dice) -> Ring:
    """Footprint inside `parcel`: wings along the streets, yards towards the middle of the block."""
    ring = convex.without_spikes(parcel, sharpest=SHARPEST, bevel=BEVEL)
    kind, deep = dice.between(0, 1), dice.between(0.4, 0.56)
    left, right = dice.between(0.27, 0.36), dice.between(0.64, 0.73)
    if len(ring) != 4 or max(map(abs, convex.cosines(ring))) > SQUARE:
        return ring
    ring = _yard_last(ring, block)
    width, depth = dist(ring[0], ring[1]), dist(ring[1], ring[2])
    shortest = min(dist(*side) for side in convex.edges(ring))
    if shortest > COURT_SIDE:
        return _court(ring, WING / width, WING / depth, gate=GATEWAY / width)
    if kind < 0.2 or shortest < SMALLEST_WITH_WINGS:
        return ring
    return (
        _angle(ring, right - 0.16, deep) if kind < 0.66 else _horseshoe(ring, (left, right), deep)
    )


def cathedral(centre: Point, *, angle: float) -> Ring:
    """Nave, transept and a polygonal apse: 16 corners, 46 x 26 m."""
    apse = [(19.5, -5.5), (23.0, -2.5), (23.0, 2.5), (19.5, 5.5)]
    upper = [(12.0, 5.5), (12.0, 13.0), (3.0, 13.0), (3.0, 6.5), (-23.0, 6.5), (-23.0, -6.5)]
    lower = [(3.0, -6.5), (3.0, -13.0), (12.0, -13.0), (12.0, -5.5)]
    return convex.placed(apse + upper + lower, centre, angle=angle)


def _yard_last(ring: Ring, block: Ring) -> Ring:
    """Turn a quadrilateral so that corner 2 and side 2-3 lie farthest from the streets."""
    depths = [convex.distance_to_sides(block, corner) for corner in ring]
    first = max(range(4), key=lambda k: (2 * depths[k] + depths[(k + 1) % 4], -k))
    return [ring[(first + k + 2) % 4] for k in range(4)]


def _angle(q: Ring, u: float, v: float) -> Ring:
    """L: the corner at q[2] is a yard."""
    return [q[0], q[1], _at(q, 1, v), _at(q, u, v), _at(q, u, 1), q[3]]


def _horseshoe(q: Ring, sides: tuple[float, float], v: float) -> Ring:
    """U: the middle of side q[2]-q[3] is a yard."""
    left, right = sides
    yard = [_at(q, right, 1), _at(q, right, v), _at(q, left, v), _at(q, left, 1)]
    return [q[0], q[1], q[2], *yard, q[3]]


def _court(q: Ring, u: float, v: float, *, gate: float) -> Ring:
    """Four wings around a court with one gateway in side q[2]-q[3]."""
    left, right = (1 - gate) / 2, (1 + gate) / 2
    court = [_at(q, 1 - u, 1 - v), _at(q, 1 - u, v), _at(q, u, v), _at(q, u, 1 - v)]
    inward = [_at(q, right, 1), _at(q, right, 1 - v)]
    outward = [_at(q, left, 1 - v), _at(q, left, 1)]
    return [q[0], q[1], q[2], *inward, *court, *outward, q[3]]


def _at(q: Ring, u: float, v: float) -> Point:
    """Bilinear point of the quadrilateral: (0, 0) is q[0], (1, 0) is q[1], (1, 1) is q[2]."""
    weights = ((1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v)
    x = sum(w * p[0] for w, p in zip(weights, q, strict=True))
    return x, sum(w * p[1] for w, p in zip(weights, q, strict=True))
