"""Camera motions along paths (voronoi-roadmaps-2004, section 4).

import footway as fw

flight = fw.camera.motion(cmap.path((2, 3), (480, 451), radius=0.5))
flight.times, flight.positions, flight.directions, flight.speeds
"""

from __future__ import annotations

from footway.camera.following import follow
from footway.camera.motion import CameraMotion, motion
from footway.camera.speed import SpeedDiagram
from footway.camera.tour import Stop, Tour, tour

__all__ = ["CameraMotion", "SpeedDiagram", "Stop", "Tour", "follow", "motion", "tour"]
