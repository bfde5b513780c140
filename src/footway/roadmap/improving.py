"""Simplify a draft roadmap: remove stubs, redundant vertices and needless turns.

voronoi-roadmaps-2004, section 2.3.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import dist
from footway.roadmap.draft import SLACK, STRIDE
from footway.roadmap.kernels.straight import straighten

if TYPE_CHECKING:
    from footway.roadmap.draft import Draft


OFF_VERTEX = 0.4
"""Largest distance of a new edge from the vertex that it bypasses, as a share of the clearance of
the vertex. It keeps roads in the middle of wide corridors."""


FARTHEST = 0.6
"""Largest single move of a junction that straightens a road, as a share of its clearance."""


def drop_dead_ends(draft: Draft, steep: float, *, all_of_them: bool) -> list[int]:
    """Drop sampled dead ends that run into corners or are stubs, or all sampled dead ends.

    A dead end runs into a corner if clearance grows by more than `steep` for each metre away from
    its end. A stub lies in the free disc around the vertex at which it starts. Passages are kept.
    Returns the vertices that have become the only vertex of their component.
    """
    clearance = _clearances(draft)
    queue = [v for v in range(len(draft.at)) if draft.degree(v) == 1]
    last: list[int] = []
    while queue:
        end = queue.pop()
        if draft.degree(end) != 1:
            continue
        ((base, edge),) = draft.edges_of[end].items()
        if draft.degree(base) == 1 and clearance[base] < clearance[end]:
            end, base = base, end
        apart = dist(draft.at[end], draft.at[base])
        is_corner = clearance[base] - clearance[end] > steep * apart
        if not edge.is_passage and (all_of_them or is_corner or apart < clearance[base]):
            draft.drop(end, base)
            (queue if draft.degree(base) else last).append(base)
    return last


def drop_useless_chains(draft: Draft, usefulness: float) -> None:
    """Drop sampled chains of edges that are no longer useful after joining, longest first.

    A chain is useful if every other path between its ends is more than `usefulness` times longer.
    """
    for chain in sorted(_sampled_chains(draft), key=lambda chain: -_length(draft, chain)):
        dropped = [draft.drop(a, b) for a, b in itertools.pairwise(chain)]
        limit = usefulness * _length(draft, chain)
        if chain[0] == chain[-1] or not _is_within(draft, chain[0], chain[-1], limit):
            for (a, b), edge in zip(itertools.pairwise(chain), dropped, strict=True):
                draft.join(a, b, edge)


def _sampled_chains(draft: Draft) -> list[list[int]]:
    """Return the vertices of each maximal chain of sampled edges; inner vertices have degree 2."""
    seen: set[tuple[int, int]] = set()
    chains = []
    for start in range(len(draft.at)):
        if draft.degree(start) == 2:
            continue
        for after, edge in draft.edges_of[start].items():
            if edge.is_passage or (start, after) in seen:
                continue
            chain = [start, after]
            while draft.degree(chain[-1]) == 2:
                one, other = draft.edges_of[chain[-1]]
                chain.append(other if one == chain[-2] else one)
            if not any(draft.edges_of[a][b].is_passage for a, b in itertools.pairwise(chain)):
                chains.append(chain)
            seen.add((chain[-1], chain[-2]))
    return chains


def _length(draft: Draft, chain: list[int]) -> float:
    return sum(dist(draft.at[a], draft.at[b]) for a, b in itertools.pairwise(chain))


def _is_within(draft: Draft, start: int, goal: int, limit: float) -> bool:
    """Return whether a path between two vertices is no longer than the limit (m)."""
    best, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        key, v = heapq.heappop(queue)
        if v == goal:
            return True
        for w in draft.edges_of[v] if key <= best[v] else ():
            length = key + dist(draft.at[v], draft.at[w])
            straight = dist(draft.at[w], draft.at[goal])
            if length < best.get(w, math.inf) and length + straight <= limit:
                best[w] = length
                heapq.heappush(queue, (length, w))
    return False


def improve(draft: Draft) -> None:
    """Bypass vertices and straighten roads, twice, since each enables more of the other."""
    for _ in range(2):
        bypass_vertices(draft)
        straighten_roads(draft)
    bypass_vertices(draft)


def bypass_vertices(draft: Draft) -> None:
    """Remove vertices of degree 2 if one straight edge keeps the clearance of both edges."""
    clearance = _clearances(draft)
    queue = [v for v in range(len(draft.at)) if draft.degree(v) == 2]
    queue.sort(key=lambda v: -_straightness(draft, v))
    for v in queue:
        if draft.degree(v) == 2:
            draft.bypass(v, OFF_VERTEX * clearance[v])


def straighten_roads(draft: Draft) -> None:
    """Move junctions so that roads pass them straight, if all edges keep their clearance."""
    edges = draft.edges
    if not len(edges):
        return
    halves = np.concatenate([edges, edges[:, ::-1]])
    halves = halves[np.lexsort((halves[:, 1], halves[:, 0]))]
    offsets = np.searchsorted(halves[:, 0], np.arange(len(draft.at) + 1))
    floor = np.array([draft.floor(draft.edges_of[a][b]) for a, b in halves.tolist()])
    places = draft.places
    straighten(
        places, offsets, np.ascontiguousarray(halves[:, 1]), floor, draft.radius - SLACK,
        STRIDE * draft.radius, FARTHEST, draft.walls,
    )  # fmt: skip
    draft.move_vertices(places)


def _clearances(draft: Draft) -> list[float]:
    """Return the clearance of every vertex, m."""
    return draft.walls.clearance(draft.places)[0].tolist() if draft.at else []


def _straightness(draft: Draft, vertex: int) -> float:
    """Return the distance between the neighbours of a vertex over the path length across it."""
    a, b = (draft.at[n] for n in draft.edges_of[vertex])
    here = draft.at[vertex]
    length = dist(a, here) + dist(here, b)
    return dist(a, b) / length if length > 0.0 else 1.0
