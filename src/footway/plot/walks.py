"""Draw walks in corridors, and indicative routes with walks over terrain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from footway.plot import layers, palette
from footway.plot.arguments import checked
from footway.plot.canvas import (
    KEYS,
    SIDE,
    WIDTH,
    add_line_key,
    draw_page_bar,
    keys_of,
    new_canvas,
    new_canvases,
    view_of,
)
from footway.plot.shapes import free_space_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from footway.arrays import Floats
    from footway.corridor import Corridor, CorridorMap, Path
    from footway.environment import Environment
    from footway.follow import Disc, RouteWalk, Walk
    from footway.plot.canvas import Area, Box, Canvas
    from footway.plot.shapes import FreeSpace
    from footway.terrain import IndicativeRoute

BAND: Final = 12
"""Greatest number of walks of a panel that are drawn in their true width; more are thin lines."""


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
    def corridor_drawn(self) -> Corridor:
        """The corridor that is filled."""
        return self.walks[0].corridor if self.corridor is None else self.corridor

    @property
    def discs(self) -> tuple[Disc, ...]:
        """Dynamic obstacles of the walks."""
        return self.walks[0].obstacles


@checked
def draw_walk(cmap: CorridorMap, walk: Walk, *, environment: Environment | None = None) -> Figure:
    """Return a picture of a walk in its corridor, with its dynamic obstacles.

    Args:
        cmap: the map of the corridor.
        walk: in two dimensions.
        environment: source of terrain and areas; by default only the walls of the map are drawn.
    """
    details = (
        f"{walk.length:.2f} m  ·  {walk.duration:.1f} s  ·  radius {walk.radius:g} m  ·  "
        f"clearance {walk.clearance:.3f} m"
    )
    panel = Panel("", [walk])
    canvas = new_canvas(_view(cmap, [panel]), title=cmap.name or "map", details=details)
    _draw_panels([canvas], [panel], free_space_of(environment if environment is not None else cmap))
    return canvas.figure


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
    captions = [(panel.caption, panel.details) for panel in panels]
    canvases = new_canvases(_view(cmap, panels), captions, title=title, details=details)
    _draw_panels(canvases, panels, free_space_of(environment if environment is not None else cmap))
    draw_page_bar(canvases[-1])
    return canvases[0].figure


def _draw_panels(
    canvases: Sequence[Canvas], panels: Sequence[Panel], free_space: FreeSpace
) -> None:
    """Draw all panels, and one key below them."""
    key: dict[str, Any] = {}  # samples by name, in the order in which they were first drawn
    for canvas, panel in zip(canvases, panels, strict=True):
        _draw_panel(canvas, panel, free_space, key)
    figure = canvases[-1].figure
    at = (SIDE / WIDTH - 0.004, 0.62 * KEYS / figure.get_figheight())
    add_line_key(
        canvases[-1], key, at, min(len(key), 5), handlelength=1.9, handletextpad=0.6,
        columnspacing=1.6,
    )  # fmt: skip


def _draw_panel(canvas: Canvas, panel: Panel, free_space: FreeSpace, key: dict[str, Any]) -> None:
    """Draw free space, corridor, obstacles and walks, and add them to the key."""
    layers.draw_free_space(canvas, free_space)
    layers.draw_corridor(canvas, panel.corridor_drawn, free_space.walkable)
    key.setdefault("corridor", Patch(facecolor=palette.CORRIDOR, alpha=0.3))
    layers.draw_backbone(canvas, panel.corridor_drawn)
    key.setdefault("backbone", Line2D([], [], color=palette.CORRIDOR, lw=0.8, dashes=(4.0, 2.5)))
    busy = panel.walks[0].points[:, :2]  # labels avoid it
    if panel.discs:
        layers.draw_discs(canvas, panel.discs, panel.walks[0])
        moving = any(any(disc.velocity) for disc in panel.discs)
        name = "obstacle, where it is met" if moving else "dynamic obstacle"
        key.setdefault(name, Line2D([], [], color=palette.INK, marker="o", ms=5, lw=0))
        busy = np.vstack([busy, [disc.at[:2] for disc in panel.discs]])
    if panel.compare is not None:
        path, name = panel.compare
        style: dict[str, Any] = {"lw": 1.0, "dashes": (3.0, 1.6)}
        canvas.axes.plot(*path.points.T[:2], color=palette.INK, zorder=2.9, **style)
        key.setdefault(name, Line2D([], [], color=palette.INK, **style))
    count = len(panel.walks)
    colours = panel.colours or [palette.ACCENT] * count
    names = panel.names or ["walk, as wide as the character"] * count
    for walk, colour, name in zip(panel.walks, colours, names, strict=True):
        if count <= BAND:
            layers.draw_walk_line(canvas, walk, colour=colour)
        else:
            x, y = walk.points.T[:2]
            canvas.axes.plot(x, y, color=colour, lw=0.5, alpha=0.55, zorder=3.0)
        key.setdefault(name, Line2D([], [], color=colour, lw=1.6))
    layers.draw_ends(canvas, panel.walks[0].start, panel.walks[0].goal, avoid=busy)


def _view(cmap: CorridorMap, panels: Sequence[Panel]) -> Box:
    """Return the part of the map around all corridors and walks, with a margin."""
    places = [walk.points[:, :2] for panel in panels for walk in panel.walks]
    for corridor in (panel.corridor_drawn for panel in panels):
        backbone, reach = corridor.backbone[:, :2], corridor.radii[:, None]
        places += [backbone - reach, backbone + reach]
    return view_of(places, 0.03, cmap.bounds)


# -- routes over terrain -----------------------------------------------------------------------


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
    canvas = new_canvas(view, title=environment.name or "map", details=details)
    layers.draw_base(canvas, environment)
    _draw_lines(canvas, lines)
    if walk is not None and walk.obstacles:
        layers.draw_discs(canvas, walk.obstacles, walk)
    _draw_line_key(canvas, lines, canvas.keys)
    return canvas.figure


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
        columns: of maps; see `new_canvases`.
    """
    lines = [line for panel in panels for line in panel.lines]
    view = view_around(environment, lines) if view is None else view
    captions = [(panel.caption, panel.details) for panel in panels]
    canvases = new_canvases(view, captions, title=title, details=details, columns=columns)
    free_space = free_space_of(environment)
    for canvas, panel in zip(canvases, panels, strict=True):
        layers.draw_free_space(canvas, free_space)
        layers.fill_regions(canvas, environment)
        _draw_lines(canvas, panel.lines)
    _draw_line_key(canvases[-1], lines, keys_of(canvases[-1]))
    if environment.terrain:
        layers.draw_terrain_key(canvases[-1], environment, keys_of(canvases[-1]))
    draw_page_bar(canvases[-1])
    return canvases[0].figure


