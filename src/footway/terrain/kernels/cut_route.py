"""Cut a route at the sides of triangles."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.bins import cell_range, group
from footway._numba.jit import inner, kernel

NEAR = 1e-9  # m, tolerance for a line on the side of a triangle


@inner
def _clip(ax, ay, bx, by, t, points, triangles):
    """Fractions of the line ab at which it enters and leaves triangle t; empty if it misses t."""
    first, last = 0.0, 1.0
    for k in range(3):
        p, q = triangles[t, k], triangles[t, (k + 1) % 3]
        px, py = points[p, 0], points[p, 1]
        dx, dy = points[q, 0] - px, points[q, 1] - py
        slack = NEAR * math.sqrt(dx * dx + dy * dy)
        at_a = dx * (ay - py) - dy * (ax - px) + slack
        at_b = dx * (by - py) - dy * (bx - px) + slack
        if at_a < 0.0 and at_b < 0.0:
            return 1.0, 0.0
        if at_a < 0.0:
            first = max(first, at_a / (at_a - at_b))
        elif at_b < 0.0:
            last = min(last, at_a / (at_a - at_b))
    return first, last


@kernel
def cut(points, lengths, mesh):
    """Cut a polyline into its parts in each triangle that it touches.

    Returns triangles (m,), curve lengths (m, 2) and ends (m, 4), in the order of the polyline's
    lines. A part that runs along a side is listed for both triangles.
    """
    return cut_again(points, lengths, 0, np.full(len(mesh.triangles), -1, np.int64), mesh)


@kernel
def cut_again(points, lengths, first_line, seen, mesh):
    """`cut` with memory `seen` (t,), at first -1, that many calls share.

    Lines are numbered from `first_line` on; no two calls may use the same number.
    """
    box, shape, offsets, members = mesh.box, mesh.shape, mesh.offsets, mesh.members
    triangle = np.empty(256, np.int32)
    along = np.empty((256, 2))
    ends = np.empty((256, 4))
    count = 0
    for k in range(len(points) - 1):
        ax, ay, bx, by = points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1]
        length = lengths[k + 1] - lengths[k]
        i0, i1 = cell_range(min(ax, bx) - NEAR, max(ax, bx) + NEAR, box[0], box[2], shape[0])
        j0, j1 = cell_range(min(ay, by) - NEAR, max(ay, by) + NEAR, box[1], box[2], shape[1])
        for cell in range((i1 - i0 + 1) * (j1 - j0 + 1)):
            at = (j0 + cell // (i1 - i0 + 1)) * shape[0] + i0 + cell % (i1 - i0 + 1)
            for slot in range(offsets[at], offsets[at + 1]):
                t = members[slot]
                if seen[t] == first_line + k:
                    continue
                seen[t] = first_line + k
                first, last = _clip(ax, ay, bx, by, t, mesh.points, mesh.triangles)
                if (last - first) * length <= NEAR:
                    continue
                if count == len(triangle):
                    triangle = np.concatenate((triangle, np.empty_like(triangle)))
                    along = np.concatenate((along, np.empty_like(along)))
                    ends = np.concatenate((ends, np.empty_like(ends)))
                triangle[count] = t
                along[count, 0] = lengths[k] + first * length
                along[count, 1] = lengths[k] + last * length
                ends[count, 0], ends[count, 1] = ax + first * (bx - ax), ay + first * (by - ay)
                ends[count, 2], ends[count, 3] = ax + last * (bx - ax), ay + last * (by - ay)
                count += 1
    return triangle[:count].copy(), along[:count].copy(), ends[:count].copy()


@kernel
def pieces_of(points, lengths, mesh):
    """`cut`, sorted by triangle and then by curve length.

    Returns triangles (m,), curve lengths (m, 2), ends (m, 4) and offsets (t + 1,): triangle t has
    the parts offsets[t] to offsets[t + 1] - 1.
    """
    triangle, along, ends = cut(points, lengths, mesh)
    offsets = np.zeros(len(mesh.triangles) + 1, np.int32)
    order = np.empty(len(triangle), np.int32)
    group(triangle, offsets, order)
    for i in range(1, len(order)):  # parts of a triangle are nearly sorted by curve length
        one, j = order[i], i
        while j > 0:
            before = order[j - 1]
            if triangle[before] != triangle[one] or along[before, 0] <= along[one, 0]:
                break
            order[j] = before
            j -= 1
        order[j] = one
    return triangle[order], along[order], ends[order], offsets
