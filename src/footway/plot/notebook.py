"""What a notebook shows for a value that is the last line of a cell: a picture and its facts."""

from __future__ import annotations

import base64
import html as markup
import io
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from footway.corridor import Corridor, CorridorMap, Path
from footway.environment import Environment
from footway.follow.route_walk import RouteWalk
from footway.follow.walk import Walk
from footway.plot import draw_map, layers
from footway.plot.ground import draw_ground, ground_of
from footway.plot.people import colours_of, draw_key
from footway.plot.sheet import new_sheet, padded
from footway.plot.terrain import draw_terrain
from footway.recording.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from footway.corridor.solver import Solver
    from footway.plot.sheet import Box

    Floats = NDArray[np.float64]

_DPI: Final = 110  # 880 pixels: as wide as a notebook's column
_CHARACTERS: Final = 400  # of a recording, whose ways are drawn
_FRAMES: Final = 200  # of a recording, that are read for it
_STYLE: Final = "max-width:100%;height:auto"

_made: WeakKeyDictionary[Any, bytes | None] = WeakKeyDictionary()


def html(value: Any) -> str | None:
    """Picture of a value and its facts as HTML; None where there is no picture.

    Example:
        >>> import footway as fw
        >>> html(fw.load("gallery:field")).startswith("<figure")
        True

    """
    picture = png(value)
    if picture is None:
        return None
    words = markup.escape(repr(value))
    data = base64.b64encode(picture).decode()
    return (
        f'<figure style="margin:0"><img alt="{words}" style="{_STYLE}" '
        f'src="data:image/png;base64,{data}"><figcaption><code>{words}</code></figcaption></figure>'
    )


def png(value: Any) -> bytes | None:
    """Picture of a value, drawn once for as long as the value lives; None where there is none."""
    if value not in _made:
        figure = _draw(value)
        _made[value] = None if figure is None else _encoded(figure)
    return _made[value]


def _encoded(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=_DPI, metadata={"Software": "Footway"})
    return file.getvalue()


def _draw(value: Any) -> Figure | None:
    if isinstance(value, Environment | CorridorMap):
        return draw_map(value)
    if isinstance(value, Corridor):
        return _draw_corridor(value) if value.dimension == 2 else None
    if isinstance(value, Path):
        return _draw_path(value) if value.points.shape[1] == 2 else None
    if isinstance(value, Recording):
        return _draw_recording(value) if value.n_frames else None
    return None


def _draw_corridor(corridor: Corridor) -> Figure:
    """Draw a corridor, on its map where it comes from one."""
    reach = corridor.radii[:, None]
    view = _box(np.vstack([corridor.backbone - reach, corridor.backbone + reach]))
    details = f"{corridor.length:.2f} m  ·  narrowest {corridor.radii.min():.2f} m"
    sheet = new_sheet(view, title="corridor", details=details)
    walkable = None
    if corridor.source is not None:
        ground = ground_of(_map_of(corridor.source))
        draw_ground(sheet, ground)
        walkable = ground.walkable
    layers.draw_corridor(sheet, corridor, walkable)
    layers.draw_backbone(sheet, corridor)
    layers.draw_ends(sheet, corridor.start, corridor.goal)
    return sheet.figure


def _map_of(source: Solver) -> CorridorMap:
    return CorridorMap(source.index, solver=source)


def _draw_path(path: Path) -> Figure:
    """Draw a path with the ground that its disc sweeps; of the two a walk alone knows its map."""
    reach = path.radius
    view = _box(np.vstack([path.points - reach, path.points + reach]))
    details = f"{path.length:.2f} m  ·  clearance {path.clearance:.3f} m"
    sheet = new_sheet(view, title="path", details=details)
    if isinstance(path, RouteWalk):
        draw_ground(sheet, ground_of(path.route.terrain.environment))
        draw_terrain(sheet, path.route.terrain.environment)
    elif isinstance(path, Walk) and path.corridor.source is not None:
        draw_ground(sheet, ground_of(_map_of(path.corridor.source)))
    layers.draw_one_path(sheet, path)
    return sheet.figure


def _draw_recording(recording: Recording) -> Figure:
    """Draw the ways of some characters, by population, and where they were last."""
    people = recording.characters
    ways = _ways(recording)
    details = f"{len(people.ids):,} characters  ·  {recording.duration:.1f} s"
    view = _box(ways[~np.isnan(ways).any(axis=2)])
    sheet = new_sheet(view, title=recording.map_name or "recording", details=details)
    kinds = people.population[_some(len(people.ids), _CHARACTERS)]
    for way, colour in zip(
        ways.swapaxes(0, 1), colours_of(len(kinds), None, kinds, "population"), strict=True
    ):
        known = way[~np.isnan(way).any(axis=1)]
        sheet.axes.plot(*known.T, color=colour, lw=0.7, alpha=0.55, zorder=2.8)
        sheet.axes.plot(*known[-1:].T, "o", ms=2.6, mew=0.0, color=colour, zorder=3.0)
    draw_key(sheet, "population", recording.names)
    return sheet.figure


def _ways(recording: Recording) -> Floats:
    """Where some characters were at some moments, (frames, characters, 2) m; NaN: nowhere."""
    ids = recording.characters.ids[_some(len(recording.characters.ids), _CHARACTERS)]
    frames = _some(recording.n_frames, _FRAMES).tolist()
    ways = np.full((len(frames), len(ids), 2), np.nan)
    for way, frame in zip(ways, map(recording.frame, frames), strict=True):
        _, here, there = np.intersect1d(ids, frame.ids, return_indices=True)
        way[here] = frame.positions[there]
    return ways


def _some(count: int, most: int) -> NDArray[np.int64]:
    """At most so many numbers below `count`, evenly spread, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def _box(places: Floats) -> Box:
    """Box around places, with a margin."""
    (x0, y0), (x1, y1) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    return padded((x0, y0, x1, y1), 0.04, least=0.5)
