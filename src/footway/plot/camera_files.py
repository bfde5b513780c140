"""Write a camera motion: a table (CSV, JSON), or an animated camera (glTF)."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from footway.errors import BadInput
from footway.writing import whole_file

if TYPE_CHECKING:
    import os

    from footway.camera import CameraMotion
    from footway.corridor import CorridorMap
    from footway.environment import Building, Environment

KINDS: Final = {
    ".csv": "a table",
    ".json": "a table",
    ".glb": "an animated camera",
    ".gltf": "an animated camera",
}
"""Suffixes of the files that a motion can be written to, and what they are."""


def check_camera_file(file: str | os.PathLike[str]) -> str:
    """Check the name of a camera file, and return its suffix.

    Raises:
        BadInput: the suffix is unknown.
    """
    kind = Path(file).suffix.lower()
    if kind not in KINDS:
        named = f"'{kind}'" if kind else "none"
        raise BadInput(
            f"{file}: the suffix must be .csv or .json (a table), .glb or .gltf (an animated "
            f"camera), not {named}"
        )
    return kind


def save_camera(
    motion: CameraMotion,
    file: str | os.PathLike[str],
    *,
    environment: Environment | Building | CorridorMap | None = None,
) -> None:
    """Write a motion in the format of the file's suffix: .csv, .json, .glb or .gltf.

    A table has a row for each frame: time (s), position x, y, z (m), direction dx, dy, dz (unit)
    and speed (m/s), at full precision. JSON has the same rows under "frames", and further facts
    about the motion. An animated camera is placed among the walls of the `environment`, if given,
    which may also be a corridor map.

    Raises:
        BadInput: the suffix is unknown.
        BadFile: the file cannot be written.

    Example:
        >>> import footway as fw, tempfile, pathlib
        >>> from footway.plot.camera_files import save_camera
        >>> room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
        >>> path = fw.CorridorMap.build(room).path((1, 1), (9, 7), radius=0.25)
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "room.csv"
        >>> save_camera(fw.camera.motion(path), file)
        >>> file.read_text().splitlines()[0]
        'time,x,y,z,dx,dy,dz,speed'
    """
    kind = check_camera_file(file)
    if kind not in (".csv", ".json"):
        from footway.plot.gltf import save_gltf

        save_gltf(motion, file, environment=environment)
        return
    from footway.camera.motion import COLUMNS

    with whole_file(file) as part, part.open("w", newline="", encoding="utf-8") as lines:
        if kind == ".json":
            lines.write(json.dumps(motion.to_dict(), allow_nan=False))
        else:
            writer = csv.writer(lines)
            writer.writerow(COLUMNS)
            writer.writerows(motion.table.tolist())
