"""Steps of a point on triangles that slide along the border instead of leaving it.

The triangles were made for the radius of a disc: a point in them is a disc that overlaps no wall.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.terrain.kernels.triangles import FREE, trace

SKIN = 1e-7  # m between a wall and a character that slid along it


@inner
def holds(t, x, y, points, triangles):
    """Whether triangle t holds a point."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
    cx, cy = points[c, 0], points[c, 1]
    return (
        (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0.0
        and (cx - bx) * (y - by) - (cy - by) * (x - bx) >= 0.0
        and (ax - cx) * (y - cy) - (ay - cy) * (x - cx) >= 0.0
    )


@inner(inline=False)
def go(x, y, to_x, to_y, t, weights, ground):
    """Move straight from (x, y) in triangle t: (free fraction of the line, triangle at its end)."""
    if holds(t, to_x, to_y, ground.points, ground.triangles):
        return FREE, t
    _, share, end = trace(x, y, to_x, to_y, t, weights, weights[:0], ground)
    return share, int(end)


@inner(inline=False)
def _wall_met(t, to_x, to_y, ground):
    """Wall of triangle t that a line to a point outside meets: corner, unit vector along it."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    deepest, px, py, ux, uy = math.inf, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        if neighbours[t, k] >= 0:
            continue
        a, b = triangles[t, k], triangles[t, k + 1 if k < 2 else 0]
        dx, dy = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1]
        length = math.sqrt(dx * dx + dy * dy)
        depth = (dx * (to_y - points[a, 1]) - dy * (to_x - points[a, 0])) / length
        if depth < deepest:
            deepest, px, py, ux, uy = depth, points[a, 0], points[a, 1], dx / length, dy / length
    return px, py, ux, uy


@inner(inline=False)
def slide(x, y, to_x, to_y, t, weights, ground):
    """End of a step that may meet a wall: (x, y, triangle, fraction before the wall or FREE).

    It stops just before the wall and continues along it; a second wall ends the step.
    """
    share, end = go(x, y, to_x, to_y, t, weights, ground)
    if share == FREE:
        return to_x, to_y, end, FREE
    px, py, ux, uy = _wall_met(end, to_x, to_y, ground)
    before = ux * (y - py) - uy * (x - px)
    after = ux * (to_y - py) - uy * (to_x - px)
    part = min(share, max(0.0, (before - SKIN) / max(before - after, 1e-300)))
    mx, my = x + part * (to_x - x), y + part * (to_y - y)
    free, middle = go(x, y, mx, my, t, weights, ground)
    if free != FREE:
        return x, y, t, 0.0
    along = (1.0 - part) * (ux * (to_x - x) + uy * (to_y - y))
    lift = max(0.0, SKIN - (ux * (my - py) - uy * (mx - px)))
    ex, ey = mx + along * ux - lift * uy, my + along * uy + lift * ux
    free, end = go(mx, my, ex, ey, middle, weights, ground)
    if free != FREE:
        free = max(0.0, free - 2.0 * SKIN / max(abs(along), SKIN))
        ex, ey = mx + free * (ex - mx), my + free * (ey - my)
        free, end = go(mx, my, ex, ey, middle, weights, ground)
        if free != FREE:
            return mx, my, middle, part
    return ex, ey, end, part
