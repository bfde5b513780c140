"""What lies on the ground: axis, corridor, path, pinch, repairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Circle, PathPatch
from matplotlib.patheffects import withStroke

from footway.constants import ON_WALL
from footway.io.picture import palette
from footway.io.picture.ground import outline
from footway.io.picture.sheet import add_colour_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from footway.corridor import Corridor, CorridorMap, Path, Pinch
    from footway.environment import Repair
    from footway.io.picture.sheet import Sheet
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_NUMBERS: Final = 60
"""Markers that get a number; more of them would hide the map, and become dots."""

_HALO: Final = [withStroke(linewidth=2.2, foreground=palette.HALO)]


def draw_axis(sheet: Sheet, cmap: CorridorMap, *, width: float = 1.0) -> None:
    """Draw the medial axis, coloured by clearance, with its colour key.

    Dead ends into corners are thin: one can stand there, but not pass.
    """
    axis = cmap.axis(max(3.0 * sheet.metres_per_point, 1e-3))
    norm, above = _clearance_scale(axis.clearance)
    edges = np.split(np.arange(len(axis.points)), axis.offsets[1:-1])
    dead_end = cmap.edge_clearance < ON_WALL
    for kind, share, level in ((True, 0.4, 2.0), (False, 1.0, 2.1)):
        chosen = [edge for edge, dead in zip(edges, dead_end, strict=True) if dead == kind]
        if not chosen:
            continue
        whole = _coloured([axis.points[edge] for edge in chosen], norm)
        whole.set_array(np.array([axis.clearance[edge].mean() for edge in chosen]))
        first = np.concatenate([edge[:-1] for edge in chosen])
        pieces = _coloured(list(np.stack([axis.points[first], axis.points[first + 1]], 1)), norm)
        pieces.set_array(0.5 * (axis.clearance[first] + axis.clearance[first + 1]))
        # Pieces that abut leave hairlines of the ground between them; whole edges below hide them.
        whole.set(linewidth=width * share, capstyle="round", joinstyle="round", zorder=level)
        pieces.set(linewidth=width * share, capstyle="butt", zorder=level + 0.05)
        sheet.axes.add_collection(whole, autolim=False)
        sheet.axes.add_collection(pieces, autolim=False)
    key = ScalarMappable(norm, palette.clearance_colours())
    add_colour_key(sheet, key, label="clearance (m)", above=above)


def _coloured(lines: list[Floats], norm: Normalize) -> LineCollection:
    return LineCollection(lines, cmap=palette.clearance_colours(), norm=norm)


def _clearance_scale(value: Floats) -> tuple[Normalize, bool]:
    """Colours for 0 to nearly the widest clearance, and whether some are wider."""
    widest = float(value.max())
    top = min(float(np.percentile(value, 98)) * 1.05, widest)
    return Normalize(0.0, top, clip=True), top < widest


def draw_corridor(sheet: Sheet, corridor: Corridor, walkable: shapely.MultiPolygon) -> None:
    """Fill the union of the corridor's balls (cmm-2007, figure 3), and draw its backbone."""
    union = shapely.intersection(_union_of_balls(corridor), walkable)
    parts = shapely.orient_polygons(shapely.get_parts(union))
    parts = parts[shapely.get_type_id(parts) == shapely.GeometryType.POLYGON]
    if not len(parts):
        return
    shape = outline(parts)
    fill = PathPatch(shape, facecolor=palette.CORRIDOR, alpha=0.20, edgecolor="none", zorder=1.5)
    rim = PathPatch(shape, facecolor="none", edgecolor=palette.CORRIDOR, lw=0.5, alpha=0.7)
    rim.set_zorder(1.6)
    sheet.axes.add_patch(fill)
    sheet.axes.add_patch(rim)


def _union_of_balls(corridor: Corridor) -> shapely.Geometry:
    """Union of the balls, with more of them between the samples so that the rim is smooth."""
    share = np.linspace(0.0, 1.0, 4, endpoint=False)
    between = np.arange(len(corridor.radii) - 1)[:, None] + share
    at = np.append(between.ravel(), len(corridor.radii) - 1.0)
    known = np.arange(len(corridor.radii))
    x, y = (np.interp(at, known, column) for column in corridor.backbone.T)
    radius = np.interp(at, known, corridor.radii)
    return shapely.union_all(shapely.buffer(shapely.points(x, y), radius, quad_segs=32))


def draw_one_path(sheet: Sheet, path: Path) -> None:
    """Draw a path with its start, its goal and the ground that its disc sweeps."""
    if path.radius > 2.0 * sheet.metres_per_point:
        swept = shapely.orient_polygons(
            shapely.get_parts(shapely.buffer(shapely.linestrings(path.points), path.radius))
        )
        patch = PathPatch(outline(swept), facecolor=palette.ACCENT, edgecolor="none", alpha=0.22)
        patch.set_zorder(3.0)
        sheet.axes.add_patch(patch)
    sheet.axes.plot(
        *path.points.T, color=palette.HALO, lw=3.4, alpha=0.85, solid_capstyle="round", zorder=3.1
    )
    sheet.axes.plot(
        *path.points.T,
        color=palette.ACCENT,
        lw=1.7,
        solid_capstyle="round",
        solid_joinstyle="round",
        zorder=3.2,
    )
    _draw_ends(sheet.axes, path)


