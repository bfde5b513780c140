"""Layers of a map: free space, terrain, axis, corridor, paths, pinches, repairs, fake obstacles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path as Outline
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from footway.constants import ON_WALL
from footway.corridor import CorridorMap
from footway.environment.environment import GROUND, SLOPE
from footway.environment.lattice import polygon_parts
from footway.environment.repair import repairs_to_list
from footway.plot import palette
from footway.plot.canvas import add_colour_key, add_line_key
from footway.plot.shapes import free_space_of
from footway.roadmap.fake_obstacles import open_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from footway.arrays import Floats, Shapes
    from footway.corridor import Corridor, Path, Pinch
    from footway.environment import Environment, Repair, TerrainRegion
    from footway.environment.building import LinkOutline
    from footway.follow import Disc, Walk
    from footway.plot.canvas import Area, Canvas
    from footway.plot.shapes import FreeSpace
    from footway.roadmap import Roadmap

_MOST_NAMES: Final = 12  # kinds in the key; more do not fit below a map
_MOST_ENTRIES: Final = 7  # paths in the key; more do not fit either
_SWATCH: Final = 0.016  # width of a colour in the key, share of the page
_LETTER: Final = 0.0078  # width of a letter, share of the page

MOST_NUMBERS: Final = 60
"""Greatest number of numbered markers; more would hide the map and are drawn as dots."""

HALO: Final = [withStroke(linewidth=2.2, foreground=palette.HALO)]
"""Light outline of labels that lie on lines."""

HATCHED: Final[dict[str, Any]] = {
    "facecolors": palette.GROUND, "edgecolors": palette.REPAIR, "linewidths": 0.8, "hatch": "/" * 6
}  # fmt: skip
"""Hatching of fake obstacles, to distinguish them from walls."""


def fill(canvas: Canvas, shapes: Any, *, zorder: float, **style: Any) -> None:
    """Fill the polygons in a geometry or in an array of geometries."""
    parts = polygon_parts(shapes)
    if len(parts):
        shape = outline(shapely.orient_polygons(parts))
        canvas.axes.add_patch(PathPatch(shape, zorder=zorder, **({"edgecolor": "none"} | style)))


def outline(polygons: Shapes) -> Outline:
    """Return polygons with holes as one compound outline; holes have the opposite orientation."""
    rings, codes = [], []
    for ring in (ring for part in polygons for ring in (part.exterior, *part.interiors)):
        rings.append(shapely.get_coordinates(ring))
        code = np.full(len(rings[-1]), Outline.LINETO, dtype=np.uint8)
        code[0], code[-1] = Outline.MOVETO, Outline.CLOSEPOLY
        codes.append(code)
    return Outline(np.vstack(rings), np.concatenate(codes))


def add_lines(axes: Axes, lines: Any, values: Floats | None = None, **style: Any) -> None:
    """Draw lines (n, k, 2) m, coloured by `values` (n,) if given."""
    drawn = LineCollection(list(lines), **style)
    if values is not None:
        drawn.set_array(values)
    axes.add_collection(drawn, autolim=False)


def draw_base(
    canvas: Canvas,
    source: CorridorMap | Environment,
    environment: Environment | None = None,
    *,
    terrain: bool = True,
) -> FreeSpace:
    """Draw the free space of a map, its terrain and its named areas; return the free space.

    They are those of the environment if it is given; a corridor map alone has walls only.
    """
    known = environment if environment is not None else source
    free_space = free_space_of(known)
    draw_free_space(canvas, free_space)
    if not isinstance(known, CorridorMap):
        if terrain and known.terrain:
            fill_regions(canvas, known)
            draw_terrain_key(canvas, known, canvas.keys)
        draw_areas(canvas, known)
    return free_space


def draw_free_space(canvas: Canvas, free_space: FreeSpace) -> None:
    """Fill obstacles and walkable space, and draw the walls as thin lines."""
    rings = [ring for part in shapely.get_parts(free_space.walkable) for ring in part.interiors]
    if rings:
        holes = outline(np.array([shapely.Polygon(ring) for ring in rings]))
        style: dict[str, Any] = {"facecolor": palette.OBSTACLE, "edgecolor": "none"}
        canvas.axes.add_patch(PathPatch(holes, zorder=1.0, **style))
    fill(canvas, free_space.walkable, zorder=1.1, facecolor=palette.GROUND)  # also islands in holes
    width = min(0.6, 0.12 / canvas.metres_per_point + 0.15)
    walls = free_space.walls.reshape(-1, 2, 2)
    add_lines(canvas.axes, walls, colors=palette.WALL, linewidths=width, zorder=1.2)
    if len(free_space.points):
        canvas.axes.plot(*free_space.points.T, ".", color=palette.WALL, ms=2.5, zorder=1.2)
    for link in free_space.links:
        _draw_link(canvas, link, width)


def _draw_link(canvas: Canvas, link: LinkOutline, width: float) -> None:
    """Draw a link of a floor: open where people enter it, and its name, also if it is small."""
    style = {"facecolor": palette.LINK, "edgecolor": palette.LINK, "linewidth": 1.5 * width}
    fill(canvas, link.area, zorder=1.21, **style)
    add_lines(
        canvas.axes,
        link.walls.reshape(-1, 2, 2),
        colors=palette.WALL,
        linewidths=width,
        zorder=1.22,
    )
    shown = shapely.intersection(link.area, shapely.box(*canvas.view))
    if not shown.is_empty:
        x, y = shapely.point_on_surface(shown).coords[0]
        canvas.axes.text(x, y, link.name, ha="center", va="center", zorder=1.3, color=palette.INK,
                        fontsize=6.5, path_effects=HALO, clip_on=True)  # fmt: skip


def draw_areas(canvas: Canvas, environment: Environment) -> None:
    """Draw the named areas of an environment: a dashed outline, and the name unless it is tiny."""
    for area in environment.areas:
        style: dict[str, Any] = {"edgecolor": palette.MUTED, "linewidth": 0.6, "linestyle": "--"}
        fill(canvas, area.polygon, zorder=1.25, facecolor="none", **style)
        if not area.name:
            continue
        shown = shapely.intersection(area.polygon, shapely.box(*canvas.view))
        x0, y0, x1, y1 = shown.bounds
        width, height = 1.8 * len(area.name), 3.5  # points, half of the text: it may stand out
        if not min((x1 - x0) / width, (y1 - y0) / height) > canvas.metres_per_point:
            continue  # too small, or outside the view: then the bounds are NaN
        free = shapely.intersection(shown, environment.walkable)  # no name stands on a table
        at = shapely.point_on_surface(shown if free.is_empty else free).coords[0]
        words: dict[str, Any] = {"fontsize": 6.5, "color": palette.MUTED, "path_effects": HALO}
        canvas.axes.text(at[0], at[1], area.name, ha="center", va="center", zorder=1.3, **words)


_SLOPES: Final = {
    "facecolor": "none", "edgecolor": palette.WALL, "linewidth": 0.4, "hatch": "/" * 2
}  # fmt: skip


def fill_regions(canvas: Canvas, environment: Environment) -> None:
    """Fill the regions of an environment by kind, the later ones on top, without a key."""
    colours = terrain_colours(environment)
    for region in environment.terrain:
        shape = shapely.intersection(region.polygon, environment.walkable)
        if region.kind != SLOPE:
            fill(canvas, shape, zorder=1.15, facecolor=colours.get(region.kind, palette.GROUND))
        if region.slope is not None and any(region.slope):
            fill(canvas, shape, zorder=1.16, **_SLOPES)
            _draw_uphill(canvas, region)


def _draw_uphill(canvas: Canvas, region: TerrainRegion) -> None:
    """Draw an arrow in the middle of a slope, from its lower to its higher side."""
    assert region.slope is not None
    middle = shapely.get_coordinates(shapely.point_on_surface(region.polygon))[0]
    half = np.array(region.slope) / math.sqrt(region.slope[0] ** 2 + region.slope[1] ** 2)
    half *= 0.15 * math.sqrt(region.polygon.area)
    arrow = {"arrowstyle": "->", "color": palette.MUTED, "linewidth": 1.2}
    canvas.axes.annotate("", middle + half, middle - half, arrowprops=arrow, zorder=1.17)


def draw_terrain_key(canvas: Canvas, environment: Environment, area: Area) -> None:
    """Draw a colour and a name for each kind of terrain at the bottom of the page."""
    figure, colours = canvas.figure, terrain_colours(environment)
    x, y = area[0], area[1] + 0.20 * area[3]
    height = 0.13 * area[3]
    words: dict[str, Any] = {"fontsize": 7, "color": palette.MUTED, "va": "center"}
    styles: list[tuple[str, dict[str, Any]]] = [
        (kind, {"facecolor": colour, "edgecolor": palette.WALL, "linewidth": 0.4})
        for kind, colour in list(colours.items())[:_MOST_NAMES]
    ]
    if any(region.slope for region in environment.terrain):
        styles.append(("slope, uphill", _SLOPES))
    for kind, style in styles:
        swatch = Rectangle((x, y - height / 2), _SWATCH, height, **style)
        swatch.set(transform=figure.transFigure)
        figure.add_artist(swatch)
        x += 1.35 * _SWATCH
        figure.text(x, y, kind, **words)
        x += _LETTER * len(kind) + 1.2 * _SWATCH
    if len(colours) > _MOST_NAMES:
        figure.text(x, y, f"and {len(colours) - _MOST_NAMES} more", **words)


def terrain_colours(environment: Environment) -> Mapping[str, str]:
    """Return a colour for each kind of terrain: a fixed one by name, or one from a list.

    Bare ground is included if there is any.
    """
    kinds = environment.terrain_kinds[1:]
    other = [kind for kind in kinds if kind not in palette.TERRAIN]
    spare = {k: palette.OTHER_TERRAIN[i % len(palette.OTHER_TERRAIN)] for i, k in enumerate(other)}
    found = {kind: palette.TERRAIN.get(kind, spare.get(kind, "")) for kind in kinds}
    covered = shapely.union_all([r.polygon for r in environment.terrain if r.kind != SLOPE])
    bare = shapely.difference(environment.walkable, covered)
    return {GROUND: palette.GROUND, **found} if bare.area > 0 else found


def draw_axis(canvas: Canvas, cmap: CorridorMap, *, width: float, alpha: float = 1.0) -> None:
    """Draw the medial axis, coloured by clearance, with its colour key.

    `width` is in points. Edges that end in a corner are thin: they are dead ends.
    """
    axis = cmap.axis(max(3.0 * canvas.metres_per_point, 1e-3))
    # Few places are very wide: the scale ends at nearly the widest clearance.
    widest = float(axis.clearance.max())
    top = min(float(np.percentile(axis.clearance, 98)) * 1.05, widest)
    norm, colours = Normalize(0.0, top, clip=True), palette.clearance_colours()
    edges = np.split(np.arange(len(axis.points)), axis.offsets[1:-1])
    dead_end = cmap.edge_clearance < ON_WALL
    for kind, share, level in ((True, 0.4, 2.0), (False, 1.0, 2.1)):
        chosen = [edge for edge, dead in zip(edges, dead_end, strict=True) if dead == kind]
        if not chosen:
            continue
        style: dict[str, Any] = {"cmap": colours, "norm": norm, "linewidths": width * share}
        # Adjacent pieces leave hairline gaps; whole edges below hide them.
        add_lines(
            canvas.axes, [axis.points[edge] for edge in chosen],
            np.array([axis.clearance[edge].mean() for edge in chosen]),
            capstyle="round", joinstyle="round", zorder=level, alpha=alpha, **style,
        )  # fmt: skip
        first = np.concatenate([edge[:-1] for edge in chosen])
        add_lines(
            canvas.axes, np.stack([axis.points[first], axis.points[first + 1]], 1),
            0.5 * (axis.clearance[first] + axis.clearance[first + 1]),
            capstyle="butt", zorder=level + 0.05, alpha=alpha, **style,
        )  # fmt: skip
    key = ScalarMappable(norm, colours)
    add_colour_key(canvas, key, label="clearance (m)", above=top < widest)


def draw_corridor(
    canvas: Canvas, corridor: Corridor, walkable: shapely.MultiPolygon | None = None
) -> None:
    """Fill the walkable part of the union of the corridor's balls (cmm-2007, figure 3)."""
    union = _union_of_balls(corridor, 0.05 * canvas.metres_per_point)
    if walkable is not None:
        union = shapely.intersection(union, walkable)
    fill(canvas, union, zorder=1.5, facecolor=palette.CORRIDOR, alpha=0.24)
    rim: dict[str, Any] = {"facecolor": "none", "edgecolor": palette.CORRIDOR, "lw": 0.5}
    fill(canvas, union, zorder=1.6, alpha=0.7, **rim)


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


