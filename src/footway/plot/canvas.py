"""Pages: maps in equal scale with a heading and keys, diagrams, and picture files."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from footway.plot import palette
from footway.plot.arguments import checked
from footway.validation import named
from footway.writing import whole_file

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

    from footway.arrays import Floats

Box: TypeAlias = tuple[float, float, float, float]  # xmin, ymin, xmax, ymax in metres

Area: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, width, height in shares of the figure."""

WIDTH: Final = 8.0  # inches of a page: 1600 pixels at 200 dpi
SIDE: Final = 0.18  # inches left and right of the maps
HEADING: Final = 0.42  # inches above the maps
KEYS: Final = 0.56  # inches below the maps
CAPTION: Final = 0.31  # inches above each of several maps
_GAP: Final = 0.16  # inches between maps
_TALLEST: Final = 9.0  # inches, greatest height of a map
_WIDEST: Final = 4.0  # greatest ratio of width to height of a map
_SQUARE: Final = 0.85  # from this ratio of height to width on, maps are side by side
PICTURES: Final = (".png", ".svg", ".pdf")
_DPI: Final = 200


@dataclass(frozen=True)
class Canvas:
    """A figure with one map on it."""

    figure: Figure  # the whole page
    axes: Axes  # the map, in metres, equal in x and y
    view: Box  # the shown part of the map

    @property
    def metres_per_point(self) -> float:
        """Size of one typographic point on the map, m."""
        inches = self.axes.get_position().width * self.figure.get_figwidth()
        return (self.view[2] - self.view[0]) / (72.0 * inches)

    @property
    def keys(self) -> Area:
        """The area below the map."""
        place = self.axes.get_position()
        return place.x0, 0.0, place.width, place.y0


def new_figure(height: float) -> Figure:
    """Return an empty page of a height in inches."""
    figure = Figure(figsize=(WIDTH, height), facecolor=palette.PAGE)
    FigureCanvasAgg(figure)
    return figure


def add_map(figure: Figure, area: Area, view: Box) -> Canvas:
    """Add an empty map that shows `view` to a page."""
    axes = figure.add_axes(area)
    axes.set(xlim=(view[0], view[2]), ylim=(view[1], view[3]), xticks=[], yticks=[])
    axes.set_facecolor(palette.PAGE)
    axes.spines[:].set_visible(False)
    return Canvas(figure, axes, view)


def new_canvas(view: Box, *, title: str, details: str) -> Canvas:
    """Return a page with one empty map that shows `view`, a heading and a scale bar."""
    x0, y0, x1, y1 = view
    extra = max(0.0, (x1 - x0) / _WIDEST - (y1 - y0)) / 2  # above and below a thin strip
    view = (x0, y0 - extra, x1, y1 + extra)
    aspect = (view[3] - view[1]) / (x1 - x0)
    width = min(WIDTH - 2 * SIDE, _TALLEST / aspect)
    height = width * aspect
    page = height + HEADING + KEYS
    left = 0.5 * (WIDTH - width) / WIDTH
    area = (left, KEYS / page, width / WIDTH, height / page)
    canvas = add_map(new_figure(page), area, view)
    place = canvas.axes.get_position()
    write_heading(canvas.figure, (place.x0, place.x1), title, details)
    draw_bar(canvas, canvas.keys, share=1.0 / 5.0)
    return canvas


def write_heading(figure: Figure, between: tuple[float, float], title: str, details: str) -> None:
    """Write the title of a page on the left and its numbers on the right."""
    y = 1.0 - 0.58 * HEADING / figure.get_figheight()
    left, right = between
    style: dict[str, Any] = {"va": "center"}
    figure.text(left, y, title, fontsize=10, weight="bold", color=palette.INK, **style)
    figure.text(right, y, details, fontsize=7.5, color=palette.MUTED, ha="right", **style)


def new_canvases(
    view: Box,
    captions: Sequence[tuple[str, str]],
    *,
    title: str,
    details: str,
    columns: int | None = None,
) -> list[Canvas]:
    """Return a page with one empty map for each caption (left text, right text).

    By default, wide maps are placed one above the other, from four on in two columns, and others
    side by side.
    """
    aspect = (view[3] - view[1]) / (view[2] - view[0])
    if columns is None:
        columns = len(captions) if aspect >= _SQUARE else 1 + (len(captions) > 3)
    rows = math.ceil(len(captions) / columns)
    width = (WIDTH - 2 * SIDE - (columns - 1) * _GAP) / columns
    height = width * aspect
    above = CAPTION if any(any(words) for words in captions) else 0.0
    page = HEADING + rows * (above + height) + KEYS
    figure = new_figure(page)

    left_and_right = (SIDE, WIDTH - SIDE)
    _write_line(figure, page - 0.62 * HEADING, (title, details), left_and_right, (10, 7.5), "bold")
    canvases = []
    for k, words in enumerate(captions):
        row, column = divmod(k, columns)
        left = SIDE + column * (width + _GAP)
        bottom = page - HEADING - row * (above + height) - above - height
        area = (left / WIDTH, bottom / page, width / WIDTH, height / page)
        above_map = bottom + height + 0.29 * CAPTION
        _write_line(figure, above_map, words, (left, left + width), (8, 7), "normal")
        canvases.append(add_map(figure, area, view))
    return canvases


def _write_line(
    figure: Figure,
    y: float,
    words: tuple[str, str],
    between: tuple[float, float],
    sizes: tuple[float, float],
    weight: str,
) -> None:
    """Write text on the left and right of a line; y and `between` are in inches."""
    height, (left, right) = figure.get_figheight(), between
    figure.text(
        left / WIDTH, y / height, words[0], fontsize=sizes[0], color=palette.INK, weight=weight
    )
    figure.text(
        right / WIDTH, y / height, words[1], fontsize=sizes[1], color=palette.MUTED, ha="right"
    )


