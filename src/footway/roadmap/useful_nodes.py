"""Useful nodes: places on the medial axis that shorten the ways of a roadmap.

rrm-roadmaps-2006, section III.B. Algorithm 1 takes any place on the medial axis, in any order, from
which the way between its two closest nodes is not all in sight (definition 4). Tried on our maps,
with every medial corner in three random orders, it gave after algorithm 2 (nodes, shortest path
factor; ours beside it, all from the same RRM):

    field    40 to 46 nodes      1.12 to 1.16    ours  33  1.10
    office   406 to 409 nodes    1.11 to 1.12    ours 229  1.11
    house    29 to 31 nodes      1.44 to 1.47    ours  42  1.13
    quake    1273 to 1472 nodes  1.16 to 1.20    ours 122  1.18

So as it is printed it makes ways short where it may have many nodes, and misses the stairs of the
house. Here a place is useful when it shortens the ways between nodes and probes, all together, by
more than a certain share, and the place that shortens them most comes first. Probes stand for the
unfavourable queries of figure 2. Where no place helps, a bypass may: a few places in a row, K times
shorter than the way around; a stair or a gate that no node stands at takes several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.random_stream import RandomStream
from footway.roadmap.kernels.graph import best_place, pairs_in_sight, sight_lengths
from footway.roadmap.medial import medial_corners
from footway.roadmap.parallel import WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Progress = Callable[[int, int], None]

LEAST_SAVING = 1 / 500
"""Share of the length of all ways that a useful node saves. Chosen on the four maps above, for
roadmaps about as large as in table II. Half of it gives quake 147 nodes and 1.15, and the office
237 and 1.09, but the field and the house more nodes and no shorter ways."""

MOST_CANDIDATES = 4000
"""Places on the medial axis that are tried; a larger axis is thinned at random."""

MOST_STOPS = 600
"""Places among them along which bypasses are searched: all pairs of them are looked at."""


MOST_PROBES = 50
"""Places among them that stand for queries. They make cycles around obstacles worth their nodes."""


class Ways(NamedTuple):
    """Shortest ways between places along straight edges, in cells."""

    length: Floats  # (n, n) infinite where there is none
    before: Ints  # (n, n) in row a, the place before each on the way from a; below 0 for none


class _Trial(NamedTuple):
    """The ways between nodes and probes so far, and which of them the candidates see."""

    ways: Floats  # (n, n) lengths in cells
    sights: Floats  # (c, n) distance of each candidate to each that it sees, else infinite
    is_probe: Bools  # (n,) ways start and end at a probe, but do not pass


def find_useful_nodes(
    nodes: Floats,
    usefulness: float,
    space: Space,
    seed: int = 0,
    progress: Progress | None = None,
) -> Floats:
    """Return places (u, 3) that shorten the ways between nodes (n, 3) most, the best first.

    Everything is in lattice units. The ways are those along all free lines between nodes, of which
    algorithm 2 leaves some out later. Progress counts how far the savings have come down to those
    that are too small.
    """
    candidates = medial_places(space, seed)
    bypasses = ways_in_sight(np.concatenate([nodes, candidates[:MOST_STOPS]]), space)
    trial = _first_trial(nodes, candidates, space)
    saving = np.full(len(candidates), np.inf)
    found, fallen = list[int](), 0.0
    while len(found) < len(candidates):
        place, saved = best_place(*trial, saving)
        chosen, least = [place], LEAST_SAVING * total(trial.ways)
        fallen = max(fallen, min(1.0, least / max(saved, 1e-300)))
        if progress is not None:  # savings fall about as one over the number of nodes
            progress(round(WHOLE * fallen), WHOLE)
        if saved <= least:
            chosen = _best_bypass(bypasses, len(nodes), usefulness, trial.ways)
            saving[:] = np.inf  # behind a bypass a place may save more than before
        longer = _with_nodes(chosen, trial, candidates, space)
        if _saved(trial, longer) <= least * len(chosen):
            break
        found += chosen
        trial = longer
    return candidates[found]


def _first_trial(nodes: Floats, candidates: Floats, space: Space) -> _Trial:
    """Return the ways between the nodes of the input graph and the probes."""
    probes = candidates[-MOST_PROBES:]
    ways = ways_in_sight(nodes, space).length
    last = sight_lengths(probes, nodes, space)
    to_nodes = np.array([(row[:, None] + ways).min(axis=0, initial=np.inf) for row in last])
    to_nodes = to_nodes.reshape(len(probes), len(nodes))
    between = (to_nodes[:, :, None] + last.T).min(axis=1, initial=np.inf)
    between = np.minimum(between, sight_lengths(probes, probes, space))
    return _Trial(
        np.block([[ways, to_nodes.T], [to_nodes, between]]),
        sight_lengths(candidates, np.concatenate([nodes, probes]), space),
        np.arange(len(nodes) + len(probes)) >= len(nodes),
    )


def medial_places(space: Space, seed: int) -> Floats:
    """Places on the medial axis (c, 3) in lattice units, in random order."""
    corners = medial_corners(space)
    order = RandomStream(seed).permutation(len(corners))
    return corners[order[:MOST_CANDIDATES]].astype(np.float64)


def _best_bypass(bypasses: Ways, n: int, usefulness: float, ways: Floats) -> list[int]:
    """Return the candidates on the bypass between two of the first n nodes that saves most."""
    now, best = ways[:n, :n], bypasses.length[:n, :n]
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
    """Return the ways and sights when candidates become nodes."""
    ways, sights, is_probe = trial
    for place in chosen:
        across = (ways[:, ~is_probe] + sights[place, ~is_probe]).min(axis=1)
        to_place = np.minimum(across, sights[place])
        ways = np.pad(np.minimum(ways, to_place[:, None] + to_place), (0, 1))
        ways[-1, :-1] = ways[:-1, -1] = to_place
        seen = sight_lengths(candidates, candidates[[place]], space)
        sights = np.concatenate([sights, seen], axis=1)
        is_probe = np.append(is_probe, False)
    return _Trial(ways, sights, is_probe)


def _saved(before: _Trial, after: _Trial) -> float:
    """By how much the ways that were there before became shorter."""
    n = len(before.ways)
    known = np.isfinite(before.ways)
    return float((before.ways[known] - after.ways[:n, :n][known]).sum())


def total(ways: Floats) -> float:
    """Sum of the lengths of all ways that there are."""
    return float(ways[np.isfinite(ways)].sum())


def ways_in_sight(places: Floats, space: Space) -> Ways:
    """Return the shortest ways along all free lines between places (n, 3)."""
    pairs, _ = pairs_in_sight(places, space)
    return ways_along(pairs, places)


def ways_along(edges: Ints, places: Floats) -> Ways:
    """Return the shortest ways along straight edges (m, 2) between places (n, 3)."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import dijkstra

    a, b = edges.T
    length = np.linalg.norm(places[a] - places[b], axis=1)
    graph = coo_array((length, (a, b)), (len(places), len(places))).tocsr()
    lengths, before = dijkstra(graph, directed=False, return_predecessors=True)
    return Ways(lengths, before.astype(np.int64))
