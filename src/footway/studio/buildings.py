"""Buildings on the page: floors, parts of links, and paths over them.

The page draws sheets: floors and parts of links, each with its own heights. They are numbered as in
`Building.layers`.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from footway.environment import Area, Building, Escalator
from footway.environment.areas import as_polygon, union
from footway.errors import BadInput, BadQuery, FootwayError, NoPath
from footway.scenario.values import floor_of, in_plan
from footway.studio.protocol import replies

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.building.map import BuildingMap
    from footway.environment import Environment
    from footway.environment.links import Lift, Link
    from footway.scenario import Scenario
    from footway.studio.protocol.requests import Path as PathRequest
    from footway.studio.protocol.requests import Walk as WalkRequest


def floor_facts(building: Building | None) -> list[replies.FloorFacts]:
    """Return the floors, none of a plan."""
    return [
        replies.FloorFacts(name=floor.name, elevation=floor.elevation, area=floor.environment.area)
        for floor in (building.floors if building is not None else ())
    ]


def link_facts(building: Building | None, closed: frozenset[str]) -> list[replies.LinkFacts]:
    """Return the links, none of a plan."""
    return [
        replies.LinkFacts(
            name=link.name,
            kind=link.kind,
            floors=[portal.floor for portal in link.portals],
            direction=link.direction if isinstance(link, Escalator) else None,
            closed=link.name in closed,
        )
        for link in (building.links if building is not None else ())
    ]


def sheets(building: Building) -> tuple[list[replies.SheetFacts], dict[str, Any]]:
    """Return the sheets, and the arrays of `replies.Ground` that only buildings have."""
    joined: list[list[int]] = [[] for _ in building.layers]
    for seam in building.seams:
        joined[seam.left].append(seam.right)
        joined[seam.right].append(seam.left)
    facts = [
        replies.SheetFacts(
            name=layer.name, floor=layer.floor, link=layer.link, low=layer.low, high=layer.high,
            sides=_sides(layer.low_line, layer.high_line), joined=joined[k],
        )
        for k, layer in enumerate(building.layers)
    ]  # fmt: skip
    walls = [sheet.walls.segments for sheet in building.sheets]
    parts = [len(sheet.polygon.geoms) for sheet in building.sheets]
    numbers = np.arange(len(building.sheets))
    return facts, {
        "lines": np.concatenate(walls),
        "polygon_sheets": np.repeat(numbers, parts),
        "line_sheets": np.repeat(numbers, [len(lines) for lines in walls]),
    }


def is_on(building: Building, sheets: Ints, points: Floats) -> NDArray[np.bool_]:
    """Return whether each point (n, 2) is on its sheet (n,)."""
    found = np.zeros(len(points), bool)
    for k in np.unique(sheets).tolist():
        here = sheets == k
        found[here] = building.contains(k, points[here])
    return found


def link_at(building: Building, floor: int, at: tuple[float, float]) -> Link | Lift | None:
    """Return the link, or its landing, that is at a point on the plan of a floor."""
    for part in building.parts_at(floor):
        if building.contains(part, np.array([at]))[0]:
            return building.links[building.layers[part].link]
    return None


def check_link(building: Building, name: str) -> None:
    """Raise BadInput if there is no link of this name."""
    names = [link.name for link in building.links]
    if name not in names:
        raise BadInput(f"there is no link {name!r}; there are {', '.join(names) or 'none'}"[:300])


def with_floor(cmap: BuildingMap, floor: int, environment: Environment) -> BuildingMap:
    """Return the map with another plan of a floor; areas and terrain leave it as it is.

    Raises:
        BadInput: a link has no place any more.
    """
    from footway.corridor.building.map import BuildingMap

    building = cmap.building
    floors, before = [*building.floors], building.floors[floor].environment
    floors[floor] = replace(floors[floor], environment=environment)
    changed = Building(floors, building.links, building.name)
    if environment.walkable is before.walkable and environment.lines is before.lines:
        made = copy.copy(cmap)
        made.building = changed
        return made
    return BuildingMap(changed)


class OpenLinks(NamedTuple):
    """The map of a building without its closed links, for paths.

    Attributes:
        map: the map.
        sheets: (n,) number in the whole building of each of its sheets.
        closed: names of the closed links.
    """

    map: BuildingMap
    sheets: Ints
    closed: frozenset[str]

    @classmethod
    def of(cls, cmap: BuildingMap, closed: frozenset[str]) -> OpenLinks:
        """Return the open part of a map; the map itself if everything is open."""
        from footway.corridor.building.map import BuildingMap

        building = cmap.building
        links = [link for link in building.links if link.name not in closed]
        kept = [
            k
            for k, layer in enumerate(building.layers)
            if layer.link < 0 or building.links[layer.link].name not in closed
        ]
        if closed:
            cmap = BuildingMap(Building(building.floors, links, building.name))
        return cls(cmap, np.array(kept, np.int64), closed)

    def check(self, ends: Iterable[tuple[Any, ...]]) -> None:
        """Raise BadInput if a place is on a closed link."""
        for *_, name in ends:
            if name in self.closed:
                raise BadInput(
                    f"the link {name!r} is closed: open it, or choose a place on a floor"
                )


def _sides(low: tuple[float, ...], high: tuple[float, ...]) -> list[replies.Place]:
    """Return the ends of the lower and of the upper side of a slope, both in one direction."""
    a, b = np.reshape(low, (2, 2)), np.reshape(high, (2, 2))
    if np.linalg.norm(a - b, axis=1).sum() > np.linalg.norm(a - b[::-1], axis=1).sum():
        b = b[::-1]
    return [replies.Place(x, y) for x, y in np.concatenate([a, b]).tolist()]


def areas(building: Building, scenario: Scenario | None) -> list[tuple[Area, str | None]]:
    """Return the areas of a building, and those that a scenario adds, each with its floor."""
    found: list[tuple[Area, str | None]] = [
        (area, floor.name) for floor in building.floors for area in floor.environment.areas
    ]
    for name, ring in (scenario.area if scenario is not None else {}).items():
        assert scenario is not None
        floor = floor_of(ring) or scenario.floor[name]
        found.append((Area(name, as_polygon(in_plan(ring))), floor))
    return found


def region(
    building: Building,
    known: Sequence[tuple[Area, str | None]],
    given: str | replies.Place | None,
    floor: str | None,
) -> Any:
    """Return an area, a floor or a point as a crowd takes it; None if nothing is given.

    Raises:
        BadInput: there is no such area or floor, or the floor is missing.
    """
    names = [one.name for one in building.floors]
    if floor is not None:
        building.floor_index(floor)  # refuses unknown ones
    if given is None:
        return floor
    if not isinstance(given, str):
        if floor is None:
            raise BadQuery("the map is a building: give the floor of the goal")
        return (*given, floor)
    if floor is None and given in names:
        return given
    found: dict[str | None, list[Any]] = {}
    for area, where in known:
        if area.name == given and floor in (None, where):
            found.setdefault(where, []).append(area.polygon)
    if len(found) > 1:
        where = ", ".join(str(name) for name in found)
        raise BadQuery(f"the area {given!r} is on several floors: {where}; give its floor"[:300])
    if not found:
        all_names = ", ".join(dict.fromkeys(area.name for area, _ in known)) or "none"
        where = "" if floor is None else f" on floor {floor!r}"
        raise BadQuery(f"there is no area {given!r}{where}; there are {all_names}"[:300])
    ((where, polygons),) = found.items()
    return as_polygon(union(polygons)), where


def axis_places(cmap: BuildingMap, points: Floats, offsets: Ints) -> dict[str, Any]:
    """Return the sheets of the edges of the medial axis, and the heights of its points."""
    sheet = cmap.solver.edge_sheet
    heights = cmap.building.heights(np.repeat(sheet, np.diff(offsets)), points)
    return {"heights": heights, "sheets": sheet}


def find_path(links: OpenLinks, request: PathRequest) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """Return facts and arrays of a path over floors and links, and its corridor.

    Raises:
        BadInput: an end without a floor, or a method for plans.
    """
    if request.method != "short":
        raise BadInput(f"{request.method} is for maps of one floor: in a building use short")
    start, goal = _ends(request)
    links.check([start, goal])
    try:
        corridor = links.map.corridor(start, goal, radius=request.radius, by=request.by)
    except NoPath as error:
        closed = f". Closed links: {', '.join(sorted(links.closed))}." if links.closed else ""
        raise NoPath(f"{error}{closed}", reason=error.reason, pinch=error.pinch) from None
    found = corridor.path
    facts = {
        "length": found.length,
        "clearance": found.clearance,
        "duration": found.seconds,
        "floors": list(found.floors),
        "links": list(found.links),
    }
    arrays = {
        "path": found.points[:, :2],
        "heights": found.points[:, 2],
        "sheets": links.sheets[found.sheets],
        "backbone": corridor.balls[:, :2],
        "radii": corridor.radii,
        "left": corridor.left,
        "right": corridor.right,
        "disc_heights": corridor.balls[:, 2],
        "disc_sheets": links.sheets[corridor.sheets],
    }
    return facts, arrays, corridor


def _ends(request: PathRequest) -> list[tuple[float, float, str]]:
    if request.floors is None:
        raise BadInput("the map is a building: give the floors of start and goal")
    ends = zip((request.start, request.goal), request.floors, strict=True)
    return [(at.x, at.y, floor) for at, floor in ends]


def refusal_facts(
    cmap: BuildingMap, request: PathRequest, error: Exception, margin: float
) -> dict[str, Any]:
    """Return the first end where the disc does not fit, and the nearest place of its floor."""
    if not isinstance(error, (NoPath, BadQuery)):
        return {}
    try:
        ends = _ends(request)
        tight = np.flatnonzero(cmap.clearance(ends) < request.radius)
        if not len(tight):
            return {}
        k = int(tight[0])
        x, y, _ = cmap.nearest_free([ends[k]], radius=margin * request.radius)[0]
    except FootwayError:
        return {}
    return {"end": ("start", "goal")[k], "nearest": replies.Place(x, y)}


def stops_of(links: OpenLinks, request: WalkRequest) -> tuple[list[tuple[Any, ...]], float]:
    """Return the stops of a walk, the first at the nearest free place; and its eye's height, m.

    Raises:
        BadInput: there are no floors.
    """
    if request.floors is None:
        raise BadInput("the map is a building: give the floors of the start and of each stop")
    names, at, cmap = request.floors, request.start, links.map
    links.check([(name,) for name in names])
    start = cmap.nearest_free([(at.x, at.y, names[0])], radius=request.radius)[0]
    height = cmap.path(start, start, radius=0.0).start[2]
    rest = [(at.x, at.y, name) for at, name in zip(request.stops, names[1:], strict=True)]
    return [start, *rest], height + request.eye_height


def warm_up(cmap: BuildingMap) -> None:
    """Find a path from the first floor to the last, so that kernels are compiled and loaded."""
    points = cmap.random_points(50, radius=0.1)
    order = [floor.name for floor in cmap.building.floors]
    ends = sorted(points, key=lambda point: order.index(point[2]))
    _ = cmap.corridor(ends[0], ends[-1], radius=0.1).left


def building_map(cmap: object) -> BuildingMap | None:
    """Return a map if it is that of a building, else None."""
    return cast("BuildingMap", cmap) if hasattr(cmap, "building") else None
