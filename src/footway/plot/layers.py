"""Layers of a map: ground, terrain, axis, corridor, paths, pinches, repairs, fake obstacles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path as Outline
from matplotlib.patheffects import withStroke

from footway.constants import ON_WALL
from footway.environment.environment import GROUND
from footway.environment.lattice import polygon_parts
from footway.environment.repair import repairs_to_list
from footway.plot import palette
from footway.plot.sheet import add_colour_key
from footway.roadmap.fake_obstacles import open_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from footway.corridor import Corridor, CorridorMap, Path, Pinch
    from footway.environment import Environment, Repair
    from footway.follow import Disc, Walk
    from footway.plot.shapes import Ground
    from footway.plot.sheet import Area, Sheet
    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]

_MOST_NAMES: Final = 12  # kinds in the key; more do not fit below a map
_SWATCH: Final = 0.016  # width of a colour in the key, share of the page
_LETTER: Final = 0.0078  # width of a letter, share of the page

MOST_NUMBERS: Final = 60
"""Markers that get a number; more of them would hide the map, and become dots."""

HALO: Final = [withStroke(linewidth=2.2, foreground=palette.HALO)]
"""Around words that lie on lines."""

HATCHED: Final[dict[str, Any]] = {
    "facecolors": palette.GROUND,
    "edgecolors": palette.REPAIR,
    "linewidths": 0.8,
    "hatch": "//////",
}


def draw_ground(sheet: Sheet, ground: Ground) -> None:
    """Fill obstacles and walkable space, and draw the walls as thin lines."""
    holes = _holes(ground.walkable)
    line = min(0.6, 0.12 / sheet.metres_per_point + 0.15)
    for shapes, colour, level in (
        (holes, palette.OBSTACLE, 1.0),
        (shapely.get_parts(ground.walkable), palette.GROUND, 1.1),
    ):
        if len(shapes):
            patch = PathPatch(outline(shapes), facecolor=colour, edgecolor="none", zorder=level)
            sheet.axes.add_patch(patch)
    walls = ground.walls.reshape(-1, 2, 2)
    sheet.axes.add_collection(
        LineCollection(list(walls), colors=palette.WALL, linewidths=line, zorder=1.2),
        autolim=False,
    )
    if len(ground.points):
        sheet.axes.plot(*ground.points.T, ".", color=palette.WALL, ms=2.5, zorder=1.2)


def _holes(walkable: shapely.MultiPolygon) -> NDArray[np.object_]:
    """Return the holes of walkable space as polygons; islands in them are drawn on top."""
    rings = [ring for part in shapely.get_parts(walkable) for ring in part.interiors]
    return np.array([shapely.Polygon(ring) for ring in rings], dtype=object)


def outline(polygons: NDArray[np.object_]) -> Outline:
    """Return polygons with holes as one compound outline; holes must run the other way round."""
    rings = [
        shapely.get_coordinates(ring)
        for part in polygons
        for ring in (part.exterior, *part.interiors)
    ]
    codes = [_ring_codes(len(ring)) for ring in rings]
    return Outline(np.vstack(rings), np.concatenate(codes))


def _ring_codes(count: int) -> NDArray[np.uint8]:
    codes = np.full(count, Outline.LINETO, dtype=np.uint8)
    codes[0], codes[-1] = Outline.MOVETO, Outline.CLOSEPOLY
    return codes


def draw_terrain(sheet: Sheet, environment: Environment) -> None:
    """Fill the regions of an environment by kind, the later ones on top, and draw their key.

    It is drawn between the ground and the other layers; without regions it does nothing.
    """
    if environment.terrain:
        fill_regions(sheet, environment)
        draw_terrain_key(sheet, terrain_colours(environment), sheet.keys)


def draw_terrain_key(sheet: Sheet, colours: Mapping[str, str], area: Area) -> None:
    """Draw a colour and a name for each kind at the bottom of the page."""
    x, y = area[0], area[1] + 0.20 * area[3]
    height = 0.13 * area[3]
    for kind, colour in list(colours.items())[:_MOST_NAMES]:
        swatch = Rectangle((x, y - height / 2), _SWATCH, height, facecolor=colour)
        swatch.set(edgecolor=palette.WALL, linewidth=0.4, transform=sheet.figure.transFigure)
        sheet.figure.add_artist(swatch)
        x += 1.35 * _SWATCH
        sheet.figure.text(x, y, kind, fontsize=7, color=palette.MUTED, va="center")
        x += _LETTER * len(kind) + 1.2 * _SWATCH
    if len(colours) > _MOST_NAMES:
        more = f"and {len(colours) - _MOST_NAMES} more"
        sheet.figure.text(x, y, more, fontsize=7, color=palette.MUTED, va="center")


def terrain_colours(environment: Environment) -> Mapping[str, str]:
    """Return a colour for each kind of terrain: a fixed one by name, or one from a list.

    Bare ground is included if there is any.
    """
    kinds = sorted({region.kind for region in environment.terrain} - {GROUND})
    other = [kind for kind in kinds if kind not in palette.TERRAIN]
    spare = {k: palette.OTHER_TERRAIN[i % len(palette.OTHER_TERRAIN)] for i, k in enumerate(other)}
    found = {kind: palette.TERRAIN.get(kind, spare.get(kind, "")) for kind in kinds}
    covered = shapely.union_all([region.polygon for region in environment.terrain])
    bare = shapely.difference(environment.walkable, covered)
    return {GROUND: palette.GROUND, **found} if bare.area > 0 else found


def fill_regions(sheet: Sheet, environment: Environment) -> None:
    """Fill the regions of an environment by kind, the later ones on top, without a key."""
    colours = terrain_colours(environment)
    for region in environment.terrain:
        shape = shapely.intersection(region.polygon, environment.walkable)
        parts = shapely.orient_polygons(polygon_parts(shape))
        if len(parts):
            colour = colours.get(region.kind, palette.GROUND)
            patch = PathPatch(outline(parts), facecolor=colour, edgecolor="none")
            patch.set_zorder(1.15)
            sheet.axes.add_patch(patch)


def draw_axis(sheet: Sheet, cmap: CorridorMap, *, width: float, alpha: float = 1.0) -> None:
    """Draw the medial axis, coloured by clearance, with its colour key.

    `width` is in points. Edges that end in a corner are thin: they are dead ends.
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
        # Adjacent pieces leave hairline gaps; whole edges below hide them.
        whole.set(capstyle="round", joinstyle="round", zorder=level)
        pieces.set(capstyle="butt", zorder=level + 0.05)
        for drawn in (whole, pieces):
            drawn.set(linewidth=width * share, alpha=alpha)
            sheet.axes.add_collection(drawn, autolim=False)
    key = ScalarMappable(norm, palette.clearance_colours())
    add_colour_key(sheet, key, label="clearance (m)", above=above)


