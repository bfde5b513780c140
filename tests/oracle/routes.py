"""Routes by plain searches: the dual graph of section 4 (miran-2013), and points on all sides."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.terrain import Terrain
    from footway.terrain.terrain import TerrainMesh

    Floats = NDArray[np.float64]
    Moves = dict[tuple[int, int], float]

REACH = 2
"""Cells around that of an end from which, or to which, a path over a grid may lead."""

NEAR = 1e-9
"""m. A triangle holds points as near as this."""


def holders(mesh: TerrainMesh, point: Floats) -> list[int]:
    """All triangles that hold a point, sides and corners included."""
    corners = mesh.points[mesh.triangles]
    along = np.roll(corners, -1, axis=1) - corners
    to = point - corners
    off = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
    return np.flatnonzero((off / np.linalg.norm(along, axis=2) >= -NEAR).all(axis=1)).tolist()


def dual_length(terrain: Terrain, start: Floats, goal: Floats, weights: Floats) -> float:
    """Weighted length of the best path over the dual graph; infinite where there is none.

    An edge leads from the middle of a triangle, or from the start or to the goal in it, over the
    middle of the side that two triangles share.
    """
    mesh = terrain.mesh
    corners = mesh.points[mesh.triangles]
    places = corners.mean(axis=1)
    sides = 0.5 * (corners + np.roll(corners, -1, axis=1))
    weight = weights[mesh.kind]
    first, last = holders(mesh, start), holders(mesh, goal)
    if set(first) & set(last):
        return min(float(weight[t]) for t in set(first) & set(last)) * math.dist(start, goal)
    places[first], places[last] = start, goal
    cost = dict.fromkeys(first, 0.0)
    heap = [(0.0, t) for t in first]
    done = set()
    while heap:
        here, t = heapq.heappop(heap)
        if t in last:
            return here
        if t in done:
            continue
        done.add(t)
        for k, u in enumerate(mesh.neighbours[t].tolist()):
            if u < 0:
                continue
            there = here + weight[t] * math.dist(places[t], sides[t, k])
            there += weight[u] * math.dist(sides[t, k], places[u])
            if there < cost.get(u, math.inf):
                cost[u] = there
                heapq.heappush(heap, (there, u))
    return math.inf


def grid_moves(
    terrain: Terrain, start: Floats, goal: Floats, size: float, options: dict[str, float]
) -> Moves:
    """Weight of each move: from the start (-1) to cells, between cells, and to the goal (-2).

    Half of a move between cells is on the terrain of either. For a terrain without walls.
    """
    corner, far = np.split(np.array(terrain.environment.bounds), 2)
    nx, ny = np.ceil((far - corner) / size).astype(int).tolist()
    cells = np.array([(i, j) for j in range(ny) for i in range(nx)])
    middles = corner + (cells + 0.5) * size
    weight = terrain.weights(options)[terrain.mesh.kind[terrain.triangles_at(middles)]]
    moves: Moves = {}
    for a, (i, j) in enumerate(cells.tolist()):
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            if 0 <= i + dx < nx and j + dy < ny:
                b = a + dx + dy * nx
                mean = 0.5 * float(weight[a] + weight[b])
                moves[a, b] = moves[b, a] = mean * size * math.hypot(dx, dy)
    for name, end in ((-1, start), (-2, goal)):
        off = np.abs(cells - np.floor((end - corner) / size)).max(axis=1)
        for a in np.flatnonzero(off <= REACH).tolist():
            cost = terrain.weighted_length([end, middles[a]], options)
            moves[(name, a) if name == -1 else (a, name)] = cost
    return moves


def best_of_moves(moves: Moves) -> float:
    """Weight of the best path from the start (-1) to the goal (-2)."""
    count = 3 + max(max(move) for move in moves)
    rows, columns = (np.array([*moves]) % count).T  # the ends become the last two
    graph = coo_array((list(moves.values()), (rows, columns)), (count, count))
    return float(dijkstra(graph.tocsr(), indices=count - 1)[count - 2])


def dense_length(
    terrain: Terrain,
    start: Floats,
    goal: Floats,
    weights: Floats,
    points: int = 12,
    slopes: Floats | None = None,
) -> float:
    """Weighted length of the best path over many points on each side; infinite: there is none.

    `slopes` (t, 2) of the triangles: a metre of height counts as seven.

    No corner is a node: walls that meet in one would let paths through. Points come close to it.
    """
    mesh = terrain.mesh
    shares = np.concatenate([[1e-5, 1e-3, 1e-2], np.linspace(0, 1, points + 2)[1:-1]])
    shares = np.sort(np.concatenate([shares, 1.0 - shares[:3]]))
    names, places = {}, [start, goal]
    nodes: list[list[int]] = [[] for _ in mesh.triangles]
    for t, row in enumerate(mesh.neighbours.tolist()):
        for k, u in enumerate(row):
            if u < t:
                continue
            a, b = mesh.points[mesh.triangles[t, [k, (k + 1) % 3]]]
            names[t, u] = range(len(places), len(places) + len(shares))
            places += [a + share * (b - a) for share in shares]
            nodes[t] += names[t, u]
            nodes[u] += names[t, u]
    for end, point in enumerate((start, goal)):
        for t in holders(mesh, point):
            nodes[t].append(end)
    slopes = np.zeros((len(nodes), 2)) if slopes is None else slopes
    return _shortest(np.array(places), nodes, weights[mesh.kind], slopes)


def _shortest(places: Floats, nodes: list[list[int]], weight: Floats, slopes: Floats) -> float:
    """Length of the best path from node 0 to node 1, straight lines within each group of nodes."""
    rows, columns, costs = [], [], []
    for group, w, slope in zip(nodes, weight.tolist(), slopes, strict=True):
        i, j = (grid.ravel() for grid in np.meshgrid(*2 * [np.array(group, np.int64)]))
        rows.append(i)
        columns.append(j)
        line = places[i] - places[j]
        costs.append(w * np.linalg.norm(np.column_stack([line, 7.0 * line @ slope]), axis=1))
    row, column, cost = np.concatenate(rows), np.concatenate(columns), np.concatenate(costs)
    # Two triangles share the pairs of a side: the better one counts.
    order = np.argsort(cost, kind="stable")
    _, first = np.unique(row[order] * len(places) + column[order], return_index=True)
    kept = order[first]
    kept = kept[row[kept] != column[kept]]
    graph = coo_array(
        (np.maximum(cost[kept], 1e-300), (row[kept], column[kept])), (len(places), len(places))
    )
    return float(dijkstra(graph.tocsr(), indices=0)[1])
