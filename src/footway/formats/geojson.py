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

Where terrain overlaps, the later feature counts; what no terrain covers is "ground". Terrain with
the property `reach`, m, is an influence region; `slope`, [rise per metre along x, along y], makes
it a hillside, and terrain of the kind "slope" is nothing else. Features that are not in this table
are ignored and listed. For longitude and latitude see `lonlat`.

All coordinates are converted in one array: a city has thousands of rings, and one call per ring
would take longer than the rest of loading.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely
from shapely import box

from footway.environment import (
    Area,
    Building,
    Environment,
    InputGeometry,
    Pieces,
    Repair,
    TerrainRegion,
)
from footway.environment.environment import RESERVED_KINDS
from footway.environment.plan import Item, Plan
from footway.errors import BadFile, BadGeometry
from footway.formats.building import features_of, from_features, has_floors
from footway.formats.lonlat import is_lonlat, project
from footway.formats.registry import Format, read_bytes
from footway.validation import as_float, instance, shown, similar
from footway.validation import file as checked_file
from footway.writing import whole_file

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.arrays import Floats, Shapes
    from footway.environment.plan import Kind

FORMAT: Final = Format("GeoJSON", (".geojson", ".json"), starts=(b"{",))

_WORDS: Final = {"floor": "walkable", "obstacle": "obstacle", "wall": "wall"}  # of items
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


class _Part(NamedTuple):
    """A simple geometry: index of its feature, dimension (0, 1, 2) and Shapely shape."""

    feature: int
    dimension: int
    shape: Any


def load(path: Path, scale: float | None) -> Environment | Building:
    """Return the environment in a GeoJSON file; `scale` is metres per unit, 1 by default.

    If features have the property `floor`, it is a building, in metres.
    """
    document = _parse(read_bytes(path))
    features = _features(document)
    if not has_floors(features):
        return _environment(document, path.stem, scale)
    if scale is not None:
        raise BadFile("is a building, in metres: leave out the scale")
    return building_of_features(features, str(document.get("name") or path.stem))


def building_of_features(features: list[dict[str, Any]], name: str) -> Building:
    """Return the building of GeoJSON features with the property `floor`, and links."""

    def plan(some: list[dict[str, Any]], name: str) -> Environment:
        return _environment({"type": "FeatureCollection", "features": some}, name, 1.0)

    return from_features(features, name, plan)


def building_features(building: Building) -> list[dict[str, Any]]:
    """Return the GeoJSON features of a building."""
    return features_of(building, _plan_features)


def _environment(document: dict[str, Any], name: str, scale: float | None) -> Environment:
    features, kinds, roles, repairs = _content(document, scale)
    unknown = {kind for kind in kinds if kind is not None} - set(RESERVED_KINDS)
    similar_kinds = {kind: similar(kind, RESERVED_KINDS, at_least=0.8) for kind in unknown}
    for role, part in [(role, part) for role, some in roles.items() for part in some]:
        kind = kinds[part.feature]
        meant = similar_kinds.get(kind or "", "")
        if kind is None or role == "ignored" or meant:
            repairs.append(_assumption(part, kind, role, meant))
    given = {
        role: _pieces(roles.get(role, []))
        for role in ("walkable", "bounds", "obstacles", "lines", "points")
    }
    return Environment.from_input_geometry(
        InputGeometry(**given),
        areas=[_area(i, p, features[i]) for i, p in _per_feature(roles.get("area", []))],
        terrain=[
            TerrainRegion(
                str(kinds[i]), p, _reach(features[i]), features[i]["properties"].get("slope")
            )
            for i, p in _per_feature(roles.get("terrain", []))
        ],
        repairs=repairs,
        name=name,
    )


def load_items(path: Path, scale: float | None, env: Environment) -> list[Item]:
    """Return the floors, obstacles and walls of a GeoJSON file and its map, with their names."""
    features, _, roles, _ = _content(_parse(read_bytes(path)), scale)
    kinds: dict[str, Kind] = {"walkable": "floor", "obstacles": "obstacle", "lines": "wall"}
    if "walkable" not in roles:
        kinds = {"bounds": "floor", **kinds}
    found = [] if "walkable" in roles or "bounds" in roles else [Item("floor", box(*env.bounds))]
    for role, kind in kinds.items():
        for part in roles.get(role, []):
            name = (features[part.feature].get("properties") or {}).get("name")
            found.append(Item(kind, part.shape, name if isinstance(name, str) else ""))
    return sorted(found, key=lambda item: item.kind != "floor")


class _Content(NamedTuple):
    """Features with their kinds, parts by their role, and repairs."""

    features: list[dict[str, Any]]
    kinds: list[str | None]
    roles: dict[str, list[_Part]]
    repairs: list[Repair]