def _coloured(lines: list[Floats], norm: Normalize) -> LineCollection:
    return LineCollection(lines, cmap=palette.clearance_colours(), norm=norm)


def _clearance_scale(value: Floats) -> tuple[Normalize, bool]:
    """Return the colour scale from 0 to nearly the widest clearance, and whether some exceed it."""
    widest = float(value.max())
    top = min(float(np.percentile(value, 98)) * 1.05, widest)
    return Normalize(0.0, top, clip=True), top < widest


def draw_corridor(
    sheet: Sheet, corridor: Corridor, walkable: shapely.MultiPolygon | None = None
) -> None:
    """Fill the walkable part of the union of the corridor's balls (cmm-2007, figure 3)."""
    union = _union_of_balls(corridor, 0.05 * sheet.metres_per_point)
    if walkable is not None:
        union = shapely.intersection(union, walkable)
    parts = shapely.orient_polygons(shapely.get_parts(union))
    parts = parts[shapely.get_type_id(parts) == shapely.GeometryType.POLYGON]
    if not len(parts):
        return
    shape = outline(parts)
    fill = PathPatch(shape, facecolor=palette.CORRIDOR, alpha=0.24, edgecolor="none", zorder=1.5)
    rim = PathPatch(shape, facecolor="none", edgecolor=palette.CORRIDOR, lw=0.5, alpha=0.7)
    rim.set_zorder(1.6)
    sheet.axes.add_patch(fill)
    sheet.axes.add_patch(rim)


