"""Buildings: a TOML file that joins a folder of plans, and GeoJSON whose features have a floor.

    name = "museum"

    [[floor]]
    name = "0"
    plan = "ground.geojson"    # any plan that Footway reads, beside this file
    elevation = 0.0

    [[floor]]
    name = "1"
    plan = "upper.wkt"
    elevation = 4.2

    [[stairs]]                 # or ramp, escalator
    name = "A"
    lower = ["0", [4, 8], [6, 8]]     # floor, and the ends of the portal on its border
    upper = ["1", [4, 12], [6, 12]]

    [[lift]]
    name = "L"
    cabin = [[0, 8], [2, 8], [2, 10], [0, 10]]
    doors = [["0", [0.5, 8], [1.5, 8]], ["1", [0.5, 8], [1.5, 8]]]

All other keys are the arguments of `Stairs`, `Ramp`, `Escalator` and `Lift`. In GeoJSON a feature
with the property `floor` belongs to that floor, whose `elevation` is a property of one of them; a
polygon of kind stairs, ramp, escalator or lift has the same keys as properties. The polygons of its
geometry are its flights and landings alternately.
"""

from __future__ import annotations

import tomllib
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import shapely

from footway.environment import Building, Environment, Escalator, Floor, Lift, Ramp, Stairs
from footway.errors import BadFile, BadInput
from footway.formats.kinds import refuse_others
from footway.formats.registry import Format, read_text
from footway.formats.registry import load as load_plan
from footway.validation import as_float, did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORMAT: Final = Format("building", (".toml",), one_file=False)

KINDS: Final = {"stairs": Stairs, "ramp": Ramp, "escalator": Escalator, "lift": Lift}


def load(path: Path, scale: float | None) -> Building:
    """Return the building in a TOML file, whose plans are beside it; `scale` must be None."""
    if scale is not None:
        raise BadFile("is a building, in metres: give the scale of each plan as a key of its floor")
    try:
        document = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"is not TOML: {error}") from error
    refuse_others(document, "building")
    known = {"name", "floor", *KINDS}
    for key in document:
        if key not in known:
            raise BadFile(f"key {key!r} is unknown: {did_you_mean(key, known)}")
    floors = [_floor(row, path, k) for k, row in enumerate(_rows(document, "floor"))]
    links = [_link(kind, row, k) for kind in KINDS for k, row in enumerate(_rows(document, kind))]
    return Building(floors, links, name=str(document.get("name", path.stem)))


def _rows(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = document.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadFile(f"{key!r} must be a list of tables: write [[{key}]]")
    return rows


def _floor(row: dict[str, Any], path: Path, number: int) -> Floor:
    where = f"floor {number + 1}"
    for key in row:
        if key not in ("name", "plan", "elevation", "scale"):
            hint = did_you_mean(key, ("name", "plan", "elevation", "scale"))
            raise BadFile(f"{where}: key {key!r} is unknown: {hint}")
    if not isinstance(row.get("plan"), str):
        raise BadFile(f"{where}: give the file of its plan, as in plan = 'ground.geojson'")
    plan = load_plan(path.parent / row["plan"], scale=row.get("scale"))
    if not isinstance(plan, Environment):
        raise BadFile(f"{where}: {row['plan']} is no plan")
    elevation = row.get("elevation", 0.0)
    return Floor(row.get("name", str(number)), plan, elevation)


def _link(kind: str, row: dict[str, Any], number: int) -> Any:
    """Return a link from the keys of a table or feature."""
    made = KINDS[kind]
    known = [field.name for field in fields(made)]
    for key in row:
        if key not in known:
            raise BadFile(
                f"{kind} {number + 1}: key {key!r} is unknown: {did_you_mean(key, known)}"
            )
    needed = ("name", "cabin", "doors") if made is Lift else ("name", "lower", "upper")
    for key in needed:
        if key not in row:
            raise BadFile(f"{kind} {number + 1}: the key {key!r} is missing")
    return made(**row)


# -- GeoJSON -----------------------------------------------------------------------------------


def has_floors(features: list[dict[str, Any]]) -> bool:
    """Whether GeoJSON features are those of a building."""
    return any(
        isinstance(feature.get("properties"), dict) and "floor" in feature["properties"]
        for feature in features
    )


def from_features(
    features: list[dict[str, Any]],
    name: str,
    plan_of: Callable[[list[dict[str, Any]], str], Environment],
) -> Building:
    """Return the building of GeoJSON features; `plan_of` makes the plan of one floor."""
    floors: dict[str, list[dict[str, Any]]] = {}
    elevations: dict[str, float] = {}
    links = []
    for k, feature in enumerate(features):
        properties = feature.get("properties") or {}
        kind = properties.get("kind")
        if kind in KINDS:
            links.append(_link_of_feature(feature, kind, k))
            continue
        floor = properties.get("floor")
        if not isinstance(floor, str | int) or isinstance(floor, bool):
            raise BadFile(f"feature {k}: is on no floor; give the property 'floor' to all features")
        rest = {key: v for key, v in properties.items() if key not in ("floor", "elevation")}
        floors.setdefault(str(floor), []).append({**feature, "properties": rest})
        if "elevation" in properties:
            height = as_float(properties["elevation"])
            if height is None or elevations.setdefault(str(floor), height) != height:
                raise BadFile(
                    f"feature {k}: the elevation of floor {floor!r} is "
                    f"{shown(properties['elevation'])}: give one number of metres for all of it"
                )
    made = [
        Floor(floor, plan_of(some, f"{name}, floor {floor}"), elevations.get(floor, 0.0))
        for floor, some in floors.items()
    ]
    return Building(made, links, name=name)


def _link_of_feature(feature: dict[str, Any], kind: str, number: int) -> Any:
    properties = {
        key: v
        for key, v in feature["properties"].items()
        if key not in ("kind", "floor", "elevation")
    }
    try:
        parts = list(shapely.get_parts(shapely.geometry.shape(feature.get("geometry") or {})))
    except (AttributeError, KeyError, TypeError, ValueError, shapely.errors.ShapelyError) as error:
        raise BadFile(f"feature {number}: {kind} without a polygon: {error}") from error
    try:
        if kind == "lift":
            return _link(kind, {**properties, "cabin": parts[0] if parts else ()}, number)
        shape = {"flights": parts[::2], "landings": parts[1::2]}
        return _link(kind, {**properties, **shape}, number)
    except BadInput as error:
        raise type(error)(f"feature {number}: {error}") from error


def features_of(
    building: Building, plan: Callable[[Environment], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Return a building as GeoJSON features; `plan` gives those of one floor."""
    features = []
    for floor in building.floors:
        own = {"floor": floor.name, "elevation": floor.elevation}
        features += [
            {**feature, "properties": {**feature["properties"], **own}}
            for feature in plan(floor.environment)
        ]
    for link in building.links:
        shape: Any = link.cabin if isinstance(link, Lift) else shapely.MultiPolygon(link.parts)
        keys = [f.name for f in fields(link) if f.name not in ("flights", "landings", "cabin")]
        values = {key: getattr(link, key) for key in keys}
        geometry = shapely.geometry.mapping(shape)
        features.append(
            {"type": "Feature", "properties": {"kind": link.kind, **values}, "geometry": geometry}
        )
    return features