def draw_backbone(canvas: Canvas, corridor: Corridor) -> None:
    """Draw the backbone of a corridor as a thin dashed line."""
    canvas.axes.plot(
        *corridor.backbone.T[:2], color=palette.CORRIDOR, lw=0.8, dashes=(4.0, 2.5), zorder=2.2
    )


def draw_discs(canvas: Canvas, discs: Sequence[Disc], walk: Walk | None = None) -> None:
    """Draw dynamic obstacles; moving ones at the start (hollow) and where the walk meets them."""
    for disc in discs:
        first = met = np.array(disc.at[:2])
        if walk is not None and any(disc.velocity):
            there = first + np.outer(walk.times, disc.velocity[:2])
            met = there[int(np.hypot(*(walk.points[:, :2] - there).T).argmin())]
        drawn = Circle(tuple(met), disc.radius, fc=palette.INK, ec=palette.HALO, lw=0.5, zorder=2.8)
        canvas.axes.add_patch(drawn)
        if any(disc.velocity):
            style: dict[str, Any] = {"lw": 0.8, "ls": ":", "zorder": 2.7}
            hollow = Circle(tuple(first), disc.radius, fc="none", ec=palette.INK, **style)
            canvas.axes.add_patch(hollow)
            canvas.axes.plot(*np.array([first, met]).T, color=palette.INK, **style)


