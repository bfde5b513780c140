"""MIRAN as the paper prints it (miran-2013, section 3), one definition per function; slow.

A place on the route is its curve length from the start, m. Shapely decides what is visible, one
straight line at a time. The character moves straight toward each attraction point, as the proofs
of section 3.5 assume.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import shapely

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.terrain.terrain import TerrainMesh

    Floats = NDArray[np.float64]

SAME = 1e-9
"""m. Points that are as near as this to each other are the same."""

TIE = 1e-9
"""Weights that differ by less than this share are equal."""


@dataclass(frozen=True)
class World:
    """Free space, walls without thickness, and regions of terrain, each with its weight.

    Attributes:
        free: where a point can walk.
        walls: that a line may touch but not cross.
        regions: disjoint polygons that cover the free space, with the character's preferences.

    """

    free: shapely.Geometry
    walls: shapely.MultiLineString
    regions: tuple[tuple[shapely.Geometry, float], ...]

    @classmethod
    def of(cls, mesh: TerrainMesh, weights: Floats) -> World:
        """The world of a triangulation and of a preference for each of its kinds."""
        triangles = shapely.polygons(mesh.points[mesh.triangles])
        kinds = np.unique(mesh.kind)
        regions = [
            (shapely.union_all(triangles[mesh.kind == kind]), float(weights[kind]))
            for kind in kinds
        ]
        side = np.argwhere(mesh.neighbours < 0)
        ends = np.stack([mesh.triangles[side[:, 0], (side[:, 1] + k) % 3] for k in (0, 1)], axis=1)
        walls = shapely.multilinestrings(list(shapely.linestrings(mesh.points[ends])))
        return cls(shapely.union_all(triangles), walls, tuple(regions))

    @cached_property
    def corners(self) -> Floats:
        """(n, 2) where a wall may begin to hide something."""
        return np.unique(shapely.get_coordinates(self.walls), axis=0)

    @cached_property
    def _nearly_free(self) -> shapely.Geometry:
        """A line that touches a corner leaves the free space by rounding."""
        grown = self.free.buffer(SAME, join_style="mitre")
        shapely.prepare(grown)
        return grown

    def sees(self, a: Floats, b: Floats) -> bool:
        """Whether the straight line between two points is free."""
        line = shapely.LineString([a, b])
        return bool(self._nearly_free.covers(line)) and not line.crosses(self.walls)

    def weighted_length(self, a: Floats, b: Floats) -> float:
        """Sum over the terrain types of w(T) l^T on the line between two points (section 3.3)."""
        line = shapely.LineString([a, b])
        return sum(weight * line.intersection(area).length for area, weight in self.regions)


@dataclass(frozen=True)
class Route:
    """An indicative route: a polyline (n, 2)."""

    points: Floats

    @cached_property
    def lengths(self) -> Floats:
        """(n,) m. Curve length up to each point."""
        step = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(step)])

    @property
    def length(self) -> float:
        return float(self.lengths[-1])

    def at(self, s: float) -> Floats:
        """The point at a curve length."""
        return np.array([np.interp(s, self.lengths, self.points[:, k]) for k in (0, 1)])

    def between(self, low: float, high: float) -> list[float]:
        """Curve lengths of the subpath's ends and of the corners between them."""
        inside = self.lengths[(self.lengths > low) & (self.lengths < high)]
        return [low, *inside.tolist(), high]


def reference_point(x: Floats, route: Route, low: float, high: float) -> float:
    """First closest point to x of the subpath from `low` to `high` (section 3.1).

    A character that stands on `high`, the last attraction point, has come that far.
    """
    if np.linalg.norm(route.at(high) - x) <= SAME:
        return high
    best, nearest = low, math.inf
    for s0, s1 in itertools.pairwise(route.between(low, high)):
        a, b = route.at(s0), route.at(s1)
        squared = float((b - a) @ (b - a))
        share = min(1.0, max(0.0, float((x - a) @ (b - a)) / squared)) if squared else 0.0
        distance = float(np.linalg.norm(a + share * (b - a) - x))
        if distance < nearest - SAME:
            best, nearest = s0 + share * (s1 - s0), distance
    return best


