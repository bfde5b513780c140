"""Fake obstacles: parts of the free space that a level designer closes (voronoi-roadmaps-2004)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from footway._numba.portable_math import cos, hypot, sin
from footway._numba.segments import closest_points, cross
from footway.constants import TOUCH
from footway.errors import BadInput
from footway.roadmap.lattice.space import space_of_cells, space_of_raster
from footway.roadmap.roadmap import has_next, with_edges
from footway.validation import FARTHEST, as_many, number, point, sequence, shown
from footway.validation import points as checked_points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from footway.arrays import Bools, Floats
    from footway.roadmap.lattice.space import Space
    from footway.roadmap.roadmap import Roadmap


_SIDES = 48  # of the polygon around a disc
_TOUCH = 1e-9  # m


@dataclass(frozen=True)
class FakeObstacle:
    """A simple polygon in two dimensions, a box in three; m.

    Attributes:
        kind: "polygon" or "box".
        points: corners of the polygon, or lower and upper corner of the box.
    """

    kind: Literal["polygon", "box"]
    points: tuple[tuple[float, ...], ...]

    @classmethod
    def polygon(cls, corners: ArrayLike) -> FakeObstacle:
        """Create a polygon from its corners (n, 2), m."""
        array = checked_points(corners, name="corners of a polygon", error=BadInput)
        if len(array) < 3:
            raise BadInput(f"a polygon has corners (n, 2), n > 2, not {array.shape}")
        if (array[0] == array[-1]).all():
            array = array[:-1]
        x, y = array.T
        if abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())) < 1e-9:
            raise BadInput("the polygon has no area: give corners in order")
        return cls("polygon", tuple(map(tuple, array.tolist())))

    @classmethod
    def disc(cls, centre: ArrayLike, radius: float) -> FakeObstacle:
        """Create the circumscribed polygon of a disc, with 48 sides."""
        middle = point(centre, "centre of a disc", error=BadInput)
        size = number(
            radius, "radius of a disc", "m", low=TOUCH, high=0.5 * FARTHEST, error=BadInput
        )
        angle = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
        reach = size / cos(np.pi / _SIDES)
        around = np.column_stack([cos(angle), sin(angle)])
        return cls.polygon(middle + reach * around)

    @classmethod
    def box(cls, low: ArrayLike, high: ArrayLike) -> FakeObstacle:
        """Create a box between two corners; in two dimensions a rectangle."""
        a, b = (point(corner, "corner of a box", 2, 3, error=BadInput) for corner in (low, high))
        if len(a) != len(b) or not (a < b).all():
            raise BadInput("a box has a lower and an upper corner, each x, y or x, y, z in m")
        if a.shape == (2,):
            return cls.polygon([(a[0], a[1]), (b[0], a[1]), (b[0], b[1]), (a[0], b[1])])
        return cls("box", (tuple(a.tolist()), tuple(b.tolist())))

    @property
    def dimension(self) -> int:
        """2 for a polygon, 3 for a box."""
        return len(self.points[0])

    @property
    def walls(self) -> Floats:
        """(n, 4) m. Sides of a polygon."""
        corners = np.array(self.points)
        return np.hstack([corners, np.roll(corners, -1, axis=0)])

    def contains(self, points: Floats) -> Bools:
        """Return which points (n, 2) lie inside the polygon (even-odd rule)."""
        points = checked_points(points)
        inside = np.zeros(len(points), bool)
        for x0, y0, x1, y1 in self.walls.tolist():
            if y0 == y1:
                continue
            spans = (points[:, 1] < y0) != (points[:, 1] < y1)
            inside ^= spans & (points[:, 0] < x0 + (points[:, 1] - y0) * (x1 - x0) / (y1 - y0))
        return inside

    def distance(self, points: Floats) -> Floats:
        """Return the distance of points (n, 2) to the polygon, (n,) m; 0 inside."""
        points = checked_points(points)
        return np.where(self.contains(points), 0.0, _to_segments(points, self.walls))

    def blocks(self, starts: Floats, ends: Floats, space: Space) -> Bools:
        """Return along which lines (n, d) the moving object would touch the obstacle."""
        if not hasattr(space, "corner_clearance"):
            raise BadInput(f"a Space is needed, not {shown(space)}: use the `space` of a roadmap")
        starts, ends = (checked_points(line, self.dimension) for line in (starts, ends))
        as_many(starts, ends)
        if self.kind == "box":
            return _meets_box(starts, ends, *_grown(self, space))
        lines = np.hstack([starts, ends])
        away = np.minimum(_to_segments(starts, self.walls), _to_segments(ends, self.walls))
        for corner in np.array(self.points):
            away = np.minimum(away, _apart(np.broadcast_to(corner, starts.shape), lines))
        return (
            (away < space.radius - _TOUCH)
            | self.contains(starts)
            | self.contains(ends)
            | _crosses(starts, ends, self.walls)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"kind": self.kind, "points": [list(point) for point in self.points]}

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> FakeObstacle:
        """Create an obstacle from the values of `to_dict`, checked."""
        if not isinstance(value, dict) or not {"kind", "points"} <= value.keys():
            raise BadInput(f"a fake obstacle has a kind and points, not {shown(value)}")
        if value["kind"] == "polygon":
            return cls.polygon(value["points"])
        corners = sequence(value["points"], "corners of a box", error=BadInput)
        if value["kind"] != "box" or len(corners) != 2:
            raise BadInput("a fake obstacle is a polygon, or a box with two corners")
        return cls.box(*corners)


def open_parts(roadmap: Roadmap) -> tuple[Bools, Bools]:
    """Return which nodes (n,) and which edges (m,) are not blocked by a fake obstacle."""
    space, fakes = roadmap.space, roadmap.fake_obstacles
    points, offsets = roadmap.path_points, roadmap.path_offsets
    after = np.arange(len(points)) + has_next(offsets)
    hit = np.zeros(len(points), bool)
    gone = np.zeros(roadmap.n_nodes, bool)
    for fake in fakes:
        hit |= fake.blocks(points, points[after], space)
        gone |= fake.blocks(roadmap.nodes, roadmap.nodes, space)
    free = ~np.logical_or.reduceat(hit, offsets[:-1]) if roadmap.n_edges else np.empty(0, bool)
    return ~gone, free & ~gone[roadmap.edges].any(axis=1)


def without_blocked(roadmap: Roadmap) -> Roadmap:
    """Return the roadmap without the nodes, edges and cells that its fake obstacles block."""
    open_nodes, open_edges = open_parts(roadmap)
    number = np.cumsum(open_nodes) - 1
    return with_edges(roadmap, open_edges).with_changes(
        nodes=roadmap.nodes[open_nodes],
        edges=number[roadmap.edges[open_edges]],
        space=closed_space(roadmap.space, roadmap.fake_obstacles),
        fake_obstacles=(),
    )


def closed_space(space: Space, fakes: tuple[FakeObstacle, ...]) -> Space:
    """Return the space without the cells that fake obstacles block."""
    return (_closed_plane if space.dimension == 2 else _closed_volume)(space, fakes)


def _closed_plane(space: Space, fakes: tuple[FakeObstacle, ...]) -> Space:
    """Keep the cells of which every point is at least the radius away from all polygons."""
    from footway.environment.raster import Raster

    free, clearance = space.free.copy(), space.corner_clearance.copy()
    side, origin = space.resolution, space.origin[:2]
    half = side * math.sqrt(0.5)
    corners = np.argwhere(np.ones(clearance.shape[1:], bool))[:, ::-1]
    centres = np.argwhere(np.ones(free.shape[1:], bool))[:, ::-1] + 0.5
    for fake in fakes:
        away = fake.distance(origin + side * centres)
        free &= (away >= space.radius + half - _TOUCH).reshape(free.shape)
        to_fake = np.maximum(0.0, fake.distance(origin + side * corners) - space.radius)
        clearance = np.minimum(clearance, to_fake.reshape(clearance.shape))
    walls = np.concatenate([space.walls, *(fake.walls for fake in fakes)])
    return space_of_raster(
        Raster(free, clearance, space.origin, side, 2, walls, space.radius, space.size)
    )


def _closed_volume(space: Space, fakes: tuple[FakeObstacle, ...]) -> Space:
    """Keep the cells in which the object's box, centred at any point, misses all boxes."""
    free = space.free.copy()
    for fake in fakes:
        low, high = _grown(fake, space)
        first = np.floor((low - space.origin) / space.resolution + _TOUCH).astype(int)
        last = np.ceil((high - space.origin) / space.resolution - _TOUCH).astype(int)
        i, j, k = (slice(max(0, a), max(0, b)) for a, b in zip(first, last, strict=True))
        free[k, j, i] = False
    closed = space_of_cells(free, space.resolution)
    return closed._replace(origin=space.origin, radius=space.radius, size=space.size)


