"""The crowd of a scenario in a building: areas are on floors, destinations across floors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from footway.environment.areas import as_polygon, ring_problem, union
from footway.scenario.values import Choice
from footway.validation import did_you_mean, shown

if TYPE_CHECKING:
    from footway.environment import Building
    from footway.environment.areas import Polygon
    from footway.scenario.models import Population, Scenario, Source
    from footway.scenario.problems import Keys

_PLANE = ("group", "obstacle", "terrain")


class FloorArea(NamedTuple):
    """An area on a floor of a building, as a crowd takes it."""

    polygon: Polygon
    floor: str


class FloorAreas:
    """The areas of a building and of a scenario by name; the name of a floor is all of it."""

    def __init__(self, scenario: Scenario, building: Building) -> None:
        self._origin = scenario.origin
        self._floors = [floor.name for floor in building.floors]
        self._areas: dict[str, FloorArea] = {}
        for kind in _PLANE:
            if getattr(scenario, kind):
                message = f"is for maps of one floor; {scenario.map} is a building"
                raise self._origin.refuse((kind, 0), message)
        for key in ("roadmap", "scale"):
            if getattr(scenario, key) is not None:
                raise self._origin.refuse((key,), "is for maps of one floor; leave it out")
        for floor in building.floors:
            parts: dict[str, list[Polygon]] = {}
            for area in floor.environment.areas:
                parts.setdefault(area.name, []).append(area.polygon)
            for name, polygons in parts.items():
                self._areas.setdefault(name, FloorArea(as_polygon(union(polygons)), floor.name))
        for name, ring in scenario.area.items():
            self._add(name, ring, scenario.floor)
        for name in scenario.floor:
            if name not in scenario.area:
                raise self._origin.refuse(("floor", name), f"there is no area {shown(name)}")

    def _add(self, name: str, ring: Any, floors: Any) -> None:
        keys = ("area", name)
        if name in self._floors:
            raise self._origin.refuse(keys, "is also the name of a floor; choose another name")
        if name not in floors:
            message = f'is in a building: say on which floor, as in [floor] {name} = "0"'
            raise self._origin.refuse(keys, message)
        if floors[name] not in self._floors:
            hint = did_you_mean(floors[name], self._floors)
            message = f"there is no floor {shown(floors[name])}; {hint}"
            raise self._origin.refuse(("floor", name), message)
        if problem := ring_problem(ring):
            raise self._origin.refuse(keys, problem)
        self._areas[name] = FloorArea(as_polygon(ring), floors[name])

    def find(self, given: object, keys: Keys) -> FloorArea | str:
        """Return the area with this name, or the name of a floor."""
        if not isinstance(given, str):
            message = "is in a building: give the name of an area or of a floor"
            raise self._origin.refuse(keys, message)
        if given in self._floors:
            return given
        if given not in self._areas:
            hint = did_you_mean(given, [*self._areas, *self._floors])
            raise self._origin.refuse(keys, f"there is no area or floor {shown(given)}; {hint}")
        return self._areas[given]

    def arguments(self, given: Population | Source, keys: Keys) -> dict[str, Any]:
        """Return area and destinations of a population or source, for a crowd."""
        for name in ("starts", "goals"):
            if getattr(given, name, None) is not None:
                message = "has no floors; in a building give area and destinations"
                raise self._origin.refuse((*keys, name), message)
        if getattr(given, "preference", None):
            message = "is for maps of one floor; in a building wanderers have none"
            raise self._origin.refuse((*keys, "preference"), message)
        destinations: list[Any] = []
        for k, target in enumerate(given.destinations):
            at = (*keys, "destinations", k)
            if isinstance(target, Choice):
                destinations.append([self.find(item, (*at, i)) for i, item in enumerate(target.of)])
            else:
                destinations.append(self.find(target, at))
        area = None if given.area is None else self.find(given.area, (*keys, "area"))
        return {
            "area": area, "destinations": destinations, "behaviour": given.behaviour,
            "premovement": given.premovement, "then": given.then, "within": given.within,
        }  # fmt: skip
