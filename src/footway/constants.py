"""Every tolerance of Footway, with its unit and the reason for its value, and shared names."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

GRID: Final = 0.001
"""m. Input is snapped to this grid, so that the Voronoi diagram's integer predicates are exact.
One millimetre is finer than any survey or game level."""

TOUCH: Final = 1e-6
"""m. Two lengths closer than this are the same length: a thousandth of the grid, and far above
the rounding of 64-bit coordinates in a map of up to 1,000 km."""

MARGIN: Final = 0.1
"""Margin around obstacles without bounds, as a share of the longer side of their bounding box."""

MAX_MAP_BYTES: Final = 512 * 2**20
"""bytes. Larger map files are rejected before they are read: they are not floor plans."""

MAX_GRID_CELLS: Final = 100_000_000
"""cells. Larger rasters are rejected: tracing them would not fit in memory."""

ON_WALL: Final = 1e-5
"""m. A Voronoi vertex with less clearance than this lies on a wall: after snapping no passage is
narrower than half the grid, so any other vertex has at least fifty times this clearance."""

CELLS_PER_WALL: Final = 4.0
"""Cells of the candidate grid per wall. In a city this gives about six candidates per cell, and
building the grid takes less time than the Voronoi diagram."""

LANDMARKS: Final = 8
"""Vertices from which the distance to every other vertex is stored, for lower bounds. Eight halve
the time of a corridor query in a city; more of them cost as much as they save."""

# -- names ---------------------------------------------------------------------------------------

RoadmapMethod: TypeAlias = Literal["grid", "rrm", "rrm_star", "rrrm", "voronoi_prm"]


class RoadmapName(NamedTuple):
    """Names of a roadmap method in texts and pictures."""

    paper: str
    title: str


ROADMAPS: Final[dict[RoadmapMethod, RoadmapName]] = {
    "grid": RoadmapName("GRM", "grid roadmap"),
    "rrm": RoadmapName("RRM", "reachability roadmap"),
    "rrm_star": RoadmapName("RRM*", "roadmap with useful cycles"),
    "rrrm": RoadmapName("RRRM", "retracted roadmap"),
    "voronoi_prm": RoadmapName("Voronoi-PRM", "Voronoi roadmap with blends"),
}
"""Roadmap methods: each is the name of its function in `footway.roadmap`, of `--method` on the
command line, of `Roadmap.method`, and of the layer in the studio."""
