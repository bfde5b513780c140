"""Locate points: nearest obstacle and retraction onto the medial axis."""

from __future__ import annotations

import math

from footway._numba.bins import cell_of
from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, hypot
from footway.corridor.kernels.layouts import EVENT_CLEARANCE, Place
from footway.corridor.kernels.surface import layer_grid
from footway.corridor.kernels.wall_grid import is_outside, line_clearance, nearest_wall

X, Y, AXIS_CLEARANCE, CLEARANCE, WALL_X, WALL_Y, N_VALUES = range(7)  # columns of located points
BEYOND = 1e-6  # m, tolerance of a foot beyond the end of a wall
BESIDE = 1e-6  # rad, tolerance of a direction beyond the border of a corner's cell
SEEN = 1e-6  # m, a line with less clearance may touch a wall
WIDE = 0.999  # of a point's own clearance: a line from it with this clearance is wide enough


@inner
def _boundary_slot(key, boundaries, row):
    """Last slot of the row with a key of at most `key`; the row's last slot if there is none."""
    low, high = boundaries.offsets[row], boundaries.offsets[row + 1]
    end = high - 1
    while low < high:
        middle = (low + high) // 2
        if boundaries.keys[middle] <= key:
            low = middle + 1
        else:
            high = middle
    if low == boundaries.offsets[row]:
        return end
    return low - 1


@inner
def _corner_slot(angle, boundaries, row):
    """Slot of a corner's cell boundary in the direction `angle`, up to BESIDE; -1: none.

    By rounding, a point on the border of the cell may seem to lie just before its beginning.
    """
    if boundaries.offsets[row + 1] == boundaries.offsets[row]:
        return -1
    for turns in range(2):
        for early in range(2):
            key = angle - 2.0 * math.pi * turns
            slot = _boundary_slot(key + BESIDE * early, boundaries, row)
            turn = key - boundaries.keys[slot]
            if turn < -BESIDE:
                turn += 2.0 * math.pi
            if turn <= boundaries.widths[slot] + BESIDE:
                return slot
    return -1


@inner
def _along_wall(x, y, walls, w):
    """Distance of a point's foot from the beginning of a wall along it, and the wall's length."""
    dx, dy = walls[w, 2] - walls[w, 0], walls[w, 3] - walls[w, 1]
    length = hypot(dx, dy)
    if length == 0.0:
        return 0.0, 0.0
    return ((x - walls[w, 0]) * dx + (y - walls[w, 1]) * dy) / length, length


@inner
def _beyond_end(x, y, walls, w, share):
    """Distance of a point's foot beyond the end of a wall, m; 0 for a point obstacle."""
    along, length = _along_wall(x, y, walls, w)
    return -along if share <= 0.0 else along - length


@inner
def _wall_beside(x, y, grid, corner):
    """Wall that ends in a corner and has the foot of a point at that end, not beyond; -1: none.

    All walls that meet in a corner are equally near to a point whose nearest point is the corner.
    """
    if is_outside(x, y, grid):
        return -1
    cell = cell_of(x, y, grid.box, grid.shape)
    for slot in range(grid.offsets[cell], grid.offsets[cell + 1]):
        wall = int(grid.candidates[slot])
        for end in range(2):
            is_there = grid.ends[wall, end] == corner
            if is_there and _beyond_end(x, y, grid.walls, wall, float(end)) <= BEYOND:
                return wall
    return -1


