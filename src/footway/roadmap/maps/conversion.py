"""Convert a roadmap in the plane to the index that queries, followers and crowds use.

Clearance is attached to the configurations on the local paths (rrm-roadmaps-2006, section V.B.2):
they become balls, and a point is joined to the ball that contains it deepest, or else to one in
line of sight. Walls are exact.

    Roadmap --> MedialAxis of straight pieces, Grid, CellBoundaries with balls by cells, Graph
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from footway._numba.jit import thread_count
from footway._numba.parallel import in_parts
from footway._numba.portable_math import hypot
from footway.constants import TOUCH
from footway.corridor.balls import subdivide
from footway.corridor.index import make_graph, make_grid
from footway.corridor.kernels.layouts import FULL, CellBoundaries, CornerSequence, Grid, Index
from footway.corridor.kernels.locate import WALL_X, WALL_Y
from footway.corridor.kernels.path import X0, X1, Y0, Y1
from footway.corridor.kernels.tangents import Ends
from footway.corridor.kernels.wall_grid import line_distances, wall_distances
from footway.corridor.search import Solution, Solver
from footway.errors import BadInput, BadQuery, NoPath
from footway.medial import MedialAxis
from footway.roadmap.kernels.layouts import Roads
from footway.roadmap.kernels.roads import bin_balls, contacts, join, look, solve_on_roads
from footway.roadmap.maps.space_index import with_lone_nodes
from footway.roadmap.roadmap import components, has_next
from footway.validation import as_text

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.search import Point
    from footway.roadmap import Roadmap
    from footway.roadmap.lattice.space import Space


CLOSEST, WIDEST, SHARE = 0.1, 1.0, 0.25  # m, m, of the clearance: spacing of the balls
_LINES = 4096  # lines per task of a thread
_SPUR_ROUNDS = (8, 4, 1, 1)  # spacing of added dead ends in each round, cells
_EVENTS = 1 << 12  # initial capacity: events of a path
_MOST_CELLS = 512  # along the longer side of the map
_MOST_BALLS = 20  # per cell: those that contain its centre deepest
_NEAREST = 24  # balls that are tested for visibility where no ball contains a point
_POINTS = 4096  # points per task of a thread
_SHARES = np.array([(0.5, 0.5), (0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)])
"""Points of a cell, in shares of its side, from which visible balls are searched."""

_PROBES = np.array([(0.5, 0.5), (0.02, 0.02), (0.98, 0.02), (0.02, 0.98), (0.98, 0.98)])
"""Points of a cell, in shares of its side, that must all be joined to a road; corners as well."""

_CORNERS = np.array([(0, 0), (1, 0), (0, 1), (1, 1)])

_FINER, _STEPS = 8, 64  # steps per cell, and in each direction, of the search for a free cell


_Some = TypeVar("_Some", "_Lines", Roads)


class RoadSolver(Solver):
    """Searches the map of a roadmap in the plane: paths follow the roads, or a free line.

    Attributes:
        roadmap: the roadmap that the map was made from, with its fake obstacles.

    `along` is the roadmap whose local paths are followed, if it is another one.
    """

    def __init__(self, roadmap: Roadmap, along: Roadmap | None = None) -> None:
        index, self._roads = _index_and_roads(roadmap.in_effect if along is None else along)
        super().__init__(index)
        self.roadmap = roadmap
        self.made_for = float(roadmap.space.radius)

    def explain_unlocated_end(
        self, what: str, point: Floats, contact: Floats, radius: float
    ) -> BadQuery | NoPath:
        """Return the error for a start or goal that joins no road; `contact`: nearest wall point.

        A point in free space is a valid query without a path: the roadmap does not reach it.
        """
        distance = float(hypot(*(point - contact)))
        end = f"the {what} {as_text(point)}"
        nearest = f"the nearest wall is {distance:.3f} m away at {as_text(contact)}"
        for number, fake in enumerate(self.roadmap.fake_obstacles):
            if fake.contains(point[None])[0]:
                return BadQuery(
                    f"{end} is inside fake obstacle {number} of the roadmap: move it, or remove "
                    "the obstacle"
                )
        if not _is_walkable(point, self.index.grid, self.roadmap.in_effect.space):
            return BadQuery(
                f"{end} is inside an obstacle, outside the map, or no part of the roadmap is "
                f"visible from it: {nearest}"
            )
        if distance < radius:
            why = (
                f"a disc of radius {radius:g} m does not fit at {end}: {nearest}; move it or use a "
            )
            return NoPath(f"{why}smaller radius", reason="no room")
        return NoPath(
            f"{end} is free, but no part of the roadmap is visible from it: {nearest}; build the "
            "roadmap with a finer resolution or a smaller radius",
            reason="no room",
        )

    def describe_free_point(self, point: Floats, radius: float) -> str:  # noqa: ARG002
        """Describe the nearest wall for an error message: free points are not searched here."""
        contact = self.locate(point)[1][0, [WALL_X, WALL_Y]]
        distance = float(hypot(*(point - contact)))
        return f"the nearest wall is {distance:.3f} m away at {as_text(contact)}"

    def _try(
        self,
        start: Floats | Point,
        goal: Floats | Point,
        radius: float,
        index: Index,
        *,
        shortcut: bool,
    ) -> Solution | None:
        if not hasattr(self._local, "buffers"):
            self._allocate(_EVENTS)
        events, points = self._local.buffers
        status, n, length, clearance = solve_on_roads(
            Ends(start[0], start[1], goal[0], goal[1], radius, -1, -1), shortcut, self._roads,
            index, self.graph_workspace, events, points,
        )  # fmt: skip
        if status == FULL:
            self._allocate(4 * len(events))
            return None
        pieces = np.zeros((max(0, n - 1), 9))
        pieces[:, [X0, Y0]], pieces[:, [X1, Y1]] = points[: max(0, n - 1)], points[1 : max(1, n)]
        return Solution(status, pieces, length, clearance, (), "roadmap")

    def _allocate(self, events: int) -> None:
        """Allocate the calling thread's memory for the events and points of a path."""
        self._local.buffers = np.empty(events, np.int64), np.empty((events + 3, 2))

    def _solve_batch(self, starts: Floats, goals: Floats, radius: float) -> list[Solution]:
        return [self.solve(a, b, radius) for a, b in zip(starts, goals, strict=True)]


