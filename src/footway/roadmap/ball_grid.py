"""A grid of the balls around roads, with which points are joined to the roads.

A point is joined to the ball that contains it deepest (rrm-roadmaps-2006, section V.B.2), or else
to one in line of sight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.jit import thread_count
from footway.constants import TOUCH
from footway.corridor.index import CellBoundaries
from footway.roadmap.kernels.roads import bin_balls, join, look
from footway.roadmap.parallel import in_parts
from footway.roadmap.roadmap import has_next

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Grid
    from footway.roadmap.conversion import Roads
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_MOST_CELLS = 512  # along the longer side of the map
_MOST_BALLS = 20  # per cell: those that contain its centre deepest
_NEAREST = 24  # balls that are tested for visibility where no ball contains a point
_POINTS = 4096  # points per task of a thread
_SHARES = np.array([(0.5, 0.5), (0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)])
"""Points of a cell, in shares of its side, from which visible balls are searched."""

_PROBES = np.array([(0.5, 0.5), (0.02, 0.02), (0.98, 0.02), (0.02, 0.98), (0.98, 0.98)])
"""Points of a cell, in shares of its side, that must all be joined to a road."""


class _Sights(NamedTuple):
    """Balls that are visible from points that no ball contains."""

    number: Ints  # (n,) number of the point, increasing
    near: Ints  # (n, k) balls that were tested, nearest first
    found: Ints  # (n,) the ball that was chosen; -1: none


class Joining:
    """Joins the free cells of a roadmap to its roads, repeatedly while roads are added.

    Roads are only appended, so results that no new ball affects are reused.

    Attributes:
        fans: balls by cells, as kernels take them.

    """

    fans: CellBoundaries

    def __init__(self, space: Space, grid: Grid) -> None:
        self._space, self._grid = space, grid
        j, i = np.nonzero(space.free[0])
        self._probes = (np.column_stack([i, j])[:, None] + _PROBES).reshape(-1, 2)
        points = space.positions(np.column_stack([self._probes, np.zeros(len(self._probes))]))
        self._points = np.ascontiguousarray(points)
        self._clear = np.empty(len(points))
        self._sights: _Sights | None = None

    def corners_out_of_reach(self, roads: Roads, least: float) -> Ints:
        """Return corners (n, 2), columns i, j, nearest to points that join no road this wide."""
        before = self.fans if self._sights else None
        self._join(roads)
        changed = _changed(before, self.fans)

        def join_part(part: slice) -> None:
            join(self._points[part], changed, self._grid, self.fans, self._clear[part])

        in_parts(len(self._points), _POINTS, join_part)
        lost = self._probes[self._clear < least]
        return np.unique(np.rint(lost - TOUCH).astype(np.int64), axis=0)

    def _join(self, roads: Roads) -> None:
        """Sort the balls into cells; add visible balls where no ball contains a point."""
        balls = np.column_stack([roads.points, roads.clearance])
        extent = self._grid.box[2] * self._grid.shape
        size = max(float(self._space.resolution), float(extent.max()) / _MOST_CELLS)
        box = np.array([*self._grid.box[:2], size])
        shape = np.floor(extent / size).astype(np.int64) + 1
        _, chosen = np.unique(roads.points.view(np.complex128).ravel(), return_index=True)
        members = np.full((int(shape.prod()), _MOST_BALLS), -1)
        depths = np.full(members.shape, -np.inf)
        bin_balls(balls, chosen, box, shape, members, depths)
        cells, slots = np.nonzero(members >= 0)
        more_cells, more = self._in_sight(balls, chosen, box, shape, depths[:, 0])
        order = np.argsort(np.concatenate([cells, more_cells]), kind="stable")
        found = np.concatenate([members[cells, slots], more])[order]
        size_of = np.bincount(np.concatenate([cells, more_cells]), minlength=len(members))
        offsets = np.concatenate([[0], np.cumsum(size_of)])
        none, walls = np.empty(0), self._grid.walls
        pieces = np.arange(len(balls)) - ~has_next(roads.offsets)
        self.fans = CellBoundaries(
            np.empty(0, np.int64), none, none, pieces, walls,
            np.zeros(len(walls), bool), np.ones(len(walls), bool),
            balls, box, shape, offsets, found.astype(np.int32),
        )  # fmt: skip

    def _in_sight(
        self, balls: Floats, chosen: Ints, box: Floats, shape: Ints, depth: Floats
    ) -> tuple[Ints, Ints]:
        """Return cells with points that no ball contains, and balls visible from such points."""
        from scipy.spatial import cKDTree

        dark = np.flatnonzero(depth < box[2] * np.sqrt(0.5))
        corner = np.column_stack([dark % shape[0], dark // shape[0]])
        points = (box[:2] + (corner[:, None] + _SHARES) * box[2]).reshape(-1, 2)
        number = (len(_SHARES) * dark[:, None] + np.arange(len(_SHARES))).ravel()
        sample = _spread(balls, chosen, box[2])
        tree, count = cKDTree(balls[sample, :2]), min(_NEAREST, len(sample))
        _, near = tree.query(points, k=count, workers=thread_count())
        near = np.ascontiguousarray(sample[near.reshape(len(points), -1)])
        self._sights = self._look(number, near, points, balls)
        cell, found = number // len(_SHARES), self._sights.found
        pairs = np.unique(np.column_stack([cell, found])[found >= 0], axis=0)
        return pairs[:, 0], pairs[:, 1]

    def _look(self, number: Ints, near: Ints, points: Floats, balls: Floats) -> _Sights:
        """Find a visible ball for each point; reuse results of points with the same near balls."""
        found, old = _known(number, near, self._sights)
        rest = np.flatnonzero(~old)
        where, those, out = points[rest], near[rest], np.empty(len(rest), np.int64)

        def look_part(part: slice) -> None:
            look(where[part], those[part], balls, self._grid, out[part])

        in_parts(len(rest), _POINTS, look_part)
        found[rest] = out
        return _Sights(number, near, found)


def _known(number: Ints, near: Ints, before: _Sights | None) -> tuple[Ints, Bools]:
    """Return balls that were visible before, (n,), and for which points they are still valid."""
    found, old = np.full(len(number), -1), np.zeros(len(number), bool)
    if before is None or near.shape[1] != before.near.shape[1]:
        return found, old
    _, here, there = np.intersect1d(number, before.number, return_indices=True)
    same = (near[here] == before.near[there]).all(axis=1)
    found[here[same]], old[here[same]] = before.found[there[same]], True
    return found, old


def _changed(before: CellBoundaries | None, now: CellBoundaries) -> Bools:
    """Return which cells (nc,) have other balls than before."""
    size = np.diff(now.ball_offsets)
    if before is None:
        return np.ones(len(size), bool)
    changed: Bools = size != np.diff(before.ball_offsets)
    old = before.ball_members[np.repeat(~changed, np.diff(before.ball_offsets))]
    new = now.ball_members[np.repeat(~changed, size)]
    cell = np.repeat(np.flatnonzero(~changed), size[~changed])
    changed[cell[old != new]] = True
    return changed


def _spread(balls: Floats, chosen: Ints, size: float) -> Ints:
    """Return the widest ball of each square of four cells."""
    square = np.floor(balls[chosen, :2] / (2.0 * size)).astype(np.int64)
    order = np.argsort(-balls[chosen, 2], kind="stable")
    _, first = np.unique(square[order], axis=0, return_index=True)
    return chosen[order[first]]
