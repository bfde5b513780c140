"""Cells along x, y and z, for paths that do not follow the backbone (see kernels/detour).

Cells in the coordinates of the backbone have two limits: a path through them has to pass every arc
length, and they do not cover the corridor where the backbone turns back. But balls that are far
apart along the backbone may overlap: around a corner, or where the start and the goal are close to
each other and the backbone leads to the medial axis and back. The cells of this module cover all
balls of a corridor.

The time of a cell is that of the ball that it is deepest in.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway.follow.kernels.detour_clearance import (
    ARC,
    OWNER,
    PRICE,
    REACH,
    ROOM,
    ROOTS,
    TIGHT,
    TIME,
    X,
    Y,
    Z,
    depth_inside,
    nearest_disc,
    skip,
)
from footway.follow.kernels.detour_tree import cell_at, plant, price


@kernel
def plant_across(run, rough, splits):
    """Tree for a run whose cells of level 0 are a grid over all positions of the character."""
    mean = 0.0
    x, y, z = math.inf, math.inf, math.inf
    right, back, top = -math.inf, -math.inf, -math.inf
    for t in range(len(run.balls)):
        room = max(0.0, run.balls[t, 3] - run.radius)
        mean += room / len(run.balls)
        x, right = min(x, run.balls[t, 0] - room), max(right, run.balls[t, 0] + room)
        y, back = min(y, run.balls[t, 1] - room), max(back, run.balls[t, 1] + room)
        z, top = min(z, run.balls[t, 2] - room), max(top, run.balls[t, 2] + room)
    size = min(0.5, max(0.06, 0.35 * mean))
    while True:
        wide = 1 + int((right - x) / size)
        deep = 1 + int((back - y) / size)
        high = 1 + int((top - z) / size) if run.dimension == 3 else 1
        if wide * deep * high <= ROOTS:
            break
        size *= 1.3
    return plant(run, (wide, deep, high), (x, y, z), size, rough, splits, True)


@inner(inline=False)
def look_across(run, tree, node):
    """Compute the clearance at the centre of a cell, and the distance to its corners."""
    box, p = tree.boxes, tree.points
    size = tree.size / (1 << box[node, 0])
    x = tree.origin[0] + (box[node, 1] + 0.5) * size
    y = tree.origin[1] + (box[node, 2] + 0.5) * size
    z = tree.origin[2] + (box[node, 3] + 0.5) * size if run.dimension == 3 else run.balls[0, 2]
    inside, owner, t = -math.inf, 0, 0
    while t < len(run.balls):
        depth = depth_inside(run.balls, t, x, y, z)
        if depth > inside:
            inside, owner = depth, t
        t = skip(run.changes, t, inside - depth)
    beside, _, _ = nearest_disc(run, x, y, z, run.times[owner])
    room = min(inside, beside) - run.radius
    p[node, X], p[node, Y], p[node, Z], p[node, ARC] = x, y, z, run.arcs[owner]
    p[node, TIME], p[node, ROOM], p[node, OWNER] = run.times[owner], room, owner
    p[node, REACH] = 0.0 if room >= TIGHT else 0.5 * size * math.sqrt(run.dimension)
    p[node, PRICE] = price(room if room >= TIGHT else 0.5 * max(0.0, room + p[node, REACH]), 0.0)


@inner(inline=False)
def cell_of_ball(run, tree, t):
    """Leaf that contains the centre of a ball; -1 outside the grid."""
    scale = tree.size / (1 << tree.deepest)
    i = int(math.floor((run.balls[t, 0] - tree.origin[0]) / scale))
    j = int(math.floor((run.balls[t, 1] - tree.origin[1]) / scale))
    h = int(math.floor((run.balls[t, 2] - tree.origin[2]) / scale)) if run.dimension == 3 else 0
    return cell_at(tree, len(run.balls), tree.deepest, i, j, h)


@inner(inline=False)
def next_ball_in(run, tree, node, t):
    """First ball from t on whose centre a cell contains or touches; len(balls) if none."""
    box, size = tree.boxes, tree.size / (1 << tree.boxes[node, 0])
    touch = 1e-9 * tree.size
    while t < len(run.balls):
        beyond = -math.inf
        for axis in range(run.dimension):
            middle = tree.origin[axis] + (box[node, 1 + axis] + 0.5) * size
            beyond = max(beyond, abs(run.balls[t, axis] - middle) - 0.5 * size)
        if beyond <= touch:
            return t
        t = skip(run.arcs, t, beyond - touch)
    return t
