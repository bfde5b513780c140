"""ROS map: a YAML file beside a PGM or PNG picture.

The occupancy of a pixel is its darkness (its brightness with `negate`). Below `free_thresh` it is
free; above `occupied_thresh` it is a wall; between them it is unknown, which counts as blocked.
Format: https://wiki.ros.org/map_server#YAML_format
"""

from __future__ import annotations

import math
import reprlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from footway.errors import BadFile, BadInput
from footway.extras import optional_imports
from footway.formats.grid_tracing import from_grid
from footway.formats.png import brightness
from footway.formats.registry import Format, read_text

with optional_imports():
    import yaml

if TYPE_CHECKING:
    from pathlib import Path

    from footway.environment import Environment

FORMAT: Final = Format(
    "ROS", (".yaml", ".yml"), starts=(b"image:",), note="with PGM or PNG", one_file=False
)

_MAX_YAML: Final = 100_000  # characters. A ROS map's YAML is six lines
_MODES: Final = ("trinary", "scale")  # free cells are the same in both modes, but not in `raw`


class _Description(NamedTuple):
    """Content of the YAML: metres per pixel, origin (m, m, rad), threshold of darkness."""

    image: str
    resolution: float
    origin: tuple[float, float, float]
    negate: bool
    free_thresh: float


def load(path: Path, scale: float | None) -> Environment:
    """Return the environment in a ROS map; the YAML gives the scale.

    Raises:
        BadInput: a scale is given too.
        BadFile: a key is missing or invalid, or the image is damaged.
    """
    if scale is not None:
        raise BadInput("a ROS map contains its own resolution; leave scale out")
    map_ = _describe(_parse(read_text(path)))
    picture = path.parent / map_.image
    try:
        light = brightness(picture, formats=("PPM", "PNG"))
    except BadFile as error:
        raise BadFile(f"image {map_.image!r}: {error}") from error
    occupancy = light if map_.negate else 1 - light
    return from_grid(
        occupancy < map_.free_thresh, scale=map_.resolution, origin=map_.origin, name=path.stem
    )


def _parse(text: str) -> dict[Any, Any]:
    if len(text) > _MAX_YAML:
        raise BadFile("is too long for the YAML of a ROS map; give the .yaml beside the picture")
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or "unreadable character"
        raise BadFile(f"{where}is not YAML: {problem}") from error
    except ValueError as error:
        raise BadFile(f"is not YAML: {error}") from error
    if not isinstance(content, dict):
        raise BadFile("is not the YAML of a ROS map: expected keys image, resolution, origin")
    return content


def _describe(content: dict[Any, Any]) -> _Description:
    image = content.get("image")
    if not isinstance(image, str) or not image:
        raise BadFile(
            f"key 'image' is {reprlib.repr(image)}; give the name of the PGM or PNG picture"
        )
    resolution = _number(content.get("resolution"), "resolution")
    if resolution <= 0:
        raise BadFile(f"key 'resolution' is {resolution:g}; give positive metres per pixel")
    mode = content.get("mode", "trinary")
    if mode not in _MODES:
        raise BadFile(f"key 'mode' is {reprlib.repr(mode)}; only trinary and scale are known")
    free = _number(content.get("free_thresh", 0.196), "free_thresh")
    occupied = _number(content.get("occupied_thresh", 0.65), "occupied_thresh")
    if not 0 <= free <= occupied <= 1:
        raise BadFile(
            f"keys 'free_thresh' {free:g} and 'occupied_thresh' {occupied:g} must be "
            "between 0 and 1, free below occupied"
        )
    negate = _number(content.get("negate", 0), "negate") != 0
    value = content.get("origin")
    if not isinstance(value, list) or len(value) not in {2, 3}:
        raise BadFile(f"key 'origin' is {reprlib.repr(value)}; give [x, y, yaw]")
    x, y, *yaw = (_number(v, "origin") for v in value)
    return _Description(image, resolution, (x, y, yaw[0] if yaw else 0.0), negate, free)


def _number(value: Any, key: str) -> float:
    """Return a finite number; numeric text is accepted, because YAML reads 5e-2 as text."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BadFile(f"key {key!r} is {reprlib.repr(value)}; give a number")
    return number
