"""Corridors through a building: over floors and links, with heights."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from footway.corridor.corridor import Corridor
from footway.corridor.kernels.surface import sheets_along

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor.building.path import BuildingPath
    from footway.environment import Building


@dataclass(frozen=True, eq=False, repr=False)
class BuildingCorridor(Corridor):
    """The corridor of a path through a building: see `Corridor`.

    Balls are discs in plan. Between two parts there is a ride in a lift.

    Attributes:
        parts: corridors in plan, one for each walked part.
        sheets: (n,) floor or part of a link of each ball: an index of `Building.layers`.
        path: the path that it surrounds.
        building: the building.

    Example:
        >>> import footway as fw
        >>> hall = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
        >>> gallery = fw.Environment.from_polygons(bounds=(0, 12, 10, 16))
        >>> stairs = fw.Stairs("A", ("0", (4, 8), (6, 8)), ("1", (4, 12), (6, 12)))
        >>> building = fw.Building([fw.Floor("0", hall), fw.Floor("1", gallery, 3)], [stairs])
        >>> cmap = fw.CorridorMap.build(building)
        >>> corridor = cmap.corridor((5, 1, "0"), (5, 14, "1"), radius=0.25)
        >>> corridor.goal, corridor.narrowest
        ((5.0, 14.0, 3.0), 1.0)

    """

    parts: tuple[Corridor, ...] = ()
    sheets: Ints = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    path: BuildingPath = field(default=None, repr=False)  # type: ignore[assignment]
    building: Building = field(default=None, repr=False)  # type: ignore[assignment]

    @classmethod
    def around(cls, path: BuildingPath, building: Building) -> BuildingCorridor:
        """Return the corridor around a path."""
        parts = tuple(part.corridor for part in path.parts)
        sheets = np.concatenate([_sheets_of(part) for part in parts])
        balls = np.concatenate([part.balls for part in parts])
        balls[:, 2] = building.heights(sheets, balls[:, :2])
        edges = np.concatenate([part.edges for part in parts])
        return cls(path.start, path.goal, path.radius, balls, 3, edges, parts[0].source,
                   parts, sheets, path, building)  # fmt: skip

    @cached_property
    def places(self) -> tuple[Ints, Floats]:
        """Pieces of the medial axis (n,) on which the balls lie, and shares of the pieces (n,)."""
        pieces, shares = zip(*(part.places for part in self.parts), strict=True)
        return np.concatenate(pieces), np.concatenate(shares)

    @property
    def left(self) -> Floats:
        """(n, 2) m. Nearest obstacle point on the left, in plan."""
        return np.concatenate([part.left for part in self.parts])

    @property
    def right(self) -> Floats:
        """(n, 2) m. Nearest obstacle point on the right, in plan."""
        return np.concatenate([part.right for part in self.parts])


def _sheets_of(part: Corridor) -> Ints:
    """Return the sheets of the balls of a part, (n,)."""
    assert part.source is not None
    grid = part.source.index.grid
    found: Ints = sheets_along(np.ascontiguousarray(part.backbone), grid.layers.start, grid)
    return found
