"""All taut paths of a disc, told apart by the obstacles that they pass on the left and right.

From each obstacle a ray goes to infinity. The word of a path lists the rays that it crosses, with
the direction of each crossing; crossing a ray and going straight back cancels. Two paths between
the same ends have the same word if and only if one can be moved to the other without crossing an
obstacle (they are homotopic). The graph of tangents and arcs of `shortest` contains every taut
path; a search over its contacts and words finds them in the order of length. Nothing here uses the
corridor map, except `loopless_words`, which lists the backbones that repeat no vertex.
"""

from __future__ import annotations

import heapq
import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import shapely

from footway.corridor.kernels.query import find_cell
from tests.oracle import _tangent_kernels as kernels
from tests.oracle.shortest import ShortestOracle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from footway.corridor import CorridorMap
    from tests.strategies import Scene

Word = tuple[int, ...]

_TILT = (math.cos(0.3217), math.sin(0.3217))  # direction of the rays: along no wall
_FAR = 1e4  # m
_STEP = 0.2  # radians between the points of an arc


class Rays:
    """One ray for each obstacle of a scene."""

    def __init__(self, scene: Scene) -> None:
        areas = getattr(scene.polygon, "geoms", [scene.polygon])
        holes = [shapely.Polygon(ring) for area in areas for ring in area.interiors]
        inside = [hole.representative_point() for hole in holes]
        inside += [line.interpolate(0.4871, normalized=True) for line in scene.lines]
        inside += list(scene.points)
        self.origins = np.array([(p.x, p.y) for p in inside]).reshape(-1, 2)

    def crossed(self, points: ArrayLike) -> Word:
        """Rays that a polyline (n, 2) crosses, in order: k + 1 to the left of ray k, or -k - 1."""
        word: list[int] = []
        xy = np.asarray(points, dtype=float)
        for (ax, ay), (bx, by) in zip(xy[:-1].tolist(), xy[1:].tolist(), strict=True):
            hits = []
            for k, (ox, oy) in enumerate(self.origins.tolist()):
                side_a = _TILT[0] * (ay - oy) - _TILT[1] * (ax - ox)
                side_b = _TILT[0] * (by - oy) - _TILT[1] * (bx - ox)
                if (side_a < 0) == (side_b < 0):
                    continue
                t = side_a / (side_a - side_b)
                along = _TILT[0] * (ax + t * (bx - ax) - ox) + _TILT[1] * (ay + t * (by - ay) - oy)
                if along > 0:
                    hits.append((t, k + 1 if side_b >= 0 else -k - 1))
            word += [hit for _, hit in sorted(hits)]
        return tuple(word)


def reduced(word: Word) -> Word:
    """Cancel crossings of a ray there and back."""
    kept: list[int] = []
    for letter in word:
        if kept and kept[-1] == -letter:
            kept.pop()
        else:
            kept.append(letter)
    return tuple(kept)


class TautPaths:
    """Taut paths of one disc in one scene. The radius must be more than 0."""

    def __init__(self, scene: Scene, radius: float) -> None:
        self.rays = Rays(scene)
        self._oracle = ShortestOracle(scene.polygon, radius, lines=scene.lines, points=scene.points)
        self._radius = radius

    def up_to(self, start: ArrayLike, goal: ArrayLike, longest: float) -> dict[Word, float]:
        """Length of the taut path of each word, up to `longest` metres."""
        begin, end = (tuple(np.asarray(p, dtype=float).tolist()) for p in (start, goal))
        steps = self._steps(begin, end)
        to_goal = _distances_to_goal(steps)
        found: dict[Word, float] = {}
        heap = [(to_goal.get("start", math.inf), 0.0, "start", ())]
        done: set[tuple[int | str, Word]] = set()
        while heap and heap[0][0] <= longest:
            _, length, at, word = heapq.heappop(heap)
            if (at, word) in done:
                continue
            done.add((at, word))
            if at == "goal":
                found[word] = length
                continue
            for to, step, rays in steps.get(at, ()):
                bound = length + step + to_goal.get(to, math.inf)
                if bound <= longest:
                    heapq.heappush(heap, (bound, length + step, to, reduced(word + rays)))
        return found

    def _steps(self, start: tuple[float, float], goal: tuple[float, float]) -> dict:
        """Moves between contacts: for each, the next one, metres, and the rays crossed."""
        o, r = self._oracle, self._radius
        graph, scene = o._graph, (o._r, o.walls, o._grid)
        steps: dict = {"start": [], "goal": []}
        if kernels.segment_clear(*start, *goal, *scene):
            steps["start"].append(
                ("goal", math.dist(start, goal), self.rays.crossed([start, goal]))
            )
        leaving = kernels.point_tangents(*start, *o._circles, *scene)
        arriving = kernels.point_tangents(*goal, *o._circles, *scene)
        arriving = np.ascontiguousarray(arriving.reshape(-1, 2, 2)[:, ::-1]).reshape(-1, 2)
        o._to_progress(leaving)
        o._to_progress(arriving)

        def arc(group: int, begin: float, sweep: float) -> NDArray[np.float64]:
            count = max(2, math.ceil(sweep / _STEP) + 1)
            return np.array(
                [o._place(o._contact(group, begin + s)) for s in np.linspace(0.0, sweep, count)]
            )

        for group in range(len(leaving)):
            whole, (at, away) = graph.whole[group], leaving[group]
            if at < 0:
                continue
            if arriving[group, 0] >= 0:
                sweep = kernels.arc_between(at, arriving[group, 0], whole)
                if sweep >= 0:
                    points = np.vstack([start, arc(group, at, sweep), goal])
                    length = away + r * sweep + arriving[group, 1]
                    steps["start"].append(("goal", length, self.rays.crossed(points)))
            contact = kernels.first_contact(graph, group, at)
            if contact >= 0:
                sweep = kernels.arc_between(at, graph.progress[contact], whole)
                points = np.vstack([start, arc(group, at, max(sweep, 0.0))])
                length = away + r * max(sweep, 0.0)
                steps["start"].append((int(contact), length, self.rays.crossed(points)))
        for contact in range(len(graph.progress)):
            group, here = int(graph.group[contact]), float(graph.progress[contact])
            low, high = graph.start[group], graph.start[group + 1]
            moves = steps.setdefault(contact, [])
            if arriving[group, 0] >= 0:
                sweep = kernels.arc_between(here, arriving[group, 0], graph.whole[group])
                if sweep >= 0:
                    points = np.vstack([arc(group, here, sweep), goal])
                    moves.append(
                        ("goal", r * sweep + arriving[group, 1], self.rays.crossed(points))
                    )
            following, sweep = -1, 0.0
            if contact + 1 < high:
                following, sweep = contact + 1, float(graph.progress[contact + 1]) - here
            elif graph.whole[group] and high - low > 1:
                following, sweep = int(low), float(graph.progress[low]) + math.tau - here
            if following >= 0:
                points = arc(group, here, sweep)
                moves.append((following, r * sweep, self.rays.crossed(points)))
            if contact > low and here - graph.progress[contact - 1] <= kernels.ANGLE:
                moves.append((contact - 1, 0.0, ()))
            other = int(graph.partner[contact])
            if other >= 0:
                points = np.array([graph.xy[contact], graph.xy[other]])
                moves.append((other, float(graph.length[contact]), self.rays.crossed(points)))
        return steps


