"""WKT: a polygon, a multipolygon or a geometry collection of them, all walkable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from footway.environment import Environment, InputGeometry, Repair
from footway.environment.input_geometry import explode, simple_parts
from footway.errors import BadFile, BadGeometry
from footway.formats.registry import Format, read_text

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = Format(
    "WKT", (".wkt",), starts=(b"POLYGON", b"MULTIPOLYGON", b"GEOMETRYCOLLECTION")
)

_DEEPEST: Final = 64
"""Maximum nesting of parentheses. GEOS reads collections recursively without limit; a few thousand
levels overflow the stack."""

_CURVED: Final = re.compile(r"CIRCULARSTRING|\b\w*CURVE\w*|MULTISURFACE", re.IGNORECASE)


def load(path: Path, scale: float | None) -> Environment:
    """Return the environment in a WKT file; `scale` is metres per unit, 1 by default."""
    geometry, repairs = _parse(read_text(path))
    if scale is not None:
        geometry = shapely.transform(geometry, lambda xy: xy * scale)
    parts = simple_parts([geometry])[0]
    parts = parts[~shapely.is_empty(parts)]
    flat = shapely.get_dimensions(parts) == 2
    for part in parts[~flat]:
        x, y = shapely.get_coordinates(part)[0]
        detail = f"a {part.geom_type} in the collection is not walkable; left out"
        repairs.append(Repair("ignored", (float(x), float(y)), detail))
    if not flat.any():
        raise BadFile("has no polygon with an area; give the walkable polygons")
    labels = [f"polygon {i}" for i in range(flat.sum())]
    walkable = explode(parts[flat], labels, of="polygon")
    return Environment.from_input_geometry(
        InputGeometry(walkable=walkable), repairs=repairs, name=path.stem
    )


def _parse(text: str) -> tuple[Any, list[Repair]]:
    """Return the geometry in a text, and the repairs of unclosed rings."""
    text = re.sub(r"^\s*SRID\s*=\s*\d+\s*;", "", text, flags=re.IGNORECASE).strip()
    step = np.frombuffer(text.encode(), dtype=np.uint8)
    depth = np.cumsum((step == ord("(")).astype(np.int32) - (step == ord(")")))
    if len(depth) and depth.max() > _DEEPEST:
        raise BadFile(f"is nested {depth.max()} levels deep; this is not a map")
    curved = _CURVED.search(text)
    if curved:
        raise BadFile(f"has curved geometry ({curved.group()}); replace arcs by straight pieces")
    endless = re.search(r"(?<=[\s(,])[-+]?(nan|inf\w*)\b", text, flags=re.IGNORECASE)
    if endless:
        line = text.count("\n", 0, endless.start()) + 1
        raise BadGeometry(
            f"line {line}: coordinate {endless.group()!r} is not a finite number; "
            "remove or correct it"
        )
    try:
        with np.errstate(over="ignore"):  # 1e999 is infinite, and rejected later
            return shapely.from_wkt(text), []
    except shapely.errors.GEOSException as error:
        if "closed" not in str(error):
            reason = str(error).strip().replace("\n", " ").removeprefix("ParseException: ")
            raise BadFile(f"is not WKT: {reason:.200}; the file may be cut off") from error
    return _closed(text)


def _closed(text: str) -> tuple[Any, list[Repair]]:
    """Close open rings, and list their positions."""
    repairs = []

    def close(match: re.Match[str]) -> str:
        points = match.group(1).split(",")
        first, last = points[0].split(), points[-1].split()
        if first == last:
            return match.group(0)
        at, detail = (float(first[0]), float(first[1])), "the last point of a ring is not the first"
        repairs.append(Repair("unclosed ring", at, f"{detail}; closed"))
        return f"({match.group(1)}, {points[0].strip()})"

    try:
        geometry = shapely.from_wkt(re.sub(r"\(([^()]+)\)", close, text))
    except (shapely.errors.GEOSException, ValueError, IndexError) as error:
        reason = str(error).strip().replace("\n", " ")
        raise BadFile(f"is not WKT: {reason:.200}") from error
    return geometry, repairs
