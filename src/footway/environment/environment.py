"""The environment: walkable space, named areas and terrain, in metres."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import shapely

from footway.constants import GRID
from footway.environment.assembly import assemble
from footway.environment.input_geometry import InputGeometry, Pieces, Shape, pieces
from footway.environment.lattice import check_coordinates, polygon_parts, to_metres, to_steps
from footway.environment.repair import Repair, repair_polygons
from footway.environment.walls import Walls, walls_of
from footway.errors import BadGeometry
from footway.notebook_display import NotebookDisplay
from footway.validation import FARTHEST, as_float, instance, number, sequence, shown, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FINEST: Final = 1e-6
"""m. Finest grid to which coordinates can be snapped: a thousandth of the default."""

GROUND: Final = "ground"  # kind of the walkable space that no terrain region covers

_SLACK: Final = 2.0  # grid steps by which rounding may move a border over a slanted map edge

RESERVED_KINDS: Final = ("walkable", "bounds", "area", "obstacle", "building", "wall")
"""Names that have another meaning in map files and cannot be kinds of terrain."""

SLOPE: Final = "slope"
"""Kind of a region that gives its terrain a slope and leaves its kind as it is."""

_STEEPEST: Final = 1.0
"""Greatest slope, m of height per m: steeper ground is climbed rather than walked."""


@dataclass(frozen=True, eq=False)
class Area:
    """A named area, used as an entrance, a destination or an exit.

    Attributes:
        name: as in the map; not necessarily unique.
        polygon: Shapely polygon or multipolygon, metres.
        properties: all other properties that the map gives.
    """

    name: str
    polygon: shapely.Polygon | shapely.MultiPolygon
    properties: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, eq=False)
class TerrainRegion:
    """A region of one kind of terrain ("grass", "swamp"), for preferences.

    Attributes:
        kind: name of the kind; "ground" is reserved for what no region covers.
        polygon: Shapely polygon or multipolygon, metres.
        reach: m. An influence region also affects its surroundings, through walls: its weight falls
            to 1 at this distance, in rings of equal width. 0: it affects only itself.
        slope: m of height that a metre along x and along y gains, at most 1 together; None: that of
            the regions below. A region of kind "slope" leaves the kind of terrain as it is.
    """

    kind: str
    polygon: shapely.Polygon | shapely.MultiPolygon
    reach: float = 0.0
    slope: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        reach = number(self.reach, "reach of a terrain region", "m", low=0.0, high=FARTHEST,
                       error=BadGeometry)  # fmt: skip
        object.__setattr__(self, "reach", reach)
        if not isinstance(self.kind, str) or not self.kind.strip():
            raise BadGeometry(f"the kind of a terrain region is {shown(self.kind)}: give it a name")
        if self.kind in RESERVED_KINDS:
            raise BadGeometry(
                f"{self.kind!r} cannot be a kind of terrain: it has another meaning in maps; "
                "choose another word"
            )
        if self.slope is not None:
            object.__setattr__(self, "slope", _as_slope(self.slope))
        elif self.kind == SLOPE:
            raise BadGeometry(
                "a region of kind 'slope' has no slope: give the rise per metre along x and y, "
                "such as slope=(0.1, 0)"
            )
        if self.kind == SLOPE and reach:
            raise BadGeometry("a region of kind 'slope' has no reach: it has no weight")


def _as_slope(given: Any) -> tuple[float, float]:
    """Return a slope as two numbers, or raise BadGeometry."""
    is_list = isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim == 1)
    slope = given if is_list else ()
    found = [as_float(part) for part in slope]
    x, y = found if len(found) == 2 else (None, None)
    if x is None or y is None or not x * x + y * y <= _STEEPEST**2:
        raise BadGeometry(
            f"the slope of a terrain region is {shown(given)}: give the rise per metre along x and "
            f"y, two numbers of at most {_STEEPEST:g} together, such as (0.1, 0)"
        )
    return x, y


@dataclass(frozen=True, eq=False)
class Environment(NotebookDisplay):
    """Walkable space and the obstacles in it, with all coordinates on a grid (1 mm by default).

    Attributes:
        walkable: valid polygons, metres; exterior counterclockwise, holes clockwise.
        lines: walls without thickness inside walkable space, with free space on both sides.
        points: point obstacles inside walkable space.
        areas: named areas.
        terrain: terrain regions; where they overlap, the later one counts.
        repairs: every repair of the input, with its position.
        name: of the map.
        grid: m, the grid that all coordinates lie on.
    """

    walkable: shapely.MultiPolygon
    lines: shapely.MultiLineString
    points: shapely.MultiPoint
    areas: tuple[Area, ...] = ()
    terrain: tuple[TerrainRegion, ...] = ()
    repairs: tuple[Repair, ...] = ()
    name: str = ""
    grid: float = GRID

    @classmethod
    def from_polygons(
        cls,
        walkable: Shape | Iterable[Shape] | None = None,
        *,
        bounds: Shape | tuple[float, float, float, float] | None = None,
        obstacles: Shape | Iterable[Shape] = (),
        lines: Shape | Iterable[Shape] = (),
        points: Shape | Iterable[Shape] = (),
        areas: Iterable[Area | tuple[str, Shape]] = (),
        terrain: Iterable[TerrainRegion | tuple[str, Shape]] = (),
        name: str = "",
        grid: float = GRID,
    ) -> Self:
        """Return an environment from walkable polygons, or from bounds and obstacles.

        Shapes are Shapely geometries or (n, 2) coordinates in metres; rings may be open or
        closed and have either orientation. Walkable is the union of `walkable` (or all of
        `bounds`), within `bounds`, without the `obstacles`. If only obstacles are given, the
        bounds are their bounding box plus a margin. The input is snapped to the grid and
        repaired; `repairs` lists every repair.

        Args:
            walkable: polygons of walkable space.
            bounds: polygon, or (xmin, ymin, xmax, ymax).
            obstacles: polygons that are not walkable.
            lines: walls without thickness; parts outside walkable space are cut off.
            points: obstacles without size.
            areas: named areas.
            terrain: terrain regions; where they overlap, the later one counts. Parts outside
                the map are cut off.
            name: of the map.
            grid: m, spacing of the grid that coordinates are snapped to.

        Raises:
            BadGeometry: not polygons, NaN or infinite coordinates, wider than 2,000 km, a region
                outside the map, or no walkable space is left; the message gives the position.

        Example:
            >>> env = Environment.from_polygons(
            ...     bounds=(0, 0, 10, 8), obstacles=[[(4, 3), (6, 3), (6, 5), (4, 5)]]
            ... )
            >>> env.area, env.holes
            (76.0, 1)
        """
        given = InputGeometry(
            walkable=pieces(walkable, "walkable polygon"),
            bounds=pieces(_bounds_polygon(bounds), "bounds"),
            obstacles=pieces(obstacles, "obstacle"),
            lines=pieces(lines, "line", of="line"),
            points=pieces(points, "point", of="point"),
        )
        return cls.from_input_geometry(given, areas=areas, terrain=terrain, name=name, grid=grid)

    @classmethod
    def from_input_geometry(
        cls,
        given: InputGeometry,
        *,
        areas: Iterable[Area | tuple[str, Shape]] = (),
        terrain: Iterable[TerrainRegion | tuple[str, Shape]] = (),
        repairs: Iterable[Repair] = (),
        name: str = "",
        grid: float = GRID,
    ) -> Self:
        """Return an environment from geometry sorted by role, as the loaders provide it.

        `repairs` are the loader's own repairs; those made here are appended.
        """
        instance(
            given, InputGeometry, "an environment is made from its geometry", error=BadGeometry
        )
        grid = number(grid, "grid", "m", low=FINEST, high=FARTHEST, error=BadGeometry)
        text(name, "name", error=BadGeometry)
        made = assemble(given, grid=grid)
        all_repairs = [*repairs, *made.repairs]
        named = tuple(
            _area(a, all_repairs, grid=grid) for a in sequence(areas, "areas", error=BadGeometry)
        )
        regions = _regions(terrain, made.walkable, all_repairs, grid=grid)
        return cls(
            walkable=made.walkable, lines=made.lines, points=made.points, areas=named,
            terrain=regions, repairs=tuple(all_repairs), name=name, grid=grid,
        )  # fmt: skip

    def with_terrain(self, terrain: Iterable[TerrainRegion | tuple[str, Shape]]) -> Self:
        """Return a copy with more terrain regions, on top of the existing ones.

        Raises:
            BadGeometry: a region is not a polygon or lies outside the map.

        Example:
            >>> room = Environment.from_polygons(bounds=(0, 0, 10, 8))
            >>> muddy = room.with_terrain([("mud", [(0, 0), (4, 0), (4, 20), (0, 20)])])
            >>> muddy.terrain[0].polygon.area, muddy.repairs[0].kind
            (32.0, 'outside')
        """
        found = list(self.repairs)
        more = _regions(terrain, self.walkable, found, grid=self.grid)
        return replace(self, terrain=(*self.terrain, *more), repairs=tuple(found))

    @property
    def terrain_kinds(self) -> tuple[str, ...]:
        """Kinds of terrain that can have a weight: "ground" first, then those of the regions."""
        return (GROUND, *sorted({region.kind for region in self.terrain} - {GROUND, SLOPE}))

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """(xmin, ymin, xmax, ymax) of walkable space, metres."""
        x0, y0, x1, y1 = self.walkable.bounds
        return x0, y0, x1, y1

    @property
    def area(self) -> float:
        """Walkable area, m2."""
        return float(self.walkable.area)

    @property
    def holes(self) -> int:
        """Number of holes in walkable space."""
        return int(shapely.get_num_interior_rings(shapely.get_parts(self.walkable)).sum())

    @cached_property
    def walls(self) -> Walls:
        """All walls as noded segments, the input of the medial axis."""
        return walls_of(self.walkable, self.lines, self.points)

    def __repr__(self) -> str:
        """Return name, size, walkable area, holes and repairs on one line."""
        x0, y0, x1, y1 = self.bounds
        return (
            f"<Environment {self.name!r}: {x1 - x0:g} x {y1 - y0:g} m, {self.area:.1f} m2 "
            f"walkable, {self.holes} holes, {len(self.repairs)} repairs>"
        )


def _bounds_polygon(bounds: Any) -> Any:
    """Return bounds as a shape; four numbers are the corners of a box."""
    several = bounds.tolist() if isinstance(bounds, np.ndarray) else bounds
    given = several if isinstance(several, (tuple, list)) else ()
    numbers = [number for number in map(as_float, given) if number is not None]
    if len(given) != 4 or len(numbers) != 4:
        return bounds
    x0, y0, x1, y1 = numbers
    if not (x0 < x1 and y0 < y1):
        raise BadGeometry(
            f"bounds ({x0:g}, {y0:g}, {x1:g}, {y1:g}) are empty; "
            "give (xmin, ymin, xmax, ymax) with xmin < xmax and ymin < ymax"
        )
    return shapely.box(x0, y0, x1, y1)


def _area(given: Area | tuple[str, Shape], repairs: list[Repair], *, grid: float) -> Area:
    if not isinstance(given, Area) and not (isinstance(given, (tuple, list)) and len(given) == 2):
        raise BadGeometry(f"areas have {shown(given)}: give pairs of a name and a polygon")
    area = given if isinstance(given, Area) else Area(*given)
    text(area.name, "name of an area", error=BadGeometry)
    polygon = _repaired_polygon(area.polygon, f"area {area.name!r}", repairs, grid=grid)
    return Area(area.name, polygon, area.properties)


def _regions(
    given: Iterable[TerrainRegion | tuple[str, Shape]],
    walkable: shapely.MultiPolygon,
    repairs: list[Repair],
    *,
    grid: float,
) -> tuple[TerrainRegion, ...]:
    """Return the regions, repaired and clipped to the map, in order; empty ones are dropped."""
    regions = []
    for item in sequence(given, "terrain", error=BadGeometry):
        if not isinstance(item, TerrainRegion | tuple | list) or (
            not isinstance(item, TerrainRegion) and len(item) != 2
        ):
            raise BadGeometry(f"terrain has {shown(item)}: give pairs of a kind and a polygon")
        region = item if isinstance(item, TerrainRegion) else TerrainRegion(*item)
        polygon = _repaired_polygon(region.polygon, _label(region), repairs, grid=grid)
        if not polygon.is_empty:
            regions.append(replace(region, polygon=polygon))
    return _cut_to_map(regions, walkable, repairs, grid=grid) if regions else ()


def _label(region: TerrainRegion) -> str:
    return f"terrain {region.kind!r}"


def _repaired_polygon(shape: Any, label: str, repairs: list[Repair], *, grid: float) -> Any:
    """Return a named polygon, valid and snapped to the grid, in metres."""
    found = pieces(shape, label)
    given = Pieces(found.shapes, [label] * len(found))
    check_coordinates(given.shapes, given.labels, grid=grid)
    repaired, done = repair_polygons(given, grid=grid)
    repairs += done
    return _one_shape(to_metres(repaired.shapes, grid))


def _one_shape(polygons: Any) -> Any:
    return polygons[0] if len(polygons) == 1 else shapely.multipolygons(polygons)


def _cut_to_map(
    regions: list[TerrainRegion],
    walkable: shapely.MultiPolygon,
    repairs: list[Repair],
    *,
    grid: float,
) -> tuple[TerrainRegion, ...]:
    """Return the regions clipped to the map: walkable space with its holes filled.

    A region may cover obstacles.

    Raises:
        BadGeometry: a region lies completely outside; the message gives its position.
    """
    shells = shapely.polygons(shapely.get_exterior_ring(shapely.get_parts(walkable)))
    whole = to_steps(shapely.union_all(shells), grid)
    shapes = np.empty(len(regions), dtype=object)
    shapes[:] = [region.polygon for region in regions]
    steps = to_steps(shapes, grid)
    whole_with_slack = shapely.buffer(whole, _SLACK, join_style="mitre")
    shapely.prepare(whole_with_slack)
    cut = list(regions)
    for i in np.flatnonzero(~shapely.covered_by(steps, whole_with_slack)).tolist():
        inside = polygon_parts(shapely.intersection(steps[i], whole, grid_size=1))
        inside = shapely.orient_polygons(inside, exterior_cw=False)
        label = _label(regions[i])
        if not len(inside):
            x, y = shapely.get_coordinates(shapes[i])[0]
            x0, y0, x1, y1 = walkable.bounds
            raise BadGeometry(
                f"{label} at ({x:g}, {y:g}) lies outside the outer wall of the map, which spans "
                f"({x0:g}, {y0:g}) to ({x1:g}, {y1:g}); move it or leave it out"
            )
        outside = to_metres(shapely.difference(steps[i], whole_with_slack), grid)
        x, y = shapely.get_coordinates(shapely.point_on_surface(outside))[0]
        detail = f"{label}: reaches beyond the outer wall of the map; cut off there"
        repairs.append(Repair("outside", (float(x), float(y)), detail))
        cut[i] = replace(regions[i], polygon=_one_shape(to_metres(inside, grid)))
    return tuple(cut)
