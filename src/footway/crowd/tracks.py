"""Samples of the map, shared by all characters: a corridor is a list of directed edges.

Edge e has the samples first[e] to last[e]; half-edge 2e follows it forward, 2e + 1 backward. The
edges of the map are followed by edges of the crowd: loops around the invisible obstacles at dead
ends, where wanderers turn (cmm-crowds-2008, section 5.2), and the corridors of groups, narrowed to
their width (section 6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from footway._numba.portable_math import atan2, cos, hypot, sin
from footway.corridor.balls import on_pieces, subdivide
from footway.crowd.kernels.layouts import Tracks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor import CorridorMap
    from footway.corridor.kernels.layouts import Index


CLOSEST, WIDEST = 0.25, 1.0  # m, least and greatest spacing of the samples
SHARE = 0.25  # spacing as a share of R
SHORT = 2.0  # times the clearance at its foot: shorter dead ends are removed
TURNING = 0.25  # radius of the invisible obstacle at a dead end, as a share of the clearance
LOOP = 12  # least number of samples around it


_known: WeakKeyDictionary[CorridorMap, Tracks] = WeakKeyDictionary()


def tracks_of(cmap: CorridorMap) -> Tracks:
    """Return the samples of a map; they are computed once, and must not be modified."""
    if cmap not in _known:
        _known[cmap] = make_tracks(cmap.solver.index, cmap.solver.corner_edges)
    return _known[cmap]


def make_tracks(index: Index, corner_edges: NDArray[np.bool_] | None = None) -> Tracks:
    """Sample every edge of the map; wanderers do not use corner edges (see `Solver`)."""
    axis = index.axis
    inside = axis.piece_left >= 0
    narrow = np.minimum(axis.clearance, np.roll(axis.clearance, -1))
    gap = np.clip(SHARE * narrow, CLOSEST, WIDEST)
    count = np.where(inside, np.maximum(1, np.ceil(axis.piece_length / gap)), 1).astype(np.int64)
    piece, t = subdivide(np.arange(len(axis.events)), count)
    samples = on_pieces(axis, piece, t)
    balls = np.column_stack([samples.points, samples.clearance])
    contacts = np.stack([samples.left, samples.right], axis=1)
    at_piece = np.concatenate([[0], np.cumsum(count)])
    first, last = at_piece[axis.offsets[:-1]], at_piece[axis.offsets[1:]] - 1
    tracks = Tracks(
        balls,
        _sides(balls, contacts, first, last),
        first.astype(np.int32),
        last.astype(np.int32),
        axis.edges.astype(np.int32),
        at_piece[:-1].astype(np.int32),
        np.full(len(axis.vertices), -1, np.int32),
        np.full(len(axis.vertices), -1, np.int32),
        _weights(index, corner_edges),
        corner_edges is not None,
        np.empty(0, np.int32),
    )
    return _with_home_edges(_with_loops(tracks, index), index)


def _weights(index: Index, corner_edges: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    """Return the edge weights of wanderers (1, ne)."""
    kept = edges_of_wanderers(index)
    if corner_edges is not None:
        kept &= ~corner_edges
    return kept.astype(np.float32)[None]


def _sides(balls: Floats, contacts: Floats | None, first: Any, last: Any) -> NDArray[np.float32]:
    """Return unit vectors from samples to their contacts on the left and right wall. (m, 4).

    Where there are no contacts on both sides, they are normal to the track.
    """
    points, rows = balls[:, :2], np.arange(len(balls))
    before, after = np.maximum(rows - 1, 0), np.minimum(rows + 1, len(balls) - 1)
    before[first], after[last] = first, last
    along = points[after] - points[before]
    along /= np.maximum(hypot(*along.T), 1e-12)[:, None]
    left = np.column_stack([-along[:, 1], along[:, 0]])
    sides = np.stack([left, -left], axis=1)
    if contacts is not None:
        toward = contacts - points[:, None]
        size = hypot(toward[..., 0], toward[..., 1])
        toward /= np.maximum(size, 1e-12)[..., None]
        has = (size > 1e-9) & ((toward * sides).sum(axis=2) > 0.0)
        sides[has.all(axis=1)] = toward[has.all(axis=1)]
    return sides.reshape(-1, 4).astype(np.float32)


def edges_of_wanderers(index: Index) -> NDArray[np.bool_]:
    """Return which edges wanderers use: short dead ends are removed (section 5.2). (ne,).

    The length of a dead end is that of its longest branch.
    """
    graph, vertices = index.graph, len(index.axis.vertices)
    kept = np.ones(len(graph.edges), bool)
    clearance = _vertex_clearance(index)
    degree = np.diff(graph.offsets)
    depth = np.zeros(vertices)
    leaves = list(np.flatnonzero(degree == 1))
    while leaves:
        v = leaves.pop()
        halves = [h for h in graph.out[graph.offsets[v] : graph.offsets[v + 1]] if kept[h // 2]]
        if len(halves) != 1:
            continue
        half = halves[0]
        w = graph.edges[half // 2, 1 - half % 2]
        reach = depth[v] + graph.length[half // 2]
        if reach > SHORT * clearance[w] and graph.clearance[half // 2] > 0.0:
            continue
        kept[half // 2] = False
        depth[w] = max(depth[w], reach)
        degree[w] -= 1
        if degree[w] == 1:
            leaves.append(w)
    return kept


def _vertex_clearance(index: Index) -> Floats:
    axis = index.axis
    clearance = np.zeros(len(axis.vertices))
    clearance[axis.edges[:, 0]] = axis.clearance[axis.offsets[:-1]]
    clearance[axis.edges[:, 1]] = axis.clearance[axis.offsets[1:] - 1]
    return clearance


def _with_loops(tracks: Tracks, index: Index) -> Tracks:
    """Add loops at the ends of long dead ends."""
    graph, clearance = index.graph, _vertex_clearance(index)
    kept = tracks.weights[0] > 0
    degree = np.bincount(graph.edges[kept].ravel(), minlength=len(clearance))
    ends = np.flatnonzero((degree == 1) & (clearance > 0))
    dead_ends = np.concatenate([ends, _middles(index, degree, clearance)])
    loops = []
    for v in dead_ends:
        halves = graph.out[graph.offsets[v] : graph.offsets[v + 1]]
        half = next((h for h in halves if kept[h // 2]), halves[0])
        first, last = tracks.first[half // 2], tracks.last[half // 2]
        near, other = (first, first + 1) if half % 2 == 0 else (last, last - 1)
        x, y = tracks.balls[near, :2] - tracks.balls[np.clip(other, first, last), :2]
        loops.append(_loop(index.axis.vertices[v], clearance[v], float(atan2(y, x))))
    if not loops:
        return tracks
    tracks.loop_of[dead_ends] = len(tracks.first) + np.arange(len(dead_ends))
    size = np.array([len(balls) for balls in loops])
    begin = len(tracks.balls) + np.concatenate([[0], np.cumsum(size)[:-1]])
    ends = np.column_stack([dead_ends, dead_ends])
    return tracks._replace(
        balls=np.concatenate([tracks.balls, *loops]),
        sides=np.concatenate([tracks.sides, *(_loop_sides(balls) for balls in loops)]),
        first=np.concatenate([tracks.first, begin]).astype(np.int32),
        last=np.concatenate([tracks.last, begin + size - 1]).astype(np.int32),
        ends=np.concatenate([tracks.ends, ends]).astype(np.int32),
    )


def _with_home_edges(tracks: Tracks, index: Index) -> Tracks:
    """Fill `home`: the shortest paths out of dead ends that wanderers do not use."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    graph, count = index.graph, len(index.axis.vertices)
    inside = tracks.loop_of >= 0
    inside[graph.edges[tracks.weights[0] > 0]] = True
    if inside.all() or not inside.any():
        return tracks
    usable = np.flatnonzero(graph.clearance > 0)
    tail, head = graph.edges[usable].T
    lengths = coo_array((graph.length[usable], (tail, head)), (count, count)).tocsr()
    _, before, _ = dijkstra(
        lengths, directed=False, indices=np.flatnonzero(inside), min_only=True,
        return_predecessors=True,
    )  # fmt: skip
    for start, end, halves in ((tail, head, 2 * usable), (head, tail, 2 * usable + 1)):
        there = before[start] == end
        tracks.home[start[there]] = halves[there]
    return tracks


