"""Draw characters on a canvas: colours, keys, and a lens that magnifies the busiest place."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from matplotlib.collections import EllipseCollection
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle

from footway.plot import layers, palette
from footway.plot.canvas import Box, Canvas, add_map, new_canvas, padded, round_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats
    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.recording.recording import Recording

Colouring = Literal["population", "heading"]
Lens = Box | Literal["busiest", "none"]

LARGEST: Final = 150.0  # m. Maps up to this size need no lens: a person is several pixels wide
OBSTACLE_STRENGTH: Final = 0.75  # opacity of dynamic obstacles

_TITLE: Final = 60  # letters of a heading that fit beside the details
_LENS_SIDE: Final = 0.40  # share of the map's shorter side that the lens takes
_LENS_METRES: Final = 30.0
_HEADINGS: Final = 24  # colours: more are hard to distinguish, and animations have only 256
_STANDS: Final = 0.05  # m/s, below which a character has no heading
_SMALLEST: Final = 1.0  # points, smallest drawn diameter of a character
_LARGE: Final = 3.0  # points: from this diameter on a character has a rim and a heading


@dataclass(frozen=True)
class People:
    """All characters at one time, ready to draw."""

    positions: Floats  # (n, 2) m
    radii: Floats  # (n,) m
    colours: Floats  # (n, 3) red, green, blue, from 0 to 1
    velocities: Floats | None = None  # (n, 2) m/s
    trails: Floats | None = None  # (k, n, 2) m, oldest first; NaN if not present


def new_page(
    cmap: CorridorMap,
    positions: Floats,
    *,
    environment: Environment | None,
    details: str,
    title: str = "",
    lens: Lens = "none",
    view: Box | None = None,
    kinds: bool = True,
) -> list[Canvas]:
    """Return one or two maps: the whole map, and a lens that magnifies a part.

    The lens shows where most characters (n, 2) are.

    If the environment has several `kinds` of terrain, they are shown with their key.
    """
    shown = padded(cmap.bounds, 0.006) if view is None else view
    heading = textwrap.shorten(title or cmap.name or "map", _TITLE, placeholder=" ...")
    canvas = new_canvas(shown, title=heading, details=details)
    free_space = layers.draw_base(canvas, cmap, environment, terrain=kinds)
    part = _lens_view(canvas.view, positions, lens)
    if part is None:
        return [canvas]
    small = _add_lens(canvas, part, positions)
    layers.draw_free_space(small, free_space)
    if environment is not None and kinds:
        layers.fill_regions(small, environment)
    return [canvas, small]


def default_colouring(
    velocities: Floats | None, populations: NDArray[np.integer[Any]] | None
) -> Colouring:
    """Return "population" if there are several or no velocities, else "heading"."""
    several = populations is not None and len(np.unique(populations)) > 1
    return "population" if several or velocities is None else "heading"


def people_colours(colouring: Colouring) -> Floats:
    """Return all colours (m, 3) of characters; by heading, the last one is for standing ones."""
    if colouring == "population":
        return np.array([to_rgb(colour) for colour in palette.POPULATIONS])
    wheel = palette.heading_colours()(np.arange(_HEADINGS) / _HEADINGS)[:, :3]
    return np.vstack([wheel, to_rgb(palette.MUTED)])


def colours_of(
    count: int,
    velocities: Floats | None,
    populations: NDArray[np.integer[Any]] | None,
    colouring: Colouring,
) -> Floats:
    """Return red, green and blue (count, 3) of each character, from 0 to 1."""
    known = people_colours(colouring if velocities is not None else "population")
    if velocities is None or colouring == "population":
        kinds = np.zeros(count, np.int64) if populations is None else populations
        return known[kinds % len(known)]
    turn = np.arctan2(velocities[:, 1], velocities[:, 0]) / (2.0 * np.pi)
    heading = np.round(_HEADINGS * turn).astype(np.int64) % _HEADINGS
    heading[np.hypot(*velocities.T) < _STANDS] = _HEADINGS
    return known[heading]


def trails_of(recording: Recording, frame: int, seconds: float, *, most: int = 8) -> Floats:
    """Return at most `most` previous positions (k, n, 2) m of a frame, oldest first."""
    first = int(np.searchsorted(recording.times, recording.times[frame] - seconds - 1e-9))
    frames = range(frame - 1, first - 1, -max(1, -(-(frame - first) // most)))[::-1]
    ids = recording.frame(frame).ids
    found = np.full((len(frames), len(ids), 2), np.nan)
    for k, before in enumerate(map(recording.frame, frames)):
        if np.array_equal(before.ids, ids):
            found[k] = before.positions
        else:
            _, here, there = np.intersect1d(ids, before.ids, return_indices=True)
            found[k, here] = before.positions[there]
    return found


def draw_obstacles(canvas: Canvas, discs: Floats) -> None:
    """Draw dynamic obstacles, x, y, radius (m, 3) in m, below the characters."""
    style: dict[str, Any] = {"facecolor": palette.INK, "edgecolor": "none", "zorder": 2.7}
    for x, y, radius in discs.tolist():
        canvas.axes.add_patch(Circle((x, y), radius, alpha=OBSTACLE_STRENGTH, **style))


def draw_people(canvas: Canvas, people: People) -> None:
    """Draw characters as discs of their size, or of the smallest visible one, with trails."""
    shown = np.flatnonzero(_inside(people.positions, padded(canvas.view, 0.02)))
    # In a random order, so that no population hides another.
    shown = np.random.default_rng(0).permutation(shown)
    if not len(shown):
        return
    smallest = _SMALLEST * canvas.metres_per_point
    diameter = np.maximum(2.0 * people.radii[shown], smallest)
    large = bool(diameter.mean() > _LARGE * canvas.metres_per_point)
    at, colours = people.positions[shown], people.colours[shown]
    if people.trails is not None and len(people.trails):
        corners = slice(None) if large else slice(None, None, -(-len(people.trails) // 3))
        before = people.trails[corners, shown]
        _draw_trails(canvas, np.concatenate([before, at[None]]), colours)
    rim = {"edgecolors": palette.HALO if large else "none", "linewidths": 0.35 if large else 0.0}
    discs = EllipseCollection(
        diameter, diameter, np.zeros(len(shown)), units="xy", offsets=at,
        offset_transform=canvas.axes.transData, facecolors=colours, zorder=3.0, **rim,
    )  # fmt: skip
    canvas.axes.add_collection(discs, autolim=False)
    if large and people.velocities is not None:
        # The heading of each walking character: a line from its centre to its rim.
        velocities = people.velocities[shown]
        pace = np.hypot(*velocities.T)
        walks = pace > _STANDS
        ahead = 0.5 * diameter[walks, None] * velocities[walks] / pace[walks, None]
        lines = np.stack([at[walks] + 0.1 * ahead, at[walks] + 0.95 * ahead], axis=1)
        width = 0.16 * float(diameter.mean()) / canvas.metres_per_point
        layers.add_lines(canvas.axes, lines, colors=palette.HALO, linewidths=width, zorder=3.1)


def _draw_trails(canvas: Canvas, places: Floats, colours: Floats) -> None:
    """Draw previous positions (k, n, 2), fading with age."""
    age = np.linspace(0.0, 1.0, len(places))[1:]
    pieces = np.stack([places[:-1], places[1:]], axis=2)  # (k - 1, n, 2, 2)
    fading = np.repeat(0.45 * age, places.shape[1])
    tints = np.column_stack([np.tile(colours, (len(age), 1)), fading])
    lines = pieces.reshape(-1, 2, 2)
    known = ~np.isnan(lines).any(axis=(1, 2))
    width = float(np.clip(0.18 / canvas.metres_per_point, 0.45, 1.6))
    style: dict[str, Any] = {"linewidths": width, "capstyle": "butt", "zorder": 2.8}
    layers.add_lines(canvas.axes, lines[known], colors=tints[known], **style)


def draw_key(
    canvas: Canvas, colouring: Colouring, names: Sequence[str], *, above: bool = False
) -> None:
    """Draw the key of the colours below the map, on the left; `above` the key of the terrain."""
    if colouring == "heading":
        _draw_heading_key(canvas, above=above)
    elif len(names) > 1:
        _draw_population_key(canvas, names)


def _draw_population_key(canvas: Canvas, names: Sequence[str]) -> None:
    """Draw a dot for each population below the map, on the left."""
    place = canvas.axes.get_position()
    colours = palette.POPULATIONS
    labels = [name or f"population {k + 1}" for k, name in enumerate(names)]
    dots = [
        Line2D([], [], color=colours[k % len(colours)], marker="o", ms=4.5, lw=0)
        for k in range(len(names))
    ]
    # As many columns as fit left of the clock; more than four rows do not fit.
    column = 0.22 + 0.05 * max(len(name or "population 10") for name in names)  # inches
    fits = int(0.44 * canvas.figure.get_figwidth() / column)
    columns = max(1, min(len(names), 4, fits), -(-len(names) // 4))
    canvas.figure.legend(
        dots, labels, loc="center left", bbox_to_anchor=(place.x0 - 0.006, 0.62 * place.y0),
        ncols=columns, frameon=False, fontsize=7, labelcolor=palette.MUTED, handlelength=1.0,
        handletextpad=0.3, columnspacing=1.2, labelspacing=0.2, borderpad=0.0,
    )  # fmt: skip


def _draw_heading_key(canvas: Canvas, *, above: bool) -> None:
    """Draw a wheel of the colours of directions below the map, on the left."""
    place = canvas.axes.get_position()
    width, height = canvas.figure.get_size_inches()
    share, low = (0.42, 0.46 * place.y0) if above else (0.6, 0.24 * place.y0)
    side = share * place.y0 * height  # inches
    wheel = canvas.figure.add_axes((place.x0, low, side / width, side / height), projection="polar")
    turn, colours = np.linspace(0.0, 1.0, 181), palette.heading_colours()
    wheel.pcolormesh(2.0 * np.pi * turn, [0.5, 1.0], turn[None, :-1], cmap=colours)
    wheel.set_axis_off()
    style: dict[str, Any] = {"fontsize": 7, "color": palette.MUTED, "va": "center"}
    for words, level in (("walking towards", 0.72), ("● standing", 0.28)):
        x, y = place.x0 + 1.2 * side / width, low + level * side / height
        canvas.figure.text(x, y, words, **style)


def busiest(positions: Floats, view: Box, side: float) -> Box:
    """Return the square of `side` metres in a view with most characters.

    If the view is narrower than that, the square begins at its left or lower end.
    """
    cell = side / 6.0
    x0, y0, x1, y1 = view
    shape = [max(1, math.ceil((x1 - x0) / cell)), max(1, math.ceil((y1 - y0) / cell))]
    box = [(x0, x0 + shape[0] * cell), (y0, y0 + shape[1] * cell)]
    counts, _, _ = np.histogram2d(positions[:, 0], positions[:, 1], bins=shape, range=box)
    sums = np.pad(counts.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    m, n = (min(6, size) for size in shape)
    within = sums[m:, n:] - sums[:-m, n:] - sums[m:, :-n] + sums[:-m, :-n]
    i, j = np.unravel_index(int(within.argmax()), within.shape)
    left = max(x0, min(x0 + i * cell, x1 - side))
    low = max(y0, min(y0 + j * cell, y1 - side))
    return left, low, left + side, low + side


def _lens_view(view: Box, positions: Floats, lens: Lens) -> Box | None:
    """Return the part that the lens shows; None without a lens."""
    if not isinstance(lens, str):
        return lens
    shorter = min(view[2] - view[0], view[3] - view[1])
    if lens == "none" or shorter < LARGEST or not len(positions):
        return None
    return busiest(positions, view, _LENS_METRES)


def _add_lens(canvas: Canvas, part: Box, positions: Floats) -> Canvas:
    """Return a small canvas over a corner of the map, connected with the part that it shows."""
    x0, y0, x1, y1 = _free_corner(canvas.view, part, positions)
    place = canvas.axes.get_position()
    width, height = canvas.view[2] - canvas.view[0], canvas.view[3] - canvas.view[1]
    left = place.x0 + (x0 - canvas.view[0]) / width * place.width
    low = place.y0 + (y0 - canvas.view[1]) / height * place.height
    size = (x1 - x0) / width * place.width, (y1 - y0) / height * place.height
    small = add_map(canvas.figure, (left, low, *size), part)
    small.axes.spines[:].set(visible=True, color=palette.INK, linewidth=0.8)
    small.axes.set_zorder(5)
    _join(canvas, part, (x0, y0, x1, y1))
    # A scale bar of a round length inside the lens, at the lower left.
    x0, y0, x1, y1 = part
    metres = round_length((x1 - x0) / 5.0)
    x, y = x0 + 0.035 * (x1 - x0), y0 + 0.04 * (y1 - y0)
    small.axes.plot((x, x + metres), (y, y), color=palette.INK, lw=1.4, zorder=8)
    style: dict[str, Any] = {"fontsize": 6, "color": palette.INK, "ha": "center", "va": "bottom"}
    small.axes.text(x + metres / 2, y + 0.012 * (y1 - y0), f"{metres:g} m", zorder=8, **style)
    return small


def _free_corner(view: Box, part: Box, positions: Floats) -> Box:
    """Return the corner of a view that hides the fewest characters, and not the part itself."""
    x0, y0, x1, y1 = view
    shorter = min(x1 - x0, y1 - y0)
    aspect = (part[3] - part[1]) / (part[2] - part[0])
    width, height = _LENS_SIDE * shorter, _LENS_SIDE * shorter * aspect
    edge = 0.012 * shorter
    best, fewest = view, np.inf
    for left in (x1 - edge - width, x0 + edge):
        for low in (y1 - edge - height, y0 + edge):
            box = (left, low, left + width, low + height)
            hidden = float(np.count_nonzero(_inside(positions, box)))
            if box[0] < part[2] and part[0] < box[2] and box[1] < part[3] and part[1] < box[3]:
                hidden += len(positions)
            if hidden < fewest:
                best, fewest = box, hidden
    return best


def _inside(positions: Floats, box: Box) -> Bools:
    x, y = positions.T
    inside: Bools = (x >= box[0]) & (y >= box[1]) & (x <= box[2]) & (y <= box[3])
    return inside


def _join(canvas: Canvas, part: Box, box: Box) -> None:
    """Draw a frame around the part that a lens shows, and lines to the frame of the lens."""
    frame = Rectangle(part[:2], part[2] - part[0], part[3] - part[1], fc="none", ec=palette.INK)
    frame.set(linewidth=0.8, zorder=4.5)
    canvas.axes.add_patch(frame)
    corners = np.array([[(b[i], b[j]) for i in (0, 2) for j in (1, 3)] for b in (part, box)])
    for near, far in zip(*corners, strict=True):
        (x, y), (dx, dy) = far - near, (corners.reshape(-1, 2) - near).T
        across = x * dy - y * dx
        if across.min() >= 0 or across.max() <= 0:  # both frames are on one side of the line
            ends = np.stack([near, far])
            canvas.axes.plot(*ends.T, color=palette.INK, lw=0.6, alpha=0.75, zorder=4.4)
