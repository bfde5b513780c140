"""Draw roadmaps in three dimensions, level by level on a model of their volume.

Edges have shadows on the floor below them, and are faint where they are hidden. Small triangles
mark edges that continue in the level above or below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.collections import LineCollection

from footway.plot import palette
from footway.plot.fakes import draw_fake_boxes
from footway.plot.pages import new_sheets
from footway.plot.solids import box_of, draw_frame, draw_level, levels_of, project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from numpy.typing import NDArray

    from footway.environment import Volume
    from footway.plot.roadmaps import RoadmapPanel
    from footway.plot.sheet import Sheet
    from footway.plot.solids import Level
    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

MANY: Final = 20_000
"""Edges that are too many to be drawn: of a grid one layer is drawn in each level."""

_SHADOW: Final = "#3b4452"


def draw_levels(
    panels: Sequence[RoadmapPanel],
    volume: Volume | None,
    norm: Normalize,
    *,
    title: str,
    details: str,
) -> list[Sheet]:
    """Draw each panel in its own row, or a single one as large as the page allows."""
    roadmap = panels[0].roadmap
    levels = levels_of(roadmap if volume is None else volume, cut_by=roadmap)
    boxes = [box_of([level]) for level in levels]
    wide = max(box[2] - box[0] for box in boxes)
    high = max(box[3] - box[1] for box in boxes)
    alone = len(panels) == 1 and wide > 1.25 * high
    captions = [_caption(panel, levels, k) for panel in panels for k in _order(levels, alone=alone)]
    sheets = new_sheets(
        (0.0, 0.0, wide, high), captions, title=title, details=details,
        columns=1 if alone else len(levels),
    )  # fmt: skip
    places = [(panel, k) for panel in panels for k in _order(levels, alone=alone)]
    for sheet, (panel, k) in zip(sheets, places, strict=True):
        x0, y0, x1, y1 = boxes[k]
        shift = np.array([0.5 * (wide - x1 - x0), 0.5 * (high - y1 - y0)])
        draw_level(sheet.axes, levels[k], shift)
        draw_frame(sheet.axes, levels[k], shift)
        draw_fake_boxes(sheet.axes, panel.roadmap, levels[k], shift)
        _Pen(sheet.axes, levels[k], shift, large=alone).draw(panel.in_effect, norm)
    return sheets


def _order(levels: Sequence[Level], *, alone: bool) -> Sequence[int]:
    """Order levels: the highest on top, or the lowest on the left."""
    return range(len(levels))[::-1] if alone else range(len(levels))


def _caption(panel: RoadmapPanel, levels: Sequence[Level], k: int) -> tuple[str, str]:
    """Return the text above a level: that of the panel once, and the heights shown."""
    low, high = levels[k].bottom, levels[k].top
    height = f"{low:g} to {high:g} m" if len(levels) > 1 else ""
    if k == 0:
        return "    ".join(filter(None, (panel.caption, panel.details))), height
    return "", height


class _Pen:
    """Draw on one level."""

    def __init__(self, axes: Axes, level: Level, shift: Floats, *, large: bool) -> None:
        self.axes, self.level, self.shift = axes, level, shift
        self.width = 1.5 if large else 1.0

    def draw(self, panel: RoadmapPanel, norm: Normalize) -> None:
        roadmap = panel.roadmap
        pieces, clearance = _pieces(roadmap, self.level)
        quiet = panel.path is not None
        self._shadows(pieces)
        if quiet:
            self._lines(pieces, self.width * 0.8, color=palette.MUTED)
        else:
            colours = palette.clearance_colours()
            self._lines(pieces, self.width, color=colours(norm(clearance)))
        self._triangles(roadmap)
        if roadmap.n_edges <= MANY:
            self._nodes(roadmap.nodes, panel.special)
        if panel.route is not None:
            self._route(panel.route)

    def _within(self, points: Floats) -> Bools:
        return (points[..., 2] >= self.level.bottom) & (points[..., 2] < self.level.top)

    def _flat(self, points: Floats) -> Floats:
        return project(points.reshape(-1, 3)).reshape(*points.shape[:-1], 2) + self.shift

    def _add(self, lines: Floats, **style: Any) -> None:
        if len(lines):
            drawn = LineCollection(list(lines), **({"capstyle": "round"} | style))
            self.axes.add_collection(drawn, autolim=False)

    def _shadows(self, pieces: Floats) -> None:
        """Draw the shadows of edges on the floor, as from a light in the zenith."""
        if not len(pieces):
            return
        below = self._on_floor(pieces.reshape(-1, 3)).reshape(pieces.shape)
        # Without a floor the height is NaN, and comparisons are false.
        below = below[abs(below[:, 0, 2] - below[:, 1, 2]) < 1.5 * self.level.resolution]
        above = below.mean(axis=1) + np.array([0.0, 0.0, 0.1 * self.level.resolution])
        lines = self._flat(below[~self.level.hides(above)])
        style: dict[str, Any] = {"linewidths": self.width * 1.3, "capstyle": "butt"}
        self._add(lines, colors=_SHADOW, alpha=0.15, zorder=2.0, **style)

    def _on_floor(self, points: Floats) -> Floats:
        return np.column_stack([points[:, :2], self.level.floor_below(points)])

    def _lines(self, pieces: Floats, width: float, *, color: Any) -> None:
        """Draw visible pieces, and hidden ones faintly."""
        if not len(pieces):
            return
        hidden = self.level.hides(pieces.mean(axis=1))
        flat = self._flat(pieces)
        each = np.broadcast_to(np.atleast_2d(np.array(_rgba(color))), (len(pieces), 4))
        self._add(
            flat[hidden], colors=each[hidden], linewidths=0.75 * width, alpha=0.45, zorder=2.2
        )
        self._add(
            flat[~hidden], colors=palette.HALO, linewidths=width + 1.2, alpha=0.75, zorder=2.3
        )
        self._add(flat[~hidden], colors=each[~hidden], linewidths=width, zorder=2.4)

    def _triangles(self, roadmap: Roadmap) -> None:
        """Mark where edges leave the level."""
        if roadmap.n_edges > MANY:
            return
        a, b = _ends(roadmap, self.level)[0].transpose(1, 0, 2)
        for mark, height in (("^", self.level.top), ("v", self.level.bottom)):
            low, high = np.minimum(a[:, 2], b[:, 2]), np.maximum(a[:, 2], b[:, 2])
            across = (low < height) & (height <= high)
            x, y = self._flat(0.5 * (a[across] + b[across])).T
            style: dict[str, Any] = {"c": palette.INK, "linewidths": 0.4, "zorder": 2.6}
            self.axes.scatter(
                x, y, marker=mark, s=9.0 * self.width, edgecolors=palette.HALO, **style
            )

    def _nodes(self, nodes: Floats, special: Bools | None) -> None:
        """Draw nodes as discs, each on a line from the floor that shows its height."""
        inside = self._within(nodes)
        black = np.zeros(len(nodes), bool) if special is None else special
        here = nodes[inside]
        if not len(here):
            return
        foot = self._on_floor(here)
        stalks = self._flat(np.stack([foot, here], axis=1)[np.isfinite(foot[:, 2])])
        self._add(stalks, colors=_SHADOW, linewidths=0.5, alpha=0.45, zorder=2.1)
        faces = np.where(black[inside, None], _rgba(palette.INK), _rgba(palette.HALO))
        size = 11.0 * self.width**2 if len(nodes) <= 60 else 6.0 * self.width**2
        x, y = self._flat(here).T
        style: dict[str, Any] = {"edgecolors": palette.INK, "linewidths": 0.45 * self.width}
        self.axes.scatter(x, y, s=size, c=faces, zorder=2.5, **style)

    def _route(self, route: Floats) -> None:
        """Draw a path and its ends."""
        step = 0.5 * self.level.resolution
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(route, axis=0), axis=1))])
        at = np.union1d(along, np.arange(0.0, along[-1], step))
        points = np.column_stack([np.interp(at, along, column) for column in route.T])
        pieces = np.stack([points[:-1], points[1:]], axis=1)
        pieces = pieces[self._within(pieces.mean(axis=1))]
        self._lines(pieces, 1.5 * self.width, color=palette.ACCENT)
        for end, face in ((route[0], palette.HALO), (route[-1], palette.ACCENT)):
            if self._within(end):
                x, y = self._flat(end[None])[0]
                self.axes.plot(x, y, "o", ms=6.5, mfc=face, mec=palette.ACCENT, mew=1.6, zorder=4.0)


def _rgba(colour: Any) -> Any:
    from matplotlib.colors import to_rgba_array

    return to_rgba_array(colour)


def _pieces(roadmap: Roadmap, level: Level) -> tuple[Floats, Floats]:
    """Return pieces (n, 2, 3) m of the local paths in a level, and their clearance (n,) m."""
    if roadmap.n_edges > MANY:
        return _one_layer(roadmap, level)
    ends, clearance = _ends(roadmap, level)
    height = ends[..., 2].mean(axis=1)
    here = (height >= level.bottom) & (height < level.top)
    return ends[here], clearance[here]


def _ends(roadmap: Roadmap, level: Level) -> tuple[Floats, Floats]:
    """Return pieces and clearance of the whole roadmap."""
    points, clearance, edge = roadmap.samples(0.5 * level.resolution)
    here = np.flatnonzero(edge[:-1] == edge[1:])
    ends = np.stack([points[here], points[here + 1]], axis=1)
    return ends, 0.5 * (clearance[here] + clearance[here + 1])


def _one_layer(roadmap: Roadmap, level: Level) -> tuple[Floats, Floats]:
    """Return the edges of a grid in the layer of a level with most nodes."""
    height = roadmap.nodes[:, 2]
    inside = (height >= level.bottom) & (height < level.top)
    values, count = np.unique(height[inside], return_counts=True)
    if not len(values):
        return np.empty((0, 2, 3)), np.empty(0)
    chosen = inside & (height == values[np.argmax(count)])
    edges = roadmap.edges[chosen[roadmap.edges].all(axis=1)]
    room = roadmap.node_clearance
    return roadmap.nodes[edges], room[edges].mean(axis=1)
