"""Smooth roadmaps and cameras: figures 1, 3 to 9 and 11 of voronoi-roadmaps-2004.

One module for each figure and its claims; statements of the paper are at its top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.reproduce.registry import MAPS
from footway.reproduce.voronoi import (
    cameras,
    construction,
    corridors,
    diagram,
    queries,
    retraction,
    turns,
)
from footway.reproduce.voronoi.setup import FULL, QUICK, RADIUS, scene

if TYPE_CHECKING:
    from footway.reproduce.registry import Step
    from footway.reproduce.voronoi.setup import Effort

__all__ = ["FULL", "QUICK", "REMARKS", "STEPS", "TITLE", "prepare"]

TITLE: Final = "Smooth roadmaps and cameras, reproduced"

STEPS: Final = (
    ("construction", "Figure 1: building smooth roadmaps", construction.run),
    ("diagram", "Figure 3: the Voronoi diagram", diagram.run),
    ("retraction", "Figures 4 to 6: retracting samples and edges", retraction.run),
    ("blends", "Figure 7: circular blends", turns.run),
    ("queries", "Figure 8: answering queries", queries.run),
    ("corridors", "Figure 9: corridors for groups", corridors.run),
    ("cameras", "Figure 11: the speed of a camera", cameras.run),
)

_METHOD: Final = (
    f"A disc of {RADIUS:g} m; edges and blends keep twice that from walls where possible. "
    "Roadmaps have a road through every passage, which the paper leaves to other methods. Blends "
    "have the largest radius that fits; the paper halves the radius until it fits."
)
REMARKS: Final = (
    MAPS,
    _METHOD,
    "Our times are medians over several rounds, with kernels warm.",
    "Machine of the paper: Pentium IV, 2.4 GHz. Groups of 50 to 100: `footway reproduce crowds`.",
)


def prepare(effort: Effort, step: Step) -> None:
    """Build the roadmaps."""
    for name in dict.fromkeys((*effort.environments, queries.LARGE, effort.large)):
        with step(name, f"{name.capitalize()}: roadmap, blends and map"):
            scene(name)
