"""Checks of roadmaps, paths and cameras.

Distances are computed by Shapely, and tangents from the geometry, without kernels of Footway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from footway.corridor.kernels.path import CX, RADIUS, SWEEP, X0, X1
from footway.roadmap.voronoi.blends import desired_clearance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from footway.arrays import Floats
    from footway.camera import SpeedDiagram
    from footway.corridor import TautPath
    from footway.environment import Environment
    from footway.roadmap import Roadmap
    from footway.roadmap.voronoi.blends import Blends


CLOSE: Final = 1e-6
"""m and rad. Rounding, for distances of up to a kilometre."""

CHORD: Final = 1e-5
"""m. How far the chords may be from an arc that Shapely measures."""

_NO_ARC: Final = 1e9  # m: beyond, centre and radius lose all precision


class Judge:
    """Distances to the walls of an environment, by Shapely."""

    def __init__(self, environment: Environment) -> None:
        shapes = [environment.walkable.boundary, environment.lines, environment.points]
        parts = np.concatenate([shapely.get_parts(shape) for shape in shapes])
        lines = [shapely.get_coordinates(part) for part in parts]
        ends = [np.stack([line[:-1], line[1:]], axis=1) for line in lines if len(line) > 1]
        lone = [shapely.points(line) for line in lines if len(line) == 1]
        self._tree = shapely.STRtree(
            np.concatenate([shapely.linestrings(np.concatenate(ends)), *lone])
        )
        self._walkable = environment.walkable
        shapely.prepare(self._walkable)

    def distances(self, shapes: NDArray[np.object_]) -> Floats:
        """Return the distance of each shape to the walls, (n,) m; -1 in an obstacle."""
        if not len(shapes):
            return np.empty(0)
        _, away = self._tree.query_nearest(shapes, return_distance=True, all_matches=False)
        first = shapely.points([shapely.get_coordinates(shape)[0] for shape in shapes])
        return np.where(shapely.intersects(self._walkable, first), away, -1.0)


# Roadmaps ----------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """Measures of a roadmap with blends."""

    corner: float  # rad and m, greatest difference of tangents and places where lines meet arcs
    edges: float  # m, least distance of an edge to the walls
    blends: float  # m, least distance of a blend
    folds: int  # pairs of edges without a blend: they fold back
    wrong: list[str]


def judge_roadmap(name: str, roadmap: Roadmap, found: Blends, judge: Judge) -> Verdict:
    """Measure all edges and all blends of a roadmap for a disc."""
    radius = roadmap.space.radius
    corner = float(_corners(roadmap, found).max(initial=0.0))
    edges = judge.distances(shapely.linestrings(roadmap.nodes[roadmap.edges]))
    arcs = judge.distances(_arcs(roadmap, found))
    turning = np.isfinite(found.radius)
    requested = np.minimum(desired_clearance(roadmap), edges[found.edges[turning]].min(axis=1))
    holds = {
        f"lines and arcs meet at an angle of {corner:.2g} rad": corner <= CLOSE,
        f"an edge is {edges.min():.6f} m from a wall": edges.min() >= radius - CLOSE,
        f"a blend is {arcs.min(initial=np.inf):.6f} m from a wall": (
            arcs.min(initial=np.inf) >= radius - 2.0 * CHORD
        ),
        "a blend has less clearance than desired and than its edges": bool(
            (arcs >= requested - 2.0 * CHORD).all()
        ),
        "the stored clearance of a blend is wrong": np.allclose(
            arcs, found.clearance[turning], rtol=0.0, atol=2.0 * CHORD
        ),
    }
    degree = np.bincount(roadmap.edges.ravel(), minlength=roadmap.n_nodes)
    pairs = int((degree * (degree - 1) // 2).sum())
    return Verdict(
        corner=corner,
        edges=float(edges.min()),
        blends=float(arcs.min(initial=np.inf)),
        folds=pairs - len(found.vertex),
        wrong=[f"{name}: {words}" for words, held in holds.items() if not held],
    )


def _leaving(roadmap: Roadmap, found: Blends) -> Floats:
    """Return the directions (k, 2, 2) of both edges of each blend at its vertex."""
    ends = roadmap.nodes[roadmap.edges[found.edges]]
    away: Floats = ends.sum(axis=2) - 2.0 * roadmap.nodes[found.vertex][:, None]
    unit: Floats = away / np.linalg.norm(away, axis=2, keepdims=True)
    return unit


def _corners(roadmap: Roadmap, found: Blends) -> Floats:
    """Return differences (k,) of position (m) and tangent (rad) between lines and arcs."""
    leaving = _leaving(roadmap, found)
    straight = ~(found.radius < _NO_ARC)
    gap = np.linalg.norm(leaving.sum(axis=1), axis=1)  # of pairs that make no turn
    touch = roadmap.nodes[found.vertex][:, None] + found.tangent[:, None, None] * leaving
    spoke = touch - found.centre[:, None]
    side = np.sign(found.sweep)[:, None]
    with np.errstate(invalid="ignore"):
        come, leave = (side * _left_of(spoke[:, k]) / found.radius[:, None] for k in (0, 1))
        ends = [
            np.linalg.norm(come + leaving[:, 0], axis=1),
            np.linalg.norm(leave - leaving[:, 1], axis=1),
            np.linalg.norm(_turned(spoke[:, 0], found.sweep) - spoke[:, 1], axis=1),
        ]
    corners: Floats = np.where(straight, gap, np.max(ends, axis=0))
    return corners


def _arcs(roadmap: Roadmap, found: Blends) -> NDArray[np.object_]:
    """Return all blends with a turn as chords."""
    turning = np.isfinite(found.radius)
    first = _leaving(roadmap, found)[turning, 0]
    touch = roadmap.nodes[found.vertex[turning]] + found.tangent[turning, None] * first
    return chords(found.centre[turning], touch, found.sweep[turning])


def chords(centre: Floats, first: Floats, sweep: Floats) -> NDArray[np.object_]:
    """Return arcs around centres (n, 2) m from points (n, 2) as polylines within CHORD."""
    spoke = first - centre
    radius = np.hypot(*spoke.T)
    most = 2.0 * np.arccos(np.maximum(1.0 - CHORD / np.maximum(radius, CHORD), 0.0))
    count = np.ceil(np.abs(sweep) / most).astype(np.int64) + 2
    row = np.repeat(np.arange(len(count)), count)
    part = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    angle = part / (count[row] - 1) * sweep[row]
    lines: NDArray[np.object_] = shapely.linestrings(
        centre[row] + _turned(spoke[row], angle), indices=row
    )
    return lines


def _turned(vectors: Floats, angle: Floats) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y = vectors.T
    return np.column_stack([cosine * x - sine * y, sine * x + cosine * y])


def _left_of(vectors: Floats) -> Floats:
    """Return vectors (n, 2) rotated by 90 degrees to the left."""
    return np.column_stack([-vectors[:, 1], vectors[:, 0]])


# Paths -------------------------------------------------------------------------------------------


def path_clearance(path: TautPath, judge: Judge) -> float:
    """Return the least distance of a path's lines and arcs to the walls, m."""
    pieces = path.pieces
    bent = pieces[:, RADIUS] > 0.0
    lines = shapely.linestrings(pieces[~bent, X0 : X0 + 4].reshape(-1, 2, 2))
    arcs = chords(pieces[bent, CX : CX + 2], pieces[bent, X0 : X0 + 2], pieces[bent, SWEEP])
    return float(judge.distances(np.concatenate([lines, arcs])).min())