def _distances_to_goal(steps: dict) -> dict:
    """Shortest distance from each contact to the goal, by any path."""
    back: dict = {}
    for at, moves in steps.items():
        for to, step, _ in moves:
            back.setdefault(to, []).append((at, step))
    distance: dict = {}
    heap: list = [(0.0, 0, "goal")]
    pushed = 0
    while heap:
        length, _, at = heapq.heappop(heap)
        if at in distance:
            continue
        distance[at] = length
        for before, step in back.get(at, ()):
            pushed += 1
            heapq.heappush(heap, (length + step, pushed, before))
    return distance


def loopless_words(
    cmap: CorridorMap, rays: Rays, start: ArrayLike, goal: ArrayLike, radius: float
) -> set[Word]:
    """Words of all backbones for this radius that pass no vertex of the map twice.

    The start and the goal are on the edge along which their cell lies, or at a vertex.
    """
    return {reduced(rays.crossed(backbone)) for backbone in _backbones(cmap, start, goal, radius)}


def _backbones(
    cmap: CorridorMap, start: ArrayLike, goal: ArrayLike, radius: float
) -> Iterator[NDArray[np.float64]]:
    ends = np.array([start, goal], dtype=float)
    pieces = cmap.locate(ends).piece
    index = cmap.solver.index
    axis, lines = index.axis, cmap.axis(0.05)
    n = cmap.n_vertices
    graph: dict[int, list[tuple[int, NDArray[np.float64]]]] = {}

    def join(a: int, b: int, points: NDArray[np.float64], clearance: float) -> None:
        if clearance >= radius - 1e-9:
            graph.setdefault(a, []).append((b, points))
            graph.setdefault(b, []).append((a, points[::-1]))

    cells = [find_cell(*point, piece, index) for point, piece in zip(ends, pieces, strict=True)]
    on_edge: dict[int, list[tuple[int, float, int]]] = {}  # edge: event, tie-break, node
    for k, (edge, event, vertex) in enumerate(cells):
        if edge < 0:
            join(n + k, vertex, np.array([ends[k], axis.vertices[vertex]]), math.inf)
        else:
            along = axis.events[event + 1] - axis.events[event]
            on_edge.setdefault(edge, []).append((event, float(ends[k] @ along), n + k))
    for edge, (v, w) in enumerate(cmap.edges.tolist()):
        points = lines.points[lines.offsets[edge] : lines.offsets[edge + 1]]
        if edge not in on_edge:
            join(v, w, points, float(cmap.edge_clearance[edge]))
            continue
        # Split the edge at the ends that lie along it: each is joined to the middle of its piece.
        first, last = int(axis.offsets[edge]), int(axis.offsets[edge + 1]) - 1
        stops = [(first - 1, 0.0, v), *sorted(on_edge[edge]), (last, 0.0, w)]
        for (event_a, _, a), (event_b, _, b) in pairwise(stops):
            middle = axis.events[event_a + 1 : event_b + 1]
            clear = axis.clearance[event_a + 1 : event_b + 1].min(initial=math.inf)
            before = [ends[a - n]] if a >= n else []
            after = [ends[b - n]] if b >= n else []
            join(a, b, np.array([*before, *middle, *after]).reshape(-1, 2), float(clear))

    def walk(at: int, passed: frozenset[int], so_far: list[NDArray[np.float64]]) -> Iterator:
        if at == n + 1:
            yield np.vstack(so_far)
            return
        for to, points in graph.get(at, ()):
            if to not in passed:
                yield from walk(to, passed | {to}, [*so_far, points])

    yield from walk(n, frozenset([n]), [])
