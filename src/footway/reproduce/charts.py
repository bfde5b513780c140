"""Charts in the style of the maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from footway.plot import palette
from footway.plot.canvas import make_quiet, name_axes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

__all__ = [
    "FIRST", "SECOND", "Chart", "draw_key", "draw_line", "draw_published", "draw_range",
    "make_quiet", "name_axes", "new_chart", "use_powers",
]  # fmt: skip

FIRST: Final = palette.ACCENT
SECOND: Final = palette.CORRIDOR
"""Colours of two things that are compared: they differ in hue and in lightness."""

_SIZE: Final = (8.0, 4.3)  # inches: 1600 x 860 pixels at 200 dpi


class Chart(NamedTuple):
    """A page with axes side by side."""

    figure: Figure
    axes: Sequence[Axes]


def new_chart(title: str, *, details: str, captions: Sequence[str]) -> Chart:
    """Return empty axes side by side, one for each caption, with a heading above them."""
    figure = Figure(figsize=_SIZE, facecolor=palette.PAGE)
    FigureCanvasAgg(figure)
    style: dict[str, Any] = {"va": "center"}
    figure.text(0.0225, 0.948, title, fontsize=10, weight="bold", color=palette.INK, **style)
    figure.text(0.9775, 0.948, details, fontsize=7.5, color=palette.MUTED, ha="right", **style)
    axes = figure.subplots(1, len(captions), squeeze=False)[0]
    figure.subplots_adjust(left=0.07, right=0.97, top=0.82, bottom=0.12, wspace=0.2)
    for part, caption in zip(axes, captions, strict=True):
        part.set_title(caption, fontsize=8, color=palette.INK, loc="left", pad=8)
        make_quiet(part)
    return Chart(figure, axes)


def use_powers(axes: Axes) -> None:
    """Use a logarithmic y-axis with plain numbers."""
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw_line(
    axes: Axes, x: Sequence[float], y: Sequence[float], *, colour: str, name: str, marker: str = "o"
) -> None:
    """Draw measured values connected by a line."""
    style: dict[str, Any] = {"lw": 1.4, "ms": 4.0, "mec": palette.HALO, "mew": 0.6}
    axes.plot(x, y, marker, ls="-", color=colour, label=name, **style)


def draw_range(axes: Axes, low: float, high: float, *, colour: str, name: str) -> None:
    """Draw a published range as a band over the whole width."""
    axes.axhspan(low, high, color=colour, alpha=0.16, lw=0.5, ec=colour, label=name)


def draw_published(axes: Axes, values: Mapping[float, float], *, name: str = "paper") -> None:
    """Draw published values as diamonds."""
    style: dict[str, Any] = {"mfc": palette.PAGE, "mec": palette.INK, "ms": 5.5, "zorder": 4.0}
    axes.plot(list(values), list(values.values()), "D", label=name, **style)


def draw_key(axes: Axes, **place: Any) -> None:
    """Draw the key of the named lines, bands and marks."""
    axes.legend(frameon=False, fontsize=7, labelcolor=palette.MUTED, **place)
