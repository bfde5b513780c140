"""Clip terrain regions to the map, and reject regions outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from footway.environment.lattice import polygon_parts, to_metres, to_steps
from footway.environment.repairs import Repair
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SLACK: Final = 2.0  # grid steps by which rounding may move a border over a slanted map edge


def cut_to_map(
    regions: Sequence[Any], labels: Sequence[str], walkable: shapely.MultiPolygon, *, grid: float
) -> tuple[NDArray[np.object_], list[Repair]]:
    """Return regions (polygons in metres) clipped to the map, and the repairs.

    The map is walkable space with its holes filled: a region may cover obstacles.

    Raises:
        BadGeometry: a region lies completely outside; the message gives its position.

    """
    shapes = np.empty(len(regions), dtype=object)
    shapes[:] = list(regions)
    if not len(shapes):
        return shapes, []
    shells = shapely.polygons(shapely.get_exterior_ring(shapely.get_parts(walkable)))
    whole = to_steps(shapely.union_all(shells), grid)
    steps = to_steps(shapes, grid)
    whole_with_slack = shapely.buffer(whole, _SLACK, join_style="mitre")
    shapely.prepare(whole_with_slack)
    beyond = np.flatnonzero(~shapely.covered_by(steps, whole_with_slack))
    repairs = []
    for i in beyond.tolist():
        inside = polygon_parts(shapely.intersection(steps[i], whole, grid_size=1))
        inside = shapely.orient_polygons(inside, exterior_cw=False)
        if not len(inside):
            raise BadGeometry(_outside_message(shapes[i], labels[i], walkable))
        outside = to_metres(shapely.difference(steps[i], whole_with_slack), grid)
        x, y = shapely.get_coordinates(shapely.point_on_surface(outside))[0]
        detail = f"{labels[i]}: reaches beyond the outer wall of the map; cut off there"
        repairs.append(Repair("outside", (float(x), float(y)), detail))
        parts = to_metres(inside, grid)
        shapes[i] = parts[0] if len(parts) == 1 else shapely.multipolygons(parts)
    return shapes, repairs


def _outside_message(region: Any, label: str, walkable: shapely.MultiPolygon) -> str:
    x, y = shapely.get_coordinates(region)[0]
    x0, y0, x1, y1 = walkable.bounds
    return (
        f"{label} at ({x:g}, {y:g}) lies outside the outer wall of the map, which spans "
        f"({x0:g}, {y0:g}) to ({x1:g}, {y1:g}); move it or leave it out"
    )
