"""Walks through a building: in each walked part as in the plane, with the speeds of the links."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway._numba.portable_math import atan2, hypot
from footway.corridor.building.route import Cost
from footway.corridor.kernels.path import polyline_clearance
from footway.corridor.kernels.surface import find_horizons, sheets_along
from footway.follow.cmm import CorridorWalker
from footway.follow.detour import NO_DISCS
from footway.follow.walk import Walk

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor import Corridor
    from footway.corridor.building.corridor import BuildingCorridor
    from footway.corridor.kernels.layouts import Grid
    from footway.environment import Lift
    from footway.follow.cmm import Force
    from footway.follow.kernels.layouts import Settings


class Part(NamedTuple):
    """Samples of a walked part."""

    points: Floats  # (n, 2) m
    velocities: Floats  # (n, 2) m/s
    stands: Floats  # (n, 2) headings, where it stands
    sheets: Ints  # (n,)
    grid: Grid  # walls of the building, beginning on the sheet of the first sample


@dataclass(frozen=True, eq=False, repr=False)
class BuildingWalk(Walk):
    """A walk through a building: see `Walk`.

    Attributes:
        points: (n, 3) m; on the floor or link.
        velocities: (n, 3) m/s.
        sheets: (n - 1,) floor or part of a link of each step: an index of `Building.layers`.
        floors: names of the floors, in the order of visiting.
        links: names of the links, in the order of use.
        parts: samples of the walked parts; between two of them there is a ride in a lift.

    Example:
        >>> import footway as fw
        >>> hall = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
        >>> gallery = fw.Environment.from_polygons(bounds=(0, 12, 10, 16))
        >>> stairs = fw.Stairs("A", ("0", (4, 8), (6, 8)), ("1", (4, 12), (6, 12)))
        >>> building = fw.Building([fw.Floor("0", hall), fw.Floor("1", gallery, 3)], [stairs])
        >>> cmap = fw.CorridorMap.build(building)
        >>> walk = fw.follow.cmm(cmap.corridor((5, 1, "0"), (5, 14, "1"), radius=0.25))
        >>> walk.links, walk.points[-1].tolist(), walk.clearance >= 0.25
        (('A',), [5.0, 14.0, 3.0], True)
    """

    sheets: Ints
    floors: tuple[str, ...]
    links: tuple[str, ...]
    parts: tuple[Part, ...]

    @cached_property
    def clearance(self) -> float:  # type: ignore[override]
        """Least distance of the walk to any wall in plan, m; computed on first access."""
        return min(float(polyline_clearance(part.points, part.grid)) for part in self.parts)

    @cached_property
    def headings(self) -> Floats:
        """(n,) radians. Heading in plan; in a lift that of the last step before."""
        x, y = self.velocities[:, :2].T
        if self.stands is not None:
            moves = hypot(x, y) > 0.0
            x = np.where(moves, x, self.stands[:, 0])
            y = np.where(moves, y, self.stands[:, 1])
        return np.array(atan2(y, x))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return super().to_dict() | {"floors": list(self.floors), "links": list(self.links)}


class _PartWalker(CorridorWalker):
    """Walk in a part of a building's corridor."""

    def __init__(
        self, corridor: Corridor, settings: Settings, surface: tuple[Ints, Floats],
        forces: tuple[Force, ...], seed: int,
    ) -> None:  # fmt: skip
        self.horizons, self.paces = surface
        super().__init__(corridor, settings, (), forces, seed)