def _draw_ends(axes: Axes, path: Path) -> None:
    """Draw a ring at the start and a full disc at the goal."""
    for at, face, name in (
        (path.start, palette.HALO, "start"),
        (path.goal, palette.ACCENT, "goal"),
    ):
        axes.plot(*at, "o", ms=9.0, color=palette.HALO, zorder=4.0)
        axes.plot(*at, "o", ms=6.5, mfc=face, mec=palette.ACCENT, mew=1.8, zorder=4.1)
        write_beside(axes, at, name, offset=(8.0, 5.0))


def write_beside(
    axes: Axes,
    at: tuple[float, float],
    words: str,
    *,
    offset: tuple[float, float],
    colour: str = palette.INK,
) -> None:
    """Write words beside a place, `offset` points away, on the side where there is room."""
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    flip_x = at[0] > x0 + 0.88 * (x1 - x0)
    flip_y = at[1] > y0 + 0.95 * (y1 - y0)
    axes.annotate(
        words,
        at,
        xytext=(-offset[0] if flip_x else offset[0], -offset[1] if flip_y else offset[1]),
        textcoords="offset points",
        fontsize=7.5,
        color=colour,
        ha="right" if flip_x else "left",
        va="top" if flip_y else "bottom",
        path_effects=_HALO,
        zorder=6.0,
    )


def draw_many_paths(sheet: Sheet, paths: Sequence[Path]) -> None:
    """Draw many paths, coloured by length, the short ones above the long ones."""
    ordered = sorted(paths, key=lambda path: -path.length)
    length = np.array([path.length for path in ordered])
    norm = Normalize(0.0, max(float(length.max(initial=0.0)), 1e-9))
    colours = palette.journey_colours()
    drawn = LineCollection(
        [path.points for path in ordered],
        cmap=colours,
        norm=norm,
        linewidths=1.3,
        alpha=0.8,
        capstyle="round",
        joinstyle="round",
        zorder=3.0,
    )
    drawn.set_array(length)
    sheet.axes.add_collection(drawn, autolim=False)
    for ends, face in (("start", palette.HALO), ("goal", None)):
        place = np.array([getattr(path, ends) for path in ordered]).reshape(-1, 2)
        sheet.axes.scatter(
            *place.T,
            s=9,
            c=face if face else length,
            cmap=None if face else colours,
            norm=None if face else norm,
            edgecolors=colours(norm(length)) if face else palette.HALO,
            linewidths=0.8 if face else 0.4,
            zorder=3.5,
        )
    key = ScalarMappable(norm, colours)
    add_colour_key(sheet, key, label="length of path (m)", above=False)


def draw_pinch(sheet: Sheet, pinch: Pinch, *, label: str | None = None) -> None:
    """Draw the widest disc at a pinch, the walls that it touches, and its width."""
    axes = sheet.axes
    axes.add_patch(Circle(pinch.at, pinch.radius, fc="none", ec=palette.PINCH, lw=0.8, zorder=4.4))
    contacts = np.array([pinch.left, pinch.right])
    axes.plot(*contacts.T, color=palette.PINCH, lw=1.2, zorder=4.5)
    axes.plot(*contacts.T, "o", ms=2.6, color=palette.PINCH, zorder=4.6)
    if pinch.radius < 4.0 * sheet.metres_per_point:
        axes.plot(*pinch.at, "o", ms=10, mfc="none", mec=palette.PINCH, mew=1.1, zorder=4.6)
    words = label if label is not None else f"{pinch.width:.2f} m"
    write_beside(axes, pinch.at, words, offset=(7.0, 6.0), colour=palette.PINCH)


def draw_repairs(sheet: Sheet, repairs: Iterable[Repair]) -> None:
    """Mark every repair with its number in the list; dots beyond the first sixty."""
    for number, repair in enumerate(repairs, start=1):
        sheet.axes.plot(
            *repair.at, "o", ms=3.2, color=palette.REPAIR, mec=palette.HALO, mew=0.6, zorder=5.0
        )
        if number <= MOST_NUMBERS:
            _draw_number(sheet.axes, repair.at, number)


def _draw_number(axes: Axes, at: tuple[float, float], number: int) -> None:
    """Draw a number in a small flag beside its place."""
    axes.annotate(
        str(number),
        at,
        xytext=(7.0, 7.0),
        textcoords="offset points",
        fontsize=6.5,
        color=palette.HALO,
        ha="center",
        va="center",
        zorder=5.2,
        bbox={
            "boxstyle": "round,pad=0.25",
            "fc": palette.REPAIR,
            "ec": palette.HALO,
            "lw": 0.6,
        },
        arrowprops={"arrowstyle": "-", "color": palette.REPAIR, "lw": 0.7, "shrinkB": 0},
    )
