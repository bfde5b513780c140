"""A uniform grid of candidate walls, for exact nearest walls and clearances.

A cell lists every wall that is nearest to some point of the cell, so the nearest wall of a point is
the nearest of a few candidates.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.bins import add, cell_of, cell_range, close
from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, hypot
from footway._numba.segments import share_of_segment

FAR = 1e-9  # share by which a distance must exceed another to be larger in spite of rounding
TOUCHES = 1e-8  # m, depth to which a path may seem to cut into a wall by rounding


@inner
def segment_distance(x, y, walls, w):
    """Distance of a point to wall w, and the nearest point's share of the wall's length."""
    dx, dy = walls[w, 2] - walls[w, 0], walls[w, 3] - walls[w, 1]
    px, py = x - walls[w, 0], y - walls[w, 1]
    t = share_of_segment(px, py, dx, dy)
    ex, ey = px - t * dx, py - t * dy
    return math.sqrt(ex * ex + ey * ey), t


@kernel
def bin_walls(walls, x0, y0, size, nx, ny):
    """Walls that touch each cell, in compressed rows: (offsets (nx ny + 1,), walls)."""
    offsets, members = np.zeros(nx * ny + 1, np.int64), np.empty(0, np.int32)
    for fill in range(2):
        for w in range(len(walls) - 1, -1, -1):
            ax, ay, bx, by = walls[w, 0], walls[w, 1], walls[w, 2], walls[w, 3]
            i0, i1 = cell_range(min(ax, bx), max(ax, bx), x0, size, nx)
            j0, j1 = cell_range(min(ay, by), max(ay, by), y0, size, ny)
            reach = 0.5 * size * (abs(bx - ax) + abs(by - ay)) * (1.0 + 1e-9)
            for j in range(j0, j1 + 1):
                for i in range(i0, i1 + 1):
                    cx, cy = x0 + (i + 0.5) * size, y0 + (j + 0.5) * size
                    # The line through the wall may pass the cell without touching it.
                    if abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) <= reach:
                        add(w, j * nx + i, fill, offsets, members)
        if fill == 0:
            members = np.empty(close(offsets), np.int32)
    return offsets, members


@kernel
def candidate_walls(walls, bins, members, x0, y0, size, nx, ny):
    """Walls that are nearest to some point of each cell, in compressed rows."""
    offsets = np.zeros(nx * ny + 1, np.int64)
    out = np.empty(8 * nx * ny + 64, np.int32)
    seen = np.full(len(walls), -1, np.int64)
    distance = np.empty(len(walls))
    found = np.empty(len(walls), np.int32)
    reach = size * math.sqrt(2.0)
    count = 0
    for cell in range(nx * ny):
        ci, cj = cell % nx, cell // nx
        cx, cy = x0 + (ci + 0.5) * size, y0 + (cj + 0.5) * size
        best = math.inf
        n_found = 0
        ring = 0
        # A wall of ring k + 1 is at least (k + 1/2) cells away from the centre.
        while (ring - 0.5) * size <= best + reach and ring <= max(nx, ny):
            for j in range(max(0, cj - ring), min(ny, cj + ring + 1)):
                whole = abs(j - cj) == ring
                step = 1 if whole or ring == 0 else 2 * ring
                for i in range(ci - ring, ci + ring + 1, step):
                    if i < 0 or i >= nx:
                        continue
                    b = j * nx + i
                    for slot in range(bins[b], bins[b + 1]):
                        w = members[slot]
                        if seen[w] == cell:
                            continue
                        seen[w] = cell
                        d, _ = segment_distance(cx, cy, walls, w)
                        distance[n_found] = d
                        found[n_found] = w
                        n_found += 1
                        best = min(best, d)
            ring += 1
        if count + n_found > len(out):
            bigger = np.empty(2 * (count + n_found), np.int32)
            for k in range(count):
                bigger[k] = out[k]
            out = bigger
        for k in range(n_found):
            if distance[k] <= best + reach:
                out[count] = found[k]
                count += 1
        offsets[cell + 1] = count
    return offsets, out[:count].copy()


@inner
def is_outside(x, y, grid):
    """Whether a point lies outside the grid's box, and so outside the map."""
    box, shape = grid.box, grid.shape
    return not (
        box[0] <= x <= box[0] + box[2] * shape[0] and box[1] <= y <= box[1] + box[2] * shape[1]
    )


