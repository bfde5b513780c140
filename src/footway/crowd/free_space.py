"""Free space for discs: random points, the nearest free point, and how many discs fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from scipy.spatial import cKDTree

from footway._numba.portable_math import cos, hypot, sin
from footway.corridor.kernels.query import are_connected
from footway.crowd.kernels.layouts import BALL_RADIUS
from footway.crowd.kernels.placement import DISC_RADIUS, in_sight, keep_apart
from footway.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway._numba.random_stream import RandomStream
    from footway.arrays import Floats, Ints
    from footway.corridor import CorridorMap
    from footway.corridor.building.map import BuildingMap
    from footway.corridor.kernels.layouts import Grid, Index
    from footway.environment.areas import Polygon


PACKED: Final = 0.55
"""Share of an area that randomly placed discs can cover: they jam at 0.547."""

_ENOUGH: Final = 2000  # grid points in an area: its free area is accurate to one or two per cent
_MOST: Final = 100_000  # grid points at most, for very thin areas
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
_ROUNDS: Final = 40  # batches of random points before an area counts as having no free point
_PATIENCE: Final = 20  # consecutive batches without a free point before an area counts as full
_MANY: Final = 200  # characters from which the capacity is estimated before placing them
_ROUGH: Final = 1.1  # tolerance factor of the estimated capacity


# -- random points -------------------------------------------------------------------------------


def free_points(
    cmap: CorridorMap,
    count: int,
    radius: float,
    area: Polygon | None,
    rng: RandomStream,
    *,
    everywhere: bool = False,
) -> Floats:
    """Return 1 to `count` random points where a disc fits (n, 2), or raise BadQuery.

    Without an area they are in the largest connected part of the map, unless `everywhere`.
    """
    box = cmap.bounds if area is None else area.bounds
    low, high = np.array(box[:2]), np.array(box[2:])
    found: list[Floats] = []
    for _ in range(_ROUNDS):
        points = low + rng.uniform(2 * count + 64, 2) * (high - low)
        points = _inside(area, points)
        found.append(points[cmap.clearance(points) > radius])
        if sum(map(len, found)) >= count:
            break
    points = np.concatenate(found)[:count]
    if area is None and len(points) and not everywhere:
        points = points[main_part(cmap.locate(points).piece, radius, cmap.solver.index)]
    if not len(points):
        where = "on the map" if area is None else "in the area"
        raise BadQuery(f"there is no position {where} where a disc of radius {radius:g} m fits")
    return points


def _inside(area: Polygon | None, points: Floats) -> Floats:
    """Return the points (n, 2) that lie in an area; all without an area."""
    if area is None:
        return points
    from footway.environment.areas import contains  # loads Shapely

    return np.ascontiguousarray(points[contains(area, points)])


def main_part(pieces: Ints, radius: float, index: Index) -> NDArray[np.bool_]:
    """Return which pieces (n,) of located points are in the connected part with most of them."""
    rest = np.ones(len(pieces), bool)
    best = np.zeros(len(pieces), bool)
    while rest.sum() > best.sum():
        first = int(np.flatnonzero(rest)[0])
        part = are_connected(pieces[first], pieces, radius, index)
        part[first] = True
        best = part if part.sum() > best.sum() else best
        rest &= ~part
    return best


def scatter(
    cmap: CorridorMap,
    radii: Floats,
    area: Polygon | None,
    taken: Floats,
    rng: RandomStream,
    *,
    obstacles: Floats,
    sight: Floats | None = None,
    is_checked: bool = False,
) -> Floats:
    """Place discs of these radii (n,) at random points without overlaps. (n, 2) m.

    They overlap no wall, no disc of `taken` (k, 3), no obstacle (m, 3) and not each other. Without
    an area they are in the largest part of the map that is connected for the widest of them. With
    `sight`, x and y of a point, there is no wall between them and that point. `is_checked`: the
    caller has called `check_capacity`.
    """
    if len(radii) == 0:
        return np.empty((0, 2))
    widest = float(max(radii.max(), taken[:, DISC_RADIUS].max(initial=0.0)))
    box = cmap.bounds if area is None else area.bounds
    low = np.array(box[:2])
    size = max(2.0 * widest, float(max(box[2] - box[0], box[3] - box[1])) / 4096)
    shape = np.floor((np.array(box[2:]) - low) / size).astype(np.int64) + 1
    found: list[Floats] = []
    here, idle = taken, 0
    while idle < _PATIENCE:
        rest = radii[sum(map(len, found)) :]
        points = free_points(cmap, 2 * len(rest) + 64, float(radii.max()), area, rng)
        if sight is not None:
            points = points[in_sight(sight[0], sight[1], points, cmap.solver.index.grid)]
        points = points[~overlapping(points, np.full(len(points), radii.max()), obstacles)]
        new, _ = keep_apart(points, rest, here, size, low, shape[0], shape[1])
        found.append(new)
        idle = 0 if len(new) else idle + 1
        here = np.vstack([here, np.column_stack([new, rest[: len(new)]])])
        if len(new) == len(rest):
            return np.concatenate(found)
        if sight is None and not is_checked:
            check_capacity(cmap, len(radii), float(radii.mean()), area, taken)
            is_checked = True
    where = "on the map" if area is None else "in the area"
    raise BadQuery(
        f"only {sum(map(len, found))} of {len(radii)} characters of radius {widest:g} m found free "
        f"space {where}: add fewer, or give them more space"
    )


def overlapping(points: Floats, radii: Floats, obstacles: Floats) -> NDArray[np.bool_]:
    """Return which discs at points (n, 2) with radii (n,) overlap a disc of (m, 3), m. (n,)."""
    found = np.zeros(len(points), bool)
    for x, y, radius in obstacles.tolist():
        found |= hypot(points[:, 0] - x, points[:, 1] - y) < radii + radius
    return found


# -- capacity ------------------------------------------------------------------------------------


def check_capacity(
    cmap: CorridorMap, count: int, radius: float, area: Polygon | None, taken: Floats
) -> None:
    """Raise BadQuery if so many discs of a (mean) radius, m, certainly do not fit.

    `taken` (k, 3) are the discs of the characters present.
    """
    box = cmap.bounds if area is None else area.bounds
    if count < _MANY or box[0] == box[2] or box[1] == box[3]:
        return
    here = taken
    if area is not None:
        from footway.environment.areas import contains  # loads Shapely

        here = taken[contains(area, taken[:, :2])]
    others = round(float((here[:, DISC_RADIUS] ** 2).sum()) / (radius * radius))
    fit = max(0, sample_free_space(cmap, area).capacity(radius) - others)
    if count > _ROUGH * fit:
        where = "on the map" if area is None else "in the area"
        more = "more " if others else ""
        raise BadQuery(
            f"{count:,} {more}characters of radius {radius:g} m do not fit {where}: "
            f"about {fit:,} do; add fewer, or give them more space"
        )


def are_too_many(cmap: CorridorMap, count: int, radius: float, area: Polygon | None) -> bool:
    """Return whether discs of a (mean) radius, m, would not fit even without walls."""
    x0, y0, x1, y1 = cmap.bounds if area is None else area.bounds
    space = (x1 - x0 + 2.0 * radius) * (y1 - y0 + 2.0 * radius)
    return bool(count * np.pi * radius * radius > PACKED * space)


class FreeSamples(NamedTuple):
    """A regular grid of points in an area, with their clearance."""

    points: Floats  # (n, 2) m, inside the area
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
        covered = _dilated(centres, radius, self.cell)
        return max(1, int(PACKED * covered / (np.pi * radius * radius)))

    def widest_point(self, area: Polygon) -> tuple[float, float]:
        """Return the point with the greatest distance to walls and to the area's boundary, m."""
        from footway.environment.areas import depth  # loads Shapely

        clearance = np.minimum(self.clearance, depth(area, self.points))
        x, y = self.points[int(clearance.argmax())]
        return float(x), float(y)


