"""A surface of flat sheets that are glued along seams: the plan of a building.

Sheets are parts of floors and links. They may lie above each other in plan. The ends of a seam are
corners of the walls of both sheets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points
from footway.environment.lattice import steps_per_metre
from footway.environment.walls import Walls, segments_of
from footway.errors import BadGeometry
from footway.validation import as_text

if TYPE_CHECKING:
    from footway.arrays import Floats

FIT: Final = 0.01
"""m. An end of a portal is moved onto a border, or a corner, that is at most this far away."""


class Sheet(NamedTuple):
    """A flat part of a surface."""

    name: str
    polygon: shapely.MultiPolygon
    walls: Walls  # its border without the seams, and the obstacles in it


class Seam(NamedTuple):
    """A straight line along which two sheets are glued; seen from a to b, `left` is on its left."""

    left: int
    right: int
    ends: tuple[float, float, float, float]  # ax, ay, bx, by in m, on the grid


class Border:
    """Rings around a sheet, in which portals are opened.

    Attributes:
        name: of the sheet, for messages.
        rings: closed (n, 2) m, with free space on the left.
        open: portals (4,) that were opened, with the sheet on their left.
    """

    def __init__(self, name: str, polygon: shapely.MultiPolygon) -> None:
        self.name, self._polygon = name, polygon
        parts = shapely.get_parts(shapely.orient_polygons(polygon))
        self._holes = [len(shapely.get_rings(part)) for part in parts]
        self.rings = [shapely.get_coordinates(ring) for ring in shapely.get_rings(parts)]
        self.open: list[tuple[float, float, float, float]] = []

    def fit(self, end: Floats, what: str, grid: float) -> Floats:
        """Return the corner of the border nearest to an end of a portal, added if there is none.

        Raises:
            BadGeometry: the end is farther than FIT from the border.
        """
        distance, ring, after, foot = min(
            (self._nearest(k, end) for k in range(len(self.rings))), key=lambda found: found[0]
        )
        if distance > FIT:
            inside = shapely.intersects_xy(self._polygon, *end)
            advice = (
                f"{self.name} continues there; make an obstacle of the space of {what}"
                if inside
                else "both ends must lie on one straight wall"
            )
            raise BadGeometry(
                f"the portal of {what} ends at {as_text(end)}, {distance:.2f} m from the border of "
                f"{self.name}: {advice}"
            )
        corners = self.rings[ring]
        for corner in (corners[after], corners[after + 1]):
            if hypot(*(corner - end)) <= FIT:
                return np.array(corner)
        per_metre = steps_per_metre(grid)
        place = np.rint(foot * per_metre) / per_metre
        self.rings[ring] = np.insert(corners, after + 1, place, axis=0)
        return np.array(place)

    def move(self, end: Floats, to: Floats, what: str, grid: float) -> None:
        """Move the border's corner near an end of a portal to where the neighbour has it."""
        corner = self.fit(end, what, grid)
        for ring in self.rings:
            ring[hypot(*(ring - corner).T) == 0.0] = to

    def _nearest(self, ring: int, end: Floats) -> tuple[float, int, int, Floats]:
        corners = self.rings[ring]
        feet = closest_points(
            np.tile(end, (len(corners) - 1, 1)), np.hstack([corners[:-1], corners[1:]])
        )
        distance = hypot(*(feet - end).T)
        after = int(np.argmin(distance))
        return float(distance[after]), ring, after, feet[after]

    def cut(self, a: Floats, b: Floats, what: str) -> tuple[Floats, Floats]:
        """Open the border between two of its corners; return them with the sheet on the left.

        Raises:
            BadGeometry: the border between them is not one straight line.
        """
        for k, ring in enumerate(self.rings):
            closed = ring[:-1]
            at = [np.flatnonzero(hypot(*(closed - end).T) == 0.0) for end in (a, b)]
            for i in at[0].tolist():
                for j in at[1].tolist():
                    for first, last, ends in ((i, j, (a, b)), (j, i, (b, a))):
                        if self._open_between(k, first, last):
                            self.open.append((*ends[0].tolist(), *ends[1].tolist()))
                            return ends
        raise BadGeometry(
            f"the portal of {what} from {as_text(a)} to {as_text(b)} is not on a border of "
            f"{self.name}: both ends must lie on one straight wall"
        )

    def _open_between(self, ring: int, first: int, last: int) -> bool:
        """Drop the corners between two of a ring if they are in line; whether they are."""
        closed = self.rings[ring][:-1]
        n = len(closed)
        between = [(first + 1 + k) % n for k in range((last - first - 1) % n)]
        if between:
            line = np.tile(np.concatenate([closed[first], closed[last]]), (len(between), 1))
            gap = hypot(*(closed[between] - closest_points(closed[between], line)).T)
            if gap.max() > FIT or len(between) > n - 3:
                return False
        kept = np.delete(closed, between, axis=0)
        self.rings[ring] = np.concatenate([kept, kept[:1]])
        return True

    def sheet(self, lines: shapely.MultiLineString, points: shapely.MultiPoint) -> Sheet:
        """Return the sheet within this border, with walls without thickness and points inside."""
        polygons, begin = [], 0
        for count in self._holes:
            rings = self.rings[begin : begin + count]
            polygons.append(shapely.Polygon(rings[0], rings[1:]))
            begin += count
        around = segments_of([shapely.LinearRing(ring) for ring in self.rings])
        opened = {tuple(line) for line in self.open}
        is_wall = np.array([tuple(row) not in opened for row in around.tolist()])
        inside = segments_of(shapely.get_parts(lines))
        segments = np.concatenate([around[is_wall], inside])
        two_sided = np.arange(len(segments)) >= is_wall.sum()
        walls = Walls(segments, two_sided, shapely.get_coordinates(points))
        return Sheet(self.name, shapely.MultiPolygon(polygons), walls)
