"""Draw a camera motion: its path, its greatest speed, and its actual speed along the path.

voronoi-roadmaps-2004, figure 11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Wedge
from matplotlib.ticker import MaxNLocator

from footway.camera import Tour
from footway.plot import layers, palette
from footway.plot.arguments import checked
from footway.plot.layers import draw_ground
from footway.plot.shapes import ground_of
from footway.plot.sheet import (
    Area,
    Box,
    Sheet,
    add_colour_key,
    draw_bar,
    make_quiet,
    name_axes,
    padded,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from footway.camera import CameraMotion, SpeedDiagram
    from footway.corridor import CorridorMap
    from footway.environment import Environment

    Floats = NDArray[np.float64]

_WIDTH: Final = 8.0  # inches: 1600 pixels at 200 dpi
_SIDE: Final = 0.18
_HEADING: Final = 0.42
_KEYS: Final = 0.56
_CAPTION: Final = 0.31
_AXIS: Final = 0.42  # inches for the tick labels of a diagram
_HIGH: Final = 1.55  # inches, height of a diagram below the map
_TALL: Final = 0.8  # from this ratio of height to width on, the diagrams are beside the map
_MAP: Final = 4.5  # inches, width of a map with diagrams beside it
_HIGHEST: Final = 1.6  # greatest ratio of height to width of a map
_WIDEST: Final = 3.0  # greatest ratio of width to height
_FINE: Final = 2000  # samples of the actual speed
_VIEWS: Final = 15  # number of views drawn along the path
_SEEN: Final = 26.0  # points, length of a drawn view
_OPEN: Final = 25.0  # degrees, half the angle of a view


@checked
def draw_camera(
    cmap: CorridorMap | Environment,
    motion: CameraMotion,
    *,
    environment: Environment | None = None,
) -> Figure:
    """Return a picture of a camera motion: the path, its greatest and its actual speed.

    The path is coloured by speed; sectors show where the camera looks, at equal times. A camera
    that follows a character has no speed diagram: its speed and turn rate are drawn over time.

    Args:
        cmap: the map of the path, or an environment.
        motion: of a camera.
        environment: source of the ground; by default it is derived from the map's walls.

    """
    page = _Page(_view(cmap, motion))
    page.write_heading(cmap.name or "map", _details(motion))
    draw_ground(page.sheet, ground_of(environment if environment is not None else cmap))
    colours = _draw_path(page.sheet, motion)
    _draw_views(page.sheet, motion)
    _draw_stops(page.sheet, motion)
    first, second = page.diagrams
    if motion.diagram is None:
        _draw_speed_in_time(first, motion)
        _draw_turning(second, motion)
    else:
        _draw_limit(first, motion, motion.diagram)
        _draw_speed(second, motion, motion.diagram)
    add_colour_key(page.sheet, colours, label="speed (m/s)", above=False, area=page.keys)
    draw_bar(page.sheet, page.keys, share=1.0 / 5.0)
    return page.sheet.figure


class _Page:
    """A page with a map and two diagrams, below a wide map or beside a high one."""

    def __init__(self, view: Box) -> None:
        aspect = (view[3] - view[1]) / (view[2] - view[0])
        beside = aspect >= _TALL
        width = _MAP if beside else _WIDTH - 2.0 * _SIDE
        high = width * aspect
        below = _KEYS + (0.0 if beside else _CAPTION + _HIGH + _AXIS)
        self._high = _HEADING + high + below
        self.figure = Figure(figsize=(_WIDTH, self._high), facecolor=palette.PAGE)
        FigureCanvasAgg(self.figure)
        axes = self.figure.add_axes(self._area(_SIDE, below, width, high))
        axes.set(xlim=(view[0], view[2]), ylim=(view[1], view[3]), xticks=[], yticks=[])
        axes.set_facecolor(palette.PAGE)
        axes.spines[:].set_visible(False)
        self.sheet = Sheet(self.figure, axes, view)
        self.keys = self._area(_SIDE, below - _KEYS, width, _KEYS)
        self.diagrams = self._beside(width, below, high) if beside else self._below()

    def write_heading(self, title: str, details: str) -> None:
        """Write the title on the left and its numbers on the right."""
        y = 1.0 - 0.58 * _HEADING / self._high
        left, right = _SIDE / _WIDTH, 1.0 - _SIDE / _WIDTH
        style: dict[str, Any] = {"va": "center"}
        self.figure.text(left, y, title, fontsize=10, weight="bold", color=palette.INK, **style)
        self.figure.text(right, y, details, fontsize=7.5, color=palette.MUTED, ha="right", **style)

    def _beside(self, width: float, bottom: float, high: float) -> tuple[Axes, Axes]:
        left = 2.0 * _SIDE + width + _AXIS
        wide = _WIDTH - _SIDE - left
        each = 0.5 * (high - 2.0 * _CAPTION - _AXIS)
        upper = self._diagram(left, bottom + each + _AXIS + _CAPTION, wide, each)
        return upper, self._diagram(left, bottom, wide, each)

    def _below(self) -> tuple[Axes, Axes]:
        wide = 0.5 * (_WIDTH - 3.0 * _SIDE) - _AXIS
        first = self._diagram(_SIDE + _AXIS, _AXIS, wide, _HIGH)
        return first, self._diagram(2.0 * (_SIDE + _AXIS) + wide, _AXIS, wide, _HIGH)

    def _diagram(self, left: float, bottom: float, width: float, high: float) -> Axes:
        axes = self.figure.add_axes(self._area(left, bottom, width, high))
        make_quiet(axes)
        return axes

    def _area(self, left: float, bottom: float, width: float, high: float) -> Area:
        """Convert inches to shares of the figure."""
        return left / _WIDTH, bottom / self._high, width / _WIDTH, high / self._high


def _view(cmap: CorridorMap | Environment, motion: CameraMotion) -> Box:
    """Return the part of the map around the path, with a margin and a limited aspect ratio."""
    low, high = (f(motion.positions[:, :2], axis=0).tolist() for f in (np.min, np.max))
    x0, y0, x1, y1 = padded((low[0], low[1], high[0], high[1]), 0.08, least=2.0)
    whole = padded(cmap.bounds, 0.006)
    x0, y0, x1, y1 = max(x0, whole[0]), max(y0, whole[1]), min(x1, whole[2]), min(y1, whole[3])
    more_x = max(0.0, (y1 - y0) / _HIGHEST - (x1 - x0)) / 2.0
    more_y = max(0.0, (x1 - x0) / _WIDEST - (y1 - y0)) / 2.0
    return x0 - more_x, y0 - more_y, x1 + more_x, y1 + more_y


def _details(motion: CameraMotion) -> str:
    words = [f"{motion.length:.2f} m", f"{motion.duration:.1f} s"]
    if np.isfinite(motion.clearance):
        words += [f"radius {motion.radius:g} m", f"clearance {motion.clearance:.3f} m"]
    return "  \u00b7  ".join(words)


def _draw_path(sheet: Sheet, motion: CameraMotion) -> ScalarMappable:
    """Draw the path coloured by speed; return its colours."""
    points, speeds = motion.positions[:, :2], motion.speeds
    colours = palette.journey_colours()
    norm = Normalize(0.0, max(float(speeds.max()), 1e-9))
    sheet.axes.plot(*points.T, color=palette.HALO, lw=4.0, alpha=0.85, zorder=3.0)
    pieces = LineCollection(
        list(np.stack([points[:-1], points[1:]], axis=1)), cmap=colours, norm=norm
    )
    pieces.set(linewidth=2.0, capstyle="round", zorder=3.2)
    pieces.set_array(0.5 * (speeds[1:] + speeds[:-1]))
    sheet.axes.add_collection(pieces, autolim=False)
    return ScalarMappable(norm, colours)


def _draw_views(sheet: Sheet, motion: CameraMotion) -> None:
    """Draw the camera's view at equal times: a dot and a sector."""
    size = _SEEN * sheet.metres_per_point
    frames = np.unique(np.linspace(0, len(motion.times) - 1, _VIEWS).astype(int))
    at = motion.positions[frames, :2]
    heading = np.degrees(np.arctan2(motion.directions[frames, 1], motion.directions[frames, 0]))
    sectors = [
        Wedge((x, y), size, middle - _OPEN, middle + _OPEN)
        for (x, y), middle in zip(at.tolist(), heading.tolist(), strict=True)
    ]
    drawn = PatchCollection(sectors, facecolors=palette.CORRIDOR, edgecolors="none")
    drawn.set(alpha=0.25, zorder=2.8)
    sheet.axes.add_collection(drawn, autolim=False)
    style: dict[str, Any] = {"edgecolors": palette.INK, "linewidths": 0.6, "zorder": 3.4}
    sheet.axes.scatter(at[:, 0], at[:, 1], s=9, c=palette.HALO, **style)


