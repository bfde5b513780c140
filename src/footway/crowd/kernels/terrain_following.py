"""Update attraction points on routes over terrain by MIRAN or IRM (miran-2013).

    position --> point on the terrain --> nearby route --> attraction point, stored in the guide

A character is updated when it has walked some distance, is near its attraction point, or has stood
for a while; in between it walks to its attraction point. Each update writes only its own guide.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.wall_grid import line_clearance
from footway.crowd.kernels.layouts import (
    ATTRACTION,
    CHARACTER,
    FIRST_ROW,
    FIRST_STEP,
    FOLLOWS,
    GOAL_VISIBLE,
    LENGTH,
    LINE,
    MODE,
    NOTHING_VISIBLE,
    ON_ROUTE,
    PIECES,
    POINTS,
    RADIUS,
    REFERENCE,
    ROUTE_VISIBLE,
    SPEED,
    STRIDE,
    STYLE,
    TARGET_X,
    TARGET_Y,
    UPDATE_X,
    UPDATE_Y,
    UPDATED,
    VISIBILITY,
    WAITING,
    WALKING,
    Window,
    X,
    Y,
)
from footway.follow.kernels.irm import irm_look
from footway.follow.kernels.layouts import WALKING as SEEN
from footway.follow.kernels.layouts import Guide, Surroundings
from footway.follow.kernels.miran import bounded_look
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
        x, y = points[q, X], points[q, Y]
        _, places[q, X], places[q, Y], away[q] = _nearest_without_wall(x, y, ground, grid)


@inner
def _open_window(row, low, high, guides, window):
    """Load a route into the window, with its pieces from `low` to `high`, m along it.

    The pieces are sorted by triangle: offsets[t] to offsets[t + 1] - 1 are those of triangle t,
    which is an even number (see `doubled_triangles`).
    """
    facts, pool = guides.facts, guides.pool
    points, lengths, pieces = window.points, window.lengths, window.pieces
    along, offsets, counts = window.along, window.offsets, window.counts
    first, n, m = facts[row, FIRST_ROW], facts[row, POINTS], facts[row, PIECES]
    for i in range(n):
        points[i, X], points[i, Y] = pool[first + i, 0], pool[first + i, 1]
        lengths[i], window.costs[i] = pool[first + i, 2], pool[first + i, 3]
    for i in range(first + n, first + n + m):
        if pool[i, 0] > high:
            break
        if pool[i, 1] >= low:
            counts[int(pool[i, 2])] += 1
    route = Window(points[:n], lengths[:n], window.costs, pieces, along, offsets, counts)
    used, k = 0, 0
    for i in range(first + n, first + n + m):
        a, b, t = pool[i, 0], pool[i, 1], int(pool[i, 2])
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
    first = facts[row, FIRST_ROW] + facts[row, POINTS]
    for i in range(first, first + facts[row, PIECES]):
        if pool[i, 0] > high:
            break
        t = int(pool[i, 2])
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
        reference=progress[row, REFERENCE],
        line=np.int64(guides.facts[row, LINE]),  # type: ignore[arg-type]
        attraction=progress[row, ATTRACTION],
        x=progress[row, TARGET_X],
        y=progress[row, TARGET_Y],
    )


@inner(inline=False)
def _update(row, k, step, terrain, guides, state, workspace, index):
    """Update the attraction point of a guide."""
    progress, facts = guides.progress, guides.facts
    x, y = state.place[k, X], state.place[k, Y]
    facts[row, UPDATED] = step
    progress[row, UPDATE_X], progress[row, UPDATE_Y] = x, y
    t, px, py, away = _nearest_without_wall(x, y, terrain.ground, index.grid)
    if away > BESIDE:  # return to the terrain first; nothing is visible if there is none
        facts[row, VISIBILITY] = ROUTE_VISIBLE if t >= 0 else NOTHING_VISIBLE
        progress[row, TARGET_X], progress[row, TARGET_Y] = px, py
        return
    if terrain.parameters.sigma > 0.0:
        status, guide = _by_miran(row, px, py, t, terrain, guides, workspace)
    else:
        radius = float(state.body[k, RADIUS])
        status, guide = _by_irm(row, px, py, t, radius, terrain, guides, workspace, index)
    if status != SEEN:
        facts[row, VISIBILITY] = NOTHING_VISIBLE
        return
    is_last = guide.attraction >= progress[row, LENGTH]
    facts[row, LINE] = guide.line
    facts[row, VISIBILITY] = GOAL_VISIBLE if is_last else ROUTE_VISIBLE
    progress[row, REFERENCE], progress[row, ATTRACTION] = guide.reference, guide.attraction
    progress[row, TARGET_X], progress[row, TARGET_Y] = guide.x, guide.y


@inner
def _is_due(row, k, step, dt, state, progress, facts):
    """Return whether a character is updated in this step."""
    mode = state.cursor[k, MODE]
    begins = mode == WAITING and step >= state.journey[k, FIRST_STEP]
    if state.cursor[k, FOLLOWS] != ON_ROUTE or (mode != WALKING and not begins):
        return False
    if facts[row, UPDATED] < 0 or step - facts[row, UPDATED] >= LONGEST_PAUSE:
        return True
    x, y = state.place[k, X], state.place[k, Y]
    dx, dy = x - progress[row, UPDATE_X], y - progress[row, UPDATE_Y]
    if dx * dx + dy * dy >= progress[row, STRIDE] * progress[row, STRIDE]:
        return True
    if facts[row, VISIBILITY] == GOAL_VISIBLE:
        return False
    dx, dy = x - progress[row, TARGET_X], y - progress[row, TARGET_Y]
    near = 2.0 * state.body[k, SPEED] * dt
    return dx * dx + dy * dy < near * near


@kernel
def update_attraction_points(
    first, end, style, step, dt, terrain, guides, slot_of, state, workspace, index
):
    """Update the guides first to end - 1 that have this following style and are due; count.

    `terrain` is the `FollowedTerrain` of the style.
    """
    progress, facts = guides.progress, guides.facts
    count = 0
    for row in range(first, end):
        if facts[row, CHARACTER] < 0 or facts[row, STYLE] != style:
            continue
        k = slot_of[facts[row, CHARACTER]]
        if _is_due(row, k, step, dt, state, progress, facts):
            is_first = facts[row, UPDATED] < 0
            _update(row, k, step, terrain, guides, state, workspace, index)
            if not is_first:  # the first stride is random and short, to spread the updates
                progress[row, STRIDE] = terrain.parameters.look
            count += 1
    return count
