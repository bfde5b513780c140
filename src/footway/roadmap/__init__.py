"""Roadmaps: GRM, RRM, RRM* and RRRM on a grid, in two and three dimensions, and Voronoi-PRM.

Environment or Volume --space--> Space --grid, rrm, rrm_star, rrrm--> Roadmap --> CorridorMap
"""

from __future__ import annotations

from footway.roadmap.edits import Editor
from footway.roadmap.fake_obstacles import FakeObstacle
from footway.roadmap.lattice.grid import grid
from footway.roadmap.lattice.rrm import rrm
from footway.roadmap.lattice.rrm_star import add_useful_nodes, rrm_star
from footway.roadmap.lattice.rrrm import retract, rrrm
from footway.roadmap.maps.space_map import SpaceMap
from footway.roadmap.measures import (
    Verification,
    clearance_statistics,
    coverage,
    shortest_path_factor,
    sizes,
    verify,
)
from footway.roadmap.roadmap import Roadmap
from footway.roadmap.voronoi.blends import Blends, blends
from footway.roadmap.voronoi.voronoi_prm import voronoi_prm

__all__ = [
    "Blends", "Editor", "FakeObstacle", "Roadmap", "SpaceMap", "Verification", "add_useful_nodes",
    "blends", "clearance_statistics", "coverage", "grid", "retract", "rrm", "rrm_star", "rrrm",
    "shortest_path_factor", "sizes", "verify", "voronoi_prm",
]  # fmt: skip
