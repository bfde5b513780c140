"""The walkable space, terrain and areas of a document, as arrays that a page can draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.studio.documents import role_of
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from footway.studio.documents import Document

    Arrays = dict[str, NDArray[Any]]


def free_space_answer(document: Document) -> Answer:
    """Return the walkable polygons as points, ring offsets and polygon offsets, and walls as lines.

    The first ring of a polygon is its shell, the others are holes. Terrain and areas have the same
    form, with one entry in the facts for each polygon.
    """
    env = document.environment
    if env is None:
        walls = document.corridors.walls
        return Answer(
            {"terrain": [], "areas": []},
            {**_rings("", []), "lines": walls} | _rings("terrain_", []) | _rings("area_", []),
        )
    terrain, kinds = _parts((region.polygon, {"kind": region.kind}) for region in env.terrain)
    areas, names = _parts(
        (area.polygon, {"name": area.name, "role": role_of(area.properties)}) for area in env.areas
    )
    walkable, _ = _parts([(env.walkable, {})])
    arrays = _rings("", walkable) | {"lines": _lines(env.lines)}
    arrays |= _rings("terrain_", terrain) | _rings("area_", areas)
    return Answer({"terrain": kinds, "areas": names}, arrays)


def _parts(given: Iterable[tuple[Any, dict[str, Any]]]) -> tuple[list[Any], list[dict[str, Any]]]:
    """Split shapes into simple polygons, and repeat the facts for each."""
    polygons, facts = [], []
    for shape, repeated in given:
        for part in getattr(shape, "geoms", [shape]):
            polygons.append(part)
            facts.append(repeated)
    return polygons, facts


def _rings(prefix: str, polygons: list[Any]) -> Arrays:
    """Return points, ring offsets and polygon offsets; rings are open."""
    rings = [
        np.asarray(ring.coords)[:-1, :2] for p in polygons for ring in (p.exterior, *p.interiors)
    ]
    per_polygon = [1 + len(p.interiors) for p in polygons]
    return {
        f"{prefix}points": np.concatenate([np.empty((0, 2)), *rings]),
        f"{prefix}rings": np.cumsum([0, *map(len, rings)]),
        f"{prefix}polygons": np.cumsum([0, *per_polygon]),
    }


def _lines(lines: Any) -> NDArray[np.float64]:
    """Return walls without thickness as segments (m, 4)."""
    pieces = [np.asarray(line.coords)[:, :2] for line in lines.geoms]
    parts = [np.hstack([piece[:-1], piece[1:]]) for piece in pieces]
    return np.concatenate([np.empty((0, 4)), *parts])