@inner
def nearest_wall(x, y, grid):
    """Nearest wall of a point: (wall, distance, share of its length).

    Searches the candidates of its cell; all walls if the point is outside the box.
    """
    best, wall, share = math.inf, -1, 0.0
    if is_outside(x, y, grid):
        for w in range(len(grid.walls)):
            d, t = segment_distance(x, y, grid.walls, w)
            if d < best:
                best, wall, share = d, w, t
        return wall, best, share
    cell = cell_of(x, y, grid.box, grid.shape)
    for slot in range(grid.offsets[cell], grid.offsets[cell + 1]):
        d, t = segment_distance(x, y, grid.walls, grid.candidates[slot])
        if d < best:
            best, wall, share = d, int(grid.candidates[slot]), t
    return wall, best, share


@inner
def _between_segments(ax, ay, bx, by, walls, w):
    """Distance between segment ab and wall w; -1 where they cross."""
    cx, cy, dx, dy = walls[w, 0], walls[w, 1], walls[w, 2], walls[w, 3]
    ux, uy = bx - ax, by - ay
    vx, vy = dx - cx, dy - cy
    side_c = ux * (cy - ay) - uy * (cx - ax)
    side_d = ux * (dy - ay) - uy * (dx - ax)
    side_a = vx * (ay - cy) - vy * (ax - cx)
    side_b = vx * (by - cy) - vy * (bx - cx)
    if side_c * side_d < 0.0 and side_a * side_b < 0.0:
        # By rounding, a path that only touches a corner may seem to cross it.
        deep_u = TOUCHES * math.sqrt(ux * ux + uy * uy)
        deep_v = TOUCHES * math.sqrt(vx * vx + vy * vy)
        if min(abs(side_c), abs(side_d)) > deep_u and min(abs(side_a), abs(side_b)) > deep_v:
            return -1.0
    best = min(segment_distance(ax, ay, walls, w)[0], segment_distance(bx, by, walls, w)[0])
    for k in range(2):
        px, py = walls[w, 2 * k] - ax, walls[w, 2 * k + 1] - ay
        t = share_of_segment(px, py, ux, uy)
        ex, ey = px - t * ux, py - t * uy
        best = min(best, math.sqrt(ex * ex + ey * ey))
    return best


@inner
def line_clearance(ax, ay, bx, by, floor, grid):
    """Least distance from segment ab to any wall, and that wall; -1 if it crosses one.

    Stops at the first wall that is closer than `floor`.
    """
    return clearance_up_to(math.inf, ax, ay, bx, by, floor, grid)


