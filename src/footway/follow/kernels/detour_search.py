"""Step 1 of a sub-corridor: search a path of the character's centre (see kernels/detour)."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.detour_clearance import (
    AHEAD,
    ARC,
    ASIDE,
    BLOCKED,
    COLUMNS,
    DOUBT,
    FEW_SPLITS,
    FINEST_2D,
    FINEST_3D,
    FULL,
    NARROW,
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
    Tree,
    X,
    Y,
    Z,
    best_ball,
    copy_row,
    depth_inside,
    fastest_disc,
    gap_between,
    nearest_disc,
    place_at,
    segment_at,
    skip,
    sure,
)


@kernel
def plant(run, shape, origin, size, rough, splits, across):
    """Tree for a run: its balls and the cells of level 0, with memory for some splits.

    rough: factor by which the smallest cells are larger than possible.
    """
    k = len(run.balls)
    capacity = k + shape[0] * shape[1] * shape[2] + splits
    points = np.empty((capacity, COLUMNS))
    boxes = np.empty((capacity, 5), np.int64)
    used = np.zeros(1, np.int64)
    finest = FINEST_2D if run.dimension == 2 else FINEST_3D
    deepest = 0
    while size > 2.0**deepest * rough * finest:
        deepest += 1
    tree = Tree(points, boxes, used, shape, origin, size, deepest, across)
    for t in range(k):
        _add_ball(run, tree, t)
    for i in range(shape[0]):
        for j in range(shape[1]):
            for h in range(shape[2]):
                _add_box(tree, 0, i, j, h)
    return tree


@inner
def _add_ball(run, tree, t):
    """Add the centre of a ball of the run as a node."""
    p, x, y, z = tree.points, run.balls[t, 0], run.balls[t, 1], run.balls[t, 2]
    p[t, X], p[t, Y], p[t, Z], p[t, ARC], p[t, TIME] = x, y, z, run.arcs[t], run.times[t]
    beside, _, _ = nearest_disc(run, x, y, z, run.times[t])
    p[t, ROOM], p[t, REACH], p[t, OWNER] = min(run.balls[t, 3], beside) - run.radius, 0.0, t
    p[t, PRICE] = price(p[t, ROOM], 0.0)
    tree.boxes[t, 0], tree.boxes[t, 4] = -1, -1
    tree.used[0] += 1


@inner
def _add_box(tree, level, i, j, h):
    """Add a cell as a node, not evaluated yet."""
    node = tree.used[0]
    b = tree.boxes
    b[node, 0], b[node, 1], b[node, 2], b[node, 3], b[node, 4] = level, i, j, h, -1
    tree.points[node, ROOM] = math.nan
    tree.used[0] += 1


@inner
def price(room, aside):
    """Cost of a metre: 1 in wide space on the backbone."""
    return 1.0 + NARROW / (0.01 + max(0.0, room)) + ASIDE * aside * aside


@inner
def cell_at(tree, k, level, i, j, h):
    """Cell of a level, or the leaf that contains it; -1 outside the run. k: balls of the run."""
    a, b, c = i >> level, j >> level, h >> level
    if i < 0 or j < 0 or h < 0 or a >= tree.shape[0] or b >= tree.shape[1] or c >= tree.shape[2]:
        return -1
    node = k + (a * tree.shape[1] + b) * tree.shape[2] + c
    while level > 0 and tree.boxes[node, 4] >= 0:
        level -= 1
        bits = ((i >> level) & 1) | ((j >> level) & 1) << 1 | ((h >> level) & 1) << 2
        node = tree.boxes[node, 4] + bits
    return node


@inner
def _split(run, tree, node):
    """Cut a cell in four (2D) or eight (3D)."""
    level, i, j, h = box_of(tree, node)
    tree.boxes[node, 4] = tree.used[0]
    for child in range(1 << run.dimension):
        deep = 2 * h + (child >> 2) if run.dimension == 3 else 0
        _add_box(tree, level + 1, 2 * i + (child & 1), 2 * j + ((child >> 1) & 1), deep)


@inner
def box_of(tree, node):
    """Level of a cell and its three integer coordinates."""
    b = tree.boxes
    return b[node, 0], b[node, 1], b[node, 2], b[node, 3]


@inner
def _rise(i, queue):
    """Move the heap's entry i up to its place."""
    node = queue.heap[i]
    while i > 0:
        above = (i - 1) >> 1
        if queue.key[queue.heap[above]] <= queue.key[node]:
            break
        queue.heap[i] = queue.heap[above]
        queue.slot[queue.heap[i]] = i
        i = above
    queue.heap[i] = node
    queue.slot[node] = i


