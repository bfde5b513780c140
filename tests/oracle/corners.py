"""Corners that a shortest path can bend around, and the directions in which it can touch them.

A disc bends around a wall vertex when its centre moves on a circle of its radius about that
vertex. It is at angle t of that circle when the vertex is its nearest wall point: t is at least
90 degrees from both neighbouring walls (the normal cone) and no other wall is nearer. What
remains of the circle is one or more runs of angles; inside a run every arc is valid.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from tests.oracle.clearance import distances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

TURN = 2 * math.pi

TOLERANCE = 1e-9
"""m. A wall may be nearer than the radius by this much: doors of exactly the disc's width pass."""

PROBE = 1e-6
"""m. How far from a vertex we look to see whether a sector is walkable."""

FLAT = 1e-12
"""rad. A cone narrower than this is a straight wall."""


class Runs(NamedTuple):
    """Free runs of angles on circles about wall vertices, k of them."""

    centres: NDArray[np.float64]
    """(k, 2) metres."""
    lowest: NDArray[np.float64]
    """(k,) rad: the first angle of the run, counter-clockwise."""
    width: NDArray[np.float64]
    """(k,) rad: 2 pi for a whole circle."""
    whole: NDArray[np.bool_]
    """(k,) whether the run is a whole circle, so that its end meets its beginning."""


def free_runs(polygon: shapely.Geometry, walls: NDArray[np.float64], *, radius: float) -> Runs:
    """Find all runs for a disc of a radius > 0 (metres) amid (n, 4) walls."""
    cones = [cone for cone in normal_cones(walls) if _walkable(polygon, cone)]
    near = _walls_near([cone[0] for cone in cones], walls, reach=2 * radius)
    rows = [
        (*vertex, start, width)
        for (vertex, lowest, cone_width), nearby in zip(cones, near, strict=True)
        for start, width in _free_part(vertex, lowest, cone_width, walls=nearby, radius=radius)
    ]
    table = np.array(rows, dtype=float).reshape(-1, 4)
    return Runs(
        centres=np.ascontiguousarray(table[:, :2]),
        lowest=np.ascontiguousarray(table[:, 2]),
        width=np.ascontiguousarray(table[:, 3]),
        whole=table[:, 3] >= TURN,
    )


Cone = tuple[tuple[float, float], float, float]
"""Vertex, lowest angle, width."""


def normal_cones(walls: NDArray[np.float64]) -> list[Cone]:
    """Angles at least 90 degrees from all walls that meet in a vertex, for every vertex."""
    directions: dict[tuple[float, float], list[float]] = defaultdict(list)
    for x0, y0, x1, y1 in walls.tolist():
        spokes = directions[x0, y0], directions[x1, y1]
        if (x0, y0) != (x1, y1):
            spokes[0].append(math.atan2(y1 - y0, x1 - x0))
            spokes[1].append(math.atan2(y0 - y1, x0 - x1))
    return [
        (vertex, lowest, width)
        for vertex, angles in directions.items()
        for lowest, width in _reflex_sectors(sorted(set(angles)))
    ]


def _reflex_sectors(angles: list[float]) -> Iterator[tuple[float, float]]:
    if not angles:
        yield 0.0, TURN
        return
    for angle, following in zip(angles, [*angles[1:], angles[0] + TURN], strict=True):
        width = following - angle - math.pi
        if width > FLAT:
            yield angle + math.pi / 2, width


def _walkable(polygon: shapely.Geometry, cone: Cone) -> bool:
    (x, y), lowest, width = cone
    middle = lowest + width / 2
    return bool(
        shapely.intersects_xy(polygon, x + PROBE * math.cos(middle), y + PROBE * math.sin(middle))
    )


def _walls_near(
    vertices: list[tuple[float, float]], walls: NDArray[np.float64], *, reach: float
) -> list[NDArray[np.float64]]:
    tree = shapely.STRtree(shapely.linestrings(walls.reshape(-1, 2, 2)))
    dots = shapely.points(np.array(vertices, dtype=float).reshape(-1, 2))
    of, wall = tree.query(dots, predicate="dwithin", distance=reach)
    bounds = np.searchsorted(of, np.arange(len(vertices) + 1))
    return [walls[wall[i:j]] for i, j in pairwise(bounds)]


def _free_part(
    vertex: tuple[float, float],
    lowest: float,
    width: float,
    *,
    walls: NDArray[np.float64],
    radius: float,
) -> list[tuple[float, float]]:
    """(lowest, width) of the runs of a cone in which no wall is nearer than the radius.

    Between two critical angles nothing changes, so one sample in the middle decides.
    """
    critical = _critical_angles(vertex, walls, radius=radius)
    if width >= TURN and len(critical):
        lowest = critical[0]
    relative = (critical - lowest) % TURN
    ends = np.unique(np.concatenate([[0.0, width], relative[relative < width]]))
    middles = lowest + (ends[1:] + ends[:-1]) / 2
    centres = vertex + radius * np.column_stack([np.cos(middles), np.sin(middles)])
    free = distances(centres, walls).min(axis=1) >= radius - TOLERANCE
    free |= np.diff(ends) < FLAT
    runs = [(float(ends[i]), float(ends[j])) for i, j in _true_stretches(free)]
    if width >= TURN and len(runs) > 1 and runs[0][0] == 0 and runs[-1][1] == width:
        first = runs.pop(0)
        runs[-1] = (runs[-1][0], width + first[1])
    return [(lowest + low, high - low) for low, high in runs if high - low >= FLAT]


def _true_stretches(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Half-open index ranges of consecutive True."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [(int(i), int(j)) for i, j in steps.reshape(-1, 2)]


def _critical_angles(
    vertex: tuple[float, float], walls: NDArray[np.float64], *, radius: float
) -> NDArray[np.float64]:
    """Angles at which the circle crosses the outline of some wall's capsule, in any order."""
    capsule = radius - TOLERANCE
    start, along = walls[:, :2] - vertex, walls[:, 2:] - walls[:, :2]
    tips = np.vstack([start, walls[:, 2:] - vertex])
    far = np.hypot(tips[:, 0], tips[:, 1])
    tips, far = tips[far > 0], far[far > 0]
    round_ends = _crossings(
        np.arctan2(tips[:, 1], tips[:, 0]),
        (radius**2 + far**2 - capsule**2) / (2 * radius * far),
    )
    length = np.hypot(along[:, 0], along[:, 1])
    start, along, length = start[length > 0], along[length > 0], length[length > 0]
    normal = np.arctan2(along[:, 0], -along[:, 1])
    # Signed distance of the vertex from each wall's line, positive on the normal's side.
    height = (start[:, 0] * along[:, 1] - start[:, 1] * along[:, 0]) / length
    sides = [_crossings(normal, (side * capsule - height) / radius) for side in (-1, 1)]
    return np.concatenate([round_ends, *sides])


def _crossings(about: NDArray[np.float64], cosine: NDArray[np.float64]) -> NDArray[np.float64]:
    real = np.abs(cosine) <= 1
    spread = np.arccos(cosine[real])
    return np.concatenate([about[real] - spread, about[real] + spread])