def padded(box: Box, share: float, *, least: float = 0.0) -> Box:
    """Return a box with a margin: a share of its longer side, and at least `least` metres."""
    margin = max(share * max(box[2] - box[0], box[3] - box[1]), least)
    return box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin


def view_of(places: Sequence[Floats], share: float, bounds: Box, *, least: float = 0.0) -> Box:
    """Return the part around points (n, 2) m of a map with these bounds, with a margin."""
    points = np.vstack(places)
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    x0, y0, x1, y1 = padded((*low, *high), share, least=least)
    whole = padded(bounds, 0.006)
    return max(x0, whole[0]), max(y0, whole[1]), min(x1, whole[2]), min(y1, whole[3])


def add_colour_key(
    canvas: Canvas, colours: ScalarMappable, *, label: str, above: bool, area: Area | None = None
) -> None:
    """Draw a slim colour bar below the map, on the left; `above`: some values exceed its end.

    `area` is the area for the keys of a page with several maps.
    """
    left, bottom, width, height = canvas.keys if area is None else area
    axes = canvas.figure.add_axes((left, bottom + 0.58 * height, 0.36 * width, 0.15 * height))
    bar = canvas.figure.colorbar(
        colours, cax=axes, orientation="horizontal", extend="max" if above else "neither"
    )
    bar.outline.set_visible(False)
    bar.ax.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    bar.ax.tick_params(labelsize=6.5, length=2, width=0.5, pad=1.5, colors=palette.MUTED)
    x, y = left + (0.385 if above else 0.37) * width, bottom + 0.65 * height
    canvas.figure.text(x, y, label, fontsize=7, color=palette.MUTED, va="center")


def add_line_key(
    canvas: Canvas, entries: Mapping[str, Any], at: tuple[float, float], columns: int, **style: Any
) -> None:
    """Draw a legend of names and samples at a point of the figure, by default centred vertically.

    `style` are further arguments of Matplotlib's `legend`.
    """
    canvas.figure.legend(
        list(entries.values()), list(entries), bbox_to_anchor=at, ncols=columns, frameon=False,
        fontsize=7, labelcolor=palette.MUTED, **{"loc": "center left", "borderpad": 0.0, **style},
    )  # fmt: skip


def keys_of(canvas: Canvas) -> Area:
    """Return the area below all maps of a page for keys."""
    side = SIDE / WIDTH
    return side, 0.0, 1.0 - 2.0 * side, KEYS / canvas.figure.get_figheight()


def draw_page_bar(canvas: Canvas) -> None:
    """Draw a scale bar of a round length below the last map, on the right."""
    draw_bar(canvas, canvas.keys, share=1.0 / 6.0)


def draw_bar(canvas: Canvas, area: Area, *, share: float) -> None:
    """Draw a scale bar of a round length in an area, up to a share of the map's width."""
    metres = round_length((canvas.view[2] - canvas.view[0]) * share)
    axes = canvas.figure.add_axes(area)
    axes.set(xlim=(canvas.view[0], canvas.view[2]), ylim=(0, 1))
    axes.set_axis_off()
    right, y = canvas.view[2], 0.66
    ends = (right - metres, right)
    axes.plot(ends, (y, y), color=palette.INK, lw=1.4, solid_capstyle="butt", clip_on=False)
    for x in ends:
        axes.plot((x, x), (y - 0.07, y + 0.07), color=palette.INK, lw=0.8, clip_on=False)
    words: dict[str, Any] = {"fontsize": 7, "color": palette.INK, "ha": "center", "va": "top"}
    axes.text(right - metres / 2, y - 0.16, f"{metres:g} m", **words)


def round_length(metres: float) -> float:
    """Return the largest of 1, 2, 5, 10, ... (and tenths) that is not above `metres`."""
    power = 10.0 ** math.floor(math.log10(metres))
    return next(k * power for k in (5.0, 2.0, 1.0) if k * power <= metres * (1 + 1e-9))


# -- diagrams ----------------------------------------------------------------------------------


def make_quiet(axes: Axes) -> None:
    """Draw axes as thin lines with small labels, so that the data stand out."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set(color=palette.WALL, linewidth=0.6)
    axes.tick_params(labelsize=7, length=2.5, width=0.5, colors=palette.MUTED)
    axes.tick_params(which="minor", length=1.5, width=0.4, colors=palette.WALL)
    axes.grid(axis="y", color=palette.OBSTACLE, lw=0.4)
    axes.set_axisbelow(True)


def name_axes(axes: Axes, *, x: str, y: str) -> None:
    """Label the axes with quantity and unit."""
    axes.set_xlabel(x, fontsize=7.5, color=palette.MUTED)
    axes.set_ylabel(y, fontsize=7.5, color=palette.MUTED)


# -- files -------------------------------------------------------------------------------------


@checked
def check_picture_file(file: str | os.PathLike[str]) -> Path:
    """Check the name of a picture, and return its path.

    Raises:
        BadInput: the suffix is not .png, .svg or .pdf.
    """
    return named(file, "a picture", *PICTURES)


@checked
def save_picture(figure: Figure, file: str | os.PathLike[str]) -> None:
    """Write a figure as PNG (200 dpi), SVG or PDF, depending on the suffix of the file.

    Raises:
        BadInput: the suffix is unknown.
        BadFile: the file cannot be written.
    """
    path = check_picture_file(file)
    # Without a date, so that the same map gives the same bytes.
    metadata: dict[str, dict[str, str | None]] = {
        ".png": {"Software": "Footway"}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None},
    }  # fmt: skip
    with whole_file(path) as part:
        figure.savefig(part, dpi=_DPI, metadata=metadata[path.suffix.lower()])
