"""Draw roadmaps in three dimensions, level by level on a model of their volume.

A volume is drawn obliquely from above without ceilings: floors, objects on them, and walls that
are cut off, so that the rooms are visible. Walls between the viewer and a room are left out. Edges
have shadows on the floor below them, and are faint where they are hidden. Small triangles mark
edges that continue in the level above or below.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb, to_rgba_array

from footway.plot import layers, palette
from footway.plot.canvas import new_canvases
from footway.plot.shapes import sampled_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

    from footway.arrays import Bools, Floats, Ints
    from footway.environment import Volume
    from footway.plot.canvas import Canvas
    from footway.plot.roadmaps import RoadmapPanel
    from footway.roadmap import Roadmap
    from footway.roadmap.lattice.space import Space

MANY: Final = 20_000
"""Number of edges that is too large to draw: of a grid, one layer is drawn in each level."""

_SHADOW: Final = "#3b4452"

_SIDES: Final = ((0, 1, 5, 4), (0, 2, 6, 4), (4, 5, 7, 6))
"""Corners of the faces of a box that look south, west and up; corner k is high in x where bit 0 of
k is set, in y where bit 1 is, in z where bit 2 is."""

AZIMUTH: Final = math.radians(17.0)

ELEVATION: Final = math.radians(56.0)
"""Direction of view: slightly from the left, and high enough to see floors behind walls."""

_TOWARD_EYE: Final = np.array(
    [
        -math.sin(AZIMUTH) * math.cos(ELEVATION),
        -math.cos(AZIMUTH) * math.cos(ELEVATION),
        math.sin(ELEVATION),
    ]
)

MOST_LEVELS: Final = 3

_SLAB: Final = 0.12
"""Share of a layer by which it must be more solid than its neighbours to separate two levels."""

_THINNEST: Final = 0.15
"""Least height of a level, as a share of the volume; a lower one belongs to the level above."""

_WALL: Final = 0.55  # height of drawn walls, as a share of the height of their level

_LOW: Final = np.array(to_rgb("#e7e9ea"))
_HIGH: Final = np.array(to_rgb("#fffaf0"))
_SOUTH: Final = np.array(to_rgb("#bcc4d0"))
_WEST: Final = np.array(to_rgb("#a3adbb"))
_CUT: Final = np.array(to_rgb("#717c8d"))
_VOID: Final = np.array(to_rgb("#f3f4f6"))  # openings to the level below
_DIM: Final = 0.62  # brightness of a nook relative to open space


def draw_levels(
    panels: Sequence[RoadmapPanel],
    volume: Volume | None,
    norm: Normalize,
    *,
    title: str,
    details: str,
) -> list[Canvas]:
    """Draw each panel in its own row, or a single one as large as the page allows."""
    roadmap = panels[0].roadmap
    levels = levels_of(roadmap if volume is None else volume, cut_by=roadmap)
    boxes = [box_of(level) for level in levels]
    wide = max(box[2] - box[0] for box in boxes)
    high = max(box[3] - box[1] for box in boxes)
    alone = len(panels) == 1 and wide > 1.25 * high
    order = range(len(levels))[::-1] if alone else range(len(levels))  # the highest on top
    places = [(panel, k) for panel in panels for k in order]
    captions = []
    for panel, k in places:  # the text of a panel once, and the heights shown
        heights = f"{levels[k].bottom:g} to {levels[k].top:g} m" if len(levels) > 1 else ""
        words = "    ".join(filter(None, (panel.caption, panel.details))) if k == 0 else ""
        captions.append((words, heights))
    canvases = new_canvases(
        (0.0, 0.0, wide, high), captions, title=title, details=details,
        columns=1 if alone else len(levels),
    )  # fmt: skip
    for canvas, (panel, k) in zip(canvases, places, strict=True):
        x0, y0, x1, y1 = boxes[k]
        shift = np.array([0.5 * (wide - x1 - x0), 0.5 * (high - y1 - y0)])
        draw_level(canvas.axes, levels[k], shift)
        draw_frame(canvas.axes, levels[k], shift)
        draw_fake_boxes(canvas.axes, panel.roadmap, levels[k], shift)
        _Pen(canvas.axes, levels[k], shift, large=alone).draw(panel.in_effect, norm)
    return canvases


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
            layers.add_lines(self.axes, lines, **({"capstyle": "round"} | style))

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
        each = np.broadcast_to(np.atleast_2d(to_rgba_array(color)), (len(pieces), 4))
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
        pieces, _ = sampled_pieces(roadmap, 0.5 * self.level.resolution)
        a, b = pieces.transpose(1, 0, 2)
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
        faces = np.where(
            black[inside, None], to_rgba_array(palette.INK), to_rgba_array(palette.HALO)
        )
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


def _pieces(roadmap: Roadmap, level: Level) -> tuple[Floats, Floats]:
    """Return pieces (n, 2, 3) m of the local paths in a level, and their clearance (n,) m."""
    if roadmap.n_edges > MANY:  # a grid: only the layer with most nodes
        height = roadmap.nodes[:, 2]
        inside = (height >= level.bottom) & (height < level.top)
        values, count = np.unique(height[inside], return_counts=True)
        if not len(values):
            return np.empty((0, 2, 3)), np.empty(0)
        chosen = inside & (height == values[np.argmax(count)])
        edges = roadmap.edges[chosen[roadmap.edges].all(axis=1)]
        return roadmap.nodes[edges], roadmap.node_clearance[edges].mean(axis=1)
    ends, clearance = sampled_pieces(roadmap, 0.5 * level.resolution)
    height = ends[..., 2].mean(axis=1)
    here = (height >= level.bottom) & (height < level.top)
    return ends[here], clearance[here]


def draw_fake_boxes(axes: Axes, roadmap: Roadmap, level: Level, shift: Floats) -> None:
    """Draw the part of the fake obstacles within one level, seen from above."""
    faces = []
    for fake in roadmap.fake_obstacles:
        low, high = np.array(fake.points)
        low, high = low.copy(), high.copy()
        low[2], high[2] = max(low[2], level.bottom), min(high[2], level.top)
        if low[2] >= high[2]:
            continue
        bits = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)])
        corners = project(np.where(bits == 1, high, low)) + shift
        faces += [corners[list(side)] for side in _SIDES]
    if faces:
        axes.add_collection(
            PolyCollection(faces, zorder=1.95, alpha=0.8, **layers.HATCHED), autolim=False
        )


@dataclass(frozen=True)
class Level:
    """One storey of a volume, without ceilings."""

    solid: Bools  # (nz, ny, nx) voxels that are drawn, with a rim of one voxel around them
    cut: Bools  # (nz, ny, nx) of these, where a wall is cut off
    shell: Bools  # (nz, ny, nx) of these, so near to a free voxel that they are seen
    bottom: float  # m, where the level begins
    top: float  # m, where the next level begins
    origin: Floats  # (3,) m, corner of the lowest voxel of the rim
    resolution: float  # m

    def hides(self, points: Floats) -> Bools:
        """Return which points (n, 3) m are hidden by drawn voxels."""
        step = 0.45 * self.resolution
        reach = (self.solid.shape[0] * self.resolution) / (_TOWARD_EYE[2] * step)
        size = np.array(self.solid.shape[::-1]) * self.resolution
        hidden = np.zeros(len(points), bool)
        inside = np.zeros(len(points), bool)  # whether the previous point is in a drawn voxel
        for k in range(1, int(reach) + 2):
            offset = points + k * step * _TOWARD_EYE - self.origin
            i, j, n = self._cells(offset)
            solid = self.solid[n, j, i]
            within = ((offset >= 0) & (offset < size)).all(axis=1)  # not beyond the rim
            within &= ~solid | self.shell[n, j, i]
            there = solid & (offset[:, 2] / self.resolution < len(self.solid))
            hidden |= inside & ~there & within
            inside = there
        return hidden

    def floor_below(self, points: Floats) -> Floats:
        """Return the height of the floor below points (n, 3), (n,) m; NaN if there is none."""
        i, j, k = self._cells(points - self.origin)
        columns = self.solid[:, j, i]
        height = np.arange(len(columns))[:, None]
        below = np.where(columns & (height < k[None]), height + 1, 0).max(axis=0)
        return np.where(below > 0, self.origin[2] + below * self.resolution, np.nan)

    def _cells(self, offset: Floats) -> Ints:
        """Return the voxels (3, n) at offsets (n, 3) m from the origin, x first."""
        top = np.array(self.solid.shape[::-1]) - 1
        cells: Ints = np.floor(offset / self.resolution + 1e-9).astype(np.int64)
        return np.clip(cells, 0, top).T


def project(points: Floats) -> Floats:
    """Project points (n, 3) onto the page, (n, 2): to the right and upward, in metres."""
    x, y, z = points.T
    depth = x * math.sin(AZIMUTH) + y * math.cos(AZIMUTH)
    right = x * math.cos(AZIMUTH) - y * math.sin(AZIMUTH)
    return np.column_stack([right, depth * math.sin(ELEVATION) + z * math.cos(ELEVATION)])


def levels_of(source: Volume | Roadmap, *, cut_by: Volume | Roadmap | None = None) -> list[Level]:
    """Return levels from the lowest to the highest; one level if no floor divides the volume.

    A roadmap without its volume is drawn among the voxels that its object never reaches. `cut_by`,
    if given, defines where levels begin, so that the same roadmap has the same levels with and
    without its volume.
    """
    solid, resolution, origin = _voxels(source)
    other = solid if cut_by is None else _voxels(cut_by)[0]
    solid, other = (
        np.pad(voxels, ((1, 0), (1, 1), (1, 1)), constant_values=True) for voxels in (solid, other)
    )
    corner = np.asarray(origin, np.float64) - resolution
    cuts = _cuts(other if other.shape == solid.shape else solid)
    return [
        _level(solid[low:high], low, corner, resolution) for low, high in itertools.pairwise(cuts)
    ]


def draw_level(axes: Axes, level: Level, shift: Floats) -> None:
    """Draw the voxels of a level, shifted by a vector (2,) on the page."""
    corners, colours = _faces(level)
    if not len(corners):
        return
    flat = project(corners.reshape(-1, 3)).reshape(-1, 4, 2) + shift
    style: dict[str, Any] = {"linewidths": 0.45, "joinstyle": "miter", "rasterized": True}
    faces = PolyCollection(list(flat), facecolors=colours, edgecolors=colours, zorder=1.0, **style)
    axes.add_collection(faces, autolim=False)


def draw_frame(axes: Axes, level: Level, shift: Floats) -> None:
    """Draw the outline of the far sides of a level above its cut walls, and its corners."""
    side, (nz, ny, nx) = level.resolution, level.solid.shape
    x0, y0, _ = (level.origin + side).tolist()
    x1, y1 = x0 + (nx - 2) * side, y0 + (ny - 2) * side
    base = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    wall = level.origin[2] + min(max(2, round(_WALL * nz)), nz) * side
    floor, low, high = (
        project(np.column_stack([base, np.full(4, z)])) + shift
        for z in (level.origin[2], wall, level.top)
    )
    lines = [*np.stack([low, high], axis=1)[1:], high[1:]]
    style: dict[str, Any] = {"linewidths": 0.4, "linestyles": (0, (4, 3)), "zorder": 1.9}
    layers.add_lines(axes, lines, colors=palette.MUTED, **style)
    words: dict[str, Any] = {"fontsize": 5.0, "color": palette.MUTED, "zorder": 5.0}
    for k, at, ha, va in (
        (0, floor, "center", "top"), (1, floor, "right", "top"), (3, high, "left", "bottom"),
    ):  # fmt: skip
        x, y = base[k].tolist()
        axes.text(at[k, 0], at[k, 1], f"({x:.4g}, {y:.4g})", ha=ha, va=va, **words)


def box_of(level: Level) -> tuple[float, float, float, float]:
    """Return the bounding box of a level on the page: left, bottom, right, top, m."""
    size = np.array(level.solid.shape[::-1]) * level.resolution
    corners = np.array(np.meshgrid((0, 1), (0, 1), (0, 1))).reshape(3, -1).T
    flat = project(level.origin + corners * size)
    return (*flat.min(axis=0).tolist(), *flat.max(axis=0).tolist())


def _voxels(source: Volume | Roadmap) -> tuple[Bools, float, Any]:
    """Return solid voxels, resolution and origin; of a roadmap, what its object never reaches."""
    space = getattr(source, "space", None)
    if space is None:
        return source.solid, source.resolution, source.origin  # type: ignore[union-attr]
    return ~_reached(space), space.resolution, space.origin


def _reached(space: Space) -> Bools:
    """Return the voxels that the object touches when its centre is in a free cell."""
    from scipy.ndimage import binary_dilation, distance_transform_edt

    if space.radius > 0.0:
        # Boxes of a lattice are closest to each other at corners.
        away = distance_transform_edt(~space.is_node) * space.resolution
        near = away < space.radius * (1.0 - 1e-9)
        near = near[1:] | near[:-1]
        near = near[:, 1:] | near[:, :-1]
        near = near[:, :, 1:] | near[:, :, :-1]
        held: Bools = near | space.free
        return held
    reached = space.free
    for axis, half in enumerate((0.5 * space.size[::-1] / space.resolution).tolist()):
        shape = [1, 1, 1]
        shape[axis] = 2 * math.ceil(half - 1e-9) + 1
        reached = np.asarray(binary_dilation(reached, np.ones(shape, bool)))
    return reached


def _cuts(solid: Bools) -> list[int]:
    """Return the layers at which levels begin, below floors that span the volume, and the end."""
    has_free = np.asarray((~solid).any(axis=(1, 2)))
    first = max(int(np.argmax(has_free)) - 1, 0)
    last = len(solid) - int(np.argmax(has_free[::-1]))
    built = (~solid).any(axis=0)  # columns in which anything is free
    share = solid[:, built].mean(axis=1)
    least = math.ceil(_THINNEST * (last - first))
    cuts = [first, last]
    for low, _ in sorted(_slabs(share, first + 1, last), key=lambda slab: -slab[1]):
        if len(cuts) <= MOST_LEVELS and min(abs(low - cut) for cut in cuts) >= least:
            cuts.append(low)
    return sorted(cuts)


def _slabs(share: Floats, first: int, last: int) -> list[tuple[int, float]]:
    """Return the lowest layers of floors between `first` and `last`, and their prominence."""
    found = []
    for k in range(first + 2, last - 2):
        if share[k] < share[k - 1] or share[k] <= share[k + 1]:
            continue
        around = max(share[first:k].min(), share[k + 1 : last].min())
        if share[k] - around > _SLAB:
            low = k
            while low > first + 1 and share[low - 1] > 0.5 * (share[k] + around):
                low -= 1
            found.append((low, float(share[k] - around)))
    return found


def _level(solid: Bools, low: int, corner: Floats, resolution: float) -> Level:
    from scipy.ndimage import binary_dilation

    height = len(solid)
    origin = corner + np.array([0.0, 0.0, low * resolution])
    whole = solid.all(axis=0)
    open_above = np.logical_or.accumulate(~solid[::-1], axis=0)[::-1]
    shown = solid & (open_above | whole)  # without ceilings
    wall = max(2, round(_WALL * height))
    shown[wall:] &= ~whole
    cut = np.zeros_like(shown)
    cut[min(wall, height) - 1] = whole
    free = ~solid if (~solid).any() else ~shown
    near = binary_dilation(np.asarray(free.any(axis=0)), np.ones((3, 3), bool))
    return Level(
        shown, cut, shown & near[None], float(max(origin[2], corner[2] + resolution)),
        float(origin[2] + height * resolution), origin, resolution,
    )  # fmt: skip


def _faces(level: Level) -> tuple[Floats, Floats]:
    """Return faces (n, 4, 3) to the top, south and west, farthest first, and their colours."""
    from scipy.ndimage import uniform_filter

    solid, shell = level.solid, level.shell
    # How open the surroundings of each voxel are, from 0 in a nook to 1.
    closed: Floats = uniform_filter(solid.astype(np.float64), 5, mode="nearest")
    light = np.clip(1.0 - 1.7 * (closed - 0.3), 0.0, 1.0)
    height = np.arange(len(solid)) / max(1, len(solid) - 1)
    upward = _LOW + height[:, None, None, None] * (_HIGH - _LOW)
    parts = []
    for axis, back, square, colour in (
        (0, False, ((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)), upward),
        (1, True, ((0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)), _SOUTH),
        (2, True, ((0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1)), _WEST),
    ):
        beyond = _shifted(solid, axis, back=back, outside=axis != 0)
        k, j, i = np.nonzero(shell & ~beyond)
        tone = np.broadcast_to(colour, (*solid.shape, 3))[k, j, i]
        shade = _shifted(light, axis, back=back, outside=1.0)[k, j, i, None]
        paint = tone * (_DIM + (1.0 - _DIM) * shade)
        if axis == 0:
            paint = np.where(level.cut[k, j, i, None], _CUT, paint)
        corners = np.column_stack([i, j, k])[:, None] + np.array(square)
        order = np.stack([np.full(len(i), axis), -i, -j, k])
        parts.append((corners, np.clip(paint, 0.0, 1.0), order))
    parts.append(_voids(level))
    corners, colours, order = (
        np.concatenate([part[n] for part in parts], axis=1 if n == 2 else 0) for n in range(3)
    )
    ranks = np.lexsort((order[0], order[1], order[2], order[3]))
    return level.origin + corners[ranks] * level.resolution, colours[ranks]


def _voids(level: Level) -> tuple[Floats, Floats, Ints]:
    """Return squares at the bottom of the level where it has no floor, as farthest faces."""
    j, i = np.nonzero(~level.solid.any(axis=0))
    square = np.array(((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)))
    corners = np.column_stack([i, j, np.zeros_like(i)])[:, None] + square
    order = np.stack([np.zeros_like(i), -i, -j, np.full_like(i, -1)])
    return corners, np.tile(_VOID, (len(i), 1)), order


def _shifted(array: Any, axis: int, *, back: bool, outside: Any) -> Any:
    """Return the neighbour of each voxel along an axis: the one before or after it."""
    moved = np.roll(array, 1 if back else -1, axis=axis)
    edge: list[Any] = [slice(None)] * array.ndim
    edge[axis] = 0 if back else -1
    moved[tuple(edge)] = outside
    return moved
