"""Join overlapping edges (voronoi-roadmaps-2004, section 2.2 and figure 6).

Three operations cover the four cases of the figure: an edge is split at a vertex close to it, two
close vertices are united, and two edges between the same vertices become one. Each is done only if
the edges keep their clearance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points
from footway.roadmap.kernels.prm import close_pairs, crossing_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap.draft import Draft

MOST_ROUNDS = 8
"""Most rounds of joining, since joined edges can be close to others; no map needed more."""

CLOSE = 0.3
"""Anything within this share of a vertex's clearance, and at least the radius, is close to it. In
open space, two roads a step apart become one."""


def join_overlaps(draft: Draft) -> None:
    """Unite close vertices and split close edges until nothing changes."""
    tried: set[tuple[int, ...]] = set()
    for _ in range(MOST_ROUNDS):
        if not (unite_vertices(draft, tried) + split_edges(draft, tried)):
            return


def unite_vertices(draft: Draft, tried: set[tuple[int, ...]]) -> int:
    """Unite close vertices and return how many were united. Pairs in `tried` are skipped."""
    from scipy.spatial import cKDTree

    places, close = draft.places, closeness(draft)
    alive = np.array([v for v in range(len(places)) if draft.degree(v) > 0], np.int64)
    if len(alive) == 0:
        return 0
    pairs = alive[cKDTree(places[alive]).query_pairs(close.max(), output_type="ndarray")]
    apart = hypot(*(places[pairs[:, 0]] - places[pairs[:, 1]]).T)
    near = apart <= close[pairs].min(axis=1)
    pairs, apart = pairs[near], apart[near]
    count = 0
    for a, b in pairs[np.lexsort((pairs[:, 1], pairs[:, 0], apart))].tolist():
        if draft.degree(a) and draft.degree(b) and (a, b) not in tried:
            gone, kept = (a, b) if draft.degree(a) < draft.degree(b) else (b, a)
            count += draft.unite(gone, kept) or draft.unite(kept, gone)
            tried.add((a, b))
    return count


def split_edges(draft: Draft, tried: set[tuple[int, ...]]) -> int:
    """Split edges at vertices close to them and return how many were split."""
    places, edges, close = draft.places, draft.edges, closeness(draft)
    pairs = close_pairs(places, edges, close)
    vertex, (a, b) = pairs[:, 0], edges[pairs[:, 1]].T
    lines = np.hstack([places[a], places[b]])
    foot = closest_points(places[vertex], lines)
    away = hypot(*(places[vertex] - foot).T)
    inside = np.minimum(hypot(*(foot - places[a]).T), hypot(*(foot - places[b]).T)) > 0.0
    count = 0
    for k in np.lexsort((pairs[:, 1], vertex, away)).tolist():
        v, p, q = int(vertex[k]), int(a[k]), int(b[k])
        if inside[k] and draft.degree(v) and q in draft.edges_of[p] and (v, p, q) not in tried:
            count += draft.insert(v, p, q)
            tried.add((v, p, q))
    return count


def join_crossings(draft: Draft) -> None:
    """Add a vertex wherever a sampled edge crosses another edge."""
    for _ in range(MOST_ROUNDS):
        places, edges = draft.places, draft.edges
        is_new = np.array([not draft.edges_of[a][b].is_passage for a, b in edges.tolist()], bool)
        pairs = edges[crossing_pairs(places, edges, is_new)]
        if not len(pairs):
            return
        for (a, b), (c, d) in pairs.tolist():
            if b in draft.edges_of[a] and d in draft.edges_of[c]:
                (new,) = draft.add_vertices(_crossing(*places[[a, b, c, d]])[None]).tolist()
                draft.insert(new, a, b)
                draft.insert(new, c, d)


def _crossing(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the intersection of the lines a-b and c-d."""
    along, other = b - a, d - c
    across = along[0] * other[1] - along[1] * other[0]
    share = ((c - a)[0] * other[1] - (c - a)[1] * other[0]) / across
    place: NDArray[np.float64] = a + share * along
    return place


def closeness(draft: Draft) -> NDArray[np.float64]:
    """Return the distance (n,) m within which anything counts as close to each vertex."""
    clearance = draft.walls.clearance(draft.places)[0] if draft.at else np.empty(0)
    return np.maximum(draft.radius, CLOSE * clearance)
