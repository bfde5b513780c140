"""Indicative routes in files: a GeoJSON LineString, or a table of x and y (CSV), in metres."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footway.errors import BadFile

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from footway.terrain.route import IndicativeRoute

    Floats = NDArray[np.float64]

MOST_BYTES = 64 * 2**20


def save(file: str | PathLike[str], route: IndicativeRoute) -> None:
    """Write a route: .csv a table, .geojson or .json a LineString with all about it."""
    kind = _kind(file)
    try:
        with Path(file).open("w", encoding="utf-8", newline="") as stream:
            if kind == ".csv":
                rows = csv.writer(stream, lineterminator="\n")
                rows.writerows([("x", "y"), *route.points.tolist()])
            else:
                stream.write(json.dumps(_feature(route)) + "\n")
    except OSError as error:
        raise BadFile(f"{file}: cannot be written: {error.strerror}") from None


def read(file: str | PathLike[str]) -> tuple[Any, dict[str, float] | None]:
    """Points of a route as they stand in a file, and preferences where it has them."""
    kind = _kind(file)
    text = _text(file)
    try:
        return (_rows(text), None) if kind == ".csv" else _line(json.loads(text))
    except (ValueError, KeyError, TypeError, RecursionError, csv.Error) as error:
        form = "a table of x and y" if kind == ".csv" else "a GeoJSON LineString"
        raise BadFile(f"{file}: is not {form}: {error}") from None


def _kind(file: str | PathLike[str]) -> str:
    kind = Path(file).suffix.lower()
    if kind not in {".csv", ".json", ".geojson"}:
        raise BadFile(f"{file}: the suffix must be .geojson or .json (a LineString) or .csv")
    return kind


def _text(file: str | PathLike[str]) -> str:
    path = Path(file)
    try:
        if not path.is_file():
            raise BadFile(f"{file}: no such file")
        if path.stat().st_size > MOST_BYTES:
            raise BadFile(f"{file}: more than {MOST_BYTES >> 20} MiB: too large for a route")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise BadFile(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{file}: is not text") from None


def _feature(route: IndicativeRoute) -> dict[str, Any]:
    about = {key: value for key, value in route.to_dict().items() if key != "points"}
    line = {"type": "LineString", "coordinates": route.points.tolist()}
    return {"type": "Feature", "properties": about, "geometry": line}


def _rows(text: str) -> list[list[float]]:
    """Numbers of a table, with or without a line of names."""
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if rows and not _is_number(rows[0][0]):
        rows = rows[1:]
    points = []
    for number, row in enumerate(rows, 1):
        if len(row) != 2:
            raise ValueError(f"row {number} has {len(row)} columns, not 2")
        points.append([float(cell) for cell in row])
    return points


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _line(document: Any) -> tuple[Any, dict[str, float] | None]:
    """Coordinates of the first LineString of a document, and its preferences."""
    if document["type"] == "FeatureCollection":
        lines = [one for one in document["features"] if one["geometry"]["type"] == "LineString"]
        if not lines:
            raise ValueError("it holds no LineString")
        document = lines[0]
    about: Any = {}
    if document["type"] == "Feature":
        document, about = document["geometry"], document.get("properties") or {}
    if document["type"] != "LineString":
        raise ValueError(f"it holds a {document['type']}")
    return [point[:2] for point in document["coordinates"]], about.get("preferences")
