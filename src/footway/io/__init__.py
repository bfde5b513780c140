"""Files in and out: one module per format, and `load`, which finds the right one."""

from __future__ import annotations

from footway.io.dispatch import load
from footway.io.geojson_writer import save_geojson

__all__ = ["load", "save_geojson"]
