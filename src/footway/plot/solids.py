"""Draw volumes obliquely from above, level by level, without ceilings.

Each level is drawn as a model: floors, objects on them, and walls that are cut off, so that the
rooms are visible. Walls between the viewer and a room are left out.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb

from footway.plot import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from footway.environment import Volume
    from footway.roadmap import Roadmap
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

AZIMUTH: Final = math.radians(17.0)
ELEVATION: Final = math.radians(56.0)
"""Of the eye: a little from the left, and high enough to see the floors behind the walls."""

MOST_LEVELS: Final = 3

_SLAB: Final = 0.12
"""Share of a layer by which it must be more solid than the layers around it to part two levels."""
_THINNEST: Final = 0.15
"""Share of the height of the volume that a level has at least: what is lower is the level above."""
_WALL: Final = 0.55
"""Share of a level's height that walls are drawn with."""

_LOW: Final = np.array(to_rgb("#e7e9ea"))
_HIGH: Final = np.array(to_rgb("#fffaf0"))
_SOUTH: Final = np.array(to_rgb("#bcc4d0"))
_WEST: Final = np.array(to_rgb("#a3adbb"))
_CUT: Final = np.array(to_rgb("#717c8d"))
_VOID: Final = np.array(to_rgb("#f3f4f6"))  # openings to the level below
_DIM: Final = 0.62  # brightness of a nook relative to open space


@dataclass(frozen=True)
class Level:
    """One storey of a volume, without ceilings.

    Attributes:
        solid: (nz, ny, nx) voxels that are drawn, with a rim of one voxel around them.
        cut: (nz, ny, nx) of these, where a wall is cut off.
        shell: (nz, ny, nx) of these, so near to a free voxel that they are seen.
        bottom: m, where the level begins.
        top: m, where the next level begins.
        origin: (3,) m, corner of the lowest voxel of the rim.
        resolution: m.

    """

    solid: Bools
    cut: Bools
    shell: Bools
    bottom: float
    top: float
    origin: Floats
    resolution: float

    def hides(self, points: Floats) -> Bools:
        """Return which points (n, 3) m are hidden by drawn voxels."""
        toward = _toward_eye()
        step = 0.45 * self.resolution
        reach = (self.solid.shape[0] * self.resolution) / (toward[2] * step)
        hidden = np.zeros(len(points), bool)
        inside = np.zeros(len(points), bool)
        for k in range(1, int(reach) + 2):
            there = self._is_solid(points + k * step * toward)
            hidden |= inside & ~there & self._is_within(points + k * step * toward)
            inside = there
        return hidden

    def floor_below(self, points: Floats) -> Floats:
        """Return the height of the floor below points (n, 3), (n,) m; NaN if there is none."""
        i, j, k = self._cells(points)
        columns = self.solid[:, j, i]
        height = np.arange(len(columns))[:, None]
        below = np.where(columns & (height < k[None]), height + 1, 0).max(axis=0)
        return np.where(below > 0, self.origin[2] + below * self.resolution, np.nan)

    def _cells(self, points: Floats) -> Ints:
        top = np.array(self.solid.shape[::-1]) - 1
        cells: Ints = np.floor((points - self.origin) / self.resolution + 1e-9).astype(np.int64)
        return np.clip(cells, 0, top).T

    def _is_within(self, points: Floats) -> Bools:
        """Return which points are within the drawn voxels, not beyond the rim."""
        size = np.array(self.solid.shape[::-1]) * self.resolution
        place = points - self.origin
        within: Bools = ((place >= 0) & (place < size)).all(axis=1) & self._near(points)
        return within

    def _near(self, points: Floats) -> Bools:
        i, j, k = self._cells(points)
        seen: Bools = ~self.solid[k, j, i] | self.shell[k, j, i]
        return seen

    def _is_solid(self, points: Floats) -> Bools:
        i, j, k = self._cells(points)
        over = (points[:, 2] - self.origin[2]) / self.resolution >= len(self.solid)
        found: Bools = self.solid[k, j, i] & ~over
        return found


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
    style: dict[str, Any] = {
        "linewidths": 0.45,
        "joinstyle": "miter",
        "zorder": 1.0,
        "rasterized": True,
    }
    axes.add_collection(
        PolyCollection(list(flat), facecolors=colours, edgecolors=colours, **style), autolim=False
    )


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
    axes.add_collection(LineCollection(lines, colors=palette.MUTED, **style), autolim=False)
    words: dict[str, Any] = {"fontsize": 5.0, "color": palette.MUTED, "zorder": 5.0}
    for k, at, ha, va in (
        (0, floor, "center", "top"), (1, floor, "right", "top"), (3, high, "left", "bottom"),
    ):  # fmt: skip
        x, y = base[k].tolist()
        axes.text(at[k, 0], at[k, 1], f"({x:.4g}, {y:.4g})", ha=ha, va=va, **words)


def box_of(levels: list[Level]) -> tuple[float, float, float, float]:
    """Return the bounding box of each level on the page: left, bottom, right, top, m."""
    corners = np.concatenate([_corners(level) for level in levels])
    flat = project(corners)
    return (*flat.min(axis=0).tolist(), *flat.max(axis=0).tolist())


def _voxels(source: Volume | Roadmap) -> tuple[Bools, float, Any]:
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
        for axis in range(3):
            first, last = (np.take(near, part, axis) for part in _neighbours(near.shape[axis]))
            near = first | last
        held: NDArray[np.bool_] = near | space.free
        return held
    reached = space.free
    for axis, half in enumerate((0.5 * space.size[::-1] / space.resolution).tolist()):
        shape = [1, 1, 1]
        shape[axis] = 2 * math.ceil(half - 1e-9) + 1
        reached = np.asarray(binary_dilation(reached, np.ones(shape, bool)))
    return reached


def _neighbours(count: int) -> tuple[Ints, Ints]:
    """Return all but the last, and all but the first."""
    return np.arange(count - 1), np.arange(1, count)


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
        shown,
        cut,
        shown & near[None],
        float(max(origin[2], corner[2] + resolution)),
        float(origin[2] + height * resolution),
        origin,
        resolution,
    )


def _faces(level: Level) -> tuple[Floats, Floats]:
    """Return faces (n, 4, 3) to the top, south and west, farthest first, and their colours."""
    solid, shell = level.solid, level.shell
    light = _light(solid)
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


def _light(solid: Bools) -> Floats:
    """Return how open the surroundings of each voxel are, from 0 in a nook to 1."""
    from scipy.ndimage import uniform_filter

    closed: Floats = uniform_filter(solid.astype(np.float64), 5, mode="nearest")
    return np.clip(1.0 - 1.7 * (closed - 0.3), 0.0, 1.0)


def _shifted(array: Any, axis: int, *, back: bool, outside: Any) -> Any:
    """Return the neighbour of each voxel along an axis: the one before or after it."""
    moved = np.roll(array, 1 if back else -1, axis=axis)
    edge: list[Any] = [slice(None)] * array.ndim
    edge[axis] = 0 if back else -1
    moved[tuple(edge)] = outside
    return moved


def _corners(level: Level) -> Floats:
    size = np.array(level.solid.shape[::-1]) * level.resolution
    steps = np.array(np.meshgrid((0, 1), (0, 1), (0, 1))).reshape(3, -1).T
    return level.origin + steps * size


def _toward_eye() -> Floats:
    return np.array(
        [
            -math.sin(AZIMUTH) * math.cos(ELEVATION),
            -math.cos(AZIMUTH) * math.cos(ELEVATION),
            math.sin(ELEVATION),
        ]
    )