def walk_building(
    corridor: BuildingCorridor, settings: Settings, forces: tuple[Force, ...], seed: int
) -> BuildingWalk:
    """Walk through the parts of a corridor, and ride in lifts between them."""
    building, cost = corridor.building, Cost(corridor.building, "time", settings.speed)
    parts: list[Part] = []
    first = 0
    for part in corridor.parts:
        rows = slice(first, first + len(part.balls))
        first = rows.stop
        parts.append(_walk_part(part, corridor.balls[rows], corridor.sheets[rows], settings, cost,
                                forces, seed))  # fmt: skip
    points, velocities, stands, sheets = [], [], [], []
    for k, made in enumerate(parts):
        z = building.heights(made.sheets, made.points)
        rise = np.diff(z, append=z[-1:]) / settings.step
        points.append(np.column_stack([made.points, z]))
        velocities.append(np.column_stack([made.velocities, rise]))
        stands.append(np.column_stack([made.stands, np.zeros(len(z))]))
        sheets.append(made.sheets[1:])
        if k + 1 < len(parts):
            cabin = int(parts[k + 1].sheets[0])
            lift = building.links[building.layers[cabin].link]
            heights = _ride(lift, float(z[-1]), building.layers[cabin].low, settings.step)  # type: ignore[arg-type]
            still = np.tile(points[-1][-1], (len(heights) - 2, 1))
            still[:, 2] = heights[1:-1]
            up = np.diff(heights) / settings.step
            velocities[-1][-1, 2] = up[0]
            points.append(still)
            velocities.append(np.column_stack([np.zeros((len(still), 2)), up[1:]]))
            stands.append(np.tile(stands[-1][-1], (len(still), 1)))
            sheets.append(np.full(len(still) + 1, cabin))
    return BuildingWalk(
        lambda: corridor, settings.radius, settings.speed, settings.step, np.concatenate(points),
        np.concatenate(velocities), np.concatenate(stands), (), NO_DISCS, None,
        np.concatenate(sheets), corridor.path.floors, corridor.path.links, tuple(parts),
    )  # fmt: skip


def _walk_part(
    part: Corridor, balls: Floats, sheets: Ints, settings: Settings, cost: Cost,
    forces: tuple[Force, ...], seed: int,
) -> Part:  # fmt: skip
    """Walk through one part; `balls` (n, 4) have their heights, `sheets` (n,) those of the part."""
    assert part.source is not None
    grid = part.source.index.grid
    paces = _paces(balls, sheets, cost)
    surface = find_horizons(part.balls, sheets, grid), paces
    fastest = settings._replace(speed=float(paces.max()))
    walker = _PartWalker(part, fastest, surface, forces, seed)
    walker.push_through()
    made = walker.samples()
    walker.release()
    points = np.ascontiguousarray(made["points"])
    stands = made["stands"]
    if stands is None:
        stands = np.zeros_like(points)
    stands[-1] = _last_heading(made["velocities"], stands)
    passed = sheets_along(points, int(sheets[0]), grid)
    return Part(points, made["velocities"], stands, passed, grid)


def _last_heading(velocities: Floats, stands: Floats) -> Floats:
    pace = hypot(*velocities.T)
    moves = np.flatnonzero(pace > 0.0)
    if not len(moves):
        return np.array(stands[-1])
    return np.array(velocities[moves[-1]] / pace[moves[-1]])


def _paces(balls: Floats, sheets: Ints, cost: Cost) -> Floats:
    """Return the greatest speed in plan at each ball, (n,) m/s."""
    paces = np.full(len(balls), cost.speed)
    plan, rise = hypot(*np.diff(balls[:, :2], axis=0).T), np.diff(balls[:, 2])
    slopes = [k for k, layer in enumerate(cost.building.layers) if not layer.is_level]
    for k in np.flatnonzero(np.isin(sheets[:-1], slopes) & (plan > 0.0)).tolist():
        seconds = cost.of_step(int(sheets[k]), float(plan[k]), float(rise[k]))
        paces[k] = plan[k] / seconds
    return paces


def _ride(lift: Lift, low: float, high: float, step: float) -> Floats:
    """Return the heights of a cabin every `step` seconds, from the call to the open doors, m."""
    steps = max(2, math.ceil(lift.seconds(high - low) / step))
    moved = (np.arange(steps + 1) * step - lift.wait - lift.door_time) * lift.speed
    gone = np.clip(moved, 0.0, abs(high - low))
    gone[-1] = abs(high - low)
    heights: Floats = low + math.copysign(1.0, high - low) * gone
    return heights
