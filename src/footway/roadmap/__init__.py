"""Roadmaps on a grid: GRM, RRM, RRM* and RRRM, in two and three dimensions.

Environment or Volume --space--> Space --grid, rrm, rrm_star, rrrm--> Roadmap --> CorridorMap
"""

from __future__ import annotations

from footway.roadmap.edits import Editor
from footway.roadmap.fake import FakeObstacle
from footway.roadmap.grid import grid
from footway.roadmap.measures import clearance_statistics, coverage, shortest_path_factor, sizes
from footway.roadmap.retraction import retract, rrrm
from footway.roadmap.roadmap import Roadmap
from footway.roadmap.rrm import rrm
from footway.roadmap.rrm_star import rrm_star
from footway.roadmap.verify import Verification, verify

__all__ = [
    "Editor",
    "FakeObstacle",
    "Roadmap",
    "Verification",
    "clearance_statistics",
    "coverage",
    "grid",
    "retract",
    "rrm",
    "rrm_star",
    "rrrm",
    "shortest_path_factor",
    "sizes",
    "verify",
]
