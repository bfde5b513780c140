"""Useful nodes: places on the medial axis that shorten the paths of a roadmap.

rrm-roadmaps-2006, section III.B. Algorithm 1 takes any place on the medial axis, in any order, from
which the path between its two closest nodes is not fully visible (definition 4). On our maps, with
all medial corners in three random orders, it gives after algorithm 2 (number of nodes, shortest
path factor; ours for comparison, all from the same RRM):

    field    40 to 46 nodes      1.12 to 1.16    ours  33  1.10
    office   406 to 409 nodes    1.11 to 1.12    ours 229  1.11
    house    29 to 31 nodes      1.44 to 1.47    ours  42  1.13
    quake    1273 to 1472 nodes  1.16 to 1.20    ours 122  1.18

So algorithm 1 makes paths short at the cost of many nodes, and misses the stairs of the house. Here
a place is useful if it shortens the total length of the paths between nodes and probes by more than
a given share; the place that shortens them most comes first. Probes represent the unfavourable
queries of figure 2. If no single place helps, a bypass may: a chain of places that is K times
shorter than the existing path. A stair or a gate without a node needs several places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.random_stream import RandomStream
from footway.roadmap.kernels.graph import best_place, pairs_in_sight, sight_lengths
from footway.roadmap.phases import WHOLE
from footway.roadmap.rrm import medial_corners

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Progress = Callable[[int, int], None]

LEAST_SAVING = 1 / 500
"""Share of the total path length that a useful node must save. Chosen on the four maps above, for
roadmaps about as large as in table II. Half of it gives quake 147 nodes and 1.15, and the office
237 and 1.09, but the field and the house more nodes and no shorter paths."""

MOST_CANDIDATES = 4000
"""Most candidates on the medial axis; a larger axis is thinned at random."""

MOST_STOPS = 600
"""Candidates along which bypasses are searched; all pairs of them are examined."""

MOST_PROBES = 50
"""Candidates that represent queries, so that cycles around obstacles save enough to be added."""


class ShortestPaths(NamedTuple):
    """Shortest paths between places along straight edges, in cells."""

    length: Floats  # (n, n) infinite if there is no path
    before: Ints  # (n, n) in row a, the predecessor of each place on the path from a; < 0: none


class _Trial(NamedTuple):
    """Current path lengths between nodes and probes, and which of them the candidates see."""

    path_lengths: Floats  # (n, n) lengths in cells
    sights: Floats  # (c, n) distance of each candidate to each that it sees; infinite if hidden
    is_probe: Bools  # (n,) paths start and end at probes, but do not pass through them


def find_useful_nodes(
    nodes: Floats,
    usefulness: float,
    space: Space,
    seed: int = 0,
    progress: Progress | None = None,
) -> Floats:
    """Return places (u, 3) that shorten the paths between nodes (n, 3) most, the best first.

    Everything is in lattice units. Paths run along all free lines between nodes, some of which
    algorithm 2 drops later. Progress measures how close savings are to the least useful saving.
    """
    candidates = medial_places(space, seed)
    bypasses = paths_in_sight(np.concatenate([nodes, candidates[:MOST_STOPS]]), space)
    trial = _first_trial(nodes, candidates, space)
    saving = np.full(len(candidates), np.inf)
    found, done = list[int](), 0.0
    while len(found) < len(candidates):
        place, saved = best_place(*trial, saving)
        chosen, least = [place], LEAST_SAVING * total(trial.path_lengths)
        done = max(done, min(1.0, least / max(saved, 1e-300)))
        if progress is not None:  # savings are about inversely proportional to the number of nodes
            progress(round(WHOLE * done), WHOLE)
        if saved <= least:
            chosen = _best_bypass(bypasses, len(nodes), usefulness, trial.path_lengths)
            saving[:] = np.inf  # after a bypass, a place may save more than before
        extended = _with_nodes(chosen, trial, candidates, space)
        known, n = np.isfinite(trial.path_lengths), len(trial.path_lengths)
        shorter = trial.path_lengths[known] - extended.path_lengths[:n, :n][known]
        if float(shorter.sum()) <= least * len(chosen):
            break
        found += chosen
        trial = extended
    return candidates[found]


def _first_trial(nodes: Floats, candidates: Floats, space: Space) -> _Trial:
    """Return the path lengths between the nodes of the input graph and the probes."""
    probes = candidates[-MOST_PROBES:]
    path_lengths = paths_in_sight(nodes, space).length
    last = sight_lengths(probes, nodes, space)
    to_nodes = np.array([(row[:, None] + path_lengths).min(axis=0, initial=np.inf) for row in last])
    to_nodes = to_nodes.reshape(len(probes), len(nodes))
    between = (to_nodes[:, :, None] + last.T).min(axis=1, initial=np.inf)
    between = np.minimum(between, sight_lengths(probes, probes, space))
    return _Trial(
        np.block([[path_lengths, to_nodes.T], [to_nodes, between]]),
        sight_lengths(candidates, np.concatenate([nodes, probes]), space),
        np.arange(len(nodes) + len(probes)) >= len(nodes),
    )


def medial_places(space: Space, seed: int) -> Floats:
    """Return places on the medial axis (c, 3) in lattice units, in random order."""
    corners = medial_corners(space)
    order = RandomStream(seed).permutation(len(corners))
    return corners[order[:MOST_CANDIDATES]].astype(np.float64)


def _best_bypass(
    bypasses: ShortestPaths, n: int, usefulness: float, path_lengths: Floats
) -> list[int]:
    """Return the candidates on the bypass between two of the first n nodes that saves most."""
    now, best = path_lengths[:n, :n], bypasses.length[:n, :n]
    known = np.where(np.isfinite(now), now, 0.0)
    detour = np.where(best < known / usefulness, known - best, 0.0)
    start, stop = (int(end) for end in np.unravel_index(np.argmax(detour), detour.shape))
    chosen = []
    while detour[start].any() and stop != start:
        stop = int(bypasses.before[start, stop])
        if stop >= n:
            chosen.append(stop - n)
    return chosen


def _with_nodes(chosen: list[int], trial: _Trial, candidates: Floats, space: Space) -> _Trial:
    """Return the trial after the chosen candidates become nodes."""
    path_lengths, sights, is_probe = trial
    for place in chosen:
        across = (path_lengths[:, ~is_probe] + sights[place, ~is_probe]).min(axis=1)
        to_place = np.minimum(across, sights[place])
        path_lengths = np.pad(np.minimum(path_lengths, to_place[:, None] + to_place), (0, 1))
        path_lengths[-1, :-1] = path_lengths[:-1, -1] = to_place
        seen = sight_lengths(candidates, candidates[[place]], space)
        sights = np.concatenate([sights, seen], axis=1)
        is_probe = np.append(is_probe, False)
    return _Trial(path_lengths, sights, is_probe)


def total(path_lengths: Floats) -> float:
    """Return the sum of all finite path lengths."""
    return float(path_lengths[np.isfinite(path_lengths)].sum())


def paths_in_sight(places: Floats, space: Space) -> ShortestPaths:
    """Return the shortest paths along all free lines between places (n, 3)."""
    pairs, _ = pairs_in_sight(places, space)
    return paths_along(pairs, places)


def paths_along(edges: Ints, places: Floats) -> ShortestPaths:
    """Return the shortest paths along straight edges (m, 2) between places (n, 3)."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import dijkstra

    a, b = edges.T
    length = np.linalg.norm(places[a] - places[b], axis=1)
    graph = coo_array((length, (a, b)), (len(places), len(places))).tocsr()
    lengths, before = dijkstra(graph, directed=False, return_predecessors=True)
    return ShortestPaths(lengths, before.astype(np.int64))


def find_published_nodes(
    nodes: Floats, edges: Ints, space: Space, seed: int = 0, progress: Progress | None = None
) -> tuple[Floats, Ints]:
    """Return the useful places (u, 3) of algorithm 1 in lattice units, and their edges (2 u, 2).

    The input graph has nodes (n, 3) and edges (m, 2); useful place k becomes node n + k.

    A place is useful if the path between its two closest nodes is not fully visible from it
    (definition 4): then its edges to these nodes pass an obstacle on another side. Candidates are
    tried in random order. Neighbours are nodes of the input graph only; the path between them may
    pass useful nodes found before.
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
    return candidates[found], edges[len(edges) - 2 * len(found) :]


def path_between(start: int, stop: int, paths: ShortestPaths) -> list[int]:
    """Return the nodes of the shortest path, including both ends; empty if there is no path."""
    if not np.isfinite(paths.length[start, stop]):
        return []
    path = [stop]
    while path[-1] != start:
        path.append(int(paths.before[start, path[-1]]))
    return path
