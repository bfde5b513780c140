"""From a roadmap in the plane to the index that queries, walkers and crowds take.

Clearance is attached to the configurations on the local paths (rrm-roadmaps-2006, section V.B.2):
they become balls, and a point joins the roads in the ball that holds it deepest. Walls are exact.

    Roadmap --> MedialAxis whose pieces are straight, Grid, Fans with balls by cells, Graph
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._jit import one_parallel_kernel, thread_count
from footway.constants import TOUCH
from footway.corridor._locate_kernels import locate_points
from footway.corridor._path_kernels import X0, X1, Y0, Y1
from footway.corridor._roads_kernels import (
    bin_balls,
    contacts,
    line_distances,
    look,
    solve_on_roads,
    wall_distances,
)
from footway.corridor._search_kernels import FULL
from footway.corridor.index import Fans, Grid, Index, String, make_graph, make_grid
from footway.corridor.sampling import subdivide
from footway.corridor.solver import Solution, Solver
from footway.corridor.space_roads import has_next, with_lone_nodes
from footway.errors import BadInput
from footway.medial import MedialAxis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

CLOSEST, WIDEST, SHARE = 0.1, 1.0, 0.25  # m, m, of the clearance: spacing of the balls
_MOST_CELLS = 512  # along the longer side of the map
_MOST_BALLS = 20  # in a cell, of those that hold its centre deepest
_NEAREST = 24  # balls that are looked for where no ball holds a point
_LINES = 4096  # that a thread measures at a time
_SPUR_ROUNDS = (8, 4, 1, 1)  # cells between dead ends that are added, in each round
_PROBES = np.array([(0.5, 0.5), (0.02, 0.02), (0.98, 0.02), (0.02, 0.98), (0.98, 0.98)])
_POINTS = 1024  # of a way before the output grows


class Roads(NamedTuple):
    """Local paths of all edges, cut into short straight pieces."""

    points: Floats  # (m, 2) m
    offsets: Ints  # (ne + 1,)
    turns: Bools  # (m,) whether the point was there before cutting
    rooms: Floats  # (m,) exact distance of the piece that begins here to the walls; inf: none does


class RoadSolver(Solver):
    """Searches the map of a roadmap: paths follow the roads, unless a straight one is free."""

    def __init__(self, index: Index, roads: Roads) -> None:
        super().__init__(index)
        self._roads = roads

    def solve(
        self,
        start: Floats,
        goal: Floats,
        radius: float,
        *,
        shortcut: bool = True,
        index: Index | None = None,
    ) -> Solution:
        """Answer one query; the memory grows until it is enough."""
        ladder, roads = self.ladder, self._roads
        out = self._way
        while True:
            status, n, length, clearance = solve_on_roads(
                start[0], start[1], goal[0], goal[1], radius, shortcut, out,
                index or self.index, ladder, roads.rooms, roads.turns,
            )  # fmt: skip
            if status != FULL:
                return Solution(status, _lines(out[:n]), length, clearance, -1)
            out = self._longer_way(4 * len(out))

    @property
    def _way(self) -> Floats:
        """Scratch memory of the calling thread for the points of a way."""
        try:
            return self._local.way  # type: ignore[no-any-return]
        except AttributeError:
            return self._longer_way(_POINTS)

    def _longer_way(self, count: int) -> Floats:
        self._local.way = np.empty((count, 2))
        return self._local.way  # type: ignore[no-any-return]

    def _solve_batch(self, starts: Floats, goals: Floats, radius: float) -> list[Solution]:
        return [self.solve(a, b, radius) for a, b in zip(starts, goals, strict=True)]


def solver_of(roadmap: Roadmap) -> RoadSolver:
    """Attach clearance to a roadmap in the plane."""
    if not roadmap.n_nodes:
        raise BadInput("the roadmap has no nodes: nothing can be found on it")
    if not len(roadmap.space.walls):
        raise BadInput("the roadmap has no walls: build it from an environment")
    walls = np.ascontiguousarray(roadmap.space.walls)
    grid = make_grid(walls, np.arange(len(walls)), np.zeros((len(walls), 2), np.int64))
    side = float(roadmap.space.resolution)
    lines = _lines_of(roadmap)
    solver = _solver(lines, grid, side)
    for spacing in _SPUR_ROUNDS:
        spurs = _spurs(solver.index, roadmap, spacing)
        if not len(spurs.edges):
            break
        lines = _with_spurs(lines, spurs)
        solver = _solver(lines, grid, side)
    solver.made_for = float(roadmap.space.radius)
    return solver


class _Lines(NamedTuple):
    """A graph with its local paths."""

    nodes: Floats
    edges: Ints
    points: Floats
    offsets: Ints
    weights: Floats


def _lines_of(roadmap: Roadmap) -> _Lines:
    edges, points, offsets = with_lone_nodes(roadmap)
    weights = np.concatenate([roadmap.weights, np.ones(len(edges) - roadmap.n_edges)])
    return _Lines(roadmap.nodes, edges, points, offsets, weights)


def _solver(lines: _Lines, grid: Grid, side: float) -> RoadSolver:
    points = lines.points
    roads = Roads(points, lines.offsets, np.ones(len(points), bool), np.full(len(points), np.inf))
    roads = _cut(_cut(roads, grid), grid)
    axis = _axis(lines.nodes, lines.edges, roads, grid)
    graph = make_graph(axis)
    # Scaled so that no way is cheaper than it is long: the search counts on it.
    cost = lines.weights / min(1.0, float(lines.weights.min()))
    graph = graph._replace(length=graph.length * cost, weight=np.ascontiguousarray(cost))
    fans = _fans(axis, grid, side)
    return RoadSolver(Index(axis, grid, fans, graph, _no_string(axis)), roads)


def _spurs(index: Index, roadmap: Roadmap, spacing: int) -> _Lines:
    """Straight dead ends to corners of free cells with points that no road is wide enough for.

    The object fits everywhere in a free cell, so it gets to the corners of the cell, and each sees
    a node of a roadmap that covers the space. One for each square of `spacing` cells.
    """
    corners = _corners_out_of_reach(index, roadmap)
    _, first = np.unique(corners // spacing, axis=0, return_index=True)
    corners = corners[np.sort(first)]
    places = roadmap.space.positions(np.column_stack([corners, np.zeros(len(corners))]))
    found = []
    for place in places:
        near = np.argsort(np.hypot(*(roadmap.nodes - place).T))
        near = near[np.hypot(*(roadmap.nodes[near] - place).T) > 0.0]
        sees = roadmap.space.lines_are_free(
            np.broadcast_to(place, (len(near), 2)), roadmap.nodes[near]
        )
        if sees.any():
            found.append((int(near[np.argmax(sees)]), place))
    ends = np.array([place for _, place in found]).reshape(-1, 2)
    foot = np.array([node for node, _ in found], np.int64)
    points = np.stack([roadmap.nodes[foot], ends], axis=1).reshape(-1, 2)
    edges = np.column_stack([foot, np.arange(len(foot))])
    return _Lines(ends, edges, points, np.arange(0, 2 * len(foot) + 1, 2), np.ones(len(foot)))


def _corners_out_of_reach(index: Index, roadmap: Roadmap) -> Ints:
    """Corners (n, 2), columns i, j, nearest to probes in free cells that join no road."""
    space = roadmap.space
    j, i = np.nonzero(space.free[0])
    cell = np.column_stack([i, j])
    probes = (cell[:, None] + _PROBES).reshape(-1, 2)
    points = space.positions(np.column_stack([probes, np.zeros(len(probes))]))
    with one_parallel_kernel:
        piece, values = locate_points(
            np.ascontiguousarray(points), index.axis, index.grid, index.fans
        )
    lost = (piece < 0) | (values[:, 3] < space.radius - TOUCH)
    return np.unique(np.rint(probes[lost] - TOUCH).astype(np.int64), axis=0)


def _with_spurs(lines: _Lines, spurs: _Lines) -> _Lines:
    edges = spurs.edges + (0, len(lines.nodes))  # noqa: RUF005  # a sum
    return _Lines(
        np.concatenate([lines.nodes, spurs.nodes]),
        np.concatenate([lines.edges, edges]),
        np.concatenate([lines.points, spurs.points]),
        np.concatenate([lines.offsets, lines.offsets[-1] + spurs.offsets[1:]]),
        np.concatenate([lines.weights, spurs.weights]),
    )


def _cut(roads: Roads, grid: Grid) -> Roads:
    """Cut pieces so that balls on them overlap well; twice, for a long piece has a small room."""
    inside = has_next(roads.offsets)
    after = np.where(inside[:, None], np.roll(roads.points, -1, axis=0), roads.points)
    length = np.hypot(*(after - roads.points).T)
    room = np.full(len(inside), np.inf)
    room[inside] = _line_distances(roads.points[inside], after[inside], grid)
    gap = np.clip(SHARE * room, CLOSEST, WIDEST)
    count = np.maximum(1, np.ceil(length / gap)).astype(np.int64)
    piece, t = subdivide(np.arange(len(count)), count)
    points = roads.points[piece] + t[:, None] * (after[piece] - roads.points[piece])
    first = np.concatenate([[0], np.cumsum(count)])
    offsets = first[roads.offsets[:-1]]
    offsets = np.append(offsets, len(piece))
    inside = has_next(offsets)
    rooms = np.full(len(piece), np.inf)
    rooms[inside] = _line_distances(points[inside], np.roll(points, -1, axis=0)[inside], grid)
    return Roads(points, offsets, (t == 0.0) & roads.turns[piece], rooms)


def _line_distances(starts: Floats, ends: Floats, grid: Grid) -> Floats:
    """Exact, on all cores: the kernel runs without Python's lock."""
    a, b, out = np.ascontiguousarray(starts), np.ascontiguousarray(ends), np.empty(len(starts))
    _in_parts(len(a), lambda part: line_distances(a[part], b[part], grid, out[part]))
    return out


