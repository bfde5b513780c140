"""Estimate how many discs fit into a region, and find the nearest free points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from scipy.spatial import cKDTree

from footway._numba.portable_math import cos, hypot, sin
from footway.crowd.kernels.placement import in_sight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.region import Region

    Floats = NDArray[np.float64]

PACKED: Final = 0.55
"""Share of an area that randomly placed discs can cover: they jam at 0.547."""

_ENOUGH: Final = 2000  # grid points in a region: its free area is accurate to one or two per cent
_MOST: Final = 100_000  # grid points at most, for very thin regions
_ANGLES: Final = 64  # directions in which to search for a free point
_NEAREST: Final = 0.1  # m, first search distance
_FURTHER: Final = 1.15  # growth of the search distance per round
_SPACING: Final = 0.5  # m between the sampled balls of the medial axis
_SAME: Final = 0.1  # m: discs in one cell of this size count as being at the same point
_SPIRAL: Final = 1.25  # spiral spacing in radii: its points are more than two radii apart
_GOLDEN: Final = np.pi * (3.0 - np.sqrt(5.0))  # angle between consecutive points of the spiral
_TRIED: Final = 8  # spiral points that are tried per disc
_HALVED: Final = 12  # times that the spacing is halved
_INSIDE: Final = 1e-6  # m between disc and wall, so that rounding does not make them overlap


class Free(NamedTuple):
    """A regular grid of points in a region, with their clearance."""

    points: Floats  # (n, 2) m, inside the region
    clearance: Floats  # (n,) m; 0 in obstacles and outside the map
    cell: tuple[float, float]  # m, grid spacing

    def centres(self, radius: float) -> Floats:
        """Return the points where a disc fits, (k, 2) m."""
        return self.points[self.clearance > radius]

    def capacity(self, radius: float) -> int:
        """Estimate how many randomly placed discs fit."""
        centres = self.centres(radius)
        if not len(centres):
            return 0
        ground = _dilated(centres, radius, self.cell)
        return max(1, int(PACKED * ground / (np.pi * radius * radius)))

    def roomiest(self, region: Region) -> tuple[float, float]:
        """Return the point with the greatest distance to walls and to the region's boundary, m."""
        clearance = np.minimum(self.clearance, region.depth(self.points))
        x, y = self.points[int(clearance.argmax())]
        return float(x), float(y)


def free_of(cmap: CorridorMap, region: Region | None) -> Free:
    """Return grid points of a region or of the map, refined until enough of them are free."""
    x0, y0, x1, y1 = cmap.bounds if region is None else region.bounds
    tried = _ENOUGH
    while True:
        rows = max(1, round(np.sqrt(tried * (y1 - y0) / (x1 - x0))))
        columns = max(1, round(tried / rows))
        cell = (x1 - x0) / columns, (y1 - y0) / rows
        xs = x0 + cell[0] * (np.arange(columns) + 0.5)
        ys = y0 + cell[1] * (np.arange(rows) + 0.5)
        points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        if region is not None:
            points = np.ascontiguousarray(points[region.contains(points)])
        clearance = cmap.clearance(points)
        if (clearance > 0.0).sum() >= _ENOUGH // 4 or tried >= _MOST:
            return Free(points, clearance, cell)
        tried *= 8


def free_place(cmap: CorridorMap, at: tuple[float, float], radius: float) -> str:
    """Describe a free point near `at` for an error message; "" if there is none."""
    low, high = np.array(cmap.bounds[:2]), np.array(cmap.bounds[2:])
    centre = np.clip(
        at, low, high
    )  # a point outside is replaced by the closest point of the bounds
    angle = np.linspace(0.0, 2.0 * np.pi, _ANGLES, endpoint=False)
    directions = np.column_stack([cos(angle), sin(angle)])
    away = _NEAREST
    while away < float(hypot(*(high - low))):
        points = np.round(centre + away * directions, 2)
        clearance = cmap.clearance(points)
        if (clearance >= radius).any():
            x, y = points[int(clearance.argmax())].tolist()
            return f"({x:.10g}, {y:.10g}) is free"
        away *= _FURTHER
    return ""


class SizeClass(NamedTuple):
    """Balls of about the same size along the medial axis."""

    rows: NDArray[np.int64]  # (n,) indices into all balls
    tree: cKDTree  # of their centres
    smallest: float  # m, least radius
    largest: float  # m


class Inscribed(NamedTuple):
    """Maximal balls of a map, grouped by size."""

    all: Floats  # (n, 3) x, y, radius, m
    size_classes: tuple[SizeClass, ...]


_known: WeakKeyDictionary[CorridorMap, Inscribed] = WeakKeyDictionary()


def balls_of(cmap: CorridorMap) -> Inscribed:
    """Return the balls of a map; they are computed once per map."""
    if cmap not in _known:
        axis = cmap.axis(_SPACING)
        balls = np.column_stack([axis.points, axis.clearance])
        size = np.frexp(axis.clearance)[1]  # classes between powers of two
        rows = [np.flatnonzero(size == k) for k in np.unique(size)]
        size_classes = tuple(
            SizeClass(some, cKDTree(balls[some, :2]), balls[some, 2].min(), balls[some, 2].max())
            for some in rows
        )
        _known[cmap] = Inscribed(balls, size_classes)
    return _known[cmap]


def fits_somewhere(cmap: CorridorMap, radius: float) -> bool:
    """Return whether a disc of this radius, m, fits anywhere on the map."""
    return bool(balls_of(cmap).all[:, 2].max(initial=0.0) >= radius + _INSIDE)


