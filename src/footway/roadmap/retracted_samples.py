"""Retract samples and edges to the Voronoi diagram (voronoi-roadmaps-2004, sections 2.1, 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.random_stream import RandomStream
from footway.roadmap.draft import SLACK
from footway.roadmap.kernels.prm import inside_walls, retract_points, useful_pairs
from footway.roadmap.roadmap import clearance_along

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.environment import Environment
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

EPSILON = 1e-7
"""m. Largest distance of a retracted point from the Voronoi diagram: the paper's epsilon."""

MOST_TRIES = 100
"""Most batches of random points that are drawn before sampling stops."""


def free_samples(
    environment: Environment, walls: Space, *, radius: float, count: int, seed: int
) -> Floats:
    """Return `count` positions (n, 2) m of a disc, uniform in the space in which it fits.

    Fewer if the disc fits in a tiny part of the map only. `walls` is a space of radius 0.
    """
    rng = RandomStream(seed)
    rings = np.ascontiguousarray(environment.walls.segments[~environment.walls.two_sided])
    low, high = np.array(environment.bounds).reshape(2, 2)
    found = np.empty((0, 2))
    for _ in range(MOST_TRIES):
        if len(found) >= count:
            break
        drawn = low + rng.uniform(max(count, 64), 2) * (high - low)
        inside = np.empty(len(drawn), bool)
        inside_walls(drawn, rings, inside)
        drawn = drawn[inside]
        found = np.concatenate([found, drawn[walls.clearance(drawn)[0] >= radius]])
    return found[:count]


def retract_to_axis(points: Floats, walls: Space) -> tuple[Floats, Floats]:
    """Retract points (n, 2) m to the Voronoi diagram; return them and their clearance (n,) m.

    Each moves straight away from its nearest wall point until another wall point is as near.
    """
    out = np.empty((len(points), 3))
    retract_points(np.ascontiguousarray(points), EPSILON, walls, out)
    return out[:, :2].copy(), out[:, 2].copy()


def useful_neighbours(
    places: Floats,
    known: Ints,
    walls: Space,
    *,
    radius: float,
    distance: float,
    usefulness: float,
    saving: float = 0.0,
) -> Ints:
    """Return new edges (m, 2) between places (n, 2), the shortest first.

    An edge joins two places within `distance` metres between which a disc can move straight, if
    along the known edges (k, 2) and the new ones so far there is no path, or only one that is more
    than `usefulness` times longer and longer by more than `saving` metres.
    """
    from scipy.spatial import cKDTree

    if len(places) < 2:
        return np.empty((0, 2), np.int64)
    pairs = cKDTree(places).query_pairs(distance, output_type="ndarray").astype(np.int64)
    lengths = _lengths(places, pairs)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], lengths))
    pairs, lengths = pairs[order], lengths[order]  # no length is 0: close vertices were united
    known = np.ascontiguousarray(known)
    useful: NDArray[np.bool_] = useful_pairs(
        np.ascontiguousarray(pairs), lengths, places, known, _lengths(places, known), usefulness,
        saving, radius, walls,
    )  # fmt: skip
    chosen: NDArray[np.int64] = pairs[useful]
    return chosen


def retract_edges(
    starts: Floats, ends: Floats, walls: Space, *, radius: float, desired: float, shortest: float
) -> list[Floats]:
    """Retract straight edges; return a chain of points (k, 2) m for each, empty if it fails.

    If an edge has less than the `desired` clearance, its midpoint is retracted and both halves are
    treated in the same way, until they have that clearance or their share of the straight edge is
    no longer than `shortest`. An edge fails if such a short part has less clearance than `radius`.
    """
    n = len(starts)
    length = hypot(*(ends - starts).T)
    parts = _Parts(np.hstack([starts, ends]), np.arange(n), np.zeros(n), np.ones(n))
    done: list[_Parts] = []
    failed = np.zeros(n, bool)
    while len(parts.lines):
        clearance = clearance_along(parts.lines[:, :2], parts.lines[:, 2:], walls)
        enough = clearance >= desired - SLACK
        short = length[parts.edge] * parts.share <= shortest
        failed[parts.edge[~enough & short & (clearance < radius - SLACK)]] = True
        done.append(parts.where(enough | short))
        parts = parts.where(~enough & ~short & ~failed[parts.edge]).halved(walls)
    return _chains(done, failed)


class _Parts(NamedTuple):
    """Straight parts of edges."""

    lines: Floats  # (p, 4) m, both ends
    edge: Ints  # (p,) edge that each belongs to
    begin: Floats  # (p,) share of the edge at which the part starts
    share: Floats  # (p,) length as a share of the edge

    def where(self, chosen: Bools) -> _Parts:
        """Return the chosen parts."""
        return _Parts(self.lines[chosen], self.edge[chosen], self.begin[chosen], self.share[chosen])

    def halved(self, walls: Space) -> _Parts:
        """Return both halves of every part; they meet in its retracted midpoint."""
        starts, ends, half = self.lines[:, :2], self.lines[:, 2:], 0.5 * self.share
        middle, _ = retract_to_axis(0.5 * (starts + ends), walls)
        return _Parts(
            np.concatenate([np.hstack([starts, middle]), np.hstack([middle, ends])]),
            np.tile(self.edge, 2),
            np.concatenate([self.begin, self.begin + half]),
            np.tile(half, 2),
        )


def _chains(done: list[_Parts], failed: Bools) -> list[Floats]:
    """Return the points of each edge in order; an empty array for a failed edge."""
    if not done:
        return []
    lines, edge, begin, _ = (np.concatenate(values) for values in zip(*done, strict=True))
    order = np.lexsort((begin, edge))
    lines, cuts = lines[order], np.searchsorted(edge[order], np.arange(len(failed) + 1))
    return [
        np.empty((0, 2)) if bad else np.concatenate([lines[a : a + 1, :2], lines[a:b, 2:]])
        for a, b, bad in zip(cuts[:-1].tolist(), cuts[1:].tolist(), failed.tolist(), strict=True)
    ]


def _lengths(places: Floats, edges: Ints) -> Floats:
    length: Floats = hypot(*(places[edges[:, 0]] - places[edges[:, 1]]).T)
    return length
