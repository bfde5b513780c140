"""Useful edges, shortest path factor, clearance of paths and coverage, by their definitions."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from tests.oracle import lattice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Edge = tuple[int, int]


def distances(nodes: Sequence[Sequence[float]], edges: Sequence[Edge]) -> Floats:
    """Lengths of the shortest paths along straight edges between all nodes (Floyd, Warshall)."""
    n = len(nodes)
    length = np.full((n, n), np.inf)
    np.fill_diagonal(length, 0.0)
    for a, b in edges:
        length[a, b] = length[b, a] = min(length[a, b], math.dist(nodes[a], nodes[b]))
    for k in range(n):
        length = np.minimum(length, length[:, [k]] + length[[k], :])
    return length


def useful_edges(
    nodes: Sequence[Sequence[float]], usefulness: float, sees: Callable[[int, int], bool]
) -> list[Edge]:
    """Algorithm 2: edges in sight, shortest first, if K times shorter than the path so far."""
    pairs = [(a, b) for a, b in itertools.combinations(range(len(nodes)), 2) if sees(a, b)]
    taken: list[Edge] = []
    for a, b in sorted(pairs, key=lambda pair: math.dist(nodes[pair[0]], nodes[pair[1]])):
        path = distances(nodes, taken)[a, b]
        if path == math.inf or usefulness * math.dist(nodes[a], nodes[b]) < path:
            taken.append((a, b))
    return taken


def published_nodes(
    nodes: Sequence[Sequence[float]],
    edges: Sequence[Edge],
    candidates: Sequence[Sequence[float]],
    sees: Callable[[Sequence[float], Sequence[float]], bool],
) -> list[int]:
    """Algorithm 1: candidates from which the path between the two nearest nodes is not all seen."""
    everything, joined, found = list(nodes), list(edges), []
    for number, place in enumerate(candidates):
        near = sorted(
            (k for k in range(len(nodes)) if sees(place, nodes[k])),
            key=lambda k: math.dist(place, nodes[k]),
        )[:2]
        path = _nodes_between(*near, everything, joined) if len(near) == 2 else []
        if not all(sees(place, everything[k]) for k in path):
            found.append(number)
            joined += [(near[0], len(everything)), (near[1], len(everything))]
            everything.append(place)
    return found


class SeveralWays(Exception):
    """There are several shortest paths: which of them is taken is anybody's choice."""


def _nodes_between(
    start: int, stop: int, nodes: Sequence[Sequence[float]], edges: Sequence[Edge]
) -> list[int]:
    """Nodes on the shortest path: those on which the lengths from both ends add up."""
    length = distances(nodes, edges)
    if length[start, stop] == math.inf:
        return []
    slack = length[start] + length[stop] - length[start, stop]
    path = np.flatnonzero(slack < 1e-9).tolist()
    used = {
        (a, b)
        for edge in edges
        for a, b in (edge, edge[::-1])
        if length[start, a] + math.dist(nodes[a], nodes[b]) + length[b, stop]
        < length[start, stop] + 1e-9
    }
    if len(used) != len(path) - 1:
        raise SeveralWays
    return path


def shortest_path_factor(
    nodes: list[lattice.Corner], length: Floats, free: NDArray[np.bool_], *, plane: bool
) -> float:
    """Definition 5, for paths of given lengths (n, n) in cells between corners."""
    top = bottom = 0.0
    for a, start in enumerate(nodes):
        grid = lattice.distances(start, free, plane=plane)
        for b, goal in enumerate(nodes):
            if a != b and length[a, b] < math.inf:
                top += float(length[a, b])
                bottom += grid[goal]
    return top / bottom if bottom else 1.0


def path_clearance(path: Floats, free: NDArray[np.bool_], *, plane: bool, step: float) -> float:
    """Least clearance in cells of places on a path (k, 3), at most a step apart."""
    return min(lattice.clearance(place, free, plane=plane) for place in places_along(path, step))


def is_in_free_cells(path: Floats, free: NDArray[np.bool_], *, step: float, slack: float) -> bool:
    """Whether places on a path (k, 3), at most a step apart, are in free cells up to a slack."""
    low = np.argwhere(free)[:, ::-1]
    for place in places_along(path, step):
        gap = np.maximum(0.0, np.maximum(low - place, place - low - 1))
        if np.sqrt((gap**2).sum(axis=1)).min() > slack:
            return False
    return True


def places_along(path: Floats, step: float) -> Floats:
    """Places on a path, both ends of each piece among them."""
    parts = [
        a + np.linspace(0.0, 1.0, max(2, math.ceil(math.dist(a, b) / step) + 1))[:, None] * (b - a)
        for a, b in itertools.pairwise(path)
    ]
    return np.concatenate(parts)


def share_in_balls(corners: Floats, centres: Floats, radii: Floats) -> float:
    """Share of corners (n, d) that lie inside one of the open balls."""
    inside = [
        any(math.dist(corner, c) < r for c, r in zip(centres, radii, strict=True))
        for corner in corners
    ]
    return sum(inside) / len(inside)
