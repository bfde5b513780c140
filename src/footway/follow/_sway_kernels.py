"""Sub-corridors that sway around discs (cmm-2007, "Avoiding Dynamic Obstacles").

The paper moves each ball on its own, away from the obstacle. A disc on the backbone then pulls the
corridor apart: balls before it go back, balls after it go on. Here a run of balls that discs touch
is moved as a whole, in three steps:

1. search    A way for the character's centre through the run. Room at a point is the lesser of
             two numbers: how far the point is inside a ball of the corridor, and how far it is
             from the rim of the nearest disc. Its slope is 1 at the most, so one number for a
             cell's centre says much about the whole cell: cells are split only where it does not
             say enough, and "closed" is a proof, down to the smallest cell.
2. relax     The way found has the corners of the cells. It is drawn to the backbone and made
             smooth, and the paper's move gives it room on both sides.
3. emit      Balls along it, so close that each one's centre is well inside its neighbours.

Cells are boxes in the coordinates of the backbone: arc length, and one (2D) or two (3D) offsets
along normals that turn with it. So a cell also has a time, at which moving discs are taken.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._jit import inner, kernel

TIGHT = 1e-4  # m, least room at the points of a way
MARGIN = 0.3 * TIGHT  # m, least room of a new ball: what a link leaves between two such points
LINK = 0.7  # two points of a way are this share of their summed rooms apart, at the most
CLOSE = 0.5  # centres of two balls are this share of the lesser room apart, at the most
LOOK_AHEAD = 64  # points of a way, among which the next ball is looked for
FINEST_GAP = 1e-3  # m, below this two balls need not be closer
ROUNDING = 2e-6  # m, by which the room of a ball of the corridor may be negative
SAME = 1e-9  # m, two balls this close have one place
FAR = 0.5  # m, centres of two balls are not further apart than this
THIN = 0.07  # balls closer than this share of their radius add nothing to the union
FINEST_2D = 1e-3  # m, smallest cell: a gap 5 mm wider than the character holds several
FINEST_3D = 8e-3  # m, coarser, because a surface has many more cells than a line
ROOTS = 40_000  # cells at the start, at the most
FEW_SPLITS = 256  # cells made by splitting that are enough in most runs
SPLITS = 65_536  # the same, at the most; then the corridor counts as closed
WORK = 150_000  # nodes to leave in all searches of a run, at the most; then it counts as closed
LESS_WORK = 40_000  # the same, while it is asked which discs close a run
ROUGH = 20.0  # times as large as the smallest: cells of a first answer to that
TARGETED = 8  # searches that split only cells of the way found, before one splits all in doubt
AHEAD = 1.3  # price of a metre that is left: more than the least, to look at fewer cells
DOUBT = 3.0  # price of a metre that may turn out to be closed
NARROW = 0.1  # m, room at which a metre costs twice as much
ASIDE = 0.5  # price of a metre at the rim of the corridor
WIDE = 1.0  # m, more room than this is not striven for
ROOMY = 0.6  # nor more than this share of the room without discs
ENOUGH = 0.5  # share of the room striven for that may not be lost for smoothness
ROUNDS = 16  # of relaxing, at the most
STILL = 2e-3  # m, points are not moved by less than this, or a tenth of their room
EARLY = 1.2  # radii of the corridor within which a way leaves the backbone and returns to it
SPACING = 0.35  # of the room without discs: between the points that are relaxed, at the most

# Columns of points: nodes of the search, and points of a way.
X, Y, Z, ARC, TIME, ROOM, OWNER = 0, 1, 2, 3, 4, 5, 6
REACH, PRICE = 7, 8  # of nodes only
DISC, SECOND = 7, 8  # of ways only: disc whose rim is nearest, or -1; room but for that rim
COLUMNS = 9

OPEN, BLOCKED, ON_START, ON_GOAL, PINCHED = 0, 1, 2, 3, 4
UNDECIDED, FULL = 5, 6  # of searches only


class Run(NamedTuple):
    """A stretch of the corridor, and the discs that touch it."""

    balls: np.ndarray  # (k, 4) x, y, z, R
    arcs: np.ndarray  # (k,) arc length of the backbone, m
    times: np.ndarray  # (k,) when the character is there, s
    frames: np.ndarray  # (k, 6) two normals of the backbone
    discs: np.ndarray  # (m, 7) x, y, z, radius, vx, vy, vz
    on: np.ndarray  # (m,) which of them count
    radius: float  # of the character, m
    dimension: int


class Tree(NamedTuple):
    """Nodes of the search: first the balls of the run, then the cells."""

    points: np.ndarray  # (capacity, COLUMNS); ROOM is NaN until it is asked for
    boxes: np.ndarray  # (capacity, 5) level, three whole coordinates on it, first child or -1
    used: np.ndarray  # (1,) how many there are
    shape: tuple[int, int, int]  # cells of level 0
    origin: tuple[float, float]  # least arc length and least offset, m
    size: float  # of a cell of level 0, m
    deepest: int  # level of the smallest cells


class Queue(NamedTuple):
    """Open nodes, by their key; and the way to each node."""

    cost: np.ndarray  # (capacity,)
    key: np.ndarray  # (capacity,) cost and what is left at least
    came: np.ndarray  # (capacity,) node before it, -1 for none
    heap: np.ndarray  # (capacity,)
    slot: np.ndarray  # (capacity,) its place in the heap, -1 when it is not there
    seen: np.ndarray  # (capacity,) search that reached it
    state: np.ndarray  # (3,) heap size, number of the search, nodes left in all searches


# ---- room -------------------------------------------------------------------------------------


@inner
def _segment_at(arcs, arc):
    """Index i of the backbone's segment from i to i + 1 that holds an arc length."""
    low, high = 0, len(arcs) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if arcs[middle] <= arc:
            low = middle
        else:
            high = middle
    return low