def _grown(fake: FakeObstacle, space: Space) -> tuple[Floats, Floats]:
    """Return the box that the centre of the object must not enter: lower and upper corner."""
    half = np.full(3, space.radius) if space.radius > 0.0 else 0.5 * space.size
    low, high = np.array(fake.points)
    return low - half, high + half


def _meets_box(starts: Floats, ends: Floats, low: Floats, high: Floats) -> Bools:
    """Return which lines (n, 3) pass through the inside of a box."""
    direction = ends - starts
    still = np.abs(direction) < _TOUCH
    step = np.where(still, 1.0, direction)
    a, b = (low - starts) / step, (high - starts) / step
    inside = (starts > low + _TOUCH) & (starts < high - _TOUCH)
    enter = np.where(still, np.where(inside, -np.inf, np.inf), np.minimum(a, b)).max(axis=1)
    leave = np.where(still, np.where(inside, np.inf, -np.inf), np.maximum(a, b)).min(axis=1)
    found: Bools = np.maximum(enter, 0.0) < np.minimum(leave, 1.0) - _TOUCH
    return found | inside.all(axis=1)


def _to_segments(points: Floats, segments: Floats) -> Floats:
    """Return the distance of each point (n, 2) to the nearest segment (k, 4), (n,) m."""
    best = np.full(len(points), np.inf)
    for segment in segments:
        best = np.minimum(best, _apart(points, np.broadcast_to(segment, (len(points), 4))))
    return best


def _apart(points: Floats, lines: Floats) -> Floats:
    """Return the distance of each point (n, 2) to the segment (n, 4) in its row, (n,) m."""
    apart: Floats = hypot(*(closest_points(points, lines) - points).T)
    return apart


def _crosses(starts: Floats, ends: Floats, segments: Floats) -> Bools:
    """Return which lines (n, 2) cross one of the segments (k, 4)."""
    found = np.zeros(len(starts), bool)
    direction = ends - starts
    for x0, y0, x1, y1 in segments.tolist():
        a, b = np.array([x0, y0]), np.array([x1, y1])
        side_a, side_b = cross(direction, a - starts), cross(direction, b - starts)
        along = np.broadcast_to(b - a, direction.shape)
        found |= (side_a * side_b < 0.0) & (cross(along, starts - a) * cross(along, ends - a) < 0.0)
    return found
