"""Clearance (`room`) at points of a run, for the search and smoothing of a sub-corridor."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel

TIGHT = 1e-4  # m, minimum clearance at the points of a path
MARGIN = (
    0.3 * TIGHT
)  # m, minimum clearance of a new ball: what a link guarantees between such points
LINK = 0.7  # maximum distance of two points of a path, relative to the sum of their clearances
CLOSE = 0.5  # maximum distance of two balls, relative to the lesser clearance
LOOK_AHEAD = 64  # points of a path among which the next ball is chosen
FINEST_GAP = 1e-3  # m, balls need not be closer than this
ROUNDING = 2e-6  # m by which the clearance of a ball of the corridor may be negative
SAME = 1e-9  # m, balls closer than this coincide
FAR = 0.5  # m, maximum distance between the centres of two balls
THIN = 0.07  # balls closer than this fraction of their radius are dropped
FINEST_2D = 1e-3  # m, smallest cell: a gap 5 mm wider than the character holds several
FINEST_3D = 8e-3  # m, coarser, because a surface has many more cells than a line
ROOTS = 40_000  # maximum number of initial cells
FEW_SPLITS = 256  # cells made by splitting: enough for most runs
SPLITS = 65_536  # the same, maximum; then the corridor counts as closed
WORK = (
    150_000  # maximum number of expanded nodes in all searches of a run; then it counts as closed
)
LESS_WORK = 40_000  # the same, for finding the discs that close a run
ROUGH = 20.0  # size of the cells of the first attempt at that, relative to the smallest
TARGETED = (
    8  # searches that split only cells of the path found, before all undecided ones are split
)
AHEAD = 1.3  # estimated cost of a remaining metre: above the minimum, to expand fewer cells
DOUBT = 3.0  # cost of a metre that may turn out to be closed
NARROW = 0.1  # m, clearance at which a metre costs twice as much
ASIDE = 0.5  # additional cost of a metre at the rim of the corridor
WIDE = 1.0  # m, upper limit of the desired clearance
ROOMY = 0.6  # the same, relative to the clearance without discs
ENOUGH = 0.5  # fraction of the desired clearance that smoothing must preserve
ROUNDS = 16  # of relaxing, maximum
STILL = 2e-3  # m, smaller moves, or moves below a tenth of the clearance, are skipped
EARLY = 1.2  # radii of the corridor within which a path leaves the backbone and returns to it
SPACING = 0.35  # maximum distance of relaxed points, relative to the clearance without discs

# Columns of points: nodes of the search, and points of a path.
X, Y, Z, ARC, TIME, ROOM, OWNER = 0, 1, 2, 3, 4, 5, 6
REACH, PRICE = 7, 8  # of nodes only
DISC, SECOND = 7, 8  # of paths only: disc with the nearest rim, or -1; clearance without that disc
COLUMNS = 9

OPEN, BLOCKED, ON_START, ON_GOAL, PINCHED = 0, 1, 2, 3, 4
UNDECIDED, FULL = 5, 6  # of searches only


class Run(NamedTuple):
    """A stretch of the corridor, and the discs that touch it."""

    balls: np.ndarray  # (k, 4) x, y, z, R
    arcs: np.ndarray  # (k,) arc length of the backbone, m
    changes: np.ndarray  # (k,) arc length plus the sum of all changes of R, m
    times: np.ndarray  # (k,) expected arrival of the character, s
    frames: np.ndarray  # (k, 6) two normals of the backbone
    discs: np.ndarray  # (m, 7) x, y, z, radius, vx, vy, vz
    on: np.ndarray  # (m,) whether each disc is enabled
    radius: float  # of the character, m
    dimension: int


class Tree(NamedTuple):
    """Nodes of the search: first the balls of the run, then the cells."""

    points: np.ndarray  # (capacity, COLUMNS); ROOM is NaN until it is computed
    boxes: np.ndarray  # (capacity, 5) level, three integer coordinates, first child or -1
    used: np.ndarray  # (1,) number of nodes
    shape: tuple[int, int, int]  # cells of level 0
    origin: tuple[float, float, float]  # least arc length and offsets, or least x, y and z, m
    size: float  # of a cell of level 0, m
    deepest: int  # level of the smallest cells
    across: bool  # cells lie along x, y and z instead of along the backbone


class Queue(NamedTuple):
    """Priority queue of open nodes, and the best known path to each node."""

    cost: np.ndarray  # (capacity,)
    key: np.ndarray  # (capacity,) cost plus estimated remaining cost
    came: np.ndarray  # (capacity,) previous node, -1 for none
    heap: np.ndarray  # (capacity,)
    slot: np.ndarray  # (capacity,) index in the heap, -1: not in it
    seen: np.ndarray  # (capacity,) number of the last search that reached it
    state: np.ndarray  # (3,) heap size, number of the search, nodes expanded in all searches


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
    g = min(1.0, max(0.0, f))  # beyond the ends normals and time are constant
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
    """Depth of a point inside ball t; negative outside."""
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
    """Depth of a point beside segment i inside the corridor, and the ball it is deepest in."""
    best, owner = depth_inside(run.balls, i, x, y, z), i
    # On a straight backbone whose radii grow no faster than its length, the best ball is within
    # twice the point's distance; the rest is for bends.
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
    """Speed of the fastest enabled disc, m/s."""
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
    """Whether the line between two points of a path is certainly free, with some clearance.

    Clearance changes by at most one metre per metre that the point or a disc moves.
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
    """Whether the line between two nodes is free; lines between the k balls always are."""
    return are_linked(p, a, b, fastest) or (max(a, b) < k and covered(p, a, p, b))


@kernel
def thin(balls, times, first, last, radius):
    """Drop balls of a run that lie close to a ball that is kept: (balls, times)."""
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
    """Arc length of the backbone plus the sum of all changes of R at each ball, m (k,).

    The difference of two values bounds the distance between the surfaces of the two balls.
    """
    changes = np.zeros(len(balls))
    for t in range(1, len(balls)):
        changes[t] = changes[t - 1] + gap_between(balls, t - 1, balls, t)
        changes[t] += abs(balls[t, 3] - balls[t - 1, 3])
    return changes


@inner
def skip(values, t, by):
    """First index after t at which ascending values have grown by `by`, or their count."""
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

    In 3D they turn no more than the backbone does, so that neighbours have similar offsets.
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
        elif t > 0:  # the backbone reverses its direction
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
    """Unit normal to the unit vector (x, y, z) that is nearest to (nx, ny, nz)."""
    along = x * nx + y * ny + z * nz
    nx, ny, nz = nx - along * x, ny - along * y, nz - along * z
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size < 1e-3:  # no previous normal, or it is parallel: take the most perpendicular axis
        if abs(x) <= min(abs(y), abs(z)):
            nx, ny, nz = 1.0 - x * x, -x * y, -x * z
        elif abs(y) <= abs(z):
            nx, ny, nz = -y * x, 1.0 - y * y, -y * z
        else:
            nx, ny, nz = -z * x, -z * y, 1.0 - z * z
        size = math.sqrt(nx * nx + ny * ny + nz * nz)
    return nx / size, ny / size, nz / size
