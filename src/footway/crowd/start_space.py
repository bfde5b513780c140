"""Report where random start points were chosen: connected parts of the space, how many fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway.corridor.kernels.query import are_connected
from footway.crowd.free_space import FreeSamples, sample_free_space

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.corridor import CorridorMap
    from footway.environment.areas import Polygon


_SMALL: Final = 0.02  # share of the space that may be unused before `warning` mentions it


class StartPart(NamedTuple):
    """A part of the start space: the characters can walk inside it but not leave it."""

    at: tuple[float, float]  # m, its point with the greatest clearance
    area: float  # m2 in which centres of the discs can be
    capacity: int  # about how many fit if nobody else is there
    starts: int  # number of start points in it


@dataclass(frozen=True, eq=False)
class StartSpace:
    """The space from which random start points of characters were chosen.

    Without an area, start points are chosen in the largest part of the map that is connected for
    the widest of the characters.

    Attributes:
        name: of the population.
        radius: m, of the widest character.
        starts: (n, 2) m, the start points.

    """

    name: str
    radius: float
    starts: Floats = field(repr=False)
    cmap: CorridorMap = field(repr=False)
    polygon: Polygon | None = field(repr=False)  # None: the whole map

    @cached_property
    def parts(self) -> tuple[StartPart, ...]:
        """Parts of the area, or of the map, that are connected for the radius, largest first.

        They are found on a grid of at least 2,000 points: capacities are accurate to a few per
        cent, and parts smaller than a cell of the grid may be missing.
        """
        free = sample_free_space(self.cmap, self.polygon)
        fits = np.flatnonzero(free.clearance > self.radius)
        points = np.concatenate([free.points[fits], self.starts])
        index = self.cmap.solver.index
        pieces = self.cmap.locate(points).piece if len(points) else np.empty(0, np.int64)
        rest, found = np.ones(len(points), bool), []
        while rest.any():
            first = int(np.flatnonzero(rest)[0])
            part = are_connected(pieces[first], pieces, self.radius, index) & rest
            part[first] = True
            rest &= ~part
            rows = fits[part[: len(fits)]]
            here = FreeSamples(free.points[rows], free.clearance[rows], free.cell)
            starts = int(part[len(fits) :].sum())
            x, y = here.points[here.clearance.argmax()] if len(rows) else points[first]
            found.append(
                StartPart(
                    (float(x), float(y)),
                    len(rows) * free.cell[0] * free.cell[1],
                    max(here.capacity(self.radius), starts),
                    starts,
                )
            )
        return tuple(sorted(found, key=lambda part: (-part.capacity, part.at)))

    @property
    def capacity(self) -> int:
        """About how many of the characters fit into all parts."""
        return sum(part.capacity for part in self.parts)

    @property
    def warning(self) -> str:
        """One sentence if much of the space is not used because it is disconnected; else ""."""
        used = [part for part in self.parts if part.starts]
        inside = sum(part.capacity for part in used)
        if not used or inside >= (1.0 - _SMALL) * self.capacity:
            return ""
        x, y = used[0].at
        where = "the map" if self.polygon is None else "their area"
        return (
            f"{self.name or 'characters'}: with a radius of {self.radius:g} m {where} falls into "
            f"{len(self.parts)} parts without a path between them; the {len(self.starts):,} start "
            f"points are in {len(used)} of them, around ({x:.1f}, {y:.1f}), where about "
            f"{inside:,} of {self.capacity:,} fit"
        )
