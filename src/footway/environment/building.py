"""A building: floors above each other and the links between them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeAlias

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway._numba.segments import cross
from footway.environment.environment import Environment
from footway.environment.lattice import steps_per_metre
from footway.environment.links import Lift, Link
from footway.environment.surface import FIT, Border, Seam, Sheet
from footway.errors import BadGeometry, BadQuery
from footway.validation import (
    FARTHEST,
    did_you_mean,
    index,
    instance,
    number,
    sequence,
    shown,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Bools, Floats, Ints
    from footway.environment.links import Portal
    from footway.environment.repair import Repair

Line: TypeAlias = tuple[float, float, float, float]  # x0, y0, x1, y1 in m

_AREA = 1e-4  # m2, smallest part of a link


@dataclass(frozen=True, eq=False)
class Floor:
    """One floor of a building.

    Attributes:
        name: unique among the floors, as it is written in queries: "0", "basement".
        environment: its walkable space.
        elevation: m.

    Example:
        >>> room = Environment.from_polygons(bounds=(0, 0, 10, 8))
        >>> Floor("1", room, 3.5)
        Floor('1', 3.5 m, 80.0 m2)
    """

    name: str
    environment: Environment
    elevation: float = 0.0

    def __post_init__(self) -> None:
        name = str(self.name) if isinstance(self.name, int) else self.name
        object.__setattr__(self, "name", text(name, "name of a floor", error=BadGeometry))
        what = "a floor has an Environment"
        instance(self.environment, Environment, what, error=BadGeometry)
        elevation = number(self.elevation, f"elevation of {self}", "m", low=-FARTHEST,
                           high=FARTHEST, error=BadGeometry)  # fmt: skip
        object.__setattr__(self, "elevation", elevation)

    def __str__(self) -> str:
        return f"floor {self.name!r}"

    def __repr__(self) -> str:
        return f"Floor({self.name!r}, {self.elevation:g} m, {self.environment.area:.1f} m2)"


class Layer(NamedTuple):
    """A sheet of a building: a floor, a part of a link, or a lift's cabin at one of its floors.

    Its height is `low` on the line `low_line` and `high` on `high_line`, and changes between them
    with the share of the distance.
    """

    name: str
    floor: int  # -1 for a link
    link: int  # -1 for a floor
    low: float  # m
    high: float
    low_line: Line
    high_line: Line

    @property
    def is_level(self) -> bool:
        """Whether it has the same height everywhere."""
        return self.low == self.high

    @property
    def run(self) -> Floats:
        """(2,) m. Vector in plan from the middle of the lower line to that of the higher line."""
        low, high = (np.array(line).reshape(2, 2) for line in (self.low_line, self.high_line))
        run: Floats = high.mean(axis=0) - low.mean(axis=0)
        return run

    @property
    def slope(self) -> float:
        """Length along the slope of a metre in plan, uphill."""
        run = float(hypot(*self.run))
        return float(hypot(run, self.high - self.low)) / run

    def heights(self, points: Floats) -> Floats:
        """Heights of points (n, 2), (n,) m."""
        if self.is_level:
            return np.full(len(points), self.low)
        below, above = (_distances(points, line) for line in (self.low_line, self.high_line))
        share = below / np.maximum(below + above, 1e-12)
        return self.low + share * (self.high - self.low)


class LinkOutline(NamedTuple):
    """Where a link, or the part of it that begins there, is on the plan of a floor."""

    name: str
    area: shapely.Geometry
    walls: Floats  # (n, 4) x0, y0, x1, y1 in m: its border without portals


@dataclass(frozen=True, eq=False)
class FloorPlan(Environment):
    """The environment of a floor, with the links that leave it for pictures."""

    links: tuple[LinkOutline, ...] = ()


@dataclass(frozen=True, eq=False)
class Building:
    """Floors, and stairs, ramps, escalators and lifts between them.

    Floors may overlap in plan. A link is walkable space of its own that is joined to floors along
    portals: straight lines on a border of the floor.

    Attributes:
        floors: the floors, with different names.
        links: the links, with different names.
        name: of the building.

    Example:
        >>> from footway import Stairs
        >>> hall = Environment.from_polygons(bounds=(0, 0, 10, 8))
        >>> gallery = Environment.from_polygons(bounds=(0, 12, 10, 16))
        >>> stairs = Stairs("A", ("0", (4, 8), (6, 8)), ("1", (4, 12), (6, 12)))
        >>> Building([Floor("0", hall), Floor("1", gallery, 2.5)], [stairs])
        Building('', 2 floors, 1 link, 128.0 m2)
    """

    floors: Sequence[Floor]
    links: Sequence[Link | Lift] = ()
    name: str = ""
    layers: tuple[Layer, ...] = field(init=False, repr=False)
    sheets: tuple[Sheet, ...] = field(init=False, repr=False)
    seams: tuple[Seam, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        floors = sequence(self.floors, "floors", error=BadGeometry)
        links = sequence(self.links, "links", error=BadGeometry)
        text(self.name, "name", error=BadGeometry)
        if not floors:
            raise BadGeometry("a building without floors: give at least one")
        for floor in floors:
            instance(floor, Floor, "a building has floors", error=BadGeometry)
        for link in links:
            instance(link, (Link, Lift), "a building has links", error=BadGeometry)
        _check_names(floors, "floor")
        _check_names(links, "link")
        grids = {floor.environment.grid for floor in floors}
        if len(grids) > 1:
            raise BadGeometry(f"floors lie on grids of {sorted(grids)} m: use one grid for all")
        object.__setattr__(self, "floors", tuple(floors))
        object.__setattr__(self, "links", tuple(links))
        made = _Assembly(self)
        object.__setattr__(self, "layers", tuple(made.layers))
        object.__setattr__(self, "sheets", tuple(made.sheets()))
        object.__setattr__(self, "seams", tuple(made.seams))

    @property
    def grid(self) -> float:
        """Grid that all coordinates lie on, m."""
        return self.floors[0].environment.grid

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Repairs of all floors."""
        return tuple(repair for floor in self.floors for repair in floor.environment.repairs)

    if not TYPE_CHECKING:  # so that mypy still finds misspelled attributes

        def __getattr__(self, name: str) -> NoReturn:
            """Say where the areas are."""
            hint = ": each floor has its own, building.floors[0].environment.areas"
            raise AttributeError(
                f"a building has no attribute {name!r}{hint if name == 'areas' else ''}"
            )

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """(xmin, ymin, xmax, ymax) of all floors and links in plan, m."""
        boxes = np.array([sheet.polygon.bounds for sheet in self.sheets])
        return (*boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist())

    @property
    def area(self) -> float:
        """Walkable area in plan, m2."""
        return float(sum(sheet.polygon.area for sheet in self.sheets))

    def floor_index(self, name: object) -> int:
        """Return the number of a floor by its name.

        Raises:
            BadQuery: there is no such floor.
        """
        wanted = str(name) if isinstance(name, int) and not isinstance(name, bool) else name
        names = [floor.name for floor in self.floors]
        if not isinstance(wanted, str) or wanted not in names:
            hint = did_you_mean(wanted if isinstance(wanted, str) else "", names)
            raise BadQuery(f"there is no floor {shown(name)}: {hint}")
        return names.index(wanted)

    def name_of(self, layer: int) -> str:
        """Return the name of the floor or link that a layer belongs to."""
        here = self.layers[index(layer, "layer", len(self.layers))]
        return self.floors[here.floor].name if here.floor >= 0 else self.links[here.link].name

    def parts_at(self, floor: int) -> list[int]:
        """Return the layers of links that begin at a floor, and of the landings behind them."""
        begin = self._links_beside(floor)
        behind = [part for one in begin for part in self._links_beside(one)]
        landings = [part for part in behind if self.layers[part].is_level and part not in begin]
        return begin + list(dict.fromkeys(landings))

    def _links_beside(self, layer: int) -> list[int]:
        """Return the layers of links that are joined to a layer."""
        pairs = [pair for s in self.seams for pair in ((s.left, s.right), (s.right, s.left))]
        found = [there for here, there in pairs if here == layer and self.layers[there].link >= 0]
        return list(dict.fromkeys(found))

    def plan(self, floor: int) -> FloorPlan:
        """Return the environment of a floor with the outlines of the links that leave it."""
        env, parts = self.floors[floor].environment, self.parts_at(floor)
        given = {one.name: getattr(env, one.name) for one in fields(Environment)}
        links = []
        for k in sorted({self.layers[part].link for part in parts}):
            sheets = [self.sheets[part] for part in parts if self.layers[part].link == k]
            area = shapely.union_all([sheet.polygon for sheet in sheets])
            walls = np.concatenate([sheet.walls.segments for sheet in sheets])
            links.append(LinkOutline(self.links[k].name, area, walls))
        return FloorPlan(**given, links=tuple(links))

    def contains(self, layer: int, points: Floats) -> Bools:
        """Whether points (n, 2) are on a layer or its border, (n,); obstacles are no part of it."""
        polygon = self.sheets[layer].polygon
        shapely.prepare(polygon)
        found: Bools = shapely.intersects_xy(polygon, points[:, 0], points[:, 1])
        return found

    def heights(self, layers: Ints, points: Floats) -> Floats:
        """Heights of points (n, 2) on layers (n,), (n,) m."""
        found = np.zeros(len(points))
        for k in np.unique(layers).tolist():
            found[layers == k] = self.layers[k].heights(points[layers == k])
        return found

    @cached_property
    def rides(self) -> tuple[tuple[int, ...], ...]:
        """Layers of the cabins of each lift, from its first to its last stop; empty for others."""
        return tuple(
            tuple(i for i, layer in enumerate(self.layers) if layer.link == k)
            if isinstance(link, Lift)
            else ()
            for k, link in enumerate(self.links)
        )

    def traps(self) -> list[str]:
        """Floors that can be entered but not left, one line each: escalators lead only there.

        Example:
            >>> from footway import Escalator
            >>> hall = Environment.from_polygons(bounds=(0, 0, 10, 8))
            >>> up = Escalator("E", ("0", (4, 8), (5, 8)), ("1", (4, 12), (5, 12)))
            >>> upper = Environment.from_polygons(bounds=(0, 12, 10, 16))
            >>> Building([Floor("0", hall), Floor("1", upper, 2.5)], [up]).traps()
            ["floor '1' can be entered but not left: escalator 'E' at (4, 12) leads only there"]
        """
        everything = self._leads() | np.eye(len(self.floors), dtype=bool)
        for k in range(len(self.floors)):
            everything |= everything[:, [k]] & everything[[k]]
        found = []
        for k, floor in enumerate(self.floors):
            inside = np.flatnonzero(everything[k] & everything[:, k])
            leaves = everything[k].sum() > len(inside)
            entered = np.flatnonzero(everything[:, k] & ~everything[k])
            if leaves or not len(entered):
                continue
            link, at = next(
                (link, ends[1])
                for link in self.links
                for ends in _directions(link)
                if self.floor_index(ends[1].floor) in inside
                and self.floor_index(ends[0].floor) not in inside
            )
            found.append(
                f"{floor} can be entered but not left: {link} at ({at.a[0]:g}, {at.a[1]:g}) "
                "leads only there"
            )
        return found

    def _leads(self) -> Bools:
        """Whether a link leads from a floor to another, (floors, floors)."""
        leads = np.zeros((len(self.floors), len(self.floors)), bool)
        for link in self.links:
            for one, two in _directions(link):
                leads[self.floor_index(one.floor), self.floor_index(two.floor)] = True
        return leads

    def __repr__(self) -> str:
        links = f"{len(self.links)} link" + ("s" if len(self.links) != 1 else "")
        floors = f"{len(self.floors)} floor" + ("s" if len(self.floors) != 1 else "")
        return f"Building({self.name!r}, {floors}, {links}, {self.area:.1f} m2)"


