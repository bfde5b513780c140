"""Map files: one module per format, and `load`, which picks the right one."""

from __future__ import annotations

from footway.formats.geojson_writer import save_geojson
from footway.formats.registry import load

__all__ = ["load", "save_geojson"]
