"""Steps 2 and 3 of a sub-corridor: smooth the path, place balls (see kernels/detour)."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.detour_clearance import (
    ARC,
    CLOSE,
    COLUMNS,
    DISC,
    EARLY,
    ENOUGH,
    FAR,
    FINEST_GAP,
    LOOK_AHEAD,
    OWNER,
    ROOM,
    ROOMY,
    ROUNDS,
    SECOND,
    SPACING,
    STILL,
    TIME,
    WIDE,
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
    segment_at,
)


@kernel
def with_more_rows(out):
    """Copy rows to an array of twice the length."""
    bigger = np.empty((2 * len(out), 5))
    for row in range(len(out)):
        for column in range(5):
            bigger[row, column] = out[row, column]
    return bigger


@inner(inline=False)
def _look_between(run, p, row, hint, other):
    """Compute the clearance at row `row` of a path; the hints are balls that may contain it."""
    x, y, z = p[row, X], p[row, Y], p[row, Z]
    inside, owner = best_ball(run, segment_at(run.arcs, p[row, ARC]), x, y, z)
    for t in (hint, other):
        if depth_inside(run.balls, t, x, y, z) > inside:
            inside, owner = depth_inside(run.balls, t, x, y, z), t
    beside, disc, second = nearest_disc(run, x, y, z, p[row, TIME])
    p[row, ROOM], p[row, OWNER] = min(inside, beside) - run.radius, owner
    if beside < inside:
        p[row, DISC], p[row, SECOND] = disc, min(inside, second) - run.radius
    else:
        p[row, DISC], p[row, SECOND] = -1, beside - run.radius


@inner
def _midpoint(run, p, a, b, row):
    """Write the midpoint of rows a and b to row `row`."""
    for column in range(TIME + 1):
        p[row, column] = 0.5 * (p[a, column] + p[b, column])
    _look_between(run, p, row, int(p[a, OWNER]), int(p[b, OWNER]))


@kernel
def _refine(run, way):
    """Insert points until they are close enough to relax, and a spare row at the end."""
    total = 2
    for row in range(1, len(way)):
        total += _parts(run, way, row)
    out = np.empty((total, COLUMNS))
    copy_row(out, 0, way, 0)
    count = 1
    for row in range(1, len(way)):
        parts = _parts(run, way, row)
        for part in range(1, parts + 1):
            copy_row(out, count, way, row)
            if part < parts:
                for column in range(TIME + 1):
                    before, after = way[row - 1, column], way[row, column]
                    out[count, column] = before + (after - before) * part / parts
            _look_between(run, out, count, int(way[row - 1, OWNER]), int(way[row, OWNER]))
            count += 1
    return out


@inner
def _parts(run, way, row):
    """Number of parts into which the line from the previous point is cut."""
    wide = run.balls[segment_at(run.arcs, way[row, ARC]), 3] - run.radius
    spacing = min(FAR, max(0.1, SPACING * wide))
    return max(1, int(math.ceil(gap_between(way, row - 1, way, row) / spacing)))


@inner
def _striven(run, arc):
    """Desired clearance of a path at an arc length, m."""
    return min(WIDE, ROOMY * (run.balls[segment_at(run.arcs, arc), 3] - run.radius))


@inner
def _push(run, way, row):
    """The paper's move, with discs for points: to the middle between the two nearest rims.

    (dx, dy, dz), m; zero where the clearance is as desired.
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
    """Component of a vector across the path; along it, points would gather before a disc."""
    x, y = way[row + 1, X] - way[row - 1, X], way[row + 1, Y] - way[row - 1, Y]
    z = way[row + 1, Z] - way[row - 1, Z]
    along = (dx * x + dy * y + dz * z) / max(1e-12, x * x + y * y + z * z)
    return dx - along * x, dy - along * y, dz - along * z


@inner
def _strain(run, way, bones, row):
    """Target of a point of an elastic string: (x, y, z, arc length, time).

    The string is straight in the coordinates of the backbone, and a spring pulls it there.
    """
    a = max(gap_between(way, row - 1, way, row), 1e-9)
    b = max(gap_between(way, row, way, row + 1), 1e-9)
    f = b / (a + b)
    g = 1.0 - f
    arc = f * way[row - 1, ARC] + g * way[row + 1, ARC]
    x, y, z, time, _ = place_at(run, arc, 0.0, 0.0)
    length = EARLY * run.balls[segment_at(run.arcs, arc), 3]
    k = 1.0 / (1.0 + 0.5 * a * b / (length * length))
    x += k * (f * (way[row - 1, X] - bones[row - 1, X]) + g * (way[row + 1, X] - bones[row + 1, X]))
    y += k * (f * (way[row - 1, Y] - bones[row - 1, Y]) + g * (way[row + 1, Y] - bones[row + 1, Y]))
    z += k * (f * (way[row - 1, Z] - bones[row - 1, Z]) + g * (way[row + 1, Z] - bones[row + 1, Z]))
    return x, y, z, arc, time


