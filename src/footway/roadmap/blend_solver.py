"""Answer queries on a roadmap with blends: paths of lines and arcs.

voronoi-roadmaps-2004, sections 2.4 and 2.5. Paths are C1: start and goal are joined to the roadmap
with blends too. If no straight line reaches the roadmap, the exact map of its walls is used.

    Roadmap --blends--> Net (places, half-edges, turns) --> BlendSolver
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.constants import GRID, TOUCH
from footway.corridor import queries
from footway.corridor.kernels.path import APART, polyline_clearance
from footway.corridor.kernels.search import FOUND, FULL, NOWHERE
from footway.corridor.solver import Solution, Solver
from footway.errors import BadQuery, NoPath
from footway.roadmap.blends import (
    Ends,
    binned,
    blends,
    edge_distance,
    ends_of,
    half_edges,
    wanted_clearance,
)
from footway.roadmap.conversion import RoadSolver
from footway.roadmap.exact_walls import exact_index
from footway.roadmap.kernels.blend_search import solve_blended
from footway.validation import as_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index
    from footway.corridor.path import TautPath
    from footway.roadmap import Blends, Roadmap

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_PIECES = 512  # initial capacity: lines and arcs of a path
_NEAR = 1024  # most places around a start or goal


class Net(NamedTuple):
    """A roadmap with blends, as kernels take it. Half-edge 2 e follows edge e, 2 e + 1 its twin."""

    places: Floats  # (n + h, 2) m: vertices, then the point at a quarter of each half-edge
    components: Ints  # (n + h,) component of the roadmap of each place
    tails: Ints  # (h,) vertices
    directions: Floats  # (h, 2) unit vectors
    middles: Floats  # (m, 2) m
    lengths: Floats  # (m,) m
    clearances: Floats  # (m,) clearance of edges, m
    costs: Floats  # (m,) cost of a metre, at least 1
    out_offsets: Ints  # (n + 1,)
    out: Ints  # (h,) half-edges that leave each vertex
    turn_offsets: Ints  # (h + 1,)
    turn_from: Ints  # (t,) half-edge that enters a vertex
    turn_to: Ints  # (t,) half-edge that leaves it
    turn_blend: Ints  # (t,)
    turn_cost: Floats  # (t,) from middle to middle
    blend_tangent: Floats  # (k,) m
    blend_clearance: Floats  # (k,) m
    place_box: Floats  # (3,) lower left corner and size of the cells of places, m
    place_shape: Ints  # (2,) columns, rows
    place_offsets: Ints  # (cells + 1,)
    members: Ints  # (n + h,) places by cells
    ends: Ends
    preferred: float  # m, preferred clearance of blends
    off_road: float  # cost of a metre off the roads


class BlendWorkspace(NamedTuple):
    """Scratch memory of a search over lines and arcs. Threads must not share it."""

    cost: Floats  # (h,) to the middle of a half-edge
    arrival: Ints  # (h,) turn by which the path arrives; -2 - k: the start's joint of kind k
    reached: Ints  # (h,) query that reached it
    settled: Ints  # (h,) query that settled it
    start_state: Ints  # (n + h,) visibility of a place from the start
    start_clear: Floats  # (n + h,) clearance of the line to it, m
    goal_state: Ints  # (n + h,) likewise
    goal_clear: Floats  # (n + h,)
    component: Ints  # (n,) last query with places around its goal in this component
    keys: Floats  # heap: lower bounds
    queue: NDArray[np.int32]  # heap: entries
    found: Ints  # places around a point
    corners: Floats  # (c, 10) corners of the path
    query: Ints  # (1,) number of the query


class BlendSolver(RoadSolver):
    """Searches a roadmap with blends; corridors, followers and crowds use its straight roads.

    Attributes:
        blends: of the roadmap's turns.

    """

    can_widen = False

    def __init__(self, roadmap: Roadmap) -> None:
        super().__init__(roadmap)
        straight = straightened(roadmap.in_effect)
        self.blends = blends(straight)
        self._net = _net(straight, self.blends)
        self._exact: Solver | None = None
        self._lock = threading.Lock()

    def solve(
        self,
        start: Floats,
        goal: Floats,
        radius: float,
        *,
        shortcut: bool = True,
        index: Index | None = None,
    ) -> Solution:
        """Answer one query; with an `index` with narrowed edges, on its straight roads alone.

        Raises:
            BadQuery: a point in a wall.
            NoPath: the exact map has no path; says why.

        """
        if index is not None:
            return super().solve(start, goal, radius, shortcut=shortcut, index=index)
        found = self._solve_on_net(start, goal, radius, shortcut=shortcut)
        return found if found.status != NOWHERE else self._solve_exactly(start, goal, radius)

    @property
    def exact(self) -> Solver:
        """Solver of the exact map of the roadmap's walls; built on first use."""
        with self._lock:
            if self._exact is None:
                self._exact = Solver(exact_index(self.roadmap.in_effect))
            return self._exact

    def _solve_on_net(
        self, start: Floats, goal: Floats, radius: float, *, shortcut: bool
    ) -> Solution:
        """Solve on the roadmap; NOWHERE if it has no answer."""
        workspace = self._blend_workspace
        while True:
            out = self._local.out
            status, n, length, clearance = solve_blended(
                start[0], start[1], goal[0], goal[1], radius, shortcut, out, self._net, workspace,
                self.index.grid,
            )  # fmt: skip
            if status != FULL:
                return Solution(status, out[:n].copy(), length, clearance, -1, "roadmap")
            self._local.out = np.empty((4 * len(out), 9))

    def _solve_exactly(self, start: Floats, goal: Floats, radius: float) -> Solution:
        """Solve on the exact map; with a larger radius if snapping its walls costs clearance.

        Clearance is measured against the original walls.
        """
        path = queries.path(self.exact, start, goal, radius, None)
        clearance = self._clearance(path)
        if clearance < radius - TOUCH:
            try:
                path = queries.path(self.exact, start, goal, radius + GRID, None)
            except NoPath:
                raise self._too_tight(start, goal, radius) from None
            clearance = self._clearance(path)
        if clearance < radius - TOUCH:
            raise self._too_tight(start, goal, radius)
        return Solution(FOUND, path.pieces, path.length, clearance, -1, path.method)

    def _too_tight(self, start: Floats, goal: Floats, radius: float) -> NoPath:
        """Return the error for a path that fits between the snapped walls only."""
        pinch = queries.bottleneck(self.exact, start, goal)
        return NoPath(
            f"a disc of radius {radius:g} m does not get from {as_text(start)} to {as_text(goal)}: "
            f"the widest way is as narrow as the disc at {as_text(pinch.at)}; use a radius that is "
            f"{2.0 * GRID:g} m smaller",
            reason="pinch",
            pinch=pinch,
        )

    def _clearance(self, path: TautPath) -> float:
        measured = float(polyline_clearance(path.points, self.index.grid))
        return path.clearance if measured >= path.clearance - TOUCH else measured

    @property
    def _blend_workspace(self) -> BlendWorkspace:
        """Scratch memory of the calling thread."""
        try:
            return self._local.blend_workspace  # type: ignore[no-any-return]
        except AttributeError:
            self._local.blend_workspace = _make_workspace(self._net)
            self._local.out = np.empty((_PIECES, 9))
            return self._local.blend_workspace  # type: ignore[no-any-return]

    def _solve_batch(self, starts: Floats, goals: Floats, radius: float) -> list[Solution]:
        return [self._solve_or_not(a, b, radius) for a, b in zip(starts, goals, strict=True)]

    def _solve_or_not(self, start: Floats, goal: Floats, radius: float) -> Solution:
        try:
            return self.solve(start, goal, radius)
        except (BadQuery, NoPath):
            return Solution(APART, np.empty((0, 9)), 0.0, 0.0, -1)


