"""Shared drawing functions for the figures of this paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from footway.plot import palette
from footway.plot.sheet import SIDE, WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from matplotlib.artist import Artist
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.plot.sheet import Sheet

    Floats = NDArray[np.float64]

PAPER: Final = "voronoi-roadmaps-2004"


def draw_lines(
    sheet: Sheet, lines: Sequence[Floats], *, colour: str, width: float, level: float, **style: Any
) -> None:
    """Draw lines (n, 2) m on a map; `width` is in points."""
    drawn = LineCollection(list(lines), colors=colour, linewidths=width, zorder=level)
    drawn.set(capstyle="round", joinstyle="round", **style)
    sheet.axes.add_collection(drawn, autolim=False)


def draw_dots(sheet: Sheet, points: Floats, *, face: str, size: float, level: float) -> None:
    """Draw points (n, 2) m as discs with a dark rim."""
    x, y = points.T
    style: dict[str, Any] = {"edgecolors": palette.INK, "linewidths": 0.6}
    sheet.axes.scatter(x, y, s=size, c=face, zorder=level, **style)


def diagram_lines(cmap: CorridorMap, step: float) -> list[Floats]:
    """Lines (n, 2) m of the Voronoi diagram, with points at most a step apart."""
    axis = cmap.axis(step)
    ends = zip(axis.offsets[:-1], axis.offsets[1:], strict=True)
    return [axis.points[a:b] for a, b in ends]


def draw_key(sheet: Sheet, entries: Mapping[str, Artist], *, columns: int | None = None) -> None:
    """Draw the key of the marks below the maps, in one line or in columns."""
    sheet.figure.legend(
        list(entries.values()),
        list(entries),
        loc="center left",
        bbox_to_anchor=(SIDE / WIDTH - 0.006, 0.28 / sheet.figure.get_figheight()),
        ncols=columns or len(entries),
        frameon=False,
        fontsize=7,
        labelcolor=palette.MUTED,
        handlelength=1.6,
        columnspacing=1.4,
    )


def line_key(colour: str, width: float, **style: Any) -> Line2D:
    """Return the mark of a line."""
    return Line2D([], [], color=colour, lw=width, **style)


def dot_key(face: str, size: float = 4.0) -> Line2D:
    """Return the mark of a place."""
    return Line2D([], [], marker="o", lw=0, mfc=face, mec=palette.INK, mew=0.6, ms=size)


def fill_key(colour: str, alpha: float) -> Patch:
    """Return the mark of an area."""
    return Patch(facecolor=colour, alpha=alpha)
