"""Black-and-white PNG: pixels of at least half brightness are walkable."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from footway.constants import MAX_GRID_CELLS
from footway.errors import BadFile
from footway.extras import optional_imports
from footway.formats.grid_tracing import from_grid
from footway.formats.registry import Format, read_bytes

with optional_imports():
    from PIL import Image, UnidentifiedImageError

if TYPE_CHECKING:
    from pathlib import Path

    from footway.arrays import Singles
    from footway.environment import Environment

FORMAT: Final = Format("black-and-white PNG", (".png",), starts=(b"\x89PNG",), note="with scale=")

_HALF: Final = 0.5

_DAMAGED: Final = (
    OSError, ValueError, SyntaxError, EOFError, LookupError, TypeError, OverflowError, struct.error,
    zlib.error,
)  # fmt: skip
"""Exceptions that Pillow raises for truncated or corrupt images."""


def load(path: Path, scale: float | None) -> Environment:
    """Return the environment in a PNG; the lower left corner is (0, 0), y points up.

    Raises:
        BadFile: no scale, or as `brightness`.
    """
    if scale is None:
        raise BadFile("a PNG does not contain the size of a pixel; give scale= in metres per pixel")
    white = brightness(path, formats=("PNG",)) >= _HALF
    return from_grid(white, scale=scale, name=path.stem)


def brightness(path: Path, *, formats: tuple[str, ...]) -> Singles:
    """Return (height, width) brightness of a picture, 0 (black) to 1 (white), row 0 on top.

    Colours are averaged; transparent pixels are white.

    Args:
        path: of the picture.
        formats: Pillow's names of the formats to accept.

    Raises:
        BadFile: missing, damaged, too large or not an image of these formats.
    """
    content = read_bytes(path)
    try:
        with warnings.catch_warnings():
            # Pillow only warns up to twice its limit; our own limit is checked below.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(content), formats=formats)
        return _values(picture)
    except BadFile:
        raise
    except Image.DecompressionBombError as error:
        raise BadFile(f"has more than {MAX_GRID_CELLS:,} pixels; scale it down") from error
    except _DAMAGED as error:
        kinds = " or ".join(f.replace("PPM", "PGM") for f in formats)
        reason = "" if isinstance(error, UnidentifiedImageError) else f" ({error})"
        raise BadFile(f"is damaged or not a {kinds} picture{reason:.120}") from error


def _values(picture: Image.Image) -> Singles:
    """Return brightness for any colour mode and depth."""
    if picture.width * picture.height > MAX_GRID_CELLS:
        raise BadFile(
            f"has {picture.width:,} x {picture.height:,} pixels, more than {MAX_GRID_CELLS:,}; "
            "scale it down or cut out the part that you need"
        )
    if picture.mode.startswith("I") or picture.mode == "F":
        # 16 bits: Pillow scales PGM of any depth to the full range.
        return np.asarray(picture, dtype=np.float32) / np.float32(65535)
    if picture.mode in {"L", "1"}:
        return np.asarray(picture.convert("L"), dtype=np.float32) / np.float32(255)
    coloured = picture.convert("RGBA")
    paper = Image.new("RGBA", coloured.size, "white")
    merged = Image.alpha_composite(paper, coloured).convert("RGB")
    mean: Singles = np.asarray(merged, dtype=np.float32).mean(axis=2)
    return mean / np.float32(255)
