"""Paths through a building: over floors and links, with heights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footway.corridor.path import Path

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor.path import TautPath


@dataclass(frozen=True, eq=False, repr=False)
class BuildingPath(Path):
    """A path of a disc through a building.

    Attributes:
        start: where it begins, (x, y, z) in metres.
        goal: where it ends.
        points: (n, 3) m.
        sheets: (n - 1,) floor or part of a link on which each step lies: an index of
            `Building.layers`. A ride in a lift is one step.
        length: along the slope, m; a ride counts its height.
        plan_length: in plan, m, without rides.
        seconds: s, at the walking speed of the query and with the speeds of the links.
        clearance: least distance to a wall in plan, m, measured.
        floors: names of the floors, in the order of visiting.
        links: names of the links, in the order of use.
        method: "shortest": of all sequences of links the one of least length or time, and in it
            the shortest path in plan; "limited": the search for sequences was cut off.
        parts: shortest paths in plan, one for each part between rides.
        by: what was minimised, "length" or "time".

    Example:
        >>> import footway as fw
        >>> hall = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
        >>> gallery = fw.Environment.from_polygons(bounds=(0, 12, 10, 16))
        >>> stairs = fw.Stairs("A", ("0", (4, 8), (6, 8)), ("1", (4, 12), (6, 12)))
        >>> building = fw.Building([fw.Floor("0", hall), fw.Floor("1", gallery, 3)], [stairs])
        >>> path = fw.CorridorMap.build(building).path((5, 1, "0"), (5, 14, "1"), radius=0.25)
        >>> path.length, path.plan_length, path.floors, path.links
        (14.0, 13.0, ('0', '1'), ('A',))

    """

    start: tuple[float, ...]
    goal: tuple[float, ...]
    radius: float
    points: Floats
    sheets: Ints
    length: float
    plan_length: float
    seconds: float
    clearance: float
    floors: tuple[str, ...]
    links: tuple[str, ...]
    method: str
    parts: tuple[TautPath, ...]
    by: str = "length"

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle."""
        return dict(self.__dict__)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return super().to_dict() | {
            "plan_length": self.plan_length,
            "seconds": self.seconds,
            "floors": list(self.floors),
            "links": list(self.links),
            "by": self.by,
        }

    def __repr__(self) -> str:
        return (
            f"Path({self.length:.2f} m, {self.seconds:.0f} s, clearance {self.clearance:.3f} m, "
            f"floors {', '.join(self.floors)}, links {', '.join(self.links) or 'none'}, "
            f"radius {self.radius:g} m)"
        )
