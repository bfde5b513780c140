"""Terrain for a disc of one radius: kinds of terrain, visibility and weighted lengths."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footway.constants import TOUCH
from footway.corridor.index import make_grid
from footway.corridor.kernels.path import polyline_clearance
from footway.environment.partition import partition
from footway.errors import BadInput, BadQuery
from footway.terrain.kernels.triangles import FREE, bin_triangles, locate_all, trace_lines
from footway.validation import as_float, extent_of, floats, point, points, shown
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.kernels.layouts import Grid
    from footway.environment import Environment
    from footway.environment.partition import Partition

_CELLS_PER_TRIANGLE = 2.0
_MOST_CELLS = 4096  # of the grid, per direction


class TerrainMesh(NamedTuple):
    """Triangles of the free space of a disc, for kernels; see `partition`."""

    points: Floats  # (p, 2) m
    triangles: NDArray[np.int32]  # (t, 3) corners, counterclockwise
    neighbours: NDArray[np.int32]  # (t, 3) across the side from corner k to k + 1; -1: a wall
    kind: NDArray[np.int16]  # (t,) index into the terrain's kinds
    box: Floats  # (3,) lower left corner and cell size, m
    shape: Ints  # (2,) columns, rows
    offsets: Ints  # (cells + 1,)
    members: NDArray[np.int32]  # triangles that touch each cell, by offsets
    rise: Floats  # (kinds, 2) CLIMB times the slope along x and y


CLIMB: Final = 7.0
"""Metres on the level that cost as much as a metre of height, where it is steep. A line costs its
length on the ground with heights times this: sqrt(1 + (7 s)^2) per metre on a slope s. That is the
mean, uphill and downhill, of the time by the hiking function of Tobler (1993) within 5 %, and of
the energy measured by Minetti et al. (2002) within 14 %, relative to level ground, for slopes up to
0.3. That uphill costs more than downhill is left out: all routes between two points gain the same
height, so it hardly changes which of them is best."""

LEAST_WEIGHT: Final = 1e-6
MOST_WEIGHT: Final = 1e6
"""Limits of weights: beyond them a weighted length loses its precision."""

_INFLUENCE: Final = re.compile(r"@([^@]+) (\d+)/(\d+)(?=@|$)")
_SLOPE: Final = re.compile(r"@slope \S+ \S+$")
"""Influence regions and slopes in names of kinds, as `partition` makes them."""

_MOST: Final = 8  # cached radii per environment
_kept: WeakKeyDictionary[Environment, dict[float, Terrain]] = WeakKeyDictionary()
_grids: WeakKeyDictionary[Environment, Grid] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False, repr=False)
class Terrain:
    """An environment as triangles of one kind of terrain each, for a disc of one radius.

    The disc fits where its centre is at least the radius from every wall, as in a `CorridorMap`.
    Routes stay inside the triangles, which leave out a strip along walls: up to 1 % of the radius
    around corners, a few micrometres elsewhere. Lines in the strip are measured like all others.

    Attributes:
        environment: the source environment.
        radius: m, of the disc: minimum distance of its centre from walls.
        kinds: names of the kinds of terrain; the first is "ground", where no region lies. Rings
            around influence regions have kinds of their own, such as "mud@fire 3/8", and so have
            slopes, such as "mud@slope 0.1 0.0".
        mesh: the triangles, for kernels.

    Example:
        >>> import footway as fw
        >>> room = fw.Environment.from_polygons(
        ...     bounds=(0, 0, 10, 8), terrain=[("mud", [(4, 0), (6, 0), (6, 8), (4, 8)])]
        ... )
        >>> terrain = Terrain.build(room, radius=0.25)
        >>> terrain.kinds
        ('ground', 'mud')
        >>> {kind: round(m, 6) for kind, m in terrain.measure([(1, 4), (9, 4)]).items()}
        {'ground': 6.0, 'mud': 2.0}
        >>> round(terrain.weighted_length([(1, 4), (9, 4)], {"mud": 10.0}), 6)
        26.0
    """

    environment: Environment = field(repr=False)
    radius: float
    kinds: tuple[str, ...]
    mesh: TerrainMesh = field(repr=False)

    @classmethod
    def build(cls, environment: Environment, radius: float = 0.25) -> Terrain:
        """Return the terrain for a disc of `radius` (m); cached per radius.

        Raises:
            BadQuery: the radius is negative, not a number, or larger than the map.
            BadGeometry: the disc fits nowhere.
        """
        if not hasattr(environment, "walkable"):
            raise BadQuery(
                f"build takes an Environment, not {shown(environment)}: see footway.load"
            )
        radius = checked_radius(radius, extent_of(environment.bounds))
        kept = _kept.setdefault(environment, {})
        made = kept.pop(radius, None)
        if made is None:
            cut = partition(environment, radius=radius)
            made = cls(environment, radius, cut.kinds, make_mesh(cut))
        kept[radius] = made  # most recently used last: the first are dropped
        for old in list(kept)[:-_MOST]:
            kept.pop(old, None)
        return made

    def kind_at(self, points: ArrayLike) -> list[str | None]:
        """Return the kind of terrain at each point (n, 2); None where the disc does not fit."""
        places = _points(points)
        found = self.triangles_at(places)
        kind = np.where(found >= 0, self.mesh.kind[found], -1)
        beside = self._in_strip(np.hstack([places, places]), found < 0)
        if len(beside):
            mesh = self._for_point.mesh
            at = self._for_point.triangles_at(places[beside])
            kind[beside] = np.where(at >= 0, mesh.kind[at], -1)
        return [base_kind(self.kinds[k]) if k >= 0 else None for k in kind.tolist()]

    def triangles_at(self, points: ArrayLike) -> NDArray[np.int32]:
        """Return the triangle of each point (n, 2), (n,) int32; -1 where the disc does not fit."""
        places = _points(points)
        out = np.empty(len(places), np.int32)
        locate_all(places, self.mesh, out)
        return out

    def weights(self, preferences: Mapping[str, float] | None = None) -> Floats:
        """Return the weight of each of `kinds`, (k,): the preference, or 1 by default.

        Raises:
            BadInput: a weight is not a positive number, or the map lacks a kind.
        """
        given = check_preferences({} if preferences is None else preferences)
        names = dict.fromkeys(base_kind(kind) for kind in self.kinds)
        for kind in given:
            if kind not in names:
                raise BadInput(
                    f"no terrain of kind {kind!r} on this map; it has {', '.join(names)}"
                )
        return np.array([_weight(kind, given) for kind in self.kinds])

    def measure(
        self, points: ArrayLike, preferences: Mapping[str, float] | None = None
    ) -> dict[str, float]:
        """Return the exact length of a polyline (n, 2) on each kind of terrain, m.

        Slopes do not change lengths, which are those on the plan. A part along the border of two
        kinds counts as the preferred one; if both are equal, as the one that comes first in
        `kinds`.

        Raises:
            BadQuery: the line leaves the free space of the disc.
        """
        metres = self._trace(points, self.weights(preferences))[0].sum(axis=0)
        found = dict.fromkeys((base_kind(kind) for kind in self.kinds), 0.0)
        for kind, length in zip(self.kinds, metres.tolist(), strict=True):
            found[base_kind(kind)] += length
        return found

    def weighted_length(
        self, points: ArrayLike, preferences: Mapping[str, float] | None = None
    ) -> float:
        """Return the length of a polyline (n, 2) weighted by the terrain and its slopes, m.

        Raises:
            BadInput: as `weights`.
            BadQuery: the line leaves the free space of the disc.
        """
        return float(self._trace(points, self.weights(preferences))[1].sum())

    def sees(self, a: ArrayLike, b: ArrayLike) -> bool:
        """Whether the disc can move straight from a to b (x, y in m); it may touch walls."""
        line = np.concatenate([point(a, "point a"), point(b, "point b")]).reshape(1, 4)
        return bool(self.trace(line, np.ones(len(self.kinds)))[2][0] == FREE)

    def trace(self, lines: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Trace lines (n, 4) x0, y0, x1, y1 over the triangles.

        Returns:
            Lengths on each kind (n, k) m and weighted lengths (n,) m, both up to the first wall,
            and the fraction (n,) of each line at which that wall stops it; 2: no wall does.
        """
        lines, weights = points(lines, 4, name="lines"), floats(weights, "(k,)", name="weights")
        if weights.shape != (len(self.kinds),):
            raise BadQuery(f"weights have the shape {weights.shape}: give one for each of `kinds`")
        metres = np.zeros((len(lines), len(self.kinds)))
        costs, stops = np.empty(len(lines)), np.empty(len(lines))
        trace_lines(lines, weights, self.mesh, metres, costs, stops)
        return metres, costs, stops

    def _trace(self, points: ArrayLike, weights: Floats) -> tuple[Floats, Floats]:
        """Trace a polyline; raise BadQuery if it leaves the free space."""
        places = _points(points)
        if len(places) == 1:
            places = np.concatenate([places, places])
        lines = np.hstack([places[:-1], places[1:]])
        metres, costs, stops = self.trace(lines, weights)
        beside = self._in_strip(lines, stops != FREE)
        if len(beside):
            metres[beside], costs[beside], stops[beside] = self._for_point.trace(
                lines[beside], weights
            )
        blocked = np.flatnonzero(stops != FREE)
        if len(blocked):
            first = int(blocked[0])
            x, y = lines[first, :2] + stops[first] * (lines[first, 2:] - lines[first, :2])
            raise BadQuery(
                f"the line meets a wall at ({x:.3f}, {y:.3f}), "
                f"where a disc of radius {self.radius:g} m does not get through"
            )
        return metres, costs

    @property
    def _for_point(self) -> Terrain:
        """Terrain of a point, which reaches up to the walls."""
        return Terrain.build(self.environment, 0.0)

    def _in_strip(self, lines: Floats, doubtful: Bools) -> Ints:
        """Return indices of the doubtful (n,) lines (n, 4) that keep the radius from all walls."""
        if self.radius == 0.0:
            return np.empty(0, np.int64)
        grid = wall_grid(self.environment)
        return np.array(
            [
                k
                for k in np.flatnonzero(doubtful)
                if polyline_clearance(lines[k].reshape(2, 2), grid) >= self.radius - TOUCH
            ],
            np.int64,
        )

    def __repr__(self) -> str:
        """Return map, radius and number of triangles on one line."""
        return (
            f"<Terrain of {self.environment.name!r}: radius {self.radius:g} m, "
            f"{len(self.mesh.triangles)} triangles, kinds {', '.join(self.kinds)}>"
        )


