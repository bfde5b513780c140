"""Convert a roadmap in the plane to the index that queries, followers and crowds use.

Clearance is attached to the configurations on the local paths (rrm-roadmaps-2006, section V.B.2):
they become balls, and a point is joined to the ball that contains it deepest. Walls are exact.

    Roadmap --> MedialAxis of straight pieces, Grid, CellBoundaries with balls by cells, Graph
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.constants import TOUCH
from footway.corridor.index import (
    CellBoundaries,
    CornerSequence,
    Grid,
    Index,
    make_graph,
    make_grid,
)
from footway.corridor.kernels.path import X0, X1, Y0, Y1
from footway.corridor.kernels.search import FULL
from footway.corridor.kernels.wall_grid import line_distances, wall_distances
from footway.corridor.sampling import subdivide
from footway.corridor.solver import Solution, Solver
from footway.errors import BadInput
from footway.medial import MedialAxis
from footway.roadmap import explain
from footway.roadmap.ball_grid import Joining
from footway.roadmap.kernels.roads import contacts, solve_on_roads
from footway.roadmap.parallel import in_parts
from footway.roadmap.roadmap import has_next
from footway.roadmap.space_index import with_lone_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.errors import BadQuery, NoPath
    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

CLOSEST, WIDEST, SHARE = 0.1, 1.0, 0.25  # m, m, of the clearance: spacing of the balls
_LINES = 4096  # lines per task of a thread
_SPUR_ROUNDS = (8, 4, 1, 1)  # spacing of added dead ends in each round, cells
_EVENTS = 1 << 12  # initial capacity: events of a path


class Roads(NamedTuple):
    """Local paths of all edges, cut into short straight pieces."""

    points: Floats  # (m, 2) m
    offsets: Ints  # (ne + 1,)
    turns: Bools  # (m,) whether the point is one of the local path, not of the cutting
    piece_clearance: Floats  # (m,) of the piece that begins here, m, exact; inf at an edge's end
    clearance: Floats  # (m,) m; interpolating between two events never overestimates


class RoadSolver(Solver):
    """Searches the map of a roadmap in the plane: paths follow the roads, or a free line.

    Attributes:
        roadmap: the roadmap that the map was made from, with its fake obstacles.

    """

    def __init__(self, roadmap: Roadmap) -> None:
        index, self._roads = _index_and_roads(roadmap.in_effect)
        super().__init__(index)
        self.roadmap = roadmap
        self.made_for = float(roadmap.space.radius)

    def explain_unlocated_end(
        self, what: str, point: Floats, contact: Floats, radius: float
    ) -> BadQuery | NoPath:
        """Return the error for a start or goal that joins no road."""
        return explain.out_of_reach(self.roadmap, self.index.grid, what, point, contact, radius)

    def _try(
        self, start: Floats, goal: Floats, radius: float, index: Index, *, shortcut: bool
    ) -> Solution | None:
        events, points = self._buffers
        status, n, length, clearance = solve_on_roads(
            start[0], start[1], goal[0], goal[1], radius, shortcut, events, points,
            index, self.ladder, self._roads.piece_clearance, self._roads.turns,
        )  # fmt: skip
        if status == FULL:
            self._grow_buffers(4 * len(events))
            return None
        return Solution(status, _lines(points[:n]), length, clearance, -1, "roadmap")

    @property
    def _buffers(self) -> tuple[Ints, Floats]:
        """Scratch memory of the calling thread for the events and points of a path."""
        try:
            return self._local.buffers  # type: ignore[no-any-return]
        except AttributeError:
            self._grow_buffers(_EVENTS)
            return self._local.buffers  # type: ignore[no-any-return]

    def _grow_buffers(self, count: int) -> None:
        self._local.buffers = np.empty(count, np.int64), np.empty((count + 3, 2))

    def _solve_batch(self, starts: Floats, goals: Floats, radius: float) -> list[Solution]:
        return [self.solve(a, b, radius) for a, b in zip(starts, goals, strict=True)]


def _index_and_roads(roadmap: Roadmap) -> tuple[Index, Roads]:
    """Attach clearance to a roadmap in the plane."""
    if not roadmap.n_nodes:
        raise BadInput("the roadmap has no nodes: nothing can be found on it")
    if not len(roadmap.space.walls):
        raise BadInput("the roadmap has no walls: build it from an environment")
    walls = np.ascontiguousarray(roadmap.space.walls)
    grid = make_grid(walls, np.arange(len(walls)), np.zeros((len(walls), 2), np.int64))
    lines = _lines_of(roadmap)
    roads = _cut_and_measured(lines, grid)
    joining, least = Joining(roadmap.space, grid), float(roadmap.space.radius) - TOUCH
    corners = joining.corners_out_of_reach(roads, least)
    for spacing in _SPUR_ROUNDS:
        spurs = _spurs(corners, roadmap, spacing)
        if not len(spurs.edges):
            break
        lines = _with_spurs(lines, spurs)
        roads = _joined(roads, _cut_and_measured(spurs, grid))
        corners = joining.corners_out_of_reach(roads, least)
    return _index(lines, roads, joining.fans, grid), roads


class _Lines(NamedTuple):
    """A graph with its local paths; fields as in Roadmap."""

    nodes: Floats
    edges: Ints
    points: Floats
    offsets: Ints
    weights: Floats


def _lines_of(roadmap: Roadmap) -> _Lines:
    edges, points, offsets = with_lone_nodes(roadmap)
    weights = np.concatenate([roadmap.weights, np.ones(len(edges) - roadmap.n_edges)])
    return _Lines(roadmap.nodes, edges, points, offsets, weights)


def _index(lines: _Lines, roads: Roads, fans: CellBoundaries, grid: Grid) -> Index:
    axis = _axis(lines.nodes, lines.edges, roads, grid)
    graph = make_graph(axis)
    # Scaled so that no cost is below the length: the lower bounds of the search rely on it.
    cost = lines.weights / min(1.0, float(lines.weights.min()))
    graph = graph._replace(length=graph.length * cost, weight=np.ascontiguousarray(cost))
    return Index(axis, grid, fans, graph, _empty_corner_sequence(axis))


def _spurs(corners: Ints, roadmap: Roadmap, spacing: int) -> _Lines:
    """Return straight dead ends to corners (n, 2) of cells with points that join no road.

    The object fits everywhere in a free cell, so it can reach the corners of the cell, and from
    each a node is visible if the roadmap covers the space. One for each square of `spacing` cells.
    """
    _, first = np.unique(corners // spacing, axis=0, return_index=True)
    corners = corners[np.sort(first)]
    places = roadmap.space.positions(np.column_stack([corners, np.zeros(len(corners))]))
    found = []
    for place in places:
        near = np.argsort(hypot(*(roadmap.nodes - place).T))
        near = near[hypot(*(roadmap.nodes[near] - place).T) > 0.0]
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


def _with_spurs(lines: _Lines, spurs: _Lines) -> _Lines:
    edges = spurs.edges + (0, len(lines.nodes))  # noqa: RUF005  # a sum
    return _Lines(
        np.concatenate([lines.nodes, spurs.nodes]),
        np.concatenate([lines.edges, edges]),
        np.concatenate([lines.points, spurs.points]),
        np.concatenate([lines.offsets, lines.offsets[-1] + spurs.offsets[1:]]),
        np.concatenate([lines.weights, spurs.weights]),
    )


def _cut_and_measured(lines: _Lines, grid: Grid) -> Roads:
    """Cut pieces so that balls on them overlap; twice, because long pieces have low clearance."""
    points, offsets, turns = lines.points, lines.offsets, np.ones(len(lines.points), bool)
    for _ in range(2):
        after = _after(points, offsets)
        gap = np.clip(SHARE * _piece_clearance(points, offsets, grid), CLOSEST, WIDEST)
        count = np.maximum(1, np.ceil(hypot(*(after - points).T) / gap)).astype(np.int64)
        piece, t = subdivide(np.arange(len(count)), count)
        points = points[piece] + t[:, None] * (after[piece] - points[piece])
        offsets = np.append(np.concatenate([[0], np.cumsum(count)])[offsets[:-1]], len(piece))
        turns = (t == 0.0) & turns[piece]
    clear = _piece_clearance(points, offsets, grid)
    return Roads(points, offsets, turns, clear, _safe_clearance(points, offsets, clear, grid))


def _joined(one: Roads, other: Roads) -> Roads:
    points, offsets, *rest = (np.concatenate(both) for both in zip(one, other, strict=True))
    offsets = np.concatenate([one.offsets, one.offsets[-1] + other.offsets[1:]])
    return Roads(points, offsets, *rest)


def _after(points: Floats, offsets: Ints) -> Floats:
    """Return the next point on the same edge, or the point itself at its end. (m, 2)."""
    after: Floats = points[np.arange(len(points)) + has_next(offsets)]
    return after


def _piece_clearance(points: Floats, offsets: Ints, grid: Grid) -> Floats:
    """Return the exact clearance of the piece that begins at each point, (m,) m; inf: none."""
    inside = has_next(offsets)
    clear = np.full(len(points), np.inf)
    clear[inside] = _line_distances(points[inside], _after(points, offsets)[inside], grid)
    return clear


def _line_distances(starts: Floats, ends: Floats, grid: Grid) -> Floats:
    a, b, out = np.ascontiguousarray(starts), np.ascontiguousarray(ends), np.empty(len(starts))
    in_parts(len(a), _LINES, lambda part: line_distances(a[part], b[part], grid, out[part]))
    return out


def _axis(nodes: Floats, edges: Ints, roads: Roads, grid: Grid) -> MedialAxis:
    points, inside, after = roads.points, has_next(roads.offsets), _after(*roads[:2])
    before = np.roll(inside, 1)
    before[0] = False
    direction = after - np.where(before[:, None], np.roll(points, 1, axis=0), points)
    touch, wall = np.empty((len(points), 2, 2)), np.empty((len(points), 2), np.int64)
    in_parts(
        len(points),
        _LINES,
        lambda part: contacts(points[part], direction[part], grid.walls, touch[part], wall[part]),
    )
    site = np.where(inside[:, None], wall, -1)
    return MedialAxis(
        vertices=nodes,
        edges=edges,
        offsets=roads.offsets,
        events=points,
        clearance=roads.clearance,
        left=np.ascontiguousarray(touch[:, 0]),
        right=np.ascontiguousarray(touch[:, 1]),
        piece_left=np.ascontiguousarray(site[:, 0]),
        piece_right=np.ascontiguousarray(site[:, 1]),
        piece_length=hypot(*(after - points).T),
        sites=grid.walls,
        is_point=np.zeros(len(grid.walls), bool),
        two_sided=np.ones(len(grid.walls), bool),
    )


def _safe_clearance(points: Floats, offsets: Ints, clear: Floats, grid: Grid) -> Floats:
    """Return the clearance of events (m,) m such that interpolating never overestimates.

    The curvature of the distance d to the walls is at most 1 / d, so on a piece of length h it is
    at most h^2 / (8 d) below the line between its ends; and it is never below the minimum of the
    edge.
    """
    distance = np.empty(len(points))
    wall_distances(points, grid, distance)
    inside = has_next(offsets)
    length = hypot(*(_after(points, offsets) - points).T)
    sag = np.where(inside, length**2 / (8.0 * np.maximum(clear, 1e-9)), 0.0)
    sag = np.maximum(sag, np.where(np.roll(inside, 1), np.roll(sag, 1), 0.0))
    least = np.minimum.reduceat(clear, offsets[:-1])
    least = np.repeat(np.maximum(least, 0.0), np.diff(offsets))
    raised = distance - sag < least
    clearance = np.where(raised, np.minimum(least, distance), distance - sag)
    for end in (0, 1):  # next to a raised event use the minimum of the piece
        piece = np.flatnonzero(inside & (raised | np.roll(raised, -1)))
        clearance[piece + end] = np.minimum(clearance[piece + end], clear[piece])
    return clearance


def _empty_corner_sequence(axis: MedialAxis) -> CornerSequence:
    nothing = np.full(len(axis.events), -1, np.int32)
    beads, ahead = np.empty((0, 3), np.int32), np.empty((0, 2), np.int32)
    offsets = np.zeros(2 * len(axis.edges) + 1, np.int64)
    return CornerSequence(offsets, beads, np.empty((0, 2)), ahead, nothing, nothing)


def _lines(points: Floats) -> Floats:
    """Return the pieces of a TautPath along a polyline (n, 2)."""
    pieces = np.zeros((max(0, len(points) - 1), 9))
    pieces[:, X0 : Y0 + 1], pieces[:, X1 : Y1 + 1] = points[:-1], points[1:]
    return pieces
