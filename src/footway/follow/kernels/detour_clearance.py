"""Room at a point of a run: what the search and the smoothing of a sub-corridor both ask for."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel

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
    changes: np.ndarray  # (k,) arc length and all changes of R up to there, m
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
    origin: tuple[float, float, float]  # least arc length and offsets, or least x, y and z, m
    size: float  # of a cell of level 0, m
    deepest: int  # level of the smallest cells
    across: bool  # cells lie along x, y and z, and not along the backbone


class Queue(NamedTuple):
    """Open nodes, by their key; and the way to each node."""

    cost: np.ndarray  # (capacity,)
    key: np.ndarray  # (capacity,) cost and what is left at least
    came: np.ndarray  # (capacity,) node before it, -1 for none
    heap: np.ndarray  # (capacity,)
    slot: np.ndarray  # (capacity,) its place in the heap, -1 when it is not there
    seen: np.ndarray  # (capacity,) search that reached it
    state: np.ndarray  # (3,) heap size, number of the search, nodes left in all searches


@inner
def segment_at(arcs, arc):
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
def place_at(run, arc, u, w):
    """Point with offsets u, w from the backbone: (x, y, z, time, segment)."""
    i = segment_at(run.arcs, arc)
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
def depth_inside(balls, t, x, y, z):
    """How far a point is inside ball t; negative outside."""
    dx, dy, dz = x - balls[t, 0], y - balls[t, 1], z - balls[t, 2]
    return balls[t, 3] - math.sqrt(dx * dx + dy * dy + dz * dz)


@inner
def room_beside(discs, j, x, y, z, time):
    """Distance of a point to the rim of disc j at a time; negative inside."""
    dx = x - discs[j, 0] - time * discs[j, 4]
    dy = y - discs[j, 1] - time * discs[j, 5]
    dz = z - discs[j, 2] - time * discs[j, 6]
    return math.sqrt(dx * dx + dy * dy + dz * dz) - discs[j, 3]


@inner
def best_ball(run, i, x, y, z):
    """How far a point beside segment i is inside the corridor, and the ball that says so."""
    best, owner = depth_inside(run.balls, i, x, y, z), i
    # Where radii grow no faster than the backbone, and it is straight, the best ball is no
    # further along than twice the point's distance; the rest is for bends.
    window = 2.0 * (run.balls[i, 3] - best) + 0.5 * run.balls[i, 3]
    t = i - 1
    while t >= 0 and run.arcs[i] - run.arcs[t] <= window:
        inside = depth_inside(run.balls, t, x, y, z)
        if inside > best:
            best, owner = inside, t
        t -= 1
    t = i + 1
    while t < len(run.arcs) and run.arcs[t] - run.arcs[i] <= window:
        inside = depth_inside(run.balls, t, x, y, z)
        if inside > best:
            best, owner = inside, t
        t += 1
    return best, owner


@inner
def nearest_disc(run, x, y, z, time):
    """Distance to the nearest rim at a time, the disc, and the distance to the next one's rim.

    (inf, -1, inf) without discs.
    """
    best, disc, second = math.inf, -1, math.inf
    for j in range(len(run.discs)):
        if run.on[j]:
            beside = room_beside(run.discs, j, x, y, z, time)
            if beside < best:
                best, disc, second = beside, j, best
            elif beside < second:
                second = beside
    return best, disc, second


@inner
def fastest_disc(run):
    """Speed of the fastest disc that counts, m/s."""
    best = 0.0
    for j in range(len(run.discs)):
        vx, vy, vz = run.discs[j, 4], run.discs[j, 5], run.discs[j, 6]
        if run.on[j]:
            best = max(best, math.sqrt(vx * vx + vy * vy + vz * vz))
    return best


@inner
def copy_row(p, a, q, b):
    """Copy row b of q to row a of p."""
    for column in range(COLUMNS):
        p[a, column] = q[b, column]


@inner
def gap_between(p, a, q, b):
    """Distance between row a of p and row b of q."""
    dx, dy, dz = p[a, X] - q[b, X], p[a, Y] - q[b, Y], p[a, Z] - q[b, Z]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@inner
def are_linked(p, a, b, fastest):
    """Whether the straight line between two points of a way is certainly free, with some room.

    Room changes by a metre for each metre that the point or a disc moves.
    """
    moved = gap_between(p, a, p, b) + fastest * abs(p[a, TIME] - p[b, TIME])
    least = min(p[a, ROOM], p[b, ROOM])
    return least >= TIGHT and moved <= LINK * (p[a, ROOM] + p[b, ROOM])


@inner
def covered(p, a, q, b):
    """Whether two shrunken balls cover the straight line between their centres."""
    low, high = min(p[a, ROOM], q[b, ROOM]), max(p[a, ROOM], q[b, ROOM])
    return low >= -ROUNDING and gap_between(p, a, q, b) <= high + max(0.0, low)


@inner
def sure(p, k, a, b, fastest):
    """Whether the line between two nodes is free. What joins the k balls is not in doubt."""
    return are_linked(p, a, b, fastest) or (max(a, b) < k and covered(p, a, p, b))


@kernel
def thin(balls, times, first, last, radius):
    """Balls of a run that matter, not those that lie close to one that is kept: (balls, times)."""
    kept = np.empty(last - first + 1, np.int64)
    kept[0] = first
    count = 1
    for t in range(first + 1, last + 1):
        a, b = kept[count - 1], min(t + 1, last)
        widths = min(balls[a, 3], balls[b, 3])
        limit = min(THIN * widths, 0.5 * (widths - radius))
        if t < last and (
            gap_between(balls, a, balls, b) < limit or gap_between(balls, a, balls, t) <= SAME
        ):
            continue
        if t == last and count > 1 and gap_between(balls, a, balls, t) <= SAME:
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
def arc_lengths(balls):
    """Arc length of the backbone at each ball, m (k,)."""
    arcs = np.zeros(len(balls))
    for t in range(1, len(balls)):
        arcs[t] = arcs[t - 1] + gap_between(balls, t - 1, balls, t)
    return arcs


@kernel
def changes_along(balls):
    """Arc length of the backbone and the sum of all changes of R at each ball, m (k,).

    A ball's surface is nowhere further from that of another one than these two differ.
    """
    changes = np.zeros(len(balls))
    for t in range(1, len(balls)):
        changes[t] = changes[t - 1] + gap_between(balls, t - 1, balls, t)
        changes[t] += abs(balls[t, 3] - balls[t - 1, 3])
    return changes


@inner
def skip(values, t, by):
    """First index after t at which ascending values have grown by at least `by`, or their count."""
    n, step, least = len(values), 1, values[t] + by
    while t + step < n and values[t + step] < least:
        t += step
        step *= 2
    while step > 1:
        step //= 2
        if t + step < n and values[t + step] < least:
            t += step
    return t + 1


@kernel
def turning_frames(balls, dimension):
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
        length = gap_between(balls, i, balls, i + 1)
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
