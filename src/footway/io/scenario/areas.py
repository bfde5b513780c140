"""Areas of a scenario on the map: by name or by corners, and how much room is in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely
from scipy.spatial import cKDTree

from footway.crowd.region import Region
from footway.io.scenario.problems import did_you_mean, show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.io.scenario.models import Scenario
    from footway.io.scenario.problems import Keys
    from footway.io.scenario.shapes import Ring

    Floats = NDArray[np.float64]

PACKED: Final = 0.55
"""Share of the ground that discs thrown at random can cover: 0.547 is where they jam."""

_ENOUGH: Final = 2000  # places inside an area, for its free ground to one or two per cent
_MOST: Final = 100_000  # places that are tried, for the thinnest of areas


class Free(NamedTuple):
    """Places of an area, in a regular grid, and what room they have."""

    points: Floats  # (n, 2) m, inside the area
    clearance: Floats  # (n,) m; 0 in obstacles and outside the map
    cell: tuple[float, float]  # m, between two of them

    def centres(self, radius: float) -> Floats:
        """Places where the centre of a disc may be, (k, 2) m."""
        return self.points[self.clearance > radius]

    def capacity(self, radius: float) -> int:
        """How many discs fit, thrown at random: about."""
        centres = self.centres(radius)
        if not len(centres):
            return 0
        ground = _dilated(centres, radius, self.cell)
        return max(1, int(PACKED * ground / (np.pi * radius**2)))

    def roomiest(self, region: Region) -> tuple[float, float]:
        """The place with the most room to walls and to the edge of the area, m."""
        room = np.minimum(self.clearance, region.depth(self.points))
        x, y = self.points[int(room.argmax())]
        return float(x), float(y)


class Areas:
    """The named areas of a map and of a scenario."""

    def __init__(
        self, scenario: Scenario, cmap: CorridorMap, environment: Environment | None
    ) -> None:
        self._origin = scenario.origin
        self._cmap = cmap
        self._free: dict[int, tuple[Region | None, Free]] = {}
        named = environment.areas if environment is not None else ()
        of_map: dict[str, list[shapely.Geometry]] = {}
        for area in named:
            of_map.setdefault(area.name, []).append(area.polygon)
        self._regions = {name: Region.of(_joined(some)) for name, some in of_map.items()}
        for name, ring in scenario.area.items():
            if name in self._regions:
                raise self._origin.refuse(
                    ("area", name), "is also an area of the map; choose another name"
                )
            self._regions[name] = self._region(ring, ("area", name))
        for name in scenario.area:
            self._check_on_map(self._regions[name], ("area", name))

    def find(self, given: str | Ring, keys: Keys) -> Region:
        """The region of a name or of corners, which lies on the map."""
        if not isinstance(given, str):
            region = self._region(given, keys)
            self._check_on_map(region, keys)
            return region
        if given not in self._regions:
            hint = did_you_mean(given, self._regions) or f"add it to [area]: {given} = [0, 0, 9, 9]"
            raise self._origin.refuse(keys, f"there is no area {show(given)}; {hint}")
        self._check_on_map(self._regions[given], keys)
        return self._regions[given]

    def free(self, region: Region | None) -> Free:
        """Places of a region, or of the whole map, with their clearance."""
        key = id(region)  # the region is kept with it, or its id would be used again
        if key not in self._free:
            self._free[key] = region, _free(self._cmap, region)
        return self._free[key][1]

    def _region(self, ring: Ring, keys: Keys) -> Region:
        polygon = shapely.Polygon(ring)
        if shapely.convex_hull(polygon).area <= 0.0:
            raise self._origin.refuse(keys, "has no area; give corners that are not on one line")
        if not polygon.is_valid:
            why = f"crosses or touches itself{_place_in(shapely.is_valid_reason(polygon))}"
            raise self._origin.refuse(keys, f"{why}; give its corners in order")
        return Region.of(polygon)

    def _check_on_map(self, region: Region, keys: Keys) -> None:
        """Refuse a region in which nobody could stand."""
        if self.free(region).clearance.max(initial=0.0) > 0.0:
            return
        x0, y0, x1, y1 = self._cmap.bounds
        ax0, ay0, ax1, ay1 = region.bounds
        if ax1 < x0 or ax0 > x1 or ay1 < y0 or ay0 > y1:
            box = f"x from {x0:g} to {x1:g}, y from {y0:g} to {y1:g} m"
            raise self._origin.refuse(keys, f"lies outside the map, which has {box}")
        raise self._origin.refuse(keys, "lies in obstacles only; move it to where one can walk")


def _joined(polygons: list[shapely.Geometry]) -> shapely.Geometry:
    """Areas of one name are one area."""
    return polygons[0] if len(polygons) == 1 else shapely.union_all(polygons)


def _place_in(reason: str) -> str:
    """The place in what Shapely says, as in "Self-intersection[4.5 2]"."""
    found = re.search(r"\[(\S+) (\S+)\]", reason)
    return f" at ({float(found[1]):g}, {float(found[2]):g})" if found else ""


def _free(cmap: CorridorMap, region: Region | None) -> Free:
    """A grid of places as fine as it takes to have enough of them inside."""
    x0, y0, x1, y1 = cmap.bounds if region is None else region.bounds
    tried = _ENOUGH
    while True:
        rows = max(1, round(np.sqrt(tried * (y1 - y0) / (x1 - x0))))
        columns = max(1, round(tried / rows))
        cell = (x1 - x0) / columns, (y1 - y0) / rows
        xs = x0 + cell[0] * (np.arange(columns) + 0.5)
        ys = y0 + cell[1] * (np.arange(rows) + 0.5)
        points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        if region is not None:
            points = np.ascontiguousarray(points[region.contains(points)])
        clearance = cmap.clearance(points)
        if (clearance > 0.0).sum() >= _ENOUGH // 4 or tried >= _MOST:
            return Free(points, clearance, cell)
        tried *= 8


def _dilated(centres: Floats, radius: float, cell: tuple[float, float]) -> float:
    """Ground that discs with their centres in these cells may cover, m2, about."""
    tree = cKDTree(centres)
    low, high = centres.min(axis=0) - radius, centres.max(axis=0) + radius
    steps = np.maximum(1, np.minimum(400, np.ceil((high - low) / (0.5 * np.array(cell)))))
    size = (high - low) / steps
    xs, ys = (low[i] + size[i] * (np.arange(int(steps[i])) + 0.5) for i in (0, 1))
    points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    reach = max(radius, 0.5 * float(np.hypot(*cell)))
    near, _ = tree.query(points, distance_upper_bound=reach)
    covered = np.isfinite(near).sum()
    return float(covered * size.prod())
