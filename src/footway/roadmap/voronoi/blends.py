"""Circular blends: arcs that connect each pair of edges at every vertex of a roadmap.

voronoi-roadmaps-2004, section 2.4. Paths along straight edges have corners. With a blend for each
pair of edges, paths consist of lines and arcs and are C1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from footway._numba.bins import rows_by_key
from footway._numba.portable_math import hypot
from footway.errors import BadInput
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
from footway.roadmap.kernels.layouts import CellWalls, WallEnds
from footway.roadmap.roadmap import a_roadmap, clearance_along
from footway.validation import extent_of, one_of
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.roadmap.roadmap import Roadmap


BlendMethod: TypeAlias = Literal["exact", "halved"]

_BENT = 1e-9  # m, a local path that exceeds its chord by more than this is not straight


class Blends(NamedTuple):
    """One blend for each unordered pair of edges at each vertex.

    A straight pair has tangent 0, infinite radius, sweep 0 and a NaN centre. Pairs that turn so
    sharply that the radius would be less than a millimetre have no blend.
    """

    vertex: Ints  # (k,)
    edges: Ints  # (k, 2)
    tangent: Floats  # (k,) m, distance from the vertex to the start and the end of the arc
    radius: Floats  # (k,) m
    centre: Floats  # (k, 2) m
    sweep: Floats  # (k,) radians, going from the first edge to the second; positive to the left
    clearance: Floats  # (k,) m, distance of the arc to the walls; the radius is not subtracted


def blends(
    roadmap: Roadmap, *, clearance: float | None = None, method: BlendMethod | None = None
) -> Blends:
    """Return the blends of all pairs of edges that meet in a vertex.

    An arc starts and ends no further from the vertex than the midpoints of its edges. It keeps the
    desired clearance, or that of its edges if they have less.

    Args:
        roadmap: in the plane, with straight edges.
        clearance: desired distance to the walls, m; None: the one that the roadmap was built with,
            or twice the radius of its disc.
        method: "exact" gives the largest radius with that clearance; "halved" is the paper's
            procedure: halve the radius until the arc has that clearance. None: the one that the
            roadmap was built with, or else "exact".

    Raises:
        BadInput: a 3D roadmap, bent edges, no walls, or a negative clearance.

    Example:
        >>> import footway as fw
        >>> env = fw.Environment.from_polygons(bounds=(0, 0, 10, 10), obstacles=[
        ...     [(3, 3), (10, 3), (10, 10), (3, 10)]])
        >>> roadmap = fw.roadmap.Roadmap.make(
        ...     [(1.5, 8.5), (1.5, 1.5), (8.5, 1.5)], [(0, 1), (1, 2)],
        ...     fw.roadmap.rrm(env, resolution=0.5).space, method="voronoi_prm")
        >>> found = fw.roadmap.blends(roadmap, clearance=1.0)
        >>> found.tangent.round(3).tolist(), found.clearance.round(3).tolist()
        ([2.707], [1.0])
    """
    _check(roadmap)
    if method is None:
        method = roadmap.parameters.get("blends", "exact")
    one_of(method, "method", get_args(BlendMethod), error=BadInput)
    desired = desired_clearance(roadmap)
    if clearance is not None:
        extent = extent_of(roadmap.bounds)
        desired = checked_radius(clearance, extent, name="clearance", error=BadInput)
    halves = half_edges(roadmap)
    turns = _turns(roadmap, halves.lengths)
    pairs = turns[:, 1:] // 2
    most = 0.5 * halves.lengths[turns[:, 1:]].min(axis=1)
    keep = np.minimum(desired, edge_distance(roadmap)[pairs].min(axis=1))
    space, rows = roadmap.space, np.zeros((len(turns), 6))
    cells = CellWalls(
        box=np.array([*space.origin[:2], space.resolution]),
        shape=np.array(space.free.shape[:0:-1]),
        offsets=space.wall_offsets,
        members=space.wall_members,
        walls=space.walls,
    )
    blend_turns(
        turns, roadmap.nodes, halves.directions, most, keep, method == "halved",
        bin_wall_ends(roadmap.space.walls), cells, rows,
    )  # fmt: skip
    straight = rows[:, TANGENT] == 0.0
    wall_distance, _ = roadmap.space._replace(radius=0.0).clearance(roadmap.nodes)
    rows[straight, CLEARANCE] = wall_distance[turns[straight, 0]]
    kept = rows[:, RADIUS] >= FOLD
    rows = rows[kept]
    return Blends(
        vertex=turns[kept, 0],
        edges=pairs[kept],
        tangent=rows[:, TANGENT].copy(),
        radius=rows[:, RADIUS].copy(),
        centre=np.ascontiguousarray(rows[:, [CX, CY]]),
        sweep=rows[:, SWEEP].copy(),
        clearance=rows[:, CLEARANCE].copy(),
    )


class HalfEdges(NamedTuple):
    """Directed straight edges: 2 e runs along edge e, 2 e + 1 against it."""

    tails: Ints  # (2 m,) start vertices
    directions: Floats  # (2 m, 2) unit vectors
    lengths: Floats  # (2 m,) m


def half_edges(roadmap: Roadmap) -> HalfEdges:
    """Return the half-edges of a roadmap with straight edges."""
    ends = roadmap.nodes[roadmap.edges]
    along = ends[:, 1] - ends[:, 0]
    length = hypot(*along.T)
    unit = along / np.where(length > 0.0, length, 1.0)[:, None]
    directions = np.stack([unit, -unit], axis=1).reshape(-1, 2)
    return HalfEdges(roadmap.edges.ravel().copy(), directions, np.repeat(length, 2))


def edge_distance(roadmap: Roadmap) -> Floats:
    """Return the exact distance of each straight edge to the walls, (m,) m."""
    ends = roadmap.nodes[roadmap.edges]
    return clearance_along(ends[:, 0], ends[:, 1], roadmap.space._replace(radius=0.0))


def desired_clearance(roadmap: Roadmap) -> float:
    """Return the clearance (m) that the roadmap was built to keep wherever it fits."""
    desired = roadmap.parameters.get("clearance")
    return float(2.0 * roadmap.space.radius if desired is None else desired)


def bin_wall_ends(walls: Floats) -> WallEnds:
    """Bin the distinct end points of walls (n, 4), about one per cell."""
    xy = np.unique(walls.reshape(-1, 2), axis=0)
    low, extent = xy.min(axis=0), np.ptp(xy, axis=0)
    size = max(float(np.sqrt(extent.prod() / len(xy))), float(extent.max()) / 2048, 1e-3)
    shape = np.floor(extent / size).astype(np.int64) + 1
    offsets, members = bin_points(xy, low, size, shape)
    return WallEnds(np.array([*low, size]), shape, offsets, xy[members])


def bin_points(points: Floats, low: Floats, size: float, shape: Ints) -> tuple[Ints, Ints]:
    """Sort points (n, 2) into cells: offsets (cells + 1,), and points by cells (n,)."""
    cell = np.clip(np.floor((points - low) / size).astype(np.int64), 0, shape - 1)
    return rows_by_key(cell[:, 1] * shape[0] + cell[:, 0], int(shape.prod()))


def _turns(roadmap: Roadmap, lengths: Floats) -> Ints:
    """Return all pairs of half-edges that leave each vertex, (k, 3): vertex, first, second."""
    tails = roadmap.edges.ravel()
    real = lengths > 0.0
    order = np.flatnonzero(real)[np.argsort(tails[real], kind="stable")]
    count = np.bincount(tails[real], minlength=roadmap.n_nodes)
    first = np.cumsum(count) - count
    # Pair each half-edge with the later ones of the same vertex.
    place = np.arange(len(order))
    after = (first + count)[tails[order]] - place - 1
    a = np.repeat(place, after)
    b = a + 1 + np.arange(len(a)) - np.repeat(np.cumsum(after) - after, after)
    return np.ascontiguousarray(np.column_stack([tails[order[a]], order[a], order[b]]))


def _check(roadmap: Roadmap) -> None:
    a_roadmap(roadmap)
    if roadmap.dimension != 2:
        raise BadInput("blends are for roadmaps in the plane: this one has three dimensions")
    if not len(roadmap.space.walls):
        raise BadInput("the roadmap has no walls: build it from an environment")
    ends = roadmap.nodes[roadmap.edges]
    straight = hypot(*(ends[:, 1] - ends[:, 0]).T)
    bent = np.flatnonzero(roadmap.lengths > straight + _BENT)
    if len(bent):
        raise BadInput(
            f"edge {bent[0]} is bent, as are {len(bent) - 1} others: blends need straight edges, "
            "such as those of voronoi_prm and rrm_star"
        )
