"""Landmarks: corners whose distances to all points bound every search from below.

A path of a disc is no shorter than the shortest path of a point between its ends, and that is no
shorter than the difference of the distances of its ends from any landmark. So one table serves
every radius, and searches with it give the same paths with fewer nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import cross
from footway.corridor.kernels.distances import sweep_from
from footway.corridor.kernels.query import THIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.arrays import Bools, Floats, Ints, Singles
    from footway.corridor.kernels.layouts import Index, SearchWorkspace


COUNT = 32  # landmarks of a map, about
ACTIVE = 8  # of them bound one search: those that are best for its ends
_NODES = 8  # of a search per half-edge, at first
_OFF_CORNER = 4.0 * THIN  # m, distance of a landmark from its corner
_ERROR = 10.0 * _OFF_CORNER  # m, of a distance; besides rounding to 32 bits


class Landmarks(NamedTuple):
    """Distances of a few corners to all points of `CornerSequence.xy`."""

    places: Floats  # (k, 2) m, beside the corners
    distances: Singles  # (np, k) m; NaN where there is no path
    error: float  # m, by which a difference of two distances may be too large


NO_LANDMARKS = Landmarks(np.empty((0, 2)), np.empty((0, 0), np.float32), 0.0)


def measure_landmarks(
    index: Index,
    make_workspace: Callable[[Index, int], SearchWorkspace],
    beside: Callable[[int, Floats], Index] | None = None,
) -> Landmarks:
    """Choose landmarks and measure their distances: a search of the whole map for each.

    `beside` returns the index for a search from a place near an event; without it `index` is used.

    Each component of the map gets its share of them: first the corner farthest from an arbitrary
    one, then always the corner farthest from those before.
    """
    corners, places, component, event = _candidates(index)

    workspace = make_workspace(index, _NODES * len(index.graph.out))

    def distances(k: int) -> Floats:
        nonlocal workspace
        here = beside(int(event[k]), places[k]) if beside else index
        while not sweep_from(*places[k].tolist(), -1.0, workspace, here):
            workspace = make_workspace(index, 2 * len(workspace.queue))
        return workspace.bounds[:, 0].copy()

    columns, chosen = [], []
    for label, size in enumerate(np.bincount(component)):
        inside = np.flatnonzero(component == label)
        count = round(COUNT * size / len(corners))
        if count == 0:
            continue
        nearest = distances(inside[0])[corners[inside]]
        nearest[nearest == np.inf] = -1.0
        for k in range(count):
            chosen.append(inside[nearest.argmax()])
            column = distances(chosen[-1])
            columns.append(column)
            there = column[corners[inside]]
            nearest = there if k == 0 else np.minimum(nearest, there)
    if not columns:
        return NO_LANDMARKS
    table = np.stack(columns, axis=1)
    table[(table == np.inf) | _has_two_sides(index)[:, None]] = np.nan
    error = _ERROR + 4.0 * float(np.finfo(np.float32).eps) * float(np.nanmax(table))
    return Landmarks(places[chosen], table.astype(np.float32), error)


def _candidates(index: Index) -> tuple[Ints, Floats, Ints, Ints]:
    """Corners that paths pass (n,), places beside them (n, 2) m, their components and events."""
    axis, graph = index.axis, index.graph
    events = np.tile(np.arange(len(axis.events)), 2)
    points = np.concatenate([index.corners.at_left, index.corners.at_right])
    is_open = (points >= 0) & (points < len(axis.sites)) & (axis.clearance[events] > _OFF_CORNER)
    corners, first = np.unique(points[is_open], return_index=True)
    event = events[is_open][first]
    at, toward = index.corners.xy[corners], axis.events[event]
    share = _OFF_CORNER / hypot(*(toward - at).T)
    root = graph.join
    while (root != graph.join[root]).any():
        root = graph.join[root]
    component = root[graph.edges[graph.edge_of[event], 0]]
    _, label = np.unique(component, return_inverse=True)
    return corners, at + share[:, None] * (toward - at), label, event


def _has_two_sides(index: Index) -> Bools:
    """Which points (np,) are contacts with two walls, or with both sides of one.

    They may belong to two places of the free space, with two distances.
    """
    axis, corners = index.axis, index.corners
    terminal = np.stack([axis.offsets[:-1], axis.offsets[1:] - 1], axis=1).ravel()
    piece = np.where(axis.piece_left[terminal] < 0, terminal - 1, terminal)
    least, most = np.full(len(corners.xy), 2 * len(axis.sites)), np.full(len(corners.xy), -1)
    for at, sites in ((corners.at_left, axis.piece_left), (corners.at_right, axis.piece_right)):
        point, site = at[terminal], sites[piece]
        wall = axis.sites[site]
        behind = cross(wall[:, 2:] - wall[:, :2], axis.events[terminal] - wall[:, :2]) < 0
        np.minimum.at(least, point, 2 * site + behind)
        np.maximum.at(most, point, 2 * site + behind)
    is_contact = np.arange(len(corners.xy)) >= len(axis.sites)
    return np.asarray(is_contact & (least < most))
