"""Step 1 of a sub-corridor: a way for the character's centre through a run (see _sway_kernels)."""

from __future__ import annotations

import math

import numpy as np

from footway._jit import inner, kernel
from footway.follow._sway_room_kernels import (
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
    fastest_disc,
    gap_between,
    nearest_disc,
    place_at,
    segment_at,
    sure,
)


@kernel
def _plant(run, opens_before, opens_after, rough, splits):
    """Tree for a run: its balls and the cells of level 0, with memory for some splits.

    rough: how many times the smallest cells are larger than they could be.

    Where the run begins with the corridor's first ball, or ends with its last, the cells also
    cover the half of that ball that lies before or after the backbone.
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
    capacity = k + along * aside * over + splits
    points = np.empty((capacity, COLUMNS))
    boxes = np.empty((capacity, 5), np.int64)
    used = np.zeros(1, np.int64)
    finest = FINEST_2D if run.dimension == 2 else FINEST_3D
    deepest = 0
    while size > 2.0**deepest * rough * finest:
        deepest += 1
    origin = (low, -0.5 * aside * size)
    tree = Tree(points, boxes, used, (along, aside, over), origin, size, deepest)
    for t in range(k):
        _add_ball(run, tree, t)
    for i in range(along):
        for j in range(aside):
            for h in range(over):
                _add_box(tree, 0, i, j, h)
    return tree


@inner
def _add_ball(run, tree, t):
    """Node of a ball of the run: its centre."""
    p, x, y, z = tree.points, run.balls[t, 0], run.balls[t, 1], run.balls[t, 2]
    p[t, X], p[t, Y], p[t, Z], p[t, ARC], p[t, TIME] = x, y, z, run.arcs[t], run.times[t]
    beside, _, _ = nearest_disc(run, x, y, z, run.times[t])
    p[t, ROOM], p[t, REACH], p[t, OWNER] = min(run.balls[t, 3], beside) - run.radius, 0.0, t
    p[t, PRICE] = _price(p[t, ROOM], 0.0)
    tree.boxes[t, 0], tree.boxes[t, 4] = -1, -1
    tree.used[0] += 1


@inner
def _add_box(tree, level, i, j, h):
    """Node of a cell: nothing is known of it yet."""
    node = tree.used[0]
    b = tree.boxes
    b[node, 0], b[node, 1], b[node, 2], b[node, 3], b[node, 4] = level, i, j, h, -1
    tree.points[node, ROOM] = math.nan
    tree.used[0] += 1


@inner
def _price(room, aside):
    """Price of a metre: one in the open, on the backbone."""
    return 1.0 + NARROW / (0.01 + max(0.0, room)) + ASIDE * aside * aside


@inner(inline=False)
def _look(run, tree, node):
    """Find the room of a cell: at its centre, and how far the rest of it is from there."""
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
    p[node, PRICE] = _price(hope, math.sqrt(u * u + w * w) / max(run.balls[i, 3], 1e-9))


@inner(inline=False)
def _reach(run, x, y, z, arc, u, w, half):
    """Most that the room can change between a cell's centre (x, y, z) and its corners, m."""
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
    # Between its corners a cell may bulge where the backbone bends.
    return 1.1 * reach + fastest * abs(lasts)


@inner
def _cell_at(tree, k, level, i, j, h):
    """Cell of a level, or the leaf that holds it; -1 outside the run. k: balls of the run."""
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
    level, i, j, h = _box(tree, node)
    tree.boxes[node, 4] = tree.used[0]
    for child in range(1 << run.dimension):
        deep = 2 * h + (child >> 2) if run.dimension == 3 else 0
        _add_box(tree, level + 1, 2 * i + (child & 1), 2 * j + ((child >> 1) & 1), deep)


@inner
def _box(tree, node):
    """Level of a cell, and its three coordinates on it."""
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
def _pop(queue):
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
def _reach_node(node, before, cost, left, queue):
    """Note a way to a node if it is the best so far."""
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
def _can_split(tree, node):
    return 0 <= tree.boxes[node, 0] < tree.deepest


@inner(inline=False)
def _step(a, b, run, tree, queue, fastest):
    """Go from node a to its neighbour b if that is free, or may be when cells are split."""
    p = tree.points
    if math.isnan(p[b, ROOM]):
        _look(run, tree, b)
    if p[b, ROOM] + p[b, REACH] < (TIGHT if b >= len(run.balls) else -ROUNDING):
        return
    cost = gap_between(p, a, p, b) * 0.5 * (p[a, PRICE] + p[b, PRICE])
    if not sure(p, len(run.balls), a, b, fastest):
        if not (_can_split(tree, a) or _can_split(tree, b)):
            return
        cost *= DOUBT
    left = AHEAD * max(0.0, run.arcs[-1] - p[b, ARC])
    _reach_node(b, a, queue.cost[a] + cost, left, queue)


