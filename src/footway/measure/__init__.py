"""Density, speed and flow of recorded crowds, with the definitions of PedPy and the literature.

from footway import measure

area = [(15, 0), (20, 0), (20, 4), (15, 4)]
measure.classic_density(recording, area)        # (frames,) persons per m2
measure.voronoi_density(recording, area)        # (frames,) likewise, by Voronoi cells
measure.mean_speed(recording, area)             # (frames,) m/s
measure.crossings(recording, ((20, 0), (20, 4)))
"""

from __future__ import annotations

from footway.measure.density import classic_density, voronoi_density
from footway.measure.flow import Crossings, crossings, flow
from footway.measure.speed import mean_speed, speeds

__all__ = [
    "Crossings", "classic_density", "crossings", "flow", "mean_speed", "speeds", "voronoi_density",
]  # fmt: skip