# -- the net ---------------------------------------------------------------------------------


def straightened(roadmap: Roadmap) -> Roadmap:
    """Return the roadmap with a vertex at each bend of a local path."""
    size = np.diff(roadmap.path_offsets)
    if (size == 2).all():
        return roadmap
    is_end = np.zeros(len(roadmap.path_points), bool)
    is_end[roadmap.path_offsets[:-1]] = is_end[roadmap.path_offsets[1:] - 1] = True
    number = np.empty(len(is_end), np.int64)
    number[roadmap.path_offsets[:-1]], number[roadmap.path_offsets[1:] - 1] = roadmap.edges.T
    number[~is_end] = roadmap.n_nodes + np.arange((~is_end).sum())
    last = np.zeros(len(is_end), bool)
    last[roadmap.path_offsets[1:] - 1] = True
    first = np.flatnonzero(~last)
    edges = np.column_stack([number[first], number[first + 1]])
    nodes = np.concatenate([roadmap.nodes, roadmap.path_points[~is_end]])
    return roadmap.with_changes(
        nodes=nodes,
        edges=edges,
        path_points=nodes[edges].reshape(-1, 2),
        path_offsets=np.arange(0, 2 * len(edges) + 1, 2),
        weights=np.repeat(roadmap.weights, size - 1),
    )


