"""GeoJSON: polygons by the property `kind`.

| `kind` | polygon | line | point |
|---|---|---|---|
| `walkable` | walkable | | |
| `obstacle`, `building`, `wall` | obstacle | single-line wall | point obstacle |
| `bounds` | bounds | | |
| `area` | named area (property `name`) | | |
| none, but a property `building` other than "no" | obstacle | | |
| none | walkable, unless there are bounds | | |
| anything else | terrain of that kind | | |

Where terrain overlaps, the later feature counts; what no terrain covers is "ground". Features
that are not in this table are ignored and listed. For longitude and latitude see `lonlat`.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway.environment import Area, Environment, InputGeometry, Pieces, Repair, TerrainRegion
from footway.environment.environment import RESERVED_KINDS
from footway.errors import BadFile
from footway.formats.geojson_shapes import Part, collect, parts_of
from footway.formats.source import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

_OBSTACLES: Final = ("obstacle", "building", "wall")
_ROLES: Final = MappingProxyType(
    {
        ("walkable", 2): "walkable",
        ("bounds", 2): "bounds",
        ("area", 2): "area",
        **{(kind, 2): "obstacles" for kind in _OBSTACLES},
        **{(kind, 1): "lines" for kind in _OBSTACLES},
        **{(kind, 0): "points" for kind in _OBSTACLES},
    }
)
_NOT_BUILT: Final = (None, False, "", "no")
_DIMENSION: Final = ("point", "line", "polygon")


class _Sorted(NamedTuple):
    """Parts by role, and the assumptions and omissions made."""

    roles: dict[str, list[Part]]
    repairs: list[Repair]


def load(path: Path, scale: float | None) -> Environment:
    """Return the environment in a GeoJSON file; `scale` is metres per unit, 1 by default."""
    document = _parse(read_bytes(path))
    features = _features(document)
    parts, repairs = parts_of(collect(features), document, scale=scale)
    kinds = [_kind(i, f) for i, f in enumerate(features)]
    roles, assumed = _by_role(parts, kinds)
    given = InputGeometry(
        **{
            role: _pieces(roles.get(role, []))
            for role in ("walkable", "bounds", "obstacles", "lines", "points")
        }
    )
    return Environment.from_input_geometry(
        given,
        areas=_areas(roles.get("area", []), features),
        terrain=_terrain(roles.get("terrain", []), kinds),
        repairs=[*repairs, *assumed],
        name=path.stem,
    )


def _parse(content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except json.JSONDecodeError as error:
        raise BadFile(
            f"line {error.lineno}, column {error.colno}: is not JSON ({error.msg}); "
            "the file may be cut off"
        ) from error
    except ValueError as error:
        raise BadFile(f"is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise BadFile(
            f"is JSON but not GeoJSON: the top is a {_json_type(document)}, not an object"
        )
    return document


def _features(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the features of a collection; a single feature or geometry is a list of one."""
    kind = document.get("type")
    if kind == "FeatureCollection":
        features = document.get("features")
        if not isinstance(features, list):
            raise BadFile("is a FeatureCollection whose 'features' is no list")
        for i, feature in enumerate(features):
            if not isinstance(feature, dict):
                raise BadFile(f"feature {i}: is a {_json_type(feature)}, not an object")
        return features
    if kind == "Feature":
        return [document]
    if "coordinates" in document or "geometries" in document:
        return [{"type": "Feature", "properties": None, "geometry": document}]
    raise BadFile(
        f"is JSON but not GeoJSON: 'type' is {kind!r}; expected a FeatureCollection, "
        "a Feature or a geometry"
    )


def _kind(index: int, feature: dict[str, Any]) -> str | None:
    """Return the kind of a feature, or None."""
    properties = feature.get("properties")
    if properties is None:
        return None
    if not isinstance(properties, dict):
        raise BadFile(f"feature {index}: 'properties' is a {_json_type(properties)}, not an object")
    kind = properties.get("kind")
    if kind is None:
        # The tag of OpenStreetMap, as Overpass and OSMnx write it.
        return "building" if properties.get("building", "no") not in _NOT_BUILT else None
    if not isinstance(kind, str) or not kind:
        raise BadFile(f"feature {index}: property 'kind' is {kind!r}; give it a name as text")
    return kind


def _by_role(parts: list[Part], kinds: list[str | None]) -> _Sorted:
    """Sort parts into roles, and list the assumptions made."""
    has_bounds = any(kinds[p.feature] == "bounds" for p in parts)
    result = _Sorted({}, [])
    for part in parts:
        kind = kinds[part.feature]
        role = _role(kind, part.dimension, has_bounds=has_bounds)
        result.roles.setdefault(role, []).append(part)
        if kind is None or role == "ignored":
            result.repairs.append(_note(part, kind, role))
    return result


def _role(kind: str | None, dimension: int, *, has_bounds: bool) -> str:
    if kind is None:
        return "walkable" if dimension == 2 and not has_bounds else "ignored"
    if kind not in RESERVED_KINDS and dimension == 2:
        return "terrain"
    return _ROLES.get((kind, dimension), "ignored")


def _note(part: Part, kind: str | None, role: str) -> Repair:
    """Return a repair that says how a part without a suitable kind is treated."""
    x, y = shapely.get_coordinates(part.shape)[0]
    what = f"feature {part.feature}: a {_DIMENSION[part.dimension]} " + (
        f"of kind {kind!r}" if kind else "without the property 'kind'"
    )
    if role == "walkable":
        return Repair("kind", (float(x), float(y)), f"{what}; taken as walkable")
    advice = 'set "kind" to obstacle, walkable or area, or to a kind of ground'
    found = f"{what} has no meaning here; left out"
    return Repair("ignored", (float(x), float(y)), f"{found}: {advice}")


def _pieces(parts: list[Part]) -> Pieces:
    shapes = np.empty(len(parts), dtype=object)
    shapes[:] = [p.shape for p in parts]
    return Pieces(shapes, [f"feature {p.feature}" for p in parts])


def _areas(parts: list[Part], features: list[dict[str, Any]]) -> list[Area]:
    """Return one area per feature, with its other properties."""
    areas = []
    for index, polygon in _per_feature(parts):
        properties = dict(features[index]["properties"])
        properties.pop("kind")
        name = properties.pop("name", properties.get("id", f"area {index}"))
        areas.append(Area(str(name), polygon, MappingProxyType(properties)))
    return areas


def _terrain(parts: list[Part], kinds: list[str | None]) -> list[TerrainRegion]:
    return [TerrainRegion(str(kinds[i]), polygon) for i, polygon in _per_feature(parts)]


def _per_feature(parts: list[Part]) -> list[tuple[int, Any]]:
    """Return (feature, polygon or multipolygon) for each feature, in order."""
    several: dict[int, list[Any]] = {}
    for part in parts:
        several.setdefault(part.feature, []).append(part.shape)
    return [
        (i, shapes[0] if len(shapes) == 1 else shapely.multipolygons(shapes))
        for i, shapes in several.items()
    ]


def _json_type(value: Any) -> str:
    names = {dict: "object", list: "list", str: "text", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")