@inner
def _try(run, way, row, x, y, z, arc, time, least, fastest):
    """Move a point of the path if its clearance stays at least `least` and its links free."""
    last = len(way) - 1  # a spare row
    copy_row(way, last, way, row)
    way[row, X], way[row, Y], way[row, Z], way[row, ARC], way[row, TIME] = x, y, z, arc, time
    hint = int(way[row, OWNER])
    _look_between(run, way, row, hint, hint)
    if (
        way[row, ROOM] >= least
        and are_linked(way, row - 1, row, fastest)
        and are_linked(way, row, row + 1, fastest)
    ):
        return True
    copy_row(way, row, way, last)
    return False


@inner(inline=False)
def _relax(run, way, bones, backward):
    """One round: pull a path to the backbone, smooth it, increase clearance; its ends are fixed.

    bones: (q, 3) the backbone at the points' arc lengths. The last row of `way` is spare. Returns
    whether a point was moved.
    """
    fastest, any_moved = fastest_disc(run), False
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
            bx, by, bz, _, _ = place_at(run, arc, 0.0, 0.0)
            bones[row, X], bones[row, Y], bones[row, Z] = bx, by, bz
        elif px * px + py * py + pz * pz > still * still:
            x, y, z = way[row, X] + px, way[row, Y] + py, way[row, Z] + pz
            arc, time = way[row, ARC], way[row, TIME]
            moved = _try(run, way, row, x, y, z, arc, time, room, fastest)
        any_moved = any_moved or moved
    return any_moved


@kernel
def smooth_path(run, way):
    """Smooth a path through the run: (q, COLUMNS), with a spare row at the end."""
    fine = _refine(run, way)
    bones = np.empty((len(fine) - 1, 3))
    for row in range(len(bones)):
        x, y, z, _, _ = place_at(run, fine[row, ARC], 0.0, 0.0)
        bones[row, X], bones[row, Y], bones[row, Z] = x, y, z
    for turn in range(ROUNDS):
        if not _relax(run, fine, bones, turn % 2 == 1):
            break
    return fine


@inner(inline=False)
def _straighten(run, way, backward):
    """One round: straighten a path and increase its clearance; its ends are fixed.

    The last row of `way` is spare. Returns whether a point was moved.
    """
    fastest, any_moved = fastest_disc(run), False
    inner_rows = len(way) - 3
    for i in range(inner_rows):
        row = inner_rows - i if backward else 1 + i
        x, y, z = _push(run, way, row)
        x += 0.5 * (way[row - 1, X] + way[row + 1, X])
        y += 0.5 * (way[row - 1, Y] + way[row + 1, Y])
        z += 0.5 * (way[row - 1, Z] + way[row + 1, Z])
        dx, dy, dz = x - way[row, X], y - way[row, Y], z - way[row, Z]
        still = min(STILL, 0.1 * way[row, ROOM])
        if dx * dx + dy * dy + dz * dz <= still * still:
            continue
        arc, time = way[row, ARC], way[row, TIME]
        least = min(way[row, ROOM], ENOUGH * _striven(run, arc))
        any_moved = _try(run, way, row, x, y, z, arc, time, least, fastest) or any_moved
    return any_moved


@kernel
def straight_path(run, way):
    """Straighten a path across the run where clearance allows; result as `smooth_path`."""
    fine = _refine(run, way)
    for turn in range(ROUNDS):
        if not _straighten(run, fine, turn % 2 == 1):
            break
    return fine


@inner
def _near(p, a, q, b):
    """Whether two balls are so close that each centre is well inside the other ball.

    Below a millimetre it is enough that the straight line between them is free.
    """
    gap = gap_between(p, a, q, b)
    close = gap <= min(FAR, CLOSE * min(p[a, ROOM], q[b, ROOM]))
    return close or (gap <= FINEST_GAP and covered(p, a, q, b))


@kernel
def emit(run, way, out, count):
    """Add balls along a path, without its ends: (rows, their count, or -1 at a gap).

    The next ball is the furthest point of the path that is near enough; if there is none, points
    are inserted. This also cuts off loops of the path.
    """
    stack = np.empty((64, COLUMNS))  # row 0: the last ball
    copy_row(stack, 0, way, 0)
    row, last = 0, len(way) - 2
    while row < last:
        furthest = row + 1
        for ahead in range(row + 2, min(last, row + LOOK_AHEAD) + 1):
            if _near(stack, 0, way, ahead):
                furthest = ahead
        row, top = furthest, 1
        copy_row(stack, 1, way, row)
        while top > 0:
            if not _near(stack, 0, stack, top):
                if top + 1 == len(stack):
                    return out, -1
                _midpoint(run, stack, 0, top, top + 1)
                top += 1
                continue
            copy_row(stack, 0, stack, top)
            top -= 1
            if row < last or top > 0:
                if count + 2 > len(out):
                    out = with_more_rows(out)
                for column in range(3):
                    out[count, column] = stack[0, column]
                out[count, 3], out[count, 4] = stack[0, ROOM] + run.radius, stack[0, TIME]
                count += 1
    return out, count
