"""What makes a roadmap look drawn by hand: no stubs, few vertices, no needless turns.

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
"""Share of the room of a vertex that an edge which bypasses it may be away from it: in a wide
corridor the road stays in the middle."""


FARTHEST = 0.6
"""Share of its room that a junction may move at a time to where a road goes straight on."""


def drop_dead_ends(draft: Draft, steep: float, *, all_of_them: bool) -> list[int]:
    """Drop dead ends that samples made and that run into corners or are stubs, or all of them.

    A dead end runs into a corner where the room grows by more than `steep` for each metre inward; a
    stub lies in the disc of free space around the vertex where it begins. Passages stay. Returns
    the vertices that are all that is left of their components now.
    """
    room = _rooms(draft)
    queue = [v for v in range(len(draft.at)) if draft.degree(v) == 1]
    last: list[int] = []
    while queue:
        end = queue.pop()
        if draft.degree(end) != 1:
            continue
        ((base, edge),) = draft.edges_of[end].items()
        if draft.degree(base) == 1 and room[base] < room[end]:
            end, base = base, end
        apart = dist(draft.at[end], draft.at[base])
        is_corner = room[base] - room[end] > steep * apart
        if not edge.is_passage and (all_of_them or is_corner or apart < room[base]):
            draft.drop(end, base)
            (queue if draft.degree(base) else last).append(base)
    return last


def drop_useless_chains(draft: Draft, usefulness: float) -> None:
    """Drop chains of edges that samples made and that are of no use after joining, longest first.

    A chain is useful when the way around is more than `usefulness` times longer, or there is none.
    """
    for chain in sorted(_sampled_chains(draft), key=lambda chain: -_length(draft, chain)):
        known = [draft.drop(a, b) for a, b in itertools.pairwise(chain)]
        limit = usefulness * _length(draft, chain)
        if chain[0] == chain[-1] or not _is_within(draft, chain[0], chain[-1], limit):
            for (a, b), edge in zip(itertools.pairwise(chain), known, strict=True):
                draft.join(a, b, edge)


def _sampled_chains(draft: Draft) -> list[list[int]]:
    """Vertices along chains of edges of samples, over vertices that have two edges."""
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
    """Whether there is a way between two vertices that is no longer than the limit."""
    way, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        key, v = heapq.heappop(queue)
        if v == goal:
            return True
        for w in draft.edges_of[v] if key <= way[v] else ():
            longer = key + dist(draft.at[v], draft.at[w])
            straight = dist(draft.at[w], draft.at[goal])
            if longer < way.get(w, math.inf) and longer + straight <= limit:
                way[w] = longer
                heapq.heappush(queue, (longer, w))
    return False


def improve(draft: Draft) -> None:
    """Leave out vertices and straighten roads, twice: each makes room for the other."""
    for _ in range(2):
        bypass_vertices(draft)
        straighten_roads(draft)
    bypass_vertices(draft)


def bypass_vertices(draft: Draft) -> None:
    """Leave out vertices of two edges where one straight edge keeps the room of both."""
    room = _rooms(draft)
    queue = [v for v in range(len(draft.at)) if draft.degree(v) == 2]
    queue.sort(key=lambda v: -_straightness(draft, v))
    for v in queue:
        if draft.degree(v) == 2:
            draft.bypass(v, OFF_VERTEX * room[v])


def straighten_roads(draft: Draft) -> None:
    """Move junctions so that roads go straight on over them, where all edges keep their room."""
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


def _rooms(draft: Draft) -> list[float]:
    """Room of every vertex, m."""
    return draft.walls.clearance(draft.places)[0].tolist() if draft.at else []


def _straightness(draft: Draft, vertex: int) -> float:
    """Length between the neighbours of a vertex as a share of the way over it."""
    a, b = (draft.at[n] for n in draft.edges_of[vertex])
    here = draft.at[vertex]
    way = dist(a, here) + dist(here, b)
    return dist(a, b) / way if way > 0.0 else 1.0
