"""Terrain that matters: table 1 and figures 1, 7 and 8 of miran-2013, and routes in the city.

One module for each figure or table; published numbers are in `scenes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.reproduce.machine import machine
from footway.reproduce.miran import queries, road, times, village, woods
from footway.reproduce.miran.effort import FULL, QUICK
from footway.reproduce.report import Report
from footway.reproduce.series import MAPS, run_all

if TYPE_CHECKING:
    from pathlib import Path

    from footway.reproduce.registry import Step

_STEPS: Final = (
    ("times", "Table 1: walks along routes", times),
    ("forest", "Figure 1: an adult and a child", woods),
    ("sigma", "Figure 7: five values of sigma", village),
    ("road", "Figure 8: MIRAN and the IRM", road),
    ("routes", "Weighted routes in the city", queries),
)

_METHOD: Final = (
    "Routes of figures 7 and 8 are drawn by hand in the paper, and so are ours, after what its "
    "text says about them. What is visible, and the ground along a line, are computed exactly, "
    "where the paper draws lines on pixels."
)
_REMARKS: Final = (
    MAPS,
    _METHOD,
    "Machine of the paper: AMD Phenom II X2, 3.2 GHz, one core. Ours uses one core too.",
)


def run(folder: Path, *, quick: bool, step: Step) -> Report:
    """Run table, figures and routes; pictures go to the folder."""
    sections = run_all(_STEPS, QUICK if quick else FULL, folder, step)
    title = "Routes and walks on terrain, reproduced"
    return Report("miran", title, machine(), sections, _REMARKS)
