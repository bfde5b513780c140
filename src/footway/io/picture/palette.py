"""Colours and line widths of all pictures: a quiet ground, one accent for the answer."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import ListedColormap

PAGE: Final = "#ffffff"
GROUND: Final = "#f8f7f3"
OBSTACLE: Final = "#d3d8e0"
WALL: Final = "#98a2b1"
INK: Final = "#272c35"
MUTED: Final = "#737c8a"
ACCENT: Final = "#e2402a"
CORRIDOR: Final = "#2f7fc9"
PINCH: Final = "#8a1c6d"
REPAIR: Final = "#c2410c"
HALO: Final = "#ffffff"


@cache
def clearance_colours() -> ListedColormap:
    """Perceptually uniform, from narrow (dark) to wide; without viridis' yellow end.

    Yellow lines would be lost on a light ground.
    """
    return ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.84, 256)), name="clearance")


@cache
def journey_colours() -> ListedColormap:
    """Perceptually uniform, for many paths at once; without plasma's yellow end."""
    return ListedColormap(colormaps["plasma"](np.linspace(0.05, 0.80, 256)), name="journey")