def draw_walk_line(canvas: Canvas, path: Path, *, colour: str) -> None:
    """Draw a path in the width of its disc, and its centre line."""
    swept = shapely.buffer(shapely.linestrings(path.points[:, :2]), path.radius)
    fill(canvas, swept, zorder=3.0, facecolor=colour, alpha=0.34)
    x, y = path.points.T[:2]
    canvas.axes.plot(x, y, color=colour, lw=1.1, solid_capstyle="round", zorder=3.1)


def draw_one_path(canvas: Canvas, path: Path) -> None:
    """Draw a path with its start, its goal and the area that its disc sweeps."""
    if path.radius > 2.0 * canvas.metres_per_point:
        swept = shapely.buffer(shapely.linestrings(path.points), path.radius)
        fill(canvas, swept, zorder=3.0, facecolor=palette.ACCENT, alpha=0.22)
    style: dict[str, Any] = {"solid_capstyle": "round"}
    canvas.axes.plot(*path.points.T, color=palette.HALO, lw=3.4, alpha=0.85, zorder=3.1, **style)
    style["solid_joinstyle"] = "round"
    canvas.axes.plot(*path.points.T, color=palette.ACCENT, lw=1.7, zorder=3.2, **style)
    draw_ends(canvas, path.start, path.goal, avoid=dense_points(canvas, path.points))