def _middles(index: Index, degree: Ints, clearance: Floats) -> Ints:
    """Return the widest vertex of each part of the map with short dead ends only."""
    part = index.graph.join
    while not np.array_equal(part, part[part]):
        part = part[part]
    used = np.bincount(part, weights=degree, minlength=len(part)) > 0
    middles = [
        int(v) for v in np.lexsort((-clearance, part)) if not used[part[v]] and clearance[v] > 0
    ]
    _, first = np.unique(part[middles], return_index=True)
    return np.array(middles, np.int64)[first]


def _loop(centre: Floats, clearance: float, direction: float) -> Floats:
    """Return balls counterclockwise around the invisible obstacle, beginning behind it. (k, 3).

    They are as close as on an edge: each must contain a character at the centre of the previous.
    """
    ring, reach = 0.5 * (1.0 + TURNING) * clearance, 0.5 * (1.0 - TURNING) * clearance
    gap = min(max(SHARE * reach, CLOSEST), WIDEST)
    count = max(LOOP, int(np.ceil(2.0 * np.pi * ring / gap)))
    angle = direction + np.pi + np.linspace(0.0, 2.0 * np.pi, count + 1)
    x, y = centre[0] + ring * cos(angle), centre[1] + ring * sin(angle)
    return np.column_stack([x, y, np.full(count + 1, reach)])


def _loop_sides(balls: Floats) -> NDArray[np.float32]:
    return _sides(balls, None, [0], [len(balls) - 1])


def with_weights(tracks: Tracks, weights: Floats) -> tuple[Tracks, int]:
    """Return tracks with another row of edge weights, 0 at removed dead ends, and its number."""
    kept = tracks.weights[0] > 0
    row = np.zeros(len(kept), np.float32)  # rides in lifts follow the edges of the map
    row[: len(weights)] = weights * kept[: len(weights)]
    return tracks._replace(weights=np.vstack([tracks.weights, row])), len(tracks.weights)
