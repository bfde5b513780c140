"""Roadmaps: tables I, II and III and figures 1 to 6 of rrm-roadmaps-2006.

One module for each experiment; published numbers are at its top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.reproduce.roadmaps import discs, figures, tables
from footway.reproduce.roadmaps.setup import FULL, QUICK, SETTINGS, roadmaps_of, warm_up

if TYPE_CHECKING:
    from footway.reproduce.registry import Step
    from footway.reproduce.roadmaps.setup import Effort

__all__ = ["FULL", "QUICK", "REMARKS", "STEPS", "TITLE", "prepare"]

TITLE: Final = "Roadmaps, reproduced"

STEPS: Final = (
    ("environments", "Table I: the environments", tables.run_environments),
    ("sizes", "Table II: sizes, path lengths and query times", tables.run_sizes),
    ("guards", "Figure 1: guards and a connector", figures.run_guards),
    ("cycles", "Figures 2 and 3: adding useful cycles", figures.run_cycles),
    ("clearance", "Table III: clearance of retracted roadmaps", tables.run_clearance),
    ("views", "Figure 5: pictures of all roadmaps", figures.run_views),
    ("discs", "Figure 6: what clearance covers", discs.run),
)

_MAPS: Final = (
    "The paper's environments are not public. Ours have the same sizes, cells and kinds of "
    "obstacles, but other obstacles in other places: table I says where they differ. Numbers of "
    "nodes and lengths can therefore be compared as to their magnitude only."
)
_CELLS: Final = (
    "A cell is free if the object fits at every position in the closed cell. So a straight line "
    "through free cells is free of collisions everywhere, not only at samples; but every passage "
    "loses up to one cell of its width."
)
_CYCLES: Final = (
    "K is 1.5, as in the paper. Useful nodes are the points of the medial axis that shorten paths "
    "most, not those of algorithm 1, which on our maps mostly gives more nodes and longer paths; "
    "its results are listed below each part of table II. The threshold for useful nodes was chosen "
    "by the SPF of these four maps. Edges are reconnected by algorithm 2."
)
REMARKS: Final = (
    _MAPS,
    _CELLS,
    _CYCLES,
    "Our construction times are CPU times of one build, summed over all cores, with kernels warm.",
    "Machine of the paper: Pentium 4, 3 GHz, 1 GB.",
)


def prepare(effort: Effort, step: Step) -> None:
    """Load the compiled kernels, and build all roadmaps."""
    with step("warm up", "Loading the compiled kernels"):
        for name in ("field", "house"):
            warm_up(SETTINGS[name])
    for name in effort.environments:
        with step(name, f"{name.capitalize()}: GRM, RRM, RRM* and RRRM"):
            roadmaps_of(SETTINGS[name])