def draw_ends(
    canvas: Canvas,
    start: tuple[float, ...],
    goal: tuple[float, ...],
    *,
    avoid: Floats | None = None,
) -> None:
    """Draw a ring at the start and a disc at the goal; labels avoid the points `avoid` (n, 2)."""
    draw_end(canvas, start, "start", avoid=avoid)
    draw_end(canvas, goal, "goal", avoid=avoid, face=palette.ACCENT)


def draw_end(
    canvas: Canvas,
    end: tuple[float, ...],
    name: str,
    *,
    avoid: Floats | None = None,
    face: str = palette.HALO,
) -> None:
    """Draw a labelled ring, or a disc of another colour, at an end of a path."""
    at = (end[0], end[1])
    canvas.axes.plot(*at, "o", ms=9.0, color=palette.HALO, zorder=4.0)
    canvas.axes.plot(*at, "o", ms=6.5, mfc=face, mec=palette.ACCENT, mew=1.8, zorder=4.1)
    write_beside(canvas, at, name, avoid=avoid)


def write_beside(
    canvas: Canvas,
    at: tuple[float, float],
    words: str,
    *,
    avoid: Floats | None = None,
    colour: str = palette.INK,
) -> None:
    """Write a label beside a point, inside the map and away from the points of a line."""
    x0, y0, x1, y1 = canvas.view
    reach = canvas.metres_per_point * np.array([26.0, 11.0])
    sides = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
    gaps = []  # distance of a label on each side from the line
    for side in sides:
        middle, end = np.asarray(at) + reach * side, np.asarray(at) + 2.0 * reach * side
        gap = 1.0 if avoid is None else float(np.hypot(*(avoid - middle).T).min())
        gaps.append(gap if x0 < end[0] < x1 and y0 < end[1] < y1 else 0.0)
    right, up = sides[int(np.argmax(gaps))]
    canvas.axes.annotate(
        words, at, xytext=(7.5 * right, 5.0 * up), textcoords="offset points", fontsize=7.5,
        color=colour, ha="left" if right > 0 else "right", va="bottom" if up > 0 else "top",
        path_effects=HALO, zorder=6.0,
    )  # fmt: skip


