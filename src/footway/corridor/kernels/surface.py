"""Lines and arcs on the sheets of a building: from sheet to sheet through portals.

Coordinates are those in plan. A line is followed sheet by sheet, and each part is measured against
the walls of its sheet and those behind its portals, never against walls above or below. On a flat
map the layer is -1, and the functions are those of kernels/wall_grid.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, sincos
from footway.corridor.kernels.layouts import (
    FIRST_CANDIDATE,
    FIRST_OFFSET,
    FIRST_PORTAL,
    FIRST_WALL,
    Grid,
)
from footway.corridor.kernels.wall_grid import arc_clearance, clearance_up_to

ON_PORTAL = 1e-7  # m, a point at most this far beyond a portal is on it
TURNED = 1e-7  # rad, likewise for a direction
LEAST = 1e-6  # m, radius about a corner at which a turn of no radius passes portals
MOST = 1 << 12  # portals that a line passes


@inner
def layer_grid(layer, grid):
    """Grid of the walls of one sheet; on a flat map (-1) the grid itself."""
    if layer < 0:
        return grid
    layers = grid.layers
    first = layers.first
    o0, o1 = first[layer, FIRST_OFFSET], first[layer + 1, FIRST_OFFSET]
    c0, c1 = first[layer, FIRST_CANDIDATE], first[layer + 1, FIRST_CANDIDATE]
    w0, w1 = first[layer, FIRST_WALL], first[layer + 1, FIRST_WALL]
    return Grid(
        layers.boxes[layer], layers.shapes[layer], layers.offsets[o0:o1], layers.candidates[c0:c1],
        layers.walls[w0:w1], layers.site[w0:w1], layers.ends[w0:w1], layers,
    )  # fmt: skip


@inner
def _first_portal(ax, ay, bx, by, layer, layers):
    """First portal of a sheet through which a line leaves it: (portal or -1, share of the line)."""
    found, first = -1, math.inf
    for k in range(layers.first[layer, FIRST_PORTAL], layers.first[layer + 1, FIRST_PORTAL]):
        px, py = layers.portals[k, 0], layers.portals[k, 1]
        dx, dy = layers.portals[k, 2] - px, layers.portals[k, 3] - py
        beyond = dx * (by - py) - dy * (bx - px)
        if beyond >= 0.0:
            continue
        width = math.sqrt(dx * dx + dy * dy)
        before = dx * (ay - py) - dy * (ax - px)
        if before < -ON_PORTAL * width:
            continue
        t = max(0.0, before / (before - beyond))
        along = (dx * (ax + t * (bx - ax) - px) + dy * (ay + t * (by - ay) - py)) / width
        if -ON_PORTAL <= along <= width + ON_PORTAL and t < first:
            found, first = k, t
    return found, first


@inner
def surface_line(ax, ay, bx, by, floor, layer, grid):
    """`line_clearance` of a line that begins on a sheet: (clearance, wall, its sheet, last sheet).

    The wall is one of the grid of its sheet.
    """
    return surface_line_up_to(math.inf, ax, ay, bx, by, floor, layer, grid)


@inner(inline=False)
def surface_line_up_to(most, ax, ay, bx, by, floor, layer, grid):
    """`surface_line`, or `most` and no wall (-1) if that is less: then it takes less time."""
    if layer < 0:
        clear, wall = clearance_up_to(most, ax, ay, bx, by, floor, grid)
        return clear, wall, -1, -1
    best, nearest, of, x, y = most, -1, layer, ax, ay
    for _ in range(MOST):
        portal, t = _first_portal(x, y, bx, by, layer, grid.layers)
        to_x, to_y = (bx, by) if portal < 0 else (x + t * (bx - x), y + t * (by - y))
        clear, wall = clearance_up_to(best, x, y, to_x, to_y, floor, layer_grid(layer, grid))
        if clear < best:
            best, nearest, of = clear, wall, layer
        if portal < 0 or best < floor:
            break
        layer, x, y = grid.layers.beyond[portal], to_x, to_y
    return best, nearest, of, layer


@inner
def last_layer(ax, ay, bx, by, layer, grid):
    """Sheet at the end of a line that begins on a sheet."""
    if layer < 0:
        return -1
    x, y = ax, ay
    for _ in range(MOST):
        portal, t = _first_portal(x, y, bx, by, layer, grid.layers)
        if portal < 0:
            break
        layer, x, y = grid.layers.beyond[portal], x + t * (bx - x), y + t * (by - y)
    return layer


@inner
def is_on_layer(x, y, layer, wanted, grid):
    """Whether a point of a sheet is on another one: it is the same, or the point on its portal."""
    if layer == wanted:
        return True
    layers = grid.layers
    for k in range(layers.first[layer, FIRST_PORTAL], layers.first[layer + 1, FIRST_PORTAL]):
        if layers.beyond[k] == wanted:
            px, py = layers.portals[k, 0], layers.portals[k, 1]
            dx, dy = layers.portals[k, 2] - px, layers.portals[k, 3] - py
            width = math.sqrt(dx * dx + dy * dy)
            off = dx * (y - py) - dy * (x - px)
            along = dx * (x - px) + dy * (y - py)
            near = ON_PORTAL * width
            if abs(off) <= near and -near <= along <= width * width + near:
                return True
    return False


@inner
def _portal_on_arc(cx, cy, sx, sy, sweep, radius, layer, layers):
    """First portal through which an arc leaves a sheet: (portal or -1, angle from its start)."""
    found, first = -1, math.inf
    sign = 1.0 if sweep >= 0.0 else -1.0
    for k in range(layers.first[layer, FIRST_PORTAL], layers.first[layer + 1, FIRST_PORTAL]):
        px, py = layers.portals[k, 0] - cx, layers.portals[k, 1] - cy
        dx, dy = layers.portals[k, 2] - cx - px, layers.portals[k, 3] - cy - py
        squared = dx * dx + dy * dy
        half = px * dx + py * dy
        inside = half * half - squared * (px * px + py * py - radius * radius)
        if inside < 0.0:
            continue
        slack = ON_PORTAL / math.sqrt(squared)
        for side in range(2):
            u = (-half + (1 - 2 * side) * math.sqrt(inside)) / squared
            if u < -slack or u > 1.0 + slack:
                continue
            ex, ey = px + u * dx, py + u * dy
            if sign * (dx * ex + dy * ey) >= 0.0:  # direction of motion: to the sheet's own side
                continue
            angle = sign * atan2(sx * ey - sy * ex, sx * ex + sy * ey)
            if angle < -TURNED:
                angle += 2.0 * math.pi
            angle = max(angle, 0.0)
            if angle <= abs(sweep) and angle < first:
                found, first = k, angle
    return found, first


@inner(inline=False)
def surface_arc(cx, cy, sx, sy, ex, ey, sweep, radius, layer, grid):
    """`arc_clearance` of an arc that begins on a sheet: (clearance, last sheet)."""
    if layer < 0:
        return arc_clearance(cx, cy, sx, sy, ex, ey, sweep, radius, grid), -1
    best, sign = math.inf, 1.0 if sweep >= 0.0 else -1.0
    for _ in range(MOST):
        portal, angle = _portal_on_arc(cx, cy, sx, sy, sweep, radius, layer, grid.layers)
        mx, my, part = ex, ey, sweep
        if portal >= 0:
            sine, cosine = sincos(sign * angle)
            mx, my = sx * cosine - sy * sine, sx * sine + sy * cosine
            part = sign * angle
        here = layer_grid(layer, grid)
        best = min(best, arc_clearance(cx, cy, sx, sy, mx, my, part, radius, here))
        if portal < 0:
            break
        layer, sx, sy, sweep = grid.layers.beyond[portal], mx, my, sweep - part
    return best, layer


@inner
def layer_after_turn(cx, cy, ux, uy, sigma, turn, radius, layer, grid):
    """Sheet after a turn of `turn` radians about a corner, from direction u; see `surface_arc`.

    `sigma` is 1 for a turn to the left, -1 to the right.
    """
    if layer < 0:
        return -1
    sx, sy, sweep = sigma * uy, -sigma * ux, sigma * turn
    about = max(radius, LEAST)
    for _ in range(MOST):
        portal, angle = _portal_on_arc(cx, cy, sx, sy, sweep, about, layer, grid.layers)
        if portal < 0:
            break
        sine, cosine = sincos(sigma * angle)
        sx, sy = sx * cosine - sy * sine, sx * sine + sy * cosine
        layer, sweep = grid.layers.beyond[portal], sweep - sigma * angle
    return layer


@kernel
def layer_at(ax, ay, bx, by, layer, grid):
    """`last_layer`, for Python."""
    return last_layer(ax, ay, bx, by, layer, grid)


@kernel
def surface_distances(starts, layers, ends, wanted, grid, out):
    """`line_distances` of lines (n, 2) between sheets (n,); -1 if one ends on another sheet."""
    for k in range(len(starts)):
        bx, by = ends[k, 0], ends[k, 1]
        clear, _, _, last = surface_line(starts[k, 0], starts[k, 1], bx, by, -2.0, layers[k], grid)
        out[k] = clear if is_on_layer(bx, by, last, wanted[k], grid) else -1.0


@kernel
def sheets_along(points, layer, grid):
    """Sheet at each point of a polyline (n, 2) that begins on a sheet, (n,)."""
    out = np.empty(len(points), np.int64)
    for k in range(len(points)):
        if k > 0:
            ax, ay = points[k - 1, 0], points[k - 1, 1]
            layer = last_layer(ax, ay, points[k, 0], points[k, 1], layer, grid)
        out[k] = layer
    return out


@kernel
def find_horizons(balls, sheets, grid):
    """For each ball of a corridor, the last one up to which none overlaps another only in plan.

    `balls` is (n, 4), `sheets` (n,) has the sheets of their centres. Balls overlap on the surface
    if the straight line between their centres ends on the sheet of the second.
    """
    n = len(balls)
    out = np.empty(n, np.int64)
    horizon = n - 1
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, horizon + 1):
            if sheets[j] == sheets[i]:
                continue
            dx, dy = balls[j, 0] - balls[i, 0], balls[j, 1] - balls[i, 1]
            reach = balls[i, 3] + balls[j, 3]
            if dx * dx + dy * dy >= reach * reach:
                continue
            last = last_layer(balls[i, 0], balls[i, 1], balls[j, 0], balls[j, 1], sheets[i], grid)
            if not is_on_layer(balls[j, 0], balls[j, 1], last, sheets[j], grid):
                horizon = j - 1
                break
        out[i] = horizon
    return out


@kernel
def follow_polyline(points, layer, grid):
    """Divide a polyline (n, 2) where it passes portals: points (m, 2), sheet of each part (m - 1,).

    It begins on a sheet.
    """
    capacity = 2 * len(points) + 64
    out, layers = np.empty((capacity, 2)), np.empty(capacity, np.int64)
    out[0, 0], out[0, 1] = points[0, 0], points[0, 1]
    n = 1
    for k in range(len(points) - 1):
        x, y = points[k, 0], points[k, 1]
        for _ in range(MOST):
            portal, t = _first_portal(x, y, points[k + 1, 0], points[k + 1, 1], layer, grid.layers)
            if portal >= 0:
                x, y = x + t * (points[k + 1, 0] - x), y + t * (points[k + 1, 1] - y)
            else:
                x, y = points[k + 1, 0], points[k + 1, 1]
            if n + 1 >= capacity:
                capacity *= 2
                more, more_layers = np.empty((capacity, 2)), np.empty(capacity, np.int64)
                more[:n], more_layers[:n] = out[:n], layers[:n]
                out, layers = more, more_layers
            if x != out[n - 1, 0] or y != out[n - 1, 1] or portal < 0:
                out[n, 0], out[n, 1] = x, y
                layers[n - 1] = layer
                n += 1
            if portal < 0:
                break
            layer = grid.layers.beyond[portal]
    return out[:n].copy(), layers[: n - 1].copy()
