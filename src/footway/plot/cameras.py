"""Draw a camera motion: its path, its greatest speed, and its actual speed along the path.

voronoi-roadmaps-2004, figure 11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Wedge
from matplotlib.ticker import MaxNLocator

from footway.camera import Tour
from footway.plot import layers, palette
from footway.plot.arguments import checked
from footway.plot.canvas import (
    CAPTION,
    HEADING,
    KEYS,
    SIDE,
    WIDTH,
    Area,
    Box,
    Canvas,
    add_colour_key,
    add_map,
    draw_bar,
    make_quiet,
    name_axes,
    new_figure,
    view_of,
    write_heading,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from footway.arrays import Floats
    from footway.camera import CameraMotion, SpeedDiagram
    from footway.corridor import CorridorMap
    from footway.environment import Environment

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
    cmap: CorridorMap | Environment, motion: CameraMotion, *, environment: Environment | None = None
) -> Figure:
    """Return a picture of a camera motion: the path, its greatest and its actual speed.

    The path is coloured by speed; sectors show where the camera looks, at equal times. A camera
    that follows a character has no speed diagram: its speed and turn rate are drawn over time.

    Args:
        cmap: the map of the path, or an environment.
        motion: of a camera.
        environment: source of terrain and areas; by default only the walls of the map are drawn.
    """
    # The part of the map around the path, with a margin and a limited aspect ratio.
    x0, y0, x1, y1 = view_of([motion.positions[:, :2]], 0.08, cmap.bounds, least=2.0)
    more_x = max(0.0, (y1 - y0) / _HIGHEST - (x1 - x0)) / 2.0
    more_y = max(0.0, (x1 - x0) / _WIDEST - (y1 - y0)) / 2.0
    canvas, keys, diagrams = _new_page((x0 - more_x, y0 - more_y, x1 + more_x, y1 + more_y))
    words = [f"{motion.length:.2f} m", f"{motion.duration:.1f} s"]
    if np.isfinite(motion.clearance):
        words += [f"radius {motion.radius:g} m", f"clearance {motion.clearance:.3f} m"]
    sides = (SIDE / WIDTH, 1.0 - SIDE / WIDTH)
    write_heading(canvas.figure, sides, cmap.name or "map", "  \u00b7  ".join(words))
    layers.draw_base(canvas, cmap, environment, terrain=False)
    colours = _draw_path(canvas, motion)
    _draw_views(canvas, motion)
    if isinstance(motion, Tour):
        _draw_stops(canvas, motion)
    if motion.diagram is None:
        _draw_in_time(diagrams, motion)
    else:
        _draw_along(diagrams, motion, motion.diagram)
    add_colour_key(canvas, colours, label="speed (m/s)", above=False, area=keys)
    draw_bar(canvas, keys, share=1.0 / 5.0)
    return canvas.figure


def _new_page(view: Box) -> tuple[Canvas, Area, tuple[Axes, Axes]]:
    """Return a page: its map, the area for keys, and two diagrams.

    The diagrams are below a wide map or beside a high one.
    """
    aspect = (view[3] - view[1]) / (view[2] - view[0])
    beside = aspect >= _TALL
    width = _MAP if beside else WIDTH - 2.0 * SIDE
    high = width * aspect
    below = KEYS + (0.0 if beside else CAPTION + _HIGH + _AXIS)
    page = HEADING + high + below
    figure = new_figure(page)

    def area(left: float, bottom: float, width: float, high: float) -> Area:
        """Convert inches to shares of the figure."""
        return left / WIDTH, bottom / page, width / WIDTH, high / page

    canvas = add_map(figure, area(SIDE, below, width, high), view)
    if beside:
        left = 2.0 * SIDE + width + _AXIS
        wide, each = WIDTH - SIDE - left, 0.5 * (high - 2.0 * CAPTION - _AXIS)
        areas = [
            area(left, below + each + _AXIS + CAPTION, wide, each),
            area(left, below, wide, each),
        ]
    else:
        wide = 0.5 * (WIDTH - 3.0 * SIDE) - _AXIS
        areas = [
            area(SIDE + _AXIS, _AXIS, wide, _HIGH),
            area(2.0 * (SIDE + _AXIS) + wide, _AXIS, wide, _HIGH),
        ]
    first, second = (figure.add_axes(place) for place in areas)
    make_quiet(first)
    make_quiet(second)
    return canvas, area(SIDE, below - KEYS, width, KEYS), (first, second)


def _draw_path(canvas: Canvas, motion: CameraMotion) -> ScalarMappable:
    """Draw the path coloured by speed; return its colours."""
    points, speeds = motion.positions[:, :2], motion.speeds
    colours = palette.journey_colours()
    norm = Normalize(0.0, max(float(speeds.max()), 1e-9))
    canvas.axes.plot(*points.T, color=palette.HALO, lw=4.0, alpha=0.85, zorder=3.0)
    pieces, mean = np.stack([points[:-1], points[1:]], axis=1), 0.5 * (speeds[1:] + speeds[:-1])
    style: dict[str, Any] = {"linewidth": 2.0, "capstyle": "round", "zorder": 3.2}
    layers.add_lines(canvas.axes, pieces, mean, cmap=colours, norm=norm, **style)
    return ScalarMappable(norm, colours)


def _draw_views(canvas: Canvas, motion: CameraMotion) -> None:
    """Draw the camera's view at equal times: a dot and a sector."""
    size = _SEEN * canvas.metres_per_point
    frames = np.unique(np.linspace(0, len(motion.times) - 1, _VIEWS).astype(int))
    at = motion.positions[frames, :2]
    heading = np.degrees(np.arctan2(motion.directions[frames, 1], motion.directions[frames, 0]))
    sectors = [
        Wedge((x, y), size, middle - _OPEN, middle + _OPEN)
        for (x, y), middle in zip(at.tolist(), heading.tolist(), strict=True)
    ]
    drawn = PatchCollection(sectors, facecolors=palette.CORRIDOR, edgecolors="none")
    drawn.set(alpha=0.25, zorder=2.8)
    canvas.axes.add_collection(drawn, autolim=False)
    style: dict[str, Any] = {"edgecolors": palette.INK, "linewidths": 0.6, "zorder": 3.4}
    canvas.axes.scatter(at[:, 0], at[:, 1], s=9, c=palette.HALO, **style)


