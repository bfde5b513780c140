"""Routes over terrain: planned after the paths, followed with a guide per character.

A character with terrain preferences has a path on the corridor map like all others: it shows that
the goal can be reached, and is followed if there is no route over the terrain. The guide holds the
route of least weighted length and the attraction point on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway._numba.jit import one_parallel_kernel
from footway.archive import Damaged
from footway.corridor.kernels.locate import locate_points
from footway.crowd.kernels.terrain_following import look_around, places_on
from footway.crowd.kernels.terrain_routes import plan_routes
from footway.crowd.state import (
    ATTRACTION,
    FINAL,
    GROUP,
    GUIDED,
    LEFT,
    LENGTH,
    LINE,
    LOOKED,
    MANNER,
    MODE,
    ON_ROUTE,
    PIECES,
    POINTS,
    POPULATION,
    RADIUS,
    RECORD,
    REFERENCE,
    STRIDE,
    WAITING,
    WALKING,
    WHO,
    Window,
)
from footway.crowd.terrain_following import build_terrain_data
from footway.follow.kernels.visibility import make_workspace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.kernels.layouts import Graph, Index
    from footway.crowd.goals import Population
    from footway.crowd.stepping import Engine
    from footway.crowd.terrain_following import FollowingStyle, TerrainData
    from footway.environment import Environment
    from footway.follow.kernels.visibility import VisibilityWorkspace

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MARGIN = 0.75  # m between routes and worse terrain if possible: other characters push sideways
_BATCH = 32  # routes per task of a thread
_FEW = 500  # guides below which one thread is faster
_SMALLEST = 5  # log2 of the smallest block of the pool
_GOLDEN = 0.6180339887498949  # fractional parts of multiples are spread evenly over 0 to 1
_STRIDE = 1.0  # m between the points of a route that are located on the map
_FAR = 1.0  # m beside the terrain, beyond which there is no route


class Route(NamedTuple):
    """A route in the layout of the pool."""

    points: Floats  # (n, 4) x, y, m along it, cost up to there
    pieces: Floats  # (m, 4) m along it at both ends, triangle (see `spread`), 0


class _Workspace(NamedTuple):
    """Workspace of one thread for updates of attraction points."""

    window: Window
    eyes: VisibilityWorkspace


class Routes:
    """Guides of all characters on routes; rows of removed characters are reused."""

    def __init__(
        self,
        engine: Engine,
        index: Index,
        populations: list[Population],
        environment: Environment | None,
    ) -> None:
        self._engine, self._index = engine, index
        self._populations = populations
        self.environment = environment
        self.styles: list[FollowingStyle] = []
        self._terrain_data: list[TerrainData] = []
        self._rows: dict[int, int] = {}  # row of a guide, by id
        self._sizes: dict[int, int] = {}  # log2 of the block of the pool, by row
        self._free_rows: list[int] = []
        self._free: dict[int, list[int]] = {}  # free blocks of the pool, by log2 of their length
        self._used_rows = self._used = 0
        self._longest = 0  # rows of the longest route
        self._workspaces: dict[tuple[int, int], _Workspace] = {}  # by thread and style

    # -- following styles --------------------------------------------------------------------

    def number(self, style: FollowingStyle | None) -> int:
        """Return the number of a style, replacing an unused one; -1 for corridors."""
        if style is None:
            return -1
        if style not in self.styles:
            self._store(style, self._unused())
        return self.styles.index(style)

    def add(self, style: FollowingStyle) -> int:
        """Return the number of a style, appending it: populations do not refer to styles yet."""
        if style not in self.styles:
            self._store(style, len(self.styles))
        return self.styles.index(style)

    def _store(self, style: FollowingStyle, number: int) -> None:
        """Build the terrain of a style, and store it under a free number."""
        terrain_data = build_terrain_data(style, self.environment)
        self._terrain_data[number : number + 1] = [terrain_data]
        self.styles[number : number + 1] = [style]
        self._workspaces = {key: w for key, w in self._workspaces.items() if key[1] != number}

    def _unused(self) -> int:
        """Return the first number that no population and no guide uses."""
        notes = self._engine.guides.notes[: self._used_rows]
        used = set(notes[notes[:, WHO] >= 0, MANNER].tolist())
        used |= {population.style for population in self._populations}
        return next((k for k in range(len(self.styles)) if k not in used), len(self.styles))

    def follow(self, ids: Ints, graph: Graph) -> None:
        """Plan routes for the characters with a style; all have a path already.

        A character whose route uses an edge that obstacles close in `graph` follows its path.
        """
        if not self.styles or not len(ids):
            return
        slots = self._engine.slot_of[ids]
        whose = self._engine.state.story[slots, POPULATION].tolist()
        styles = np.array([self._populations[p].style for p in whose])
        for k in range(len(self.styles)):
            mine = styles == k
            if mine.any():
                self._guide(ids[mine], slots[mine], k, graph)

    def followed(self, ids: Ints) -> NDArray[np.bool_]:
        """Return which characters are on a route now. (n,)."""
        slots = self._engine.slot_of[ids]
        is_guided: NDArray[np.bool_] = self._engine.state.track[slots, LEFT] == GUIDED
        return is_guided

    def forget(self, ids: Ints) -> None:
        """Free the guides of characters that leave."""
        for number in ids.tolist():
            row = self._rows.pop(number, None)
            if row is not None:
                self._free_block(row)
                self._engine.guides.notes[row, WHO] = -1
                self._free_rows.append(row)

    def look(self) -> None:
        """Update the attraction points of all characters that are due."""
        threads = self._engine.threads if self._used_rows >= _FEW else 1
        parts = [
            (k, k * self._used_rows // threads, (k + 1) * self._used_rows // threads)
            for k in range(threads)
        ]
        for number in range(len(self.styles)):
            if len(parts) == 1:
                self._look(number, parts[0])
            else:
                list(self._engine.workers.map(lambda part: self._look(number, part), parts))  # noqa: B023  # done before the next

    def _look(self, number: int, part: tuple[int, int, int]) -> None:
        engine, data = self._engine, self._terrain_data[number]
        thread, first, end = part
        workspace = self._workspace(thread, number)
        look_around(
            first, end, number, engine.steps, engine.dt, data.habit, data.weights, engine.guides,
            engine.slot_of, engine.state, data.ground, workspace.window, workspace.eyes,
            self._index,
        )  # fmt: skip

    def _workspace(self, thread: int, number: int) -> _Workspace:
        key, size = (thread, number), self._longest
        if key not in self._workspaces or len(self._workspaces[key].window.lengths) < size:
            triangles = len(self._terrain_data[number].ground.triangles)
            window = Window(
                points=np.empty((size, 2)),
                lengths=np.empty(size),
                costs=np.empty(size),
                pieces=np.empty((size, 4)),
                along=np.empty((size, 2)),
                offsets=np.zeros(triangles + 1, np.int32),
            )
            self._workspaces[key] = _Workspace(window, make_workspace(triangles, size))
        return self._workspaces[key]

    # -- planning ----------------------------------------------------------------------------

    def _guide(self, ids: Ints, slots: NDArray[np.int32], number: int, graph: Graph) -> None:
        """Plan routes on all threads, and put characters on them in the order of ids."""
        place, terrain_data = self._engine.state.place[slots], self._terrain_data[number]
        starts, goals = (self._on_ground(place[:, k : k + 2], terrain_data) for k in (0, 2))
        parts = [slice(a, a + _BATCH) for a in range(0, len(ids), _BATCH)]

        def answer(part: slice) -> list[Route | None]:
            return plan(starts[part], goals[part], terrain_data)

        several = len(parts) > 1 and self._engine.threads > 1
        answers = self._engine.workers.map(answer, parts) if several else map(answer, parts)
        routes = [route for answer in answers for route in answer]
        if graph is not self._index.graph:
            radii = self._engine.state.body[slots, RADIUS].tolist()
            for k, (route, radius) in enumerate(zip(routes, radii, strict=True)):
                if route is not None and self._is_blocked(route.points, 0.0, radius, graph):
                    routes[k] = None
        for character, slot, route in zip(ids.tolist(), slots.tolist(), routes, strict=True):
            if route is not None:
                self.assign_route(character, slot, number, route)

    def blocked(self, graph: Graph) -> list[int]:
        """Return ids, ascending, of characters with an edge ahead that is closed in `graph`."""
        marks, notes, pool = self._engine.guides
        state, found = self._engine.state, []
        for character, row in sorted(self._rows.items()):
            slot = self._engine.slot_of[character]
            walks = state.track[slot, MODE] in (WALKING, WAITING)
            if state.track[slot, LEFT] != GUIDED or not walks:
                continue
            points = pool[notes[row, RECORD] :][: notes[row, POINTS]]
            radius = float(state.body[slot, RADIUS])
            if self._is_blocked(points, float(marks[row, REFERENCE]), radius, graph):
                found.append(character)
        return found

    def _is_blocked(self, route: Floats, start: float, radius: float, graph: Graph) -> bool:
        """Return whether obstacles close an edge of the map along a route (n, 4).

        Only the part after `start`, m along the route, counts.
        """
        x, y, along = route[:, :3].T
        places = np.arange(start, along[-1], _STRIDE)
        points = np.column_stack([np.interp(places, along, x), np.interp(places, along, y)])
        index = self._index
        with one_parallel_kernel:
            pieces, _ = locate_points(points, index.axis, index.grid, index.boundaries)
        edges = graph.edge_of[pieces[pieces >= 0]]
        clearance, before = graph.clearance[edges], index.graph.clearance[edges]
        return bool((clearance < np.minimum(radius, before)).any())

    def _on_ground(self, points: Floats, terrain_data: TerrainData) -> Floats:
        """Return the nearest points of the terrain (n, 2); NaN if they are far from it."""
        places, away = np.empty((len(points), 2)), np.empty(len(points))
        points = np.ascontiguousarray(points)
        places_on(points, terrain_data.ground, self._index.grid, places, away)
        places[away > _FAR] = np.nan
        return places

    def assign_route(self, character: int, slot: int, number: int, route: Route) -> None:
        """Put a character at the beginning of a route."""
        if character in self._rows:
            self._free_block(self._rows[character])
        else:
            self._rows[character] = self._free_rows.pop() if self._free_rows else self._new_row()
        row, count = self._rows[character], len(route.points)
        size = count + len(route.pieces)
        record = self._allocate(row, size)
        marks, notes, pool = self._engine.guides
        pool[record : record + count] = route.points
        pool[record + count : record + size] = route.pieces
        marks[row] = 0.0
        marks[row, LENGTH] = route.points[-1, 2]
        marks[row, STRIDE] = self.styles[number].look * (character * _GOLDEN % 1.0)
        # On its first line, and not updated yet.
        notes[row] = character, number, record, count, len(route.pieces), 0, -1, ON_ROUTE
        self._longest = max(self._longest, size)
        track = self._engine.state.track
        track[slot, LEFT], track[slot, FINAL] = GUIDED, row

    def _new_row(self) -> int:
        self._used_rows += 1
        guides = self._engine.guides
        if self._used_rows > len(guides.marks):
            self._engine.guides = guides._replace(
                marks=_doubled(guides.marks), notes=_doubled(guides.notes)
            )
        return self._used_rows - 1

    def _allocate(self, row: int, count: int) -> int:
        """Allocate a block of the pool; its length is a power of two."""
        size = max(_SMALLEST, (count - 1).bit_length())
        self._sizes[row] = size
        if self._free.get(size):
            return self._free[size].pop()
        self._used += 1 << size
        while self._used > len(self._engine.guides.pool):
            guides = self._engine.guides
            self._engine.guides = guides._replace(pool=_doubled(guides.pool))
        return self._used - (1 << size)

    def _free_block(self, row: int) -> None:
        size = self._sizes.pop(row)
        self._free.setdefault(size, []).append(int(self._engine.guides.notes[row, RECORD]))

    # -- checkpoints -------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all guides by ascending id, for a checkpoint."""
        rows = [self._rows[character] for character in sorted(self._rows)]
        marks, notes, pool = self._engine.guides
        records = [
            pool[first : first + size]
            for first, size in zip(
                notes[rows, RECORD], notes[rows, POINTS] + notes[rows, PIECES], strict=True
            )
        ]
        return {
            "guide_marks": marks[rows],
            "guide_notes": notes[rows],
            "guide_pool": np.concatenate([np.empty((0, 4)), *records]),
        }

    def restore(self, styles: list[FollowingStyle], arrays: dict[str, NDArray[Any]]) -> None:
        """Restore a checkpoint; raise Damaged if its arrays are inconsistent."""
        for number, style in enumerate(styles):
            self._store(style, number)
        marks, notes, pool = (arrays[f"guide_{name}"] for name in ("marks", "notes", "pool"))
        ends = np.cumsum(notes[:, POINTS].astype(np.int64) + notes[:, PIECES])
        ids = notes[:, WHO]
        if (
            len(pool) != (ends[-1] if len(ends) else 0)
            or len(np.unique(ids)) != len(ids)
            or ids.max(initial=-1) >= len(self._engine.slot_of)
            or (notes[:, LOOKED] > self._engine.steps).any()
        ):
            raise Damaged("its routes over terrain do not fit each other")
        for k, end in enumerate(ends.tolist()):
            begin = end - int(notes[k, POINTS] + notes[k, PIECES])
            self._restore(marks[k], notes[k], pool[begin:end])

    def _restore(self, marks: Floats, notes: NDArray[np.int32], rows: Floats) -> None:
        character, count = int(notes[WHO]), int(notes[POINTS])
        slot, number = int(self._engine.slot_of[character]), int(notes[MANNER])
        track = self._engine.state.track[slot]
        if slot < 0 or track[GROUP] >= 0 or not notes[LINE] <= count - 2:
            raise Damaged("its routes over terrain do not fit its characters")
        route = Route(rows[:count], rows[count:])
        if not _is_route(route, marks, len(self._terrain_data[number].ground.triangles)):
            raise Damaged("its routes over terrain do not fit the ground")
        left, final = track[[LEFT, FINAL]].tolist()
        self.assign_route(character, slot, number, route)
        row = self._rows[character]
        record = self._engine.guides.notes[row, RECORD]
        self._engine.guides.marks[row], self._engine.guides.notes[row] = marks, notes
        self._engine.guides.notes[row, RECORD] = record
        if left != GUIDED:  # it follows a path now; the guide only keeps its row
            track[[LEFT, FINAL]] = left, final