def _union_of_balls(corridor: Corridor, finest: float) -> shapely.Geometry:
    """Return the union of balls, dense enough that its outline is smooth at `finest` metres.

    Wide balls may be further apart: between balls of radius R at a distance d the outline is off
    by about d^2 / 8 R.
    """
    known = np.arange(len(corridor.radii))
    step = np.hypot(*np.diff(corridor.backbone, axis=0).T)
    spacing = np.sqrt(8.0 * finest * np.maximum(corridor.radii, finest))
    needed = np.concatenate([[0.0], np.cumsum(step / np.minimum(spacing[:-1], spacing[1:]))])
    at = np.interp(np.linspace(0.0, needed[-1], int(needed[-1]) + 2), needed, known)
    x, y = (np.interp(at, known, column) for column in corridor.backbone.T)
    radius = np.interp(at, known, corridor.radii)
    return shapely.union_all(shapely.buffer(shapely.points(x, y), radius, quad_segs=24))


def draw_backbone(sheet: Sheet, corridor: Corridor) -> None:
    """Draw the backbone of a corridor as a thin dashed line."""
    sheet.axes.plot(
        *corridor.backbone.T[:2], color=palette.CORRIDOR, lw=0.8, dashes=(4.0, 2.5), zorder=2.2
    )


def draw_discs(sheet: Sheet, discs: Sequence[Disc], walk: Walk | None = None) -> None:
    """Draw dynamic obstacles; moving ones at the start (hollow) and where the walk meets them."""
    for disc in discs:
        first = np.array(disc.at[:2])
        met = _met_at(disc, walk) if walk is not None and any(disc.velocity) else first
        drawn = Circle(tuple(met), disc.radius, fc=palette.INK, ec=palette.HALO, lw=0.5, zorder=2.8)
        sheet.axes.add_patch(drawn)
        if any(disc.velocity):
            hollow = Circle(tuple(first), disc.radius, fc="none", ec=palette.INK, lw=0.8, ls=":")
            hollow.set_zorder(2.7)
            sheet.axes.add_patch(hollow)
            track = np.array([first, met])
            sheet.axes.plot(*track.T, color=palette.INK, lw=0.8, ls=":", zorder=2.7)


def _met_at(disc: Disc, walk: Walk) -> Floats:
    """Return the position of a disc when the walk is closest to it, (2,) m."""
    there: Floats = np.array(disc.at[:2]) + np.outer(walk.times, disc.velocity[:2])
    apart = np.hypot(*(walk.points[:, :2] - there).T)
    met: Floats = there[int(apart.argmin())]
    return met


def draw_walk_line(
    sheet: Sheet, path: Path, *, colour: str = palette.ACCENT, level: float = 3.0
) -> None:
    """Draw a path in the width of its disc, and its centre line."""
    swept = shapely.buffer(shapely.linestrings(path.points[:, :2]), path.radius)
    parts = shapely.orient_polygons(shapely.get_parts(swept))
    band = PathPatch(outline(parts), facecolor=colour, edgecolor="none", alpha=0.34, zorder=level)
    sheet.axes.add_patch(band)
    x, y = path.points.T[:2]
    sheet.axes.plot(x, y, color=colour, lw=1.1, solid_capstyle="round", zorder=level + 0.1)


