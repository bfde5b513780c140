"""Small map files for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]


def feature(coordinates: Any, kind: str | None = "walkable", of: str = "Polygon", **more: Any):
    """Return a GeoJSON feature."""
    properties = {"kind": kind, **more} if kind else more
    geometry = {"type": of, "coordinates": coordinates}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def box(x0: float, y0: float, x1: float, y1: float) -> list[Any]:
    """Return the coordinates of a GeoJSON polygon."""
    return [[[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]]


def collection(*features: Any, **more: Any) -> str:
    """Return a GeoJSON document."""
    return json.dumps({"type": "FeatureCollection", "features": features, **more})


def write_ros(folder: Path, pixels: Any, **keys: Any) -> Path:
    """Write a ROS map with a PGM picture of grey values, and return the YAML."""
    Image.fromarray(np.array(pixels, dtype=np.uint8)).save(folder / "map.pgm")
    keys = {"image": "map.pgm", "resolution": 0.5, "origin": [0, 0, 0], "negate": 0} | keys
    path = folder / "map.yaml"
    path.write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in keys.items()))
    return path
