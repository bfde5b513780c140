"""The table of map formats, and `load`, which picks one by suffix or else by the first bytes.

A package can add a format: it declares an entry point in the group `footway.formats` that names a
`Format`. The built-in formats cannot be replaced.

    [project.entry-points."footway.formats"]
    dxf = "footway_dxf:FORMAT"
"""

from __future__ import annotations

from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, overload

from footway.errors import BadFile, BadInput
from footway.formats.source import read_bytes
from footway.validation import FARTHEST, number
from footway.validation import file as checked_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from footway.environment import Environment, Volume

ENTRY_POINTS: Final = "footway.formats"


class Format(NamedTuple):
    """A map format.

    Attributes:
        description: as listed in messages, e.g. "WKT".
        suffixes: lower case, with the dot.
        module: module with `load(path, scale)`, which returns an Environment or a Volume; of a mesh
            format, with `load_volume` and `load_footprint` (see `formats.solid.mesh`).
        starts: first bytes of its files, in any case, for files with an unknown suffix.
        note: what a file needs besides its suffix, e.g. "with scale=".
        content: "plan" (Environment), "volume" (Volume) or "mesh", which is cut into either.
        extra: what `pip install` must install for this format, e.g. "footway[mesh]".

    """

    description: str
    suffixes: tuple[str, ...]
    module: str
    starts: tuple[bytes, ...] = ()
    note: str = ""
    content: Literal["plan", "volume", "mesh"] = "plan"
    extra: str = ""


FORMATS: Final = (
    Format("GeoJSON", (".geojson", ".json"), "footway.formats.geojson", (b"{",)),
    Format(
        "WKT",
        (".wkt",),
        "footway.formats.wkt",
        (b"POLYGON", b"MULTIPOLYGON", b"GEOMETRYCOLLECTION"),
    ),
    Format("MovingAI", (".map",), "footway.formats.movingai", (b"type ",)),
    Format("ROS", (".yaml", ".yml"), "footway.formats.ros", (b"image:",), "with PGM or PNG"),
    Format("black-and-white PNG", (".png",), "footway.formats.png", (b"\x89PNG",), "with scale="),
    Format(
        "meshes",
        (".obj", ".ply", ".stl", ".glb", ".gltf"),
        "footway.formats.solid.mesh",
        content="mesh",
        extra="footway[mesh]",
    ),
    Format("MovingAI voxels", (".3dmap",), "footway.formats.solid.voxels", content="volume"),
)


def formats() -> Iterator[Format]:
    """Yield the built-in formats, then those of other packages.

    Raises:
        BadInput: another package's format cannot be imported.

    """
    yield from FORMATS
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        try:
            found = entry.load()
        except (ImportError, AttributeError) as error:
            raise BadInput(
                f"the map format {entry.name!r} ({entry.value}) cannot be imported: {error}; "
                "update or remove the package that provides it"
            ) from error
        yield found


