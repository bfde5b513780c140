"""Start and goal points of characters, and their location on the map."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.jit import one_parallel_kernel
from footway._numba.portable_math import hypot
from footway.corridor.kernels.locate import locate_points
from footway.crowd.capacity import PACKED, free_of
from footway.crowd.kernels.placement import are_connected, in_sight, keep_apart
from footway.errors import BadQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway._numba.random_stream import RandomStream
    from footway.corridor import CorridorMap
    from footway.crowd.region import Region

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

ARRIVAL = 0.5  # m from a goal at which it counts as reached
_ROUNDS = 40  # batches of random points before a region counts as having no free point
_PATIENCE = 20  # consecutive batches without a free point before a region counts as full
_MANY = 200  # characters from which the capacity is estimated before placing them
_ROUGH = 1.1  # tolerance factor of the estimated capacity


class GoalRange(NamedTuple):
    """Places first to first + size - 1 of the table `Places`."""

    first: int
    size: int

    def renumbered(self, number: Ints) -> GoalRange:
        """Return the range with the new numbers from `Places.keep`."""
        return GoalRange(int(number[self.first]), self.size)


class Places:
    """A table of located places."""

    def __init__(self, cmap: CorridorMap) -> None:
        self._cmap = cmap
        self.located = np.empty(
            (0, 6)
        )  # x, y, point on the medial axis (x, y), its clearance, own clearance
        self.pieces = np.empty(0, np.int64)  # of the medial axis
        self.reach = np.empty(0, np.float32)  # m, within which the place counts as reached

    def add(self, points: Floats, reach: float | Floats = ARRIVAL) -> GoalRange:
        """Locate points (n, 2) and append them to the table."""
        index = self._cmap.solver.index
        with one_parallel_kernel:
            pieces, values = locate_points(points, index.axis, index.grid, index.boundaries)
        first = len(self.pieces)
        self.located = np.vstack([self.located, np.column_stack([points, values[:, :4]])])
        self.pieces = np.concatenate([self.pieces, pieces])
        reach = np.broadcast_to(np.asarray(reach, np.float32), len(points))
        self.reach = np.concatenate([self.reach, reach])
        return GoalRange(first, len(points))

    def keep(self, used: NDArray[np.bool_]) -> Ints:
        """Drop unused places; return new numbers of all (n + 1,): the count kept before each."""
        self.located, self.pieces = self.located[used], self.pieces[used]
        self.reach = self.reach[used]
        return np.concatenate([[0], np.cumsum(used)])


def scatter(
    cmap: CorridorMap,
    radii: Floats,
    region: Region | None,
    taken: Floats,
    rng: RandomStream,
    *,
    sight: Floats | None = None,
    obstacles: Floats | None = None,
) -> Floats:
    """Place discs of these radii (n,) at random points without overlaps. (n, 2) m.

    They overlap no wall, no disc of `taken` (k, 3), no obstacle of `blocks` (m, 3) and not each
    other. Without a region they are in the largest part of the map that is connected for the widest
    of them. With `sight`, x and y of a point, there is no wall between them and that point.
    """
    if len(radii) == 0:
        return np.empty((0, 2))
    widest = float(max(radii.max(), taken[:, 2].max(initial=0.0)))
    box = cmap.bounds if region is None else region.bounds
    low = np.array(box[:2])
    size = max(2.0 * widest, float(max(box[2] - box[0], box[3] - box[1])) / 4096)
    shape = np.floor((np.array(box[2:]) - low) / size).astype(np.int64) + 1
    found: list[Floats] = []
    here, idle = taken, 0
    while idle < _PATIENCE:
        rest = radii[sum(map(len, found)) :]
        points = free_points(cmap, 2 * len(rest) + 64, float(radii.max()), region, rng)
        if sight is not None:
            points = points[in_sight(sight[0], sight[1], points, cmap.solver.index.grid)]
        if obstacles is not None:
            points = points[~overlapping(points, np.full(len(points), radii.max()), obstacles)]
        new, _ = keep_apart(points, rest, here, size, low, shape[0], shape[1])
        found.append(new)
        idle = 0 if len(new) else idle + 1
        here = np.vstack([here, np.column_stack([new, rest[: len(new)]])])
        if len(new) == len(rest):
            return np.concatenate(found)
        if len(found) == 1 and sight is None:
            check_capacity(cmap, len(radii), float(radii.mean()), region, taken)
    where = "on the map" if region is None else "in the area"
    raise BadQuery(
        f"only {sum(map(len, found))} of {len(radii)} characters of radius {widest:g} m found room "
        f"{where}: add fewer, or give them more space"
    )


def check_capacity(
    cmap: CorridorMap, count: int, radius: float, region: Region | None, taken: Floats
) -> None:
    """Raise BadQuery if so many discs of a (mean) radius, m, certainly do not fit.

    `taken` (k, 3) are the discs of the characters present.
    """
    box = cmap.bounds if region is None else region.bounds
    if count < _MANY or box[0] == box[2] or box[1] == box[3]:
        return
    here = taken if region is None else taken[region.contains(taken[:, :2])]
    others = round(float((here[:, 2] ** 2).sum()) / (radius * radius))
    fit = max(0, free_of(cmap, region).capacity(radius) - others)
    if count > _ROUGH * fit:
        where = "on the map" if region is None else "in the area"
        more = "more " if others else ""
        raise BadQuery(
            f"{count:,} {more}characters of radius {radius:g} m do not fit {where}: "
            f"about {fit:,} do; add fewer, or give them more space"
        )


def are_too_many(cmap: CorridorMap, count: int, radius: float, region: Region | None) -> bool:
    """Return whether discs of a (mean) radius, m, would not fit even without walls."""
    x0, y0, x1, y1 = cmap.bounds if region is None else region.bounds
    ground = (x1 - x0 + 2.0 * radius) * (y1 - y0 + 2.0 * radius)
    return count * np.pi * radius * radius > PACKED * ground


def overlapping(points: Floats, radii: Floats, obstacles: Floats) -> NDArray[np.bool_]:
    """Return which discs at points (n, 2) with radii (n,) overlap a disc of (m, 3), m. (n,)."""
    found = np.zeros(len(points), bool)
    for x, y, radius in obstacles.tolist():
        found |= hypot(points[:, 0] - x, points[:, 1] - y) < radii + radius
    return found


def free_points(
    cmap: CorridorMap,
    count: int,
    radius: float,
    region: Region | None,
    rng: RandomStream,
    *,
    everywhere: bool = False,
) -> Floats:
    """Return 1 to `count` random points where a disc fits (n, 2), or raise BadQuery.

    Without a region they are in the largest connected part of the map, unless `everywhere`.
    """
    box = cmap.bounds if region is None else region.bounds
    low, high = np.array(box[:2]), np.array(box[2:])
    found: list[Floats] = []
    for _ in range(_ROUNDS):
        points = low + rng.uniform(2 * count + 64, 2) * (high - low)
        if region is not None:
            points = points[region.contains(points)]
        found.append(points[cmap.clearance(points) > radius])
        if sum(map(len, found)) >= count:
            break
    points = np.concatenate(found)[:count]
    if region is None and len(points) and not everywhere:
        points = points[_main_part(cmap, points, radius)]
    if not len(points):
        where = "on the map" if region is None else "in the area"
        raise BadQuery(f"there is no place {where} where a disc of radius {radius:g} m fits")
    return points


def _main_part(cmap: CorridorMap, points: Floats, radius: float) -> NDArray[np.bool_]:
    """Return which points lie in the connected part of the map with the most of them. (n,)."""
    pieces = cmap.locate(points).piece
    rest = np.ones(len(points), bool)
    best = np.zeros(len(points), bool)
    while rest.sum() > best.sum():
        first = int(np.flatnonzero(rest)[0])
        part = are_connected(pieces[first], pieces, radius, cmap.solver.index)
        part[first] = True
        best = part if part.sum() > best.sum() else best
        rest &= ~part
    return best
