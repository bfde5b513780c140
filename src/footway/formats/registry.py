"""The table of map formats, and `load`, which picks one by suffix or else by the first bytes.

Each module of this folder that declares `FORMAT: Final = Format(...)` is a format: adding one takes
one file. Another package adds a format by an entry point in the group `footway.formats` that names
its `Format`; the built-in formats cannot be replaced.

    [project.entry-points."footway.formats"]
    dxf = "footway_dxf:FORMAT"

Command line, scenarios, studio, messages and help texts read this table.
"""

from __future__ import annotations

import ast
import gc
import pkgutil
import re
import stat
from contextlib import contextmanager
from functools import cache
from importlib import import_module, metadata, resources
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, overload

from footway.constants import MAX_MAP_BYTES
from footway.errors import BadFile, BadInput

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from footway.environment import Environment, Volume

ENTRY_POINTS: Final = "footway.formats"

_CONTENTS: Final = ("plan", "mesh", "volume", "saved")
_DECLARATION: Final = re.compile(r"^FORMAT: Final = (Format\(.*?\))$\n^$", re.MULTILINE | re.DOTALL)


class Format(NamedTuple):
    """A map format.

    Attributes:
        description: as listed in messages, e.g. "WKT".
        suffixes: lower case, with the dot.
        module: module with `load(path, scale)`, which returns an Environment or a Volume; of a mesh
            format, with `load_volume` and `load_footprint` (see `formats.mesh`). By default the
            module that declares the format.
        starts: first bytes of its files, in any case, for files with an unknown suffix.
        note: what a file needs besides its suffix, e.g. "with scale=".
        content: "plan" (Environment), "volume" (Volume), "mesh", which is cut into either, or
            "saved": a corridor map or roadmap, which `CorridorMap.load` reads.
        extra: what `pip install` must install for this format, e.g. "footway[mesh]".
        one_file: False if a map refers to further files, so that it cannot be uploaded.
    """

    description: str
    suffixes: tuple[str, ...]
    module: str = ""
    starts: tuple[bytes, ...] = ()
    note: str = ""
    content: Literal["plan", "mesh", "volume", "saved"] = "plan"
    extra: str = ""
    one_file: bool = True


SAVED: Final = Format("corridor map or roadmap", (".fwmap",), content="saved")
"""Files of `CorridorMap.save` and `Roadmap.save`."""


def formats() -> Iterator[Format]:
    """Yield the built-in formats, then those of other packages.

    Raises:
        BadInput: another package's format cannot be imported.
    """
    yield from _built_in()
    yield SAVED
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        try:
            found = entry.load()
        except (ImportError, AttributeError) as error:
            raise BadInput(
                f"the map format {entry.name!r} ({entry.value}) cannot be imported: {error}; "
                "update or remove the package that provides it"
            ) from error
        yield found._replace(module=found.module or entry.module)


@cache
def _built_in() -> tuple[Format, ...]:
    """Read the declarations of the modules in this folder: plans, meshes, volumes.

    A declaration is read from the source, because help texts list the formats and must not wait for
    NumPy and Shapely. Where there is no source (a frozen program), the module is imported.
    """
    found = []
    package = import_module(__package__)
    for name in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        module, source = f"{__package__}.{name}", resources.files(package) / f"{name}.py"
        if not source.is_file():
            if declared := getattr(import_module(module), "FORMAT", None):
                found.append(declared._replace(module=module))
        elif text := _DECLARATION.search(source.read_text(encoding="utf-8")):
            call: Any = ast.parse(text[1], mode="eval").body
            values = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
            made = Format(*map(ast.literal_eval, call.args), **values)
            found.append(made._replace(module=module))
    return tuple(sorted(found, key=lambda item: _CONTENTS.index(item.content)))


def name_formats(*contents: str) -> str:
    """Return description and suffixes of the built-in formats with one of these contents, for help.

    Example:
        >>> name_formats("volume")
        'MovingAI voxels .3dmap'
    """
    chosen = (item for item in _built_in() if item.content in contents)
    return ", ".join(" ".join((item.description, *item.suffixes)) for item in chosen)


def content_of(name: str) -> str:
    """Return the content of the format that a file name's suffix belongs to; "" for none.

    Example:
        >>> content_of("house.STL"), content_of("gallery:house")
        ('mesh', '')
    """
    suffix = PurePath(name).suffix.lower()
    return (
        next((item.content for item in formats() if suffix in item.suffixes), "") if suffix else ""
    )


def is_saved(name: str) -> bool:
    """Return whether a file name is that of a saved corridor map or roadmap."""
    return content_of(name) == SAVED.content


def plans_in_one_file() -> tuple[str, ...]:
    """Return the suffixes of plans, drawn or saved, that refer to no further file."""
    plans = (item for item in formats() if item.content in ("plan", "saved") and item.one_file)
    return tuple(suffix for item in plans for suffix in item.suffixes)