def _directions(link: Link | Lift) -> list[tuple[Portal, Portal]]:
    """Return the pairs of portals between which a link leads, from the first to the second."""
    if isinstance(link, Lift):
        return [(one, two) for one in link.portals for two in link.portals if one is not two]
    low, high = link.portals
    found = [(low, high)] if link.allows(upward=True) else []
    return [*found, (high, low)] if link.allows(upward=False) else found


def _check_names(things: Sequence[Floor | Link | Lift], what: str) -> None:
    names = [thing.name for thing in things]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadGeometry(
            f"there are {names.count(twice[0])} {what}s named {twice[0]!r}: rename all but one"
        )


def _distances(points: Floats, line: Line) -> Floats:
    """Distances of points (n, 2) from the line through two points, (n,) m."""
    at = np.array(line)
    step = at[2:] - at[:2]
    away = cross(np.tile(step, (len(points), 1)), points - at[:2])
    distance: Floats = np.abs(away) / hypot(*step)
    return distance


class _Assembly:
    """Layers, sheets and seams of a building: opens the borders of floors at portals."""

    def __init__(self, building: Building) -> None:
        self.floors, self.grid = building.floors, building.grid
        self.index = {floor.name: k for k, floor in enumerate(self.floors)}
        self.seams: list[Seam] = []
        self.layers: list[Layer] = []
        self.borders: list[Border] = []
        for k, floor in enumerate(self.floors):
            self._add(str(floor), floor.environment.walkable, floor.elevation, floor=k)
        for k, link in enumerate(building.links):
            if isinstance(link, Lift):
                self._add_lift(link, k)
            else:
                self._add_link(link, k)

    def sheets(self) -> list[Sheet]:
        made = []
        for k, border in enumerate(self.borders):
            inside = self.floors[k].environment if k < len(self.floors) else None
            lines = inside.lines if inside else shapely.MultiLineString()
            made.append(border.sheet(lines, inside.points if inside else shapely.MultiPoint()))
        return made

    def _add(
        self,
        name: str,
        polygon: shapely.Geometry,
        height: float,
        *,
        floor: int = -1,
        link: int = -1,
    ) -> int:
        none = (0.0, 0.0, 0.0, 0.0)
        self.layers.append(Layer(name, floor, link, height, height, none, none))
        self.borders.append(Border(name, polygon))
        return len(self.layers) - 1

    def _floor_of(self, portal: Portal, link: Link | Lift) -> int:
        if portal.floor not in self.index:
            hint = did_you_mean(portal.floor, self.index)
            raise BadGeometry(
                f"{link} touches no floor: there is no floor {portal.floor!r}; {hint}"
            )
        return self.index[portal.floor]

    def _add_link(self, link: Link, number: int) -> None:
        floors = [self._floor_of(portal, link) for portal in link.portals]
        low, high = (self.floors[k].elevation for k in floors)
        if link.needs_height and low == high:
            raise BadGeometry(
                f"{link} has no height: {self.floors[floors[0]]} and {self.floors[floors[1]]} are "
                f"both at {low:g} m; use a Ramp"
            )
        if low > high:
            raise BadGeometry(f"{link} leads down from its lower portal: exchange the two portals")
        parts = [
            self._add(str(link), _snapped(part, link, self.grid), low, link=number)
            for part in link.parts
        ]
        lines = [self._join_floor(floors[0], parts[0], link.portals[0], link)]
        lines += [self._join_parts(*pair, link) for pair in itertools.pairwise(parts)]
        lines.append(self._join_floor(floors[1], parts[-1], link.portals[1], link))
        self._set_heights(parts, lines, low, high)

    def _set_heights(self, parts: list[int], lines: list[Line], low: float, high: float) -> None:
        """Rise on flights, which are every second part, in proportion to their length in plan."""
        for k in range(0, len(parts), 2):
            for x, y in {lines[k][:2], lines[k][2:]} & {lines[k + 1][:2], lines[k + 1][2:]}:
                raise BadGeometry(
                    f"two portals of {self.layers[parts[k]].name} meet at ({x:g}, {y:g}), which "
                    "would have the height of both: leave a wall between them"
                )
        middle = [np.array(line).reshape(2, 2).mean(axis=0) for line in lines]
        run = [float(hypot(*(middle[k + 1] - middle[k]))) for k in range(len(parts))]
        whole, height = sum(run[::2]), low
        for k, part in enumerate(parts):
            top = height + (high - low) * run[k] / whole if k % 2 == 0 else height
            if k == len(parts) - 1:
                top = high
            self.layers[part] = self.layers[part]._replace(
                low=height, high=top, low_line=lines[k], high_line=lines[k + 1]
            )
            height = top

    def _join_floor(self, floor: int, part: int, portal: Portal, link: Link | Lift) -> Line:
        own, other = self.borders[floor], self.borders[part]
        ends = [own.fit(np.array(end), str(link), self.grid) for end in (portal.a, portal.b)]
        for end, to in zip((portal.a, portal.b), ends, strict=True):
            other.move(np.array(end), to, str(link), self.grid)
        return self._join(floor, part, ends[0], ends[1], link)

    def _join_parts(self, one: int, two: int, link: Link) -> Line:
        common = shapely.intersection(*(
            shapely.union_all([shapely.LineString(ring) for ring in self.borders[k].rings])
            for k in (one, two)
        ))  # fmt: skip
        line = shapely.line_merge(shapely.multilinestrings(
            [part for part in shapely.get_parts(common) if part.length > FIT]
        )) if common.length > FIT else shapely.LineString()  # fmt: skip
        ends = shapely.get_coordinates(line)
        if len(ends) < 2 or line.geom_type != "LineString":
            raise BadGeometry(
                f"two parts of {link} that follow each other must share one straight side"
            )
        a, b = self._fitted(one, two, ends[0], ends[-1], link)
        return self._join(one, two, a, b, link)

    def _fitted(self, one: int, two: int, a: Floats, b: Floats, link: Link) -> list[Floats]:
        ends = [self.borders[one].fit(end, str(link), self.grid) for end in (a, b)]
        for end in ends:
            self.borders[two].move(end, end, str(link), self.grid)
        return ends

    def _join(self, one: int, two: int, a: Floats, b: Floats, link: Link | Lift) -> Line:
        left, right = self.borders[one].cut(a, b, str(link)), self.borders[two].cut(a, b, str(link))
        if (left[0] == right[0]).all():
            x, y = (0.5 * (a + b)).tolist()
            raise BadGeometry(
                f"{link} lies on the same side of its portal at ({x:g}, {y:g}) as "
                f"{self.borders[one].name}: a portal is on a border of the floor, and the link is "
                "behind it"
            )
        line: Line = (*left[0].tolist(), *left[1].tolist())
        self.seams.append(Seam(one, two, line))
        return line

    def _add_lift(self, lift: Lift, number: int) -> None:
        for door in lift.portals:
            floor = self._floor_of(door, lift)
            cabin = _snapped(lift.cabin, lift, self.grid)
            part = self._add(str(lift), cabin, self.floors[floor].elevation, link=number)
            self._join_floor(floor, part, door, lift)


def _snapped(polygon: shapely.Polygon, link: Link | Lift, grid: float) -> shapely.MultiPolygon:
    """Return a part of a link on the grid."""
    steps = steps_per_metre(grid)
    part = shapely.transform(polygon, lambda xy: np.rint(xy * steps) / steps)
    if not part.is_valid or part.area < _AREA:
        raise BadGeometry(f"a part of {link} vanishes on the grid of {grid:g} m: check its unit")
    return shapely.MultiPolygon([part])
