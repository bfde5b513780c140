"""Lifts in the graph of a building: an edge for each ride between two stops.

    axis of the map --> graph with rides, samples with rides, landmarks of that graph

A ride is an edge between the widest vertices of the axis in the cabin at both stops; its cost is
its time. Rides are numbered after the edges of the map. No character walks along one: a path that
contains a ride is cut there (see `lifts`).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway._numba.bins import rows_by_key
from footway.corridor.kernels.graph import strip_trees, widest_forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.building.map import BuildingMap
    from footway.corridor.kernels.layouts import Graph, Index
    from footway.crowd.kernels.layouts import Tracks
    from footway.environment.shafts import Shaft

_ENTRY = 1.0  # s, that somebody takes to get in or out


class Ride(NamedTuple):
    """A ride between two stops of a lift."""

    lift: int
    first: int
    last: int


def waiting_seconds(shaft: Shaft, people: int) -> float:
    """Return the expected wait for a lift that so many people are to use before, s.

    A load takes the cabin from one end to the other and back, with the doors at both ends.
    """
    lift = shaft.lift
    trip = 2.0 * (shaft.heights[-1] - shaft.heights[0]) / lift.speed + 4.0 * lift.door_time
    return lift.wait + (people // lift.capacity) * (trip + 2.0 * _ENTRY * lift.capacity)


class Rides(NamedTuple):
    """The rides of all lifts: edges after those of the map."""

    rides: list[Ride]
    vertices: Ints  # (n, 2) of the axis
    clearance: Floats  # (n,) m
    seconds: Floats  # (n,) without the wait
    of_lift: Ints  # (n,)


def rides_of(cmap: BuildingMap, shafts: list[Shaft]) -> Rides:
    """Return the rides between all pairs of stops."""
    rides, vertices, clearance, seconds = [], [], [], []
    for lift, shaft in enumerate(shafts):
        ends = [_widest_vertex(cmap, sheet) for sheet in shaft.cabins]
        for first, last in combinations(range(len(ends)), 2):
            rides.append(Ride(lift, first, last))
            vertices.append((ends[first][0], ends[last][0]))
            clearance.append(min(ends[first][1], ends[last][1]))
            rise = shaft.heights[last] - shaft.heights[first]
            seconds.append(2.0 * shaft.lift.door_time + rise / shaft.lift.speed)
    return Rides(
        rides, np.array(vertices, np.int64).reshape(-1, 2), np.array(clearance),
        np.array(seconds), np.array([ride.lift for ride in rides], np.int64),
    )  # fmt: skip


def _widest_vertex(cmap: BuildingMap, sheet: int) -> tuple[int, float]:
    """Return the vertex of the axis on a sheet with the greatest clearance, and that, m."""
    axis, best = cmap.solver.index.axis, (-1, -1.0)
    for edge in np.flatnonzero(cmap.solver.edge_sheet == sheet).tolist():
        for end, event in ((0, axis.offsets[edge]), (1, axis.offsets[edge + 1] - 1)):
            if axis.clearance[event] > best[1]:
                best = int(axis.edges[edge, end]), float(axis.clearance[event])
    return best


def with_rides(graph: Graph, rides: Rides, lengths: Floats) -> Graph:
    """Return the graph of a map with rides as edges of these lengths (n,), m."""
    edges = np.concatenate([graph.edges, rides.vertices])
    every, _ = rows_by_key(edges.ravel(), len(graph.up))
    order = np.argsort(edges.ravel(), kind="stable")
    is_open = np.ones(2 * len(edges), bool)
    is_open[: 2 * len(graph.edges)] = False
    is_open[graph.out] = True  # one-way edges lack a half-edge
    clearance = np.concatenate([graph.clearance, rides.clearance])
    is_core, up = strip_trees(edges, every, order)
    widest_first = np.argsort(-clearance, kind="stable")
    join = widest_forest(edges, clearance, widest_first, len(graph.up))
    kept = np.concatenate([[0], np.cumsum(is_open[order])])
    return graph._replace(
        offsets=kept[every], out=order[is_open[order]], edges=edges, clearance=clearance,
        length=np.concatenate([graph.length, lengths]),
        weight=np.concatenate([graph.weight, np.ones(len(lengths))]),
        is_core=is_core, up=up, join=join[0], join_clearance=join[1], join_edge=join[2],
    )  # fmt: skip


def both_ways(graph: Graph) -> Graph:
    """Return the graph with all edges in both directions, for lower bounds."""
    offsets, out = rows_by_key(graph.edges.ravel(), len(graph.up))
    return graph._replace(offsets=offsets, out=out)


def with_samples(tracks: Tracks, index: Index, n_edges: int, rides: Rides) -> Tracks:
    """Return tracks with an edge of two samples for each ride, after the edges of the map."""
    n = len(rides.rides)
    at, end = index.axis.vertices[rides.vertices].reshape(-1, 2), len(tracks.balls)
    balls = np.column_stack([at, np.repeat(rides.clearance, 2)])
    first = (end + 2 * np.arange(n)).astype(np.int32)

    def put(rows: NDArray[np.int32], more: NDArray[Any]) -> NDArray[np.int32]:
        return np.concatenate([rows[:n_edges], more.astype(np.int32), rows[n_edges:]])

    loops = np.where(tracks.loop_of >= 0, tracks.loop_of + n, tracks.loop_of)
    none = np.zeros((len(tracks.weights), n), np.float32)
    return tracks._replace(
        balls=np.concatenate([tracks.balls, balls]),
        sides=np.concatenate([tracks.sides, np.zeros((2 * n, 4), np.float32)]),
        first=put(tracks.first, first), last=put(tracks.last, first + 1),
        ends=put(tracks.ends, rides.vertices), loop_of=loops.astype(np.int32),
        weights=np.concatenate([tracks.weights, none], axis=1),
        sheets=np.concatenate([tracks.sheets, np.zeros(2 * n, np.int32)]),
    )  # fmt: skip
