"""Draw fake obstacles hatched, to distinguish them from walls, and closed edges dotted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

from footway.plot import palette
from footway.plot.solids import project
from footway.roadmap.fake_obstacles import open_parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from footway.plot.sheet import Sheet
    from footway.plot.solids import Level
    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]

_HATCHED: Final[dict[str, Any]] = {
    "facecolors": palette.GROUND,
    "edgecolors": palette.REPAIR,
    "linewidths": 0.8,
    "hatch": "//////",
}

_SIDES: Final = ((0, 1, 5, 4), (0, 2, 6, 4), (4, 5, 7, 6))
"""Corners of the faces of a box that look south, west and up; corner k is high in x where bit 0 of
k is set, in y where bit 1 is, in z where bit 2 is."""


def draw_fakes(sheet: Sheet, roadmap: Roadmap) -> None:
    """Draw the fake obstacles of a roadmap in two dimensions, and the edges that they close."""
    if not roadmap.fake_obstacles:
        return
    shapes = [np.array(fake.points) for fake in roadmap.fake_obstacles]
    sheet.axes.add_collection(PolyCollection(shapes, zorder=1.3, **_HATCHED), autolim=False)
    style: dict[str, Any] = {"colors": palette.REPAIR, "linewidths": 0.8, "linestyles": ":"}
    lines = LineCollection(_closed_paths(roadmap), zorder=1.9, **style)
    sheet.axes.add_collection(lines, autolim=False)


def draw_fake_boxes(axes: Axes, roadmap: Roadmap, level: Level, shift: Floats) -> None:
    """Draw the part of the fake obstacles within one level, seen from above."""
    faces = []
    for fake in roadmap.fake_obstacles:
        low, high = np.array(fake.points)
        low, high = low.copy(), high.copy()
        low[2], high[2] = max(low[2], level.bottom), min(high[2], level.top)
        if low[2] >= high[2]:
            continue
        bits = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)])
        corners = project(np.where(bits == 1, high, low)) + shift
        faces += [corners[list(side)] for side in _SIDES]
    if faces:
        axes.add_collection(
            PolyCollection(faces, zorder=1.95, alpha=0.8, **_HATCHED), autolim=False
        )


def _closed_paths(roadmap: Roadmap) -> list[Floats]:
    closed = np.flatnonzero(~open_parts(roadmap)[1])
    return [roadmap.path_of(edge) for edge in closed.tolist()]