def list_formats() -> str:
    """Return all formats with their suffixes on one line, for messages and help texts.

    Example:
        >>> list_formats().startswith("GeoJSON (.geojson, .json), WKT (.wkt), ")
        True

    """
    return ", ".join(
        f"{item.description} ({' '.join([', '.join(item.suffixes), item.note]).strip()})"
        for item in formats()
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
    In three dimensions: meshes (OBJ, PLY, STL, glTF), MovingAI `.3dmap`. `gallery:NAME` is a
    built-in map; `gallery:house` and `gallery:quake` are volumes. Other packages can add formats.

    Args:
        path: of the map file, or `gallery:NAME`.
        scale: metres per cell (MovingAI, 1 by default), per pixel (PNG, required) or per unit of
            the coordinates (GeoJSON, WKT and meshes, 1 by default). A ROS map has its own.
        resolution: m, side of the voxels into which a mesh is cut; returns a Volume.
        between: two heights in metres; returns the plan of a mesh or a volume between them, an
            Environment.
        up: "y" or "z", the vertical axis of a mesh. By default y in OBJ and glTF, z in PLY and
            STL.

    Raises:
        BadFile: missing, damaged, too large or of an unknown kind; the message gives the position.
        BadGeometry: nothing walkable, or polygons that cannot be repaired.
        BadInput: a mesh without resolution and heights, or conflicting options.

    Example:
        >>> load("gallery:field").bounds
        (0.0, 0.0, 47.0, 47.0)
        >>> load("gallery:house", between=(0.2, 2)).bounds
        (0.0, 0.0, 57.0, 40.0)

    """
    if resolution is not None and between is not None:
        raise BadInput("resolution= gives a volume and between= a plan; give one of them")
    options = _SolidOptions(resolution, between, up)
    if isinstance(path, str) and path.startswith("gallery:"):
        return _load_gallery(path, scale, options)
    if scale is not None:
        scale = _length(scale, "scale")
    file = checked_file(path)
    try:
        return _read(file, scale, options)
    except BadInput as error:
        raise type(error)(f"{file}: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise BadFile(f"{file}: is nested too deeply; this is not a map") from error
    except MemoryError as error:
        raise BadFile(f"{file}: does not fit in memory; cut out the part you need") from error


class _SolidOptions(NamedTuple):
    """The arguments of `load` for three-dimensional maps."""

    resolution: float | None
    between: tuple[float, float] | None
    up: str | None


def _load_gallery(path: str, scale: float | None, options: _SolidOptions) -> Environment | Volume:
    from footway.environment.gallery import make

    if scale is not None:
        raise BadInput(f"{path}: a built-in map is in metres already; leave out the scale")
    made: Environment | Volume = make(path.removeprefix("gallery:"))
    return _cut_if_requested(made, options, path)


def _read(file: Path, scale: float | None, options: _SolidOptions) -> Environment | Volume:
    found = _find_format(file)
    try:
        module = import_module(found.module)
        if found.content == "mesh":
            return _load_mesh(module, file, scale, options)
        if found.content == "plan" and any(option is not None for option in options):
            raise BadInput("is a plan; resolution=, between= and up= are for meshes")
        made: Environment | Volume = module.load(file, scale)
    except ModuleNotFoundError as error:
        if not found.extra:
            raise
        raise BadInput(
            f'reading {found.description} needs {error.name}: pip install "{found.extra}"'
        ) from error
    return _cut_if_requested(made, options, "a voxel map")


def _load_mesh(
    module: Any, file: Path, scale: float | None, options: _SolidOptions
) -> Environment | Volume:
    made: Environment | Volume
    if options.resolution is not None:
        resolution = _length(options.resolution, "resolution")
        made = module.load_volume(file, resolution=resolution, up=options.up, scale=scale)
    elif options.between is not None:
        made = module.load_footprint(file, between=options.between, up=options.up, scale=scale)
    else:
        raise BadInput(
            "is a mesh: give resolution= in metres for a volume, or between=(LOW, HIGH) for the "
            "plan of what stands between two heights"
        )
    return made


def _cut_if_requested(
    made: Environment | Volume, options: _SolidOptions, what: str
) -> Environment | Volume:
    """Return the map, or the plan between two heights if it is a volume."""
    from footway.environment import Volume

    if options.up is not None or (options.resolution is not None and not isinstance(made, Volume)):
        raise BadInput(f"{what} needs neither resolution= nor up=; these are for meshes")
    if not isinstance(made, Volume):
        if options.between is not None:
            raise BadInput(f"{what} is a plan already; leave out between=")
        return made
    if options.resolution is not None and options.resolution != made.resolution:
        raise BadInput(f"{what} has voxels of {made.resolution:g} m; leave out resolution=")
    if options.between is None:
        return made
    from footway.formats.solid.plan import cut_plan

    return cut_plan(made, options.between)


def _length(length: float, what: str) -> float:
    return number(length, what, "m", above=0.0, high=FARTHEST, error=BadInput)


def _find_format(path: Path) -> Format:
    """Return the format of a file: by suffix, or by its first bytes if the suffix is unknown."""
    for item in formats():
        if path.suffix.lower() in item.suffixes:
            return item
    start = read_bytes(path)[:4096].removeprefix(b"\xef\xbb\xbf").lstrip().upper()
    for item in formats():
        if any(start.startswith(first.upper()) for first in item.starts):
            return item
    if start[:2] in {b"P2", b"P5"}:
        raise BadFile("is a PGM picture without scale and origin; give the .yaml beside it")
    raise BadFile(f"is of an unknown kind; known are {list_formats()}, or gallery:NAME")
