"""The crowd of a scenario in a building: areas and points are on floors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway.crowd.free_space import sample_free_space
from footway.environment.areas import as_polygon, contains, ring_problem, union
from footway.errors import BadQuery
from footway.scenario.values import Choice, floor_of, in_plan
from footway.validation import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from footway.arrays import Floats
    from footway.corridor.balls import Axis
    from footway.corridor.building.map import BuildingMap
    from footway.environment import Building
    from footway.environment.areas import Polygon
    from footway.scenario.models import Group, Population, Scenario, Source
    from footway.scenario.problems import Keys, Origin
    from footway.scenario.values import Point, Ring

_SLACK = 1e-6  # m, rounding error of the map
_SPARE = 0.01  # m, of a suggested point, whose coordinates are rounded


def check_floors(scenario: Scenario, building: Building | None) -> None:
    """Raise BadInput for a place without a floor in a building, or with one on a plane."""
    for keys, place in _places(scenario):
        floor = floor_of(place)
        if building is None:
            if floor is not None:
                message = f"is on floor {shown(floor)}, but the map has one floor; leave it out"
                raise scenario.origin.refuse(keys, message)
            continue
        is_area, is_named = isinstance(place[0], tuple), keys[0] == "area"
        names = [one.name for one in building.floors]
        if is_named and keys[1] in names:
            message = "is also the name of a floor; choose another name"
            raise scenario.origin.refuse(keys, message)
        in_table = is_named and keys[1] in scenario.floor
        if floor is None and not in_table:
            example = shown(building.floors[0].name).replace("'", '"')
            what = f"[floor] {keys[1]} = {example}" if is_named else f"[x, y, {example}]"
            if is_area and not is_named:
                what = f"[xmin, ymin, xmax, ymax, {example}], or give the name of an area"
            message = f"is in a building: say on which floor, as in {what}"
            raise scenario.origin.refuse(keys, message)
        if floor is not None and in_table:
            message = "has its floor in [area], too; leave one of them out"
            raise scenario.origin.refuse(("floor", keys[1]), message)
        known = names if is_area else [*names, *(link.name for link in building.links)]
        if floor is not None and floor not in known:
            message = f"there is no floor {shown(floor)}; {did_you_mean(floor, known)}"
            raise scenario.origin.refuse(keys, message)


def _places(scenario: Scenario) -> Iterator[tuple[Keys, Point | Ring]]:
    """Yield all points and areas of a scenario that are not names, with their keys."""
    for name, ring in scenario.area.items():
        yield ("area", name), ring
    for i, region in enumerate(scenario.terrain):
        yield ("terrain", i, "polygon"), region.polygon
    for i, obstacle in enumerate(scenario.obstacle):
        yield ("obstacle", i, "at"), obstacle.at
    for kind in ("population", "source", "group"):
        for i, given in enumerate(getattr(scenario, kind)):
            for name in ("start", "goal") if kind == "group" else ("area",):
                place = getattr(given, name, None)
                if place is not None and not isinstance(place, str):
                    yield (kind, i, name), place
            for name in ("starts", "goals"):
                for k, point in enumerate(getattr(given, name, None) or ()):
                    yield (kind, i, name, k), point
            for k, target in enumerate(getattr(given, "destinations", ())):
                at = (kind, i, "destinations", k)
                several = isinstance(target, Choice)
                for m, item in enumerate(target.of if several else (target,)):
                    if not isinstance(item, str):
                        yield ((*at, m) if several else at), item


class FloorArea(NamedTuple):
    """An area on a floor of a building, as a crowd takes it."""

    polygon: Polygon
    floor: str


class FloorAreas:
    """The areas of a building and of a scenario by name; the name of a floor is all of it."""

    def __init__(
        self, scenario: Scenario, building: Building, *, origin: Origin | None = None
    ) -> None:
        self._origin = origin or scenario.origin  # of the keys with areas
        self._building = building
        self._floors = [floor.name for floor in building.floors]
        self._areas: dict[str, FloorArea] = {}
        self._several: dict[str, list[str]] = {}  # floors of areas of the map with the same name
        if scenario.terrain:
            message = f"is for maps of one floor; {scenario.map} is a building"
            raise scenario.origin.refuse(("terrain", 0), message)
        for key in ("roadmap", "scale"):
            if getattr(scenario, key) is not None:
                raise scenario.origin.refuse((key,), "is for maps of one floor; leave it out")
        check_floors(scenario, building)
        for floor in building.floors:
            parts: dict[str, list[Polygon]] = {}
            for area in floor.environment.areas:
                parts.setdefault(area.name, []).append(area.polygon)
            for name, polygons in parts.items():
                self._several.setdefault(name, []).append(floor.name)
                self._areas[name] = FloorArea(as_polygon(union(polygons)), floor.name)
        for name, ring in scenario.area.items():
            self._add(name, ring, scenario)
        for name in scenario.floor:
            if name not in scenario.area:
                raise scenario.origin.refuse(("floor", name), f"there is no area {shown(name)}")

    def _add(self, name: str, ring: Ring, scenario: Scenario) -> None:
        floor = floor_of(ring) or scenario.floor[name]
        if floor not in self._floors:
            message = f"there is no floor {shown(floor)}; {did_you_mean(floor, self._floors)}"
            raise scenario.origin.refuse(("floor", name), message)
        self._areas[name] = self._region(ring, floor, ("area", name), scenario.origin)
        self._several.pop(name, None)

    def _region(self, ring: Ring, floor: str, keys: Keys, origin: Origin) -> FloorArea:
        """Return an area on a floor, of which some part must be walkable."""
        corners = in_plan(ring)
        if problem := ring_problem(corners):
            raise origin.refuse(keys, problem)
        polygon, env = as_polygon(corners), self._environment(floor)
        if polygon.intersection(env.walkable).area > 0.0:
            return FloorArea(polygon, floor)
        x0, y0, x1, y1 = env.bounds
        extent = f"x from {x0:g} to {x1:g}, y from {y0:g} to {y1:g} m"
        if polygon.disjoint(as_polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])):
            raise origin.refuse(keys, f"lies outside floor {shown(floor)}, which has {extent}")
        message = f"lies entirely in obstacles of floor {shown(floor)}; move it into free space"
        raise origin.refuse(keys, message)

    def _environment(self, floor: str) -> Any:
        return self._building.floors[self._floors.index(floor)].environment

    def find(self, given: str | Ring, keys: Keys) -> FloorArea | str:
        """Return the area with this name or these corners, or the name of a floor."""
        if not isinstance(given, str):
            return self._region(given, str(floor_of(given)), keys, self._origin)
        if given in self._floors:
            return given
        if given not in self._areas:
            hint = did_you_mean(given, [*self._areas, *self._floors])
            raise self._origin.refuse(keys, f"there is no area or floor {shown(given)}; {hint}")
        floors = self._several.get(given, ())
        if len(floors) > 1:
            message = (
                f"the area {shown(given)} is on several floors ({', '.join(floors)}): give a "
                'rectangle with the floor, [xmin, ymin, xmax, ymax, "1"], or another name in [area]'
            )
            raise self._origin.refuse(keys, message)
        return self._areas[given]

    def arguments(
        self, given: Population | Source, cmap: BuildingMap, radius: float, keys: Keys
    ) -> dict[str, Any]:
        """Return places and behaviour of a population or source, for a crowd.

        `radius` is the largest of its characters, m.
        """

        def place(target: str | Ring | Point, at: Keys) -> Any:
            if isinstance(target, str) or isinstance(target[0], tuple):
                return self.find(target, at)
            self._check_point(cmap, target, radius, at)
            return target

        found: dict[str, Any] = {"behaviour": given.behaviour, "premovement": given.premovement}
        for name in ("starts", "goals"):
            points = getattr(given, name, None)
            if points is not None:
                found[name] = [place(at, (*keys, name, k)) for k, at in enumerate(points)]
        found["area"] = None if given.area is None else place(given.area, (*keys, "area"))
        if given.behaviour == "wander":
            found["preference"] = self._preference(given.preference, cmap, keys)
            return found
        destinations: list[Any] = []
        for k, target in enumerate(given.destinations):
            at = (*keys, "destinations", k)
            if isinstance(target, Choice):
                destinations.append([place(one, (*at, i)) for i, one in enumerate(target.of)])
            else:
                destinations.append(place(target, at))
        return found | {"destinations": destinations, "then": given.then, "within": given.within}

    def ends(self, group: Group, cmap: BuildingMap, radius: float, keys: Keys) -> dict[str, Any]:
        """Return start and goal of a group: a point, or the widest place of an area."""
        found: dict[str, Any] = {"start": None, "goal": None}
        for end in found:
            target = getattr(group, end)
            if target is None:
                continue
            if isinstance(target, str) or isinstance(target[0], tuple):
                target = self._widest_point(self.find(target, (*keys, end)), cmap)
            self._check_point(cmap, target, radius, (*keys, end))
            found[end] = target
        return found

    def _widest_point(self, area: FloorArea | str, cmap: BuildingMap) -> tuple[float, float, str]:
        if isinstance(area, str):
            area = FloorArea(self._environment(area).walkable, area)
        samples = sample_free_space(cmap, area.polygon, floor=area.floor)
        return (*samples.widest_point(area.polygon), area.floor)

    def _check_point(self, cmap: BuildingMap, at: Any, radius: float, keys: Keys) -> None:
        """Raise BadInput if the largest characters do not fit at a point (x, y, floor)."""
        clearance = float(cmap.clearance([at])[0])
        if clearance >= radius - _SLACK:
            return
        x, y, floor = at
        reason = "it is in an obstacle or outside the floor"
        if clearance > 0.0:
            reason = f"a radius of {radius:g} m does not fit there: {clearance:.3f} m to the wall"
        try:
            (free,) = cmap.nearest_free([at], radius=radius + _SPARE)
            hint = f"({free[0]:.2f}, {free[1]:.2f}) is free"
        except BadQuery as error:
            hint = str(error)
        where = f"({x:g}, {y:g}) on {shown(floor)}"
        raise self._origin.refuse(keys, f"is {where}, but {reason}; {hint}")

    def _preference(
        self, weights: Mapping[str, float], cmap: BuildingMap, keys: Keys
    ) -> Floats | None:
        """Return the weight of each edge of the map; a name is an area, a floor or a link."""
        if not weights:
            return None
        building, axis = self._building, cmap.axis(1.0)
        sheets = np.repeat(cmap.solver.edge_sheet, np.diff(axis.offsets))
        links = {link.name: k for k, link in enumerate(building.links)}
        along = np.ones(len(axis.points))
        for name, weight in weights.items():
            if name in links and name not in self._floors and name not in self._areas:
                parts = [k for k, one in enumerate(building.layers) if one.link == links[name]]
                along[np.isin(sheets, parts)] = weight
                continue
            area = self.find(name, (*keys, "preference", name))
            floor = area if isinstance(area, str) else area.floor
            inside = sheets == self._floors.index(floor)
            if not isinstance(area, str):
                inside &= contains(area.polygon, axis.points)
            along[inside] = weight
        return edge_weights(axis, along)


def edge_weights(axis: Axis, along: Floats) -> Floats:
    """Return the weight of each map edge (ne,): the mean along it, or 0 if it touches a 0."""
    mean = np.add.reduceat(along, axis.offsets[:-1]) / np.diff(axis.offsets)
    least = np.minimum.reduceat(along, axis.offsets[:-1])
    return np.where(least > 0.0, mean, 0.0)
