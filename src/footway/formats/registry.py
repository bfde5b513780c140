"""Find the loader for a file, by its suffix or else by how it begins."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, overload

from footway.errors import BadFile, BadInput
from footway.formats.source import read_bytes
from footway.validation import FARTHEST, number
from footway.validation import file as checked_file

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

    from footway.environment import Environment, Volume

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

_MESHES: Final = (".obj", ".ply", ".stl", ".glb", ".gltf")
_VOXELS: Final = ".3dmap"

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
    "black-and-white PNG (.png with scale=), meshes (.obj, .ply, .stl, .glb, .gltf), "
    "MovingAI voxels (.3dmap), or gallery:NAME"
)


@overload
def load(
    path: str | os.PathLike[str],
    *,
    resolution: float,
    scale: float | None = ...,
    up: str | None = ...,
) -> Volume: ...
@overload
def load(
    path: str | os.PathLike[str],
    *,
    between: tuple[float, float],
    scale: float | None = ...,
    up: str | None = ...,
) -> Environment: ...
@overload
def load(path: str | os.PathLike[str], *, scale: float | None = ...) -> Environment | Any: ...
@overload
def load(
    path: str | os.PathLike[str],
    *,
    scale: float | None = ...,
    resolution: float | None = ...,
    between: tuple[float, float] | None = ...,
    up: str | None = ...,
) -> Environment | Any: ...
def load(
    path: str | os.PathLike[str],
    *,
    scale: float | None = None,
    resolution: float | None = None,
    between: tuple[float, float] | None = None,
    up: str | None = None,
) -> Environment | Volume:
    """Return the environment in a map file, or the volume in a three-dimensional one.

    Plans: GeoJSON, WKT, MovingAI `.map`, ROS map (YAML with PGM or PNG), black-and-white PNG.
    In three dimensions: meshes (OBJ, PLY, STL, glTF), MovingAI `.3dmap`. `gallery:NAME` gives a
    built-in environment; `gallery:house` and `gallery:quake` are volumes.

    Args:
        path: of the map file, or `gallery:NAME`.
        scale: metres per cell (MovingAI, 1 by default), per pixel (PNG, required) or per unit of
            the coordinates (GeoJSON, WKT and meshes, 1 by default). A ROS map brings its own.
        resolution: m, side of the voxels into which a mesh is cut: gives a Volume.
        between: two heights in metres: gives the plan of what a mesh or a volume has between
            them, an Environment.
        up: "y" or "z", the axis of a mesh that points up. By default y in OBJ and glTF, z in PLY
            and STL.

    Raises:
        BadFile: missing, damaged, too large or of an unknown kind; one line that says where.
        BadGeometry: nothing walkable, or polygons that cannot be repaired.
        BadInput: a mesh without resolution and heights, or options that do not go together.

    Example:
        >>> load("gallery:field").bounds
        (0.0, 0.0, 47.0, 47.0)
        >>> load("gallery:house", between=(0.2, 2)).bounds
        (0.0, 0.0, 57.0, 40.0)

    """
    if resolution is not None and between is not None:
        raise BadInput("resolution= gives a volume and between= a plan; give one of them")
    depth = _Depth(resolution, between, up)
    if isinstance(path, str) and path.startswith("gallery:"):
        return _built_in(path, scale, depth)
    if scale is not None:
        scale = _length(scale, "scale")
    file = checked_file(path)
    try:
        return _read(file, scale, depth)
    except BadInput as error:
        raise type(error)(f"{file}: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise BadFile(f"{file}: is nested too deeply; this is not a map") from error
    except MemoryError as error:
        raise BadFile(f"{file}: does not fit in memory; cut out the part you need") from error


class _Depth(NamedTuple):
    """What the caller wants of the third dimension."""

    resolution: float | None
    between: tuple[float, float] | None
    up: str | None


def _built_in(path: str, scale: float | None, depth: _Depth) -> Environment | Volume:
    from footway.environment.gallery import make

    if scale is not None:
        raise BadInput(f"{path}: a built-in map is in metres already; leave out the scale")
    made: Environment | Volume = make(path.removeprefix("gallery:"))
    return _of_voxels(made, depth, path)


def _read(file: Path, scale: float | None, depth: _Depth) -> Environment | Volume:
    suffix = file.suffix.lower()
    if suffix in _MESHES:
        return _of_mesh(file, scale, depth)
    if suffix == _VOXELS:
        from footway.formats.solid import voxels

        return _of_voxels(voxels.load(file, scale), depth, "a voxel map")
    loader = _loader(file)
    if any(wish is not None for wish in depth):
        raise BadInput("is a plan; resolution=, between= and up= are for meshes")
    return loader(file, scale)


def _of_mesh(file: Path, scale: float | None, depth: _Depth) -> Environment | Volume:
    from footway.formats.solid import mesh

    if depth.resolution is not None:
        resolution = _length(depth.resolution, "resolution")
        return mesh.load_volume(file, resolution=resolution, up=depth.up, scale=scale)
    if depth.between is not None:
        return mesh.load_footprint(file, between=depth.between, up=depth.up, scale=scale)
    raise BadInput(
        "is a mesh: give resolution= in metres for a volume, or between=(LOW, HIGH) for the plan "
        "of what stands between two heights"
    )


def _of_voxels(made: Environment | Volume, depth: _Depth, what: str) -> Environment | Volume:
    """Return what has its voxels already, or the plan that is cut from them."""
    from footway.environment import Volume

    if depth.up is not None or (depth.resolution is not None and not isinstance(made, Volume)):
        raise BadInput(f"{what} needs neither resolution= nor up=; these are for meshes")
    if not isinstance(made, Volume):
        if depth.between is not None:
            raise BadInput(f"{what} is a plan already; leave out between=")
        return made
    if depth.resolution is not None and depth.resolution != made.resolution:
        raise BadInput(f"{what} has voxels of {made.resolution:g} m; leave out resolution=")
    if depth.between is None:
        return made
    from footway.formats.solid.plan import cut_plan

    return cut_plan(made, depth.between)


def _length(length: float, what: str) -> float:
    return number(length, what, "m", above=0.0, high=FARTHEST, error=BadInput)


def _loader(path: Path) -> _Loader:
    """Return the loader for a file: by suffix, or by its first bytes where that is unknown."""
    name = _BY_SUFFIX.get(path.suffix.lower())
    if name is None:
        name = _sniff(path)
    loader: _Loader = import_module(f"footway.formats.{name}").load
    return loader


def _sniff(path: Path) -> str:
    start = read_bytes(path)[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    for beginning, name in _BY_START.items():
        if start[: len(beginning)].upper() == beginning.upper():
            return name
    if start[:2] in {b"P2", b"P5"}:
        raise BadFile("is a PGM picture without scale and origin; give the .yaml beside it")
    raise BadFile(f"is of an unknown kind; known are {_KINDS}")