def sample_free_space(
    cmap: CorridorMap | BuildingMap, area: Polygon | None, **floor: str
) -> FreeSamples:
    """Return grid points of an area or of the map, refined until enough of them are free.

    In a building `floor` is the name of the area's floor.
    """
    x0, y0, x1, y1 = cmap.bounds if area is None else area.bounds
    tried = _ENOUGH
    while True:
        rows = max(1, round(np.sqrt(tried * (y1 - y0) / (x1 - x0))))
        columns = max(1, round(tried / rows))
        cell = (x1 - x0) / columns, (y1 - y0) / rows
        xs = x0 + cell[0] * (np.arange(columns) + 0.5)
        ys = y0 + cell[1] * (np.arange(rows) + 0.5)
        points = _inside(area, np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2))
        clearance = cmap.clearance(points, **floor)
        if (clearance > 0.0).sum() >= _ENOUGH // 4 or tried >= _MOST:
            return FreeSamples(points, clearance, cell)
        tried *= 8


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


# -- the nearest free point ----------------------------------------------------------------------


def describe_misfit(clearance: float, radius: float, outside: str) -> str:
    """Describe why a character does not fit at a place, for an error message."""
    if clearance <= 0.0:
        return f"is in an obstacle or outside {outside}"
    return f"has a clearance of {clearance:.3f} m: the character has a radius of {radius:g} m"


