"""Triangle meshes, read by trimesh: OBJ, PLY, STL, glTF.

A mesh becomes a Volume of voxels at a resolution, or a plan between two heights. The vertical axis
is by convention y in OBJ and glTF and z in PLY and STL; `up=` overrides it. With y up, (x, y, z) of
the file is (x, -z, y) here, which rotates the model without mirroring it.
"""

from __future__ import annotations

import base64
import io
import json
import struct
import warnings
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import numpy as np

from footway.constants import GRID, MAX_MAP_BYTES
from footway.environment import Repair
from footway.errors import BadFile, BadGeometry, BadInput
from footway.formats.mesh_bodies import Surface, join
from footway.formats.registry import Format, read_bytes
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from footway.arrays import Floats
    from footway.environment import Environment, Volume

FORMAT: Final = Format(
    "meshes",
    (".obj", ".ply", ".stl", ".glb", ".gltf"),
    content="mesh",
    extra="footway[mesh]",
    one_file=False,
)

_Z_UP: Final = (".ply", ".stl")
_DAMAGED: Final = (
    OSError, ImportError, ValueError, NameError, SyntaxError, EOFError, LookupError, TypeError,
    AttributeError, ArithmeticError, NotImplementedError, AssertionError, RecursionError,
    struct.error, zlib.error,
)  # fmt: skip
"""Exceptions that trimesh raises for truncated or corrupt files; ImportError because it tries other
packages to read text in unusual encodings."""

_FARTHEST: Final = 1e6
"""m. A mesh that reaches farther than 1,000 km from its origin has other units than metres."""


def load_volume(
    path: Path, *, resolution: float, up: str | None = None, scale: float | None = None
) -> Volume:
    """Return the voxels of a mesh, within its box.

    Closed bodies are solid inside; of open ones only the surface is solid. The inside of a closed
    body whose faces point inward is a room, which is free. `repairs` lists the defects found.

    Args:
        path: of the mesh.
        resolution: m, side of a voxel.
        up: "y" or "z"; by default the convention of the format.
        scale: metres per unit of the mesh, 1 by default.

    Raises:
        BadFile: no mesh, damaged, without faces.
        BadGeometry: no voxel is free, or coordinates are not finite.
        BadInput: the resolution is too fine for the available memory.
        ModuleNotFoundError: trimesh is missing.
    """
    from footway.formats.mesh_voxels import voxelise

    surface = read_surface(path, up=up, scale=scale)
    return voxelise(surface, resolution=resolution, name=path.stem)


def load_footprint(
    path: Path, *, between: tuple[float, float], up: str | None = None, scale: float | None = None
) -> Environment:
    """Return the walkable plan of a mesh between two heights, m.

    Obstacles are the projections of all parts of the mesh between the heights, and what they
    enclose: a wall without thickness becomes a line, a closed body a polygon. The bounds are the
    bounding box of the whole mesh. Other arguments and errors are those of `load_volume`.
    """
    from footway.formats.mesh_footprint import footprint

    return footprint(read_surface(path, up=up, scale=scale), between=between, name=path.stem)


def read_surface(path: Path, *, up: str | None = None, scale: float | None = None) -> Surface:
    """Return the triangles of a mesh file in metres, z up, on the grid of 1 mm."""
    if up not in {None, "y", "z"}:
        raise BadInput(f"up is {up!r}; give 'y' or 'z'")
    corners, ignored = _read(read_bytes(path), path)
    if not len(corners):
        raise BadFile("is a mesh without faces; give one that has triangles")
    corners = corners * (1.0 if scale is None else scale)
    _check_reach(corners)
    if (up or ("z" if path.suffix.lower() in _Z_UP else "y")) == "y":
        corners = np.stack([corners[..., 0], -corners[..., 2], corners[..., 1]], axis=-1)
    surface = join(corners)
    if not len(surface.faces):
        raise BadFile(
            f"has no face wider than {GRID * 1000:g} mm; give scale= in metres per unit of the mesh"
        )
    notes = [Repair("ignored", surface.middle, note) for note in ignored]
    return surface._replace(repairs=(*notes, *surface.repairs))


def _check_reach(corners: Floats) -> None:
    """Raise an error for coordinates that are not finite or too large to resolve millimetres."""
    bad = np.flatnonzero(~np.isfinite(corners).all(axis=(1, 2)))
    if len(bad):
        raise BadGeometry(
            f"has {len(bad):,} faces with coordinates that are not finite, first face {bad[0] + 1} "
            f"of {len(corners):,}; check the file"
        )
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    axis = int(np.argmax(np.maximum(-low, high)))
    if max(-low[axis], high[axis]) >= _FARTHEST:
        middle = ", ".join(f"{value:,.0f}" for value in (0.5 * (low + high)).tolist())
        raise BadGeometry(
            f"reaches from {'xyz'[axis]} = {low[axis]:,.0f} to {high[axis]:,.0f} m, beyond 1,000 "
            f"km; move it near to the origin (its middle is {middle}), or give scale= in metres "
            "per unit of the mesh"
        )


