"""Nearest points to given ones at which a disc fits."""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway._numba.math import hypot
from footway.corridor.kernels.locate import locate_end
from footway.corridor.kernels.query import POINT, is_connected
from footway.corridor.kernels.tangents import SLACK
from footway.corridor.kernels.wall_grid import is_outside


@inner
def _fits(x, y, radius, piece, index):
    """Whether a disc fits at a point and gets there from a piece of the axis (-1: no matter)."""
    if is_outside(x, y, index.grid):
        return False
    place = locate_end(x, y, index)
    if place.piece < 0 or place.clearance < radius - SLACK:
        return False
    return piece < 0 or is_connected(piece, place.piece, radius, index)


@inner
def _on_circle(x, y, cx, cy, radius):
    """Point of a circle nearest to a given one; the centre is nearest to all: any of them."""
    dx, dy = x - cx, y - cy
    distance = hypot(dx, dy)
    if distance == 0.0:
        return cx + radius, cy
    return cx + radius * dx / distance, cy + radius * dy / distance


@inner
def _candidate(kind, x, y, walls, w, offset):
    """Point at a distance `offset` from a wall and perhaps nearest to x, y.

    Kinds 0 and 1: beside the wall, on either side; 2 and 3: around either end.
    """
    ax, ay = walls[w, 0], walls[w, 1]
    dx, dy = walls[w, 2] - ax, walls[w, 3] - ay
    if kind >= 2:
        return _on_circle(x, y, ax + (kind - 2) * dx, ay + (kind - 2) * dy, offset)
    length = hypot(dx, dy)
    if length == 0.0:
        return ax + (1 - 2 * kind) * offset, ay
    dx, dy = dx / length, dy / length
    along = min(length, max(0.0, (x - ax) * dx + (y - ay) * dy))
    side = offset if kind == 0 else -offset
    return ax + along * dx - side * dy, ay + along * dy + side * dx


@inner
def _distance_to_box(x, y, walls, w):
    """Distance of a point to the box around a wall."""
    dx = max(min(walls[w, 0], walls[w, 2]) - x, x - max(walls[w, 0], walls[w, 2]), 0.0)
    dy = max(min(walls[w, 1], walls[w, 3]) - y, y - max(walls[w, 1], walls[w, 3]), 0.0)
    return hypot(dx, dy)


@kernel
def find_nearest(points, radius, offsets, crossings, piece, index, out):
    """Write the nearest points (n, 2) at which a disc fits; NaN if it fits nowhere.

    The space for the centre of the disc is bounded by lines beside walls and by arcs around their
    ends. So its nearest point is the point itself, beside a wall, on an arc, or where two of them
    cross: `crossings` (k, 2), points of the medial axis. Each is tried for each of the distances
    `offsets` from walls, and verified. With a `piece` of the axis, the disc gets there from it.
    """
    radius = max(radius, POINT)
    walls = index.grid.walls
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        if _fits(x, y, radius, piece, index):
            out[k, 0], out[k, 1] = x, y
            continue
        best, out[k, 0], out[k, 1] = math.inf, math.nan, math.nan
        for i in range(len(crossings)):
            cx, cy = crossings[i, 0], crossings[i, 1]
            distance = hypot(cx - x, cy - y)
            if distance < best and _fits(cx, cy, radius, piece, index):
                best, out[k, 0], out[k, 1] = distance, cx, cy
        for w in range(len(walls)):
            if _distance_to_box(x, y, walls, w) > best + offsets[-1]:
                continue
            for offset in offsets:
                for kind in range(4):
                    cx, cy = _candidate(kind, x, y, walls, w, offset)
                    distance = hypot(cx - x, cy - y)
                    if distance < best and _fits(cx, cy, radius, piece, index):
                        best, out[k, 0], out[k, 1] = distance, cx, cy
