"""Black-and-white PNG: pixels of at least half brightness are walkable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.errors import BadFile
from footway.formats.grid_tracing import from_grid
from footway.formats.raster import brightness

if TYPE_CHECKING:
    from pathlib import Path

    from footway.environment import Environment

_HALF: Final = 0.5


def load(path: Path, scale: float | None) -> Environment:
    """Return the environment in a PNG; the lower left corner is (0, 0), y points up.

    Raises:
        BadFile: no scale, or as `raster.brightness`.

    """
    if scale is None:
        raise BadFile("a PNG does not say how large a pixel is; give scale= in metres per pixel")
    white = brightness(path, formats=("PNG",)) >= _HALF
    return from_grid(white, scale=scale, name=path.stem)
