"""Useful nodes as the paper prints them: algorithm 1 of rrm-roadmaps-2006, section III.B.

A place on the medial axis is useful when, from it, the way between its two closest nodes is not all
in sight (definition 4): then the two lines to them are a way around something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.roadmap.kernels.graph import sight_lengths
from footway.roadmap.useful_nodes import Ways, medial_places, ways_along

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Progress = Callable[[int, int], None]


def find_nodes_as_printed(
    nodes: Floats, edges: Ints, space: Space, seed: int = 0, progress: Progress | None = None
) -> Floats:
    """Return useful places (u, 3) for a graph of nodes (n, 3) and edges (m, 2), in lattice units.

    Candidates come in random order. Neighbours are nodes of the input graph only; the way between
    them may lead over useful nodes that were found before.
    """
    candidates = medial_places(space, seed)
    sights = sight_lengths(candidates, nodes, space)
    places, found = nodes, list[int]()
    ways = ways_along(edges, places)
    for number in range(len(candidates)):
        if progress is not None:
            progress(number, len(candidates))
        near = np.argsort(sights[number, : len(nodes)], kind="stable")[:2]
        if len(near) < 2 or not np.isfinite(sights[number, near]).all():
            continue
        way = way_between(int(near[0]), int(near[1]), ways)
        if np.isfinite(sights[number, way]).all():
            continue
        found.append(number)
        new = [[near[0], len(places)], [near[1], len(places)]]
        places = np.concatenate([places, candidates[[number]]])
        edges = np.concatenate([edges, new])
        sights = np.hstack([sights, sight_lengths(candidates, candidates[[number]], space)])
        ways = ways_along(edges, places)
    useful: Floats = candidates[found]
    return useful


def way_between(start: int, stop: int, ways: Ways) -> list[int]:
    """Nodes of the shortest way, with both ends; none where there is no way."""
    if not np.isfinite(ways.length[start, stop]):
        return []
    way = [stop]
    while way[-1] != start:
        way.append(int(ways.before[start, way[-1]]))
    return way