def path_faults(path: TautPath, judge: Judge, what: str) -> Iterator[str]:
    """Return where a path has a corner, wrong ends, or is too close to a wall."""
    pieces = path.pieces
    firsts, lasts = pieces[:, X0 : X0 + 2], pieces[:, X1 : X1 + 2]
    gap = np.linalg.norm(
        np.vstack([path.start, lasts]) - np.vstack([firsts, path.goal]), axis=1
    ).max()
    if gap > CLOSE:
        yield f"{what}: lines and arcs are {gap:.2g} m apart"
    begin, end = _tangents(pieces)
    corner = np.linalg.norm(end[:-1] - begin[1:], axis=1).max(initial=0.0)
    if corner > CLOSE:
        yield f"{what}: a corner of {corner:.2g} rad"
    clearance = path_clearance(path, judge)
    if clearance < path.radius - 2.0 * CHORD:
        yield f"{what}: {clearance:.6f} m from a wall, with a radius of {path.radius:g} m"


def _tangents(pieces: Floats) -> tuple[Floats, Floats]:
    """Return the directions (n, 2) of lines and arcs at their ends."""
    firsts, lasts = pieces[:, X0 : X0 + 2], pieces[:, X1 : X1 + 2]
    along = lasts - firsts
    along = along / np.maximum(np.hypot(*along.T), 1e-300)[:, None]
    bent = (pieces[:, RADIUS] > 0.0)[:, None]
    side = np.sign(pieces[:, [SWEEP]])
    size = np.maximum(pieces[:, [RADIUS]], 1e-300)
    centre = pieces[:, CX : CX + 2]
    begin, end = (side * _left_of(ends - centre) / size for ends in (firsts, lasts))
    return np.where(bent, begin, along), np.where(bent, end, along)


