"""Geometry of segments, and of parabolas between a point and a line: arrays and kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.jit import inner
from footway._numba.portable_math import asinh, hypot

if TYPE_CHECKING:
    from footway.arrays import Floats


def dot(a: Floats, b: Floats) -> Floats:
    """Row by row dot product of (n, 2) arrays."""
    product: Floats = a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1]
    return product


def cross(a: Floats, b: Floats) -> Floats:
    """Row by row cross product of (n, 2) arrays: positive where b is to the left of a."""
    product: Floats = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return product


def foot_parameter(points: Floats, segments: Floats) -> Floats:
    """Distance along segment k, from its first end, of the foot of point k; not clamped. (n,) m."""
    start = segments[:, :2]
    along = segments[:, 2:] - start
    length = hypot(along[:, 0], along[:, 1])
    return dot(points - start, along) / np.where(length > 0, length, 1.0)


def closest_points(points: Floats, segments: Floats) -> Floats:
    """Point (n, 2) of segment k (n, 4) that is closest to point k (n, 2)."""
    start = segments[:, :2]
    along = segments[:, 2:] - start
    squared = dot(along, along)
    t = np.clip(dot(points - start, along) / np.where(squared > 0, squared, 1.0), 0.0, 1.0)
    return start + t[:, None] * along


@inner
def share_of_segment(px, py, dx, dy):
    """Share (0 to 1) of the segment from 0 to d that is closest to p; 0 if it has no length.

    The clamped projection of kernels. For a segment ab and a point, p is the point minus a and d is
    b minus a.
    """
    squared = dx * dx + dy * dy
    return min(1.0, max(0.0, (px * dx + py * dy) / squared)) if squared > 0.0 else 0.0


def parabola_length(focal: Floats, start: Floats, end: Floats) -> Floats:
    """Arc length of y = x^2 / (2 h) + h / 2 between two abscissas, h the focal distance. (n,) m."""

    def integral(x: Floats) -> Floats:
        t = x / focal
        value: Floats = 0.5 * focal * (t * np.sqrt(1.0 + t * t) + asinh(t))
        return value

    return np.abs(integral(end) - integral(start))


def on_parabola(focus: Floats, wall: Floats, start: Floats, end: Floats, t: Floats) -> Floats:
    """Points (n, 2) equidistant to a focus and a wall, with feet on the wall at share t."""
    x0, x1 = foot_parameter(start, wall), foot_parameter(end, wall)
    x = x0 + t * (x1 - x0)
    along = wall[:, 2:] - wall[:, :2]
    along /= hypot(*along.T)[:, None]
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    height = cross(along, focus - wall[:, :2])  # signed: the focus may be on either side
    offset = x - foot_parameter(focus, wall)
    y = (offset * offset + height * height) / (2.0 * height)
    points: Floats = wall[:, :2] + x[:, None] * along + y[:, None] * normal
    return points