def nearest_free(cmap: CorridorMap, points: Floats, radii: Floats) -> Floats:
    """Return points (n, 2), moving discs that do not fit to the nearest point where they do.

    A disc that fits nowhere is moved to the point with the greatest clearance. All in m.

    Example:
        >>> import footway as fw
        >>> room = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 4)))
        >>> nearest_free(room, np.array([[2.0, 9.0]]), np.array([0.5])).round(2).tolist()
        [[2.0, 3.5]]

    """
    found = points.copy()
    tight = np.flatnonzero(cmap.clearance(points) < radii) if len(points) else np.empty(0, int)
    if len(tight):
        balls = balls_of(cmap)
        for k, rows in zip(tight, _near(balls, points[tight], radii[tight]), strict=True):
            found[k] = _into_ball(balls.all[rows], points[k], float(radii[k]))
    return found


def apart(cmap: CorridorMap, points: Floats, radii: Floats) -> Floats:
    """Return points (n, 2), spreading discs that are at nearly the same point around it.

    Without enough free space they overlap, but no two are at the same point. All in m.

    Example:
        >>> import footway as fw
        >>> room = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 4)))
        >>> x, y = (apart(room, np.full((2, 2), 2.0), np.full(2, 0.5))[1] - 2.0).tolist()
        >>> bool(1.0 < np.hypot(x, y) < 1.2)
        True

    """
    found = points.copy()
    _, which, count = np.unique(
        np.floor(points / _SAME), axis=0, return_inverse=True, return_counts=True
    )
    order = np.argsort(which.ravel(), kind="stable")
    for rows in np.split(order, np.cumsum(count)[:-1]):
        if len(rows) > 1:
            _spread(cmap, found, rows, float(radii[rows].max()))
    return found


def _spread(cmap: CorridorMap, points: Floats, rows: NDArray[np.int64], radius: float) -> None:
    """Place discs around the first of them, on a spiral with about equal distances."""
    centre = points[rows[0]].copy()
    turn = np.arange(3, 3 + _TRIED * len(rows))  # points 0 to 2 would overlap the centre
    spiral = np.column_stack([cos(_GOLDEN * turn), sin(_GOLDEN * turn)])
    spiral *= np.sqrt(turn)[:, None]
    for spacing in _SPIRAL * radius / 2.0 ** np.arange(_HALVED):
        tried = centre + spacing * spiral
        free = tried[cmap.clearance(tried) >= radius]
        free = free[in_sight(centre[0], centre[1], free, cmap.solver.index.grid)]
        if len(free) >= len(rows) - 1:
            points[rows[1:]] = free[: len(rows) - 1]
            return


def _near(balls: Inscribed, points: Floats, radii: Floats) -> list[NDArray[np.int64]]:
    """Return, per point, the candidate balls for the nearest point where its disc fits."""
    shortest = np.full(len(points), np.inf)  # m, upper bound
    for size_class in balls.size_classes:
        away, which = size_class.tree.query(points)
        margin = balls.all[size_class.rows[which], 2] - radii - _INSIDE
        shortest = np.where(margin >= 0.0, np.minimum(shortest, away - margin), shortest)
    rows: list[list[NDArray[np.int64]]] = [[] for _ in points]
    for size_class in balls.size_classes:
        reach = np.maximum(0.0, shortest) + size_class.largest + _INSIDE
        for mine, here in zip(rows, _within(size_class, points, reach), strict=True):
            mine.append(size_class.rows[here])
    return [np.sort(np.concatenate(mine)) for mine in rows]


def _within(size_class: SizeClass, points: Floats, reach: Floats) -> list[list[int]]:
    """Return, per point, the balls with centres within `reach`; all if `reach` is infinite."""
    known = np.isfinite(reach)
    found: list[list[int]] = [list(range(len(size_class.rows)))] * len(points)
    for k, here in zip(
        np.flatnonzero(known),
        size_class.tree.query_ball_point(points[known], reach[known]),
        strict=True,
    ):
        found[k] = here
    return found


def _into_ball(balls: Floats, point: Floats, radius: float) -> Floats:
    """Return the nearest point to a given one where a disc fits into one of the balls (n, 3)."""
    margin = balls[:, 2] - radius - _INSIDE
    away = point - balls[:, :2]
    distance = hypot(*away.T)
    miss = np.where(margin >= 0.0, distance - margin, np.inf)
    best = int(miss.argmin() if np.isfinite(miss).any() else balls[:, 2].argmax())
    share = min(1.0, max(0.0, margin[best]) / max(distance[best], _INSIDE))
    place: Floats = balls[best, :2] + share * away[best]
    return place


def _dilated(centres: Floats, radius: float, cell: tuple[float, float]) -> float:
    """Estimate the area that discs with their centres in these cells can cover, m2."""
    tree = cKDTree(centres)
    low, high = centres.min(axis=0) - radius, centres.max(axis=0) + radius
    steps = np.maximum(1, np.minimum(400, np.ceil((high - low) / (0.5 * np.array(cell)))))
    size = (high - low) / steps
    xs, ys = (low[i] + size[i] * (np.arange(int(steps[i])) + 0.5) for i in (0, 1))
    points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    reach = max(radius, 0.5 * float(hypot(*cell)))
    near, _ = tree.query(points, distance_upper_bound=reach)
    covered = np.isfinite(near).sum()
    return float(covered * size.prod())