@inner
def _place(run, arc, u, w):
    """Point with offsets u, w from the backbone: (x, y, z, time, segment)."""
    i = _segment_at(run.arcs, arc)
    f = (arc - run.arcs[i]) / (run.arcs[i + 1] - run.arcs[i])
    g = min(1.0, max(0.0, f))  # beyond the ends the normals and the time stay the same
    b, n = run.balls, run.frames
    e, h = 1.0 - f, 1.0 - g
    x = e * b[i, 0] + f * b[i + 1, 0] + u * (h * n[i, 0] + g * n[i + 1, 0])
    y = e * b[i, 1] + f * b[i + 1, 1] + u * (h * n[i, 1] + g * n[i + 1, 1])
    z = e * b[i, 2] + f * b[i + 1, 2] + u * (h * n[i, 2] + g * n[i + 1, 2])
    if w != 0.0:
        x += w * (h * n[i, 3] + g * n[i + 1, 3])
        y += w * (h * n[i, 4] + g * n[i + 1, 4])
        z += w * (h * n[i, 5] + g * n[i + 1, 5])
    return x, y, z, h * run.times[i] + g * run.times[i + 1], i


@inner
def _inside(balls, t, x, y, z):
    """How far a point is inside ball t; negative outside."""
    dx, dy, dz = x - balls[t, 0], y - balls[t, 1], z - balls[t, 2]
    return balls[t, 3] - math.sqrt(dx * dx + dy * dy + dz * dz)


@inner
def _beside(discs, j, x, y, z, time):
    """Distance of a point to the rim of disc j at a time; negative inside."""
    dx = x - discs[j, 0] - time * discs[j, 4]
    dy = y - discs[j, 1] - time * discs[j, 5]
    dz = z - discs[j, 2] - time * discs[j, 6]
    return math.sqrt(dx * dx + dy * dy + dz * dz) - discs[j, 3]


@inner
def _best_ball(run, i, x, y, z):
    """How far a point beside segment i is inside the corridor, and the ball that says so."""
    best, owner = _inside(run.balls, i, x, y, z), i
    # Where radii grow no faster than the backbone, and it is straight, the best ball is no
    # further along than twice the point's distance; the rest is for bends.
    window = 2.0 * (run.balls[i, 3] - best) + 0.5 * run.balls[i, 3]
    t = i - 1
    while t >= 0 and run.arcs[i] - run.arcs[t] <= window:
        inside = _inside(run.balls, t, x, y, z)
        if inside > best:
            best, owner = inside, t
        t -= 1
    t = i + 1
    while t < len(run.arcs) and run.arcs[t] - run.arcs[i] <= window:
        inside = _inside(run.balls, t, x, y, z)
        if inside > best:
            best, owner = inside, t
        t += 1
    return best, owner


