"""Update attraction points on routes over terrain by MIRAN or IRM (miran-2013).

    position --> point on the terrain --> nearby route --> attraction point, stored in the guide

A character is updated when it has walked some distance, is near its attraction point, or has stood
for a while; in between it walks to its attraction point. Each update writes only its own guide.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.wall_grid import line_clearance, nearest_wall
from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.layouts import Window
from footway.follow.kernels.irm import irm_look
from footway.follow.kernels.layouts import WALKING as SEEN
from footway.follow.kernels.layouts import Guide, Surroundings
from footway.follow.kernels.miran import bounded_look
from footway.follow.kernels.steering import push_from_border
from footway.follow.kernels.visibility import point_at
from footway.terrain.kernels.triangles import closest_on_side, locate

LONGEST_PAUSE = 16  # steps until even a standing character is updated: others may have pushed it
BESIDE = 0.05  # m beside the terrain that count as on it: its corners only approximate arcs
THIN = 1e-3  # m: a wall at least this far from a line is not between its ends
INWARD = 1e-6  # share of the distance to a triangle's centre that moves a point on its side inside


@inner
def _closest_in_cell(x, y, cell, best, ground):
    """Return the closest point on the sides of a cell's triangles that is nearer than `best`."""
    found, found_x, found_y = -1, x, y
    for slot in range(ground.offsets[cell], ground.offsets[cell + 1]):
        t = int(ground.members[slot])
        for k in range(3):
            ox, oy, d2 = closest_on_side(x, y, t, k, ground)
            if d2 < best:
                best, found, found_x, found_y = d2, t, ox, oy
    return found, found_x, found_y, best


@inner(inline=False)
def _nearest_triangle_point(x, y, ground):
    """Return the nearest point of the terrain: (triangle, x, y, distance in m); -1: none."""
    t = locate(x, y, ground)
    if t >= 0:
        return t, x, y, 0.0
    box, columns, rows = ground.box, ground.shape[0], ground.shape[1]
    i = min(columns - 1, max(0, int((x - box[0]) / box[2])))
    j = min(rows - 1, max(0, int((y - box[1]) / box[2])))
    best, fx, fy = math.inf, x, y
    for ring in range(max(columns, rows)):
        if (ring - 1) * box[2] > math.sqrt(best):
            break
        for v in range(max(0, j - ring), min(rows, j + ring + 1)):
            inside = abs(v - j) < ring  # only the two ends of the row belong to the ring
            step = 2 * ring if inside else 1
            for u in range(i - ring, i + ring + 1, step):
                if u < 0 or u >= columns:
                    continue
                found, ox, oy, best = _closest_in_cell(x, y, v * columns + u, best, ground)
                if found >= 0:
                    t, fx, fy = found, ox, oy
    if t < 0:
        return -1, x, y, math.inf
    a, b, c = ground.triangles[t, 0], ground.triangles[t, 1], ground.triangles[t, 2]
    points = ground.points
    mx = (points[a, 0] + points[b, 0] + points[c, 0]) / 3.0
    my = (points[a, 1] + points[b, 1] + points[c, 1]) / 3.0
    return t, fx + INWARD * (mx - fx), fy + INWARD * (my - fy), math.sqrt(best)


@inner
def _nearest_without_wall(x, y, ground, grid):
    """Like `_nearest_triangle_point`, but -1 also if the point is behind a wall."""
    t, px, py, away = _nearest_triangle_point(x, y, ground)
    if away > 0.0 and t >= 0 and line_clearance(x, y, px, py, THIN, grid)[0] < THIN:
        return -1, x, y, math.inf
    return t, px, py, away


@kernel
def nearest_on_terrain(points, ground, grid, places, away):
    """Compute the nearest points of the terrain (n, 2), m, and distances (n,); infinite: none.

    Points behind a wall do not count.
    """
    for q in range(len(points)):
        x, y = points[q, col.X], points[q, col.Y]
        _, places[q, col.X], places[q, col.Y], away[q] = _nearest_without_wall(x, y, ground, grid)


