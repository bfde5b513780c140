"""Characters in a building: neighbours through portals, speed on slopes.

A building consists of sheets, which are flat in plan (see `corridor.kernels.surface`). A character
is on one sheet, which changes when a step leads through a portal: nothing else moves it to another
floor. Characters of one sheet are neighbours as in the plane. Two of different sheets are
neighbours if the straight line between them leads from one sheet to the other through portals. So
nobody is a neighbour through a ceiling, and discs that touch always are neighbours: they are free
of walls, so that the line between their centres is. Also those are neighbours who may touch after
the next step, around the end of a portal: there the line between them leads through the wall.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.corridor.kernels.layouts import FIRST_PORTAL
from footway.corridor.kernels.surface import is_on_layer, last_layer
from footway.crowd.kernels.layouts import (
    BODY_RADIUS,
    BODY_X,
    BODY_Y,
    GOAL_SHEET,
    GOAL_X,
    GOAL_Y,
    SHEET,
    X,
    Y,
)
from footway.crowd.kernels.pairs import NEARBY, RANGE

# Columns of `World.slopes`: unit vector uphill (0, 0 on a level sheet); speed of the belt in plan,
# m/s, and share of the own speed, of those who go up; and of those who go down; 1 if nobody may
# enter; 1 on an escalator that runs up, -1 if it runs down; the doors of a lift's cabin.
UP_X, UP_Y, UP_BELT, UP_SHARE, DOWN_BELT, DOWN_SHARE, CLOSED, RUNS, DOORS = range(9)

NO_DOORS, SHUT, OPEN = range(3)
"""Doors of a sheet. Open doors let in those whose goal is in the cabin, and the others out."""


@inner(inline=False)
def gather_through_portals(row, cell, count, cells, grid, near):
    """Append the neighbours of a row that are on other sheets to `near`; return the new count."""
    joined, bodies, places = cells.joined, cells.bodies, cells.joined.places
    x, y, r = bodies[row, BODY_X], bodies[row, BODY_Y], bodies[row, BODY_RADIUS]
    layer = cell // joined.per_sheet
    for m in range(joined.offsets[cell], joined.offsets[cell + 1]):
        there = joined.cells[m]
        for other in range(cells.offsets[there], cells.offsets[there + 1]):
            if count >= NEARBY:
                return count
            dx, dy = x - bodies[other, BODY_X], y - bodies[other, BODY_Y]
            far = r + bodies[other, BODY_RADIUS] + RANGE
            if dx * dx + dy * dy > far * far:
                continue
            px, py, ox, oy = places[row, X], places[row, Y], places[other, X], places[other, Y]
            reach = far - RANGE + joined.reach
            is_close = dx * dx + dy * dy < reach * reach
            wanted = there // joined.per_sheet
            if _is_near(px, py, layer, ox, oy, wanted, is_close, reach, grid):
                near[count] = other
                count += 1
    return count


@inner(inline=False)
def gather_obstacles(row, cell, cells, obstacles, grid, near):
    """Write the obstacles on the sheet of a row, or near it through portals, to `near`: count."""
    joined, count, r = cells.joined, 0, cells.bodies[row, BODY_RADIUS]
    px, py = joined.places[row, X], joined.places[row, Y]
    layer, here = cell // joined.per_sheet, cell % joined.per_sheet
    for m in range(obstacles.offsets[here], obstacles.offsets[here + 1]):
        k = obstacles.rows[m]
        reach = r + obstacles.discs[k, BODY_RADIUS] + joined.reach
        ox, oy, wanted = obstacles.places[k, X], obstacles.places[k, Y], obstacles.sheets[k]
        is_close = (px - ox) * (px - ox) + (py - oy) * (py - oy) < reach * reach
        if count < NEARBY and (
            wanted == layer or _is_near(px, py, layer, ox, oy, wanted, is_close, reach, grid)
        ):
            near[count] = k
            count += 1
    return count


@inner
def _is_near(px, py, layer, ox, oy, wanted, is_close, reach, grid):
    """Return whether a disc of another sheet is straight through portals, or may soon touch."""
    last = last_layer(px, py, ox, oy, layer, grid)
    return is_on_layer(ox, oy, last, wanted, grid) or (
        is_close and _may_meet(px, py, layer, ox, oy, wanted, reach, grid.layers)
    )


@inner(inline=False)
def _may_meet(ax, ay, layer, bx, by, wanted, reach, layers):
    """Return whether a path through one portal, or two, may be shorter than `reach`."""
    for k in range(layers.first[layer, FIRST_PORTAL], layers.first[layer + 1, FIRST_PORTAL]):
        between = layers.beyond[k]
        if _length_through(k, ax, ay, bx, by, layers) >= reach:
            continue
        if between == wanted:
            return True
        for m in range(
            layers.first[between, FIRST_PORTAL], layers.first[between + 1, FIRST_PORTAL]
        ):
            is_there = layers.beyond[m] == wanted
            if is_there and _length_through(m, ax, ay, bx, by, layers) < reach:
                return True
    return False


@inner
def _length_through(portal, ax, ay, bx, by, layers):
    """Return the length of the shortest line from a to b through a portal or past its ends, m."""
    px, py = layers.portals[portal, 0], layers.portals[portal, 1]
    qx, qy = layers.portals[portal, 2], layers.portals[portal, 3]
    dx, dy = bx - ax, by - ay
    left, right = dx * (py - ay) - dy * (px - ax), dx * (qy - ay) - dy * (qx - ax)
    before = (qx - px) * (ay - py) - (qy - py) * (ax - px)
    behind = (qx - px) * (by - py) - (qy - py) * (bx - px)
    if left * right <= 0.0 and before * behind <= 0.0:
        return math.sqrt(dx * dx + dy * dy)
    p = math.sqrt((px - ax) ** 2 + (py - ay) ** 2) + math.sqrt((bx - px) ** 2 + (by - py) ** 2)
    q = math.sqrt((qx - ax) ** 2 + (qy - ay) ** 2) + math.sqrt((bx - qx) ** 2 + (by - qy) ** 2)
    return min(p, q)


@inner(inline=False)
def speed_on_slope(k, ex, ey, speed, slopes, state):
    """Return the preferred direction and speed in plan, of somebody who has this on the level.

    An escalator carries also those who stand, or want to go against it.
    """
    sheet = state.sheet[k, SHEET] - 1
    up_x, up_y, runs = slopes[sheet, UP_X], slopes[sheet, UP_Y], slopes[sheet, RUNS]
    up = ex * up_x + ey * up_y
    if runs != 0.0 and (speed <= 0.0 or runs * up < 0.0):
        belt = slopes[sheet, UP_BELT] if runs > 0.0 else slopes[sheet, DOWN_BELT]
        return runs * up_x, runs * up_y, belt
    if speed <= 0.0 or (up_x == 0.0 and up_y == 0.0):
        return ex, ey, speed
    if up >= 0.0:
        return ex, ey, slopes[sheet, UP_BELT] + slopes[sheet, UP_SHARE] * speed
    return ex, ey, slopes[sheet, DOWN_BELT] + slopes[sheet, DOWN_SHARE] * speed


@inner(inline=False)
def is_goal_straight_ahead(k, x, y, state, grid):
    """Return whether the straight line to the goal ends on the sheet of the goal."""
    sheet = state.sheet[k, SHEET] - 1
    if sheet < 0:
        return True
    goal_x, goal_y = state.place[k, GOAL_X], state.place[k, GOAL_Y]
    last = last_layer(x, y, goal_x, goal_y, sheet, grid)
    return is_on_layer(goal_x, goal_y, last, state.sheet[k, GOAL_SHEET] - 1, grid)


@inner(inline=False)
def pass_portals(k, x, y, to_x, to_y, state, grid, slopes):
    """Change the sheet of a character by a step that leads through portals.

    Returns False, and changes nothing, if it leads to a sheet that nobody may enter, against an
    escalator, or through doors of a lift that are shut.
    """
    layer = state.sheet[k, SHEET] - 1
    last = last_layer(x, y, to_x, to_y, layer, grid)
    if last != layer:
        if slopes[last, CLOSED] > slopes[layer, CLOSED]:
            return False
        if not _lets_pass(k, layer, last, state, slopes):
            return False
        for sheet in (layer, last):
            up = (to_x - x) * slopes[sheet, UP_X] + (to_y - y) * slopes[sheet, UP_Y]
            if slopes[sheet, RUNS] * up < 0.0:
                return False
    state.sheet[k, SHEET] = 1 + last
    return True


@inner
def _lets_pass(k, layer, beyond, state, slopes):
    """Return whether a character may pass from one sheet to another, because of a lift's doors."""
    goal = state.sheet[k, GOAL_SHEET] - 1
    if slopes[beyond, DOORS] != NO_DOORS:
        return slopes[beyond, DOORS] == OPEN and goal == beyond
    if slopes[layer, DOORS] != NO_DOORS:
        return slopes[layer, DOORS] == OPEN and goal != layer
    return True


