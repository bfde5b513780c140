"""Operations on convex polygons, given as lists of corners, for the maps of the gallery.

Corners are (x, y) in metres, counterclockwise. Only elementary arithmetic in a fixed order is used,
so that a map is identical on every platform and with every version of GEOS (overlays of GEOS are
not).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from footway._numba.portable_math import atan2, cos, dist, hypot, sin

if TYPE_CHECKING:
    from collections.abc import Sequence

Point = tuple[float, float]
Ring = list[Point]


def rectangle(xmin: float, ymin: float, xmax: float, ymax: float) -> Ring:
    """Axis-parallel rectangle."""
    return [(xmin, ymin), (xmax, ymin), (xmax, ymax), (xmin, ymax)]


def block(centre: Point, size: tuple[float, float], *, angle: float = 0.0) -> Ring:
    """Rectangle of the given width and depth (m) around its centre, turned by `angle` (rad)."""
    w, d = size[0] / 2, size[1] / 2
    return placed(rectangle(-w, -d, w, d), centre, angle=angle)


def regular(centre: Point, radius: float, *, sides: int, angle: float = 0.0) -> Ring:
    """Regular polygon with its corners on the circle of `radius` (m)."""
    turns = [angle + 2 * math.pi * k / sides for k in range(sides)]
    return [(centre[0] + radius * cos(t), centre[1] + radius * sin(t)) for t in turns]


def placed(ring: Ring, centre: Point, *, angle: float) -> Ring:
    """Return `ring`, defined around the origin, rotated by `angle` (rad) and moved to `centre`."""
    c, s = cos(angle), sin(angle)
    return [(centre[0] + c * x - s * y, centre[1] + s * x + c * y) for x, y in ring]


def area(ring: Ring) -> float:
    """Area in m2, positive when counterclockwise; 0 for fewer than three corners."""
    return 0.5 * sum(p[0] * q[1] - q[0] * p[1] for p, q in edges(ring))


def centroid(ring: Ring) -> Point:
    """Mean of the corners, a point inside."""
    n = len(ring)
    return sum(x for x, _ in ring) / n, sum(y for _, y in ring) / n


def edges(ring: Ring) -> list[tuple[Point, Point]]:
    """Sides of the ring, the closing one last."""
    return list(pairwise([*ring, *ring[:1]]))


def contains(ring: Ring, point: Point) -> bool:
    """Whether `point` is inside or on the boundary."""
    x, y = point
    return all((q[0] - p[0]) * (y - p[1]) >= (q[1] - p[1]) * (x - p[0]) for p, q in edges(ring))


def distance_to_sides(ring: Ring, point: Point) -> float:
    """Distance in m from `point`, inside or outside, to the nearest side."""
    distances = []
    for p, q in edges(ring):
        ex, ey = q[0] - p[0], q[1] - p[1]
        t = ((point[0] - p[0]) * ex + (point[1] - p[1]) * ey) / (ex * ex + ey * ey)
        t = min(1.0, max(0.0, t))
        distances.append(dist(point, (p[0] + t * ex, p[1] + t * ey)))
    return min(distances)


def clip(ring: Ring, normal: Point, *, offset: float) -> Ring:
    """Return the part where normal . x >= offset: a convex ring, or an empty list."""
    heights = [normal[0] * x + normal[1] * y - offset for x, y in ring]
    kept: Ring = []
    for (p, q), (hp, hq) in zip(edges(ring), pairwise([*heights, *heights[:1]]), strict=True):
        if hp >= 0:
            kept.append(p)
        if hp * hq < 0:
            t = hp / (hp - hq)
            kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return kept if len(kept) > 2 else []


def split(ring: Ring, point: Point, *, angle: float, gap: float) -> list[Ring]:
    """Cut along the line through `point` in direction `angle` (rad), leaving `gap` m free."""
    nx, ny = -sin(angle), cos(angle)
    at = nx * point[0] + ny * point[1]
    above = clip(ring, (nx, ny), offset=at + gap / 2)
    below = clip(ring, (-nx, -ny), offset=gap / 2 - at)
    return [side for side in (above, below) if side]


def split_across(ring: Ring, frame: float, *, share: float, tilt: float, gap: float) -> list[Ring]:
    """Cut the longer side of the box in direction `frame` (rad) at `share` of its length.

    The cut deviates by `tilt` (rad) from the perpendicular, and leaves `gap` m free.
    """
    umin, vmin, umax, vmax = box(ring, frame)
    if umax - umin >= vmax - vmin:
        u, v, turn = umin + share * (umax - umin), (vmin + vmax) / 2, math.pi / 2
    else:
        u, v, turn = (umin + umax) / 2, vmin + share * (vmax - vmin), 0.0
    c, s = cos(frame), sin(frame)
    return split(ring, (c * u - s * v, s * u + c * v), angle=frame + turn + tilt, gap=gap)


def longest_side(ring: Ring) -> float:
    """Direction (rad) of the longest side: the frame in which a ring is cut further."""
    p, q = max(edges(ring), key=lambda side: dist(*side))
    return atan2(q[1] - p[1], q[0] - p[0])


def box(ring: Ring, frame: float) -> tuple[float, float, float, float]:
    """Bounding box (umin, vmin, umax, vmax) in the frame turned by `frame` (rad)."""
    c, s = cos(frame), sin(frame)
    u = [c * x + s * y for x, y in ring]
    v = [c * y - s * x for x, y in ring]
    return min(u), min(v), max(u), max(v)


def box_sides(ring: Ring, frame: float) -> tuple[float, float]:
    """Longer and shorter side (m) of the box in the frame turned by `frame` (rad)."""
    umin, vmin, umax, vmax = box(ring, frame)
    return max(umax - umin, vmax - vmin), min(umax - umin, vmax - vmin)


def cosines(ring: Ring) -> list[float]:
    """Cosine of the inner angle at each corner: near 1 for a spike, 0 for a right angle."""
    n = len(ring)
    rays = [
        (_towards(corner, ring[k - 1]), _towards(corner, ring[(k + 1) % n]))
        for k, corner in enumerate(ring)
    ]
    return [a[0] * b[0] + a[1] * b[1] for a, b in rays]


def without_spikes(ring: Ring, *, sharpest: float, bevel: float) -> Ring:
    """Cut off corners sharper than `sharpest` (rad), at `bevel` m along their sides."""
    n = len(ring)
    result: Ring = []
    for k, (corner, cosine) in enumerate(zip(ring, cosines(ring), strict=True)):
        if cosine <= cos(sharpest):
            result.append(corner)
            continue
        result += [along(corner, q, bevel) for q in (ring[k - 1], ring[(k + 1) % n])]
    return result


def without_short_sides(ring: Ring, *, shortest: float) -> Ring:
    """Drop corners that follow the previous one by less than `shortest` m."""
    return [p for k, p in enumerate(ring) if dist(p, ring[k - 1]) >= shortest]


def along(p: Point, q: Point, distance: float) -> Point:
    """Point at `distance` m from p towards q."""
    dx, dy = _towards(p, q)
    return p[0] + distance * dx, p[1] + distance * dy


def _towards(p: Point, q: Point) -> Point:
    length = dist(p, q)
    return (q[0] - p[0]) / length, (q[1] - p[1]) / length


DECIMALS: Final = 3
"""Coordinates are whole millimetres (`constants.GRID`), so that the last bit of a sine, which may
differ between platforms, never reaches the map."""


def polygons(rings: Sequence[Ring]) -> Any:
    """Polygons as an array (n,), corners rounded to 1 mm."""
    corners = on_grid([corner for ring in rings for corner in ring])
    owner = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    return shapely.polygons(shapely.linearrings(corners, indices=owner))


def on_grid(coordinates: Any) -> Any:
    """Coordinates (..., 2) in metres, rounded to 1 mm."""
    return np.round(np.asarray(coordinates, dtype=np.float64), DECIMALS)


def strip(line: Sequence[Point], *, right: float, left: float) -> list[Ring]:
    """Return a quadrilateral for each piece of the line, from `right` to `left` m to its left.

    Neighbours share the side at a bend; at its ends the strip is cut off square.
    """
    near, far = offset(line, right), offset(line, left)
    return [
        [near[k], near[k + 1], far[k + 1], far[k]]
        for k in range(len(line) - 1)
    ]  # fmt: skip


def offset(line: Sequence[Point], distance: float) -> Ring:
    """Return the line moved by `distance` m to its left, with mitred bends."""
    normals = [_normal(p, q) for p, q in pairwise(line)]
    before, after = [normals[0], *normals], [*normals, normals[-1]]
    return [_moved(p, n, m, distance) for p, n, m in zip(line, before, after, strict=True)]


def _moved(p: Point, n: Point, m: Point, distance: float) -> Point:
    """Return where lines with normals n and m meet that pass p at `distance`."""
    scale = distance / (1.0 + n[0] * m[0] + n[1] * m[1])
    return p[0] + scale * (n[0] + m[0]), p[1] + scale * (n[1] + m[1])


def _normal(p: Point, q: Point) -> Point:
    dx, dy = q[0] - p[0], q[1] - p[1]
    length = hypot(dx, dy)
    return -dy / length, dx / length