def list_formats() -> str:
    """Return all formats with their suffixes on one line, for messages and help texts.

    Example:
        >>> "GeoJSON (.geojson, .json), MovingAI (.map), " in list_formats()
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

    Plans: GeoJSON, WKT, MovingAI grids, ROS maps, black-and-white PNG. In three dimensions: meshes
    (OBJ, PLY, STL, glTF) and MovingAI voxels. `gallery:NAME` is a built-in map; `gallery:house` and
    `gallery:quake` are volumes. Other packages can add formats.

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
    if isinstance(path, str) and path.startswith("gallery:"):
        from footway.environment.gallery import make

        if scale is not None:
            raise BadInput(f"{path}: a built-in map is in metres already; leave out the scale")
        made: Environment | Volume = make(path.removeprefix("gallery:"))
        return _cut_if_requested(made, path, resolution, between, up)
    from footway import validation  # imports NumPy, which help texts do not need

    if scale is not None:
        scale = _length(scale, "scale")
    file = validation.file(path)
    try:
        with no_garbage_collection():
            return _read(file, scale, resolution, between, up)
    except BadInput as error:
        if meant := validation.meant_built_in(file, "gallery"):
            raise BadFile(f"{file}: does not exist; did you mean {meant!r}?") from None
        raise type(error)(f"{file}: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise BadFile(f"{file}: is nested too deeply; this is not a map") from error
    except MemoryError as error:
        raise BadFile(f"{file}: does not fit in memory; cut out the part you need") from error


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Pause the collector, which would scan all lists of coordinates again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read(
    file: Path,
    scale: float | None,
    resolution: float | None,
    between: tuple[float, float] | None,
    up: str | None,
) -> Environment | Volume:
    found = find_format(file)
    if found is SAVED:
        raise BadInput("is a saved map; read it with CorridorMap.load")
    made: Environment | Volume
    try:
        module = import_module(found.module)
        if found.content != "mesh":
            if found.content == "plan" and any(
                option is not None for option in (resolution, between, up)
            ):
                raise BadInput("is a plan; resolution=, between= and up= are for meshes")
            made = module.load(file, scale)
            return _cut_if_requested(made, "a voxel map", resolution, between, up)
        if resolution is not None:
            made = module.load_volume(
                file, resolution=_length(resolution, "resolution"), up=up, scale=scale
            )
        elif between is not None:
            made = module.load_footprint(file, between=between, up=up, scale=scale)
        else:
            raise BadInput(
                "is a mesh: give resolution= in metres for a volume, or between=(LOW, HIGH) for "
                "a plan of the obstacles between two heights"
            )
    except ModuleNotFoundError as error:
        if not found.extra:
            raise
        raise BadInput(
            f'reading {found.description} needs {error.name}: pip install "{found.extra}"'
        ) from error
    return made


def _cut_if_requested(
    made: Environment | Volume,
    what: str,
    resolution: float | None,
    between: tuple[float, float] | None,
    up: str | None,
) -> Environment | Volume:
    """Return the map, or the plan between two heights if it is a volume."""
    from footway.environment import Volume

    if up is not None or (resolution is not None and not isinstance(made, Volume)):
        raise BadInput(f"{what} needs neither resolution= nor up=; these are for meshes")
    if not isinstance(made, Volume):
        if between is not None:
            raise BadInput(f"{what} is a plan already; leave out between=")
        return made
    if resolution is not None and resolution != made.resolution:
        raise BadInput(f"{what} has voxels of {made.resolution:g} m; leave out resolution=")
    if between is None:
        return made
    from footway.formats.grid_tracing import cut_plan

    return cut_plan(made, between)


def _length(length: float, what: str) -> float:
    from footway.validation import FARTHEST, number

    return number(length, what, "m", above=0.0, high=FARTHEST, error=BadInput)


def find_format(path: Path) -> Format:
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


def read_bytes(path: Path, *, limit: int = MAX_MAP_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Devices and pipes are rejected, because reading them may never end.

    Raises:
        BadFile: missing, a directory, not readable, empty or larger than `limit` bytes.
    """
    try:
        _check_file(path.stat(), limit)
        content = path.read_bytes()
    except BadFile:
        raise
    except FileNotFoundError as error:
        raise BadFile("does not exist; check the path") from error
    except OSError as error:
        raise BadFile(f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadFile(f"cannot be read: {error}; check the path") from error
    if not content.strip():
        raise BadFile("is empty; give another file")
    return content


def _check_file(status: os.stat_result, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise BadFile(f"is {kind}; give a file")
    if status.st_size > limit:
        raise BadFile(
            f"is {status.st_size / 2**20:,.0f} MiB, more than the {limit / 2**20:,.0f} MiB "
            "that a map may have; cut out the part that you need"
        )


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 (or ASCII) file, without a byte order mark.

    Raises:
        BadFile: as `read_bytes`, or the bytes are not text.
    """
    content = read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadFile(f"line {line}: is not text (byte {error.start}); give a text file") from error
