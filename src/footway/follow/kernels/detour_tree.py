"""Cells and priority queue of the search for a sub-corridor (see kernels/detour)."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.detour_clearance import (
    ARC,
    ASIDE,
    COLUMNS,
    FINEST_2D,
    FINEST_3D,
    NARROW,
    OWNER,
    PRICE,
    REACH,
    ROOM,
    TIGHT,
    TIME,
    Tree,
    X,
    Y,
    Z,
    copy_row,
    fastest_disc,
    nearest_disc,
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
