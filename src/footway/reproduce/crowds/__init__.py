"""Crowds: the CPU load and the groups of cmm-crowds-2008, and the groups of voronoi-roadmaps-2004.

One module for each experiment; statements of the papers are at its top.
"""

from __future__ import annotations

from typing import Final

from footway.reproduce.crowds import groups, lanes, load, passage, wandering
from footway.reproduce.crowds.setup import FULL, QUICK
from footway.reproduce.registry import MAPS

__all__ = ["FULL", "QUICK", "REMARKS", "STEPS", "TITLE"]

TITLE: Final = "Crowds, reproduced"

STEPS: Final = (
    ("load", "The city: CPU load by the number of characters", load.run),
    ("groups", "Coherent groups in the city", groups.run),
    ("passage", "Groups and a narrow passage", passage.run),
    ("wandering", "Wandering in the city", wandering.run),
    ("lanes", "Two opposite flows in one corridor", lanes.run),
)

_PEOPLE: Final = (
    "Characters have a radius of 0.25 m and walk 1.2 m/s, at steps of 0.1 s, as in "
    "cmm-crowds-2008; in groups and in the corridor speeds differ by 10 % (standard deviation)."
)
REMARKS: Final = (
    MAPS,
    _PEOPLE,
    "CPU load: CPU time / simulated time, of one core, on one thread.",
    "Machine of cmm-crowds-2008: Core2, 2.4 GHz, one core.",
)
