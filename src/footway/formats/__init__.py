"""Map files: one module per format, and `load`, which picks the right one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footway.formats.registry import load

if TYPE_CHECKING:
    from footway.formats.geojson import save_geojson

__all__ = ["load", "save_geojson"]


def __getattr__(name: str) -> Any:
    if name != "save_geojson":
        raise AttributeError(f"module 'footway.formats' has no attribute {name!r}")
    from footway.formats.geojson import (
        save_geojson,  # imports Shapely, which help texts do not need
    )

    return save_geojson
