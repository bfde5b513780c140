"""Pages with several maps in equal scale: heading, captions and keys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from footway.plot import palette
from footway.plot.sheet import Area, Box, Sheet, draw_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH: Final = 8.0  # inches: 1600 pixels at 200 dpi
SIDE: Final = 0.18
KEYS: Final = 0.56
"""Inches of the strip below the maps."""

_GAP: Final = 0.16
_HEADING: Final = 0.42
_CAPTION: Final = 0.31
_SQUARE: Final = 0.85  # from this ratio of height to width on, maps are side by side


def new_sheets(
    view: Box,
    captions: Sequence[tuple[str, str]],
    *,
    title: str,
    details: str,
    columns: int | None = None,
) -> list[Sheet]:
    """Return a page with one empty map for each caption (left text, right text).

    By default, wide maps are placed one above the other, and others side by side.
    """
    aspect = (view[3] - view[1]) / (view[2] - view[0])
    if columns is None:
        columns = len(captions) if aspect >= _SQUARE else 1
    rows = math.ceil(len(captions) / columns)
    width = (WIDTH - 2 * SIDE - (columns - 1) * _GAP) / columns
    height = width * aspect
    above = _CAPTION if any(any(words) for words in captions) else 0.0
    page = _HEADING + rows * (above + height) + KEYS
    figure = Figure(figsize=(WIDTH, page), facecolor=palette.PAGE)
    FigureCanvasAgg(figure)
    _write_line(figure, page - 0.62 * _HEADING, (title, details), sizes=(10, 7.5), bold=True)
    sheets = []
    for k, words in enumerate(captions):
        row, column = divmod(k, columns)
        left = SIDE + column * (width + _GAP)
        bottom = page - _HEADING - row * (above + height) - above - height
        axes = figure.add_axes((left / WIDTH, bottom / page, width / WIDTH, height / page))
        axes.set(xlim=(view[0], view[2]), ylim=(view[1], view[3]), xticks=[], yticks=[])
        axes.set_facecolor(palette.PAGE)
        axes.spines[:].set_visible(False)
        between = (left, left + width)
        _write_line(figure, bottom + height + 0.29 * _CAPTION, words, sizes=(8, 7), between=between)
        sheets.append(Sheet(figure, axes, view))
    return sheets


def keys_of(sheet: Sheet) -> Area:
    """Return the area below all maps of a page for keys, in shares of the figure."""
    side = SIDE / WIDTH
    return side, 0.0, 1.0 - 2.0 * side, KEYS / sheet.figure.get_figheight()


def draw_page_bar(sheet: Sheet) -> None:
    """Draw a scale bar of a round length below the last map, on the right."""
    place = sheet.axes.get_position()
    draw_bar(sheet, (place.x0, 0.0, place.width, place.y0), share=1.0 / 6.0)


def _write_line(
    figure: Figure,
    y: float,
    words: tuple[str, str],
    *,
    sizes: tuple[float, float],
    between: tuple[float, float] = (SIDE, WIDTH - SIDE),
    bold: bool = False,
) -> None:
    """Write text on the left and right of a line; y and `between` are in inches."""
    page = figure.get_figheight()
    left, right = (x / WIDTH for x in between)
    weight = "bold" if bold else "normal"
    style: dict[str, Any] = {"va": "baseline"}
    figure.text(
        left, y / page, words[0], fontsize=sizes[0], color=palette.INK, weight=weight, **style
    )
    figure.text(
        right, y / page, words[1], fontsize=sizes[1], color=palette.MUTED, ha="right", **style
    )
