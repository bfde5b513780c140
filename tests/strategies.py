"""Random scenes and query points for property tests, in Shapely geometry on the 1 mm grid.

Coordinates are drawn as whole millimetres and handed out in metres. Scenes are small (at most a
few dozen walls), so that a test can afford brute force on each of them.

    @given(scenes())
    def test_something(scene): env = scene.environment()

    @given(st.data(), scenes())
    def test_query(data, scene): start = data.draw(points_inside(scene))

In the quick profile scenes come from `tests.corpus`: their maps and oracles are built once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import shapely
from hypothesis import strategies as st
from shapely import affinity

from tests.effort import PROFILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.corridor import CorridorMap
    from footway.environment import Environment

MM = 0.001
"""m. The grid of all coordinates."""

SIDE = 20_000
"""mm. Scenes of obstacles are squares of this side."""

SMALLEST_AREA = 0.5
"""m2. A scene with less free space than this is not worth asking about: drawn without obstacles."""

RADII = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])
"""m. Radii of the characters that the project is measured with."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Scene:
    """Walkable area with walls, in metres: what `Environment.from_polygons` takes."""

    polygon: shapely.Polygon | shapely.MultiPolygon
    lines: tuple[shapely.LineString, ...] = ()
    points: tuple[shapely.Point, ...] = ()

    def environment(self) -> Environment:
        """Return the scene's Environment."""
        return self._environment

    def corridor_map(self) -> CorridorMap:
        """Return the scene's CorridorMap."""
        return self._corridor_map

    def oracle(self, make: Callable[..., Any], *arguments: Any) -> Any:
        """Return `make(walkable, *arguments, lines=..., points=...)`, made once."""
        if (make, *arguments) not in self._oracles:
            env = self.environment()
            made = make(env.walkable, *arguments, lines=env.lines, points=env.points)
            self._oracles[make, *arguments] = made
        return self._oracles[make, *arguments]

    @cached_property
    def _environment(self) -> Environment:
        from footway.environment import Environment

        return Environment.from_polygons(self.polygon, lines=self.lines, points=self.points)

    @cached_property
    def _corridor_map(self) -> CorridorMap:
        from footway.corridor import CorridorMap

        return CorridorMap.build(self.environment())

    @cached_property
    def _oracles(self) -> dict[Any, Any]:
        return {}

    def __repr__(self) -> str:
        lines = shapely.MultiLineString(self.lines).wkt
        points = shapely.MultiPoint(self.points).wkt
        return f"Scene({self.polygon.wkt!r}, {lines!r}, {points!r})"


def scenes(*kinds: str) -> st.SearchStrategy[Scene]:
    """Scenes of some kinds: obstacles in a square, obstacles that touch, a maze of rooms, ..."""
    kinds = kinds or ("obstacles", "touching", "mazes")
    if PROFILE != "ci":
        return st.one_of([NEW[kind]() for kind in kinds])
    from tests.corpus import frozen

    return st.sampled_from([scene for kind in kinds for scene in frozen(kind)])


@st.composite
def obstacle_scenes(draw: st.DrawFn, *, most: int = 6, walls: bool = True) -> Scene:
    """A square with up to `most` obstacles that may overlap or cut it into pieces.

    Without `walls` there are no line walls and no point obstacles.
    """
    obstacles = draw(
        st.lists(st.one_of(boxes(), turned_boxes(), stars(), slivers()), max_size=most)
    )
    polygon = _cut(shapely.box(0, 0, SIDE, SIDE), obstacles)
    if not walls:
        return _scene(polygon)
    lines = draw(st.lists(line_walls(), max_size=3))
    points = draw(st.lists(_spots().map(shapely.Point), max_size=3))
    return _scene(polygon, lines=lines, points=points)


@st.composite
def acute_scenes(draw: st.DrawFn, *, most: int = 8) -> Scene:
    """A square with obstacles that have acute corners: kites, slim hulls, spiky stars."""
    kinds = st.one_of(kites(), slim_hulls(), spiky_stars())
    obstacles = draw(st.lists(kinds, min_size=1, max_size=most))
    return _scene(_cut(shapely.box(0, 0, SIDE, SIDE), obstacles))


@st.composite
def touching_scenes(draw: st.DrawFn) -> Scene:
    """Boxes on a coarse lattice: they touch each other and the bounds in corners and edges."""
    cell = 2_000
    count = SIDE // cell
    corner = st.integers(0, count - 1)
    spots = draw(st.lists(st.tuples(corner, corner), max_size=12, unique=True))
    cells = [shapely.box(i * cell, j * cell, (i + 1) * cell, (j + 1) * cell) for i, j in spots]
    ends = st.tuples(st.integers(0, count), st.integers(0, count))
    pairs = draw(st.lists(st.lists(ends, min_size=2, max_size=2, unique=True), max_size=2))
    lines = [shapely.LineString([(cell * i, cell * j) for i, j in pair]) for pair in pairs]
    return _scene(_cut(shapely.box(0, 0, SIDE, SIDE), cells), lines=lines)


