"""Attach clearance to a roadmap in three dimensions: the arrays that SpaceMap's kernels take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.corridor.sampling import subdivide
from footway.roadmap.kernels.space import ON_PLANE
from footway.roadmap.kernels.space_paths import (
    Memory,
    SpaceRoads,
    join_corners,
    look_around,
    spread_sight,
)
from footway.roadmap.roadmap import clearance_along, has_next

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap import Roadmap
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

CLOSEST, WIDEST, SHARE = 0.25, 2.0, 0.25  # cells, cells, of the clearance: spacing of the balls
_AT_ONCE = 1 << 22  # pairs of a corner and an event per call of the kernel
_NEAREST = 24  # events that are tested for visibility from a corner that no ball contains


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
    out = np.argsort(edges.ravel(), kind="stable")
    degree = np.bincount(edges.ravel(), minlength=roadmap.n_nodes)
    at_events = roadmap.space.clearance(points)[0]
    least = np.minimum.reduceat(clear, offsets[:-1])
    return SpaceRoads(
        points=points,
        event_clearance=at_events,
        piece_clearance=clear,
        arc=along - along[offsets[:-1]][edge_of],
        offsets=offsets,
        edge_of=edge_of,
        edges=edges,
        cost=weights / min(1.0, float(weights.min(initial=1.0))),
        length=length,
        clearance=np.where(np.isinf(least), at_events[offsets[:-1]], least),
        nodes=roadmap.nodes,
        first=np.concatenate([[0], np.cumsum(degree)]),
        out=out,
        seen=_joined(points, at_events, offsets, edges, roadmap.space),
    )


def make_memory(roads: SpaceRoads) -> Memory:
    """Allocate the scratch memory of a search."""
    nodes, edges = len(roads.nodes), len(roads.edges)
    return Memory(
        cost=np.empty(nodes),
        arrival=np.empty(nodes, np.int64),
        mark=np.zeros((nodes, 2), np.int64),
        keys=np.empty(2 * edges + 2),
        queue=np.empty(2 * edges + 2, np.int64),
        halves=np.empty(edges + 2, np.int64),
        query=np.zeros(1, np.int64),
        stack=np.empty((64, 4)),
        vias=np.empty((2, 3)),
    )


def with_lone_nodes(roadmap: Roadmap) -> tuple[Ints, Floats, Ints]:
    """Return edges, points and offsets; nodes without edges get a loop of length 0."""
    lone = np.setdiff1d(np.arange(roadmap.n_nodes), roadmap.edges)
    points = np.concatenate([roadmap.path_points, np.repeat(roadmap.nodes[lone], 2, axis=0)])
    more = roadmap.path_offsets[-1] + 2 * np.arange(1, len(lone) + 1)
    edges = np.concatenate([roadmap.edges, np.column_stack([lone, lone])])
    return edges, points, np.concatenate([roadmap.path_offsets, more])


def _cut(points: Floats, offsets: Ints, space: Space) -> tuple[Floats, Ints, Floats]:
    """Cut pieces so that balls on them overlap; twice, because long pieces have low clearance."""
    inside = has_next(offsets)
    clear = _measured(points, inside, np.full(len(points), np.nan), space)
    for _ in range(2):
        after = np.where(inside[:, None], np.roll(points, -1, axis=0), points)
        gap = space.resolution * np.clip(SHARE * clear / space.resolution, CLOSEST, WIDEST)
        length = np.linalg.norm(after - points, axis=1)
        count = np.maximum(1, np.ceil(length / gap)).astype(np.int64)
        piece, t = subdivide(np.arange(len(count)), count)
        points = points[piece] + t[:, None] * (after[piece] - points[piece])
        offsets = np.append(np.concatenate([[0], np.cumsum(count)])[offsets[:-1]], len(piece))
        inside = has_next(offsets)
        clear = _measured(points, inside, np.where(count == 1, clear, np.nan)[piece], space)
    return np.ascontiguousarray(points), offsets, clear


def _measured(points: Floats, inside: Bools, known: Floats, space: Space) -> Floats:
    """Return the least clearance of the piece that begins at each point, (m,) m; inf: none.

    `known` (m,) are the clearances of pieces that were not cut; NaN for the others.
    """
    clear = np.where(inside, known, np.inf)
    new = np.flatnonzero(np.isnan(clear))
    clear[new] = clearance_along(points[new], points[new + 1], space)
    return clear


def _joined(
    points: Floats, clearance: Floats, offsets: Ints, edges: Ints, space: Space
) -> NDArray[np.int32]:
    """Return the event that each free corner joins: whose ball contains it deepest, or visible.

    An event visible from a corner is mostly visible from its neighbours, so visibility spreads from
    corners inside balls. Only for the remaining corners are the nearest events tested.
    """
    seen = np.full(space.is_node.shape, -1, np.int32)
    chosen = _once(offsets, edges)
    join_corners(points, clearance, chosen, space, seen, np.zeros(seen.shape))
    seen[~space.is_node] = -1
    _join_own_corners(points, chosen, space, seen)
    spread_sight(points, space, seen, np.empty((space.is_node.sum(), 3), np.int32))
    if len(corners := _unjoined(space, seen)):
        sample = _spread(points, clearance, chosen, space.resolution)
        _look_near(corners, sample, points, clearance, space, seen)
    if len(corners := _unjoined(space, seen)):
        _look_near(corners, chosen, points, clearance, space, seen)
    corners = _unjoined(space, seen)
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


def _join_own_corners(points: Floats, chosen: Ints, space: Space, seen: NDArray[np.int32]) -> None:
    """Join corners that coincide with an event and that no ball contains."""
    place = space.lattice(points[chosen])
    corner = np.rint(place)
    at = (np.abs(place - corner) < ON_PLANE).all(axis=1)
    i, j, k = corner[at].astype(np.int64).T
    dark = seen[k, j, i] < 0
    seen[k[dark], j[dark], i[dark]] = chosen[at][dark]


def _unjoined(space: Space, seen: NDArray[np.int32]) -> Ints:
    """Return the free corners (n, 3) that are not joined yet."""
    return np.ascontiguousarray(np.argwhere(space.is_node & (seen < 0))[:, ::-1])


def _look_near(
    corners: Ints, sample: Ints, points: Floats, clearance: Floats, space: Space,
    seen: NDArray[np.int32],
) -> None:  # fmt: skip
    """Join corners (n, 3) to visible events among the nearest of a sample."""
    from scipy.spatial import cKDTree

    tree = cKDTree(points[sample])
    _, near = tree.query(space.positions(corners), k=min(_NEAREST, len(sample)))
    near = np.ascontiguousarray(sample[near.reshape(len(corners), -1)])
    look_around(corners, near, points, clearance, space, seen)


def _spread(points: Floats, clearance: Floats, chosen: Ints, side: float) -> Ints:
    """Return the widest event of each cube of two cells."""
    cube = np.floor(points[chosen] / (2.0 * side)).astype(np.int64)
    x, y, z = (cube - cube.min(axis=0)).T
    key = (z * (y.max() + 1) + y) * (x.max() + 1) + x
    order = np.lexsort((-clearance[chosen], key))
    first = np.ones(len(order), bool)
    first[1:] = np.diff(key[order]) != 0
    return chosen[order[first]]
