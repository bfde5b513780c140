"""Look ahead along a corridor: the point that the shortest path to the visible part leads to.

Each sample of a track has a section: from its contact on the left wall to its centre to its contact
on the right wall, shortened by the radius of the character and the distance that it keeps from
corners. A straight line through all sections ahead is free. Where there is none, the shortest path
turns at the end of a section: that is the point to walk to (the funnel algorithm, from samples
instead of triangles). Otherwise it is the goal, or a point of the furthest section, at the
character's own place across the corridor.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.attraction import first_sample, last_sample

MOST = 48  # sections that are looked at
CORNER_GAP = 0.2  # m that a character keeps from corners besides its radius, if `corner` is 0
NARROWEST = 0.02  # m, least half width of a section
SHARE = 0.5  # of the distance to that point is walked before looking again
LEAST, GREATEST = 0.1, 3.0  # m, bounds of this distance


@inner
def _cross(ax, ay, bx, by):
    return ax * by - ay * bx


@inner(inline=False)
def look_ahead(k, x, y, r, state, path_halves, tracks):
    """Write the point that slot k walks to, and the distance after which it looks again."""
    cursor, balls, sides = state.cursor, tracks.balls, tracks.sides
    at, end, half = cursor[k, col.AT], cursor[k, col.END], cursor[k, col.HALF]
    coming, left = cursor[k, col.NEXT], cursor[k, col.LEFT]
    wanders = cursor[k, col.FOLLOWS] == col.WANDERS
    lane = min(1.0, max(-1.0, float(state.body[k, col.LANE])))
    gap = CORNER_GAP * max(0.0, 1.0 - float(state.body[k, col.CORNER]))
    far = float(state.body[k, col.SHORTCUT])
    left_x, left_y, right_x, right_y, is_open = 0.0, 0.0, 0.0, 0.0, False
    px, py, sees_goal = balls[at, col.BALL_X] - x, balls[at, col.BALL_Y] - y, False
    for _ in range(MOST):
        if at == end and left == 0 and not wanders:
            px, py = state.place[k, col.GOAL_X] - x, state.place[k, col.GOAL_Y] - y
            sees_goal = True
            break
        cx, cy = balls[at, col.BALL_X] - x, balls[at, col.BALL_Y] - y
        free = balls[at, col.BALL_RADIUS] - r
        width = max(NARROWEST, free - min(gap, 0.5 * free))
        one, two = (2, 0) if half & 1 else (0, 2)
        lx, ly = cx + width * sides[at, one], cy + width * sides[at, one + 1]
        rx, ry = cx + width * sides[at, two], cy + width * sides[at, two + 1]
        if _cross(rx, ry, lx, ly) >= 0.0:  # otherwise the character has passed it
            if not is_open:
                left_x, left_y, right_x, right_y, is_open = lx, ly, rx, ry, True
            elif _cross(left_x, left_y, rx, ry) > 0.0:
                px, py = left_x, left_y
                break
            elif _cross(right_x, right_y, lx, ly) < 0.0:
                px, py = right_x, right_y
                break
            else:
                if _cross(left_x, left_y, lx, ly) <= 0.0:
                    left_x, left_y = lx, ly
                if _cross(right_x, right_y, rx, ry) >= 0.0:
                    right_x, right_y = rx, ry
            px, py = cx + lane * (lx - cx), cy + lane * (ly - cy)
            if lane < 0.0:
                px, py = cx - lane * (rx - cx), cy - lane * (ry - cy)
        if at == end:
            if wanders:
                break
            half = int(path_halves[coming])
            coming, left = coming + 1, left - 1
            end = cursor[k, col.FINAL] if left == 0 else last_sample(half, tracks)
            at = first_sample(half, tracks)
            continue
        if cx * cx + cy * cy > far * far:
            break
        at += -1 if half & 1 else 1
    if is_open:
        if _cross(left_x, left_y, px, py) > 0.0:
            px, py, sees_goal = left_x, left_y, False
        elif _cross(right_x, right_y, px, py) < 0.0:
            px, py, sees_goal = right_x, right_y, False
    state.place[k, col.AIM_X], state.place[k, col.AIM_Y] = x + px, y + py
    if sees_goal:
        state.place[k, col.AIM_X] = state.place[k, col.GOAL_X]
        state.place[k, col.AIM_Y] = state.place[k, col.GOAL_Y]
    distance = math.sqrt(px * px + py * py)
    state.body[k, col.LOOK] = min(GREATEST, max(min(LEAST, distance), SHARE * distance))