@inner
def site_of(x, y, grid, boundaries, wall, share):
    """Nearest site of a point, row of its cell boundary (-1 inside an obstacle), and wall.

    `wall` and `share` are the nearest wall and the share of its nearest point. If that is an end of
    the wall, the site is the corner, if it has a cell.
    """
    walls = grid.walls
    if share <= 0.0 or share >= 1.0:
        corner = grid.ends[wall, 0] if share <= 0.0 else grid.ends[wall, 1]
        row = 2 * corner
        angle = atan2(y - boundaries.sites[corner, 1], x - boundaries.sites[corner, 0])
        if _corner_slot(angle, boundaries, row) >= 0:
            return corner, row, wall
        if _beyond_end(x, y, walls, wall, share) > BEYOND:
            beside = _wall_beside(x, y, grid, corner)
            if beside < 0:
                return corner, -1, wall  # the corner's cell lies inside the obstacle
            wall = beside
    site = grid.site[wall]
    if walls[wall, 0] == walls[wall, 2] and walls[wall, 1] == walls[wall, 3]:
        return site, 2 * site, wall
    dx, dy = walls[wall, 2] - walls[wall, 0], walls[wall, 3] - walls[wall, 1]
    behind = dx * (y - walls[wall, 1]) - dy * (x - walls[wall, 0]) < 0.0
    if behind and not boundaries.two_sided[site]:
        return site, -1, wall
    row = 2 * site + (1 if behind else 0)
    if boundaries.offsets[row + 1] == boundaries.offsets[row]:
        return site, -1, wall
    return site, row, wall


@inner
def _reach(ox, oy, wx, wy, sites, is_point, other):
    """Distance from o along unit w to the point equidistant to o and the site `other`."""
    ax, ay = sites[other, 0], sites[other, 1]
    if is_point[other]:
        dx, dy = ax - ox, ay - oy
        ahead = 2.0 * (dx * wx + dy * wy)
        return (dx * dx + dy * dy) / ahead if ahead > 0.0 else math.inf
    dx, dy = sites[other, 2] - ax, sites[other, 3] - ay
    length = hypot(dx, dy)
    nx, ny = -dy / length, dx / length
    height = nx * (ox - ax) + ny * (oy - ay)
    rise = nx * wx + ny * wy
    # On either side of the wall: |height + t rise| = t.
    if height < 0.0:
        height, rise = -height, -rise
    return height / (1.0 - rise) if rise < 1.0 else math.inf


@inner(inline=False)
def ball_at(x, y, own, grid, boundaries):
    """Ball of a roadmap that a point is joined to: (event, clearance of the line); -1: none.

    The ball that contains the point deepest, because balls contain no wall (rrm-roadmaps-2006,
    section V.B.2). If there is none, or the line has less clearance than the point (`own`, m), the
    ball with the most clearance along the straight line to it.
    """
    if is_outside(x, y, grid):
        return -1, 0.0
    cell = cell_of(x, y, boundaries.ball_box, boundaries.ball_shape)
    first, last = boundaries.ball_offsets[cell], boundaries.ball_offsets[cell + 1]
    best, depth, widest, balls = -1, 0.0, SEEN, boundaries.balls
    for slot in range(first, last):
        b = boundaries.ball_members[slot]
        dx, dy = x - balls[b, 0], y - balls[b, 1]
        margin = balls[b, EVENT_CLEARANCE] - math.sqrt(dx * dx + dy * dy)
        if margin > depth:
            best, depth = int(b), margin
    if best >= 0:
        clear, _ = line_clearance(x, y, balls[best, 0], balls[best, 1], -2.0, grid)
        widest = max(clear, depth, SEEN)
    if widest < own * WIDE:
        for slot in range(first, last):
            b = boundaries.ball_members[slot]
            clear, _ = line_clearance(x, y, balls[b, 0], balls[b, 1], widest, grid)
            if clear > widest:
                best, widest = int(b), clear
    return best, widest


