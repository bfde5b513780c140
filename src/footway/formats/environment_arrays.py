"""An environment as JSON and numbers, and back: exact, and without repairing it anew.

GeoJSON is for people and other programs; reading it snaps and heals. This is for handing an
environment to another process of Footway, which then has the same bits, repairs included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from footway.environment import Area, Environment, TerrainRegion
from footway.environment.repairs import Repair
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
    """Return what JSON can say about an environment, and its geometry as arrays.

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
        "terrain": [region.kind for region in env.terrain],
        "repairs": [[repair.kind, *repair.at, repair.detail] for repair in env.repairs],
    }
    shapes: list[shapely.Geometry] = [env.walkable, env.lines, env.points]
    shapes += [area.polygon for area in env.areas]
    shapes += [region.polygon for region in env.terrain]
    wkb = [np.frombuffer(one, np.uint8) for one in shapely.to_wkb(np.array(shapes, object))]
    return facts, {
        "shapes": np.concatenate(wkb),
        "shape_ends": np.cumsum([len(one) for one in wkb]),
    }


def from_arrays(facts: dict[str, Any], arrays: Arrays) -> Environment:
    """Return the environment that `to_arrays` took apart.

    Raises:
        BadFile: geometry of other types, numbers that are not finite, something is missing.

    """
    try:
        ends = arrays["shape_ends"].tolist()
        raw = arrays["shapes"].astype(np.uint8).tobytes()
        parts = [raw[a:b] for a, b in zip([0, *ends], ends, strict=False)]
        areas, kinds = facts["areas"], facts["terrain"]
        named = [(str(one["name"]), dict(one["properties"])) for one in areas]
        walkable, lines, points, *rest = _shapes(parts, 3 + len(named) + len(kinds))
        found = [Repair(str(r[0]), (float(r[1]), float(r[2])), str(r[3])) for r in facts["repairs"]]
        return Environment(
            walkable,
            lines,
            points,
            areas=tuple(Area(n, p, about) for (n, about), p in zip(named, rest, strict=False)),
            terrain=tuple(map(TerrainRegion, kinds, rest[len(named) :])),
            repairs=tuple(found),
            name=str(facts["name"]),
            grid=float(facts["grid"]),
        )
    except (LookupError, TypeError, ValueError, shapely.GEOSException) as error:
        raise BadFile(f"an environment that is damaged: {type(error).__name__}") from None


def _shapes(parts: Sequence[bytes], count: int) -> list[Any]:
    """Geometry, each of a type that belongs in its place."""
    made = shapely.from_wkb(np.array(parts, object))
    if len(made) != count or not np.isfinite(shapely.get_coordinates(made)).all():
        raise ValueError("geometry is missing, or not finite")
    for shape, types in zip(made, [*_WHOLE, *[_SHAPE] * (count - 3)], strict=True):
        if shapely.get_type_id(shape) not in types:
            raise ValueError("geometry of another type")
    if made[0].is_empty:
        raise ValueError("nothing is walkable")
    return list(made)
