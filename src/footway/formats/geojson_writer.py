"""Write an environment as GeoJSON in local metres."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import shapely

from footway.environment import Environment
from footway.errors import BadFile
from footway.validation import file as checked_file
from footway.validation import instance
from footway.writing import whole_file

if TYPE_CHECKING:
    import os


def save_geojson(env: Environment, path: str | os.PathLike[str]) -> None:
    """Write an environment as GeoJSON that `load` reads back.

    Walkable polygons, single-line walls, point obstacles, named areas and terrain become
    features with the property `kind`; `meta.crs` declares that coordinates are local metres.

    Raises:
        BadFile: the file cannot be written, or the properties of an area are not JSON.

    """
    file = checked_file(path)
    instance(env, Environment, "an Environment is needed")
    features = [_feature(p, {"kind": "walkable"}) for p in shapely.get_parts(env.walkable)]
    features += [_feature(line, {"kind": "wall"}) for line in shapely.get_parts(env.lines)]
    features += [_feature(p, {"kind": "obstacle"}) for p in shapely.get_parts(env.points)]
    features += [
        _feature(a.polygon, {**a.properties, "kind": "area", "name": a.name}) for a in env.areas
    ]
    features += [_feature(t.polygon, {"kind": t.kind}) for t in env.terrain]
    document = {
        "type": "FeatureCollection",
        "name": env.name,
        "meta": {"crs": "local metres"},
        "features": features,
    }
    try:
        text = json.dumps(document)
    except (TypeError, ValueError) as error:
        raise BadFile(f"{path}: an area's properties cannot be written: {error}") from error
    with whole_file(file) as part:
        part.write_text(text, encoding="utf-8")


def _feature(geometry: Any, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": shapely.geometry.mapping(geometry),
    }