@inner
def _nearest_disc(run, x, y, z, time):
    """Distance to the nearest rim at a time, the disc, and the distance to the next one's rim.

    (inf, -1, inf) without discs.
    """
    best, disc, second = math.inf, -1, math.inf
    for j in range(len(run.discs)):
        if run.on[j]:
            beside = _beside(run.discs, j, x, y, z, time)
            if beside < best:
                best, disc, second = beside, j, best
            elif beside < second:
                second = beside
    return best, disc, second


@inner
def _fastest(run):
    """Speed of the fastest disc that counts, m/s."""
    best = 0.0
    for j in range(len(run.discs)):
        vx, vy, vz = run.discs[j, 4], run.discs[j, 5], run.discs[j, 6]
        if run.on[j]:
            best = max(best, math.sqrt(vx * vx + vy * vy + vz * vz))
    return best


@inner
def _copy(p, a, q, b):
    """Copy row b of q to row a of p."""
    for column in range(COLUMNS):
        p[a, column] = q[b, column]


@inner
def _gap(p, a, q, b):
    """Distance between row a of p and row b of q."""
    dx, dy, dz = p[a, X] - q[b, X], p[a, Y] - q[b, Y], p[a, Z] - q[b, Z]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@inner
def _linked(p, a, b, fastest):
    """Whether the straight line between two points of a way is certainly free, with some room.

    Room changes by a metre for each metre that the point or a disc moves.
    """
    moved = _gap(p, a, p, b) + fastest * abs(p[a, TIME] - p[b, TIME])
    least = min(p[a, ROOM], p[b, ROOM])
    return least >= TIGHT and moved <= LINK * (p[a, ROOM] + p[b, ROOM])


@inner
def _covered(p, a, q, b):
    """Whether two shrunken balls cover the straight line between their centres."""
    low, high = min(p[a, ROOM], q[b, ROOM]), max(p[a, ROOM], q[b, ROOM])
    return low >= -ROUNDING and _gap(p, a, q, b) <= high + max(0.0, low)


@inner
def _sure(p, k, a, b, fastest):
    """Whether the line between two nodes is free. What joins the k balls is not in doubt."""
    return _linked(p, a, b, fastest) or (max(a, b) < k and _covered(p, a, p, b))


# ---- the run ----------------------------------------------------------------------------------


@kernel
def _thin(balls, times, first, last, radius):
    """Balls of a run that matter, not those that lie close to one that is kept: (balls, times)."""
    kept = np.empty(last - first + 1, np.int64)
    kept[0] = first
    count = 1
    for t in range(first + 1, last + 1):
        a, b = kept[count - 1], min(t + 1, last)
        widths = min(balls[a, 3], balls[b, 3])
        limit = min(THIN * widths, 0.5 * (widths - radius))
        if t < last and (_gap(balls, a, balls, b) < limit or _gap(balls, a, balls, t) <= SAME):
            continue
        if t == last and count > 1 and _gap(balls, a, balls, t) <= SAME:
            count -= 1
        kept[count] = t
        count += 1
    chosen, when = np.empty((count, 4)), np.empty(count)
    for i in range(count):
        when[i] = times[kept[i]]
        for column in range(4):
            chosen[i, column] = balls[kept[i], column]
    return chosen, when


@kernel
def _arc_lengths(balls):
    """Arc length of the backbone at each ball, m (k,)."""
    arcs = np.zeros(len(balls))
    for t in range(1, len(balls)):
        arcs[t] = arcs[t - 1] + _gap(balls, t - 1, balls, t)
    return arcs


