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
from footway.crowd.state import (
    AIM_X,
    AIM_Y,
    ATTRACTION,
    BEGIN,
    GOAL_AHEAD,
    GUIDED,
    LEFT,
    LENGTH,
    LINE,
    LOOKED,
    MANNER,
    MODE,
    NO_SIGHT,
    ON_ROUTE,
    PIECES,
    POINTS,
    RADIUS,
    RECORD,
    REFERENCE,
    SEEN_X,
    SEEN_Y,
    SIGHT,
    SPEED,
    STRIDE,
    WAITING,
    WALKING,
    WHO,
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

OFTEN = 16  # steps after which even a standing character is updated: others may have pushed it
BESIDE = 0.05  # m beside the terrain that count as on it: its corners only approximate arcs
THIN = 1e-3  # m: a wall at least this far from a line is not between its ends
INWARD = 1e-6  # share of the distance to a triangle's centre that moves a point on its side inside


@inner
def _middle(t, points, triangles):
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    x = (points[a, 0] + points[b, 0] + points[c, 0]) / 3.0
    return x, (points[a, 1] + points[b, 1] + points[c, 1]) / 3.0


@inner
def _closest_in_cell(x, y, cell, best, ground):
    """Return the closest point of a cell's triangles that is nearer than `best`."""
    found, fx, fy = -1, x, y
    for slot in range(ground.offsets[cell], ground.offsets[cell + 1]):
        t = int(ground.members[slot])
        for k in range(3):
            ox, oy, d2 = closest_on_side(x, y, t, k, ground)
            if d2 < best:
                best, found, fx, fy = d2, t, ox, oy
    return found, fx, fy, best


@inner(inline=False)
def place_on(x, y, ground):
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
    mx, my = _middle(t, ground.points, ground.triangles)
    return t, fx + INWARD * (mx - fx), fy + INWARD * (my - fy), math.sqrt(best)


@inner
def _reach(x, y, ground, grid):
    """Like `place_on`, but -1 also if the point is behind a wall."""
    t, px, py, away = place_on(x, y, ground)
    if away > 0.0 and t >= 0 and line_clearance(x, y, px, py, THIN, grid)[0] < THIN:
        return -1, x, y, math.inf
    return t, px, py, away


@kernel
def places_on(points, ground, grid, places, away):
    """Compute the nearest points of the terrain (n, 2), m, and distances (n,); infinite: none.

    Points behind a wall do not count.
    """
    for q in range(len(points)):
        _, places[q, 0], places[q, 1], away[q] = _reach(points[q, 0], points[q, 1], ground, grid)


@inner
def _open(row, low, high, guides, window):
    """Load a route into the window, with its pieces from `low` to `high`, m along it.

    The pieces are sorted by triangle with an in-place counting sort.
    """
    notes, pool = guides.notes, guides.pool
    points, lengths, pieces = window.points, window.lengths, window.pieces
    along, offsets, costs = window.along, window.offsets, window.costs
    first, n, m = notes[row, RECORD], notes[row, POINTS], notes[row, PIECES]
    for i in range(n):
        points[i, 0], points[i, 1] = pool[first + i, 0], pool[first + i, 1]
        lengths[i], costs[i] = pool[first + i, 2], pool[first + i, 3]
    for i in range(first + n, first + n + m):
        if pool[i, 0] > high:
            break
        if pool[i, 1] >= low:
            offsets[int(pool[i, 2]) + 1] += 1
    used, k, route = 0, 0, Window(points[:n], lengths[:n], costs, pieces, along, offsets)
    for i in range(first + n, first + n + m):
        a, b, t = pool[i, 0], pool[i, 1], int(pool[i, 2])
        if a > high:
            break
        if b < low:
            continue
        if offsets[t + 1] > 0:  # a count; replaced by the next free index, negated
            offsets[t] = used
            used += offsets[t + 1]
            offsets[t + 1] = -1 - offsets[t]
        at = -1 - offsets[t + 1]
        offsets[t + 1] -= 1
        while k + 2 < n and lengths[k + 1] < 0.5 * (a + b):
            k += 1
        along[at, 0], along[at, 1] = a, b
        pieces[at, 0], pieces[at, 1] = point_at(a, k, route)
        pieces[at, 2], pieces[at, 3] = point_at(b, k, route)
    _each_triangle(first + n, first + n + m, high, pool, offsets, True)
    return route


@inner
def _each_triangle(first, end, high, pool, offsets, keep):
    """Convert the entries of a window's triangles to the ends of their pieces, or reset them."""
    for i in range(first, end):
        if pool[i, 0] > high:
            break
        t = int(pool[i, 2])
        if not keep:
            offsets[t], offsets[t + 1] = 0, 0
        elif offsets[t + 1] < 0:
            offsets[t + 1] = -1 - offsets[t + 1]


@inner
def _close(row, high, guides, window):
    """Reset the window."""
    notes = guides.notes
    first = notes[row, RECORD] + notes[row, POINTS]
    end = first + notes[row, PIECES]
    _each_triangle(first, end, high, guides.pool, window.offsets, False)


@inner(inline=False)
def _by_miran(row, x, y, t, s, weights, guides, ground, window, workspace):
    """Apply MIRAN: (status, guide)."""
    guide = _guide(row, guides)
    low, high = guide.reference, guide.attraction + s.sigma
    course = _open(row, low, high, guides, window)
    around = Surroundings(course, ground, weights, workspace)
    found = bounded_look(x, y, t, guide, s, window.costs, around)
    _close(row, high, guides, window)
    return found


@inner(inline=False)
def _by_irm(row, x, y, t, r, weights, guides, ground, window, workspace, index):
    """Apply IRM, with the same results."""
    course = _open(row, 0.0, -1.0, guides, window)  # without pieces
    around = Surroundings(course, ground, weights, workspace)
    return irm_look(x, y, t, _guide(row, guides), r, index, around)


@inner
def _guide(row, guides):
    """Last reference point and attraction point of a character."""
    marks, line = guides.marks, np.int64(guides.notes[row, LINE])
    return Guide(
        reference=marks[row, REFERENCE],
        line=line,  # type: ignore[arg-type]
        attraction=marks[row, ATTRACTION],
        x=marks[row, AIM_X],
        y=marks[row, AIM_Y],
    )


@inner(inline=False)
def _look(row, k, step, s, weights, guides, state, ground, window, eyes, index):
    """Update the attraction point of a guide."""
    marks, notes = guides.marks, guides.notes
    x, y = state.place[k, X], state.place[k, Y]
    notes[row, LOOKED] = step
    marks[row, SEEN_X], marks[row, SEEN_Y] = x, y
    t, px, py, away = _reach(x, y, ground, index.grid)
    if away > BESIDE:  # return to the terrain first; no sight if there is none
        notes[row, SIGHT] = ON_ROUTE if t >= 0 else NO_SIGHT
        marks[row, AIM_X], marks[row, AIM_Y] = px, py
        return
    if s.sigma > 0.0:
        status, guide = _by_miran(row, px, py, t, s, weights, guides, ground, window, eyes)
    else:
        radius = float(state.body[k, RADIUS])
        status, guide = _by_irm(
            row, px, py, t, radius, weights, guides, ground, window, eyes, index
        )
    if status != SEEN:
        notes[row, SIGHT] = NO_SIGHT
        return
    notes[row, LINE], notes[row, SIGHT] = guide.line, ON_ROUTE
    if guide.attraction >= marks[row, LENGTH]:
        notes[row, SIGHT] = GOAL_AHEAD
    marks[row, REFERENCE], marks[row, ATTRACTION] = guide.reference, guide.attraction
    marks[row, AIM_X], marks[row, AIM_Y] = guide.x, guide.y


@inner
def _is_due(row, k, step, dt, state, marks, notes):
    """Return whether a character is updated in this step."""
    mode = state.track[k, MODE]
    begins = mode == WAITING and step >= state.story[k, BEGIN]
    if state.track[k, LEFT] != GUIDED or (mode != WALKING and not begins):
        return False
    if notes[row, LOOKED] < 0 or step - notes[row, LOOKED] >= OFTEN:
        return True
    x, y = state.place[k, X], state.place[k, Y]
    dx, dy = x - marks[row, SEEN_X], y - marks[row, SEEN_Y]
    if dx * dx + dy * dy >= marks[row, STRIDE] * marks[row, STRIDE]:
        return True
    if notes[row, SIGHT] == GOAL_AHEAD:
        return False
    dx, dy = x - marks[row, AIM_X], y - marks[row, AIM_Y]
    near = 2.0 * state.body[k, SPEED] * dt
    return dx * dx + dy * dy < near * near


@kernel
def look_around(
    first, end, manner, step, dt, s, weights, guides, slot_of, state, ground, window, eyes, index
):
    """Update the guides first to end - 1 that have this following style and are due; count.

    `s` are the parameters of the style (`Habit`), `weights` (kinds,) those of the terrain.
    """
    marks, notes = guides.marks, guides.notes
    count = 0
    for row in range(first, end):
        if notes[row, WHO] < 0 or notes[row, MANNER] != manner:
            continue
        k = slot_of[notes[row, WHO]]
        if _is_due(row, k, step, dt, state, marks, notes):
            is_first = notes[row, LOOKED] < 0
            _look(row, k, step, s, weights, guides, state, ground, window, eyes, index)
            if (
                not is_first
            ):  # the first stride is random and short, so that updates are spread over steps
                marks[row, STRIDE] = s.look
            count += 1
    return count