@st.composite
def mazes(draw: st.DrawFn) -> Scene:
    """Rooms in rows and columns; between two rooms a thick or a thin wall, with or without door."""
    columns, rows = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    room = draw(st.integers(2_000, 5_000))
    solids: list[shapely.Polygon] = []
    lines: list[shapely.LineString] = []
    for column in range(columns):
        for row in range(rows):
            x, y = column * room, row * room
            if column:
                _add_wall(draw(_partitions(room)), solids, lines, at=(x, y), upright=True)
            if row:
                _add_wall(draw(_partitions(room)), solids, lines, at=(x, y), upright=False)
    polygon = _cut(shapely.box(0, 0, columns * room, rows * room), solids)
    return _scene(polygon, lines=lines)


NEW = {
    "obstacles": obstacle_scenes,
    "solid": lambda: obstacle_scenes(walls=False),
    "touching": touching_scenes,
    "mazes": mazes,
    "acute": acute_scenes,
}
"""Strategies that make new scenes, by kind."""


@st.composite
def boxes(draw: st.DrawFn) -> shapely.Polygon:
    """Upright rectangle, mm."""
    x, y = draw(_coordinates()), draw(_coordinates())
    return shapely.box(x, y, x + draw(st.integers(1, 6_000)), y + draw(st.integers(1, 6_000)))


@st.composite
def turned_boxes(draw: st.DrawFn) -> shapely.Polygon:
    """Rectangle at any angle, corners rounded to mm."""
    x, y = draw(_spots())
    width, height = draw(st.integers(200, 5_000)), draw(st.integers(200, 5_000))
    box = shapely.box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    return _rounded(affinity.rotate(box, draw(st.integers(1, 89)), origin=(x, y)))


@st.composite
def stars(draw: st.DrawFn) -> shapely.Polygon:
    """Star-shaped polygon with 3 to 8 corners, convex or not, mm."""
    x, y = draw(_spots())
    radii = draw(st.lists(st.integers(300, 4_000), min_size=3, max_size=8))
    step = 2 * math.pi / len(radii)
    return _rounded(
        shapely.Polygon(
            [
                (x + radius * math.cos(i * step), y + radius * math.sin(i * step))
                for i, radius in enumerate(radii)
            ]
        )
    )


@st.composite
def kites(draw: st.DrawFn) -> shapely.Polygon:
    """Quadrilateral with two acute tips, at any angle, mm."""
    x, y = draw(_spots())
    tip, tail = draw(st.integers(200, 8_000)), draw(st.integers(200, 8_000))
    left, right = draw(st.integers(20, 1_000)), draw(st.integers(20, 1_000))
    kite = shapely.Polygon([(x - tail, y), (x, y - right), (x + tip, y), (x, y + left)])
    return _rounded(affinity.rotate(kite, draw(st.integers(0, 359)), origin=(x, y)))


@st.composite
def slim_hulls(draw: st.DrawFn) -> shapely.Polygon:
    """Convex hull of points in a slim box, at any angle, mm."""
    x, y = draw(_spots())
    length, width = draw(st.integers(1_000, 8_000)), draw(st.integers(50, 1_000))
    spot = st.tuples(st.integers(-length // 2, length // 2), st.integers(-width // 2, width // 2))
    spots = draw(st.lists(spot, min_size=4, max_size=8, unique=True))
    hull = shapely.MultiPoint([(x + dx, y + dy) for dx, dy in spots]).convex_hull
    return _rounded(affinity.rotate(hull, draw(st.integers(0, 359)), origin=(x, y)))


@st.composite
def spiky_stars(draw: st.DrawFn) -> shapely.Polygon:
    """Star with 3 to 8 long spikes, mm."""
    x, y = draw(_spots())
    spikes = draw(st.lists(st.integers(800, 6_000), min_size=3, max_size=8))
    waist, turn = draw(st.integers(50, 700)), draw(st.integers(0, 359))
    step = math.pi / len(spikes)
    around = [
        (radius * math.cos(angle), radius * math.sin(angle))
        for i, spike in enumerate(spikes)
        for radius, angle in ((spike, 2 * i * step), (waist, (2 * i + 1) * step))
    ]
    star = shapely.Polygon([(x + dx, y + dy) for dx, dy in around])
    return _rounded(affinity.rotate(star, turn, origin=(x, y)))


@st.composite
def slivers(draw: st.DrawFn) -> shapely.Polygon:
    """Triangle as thin as 1 to 20 mm."""
    (x0, y0), (x1, y1) = draw(st.lists(_spots(), min_size=2, max_size=2, unique=True))
    dx, dy = draw(st.sampled_from([(1, 0), (0, 1), (3, -2), (20, 7), (0, -20)]))
    return shapely.Polygon([(x0, y0), (x1, y1), (x1 + dx, y1 + dy)])


@st.composite
def line_walls(draw: st.DrawFn) -> shapely.LineString:
    """Wall without thickness, with 1 to 3 pieces, mm; it may leave the square or cross itself."""
    return shapely.LineString(draw(st.lists(_spots(), min_size=2, max_size=4, unique=True)))


@st.composite
def points_inside(draw: st.DrawFn, scene: Scene) -> Point:
    """Draw a point of the walkable area, at any clearance, in metres: (x, y)."""
    triangles = _triangles(scene.polygon)
    corners = shapely.get_coordinates(draw(st.sampled_from(triangles)))[:3]
    share = st.integers(0, 1_000)
    u, v = draw(share) / 1_000, draw(share) / 1_000
    if u + v > 1:
        u, v = 1 - u, 1 - v
    x, y = corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0])
    return float(x), float(y)


