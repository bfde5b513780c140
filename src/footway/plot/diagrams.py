"""Diagrams in the style of the maps: thin axes and small labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footway.plot import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