@inner(inline=False)
def clearance_up_to(most, ax, ay, bx, by, floor, grid):
    """`line_clearance`, or `most` and no wall (-1) if that is less: then it takes less time.

    Walks the cells along ab: the nearest wall of each point is among its cell's candidates.
    """
    size = grid.box[2]
    nx, ny = grid.shape[0], grid.shape[1]
    dx, dy = bx - ax, by - ay
    i, i_end = cell_range(ax, bx, grid.box[0], size, nx)
    j, j_end = cell_range(ay, by, grid.box[1], size, ny)
    step_i = 1 if dx > 0.0 else -1
    step_j = 1 if dy > 0.0 else -1
    next_x = grid.box[0] + (i + (1 if dx > 0.0 else 0)) * size
    next_y = grid.box[1] + (j + (1 if dy > 0.0 else 0)) * size
    t_x = (next_x - ax) / dx if dx != 0.0 else math.inf
    t_y = (next_y - ay) / dy if dy != 0.0 else math.inf
    d_x = abs(size / dx) if dx != 0.0 else math.inf
    d_y = abs(size / dy) if dy != 0.0 else math.inf
    best, nearest = most, -1
    length = (1.0 + FAR) * math.sqrt(dx * dx + dy * dy)
    walls = grid.walls
    for _ in range(abs(i_end - i) + abs(j_end - j) + 1):
        cell = j * nx + i
        for slot in range(grid.offsets[cell], grid.offsets[cell + 1]):
            w = grid.candidates[slot]
            side_c = dx * (walls[w, 1] - ay) - dy * (walls[w, 0] - ax)
            side_d = dx * (walls[w, 3] - ay) - dy * (walls[w, 2] - ax)
            # Most walls are farther from the whole line through ab, half of them on either side:
            # one comparison, because the CPU cannot guess which of two would be true.
            if max(min(side_c, side_d), -max(side_c, side_d)) > best * length:
                continue
            d = _between_segments(ax, ay, bx, by, walls, w)
            if d < best:
                best, nearest = d, w
        if best < floor:
            break
        if t_x < t_y:
            t_x += d_x
            i = min(nx - 1, max(0, i + step_i))
        else:
            t_y += d_y
            j = min(ny - 1, max(0, j + step_j))
    return best, nearest


@inner
def _on_arc(px, py, cx, cy, sx, sy, sweep):
    """Whether the direction from the centre to p is within `sweep` (signed) of direction s."""
    dx, dy = px - cx, py - cy
    turn = atan2(sx * dy - sy * dx, sx * dx + sy * dy)
    if sweep < 0.0:
        turn, sweep = -turn, -sweep
    if turn < 0.0:
        turn += 2.0 * math.pi
    return turn <= sweep


@inner(inline=False)
def arc_clearance(cx, cy, sx, sy, ex, ey, sweep, radius, grid):
    """Least distance from an arc to walls that do not touch its centre.

    The arc runs from unit direction s to e around (cx, cy), turning by `sweep` (signed, radians).
    """
    nx = grid.shape[0]
    size = grid.box[2]
    i0, i1 = cell_range(cx - radius, cx + radius, grid.box[0], size, nx)
    j0, j1 = cell_range(cy - radius, cy + radius, grid.box[1], size, grid.shape[1])
    walls = grid.walls
    best = math.inf
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            cell = j * nx + i
            for slot in range(grid.offsets[cell], grid.offsets[cell + 1]):
                w = grid.candidates[slot]
                d, t = segment_distance(cx, cy, walls, w)
                if d < 1e-9 or d - radius > best:
                    continue
                best = min(best, segment_distance(cx + radius * sx, cy + radius * sy, walls, w)[0])
                best = min(best, segment_distance(cx + radius * ex, cy + radius * ey, walls, w)[0])
                # Angles last: most walls are too far away to need one.
                px = walls[w, 0] + t * (walls[w, 2] - walls[w, 0])
                py = walls[w, 1] + t * (walls[w, 3] - walls[w, 1])
                off = abs(d - radius)
                if off < best and _on_arc(px, py, cx, cy, sx, sy, sweep):
                    best = off
                for k in range(2):
                    qx, qy = walls[w, 2 * k], walls[w, 2 * k + 1]
                    off = abs(hypot(qx - cx, qy - cy) - radius)
                    if off < best and _on_arc(qx, qy, cx, cy, sx, sy, sweep):
                        best = off
    return best


@kernel
def line_distances(starts, ends, grid, out):
    """Least distance of each line, starts and ends (n, 2), to any wall, into out (n,); -1: hit."""
    for k in range(len(starts)):
        out[k], _ = line_clearance(starts[k, 0], starts[k, 1], ends[k, 0], ends[k, 1], -2.0, grid)


@kernel
def wall_distances(points, grid, out):
    """Distance of each point (n, 2) to the nearest wall, into out (n,)."""
    for k in range(len(points)):
        _, out[k], _ = nearest_wall(points[k, 0], points[k, 1], grid)
