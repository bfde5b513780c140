"""Sub-corridors that make a detour around discs (cmm-2007, "Avoiding Dynamic Obstacles").

The paper moves each ball separately, away from the obstacle. A disc on the backbone then tears the
corridor apart: balls before it move back, balls after it move forward. Here a run of consecutive
balls that discs touch is moved as a whole, in three steps:

1. search    Find a path of the character's centre through the run. The clearance of a point is the
             lesser of its depth inside a ball of the corridor and its distance to the rim of the
             nearest disc. Its slope is at most 1, so the value at the centre of a cell
             bounds the whole cell: only undecided cells are split, and "closed" is a proof, down
             to the smallest cell.
2. relax     The path has the corners of the cells. It is drawn to the backbone and smoothed, and
             the paper's move gives it clearance on both sides.
3. emit      Place balls along it, so close that each centre is well inside its neighbours.

Cells are boxes in the coordinates of the backbone: arc length, and one (2D) or two (3D) offsets
along normals that turn with it. So a cell also has a time, at which moving discs are evaluated.

A run that is closed along the backbone may still be open: balls overlap across a bend, or where the
start and the goal are close to each other. So before the corridor counts as closed, the search is
repeated in all balls of the corridor, with cells along x, y and z.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.detour_clearance import (
    BLOCKED,
    FRAME_COLUMNS,
    ON_GOAL,
    ON_START,
    OPEN,
    OWNER,
    PINCHED,
    ROUNDING,
    UX,
    UY,
    UZ,
    WX,
    WY,
    WZ,
    Run,
    gap_between,
)
from footway.follow.kernels.detour_search import find_path
from footway.follow.kernels.detour_smoothing import emit, smooth_path, with_more_rows
from footway.follow.kernels.discs import gap_to_disc, velocity_of
from footway.follow.kernels.layouts import RADIUS
from footway.follow.kernels.vectors import minus, row, scaled, size

SAME = 1e-9  # m, balls closer than this coincide
THIN = 0.07  # balls closer than this fraction of their radius are dropped
WORK = 150_000  # maximum of nodes expanded in all searches of a run; then it counts as closed
LESS_WORK = 40_000  # the same, for finding the discs that close a run
ROUGH = 20.0  # size of the cells of the first attempt at that, relative to the smallest

ARRIVAL = 4  # column of the rows of a sub-corridor, after x, y, z and R


@kernel
def detour(balls, discs, radius, times, dimension):
    """Compute the sub-corridor (B', R') of balls (n, 4) around discs (m, 7).

    times: (n,) expected arrival of the character at each ball, s. Returns (status,
    rows (n', 5): x, y, z, R', time; discs that close it); rows are empty unless the status is OPEN.
    Balls that no disc touches are unchanged, except those that a path across the corridor skips;
    the centres of the first and the last ball are unchanged, too.
    """
    n = len(balls)
    none = np.empty((0, 5))
    for t, status in ((0, ON_START), (n - 1, ON_GOAL)):
        gaps = np.empty(len(discs))
        for j in range(len(discs)):
            gaps[j] = gap_to_disc(row(balls, t), times[t], j, discs)
        blame = np.flatnonzero(gaps < radius - ROUNDING)
        if len(blame) > 0:
            return status, none, blame
    touched = np.zeros(n, np.bool_)
    for t in range(n):
        touched[t] = _least_gap(balls, discs, times, t) < balls[t, RADIUS]
    out, count = np.empty((2 * n + 64, 5)), 1
    _put_ball(out, 0, balls, discs, times, 0)
    t = 0  # the last ball that was written
    while t < n - 1:
        last = t + 1
        if touched[last] or touched[t]:
            while last < n - 1 and touched[last]:
                last += 1
            near = _discs_near(balls, discs, times, t, last)
            kept = _without_close(balls, t, last, radius)
            run = _make_run(
                balls[kept], discs[near], times[kept], radius, dimension, t == 0, last == n - 1,
                False,
            )  # fmt: skip
            if run.arcs[-1] > SAME:
                path, result = find_path(run, 0, len(run.balls) - 1, 1.0, WORK)
                if result == OPEN:
                    out, count = emit(run, smooth_path(run, path), out, count)
                else:
                    everywhere = _discs_near(balls, discs, times, 0, n - 1)
                    whole = _make_run(
                        balls, discs[everywhere], times, radius, dimension, True, True, True
                    )
                    path, result = find_path(whole, t, last, 1.0, WORK)
                    if result != OPEN:
                        status, blame = _blame_all(run, near, whole, everywhere)
                        return status, none, blame
                    out, count = emit(whole, smooth_path(whole, path), out, count)
                    last = int(path[-1, OWNER])
                if count < 0:
                    return PINCHED, none, near
        if count + 2 > len(out):
            out = with_more_rows(out)
        _put_ball(out, count, balls, discs, times, last)
        count += 1
        t = last
    return OPEN, out[:count].copy(), np.empty(0, np.int64)


@inner
def _least_gap(balls, discs, times, t):
    """Distance from the centre of ball t to the nearest rim at the time of the ball."""
    least = math.inf
    for j in range(len(discs)):
        least = min(least, gap_to_disc(row(balls, t), times[t], j, discs))
    return least


@inner
def _put_ball(out, count, balls, discs, times, t):
    """Write ball t to row `count`, shrunk as far as the discs require."""
    out[count, 0], out[count, 1], out[count, 2] = row(balls, t)
    out[count, RADIUS] = min(balls[t, RADIUS], _least_gap(balls, discs, times, t))
    out[count, ARRIVAL] = times[t]


@kernel
def _discs_near(balls, discs, times, first, last):
    """Discs that may touch a ball of the run during the run, ordered along the run."""
    order = np.empty(len(discs), np.int64)
    place = np.empty(len(discs), np.int64)
    low, high = times[first : last + 1].min(), times[first : last + 1].max()
    count = 0
    for j in range(len(discs)):
        speed = size(velocity_of(j, discs))
        best, where, touches = math.inf, first, False
        for t in range(first, last + 1):
            gap = gap_to_disc(row(balls, t), times[t], j, discs)
            drift = speed * max(times[t] - low, high - times[t])
            touches = touches or gap - drift < balls[t, RADIUS]
            if gap < best:
                best, where = gap, t
        if touches:
            slot = count
            while slot > 0 and place[slot - 1] > where:
                order[slot], place[slot] = order[slot - 1], place[slot - 1]
                slot -= 1
            order[slot], place[slot] = j, where
            count += 1
    return order[:count].copy()


@kernel
def _without_close(balls, first, last, radius):
    """Indices of the balls of a run, without those that lie close to a ball that is kept."""
    kept = np.empty(last - first + 1, np.int64)
    kept[0] = first
    count = 1
    for t in range(first + 1, last + 1):
        a, b = kept[count - 1], min(t + 1, last)
        widths = min(balls[a, RADIUS], balls[b, RADIUS])
        limit = min(THIN * widths, 0.5 * (widths - radius))
        coincides = gap_between(balls, a, balls, t) <= SAME
        if t < last and (gap_between(balls, a, balls, b) < limit or coincides):
            continue
        if t == last and count > 1 and coincides:
            count -= 1
        kept[count] = t
        count += 1
    return kept[:count].copy()


@kernel
def _make_run(balls, discs, times, radius, dimension, begins, ends, across):
    """Run of given balls and discs; normals of the backbone are needed only along it."""
    n = len(balls)
    arcs, changes = np.zeros(n), np.zeros(n)
    for t in range(1, n):
        gap = gap_between(balls, t - 1, balls, t)
        arcs[t] = arcs[t - 1] + gap
        changes[t] = changes[t - 1] + gap
        changes[t] += abs(balls[t, RADIUS] - balls[t - 1, RADIUS])
    frames = np.zeros((n, FRAME_COLUMNS)) if across else _turning_frames(balls, dimension)
    enabled = np.ones(len(discs), np.bool_)
    return Run(
        balls, arcs, changes, times, frames, discs, enabled, radius, dimension, begins, ends, across
    )


@kernel
def _turning_frames(balls, dimension):
    """Two unit normals of the backbone at each ball, (k, FRAME_COLUMNS); the second is zero in 2D.

    In 3D they turn no more than the backbone does, so that neighbours have similar offsets.
    """
    frames = np.zeros((len(balls), FRAME_COLUMNS))
    nx, ny, nz = 0.0, 0.0, 0.0
    for t in range(len(balls)):
        x, y, z = 0.0, 0.0, 0.0  # half-way between the directions before and after ball t
        for i in range(max(0, t - 1), min(len(balls) - 1, t + 1)):
            length = gap_between(balls, i, balls, i + 1)
            x += (balls[i + 1, 0] - balls[i, 0]) / length
            y += (balls[i + 1, 1] - balls[i, 1]) / length
            z += (balls[i + 1, 2] - balls[i, 2]) / length
        long = size((x, y, z))
        if long >= 1e-6:
            x, y, z = x / long, y / long, z / long
            if dimension == 2:
                nx, ny = -y, x
            else:
                nx, ny, nz = _nearest_normal((x, y, z), (nx, ny, nz))
                frames[t, WX], frames[t, WY] = y * nz - z * ny, z * nx - x * nz
                frames[t, WZ] = x * ny - y * nx
        elif t > 0:  # the backbone reverses its direction
            for column in (WX, WY, WZ):
                frames[t, column] = frames[t - 1, column]
        frames[t, UX], frames[t, UY], frames[t, UZ] = nx, ny, nz
    return frames


@inner
def _nearest_normal(e, n):
    """Unit normal to the unit vector e that is nearest to n."""
    x, y, z = e
    along = x * n[0] + y * n[1] + z * n[2]
    n = minus(n, scaled(e, along))
    if size(n) < 1e-3:  # no previous normal, or it is parallel: take the most perpendicular axis
        if abs(x) <= min(abs(y), abs(z)):
            n = 1.0 - x * x, -x * y, -x * z
        elif abs(y) <= abs(z):
            n = -y * x, 1.0 - y * y, -y * z
        else:
            n = -z * x, -z * y, 1.0 - z * z
    long = size(n)
    return n[0] / long, n[1] / long, n[2] / long


@kernel
def _is_closed(run, rough):
    """Whether it can be proved with little work that the enabled discs close a run."""
    return find_path(run, 0, len(run.balls) - 1, rough, LESS_WORK)[1] == BLOCKED


@kernel
def _enable_closing_discs(run, rough):
    """Enable a minimal set of discs that closes the run; return whether there are any.

    Without any one of them the run is open, or at least not proved to be closed. Of several such
    sets the first along the backbone is chosen. None: the corridor itself is closed.
    """
    low, high = 0, len(run.discs)  # the first `high` discs close it
    while low < high:
        middle = (low + high) // 2
        run.enabled[:middle], run.enabled[middle:] = True, False
        if _is_closed(run, rough):
            high = middle
        else:
            low = middle + 1
    run.enabled[:high], run.enabled[high:] = True, False
    for j in range(high - 1):
        run.enabled[j] = False
        run.enabled[j] = not _is_closed(run, rough)
    return high > 0


@kernel
def _blame(run, near):
    """Find the discs that close the run: (status, discs).

    Large cells are tried first: they usually suffice and are much faster.
    """
    found = _enable_closing_discs(run, ROUGH)
    if find_path(run, 0, len(run.balls) - 1, 1.0, WORK)[1] == OPEN:
        found = _enable_closing_discs(run, 1.0)
    return (BLOCKED, near[run.enabled]) if found else (PINCHED, near)


@kernel
def _blame_all(run, near, whole, everywhere):
    """Find the discs that close a corridor with a closed run: (status, discs).

    near, everywhere: the discs of the run and of the whole corridor. The discs that close the run
    along the backbone usually close the corridor; otherwise discs elsewhere are involved, too.
    """
    status, blame = _blame(run, near)
    for i in range(len(everywhere)):
        whole.enabled[i] = status == BLOCKED and np.any(blame == everywhere[i])
    if find_path(whole, 0, len(whole.balls) - 1, 1.0, WORK)[1] != OPEN:
        return status, blame
    return _blame(whole, everywhere)