# Cameras -----------------------------------------------------------------------------------------


def speed_faults(diagram: SpeedDiagram, *, steps: int = 20_000) -> Iterator[str]:
    """Return where a speed diagram violates a bound, or could be faster."""
    s = np.union1d(np.linspace(0.0, diagram.length, steps), diagram.breaks)
    speed, limit = diagram.speed_at(s), _limit(diagram, s)
    if (speed > limit + CLOSE).any():
        at = int(np.argmax(speed - limit))
        yield f"{speed[at]:.4f} m/s at {s[at]:.2f} m, where {limit[at]:.4f} m/s are allowed"
    even = np.linspace(0.0, diagram.length, steps)
    rate = 0.5 * np.diff(diagram.speed_at(even) ** 2) / (even[1] - even[0])
    if rate.max() > diagram.acceleration + CLOSE:
        yield f"it speeds up with {rate.max():.4f} m/s2"
    if rate.min() < -diagram.deceleration - CLOSE:
        yield f"it slows down with {-rate.min():.4f} m/s2"
    best = _fastest(s, limit, diagram.acceleration, diagram.deceleration)
    late = float((best - speed).max())
    if late > CLOSE:
        yield f"it could be {late:.4f} m/s faster somewhere"


def _limit(diagram: SpeedDiagram, s: Floats) -> Floats:
    """Return the speed limit at arc lengths (n,) m: the least of adjacent pieces, 0 at ends."""
    last = len(diagram.limits) - 1
    before, after = (
        diagram.limits[np.clip(np.searchsorted(diagram.breaks, s, side=side) - 1, 0, last)]
        for side in ("left", "right")
    )
    limit: Floats = np.minimum(before, after)
    limit[[0, -1]] = 0.0
    return limit


def _fastest(s: Floats, limit: Floats, acceleration: float, deceleration: float) -> Floats:
    """Return the greatest speeds (n,) m/s by a forward and a backward pass."""
    square, step = limit**2, np.diff(s)
    for k in range(1, len(s)):
        square[k] = min(square[k], square[k - 1] + 2.0 * acceleration * step[k - 1])
    for k in range(len(s) - 2, -1, -1):
        square[k] = min(square[k], square[k + 1] + 2.0 * deceleration * step[k])
    return np.sqrt(square)