def view_around(environment: Environment, lines: Sequence[Line]) -> Box:
    """Return the part of a map around lines: their bounding box and a margin."""
    return view_of([line.points for line in lines], 0.08, environment.bounds, least=1.0)


def _draw_lines(canvas: Canvas, lines: Sequence[Line]) -> None:
    """Draw routes dotted and walks solid, with a light rim, and both ends of the last one."""
    for level, line in enumerate(lines):
        order = 3.0 + 0.1 * level
        x, y = line.points.T
        if not line.is_route:
            canvas.axes.plot(x, y, color=palette.HALO, lw=3.0, alpha=0.8, zorder=order)
        canvas.axes.plot(x, y, color=line.colour, zorder=order + 0.05, **_style(line))
    last = lines[-1].points
    busy = np.vstack([layers.dense_points(canvas, line.points) for line in lines])
    layers.draw_ends(canvas, tuple(last[0].tolist()), tuple(last[-1].tolist()), avoid=busy)


def _style(line: Line) -> dict[str, Any]:
    if line.is_route:
        return {"lw": 1.3, "dashes": (1.0, 1.6), "dash_capstyle": "butt"}
    return {"lw": 1.6, "solid_capstyle": "round", "solid_joinstyle": "round"}


def _draw_line_key(canvas: Canvas, lines: Sequence[Line], area: Area) -> None:
    """Draw the key of the lines above the key of the terrain."""
    entries = {line.name: Line2D([], [], color=line.colour, **_style(line)) for line in lines}
    at = (area[0] - 0.006, area[1] + 0.62 * area[3])
    spacing = {"handlelength": 2.2, "handletextpad": 0.6, "columnspacing": 1.6}
    add_line_key(canvas, entries, at, len(entries), **spacing)