@inner(inline=False)
def _step_from_ball(t, run, tree, queue, fastest):
    """Go from a ball to its neighbours, and to the cells that hold or touch its centre."""
    k = len(run.balls)
    if t > 0:
        _step(t, t - 1, run, tree, queue, fastest)
    if t < k - 1:
        _step(t, t + 1, run, tree, queue, fastest)
    deep, scale = tree.deepest, tree.size / (1 << tree.deepest)
    i = int(math.floor((run.arcs[t] - tree.origin[0]) / scale))
    i = min((tree.shape[0] << deep) - 1, max(0, i))
    j = tree.shape[1] << deep >> 1  # offset zero: the line between two smallest cells
    last = -1
    for side in range(1 << (run.dimension - 1)):
        h = j - (side >> 1) if run.dimension == 3 else 0
        cell = _cell_at(tree, k, deep, i, j - (side & 1), h)
        if cell >= 0 and cell != last:
            _step(t, cell, run, tree, queue, fastest)
            last = cell


@inner(inline=False)
def _step_to_balls(node, run, tree, queue, fastest):
    """Go from a cell to the balls whose centres it holds or touches."""
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
def _step_to_cells(node, run, tree, queue, stack, fastest):
    """Go from a cell to the leaves on the other side of its faces."""
    k = len(run.balls)
    for face in range(2 * run.dimension):
        axis, ahead = face >> 1, face & 1
        level, i, j, h = _box(tree, node)
        way = 1 if ahead else -1
        i += way if axis == 0 else 0
        j += way if axis == 1 else 0
        h += way if axis == 2 else 0
        neighbour = _cell_at(tree, k, level, i, j, h)
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
def _search(run, tree, queue, stack):
    """A* from the first to the last ball of the run; False when no way is left."""
    goal = len(run.balls) - 1
    fastest = fastest_disc(run)
    queue.state[0] = 0
    queue.state[1] += 1
    _reach_node(0, -1, 0.0, run.arcs[goal], queue)
    while queue.state[0] > 0:
        node = _pop(queue)
        queue.state[2] += 1
        if node == goal:
            return True
        if node < goal:
            _step_from_ball(node, run, tree, queue, fastest)
        else:
            _step_to_cells(node, run, tree, queue, stack, fastest)
            _step_to_balls(node, run, tree, queue, fastest)
    return False


@inner(inline=False)
def _split_doubtful(run, tree, queue):
    """Split the cells of the way found where it may be closed; how many, -1 when too many."""
    done, fastest = 0, fastest_disc(run)
    b = len(run.balls) - 1
    while queue.came[b] >= 0:
        a = queue.came[b]
        if tree.used[0] + 16 > len(tree.points):
            return -1
        if not sure(tree.points, len(run.balls), a, b, fastest):
            la, lb = tree.boxes[a, 0], tree.boxes[b, 0]
            # The larger of the two cells; balls have the level -1, and are none.
            if _can_split(tree, a) and tree.boxes[a, 4] < 0 and (la <= lb or lb < 0):
                _split(run, tree, a)
                done += 1
            if _can_split(tree, b) and tree.boxes[b, 4] < 0 and (lb <= la or la < 0):
                _split(run, tree, b)
                done += 1
        b = a
    return done


@inner(inline=False)
def _split_all_doubtful(run, tree, queue, level):
    """Split every cell up to a level that a search came to and that may be closed; how many.

    What is closed needs all of them: one way after the other would take too many searches.
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
def find_way(run, opens_before, opens_after, rough, work):
    """Points of a free way through the run, (q, COLUMNS), and the verdict.

    OPEN, BLOCKED (proved) or UNDECIDED: when it takes too much work.
    """
    splits = FEW_SPLITS
    while splits <= SPLITS:  # large arrays take longer to get than most searches
        tree = _plant(run, opens_before, opens_after, rough, splits)
        way, verdict = _find_way_in(run, tree, work)
        if verdict != FULL:
            return way, verdict
        splits *= 16
    return np.empty((0, COLUMNS)), UNDECIDED


@kernel
def _find_way_in(run, tree, work):
    """Points of a free way, and the verdict: also FULL, when the tree has no memory left."""
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
    done = 1
    while done > 0:
        if not _search(run, tree, queue, stack):
            return none, BLOCKED
        if queue.state[2] > work:
            return none, UNDECIDED
        done = _split_doubtful(run, tree, queue)
        if done > 0 and queue.state[1] % TARGETED == 0:
            more = _split_all_doubtful(run, tree, queue, queue.state[1] // TARGETED)
            done = done + more if more >= 0 else -1
    if done < 0:
        return none, FULL
    return _trace(run, tree, queue), OPEN


@kernel
def _trace(run, tree, queue):
    """Points of the way found, from the first to the last ball of the run."""
    length, node = 0, len(run.balls) - 1
    while node >= 0:
        node = queue.came[node]
        length += 1
    way, node = np.empty((length, COLUMNS)), len(run.balls) - 1
    for row in range(length - 1, -1, -1):
        copy_row(way, row, tree.points, node)
        node = queue.came[node]
    return way
