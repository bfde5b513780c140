"""Draw kinds of terrain with a key, and indicative routes and walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle

from footway.environment.environment import GROUND
from footway.environment.lattice import polygon_parts
from footway.plot import layers, palette
from footway.plot.arguments import checked
from footway.plot.ground import draw_ground, ground_of, outline
from footway.plot.pages import draw_page_bar, keys_of, new_sheets
from footway.plot.sheet import new_sheet, padded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from footway.environment import Environment
    from footway.follow import RouteWalk
    from footway.plot.sheet import Area, Box, Sheet
    from footway.terrain import IndicativeRoute

    Floats = NDArray[np.float64]

_MOST_NAMES: Final = 12  # kinds in the key; more do not fit below a map
_SWATCH: Final = 0.016  # width of a colour in the key, share of the page
_LETTER: Final = 0.0078  # width of a letter, share of the page
_DOTTED: Final = (1.0, 1.6)
_COARSE: Final = 3.0  # typographic points between the positions that labels avoid


class Line(NamedTuple):
    """A line on a map, and its entry in the key."""

    points: Floats  # (n, 2) m
    name: str
    colour: str
    is_route: bool = False  # dotted; a walk is a solid line


@dataclass(frozen=True)
class RoutePanel:
    """Content of one of several maps.

    Attributes:
        caption: text above it on the left.
        lines: routes and walks; the last one lies on top.
        details: text above it on the right.

    """

    caption: str
    lines: Sequence[Line]
    details: str = ""


@checked
def draw_route(route: IndicativeRoute, walk: RouteWalk | None = None) -> Figure:
    """Return a picture of an indicative route and the walk along it, on the terrain.

    Example:
        >>> import footway as fw
        >>> from footway import plot
        >>> room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
        >>> figure = plot.draw_route(fw.route(room, (1, 1), (9, 6)))

    """
    environment = route.terrain.environment
    shown = route if walk is None else walk
    details = (
        f"{shown.length:.2f} m  ·  weighted {shown.weighted_length:.2f} m  ·  "
        f"radius {route.terrain.radius:g} m"
    )
    lines = [Line(route.points, "indicative route", palette.INK, is_route=True)]
    if walk is not None:
        lines.append(Line(walk.points, "walk", palette.ACCENT))
    view = view_around(environment, lines)
    sheet = new_sheet(view, title=environment.name or "map", details=details)
    draw_ground(sheet, ground_of(environment))
    draw_terrain(sheet, environment)
    _draw_lines(sheet, lines)
    if walk is not None and walk.obstacles:
        layers.draw_discs(sheet, walk.obstacles, walk)
    _draw_line_key(sheet, lines, _strip(sheet))
    return sheet.figure


@checked
def draw_routes(
    environment: Environment,
    panels: Sequence[RoutePanel],
    *,
    title: str,
    details: str = "",
    view: Box | None = None,
    columns: int | None = None,
) -> Figure:
    """Return a picture with several maps of one place, to compare routes and walks.

    Args:
        environment: its kinds of terrain are drawn, with their key.
        panels: one for each map.
        title: of the page, above it on the left.
        details: on the right of the title.
        view: the shown part; by default the part around all lines.
        columns: of maps; see `new_sheets`.

    """
    lines = [line for panel in panels for line in panel.lines]
    view = view_around(environment, lines) if view is None else view
    captions = [(panel.caption, panel.details) for panel in panels]
    sheets = new_sheets(view, captions, title=title, details=details, columns=columns)
    ground = ground_of(environment)
    for sheet, panel in zip(sheets, panels, strict=True):
        draw_ground(sheet, ground)
        fill_regions(sheet, environment)
        _draw_lines(sheet, panel.lines)
    _draw_line_key(sheets[-1], lines, keys_of(sheets[-1]))
    if environment.terrain:
        _draw_key(sheets[-1], terrain_colours(environment), keys_of(sheets[-1]))
    draw_page_bar(sheets[-1])
    return sheets[0].figure


def view_around(environment: Environment, lines: Sequence[Line]) -> Box:
    """Return the part of a map around lines: their bounding box and a margin."""
    points = np.vstack([line.points for line in lines])
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    x0, y0, x1, y1 = padded((*low, *high), 0.08, least=1.0)
    whole = padded(environment.bounds, 0.006)
    return max(x0, whole[0]), max(y0, whole[1]), min(x1, whole[2]), min(y1, whole[3])


def draw_terrain(sheet: Sheet, environment: Environment) -> None:
    """Fill the regions of an environment by kind, the later ones on top, and draw their key.

    It is drawn between the ground and the other layers; without regions it does nothing.
    """
    if environment.terrain:
        fill_regions(sheet, environment)
        _draw_key(sheet, terrain_colours(environment), _strip(sheet))


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


def _draw_lines(sheet: Sheet, lines: Sequence[Line]) -> None:
    """Draw routes dotted and walks solid, with a light rim, and both ends of the last one."""
    for level, line in enumerate(lines):
        order = 3.0 + 0.1 * level
        x, y = line.points.T
        if not line.is_route:
            sheet.axes.plot(x, y, color=palette.HALO, lw=3.0, alpha=0.8, zorder=order)
        sheet.axes.plot(x, y, color=line.colour, zorder=order + 0.05, **_style(line))
    last = lines[-1].points
    busy = np.vstack([_close_points(line.points, sheet) for line in lines])
    layers.draw_ends(sheet, tuple(last[0].tolist()), tuple(last[-1].tolist()), avoid=busy)


def _style(line: Line) -> dict[str, Any]:
    if line.is_route:
        return {"lw": 1.3, "dashes": _DOTTED, "dash_capstyle": "butt"}
    return {"lw": 1.6, "solid_capstyle": "round", "solid_joinstyle": "round"}


def _close_points(points: Floats, sheet: Sheet) -> Floats:
    """Return points of a line that are dense enough to avoid it with labels, (n, 2) m."""
    along = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    count = int(along[-1] / (_COARSE * sheet.metres_per_point)) + 2
    at = np.linspace(0.0, along[-1], count)
    return np.column_stack([np.interp(at, along, column) for column in points.T])


def _strip(sheet: Sheet) -> Area:
    """Return the area below a single map for keys, in shares of the figure."""
    place = sheet.axes.get_position()
    return place.x0, 0.0, place.width, place.y0


def _draw_line_key(sheet: Sheet, lines: Sequence[Line], area: Area) -> None:
    """Draw the key of the lines above the key of the terrain."""
    entries = {line.name: Line2D([], [], color=line.colour, **_style(line)) for line in lines}
    sheet.figure.legend(
        list(entries.values()),
        list(entries),
        loc="center left",
        bbox_to_anchor=(area[0] - 0.006, area[1] + 0.62 * area[3]),
        ncols=len(entries),
        frameon=False,
        fontsize=7,
        labelcolor=palette.MUTED,
        handlelength=2.2,
        handletextpad=0.6,
        columnspacing=1.6,
        borderpad=0.0,
    )


def _draw_key(sheet: Sheet, colours: Mapping[str, str], area: Area) -> None:
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
