"""Ground of several kinds, and routes that respect what a character prefers (miran-2013)."""

from __future__ import annotations

from footway.terrain.ground import Terrain
from footway.terrain.route import IndicativeRoute

__all__ = ["IndicativeRoute", "Terrain"]
