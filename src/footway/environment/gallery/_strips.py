"""Roads and paths: strips of convex quadrilaterals along a polyline."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from footway._numba.portable_math import hypot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.environment.gallery._convex import Point, Ring


def strip(line: Sequence[Point], *, right: float, left: float) -> list[Ring]:
    """Return a quadrilateral for each piece of the line, from `right` to `left` m to its left.

    Neighbours share the side at a bend; at its ends the strip is cut off square.
    """
    near, far = offset(line, right), offset(line, left)
    return [
        [near[k], near[k + 1], far[k + 1], far[k]]
        for k in range(len(line) - 1)
    ]  # fmt: skip


def offset(line: Sequence[Point], distance: float) -> Ring:
    """Return the line moved by `distance` m to its left, with mitred bends."""
    normals = [_normal(p, q) for p, q in pairwise(line)]
    before, after = [normals[0], *normals], [*normals, normals[-1]]
    return [_moved(p, n, m, distance) for p, n, m in zip(line, before, after, strict=True)]


def _moved(p: Point, n: Point, m: Point, distance: float) -> Point:
    """Return where lines with normals n and m meet that pass p at `distance`."""
    scale = distance / (1.0 + n[0] * m[0] + n[1] * m[1])
    return p[0] + scale * (n[0] + m[0]), p[1] + scale * (n[1] + m[1])


def _normal(p: Point, q: Point) -> Point:
    dx, dy = q[0] - p[0], q[1] - p[1]
    length = hypot(dx, dy)
    return -dy / length, dx / length