def _in_parts(count: int, work: object) -> None:
    parts = [slice(first, first + _LINES) for first in range(0, count, _LINES)]
    with ThreadPoolExecutor(max_workers=thread_count()) as pool:
        list(pool.map(work, parts))  # type: ignore[arg-type]


def _axis(nodes: Floats, edges: Ints, roads: Roads, grid: Grid) -> MedialAxis:
    points, inside = roads.points, has_next(roads.offsets)
    after = np.where(inside[:, None], np.roll(points, -1, axis=0), points)
    before = np.roll(inside, 1)
    before[0] = False
    course = after - np.where(before[:, None], np.roll(points, 1, axis=0), points)
    touch, wall = np.empty((len(points), 2, 2)), np.empty((len(points), 2), np.int64)
    _in_parts(
        len(points),
        lambda part: contacts(points[part], course[part], grid.walls, touch[part], wall[part]),
    )
    site = np.where(inside[:, None], wall, -1)
    length = np.hypot(*(after - points).T)
    return MedialAxis(
        vertices=nodes,
        edges=edges,
        offsets=roads.offsets,
        events=points,
        clearance=_safe_clearance(roads, length, grid),
        left=np.ascontiguousarray(touch[:, 0]),
        right=np.ascontiguousarray(touch[:, 1]),
        piece_left=np.ascontiguousarray(site[:, 0]),
        piece_right=np.ascontiguousarray(site[:, 1]),
        piece_length=length,
        sites=grid.walls,
        is_point=np.zeros(len(grid.walls), bool),
        two_sided=np.ones(len(grid.walls), bool),
    )