@st.composite
def points_on_walls(draw: st.DrawFn, scene: Scene) -> Point:
    """Draw a point on a wall: a vertex, or as near to the wall as floating point allows."""
    walls = [*shapely.get_rings(shapely.get_parts(scene.polygon)), *scene.lines]
    wall = draw(st.sampled_from(walls))
    if draw(st.booleans()):
        x, y = draw(st.sampled_from(list(wall.coords)))
        return float(x), float(y)
    spot = wall.interpolate(draw(st.integers(0, 1_000)) / 1_000, normalized=True)
    return float(spot.x), float(spot.y)


def _coordinates() -> st.SearchStrategy[int]:
    return st.integers(0, SIDE)


def _spots() -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(_coordinates(), _coordinates())


@dataclass(frozen=True)
class _Partition:
    """Wall between two rooms, mm: two leaves around a door; thickness 0 is a line wall."""

    leaves: tuple[tuple[int, int], ...]
    thickness: int


@st.composite
def _partitions(draw: st.DrawFn, room: int) -> _Partition:
    thickness = draw(st.sampled_from([0, 100, 250]))
    kind = draw(st.sampled_from(["door", "door", "closed", "open"]))
    if kind == "closed":
        return _Partition(((0, room),), thickness)
    if kind == "open":
        return _Partition((), thickness)
    door = draw(st.integers(100, room))
    start = draw(st.integers(0, room - door))
    leaves = ((0, start), (start + door, room))
    return _Partition(tuple(leaf for leaf in leaves if leaf[1] > leaf[0]), thickness)


def _add_wall(
    partition: _Partition,
    solids: list[shapely.Polygon],
    lines: list[shapely.LineString],
    *,
    at: tuple[int, int],
    upright: bool,
) -> None:
    x, y = at
    half = partition.thickness // 2
    for low, high in partition.leaves:
        ends = [(x, y + low), (x, y + high)] if upright else [(x + low, y), (x + high, y)]
        if half == 0:
            lines.append(shapely.LineString(ends))
        elif upright:
            solids.append(shapely.box(x - half, y + low, x + half, y + high))
        else:
            solids.append(shapely.box(x + low, y - half, x + high, y + half))


def _cut(bounds: shapely.Polygon, obstacles: list[shapely.Polygon]) -> shapely.Geometry:
    """Free area in mm on the whole-millimetre grid; the bounds where too little is left."""
    # Obstacles thinner than the grid become lines, which no overlay takes beside polygons.
    valid = [_polygons(shapely.make_valid(one)) for one in obstacles]
    solid = _polygons(shapely.union_all(valid, grid_size=1))
    area = _polygons(shapely.difference(bounds, solid, grid_size=1))
    return area if area.area * MM * MM >= SMALLEST_AREA else bounds


def _polygons(geometry: shapely.Geometry) -> shapely.MultiPolygon:
    """Only the parts that have an area."""
    parts = shapely.get_parts(shapely.get_parts(geometry))
    return shapely.MultiPolygon([part for part in parts if part.geom_type == "Polygon"])


def _scene(
    polygon: shapely.Geometry,
    *,
    lines: list[shapely.LineString] | tuple[()] = (),
    points: list[shapely.Point] | tuple[()] = (),
) -> Scene:
    """Scene in metres; lines are clipped to the area, points outside of it are left out."""
    clipped = shapely.get_parts([shapely.intersection(line, polygon) for line in lines])
    return Scene(
        _metres(polygon),
        tuple(_metres(_rounded(one)) for one in clipped if _has_length(one)),
        tuple(_metres(one) for one in points if polygon.contains(one)),
    )


def _has_length(geometry: shapely.Geometry) -> bool:
    return bool(geometry.geom_type == "LineString" and _rounded(geometry).length > 0)


def _rounded(geometry: shapely.Geometry) -> shapely.Geometry:
    return shapely.transform(geometry, lambda xy: xy.round())


def _metres(geometry: shapely.Geometry) -> shapely.Geometry:
    """Divide by 1,000 rather than multiply by 0.001: this gives the nearest double."""
    return shapely.transform(geometry, lambda xy: xy / 1_000)


def _triangles(polygon: shapely.Geometry) -> list[shapely.Polygon]:
    return list(shapely.get_parts(shapely.constrained_delaunay_triangles(polygon)))
