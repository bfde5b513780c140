"""The Corridor Map Method: figures and batches of cmm-2007, and the city of cmm-crowds-2008.

One module for each experiment; published numbers are at its top.
"""

from __future__ import annotations

from typing import Final

from footway.reproduce.cmm import graphs, obstacles, queries, shortcuts, variation
from footway.reproduce.cmm.setup import FULL, QUICK
from footway.reproduce.registry import MAPS

__all__ = ["FULL", "QUICK", "REMARKS", "STEPS", "TITLE"]

TITLE: Final = "The Corridor Map Method, reproduced"

STEPS: Final = (
    ("graphs", "Figures 1 to 7: graphs, corridors and paths", graphs.run),
    ("smooth", "Batch 1: random queries", queries.run_batch),
    ("obstacles", "Batch 2: dynamic obstacles", obstacles.run),
    ("shortcuts", "Batch 3: shorter paths", shortcuts.run),
    ("city", "The city: map, corridors and paths", queries.run_city),
    ("variation", "Path variation", variation.run),
)

_UNITS: Final = (
    "cmm-2007 counts in cells, 100 x 100 of them, and its characters move 6.3 cells/s in Game and "
    "29 cells/s in Field. Ours count in metres, walk 1.2 m/s with a radius of 0.25 m, at steps of "
    "0.1 s, as in cmm-crowds-2008."
)
_TIMES: Final = (
    "Our times are medians over several rounds, after one that warms up; `best` is the fastest "
    "round. One thread."
)
REMARKS: Final = (
    MAPS,
    _UNITS,
    _TIMES,
    "Machines of the papers: Pentium 4, 2.66 GHz (2007); Core2, 2.4 GHz, one core (2008).",
)
