"""Step 1 of a sub-corridor: search a path of the character's centre (see kernels/detour)."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.detour_across import (
    cell_of_ball,
    look_across,
    next_ball_in,
    plant_across,
)
from footway.follow.kernels.detour_clearance import (
    AHEAD,
    ARC,
    BLOCKED,
    COLUMNS,
    DOUBT,
    FEW_SPLITS,
    FULL,
    OPEN,
    OWNER,
    PRICE,
    REACH,
    ROOM,
    ROOTS,
    ROUNDING,
    SPLITS,
    TARGETED,
    TIGHT,
    TIME,
    UNDECIDED,
    Queue,
    X,
    Y,
    Z,
    best_ball,
    fastest_disc,
    gap_between,
    nearest_disc,
    place_at,
    segment_at,
    skip,
    sure,
)
from footway.follow.kernels.detour_tree import (
    box_of,
    can_split,
    cell_at,
    plant,
    pop,
    price,
    reach_node,
    split_all_doubtful,
    split_doubtful,
    trace,
)


@kernel
def _plant_along(run, opens_before, opens_after, rough, splits):
    """Tree for a run whose cells of level 0 lie along the backbone.

    If the run begins with the corridor's first ball, or ends with its last, the cells also cover
    the half of that ball that lies beyond the end of the backbone.
    """
    k = len(run.balls)
    widest, mean = 0.0, 0.0
    for t in range(k):
        widest = max(widest, run.balls[t, 3] - run.radius)
        mean += (run.balls[t, 3] - run.radius) / k
    low = -max(0.0, run.balls[0, 3] - run.radius) if opens_before else 0.0
    high = run.arcs[-1] + (max(0.0, run.balls[-1, 3] - run.radius) if opens_after else 0.0)
    size = min(0.5, max(0.06, 0.35 * mean))
    along, aside, over = 0, 0, 0
    while True:
        along = max(1, int(math.ceil((high - low) / size)))
        aside = 2 * int(math.ceil(max(0.0, widest / size - 0.5))) + 1
        over = aside if run.dimension == 3 else 1
        if along * aside * over <= ROOTS:
            break
        size *= 1.3
    off = -0.5 * aside * size
    return plant(run, (along, aside, over), (low, off, off), size, rough, splits, False)


@inner(inline=False)
def _look_along(run, tree, node):
    """Compute the clearance at the centre of a cell, and the distance to its corners."""
    box, p = tree.boxes, tree.points
    size = tree.size / (1 << box[node, 0])
    arc = tree.origin[0] + (box[node, 1] + 0.5) * size
    u = tree.origin[1] + (box[node, 2] + 0.5) * size
    w = tree.origin[1] + (box[node, 3] + 0.5) * size if run.dimension == 3 else 0.0
    x, y, z, time, i = place_at(run, arc, u, w)
    inside, owner = best_ball(run, i, x, y, z)
    beside, _, _ = nearest_disc(run, x, y, z, time)
    room = min(inside, beside) - run.radius
    p[node, X], p[node, Y], p[node, Z], p[node, ARC] = x, y, z, arc
    p[node, TIME], p[node, ROOM], p[node, OWNER] = time, room, owner
    p[node, REACH] = 0.0 if room >= TIGHT else _reach(run, x, y, z, arc, u, w, 0.5 * size)
    hope = room if room >= TIGHT else 0.5 * max(0.0, room + p[node, REACH])
    p[node, PRICE] = price(hope, math.sqrt(u * u + w * w) / max(run.balls[i, 3], 1e-9))


@inner(inline=False)
def _reach(run, x, y, z, arc, u, w, half):
    """Bound of the change of clearance between a cell's centre (x, y, z) and its corners, m."""
    reach, fastest = 0.0, fastest_disc(run)
    lasts = place_at(run, arc + half, 0.0, 0.0)[3] - place_at(run, arc - half, 0.0, 0.0)[3]
    for corner in range(1 << run.dimension):
        cx, cy, cz, _, _ = place_at(
            run,
            arc + (half if corner & 1 else -half),
            u + (half if corner & 2 else -half),
            (w + (half if corner & 4 else -half)) if run.dimension == 3 else 0.0,
        )
        reach = max(reach, math.sqrt((cx - x) ** 2 + (cy - y) ** 2 + (cz - z) ** 2))
    # A cell may bulge between its corners where the backbone bends.
    return 1.1 * reach + fastest * abs(lasts)


