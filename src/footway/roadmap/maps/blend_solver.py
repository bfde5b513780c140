"""Answer queries on a roadmap with blends: paths of lines and arcs.

voronoi-roadmaps-2004, sections 2.4 and 2.5. Paths are C1: start and goal are joined to the roadmap
with blends too. If no straight line reaches the roadmap, the exact map of its walls is used.

    Roadmap --blends--> BlendNetwork (places, half-edges, turns) --> BlendSolver
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.bins import rows_by_key
from footway._numba.portable_math import cos, hypot, sin
from footway.constants import GRID, TOUCH
from footway.corridor.index import build_index
from footway.corridor.kernels.layouts import APART, FOUND, NOWHERE
from footway.corridor.kernels.path import polyline_clearance
from footway.corridor.map import CorridorMap
from footway.corridor.points import locate
from footway.corridor.search import Solution
from footway.environment import Environment, Walls
from footway.errors import BadQuery, NoPath
from footway.medial import MedialAxis, medial_axis
from footway.roadmap.kernels.blend_search import solve_blended
from footway.roadmap.kernels.layouts import BlendNetwork, BlendWorkspace, CellWalls
from footway.roadmap.maps.conversion import RoadSolver
from footway.roadmap.roadmap import components, has_next
from footway.roadmap.voronoi.blends import (
    bin_points,
    bin_wall_ends,
    blends,
    desired_clearance,
    edge_distance,
    half_edges,
)
from footway.validation import as_text

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.kernels.layouts import Grid, Index
    from footway.corridor.path import TautPath
    from footway.corridor.search import Point
    from footway.roadmap import Blends, Roadmap


_SAGITTA = 1e-3  # m, between arcs and their chords in corridors
_PIECES = 512  # initial capacity: lines and arcs of a path
_NEAR = 1024  # most places around a start or goal
_MARGIN = 1.0  # m, of free space added around the walls; its part of the exact map is dropped again


class BlendSolver(RoadSolver):
    """Searches a roadmap with blends; corridors, followers and crowds use them, too.

    Attributes:
        blends: of the roadmap's turns.
        corner_edges: (ne,) edges of the map that end in a corner, beside an arc around it.
    """

    can_widen = False

    def __init__(self, roadmap: Roadmap) -> None:
        straight = straightened(roadmap.in_effect)
        self.blends = blends(straight)
        along, corners = smoothed(straight, self.blends)
        super().__init__(roadmap, along)
        self.corner_edges = np.zeros(len(self.index.graph.edges), bool)
        self.corner_edges[: len(corners)] = corners
        self._network = _make_network(straight, self.blends, self.index.grid)
        self._exact: CorridorMap | None = None
        self._lock = threading.Lock()

    def solve(
        self,
        start: Floats | Point,
        goal: Floats | Point,
        radius: float,
        *,
        shortcut: bool = True,
        index: Index | None = None,
    ) -> Solution:
        """Answer one query; with an `index` with narrowed edges, on its straight roads alone."""
        if index is not None:
            return super().solve(start, goal, radius, shortcut=shortcut, index=index)
        workspace = self._blend_workspace
        while True:
            out = self._local.out
            status, n, length, clearance = solve_blended(
                start[0], start[1], goal[0], goal[1], radius, shortcut, out, self._network,
                workspace, self.index.grid,
            )  # fmt: skip
            if status == FOUND:
                return Solution(FOUND, out[:n].copy(), length, clearance, (), "roadmap")
            if status == NOWHERE:
                return self._solve_exactly(start, goal, radius)
            self._local.out = np.empty((4 * len(out), 9))

    @property
    def exact(self) -> CorridorMap:
        """Exact map of the roadmap's walls; built on first use."""
        with self._lock:
            if self._exact is None:
                self._exact = CorridorMap(_exact_index(self.roadmap.in_effect))
            return self._exact

    def _solve_exactly(
        self, start: Floats | Point, goal: Floats | Point, radius: float
    ) -> Solution:
        """Solve on the exact map; with a larger radius if snapping its walls costs clearance.

        Clearance is measured against the original walls.
        """
        refusal: BadQuery | NoPath | None = None
        for wider in (radius, radius + GRID):
            try:
                path = self.exact.path(start, goal, radius=wider)
            except (BadQuery, NoPath) as error:
                refusal = error if wider == radius else None
                break
            clearance = self._clearance(path)
            if clearance >= radius - TOUCH:
                return Solution(FOUND, path.pieces, path.length, clearance, (), path.method)
        refusal = refusal or self._too_tight(start, goal, radius)
        return Solution(APART, np.empty((0, 9)), 0.0, 0.0, refusal=refusal)

    def _too_tight(self, start: Floats | Point, goal: Floats | Point, radius: float) -> NoPath:
        """Return the error for a path that fits between the snapped walls only."""
        pinch = self.exact.bottleneck(start, goal)
        return NoPath(
            f"a disc of radius {radius:g} m does not get from {as_text(start)} to {as_text(goal)}: "
            f"the widest path is as narrow as the disc at {as_text(pinch.at)}; use a radius "
            f"that is {2.0 * GRID:g} m smaller",
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
            self._local.blend_workspace = _make_workspace(self._network)
            self._local.out = np.empty((_PIECES, 9))
            return self._local.blend_workspace  # type: ignore[no-any-return]


# -- the network -------------------------------------------------------------------------------


def straightened(roadmap: Roadmap) -> Roadmap:
    """Return the roadmap with a vertex at each bend of a local path."""
    size = np.diff(roadmap.path_offsets)
    if (size == 2).all():
        return roadmap
    firsts, lasts = roadmap.path_offsets[:-1], roadmap.path_offsets[1:] - 1
    is_inner = np.ones(len(roadmap.path_points), bool)
    is_inner[firsts] = is_inner[lasts] = False
    vertex = np.empty(len(is_inner), np.int64)
    vertex[firsts], vertex[lasts] = roadmap.edges.T
    vertex[is_inner] = roadmap.n_nodes + np.arange(is_inner.sum())
    begins = np.flatnonzero(has_next(roadmap.path_offsets))
    edges = np.column_stack([vertex[begins], vertex[begins + 1]])
    nodes = np.concatenate([roadmap.nodes, roadmap.path_points[is_inner]])
    return roadmap.with_changes(
        nodes=nodes,
        edges=edges,
        path_points=nodes[edges].reshape(-1, 2),
        path_offsets=np.arange(0, 2 * len(edges) + 1, 2),
        weights=np.repeat(roadmap.weights, size - 1),
    )


def smoothed(roadmap: Roadmap, found: Blends) -> tuple[Roadmap, Bools]:
    """Return the straight roadmap with the arcs of its blends, and which edges end in a corner.

    Its edges are cut where arcs begin, so that arcs and lines that meet have the same tangent.
    Arcs are shorter than corners: a shortest path has corners only near its ends.
    """
    if not roadmap.n_edges:
        return roadmap, np.zeros(0, bool)
    lengths = hypot(*(roadmap.nodes[roadmap.edges[:, 1]] - roadmap.nodes[roadmap.edges[:, 0]]).T)
    bent = np.flatnonzero(found.tangent > 0.0)
    # Place of both ends of each arc, m along their edges.
    on, tangent = found.edges[bent], found.tangent[bent, None]
    at = np.where(roadmap.edges[on, 0] == found.vertex[bent, None], tangent, lengths[on] - tangent)
    edge = np.concatenate([np.repeat(np.arange(roadmap.n_edges), 2), on.ravel()])
    place = np.concatenate([np.column_stack([0.0 * lengths, lengths]).ravel(), at.ravel()])
    order = np.lexsort((place, edge))
    is_new = np.append(True, (np.diff(edge[order]) > 0) | (np.diff(place[order]) > TOUCH))
    cut = np.empty(len(order), np.int64)  # number of the cut of each place
    cut[order] = np.cumsum(is_new) - 1
    first = order[is_new]
    share = (place[first] / lengths[edge[first]])[:, None]
    ends = roadmap.nodes[roadmap.edges[edge[first]]]
    # Cuts at the ends of an edge are its vertices; the others are new nodes.
    node = roadmap.n_nodes + np.arange(len(first))
    node[cut[: 2 * roadmap.n_edges]] = roadmap.edges.ravel()
    used = np.union1d(np.arange(roadmap.n_nodes), node)
    node = np.searchsorted(used, node)
    nodes = np.concatenate([roadmap.nodes, ends[:, 0] + share * (ends[:, 1] - ends[:, 0])])[used]
    whole = np.flatnonzero(edge[first][1:] == edge[first][:-1])  # from a cut to the next one
    lines = np.column_stack([node[whole], node[whole + 1]])
    arcs = node[cut[2 * roadmap.n_edges :].reshape(-1, 2)]
    points, sizes = _arc_points(nodes[arcs[:, 0]], found.centre[bent], found, bent)
    points[np.cumsum(sizes) - 1] = nodes[arcs[:, 1]]
    weights, of_line = roadmap.weights, edge[first][whole]
    smooth = roadmap.with_changes(
        nodes=nodes,
        edges=np.concatenate([lines, arcs]),
        path_points=np.concatenate([nodes[lines].reshape(-1, 2), points]),
        path_offsets=np.concatenate([[0], np.cumsum(np.append(np.full(len(lines), 2), sizes))]),
        weights=np.concatenate([weights[of_line], weights[on].mean(axis=1)]),
    )
    straight = np.zeros(len(used), bool)  # vertices that are passed without an arc
    degree = np.bincount(roadmap.edges.ravel(), minlength=roadmap.n_nodes)
    passed = np.concatenate([found.vertex[found.tangent == 0.0], np.flatnonzero(degree == 1)])
    straight[passed] = True
    is_corner = ~straight & (used < roadmap.n_nodes)
    return smooth, np.append(is_corner[lines].any(axis=1), np.zeros(len(arcs), bool))


def _arc_points(begin: Floats, centre: Floats, found: Blends, bent: Ints) -> tuple[Floats, Ints]:
    """Return points on arcs from their beginnings (k, 2), and how many on each arc (k,)."""
    sweep, radius = found.sweep[bent], found.radius[bent]
    chords = np.ceil(np.abs(sweep) * np.sqrt(radius / (8.0 * _SAGITTA))).astype(np.int64)
    chords = np.maximum(chords, 1)
    arc = np.repeat(np.arange(len(bent)), chords + 1)
    step = np.arange(len(arc)) - (np.cumsum(chords + 1) - chords - 1)[arc]
    angle, arm = sweep[arc] * step / chords[arc], (begin - centre)[arc]
    sine, cosine = sin(angle), cos(angle)
    x, y = arm.T
    return centre[arc] + np.column_stack([cosine * x - sine * y, sine * x + cosine * y]), chords + 1


def _make_network(roadmap: Roadmap, found: Blends, grid: Grid) -> BlendNetwork:
    halves = half_edges(roadmap)
    lengths, lowest = halves.lengths[::2].copy(), float(roadmap.weights.min(initial=1.0))
    # Scaled so that no cost is below the length: the lower bounds of the search rely on it.
    costs = np.ascontiguousarray(roadmap.weights / min(1.0, lowest))
    out_offsets, out = rows_by_key(halves.tails, roadmap.n_nodes)
    quarter = 0.25 * halves.lengths[:, None] * halves.directions
    places = np.concatenate([roadmap.nodes, roadmap.nodes[halves.tails] + quarter])
    low, extent = roadmap.nodes.min(axis=0), np.ptp(roadmap.nodes, axis=0)
    one_vertex = float(np.sqrt(extent.prod() / roadmap.n_nodes))
    size = max(one_vertex, float(extent.max()) / 1024, TOUCH)
    shape = np.floor(extent / size).astype(np.int64) + 1
    place_offsets, members = bin_points(places, low, size, shape)
    # A turn for both directions of each blend, sorted by the half-edge that enters the vertex.
    leaves = 2 * found.edges + (roadmap.edges[found.edges, 0] != found.vertex[:, None])
    enters = np.concatenate([leaves[:, 0], leaves[:, 1]]) ^ 1
    turn_offsets, order = rows_by_key(enters, 2 * roadmap.n_edges)
    turn_from, turn_to = enters[order], np.concatenate([leaves[:, 1], leaves[:, 0]])[order]
    turn_blend = np.tile(np.arange(len(leaves)), 2)[order]
    return BlendNetwork(
        places=places,
        components=np.concatenate([roadmap.component, roadmap.component[halves.tails]]),
        tails=halves.tails, directions=halves.directions,
        middles=np.ascontiguousarray(roadmap.nodes[roadmap.edges].mean(axis=1)), lengths=lengths,
        clearances=edge_distance(roadmap), costs=costs, out_offsets=out_offsets, out=out,
        turn_offsets=turn_offsets, turn_from=turn_from, turn_to=turn_to, turn_blend=turn_blend,
        turn_cost=_turn_costs(turn_from // 2, turn_to // 2, turn_blend, found, lengths, costs),
        blend_tangent=found.tangent, blend_clearance=found.clearance,
        place_box=np.array([*low, size]), place_shape=shape, place_offsets=place_offsets,
        members=members, ends=bin_wall_ends(roadmap.space.walls),
        walls=CellWalls(grid.box, grid.shape, grid.offsets, grid.candidates, grid.walls),
        preferred=desired_clearance(roadmap), off_road=1.0 / min(1.0, lowest),
    )  # fmt: skip


def _turn_costs(
    one: Ints, two: Ints, blend: Ints, found: Blends, lengths: Floats, costs: Floats
) -> Floats:
    """Return the cost of half of edge `one`, a blend and half of edge `two`, (t,) each."""
    tangent, bent = found.tangent[blend], found.tangent > 0.0
    arc = np.where(bent, np.where(bent, found.radius, 0.0) * np.abs(found.sweep), 0.0)
    first, last = 0.5 * lengths[one] - tangent, 0.5 * lengths[two] - tangent
    lines = costs[one] * first + costs[two] * last
    return lines + 0.5 * (costs[one] + costs[two]) * arc[blend]


def _make_workspace(network: BlendNetwork) -> BlendWorkspace:
    halves, places = len(network.tails), len(network.places)
    heap = len(network.turn_to) + 12 * halves + 2 * places  # every entry at most once
    return BlendWorkspace(
        cost=np.empty(halves), arrival=np.empty(halves, np.int64),
        reached=np.zeros(halves, np.int64), settled=np.zeros(halves, np.int64),
        start_state=np.zeros(places, np.int64), start_clear=np.empty(places),
        goal_state=np.zeros(places, np.int64), goal_clear=np.empty(places),
        component=np.zeros(places, np.int64), keys=np.empty(heap), queue=np.empty(heap, np.int32),
        found=np.empty(_NEAR, np.int64), corners=np.empty((halves + 2, 10)),
        query=np.zeros(1, np.int64),
    )  # fmt: skip


# -- the exact map -----------------------------------------------------------------------------


def _exact_index(roadmap: Roadmap) -> Index:
    """Return the index of the exact map of the walls, without parts that the roadmap lacks."""
    index = build_index(_axis_of_walls(roadmap.space.walls))
    axis = index.axis
    j, i = np.nonzero(roadmap.space.free[0])
    centres = roadmap.space.positions(np.column_stack([i + 0.5, j + 0.5, np.zeros(len(i))]))
    points = np.concatenate([roadmap.nodes, centres])
    pieces, _ = locate(points, index)
    component = components(axis.edges, len(axis.vertices))[axis.edges[:, 0]]
    edges = index.graph.edge_of[pieces[pieces >= 0]]
    served = np.isin(component, component[edges])
    return index if served.all() else build_index(_with_edges(axis, served))


def _axis_of_walls(walls: Floats) -> MedialAxis:
    """Return the medial axis on both sides of the walls: roadmaps do not store which is free."""
    is_point = (walls[:, :2] == walls[:, 2:]).all(axis=1)
    segments, points = walls[~is_point], walls[is_point, :2]
    if np.abs(walls - np.rint(walls / GRID) * GRID).max() <= TOUCH:
        return medial_axis(Walls(segments, np.ones(len(segments), bool), points))
    # Fake obstacles are off the grid and may cross walls: snap them, and split them at crossings.
    corners = np.concatenate([segments.reshape(-1, 2), points])
    low, high = corners.min(axis=0) - _MARGIN, corners.max(axis=0) + _MARGIN
    snapped = Environment.from_polygons(
        bounds=(*low.tolist(), *high.tolist()), lines=segments.reshape(-1, 2, 2), points=points
    )
    return medial_axis(snapped.walls)


def _with_edges(axis: MedialAxis, kept: Bools) -> MedialAxis:
    """Return the axis with only the kept edges."""
    size = np.diff(axis.offsets)
    event = np.repeat(kept, size)
    used, edges = np.unique(axis.edges[kept], return_inverse=True)
    of_events = (
        "events", "clearance", "left", "right", "piece_left", "piece_right", "piece_length",
    )  # fmt: skip
    return axis._replace(
        vertices=axis.vertices[used],
        edges=np.ascontiguousarray(edges.reshape(-1, 2)),
        offsets=np.concatenate([[0], np.cumsum(size[kept])]),
        **{name: np.ascontiguousarray(getattr(axis, name)[event]) for name in of_events},
    )