def _content(document: dict[str, Any], scale: float | None) -> _Content:
    features = _features(document)
    curves = _Curves()
    for i, feature in enumerate(features):
        if feature.get("geometry") is not None:
            _collect(feature["geometry"], i, curves)
    parts, repairs = _parts(curves, document, scale=scale)
    kinds = [_kind(i, f) for i, f in enumerate(features)]
    has_bounds = any(kinds[p.feature] == "bounds" for p in parts)
    roles: dict[str, list[_Part]] = {}
    for part in parts:
        role = _role(kinds[part.feature], part.dimension, has_bounds=has_bounds)
        roles.setdefault(role, []).append(part)
    return _Content(features, kinds, roles, repairs)


# -- the document ------------------------------------------------------------------------------


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
            raise BadFile("is a FeatureCollection whose 'features' is not a list")
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


def _json_type(value: Any) -> str:
    names = {dict: "object", list: "list", str: "text", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


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


def _role(kind: str | None, dimension: int, *, has_bounds: bool) -> str:
    if kind is None:
        return "walkable" if dimension == 2 and not has_bounds else "ignored"
    if kind not in RESERVED_KINDS and dimension == 2:
        return "terrain"
    return _ROLES.get((kind, dimension), "ignored")


def _assumption(part: _Part, kind: str | None, role: str, meant: str) -> Repair:
    """Return a repair that says how a part without a suitable kind is treated.

    `meant` is a known kind that is spelled nearly like the given one, or "".
    """
    x, y = shapely.get_coordinates(part.shape)[0]
    what = f"feature {part.feature}: a {_DIMENSION[part.dimension]} " + (
        f"of kind {kind!r}" if kind else "without the property 'kind'"
    )
    if role == "walkable":
        return Repair("kind", (float(x), float(y)), f"{what}; taken as walkable")
    if role == "terrain":
        return Repair(
            "spelling", (float(x), float(y)), f"{what}; taken as terrain: did you mean {meant!r}?"
        )
    advice = 'set "kind" to obstacle, walkable or area, or to a kind of terrain'
    if meant:
        advice = f"did you mean {meant!r}?"
    found = f"{what} has no meaning here; left out"
    return Repair("ignored", (float(x), float(y)), f"{found}: {advice}")


def _pieces(parts: list[_Part]) -> Pieces:
    shapes = np.empty(len(parts), dtype=object)
    shapes[:] = [p.shape for p in parts]
    return Pieces(shapes, [f"feature {p.feature}" for p in parts])


def _reach(feature: dict[str, Any]) -> float:
    """Return the reach of an influence region, m; 0 if the feature has no such number."""
    return as_float(feature["properties"].get("reach")) or 0.0


def _area(index: int, polygon: Any, feature: dict[str, Any]) -> Area:
    properties = dict(feature["properties"])
    properties.pop("kind")
    names = (properties.pop("name", None), properties.get("id"))
    name = next((str(one) for one in names if one is not None and str(one).strip()), None)
    return Area(name or f"area {index}", polygon, MappingProxyType(properties))


def _per_feature(parts: list[_Part]) -> list[tuple[int, Any]]:
    """Return (feature, polygon or multipolygon) for each feature, in order."""
    several: dict[int, list[Any]] = {}
    for part in parts:
        several.setdefault(part.feature, []).append(part.shape)
    return [
        (i, shapes[0] if len(shapes) == 1 else shapely.multipolygons(shapes))
        for i, shapes in several.items()
    ]


# -- geometry ----------------------------------------------------------------------------------


@dataclass
class _Curves:
    """Unconverted lists of positions, and the parts and features that they belong to.

    Attributes:
        positions: one list per curve: a ring, a line, or a single point.
        part: per curve, the simple geometry that it belongs to; a polygon's shell comes first.
        feature: per part, the feature that it belongs to.
        dimension: per part, 0 for points, 1 for lines, 2 for polygons.
    """

    positions: list[Any] = field(default_factory=list)
    part: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    dimension: list[int] = field(default_factory=list)

    def add(self, feature: int, dimension: int, curves: list[Any]) -> None:
        """Add one simple geometry made of curves; an empty one is ignored."""
        if not curves or curves[0] == []:
            return
        if [] in curves:
            curves = [c for c in curves if c != []]
        number = len(self.feature)
        before = len(self.positions)
        self.positions.extend(curves)
        self.part.extend([number] * (len(self.positions) - before))
        self.feature.append(feature)
        self.dimension.append(dimension)


def _collect(geometry: Any, feature: int, curves: _Curves) -> None:
    """Add the curves of a geometry; coordinates are not checked yet."""
    if not isinstance(geometry, dict):
        raise BadFile(f"feature {feature}: 'geometry' is {geometry!r:.40}, not an object")
    kind = geometry.get("type")
    if kind == "GeometryCollection":
        for member in _list(geometry.get("geometries"), feature, "'geometries'"):
            _collect(member, feature, curves)
        return
    coordinates = _list(geometry.get("coordinates"), feature, "'coordinates'")
    if not coordinates:
        return
    match kind:
        case "Polygon":
            curves.add(feature, 2, coordinates)
        case "MultiPolygon":
            for rings in coordinates:
                curves.add(feature, 2, _list(rings, feature, "a polygon"))
        case "LineString":
            curves.add(feature, 1, [coordinates])
        case "MultiLineString":
            for line in coordinates:
                curves.add(feature, 1, [line])
        case "Point":
            curves.add(feature, 0, [[coordinates]])
        case "MultiPoint":
            for point in coordinates:
                curves.add(feature, 0, [[point]])
        case _:
            raise BadFile(
                f"feature {feature}: geometry type {kind!r:.40} is unknown; "
                "expected Polygon, LineString, Point, their Multi forms or GeometryCollection"
            )


def _list(value: Any, feature: int, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadFile(f"feature {feature}: expected a list for {what}, found {value!r:.40}")
    return value


def _coordinates(curves: _Curves) -> Floats:
    """Return (n, 2) coordinates of all positions, in one conversion if possible."""
    try:
        values = np.array(list(chain.from_iterable(curves.positions)))
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0, dtype=object)
    if values.dtype.kind in "iuf" and values.ndim == 2 and values.shape[1] in {2, 3}:
        return values[:, :2].astype(np.float64)
    # Mixed dimensions or an error: check each position, to report where.
    rows = [
        _position(position, f"feature {curves.feature[part]}, position {k}")
        for curve, part in zip(curves.positions, curves.part, strict=True)
        for k, position in enumerate(_list(curve, curves.feature[part], "the positions"))
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


def _position(position: Any, where: str) -> tuple[float, float]:
    good = (
        isinstance(position, list)
        and len(position) >= 2
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in position[:2])
    )
    if not good:
        raise BadFile(f"{where}: expected [x, y] as numbers, found {shown(position)}")
    try:
        return float(position[0]), float(position[1])
    except OverflowError as error:
        raise BadGeometry(f"{where}: the number is too large for a coordinate") from error


def _in_metres(
    curves: _Curves, document: dict[str, Any], *, scale: float | None
) -> tuple[Floats, list[Repair]]:
    """Return (n, 2) coordinates of all positions in metres: unchanged, scaled or projected."""
    xy = _coordinates(curves)
    bad = np.flatnonzero(~np.isfinite(xy).all(axis=1))
    if len(bad):
        size = [len(c) for c in curves.positions]
        curve = int(np.searchsorted(np.cumsum(size), bad[0], side="right"))
        feature = curves.feature[curves.part[curve]]
        x, y = xy[bad[0]]
        raise BadGeometry(
            f"feature {feature}: coordinate ({x:g}, {y:g}) is not a finite number; "
            "remove or correct it"
        )
    if scale is not None:
        return xy * scale, []
    if is_lonlat(xy, document):
        flat, note = project(xy)
        return flat, [note]
    return xy, []


def _parts(
    curves: _Curves, document: dict[str, Any], *, scale: float | None
) -> tuple[list[_Part], list[Repair]]:
    """Return Shapely geometry in metres for all curves, and the repairs."""
    xy, repairs = _in_metres(curves, document, scale=scale)
    part = np.array(curves.part, dtype=np.intp)
    dimension = np.array(curves.dimension, dtype=np.intp)
    size = np.array([len(c) for c in curves.positions], dtype=np.intp)
    first = np.cumsum(size) - size
    table = _Table(xy, size, first, part, dimension[part] if len(part) else part, curves.feature)
    shapes = np.empty(len(dimension), dtype=object)
    points = np.flatnonzero(table.dimension == 0)
    shapes[part[points]] = shapely.points(xy[first[points]])
    lines = np.flatnonzero((table.dimension == 1) & (size >= 2))
    if len(lines):
        positions, owner = table.positions(lines)
        shapes[part[lines]] = shapely.linestrings(positions, indices=owner)
    short = np.flatnonzero((table.dimension == 1) & (size < 2))
    repairs += table.repairs(short, "sliver", "a line of fewer than two points; dropped")
    repairs += _polygons(table, shapes)
    built = np.flatnonzero(~shapely.is_missing(shapes))
    return [_Part(curves.feature[i], curves.dimension[i], shapes[i]) for i in built], repairs


class _Table(NamedTuple):
    """All positions, and the curves that they belong to."""

    xy: Floats  # (n, 2) m
    size: NDArray[np.intp]  # per curve: number of positions
    first: NDArray[np.intp]  # per curve: first position
    part: NDArray[np.intp]  # per curve
    dimension: NDArray[np.intp]  # per curve
    feature: list[int]  # per part

    def positions(self, chosen: NDArray[np.intp]) -> tuple[Floats, NDArray[np.intp]]:
        """Return the positions of chosen curves, and which of the chosen each belongs to."""
        number = np.full(len(self.size), -1)
        number[chosen] = np.arange(len(chosen))
        owner = np.repeat(number, self.size)
        return self.xy[owner >= 0], owner[owner >= 0]

    def repairs(self, curves: NDArray[np.intp], kind: str, what: str) -> list[Repair]:
        """Return a repair for each of these curves, at its first position."""
        return [
            Repair(
                kind,
                (float(self.xy[self.first[k], 0]), float(self.xy[self.first[k], 1])),
                f"feature {self.feature[self.part[k]]}: {what}",
            )
            for k in curves
        ]


def _polygons(table: _Table, shapes: Shapes) -> list[Repair]:
    """Create polygons; list rings that are open, too short or wrongly oriented."""
    chosen = np.flatnonzero(table.dimension == 2)
    if not len(chosen):
        return []
    shell = np.r_[True, np.diff(table.part[chosen]) != 0]
    size, first = table.size[chosen], table.first[chosen]
    closed = (table.xy[first] == table.xy[first + size - 1]).all(axis=1)
    enough = size - closed >= 3
    alive = enough & enough[np.flatnonzero(shell)][np.cumsum(shell) - 1]  # and so is its shell
    repairs = table.repairs(
        chosen[alive & ~closed], "unclosed ring", "the last point is not the first; closed"
    )
    repairs += table.repairs(
        chosen[~enough], "sliver", "a ring of fewer than three points; dropped"
    )
    if not alive.any():
        return repairs
    chosen, shell = chosen[alive], shell[alive]
    xy, owner = table.positions(chosen)
    rings = shapely.linearrings(xy, indices=owner)
    shapely.polygons(rings, indices=table.part[chosen], out=shapes)
    # RFC 7946: exteriors run counterclockwise, holes clockwise.
    wrong = (shapely.is_ccw(rings) != shell) & (shapely.area(shapely.polygons(rings)) > 0)
    return repairs + table.repairs(
        chosen[wrong], "orientation", "a ring has the wrong orientation; reversed"
    )


# -- writing -----------------------------------------------------------------------------------


def save_geojson(
    env: Environment | Building, path: str | os.PathLike[str], *, plan: Plan | None = None
) -> None:
    """Write an environment as GeoJSON that `load` reads back.

    Walkable polygons, single-line walls, point obstacles, named areas and terrain become
    features with the property `kind`; `meta.crs` declares that coordinates are local metres. With a
    plan, floors, obstacles and walls are written one by one, with their names.

    Raises:
        BadFile: the file cannot be written, or the properties of an area are not JSON.
    """
    file = checked_file(path)
    instance(env, (Environment, Building), "an Environment or a Building is needed")
    features = building_features(env) if isinstance(env, Building) else _plan_features(env, plan)
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


def _plan_features(env: Environment, plan: Plan | None = None) -> list[dict[str, Any]]:
    if plan is None:
        features = [_feature(p, {"kind": "walkable"}) for p in shapely.get_parts(env.walkable)]
        features += [_feature(line, {"kind": "wall"}) for line in shapely.get_parts(env.lines)]
    else:
        instance(plan, Plan, "a Plan is needed")
        features = [
            _feature(item.shape, {"kind": _WORDS[item.kind], **_named(item.name)})
            for item in plan.drawn()
        ]
    features += [_feature(p, {"kind": "obstacle"}) for p in shapely.get_parts(env.points)]
    features += [
        _feature(a.polygon, {**a.properties, "kind": "area", "name": a.name}) for a in env.areas
    ]
    features += [
        _feature(
            t.polygon,
            {
                "kind": t.kind,
                **({"reach": t.reach} if t.reach else {}),
                **({"slope": list(t.slope)} if t.slope else {}),
            },
        )
        for t in env.terrain
    ]
    return features


def _named(name: str) -> dict[str, str]:
    return {"name": name} if name else {}


def _feature(geometry: Any, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": shapely.geometry.mapping(geometry),
    }
