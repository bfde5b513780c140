"""Vectors: tuples of three numbers; in two dimensions the third is 0. Segments of polylines."""

from __future__ import annotations

import math

from footway._numba.jit import inner


@inner
def row(points, k):
    """First three columns of row k."""
    return points[k, 0], points[k, 1], points[k, 2]


@inner
def plus(a, b):
    """Sum of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inner
def minus(a, b):
    """Vector from b to a."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def scaled(a, factor):
    """Multiple of a vector."""
    return factor * a[0], factor * a[1], factor * a[2]


@inner
def moved(a, length, direction):
    """Point at a distance from a in a direction."""
    return (
        a[0] + length * direction[0],
        a[1] + length * direction[1],
        a[2] + length * direction[2],
    )


@inner
def between(a, b, share):
    """Point of the line ab at a fraction of its length."""
    return moved(a, share, minus(b, a))


@inner
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def size(a):
    """Length of a vector."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inner
def distance(a, b):
    """Distance between two points."""
    return size(minus(a, b))


@inner
def unit(a):
    """Direction of a vector; zero for the zero vector."""
    squared = dot(a, a)
    if squared == 0.0:
        return 0.0, 0.0, 0.0
    return scaled(a, 1.0 / math.sqrt(squared))


@inner
def segment_at(starts, value):
    """Last segment that starts at or before a value, by bisection; the first one if none does.

    `starts` (n,) ascend; the last of them is the end of segment n - 2.
    """
    low, high = 0, len(starts) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= value:
            low = middle
        else:
            high = middle
    return low