@inner
def locate_point(x, y, axis, grid, boundaries):
    """Locate one point: a Place.

    On a roadmap both clearances are the least along the straight line from the point to its
    position.
    """
    wall, distance, share = nearest_wall(x, y, grid)
    walls = grid.walls
    ox = walls[wall, 0] + share * (walls[wall, 2] - walls[wall, 0])
    oy = walls[wall, 1] + share * (walls[wall, 3] - walls[wall, 1])
    if boundaries.of_roadmap:
        ball, clear = ball_at(x, y, distance, grid, boundaries)
        if ball < 0:
            return Place(-1, x, y, 0.0, 0.0, ox, oy)
        bx, by = boundaries.balls[ball, 0], boundaries.balls[ball, 1]
        return Place(boundaries.pieces[ball], bx, by, clear, clear, ox, oy)
    site, row, wall = site_of(x, y, grid, boundaries, wall, share)
    if row < 0 or is_outside(x, y, grid):
        return Place(-1, x, y, 0.0, 0.0, ox, oy)
    slot = _corner_slot(atan2(y - oy, x - ox), boundaries, row) if boundaries.is_point[site] else -1
    if slot < 0:  # by rounding, the foot may lie before the beginning of the wall
        along, _ = _along_wall(x, y, boundaries.sites, site)
        slot = _boundary_slot(max(along, boundaries.keys[boundaries.offsets[row]]), boundaries, row)
    piece = boundaries.pieces[slot]
    other = axis.piece_right[piece] if axis.piece_left[piece] == site else axis.piece_left[piece]
    wx, wy = x - ox, y - oy
    if distance > 1e-9:
        wx, wy = wx / distance, wy / distance
    else:
        wx, wy = axis.events[piece, 0] - ox, axis.events[piece, 1] - oy
        if not boundaries.is_point[site]:
            dx, dy = walls[wall, 2] - walls[wall, 0], walls[wall, 3] - walls[wall, 1]
            side = 1.0 if row % 2 == 0 else -1.0
            wx, wy = -dy * side, dx * side
        norm = hypot(wx, wy)
        wx, wy = wx / norm, wy / norm
    widest = max(axis.clearance[piece], axis.clearance[piece + 1])
    reach = _reach(ox, oy, wx, wy, boundaries.sites, boundaries.is_point, other)
    reach = max(distance, min(reach, widest))
    return Place(piece, ox + reach * wx, oy + reach * wy, reach, distance, ox, oy)


@inner
def locate_end(x, y, index):
    """`locate_point` on a map: a Place."""
    return locate_point(x, y, index.axis, index.grid, index.boundaries)


@inner
def locate_on(x, y, layer, index):
    """`locate_point` on a sheet of a building; on a flat map the layer is -1."""
    return locate_point(x, y, index.axis, layer_grid(layer, index.grid), index.boundaries)


@inner
def _write_place(place, k, pieces, values):
    pieces[k] = place.piece
    values[k, X], values[k, Y], values[k, AXIS_CLEARANCE] = place.x, place.y, place.axis_clearance
    values[k, CLEARANCE] = place.clearance
    values[k, WALL_X], values[k, WALL_Y] = place.wall_x, place.wall_y


@kernel
def locate_points(points, axis, grid, boundaries, pieces, values):
    """`locate_point` for (n, 2) points: pieces (n,), and the other fields of Place, (n, 6)."""
    for k in range(len(points)):
        place = locate_point(points[k, 0], points[k, 1], axis, grid, boundaries)
        _write_place(place, k, pieces, values)


@kernel
def measure_clearances(points, grid, boundaries, out):
    """Distance of each point to its nearest wall; 0 inside obstacles and outside the map."""
    for k in range(len(points)):
        out[k] = 0.0
        x, y = points[k, 0], points[k, 1]
        if is_outside(x, y, grid):
            continue
        wall, distance, share = nearest_wall(x, y, grid)
        if boundaries.of_roadmap:
            out[k] = distance if ball_at(x, y, distance, grid, boundaries)[0] >= 0 else 0.0
        elif site_of(x, y, grid, boundaries, wall, share)[1] >= 0:
            out[k] = distance


@kernel
def share_covered(points, centres, radii):
    """Share of points that lie in at least one ball."""
    covered = 0
    for k in range(len(points)):
        for i in range(len(centres)):
            dx, dy = points[k, 0] - centres[i, 0], points[k, 1] - centres[i, 1]
            if dx * dx + dy * dy <= radii[i] * radii[i]:
                covered += 1
                break
    return covered / max(1, len(points))