def plan(starts: Floats, goals: Floats, terrain_data: TerrainData) -> list[Route | None]:
    """Plan routes from starts to goals (n, 2), m, for one following style; None: no route.

    Each result is independent of the others. There is no route from or to NaN.
    """
    routes: list[Route | None] = [None] * len(starts)
    asked = np.flatnonzero(np.isfinite(starts + goals).all(axis=1) & (starts != goals).any(axis=1))
    rows, sizes = plan_routes(
        starts[asked], goals[asked], MARGIN, terrain_data.weights, terrain_data.terrain.ground,
        terrain_data.nodes, terrain_data.away,
    )  # fmt: skip
    first = 0
    for request, (points, pieces) in zip(asked.tolist(), sizes.tolist(), strict=True):
        bend, end = first + points, first + points + pieces
        if pieces:
            routes[request] = Route(rows[first:bend], rows[bend:end])
        first = end
    return routes


def _is_route(route: Route, marks: Floats, triangles: int) -> bool:
    """Return whether lengths ascend, pieces are in triangles and the marks are on the route."""
    along, (begin, end, where) = route.points[:, 2:], route.pieces.T[:3]
    length = float(along[-1, 0])
    reference, attraction, stride = marks[[REFERENCE, ATTRACTION, STRIDE]].tolist()
    return bool(
        (along[0] == 0.0).all()
        and (np.diff(along, axis=0) >= 0.0).all()
        and 0.0 < length == marks[LENGTH]
        and 0.0 <= reference <= attraction <= length
        and stride >= 0.0
        and ((begin >= 0.0) & (begin <= end) & (end <= length * (1.0 + 1e-9))).all()
        and (np.diff(begin) >= 0.0).all()
        and ((where >= 0) & (where < triangles) & (where % 2 == 0)).all()
    )


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy with twice the capacity."""
    more = np.zeros((max(64, 2 * len(array)), *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more
