"""Search structures that are derived from the medial axis once per map.

    MedialAxis --> Grid (nearest walls), CellBoundaries (walls to pieces),
                   Graph (vertices to half-edges),
                   CornerSequence (corners that a taut path passes, by half-edge)

Half-edge 2e follows edge e forward, 2e + 1 follows it backward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.bins import rows_by_key
from footway._numba.portable_math import atan2
from footway._numba.segments import cross, foot_parameter
from footway.constants import CELLS_PER_WALL
from footway.corridor.kernels.graph import corner_sequences, strip_trees, widest_forest
from footway.corridor.kernels.layouts import (
    CellBoundaries,
    CornerSequence,
    Graph,
    Grid,
    Index,
    Layers,
)
from footway.corridor.kernels.wall_grid import bin_walls, candidate_walls

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.medial import MedialAxis


NO_LAYERS = Layers(
    np.empty((0, 3)), np.empty((0, 2), np.int64), np.zeros((1, 4), np.int64),
    np.empty(0, np.int64), np.empty(0, np.int32), np.empty((0, 4)), np.empty(0, np.int64),
    np.empty((0, 2), np.int64), np.empty((0, 4)), np.empty(0, np.int64), -1, -1,
)  # fmt: skip


def build_index(axis: MedialAxis) -> Index:
    """Derive all structures from the axis; takes milliseconds for a city."""
    grid, boundaries = _grid(axis), _cell_boundaries(axis)
    return Index(axis, grid, boundaries, make_graph(axis), _corner_sequence(axis, grid, boundaries))


def _grid(axis: MedialAxis) -> Grid:
    segments, points = np.flatnonzero(~axis.is_point), np.flatnonzero(axis.is_point)
    corners = np.ascontiguousarray(axis.sites[points, :2]).view(np.complex128).ravel()
    wanted = np.ascontiguousarray(axis.sites[segments]).view(np.complex128)
    order = np.argsort(corners)
    start, end = points[order[np.searchsorted(corners[order], wanted)]].T
    single = np.setdiff1d(points, np.concatenate([start, end]))
    site = np.concatenate([segments, single])
    ends = np.column_stack([np.concatenate([start, single]), np.concatenate([end, single])])
    return make_grid(np.ascontiguousarray(axis.sites[site]), site, ends)


def make_grid(walls: Floats, site: Ints, ends: Ints) -> Grid:
    """Grid of walls (nw, 4), with their sites (nw,) and the sites of their ends (nw, 2)."""
    low = np.minimum(walls[:, :2], walls[:, 2:]).min(axis=0)
    high = np.maximum(walls[:, :2], walls[:, 2:]).max(axis=0)
    size = float(np.sqrt(np.prod(high - low) / (CELLS_PER_WALL * len(walls))))
    size = max(size, float((high - low).max()) / 4096)
    shape = np.floor((high - low) / size).astype(np.int64) + 1
    bins, members = bin_walls(walls, low[0], low[1], size, shape[0], shape[1])
    offsets, candidates = candidate_walls(
        walls, bins, members, low[0], low[1], size, shape[0], shape[1]
    )
    return Grid(np.array([*low, size]), shape, offsets, candidates, walls, site, ends, NO_LAYERS)


def _cell_boundaries(axis: MedialAxis) -> CellBoundaries:
    piece = np.flatnonzero(axis.piece_left >= 0)
    first, last = axis.events[piece], axis.events[piece + 1]
    entries = []
    for site, begin, end in (  # angles about a site increase along a piece that has it on the left
        (axis.piece_left[piece], first, last),
        (axis.piece_right[piece], last, first),
    ):
        wall = axis.sites[site]
        from_begin, from_end = begin - wall[:, :2], end - wall[:, :2]
        angle = atan2(from_begin[:, 1], from_begin[:, 0])
        turn = atan2(cross(from_begin, from_end), (from_begin * from_end).sum(axis=1))
        t0, t1 = foot_parameter(first, wall), foot_parameter(last, wall)
        behind = cross(wall[:, 2:] - wall[:, :2], 0.5 * (first + last) - wall[:, :2]) < 0
        is_point = axis.is_point[site]
        row = 2 * site + np.where(is_point, 0, behind)
        key = np.where(is_point, angle, np.minimum(t0, t1))
        width = np.where(is_point, np.maximum(turn, 0.0), np.abs(t1 - t0))
        entries.append((row, key, width))
    row, key, width = (np.concatenate(pair) for pair in zip(*entries, strict=True))
    order = np.lexsort((key, row))
    offsets, _ = rows_by_key(row, 2 * len(axis.sites))
    none = np.empty(0, np.int64)
    return CellBoundaries(
        offsets, key[order], width[order], np.concatenate([piece, piece])[order],
        axis.sites, axis.is_point, axis.two_sided,
        False, np.empty((0, 3)), np.empty(0), none, none, np.empty(0, np.int32),
    )  # fmt: skip


def make_graph(axis: MedialAxis) -> Graph:
    """Graph of the edges for searching."""
    count = len(axis.edges)
    offsets, out = rows_by_key(axis.edges.ravel(), len(axis.vertices))
    edge_of = np.repeat(np.arange(count), np.diff(axis.offsets))
    clearance = np.minimum.reduceat(axis.clearance, axis.offsets[:-1])
    length = np.add.reduceat(axis.piece_length, axis.offsets[:-1])
    is_core, up = strip_trees(axis.edges, offsets, out)
    widest_first = np.argsort(-clearance, kind="stable")
    forest = widest_forest(axis.edges, clearance, widest_first, len(axis.vertices))
    return Graph(
        offsets, out, axis.edges, edge_of, clearance, length, np.ones(count), is_core, up, *forest
    )


def _corner_sequence(
    axis: MedialAxis, grid: Grid, boundaries: CellBoundaries, sheet: Ints | None = None
) -> CornerSequence:
    """Corners along half-edges; `sheet` (ns,) of each site distinguishes contacts in a building."""
    n_sites = len(axis.sites)
    terminal = np.stack([axis.offsets[:-1], axis.offsets[1:] - 1], axis=1).ravel()
    contacts = np.stack([axis.left[terminal], axis.right[terminal]], axis=1).reshape(-1, 2)
    # Edges that meet in a vertex share its contacts: a path passes each only once.
    places = contacts.view(np.complex128).ravel()
    if sheet is not None:
        own = np.where(axis.piece_left[terminal] < 0, terminal - 1, terminal)
        of = np.stack([sheet[axis.piece_left[own]], sheet[axis.piece_right[own]]], axis=1).ravel()
        places = np.array(list(zip(of.tolist(), *contacts.T.tolist(), strict=True)), "i8,f8,f8")
    _, first, number = np.unique(places, return_index=True, return_inverse=True)
    wall = n_sites + number.reshape(-1, 2)
    at = []
    for side, sites in enumerate((axis.piece_left, axis.piece_right)):
        before = np.roll(sites, 1)
        corner = np.where(sites >= 0, axis.is_point[sites], False)
        corner_before = np.where(before >= 0, axis.is_point[before], False)
        point = np.where(corner, sites, np.where(corner_before, before, -1))
        point[terminal] = np.where(point[terminal] < 0, wall[:, side], point[terminal])
        at.append(point.astype(np.int32))
    offsets, points = corner_sequences(axis.offsets, at[0], at[1])
    xy = np.vstack([axis.sites[:, :2], contacts[first]])
    ahead = np.ascontiguousarray(_ends_ahead(axis, grid, boundaries, terminal)[first])
    return CornerSequence(offsets, points, xy, ahead, at[0], at[1])


def _ends_ahead(
    axis: MedialAxis, grid: Grid, boundaries: CellBoundaries, terminal: Ints
) -> NDArray[np.int32]:
    """Corners at the ends of the walls that vertices touch: see CornerSequence.ahead."""
    ends = np.full((len(axis.sites), 2), -1)
    ends[grid.site] = grid.ends
    is_corner = boundaries.offsets[1::2] > boundaries.offsets[:-1:2]
    ahead = []
    own = np.where(axis.piece_left[terminal] < 0, terminal - 1, terminal)
    for sites in (axis.piece_left, axis.piece_right):
        site = sites[own]
        wall = axis.sites[site]
        behind = cross(wall[:, 2:] - wall[:, :2], axis.events[terminal] - wall[:, :2]) < 0
        first = np.where(behind, ends[site, 1], ends[site, 0])  # with the wall on the left
        last = np.where(behind, ends[site, 0], ends[site, 1])
        pair = np.column_stack([first, last])
        ahead.append(np.where((pair >= 0) & is_corner[pair], pair, -1))
    return np.stack(ahead, axis=1).reshape(-1, 2).astype(np.int32)