def draw_one_path(sheet: Sheet, path: Path) -> None:
    """Draw a path with its start, its goal and the area that its disc sweeps."""
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
    draw_ends(sheet, path.start, path.goal, avoid=_along(path, sheet))


def draw_ends(
    sheet: Sheet,
    start: tuple[float, ...],
    goal: tuple[float, ...],
    *,
    avoid: Floats | None = None,
) -> None:
    """Draw a ring at the start and a disc at the goal; labels avoid the points `avoid` (n, 2)."""
    for end, face, name in ((start, palette.HALO, "start"), (goal, palette.ACCENT, "goal")):
        at = (end[0], end[1])
        sheet.axes.plot(*at, "o", ms=9.0, color=palette.HALO, zorder=4.0)
        sheet.axes.plot(*at, "o", ms=6.5, mfc=face, mec=palette.ACCENT, mew=1.8, zorder=4.1)
        write_beside(sheet, at, name, avoid=avoid)


def write_beside(
    sheet: Sheet,
    at: tuple[float, float],
    words: str,
    *,
    avoid: Floats | None = None,
    colour: str = palette.INK,
) -> None:
    """Write a label beside a point, inside the map and away from the points of a line."""
    right, up = _free_side(sheet, at, avoid)
    sheet.axes.annotate(
        words,
        at,
        xytext=(7.5 * right, 5.0 * up),
        textcoords="offset points",
        fontsize=7.5,
        color=colour,
        ha="left" if right > 0 else "right",
        va="bottom" if up > 0 else "top",
        path_effects=HALO,
        zorder=6.0,
    )


def _free_side(sheet: Sheet, at: tuple[float, float], avoid: Floats | None) -> tuple[float, float]:
    """Choose the side of a point (right or left, up or down) with most space for a label."""
    x0, y0, x1, y1 = sheet.view
    reach = sheet.metres_per_point * np.array([26.0, 11.0])
    sides = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
    room = []
    for side in sides:
        middle = np.asarray(at) + reach * side
        end = np.asarray(at) + 2.0 * reach * side
        inside = x0 < end[0] < x1 and y0 < end[1] < y1
        gap = 1.0 if avoid is None else float(np.hypot(*(avoid - middle).T).min())
        room.append(gap if inside else 0.0)
    return sides[int(np.argmax(room))]


def draw_many_paths(sheet: Sheet, paths: Sequence[Path]) -> None:
    """Draw many paths, coloured by the distance from their starts."""
    if not paths:
        return
    ordered = sorted(paths, key=lambda path: path.length)
    norm = Normalize(0.0, max(ordered[-1].length, 1e-9))
    colours = palette.journey_colours()
    parts = [_short_pieces(path, 3.0 * sheet.metres_per_point) for path in ordered]
    for colour, width, alpha, level in ((palette.HALO, 2.6, 0.9, 3.0), (None, 1.25, 1.0, 3.1)):
        drawn = LineCollection(
            [path.points for path in ordered]
            if colour
            else [p for lines, _ in parts for p in lines],
            linewidths=width,
            alpha=alpha,
            capstyle="round",
            joinstyle="round",
            zorder=level,
        )
        if colour:
            drawn.set_color(colour)
        else:
            drawn.set(cmap=colours, norm=norm)
            drawn.set_array(np.concatenate([distance for _, distance in parts]))
        sheet.axes.add_collection(drawn, autolim=False)
    length = np.array([path.length for path in ordered])
    _draw_dots(sheet, [path.goal for path in ordered], colours(norm(length)), palette.HALO)
    starts = sorted({path.start for path in ordered})
    _draw_dots(sheet, starts, palette.HALO, colours(np.zeros(len(starts))))
    key = ScalarMappable(norm, colours)
    add_colour_key(sheet, key, label="distance walked (m)", above=False)