def _read(content: bytes, path: Path) -> tuple[Floats, list[str]]:
    """Return (n, 3, 3) corners of all triangles in the units of the file, and the omissions."""
    import trimesh

    kind = path.suffix.lower().removeprefix(".")
    if kind == "obj":
        # Comments and names may be in any encoding; numbers are ASCII.
        content = content.decode("ascii", "replace").encode()
    try:
        if kind == "gltf":
            content = _with_buffers(content, path.parent)
        with _quiet(trimesh):
            loaded = trimesh.load(io.BytesIO(content), file_type=kind, process=False)
            corners, ignored = _triangles(loaded)
    except BadFile:
        raise
    except _DAMAGED as error:
        # The message of trimesh is about its internal arrays.
        raise BadFile(
            f"cannot be read: it is damaged, empty or not a {kind.upper()} mesh; save it again"
        ) from error
    if corners.shape[1:] != (3, 3):
        raise BadFile("has faces that are not triangles in space; save it again as a triangle mesh")
    return corners, ignored


@contextmanager
def _quiet(trimesh: Any) -> Iterator[None]:
    """Silence the warnings of trimesh about corrupt numbers: the result is checked anyway."""
    log = trimesh.util.log
    was, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.disabled = was


def _triangles(loaded: Any) -> tuple[Floats, list[str]]:
    """Return the triangles of a mesh, or of all nodes of a scene in world coordinates."""
    if hasattr(loaded, "triangles"):
        return np.asarray(loaded.triangles, dtype=np.float64), []
    found, ignored = [np.empty((0, 3, 3))], []
    for node in getattr(getattr(loaded, "graph", None), "nodes_geometry", ()):
        matrix, name = loaded.graph[node]
        shape = loaded.geometry[name]
        if hasattr(shape, "triangles"):
            corners = np.asarray(shape.triangles, dtype=np.float64)
            turned = (corners[:, :, None, :] * matrix[:3, :3]).sum(axis=-1)
            found.append(turned + matrix[:3, 3])
        else:
            ignored.append(f"{name!r} has no faces and is left out")
    return np.concatenate(found), ignored


def _with_buffers(content: bytes, folder: Path) -> bytes:
    """Return a glTF document with all buffers embedded, and without materials and images.

    The URI of a buffer is a data URI or a relative path (glTF 2.0, section 3.6.1). Only files in
    the folder of the .gltf or below it are read, so that an untrusted map cannot open others.

    Raises:
        BadFile: a buffer is missing, too large, too short or outside the folder.
        ValueError: the document is not glTF (includes `json.JSONDecodeError`).
    """
    document = json.loads(content)
    left = MAX_MAP_BYTES
    for buffer in document.get("buffers", ()):
        uri = buffer.get("uri")
        if isinstance(uri, str) and not uri.startswith("data:"):
            raw = _read_buffer(uri, folder, limit=left)
            if len(raw) < int(buffer.get("byteLength", 0)):
                raise BadFile(
                    f"its buffer {shown(uri)} has {len(raw)} bytes instead of "
                    f"{buffer['byteLength']}; save the model again"
                )
            left -= len(raw)
            text = base64.b64encode(raw).decode("ascii")
            buffer["uri"] = f"data:application/octet-stream;base64,{text}"
    for mesh in document.get("meshes", ()):
        for primitive in mesh.get("primitives", ()):
            primitive.pop("material", None)
    for name in ("images", "textures", "samplers", "materials"):  # may refer to files too
        document.pop(name, None)
    return json.dumps(document).encode()


def _read_buffer(uri: str, folder: Path, *, limit: int) -> bytes:
    """Return the bytes of a file beside the document."""
    advice = "put the file there, or save the model as .glb, which is one file"
    parts = urlsplit(uri)
    if parts.scheme or parts.netloc:
        raise BadFile(f"its buffer {shown(uri)} is not in a file; save the model as .glb")
    root = folder.resolve()
    file = (root / unquote(parts.path)).resolve()
    if not file.is_relative_to(root):
        raise BadFile(f"its buffer {shown(uri)} lies outside the folder of the model; {advice}")
    try:
        return read_bytes(file, limit=limit)
    except BadFile as error:
        raise BadFile(f"its buffer {shown(uri)}, beside it, {error}; {advice}") from error