@inner
def pop(queue):
    """Take the node of least key from the heap."""
    top = queue.heap[0]
    queue.slot[top] = -1
    queue.state[0] -= 1
    n = queue.state[0]
    if n == 0:
        return top
    node, i = queue.heap[n], 0
    while True:
        below = 2 * i + 1
        if below >= n:
            break
        if below + 1 < n and queue.key[queue.heap[below + 1]] < queue.key[queue.heap[below]]:
            below += 1
        if queue.key[queue.heap[below]] >= queue.key[node]:
            break
        queue.heap[i] = queue.heap[below]
        queue.slot[queue.heap[i]] = i
        i = below
    queue.heap[i] = node
    queue.slot[node] = i
    return top


@inner
def reach_node(node, before, cost, left, queue):
    """Record a path to a node if it is the best so far."""
    if queue.seen[node] != queue.state[1]:
        queue.seen[node] = queue.state[1]
        queue.cost[node] = math.inf
        queue.slot[node] = -1
    if cost >= queue.cost[node]:
        return
    queue.cost[node], queue.came[node] = cost, before
    queue.key[node] = cost + left
    if queue.slot[node] < 0:
        queue.heap[queue.state[0]] = node
        queue.slot[node] = queue.state[0]
        queue.state[0] += 1
    _rise(queue.slot[node], queue)


@inner
def can_split(tree, node):
    """Whether a node is a cell that is not one of the smallest."""
    return 0 <= tree.boxes[node, 0] < tree.deepest


@inner(inline=False)
def split_doubtful(run, tree, queue, end):
    """Split undecided cells of the path to a ball; their number, -1 if memory is full."""
    done, fastest = 0, fastest_disc(run)
    b = end
    while queue.came[b] >= 0:
        a = queue.came[b]
        if tree.used[0] + 16 > len(tree.points):
            return -1
        if not sure(tree.points, len(run.balls), a, b, fastest):
            la, lb = tree.boxes[a, 0], tree.boxes[b, 0]
            # Split the larger of the two cells; balls have the level -1.
            if can_split(tree, a) and tree.boxes[a, 4] < 0 and (la <= lb or lb < 0):
                _split(run, tree, a)
                done += 1
            if can_split(tree, b) and tree.boxes[b, 4] < 0 and (lb <= la or la < 0):
                _split(run, tree, b)
                done += 1
        b = a
    return done


@inner(inline=False)
def split_all_doubtful(run, tree, queue, level):
    """Split every undecided cell up to a level that the search reached; return their number.

    To prove that a run is closed all of them are needed; one path at a time takes too long.
    """
    done = 0
    for node in range(len(run.balls), tree.used[0]):
        if tree.used[0] + 16 > len(tree.points):
            return -1
        if (
            queue.seen[node] == queue.state[1]
            and tree.boxes[node, 4] < 0
            and tree.boxes[node, 0] < min(level, tree.deepest)
            and tree.points[node, ROOM] < TIGHT
        ):
            _split(run, tree, node)
            done += 1
    return done


@kernel
def trace(tree, queue, end):
    """Points of the path found, from its first ball to the ball `end`."""
    length, node = 0, end
    while node >= 0:
        node = queue.came[node]
        length += 1
    way, node = np.empty((length, COLUMNS)), end
    for row in range(length - 1, -1, -1):
        copy_row(way, row, tree.points, node)
        node = queue.came[node]
    return way


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
