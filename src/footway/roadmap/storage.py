"""A roadmap in one file: a zip of NumPy arrays and a JSON header, no pickle.

Of the space only what cannot be derived is stored: free cells, clearance of the corners, walls.
"""

from __future__ import annotations

import json
import math
import zipfile
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from footway import validation
from footway.environment.raster import Raster
from footway.errors import BadFile, BadInput
from footway.roadmap.fake import FakeObstacle
from footway.roadmap.roadmap import Roadmap
from footway.roadmap.space import space_of_raster

if TYPE_CHECKING:
    from os import PathLike

    from footway.roadmap.space import Space

FORMAT = "footway roadmap"
VERSION = 1

ENDLESS = "inf"
"""What stands for an infinite parameter: JSON has no such number."""

# Number of axes of each array and the kind of its numbers.
_SHAPES = {
    "nodes": (2, "<f8"), "edges": (2, "<i8"), "path_points": (2, "<f8"), "path_offsets": (1, "<i8"),
    "weights": (1, "<f8"), "free": (3, "?"), "clearance": (3, "<f8"), "walls": (2, "<f8"),
}  # fmt: skip

_DAMAGE = (
    OSError, ValueError, KeyError, EOFError, TypeError, IndexError, RuntimeError, MemoryError,
    AttributeError, zipfile.BadZipFile,
)  # fmt: skip
"""What reading a damaged archive can raise."""


def save(file: str | PathLike[str], roadmap: Roadmap) -> None:
    """Write a roadmap to a file."""
    header = _as_json(_header_of(roadmap))
    arrays: dict[str, Any] = {
        "header": np.frombuffer(header.encode(), np.uint8), "nodes": roadmap.nodes,
        "edges": roadmap.edges, "path_points": roadmap.path_points,
        "path_offsets": roadmap.path_offsets, "weights": roadmap.weights,
        "free": roadmap.space.free, "clearance": roadmap.space.corner_clearance,
        "walls": roadmap.space.walls,
    }  # fmt: skip
    try:
        with validation.file(file).open("wb") as stream:
            np.savez_compressed(stream, **arrays)
    except OSError as error:
        raise BadFile(f"{file}: cannot be written: {error.strerror}") from None


def load(file: str | PathLike[str]) -> Roadmap:
    """Read a roadmap; every array is checked before."""
    try:
        with validation.file(file).open("rb") as stream:
            check_archive(stream)
            with np.load(stream, allow_pickle=False) as archive:
                return _read(file, archive)
    except FileNotFoundError:
        raise BadFile(f"{file}: no such file") from None
    except BadFile:
        raise
    except (BadInput, *_DAMAGE) as error:
        raise BadFile(
            f"{file}: not a Footway roadmap, or damaged ({reason_of(error)}): build it again"
        ) from None


def is_roadmap(file: str | PathLike[str]) -> bool:
    """Tell whether a file holds a roadmap; false for everything else, damaged files too."""
    try:
        with (
            validation.file(file).open("rb") as stream,
            np.load(stream, allow_pickle=False) as archive,
        ):
            header = json.loads(bytes(archive["header"]))
            return isinstance(header, dict) and header.get("format") == FORMAT
    except _DAMAGE:
        return False


def check_archive(stream: IO[bytes]) -> None:
    """Raise ValueError for what is no zip: NumPy would advise to allow pickles."""
    if not zipfile.is_zipfile(stream):
        raise ValueError("it is no archive of arrays")
    stream.seek(0)


def reason_of(error: Exception) -> str:
    """Say in a few words why an archive could not be read."""
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    return "it holds objects, not only numbers" if "pickle" in words else words


def _as_json(header: dict[str, Any]) -> str:
    try:
        return json.dumps(header, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BadInput(
            f"the parameters of the roadmap cannot be written ({error}): give finite numbers, "
            "words and lists of them"
        ) from None


def _header_of(roadmap: Roadmap) -> dict[str, Any]:
    space = roadmap.space
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": "roadmap",
        "name": roadmap.name,
        "method": roadmap.method,
        "parameters": {
            name: ENDLESS if value == math.inf else value
            for name, value in roadmap.parameters.items()
        },
        "seconds": roadmap.seconds,
        "fake_obstacles": [fake.to_dict() for fake in roadmap.fake_obstacles],
        "space": {
            "origin": space.origin.tolist(),
            "resolution": space.resolution,
            "dimension": space.dimension,
            "radius": space.radius,
            "size": space.size.tolist(),
        },
    }


def _read(file: str | PathLike[str], archive: Any) -> Roadmap:
    header = json.loads(bytes(archive["header"]))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("another kind of file")
    if header.get("version") != VERSION:
        raise BadFile(
            f"{file}: written by another Footway (format {header.get('version')}, this one reads "
            f"{VERSION}): build it again or update Footway"
        )
    arrays = {name: _array(archive, name) for name in _SHAPES}
    roadmap = Roadmap.make(
        arrays["nodes"],
        arrays["edges"],
        _space(header["space"], arrays),
        method=header["method"],
        paths=(arrays["path_points"], arrays["path_offsets"]),
        weights=arrays["weights"],
        name=str(header["name"]),
        parameters={
            name: math.inf if value == ENDLESS else value
            for name, value in header["parameters"].items()
        },
        seconds=dict(header["seconds"]),
    )
    fakes = tuple(FakeObstacle.from_dict(fake) for fake in header["fake_obstacles"])
    return roadmap.with_changes(fake_obstacles=fakes) if fakes else roadmap


def _space(header: dict[str, Any], arrays: dict[str, Any]) -> Space:
    origin, size = (np.array(header[name], np.float64) for name in ("origin", "size"))
    dimension, resolution = int(header["dimension"]), float(header["resolution"])
    radius = float(header["radius"])
    free, clearance, walls = arrays["free"], arrays["clearance"], arrays["walls"]
    corners = tuple(np.add(free.shape, (dimension == 3, 1, 1)).tolist())
    flat = dimension == 2 and free.shape[0] == 1 and len(walls) > 0
    sound = (
        origin.shape == size.shape == (3,)
        and bool(np.isfinite([*origin, *size]).all())
        and 0.0 < resolution < np.inf
        and 0.0 <= radius < np.inf
        and (flat or dimension == 3)
        and walls.shape[1] == 4
        and clearance.shape == corners
        and free.size > 0
        and float(clearance.min()) >= 0.0
    )
    if not sound:
        raise ValueError("the arrays do not fit together")
    return space_of_raster(
        Raster(free, clearance, origin, resolution, dimension, walls, radius, size)
    )


def _array(archive: Any, name: str) -> Any:
    """One array, if it has the right number of axes, type and only finite numbers."""
    axes, kind = _SHAPES[name]
    array = archive[name]
    if array.ndim != axes or array.dtype != np.dtype(kind):
        raise ValueError(f"array {name} has the wrong shape or type")
    if kind == "<f8" and not np.isfinite(array).all():
        raise ValueError(f"array {name} has numbers that are not finite")
    return np.ascontiguousarray(array)