@inner
def _open_window(row, low, high, guides, window):
    """Load a route into the window, with its pieces from `low` to `high`, m along it.

    The pieces are sorted by triangle: offsets[t] to offsets[t + 1] - 1 are those of triangle t,
    which is an even number (see `doubled_triangles`).
    """
    facts, pool = guides.facts, guides.pool
    points, lengths, pieces = window.points, window.lengths, window.pieces
    along, offsets, counts = window.along, window.offsets, window.counts
    first, n, m = facts[row, col.FIRST_ROW], facts[row, col.POINTS], facts[row, col.PIECES]
    for i in range(n):
        point = pool[first + i]
        points[i, col.X], points[i, col.Y] = point[col.POINT_X], point[col.POINT_Y]
        lengths[i], window.costs[i] = point[col.POINT_LENGTH], point[col.POINT_COST]
    for i in range(first + n, first + n + m):
        if pool[i, col.PIECE_BEGIN] > high:
            break
        if pool[i, col.PIECE_END] >= low:
            counts[int(pool[i, col.PIECE_TRIANGLE])] += 1
    route = Window(points[:n], lengths[:n], window.costs, pieces, along, offsets, counts)
    used, k = 0, 0
    for i in range(first + n, first + n + m):
        a, b = pool[i, col.PIECE_BEGIN], pool[i, col.PIECE_END]
        t = int(pool[i, col.PIECE_TRIANGLE])
        if a > high:
            break
        if b < low:
            continue
        if counts[t] > 0:  # the first piece of this triangle
            offsets[t] = offsets[t + 1] = used
            used += counts[t]
            counts[t] = 0
        at = offsets[t + 1]
        offsets[t + 1] += 1
        while k + 2 < n and lengths[k + 1] < 0.5 * (a + b):
            k += 1
        along[at, 0], along[at, 1] = a, b
        pieces[at, 0], pieces[at, 1] = point_at(a, k, route)
        pieces[at, 2], pieces[at, 3] = point_at(b, k, route)
    return route


@inner
def _close_window(row, high, guides, window):
    """Reset the offsets of the triangles of a route, up to `high` m along it."""
    facts, pool = guides.facts, guides.pool
    first = facts[row, col.FIRST_ROW] + facts[row, col.POINTS]
    for i in range(first, first + facts[row, col.PIECES]):
        if pool[i, col.PIECE_BEGIN] > high:
            break
        t = int(pool[i, col.PIECE_TRIANGLE])
        window.offsets[t], window.offsets[t + 1] = 0, 0


@inner(inline=False)
def _by_miran(row, x, y, t, terrain, guides, workspace):
    """Apply MIRAN: (status, guide)."""
    parameters, window, guide = terrain.parameters, workspace.window, _guide(row, guides)
    low, high = guide.reference, guide.attraction + parameters.sigma
    route = _open_window(row, low, high, guides, window)
    around = Surroundings(route, terrain.ground, terrain.weights, workspace.visibility)
    found = bounded_look(x, y, t, guide, parameters, window.costs, around)
    _close_window(row, high, guides, window)
    return found


@inner(inline=False)
def _by_irm(row, x, y, t, r, terrain, guides, workspace, index):
    """Apply IRM, with the same results."""
    route = _open_window(row, 0.0, -1.0, guides, workspace.window)  # without pieces
    around = Surroundings(route, terrain.ground, terrain.weights, workspace.visibility)
    return irm_look(x, y, t, _guide(row, guides), r, index, around)


@inner
def _guide(row, guides):
    """Return the last reference point and attraction point of a character."""
    progress = guides.progress
    return Guide(
        reference=progress[row, col.REFERENCE],
        line=np.int64(guides.facts[row, col.LINE]),  # type: ignore[arg-type]
        attraction=progress[row, col.ATTRACTION],
        x=progress[row, col.TARGET_X],
        y=progress[row, col.TARGET_Y],
    )


@inner(inline=False)
def _update(row, k, step, terrain, guides, state, workspace, index):
    """Update the attraction point of a guide."""
    progress, facts = guides.progress, guides.facts
    x, y = state.place[k, col.X], state.place[k, col.Y]
    facts[row, col.UPDATED] = step
    progress[row, col.UPDATE_X], progress[row, col.UPDATE_Y] = x, y
    t, px, py, away = _nearest_without_wall(x, y, terrain.ground, index.grid)
    if away > BESIDE:  # return to the terrain first; nothing is visible if there is none
        facts[row, col.VISIBILITY] = col.ROUTE_VISIBLE if t >= 0 else col.NOTHING_VISIBLE
        progress[row, col.TARGET_X], progress[row, col.TARGET_Y] = px, py
        return
    if terrain.parameters.sigma > 0.0:
        status, guide = _by_miran(row, px, py, t, terrain, guides, workspace)
    else:
        radius = float(state.body[k, col.RADIUS])
        status, guide = _by_irm(row, px, py, t, radius, terrain, guides, workspace, index)
    if status != SEEN:
        facts[row, col.VISIBILITY] = col.NOTHING_VISIBLE
        return
    is_last = guide.attraction >= progress[row, col.LENGTH]
    facts[row, col.LINE] = guide.line
    facts[row, col.VISIBILITY] = col.GOAL_VISIBLE if is_last else col.ROUTE_VISIBLE
    progress[row, col.REFERENCE], progress[row, col.ATTRACTION] = guide.reference, guide.attraction
    progress[row, col.TARGET_X], progress[row, col.TARGET_Y] = guide.x, guide.y


