"""Draw walks in corridors, and indicative routes with walks over terrain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from footway.plot import layers, palette
from footway.plot.arguments import checked
from footway.plot.layers import draw_ground
from footway.plot.shapes import ground_of
from footway.plot.sheet import (
    KEYS,
    SIDE,
    WIDTH,
    draw_page_bar,
    keys_of,
    new_sheet,
    new_sheets,
    padded,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from footway.corridor import Corridor, CorridorMap, Path
    from footway.environment import Environment
    from footway.follow import Disc, RouteWalk, Walk
    from footway.plot.shapes import Ground
    from footway.plot.sheet import Area, Box, Sheet
    from footway.terrain import IndicativeRoute

    Floats = NDArray[np.float64]

BAND: Final = 12
"""Most walks of a panel that are drawn in their true width; more of them are thin lines."""

_DOTTED: Final = (1.0, 1.6)
_COARSE: Final = 3.0  # typographic points between the positions that labels avoid


@dataclass(frozen=True)
class Panel:
    """Content of one of several maps.

    Attributes:
        caption: text above it on the left.
        details: text above it on the right.
        walks: drawn in this order.
        colours: of the walks, in the same order; by default all have the accent.
        names: of the walks, for the key below the maps; one entry for each name.
        corridor: filled; by default the first walk's.
        compare: a path for comparison, dashed, and its name.

    """

    caption: str
    walks: Sequence[Walk]
    details: str = ""
    colours: Sequence[str] = ()
    names: Sequence[str] = ()
    corridor: Corridor | None = None
    compare: tuple[Path, str] | None = None

    @property
    def ground(self) -> Corridor:
        """The corridor that is filled."""
        return self.walks[0].corridor if self.corridor is None else self.corridor

    @property
    def discs(self) -> tuple[Disc, ...]:
        """Dynamic obstacles of the walks."""
        return self.walks[0].obstacles


@dataclass
class _Key:
    """Entries of the legend, by name, in the order in which they were first drawn."""

    entries: dict[str, Any] = field(default_factory=dict)

    def line(self, name: str, colour: str, **style: Any) -> None:
        self.entries.setdefault(name, Line2D([], [], color=colour, **style))

    def area(self, name: str, colour: str, **style: Any) -> None:
        self.entries.setdefault(name, Patch(facecolor=colour, **style))

    def disc(self, name: str, colour: str) -> None:
        self.entries.setdefault(name, Line2D([], [], color=colour, marker="o", ms=5, lw=0))


@checked
def draw_walk(cmap: CorridorMap, walk: Walk, *, environment: Environment | None = None) -> Figure:
    """Return a picture of a walk in its corridor, with its dynamic obstacles.

    Args:
        cmap: the map of the corridor.
        walk: in two dimensions.
        environment: source of the ground; by default it is derived from the map's walls.

    """
    details = (
        f"{walk.length:.2f} m  ·  {walk.duration:.1f} s  ·  radius {walk.radius:g} m  ·  "
        f"clearance {walk.clearance:.3f} m"
    )
    panel = Panel("", [walk])
    sheet = new_sheet(_view(cmap, [panel]), title=cmap.name or "map", details=details)
    key = _Key()
    _draw_panel(sheet, panel, ground_of(environment if environment is not None else cmap), key)
    _draw_key(sheet, key)
    return sheet.figure


@checked
def draw_panels(
    cmap: CorridorMap,
    panels: Sequence[Panel],
    *,
    title: str,
    details: str = "",
    environment: Environment | None = None,
) -> Figure:
    """Return a picture with several maps of the same place, to compare walks on them.

    Wide maps are placed one above the other, and others side by side.
    """
    view = _view(cmap, panels)
    sheets = new_sheets(
        view, [(panel.caption, panel.details) for panel in panels], title=title, details=details
    )
    ground = ground_of(environment if environment is not None else cmap)
    key = _Key()
    for sheet, panel in zip(sheets, panels, strict=True):
        _draw_panel(sheet, panel, ground, key)
    _draw_key(sheets[-1], key)
    draw_page_bar(sheets[-1])
    return sheets[0].figure


def _draw_panel(sheet: Sheet, panel: Panel, ground: Ground, key: _Key) -> None:
    """Draw ground, corridor, obstacles and walks, and add them to the key."""
    draw_ground(sheet, ground)
    layers.draw_corridor(sheet, panel.ground, ground.walkable)
    key.area("corridor", palette.CORRIDOR, alpha=0.3)
    layers.draw_backbone(sheet, panel.ground)
    key.line("backbone", palette.CORRIDOR, lw=0.8, dashes=(4.0, 2.5))
    if panel.discs:
        layers.draw_discs(sheet, panel.discs, panel.walks[0])
        moving = any(any(disc.velocity) for disc in panel.discs)
        key.disc("obstacle, where it is met" if moving else "dynamic obstacle", palette.INK)
    if panel.compare is not None:
        path, name = panel.compare
        style: dict[str, Any] = {"lw": 1.0, "dashes": (3.0, 1.6)}
        sheet.axes.plot(*path.points.T[:2], color=palette.INK, zorder=2.9, **style)
        key.line(name, palette.INK, **style)
    _draw_walks(sheet, panel, key)
    first = panel.walks[0]
    layers.draw_ends(sheet, first.start, first.goal, avoid=_busy(panel))


def _draw_walks(sheet: Sheet, panel: Panel, key: _Key) -> None:
    count = len(panel.walks)
    colours = panel.colours or [palette.ACCENT] * count
    names = panel.names or ["walk, as wide as the character"] * count
    for walk, colour, name in zip(panel.walks, colours, names, strict=True):
        if count <= BAND:
            layers.draw_walk_line(sheet, walk, colour=colour)
        else:
            x, y = walk.points.T[:2]
            sheet.axes.plot(x, y, color=colour, lw=0.5, alpha=0.55, zorder=3.0)
        key.line(name, colour, lw=1.6)


def _busy(panel: Panel) -> Floats:
    """Return points that labels avoid: the first walk and dynamic obstacles, (n, 2) m."""
    points = panel.walks[0].points[:, :2]
    if not panel.discs:
        return points
    return np.vstack([points, [disc.at[:2] for disc in panel.discs]])


def _view(cmap: CorridorMap, panels: Iterable[Panel]) -> Box:
    """Return the part of the map around all corridors and walks, with a margin."""
    boxes = [box for panel in panels for box in _boxes(panel)]
    low = [min(box[k] for box in boxes) for k in (0, 1)]
    high = [max(box[k] for box in boxes) for k in (2, 3)]
    x0, y0, x1, y1 = padded((low[0], low[1], high[0], high[1]), 0.03)
    whole = padded(cmap.bounds, 0.006)
    return max(x0, whole[0]), max(y0, whole[1]), min(x1, whole[2]), min(y1, whole[3])


def _boxes(panel: Panel) -> Iterable[Box]:
    corridor = panel.ground
    backbone = corridor.backbone[:, :2]
    reach = corridor.radii[:, None]
    yield (*(backbone - reach).min(axis=0).tolist(), *(backbone + reach).max(axis=0).tolist())
    for walk in panel.walks:
        points = walk.points[:, :2]
        yield (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _draw_key(sheet: Sheet, key: _Key) -> None:
    """Draw the legend below the maps, on the left."""
    figure = sheet.figure
    figure.legend(
        key.entries.values(),
        key.entries.keys(),
        loc="center left",
        bbox_to_anchor=(SIDE / WIDTH - 0.004, 0.62 * KEYS / figure.get_figheight()),
        ncols=min(len(key.entries), 5),
        frameon=False,
        fontsize=7,
        labelcolor=palette.MUTED,
        handlelength=1.9,
        handletextpad=0.6,
        columnspacing=1.6,
        borderpad=0.0,
    )


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
    layers.draw_terrain(sheet, environment)
    _draw_lines(sheet, lines)
    if walk is not None and walk.obstacles:
        layers.draw_discs(sheet, walk.obstacles, walk)
    _draw_line_key(sheet, lines, sheet.keys)
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
        layers.fill_regions(sheet, environment)
        _draw_lines(sheet, panel.lines)
    _draw_line_key(sheets[-1], lines, keys_of(sheets[-1]))
    if environment.terrain:
        layers.draw_terrain_key(
            sheets[-1], layers.terrain_colours(environment), keys_of(sheets[-1])
        )
    draw_page_bar(sheets[-1])
    return sheets[0].figure


def view_around(environment: Environment, lines: Sequence[Line]) -> Box:
    """Return the part of a map around lines: their bounding box and a margin."""
    points = np.vstack([line.points for line in lines])
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    x0, y0, x1, y1 = padded((*low, *high), 0.08, least=1.0)
    whole = padded(environment.bounds, 0.006)
    return max(x0, whole[0]), max(y0, whole[1]), min(x1, whole[2]), min(y1, whole[3])


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