def draw_many_paths(canvas: Canvas, paths: Sequence[Path]) -> None:
    """Draw many paths, coloured by the distance from their starts."""
    if not paths:
        return
    ordered = sorted(paths, key=lambda path: path.length)
    norm, colours = Normalize(0.0, max(ordered[-1].length, 1e-9)), palette.journey_colours()
    style: dict[str, Any] = {"capstyle": "round", "joinstyle": "round"}
    lines = [path.points for path in ordered]
    add_lines(
        canvas.axes, lines, linewidths=2.6, alpha=0.9, zorder=3.0, colors=palette.HALO, **style
    )
    parts = [_short_pieces(path.points, 3.0 * canvas.metres_per_point) for path in ordered]
    add_lines(
        canvas.axes, [piece for pieces, _ in parts for piece in pieces],
        np.concatenate([distance for _, distance in parts]),
        linewidths=1.25, zorder=3.1, cmap=colours, norm=norm, **style,
    )  # fmt: skip
    length = np.array([path.length for path in ordered])
    starts = sorted({path.start for path in ordered})
    dots: list[tuple[Any, Any, Any]] = [
        ([path.goal for path in ordered], colours(norm(length)), palette.HALO),
        (starts, palette.HALO, colours(np.zeros(len(starts)))),
    ]
    for at, face, rim in dots:
        x, y = np.array(at).T
        canvas.axes.scatter(x, y, s=15, c=face, edgecolors=rim, linewidths=0.7, zorder=3.5)
    add_colour_key(canvas, ScalarMappable(norm, colours), label="distance walked (m)", above=False)


def draw_alternatives(canvas: Canvas, paths: Sequence[Path]) -> None:
    """Draw paths between the same ends, the shortest on top, with a key of their lengths."""
    style: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round"}
    entries = {}
    for k, path in enumerate(paths):
        colour, over = palette.POPULATIONS[k % len(palette.POPULATIONS)], 0.01 * (len(paths) - k)
        x, y = path.points.T
        canvas.axes.plot(x, y, color=palette.HALO, lw=3.4, zorder=3.0 + over, **style)
        (line,) = canvas.axes.plot(x, y, color=colour, lw=1.7, zorder=3.005 + over, **style)
        if k < _MOST_ENTRIES:
            entries[f"{path.length:,.2f} m"] = line
    points = np.concatenate([dense_points(canvas, path.points) for path in paths])
    draw_ends(canvas, paths[0].start, paths[0].goal, avoid=points)
    left, bottom, _, height = canvas.keys
    add_line_key(canvas, entries, (left, bottom + 0.62 * height), len(entries))


def draw_contours(canvas: Canvas, xs: Floats, ys: Floats, distance: Any) -> None:
    """Fill a grid of distances (ny, nx), m, masked where there is none, and draw contours."""
    colours = palette.journey_colours()
    levels = MaxNLocator(nbins=12, steps=[1, 2, 5, 10]).tick_values(0.0, float(distance.max()))
    image = canvas.axes.contourf(xs, ys, distance, levels, cmap=colours, alpha=0.55, zorder=1.2)
    canvas.axes.contour(xs, ys, distance, levels, cmap=colours, linewidths=0.8, zorder=1.3)
    add_colour_key(canvas, image, label="distance walked (m)", above=False)


