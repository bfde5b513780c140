"""Step 1 of a sub-corridor: search a path of the character's centre (see kernels/detour).

Cells along the backbone have two limits: a path through them has to pass every arc length, and they
do not cover the corridor where the backbone turns back. But balls that are far apart along the
backbone may overlap: around a corner, or where the start and the goal are close to each other and
the backbone leads to the medial axis and back. So there are cells along x, y and z, too (`across`),
which cover all balls of a corridor. The time of such a cell is that of the ball that it is deepest
in.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.detour_clearance import (
    ARC,
    BLOCKED,
    CLEARANCE,
    COLUMNS,
    FULL,
    LEAST,
    METRE_COST,
    OPEN,
    OWNER,
    REACH,
    ROUNDING,
    TIME,
    UNDECIDED,
    X,
    Y,
    Z,
    best_ball,
    copy_row,
    depth_inside,
    fastest_disc,
    gap_between,
    is_free,
    nearest_disc,
    place_at,
    skip,
)
from footway.follow.kernels.layouts import RADIUS
from footway.follow.kernels.vectors import distance, row, segment_at

FINEST_2D = 1e-3  # m, smallest cell: a gap 5 mm wider than the character holds several
FINEST_3D = 8e-3  # m, coarser, because a surface has many more cells than a line
ROOTS = 40_000  # maximum number of initial cells
FEW_SPLITS = 256  # cells made by splitting: enough for most runs
SPLITS = 65_536  # the same, maximum; then the corridor counts as closed
TARGETED = 8  # searches that split only cells of the path found; then all undecided ones are split
AHEAD = 1.3  # estimated cost of a remaining metre: above the minimum, to expand fewer cells
DOUBT = 3.0  # cost of a metre that may turn out to be closed
NARROW = 0.1  # m, clearance at which a metre costs twice as much
ASIDE = 0.5  # additional cost of a metre at the rim of the corridor

LEVEL, BOX_I, BOX_J, BOX_H, CHILD, BOX_COLUMNS = range(6)  # columns of boxes, and their number
FIRST_AXIS = BOX_I  # the first of three integer coordinates
SIZE, NUMBER, EXPANDED = 0, 1, 2  # counters of a queue


class Tree(NamedTuple):
    """Nodes of the search: first the balls of the run, then the cells."""

    points: np.ndarray  # (capacity, COLUMNS); CLEARANCE is NaN until it is computed
    boxes: np.ndarray  # (capacity, BOX_COLUMNS) level (-1: a ball), coordinates, first child or -1
    used: np.ndarray  # (1,) number of nodes
    shape: tuple[int, int, int]  # cells of level 0
    origin: tuple[float, float, float]  # least arc length and offsets, or least x, y and z, m
    size: float  # of a cell of level 0, m
    deepest: int  # level of the smallest cells


class Queue(NamedTuple):
    """Priority queue of open nodes, and the best known path to each node."""

    cost: np.ndarray  # (capacity,)
    key: np.ndarray  # (capacity,) cost plus estimated remaining cost
    came: np.ndarray  # (capacity,) previous node, -1 for none
    heap: np.ndarray  # (capacity,)
    slot: np.ndarray  # (capacity,) index in the heap, -1: not in it
    seen: np.ndarray  # (capacity,) number of the last search that reached it
    counts: np.ndarray  # (3,) heap size, number of the search, nodes expanded in all searches


class Search(NamedTuple):
    """A search in progress."""

    run: NamedTuple  # a Run
    tree: Tree
    queue: Queue
    stack: np.ndarray  # (512,) cells to visit beyond a face
    fastest: float  # m/s, speed of the fastest disc


# Cells -------------------------------------------------------------------------------------------


@kernel
def _make_tree(run, rough, splits):
    """Tree for a run: its balls and the cells of level 0, with memory for some splits.

    rough: factor by which the smallest cells are larger than possible. If the run begins with the
    corridor's first ball, or ends with its last, cells along the backbone also cover the half of
    that ball that lies beyond the end of the backbone.
    """
    k, mean, widest = len(run.balls), 0.0, 0.0
    x, y, z = math.inf, math.inf, math.inf
    right, back, top = -math.inf, -math.inf, -math.inf
    for t in range(k):
        free = run.balls[t, RADIUS] - run.radius
        widest = max(widest, free)
        free = max(0.0, free) if run.across else free
        mean += free / k
        x, right = min(x, run.balls[t, 0] - free), max(right, run.balls[t, 0] + free)
        y, back = min(y, run.balls[t, 1] - free), max(back, run.balls[t, 1] + free)
        z, top = min(z, run.balls[t, 2] - free), max(top, run.balls[t, 2] + free)
    low = -max(0.0, run.balls[0, RADIUS] - run.radius) if run.begins else 0.0
    high = run.arcs[-1] + (max(0.0, run.balls[-1, RADIUS] - run.radius) if run.ends else 0.0)
    size = min(0.5, max(0.06, 0.35 * mean))
    while True:
        if run.across:
            shape = (
                1 + int((right - x) / size),
                1 + int((back - y) / size),
                1 + int((top - z) / size) if run.dimension == 3 else 1,
            )
        else:
            aside = 2 * int(math.ceil(max(0.0, widest / size - 0.5))) + 1
            along = max(1, int(math.ceil((high - low) / size)))
            shape = (along, aside, aside if run.dimension == 3 else 1)
        cells = shape[0] * shape[1] * shape[2]
        if cells <= ROOTS:
            break
        size *= 1.3
    off = -0.5 * shape[1] * size
    origin = (x, y, z) if run.across else (low, off, off)
    finest = FINEST_2D if run.dimension == 2 else FINEST_3D
    deepest = 0
    while size > 2.0**deepest * rough * finest:
        deepest += 1
    points = np.empty((k + cells + splits, COLUMNS))
    boxes = np.empty((k + cells + splits, BOX_COLUMNS), np.int64)
    tree = Tree(points, boxes, np.zeros(1, np.int64), shape, origin, size, deepest)
    for t in range(k):
        centre, time = row(run.balls, t), run.times[t]
        clearance = min(run.balls[t, RADIUS], nearest_disc(run, centre, time)[0]) - run.radius
        _write_node(tree, t, centre, run.arcs[t], time, clearance, 0.0, t, 0.0)
        points[t, METRE_COST] = _metre_cost(clearance, 0.0)  # even if it is too narrow
        boxes[t, LEVEL], boxes[t, CHILD] = -1, -1
    tree.used[0] = k
    for i in range(shape[0]):
        for j in range(shape[1]):
            for h in range(shape[2]):
                _add_box(tree, 0, i, j, h)
    return tree


@inner
def _add_box(tree, level, i, j, h):
    """Add a cell as a node, not evaluated yet."""
    node, b = tree.used[0], tree.boxes
    b[node, LEVEL], b[node, CHILD] = level, -1
    b[node, BOX_I], b[node, BOX_J], b[node, BOX_H] = i, j, h
    tree.points[node, CLEARANCE] = math.nan
    tree.used[0] += 1


@inner
def _metre_cost(clearance, aside):
    """Cost of a metre: 1 in wide space on the backbone."""
    return 1.0 + NARROW / (0.01 + max(0.0, clearance)) + ASIDE * aside * aside


@inner
def _write_node(tree, node, x, arc, time, clearance, reach, owner, aside):
    """Write the columns of a node; `reach` bounds the change of clearance in its cell."""
    p = tree.points
    p[node, X], p[node, Y], p[node, Z], p[node, ARC], p[node, TIME] = x[0], x[1], x[2], arc, time
    p[node, CLEARANCE], p[node, REACH], p[node, OWNER] = clearance, reach, owner
    hope = clearance if clearance >= LEAST else 0.5 * max(0.0, clearance + reach)
    p[node, METRE_COST] = _metre_cost(hope, aside)


@inner
def _cell_at(tree, k, level, i, j, h):
    """Cell of a level, or the leaf that contains it; -1 outside the run. k: balls of the run."""
    a, b, c = i >> level, j >> level, h >> level
    if i < 0 or j < 0 or h < 0 or a >= tree.shape[0] or b >= tree.shape[1] or c >= tree.shape[2]:
        return -1
    node = k + (a * tree.shape[1] + b) * tree.shape[2] + c
    while level > 0 and tree.boxes[node, CHILD] >= 0:
        level -= 1
        bits = ((i >> level) & 1) | ((j >> level) & 1) << 1 | ((h >> level) & 1) << 2
        node = tree.boxes[node, CHILD] + bits
    return node


@inner(inline=False)
def _evaluate(run, tree, node):
    """Compute the clearance at the centre of a cell, and its possible change up to the corners."""
    box, origin = tree.boxes, tree.origin
    size = tree.size / (1 << box[node, LEVEL])
    a = origin[0] + (box[node, BOX_I] + 0.5) * size
    b = origin[1] + (box[node, BOX_J] + 0.5) * size
    if not run.across:
        w = origin[1] + (box[node, BOX_H] + 0.5) * size if run.dimension == 3 else 0.0
        x, time, i = place_at(run, a, b, w)
        inside, owner = best_ball(run, i, x)
        clearance = min(inside, nearest_disc(run, x, time)[0]) - run.radius
        reach = 0.0 if clearance >= LEAST else _reach(run, x, a, b, w, 0.5 * size)
        aside = math.sqrt(b * b + w * w) / max(run.balls[i, RADIUS], 1e-9)
        _write_node(tree, node, x, a, time, clearance, reach, owner, aside)
        return
    c = origin[2] + (box[node, BOX_H] + 0.5) * size if run.dimension == 3 else run.balls[0, Z]
    x, inside, owner, t = (a, b, c), -math.inf, 0, 0
    while t < len(run.balls):
        depth = depth_inside(run.balls, t, x)
        if depth > inside:
            inside, owner = depth, t
        t = skip(run.changes, t, inside - depth)
    time = run.times[owner]
    clearance = min(inside, nearest_disc(run, x, time)[0]) - run.radius
    reach = 0.0 if clearance >= LEAST else 0.5 * size * math.sqrt(run.dimension)
    _write_node(tree, node, x, run.arcs[owner], time, clearance, reach, owner, 0.0)


@inner(inline=False)
def _reach(run, x, arc, u, w, half):
    """Bound of the change of clearance between the centre x of a cell and its corners, m."""
    reach, fastest = 0.0, fastest_disc(run)
    lasts = place_at(run, arc + half, 0.0, 0.0)[1] - place_at(run, arc - half, 0.0, 0.0)[1]
    for corner in range(1 << run.dimension):
        at, _, _ = place_at(
            run,
            arc + (half if corner & 1 else -half),
            u + (half if corner & 2 else -half),
            (w + (half if corner & 4 else -half)) if run.dimension == 3 else 0.0,
        )
        reach = max(reach, distance(at, x))
    # A cell may bulge between its corners where the backbone bends.
    return 1.1 * reach + fastest * abs(lasts)


@inner
def _can_split(tree, node):
    """Whether a node is a cell that is not one of the smallest."""
    return 0 <= tree.boxes[node, LEVEL] < tree.deepest


@inner
def _split(run, tree, node):
    """Cut a cell in four (2D) or eight (3D)."""
    b = tree.boxes
    level, i, j, h = b[node, LEVEL], b[node, BOX_I], b[node, BOX_J], b[node, BOX_H]
    b[node, CHILD] = tree.used[0]
    for child in range(1 << run.dimension):
        deep = 2 * h + (child >> 2) if run.dimension == 3 else 0
        _add_box(tree, level + 1, 2 * i + (child & 1), 2 * j + ((child >> 1) & 1), deep)


@inner(inline=False)
def _split_on_path(search, end):
    """Split undecided cells of the path to a ball; their number, -1 if memory is full."""
    run, tree, queue, _, fastest = search
    done, b = 0, end
    while queue.came[b] >= 0:
        a = queue.came[b]
        if tree.used[0] + 16 > len(tree.points):
            return -1
        if not is_free(tree.points, len(run.balls), a, b, fastest):
            la, lb = tree.boxes[a, LEVEL], tree.boxes[b, LEVEL]
            # Split the larger of the two cells; balls have the level -1.
            if _can_split(tree, a) and tree.boxes[a, CHILD] < 0 and (la <= lb or lb < 0):
                _split(run, tree, a)
                done += 1
            if _can_split(tree, b) and tree.boxes[b, CHILD] < 0 and (lb <= la or la < 0):
                _split(run, tree, b)
                done += 1
        b = a
    return done


@inner(inline=False)
def _split_all(search, level):
    """Split every undecided cell up to a level that the search reached; as `_split_on_path`.

    To prove that a run is closed all of them are needed; one path at a time takes too long.
    """
    run, tree, queue, _, _ = search
    done = 0
    for node in range(len(run.balls), tree.used[0]):
        if tree.used[0] + 16 > len(tree.points):
            return -1
        if (
            queue.seen[node] == queue.counts[NUMBER]
            and tree.boxes[node, CHILD] < 0
            and tree.boxes[node, LEVEL] < min(level, tree.deepest)
            and tree.points[node, CLEARANCE] < LEAST
        ):
            _split(run, tree, node)
            done += 1
    return done


# Queue -------------------------------------------------------------------------------------------


@inner
def _pop(queue):
    """Take the node of least key from the heap."""
    heap, slot, key = queue.heap, queue.slot, queue.key
    top = heap[0]
    slot[top] = -1
    queue.counts[SIZE] -= 1
    n = queue.counts[SIZE]
    if n == 0:
        return top
    node, i = heap[n], 0
    while True:
        below = 2 * i + 1
        if below >= n:
            break
        if below + 1 < n and key[heap[below + 1]] < key[heap[below]]:
            below += 1
        if key[heap[below]] >= key[node]:
            break
        heap[i] = heap[below]
        slot[heap[i]] = i
        i = below
    heap[i] = node
    slot[node] = i
    return top


@inner
def _reach_node(node, before, cost, left, queue):
    """Record a path to a node if it is the best so far: an entry of the heap moves up."""
    heap, slot, key, counts = queue.heap, queue.slot, queue.key, queue.counts
    if queue.seen[node] != counts[NUMBER]:
        queue.seen[node] = counts[NUMBER]
        queue.cost[node] = math.inf
        slot[node] = -1
    if cost >= queue.cost[node]:
        return
    queue.cost[node], queue.came[node], key[node] = cost, before, cost + left
    if slot[node] < 0:
        slot[node] = counts[SIZE]
        counts[SIZE] += 1
    i = slot[node]
    while i > 0:
        above = (i - 1) >> 1
        if key[heap[above]] <= key[node]:
            break
        heap[i] = heap[above]
        slot[heap[i]] = i
        i = above
    heap[i] = node
    slot[node] = i


# Search ------------------------------------------------------------------------------------------


@inner(inline=False)
def _relax(a, b, search):
    """Relax the link from node a to its neighbour b if it is, or may be, free."""
    run, tree, queue, _, fastest = search
    p = tree.points
    if math.isnan(p[b, CLEARANCE]):
        _evaluate(run, tree, b)
    if p[b, CLEARANCE] + p[b, REACH] < (LEAST if b >= len(run.balls) else -ROUNDING):
        return
    cost = gap_between(p, a, p, b) * 0.5 * (p[a, METRE_COST] + p[b, METRE_COST])
    if not is_free(p, len(run.balls), a, b, fastest):
        if not (_can_split(tree, a) or _can_split(tree, b)):
            return
        cost *= DOUBT
    left = 0.0 if run.across else AHEAD * max(0.0, run.arcs[-1] - p[b, ARC])
    _reach_node(b, a, queue.cost[a] + cost, left, queue)


@inner(inline=False)
def _expand_ball(t, search):
    """Relax the links from a ball to its neighbours and to the cells at its centre."""
    run, tree, _, _, _ = search
    k, deep, scale = len(run.balls), tree.deepest, tree.size / (1 << tree.deepest)
    if t > 0:
        _relax(t, t - 1, search)
    if t < k - 1:
        _relax(t, t + 1, search)
    i = int(math.floor((run.arcs[t] - tree.origin[0]) / scale))
    i = min((tree.shape[0] << deep) - 1, max(0, i))
    j = tree.shape[1] << deep >> 1  # offset zero lies between two smallest cells
    last = -1
    for side in range(1 << (run.dimension - 1)):
        h = j - (side >> 1) if run.dimension == 3 else 0
        cell = _cell_at(tree, k, deep, i, j - (side & 1), h)
        if cell >= 0 and cell != last:
            _relax(t, cell, search)
            last = cell


@inner(inline=False)
def _expand_to_balls(node, search):
    """Relax the links from a cell to the balls whose centres it contains or touches."""
    run, tree, _, _, _ = search
    box, touch = tree.boxes, 1e-9 * tree.size
    size = tree.size / (1 << box[node, LEVEL])
    for axis in range(1, run.dimension):
        low = tree.origin[1] + box[node, FIRST_AXIS + axis] * size
        if low > touch or low + size < -touch:
            return
    low = tree.origin[0] + box[node, FIRST_AXIS] * size
    t = segment_at(run.arcs, low)
    while t < len(run.arcs) and run.arcs[t] <= low + size + touch:
        if run.arcs[t] >= low - touch:
            _relax(node, t, search)
        t += 1


@inner(inline=False)
def _expand_ball_across(t, search):
    """Relax the links from a ball to all overlapping balls and to the cell at its centre.

    If discs move, the link of non-consecutive balls must stay free of them, too.
    """
    run, tree, _, _, fastest = search
    p, k, other = tree.points, len(run.balls), 0
    while other < k:
        free = run.balls[other, RADIUS] - run.radius
        apart = gap_between(p, t, p, other) - p[t, CLEARANCE] - free
        far = fastest > 0.0 and abs(other - t) > 1
        if apart <= 0.0 and other != t and is_free(p, 0 if far else k, t, other, fastest):
            _relax(t, other, search)
        other = skip(run.changes, other, max(0.0, apart))
    x, origin, scale = row(run.balls, t), tree.origin, tree.size / (1 << tree.deepest)
    i = int(math.floor((x[0] - origin[0]) / scale))
    j = int(math.floor((x[1] - origin[1]) / scale))
    h = int(math.floor((x[2] - origin[2]) / scale)) if run.dimension == 3 else 0
    cell = _cell_at(tree, k, tree.deepest, i, j, h)
    if cell >= 0:
        _relax(t, cell, search)


@inner(inline=False)
def _expand_to_balls_across(node, search):
    """Relax the links from a cell to the balls whose centres it contains or touches."""
    run, tree, _, _, _ = search
    box, touch, t = tree.boxes, 1e-9 * tree.size, 0
    size = tree.size / (1 << box[node, LEVEL])
    while t < len(run.balls):
        beyond = -math.inf
        for axis in range(run.dimension):
            middle = tree.origin[axis] + (box[node, FIRST_AXIS + axis] + 0.5) * size
            beyond = max(beyond, abs(run.balls[t, axis] - middle) - 0.5 * size)
        if beyond <= touch:
            _relax(node, t, search)
            t += 1
        else:
            t = skip(run.arcs, t, beyond - touch)


@inner(inline=False)
def _expand_to_cells(node, search):
    """Relax the links from a cell to the leaves on the other side of its faces."""
    run, tree, _, stack, _ = search
    b = tree.boxes
    for face in range(2 * run.dimension):
        axis, ahead = face >> 1, face & 1
        direction = 1 if ahead else -1
        neighbour = _cell_at(
            tree,
            len(run.balls),
            b[node, LEVEL],
            b[node, BOX_I] + (direction if axis == 0 else 0),
            b[node, BOX_J] + (direction if axis == 1 else 0),
            b[node, BOX_H] + (direction if axis == 2 else 0),
        )
        if neighbour < 0:
            continue
        stack[0], top = neighbour, 1
        while top > 0:
            top -= 1
            cell = stack[top]
            first = b[cell, CHILD]
            if first < 0:
                _relax(node, cell, search)
                continue
            for child in range(1 << run.dimension):
                if (child >> axis) & 1 != ahead:  # on the side that touches the face
                    stack[top] = first + child
                    top += 1


@inner(inline=False)
def _search(search, source, goal):
    """A* from a ball of the run to the first ball reached with index `goal` or above.

    Returns that ball, or -1 if there is no path.
    """
    run, queue, k = search.run, search.queue, len(search.run.balls)
    queue.counts[SIZE] = 0
    queue.counts[NUMBER] += 1
    _reach_node(source, -1, 0.0, run.arcs[goal], queue)
    while queue.counts[SIZE] > 0:
        node = _pop(queue)
        queue.counts[EXPANDED] += 1
        if goal <= node < k:
            return node
        if node >= k:
            _expand_to_cells(node, search)
        if run.across:
            if node < k:
                _expand_ball_across(node, search)
            else:
                _expand_to_balls_across(node, search)
        elif node < k:
            _expand_ball(node, search)
        else:
            _expand_to_balls(node, search)
    return -1


@kernel
def find_path(run, source, goal, rough, work):
    """Find a free path in a run, from ball `source` to ball `goal` or a later one.

    Returns points (q, COLUMNS) and the result: OPEN, BLOCKED (proved) or UNDECIDED (work limit
    exceeded). If the run is searched across and all discs stand still, BLOCKED proves that there
    is no path at all in the balls.
    """
    splits = FEW_SPLITS
    while splits <= SPLITS:  # large arrays take longer to allocate than most searches
        path, result = _find_path_in(run, _make_tree(run, rough, splits), source, goal, work)
        if result != FULL:
            return path, result
        splits *= 16
    return np.empty((0, COLUMNS)), UNDECIDED


@kernel
def _find_path_in(run, tree, source, goal, work):
    """Find a free path: points and result, which is FULL if the tree is out of memory."""
    n = len(tree.points)
    came, heap, slot = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    seen, counts = np.zeros(n, np.int64), np.zeros(3, np.int64)
    queue = Queue(np.empty(n), np.empty(n), came, heap, slot, seen, counts)
    search = Search(run, tree, queue, np.empty(512, np.int64), fastest_disc(run))
    none = np.empty((0, COLUMNS))
    done, end = 1, -1
    while done > 0:
        end = _search(search, source, goal)
        if end < 0:
            return none, BLOCKED
        if counts[EXPANDED] > work:
            return none, UNDECIDED
        done = _split_on_path(search, end)
        if done > 0 and counts[NUMBER] % TARGETED == 0:
            more = _split_all(search, counts[NUMBER] // TARGETED)
            done = done + more if more >= 0 else -1
    if done < 0:
        return none, FULL
    length, node = 0, end
    while node >= 0:
        node = came[node]
        length += 1
    path, node = np.empty((length, COLUMNS)), end
    for k in range(length - 1, -1, -1):
        copy_row(path, k, tree.points, node)
        node = came[node]
    return path, OPEN