@inner(inline=False)
def _step(a, b, run, tree, queue, fastest):
    """Relax the link from node a to its neighbour b if it is, or may be, free."""
    p = tree.points
    if math.isnan(p[b, ROOM]):
        if tree.across:
            look_across(run, tree, b)
        else:
            _look_along(run, tree, b)
    if p[b, ROOM] + p[b, REACH] < (TIGHT if b >= len(run.balls) else -ROUNDING):
        return
    cost = gap_between(p, a, p, b) * 0.5 * (p[a, PRICE] + p[b, PRICE])
    if not sure(p, len(run.balls), a, b, fastest):
        if not (can_split(tree, a) or can_split(tree, b)):
            return
        cost *= DOUBT
    left = 0.0 if tree.across else AHEAD * max(0.0, run.arcs[-1] - p[b, ARC])
    reach_node(b, a, queue.cost[a] + cost, left, queue)


@inner(inline=False)
def _step_from_ball(t, run, tree, queue, fastest):
    """Relax the links from a ball to its neighbours and to the cells at its centre."""
    k = len(run.balls)
    if t > 0:
        _step(t, t - 1, run, tree, queue, fastest)
    if t < k - 1:
        _step(t, t + 1, run, tree, queue, fastest)
    deep, scale = tree.deepest, tree.size / (1 << tree.deepest)
    i = int(math.floor((run.arcs[t] - tree.origin[0]) / scale))
    i = min((tree.shape[0] << deep) - 1, max(0, i))
    j = tree.shape[1] << deep >> 1  # offset zero lies between two smallest cells
    last = -1
    for side in range(1 << (run.dimension - 1)):
        h = j - (side >> 1) if run.dimension == 3 else 0
        cell = cell_at(tree, k, deep, i, j - (side & 1), h)
        if cell >= 0 and cell != last:
            _step(t, cell, run, tree, queue, fastest)
            last = cell


@inner(inline=False)
def _step_to_balls(node, run, tree, queue, fastest):
    """Relax the links from a cell to the balls whose centres it contains or touches."""
    box = tree.boxes
    size = tree.size / (1 << box[node, 0])
    touch = 1e-9 * tree.size
    for axis in range(2, 1 + run.dimension):
        low = tree.origin[1] + box[node, axis] * size
        if low > touch or low + size < -touch:
            return
    low = tree.origin[0] + box[node, 1] * size
    t = segment_at(run.arcs, low)
    while t < len(run.arcs) and run.arcs[t] <= low + size + touch:
        if run.arcs[t] >= low - touch:
            _step(node, t, run, tree, queue, fastest)
        t += 1


@inner(inline=False)
def _step_from_ball_across(t, run, tree, queue, fastest):
    """Relax the links from a ball to all overlapping balls and to the cell at its centre.

    If discs move, the link of non-consecutive balls must stay free of them, too.
    """
    p, k, other = tree.points, len(run.balls), 0
    while other < k:
        apart = gap_between(p, t, p, other) - p[t, ROOM] - (run.balls[other, 3] - run.radius)
        far = fastest > 0.0 and abs(other - t) > 1
        if apart <= 0.0 and other != t and sure(p, 0 if far else k, t, other, fastest):
            _step(t, other, run, tree, queue, fastest)
        other = skip(run.changes, other, max(0.0, apart))
    cell = cell_of_ball(run, tree, t)
    if cell >= 0:
        _step(t, cell, run, tree, queue, fastest)


@inner(inline=False)
def _step_to_balls_across(node, run, tree, queue, fastest):
    """Relax the links from a cell to the balls whose centres it contains or touches."""
    t = next_ball_in(run, tree, node, 0)
    while t < len(run.balls):
        _step(node, t, run, tree, queue, fastest)
        t = next_ball_in(run, tree, node, t + 1)


