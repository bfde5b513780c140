"""Walkable space, named areas and terrain, built from raw geometry that is repaired on input."""

from __future__ import annotations

from footway.environment.building import Building, Floor
from footway.environment.environment import Area, Environment, TerrainRegion
from footway.environment.input_geometry import InputGeometry, Pieces
from footway.environment.links import Escalator, Lift, Ramp, Stairs
from footway.environment.raster import Raster, rasterise
from footway.environment.repair import Repair
from footway.environment.volume import Volume
from footway.environment.walls import Walls

__all__ = [
    "Area", "Building", "Environment", "Escalator", "Floor", "InputGeometry", "Lift", "Pieces",
    "Ramp", "Raster", "Repair", "Stairs", "TerrainRegion", "Volume", "Walls", "rasterise",
]  # fmt: skip
