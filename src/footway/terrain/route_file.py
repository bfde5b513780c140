"""Read and write indicative routes: a GeoJSON LineString, or CSV with x and y, in metres."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from footway.errors import BadFile, BadInput
from footway.terrain.terrain import check_preferences
from footway.validation import file as checked_file
from footway.validation import named
from footway.writing import whole_file

if TYPE_CHECKING:
    from os import PathLike

    from footway.terrain.route import IndicativeRoute

MOST_BYTES = 64 * 2**20


def save(file: str | PathLike[str], route: IndicativeRoute) -> None:
    """Write a route: .csv a table, .geojson or .json a LineString with all properties."""
    kind = _kind(file)
    with whole_file(file) as part, part.open("w", encoding="utf-8", newline="") as stream:
        if kind == ".csv":
            rows = csv.writer(stream, lineterminator="\n")
            rows.writerows([("x", "y"), *route.points.tolist()])
            return
        properties = {key: value for key, value in route.to_dict().items() if key != "points"}
        line = {"type": "LineString", "coordinates": route.points.tolist()}
        feature = {"type": "Feature", "properties": properties, "geometry": line}
        stream.write(json.dumps(feature) + "\n")


def read(file: str | PathLike[str]) -> tuple[Any, dict[str, float] | None]:
    """Return the points of a route and its preferences; None if the file has none."""
    kind, path = _kind(file), checked_file(file)
    try:
        if not path.is_file():
            raise BadFile(f"{file}: does not exist; check the path")
        if path.stat().st_size > MOST_BYTES:
            raise BadFile(f"{file}: more than {MOST_BYTES >> 20} MiB: too large for a route")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise BadFile(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{file}: is not text") from None
    try:
        points, found = (_rows(text), None) if kind == ".csv" else _line(json.loads(text))
        return points, None if found is None else check_preferences(found)
    except BadInput as error:
        raise BadFile(f"{file}: {error}") from None
    except (ValueError, RecursionError, csv.Error) as error:
        form = "a table of x and y" if kind == ".csv" else "a GeoJSON LineString"
        raise BadFile(f"{file}: is not {form}: {error}") from None


def _kind(file: str | PathLike[str]) -> str:
    return named(file, "a route", ".geojson", ".json", ".csv", error=BadFile).suffix.lower()


def _rows(text: str) -> list[list[float]]:
    """Return the numbers of a table with or without a header."""
    rows = [(number, row) for number, row in enumerate(csv.reader(text.splitlines()), 1) if row]
    if rows and not _is_number(rows[0][1][0]):
        rows = rows[1:]
    points = []
    for number, row in rows:
        if len(row) != 2:
            raise ValueError(f"line {number} has {len(row)} columns, not 2")
        wrong = [cell for cell in row if not _is_number(cell)]
        if wrong:
            raise ValueError(f"line {number} has {wrong[0]!r}, which is not a number")
        points.append([float(cell) for cell in row])
    if not points:
        raise ValueError("it holds no points")
    return points


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _line(document: Any) -> tuple[Any, Any]:
    """Return coordinates and preferences (or None) of the first LineString of a document."""
    properties: Any = {}
    if _type(document) == "FeatureCollection":
        features = [f for f in _items(document, "features") if _type(f) == "Feature"]
        lines = (f for f in features if _type(f.get("geometry")) == "LineString")
        document = next(lines, None)
        if document is None:
            raise ValueError("it holds no LineString")
    if _type(document) == "Feature":
        document, properties = document.get("geometry"), document.get("properties") or {}
    if _type(document) != "LineString":
        raise ValueError(f"it holds a {_type(document) or 'value without a type'}")
    points = _items(document, "coordinates")
    if not points or not all(isinstance(point, list) for point in points):
        raise ValueError("its coordinates are not a list of points")
    preferences = properties.get("preferences") if isinstance(properties, dict) else None
    return [point[:2] for point in points], preferences


def _type(document: Any) -> str | None:
    return document.get("type") if isinstance(document, dict) else None


def _items(document: dict[str, Any], name: str) -> list[Any]:
    items = document.get(name)
    if not isinstance(items, list):
        raise ValueError(f"it has no list of {name}")  # noqa: TRY004
    return items
