"""Convert an environment to JSON and arrays and back, exactly and without new repairs.

This transfers an environment to another Footway process with the same bits, repairs included.
(GeoJSON, for people and other programs, is snapped and repaired when it is read.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from footway.environment import Area, Environment, TerrainRegion
from footway.environment.repair import Repair
from footway.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

_SHAPE: Final = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)
_WHOLE: Final = (
    (shapely.GeometryType.MULTIPOLYGON,),
    (shapely.GeometryType.MULTILINESTRING,),
    (shapely.GeometryType.MULTIPOINT,),
)
"""Types of walkable space, lines and points."""


def to_arrays(env: Environment) -> tuple[dict[str, Any], Arrays]:
    """Return the attributes of an environment for JSON, and its geometry as arrays.

    Example:
        >>> room = Environment.from_polygons(bounds=(0, 0, 10, 8), name="room")
        >>> facts, arrays = to_arrays(room)
        >>> from_arrays(facts, arrays).area
        80.0
    """
    facts = {
        "name": env.name,
        "grid": env.grid,
        "areas": [{"name": a.name, "properties": dict(a.properties)} for a in env.areas],
        "terrain": [[region.kind, region.reach, region.slope] for region in env.terrain],
        "repairs": [[repair.kind, *repair.at, repair.detail] for repair in env.repairs],
    }
    shapes: list[shapely.Geometry] = [env.walkable, env.lines, env.points]
    shapes += [area.polygon for area in env.areas]
    shapes += [region.polygon for region in env.terrain]
    wkb = [np.frombuffer(shape, np.uint8) for shape in shapely.to_wkb(np.array(shapes, object))]
    return facts, {
        "shapes": np.concatenate(wkb),
        "shape_ends": np.cumsum([len(shape) for shape in wkb]),
    }


def from_arrays(facts: dict[str, Any], arrays: Arrays) -> Environment:
    """Return the environment that `to_arrays` converted.

    Raises:
        BadFile: wrong geometry types, non-finite numbers, or missing data.
    """
    try:
        ends = arrays["shape_ends"].tolist()
        raw = arrays["shapes"].astype(np.uint8).tobytes()
        parts = [raw[a:b] for a, b in zip([0, *ends], ends, strict=False)]
        areas, kinds = facts["areas"], facts["terrain"]
        named = [(str(area["name"]), dict(area["properties"])) for area in areas]
        walkable, lines, points, *rest = _shapes(parts, 3 + len(named) + len(kinds))
        found = [Repair(str(r[0]), (float(r[1]), float(r[2])), str(r[3])) for r in facts["repairs"]]
        return Environment(
            walkable,
            lines,
            points,
            areas=tuple(Area(n, p, about) for (n, about), p in zip(named, rest, strict=False)),
            terrain=tuple(
                TerrainRegion(str(kind), polygon, *more)
                for (kind, *more), polygon in zip(kinds, rest[len(named) :], strict=True)
            ),
            repairs=tuple(found),
            name=str(facts["name"]),
            grid=float(facts["grid"]),
        )
    except (LookupError, TypeError, ValueError, shapely.GEOSException) as error:
        raise BadFile(f"an environment that is damaged: {type(error).__name__}") from None


def _shapes(parts: Sequence[bytes], count: int) -> list[Any]:
    """Return the geometries after checking their number and types."""
    made = shapely.from_wkb(np.array(parts, object))
    if len(made) != count or not np.isfinite(shapely.get_coordinates(made)).all():
        raise ValueError("geometry is missing, or not finite")
    for shape, types in zip(made, [*_WHOLE, *[_SHAPE] * (count - 3)], strict=True):
        if shapely.get_type_id(shape) not in types:
            raise ValueError("geometry of another type")
    if made[0].is_empty:
        raise ValueError("nothing is walkable")
    return list(made)
