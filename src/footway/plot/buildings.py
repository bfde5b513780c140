"""Pictures of buildings: floors side by side, or above each other in axonometry."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import shapely
from matplotlib.figure import Figure

from footway.errors import BadQuery
from footway.plot import palette
from footway.plot.arguments import checked
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from footway.arrays import Floats
    from footway.corridor import CorridorMap, Pinch
    from footway.corridor.building.path import BuildingPath
    from footway.environment import Building
    from footway.follow.building_walk import BuildingWalk


_LINK = "#bcd4ea"
_COLUMNS = 4  # panels beside each other
_SLANT = 0.35, 0.45  # of the y-axis in axonometry: to the right and up
_LIFT = 0.30  # of the width of the building, between floors in axonometry


@checked
def draw_building(
    cmap: CorridorMap,
    *,
    path: BuildingPath | BuildingWalk | None = None,
    passages: Sequence[Pinch] = (),
    style: Literal["floors", "axonometry"] = "floors",
) -> Figure:
    """Return a picture of a building with its links, a path and narrow passages.

    Args:
        cmap: map of a building.
        path: or walk, drawn on the floors and links that it uses.
        passages: drawn where they are.
        style: "floors": each floor with the links that leave it; "axonometry": floors above each
            other, farther apart than they are.

    Example:
        >>> import footway as fw
        >>> from footway import plot
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:station"))
        >>> figure = plot.draw_building(cmap, style="axonometry")
    """
    building = getattr(cmap, "building", None)
    if building is None:
        raise BadQuery(f"draw_building takes the map of a building, not {shown(cmap)}")
    if path is not None and not hasattr(path, "sheets"):
        raise BadQuery(f"path is {shown(path)}: it must be one of the building's map")
    if style == "axonometry":
        return _axonometry(building, path)
    count = len(building.floors)
    x0, y0, x1, y1 = building.bounds
    columns = min(count, _COLUMNS if x1 - x0 < 2.0 * (y1 - y0) else _COLUMNS // 2)
    rows = math.ceil(count / columns)
    width = 4.2 * columns
    figure = Figure(
        figsize=(width, rows * (4.2 * (y1 - y0) / (x1 - x0) + 0.5)), layout="constrained"
    )
    for k, floor in enumerate(building.floors):
        axes = figure.add_subplot(rows, columns, k + 1)
        axes.set_title(f"{floor.name}  ·  {floor.elevation:g} m", fontsize=9, loc="left")
        _draw_polygon(axes, building.sheets[k].polygon, palette.GROUND)
        for seam in building.seams:
            if k in (seam.left, seam.right):
                other = seam.right if seam.left == k else seam.left
                _draw_polygon(axes, building.sheets[other].polygon, _LINK)
        _draw_path(axes, path, [k, *_neighbours(building, k)])
        for pinch in passages:
            if pinch.where == str(floor):
                axes.plot(*zip(pinch.left, pinch.right, strict=True), color=palette.PINCH, lw=2)
        _finish(axes, (x0, y0, x1, y1))
    return figure


def _neighbours(building: Building, sheet: int) -> list[int]:
    return [
        s.right if s.left == sheet else s.left for s in building.seams if sheet in (s.left, s.right)
    ]


def _draw_polygon(axes: Axes, polygon: shapely.MultiPolygon, color: str) -> None:
    for part in shapely.get_parts(polygon):
        for k, ring in enumerate(shapely.get_rings(part)):
            corners = shapely.get_coordinates(ring)
            fill = color if k == 0 else "white"
            axes.fill(*corners.T, facecolor=fill, edgecolor=palette.WALL, linewidth=0.6)


def _draw_path(axes: Axes, path: BuildingPath | BuildingWalk | None, sheets: list[int]) -> None:
    if path is None:
        return
    for k, sheet in enumerate(path.sheets.tolist()):
        if sheet in sheets:
            axes.plot(
                *path.points[k : k + 2, :2].T, color=palette.ACCENT, lw=1.8, solid_capstyle="round"
            )


def _axonometry(building: Building, path: BuildingPath | BuildingWalk | None) -> Figure:
    """Return the sheets from the lowest to the highest, slanted."""
    x0, y0, x1, _ = building.bounds
    heights = sorted({floor.elevation for floor in building.floors})
    storey = min((b - a for a, b in itertools.pairwise(heights)), default=1.0)
    up = _LIFT * (x1 - x0) / max(storey, 1e-9) * min(1.0, 8.0 / max(len(heights), 1))

    def place(points: Floats) -> Floats:
        x, y, z = points.T
        return np.column_stack([x + _SLANT[0] * (y - y0), _SLANT[1] * y + up * z])

    figure = Figure(figsize=(9, 10), layout="constrained")
    axes = figure.add_subplot()
    order = sorted(
        range(len(building.layers)),
        key=lambda k: building.layers[k].low + 0.5 * building.layers[k].high,
    )
    for k in order:
        layer = building.layers[k]
        color = palette.GROUND if layer.floor >= 0 else _LINK
        for part in shapely.get_parts(building.sheets[k].polygon):
            for n, ring in enumerate(shapely.get_rings(part)):
                at = shapely.get_coordinates(ring)
                corners = place(np.column_stack([at, layer.heights(at)]))
                fill, alpha = (color, 0.85) if n == 0 else ("white", 0.6)
                axes.fill(
                    *corners.T, facecolor=fill, edgecolor=palette.WALL, linewidth=0.5, alpha=alpha
                )
        if layer.floor >= 0:
            at = place(np.array([[x0, y0, layer.low]]))[0]
            axes.annotate(building.floors[layer.floor].name, at, xytext=(-6, 0), fontsize=9,
                          textcoords="offset points", ha="right")  # fmt: skip
    if path is not None:
        axes.plot(*place(path.points).T, color=palette.ACCENT, lw=2.0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return figure


def _finish(axes: Axes, box: tuple[float, float, float, float]) -> None:
    axes.set_xlim(box[0] - 1, box[2] + 1)
    axes.set_ylim(box[1] - 1, box[3] + 1)
    axes.set_aspect("equal")
    axes.tick_params(labelsize=7)
