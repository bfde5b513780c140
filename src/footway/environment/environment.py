"""The environment: where one can walk, in metres."""

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
from footway.environment.lattice import check_coordinates, to_metres
from footway.environment.regions import cut_to_map
from footway.environment.repair_polygons import heal
from footway.environment.walls import Walls, walls_of
from footway.errors import BadGeometry
from footway.notebook_display import NotebookDisplay
from footway.validation import (
    FARTHEST,
    as_float,
    instance,
    number,
    sequence,
    shown,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from footway.environment.repairs import Repair


FINEST: Final = 1e-6
"""m. Finest grid that coordinates can be snapped to: a thousandth of the usual one."""

GROUND: Final = "ground"
"""Kind of what no region of terrain covers."""

NO_GROUND: Final = ("walkable", "bounds", "area", "obstacle", "building", "wall")
"""Words that name something else on a map, and no kind of ground."""


@dataclass(frozen=True, eq=False)
class Area:
    """A named place: where people appear, where they go, where they leave.

    Attributes:
        name: as the map calls it; not necessarily unique.
        polygon: Shapely polygon or multipolygon, metres.
        properties: whatever else the map says about it.

    """

    name: str
    polygon: shapely.Polygon | shapely.MultiPolygon
    properties: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, eq=False)
class TerrainRegion:
    """Ground of one kind ("grass", "swamp"), for preferences.

    Attributes:
        kind: the kind of ground, as the map calls it; "ground" is what no region covers.
        polygon: Shapely polygon or multipolygon, metres.

    """

    kind: str
    polygon: shapely.Polygon | shapely.MultiPolygon

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or not self.kind.strip():
            raise BadGeometry(f"the kind of a terrain region is {shown(self.kind)}: give it a name")
        if self.kind in NO_GROUND:
            raise BadGeometry(
                f"{self.kind!r} is no kind of ground: on a map it means something else; take "
                "another word"
            )


@dataclass(frozen=True, eq=False)
class Environment(NotebookDisplay):
    """Walkable space on a grid of 1 mm, with everything that stands in it.

    Attributes:
        walkable: valid polygons, metres; exterior counterclockwise, holes clockwise.
        lines: single-line walls inside walkable space, free on both sides.
        points: point obstacles inside walkable space.
        areas: named places.
        terrain: kinds of ground; where regions overlap, the later one lies on top.
        repairs: everything that was done to dirty input, with the place.
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
        closed and run either way. Walkable is the union of `walkable` (or all of `bounds`),
        within `bounds`, without the `obstacles`. With obstacles only, the bounds are their box
        and a margin. Input is snapped to the grid and repaired; `repairs` lists what was done.

        Args:
            walkable: polygons in which one can walk.
            bounds: polygon, or (xmin, ymin, xmax, ymax).
            obstacles: polygons in which one cannot walk.
            lines: walls without thickness; parts outside walkable space are cut off.
            points: obstacles without size.
            areas: named places.
            terrain: kinds of ground, from the bottom to the top where they overlap; what is
                beyond the map is cut off.
            name: of the map.
            grid: m, the grid that coordinates are snapped to.

        Raises:
            BadGeometry: not polygons, NaN or infinite coordinates, wider than 2,000 km, a region
                outside the map, or nothing walkable is left; the message names the place.

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
        """Return an environment from geometry by role, as the loaders have it.

        `repairs` are what the loader had to do already; the doctor's come after them.
        """
        instance(
            given, InputGeometry, "an environment is made from its geometry", error=BadGeometry
        )
        grid = number(grid, "grid", "m", low=FINEST, high=FARTHEST, error=BadGeometry)
        text(name, "name", error=BadGeometry)
        made = assemble(given, grid=grid)
        found = [*repairs, *made.repairs]
        named = tuple(
            _area(a, found, grid=grid) for a in sequence(areas, "areas", error=BadGeometry)
        )
        ground = _regions(terrain, made.walkable, found, grid=grid)
        return cls(
            walkable=made.walkable,
            lines=made.lines,
            points=made.points,
            areas=named,
            terrain=ground,
            repairs=tuple(found),
            name=name,
            grid=grid,
        )

    def with_terrain(self, terrain: Iterable[TerrainRegion | tuple[str, Shape]]) -> Self:
        """Return the same map with more kinds of ground, on top of those that it has.

        Raises:
            BadGeometry: a region that is no polygon or lies outside the map.

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
        """All walls as noded segments: what the medial axis is built on."""
        return walls_of(self.walkable, self.lines, self.points)

    def __repr__(self) -> str:
        """Give name, size and what is in it, on one line."""
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
    label = f"area {area.name!r}"
    return Area(area.name, _healed(area.polygon, label, repairs, grid=grid), area.properties)


def _regions(
    given: Iterable[TerrainRegion | tuple[str, Shape]],
    walkable: shapely.MultiPolygon,
    repairs: list[Repair],
    *,
    grid: float,
) -> tuple[TerrainRegion, ...]:
    """Return regions healed and cut to the map, in their order; those that vanish are left out."""
    regions = [_region(one) for one in sequence(given, "terrain", error=BadGeometry)]
    labels = [f"terrain {region.kind!r}" for region in regions]
    healed = [
        _healed(region.polygon, label, repairs, grid=grid)
        for region, label in zip(regions, labels, strict=True)
    ]
    some = [i for i, polygon in enumerate(healed) if not polygon.is_empty]
    shapes, found = cut_to_map(
        [healed[i] for i in some], [labels[i] for i in some], walkable, grid=grid
    )
    repairs += found
    return tuple(TerrainRegion(regions[i].kind, s) for i, s in zip(some, shapes, strict=True))


def _region(given: TerrainRegion | tuple[str, Shape]) -> TerrainRegion:
    """Return a region, or say what a region is made of."""
    if isinstance(given, TerrainRegion):
        return given
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise BadGeometry(f"terrain has {shown(given)}: give pairs of a kind and a polygon")
    return TerrainRegion(*given)


def _healed(shape: Any, label: str, repairs: list[Repair], *, grid: float) -> Any:
    """Return a named polygon, valid and on the grid, in metres."""
    found = pieces(shape, label)
    given = Pieces(found.shapes, [label] * len(found))
    check_coordinates(given.shapes, given.labels, grid=grid)
    healed, done = heal(given, grid=grid)
    repairs += done
    parts = to_metres(healed.shapes, grid)
    return parts[0] if len(parts) == 1 else shapely.multipolygons(parts)