def _short_pieces(points: Floats, step: float) -> tuple[Floats, Floats]:
    """Cut a line into pieces of about `step` metres: (n, 2, 2) ends and (n,) distances, m."""
    along = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    count = max(2, int(along[-1] / step) + 1)
    at = np.unique(np.concatenate([along, np.linspace(0.0, along[-1], count)]))
    cut = np.column_stack([np.interp(at, along, column) for column in points.T])
    return np.stack([cut[:-1], cut[1:]], axis=1), 0.5 * (at[:-1] + at[1:])


def dense_points(canvas: Canvas, points: Floats) -> Floats:
    """Return points of a line that are so dense that labels can avoid them, (n, 2) m."""
    pieces, _ = _short_pieces(points, 3.0 * canvas.metres_per_point)
    return pieces[:, 0] if len(pieces) else points


def draw_pinch(canvas: Canvas, pinch: Pinch, *, avoid: Path | None = None) -> None:
    """Draw the widest disc at a pinch, the walls that it touches, and its width.

    A disc that is too small to see becomes a ring of a fixed size.
    """
    axes = canvas.axes
    contacts = np.array([pinch.left, pinch.right])
    axes.plot(*contacts.T, color=palette.PINCH, lw=1.0, zorder=4.5)
    if pinch.radius < 5.0 * canvas.metres_per_point:
        axes.plot(*pinch.at, "o", ms=11, mfc="none", mec=palette.PINCH, mew=1.2, zorder=4.6)
    else:
        disc = Circle(pinch.at, pinch.radius, fc="none", ec=palette.PINCH, lw=1.0, zorder=4.4)
        axes.add_patch(disc)
        axes.plot(*contacts.T, "o", ms=3.0, color=palette.PINCH, zorder=4.6)
    line = None if avoid is None else dense_points(canvas, avoid.points)
    write_beside(canvas, pinch.at, f"{pinch.width:.2f} m", avoid=line, colour=palette.PINCH)


def draw_repairs(canvas: Canvas, repairs: Sequence[Repair]) -> None:
    """Mark repairs, with their numbers in the list if there is space for numbers.

    Of many that change no shape (such as orientation) only the first is marked.
    """
    for place, k in enumerate(repairs_to_list(repairs)):
        at, is_numbered = repairs[k].at, place < MOST_NUMBERS
        style: dict[str, Any] = {"color": palette.REPAIR, "mec": palette.HALO, "mew": 0.4}
        canvas.axes.plot(*at, "o", ms=3.2 if is_numbered else 2.0, zorder=5.0, **style)
        if is_numbered:
            box = {"boxstyle": "round,pad=0.25", "fc": palette.REPAIR, "ec": palette.HALO}
            arrow = {"arrowstyle": "-", "color": palette.REPAIR, "lw": 0.7, "shrinkB": 0}
            canvas.axes.annotate(
                str(k + 1), at, xytext=(7.0, 7.0), textcoords="offset points", fontsize=6.5,
                color=palette.HALO, ha="center", va="center", zorder=5.2, bbox=box | {"lw": 0.6},
                arrowprops=arrow,
            )  # fmt: skip


def draw_fakes(canvas: Canvas, roadmap: Roadmap) -> None:
    """Draw the fake obstacles of a roadmap in two dimensions, and the edges that they close."""
    if not roadmap.fake_obstacles:
        return
    shapes = [np.array(fake.points) for fake in roadmap.fake_obstacles]
    canvas.axes.add_collection(PolyCollection(shapes, zorder=1.3, **HATCHED), autolim=False)
    closed = [roadmap.path_of(edge) for edge in np.flatnonzero(~open_parts(roadmap)[1]).tolist()]
    style: dict[str, Any] = {"colors": palette.REPAIR, "linewidths": 0.8, "linestyles": ":"}
    add_lines(canvas.axes, closed, zorder=1.9, **style)