def _is_walkable(point: Floats, grid: Grid, space: Space) -> bool:
    """Return whether short steps that meet no wall lead from a point to a free cell nearby.

    Walls separate walkable from other space, so the point is walkable then. The steps follow a
    lattice centred on the point.
    """
    side = np.arange(-_STEPS, _STEPS + 1) * (space.resolution / _FINER)
    x, y = np.meshgrid(point[0] + side, point[1] + side)
    places, number = np.stack([x.ravel(), y.ravel()], axis=1), np.arange(x.size).reshape(x.shape)
    steps = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
    edges = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in steps])
    away = np.empty(len(edges))
    line_distances(places[edges[:, 0]], places[edges[:, 1]], grid, away)
    part = components(edges[away > TOUCH], x.size)
    shape = np.array(space.free.shape[:0:-1])
    cells = np.floor(space.lattice(places)[:, :2]).astype(np.int64)
    i, j = np.clip(cells, 0, shape - 1).T
    in_free_cell = ((cells >= 0) & (cells < shape)).all(axis=1) & space.free[0, j, i]
    return bool((part[in_free_cell] == part[number[_STEPS, _STEPS]]).any())


# -- roads -------------------------------------------------------------------------------------


class _Lines(NamedTuple):
    """A graph with its local paths; fields as in Roadmap."""

    nodes: Floats
    edges: Ints
    points: Floats
    offsets: Ints
    weights: Floats


def _index_and_roads(roadmap: Roadmap) -> tuple[Index, Roads]:
    """Attach clearance to a roadmap in the plane."""
    if not roadmap.n_nodes:
        raise BadInput("the roadmap has no nodes: no path can be found on it")
    if not len(roadmap.space.walls):
        raise BadInput("the roadmap has no walls: build it from an environment")
    walls = np.ascontiguousarray(roadmap.space.walls)
    grid = make_grid(walls, np.arange(len(walls)), np.zeros((len(walls), 2), np.int64))
    edges, points, offsets = with_lone_nodes(roadmap)
    weights = np.concatenate([roadmap.weights, np.ones(len(edges) - roadmap.n_edges)])
    lines = _Lines(roadmap.nodes, edges, points, offsets, weights)
    roads = _cut_and_measured(lines, grid)
    joining, least = _Joining(roadmap.space, grid), float(roadmap.space.radius) - TOUCH
    corners = joining.corners_out_of_reach(roads, least)
    for spacing in _SPUR_ROUNDS:
        spurs = _spurs(corners, roadmap, spacing, len(lines.nodes))
        if not len(spurs.edges):
            break
        lines, roads = _joined(lines, spurs), _joined(roads, _cut_and_measured(spurs, grid))
        corners = joining.corners_out_of_reach(roads, least)
    axis = _axis(lines.nodes, lines.edges, roads, grid)
    graph = make_graph(axis)
    # Scaled so that no cost is below the length: the lower bounds of the search rely on it.
    cost = lines.weights / min(1.0, float(lines.weights.min()))
    graph = graph._replace(length=graph.length * cost, weight=np.ascontiguousarray(cost))
    none, no_corner = np.empty((0, 2)), np.full(len(axis.events), -1, np.int32)
    corners_on_roads = CornerSequence(
        np.zeros(2 * len(axis.edges) + 1, np.int64), np.empty((0, 3), np.int32), none,
        none.astype(np.int32), no_corner, no_corner,
    )  # fmt: skip
    return Index(axis, grid, joining.boundaries, graph, corners_on_roads), roads