def _safe_clearance(roads: Roads, length: Floats, grid: Grid) -> Floats:
    """Clearance of the events such that a straight line between two is nowhere too high.

    The distance to the walls bends upward by no more than 1 / distance, so on a piece of length h
    it falls below the line between its ends by h^2 / 8 d at the most; and nowhere on an edge is it
    below the edge's least.
    """
    distance = np.empty(len(roads.points))
    wall_distances(roads.points, grid, distance)
    inside = has_next(roads.offsets)
    sag = np.where(inside, length**2 / (8.0 * np.maximum(roads.rooms, 1e-9)), 0.0)
    sag = np.maximum(sag, np.where(np.roll(inside, 1), np.roll(sag, 1), 0.0))
    least = np.minimum.reduceat(roads.rooms, roads.offsets[:-1])
    least = np.repeat(np.maximum(least, 0.0), np.diff(roads.offsets))
    raised = distance - sag < least
    clearance = np.where(raised, np.minimum(least, distance), distance - sag)
    for end in (0, 1):  # beside a raised one, the least of the piece will do
        piece = np.flatnonzero(inside & (raised | np.roll(raised, -1)))
        clearance[piece + end] = np.minimum(clearance[piece + end], roads.rooms[piece])
    return clearance


def _fans(axis: MedialAxis, grid: Grid, resolution: float) -> Fans:
    balls = np.column_stack([axis.events, axis.clearance])
    extent = grid.box[2] * grid.shape
    size = max(resolution, float(extent.max()) / _MOST_CELLS)
    box = np.array([*grid.box[:2], size])
    shape = np.floor(extent / size).astype(np.int64) + 1
    _, chosen = np.unique(axis.events.view(np.complex128).ravel(), return_index=True)
    members = np.full((int(shape.prod()), _MOST_BALLS), -1)
    depths = np.full(members.shape, -np.inf)
    bin_balls(balls, chosen, box, shape, members, depths)
    cells, slots = np.nonzero(members >= 0)
    more_cells, more = _in_sight(balls, chosen, box, shape, depths[:, 0], grid)
    order = np.argsort(np.concatenate([cells, more_cells]), kind="stable")
    found = np.concatenate([members[cells, slots], more])[order]
    size_of = np.bincount(np.concatenate([cells, more_cells]), minlength=len(members))
    offsets = np.concatenate([[0], np.cumsum(size_of)])
    none, last = np.empty(0), axis.piece_left < 0
    pieces = np.where(last, np.arange(len(balls)) - 1, np.arange(len(balls)))
    return Fans(
        np.empty(0, np.int64), none, none, pieces, axis.sites, axis.is_point, axis.two_sided,
        balls, box, shape, offsets, found.astype(np.int32),
    )  # fmt: skip