@kernel
def _turning_frames(balls, dimension):
    """Two unit normals of the backbone at each ball, (k, 6); the second is zero in 2D.

    In 3D they turn no more than the backbone does, so that neighbours have like offsets.
    """
    frames = np.zeros((len(balls), 6))
    nx, ny, nz = 0.0, 0.0, 0.0
    for t in range(len(balls)):
        x, y, z = _direction(balls, t)
        if x != 0.0 or y != 0.0 or z != 0.0:
            if dimension == 2:
                nx, ny = -y, x
            else:
                nx, ny, nz = _normal(x, y, z, nx, ny, nz)
                frames[t, 3], frames[t, 4] = y * nz - z * ny, z * nx - x * nz
                frames[t, 5] = x * ny - y * nx
        elif t > 0:  # the backbone turns back on the spot
            for column in range(3, 6):
                frames[t, column] = frames[t - 1, column]
        frames[t, 0], frames[t, 1], frames[t, 2] = nx, ny, nz
    return frames


@inner
def _direction(balls, t):
    """Unit vector half-way between the backbone's directions before and after ball t, or zero."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(max(0, t - 1), min(len(balls) - 1, t + 1)):
        length = _gap(balls, i, balls, i + 1)
        x += (balls[i + 1, 0] - balls[i, 0]) / length
        y += (balls[i + 1, 1] - balls[i, 1]) / length
        z += (balls[i + 1, 2] - balls[i, 2]) / length
    size = math.sqrt(x * x + y * y + z * z)
    if size < 1e-6:
        return 0.0, 0.0, 0.0
    return x / size, y / size, z / size


@inner
def _normal(x, y, z, nx, ny, nz):
    """Unit normal to the unit vector (x, y, z), as near to (nx, ny, nz) as can be."""
    along = x * nx + y * ny + z * nz
    nx, ny, nz = nx - along * x, ny - along * y, nz - along * z
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size < 1e-3:  # no normal before, or it lies along: the axis that is most across
        if abs(x) <= min(abs(y), abs(z)):
            nx, ny, nz = 1.0 - x * x, -x * y, -x * z
        elif abs(y) <= abs(z):
            nx, ny, nz = -y * x, 1.0 - y * y, -y * z
        else:
            nx, ny, nz = -z * x, -z * y, 1.0 - z * z
        size = math.sqrt(nx * nx + ny * ny + nz * nz)
    return nx / size, ny / size, nz / size


# ---- the cells --------------------------------------------------------------------------------


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
    deepest = max(0, int(math.ceil(math.log2(size / (rough * finest)))))
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
    beside, _, _ = _nearest_disc(run, x, y, z, run.times[t])
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
    x, y, z, time, i = _place(run, arc, u, w)
    inside, owner = _best_ball(run, i, x, y, z)
    beside, _, _ = _nearest_disc(run, x, y, z, time)
    room = min(inside, beside) - run.radius
    p[node, X], p[node, Y], p[node, Z], p[node, ARC] = x, y, z, arc
    p[node, TIME], p[node, ROOM], p[node, OWNER] = time, room, owner
    p[node, REACH] = 0.0 if room >= TIGHT else _reach(run, x, y, z, arc, u, w, 0.5 * size)
    hope = room if room >= TIGHT else 0.5 * max(0.0, room + p[node, REACH])
    p[node, PRICE] = _price(hope, math.sqrt(u * u + w * w) / max(run.balls[i, 3], 1e-9))


@inner(inline=False)
def _reach(run, x, y, z, arc, u, w, half):
    """Most that the room can change between a cell's centre (x, y, z) and its corners, m."""
    reach, fastest = 0.0, _fastest(run)
    lasts = _place(run, arc + half, 0.0, 0.0)[3] - _place(run, arc - half, 0.0, 0.0)[3]
    for corner in range(1 << run.dimension):
        cx, cy, cz, _, _ = _place(
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


# ---- the search -------------------------------------------------------------------------------


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
    cost = _gap(p, a, p, b) * 0.5 * (p[a, PRICE] + p[b, PRICE])
    if not _sure(p, len(run.balls), a, b, fastest):
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
    t = _segment_at(run.arcs, low)
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
    fastest = _fastest(run)
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
    done, fastest = 0, _fastest(run)
    b = len(run.balls) - 1
    while queue.came[b] >= 0:
        a = queue.came[b]
        if tree.used[0] + 16 > len(tree.points):
            return -1
        if not _sure(tree.points, len(run.balls), a, b, fastest):
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
def _find_way(run, opens_before, opens_after, rough, work):
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
        _copy(way, row, tree.points, node)
        node = queue.came[node]
    return way


# ---- the way made smooth ----------------------------------------------------------------------


@inner(inline=False)
def _look_between(run, p, row, hint, other):
    """Room at row `row` of a way, whose place is known; the hints are balls that may hold it."""
    x, y, z = p[row, X], p[row, Y], p[row, Z]
    inside, owner = _best_ball(run, _segment_at(run.arcs, p[row, ARC]), x, y, z)
    for t in (hint, other):
        if _inside(run.balls, t, x, y, z) > inside:
            inside, owner = _inside(run.balls, t, x, y, z), t
    beside, disc, second = _nearest_disc(run, x, y, z, p[row, TIME])
    p[row, ROOM], p[row, OWNER] = min(inside, beside) - run.radius, owner
    if beside < inside:
        p[row, DISC], p[row, SECOND] = disc, min(inside, second) - run.radius
    else:
        p[row, DISC], p[row, SECOND] = -1, beside - run.radius


@inner
def _midpoint(run, p, a, b, row):
    """Put the point half-way between rows a and b in row `row`."""
    for column in range(TIME + 1):
        p[row, column] = 0.5 * (p[a, column] + p[b, column])
    _look_between(run, p, row, int(p[a, OWNER]), int(p[b, OWNER]))


@kernel
def _refine(run, way):
    """Way with more points, close enough to be relaxed, and a spare row at the end."""
    total = 2
    for row in range(1, len(way)):
        total += _parts(run, way, row)
    out = np.empty((total, COLUMNS))
    _copy(out, 0, way, 0)
    count = 1
    for row in range(1, len(way)):
        parts = _parts(run, way, row)
        for part in range(1, parts + 1):
            _copy(out, count, way, row)
            if part < parts:
                for column in range(TIME + 1):
                    before, after = way[row - 1, column], way[row, column]
                    out[count, column] = before + (after - before) * part / parts
            _look_between(run, out, count, int(way[row - 1, OWNER]), int(way[row, OWNER]))
            count += 1
    return out


@inner
def _parts(run, way, row):
    """Into how many parts to cut the line from the point before."""
    wide = run.balls[_segment_at(run.arcs, way[row, ARC]), 3] - run.radius
    spacing = min(FAR, max(0.1, SPACING * wide))
    return max(1, int(math.ceil(_gap(way, row - 1, way, row) / spacing)))


@inner
def _striven(run, arc):
    """Room that a way strives for at an arc length, m."""
    return min(WIDE, ROOMY * (run.balls[_segment_at(run.arcs, arc), 3] - run.radius))


@inner
def _push(run, way, row):
    """The paper's move, with discs for points: half-way from the nearest rim to the next.

    (dx, dy, dz), m; zero where there is as much room as is striven for.
    """
    disc, owner = int(way[row, DISC]), int(way[row, OWNER])
    lack = _striven(run, way[row, ARC]) - way[row, ROOM]
    dist = min(lack, 0.5 * (way[row, SECOND] - way[row, ROOM]))
    if lack <= 0.0 or way[row, SECOND] == math.inf:
        return 0.0, 0.0, 0.0
    x, y, z, time = way[row, X], way[row, Y], way[row, Z], way[row, TIME]
    b, d = run.balls, run.discs
    if disc >= 0:
        dx = x - d[disc, 0] - time * d[disc, 4]
        dy = y - d[disc, 1] - time * d[disc, 5]
        dz = z - d[disc, 2] - time * d[disc, 6]
    else:
        dx, dy, dz = b[owner, 0] - x, b[owner, 1] - y, b[owner, 2] - z
    size = max(1e-12, math.sqrt(dx * dx + dy * dy + dz * dz))
    return _across(way, row, dist * dx / size, dist * dy / size, dist * dz / size)


@inner
def _across(way, row, dx, dy, dz):
    """The part of a vector across the way: along it, points would crowd before a disc."""
    x, y = way[row + 1, X] - way[row - 1, X], way[row + 1, Y] - way[row - 1, Y]
    z = way[row + 1, Z] - way[row - 1, Z]
    along = (dx * x + dy * y + dz * z) / max(1e-12, x * x + y * y + z * z)
    return dx - along * x, dy - along * y, dz - along * z


@inner
def _strain(run, way, bones, row):
    """Where a string would have a point: (x, y, z, arc length, time).

    The string is straight in the coordinates of the backbone, and a spring draws it there.
    """
    a = max(_gap(way, row - 1, way, row), 1e-9)
    b = max(_gap(way, row, way, row + 1), 1e-9)
    f = b / (a + b)
    g = 1.0 - f
    arc = f * way[row - 1, ARC] + g * way[row + 1, ARC]
    x, y, z, time, _ = _place(run, arc, 0.0, 0.0)
    length = EARLY * run.balls[_segment_at(run.arcs, arc), 3]
    k = 1.0 / (1.0 + 0.5 * a * b / (length * length))
    x += k * (f * (way[row - 1, X] - bones[row - 1, X]) + g * (way[row + 1, X] - bones[row + 1, X]))
    y += k * (f * (way[row - 1, Y] - bones[row - 1, Y]) + g * (way[row + 1, Y] - bones[row + 1, Y]))
    z += k * (f * (way[row - 1, Z] - bones[row - 1, Z]) + g * (way[row + 1, Z] - bones[row + 1, Z]))
    return x, y, z, arc, time


@inner
def _try(run, way, row, x, y, z, arc, time, least, fastest):
    """Move a point of the way if that leaves the room `least` and keeps it linked."""
    last = len(way) - 1  # a spare row
    _copy(way, last, way, row)
    way[row, X], way[row, Y], way[row, Z], way[row, ARC], way[row, TIME] = x, y, z, arc, time
    hint = int(way[row, OWNER])
    _look_between(run, way, row, hint, hint)
    if (
        way[row, ROOM] >= least
        and _linked(way, row - 1, row, fastest)
        and _linked(way, row, row + 1, fastest)
    ):
        return True
    _copy(way, row, way, last)
    return False


@inner(inline=False)
def _relax(run, way, bones, backward):
    """One round: draw a way to the backbone, smooth it and give it room; its ends stay.

    bones: (q, 3) the backbone at the points' arc lengths. The last row of `way` is spare. Returns
    whether a point was moved.
    """
    fastest, any_moved = _fastest(run), False
    inner_rows = len(way) - 3
    for i in range(inner_rows):
        row = inner_rows - i if backward else 1 + i
        px, py, pz = _push(run, way, row)
        room = way[row, ROOM]
        least = min(room, ENOUGH * _striven(run, way[row, ARC]))
        x, y, z, arc, time = _strain(run, way, bones, row)
        x, y, z = x + px, y + py, z + pz
        dx, dy, dz = x - way[row, X], y - way[row, Y], z - way[row, Z]
        still = min(STILL, 0.1 * room)
        if dx * dx + dy * dy + dz * dz <= still * still:
            continue
        moved = _try(run, way, row, x, y, z, arc, time, least, fastest)
        if moved:
            bx, by, bz, _, _ = _place(run, arc, 0.0, 0.0)
            bones[row, X], bones[row, Y], bones[row, Z] = bx, by, bz
        elif px * px + py * py + pz * pz > still * still:
            x, y, z = way[row, X] + px, way[row, Y] + py, way[row, Z] + pz
            arc, time = way[row, ARC], way[row, TIME]
            moved = _try(run, way, row, x, y, z, arc, time, room, fastest)
        any_moved = any_moved or moved
    return any_moved


@kernel
def _smooth(run, way):
    """Way through the run that is fit to carry balls, (q, COLUMNS), and a spare row at the end."""
    fine = _refine(run, way)
    bones = np.empty((len(fine) - 1, 3))
    for row in range(len(bones)):
        x, y, z, _, _ = _place(run, fine[row, ARC], 0.0, 0.0)
        bones[row, X], bones[row, Y], bones[row, Z] = x, y, z
    for turn in range(ROUNDS):
        if not _relax(run, fine, bones, turn % 2 == 1):
            break
    return fine


# ---- the balls --------------------------------------------------------------------------------


@inner
def _near(p, a, q, b):
    """Whether two balls are so close that each one's centre is well inside the other.

    Under a millimetre it is enough that a straight move from one to the other is free.
    """
    gap = _gap(p, a, q, b)
    close = gap <= min(FAR, CLOSE * min(p[a, ROOM], q[b, ROOM]))
    return close or (gap <= FINEST_GAP and _covered(p, a, q, b))


@kernel
def _emit(run, way, out, count):
    """Add balls along a way, but not those of its ends: (rows, their count, or -1 at a break).

    A ball that follows is the furthest point of the way that is near enough; where there is none,
    points are put in between. So loops of the way are cut off, too.
    """
    stack = np.empty((64, COLUMNS))  # row 0: the last ball
    _copy(stack, 0, way, 0)
    row, last = 0, len(way) - 2
    while row < last:
        furthest = row + 1
        for ahead in range(row + 2, min(last, row + LOOK_AHEAD) + 1):
            if _near(stack, 0, way, ahead):
                furthest = ahead
        row, top = furthest, 1
        _copy(stack, 1, way, row)
        while top > 0:
            if not _near(stack, 0, stack, top):
                if top + 1 == len(stack):
                    return out, -1
                _midpoint(run, stack, 0, top, top + 1)
                top += 1
                continue
            _copy(stack, 0, stack, top)
            top -= 1
            if row < last or top > 0:
                if count + 2 > len(out):
                    out = _longer(out)
                for column in range(3):
                    out[count, column] = stack[0, column]
                out[count, 3], out[count, 4] = stack[0, ROOM] + run.radius, stack[0, TIME]
                count += 1
    return out, count


# ---- the corridor -----------------------------------------------------------------------------


@kernel
def _touched(balls, discs, times):
    """Which balls a disc touches at the time of the ball, (n,)."""
    out = np.zeros(len(balls), np.bool_)
    for t in range(len(balls)):
        for j in range(len(discs)):
            x, y, z = balls[t, 0], balls[t, 1], balls[t, 2]
            if _beside(discs, j, x, y, z, times[t]) < balls[t, 3]:
                out[t] = True
                break
    return out


@kernel
def _near_run(balls, discs, times, first, last):
    """Discs that may touch a ball of the run at some time of the run, in the run's order."""
    order = np.empty(len(discs), np.int64)
    place = np.empty(len(discs), np.int64)
    low, high = math.inf, -math.inf
    for t in range(first, last + 1):
        low, high = min(low, times[t]), max(high, times[t])
    count = 0
    for j in range(len(discs)):
        vx, vy, vz = discs[j, 4], discs[j, 5], discs[j, 6]
        speed = math.sqrt(vx * vx + vy * vy + vz * vz)
        best, where, touches = math.inf, first, False
        for t in range(first, last + 1):
            beside = _beside(discs, j, balls[t, 0], balls[t, 1], balls[t, 2], times[t])
            drift = speed * max(times[t] - low, high - times[t])
            touches = touches or beside - drift < balls[t, 3]
            if beside < best:
                best, where = beside, t
        if touches:
            slot = count
            while slot > 0 and place[slot - 1] > where:
                order[slot], place[slot] = order[slot - 1], place[slot - 1]
                slot -= 1
            order[slot], place[slot] = j, where
            count += 1
    return order[:count].copy()


@kernel
def _first_to_close(run, opens_before, opens_after, rough):
    """Switch on the discs that close the run, as few as do it; how many.

    Without any one of them it is open, or at least not proved to be closed. Of several such sets
    it is the one that comes first along the backbone. None: the corridor itself is closed.
    """
    m = len(run.discs)
    low, high = 0, m  # the first `high` discs close it
    while low < high:
        middle = (low + high) // 2
        for j in range(m):
            run.on[j] = j < middle
        if _is_closed(run, opens_before, opens_after, rough):
            high = middle
        else:
            low = middle + 1
    for j in range(m):
        run.on[j] = j < high
    for j in range(high - 1):
        run.on[j] = False
        run.on[j] = not _is_closed(run, opens_before, opens_after, rough)
    return high


@kernel
def _is_closed(run, opens_before, opens_after, rough):
    """Whether it can be proved with little work that the discs that count close a run."""
    _, verdict = _find_way(run, opens_before, opens_after, rough, LESS_WORK)
    return verdict == BLOCKED


@kernel
def _on_top(balls, discs, times, t, radius):
    """Discs that leave the character no room in the centre of ball t."""
    out = np.empty(len(discs), np.int64)
    count = 0
    for j in range(len(discs)):
        beside = _beside(discs, j, balls[t, 0], balls[t, 1], balls[t, 2], times[t])
        if beside < radius - ROUNDING:
            out[count] = j
            count += 1
    return out[:count].copy()


@kernel
def _make_run(balls, discs, times, first, last, radius, dimension, near):
    """The stretch from ball `first` to ball `last`, with the discs `near`."""
    kept, when = _thin(balls, times, first, last, radius)
    chosen = np.empty((len(near), 7))
    for i in range(len(near)):
        for column in range(7):
            chosen[i, column] = discs[near[i], column]
    frames = _turning_frames(kept, dimension)
    on = np.ones(len(near), np.bool_)
    return Run(kept, _arc_lengths(kept), when, frames, chosen, on, radius, dimension)


@kernel
def _longer(out):
    """Array of rows that has twice the length."""
    bigger = np.empty((2 * len(out), 5))
    for row in range(len(out)):
        for column in range(5):
            bigger[row, column] = out[row, column]
    return bigger


@inner
def _put_ball(out, count, balls, discs, times, t):
    """Put ball t in its place, as large as the discs leave it, in row `count`."""
    x, y, z, least = balls[t, 0], balls[t, 1], balls[t, 2], balls[t, 3]
    for j in range(len(discs)):
        least = min(least, _beside(discs, j, x, y, z, times[t]))
    out[count, 0], out[count, 1], out[count, 2] = x, y, z
    out[count, 3], out[count, 4] = least, times[t]


@kernel
def _blame(run, near, opens_before, opens_after):
    """Which discs close the run: (status, discs).

    Mostly large cells tell it as well as small ones, and much faster.
    """
    count = _first_to_close(run, opens_before, opens_after, ROUGH)
    _, verdict = _find_way(run, opens_before, opens_after, 1.0, WORK)
    if verdict == OPEN:
        count = _first_to_close(run, opens_before, opens_after, 1.0)
    if count == 0:
        return PINCHED, near
    count = 0
    for j in range(len(near)):
        if run.on[j]:
            near[count] = near[j]
            count += 1
    return BLOCKED, near[:count].copy()


@kernel
def sway(balls, discs, radius, times, dimension):
    """Sub-corridor (B', R') of balls (n, 4) that sways around discs (m, 7).

    times: (n,) when the character is expected at each ball, s. Returns
    (status, rows (n', 5): x, y, z, R', time, discs that are to blame); there are no rows unless
    the status is OPEN. Balls that no disc touches stay as they are; the centres of the first and
    the last ball stay, too.
    """
    n = len(balls)
    none = np.empty((0, 5))
    for goal in range(2):
        blame = _on_top(balls, discs, times, goal * (n - 1), radius)
        if len(blame) > 0:
            return (ON_GOAL if goal else ON_START), none, blame
    touched = _touched(balls, discs, times)
    out, count = np.empty((2 * n + 64, 5)), 1
    _put_ball(out, 0, balls, discs, times, 0)
    t = 0  # the last ball that is out
    while t < n - 1:
        last = t + 1
        if touched[last] or (t == 0 and touched[0]):
            while last < n - 1 and touched[last]:
                last += 1
            near = _near_run(balls, discs, times, t, last)
            run = _make_run(balls, discs, times, t, last, radius, dimension, near)
            if run.arcs[-1] > SAME:
                way, verdict = _find_way(run, t == 0, last == n - 1, 1.0, WORK)
                if verdict != OPEN:
                    status, blame = _blame(run, near, t == 0, last == n - 1)
                    return status, none, blame
                out, count = _emit(run, _smooth(run, way), out, count)
                if count < 0:
                    return PINCHED, none, near
        if count + 2 > len(out):
            out = _longer(out)
        _put_ball(out, count, balls, discs, times, last)
        count += 1
        t = last
    return OPEN, out[:count].copy(), np.empty(0, np.int64)
