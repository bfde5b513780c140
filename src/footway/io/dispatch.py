"""Find the loader for a file, by its suffix or else by how it begins."""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

from footway.errors import BadFile, BadInput
from footway.io.source import as_path, read_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

    from footway.environment import Environment

_Loader: TypeAlias = "Callable[[Path, float | None], Environment]"

_BY_SUFFIX: Final = {
    ".geojson": "geojson",
    ".json": "geojson",
    ".wkt": "wkt",
    ".map": "movingai",
    ".yaml": "ros",
    ".yml": "ros",
    ".png": "png",
}

_BY_START: Final = {
    b"{": "geojson",
    b"\x89PNG": "png",
    b"type ": "movingai",
    b"POLYGON": "wkt",
    b"MULTIPOLYGON": "wkt",
    b"GEOMETRYCOLLECTION": "wkt",
    b"image:": "ros",
}

_KINDS: Final = (
    "GeoJSON (.geojson, .json), WKT (.wkt), MovingAI (.map), ROS (.yaml with PGM or PNG), "
    "black-and-white PNG (.png with scale=), or gallery:NAME"
)


def load(path: str | os.PathLike[str], *, scale: float | None = None) -> Environment:
    """Return the environment in a map file.

    Formats: GeoJSON, WKT, MovingAI `.map`, ROS map (YAML with PGM or PNG), black-and-white PNG.
    `gallery:NAME` gives a built-in environment.

    Args:
        path: of the map file, or `gallery:NAME`.
        scale: metres per cell (MovingAI, 1 by default), per pixel (PNG, required) or per unit of
            the coordinates (GeoJSON and WKT, 1 by default). A ROS map brings its own.

    Raises:
        BadFile: missing, damaged, too large or of an unknown kind; one line that says where.
        BadGeometry: nothing walkable, or polygons that cannot be repaired.

    Example:
        >>> load("gallery:field").bounds
        (0.0, 0.0, 47.0, 47.0)

    """
    if isinstance(path, str) and path.startswith("gallery:"):
        if scale is not None:
            raise BadInput(f"{path}: a built-in map is in metres already; leave out the scale")
        from footway.environment.gallery import make

        return make(path.removeprefix("gallery:"))
    if scale is not None:
        _check_scale(scale)
    file = as_path(path)
    try:
        return _loader(file)(file, scale)
    except BadInput as error:
        raise type(error)(f"{file}: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise BadFile(f"{file}: is nested too deeply; this is not a map") from error
    except MemoryError as error:
        raise BadFile(f"{file}: does not fit in memory; cut out the part you need") from error


def _check_scale(scale: float) -> None:
    try:
        good = math.isfinite(scale) and scale > 0
    except TypeError:
        good = False
    if not good:
        raise BadInput(f"scale is {scale!r}; give a positive number of metres")


def _loader(path: Path) -> _Loader:
    """Return the loader for a file: by suffix, or by its first bytes where that is unknown."""
    name = _BY_SUFFIX.get(path.suffix.lower())
    if name is None:
        name = _sniff(path)
    loader: _Loader = import_module(f"footway.io.{name}").load
    return loader


def _sniff(path: Path) -> str:
    start = read_bytes(path)[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    for beginning, name in _BY_START.items():
        if start[: len(beginning)].upper() == beginning.upper():
            return name
    if start[:2] in {b"P2", b"P5"}:
        raise BadFile("is a PGM picture without scale and origin; give the .yaml beside it")
    raise BadFile(f"is of an unknown kind; known are {_KINDS}")