def base_kind(kind: str) -> str:
    """Return the kind of terrain without its slope and the influence regions around it."""
    return _INFLUENCE.sub("", _SLOPE.sub("", kind))


def _weight(kind: str, preferences: Mapping[str, float]) -> float:
    """Return the product of the weight of a kind and those of the influence regions around it.

    The weight of an influence region falls linearly from its own at its border to 1 at its reach;
    a ring has the value of its middle.
    """
    weight = preferences.get(base_kind(kind), 1.0)
    for source, ring, rings in _INFLUENCE.findall(_SLOPE.sub("", kind)):
        own = preferences.get(source, 1.0)
        weight *= 1.0 + (own - 1.0) * (1.0 - (int(ring) - 0.5) / int(rings))
    return weight


def wall_grid(environment: Environment) -> Grid:
    """Return the cached wall grid of an environment, to measure clearance."""
    if environment not in _grids:
        walls = environment.walls
        points = np.hstack([walls.points, walls.points]) if len(walls.points) else np.empty((0, 4))
        lines = np.vstack([walls.segments, points])
        none = np.zeros(len(lines), np.int64)
        _grids[environment] = make_grid(lines, none, np.zeros((len(lines), 2), np.int64))
    return _grids[environment]


def make_mesh(cut: Partition) -> TerrainMesh:
    """Return triangles with a grid of bins for point location."""
    low, high = cut.points.min(axis=0), cut.points.max(axis=0)
    cells = _CELLS_PER_TRIANGLE * len(cut.triangles)
    size = float(np.sqrt(np.prod(high - low) / cells))
    size = max(size, float((high - low).max()) / _MOST_CELLS)
    shape = np.floor((high - low) / size).astype(np.int64) + 1
    offsets, members = bin_triangles(
        cut.points, cut.triangles, low[0], low[1], size, int(shape[0]), int(shape[1])
    )
    box = np.array([*low, size])
    return TerrainMesh(*cut[:4], box, shape, offsets, members, CLIMB * cut.slopes)


def check_preferences(preferences: Mapping[str, float]) -> dict[str, float]:
    """Validate preferences and return them as positive numbers by kind of terrain.

    Raises:
        BadInput: not a mapping, or a weight is zero, negative or not a number.
    """
    if not isinstance(preferences, Mapping):
        raise BadInput(
            f"preferences must map kinds of terrain to weights, not {shown(preferences)}"
        )
    found = {}
    for kind, given in preferences.items():
        weight = as_float(given)
        if weight is None or not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
            value = given if weight is None else weight
            raise BadInput(
                f"the weight of {shown(kind)} is {shown(value)}; give a positive number, "
                f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}: 1 is neutral, more is worse"
            )
        found[kind] = weight
    return found


def _points(values: ArrayLike) -> Floats:
    """Return points (n, 2), or a single point (2,), as an array (n, 2)."""
    return points(np.atleast_2d(floats(values, "(n, 2)", name="points")))