def describe_free_point(cmap: CorridorMap, at: tuple[float, float], radius: float) -> str:
    """Describe a free point near `at` for an error message; "" if there is none."""
    low, high = np.array(cmap.bounds[:2]), np.array(cmap.bounds[2:])
    centre = np.clip(at, low, high)  # a point outside is replaced by the closest of the bounds
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


def inscribed_balls(cmap: CorridorMap) -> Inscribed:
    """Return the balls of a map; they are computed once per map."""
    if cmap not in _known:
        axis = cmap.axis(_SPACING)
        balls = np.column_stack([axis.points, axis.clearance])
        size = np.frexp(axis.clearance)[1]  # classes between powers of two
        rows = [np.flatnonzero(size == k) for k in np.unique(size)]
        size_classes = tuple(
            SizeClass(
                some,
                cKDTree(balls[some, :2]),
                balls[some, BALL_RADIUS].min(),
                balls[some, BALL_RADIUS].max(),
            )
            for some in rows
        )
        _known[cmap] = Inscribed(balls, size_classes)
    return _known[cmap]


def fits_somewhere(cmap: CorridorMap, radius: float) -> bool:
    """Return whether a disc of this radius, m, fits anywhere on the map."""
    return bool(inscribed_balls(cmap).all[:, BALL_RADIUS].max(initial=0.0) >= radius + _INSIDE)


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
        balls = inscribed_balls(cmap)
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
    return apart_in(points, radii, cmap.clearance, cmap.solver.index.grid)


def apart_in(
    points: Floats, radii: Floats, clearance: Callable[[Floats], Floats], grid: Grid
) -> Floats:
    """`apart` in a space with this clearance and these walls: on a plan or a floor."""
    found = points.copy()
    _, which, count = np.unique(
        np.floor(points / _SAME), axis=0, return_inverse=True, return_counts=True
    )
    order = np.argsort(which.ravel(), kind="stable")
    for rows in np.split(order, np.cumsum(count)[:-1]):
        if len(rows) > 1:
            _spread(found, rows, float(radii[rows].max()), clearance, grid)
    return found


def _spread(
    points: Floats,
    rows: NDArray[np.int64],
    radius: float,
    clearance: Callable[[Floats], Floats],
    grid: Grid,
) -> None:
    """Place discs around the first of them, on a spiral with about equal distances."""
    centre = points[rows[0]].copy()
    turn = np.arange(3, 3 + _TRIED * len(rows))  # points 0 to 2 would overlap the centre
    spiral = np.column_stack([cos(_GOLDEN * turn), sin(_GOLDEN * turn)])
    spiral *= np.sqrt(turn)[:, None]
    for spacing in _SPIRAL * radius / 2.0 ** np.arange(_HALVED):
        tried = centre + spacing * spiral
        free = tried[clearance(tried) >= radius]
        free = free[in_sight(centre[0], centre[1], free, grid)]
        if len(free) >= len(rows) - 1:
            points[rows[1:]] = free[: len(rows) - 1]
            return


def _near(balls: Inscribed, points: Floats, radii: Floats) -> list[NDArray[np.int64]]:
    """Return, per point, the candidate balls for the nearest point where its disc fits."""
    shortest = np.full(len(points), np.inf)  # m, upper bound
    for size_class in balls.size_classes:
        away, which = size_class.tree.query(points)
        margin = balls.all[size_class.rows[which], BALL_RADIUS] - radii - _INSIDE
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
    margin = balls[:, BALL_RADIUS] - radius - _INSIDE
    away = point - balls[:, :2]
    distance = hypot(*away.T)
    miss = np.where(margin >= 0.0, distance - margin, np.inf)
    best = int(miss.argmin() if np.isfinite(miss).any() else balls[:, BALL_RADIUS].argmax())
    share = min(1.0, max(0.0, margin[best]) / max(distance[best], _INSIDE))
    place: Floats = balls[best, :2] + share * away[best]
    return place
