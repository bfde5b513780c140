"""Cells, corners and straight lines by their definitions, in whole numbers and fractions.

Cells are an array free[k, j, i]; in two dimensions it has one layer, and corners have k = 0.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Corner = tuple[int, int, int]


def line_is_free(a: Sequence[float], b: Sequence[float], free: NDArray[np.bool_]) -> bool:
    """Whether the straight line from a to b, in cells, lies in the union of closed free cells.

    It is cut at every grid plane. What is left between two cuts lies in one cell or in a side of
    some: its middle says in which.
    """
    start, end = ([Fraction(float(v)) for v in point] for point in (a, b))
    step = [q - p for p, q in zip(start, end, strict=True)]
    cuts = sorted({Fraction(0), Fraction(1), *_planes(start, step)})
    middles = [(s + t) / 2 for s, t in itertools.pairwise(cuts)]
    points = [[p + t * d for p, d in zip(start, step, strict=True)] for t in middles]
    return all(point_is_free(point, free) for point in points)


def _planes(start: list[Fraction], step: list[Fraction]) -> list[Fraction]:
    return [
        (plane - p) / d
        for p, d in zip(start, step, strict=True)
        if d
        for plane in range(math.ceil(min(p, p + d)), math.floor(max(p, p + d)) + 1)
    ]


def point_is_free(point: Sequence[Fraction | int], free: NDArray[np.bool_]) -> bool:
    """Whether a point lies in a closed free cell."""
    near = [(int(p) - 1, int(p)) if p == int(p) else (math.floor(p),) for p in point]
    inside = [
        [c for c in cells if 0 <= c < count]
        for cells, count in zip(near, free.shape[::-1], strict=True)
    ]
    return any(free[k, j, i] for i, j, k in itertools.product(*inside))


def free_corners(free: NDArray[np.bool_], *, plane: bool) -> list[Corner]:
    """All corners of free cells, in the order of arrays; with k = 0 only in the plane."""
    nz, ny, nx = free.shape
    layers = range(1 if plane else nz + 1)
    every = itertools.product(layers, range(ny + 1), range(nx + 1))
    return [(i, j, k) for k, j, i in every if point_is_free((i, j, k), free)]


def region(corner: Corner, corners: list[Corner], free: NDArray[np.bool_]) -> list[bool]:
    """Which corners one corner sees in a straight free line."""
    return [line_is_free(corner, other, free) for other in corners]


def neighbours(corner: Corner, free: NDArray[np.bool_], *, plane: bool) -> list[Corner]:
    """Corners on one free cell with a corner: the grid roadmap's edges."""
    i, j, k = corner
    nz, ny, nx = free.shape
    found = set()
    for ck, cj, ci in itertools.product((k - 1, k), (j - 1, j), (i - 1, i)):
        if 0 <= ck < nz and 0 <= cj < ny and 0 <= ci < nx and free[ck, cj, ci]:
            found |= set(itertools.product((ci, ci + 1), (cj, cj + 1), (ck, ck + 1)))
    return sorted(c for c in found if c != corner and (c[2] == 0 or not plane))


def distances(corner: Corner, free: NDArray[np.bool_], *, plane: bool) -> dict[Corner, float]:
    """Lengths, in cells, of the shortest paths on the grid from a corner to all it can reach."""
    known = {corner: 0.0}
    changed = {corner}
    while changed:  # Bellman and Ford: on and on until nothing gets shorter
        here = changed.pop()
        for there in neighbours(here, free, plane=plane):
            length = known[here] + math.dist(here, there)
            if length < known.get(there, math.inf) - 1e-9:
                known[there] = length
                changed.add(there)
    return known


def clearance(point: Sequence[float], free: NDArray[np.bool_], *, plane: bool) -> float:
    """Distance, in cells, to the nearest cell that is not free or that lies outside."""
    ring = np.pad(free, ((0, 0), (1, 1), (1, 1)) if plane else 1)
    low = np.argwhere(~ring)[:, ::-1] - (np.array([1, 1, 0]) if plane else 1)
    gap = np.maximum(0.0, np.maximum(low - np.asarray(point), np.asarray(point) - low - 1))
    return float(np.sqrt((gap**2).sum(axis=1)).min())


class Verdict(NamedTuple):
    """What is wrong with a roadmap: nothing, if all three are empty."""

    uncovered: list[Corner]
    colliding: list[tuple[int, int]]
    apart: list[tuple[int, int]]


def judge(
    nodes: list[Corner], edges: list[tuple[int, int]], free: NDArray[np.bool_], *, plane: bool
) -> Verdict:
    """Coverage, collisions and maximal connectivity of a roadmap on corners, by definition."""
    corners = free_corners(free, plane=plane)
    uncovered = [c for c in corners if not any(line_is_free(c, node, free) for node in nodes)]
    colliding = [(a, b) for a, b in edges if not line_is_free(nodes[a], nodes[b], free)]
    joined = _parts(range(len(nodes)), edges)
    apart = []
    for a, node in enumerate(nodes):
        reached = distances(node, free, plane=plane)
        apart += [(a, b) for b in range(a) if nodes[b] in reached and joined[a] != joined[b]]
    return Verdict(uncovered, colliding, apart)


def _parts(nodes: range, edges: list[tuple[int, int]]) -> list[int]:
    """Component of each node: its least member."""
    part = list(nodes)
    for a, b in edges:
        low, high = sorted((part[a], part[b]))
        part = [low if p == high else p for p in part]
    return part
