"""Every tolerance of Footway, with its unit and the reason for its value."""

from __future__ import annotations

from typing import Final

GRID: Final = 0.001
"""m. Input is snapped to this grid, so that the Voronoi diagram's integer predicates are exact.
One millimetre is below what any survey or game level means."""

TOUCH: Final = 1e-6
"""m. Two lengths closer than this are the same length: a thousandth of the grid, and far above
the rounding of 64-bit coordinates in a map of up to 1,000 km."""

MARGIN: Final = 0.1
"""Share of the longer side of the obstacles' box that is added around obstacles without bounds."""

MAX_MAP_BYTES: Final = 512 * 2**20
"""bytes. A map file above this is refused before it is read: it is not a floor plan."""

MAX_GRID_CELLS: Final = 100_000_000
"""cells. A raster above this is refused: tracing it would not fit in memory."""

ON_WALL: Final = 1e-5
"""m. A Voronoi vertex with less clearance than this lies on a wall: snapping leaves no passage
below half the grid, so a real one has at least fifty times as much."""

CELLS_PER_WALL: Final = 4.0
"""Cells of the candidate grid per wall: about six candidates a cell in a city, and a build that
costs less than the Voronoi diagram."""

LANDMARKS: Final = 8
"""Vertices from which the way to every other is measured, for lower bounds: they halve the time of
a corridor in a city, and more of them cost what they save."""