@inner(inline=False)
def _push_from_walls(row, k, terrain, guides, state, grid):
    """Write F_b / c_s of a character: away from the nearest wall (miran-2013, section 3.4)."""
    parameters, progress = terrain.parameters, guides.progress
    clearance, radius = parameters.clearance, parameters.radius
    progress[row, col.PUSH_X], progress[row, col.PUSH_Y] = 0.0, 0.0
    if state.body[k, col.WALL_BUDGET] + state.body[k, col.RADIUS] - radius >= clearance:
        return  # known without a look at the walls
    x, y = state.place[k, col.X], state.place[k, col.Y]
    wall, distance, share = nearest_wall(x, y, grid)
    d = max(0.0, distance - radius)
    if d >= clearance or distance < 1e-9:
        return
    nx = (x - grid.walls[wall, 0] - share * (grid.walls[wall, 2] - grid.walls[wall, 0])) / distance
    ny = (y - grid.walls[wall, 1] - share * (grid.walls[wall, 3] - grid.walls[wall, 1])) / distance
    t, f = locate(x, y, terrain.ground), parameters.boundary * (clearance - d) / clearance
    if t >= 0:
        f = push_from_border(
            x, y, t, d, nx, ny, clearance, parameters.boundary, terrain.weights, terrain.ground
        )
    progress[row, col.PUSH_X], progress[row, col.PUSH_Y] = f * nx, f * ny


@inner
def _is_due(row, k, step, dt, state, progress, facts):
    """Return whether a character is updated in this step."""
    mode = state.cursor[k, col.MODE]
    begins = mode == col.WAITING and step >= state.journey[k, col.FIRST_STEP]
    if state.cursor[k, col.FOLLOWS] != col.ON_ROUTE or (mode != col.WALKING and not begins):
        return False
    if facts[row, col.UPDATED] < 0 or step - facts[row, col.UPDATED] >= LONGEST_PAUSE:
        return True
    x, y = state.place[k, col.X], state.place[k, col.Y]
    dx, dy = x - progress[row, col.UPDATE_X], y - progress[row, col.UPDATE_Y]
    if dx * dx + dy * dy >= progress[row, col.STRIDE] * progress[row, col.STRIDE]:
        return True
    if facts[row, col.VISIBILITY] == col.GOAL_VISIBLE:
        return False
    dx, dy = x - progress[row, col.TARGET_X], y - progress[row, col.TARGET_Y]
    near = 2.0 * state.body[k, col.SPEED] * dt
    return dx * dx + dy * dy < near * near


@kernel
def update_attraction_points(
    first, end, style, step, dt, terrain, guides, slot_of, state, workspace, index
):
    """Update the guides first to end - 1 that have this following style and are due; count.

    The boundary force is updated for all of them. `terrain` is the `FollowedTerrain` of the style.
    """
    progress, facts = guides.progress, guides.facts
    count = 0
    for row in range(first, end):
        if facts[row, col.CHARACTER] < 0 or facts[row, col.STYLE] != style:
            continue
        k = slot_of[facts[row, col.CHARACTER]]
        if state.cursor[k, col.FOLLOWS] == col.ON_ROUTE and terrain.parameters.clearance > 0.0:
            _push_from_walls(row, k, terrain, guides, state, index.grid)
        if _is_due(row, k, step, dt, state, progress, facts):
            is_first = facts[row, col.UPDATED] < 0
            _update(row, k, step, terrain, guides, state, workspace, index)
            if not is_first:  # the first stride is random and short, to spread the updates
                progress[row, col.STRIDE] = terrain.parameters.look
            count += 1
    return count
