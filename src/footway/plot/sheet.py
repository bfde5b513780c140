"""A sheet: the map in equal scale, a heading above it, keys below it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from footway.plot import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

Box: TypeAlias = tuple[float, float, float, float]
"""xmin, ymin, xmax, ymax in metres."""

Area: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, width, height in shares of the figure."""

_WIDTH: Final = 8.0  # inches: 1600 pixels at 200 dpi
_TALLEST: Final = 9.0  # inches, greatest height of a map
_WIDEST: Final = 4.0  # greatest ratio of width to height of a map
_SIDE: Final = 0.18  # inches
_HEADING: Final = 0.42
_KEYS: Final = 0.56


@dataclass(frozen=True)
class Sheet:
    """A figure with one map on it.

    Attributes:
        figure: the whole page.
        axes: the map, in metres, equal in x and y.
        view: the shown part of the map.

    """

    figure: Figure
    axes: Axes
    view: Box

    @property
    def metres_per_point(self) -> float:
        """Size of one typographic point on the map, m."""
        inches = self.axes.get_position().width * self.figure.get_figwidth()
        return (self.view[2] - self.view[0]) / (72.0 * inches)


def new_sheet(view: Box, *, title: str, details: str) -> Sheet:
    """Return an empty sheet that shows `view`, with a heading and a scale bar."""
    view = _not_too_thin(view)
    aspect = (view[3] - view[1]) / (view[2] - view[0])
    width = min(_WIDTH - 2 * _SIDE, _TALLEST / aspect)
    height = width * aspect
    page = height + _HEADING + _KEYS
    figure = Figure(figsize=(_WIDTH, page), facecolor=palette.PAGE)
    FigureCanvasAgg(figure)
    left = 0.5 * (_WIDTH - width) / _WIDTH
    axes = figure.add_axes((left, _KEYS / page, width / _WIDTH, height / page))
    axes.set(xlim=(view[0], view[2]), ylim=(view[1], view[3]), xticks=[], yticks=[])
    axes.set_facecolor(palette.PAGE)
    axes.spines[:].set_visible(False)
    sheet = Sheet(figure, axes, view)
    _write_heading(sheet, title, details)
    _draw_scale_bar(sheet)
    return sheet


def padded(box: Box, share: float, *, least: float = 0.0) -> Box:
    """Return a box with a margin: a share of its longer side, and at least `least` metres."""
    margin = max(share * max(box[2] - box[0], box[3] - box[1]), least)
    return box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin


def add_colour_key(
    sheet: Sheet,
    colours: ScalarMappable,
    *,
    label: str,
    above: bool,
    area: Area | None = None,
) -> None:
    """Draw a slim colour bar below the map, on the left; `above`: some values exceed its end.

    `area` is the area for the keys of a page with several maps.
    """
    left, bottom, width, height = _keys_area(sheet) if area is None else area
    axes = sheet.figure.add_axes((left, bottom + 0.58 * height, 0.36 * width, 0.15 * height))
    bar = sheet.figure.colorbar(
        colours, cax=axes, orientation="horizontal", extend="max" if above else "neither"
    )
    bar.outline.set_visible(False)
    bar.ax.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    bar.ax.tick_params(labelsize=6.5, length=2, width=0.5, pad=1.5, colors=palette.MUTED)
    sheet.figure.text(
        left + (0.37 if not above else 0.385) * width,
        bottom + 0.65 * height,
        label,
        fontsize=7,
        color=palette.MUTED,
        va="center",
    )


def _not_too_thin(view: Box) -> Box:
    """Return the view, extended above and below if it is a thin strip."""
    width, height = view[2] - view[0], view[3] - view[1]
    extra = max(0.0, width / _WIDEST - height) / 2
    return view[0], view[1] - extra, view[2], view[3] + extra


def _keys_area(sheet: Sheet) -> Area:
    """Return the area below the map."""
    place = sheet.axes.get_position()
    return place.x0, 0.0, place.width, place.y0


def _write_heading(sheet: Sheet, title: str, details: str) -> None:
    place = sheet.axes.get_position()
    y = 1.0 - 0.58 * _HEADING / sheet.figure.get_figheight()
    sheet.figure.text(
        place.x0, y, title, fontsize=10, fontweight="bold", color=palette.INK, va="center"
    )
    sheet.figure.text(
        place.x1, y, details, fontsize=7.5, color=palette.MUTED, va="center", ha="right"
    )


def _draw_scale_bar(sheet: Sheet) -> None:
    """Draw a scale bar of a round length below the map, on the right."""
    draw_bar(sheet, _keys_area(sheet), share=1.0 / 5.0)


def draw_bar(sheet: Sheet, area: Area, *, share: float) -> None:
    """Draw a scale bar of a round length in an area, up to a share of the map's width."""
    metres = round_length((sheet.view[2] - sheet.view[0]) * share)
    axes = sheet.figure.add_axes(area)
    axes.set(xlim=(sheet.view[0], sheet.view[2]), ylim=(0, 1))
    axes.set_axis_off()
    right, y = sheet.view[2], 0.66
    ends = (right - metres, right)
    axes.plot(ends, (y, y), color=palette.INK, lw=1.4, solid_capstyle="butt", clip_on=False)
    for x in ends:
        axes.plot((x, x), (y - 0.07, y + 0.07), color=palette.INK, lw=0.8, clip_on=False)
    axes.text(
        right - metres / 2,
        y - 0.16,
        f"{metres:g} m",
        fontsize=7,
        color=palette.INK,
        ha="center",
        va="top",
    )


def round_length(metres: float) -> float:
    """Return the largest of 1, 2, 5, 10, ... (and tenths) that is not above `metres`."""
    power = 10.0 ** math.floor(math.log10(metres))
    return next(k * power for k in (5.0, 2.0, 1.0) if k * power <= metres * (1 + 1e-9))
