"""Notebook representation of values: a picture and its facts as HTML."""

from __future__ import annotations

import base64
import html as markup
import io
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from footway.corridor import Corridor, CorridorMap, Path
from footway.environment import Environment
from footway.follow.walk import RouteWalk, Walk
from footway.plot import draw_map, layers
from footway.plot.canvas import new_canvas, padded
from footway.plot.people import colours_of, draw_key
from footway.recording.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from footway.arrays import Floats, Ints
    from footway.corridor.search import Solver
    from footway.plot.canvas import Box

_DPI: Final = 110  # 880 pixels: as wide as a notebook's column
_CHARACTERS: Final = 400  # drawn trajectories of a recording
_FRAMES: Final = 200  # frames that are read for the trajectories
_STYLE: Final = "max-width:100%;height:auto"

_made: WeakKeyDictionary[Any, bytes | None] = WeakKeyDictionary()


def html(value: Any) -> str | None:
    """Return a picture of a value and its facts as HTML; None if it has no picture.

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
    """Return a picture of a value, cached while the value lives; None if it has none."""
    if value not in _made:
        figure, file = _draw(value), io.BytesIO()
        if figure is not None:
            figure.savefig(file, format="png", dpi=_DPI, metadata={"Software": "Footway"})
        _made[value] = None if figure is None else file.getvalue()
    return _made[value]


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
    """Draw a corridor, on its map if it is known."""
    reach = corridor.radii[:, None]
    view = _box(np.vstack([corridor.backbone - reach, corridor.backbone + reach]))
    details = f"{corridor.length:.2f} m  ·  narrowest {corridor.radii.min():.2f} m"
    canvas = new_canvas(view, title="corridor", details=details)
    walkable = None
    if corridor.source is not None:
        walkable = layers.draw_base(canvas, _map_of(corridor.source)).walkable
    layers.draw_corridor(canvas, corridor, walkable)
    layers.draw_backbone(canvas, corridor)
    layers.draw_ends(canvas, corridor.start, corridor.goal)
    return canvas.figure


def _map_of(source: Solver) -> CorridorMap:
    return CorridorMap(source.index, solver=source)


def _draw_path(path: Path) -> Figure:
    """Draw a path and the area that its disc sweeps; the map is drawn for walks, which know it."""
    reach = path.radius
    view = _box(np.vstack([path.points - reach, path.points + reach]))
    details = f"{path.length:.2f} m  ·  clearance {path.clearance:.3f} m"
    canvas = new_canvas(view, title="path", details=details)
    if isinstance(path, RouteWalk):
        layers.draw_base(canvas, path.route.terrain.environment)
    elif isinstance(path, Walk) and path.corridor.source is not None:
        layers.draw_base(canvas, _map_of(path.corridor.source))
    layers.draw_one_path(canvas, path)
    return canvas.figure


def _draw_recording(recording: Recording) -> Figure:
    """Draw trajectories of some characters by population, and their last positions."""
    people = recording.characters
    # Positions (frames, characters, 2) m of some characters; NaN if not present.
    ids = recording.characters.ids[_some(len(recording.characters.ids), _CHARACTERS)]
    frames = _some(recording.n_frames, _FRAMES).tolist()
    trajectories = np.full((len(frames), len(ids), 2), np.nan)
    for row, frame in zip(trajectories, map(recording.frame, frames), strict=True):
        _, here, there = np.intersect1d(ids, frame.ids, return_indices=True)
        row[here] = frame.positions[there]
    details = f"{len(people.ids):,} characters  ·  {recording.duration:.1f} s"
    view = _box(trajectories[~np.isnan(trajectories).any(axis=2)])
    canvas = new_canvas(view, title=recording.map_name or "recording", details=details)
    if recording.environment is not None:
        layers.draw_base(canvas, recording.environment)
    kinds = people.population[_some(len(people.ids), _CHARACTERS)]
    colours = colours_of(len(kinds), None, kinds, "population")
    for points, colour in zip(trajectories.swapaxes(0, 1), colours, strict=True):
        known = points[~np.isnan(points).any(axis=1)]
        canvas.axes.plot(*known.T, color=colour, lw=0.7, alpha=0.55, zorder=2.8)
        canvas.axes.plot(*known[-1:].T, "o", ms=2.6, mew=0.0, color=colour, zorder=3.0)
    draw_key(canvas, "population", recording.names)
    return canvas.figure


def _some(count: int, most: int) -> Ints:
    """Return at most `most` evenly spaced numbers from 0 to `count` - 1, both ends included."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def _box(places: Floats) -> Box:
    """Return the bounding box of points, with a margin."""
    (x0, y0), (x1, y1) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    return padded((x0, y0, x1, y1), 0.04, least=0.5)