def _net(roadmap: Roadmap, found: Blends) -> Net:
    halves = half_edges(roadmap)
    lengths, rate = halves.lengths[::2].copy(), _costs(roadmap.weights)
    out = np.argsort(halves.tails, kind="stable")
    degree = np.bincount(halves.tails, minlength=roadmap.n_nodes)
    quarter = 0.25 * halves.lengths[:, None] * halves.directions
    places = np.concatenate([roadmap.nodes, roadmap.nodes[halves.tails] + quarter])
    box, shape = _place_cells(roadmap)
    offsets, _, members = binned(places, box[:2], float(box[2]), shape)
    turns, component = _turns(roadmap, found), roadmap.component
    return Net(
        places=places,
        components=np.concatenate([component, component[halves.tails]]),
        tails=halves.tails,
        directions=halves.directions,
        middles=np.ascontiguousarray(roadmap.nodes[roadmap.edges].mean(axis=1)),
        lengths=lengths,
        clearances=edge_distance(roadmap),
        costs=rate,
        out_offsets=np.concatenate([[0], np.cumsum(degree)]),
        out=out,
        turn_offsets=turns.offsets,
        turn_from=turns.come,
        turn_to=turns.leave,
        turn_blend=turns.blend,
        turn_cost=_turn_costs(turns, found, lengths, rate),
        blend_tangent=found.tangent,
        blend_clearance=found.clearance,
        place_box=box,
        place_shape=shape,
        place_offsets=offsets,
        members=members,
        ends=ends_of(roadmap.space.walls),
        preferred=wanted_clearance(roadmap),
        off_road=1.0 / min(1.0, float(roadmap.weights.min(initial=1.0))),
    )


def _costs(weights: Floats) -> Floats:
    """Cost of a metre of each edge, scaled so that no cost is below the length."""
    return np.ascontiguousarray(weights / min(1.0, float(weights.min(initial=1.0))))


def _place_cells(roadmap: Roadmap) -> tuple[Floats, Ints]:
    """Box and shape of cells that hold one vertex on average."""
    low, extent = roadmap.nodes.min(axis=0), np.ptp(roadmap.nodes, axis=0)
    size = max(float(np.sqrt(extent.prod() / roadmap.n_nodes)), float(extent.max()) / 1024, TOUCH)
    return np.array([*low, size]), np.floor(extent / size).astype(np.int64) + 1


class _Turns(NamedTuple):
    """Both directions of all blends, sorted by the half-edge that enters the vertex."""

    offsets: Ints  # (h + 1,)
    come: Ints  # (t,)
    leave: Ints  # (t,)
    blend: Ints  # (t,)


def _turns(roadmap: Roadmap, found: Blends) -> _Turns:
    # The half-edge that leaves the vertex along each edge; its twin enters the vertex.
    leaves = 2 * found.edges + (roadmap.edges[found.edges, 0] != found.vertex[:, None])
    come = np.concatenate([leaves[:, 0], leaves[:, 1]]) ^ 1
    leave = np.concatenate([leaves[:, 1], leaves[:, 0]])
    blend = np.tile(np.arange(len(leaves)), 2)
    order = np.argsort(come, kind="stable")
    count = np.bincount(come, minlength=2 * roadmap.n_edges)
    offsets = np.concatenate([[0], np.cumsum(count)])
    return _Turns(offsets, come[order], leave[order], blend[order])


def _turn_costs(turns: _Turns, found: Blends, lengths: Floats, rate: Floats) -> Floats:
    """Cost of half an edge, a blend and half an edge."""
    one, two, tangent = turns.come // 2, turns.leave // 2, found.tangent[turns.blend]
    bent = found.tangent > 0.0
    arc = np.where(bent, np.where(bent, found.radius, 0.0) * np.abs(found.sweep), 0.0)
    lines = rate[one] * (0.5 * lengths[one] - tangent) + rate[two] * (0.5 * lengths[two] - tangent)
    cost: Floats = lines + 0.5 * (rate[one] + rate[two]) * arc[turns.blend]
    return cost


def _make_workspace(net: Net) -> BlendWorkspace:
    halves, places = len(net.tails), len(net.places)
    heap = len(net.turn_to) + 12 * halves + 2 * places  # every entry at most once
    return BlendWorkspace(
        cost=np.empty(halves),
        arrival=np.empty(halves, np.int64),
        reached=np.zeros(halves, np.int64),
        settled=np.zeros(halves, np.int64),
        start_state=np.zeros(places, np.int64),
        start_clear=np.empty(places),
        goal_state=np.zeros(places, np.int64),
        goal_clear=np.empty(places),
        component=np.zeros(places, np.int64),
        keys=np.empty(heap),
        queue=np.empty(heap, np.int32),
        found=np.empty(_NEAR, np.int64),
        corners=np.empty((halves + 2, 10)),
        query=np.zeros(1, np.int64),
    )
