"""Colours and line widths of all pictures: a quiet background, one accent for the result."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import Final

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import ListedColormap

PAGE: Final = "#ffffff"
GROUND: Final = "#f8f7f3"
OBSTACLE: Final = "#d3d8e0"
LINK: Final = "#bcd4ea"
WALL: Final = "#98a2b1"
INK: Final = "#272c35"
MUTED: Final = "#737c8a"
ACCENT: Final = "#e2402a"
CORRIDOR: Final = "#2f7fc9"
PINCH: Final = "#8a1c6d"
REPAIR: Final = "#c2410c"
HALO: Final = "#ffffff"

TERRAIN: Final = MappingProxyType(
    {
        "road": "#d9d5d2",
        "sidewalk": "#efe3bd",
        "path": "#e3d8c3",
        "mud": "#c8ae90",
        "tree": "#a98a6d",
        "puddle": "#a9cbe6",
        "water": "#a9cbe6",
        "swamp": "#b9c7a0",
        "grass": "#cfe3b8",
        "green": "#cfe3b8",
        "forest": "#bcd6ae",
        "view": "#ece9f4",
        "sand": "#f0dfb0",
        "snow": "#e6eef5",
        "parking": "#dedede",
        "pedestrian_area": "#efe3bd",
    }
)
"""Colours of common kinds of terrain; light, so that everything on top of them is visible."""

OTHER_TERRAIN: Final = ("#e7cfe0", "#cfe0dd", "#f1d3c4", "#d6d3ee", "#e3e6b5", "#c9dbe8")
"""Colours of other kinds of terrain, in alphabetical order; they repeat after the last."""


@cache
def clearance_colours() -> ListedColormap:
    """Perceptually uniform, from narrow (dark) to wide; without viridis' yellow end.

    Yellow lines are hard to see on a light background.
    """
    return ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.84, 256)), name="clearance")


@cache
def journey_colours() -> ListedColormap:
    """Perceptually uniform, for many paths at once; without plasma's yellow end."""
    return ListedColormap(colormaps["plasma"](np.linspace(0.05, 0.80, 256)), name="journey")


POPULATIONS: Final = (
    *("#e2402a", "#2f7fc9", "#12937b", "#c98a00"),
    *("#8a4fb8", "#5a6b7c", "#d1508f", "#6f9a1d"),
)
"""Colours of populations, in the order in which they were added; they repeat after the last."""


@cache
def heading_colours() -> ListedColormap:
    """Return a circle of colours, equally light, for directions from 0 (east) to 1 (east again)."""
    angle = np.linspace(0.0, 2.0 * np.pi, 256) + 0.45
    lab = np.stack([np.full(256, 0.64), 0.15 * np.cos(angle), 0.15 * np.sin(angle)])
    cones = _OKLAB_TO_CONES @ lab
    linear = np.clip(_CONES_TO_RED_GREEN_BLUE @ cones**3, 0.0, 1.0)
    shown = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return ListedColormap(shown.T, name="heading")


# Ottosson's OKLab, in which equal steps look equal.
_OKLAB_TO_CONES = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_CONES_TO_RED_GREEN_BLUE = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


@cache
def density_colours() -> ListedColormap:
    """Perceptually uniform, from nearly the colour of free space (empty) to dark red (dense)."""
    colours = colormaps["inferno_r"](np.linspace(0.04, 0.92, 256))
    colours[:, 3] = np.clip(np.linspace(0.0, 6.0, 256), 0.0, 1.0)
    return ListedColormap(colours, name="density")