def _draw_stops(sheet: Sheet, motion: CameraMotion) -> None:
    """Draw the numbered stops of a tour, and the targets of the camera there."""
    if not isinstance(motion, Tour):
        return
    for number, stop in zip(motion.order, motion.stops, strict=True):
        x, y = stop.at
        if stop.look_at is not None:
            target = stop.look_at[:2]
            style: dict[str, Any] = {"color": palette.PINCH, "lw": 0.8, "ls": (0, (3, 2))}
            sheet.axes.plot(*zip((x, y), target, strict=True), zorder=2.9, **style)
            sheet.axes.plot(*target, "x", ms=5, color=palette.PINCH, mew=1.4, zorder=4.0)
        sheet.axes.plot(x, y, "o", ms=11, mfc=palette.INK, mec=palette.HALO, mew=1.0, zorder=4.1)
        words: dict[str, Any] = {"ha": "center", "va": "center_baseline", "weight": "bold"}
        sheet.axes.text(
            x, y, f"{number + 1}", fontsize=6.5, color=palette.HALO, zorder=4.2, **words
        )


def _draw_limit(axes: Axes, motion: CameraMotion, diagram: SpeedDiagram) -> None:
    """Draw the greatest speed over arc length (figure 11, middle)."""
    breaks, limits = diagram.breaks, diagram.limits
    axes.stairs(limits, breaks, fill=True, color=palette.CORRIDOR, alpha=0.14, lw=0)
    axes.stairs(limits, breaks, color=palette.CORRIDOR, lw=1.1, baseline=None)
    _finish_by_length(axes, motion, diagram, "Greatest speed, by the radius of each arc")


