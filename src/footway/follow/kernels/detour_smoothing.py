"""Steps 2 and 3 of a sub-corridor: smooth the path, place balls (see kernels/detour)."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.detour_clearance import (
    ARC,
    CLEARANCE,
    COLUMNS,
    DISC,
    OWNER,
    SECOND,
    TIME,
    X,
    Y,
    Z,
    are_linked,
    best_ball,
    copy_row,
    covered,
    depth_inside,
    fastest_disc,
    gap_between,
    nearest_disc,
    place_at,
)
from footway.follow.kernels.discs import from_disc
from footway.follow.kernels.layouts import RADIUS
from footway.follow.kernels.vectors import dot, minus, moved, plus, row, scaled, segment_at, size

CLOSE = 0.5  # maximum distance of two balls, relative to the lesser clearance
LOOK_AHEAD = 64  # points of a path among which the next ball is chosen
FINEST_GAP = 1e-3  # m, balls need not be closer than this
FAR = 0.5  # m, maximum distance between the centres of two balls
WIDE = 1.0  # m, upper limit of the desired clearance
DESIRED = 0.6  # the same, relative to the clearance without discs
ENOUGH = 0.5  # fraction of the desired clearance that smoothing must preserve
ROUNDS = 16  # of relaxing, maximum
STILL = 2e-3  # m, smaller moves, or moves below a tenth of the clearance, are skipped
EARLY = 1.2  # radii of the corridor within which a path leaves the backbone and returns to it
SPACING = 0.35  # maximum distance of relaxed points, relative to the clearance without discs


@kernel
def with_more_rows(out):
    """Copy rows to an array of twice the length."""
    return np.concatenate((out, np.empty_like(out)))


@inner(inline=False)
def _measure(run, p, k, hint, other):
    """Compute the clearance at row k of a path; the hints are balls that may contain it."""
    x = row(p, k)
    inside, owner = best_ball(run, segment_at(run.arcs, p[k, ARC]), x)
    for t in (hint, other):
        depth = depth_inside(run.balls, t, x)
        if depth > inside:
            inside, owner = depth, t
    gap, disc, second = nearest_disc(run, x, p[k, TIME])
    p[k, CLEARANCE], p[k, OWNER] = min(inside, gap) - run.radius, owner
    if gap < inside:
        p[k, DISC], p[k, SECOND] = disc, min(inside, second) - run.radius
    else:
        p[k, DISC], p[k, SECOND] = -1, gap - run.radius


@inner
def _free_radius(run, arc):
    """Clearance of the corridor without discs at an arc length, m."""
    return run.balls[segment_at(run.arcs, arc), RADIUS] - run.radius


@inner
def _parts(run, path, k):
    """Number of parts into which the line from the previous point is cut."""
    spacing = min(FAR, max(0.1, SPACING * _free_radius(run, path[k, ARC])))
    return max(1, int(math.ceil(gap_between(path, k - 1, path, k) / spacing)))


@kernel
def _refine(run, path):
    """Insert points until they are close enough to relax, and a spare row at the end."""
    total = 2
    for k in range(1, len(path)):
        total += _parts(run, path, k)
    out = np.empty((total, COLUMNS))
    copy_row(out, 0, path, 0)
    count = 1
    for k in range(1, len(path)):
        parts = _parts(run, path, k)
        for part in range(1, parts + 1):
            copy_row(out, count, path, k)
            if part < parts:
                for column in range(TIME + 1):
                    before, after = path[k - 1, column], path[k, column]
                    out[count, column] = before + (after - before) * part / parts
            _measure(run, out, count, int(path[k - 1, OWNER]), int(path[k, OWNER]))
            count += 1
    return out


@inner
def _desired(run, arc):
    """Desired clearance of a path at an arc length, m."""
    return min(WIDE, DESIRED * _free_radius(run, arc))


@inner
def _push(run, path, k):
    """The paper's move, with discs for points: to the middle between the two nearest rims.

    Only the component across the path, or points would gather before a disc. A vector, m; zero
    where the clearance is as desired.
    """
    disc, owner, x = int(path[k, DISC]), int(path[k, OWNER]), row(path, k)
    lack = _desired(run, path[k, ARC]) - path[k, CLEARANCE]
    far = min(lack, 0.5 * (path[k, SECOND] - path[k, CLEARANCE]))
    if lack <= 0.0 or path[k, SECOND] == math.inf:
        return 0.0, 0.0, 0.0
    if disc >= 0:
        away = from_disc(x, path[k, TIME], disc, run.discs)
    else:
        away = minus(row(run.balls, owner), x)
    long = max(1e-12, size(away))
    push = far * away[0] / long, far * away[1] / long, far * away[2] / long
    chord = minus(row(path, k + 1), row(path, k - 1))
    along = dot(push, chord) / max(1e-12, dot(chord, chord))
    return minus(push, scaled(chord, along))


@inner
def _pull(run, path, backbone, k):
    """Target of a point of an elastic string: (point, arc length, time).

    The string is straight in the coordinates of the backbone, and a spring pulls it there.
    """
    a = max(gap_between(path, k - 1, path, k), 1e-9)
    b = max(gap_between(path, k, path, k + 1), 1e-9)
    f = b / (a + b)
    g = 1.0 - f
    arc = f * path[k - 1, ARC] + g * path[k + 1, ARC]
    x, time, _ = place_at(run, arc, 0.0, 0.0)
    length = EARLY * run.balls[segment_at(run.arcs, arc), RADIUS]
    stiff = 1.0 / (1.0 + 0.5 * a * b / (length * length))
    before = scaled(minus(row(path, k - 1), row(backbone, k - 1)), f)
    after = scaled(minus(row(path, k + 1), row(backbone, k + 1)), g)
    return moved(x, stiff, plus(before, after)), arc, time


@inner
def _try(run, path, k, x, arc, time, least, fastest):
    """Move a point of the path if its clearance stays at least `least` and its links free."""
    spare = len(path) - 1
    copy_row(path, spare, path, k)
    path[k, X], path[k, Y], path[k, Z], path[k, ARC], path[k, TIME] = x[0], x[1], x[2], arc, time
    hint = int(path[k, OWNER])
    _measure(run, path, k, hint, hint)
    if (
        path[k, CLEARANCE] >= least
        and are_linked(path, k - 1, k, fastest)
        and are_linked(path, k, k + 1, fastest)
    ):
        return True
    copy_row(path, k, path, spare)
    return False


@inner(inline=False)
def _relax(run, path, backbone, backward):
    """One round: smooth a path and increase its clearance; its ends are fixed.

    A path along the backbone is also pulled to it; one across the run is straightened. backbone:
    (q, 3) at the points' arc lengths. The last row of `path` is spare. Returns whether a point was
    moved.
    """
    fastest, any_moved = fastest_disc(run), False
    inner_rows = len(path) - 3
    for i in range(inner_rows):
        k = inner_rows - i if backward else 1 + i
        here, push, clearance = row(path, k), _push(run, path, k), path[k, CLEARANCE]
        arc, time = path[k, ARC], path[k, TIME]
        least = min(clearance, ENOUGH * _desired(run, arc))
        if run.across:
            target = scaled(plus(row(path, k - 1), row(path, k + 1)), 0.5)
        else:
            target, arc, time = _pull(run, path, backbone, k)
        target = plus(target, push)
        step = minus(target, here)
        still = min(STILL, 0.1 * clearance)
        if dot(step, step) <= still * still:
            continue
        is_moved = _try(run, path, k, target, arc, time, least, fastest)
        if not run.across:
            if is_moved:
                x, _, _ = place_at(run, arc, 0.0, 0.0)
                backbone[k, X], backbone[k, Y], backbone[k, Z] = x
            elif dot(push, push) > still * still:
                arc, time = path[k, ARC], path[k, TIME]
                is_moved = _try(run, path, k, plus(here, push), arc, time, clearance, fastest)
        any_moved = any_moved or is_moved
    return any_moved


@kernel
def smooth_path(run, path):
    """Smooth a path through the run: (q, COLUMNS), with a spare row at the end."""
    fine = _refine(run, path)
    backbone = np.empty((len(fine) - 1, 3))
    if not run.across:
        for k in range(len(backbone)):
            x, _, _ = place_at(run, fine[k, ARC], 0.0, 0.0)
            backbone[k, X], backbone[k, Y], backbone[k, Z] = x
    for turn in range(ROUNDS):
        if not _relax(run, fine, backbone, turn % 2 == 1):
            break
    return fine


@inner
def _are_near(p, a, q, b):
    """Whether two balls are so close that each centre is well inside the other ball.

    Below a millimetre it is enough that the straight line between them is free.
    """
    gap = gap_between(p, a, q, b)
    close = gap <= min(FAR, CLOSE * min(p[a, CLEARANCE], q[b, CLEARANCE]))
    return close or (gap <= FINEST_GAP and covered(p, a, q, b))


@kernel
def emit(run, path, out, count):
    """Add balls along a path, without its ends: (rows, their count, or -1 at a gap).

    The next ball is the furthest point of the path that is near enough; if there is none, points
    are inserted. This also cuts off loops of the path.
    """
    stack = np.empty((64, COLUMNS))  # row 0: the last ball
    copy_row(stack, 0, path, 0)
    k, last = 0, len(path) - 2
    while k < last:
        furthest = k + 1
        for ahead in range(k + 2, min(last, k + LOOK_AHEAD) + 1):
            if _are_near(stack, 0, path, ahead):
                furthest = ahead
        k, top = furthest, 1
        copy_row(stack, 1, path, k)
        while top > 0:
            if not _are_near(stack, 0, stack, top):
                if top + 1 == len(stack):
                    return out, -1
                for column in range(TIME + 1):  # a point half-way
                    stack[top + 1, column] = 0.5 * (stack[0, column] + stack[top, column])
                _measure(run, stack, top + 1, int(stack[0, OWNER]), int(stack[top, OWNER]))
                top += 1
                continue
            copy_row(stack, 0, stack, top)
            top -= 1
            if k < last or top > 0:
                if count + 2 > len(out):
                    out = with_more_rows(out)
                out[count, X], out[count, Y], out[count, Z] = row(stack, 0)
                out[count, RADIUS] = stack[0, CLEARANCE] + run.radius
                out[count, RADIUS + 1] = stack[0, TIME]
                count += 1
    return out, count
