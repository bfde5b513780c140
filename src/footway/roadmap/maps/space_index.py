"""Attach clearance to a roadmap in three dimensions: the arrays that SpaceMap's kernels take.

Clearance is the distance of a place to the occupied cells, plus a margin. A cell is free if the
object fits with its centre anywhere in the closed cell; there the object is at least the margin
away from solid voxels. On the straight line from a place to the nearest solid point, the last free
place is at least as far away as the occupied cells, and the margin follows.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.bins import rows_by_key
from footway.corridor.balls import subdivide
from footway.corridor.kernels.graph_search import make_graph_workspace
from footway.roadmap.kernels.layouts import SpaceGraph, SpaceRoads, SpaceWorkspace
from footway.roadmap.kernels.space import ON_PLANE
from footway.roadmap.kernels.space_paths import CUTS, join_corners, look_around, spread_sight
from footway.roadmap.lattice.space import corners_where
from footway.roadmap.roadmap import clearance_along, has_next

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.roadmap import Roadmap
    from footway.roadmap.lattice.space import Space


CLOSEST, WIDEST, SHARE = 0.25, 2.0, 0.25  # cells, cells, of the clearance: spacing of the balls
_AT_ONCE = 1 << 22  # pairs of a corner and an event per call of the kernel
_NEAREST = 24  # events that are tested for visibility from a corner that no ball contains
_ROUNDING = 1e-9  # tolerance, cells, when a size is rounded up to a whole number of cells


def make_roads(roadmap: Roadmap) -> SpaceRoads:
    """Cut the local paths into short pieces, and join every free corner to one of their ends."""
    edges, points, offsets = with_lone_nodes(roadmap)
    points, offsets, clear = _cut(points, offsets, roadmap.space)
    inside = has_next(offsets)
    step = np.zeros(len(points))
    step[inside] = np.linalg.norm(np.diff(points, axis=0), axis=1)[inside[:-1]]
    edge_of = np.repeat(np.arange(len(edges)), np.diff(offsets))
    along = np.concatenate([[0.0], np.cumsum(step)[:-1]])
    length = np.add.reduceat(step, offsets[:-1])
    weights = np.concatenate([roadmap.weights, np.ones(len(edges) - roadmap.n_edges)])
    cost = weights / min(1.0, float(weights.min(initial=1.0)))
    out_offsets, out = rows_by_key(edges.ravel(), roadmap.n_nodes)
    at_events = roadmap.space.clearance(points)[0]
    least = np.minimum.reduceat(clear, offsets[:-1])
    graph = SpaceGraph(
        edges=edges,
        offsets=out_offsets,
        out=out,
        clearance=np.where(np.isinf(least), at_events[offsets[:-1]], least),
        length=length * cost,
        is_core=np.ones(len(edges), bool),
        up=np.full(roadmap.n_nodes, -1),
    )
    return SpaceRoads(
        points=points, event_clearance=at_events, piece_clearance=clear,
        arc=along - along[offsets[:-1]][edge_of], offsets=offsets, edge_of=edge_of, cost=cost,
        length=length, nodes=roadmap.nodes, graph=graph,
        seen=_joined(points, at_events, offsets, edges, roadmap.space),
    )  # fmt: skip


def make_workspace(roads: SpaceRoads) -> SpaceWorkspace:
    """Allocate the scratch memory of a search."""
    nodes, edges = len(roads.nodes), len(roads.graph.edges)
    no_landmarks = np.empty((nodes, 0))
    graph = make_graph_workspace(nodes, edges, no_landmarks)
    return SpaceWorkspace(
        graph,
        stack=np.empty((64, 4)),
        vias=np.empty((2, 3)),
        cuts=np.empty((CUTS, 3)),
        cost=np.empty(CUTS),
        before=np.empty(CUTS, np.int64),
    )


def with_lone_nodes(roadmap: Roadmap) -> tuple[Ints, Floats, Ints]:
    """Return edges, points and offsets; nodes without edges get a loop of length 0."""
    lone = np.setdiff1d(np.arange(roadmap.n_nodes), roadmap.edges)
    points = np.concatenate([roadmap.path_points, np.repeat(roadmap.nodes[lone], 2, axis=0)])
    more = roadmap.path_offsets[-1] + 2 * np.arange(1, len(lone) + 1)
    edges = np.concatenate([roadmap.edges, np.column_stack([lone, lone])])
    return edges, points, np.concatenate([roadmap.path_offsets, more])


def _cut(points: Floats, offsets: Ints, space: Space) -> tuple[Floats, Ints, Floats]:
    """Cut pieces so that balls on them overlap: points, offsets, and least clearances (m,) m.

    Twice, because long pieces have low clearance. Only pieces that were cut are measured again. At
    the last point of an edge no piece begins: its clearance is infinite.
    """
    inside, known = has_next(offsets), np.full(len(points), np.nan)
    for cuts in range(3):
        clear = np.where(inside, known, np.inf)
        new = np.flatnonzero(np.isnan(clear))
        clear[new] = clearance_along(points[new], points[new + 1], space)
        if cuts == 2:
            break
        after = np.where(inside[:, None], np.roll(points, -1, axis=0), points)
        gap = space.resolution * np.clip(SHARE * clear / space.resolution, CLOSEST, WIDEST)
        length = np.linalg.norm(after - points, axis=1)
        count = np.maximum(1, np.ceil(length / gap)).astype(np.int64)
        piece, t = subdivide(np.arange(len(count)), count)
        points = points[piece] + t[:, None] * (after[piece] - points[piece])
        offsets = np.append(np.concatenate([[0], np.cumsum(count)])[offsets[:-1]], len(piece))
        inside, known = has_next(offsets), np.where(count == 1, clear, np.nan)[piece]
    return np.ascontiguousarray(points), offsets, clear


def _joined(
    points: Floats, clearance: Floats, offsets: Ints, edges: Ints, space: Space
) -> NDArray[np.int32]:
    """Return the event that each free corner joins: with the deepest ball around it, or visible.

    An event visible from a corner is mostly visible from its neighbours, so visibility spreads from
    corners inside balls. Only for the remaining corners are the nearest events tested.
    """
    seen = np.full(space.is_node.shape, -1, np.int32)
    chosen = _once(offsets, edges)
    join_corners(points, clearance, chosen, space, seen, np.zeros(seen.shape))
    seen[~space.is_node] = -1
    # Corners that coincide with an event and that no ball contains.
    place = space.lattice(points[chosen])
    corner = np.rint(place)
    at = (np.abs(place - corner) < ON_PLANE).all(axis=1)
    i, j, k = corner[at].astype(np.int64).T
    dark = seen[k, j, i] < 0
    seen[k[dark], j[dark], i[dark]] = chosen[at][dark]
    spread_sight(points, space, seen, np.empty((space.is_node.sum(), 3), np.int32))
    for sample in (_widest_of_cubes(points, clearance, chosen, space.resolution), chosen):
        _look_near(sample, points, clearance, space, seen)
    corners = corners_where(space.is_node & (seen < 0))
    some = max(1, _AT_ONCE // max(1, len(chosen)))
    for first in range(0, len(corners), some):
        few = np.ascontiguousarray(corners[first : first + some])
        look_around(few, np.tile(chosen, (len(few), 1)), points, clearance, space, seen)
    return seen


def _once(offsets: Ints, edges: Ints) -> Ints:
    """Return the events in increasing order, with only one event for each node."""
    ends = np.column_stack([offsets[:-1], offsets[1:] - 1])
    _, first = np.unique(edges, return_index=True)
    kept = np.ones(int(offsets[-1]), bool)
    kept[ends] = False
    kept[ends.ravel()[first]] = True
    return np.flatnonzero(kept)


def _look_near(
    sample: Ints, points: Floats, clearance: Floats, space: Space, seen: NDArray[np.int32]
) -> None:
    """Join corners that are not joined yet to visible events among the nearest of a sample."""
    from scipy.spatial import cKDTree

    corners = corners_where(space.is_node & (seen < 0))
    if len(corners):
        tree = cKDTree(points[sample])
        _, near = tree.query(space.positions(corners), k=min(_NEAREST, len(sample)))
        near = np.ascontiguousarray(sample[near.reshape(len(corners), -1)])
        look_around(corners, near, points, clearance, space, seen)


def _widest_of_cubes(points: Floats, clearance: Floats, chosen: Ints, side: float) -> Ints:
    """Return the widest event of each cube of two cells."""
    cube = np.floor(points[chosen] / (2.0 * side)).astype(np.int64)
    x, y, z = (cube - cube.min(axis=0)).T
    key = (z * (y.max() + 1) + y) * (x.max() + 1) + x
    order = np.lexsort((-clearance[chosen], key))
    first = np.ones(len(order), bool)
    first[1:] = np.diff(key[order]) != 0
    return chosen[order[first]]


# -- the margin ----------------------------------------------------------------------------------


def margin_of(space: Space) -> float:
    """Return the least clearance of an object with its centre in a closed free cell, m.

    A box of half the size h is swept over whole voxels: the margin is ceil(h) - h. For a ball, a
    free cell is at least the radius away from solid voxels, and the distance of two cells of a
    lattice is the root of a sum of three squares.

    Example:
        >>> from footway.environment import Volume
        >>> from footway.roadmap.lattice.space import make_space
        >>> room = Volume.from_boxes((0, 0, 0, 6, 6, 6), [], resolution=1.0)
        >>> margin_of(make_space(room, size=(1, 1, 1))), margin_of(make_space(room, radius=0.4))
        (0.5, 0.6)
    """
    side = float(space.resolution)
    if space.radius > 0.0:
        least = (float(space.radius) / side * (1.0 - 2.0 * _ROUNDING)) ** 2
        squares = max(1, math.ceil(least))
        while not _is_sum_of_three_squares(squares):
            squares += 1
        return max(0.0, math.sqrt(squares) * side - float(space.radius))
    half = 0.5 * np.asarray(space.size) / side
    return max(0.0, float((np.ceil(half - _ROUNDING) - half).min())) * side


def _is_sum_of_three_squares(n: int) -> bool:
    """Legendre: n is a sum of three squares unless it is 4^a (8b + 7)."""
    while n % 4 == 0:
        n //= 4
    return n % 8 != 7


def nearest_within(points: Floats, space: Space, reach: float) -> tuple[Floats, Floats]:
    """Return the nearest place in a free cell of each point (n, 3) m, and its distance (n,) m.

    The point itself and infinity if none is within `reach` metres.
    """
    at, shape = space.lattice(points), np.array(space.free.shape[::-1])
    cell, far = np.floor(at).astype(np.int64), math.ceil(reach / space.resolution)
    best, where = np.full(len(at), np.inf), at.copy()
    for shift in itertools.product(range(-far, far + 1), repeat=3):
        other = cell + np.array(shift)
        i, j, k = np.clip(other, 0, shape - 1).T
        is_free = ((other >= 0) & (other < shape)).all(axis=1) & space.free[k, j, i]
        place = np.clip(at, other, other + 1)
        away = np.linalg.norm(place - at, axis=1)
        nearer = (away < best) & (away * space.resolution <= reach) & is_free
        best[nearer], where[nearer] = away[nearer], place[nearer]
    nearest = np.where(np.isinf(best)[:, None], points, space.positions(where))
    return nearest, best * space.resolution


def nearest_free(point: Floats, space: Space) -> Floats:
    """Return the place in a free cell that is nearest to a point, (3,) m."""
    at = space.lattice(point[None])[0]
    cells = np.argwhere(space.free)[:, ::-1]
    places = np.clip(at, cells, cells + 1)
    nearest = places[np.argmin(((places - at) ** 2).sum(axis=1))]
    return space.positions(nearest)
