"""Clearance attached to a roadmap in three dimensions: what the kernels of SpaceMap take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.corridor._space_map_kernels import Roads, join_corners, look_around
from footway.corridor.sampling import subdivide
from footway.roadmap.roadmap import clearance_along

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap import Roadmap
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

CLOSEST, WIDEST, SHARE = 0.25, 2.0, 0.25  # cells, cells, of the clearance: spacing of the balls
_AT_ONCE = 1 << 22  # pairs of a corner and an event that are looked at together
_NEAREST = 24  # events that a corner looks for where no ball holds it


def make_roads(roadmap: Roadmap) -> Roads:
    """Cut the local paths into short pieces, and join every free corner to one of their ends."""
    edges, points, offsets = with_lone_nodes(roadmap)
    points, offsets, rooms = _cut(points, offsets, roadmap.space)
    inside = has_next(offsets)
    step = np.zeros(len(points))
    step[inside] = np.linalg.norm(np.diff(points, axis=0), axis=1)[inside[:-1]]
    edge_of = np.repeat(np.arange(len(edges)), np.diff(offsets))
    along = np.concatenate([[0.0], np.cumsum(step)[:-1]])
    length = np.add.reduceat(step, offsets[:-1])
    weights = np.concatenate([roadmap.weights, np.ones(len(edges) - roadmap.n_edges)])
    out = np.argsort(edges.ravel(), kind="stable")
    degree = np.bincount(edges.ravel(), minlength=roadmap.n_nodes)
    room = roadmap.space.clearance(points)[0]
    least = np.minimum.reduceat(rooms, offsets[:-1])
    return Roads(
        points=points,
        room=room,
        rooms=rooms,
        arc=along - along[offsets[:-1]][edge_of],
        offsets=offsets,
        edge_of=edge_of,
        edges=edges,
        cost=weights / min(1.0, float(weights.min(initial=1.0))),
        length=length,
        clearance=np.where(np.isinf(least), room[offsets[:-1]], least),
        nodes=roadmap.nodes,
        first=np.concatenate([[0], np.cumsum(degree)]),
        out=out,
        seen=_joined(points, room, roadmap.space),
    )


def with_lone_nodes(roadmap: Roadmap) -> tuple[Ints, Floats, Ints]:
    """Edges, points and offsets, where a node without edges has one of no length to itself."""
    lone = np.setdiff1d(np.arange(roadmap.n_nodes), roadmap.edges)
    points = np.concatenate([roadmap.path_points, np.repeat(roadmap.nodes[lone], 2, axis=0)])
    more = roadmap.path_offsets[-1] + 2 * np.arange(1, len(lone) + 1)
    edges = np.concatenate([roadmap.edges, np.column_stack([lone, lone])])
    return edges, points, np.concatenate([roadmap.path_offsets, more])


def has_next(offsets: Ints) -> Bools:
    """Which events another one of the same edge follows. (m,)."""
    found = np.ones(int(offsets[-1]), bool)
    found[offsets[1:] - 1] = False
    return found


def _cut(points: Floats, offsets: Ints, space: Space) -> tuple[Floats, Ints, Floats]:
    """Cut pieces so that balls on them overlap; twice, for a long piece has a small clearance."""
    rooms = np.empty(0)
    for last in (False, False, True):
        inside = has_next(offsets)
        after = np.where(inside[:, None], np.roll(points, -1, axis=0), points)
        rooms = np.full(len(points), np.inf)
        rooms[inside] = clearance_along(points[inside], after[inside], space)
        if last:
            break
        gap = space.resolution * np.clip(SHARE * rooms / space.resolution, CLOSEST, WIDEST)
        length = np.linalg.norm(after - points, axis=1)
        count = np.maximum(1, np.ceil(length / gap)).astype(np.int64)
        piece, t = subdivide(np.arange(len(count)), count)
        points = points[piece] + t[:, None] * (after[piece] - points[piece])
        offsets = np.append(np.concatenate([[0], np.cumsum(count)])[offsets[:-1]], len(piece))
    return np.ascontiguousarray(points), offsets, rooms


def _joined(points: Floats, room: Floats, space: Space) -> NDArray[np.int32]:
    """Event that each free corner joins straight: whose ball holds it deepest, or in sight."""
    from scipy.spatial import cKDTree

    seen = np.full(space.is_node.shape, -1, np.int32)
    _, chosen = np.unique(points, axis=0, return_index=True)
    join_corners(points, room, chosen, space, seen, np.zeros(seen.shape))
    seen[~space.is_node] = -1
    for sample in (_spread(points, room, chosen, space.resolution), chosen):
        corners = np.ascontiguousarray(np.argwhere(space.is_node & (seen < 0))[:, ::-1])
        if not len(corners):
            break
        tree = cKDTree(points[sample])
        _, near = tree.query(space.positions(corners), k=min(_NEAREST, len(sample)))
        near = np.ascontiguousarray(sample[near.reshape(len(corners), -1)])
        look_around(corners, near, points, room, space, seen)
    corners = np.ascontiguousarray(np.argwhere(space.is_node & (seen < 0))[:, ::-1])
    some = max(1, _AT_ONCE // max(1, len(chosen)))
    for first in range(0, len(corners), some):
        few = np.ascontiguousarray(corners[first : first + some])
        look_around(few, np.tile(chosen, (len(few), 1)), points, room, space, seen)
    return seen


def _spread(points: Floats, room: Floats, chosen: Ints, side: float) -> Ints:
    """Events of which no two are in one cube of two cells: the widest of each."""
    cube = np.floor(points[chosen] / (2.0 * side)).astype(np.int64)
    order = np.argsort(-room[chosen], kind="stable")
    _, first = np.unique(cube[order], axis=0, return_index=True)
    return chosen[order[first]]
