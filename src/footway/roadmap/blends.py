"""Circular blends: arcs that lead from edge to edge at every vertex of a roadmap.

voronoi-roadmaps-2004, section 2.4. Straight edges make a graph with corners; with a blend for each
pair of edges at a vertex, lines and arcs, it has none: every way along it is C1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.errors import BadInput
from footway.roadmap import checks
from footway.roadmap.kernels.blend import (
    CLEARANCE,
    CX,
    CY,
    FOLD,
    RADIUS,
    SWEEP,
    TANGENT,
    blend_turns,
)
from footway.roadmap.roadmap import clearance_along
from footway.validation import extent_of, one_of
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap.roadmap import Roadmap

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BENT = 1e-9  # m, that a straight local path is longer than the line between its ends


class Blends(NamedTuple):
    """One blend for each pair of edges at each vertex; going the other way it is the same row.

    A pair that makes no turn has tangent 0, radius infinite, sweep 0 and no centre (NaN). Pairs
    that fold back, so sharply that the radius would be less than a millimetre, have no blend.
    """

    vertex: Ints  # (k,)
    edges: Ints  # (k, 2)
    tangent: Floats  # (k,) m, from the vertex to where the arc begins, and to where it ends
    radius: Floats  # (k,) m
    centre: Floats  # (k, 2) m
    sweep: Floats  # (k,) radians, going from the first edge to the second; positive to the left
    clearance: Floats  # (k,) m, distance of the arc to the walls; not less the disc's radius


class Ends(NamedTuple):
    """Where walls end, by cells: what a blend can meet first."""

    box: Floats  # (3,) lower left corner and cell size, m
    shape: Ints  # (2,) columns, rows
    offsets: Ints  # (cells + 1,)
    xy: Floats  # (n, 2) m


def blends(
    roadmap: Roadmap,
    *,
    clearance: float | None = None,
    method: Literal["exact", "halved"] = "exact",
) -> Blends:
    """Blends of all pairs of edges that meet in a vertex.

    An arc begins and ends no further from the vertex than the middles of its edges. It keeps the
    wanted clearance, or that of its edges where they have less.

    Args:
        roadmap: in the plane, with straight edges.
        clearance: wanted distance to the walls, m; None: the one that the roadmap was made with, or
            twice the radius of its disc.
        method: "exact" gives the largest radius with that clearance; "halved" is the paper's
            procedure: half the radius until the arc has it.

    Raises:
        BadInput: a roadmap in three dimensions, with bent edges or no walls; a negative clearance.

    Example:
        >>> import footway as fw
        >>> env = fw.Environment.from_polygons(bounds=(0, 0, 10, 10), obstacles=[
        ...     [(3, 3), (10, 3), (10, 10), (3, 10)]])
        >>> roadmap = fw.roadmap.Roadmap.make(
        ...     [(1.5, 8.5), (1.5, 1.5), (8.5, 1.5)], [(0, 1), (1, 2)],
        ...     fw.roadmap.rrm(env, resolution=0.5).space, method="prm")
        >>> found = fw.roadmap.blends(roadmap, clearance=1.0)
        >>> found.tangent.round(3).tolist(), found.clearance.round(3).tolist()
        ([2.707], [1.0])

    """
    _check(roadmap)
    one_of(method, "method", ("exact", "halved"), error=BadInput)
    wish = wanted_clearance(roadmap)
    if clearance is not None:
        extent = extent_of(roadmap.bounds)
        wish = checked_radius(clearance, extent, name="clearance", error=BadInput)
    halves = half_edges(roadmap)
    turns = _turns(roadmap, halves.lengths)
    pairs = turns[:, 1:] // 2
    most = 0.5 * halves.lengths[turns[:, 1:]].min(axis=1)
    keep = np.minimum(wish, edge_distance(roadmap)[pairs].min(axis=1))
    rows = np.zeros((len(turns), 6))
    blend_turns(
        turns, roadmap.nodes, halves.directions, most, keep, method == "halved",
        ends_of(roadmap.space.walls), roadmap.space, rows,
    )  # fmt: skip
    straight = rows[:, TANGENT] == 0.0
    rows[straight, CLEARANCE] = _distance(roadmap)[turns[straight, 0]]
    kept = rows[:, RADIUS] >= FOLD
    return _as_blends(turns[kept, 0], pairs[kept], rows[kept])


class HalfEdges(NamedTuple):
    """Straight edges as they leave their vertices: 2 e along edge e, 2 e + 1 against it."""

    tails: Ints  # (2 m,) vertices
    directions: Floats  # (2 m, 2) unit vectors
    lengths: Floats  # (2 m,) m


def half_edges(roadmap: Roadmap) -> HalfEdges:
    """Half-edges of a roadmap with straight edges."""
    ends = roadmap.nodes[roadmap.edges]
    along = ends[:, 1] - ends[:, 0]
    length = hypot(*along.T)
    unit = along / np.where(length > 0.0, length, 1.0)[:, None]
    directions = np.stack([unit, -unit], axis=1).reshape(-1, 2)
    return HalfEdges(roadmap.edges.ravel().copy(), directions, np.repeat(length, 2))


def edge_distance(roadmap: Roadmap) -> Floats:
    """(m,) m. Exact distance of each straight edge to the walls."""
    ends = roadmap.nodes[roadmap.edges]
    return clearance_along(ends[:, 0], ends[:, 1], roadmap.space._replace(radius=0.0))


def wanted_clearance(roadmap: Roadmap) -> float:
    """Distance to the walls that the roadmap was made to keep where there is room, m."""
    wish = roadmap.parameters.get("clearance")
    return float(2.0 * roadmap.space.radius if wish is None else wish)


def ends_of(walls: Floats) -> Ends:
    """Bins of the distinct ends of walls (n, 4), one in a cell on average."""
    xy = np.unique(walls.reshape(-1, 2), axis=0)
    low, extent = xy.min(axis=0), np.ptp(xy, axis=0)
    size = max(float(np.sqrt(extent.prod() / len(xy))), float(extent.max()) / 2048, 1e-3)
    shape = np.floor(extent / size).astype(np.int64) + 1
    return Ends(np.array([*low, size]), shape, *binned(xy, low, size, shape)[:2])


def binned(points: Floats, low: Floats, size: float, shape: Ints) -> tuple[Ints, Floats, Ints]:
    """Rows of points by cells: offsets (cells + 1,), the points in that order, and which they are.

    Cells of one row follow each other.
    """
    cell = np.clip(np.floor((points - low) / size).astype(np.int64), 0, shape - 1)
    number = cell[:, 1] * shape[0] + cell[:, 0]
    order = np.argsort(number, kind="stable")
    count = np.bincount(number, minlength=int(shape.prod()))
    return np.concatenate([[0], np.cumsum(count)]), points[order], order


def _turns(roadmap: Roadmap, lengths: Floats) -> Ints:
    """(k, 3) pairs of half-edges that leave each vertex: the vertex, then both."""
    tails = roadmap.edges.ravel()
    real = lengths > 0.0
    order = np.flatnonzero(real)[np.argsort(tails[real], kind="stable")]
    count = np.bincount(tails[real], minlength=roadmap.n_nodes)
    first = np.cumsum(count) - count
    # Each half-edge with those of its vertex that come after it in the order.
    place = np.arange(len(order))
    after = (first + count)[tails[order]] - place - 1
    one = np.repeat(place, after)
    two = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(after) - after, after)
    return np.ascontiguousarray(np.column_stack([tails[order[one]], order[one], order[two]]))


def _distance(roadmap: Roadmap) -> Floats:
    """(n,) m. Exact distance of each vertex to the walls."""
    return roadmap.space._replace(radius=0.0).clearance(roadmap.nodes)[0]


def _as_blends(vertex: Ints, edges: Ints, rows: Floats) -> Blends:
    centre = np.ascontiguousarray(rows[:, [CX, CY]])
    numbers = (rows[:, column].copy() for column in (TANGENT, RADIUS, SWEEP, CLEARANCE))
    tangent, radius, sweep, clearance = numbers
    return Blends(vertex, edges, tangent, radius, centre, sweep, clearance)


def _check(roadmap: Roadmap) -> None:
    checks.a_roadmap(roadmap)
    if roadmap.dimension != 2:
        raise BadInput("blends are for roadmaps in the plane: this one has three dimensions")
    if not len(roadmap.space.walls):
        raise BadInput("the roadmap has no walls: build it from an environment")
    ends = roadmap.nodes[roadmap.edges]
    straight = hypot(*(ends[:, 1] - ends[:, 0]).T)
    bent = np.flatnonzero(roadmap.lengths > straight + _BENT)
    if len(bent):
        raise BadInput(
            f"edge {bent[0]} is bent, and {len(bent) - 1} others are: blends need straight edges, "
            "as those of voronoi_prm and rrm_star"
        )
