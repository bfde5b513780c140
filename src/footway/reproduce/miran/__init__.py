"""Terrain that matters: table 1 and figures 1, 7 and 8 of miran-2013.

One module for each figure or table; published numbers are in `setup`.
"""

from __future__ import annotations

from typing import Final

from footway.reproduce.miran import road, times, village, woods
from footway.reproduce.miran.setup import FULL, QUICK
from footway.reproduce.registry import MAPS

__all__ = ["FULL", "QUICK", "REMARKS", "STEPS", "TITLE"]

TITLE: Final = "Routes and walks on terrain, reproduced"

STEPS: Final = (
    ("times", "Table 1: walks along routes", times.run),
    ("forest", "Figure 1: an adult and a child", woods.run),
    ("sigma", "Figure 7: five values of sigma", village.run),
    ("road", "Figure 8: MIRAN and the IRM", road.run),
)

_METHOD: Final = (
    "Routes of figures 7 and 8 are drawn by hand, in the paper and here; ours follow the "
    "description in its text. Visibility, and the terrain along a line, are computed exactly; the "
    "paper draws lines on pixels."
)
REMARKS: Final = (
    MAPS,
    _METHOD,
    "Machine of the paper: AMD Phenom II X2, 3.2 GHz, one core. Ours uses one core, too.",
)
