"""Useful nodes as published: algorithm 1 of rrm-roadmaps-2006, section III.B.

A place on the medial axis is useful if the path between its two closest nodes is not fully visible
from it (definition 4): then the lines to these nodes pass an obstacle on another side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.roadmap.kernels.graph import sight_lengths
from footway.roadmap.useful_nodes import ShortestPaths, medial_places, paths_along

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Progress = Callable[[int, int], None]


def find_published_nodes(
    nodes: Floats, edges: Ints, space: Space, seed: int = 0, progress: Progress | None = None
) -> Floats:
    """Return useful places (u, 3) for a graph of nodes (n, 3) and edges (m, 2), in lattice units.

    Candidates are tried in random order. Neighbours are nodes of the input graph only; the path
    between them may pass useful nodes found before.
    """
    candidates = medial_places(space, seed)
    sights = sight_lengths(candidates, nodes, space)
    places, found = nodes, list[int]()
    paths = paths_along(edges, places)
    for number in range(len(candidates)):
        if progress is not None:
            progress(number, len(candidates))
        near = np.argsort(sights[number, : len(nodes)], kind="stable")[:2]
        if len(near) < 2 or not np.isfinite(sights[number, near]).all():
            continue
        path = path_between(int(near[0]), int(near[1]), paths)
        if np.isfinite(sights[number, path]).all():
            continue
        found.append(number)
        new = [[near[0], len(places)], [near[1], len(places)]]
        places = np.concatenate([places, candidates[[number]]])
        edges = np.concatenate([edges, new])
        sights = np.hstack([sights, sight_lengths(candidates, candidates[[number]], space)])
        paths = paths_along(edges, places)
    useful: Floats = candidates[found]
    return useful


def path_between(start: int, stop: int, paths: ShortestPaths) -> list[int]:
    """Return the nodes of the shortest path, including both ends; empty if there is no path."""
    if not np.isfinite(paths.length[start, stop]):
        return []
    path = [stop]
    while path[-1] != start:
        path.append(int(paths.before[start, path[-1]]))
    return path
