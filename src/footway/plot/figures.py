"""Pictures of maps, paths and repairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.corridor import CorridorMap
from footway.errors import BadQuery
from footway.plot import layers
from footway.plot.arguments import checked
from footway.plot.canvas import new_canvas, padded, view_of
from footway.validation import shown

_GRID_POINTS = 160  # of a picture of distances, along the longer side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from footway.corridor import Corridor, Path, Pinch, TautPath
    from footway.environment import Environment
    from footway.plot.canvas import Canvas


@checked
def draw_map(
    source: CorridorMap | Environment, *, environment: Environment | None = None
) -> Figure:
    """Return a picture of a map: free space, terrain, and the medial axis coloured by clearance.

    An `Environment` is drawn without an axis. `environment` is the source of terrain and areas of a
    corridor map; by default only its walls are drawn.

    Example:
        >>> import footway as fw
        >>> from footway import plot
        >>> figure = plot.draw_map(fw.load("gallery:field"))
    """
    x0, y0, x1, y1 = source.bounds
    if isinstance(source, CorridorMap):
        facts = f"{source.n_vertices:,} vertices  ·  {source.n_edges:,} edges"
    else:
        facts = f"{source.area:,.1f} m² walkable  ·  {source.holes:,} holes"
    details = f"{x1 - x0:,.4g} x {y1 - y0:,.4g} m  ·  {facts}"
    canvas = _canvas_of(source, environment, details=details)
    if isinstance(source, CorridorMap):
        layers.draw_axis(canvas, source, width=1.1)
    return canvas.figure


@checked
def draw_path(
    cmap: CorridorMap,
    path: TautPath,
    *,
    corridor: Corridor | None = None,
    pinch: Pinch | None = None,
    environment: Environment | None = None,
) -> Figure:
    """Return a picture of a path, on the part of the map around it.

    Args:
        cmap: the map of the path.
        path: a path of `CorridorMap.path`.
        corridor: drawn as the union of its balls, if given.
        pinch: drawn with its walls and its width, if given.
        environment: source of terrain and areas; by default only the walls of the map are drawn.
    """
    if not hasattr(path, "turns"):
        raise BadQuery(f"path is {shown(path)}: it must be one of CorridorMap.path")
    turns = f"{path.turns} turn{'' if path.turns == 1 else 's'}"
    details = (
        f"{path.length:.2f} m  ·  {turns}  ·  radius {path.radius:g} m  ·  "
        f"clearance {path.clearance:.3f} m"
    )
    places = [path.points]
    if corridor is not None and len(corridor.radii):
        places.append(corridor.backbone - corridor.radii[:, None])
        places.append(corridor.backbone + corridor.radii[:, None])
    view = view_of(places, 0.06, cmap.bounds, least=6.0 * path.radius + 0.5)
    canvas = new_canvas(view, title=cmap.name or "map", details=details)
    free_space = layers.draw_base(canvas, cmap, environment)
    _draw_roads(canvas, cmap)
    if corridor is not None:
        layers.draw_corridor(canvas, corridor, free_space.walkable)
    layers.draw_one_path(canvas, path)
    if pinch is not None and pinch.left != pinch.right:  # else: clearance at an end
        layers.draw_pinch(canvas, pinch, avoid=path)
    return canvas.figure


@checked
def draw_no_path(
    cmap: CorridorMap,
    start: tuple[float, float],
    goal: tuple[float, float],
    *,
    pinch: Pinch | None = None,
    because: str = "no path at any radius",
    environment: Environment | None = None,
) -> Figure:
    """Return a picture that shows why there is no path: start, goal and the pinch, if any."""
    reason = because if pinch is None else f"at most {pinch.width:.2f} m wide"
    canvas = _canvas_of(cmap, environment, details=f"no path  ·  {reason}")
    _draw_roads(canvas, cmap)
    layers.draw_ends(canvas, start, goal)
    if pinch is not None:
        layers.draw_pinch(canvas, pinch)
    return canvas.figure


@checked
def draw_paths(
    cmap: CorridorMap, paths: Sequence[Path | None], *, environment: Environment | None = None
) -> Figure:
    """Return a picture of many paths on the whole map, coloured by length.

    `paths` may be the result of `CorridorMap.paths`; None is skipped.
    """
    found = [path for path in paths if path is not None]
    total = sum(path.length for path in found) / 1000.0
    details = f"{len(found):,} paths  ·  {total:,.1f} km"
    canvas = _canvas_of(cmap, environment, details=details)
    layers.draw_many_paths(canvas, found)
    return canvas.figure


@checked
def draw_alternatives(
    cmap: CorridorMap, paths: Sequence[TautPath], *, environment: Environment | None = None
) -> Figure:
    """Return a picture of paths between the same ends, one colour each, with their lengths.

    `paths` is the result of `CorridorMap.paths_between`.
    """
    if len(paths) == 0 or any(path is None for path in paths):
        raise BadQuery("there is no path to draw: give those of CorridorMap.paths_between")
    places = [path.points for path in paths]
    view = view_of(places, 0.06, cmap.bounds, least=6.0 * paths[0].radius + 0.5)
    count = f"{len(paths)} path{'' if len(paths) == 1 else 's'}"
    details = f"{count} in different corridors  ·  radius {paths[0].radius:g} m"
    canvas = new_canvas(view, title=cmap.name or "map", details=details)
    layers.draw_base(canvas, cmap, environment)
    layers.draw_alternatives(canvas, paths)
    return canvas.figure


@checked
def draw_distances(
    cmap: CorridorMap,
    start: tuple[float, float],
    *,
    radius: float = 0.25,
    environment: Environment | None = None,
) -> Figure:
    """Return a picture of the distances that a disc walks from a start, as contours.

    Distances are exact at the points of a grid, about 160 along the longer side of the map.
    """
    x0, y0, x1, y1 = cmap.bounds
    step = max(x1 - x0, y1 - y0) / _GRID_POINTS
    xs, ys = np.arange(x0 + 0.5 * step, x1, step), np.arange(y0 + 0.5 * step, y1, step)
    points = np.stack(np.meshgrid(xs, ys), axis=-1)
    distance = np.full(points.shape[:2], np.inf)
    fits = (cmap.clearance(points.reshape(-1, 2)) >= radius).reshape(distance.shape)
    distance[fits] = cmap.distances(start, points[fits], radius=radius)
    farthest = float(distance[np.isfinite(distance)].max(initial=step))
    details = f"up to {farthest:,.1f} m from the start  ·  radius {radius:g} m"
    canvas = _canvas_of(cmap, environment, details=details)
    layers.draw_contours(canvas, xs, ys, np.ma.masked_invalid(distance))
    layers.draw_end(canvas, start, "start")
    return canvas.figure


@checked
def draw_check(
    environment: Environment, *, cmap: CorridorMap | None = None, passages: Sequence[Pinch] = ()
) -> Figure:
    """Return a picture of the repairs of the input, and of the narrowest passages.

    Repairs are numbered from 1 in the order of `environment.repairs`; of many that change no shape
    only the first is marked.
    """
    count = len(environment.repairs)
    details = f"{count} repair{'' if count == 1 else 's'}  ·  {environment.area:,.1f} m² walkable"
    x0, y0, x1, y1 = environment.bounds
    near = padded(environment.bounds, 0.5)
    for x, y in (repair.at for repair in environment.repairs):  # also nearby ones outside
        if near[0] <= x <= near[2] and near[1] <= y <= near[3]:
            x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
    view = padded((x0, y0, x1, y1), 0.006)
    canvas = new_canvas(view, title=environment.name or "map", details=details)
    layers.draw_base(canvas, environment)
    if cmap is not None:
        layers.draw_axis(canvas, cmap, width=0.7)
    for pinch in passages:
        layers.draw_pinch(canvas, pinch)
    layers.draw_repairs(canvas, environment.repairs)
    return canvas.figure


def _draw_roads(canvas: Canvas, cmap: CorridorMap) -> None:
    """Draw the medial axis or the roads faintly, and closed edges."""
    if cmap.roadmap is not None:
        layers.draw_fakes(canvas, cmap.roadmap)
    layers.draw_axis(canvas, cmap, width=0.7, alpha=0.5)


def _canvas_of(
    source: CorridorMap | Environment, environment: Environment | None, *, details: str
) -> Canvas:
    """Return a canvas with the whole map."""
    canvas = new_canvas(padded(source.bounds, 0.006), title=source.name or "map", details=details)
    layers.draw_base(canvas, source, environment)
    return canvas
