"""Write a camera motion as glTF 2.0: an animated camera among raised walls, e.g. for Blender.

In Footway z is up, in glTF y: the point (x, y, z) becomes (x, z, -y). A glTF camera looks along
its local -z, with its local y up.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from footway.validation import named, number
from footway.writing import whole_file

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from footway.arrays import Floats, Singles
    from footway.camera import CameraMotion
    from footway.corridor import CorridorMap
    from footway.environment import Building, Environment
    from footway.plot.shapes import Surface

WALL_HEIGHT: Final = 2.5  # m

_HIGHEST: Final = 10_000.0  # m
_ASPECT: Final = 16 / 9
_NEAR: Final = 0.05  # m: nearer than any wall for a camera of radius 0.1 m
_FAR: Final = 1000.0  # m, or twice the map's diagonal
_LINE: Final = 0.03  # m above the ground, so that it does not hide the line of the path
_BELOW: Final = 0.5  # m below a camera in three dimensions
_FAR_OFF: Final = 10_000.0  # m from the origin: beyond, 32 bits are coarser than a millimetre

_ARRAYS, _INDICES = 34962, 34963  # targets of buffer views
_FLOAT, _UNSIGNED = 5126, 5125
_LINE_STRIP: Final = 3

_COLOURS: Final = {"walls": "#dfe3ea", "ground": "#b9b4a6", "links": "#9fb6cc", "path": "#e2402a"}


def save_gltf(
    motion: CameraMotion,
    file: str | os.PathLike[str],
    *,
    environment: Environment | Building | CorridorMap | None = None,
    wall_height: float = WALL_HEIGHT,
    field_of_view: float = 50.0,
) -> None:
    """Write an animated camera as .glb (one binary file) or .gltf (one text file).

    The scene has the camera, keyed at the motion's frames, the line of its path on the ground,
    and, if an environment is given, its walls and a ground. The rotation has no roll. A map
    further than 10 km from the origin, as in national coordinates, is moved to the origin by the
    vector in the scene's `extras.origin`.

    Args:
        motion: of a camera.
        file: .glb or .gltf.
        environment: its walls are raised; may be a corridor map, or a building with its floors.
        wall_height: m.
        field_of_view: degrees, from the lower to the upper edge of the picture.

    Raises:
        BadInput: the suffix is unknown, or a number is out of range.
        BadFile: the file cannot be written.

    Example:
        >>> import footway as fw, tempfile, pathlib
        >>> from footway.plot.gltf import save_gltf
        >>> room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
        >>> path = fw.CorridorMap.build(room).path((1, 1), (9, 7), radius=0.25)
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "room.glb"
        >>> save_gltf(fw.camera.motion(path), file, environment=room)
        >>> file.read_bytes()[:4]
        b'glTF'
    """
    kind = named(file, "an animated camera", ".glb", ".gltf").suffix.lower()
    wall_height = number(wall_height, "wall height", "m", above=0.0, high=_HIGHEST)
    field_of_view = number(field_of_view, "field of view", "degrees", low=1.0, high=170.0)
    origin = np.zeros(3)
    if np.abs(motion.positions).max() >= _FAR_OFF:
        low, high = motion.positions.min(axis=0), motion.positions.max(axis=0)
        origin = np.round(0.5 * (low + high)) * (1.0, 1.0, 0.0)
    scene, far = _Scene(origin), _FAR
    if environment is not None:
        x0, y0, x1, y1 = environment.bounds
        far = max(_FAR, 2.0 * math.hypot(x1 - x0, y1 - y0))
    scene.add_camera(motion, math.radians(field_of_view), far)
    scene.add_path(motion.positions)
    building: Any = getattr(environment, "building", environment)
    if hasattr(building, "sheets"):
        from footway.plot.shapes import surfaces_of  # loads Shapely

        for name, surface in surfaces_of(building, wall_height).items():
            scene.add_surface(name, surface)
    elif environment is not None:
        from footway.plot.shapes import free_space_of, lay_ground, raise_walls  # loads Shapely

        space = free_space_of(cast("CorridorMap | Environment", environment))
        walls = raise_walls(space.walkable, space.walls, space.points, height=wall_height)
        scene.add_surface("walls", walls)
        scene.add_surface("ground", lay_ground(environment.bounds))
    with whole_file(file) as part:
        part.write_bytes(scene.as_glb() if kind == ".glb" else scene.as_gltf())


class _Scene:
    """A glTF document under construction: nodes, and one buffer with all numbers."""

    def __init__(self, origin: Floats) -> None:
        self.origin = origin  # (3,) m, subtracted from all positions
        self.numbers = bytearray()
        self.content: dict[str, list[Any]] = {
            name: []
            for name in (
                "nodes", "cameras", "meshes", "materials", "animations", "accessors", "bufferViews",
            )
        }  # fmt: skip

    def add_camera(self, motion: CameraMotion, field_of_view: float, far: float) -> None:
        """Add the camera, keyed at each frame of its motion."""
        times = motion.times.astype(np.float32)
        # Of two frames with the same rounded time the second one is kept, so that the end remains.
        kept = np.append(np.diff(times) > 0, True)
        places = self._placed(motion.positions[kept])
        turns = _rotations(motion.directions[kept])
        lens = {"aspectRatio": _ASPECT, "yfov": field_of_view, "znear": _NEAR, "zfar": far}
        self.content["cameras"].append(
            {"name": "camera", "type": "perspective", "perspective": lens}
        )
        first = {"translation": places[0].tolist(), "rotation": turns[0].tolist()}
        node = self._add_node("camera", camera=0, **first)
        when = self._add_numbers(times[kept], "SCALAR", bounds=True)
        samplers = [
            {"input": when, "output": self._add_numbers(values, kind), "interpolation": "LINEAR"}
            for values, kind in ((places, "VEC3"), (turns, "VEC4"))
        ]
        channels = [
            {"sampler": k, "target": {"node": node, "path": path}}
            for k, path in enumerate(("translation", "rotation"))
        ]
        self.content["animations"].append(
            {"name": "camera", "samplers": samplers, "channels": channels}
        )

    def add_path(self, positions: Floats) -> None:
        """Add the line of the camera's path: on the ground, or below the camera in space."""
        points = positions.copy()
        is_flat = np.ptp(points[:, 2]) == 0.0
        points[:, 2] = _LINE if is_flat else points[:, 2] - _BELOW
        moves = np.linalg.norm(np.diff(points, axis=0), axis=1) > 0.0
        points = points[np.concatenate([[True], moves])]  # no points while the camera waits
        if len(points) < 2:
            return
        where = self._add_numbers(self._placed(points), "VEC3", target=_ARRAYS, bounds=True)
        self._add_mesh("path", {"attributes": {"POSITION": where}, "mode": _LINE_STRIP})

    def add_surface(self, name: str, surface: Surface) -> None:
        """Add a mesh of triangles with normals."""
        if not len(surface.triangles):
            return
        placed = self._placed(surface.corners)
        where = self._add_numbers(placed, "VEC3", target=_ARRAYS, bounds=True)
        normals = self._add_numbers(_y_up(surface.normals), "VEC3", target=_ARRAYS)
        triangles = surface.triangles.astype(np.uint32).ravel()
        corners = self._add_numbers(triangles, "SCALAR", target=_INDICES)
        attributes = {"POSITION": where, "NORMAL": normals}
        self._add_mesh(name, {"attributes": attributes, "indices": corners})

    def as_gltf(self) -> bytes:
        """Return the document as text, with the buffer in it."""
        data = base64.b64encode(self.numbers).decode("ascii")
        uri = f"data:application/octet-stream;base64,{data}"
        return json.dumps(self._document(uri=uri), allow_nan=False).encode()

    def as_glb(self) -> bytes:
        """Return the document as binary: a header, a chunk of JSON, a chunk with the buffer."""
        text = json.dumps(self._document(), allow_nan=False, separators=(",", ":")).encode()
        chunks = b"".join(
            struct.pack("<I4s", len(chunk) + -len(chunk) % 4, kind)
            + chunk
            + filler * (-len(chunk) % 4)
            for chunk, kind, filler in (
                (text, b"JSON", b" "),
                (bytes(self.numbers), b"BIN\0", b"\0"),
            )
        )
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def _document(self, **where: str) -> dict[str, Any]:
        from footway import __version__

        scene: dict[str, Any] = {"nodes": list(range(len(self.content["nodes"])))}
        if self.origin.any():
            scene["extras"] = {"origin": self.origin.tolist()}
        return {
            "asset": {"version": "2.0", "generator": f"Footway {__version__}"},
            "scene": 0,
            "scenes": [scene],
            **{name: rows for name, rows in self.content.items() if rows},
            "buffers": [{"byteLength": len(self.numbers), **where}],
        }

    def _add_node(self, name: str, **what: Any) -> int:
        self.content["nodes"].append({"name": name, **what})
        return len(self.content["nodes"]) - 1

    def _add_mesh(self, name: str, primitive: dict[str, Any]) -> None:
        """Add a mesh of one colour, visible from both sides because walls may have no thickness."""
        shown = [int(_COLOURS[name][k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shown]
        colour = {"baseColorFactor": [*(round(c, 5) for c in linear), 1.0], "metallicFactor": 0.0}
        self.content["materials"].append(
            {"name": name, "doubleSided": True, "pbrMetallicRoughness": colour}
        )
        primitive["material"] = len(self.content["materials"]) - 1
        self.content["meshes"].append({"name": name, "primitives": [primitive]})
        self._add_node(name, mesh=len(self.content["meshes"]) - 1)

    def _add_numbers(
        self, values: NDArray[Any], kind: str, *, target: int | None = None, bounds: bool = False
    ) -> int:
        """Append numbers of 4 bytes, which keeps everything aligned; return their accessor."""
        view = {"buffer": 0, "byteOffset": len(self.numbers), "byteLength": values.nbytes}
        if target is not None:
            view["target"] = target
        self.numbers += values.tobytes()
        self.content["bufferViews"].append(view)
        accessor = {
            "bufferView": len(self.content["bufferViews"]) - 1,
            "componentType": _UNSIGNED if values.dtype == np.uint32 else _FLOAT,
            "count": len(values),
            "type": kind,
        }
        if bounds:
            accessor["min"] = np.atleast_1d(values.min(axis=0)).tolist()
            accessor["max"] = np.atleast_1d(values.max(axis=0)).tolist()
        self.content["accessors"].append(accessor)
        return len(self.content["accessors"]) - 1

    def _placed(self, points: Floats) -> Singles:
        return _y_up(points - self.origin)


def _rotations(directions: Floats) -> Singles:
    """Return quaternions (n, 4) x, y, z, w of a camera that looks along directions (n, 3).

    Heading about the vertical, then pitch, and no roll. Headings are unwrapped beyond a full
    turn, so that neighbouring quaternions never differ in sign and players turn the short way.
    """
    x, y, z = directions.T
    level = np.hypot(x, y)
    is_level = level > 1e-9  # straight up or down has no heading: keep the last one
    last = np.maximum.accumulate(np.where(is_level, np.arange(len(x)), 0))
    heading = np.unwrap(np.arctan2(y, x)[last]) - 0.5 * math.pi
    a, b = 0.5 * heading, 0.5 * np.arctan2(z, level)
    turns = np.column_stack(
        [
            np.cos(a) * np.sin(b),
            np.sin(a) * np.cos(b),
            -np.sin(a) * np.sin(b),
            np.cos(a) * np.cos(b),
        ]
    )
    return turns.astype(np.float32)


def _y_up(points: Floats) -> Singles:
    """Return points or normals (n, 3) in the axes of glTF."""
    return np.column_stack([points[:, 0], points[:, 2], -points[:, 1]]).astype(np.float32)
