"""The file format of corridor maps: schema of the arrays, and consistency checks.

Only the medial axis is stored, and the labels of tables of turns, which take seconds to make; the
rest is derived again in milliseconds, so a file cannot contradict itself. The geometry of the axis
is checked against the walls, because the search relies on it: a negative length would keep it
running for ever. Labels are checked likewise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway import archive
from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points
from footway.archive import Array, Damaged, flags, indices
from footway.constants import GRID
from footway.corridor.index import build_index
from footway.corridor.turn_table import MOST_LABELS, joined, separated
from footway.medial import MedialAxis
from footway.medial.axis import _piece_lengths
from footway.validation import FARTHEST

if TYPE_CHECKING:
    from collections.abc import Collection
    from os import PathLike

    from footway.arrays import Floats
    from footway.corridor.kernels.layouts import Index, TurnTable


_SAME = 0.1 * GRID  # m, tolerance between stored and recomputed lengths

KIND = archive.Kind(
    format="footway corridor map",
    version=2,
    name="map",
    remedy="build it again",
    arrays={
        "vertices": Array("<f8", ("vertices", 2)),
        "edges": indices("vertices", "edges", 2),
        "offsets": Array("<i8", ("edges+1",), 0, "events", step=2),
        "events": Array("<f8", ("events", 2)),
        "clearance": Array("<f8", ("events",), 0.0),
        "left": Array("<f8", ("events", 2)),
        "right": Array("<f8", ("events", 2)),
        "piece_left": indices("sites", "events", least=-1),
        "piece_right": indices("sites", "events", least=-1),
        "piece_length": Array("<f8", ("events",), 0.0, 10.0 * FARTHEST),
        "sites": Array("<f8", ("sites", 4)),
        "is_point": flags("sites"),
        "two_sided": flags("sites"),
    },
    facts={"name": str},
)

PREPARED = KIND._replace(
    format="footway corridor map, prepared",
    arrays=KIND.arrays
    | {
        "table_radii": Array("<f8", ("tables",), 0.0),
        "table_corners": Array("<i8", ("tables+1",), 0, "corners", step=1),
        "table_sites": indices("sites", "corners", dtype="<i4"),
        "table_labels": Array("<i8", ("turns",), 0, MOST_LABELS),
        "hubs": Array("<i4", ("labels",), 0),
        "nexts": Array("<i4", ("labels",), 0),
        "distances": Array("<f8", ("labels",)),
        "is_tied": flags("labels"),
    },
)
"""A map with tables of turns, one after the other: see corridor/turn_table."""


def save(
    file: str | PathLike[str], axis: MedialAxis, tables: Collection[TurnTable] = (), *, name: str
) -> None:
    """Write a medial axis to a file, and tables of turns."""
    kind = PREPARED if tables else KIND
    archive.write(file, kind, {"name": name}, axis._asdict() | (joined(tables) if tables else {}))


def load(file: str | PathLike[str]) -> tuple[Index, list[TurnTable], str]:
    """Read and check a medial axis; return its index, its tables and its name."""
    kind = PREPARED if archive.format_of(file) == PREPARED.format else KIND
    with archive.reading(file, kind) as (facts, arrays):
        axis = MedialAxis(**{name: arrays[name] for name in KIND.arrays})
        _check_sites(axis)
        _check_graph(axis)
        _check_geometry(axis)
        index = build_index(axis)
        _check_walls(index)
        tables = separated(index, arrays) if kind is PREPARED else []
        _require(None not in tables)
        return index, [table for table in tables if table is not None], facts["name"]


def _check_sites(axis: MedialAxis) -> None:
    """Segments have a length and point sites at their ends; no two point sites coincide."""
    points, walls = axis.sites[axis.is_point], axis.sites[~axis.is_point]
    ends = set(map(tuple, points[:, :2].tolist()))
    _require(len(ends) == len(points) and bool((points[:, :2] == points[:, 2:]).all()))
    _require(bool((walls[:, :2] != walls[:, 2:]).any(axis=1).all()))
    _require(ends.issuperset(map(tuple, walls.reshape(-1, 2).tolist())))
    _require(len(points) > 1 and bool((np.ptp(points[:, :2], axis=0) > 0).all()))


def _check_graph(axis: MedialAxis) -> None:
    """Edges run from vertex to vertex; every event but the last of an edge has two sites."""
    _require(len(axis.edges) > 0)
    first, last = axis.offsets[:-1], axis.offsets[1:] - 1
    for end, event in ((0, first), (1, last)):
        _require(np.array_equal(axis.vertices[axis.edges[:, end]], axis.events[event]))
    is_last = np.zeros(len(axis.events), bool)
    is_last[last] = True
    _require(bool(((axis.piece_left < 0) == is_last).all()))
    _require(bool(((axis.piece_right < 0) == is_last).all()))
    _require(bool(((axis.piece_length > 0.0) != is_last).all()))


def _check_geometry(axis: MedialAxis) -> None:
    """Stored contacts, clearances and lengths agree with the sites."""
    pieces = np.flatnonzero(axis.piece_left >= 0)
    own = np.arange(len(axis.events)) - (axis.piece_left < 0)  # piece of each event
    for contact, sites in ((axis.left, axis.piece_left), (axis.right, axis.piece_right)):
        _require_same(contact, closest_points(axis.events, axis.sites[sites[own]]))
        _require_same(hypot(*(axis.events - contact).T), axis.clearance)
    ends = np.stack([axis.events[pieces], axis.events[pieces + 1]], axis=1)
    sites = np.column_stack([axis.piece_left[pieces], axis.piece_right[pieces]])
    walls: Any = axis  # has the `sites` and `is_point` of a Diagram
    _require_same(_piece_lengths(ends, sites, walls), axis.piece_length[pieces])


def _check_walls(index: Index) -> None:
    """No wall is nearer to an event than its stored clearance."""
    from footway.corridor.kernels.wall_grid import wall_distances  # slow to import

    distance = np.empty(len(index.axis.events))
    wall_distances(index.axis.events, index.grid, distance)
    _require_same(distance, index.axis.clearance)


def _require(holds: bool) -> None:
    if not holds:
        raise Damaged("the arrays do not fit together")


def _require_same(one: Floats, other: Floats) -> None:
    """Require equal lengths or positions (m) up to _SAME."""
    scale = np.maximum(1.0, 1e-6 * np.abs(other))
    _require(bool((np.abs(one - other) <= _SAME * scale).all()))
