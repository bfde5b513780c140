"""Areas of a scenario, by name or by corners, and the free space in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import shapely

from footway.crowd.free_space import sample_free_space
from footway.environment.areas import as_polygon
from footway.scenario.problems import did_you_mean, show

if TYPE_CHECKING:
    from footway.corridor import CorridorMap
    from footway.crowd.free_space import FreeSamples
    from footway.environment import Environment
    from footway.environment.areas import Polygon
    from footway.scenario.models import Scenario
    from footway.scenario.problems import Keys
    from footway.scenario.shapes import Ring


class Areas:
    """The named areas of a map and of a scenario."""

    def __init__(
        self, scenario: Scenario, cmap: CorridorMap, environment: Environment | None
    ) -> None:
        self._origin = scenario.origin
        self._cmap = cmap
        self._free: dict[int, tuple[Polygon | None, FreeSamples]] = {}
        named = environment.areas if environment is not None else ()
        of_map: dict[str, list[shapely.Geometry]] = {}
        for area in named:
            of_map.setdefault(area.name, []).append(area.polygon)
        self._regions = {name: as_polygon(_united(parts)) for name, parts in of_map.items()}
        for name, ring in scenario.area.items():
            if name in self._regions:
                raise self._origin.refuse(
                    ("area", name), "is also an area of the map; choose another name"
                )
            self._regions[name] = self._region(ring, ("area", name))
        for name in scenario.area:
            self._check_on_map(self._regions[name], ("area", name))

    def find(self, given: str | Ring, keys: Keys) -> Polygon:
        """Return the region with this name or these corners, which must lie on the map."""
        if not isinstance(given, str):
            region = self._region(given, keys)
            self._check_on_map(region, keys)
            return region
        if given not in self._regions:
            hint = did_you_mean(given, self._regions) or f"add it to [area]: {given} = [0, 0, 9, 9]"
            raise self._origin.refuse(keys, f"there is no area {show(given)}; {hint}")
        self._check_on_map(self._regions[given], keys)
        return self._regions[given]

    def free(self, region: Polygon | None) -> FreeSamples:
        """Return sample points of a region, or of the whole map, with their clearance."""
        key = id(region)  # the region is stored too, so that its id is not reused
        if key not in self._free:
            self._free[key] = region, sample_free_space(self._cmap, region)
        return self._free[key][1]

    def _region(self, ring: Ring, keys: Keys) -> Polygon:
        polygon = shapely.Polygon(ring)
        if shapely.convex_hull(polygon).area <= 0.0:
            raise self._origin.refuse(keys, "has no area; give corners that are not on one line")
        if not polygon.is_valid:
            why = f"crosses or touches itself{_position_in(shapely.is_valid_reason(polygon))}"
            raise self._origin.refuse(keys, f"{why}; give its corners in order")
        return as_polygon(polygon)

    def _check_on_map(self, region: Polygon, keys: Keys) -> None:
        """Raise an error if a region contains no free space."""
        if self.free(region).clearance.max(initial=0.0) > 0.0:
            return
        x0, y0, x1, y1 = self._cmap.bounds
        ax0, ay0, ax1, ay1 = region.bounds
        if ax1 < x0 or ax0 > x1 or ay1 < y0 or ay0 > y1:
            box = f"x from {x0:g} to {x1:g}, y from {y0:g} to {y1:g} m"
            raise self._origin.refuse(keys, f"lies outside the map, which has {box}")
        raise self._origin.refuse(keys, "lies in obstacles only; move it to where one can walk")


def _united(polygons: list[shapely.Geometry]) -> shapely.Geometry:
    """Return the union of the areas of one name."""
    return polygons[0] if len(polygons) == 1 else shapely.union_all(polygons)


def _position_in(reason: str) -> str:
    """Return the position in a message of Shapely such as "Self-intersection[4.5 2]"."""
    found = re.search(r"\[(\S+) (\S+)\]", reason)
    return f" at ({float(found[1]):g}, {float(found[2]):g})" if found else ""