def _draw_dots(sheet: Sheet, at: Sequence[tuple[float, ...]], face: Any, rim: Any) -> None:
    """Draw small discs at goals and rings at starts, as `draw_ends` does for one path."""
    x, y = np.array(at).T
    sheet.axes.scatter(x, y, s=15, c=face, edgecolors=rim, linewidths=0.7, zorder=3.5)


def _short_pieces(path: Path, step: float) -> tuple[Floats, Floats]:
    """Cut a path into pieces of about `step` metres: (n, 2, 2) ends and (n,) distances, m."""
    along = path.arc_lengths
    count = max(2, int(along[-1] / step) + 1)
    at = np.unique(np.concatenate([along, np.linspace(0.0, along[-1], count)]))
    points = np.column_stack([np.interp(at, along, column) for column in path.points.T])
    return np.stack([points[:-1], points[1:]], axis=1), 0.5 * (at[:-1] + at[1:])


def draw_pinch(sheet: Sheet, pinch: Pinch, *, avoid: Path | None = None) -> None:
    """Draw the widest disc at a pinch, the walls that it touches, and its width.

    A disc that is too small to see becomes a ring of a fixed size.
    """
    axes = sheet.axes
    contacts = np.array([pinch.left, pinch.right])
    axes.plot(*contacts.T, color=palette.PINCH, lw=1.0, zorder=4.5)
    if pinch.radius < 5.0 * sheet.metres_per_point:
        axes.plot(*pinch.at, "o", ms=11, mfc="none", mec=palette.PINCH, mew=1.2, zorder=4.6)
    else:
        disc = Circle(pinch.at, pinch.radius, fc="none", ec=palette.PINCH, lw=1.0, zorder=4.4)
        axes.add_patch(disc)
        axes.plot(*contacts.T, "o", ms=3.0, color=palette.PINCH, zorder=4.6)
    line = None if avoid is None else _along(avoid, sheet)
    write_beside(sheet, pinch.at, f"{pinch.width:.2f} m", avoid=line, colour=palette.PINCH)


def _along(path: Path, sheet: Sheet) -> Floats:
    """Return points of a path that are dense enough to draw it, (n, 2) m."""
    pieces, _ = _short_pieces(path, 3.0 * sheet.metres_per_point)
    return pieces[:, 0] if len(pieces) else path.points


def draw_repairs(sheet: Sheet, repairs: Sequence[Repair]) -> None:
    """Mark repairs, with their numbers in the list if there is space for numbers.

    Of many that change no shape (such as orientation) only the first is marked.
    """
    for place, k in enumerate(repairs_to_list(repairs)):
        at, is_numbered = repairs[k].at, place < MOST_NUMBERS
        size = 3.2 if is_numbered else 2.0
        sheet.axes.plot(
            *at, "o", ms=size, color=palette.REPAIR, mec=palette.HALO, mew=0.4, zorder=5.0
        )
        if is_numbered:
            _draw_number(sheet.axes, at, k + 1)


def _draw_number(axes: Axes, at: tuple[float, float], number: int) -> None:
    """Draw a number in a small box beside its point."""
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


def draw_fakes(sheet: Sheet, roadmap: Roadmap) -> None:
    """Draw the fake obstacles of a roadmap in two dimensions, and the edges that they close."""
    if not roadmap.fake_obstacles:
        return
    shapes = [np.array(fake.points) for fake in roadmap.fake_obstacles]
    sheet.axes.add_collection(PolyCollection(shapes, zorder=1.3, **HATCHED), autolim=False)
    style: dict[str, Any] = {"colors": palette.REPAIR, "linewidths": 0.8, "linestyles": ":"}
    lines = LineCollection(_closed_paths(roadmap), zorder=1.9, **style)
    sheet.axes.add_collection(lines, autolim=False)


def _closed_paths(roadmap: Roadmap) -> list[Floats]:
    closed = np.flatnonzero(~open_parts(roadmap)[1])
    return [roadmap.path_of(edge) for edge in closed.tolist()]
