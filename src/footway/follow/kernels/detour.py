"""Sub-corridors that detour around discs (cmm-2007, "Avoiding Dynamic Obstacles").

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

A run that is closed along the backbone may be open all the same: balls overlap across a bend, or
where the start and the goal are near each other. So the same search is done again in all balls of
the corridor, with cells along x, y and z, before the corridor counts as closed.
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
    find_way,
    find_way_across,
)
from footway.follow.kernels.detour_smoothing import emit, smooth_way, straight_way, with_more_rows


@kernel
def _touched(balls, discs, times):
    """Which balls a disc touches at the time of the ball, (n,)."""
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
    """Whether it can be proved with little work that the discs that count close a run."""
    return _verdict(run, across, opens_before, opens_after, rough, LESS_WORK) == BLOCKED


@kernel
def _verdict(run, across, opens_before, opens_after, rough, work):
    """Verdict of the search along or across the run, from its first to its last ball."""
    if across:
        return find_way_across(run, 0, len(run.balls) - 1, rough, work)[1]
    return find_way(run, opens_before, opens_after, rough, work)[1]


@kernel
def _on_top(balls, discs, times, t, radius):
    """Discs that leave the character no room in the centre of ball t."""
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
    """Put ball t in its place, as large as the discs leave it, in row `count`."""
    x, y, z, least = balls[t, 0], balls[t, 1], balls[t, 2], balls[t, 3]
    for j in range(len(discs)):
        least = min(least, room_beside(discs, j, x, y, z, times[t]))
    out[count, 0], out[count, 1], out[count, 2] = x, y, z
    out[count, 3], out[count, 4] = least, times[t]


@kernel
def _whole(balls, discs, times, radius, dimension, near):
    """All balls of the corridor, with the discs `near`: a run for searches across it."""
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
    """Which discs close the run: (status, discs).

    Mostly large cells tell it as well as small ones, and much faster.
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
    """Which discs close the corridor, of which a run is closed: (status, discs).

    near, everywhere: the discs of the run and of the whole corridor. Mostly those that close the
    run along the backbone close the corridor; otherwise it takes discs elsewhere, too.
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
    """Sub-corridor (B', R') of balls (n, 4) that sways around discs (m, 7).

    times: (n,) when the character is expected at each ball, s. Returns
    (status, rows (n', 5): x, y, z, R', time, discs that are to blame); there are no rows unless
    the status is OPEN. Balls that no disc touches stay as they are, but for those that a way across
    the corridor leaves out; the centres of the first and the last ball stay, too.
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
        if touched[last] or touched[t]:
            while last < n - 1 and touched[last]:
                last += 1
            near = _near_run(balls, discs, times, t, last)
            run = _make_run(balls, discs, times, t, last, radius, dimension, near)
            if run.arcs[-1] > SAME:
                way, verdict = find_way(run, t == 0, last == n - 1, 1.0, WORK)
                if verdict == OPEN:
                    out, count = emit(run, smooth_way(run, way), out, count)
                else:
                    everywhere = _near_run(balls, discs, times, 0, n - 1)
                    whole = _whole(balls, discs, times, radius, dimension, everywhere)
                    way, verdict = find_way_across(whole, t, last, 1.0, WORK)
                    if verdict != OPEN:
                        before, after = t == 0, last == n - 1
                        status, blame = _blame_all(run, near, whole, everywhere, before, after)
                        return status, none, blame
                    out, count = emit(whole, straight_way(whole, way), out, count)
                    last = int(way[-1, OWNER])
                if count < 0:
                    return PINCHED, none, near
        if count + 2 > len(out):
            out = with_more_rows(out)
        _put_ball(out, count, balls, discs, times, last)
        count += 1
        t = last
    return OPEN, out[:count].copy(), np.empty(0, np.int64)