@inner(inline=False)
def _step_to_cells(node, run, tree, queue, stack, fastest):
    """Relax the links from a cell to the leaves on the other side of its faces."""
    k = len(run.balls)
    for face in range(2 * run.dimension):
        axis, ahead = face >> 1, face & 1
        level, i, j, h = box_of(tree, node)
        way = 1 if ahead else -1
        i += way if axis == 0 else 0
        j += way if axis == 1 else 0
        h += way if axis == 2 else 0
        neighbour = cell_at(tree, k, level, i, j, h)
        if neighbour < 0:
            continue
        stack[0], top = neighbour, 1
        while top > 0:
            top -= 1
            cell = stack[top]
            first = tree.boxes[cell, 4]
            if first < 0:
                _step(node, cell, run, tree, queue, fastest)
                continue
            for child in range(1 << run.dimension):
                if (child >> axis) & 1 != ahead:  # on the side that touches the face
                    stack[top] = first + child
                    top += 1


@inner(inline=False)
def _search(run, tree, queue, stack, source, goal):
    """A* from a ball of the run to the first ball reached with index `goal` or above.

    Returns that ball, or -1 if there is no path.
    """
    k = len(run.balls)
    fastest = fastest_disc(run)
    queue.state[0] = 0
    queue.state[1] += 1
    reach_node(source, -1, 0.0, run.arcs[goal], queue)
    while queue.state[0] > 0:
        node = pop(queue)
        queue.state[2] += 1
        if goal <= node < k:
            return node
        if node >= k:
            _step_to_cells(node, run, tree, queue, stack, fastest)
        if tree.across:
            if node < k:
                _step_from_ball_across(node, run, tree, queue, fastest)
            else:
                _step_to_balls_across(node, run, tree, queue, fastest)
        elif node < k:
            _step_from_ball(node, run, tree, queue, fastest)
        else:
            _step_to_balls(node, run, tree, queue, fastest)
    return -1


@kernel
def find_path(run, opens_before, opens_after, rough, work):
    """Find a free path through the run: points (q, COLUMNS), and the result.

    The path follows the backbone: it passes every arc length; see `find_path_across` for others.
    The result is OPEN, BLOCKED (proved) or UNDECIDED (work limit exceeded).
    """
    goal = len(run.balls) - 1
    splits = FEW_SPLITS
    while splits <= SPLITS:  # large arrays take longer to allocate than most searches
        tree = _plant_along(run, opens_before, opens_after, rough, splits)
        way, verdict = _find_path_in(run, tree, 0, goal, work)
        if verdict != FULL:
            return way, verdict
        splits *= 16
    return np.empty((0, COLUMNS)), UNDECIDED


@kernel
def find_path_across(run, source, goal, rough, work):
    """Find a free path in the balls of a run, from ball `source` to ball `goal` or a later one.

    Returns points (q, COLUMNS) and the result, as `find_path`. If all discs stand still, BLOCKED
    proves that there is no path at all in the balls.
    """
    splits = FEW_SPLITS
    while splits <= SPLITS:
        tree = plant_across(run, rough, splits)
        way, verdict = _find_path_in(run, tree, source, goal, work)
        if verdict != FULL:
            return way, verdict
        splits *= 16
    return np.empty((0, COLUMNS)), UNDECIDED


@kernel
def _find_path_in(run, tree, source, goal, work):
    """Find a free path: points and result, which is FULL if the tree is out of memory."""
    capacity = len(tree.points)
    queue = Queue(
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(3, np.int64),
    )
    stack = np.empty(512, np.int64)
    none = np.empty((0, COLUMNS))
    done, end = 1, -1
    while done > 0:
        end = _search(run, tree, queue, stack, source, goal)
        if end < 0:
            return none, BLOCKED
        if queue.state[2] > work:
            return none, UNDECIDED
        done = split_doubtful(run, tree, queue, end)
        if done > 0 and queue.state[1] % TARGETED == 0:
            more = split_all_doubtful(run, tree, queue, queue.state[1] // TARGETED)
            done = done + more if more >= 0 else -1
    if done < 0:
        return none, FULL
    return trace(tree, queue, end), OPEN
