"""Sub-corridors that make a detour around discs (cmm-2007, "Avoiding Dynamic Obstacles").

The paper moves each ball separately, away from the obstacle. A disc on the backbone then tears the
corridor apart: balls before it move back, balls after it move forward. Here a run of consecutive
balls that discs touch is moved as a whole, in three steps:

1. search    Find a path of the character's centre through the run. The clearance (`room`) of a
             point is the lesser of its depth inside a ball of the corridor and its distance to the
             rim of the nearest disc. Its slope is at most 1, so the value at the centre of a cell
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
    LESS_WORK,
    ON_GOAL,
    ON_START,
    OPEN,
    OWNER,
    PINCHED,
    ROUGH,
    ROUNDING,
    SAME,
    WORK,
    Run,
    arc_lengths,
    changes_along,
    room_beside,
    thin,
    turning_frames,
)
from footway.follow.kernels.detour_search import (
    find_path,
    find_path_across,
)
from footway.follow.kernels.detour_smoothing import emit, smooth_path, straight_path, with_more_rows


@kernel
def _touched(balls, discs, times):
    """Which balls are touched by a disc at the time of the ball, (n,)."""
    out = np.zeros(len(balls), np.bool_)
    for t in range(len(balls)):
        for j in range(len(discs)):
            x, y, z = balls[t, 0], balls[t, 1], balls[t, 2]
            if room_beside(discs, j, x, y, z, times[t]) < balls[t, 3]:
                out[t] = True
                break
    return out


@kernel
def _near_run(balls, discs, times, first, last):
    """Discs that may touch a ball of the run during the run, ordered along the run."""
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
            beside = room_beside(discs, j, balls[t, 0], balls[t, 1], balls[t, 2], times[t])
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
def _first_to_close(run, across, opens_before, opens_after, rough):
    """Switch on a minimal set of discs that closes the run; return its size.

    Without any one of them the run is open, or at least not proved to be closed. Of several such
    sets the first along the backbone is chosen. 0: the corridor itself is closed.
    """
    m = len(run.discs)
    low, high = 0, m  # the first `high` discs close it
    while low < high:
        middle = (low + high) // 2
        for j in range(m):
            run.on[j] = j < middle
        if _is_closed(run, across, opens_before, opens_after, rough):
            high = middle
        else:
            low = middle + 1
    for j in range(m):
        run.on[j] = j < high
    for j in range(high - 1):
        run.on[j] = False
        run.on[j] = not _is_closed(run, across, opens_before, opens_after, rough)
    return high


@kernel
def _is_closed(run, across, opens_before, opens_after, rough):
    """Whether it can be proved with little work that the enabled discs close a run."""
    return _verdict(run, across, opens_before, opens_after, rough, LESS_WORK) == BLOCKED


@kernel
def _verdict(run, across, opens_before, opens_after, rough, work):
    """Result of the search along or across the run, from its first to its last ball."""
    if across:
        return find_path_across(run, 0, len(run.balls) - 1, rough, work)[1]
    return find_path(run, opens_before, opens_after, rough, work)[1]


@kernel
def _on_top(balls, discs, times, t, radius):
    """Discs that overlap a character in the centre of ball t."""
    out = np.empty(len(discs), np.int64)
    count = 0
    for j in range(len(discs)):
        beside = room_beside(discs, j, balls[t, 0], balls[t, 1], balls[t, 2], times[t])
        if beside < radius - ROUNDING:
            out[count] = j
            count += 1
    return out[:count].copy()


@kernel
def _chosen(discs, near):
    """Rows `near` of the discs."""
    chosen = np.empty((len(near), 7))
    for i in range(len(near)):
        for column in range(7):
            chosen[i, column] = discs[near[i], column]
    return chosen


@kernel
def _make_run(balls, discs, times, first, last, radius, dimension, near):
    """The stretch from ball `first` to ball `last`, with the discs `near`."""
    kept, when = thin(balls, times, first, last, radius)
    return Run(
        kept,
        arc_lengths(kept),
        changes_along(kept),
        when,
        turning_frames(kept, dimension),
        _chosen(discs, near),
        np.ones(len(near), np.bool_),
        radius,
        dimension,
    )


@inner
def _put_ball(out, count, balls, discs, times, t):
    """Write ball t to row `count`, shrunk as far as the discs require."""
    x, y, z, least = balls[t, 0], balls[t, 1], balls[t, 2], balls[t, 3]
    for j in range(len(discs)):
        least = min(least, room_beside(discs, j, x, y, z, times[t]))
    out[count, 0], out[count, 1], out[count, 2] = x, y, z
    out[count, 3], out[count, 4] = least, times[t]


@kernel
def _whole(balls, discs, times, radius, dimension, near):
    """Run of all balls of the corridor with the discs `near`, for searches across it."""
    return Run(
        balls,
        arc_lengths(balls),
        changes_along(balls),
        times,
        np.zeros((len(balls), 6)),
        _chosen(discs, near),
        np.ones(len(near), np.bool_),
        radius,
        dimension,
    )


@kernel
def _blame(run, across, near, opens_before, opens_after):
    """Find the discs that close the run: (status, discs).

    Large cells are tried first: they usually suffice and are much faster.
    """
    count = _first_to_close(run, across, opens_before, opens_after, ROUGH)
    if _verdict(run, across, opens_before, opens_after, 1.0, WORK) == OPEN:
        count = _first_to_close(run, across, opens_before, opens_after, 1.0)
    if count == 0:
        return PINCHED, near
    count = 0
    blame = np.empty(len(near), np.int64)
    for j in range(len(near)):
        if run.on[j]:
            blame[count] = near[j]
            count += 1
    return BLOCKED, blame[:count].copy()


@kernel
def _blame_all(run, near, whole, everywhere, opens_before, opens_after):
    """Find the discs that close a corridor with a closed run: (status, discs).

    near, everywhere: the discs of the run and of the whole corridor. The discs that close the run
    along the backbone usually close the corridor; otherwise discs elsewhere are involved, too.
    """
    status, blame = _blame(run, False, near, opens_before, opens_after)
    for i in range(len(everywhere)):
        whole.on[i] = False
        for j in range(len(blame)):
            if status == BLOCKED and everywhere[i] == blame[j]:
                whole.on[i] = True
    if _verdict(whole, True, True, True, 1.0, WORK) != OPEN:
        return status, blame
    return _blame(whole, True, everywhere, True, True)


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
    for goal in range(2):
        blame = _on_top(balls, discs, times, goal * (n - 1), radius)
        if len(blame) > 0:
            return (ON_GOAL if goal else ON_START), none, blame
    touched = _touched(balls, discs, times)
    out, count = np.empty((2 * n + 64, 5)), 1
    _put_ball(out, 0, balls, discs, times, 0)
    t = 0  # the last ball that was written
    while t < n - 1:
        last = t + 1
        if touched[last] or touched[t]:
            while last < n - 1 and touched[last]:
                last += 1
            near = _near_run(balls, discs, times, t, last)
            run = _make_run(balls, discs, times, t, last, radius, dimension, near)
            if run.arcs[-1] > SAME:
                way, verdict = find_path(run, t == 0, last == n - 1, 1.0, WORK)
                if verdict == OPEN:
                    out, count = emit(run, smooth_path(run, way), out, count)
                else:
                    everywhere = _near_run(balls, discs, times, 0, n - 1)
                    whole = _whole(balls, discs, times, radius, dimension, everywhere)
                    way, verdict = find_path_across(whole, t, last, 1.0, WORK)
                    if verdict != OPEN:
                        before, after = t == 0, last == n - 1
                        status, blame = _blame_all(run, near, whole, everywhere, before, after)
                        return status, none, blame
                    out, count = emit(whole, straight_path(whole, way), out, count)
                    last = int(way[-1, OWNER])
                if count < 0:
                    return PINCHED, none, near
        if count + 2 > len(out):
            out = with_more_rows(out)
        _put_ball(out, count, balls, discs, times, last)
        count += 1
        t = last
    return OPEN, out[:count].copy(), np.empty(0, np.int64)
