"""Crowds as the papers print them: slow, in 64 bits, one rule per function; and judges of crowds.

Constants are those of the kernels, so that tuning them does not change what is tested. Points are
(2,) arrays in metres, characters rows of arrays.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import shapely
from scipy.spatial import cKDTree

from footway.crowd import tracks as tracks_of
from footway.crowd.models import social_force as avoid
from footway.crowd.models.social_force import SocialForce

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    import footway as fw
    from footway.corridor.kernels.layouts import Index
    from tests.oracle.nearest import NearestWall

    Floats = NDArray[np.float64]

USUAL = SocialForce()

STEP = 1e-6
"""m. Of central differences."""

ROUND = 64
"""Chords per quarter circle: the area of a ball is then too small by 1 in 10,000."""


# -- F_c: Helbing and Molnar (1995), equation 3, with radii --------------------------------------


class Other(NamedTuple):
    """Another character, as one sees it."""

    at: Floats  # m
    velocity: Floats  # m/s, less the share of one's own that counts
    radius: float  # m


def semi_minor_axis(gap: Floats, shift: Floats) -> float:
    """b of 2 b = sqrt((|d| + |d - v dt|)^2 - (v dt)^2), m, for a gap d and a shift v dt."""
    total = math.hypot(*gap) + math.hypot(*(gap - shift))
    return 0.5 * math.sqrt(max(0.0, total**2 - float(shift @ shift)))


def potential(gap: Floats, shift: Floats) -> float:
    """V = V0 exp(-b / sigma), m2/s2; b is 0 where the discs touch, not where the centres meet."""
    return USUAL.v0 * math.exp(-(USUAL.body + semi_minor_axis(gap, shift)) / USUAL.sigma)


def steepest_descent(gap: Floats, shift: Floats) -> Floats:
    """-grad V by central differences, m/s2."""
    slope = [
        (potential(gap + nudge, shift) - potential(gap - nudge, shift)) / (2.0 * STEP)
        for nudge in STEP * np.eye(2)
    ]
    return -np.array(slope)


def closed_form(gap: Floats, shift: Floats, side: Floats) -> Floats:
    """-grad V = V / sigma (|g| + |h|) / 4 b (g / |g| + h / |h|), with h = g - v dt. m/s2.

    `side` turns the vectors, so that two who meet head on do not stop: it is no part of |g|.
    """
    nearest, least = float(avoid._NEAREST), float(avoid._LEAST)
    g = max(math.hypot(*gap), nearest)
    turned = gap * (g / max(math.hypot(*gap), 1e-12)) + side
    behind = turned - shift
    h = max(math.hypot(*behind), nearest)
    b = math.sqrt(max(0.25 * ((g + h) ** 2 - float(shift @ shift)), least))
    value = USUAL.v0 * math.exp(-(USUAL.body + b) / USUAL.sigma)
    return np.asarray(value / USUAL.sigma * (g + h) / (4.0 * b) * (turned / g + behind / h))


def published_force(apart: Floats, shift: Floats) -> Floats:
    """-grad V0 exp(-b / sigma) by central differences, with the numbers of the paper. m/s2.

    `apart` leads from the centre of the other to one's own; the other moves by `shift` in 2 s.
    """

    def value(at: Floats) -> float:
        return 2.1 * math.exp(-semi_minor_axis(at, shift) / 0.3)

    slope = [(value(apart + n) - value(apart - n)) / (2.0 * STEP) for n in STEP * np.eye(2)]
    return -np.array(slope)


def sees(x: Floats, toward: Floats, other: Other) -> bool:
    """Whether the other is in the field of view."""
    view = other.at - x
    return bool(toward @ view >= math.cos(math.radians(USUAL.sight)) * math.hypot(*view))


def avoidance(x: Floats, toward: Floats, radius: float, other: Other, look: float) -> Floats:
    """F_c of one other, m/s2; `toward` is the unit vector of where the character wants to go."""
    apart = x - other.at
    d = math.hypot(*apart)
    gap = max(d - radius - other.radius, float(avoid._NEAREST)) * apart / d
    opposing = min(1.0, max(0.0, -2.0 * look * float(toward @ other.velocity)))
    to_right = 1.0 if toward[1] * apart[0] >= toward[0] * apart[1] else -1.0
    side = USUAL.side * opposing * to_right * np.array([toward[1], -toward[0]])
    force = closed_form(gap, other.velocity * look, side)
    return force if sees(x, toward, other) else USUAL.behind * force


# -- neighbours ----------------------------------------------------------------------------------


def neighbours(places: Floats, radii: Floats, within: float) -> set[tuple[int, int]]:
    """All ordered pairs whose discs are at most `within` m apart, one by one."""
    count = range(len(places))
    return {
        (i, j)
        for i in count
        for j in count
        if i != j and math.dist(places[i], places[j]) <= radii[i] + radii[j] + within
    }


def deep_overlaps(positions: Floats, radii: Floats, share: float = 0.1) -> int:
    """How many characters overlap another by more than this share of the smaller radius."""
    if len(positions) < 2:
        return 0
    pairs = cKDTree(positions).query_pairs(2.0 * radii.max(), output_type="ndarray")
    a, b = pairs.T
    depth = radii[a] + radii[b] - np.hypot(*(positions[a] - positions[b]).T)
    deep = depth > share * np.minimum(radii[a], radii[b])
    return len(np.unique(pairs[deep]))


# -- corridors -----------------------------------------------------------------------------------


def union_area(balls: Floats) -> float:
    """Area that balls (n, 3) cover together, m2."""
    discs = shapely.buffer(shapely.points(balls[:, :2]), balls[:, 2], quad_segs=ROUND)
    return float(shapely.union_all(discs).area)


def attraction_sample(
    x: ArrayLike, balls: Floats, radius: float, floor: float, current: int = 0
) -> int:
    """cmm-2007, definition 5: the last ball from the current one on that holds a character.

    So near to its centre as `floor` m a ball holds any character, but never beyond its own rim. -1
    where none does.
    """
    gap = np.hypot(*(balls[current:, :2] - np.asarray(x)).T)
    reach = np.maximum(balls[current:, 2] - radius, np.minimum(floor, balls[current:, 2]))
    holding = np.flatnonzero(gap < reach)
    return int(current + holding[-1]) if len(holding) else -1


# -- wandering: cmm-crowds-2008, section 5.2 -----------------------------------------------------


def kept_edges(index: Index) -> set[int]:
    """Edges that are left when short dead ends are removed, until none is left.

    An edge to a vertex where nothing else is left is removed if the longest path through it, with
    all that was removed beyond it, is short compared with the clearance at its foot.
    """
    graph, clearance = index.graph, vertex_clearance(index)
    kept = set(range(len(graph.edges)))
    uses = Counter(int(v) for v in graph.edges.ravel())
    before = -1
    while len(kept) != before:
        before = len(kept)
        for edge in sorted(kept):
            v, w = graph.edges[edge].tolist()
            dead = [(a, b) for a, b in ((v, w), (w, v)) if uses[a] == 1]
            if any(_is_short(index, kept, edge, a, clearance[b]) for a, b in dead):
                kept.remove(edge)
                uses.subtract((v, w))
    return kept


def _is_short(index: Index, kept: set[int], edge: int, end: int, clearance: float) -> bool:
    graph = index.graph
    length = graph.length[edge] + _deepest(index, kept, edge, end)
    return bool(length <= tracks_of.SHORT * clearance or graph.clearance[edge] <= 0.0)


def _deepest(index: Index, kept: set[int], came_by: int, v: int) -> float:
    """Length of the longest path from a vertex along removed edges, not back."""
    graph = index.graph
    lengths = [0.0]
    for half in graph.out[graph.offsets[v] : graph.offsets[v + 1]]:
        edge = int(half) // 2
        if edge not in kept and edge != came_by:
            end = int(graph.edges[edge, 1 - half % 2])
            lengths.append(float(graph.length[edge]) + _deepest(index, kept, edge, end))
    return max(lengths)


def vertex_clearance(index: Index) -> Floats:
    """Clearance of every vertex, m: that of the ends of its edges."""
    axis = index.axis
    clearance = np.zeros(len(axis.vertices))
    for edge, (v, w) in enumerate(axis.edges):
        clearance[v] = axis.clearance[axis.offsets[edge]]
        clearance[w] = axis.clearance[axis.offsets[edge + 1] - 1]
    return clearance


def shares(half: int, radius: float, weights: Floats, index: Index) -> dict[int, float]:
    """Probability of each half-edge after one that ends in a vertex; empty: it has to turn."""
    graph = index.graph
    v = graph.edges[half // 2, 1 - half % 2]
    halves = [
        int(out)
        for out in graph.out[graph.offsets[v] : graph.offsets[v + 1]]
        if out != half ^ 1 and graph.clearance[out // 2] > radius and weights[out // 2] > 0
    ]
    total = sum(float(weights[out // 2]) for out in halves)
    return {out: float(weights[out // 2]) / total for out in halves}


# -- judges --------------------------------------------------------------------------------------


def assert_clear(walls: NearestWall, area: Any, crowd: fw.Crowd) -> None:
    """Every disc is in free space, judged by Shapely: inside, and clear of the boundary."""
    positions, radii = crowd.positions, crowd.radii
    assert np.isfinite(positions).all()
    assert np.isfinite(crowd.velocities).all()
    if not len(positions):
        return
    short = radii - walls.distance(positions)
    worst = int(short.argmax())
    assert short[worst] <= 1e-9, (
        f"character {crowd.ids[worst]} at {positions[worst].tolist()} overlaps a wall by "
        f"{short[worst]:g} m after {crowd.steps} steps"
    )
    inside = shapely.contains_xy(area, *positions.T)
    assert inside.all(), f"{positions[~inside][0].tolist()} is not in free space"


def assert_same(a: fw.Crowd, b: fw.Crowd) -> None:
    """Two crowds are the same to the last bit, and so are their pasts."""
    assert (a.steps, a.arrivals, a.exited) == (b.steps, b.arrivals, b.exited)
    for name in ("ids", "positions", "velocities", "radii", "goals", "populations"):
        one, other = getattr(a, name), getattr(b, name)
        assert one.shape == other.shape, name
        assert one.tobytes() == other.tobytes(), f"{name} differ after {a.steps} steps"


def lane_order(across: Floats, direction: NDArray[np.int64], width: float) -> float:
    """How far two directions have separated, 0 (mixed) to 1: mean over strips of `width` m.

    In each strip it is the square of the surplus of one direction, weighed by how many are in it,
    and corrected for what chance alone gives.
    """
    total = weight = 0.0
    strips = np.floor(across / width).astype(int)
    for strip in np.unique(strips):
        here = direction[strips == strip]
        if len(here) < 2:
            continue
        n = len(here)
        by_chance = 1.0 / n
        order = (float(here.mean()) ** 2 - by_chance) / (1.0 - by_chance)
        total, weight = total + n * order, weight + n
    return total / weight if weight else 0.0


def chi_squared(counts: Iterable[int], expected: Iterable[float]) -> float:
    """Sum of (found - expected)^2 / expected."""
    return sum((n - m) ** 2 / m for n, m in zip(counts, expected, strict=True))