def _draw_speed(axes: Axes, motion: CameraMotion, diagram: SpeedDiagram) -> None:
    """Draw the actual speed over arc length, below the greatest (figure 11, right)."""
    axes.stairs(
        diagram.limits, diagram.breaks, color=palette.CORRIDOR, lw=0.8, alpha=0.7, baseline=None
    )
    s = np.union1d(np.linspace(0.0, diagram.length, _FINE), diagram.knots)
    _draw_filled(axes, s, diagram.speed_at(s))
    bounds = f"+{diagram.acceleration:g} and \u2212{diagram.deceleration:g} m/s\u00b2"
    _finish_by_length(axes, motion, diagram, f"Actual speed, within {bounds}")


def _finish_by_length(
    axes: Axes, motion: CameraMotion, diagram: SpeedDiagram, caption: str
) -> None:
    """Label the axes, and mark the stops."""
    for number, s in _stops_between(motion):
        axes.axvline(s, color=palette.INK, lw=0.6, ls=(0, (1, 2)), zorder=1.5)
        style: dict[str, Any] = {"ha": "center", "va": "center", "path_effects": layers.HALO}
        axes.annotate(
            f"{number}",
            (s, 0.955),
            xycoords=("data", "axes fraction"),
            fontsize=6.5,
            color=palette.INK,
            **style,
        )
    _finish(axes, caption, end=diagram.length, top=float(diagram.limits.max()))
    name_axes(axes, x="distance along the path (m)", y="m/s")


def _stops_between(motion: CameraMotion) -> list[tuple[int, float]]:
    """Return numbers and arc lengths (m) of a tour's stops without the first and the last."""
    if not isinstance(motion, Tour):
        return []
    at = np.interp(motion.arrivals, motion.times, motion.arc_lengths).tolist()
    return [(number + 1, s) for number, s in zip(motion.order, at, strict=True)][1:-1]


def _draw_speed_in_time(axes: Axes, motion: CameraMotion) -> None:
    _draw_filled(axes, motion.times, motion.speeds)
    _finish(axes, "Speed", end=motion.duration, top=float(motion.speeds.max()))
    name_axes(axes, x="time (s)", y="m/s")


def _draw_turning(axes: Axes, motion: CameraMotion) -> None:
    """Draw the turn rate of the camera."""
    chord = np.linalg.norm(np.diff(motion.directions, axis=0), axis=1)
    rate = np.degrees(2.0 * np.arcsin(0.5 * chord)) / np.diff(motion.times)
    axes.plot(0.5 * (motion.times[1:] + motion.times[:-1]), rate, color=palette.CORRIDOR, lw=1.2)
    _finish(axes, "How fast it turns", end=motion.duration, top=float(rate.max()))
    name_axes(axes, x="time (s)", y="degrees/s")


def _draw_filled(axes: Axes, x: Floats, y: Floats) -> None:
    axes.fill_between(x, y, color=palette.ACCENT, alpha=0.14, lw=0)
    axes.plot(x, y, color=palette.ACCENT, lw=1.2)


def _finish(axes: Axes, caption: str, *, end: float, top: float) -> None:
    axes.set_title(caption, fontsize=8, color=palette.INK, loc="left", pad=5)
    axes.set(xlim=(0.0, end), ylim=(0.0, max(1.12 * top, 1e-6)))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
