"""Tables of turns: paths of one radius without a search (`CorridorMap.prepare(radius=...)`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway._numba.portable_math import atan2, cos, hypot, sin
from footway.corridor.kernels.layouts import TurnTable, TurnWorkspace
from footway.corridor.kernels.turns import (
    are_labels_of,
    count_behind,
    find_tangents,
    is_through,
    label_turns,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index


MOST_LABELS = 1 << 24  # of a table: 285 MB
_ROOTS = 64  # trees of shortest paths that rank the corners
_STRAIGHT = 1e-9  # rad, corners whose free side is not wider than a half turn by this are straight


def _empty_table() -> TurnTable:
    ints, floats = np.empty(0, np.int32), np.empty(0)
    return TurnTable(
        np.array([np.nan]), ints, ints, np.empty((0, 2)), floats, np.zeros(1, np.int64), ints, ints,
        floats, np.empty(0, np.bool_),
    )  # fmt: skip


NO_TABLE = _empty_table()


def make_turn_workspace(table: TurnTable) -> TurnWorkspace:
    """Allocate the memory of queries of a table."""
    n = 2 * len(table.sites)
    return TurnWorkspace(
        turns=np.empty((2, n), np.int32),
        lengths=np.empty((2, n)),
        least=np.empty((2, n)),
        seen=np.zeros(n, np.int64),
        count=np.zeros(1, np.int64),
        label=np.empty(n, np.int64),
        from_hub=np.full(n, np.inf),
        chain=np.empty(n + 2, np.int32),
    )


def size_of(table: TurnTable) -> int:
    """Return the memory of a table, bytes."""
    return sum(array.nbytes for array in table)


def make_table(index: Index, disc: float) -> TurnTable | None:
    """Return the table for discs of this radius, m; None if it would exceed MOST_LABELS."""
    sites, references, cosines = _corners(index)
    places = np.ascontiguousarray(index.axis.sites[sites, :2])
    tangents = find_tangents(places, references, cosines, disc, MOST_LABELS, index.grid)
    if len(tangents[0]) == MOST_LABELS:
        return None
    whole = ~is_through(*tangents, *_rows(len(sites), *tangents))
    tangents = tuple(array[whole] for array in tangents)
    order = _ranked(len(sites), *tangents)
    rank = np.empty(len(sites), np.int64)
    rank[order] = np.arange(len(order))
    froms, tos = (2 * rank[turn // 2] + turn % 2 for turn in tangents[:2])
    labels = label_turns(*_rows(len(sites), froms, tos, tangents[2]), MOST_LABELS)
    if len(sites) > len(labels[0]):
        return None
    by_hub = np.lexsort(labels[1::-1])
    turns, *rest = (array[by_hub] for array in labels)
    offsets = np.searchsorted(turns, np.arange(2 * len(sites) + 1))
    return _table(index, disc, order, offsets, *rest)


def _table(
    index: Index, disc: float, order: Ints, offsets: Ints, *labels: NDArray[Any]
) -> TurnTable:
    """Return a table whose corners are ranked by `order`."""
    sites, references, cosines = _corners(index)
    corner_of = np.full(len(index.axis.sites), -1, np.int32)
    corner_of[sites[order]] = np.arange(len(order))
    return TurnTable(
        np.array([disc]), corner_of, sites[order].astype(np.int32),
        np.ascontiguousarray(references[order]), cosines[order], offsets, *labels,
    )  # fmt: skip


def joined(tables: Collection[TurnTable]) -> dict[str, NDArray[Any]]:
    """Return what a file keeps of tables: see corridor/archive."""
    corners = np.concatenate([[0], np.cumsum([len(table.sites) for table in tables])])
    return {
        "table_radii": np.concatenate([table.radius for table in tables]),
        "table_corners": corners,
        "table_sites": np.concatenate([table.sites for table in tables]),
        "table_labels": np.concatenate([np.diff(table.offsets) for table in tables]),
        **{
            name: np.concatenate([getattr(table, name) for table in tables])
            for name in ("hubs", "nexts", "distances", "is_tied")
        },
    }


def separated(index: Index, arrays: dict[str, NDArray[Any]]) -> list[TurnTable | None]:
    """Return the tables of a file; None for one that does not belong to the map."""
    sites, *_ = _corners(index)
    rank = np.full(len(index.axis.sites), -1)
    rank[sites] = np.arange(len(sites))
    corners, counts = arrays["table_corners"], arrays["table_labels"]
    names = ("hubs", "nexts", "distances", "is_tied")
    if len(counts) != 2 * len(arrays["table_sites"]) or counts.sum() != len(arrays["hubs"]):
        return [None]
    ends = np.concatenate([[0], np.cumsum(counts)])
    found: list[TurnTable | None] = []
    for k, disc in enumerate(arrays["table_radii"].tolist()):
        order = rank[arrays["table_sites"][corners[k] : corners[k + 1]]]
        offsets = ends[2 * corners[k] : 2 * corners[k + 1] + 1]
        labels = (arrays[name][offsets[0] : offsets[-1]] for name in names)
        is_whole = np.array_equal(np.sort(order), np.arange(len(sites)))
        table = _table(index, disc, order, offsets - offsets[0], *labels) if is_whole else None
        is_good = table is not None and are_labels_of(table, index.grid, index.corners.xy)
        found.append(table if is_good else None)
    return found


def _corners(index: Index) -> tuple[Ints, Floats, Floats]:
    """Sites at which paths may turn (n,), references of their turns to the left (n, 2), cosines.

    The free side of such a corner is wider than a half turn. A path that turns has a direction
    along one wall before it and along the other one behind it at most: see kernels/turns.
    """
    walls, ends = index.grid.walls, index.grid.ends
    along = walls[:, 2:] - walls[:, :2]
    is_wall = hypot(*along.T) > 0.0
    corner = ends[is_wall].T.ravel()
    angle = np.concatenate([atan2(*along[is_wall].T[::-1]), atan2(*-along[is_wall].T[::-1])])
    order = np.lexsort((angle, corner))
    corner, angle = corner[order], angle[order]
    first = np.flatnonzero(np.append(True, corner[1:] != corner[:-1]))
    last = np.append(first[1:], len(corner)) - 1
    after = np.append(angle[1:], 0.0)
    after[last] = angle[first] + 2.0 * np.pi
    gap = after - angle
    widest = np.maximum.reduceat(gap, first)
    group = np.repeat(np.arange(len(first)), last - first + 1)
    slots = np.flatnonzero(gap == widest[group])
    slots = slots[np.unique(group[slots], return_index=True)[1]]
    posts = np.unique(ends[~is_wall, 0])
    sites = np.concatenate([corner[first], posts])
    gaps = np.concatenate([widest, np.full(len(posts), 4.0 * np.pi)])[:, None]
    middle = np.concatenate([angle[slots] + 0.5 * gap[slots], np.zeros(len(posts))])
    cells = index.boundaries.offsets
    keep = (cells[2 * sites + 1] > cells[2 * sites]) & (gaps[:, 0] > np.pi + _STRAIGHT)
    half = np.minimum(0.5 * (gaps[keep, 0] - np.pi), np.pi)
    middle = middle[keep]
    references = np.column_stack([-sin(middle), cos(middle)])
    return sites[keep], np.ascontiguousarray(references), cos(half)


def _rows(n: int, froms: Any, tos: Any, lengths: Floats) -> tuple[Ints, Any, Floats]:
    """Tangents of 2 n turns, both directions, in compressed rows: offsets, next turns, lengths."""
    source, target = np.concatenate([froms, tos ^ 1]), np.concatenate([tos, froms ^ 1])
    order = np.lexsort((target, source))
    offsets = np.searchsorted(source[order], np.arange(2 * n + 1))
    return offsets, target[order].astype(np.int32), np.tile(lengths, 2)[order]


def _ranked(n: int, froms: Any, tos: Any, lengths: Floats) -> Ints:
    """Corners in the order of their rank: those that most shortest paths pass first, (n,)."""
    roots = np.linspace(0, 2 * n - 1, min(_ROOTS, 2 * n)).astype(np.int64)
    behind = count_behind(roots, *_rows(n, froms, tos, lengths))
    return np.argsort(-(behind[::2] + behind[1::2]), kind="stable")