def visible_intervals(
    x: Floats, route: Route, low: float, high: float, world: World
) -> list[tuple[float, float]]:
    """Visible parts [a_j, b_j] of the subpath from `low` to `high` (section 3.2).

    What is seen changes only in corners of the route and behind corners of walls: between two
    such places all is seen or nothing.
    """
    found: list[tuple[float, float]] = []
    for s0, s1 in itertools.pairwise(route.between(low, high)):
        a, b = route.at(s0), route.at(s1)
        shares = sorted({0.0, *_behind_corners(x, a, b, world.corners), 1.0})
        for first, last in itertools.pairwise(shares):
            middle = a + 0.5 * (first + last) * (b - a)
            if not world.sees(x, middle):
                continue
            begin, end = s0 + first * (s1 - s0), s0 + last * (s1 - s0)
            if found and begin - found[-1][1] <= SAME:
                found[-1] = (found[-1][0], end)
            else:
                found.append((begin, end))
    return found


def _behind_corners(x: Floats, a: Floats, b: Floats, corners: Floats) -> list[float]:
    """Shares of the line ab at which a corner lies before it, as seen from x."""
    to, along = corners - x, b - a
    turn = to[:, 0] * along[1] - to[:, 1] * along[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (to[:, 1] * (a - x)[0] - to[:, 0] * (a - x)[1]) / turn
    return share[(share > 0.0) & (share < 1.0)].tolist()


def candidates(
    intervals: Sequence[tuple[float, float]], spacing: float, own: float | None
) -> list[float]:
    """Ends of the intervals and every `spacing` between (section 3.2), without the place `own`."""
    found: list[float] = []
    for a, b in intervals:
        count = math.ceil((b - a) / spacing - SAME)
        found += [a + k * spacing for k in range(count)]
        found.append(b)
    return [s for s in found if own is None or s - own > SAME]


def attraction_point(
    x: Floats, reference: float, among: Sequence[float], route: Route, world: World
) -> tuple[float, float]:
    """The candidate of least weight, of equal ones the farthest; and its weight (section 3.3)."""
    best, least = among[0], math.inf
    for s in among:
        d = s - reference
        weight = world.weighted_length(x, route.at(s)) / d if d > 0.0 else math.inf
        if weight <= least * (1.0 + TIE):
            best, least = s, min(weight, least)
    return best, least


@dataclass(frozen=True)
class Step:
    """One step of algorithm 1: what the character saw, and where it went."""

    x: Floats
    reference: float
    candidates: tuple[float, ...]
    attraction: float


def look(
    x: Floats, low: float, high: float, route: Route, world: World, *, sigma: float, spacing: float
) -> Step:
    """Lines 4 to 6 of algorithm 1; `low` and `high`: the last reference and attraction point."""
    r = reference_point(x, route, low, high)
    seen = visible_intervals(x, route, r, min(r + sigma, route.length), world)
    own = r if np.linalg.norm(route.at(r) - x) <= SAME else None
    among = candidates(seen, spacing, own)
    alpha = attraction_point(x, r, among, route, world)[0] if among else math.nan
    return Step(x, r, tuple(among), alpha)


def walk(
    route: Route, world: World, *, sigma: float, spacing: float, stride: float, most: int = 100_000
) -> list[Step]:
    """Algorithm 1: the steps of a character that moves `stride` toward each attraction point."""
    x, low, high, steps = route.points[0].copy(), 0.0, 0.0, []
    while len(steps) < most:
        steps.append(look(x, low, high, route, world, sigma=sigma, spacing=spacing))
        low, high = steps[-1].reference, steps[-1].attraction
        if not steps[-1].candidates or np.array_equal(x, route.points[-1]):
            break
        toward = route.at(high) - x
        rest = float(np.linalg.norm(toward))
        x = route.at(high) if rest <= stride else x + stride / rest * toward
    return steps