@inner
def _distance(x, y, portal, layers):
    """Return the distance of a point from a portal, m."""
    px, py = layers.portals[portal, 0], layers.portals[portal, 1]
    dx, dy = layers.portals[portal, 2] - px, layers.portals[portal, 3] - py
    t = ((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy)
    t = min(1.0, max(0.0, t))
    ex, ey = x - px - t * dx, y - py - t * dy
    return math.sqrt(ex * ex + ey * ey)


@inner(inline=False)
def keep_off_doors(k, x, y, to_x, to_y, r, state, grid, slopes):
    """Return the end of a step that does not touch doors that do not let a character pass.

    The step is changed to lead along the doors; if that does not help, the character stays.
    """
    layers, layer = grid.layers, state.sheet[k, SHEET] - 1
    for portal in range(layers.first[layer, FIRST_PORTAL], layers.first[layer + 1, FIRST_PORTAL]):
        if _lets_pass(k, layer, layers.beyond[portal], state, slopes):
            continue
        before, after = _distance(x, y, portal, layers), _distance(to_x, to_y, portal, layers)
        if after >= r or after >= before:
            continue
        dx = layers.portals[portal, 2] - layers.portals[portal, 0]
        dy = layers.portals[portal, 3] - layers.portals[portal, 1]
        along = ((to_x - x) * dx + (to_y - y) * dy) / (dx * dx + dy * dy)
        to_x, to_y = x + along * dx, y + along * dy
        after = _distance(to_x, to_y, portal, layers)
        if after < r and after < before:
            return x, y
    return to_x, to_y