def _in_sight(
    balls: Floats, chosen: Ints, box: Floats, shape: Ints, depth: Floats, grid: Grid
) -> tuple[Ints, Ints]:
    """Cells with points that no ball holds, and balls that such points see straight."""
    from scipy.spatial import cKDTree

    dark = np.flatnonzero(depth < box[2] * np.sqrt(0.5))
    corner = np.column_stack([dark % shape[0], dark // shape[0]])
    shares = np.array([(0.5, 0.5), (0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)])
    probes = (box[:2] + (corner[:, None] + shares) * box[2]).reshape(-1, 2)
    cell = np.repeat(dark, len(shares))
    sample = _spread(balls, chosen, box[2])
    _, near = cKDTree(balls[sample, :2]).query(probes, k=min(_NEAREST, len(sample)))
    near = np.ascontiguousarray(sample[near.reshape(len(probes), -1)])
    found = np.empty(len(probes), np.int64)
    _in_parts(len(probes), lambda part: look(probes[part], near[part], balls, grid, found[part]))
    pairs = np.unique(np.column_stack([cell, found])[found >= 0], axis=0)
    return pairs[:, 0], pairs[:, 1]


def _spread(balls: Floats, chosen: Ints, size: float) -> Ints:
    """Balls of which no two are in one square of four cells: the widest of each."""
    square = np.floor(balls[chosen, :2] / (2.0 * size)).astype(np.int64)
    order = np.argsort(-balls[chosen, 2], kind="stable")
    _, first = np.unique(square[order], axis=0, return_index=True)
    return chosen[order[first]]


def _no_string(axis: MedialAxis) -> String:
    nothing = np.full(len(axis.events), -1, np.int32)
    beads, ahead = np.empty((0, 3), np.int32), np.empty((0, 2), np.int32)
    offsets = np.zeros(2 * len(axis.edges) + 1, np.int64)
    return String(offsets, beads, np.empty((0, 2)), ahead, nothing, nothing)


def _lines(way: Floats) -> Floats:
    """Pieces of a TautPath along a polyline."""
    pieces = np.zeros((max(0, len(way) - 1), 9))
    pieces[:, X0 : Y0 + 1], pieces[:, X1 : Y1 + 1] = way[:-1], way[1:]
    return pieces
