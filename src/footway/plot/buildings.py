"""Pictures of buildings: floors side by side, or above each other in axonometry."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import shapely
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from footway.environment import Escalator, Lift, Ramp
from footway.errors import BadQuery
from footway.plot import palette
from footway.plot.arguments import checked
from footway.plot.layers import HALO
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from footway.arrays import Floats
    from footway.corridor import CorridorMap, Pinch
    from footway.corridor.building.path import BuildingPath
    from footway.environment import Building
    from footway.environment.building import Layer
    from footway.follow.building_walk import BuildingWalk

    Placed = Callable[[Floats], Floats]  # (n, 3) m to (n, 2) on the page

_FLOOR = "#efede6"
_STEP = 0.17  # m, height of a step
_COLUMNS = 4  # panels beside each other
_PANEL = 4.2  # inches, width of one
_TEXT = 6.0  # points, size of names and widths
_SLANT = 0.35, 0.45  # of the y-axis in axonometry: to the right and up
_LIFT = 0.30  # of the width of the building, between floors in axonometry
_TALLEST = 10.0  # inches
_BODY = 2.5  # points, size of people


@checked
def draw_building(
    cmap: CorridorMap,
    *,
    path: BuildingPath | BuildingWalk | ArrayLike | None = None,
    passages: Sequence[Pinch] = (),
    people: Sequence[tuple[float, float, str]] = (),
    style: Literal["floors", "axonometry"] = "floors",
) -> Figure:
    """Return a picture of a building with its links, a path and narrow passages.

    Args:
        cmap: map of a building.
        path: or walk, drawn on the floors and links that it uses; in axonometry also points (n, 3).
        passages: drawn where they are, with their widths.
        people: places of people, (x, y, floor or link).
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
    line = None if path is None else np.asarray(getattr(path, "points", path), float)
    if line is not None and line.shape[1] != 3:
        raise BadQuery(f"path is {shown(path)}: it must be one of the building's map")
    places: tuple[Floats, NDArray[np.int64]] = cmap.places(people, None, "people")  # type: ignore[attr-defined]
    if style == "axonometry":
        return _axonometry(building, path, line, places)
    if line is not None and not hasattr(path, "sheets"):
        raise BadQuery("points without a floor are drawn with style='axonometry'")
    count = len(building.floors)
    x0, y0, x1, y1 = building.bounds
    columns = min(count, _COLUMNS if x1 - x0 < 2.0 * (y1 - y0) else _COLUMNS // 2)
    rows = math.ceil(count / columns)
    size = _PANEL * columns, rows * (_PANEL * (y1 - y0) / (x1 - x0) + 0.4)
    figure = Figure(figsize=size, layout="constrained")
    for k, floor in enumerate(building.floors):
        axes = figure.add_subplot(rows, columns, k + 1)
        axes.set_title(f"{floor.name}  ·  {floor.elevation:g} m", fontsize=9, loc="left")
        here = [k, *building.parts_at(k)]
        for sheet in here:
            _draw_sheet(axes, building, sheet, lambda points: points[:, :2])
        if line is not None:
            _draw_line(axes, line, path.sheets, here)  # type: ignore[union-attr]
        crowd = places[0][np.isin(places[1], here)]
        if len(crowd):
            axes.plot(*crowd.T, "o", color=palette.ACCENT, ms=_BODY, mew=0, zorder=6)
        labels = _Labels(axes, (x1 - x0 + 2.0) / (0.9 * 72.0 * _PANEL))
        for pinch in passages:
            if pinch.where == str(floor):
                axes.plot(*zip(pinch.left, pinch.right, strict=True), color=palette.PINCH, lw=2)
                labels.write(f"{pinch.width:.2f} m", pinch.at, palette.PINCH)
        labels.write_links(building, here[1:])
        axes.set_xlim(x0 - 1, x1 + 1)
        axes.set_ylim(y0 - 1, y1 + 1)
        axes.set_aspect("equal")
        axes.tick_params(labelsize=7, colors=palette.MUTED)
        axes.spines[:].set_visible(False)
    return figure


def _draw_sheet(
    axes: Axes, building: Building, sheet: int, place: Placed, alpha: float = 1.0, order: int = 1
) -> None:
    """Draw a floor or a part of a link, with steps on stairs and an arrow on escalators."""
    layer = building.layers[sheet]
    fill = _FLOOR if layer.floor >= 0 else palette.LINK
    for part in shapely.get_parts(building.sheets[sheet].polygon):
        rings = []
        for ring in shapely.get_rings(part):
            at = shapely.get_coordinates(ring)
            rings.append(Outline(place(np.column_stack([at, layer.heights(at)])), closed=True))
        axes.add_patch(PathPatch(
            Outline.make_compound_path(*rings), facecolor=fill, alpha=alpha, linewidth=0,
            zorder=order,
        ))  # fmt: skip
    for x0, y0, x1, y1 in building.sheets[sheet].walls.segments.tolist():
        at = np.array([(x0, y0), (x1, y1)])
        axes.plot(*place(np.column_stack([at, layer.heights(at)])).T, color=palette.MUTED, lw=0.7,
                  alpha=max(alpha, 0.5), zorder=order)  # fmt: skip
    link = building.links[layer.link] if layer.link >= 0 else None
    if link is None or layer.is_level or isinstance(link, (Lift, Ramp)):
        return
    low, high = _across(layer)
    count = max(2, round((layer.high - layer.low) / _STEP))
    for k in range(1, count):
        at = low + k / count * (high - low)
        z = np.full(2, layer.low + k / count * (layer.high - layer.low))
        axes.plot(*place(np.column_stack([at, z])).T, color=palette.WALL, lw=0.4, zorder=order)
    if isinstance(link, Escalator):
        middle = np.column_stack(
            [np.array([low.mean(axis=0), high.mean(axis=0)]), [layer.low, layer.high]]
        )
        begin, end = place(middle if link.direction == "up" else middle[::-1])
        arrow = {"arrowstyle": "->", "color": palette.CORRIDOR, "lw": 1.2}
        axes.annotate("", end, begin, zorder=order + 0.5, arrowprops=arrow)


class _Labels:
    """Texts of one panel that do not cover each other: what comes first has its place."""

    _ABOVE = 5.0, -9.0, 13.0, -17.0  # points, places that are tried

    def __init__(self, axes: Axes, metres_per_point: float) -> None:
        self._axes, self._scale = axes, metres_per_point
        self._taken: list[shapely.Polygon] = []

    def write(self, text: str, at: tuple[float, ...], colour: str) -> None:
        """Write beside a place; not at all if other texts are everywhere around it."""
        wide, high = 0.3 * _TEXT * (len(text) + 1), _TEXT  # points, half the width and the height
        for above in self._ABOVE:
            x, y = at[0], at[1] + above * self._scale
            box = shapely.box(
                x - wide * self._scale, y, x + wide * self._scale, y + high * self._scale
            )
            if not any(box.intersects(other) for other in self._taken):
                break
        else:
            return
        self._taken.append(box)
        self._axes.annotate(
            text, (at[0], at[1]), xytext=(0, above), textcoords="offset points", ha="center",
            fontsize=_TEXT, color=colour, path_effects=HALO, zorder=7,
        )  # fmt: skip

    def write_links(self, building: Building, parts: list[int]) -> None:
        """Write the name of each link once, at the largest of its parts."""
        largest: dict[str, Any] = {}
        for sheet in parts:
            name = building.links[building.layers[sheet].link].name
            polygon = building.sheets[sheet].polygon
            if name not in largest or polygon.area > largest[name].area:
                largest[name] = polygon
        for name, polygon in largest.items():
            self.write(name, polygon.representative_point().coords[0], palette.INK)


def _across(layer: Layer) -> tuple[Floats, Floats]:
    """Return the lower and the upper side of a flight, (2, 2) m each, both in one direction."""
    low, high = (np.array(line).reshape(2, 2) for line in (layer.low_line, layer.high_line))
    straight = np.linalg.norm(low - high, axis=1).sum()
    return low, high if straight <= np.linalg.norm(low - high[::-1], axis=1).sum() else high[::-1]


def _draw_line(axes: Axes, line: Floats, on: NDArray[np.int64], sheets: list[int]) -> None:
    for k in np.flatnonzero(np.isin(on, sheets)).tolist():
        axes.plot(*line[k : k + 2, :2].T, color=palette.ACCENT, lw=1.8, solid_capstyle="round",
                  zorder=5)  # fmt: skip
    for k, sheet, face in ((0, on[0], "white"), (-1, on[-1], palette.ACCENT)):
        if sheet == sheets[0]:
            _mark(axes, line[k, :2], face)


def _mark(axes: Axes, at: Floats, face: str) -> None:
    """Draw the start as a ring, the goal as a disc."""
    axes.plot(*at, "o", color=palette.ACCENT, mfc=face, ms=6, mew=1.6, zorder=2000)


def _axonometry(
    building: Building, path: Any, line: Floats | None, people: tuple[Floats, NDArray[np.int64]]
) -> Figure:
    """Return the sheets from the lowest to the highest, slanted; what is below is veiled."""
    x0, y0, x1, y1 = building.bounds
    heights = sorted({floor.elevation for floor in building.floors})
    storey = min((b - a for a, b in itertools.pairwise(heights)), default=1.0)
    up = _LIFT * (x1 - x0) / max(storey, 1e-9) * min(1.0, 6.0 / max(len(heights), 1))

    def place(points: Floats) -> Floats:
        x, y, z = points.T
        return np.column_stack([x - x0 + _SLANT[0] * (y - y0), _SLANT[1] * (y - y0) + up * z])

    wide = x1 - x0 + _SLANT[0] * (y1 - y0)
    tall = _SLANT[1] * (y1 - y0) + up * (heights[-1] - heights[0])
    scale = min(9.0 / wide, _TALLEST / tall)
    figure = Figure(figsize=(scale * wide + 0.8, scale * tall + 0.3), layout="constrained")
    axes = figure.add_subplot()
    layers = building.layers
    order = sorted(range(len(layers)), key=lambda k: (layers[k].high + layers[k].low, k))
    on = getattr(path, "sheets", None)
    for rank, k in enumerate(order):
        _draw_sheet(axes, building, k, place, alpha=0.82, order=10 * (rank + 1))
        if layers[k].floor >= 0:
            corner = (*shapely.bounds(building.sheets[k].polygon)[:2], layers[k].low)
            at = place(np.array([corner]))[0]
            axes.annotate(building.floors[layers[k].floor].name, at, xytext=(-6, 0), fontsize=9,
                          textcoords="offset points", ha="right", color=palette.INK)  # fmt: skip
        crowd = people[0][people[1] == k]
        if len(crowd):
            at = place(np.column_stack([crowd, layers[k].heights(crowd)]))
            axes.plot(*at.T, "o", color=palette.ACCENT, ms=_BODY, mew=0, zorder=10 * rank + 14)
        if on is not None and line is not None:
            for i in np.flatnonzero(on == k).tolist():
                rides = (line[i, :2] == line[i + 1, :2]).all()
                axes.plot(*place(line[i : i + 2]).T, color=palette.ACCENT,
                          lw=1.2 if rides else 2.2, ls=":" if rides else "-",
                          solid_capstyle="round",
                          zorder=1990 if rides else 10 * (rank + 1) + 5)  # fmt: skip
    if line is not None:
        if on is None:
            axes.plot(*place(line).T, color=palette.ACCENT, lw=2.0, zorder=1999)
        ends = place(line[[0, -1]])
        _mark(axes, ends[0], "white")
        _mark(axes, ends[1], palette.ACCENT)
    axes.set_xlim(-0.08 * wide, 1.02 * wide)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return figure