def _draw_stops(canvas: Canvas, tour: Tour) -> None:
    """Draw the numbered stops of a tour, and the targets of the camera there."""
    for number, stop in zip(tour.order, tour.stops, strict=True):
        x, y = stop.at
        if stop.look_at is not None:
            target = stop.look_at[:2]
            style: dict[str, Any] = {"color": palette.PINCH, "lw": 0.8, "ls": (0, (3, 2))}
            canvas.axes.plot(*zip((x, y), target, strict=True), zorder=2.9, **style)
            canvas.axes.plot(*target, "x", ms=5, color=palette.PINCH, mew=1.4, zorder=4.0)
        canvas.axes.plot(x, y, "o", ms=11, mfc=palette.INK, mec=palette.HALO, mew=1.0, zorder=4.1)
        words: dict[str, Any] = {"ha": "center", "va": "center_baseline", "weight": "bold"}
        canvas.axes.text(
            x, y, f"{number + 1}", fontsize=6.5, color=palette.HALO, zorder=4.2, **words
        )


def _draw_along(axes: tuple[Axes, Axes], motion: CameraMotion, diagram: SpeedDiagram) -> None:
    """Draw the greatest and the actual speed over arc length (figure 11, middle and right)."""
    greatest, actual = axes
    breaks, limits = diagram.breaks, diagram.limits
    greatest.stairs(limits, breaks, fill=True, color=palette.CORRIDOR, alpha=0.14, lw=0)
    greatest.stairs(limits, breaks, color=palette.CORRIDOR, lw=1.1, baseline=None)
    actual.stairs(limits, breaks, color=palette.CORRIDOR, lw=0.8, alpha=0.7, baseline=None)
    s = np.union1d(np.linspace(0.0, diagram.length, _FINE), diagram.knots)
    _draw_filled(actual, s, diagram.speed_at(s))
    stops: list[tuple[int, float]] = []  # of a tour without the first and the last: number, m
    if isinstance(motion, Tour):
        at = np.interp(motion.arrivals, motion.times, motion.arc_lengths).tolist()
        stops = [(number + 1, s) for number, s in zip(motion.order, at, strict=True)][1:-1]
    bounds = f"+{diagram.acceleration:g} and \u2212{diagram.deceleration:g} m/s\u00b2"
    captions = ("Greatest speed, by the radius of each arc", f"Actual speed, within {bounds}")
    for each, caption in zip(axes, captions, strict=True):
        for number, stop in stops:
            each.axvline(stop, color=palette.INK, lw=0.6, ls=(0, (1, 2)), zorder=1.5)
            style: dict[str, Any] = {"ha": "center", "va": "center", "path_effects": layers.HALO}
            style |= {"fontsize": 6.5, "color": palette.INK}
            each.annotate(f"{number}", (stop, 0.955), xycoords=("data", "axes fraction"), **style)
        _finish(each, caption, end=diagram.length, top=float(limits.max()))
        name_axes(each, x="distance along the path (m)", y="m/s")


def _draw_in_time(axes: tuple[Axes, Axes], motion: CameraMotion) -> None:
    """Draw the speed and the turn rate of the camera over time."""
    speed, turning = axes
    _draw_filled(speed, motion.times, motion.speeds)
    _finish(speed, "Speed", end=motion.duration, top=float(motion.speeds.max()))
    name_axes(speed, x="time (s)", y="m/s")
    chord = np.linalg.norm(np.diff(motion.directions, axis=0), axis=1)
    rate = np.degrees(2.0 * np.arcsin(0.5 * chord)) / np.diff(motion.times)
    middle = 0.5 * (motion.times[1:] + motion.times[:-1])
    turning.plot(middle, rate, color=palette.CORRIDOR, lw=1.2)
    _finish(turning, "How fast it turns", end=motion.duration, top=float(rate.max()))
    name_axes(turning, x="time (s)", y="degrees/s")


def _draw_filled(axes: Axes, x: Floats, y: Floats) -> None:
    axes.fill_between(x, y, color=palette.ACCENT, alpha=0.14, lw=0)
    axes.plot(x, y, color=palette.ACCENT, lw=1.2)


def _finish(axes: Axes, caption: str, *, end: float, top: float) -> None:
    axes.set_title(caption, fontsize=8, color=palette.INK, loc="left", pad=5)
    axes.set(xlim=(0.0, end), ylim=(0.0, max(1.12 * top, 1e-6)))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