def _spurs(corners: Ints, roadmap: Roadmap, spacing: int, n_nodes: int) -> _Lines:
    """Return straight dead ends to corners (n, 2) of cells with points that join no road.

    The object fits everywhere in a free cell, so it can reach the corners of the cell, and from
    each a node is visible if the roadmap covers the space. One for each square of `spacing` cells.
    Their ends are numbered from `n_nodes` on.
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
    edges = np.column_stack([foot, n_nodes + np.arange(len(foot))])
    return _Lines(ends, edges, points, np.arange(0, 2 * len(foot) + 1, 2), np.ones(len(foot)))


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


def _joined(one: _Some, other: _Some) -> _Some:
    """Return lines or roads of both; offsets of the other continue those of the first."""
    fields = {
        name: np.concatenate([mine, theirs])
        for name, mine, theirs in zip(one._fields, one, other, strict=True)
    }
    fields["offsets"] = np.concatenate([one.offsets, one.offsets[-1] + other.offsets[1:]])
    return type(one)(**fields)


def _after(points: Floats, offsets: Ints) -> Floats:
    """Return the next point on the same edge, or the point itself at its end. (m, 2)."""
    return points[np.arange(len(points)) + has_next(offsets)]


def _piece_clearance(points: Floats, offsets: Ints, grid: Grid) -> Floats:
    """Return the exact clearance of the piece that begins at each point, (m,) m; inf: none."""
    inside = has_next(offsets)
    clear = np.full(len(points), np.inf)
    a, b, out = points[inside], _after(points, offsets)[inside], np.empty(inside.sum())
    in_parts(len(a), _LINES, lambda part: line_distances(a[part], b[part], grid, out[part]))
    clear[inside] = out
    return clear


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
        vertices=nodes, edges=edges, offsets=roads.offsets, events=points,
        clearance=roads.clearance, left=np.ascontiguousarray(touch[:, 0]),
        right=np.ascontiguousarray(touch[:, 1]), piece_left=np.ascontiguousarray(site[:, 0]),
        piece_right=np.ascontiguousarray(site[:, 1]), piece_length=hypot(*(after - points).T),
        sites=grid.walls, is_point=np.zeros(len(grid.walls), bool),
        two_sided=np.ones(len(grid.walls), bool),
    )  # fmt: skip


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


# -- joining points to roads -------------------------------------------------------------------


class _Sights(NamedTuple):
    """Balls that are visible from points that no ball contains."""

    number: Ints  # (n,) number of the point, increasing
    near: Ints  # (n, k) balls that were tested, nearest first
    found: Ints  # (n,) the ball that was chosen; -1: none


class _Joining:
    """Joins the free cells of a roadmap to its roads, repeatedly while roads are added.

    Roads are only appended, so results that no new ball affects are reused.
    """

    boundaries: CellBoundaries  # balls by cells, as kernels take them

    def __init__(self, space: Space, grid: Grid) -> None:
        self._space, self._grid = space, grid
        j, i = np.nonzero(space.free[0])
        cells = np.column_stack([i, j])[:, None]
        # A corner may lie in a cell that is not free itself.
        corners = np.unique((cells + _CORNERS).reshape(-1, 2), axis=0)
        self._probes = np.concatenate([(cells + _PROBES).reshape(-1, 2), corners])
        points = space.positions(np.column_stack([self._probes, np.zeros(len(self._probes))]))
        self._points = np.ascontiguousarray(points)
        self._clear = np.empty(len(points))
        self._sights: _Sights | None = None

    def corners_out_of_reach(self, roads: Roads, least: float) -> Ints:
        """Return corners (n, 2), columns i, j, nearest to points that join no road this wide."""
        before = self.boundaries if self._sights else None
        self._join(roads)
        changed = _changed(before, self.boundaries)

        def join_part(part: slice) -> None:
            join(self._points[part], changed, self._grid, self.boundaries, self._clear[part])

        in_parts(len(self._points), _POINTS, join_part)
        lost = self._probes[self._clear < least]
        return np.unique(np.rint(lost - TOUCH).astype(np.int64), axis=0)

    def _join(self, roads: Roads) -> None:
        """Sort the balls into cells; add visible balls where no ball contains a point."""
        balls = np.column_stack([roads.points, roads.clearance])
        extent = self._grid.box[2] * self._grid.shape
        size = max(float(self._space.resolution), float(extent.max()) / _MOST_CELLS)
        box = np.array([*self._grid.box[:2], size])
        shape = np.floor(extent / size).astype(np.int64) + 1
        _, chosen = np.unique(roads.points.view(np.complex128).ravel(), return_index=True)
        members = np.full((int(shape.prod()), _MOST_BALLS), -1)
        depths = np.full(members.shape, -np.inf)
        bin_balls(balls, chosen, box, shape, members, depths)
        cells, slots = np.nonzero(members >= 0)
        more_cells, more = self._in_sight(balls, chosen, box, shape, depths[:, 0])
        order = np.argsort(np.concatenate([cells, more_cells]), kind="stable")
        found = np.concatenate([members[cells, slots], more])[order]
        size_of = np.bincount(np.concatenate([cells, more_cells]), minlength=len(members))
        offsets = np.concatenate([[0], np.cumsum(size_of)])
        none, walls = np.empty(0), self._grid.walls
        pieces = np.arange(len(balls)) - ~has_next(roads.offsets)
        self.boundaries = CellBoundaries(
            np.empty(0, np.int64), none, none, pieces, walls,
            np.zeros(len(walls), bool), np.ones(len(walls), bool),
            True, balls, box, shape, offsets, found.astype(np.int32),
        )  # fmt: skip

    def _in_sight(
        self, balls: Floats, chosen: Ints, box: Floats, shape: Ints, depth: Floats
    ) -> tuple[Ints, Ints]:
        """Return cells with points that no ball contains, and balls visible from such points.

        Results of points with the same balls nearby as before are reused.
        """
        from scipy.spatial import cKDTree

        dark = np.flatnonzero(depth < box[2] * np.sqrt(0.5))
        corner = np.column_stack([dark % shape[0], dark // shape[0]])
        points = (box[:2] + (corner[:, None] + _SHARES) * box[2]).reshape(-1, 2)
        number = (len(_SHARES) * dark[:, None] + np.arange(len(_SHARES))).ravel()
        sample = _spread(balls, chosen, box[2])
        tree, count = cKDTree(balls[sample, :2]), min(_NEAREST, len(sample))
        _, near = tree.query(points, k=count, workers=thread_count())
        near = np.ascontiguousarray(sample[near.reshape(len(points), -1)])
        found, known = np.full(len(number), -1), np.zeros(len(number), bool)
        before = self._sights
        if before is not None and near.shape[1] == before.near.shape[1]:
            _, here, there = np.intersect1d(number, before.number, return_indices=True)
            same = (near[here] == before.near[there]).all(axis=1)
            found[here[same]], known[here[same]] = before.found[there[same]], True
        rest = np.flatnonzero(~known)
        where, those, out = points[rest], near[rest], np.empty(len(rest), np.int64)

        def look_part(part: slice) -> None:
            look(where[part], those[part], balls, self._grid, out[part])

        in_parts(len(rest), _POINTS, look_part)
        found[rest] = out
        self._sights = _Sights(number, near, found)
        pairs = np.unique(np.column_stack([number // len(_SHARES), found])[found >= 0], axis=0)
        return pairs[:, 0], pairs[:, 1]


def _changed(before: CellBoundaries | None, now: CellBoundaries) -> Bools:
    """Return which cells (nc,) have other balls than before."""
    size = np.diff(now.ball_offsets)
    if before is None:
        return np.ones(len(size), bool)
    changed: Bools = size != np.diff(before.ball_offsets)
    old = before.ball_members[np.repeat(~changed, np.diff(before.ball_offsets))]
    new = now.ball_members[np.repeat(~changed, size)]
    cell = np.repeat(np.flatnonzero(~changed), size[~changed])
    changed[cell[old != new]] = True
    return changed


def _spread(balls: Floats, chosen: Ints, size: float) -> Ints:
    """Return the widest ball of each square of four cells."""
    square = np.floor(balls[chosen, :2] / (2.0 * size)).astype(np.int64)
    order = np.argsort(-balls[chosen, 2], kind="stable")
    _, first = np.unique(square[order], axis=0, return_index=True)
    return chosen[order[first]]
