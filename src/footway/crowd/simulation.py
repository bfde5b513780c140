"""Simulation: state and services of a running crowd, and the motion of all characters."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from footway._numba.portable_math import cos, exp, sin
from footway._numba.random_stream import RandomStream
from footway.corridor.points import locate
from footway.crowd.congestion import Congestion
from footway.crowd.free_space import nearest_free
from footway.crowd.groups import Groups
from footway.crowd.kernels.cells import begin_cells, count_cells, fill_cells
from footway.crowd.kernels.layouts import (
    ARRIVED,
    STAYING,
    Avoidance,
    Cells,
    Headway,
    Joined,
    Motion,
    UserForces,
    World,
)
from footway.crowd.kernels.pairs import RANGE
from footway.crowd.kernels.step import (
    RELAXATION,
    REQUEST_GOAL,
    THEIR_ROW,
    move_cells,
    move_planned,
    plan_rows,
    write_pairs,
)
from footway.crowd.models import Neighbours, SocialForce, UserModel, number_of
from footway.crowd.obstacles import Obstacles, narrowed
from footway.crowd.planning import Planner
from footway.crowd.populations import Goals
from footway.crowd.state import Characters
from footway.crowd.terrain_following import Routes
from footway.crowd.tracks import tracks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor import CorridorMap
    from footway.corridor.kernels.graph_search import GraphWorkspace
    from footway.corridor.kernels.layouts import Index
    from footway.crowd.floors import Floors
    from footway.crowd.models import LocalModel
    from footway.crowd.populations import GoalRange, Population
    from footway.crowd.spawning import Source
    from footway.crowd.start_space import StartSpace
    from footway.environment import Environment
    from footway.environment.areas import Polygon


Purpose = Literal["bodies", "goals", "areas", "spawns", "groups", "changes"]

_CLOSE = np.float32(0.4)  # m between discs, below which a step may use at most half of the gap
_TURN_RATE = math.pi  # rad/s, greatest turn rate, as of single walks
_SIDE_STEP = 0.3  # m/s, up to which characters step in any direction without turning
_EPOCH = 1.5  # s, in which chance decides once who of two characters is in front
_CHECK = 0.8  # s between two checks of the progress of a character
_TIRED = 4.0  # s without progress, after which a character requests a new path
_NOTHING_GIVEN = np.zeros((0, 2), np.float32)
_IN_PLANE = Joined(1, np.empty(0, np.int32), np.empty(0, np.int32), np.empty((0, 2)), 0.0)
_NO_SLOPES = np.empty((0, 6))
NO_HEADWAY = Headway(*np.zeros(5, np.float32))
NO_USER_FORCES = UserForces(are_given=False, by_slot=np.zeros((1, 2), np.float32))

_PURPOSES: dict[Purpose, int] = {
    "bodies": 1, "goals": 2, "areas": 3, "spawns": 4, "groups": 5, "changes": 6,
}  # fmt: skip
_REORDER = 32  # steps between two sorts of the memory by cells
_FEW = 2000  # characters below which one thread is faster
_BANDS = 4  # parts of the work per thread, for load balancing


class Simulation:
    """Characters, their goals and paths, and everything that acts on them.

    Attributes:
        characters: state of all characters.
        floors: what the crowd knows about a building; None in the plane.
        lifts: those of the building; None without any.
        tracks: samples of the map, with the corridors of groups.
        goals: table of located goals.
        populations: characters that were added together, by number.
        sources: characters that have yet to spawn.
        start_spaces: where random start points were chosen.
        routes: routes over terrain.
        planner: paths and their requests.
        congestion: expected waits at bottlenecks, and changes of path because of them.
        groups: coherent groups.
        obstacles: dynamic obstacles.
        random_goals: goals anywhere on the map, by radius.
        user_forces: accelerations of the user's functions in this step.
        new: ids that are not in the recording yet.
        next: id of the next character.

    """

    def __init__(
        self,
        cmap: CorridorMap,
        *,
        seed: int,
        dt: float,
        threads: int,
        model: LocalModel | UserModel,
        environment: Environment | None = None,
    ) -> None:
        self.map, self.index = cmap, cmap.solver.index
        self.floors = _floors(cmap)
        if self.floors is not None:
            self.index = self.floors.index
        self.seed, self.dt, self.threads = seed, dt, threads
        self.model = model
        self.motion = _motion(dt)
        self.avoidance = Avoidance(0, np.zeros(0, np.float32), _NOTHING_GIVEN, _CLOSE)
        self.set_model(model)
        self.steps = 0
        self.characters = Characters()
        self.tracks = tracks_of(cmap)
        if self.floors is not None:
            self.tracks = self.floors.tracks(self.tracks)
        self.goals = Goals(cmap)
        self.populations: list[Population] = []
        self.sources: list[Source] = []
        self.start_spaces: list[StartSpace] = []
        self.routes = Routes(self, environment)
        self.planner = Planner(self)
        self.congestion = Congestion(self)
        self.groups = Groups(self)
        self.obstacles = Obstacles(self.floors)
        self.random_goals: dict[float, GoalRange] = {}
        self.user_forces = NO_USER_FORCES
        self.new: list[Ints] = []
        self.next = self.arrivals = self.exited = 0
        self._workers: ThreadPoolExecutor | None = None
        self._fit_grid(0.25)
        self._cell_of = np.empty(0, np.int32)
        self.lifts = None if self.floors is None else self.floors.run_lifts(self)

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.steps * self.dt

    @property
    def graph_workspace(self) -> GraphWorkspace:
        """Memory of the calling thread for searches along the axis."""
        floors = self.floors
        return self.map.solver.graph_workspace if floors is None else floors.workspace

    @property
    def obstacle_discs(self) -> Floats:
        """(m, 3) x, y, radius of the obstacles present now, m."""
        return self.obstacles.discs(self.time)[:, [0, 1, 4]]

    def locate(self, points: Floats, sheets: Ints | None) -> tuple[Ints, Floats]:
        """Locate points (n, 2), on sheets (n,) of a building: pieces and values as on the map."""
        if self.floors is None or sheets is None:
            return locate(np.ascontiguousarray(points), self.index)
        return self.floors.locate(points, sheets)

    def clearances(self, points: Floats, sheets: Ints) -> Floats:
        """Distance of points (n, 2), on sheets (n,) of a building, to walls, (n,) m."""
        if self.floors is None:
            return self.map.clearance(points)
        return self.floors.space.clearances(points, sheets)

    def nearest_free(
        self, points: Floats, sheets: Ints, radii: Floats, *, shut: bool = False
    ) -> tuple[Floats, Ints]:
        """Return points (n, 2), and sheets (n,) of a building, moving discs that do not fit.

        `shut`: for people, whom open doors of lifts let pass.
        """
        if self.floors is None:
            return nearest_free(self.map, points, radii), sheets
        return self.floors.space.nearest_free(points, sheets, radii, shut=shut)

    def sheets_of(self, slots: NDArray[np.int32]) -> Ints:
        """Return the sheets of characters (n,); -1 in the plane."""
        return self.characters.sheet[slots].astype(np.int64) - 1

    def polygon_of(self, area: Any) -> Polygon:
        """Return the polygon of an area on a plane, which may be the name of one of the map."""
        from footway.environment.areas import area_of, as_polygon  # loads Shapely

        if not isinstance(area, str):
            return as_polygon(area)
        return area_of(self.routes.environment or self.map.environment, area)

    def random(self, purpose: Purpose, number: int) -> RandomStream:
        """Return a random stream for one purpose."""
        return RandomStream([self.seed, _PURPOSES[purpose], number])

    def on_threads(self, work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
        """Run the work on every part, on all threads; they live as long as the crowd."""
        if len(parts) <= 1 or self.threads == 1:
            return [work(part) for part in parts]
        if self._workers is None:
            self._workers = ThreadPoolExecutor(max_workers=self.threads)
        return list(self._workers.map(work, parts))

    def append(self, ids: Ints, **rows: NDArray[Any]) -> None:
        """Add characters; `rows` are rows of the state's arrays by name."""
        slots = self.characters.append(ids, **rows)
        self.fit_to(slots)

    def remove(self, ids: Ints) -> None:
        """Remove characters, their paths and their requests."""
        self.planner.forget(ids)
        if self.lifts is not None:
            self.lifts.forget(ids.tolist())
        self.characters.remove(ids)

    def set_obstacle_discs(self, discs: Floats, sheets: Ints) -> bool:
        """Pass obstacles (n, 5), on sheets (n,), to the step and the planner: whether they changed.

        Sheets are -1 in the plane.
        """
        if not self.obstacles.update(discs, sheets, self.box, self.shape):
            return False
        self.narrow_paths()
        return True

    def narrow_paths(self) -> None:
        """Tell the planner which edges are narrowed by obstacles; links may be closed besides."""
        planner, obstacles = self.planner, self.obstacles
        planner.index, planner.openings = narrowed(
            self.open_index, self.tracks, obstacles.seen, obstacles.seen_on, self.floors
        )

    @property
    def open_index(self) -> Index:
        """Search structures of the map without the links that are closed now."""
        return self.index if self.floors is None else self.floors.open_index

    # -- requests ----------------------------------------------------------------------------

    def handle_requests(self, requests: NDArray[np.int32]) -> None:
        """Let arrived characters continue, stay or exit; queue the other requests (k, 2)."""
        characters = self.characters
        for number, kind in requests.tolist():
            slot = characters.slots(number)
            population = self.populations[characters.population[slot]]
            has_arrived = kind == REQUEST_GOAL
            if has_arrived and self.floors is not None and self.routes.end_legs(slot[None])[0]:
                continue
            if self.lifts is not None and self.lifts.handles(number, has_arrived=has_arrived):
                continue
            if has_arrived and self.floors is not None and self._is_back(slot, population):
                characters.mode[slot] = STAYING
                continue
            self.arrivals += has_arrived
            if characters.group[slot] >= 0:
                self._handle_member(slot, population, has_arrived=has_arrived)
            elif population.behaviour == "wander":
                self.planner.start_wandering(np.array([number]), population)
            elif has_arrived:
                self._continue_journey(number, slot, population)
            else:
                self.planner.request(number, keep_goal=True)

    def _is_back(self, slot: int, population: Population) -> bool:
        """Return whether a character of a building stayed at its goal before, and was pushed."""
        characters = self.characters
        if characters.group[slot] >= 0:
            return bool(characters.stage[slot] > 0)
        return population.is_back(int(characters.stage[slot]), int(characters.goal[slot]))

    def _continue_journey(self, number: int, slot: int, population: Population) -> None:
        """Let an arrived character request its next goal, stay or exit."""
        characters = self.characters
        characters.stage[slot] += population.reaches(characters.stage[slot], characters.goal[slot])
        if population.then == "repeat" or characters.stage[slot] < len(population.stages):
            self.planner.request(number, keep_goal=False)
        elif population.then == "exit":
            self._exit(np.array([number]))
        else:
            self.planner.cancel(number)
            characters.mode[slot] = STAYING

    def _handle_member(self, slot: int, population: Population, *, has_arrived: bool) -> None:
        """Handle the request of a member; the last one to arrive lets the group continue."""
        characters = self.characters
        group = self.groups.all[characters.group[slot]]
        slots = self.groups.members(group)
        if not has_arrived:
            self.groups.move_to_closest_ball(group, slot)
        elif (characters.mode[slots] == ARRIVED).all():
            group.arrived += 1
            if population.then == "exit":
                self._exit(characters.id[slots])
            elif population.then == "stay" or population.stages[0][0].size == 1:
                characters.mode[slots] = STAYING
                if self.floors is not None:
                    characters.stage[slots] = 1
            else:
                self.groups.send(group, population)

    def _exit(self, ids: Ints) -> None:
        self.remove(ids)
        self.exited += len(ids)

    # -- motion ------------------------------------------------------------------------------

    def fit_to(self, slots: NDArray[np.int32]) -> None:
        """Adapt the cells to the greatest radius, and the guarded gap to the greatest speed."""
        widest = self.characters.radius[slots].max(initial=0.0)
        fastest = self.characters.speed[slots].max(initial=0.0)
        if widest > self.widest:
            self._fit_grid(float(widest))
        close = max(self.avoidance.close, min(RANGE, 2.2 * fastest * self.dt))
        self.avoidance = self.avoidance._replace(close=np.float32(close))

    def set_model(self, model: LocalModel | UserModel) -> None:
        """Use another local model from the next step on."""
        self.model = model
        self.avoidance = self.avoidance._replace(
            number=number_of(model), parameters=model.to_array(self.dt), given=_NOTHING_GIVEN
        )
        self.motion = self.motion._replace(headway=_headway(model))

    def restore_limits(self, widest: float, close: float) -> None:
        """Restore what depends on characters that may be gone, from a checkpoint."""
        self._fit_grid(widest)
        self.avoidance = self.avoidance._replace(close=np.float32(close))

    def _fit_grid(self, widest: float) -> None:
        """Make cells as wide as the range of F_c, so that nine hold all neighbours (section 4)."""
        self.widest = widest
        size = RANGE + 2.0 * widest
        x0, y0, x1, y1 = self.map.bounds
        self.box = np.array([x0 - size, y0 - size, size])
        columns, rows = int((x1 - x0) / size) + 3, int((y1 - y0) / size) + 3
        self.shape = np.array([columns, rows])
        count, self._joined = columns * rows, _IN_PLANE
        if self.floors is not None:
            count *= len(self.floors)
            self._joined = self.floors.join_cells(self.box, self.shape)
        self._offsets = np.zeros(count + 1, np.int32)
        self._counts = np.zeros((self.threads, count), np.int32)

    def move(self) -> NDArray[np.int32]:
        """Move all characters by one step; return requests (k, 2): id and kind, ascending by id."""
        if self.characters.n == 0:
            self.steps += 1
            return np.empty((0, 2), np.int32)
        cells = self.sort_by_cells()
        total = len(cells.slots)
        if self.steps % _REORDER == 0:
            self.characters.reorder(cells.slots)
            if self.user_forces.are_given:
                by_slot = self.user_forces.by_slot[cells.slots]
                self.user_forces = self.user_forces._replace(by_slot=by_slot)
            cells.slots[:] = np.arange(total)
        world, state = self.world(cells), self.characters.state
        threads = self._n_threads
        parts = _split(total, threads * _BANDS if threads > 1 else 1)
        plans: Floats | None = None
        if isinstance(self.model, UserModel):
            plans = self._ask_user_model(self.model, cells, parts)
            world = self.world(cells)

        def move_part(part: tuple[int, int, int]) -> NDArray[np.int32]:
            _, first, end = part
            requests = self._requests[first:end]
            if plans is not None:
                return requests[: move_planned(first, end, world, state, plans, requests)]
            return requests[: move_cells(first, end, world, state, requests)]

        requests = np.concatenate(self.on_threads(move_part, parts))
        self.steps += 1
        return requests[np.argsort(requests[:, 0])]

    def _ask_user_model(
        self, model: UserModel, cells: Cells, parts: list[tuple[int, int, int]]
    ) -> Floats:
        """Call a model of the user and keep its result by slot; return the plans of all rows."""
        world, characters = self.world(cells), self.characters
        total, slots = len(cells.slots), cells.slots
        plans, counts = np.empty((total, 5)), np.empty(total, np.int64)
        self.on_threads(
            lambda part: plan_rows(*part[1:], world, characters.state, plans, counts), parts
        )
        first = np.concatenate([[0], np.cumsum(counts)])
        pairs = np.empty((int(first[-1]), 8))
        self.on_threads(lambda part: write_pairs(*part[1:], world, plans, first, pairs), parts)
        found = model.call(
            Neighbours(
                characters.id[slots].astype(np.int64), characters.position[slots],
                characters.velocity[slots].astype(np.float64), plans[:, 0:2].copy(),
                plans[:, 2].copy(), characters.speed[slots].astype(np.float64),
                characters.radii(slots), first, np.repeat(np.arange(total), counts),
                pairs[:, THEIR_ROW].astype(np.int64), pairs[:, 0:2].copy(), pairs[:, 2].copy(),
                pairs[:, 3:5].copy(), pairs[:, 5:7].copy(), self.dt, RELAXATION,
            )
        )  # fmt: skip
        given = np.zeros((len(characters.state.place), 2), np.float32)
        given[slots] = found
        self.avoidance = self.avoidance._replace(given=given)
        return plans

    def sort_by_cells(self) -> Cells:
        """Sort the bodies of all characters by cells."""
        characters, n_cells = self.characters, len(self._offsets) - 1
        capacity = len(characters.state.place)
        if len(self._cell_of) != capacity:
            self._cell_of, self._slots, self._ids = np.empty((3, capacity), np.int32)
            self._bodies = np.empty((capacity, 5), np.float32)
            self._headings = np.empty((capacity, 4), np.float32)
            self._requests = np.empty((capacity, 2), np.int32)
        state, box, shape, cell_of = characters.state, self.box, self.shape, self._cell_of
        epoch = self._epoch

        def count(part: tuple[int, int, int]) -> None:
            thread, first, end = part
            counts = self._counts[thread]
            count_cells(first, end, n_cells, state, box, shape, cell_of, counts)

        def fill(part: tuple[int, int, int]) -> None:
            thread, first, end = part
            fill_cells(
                first, end, n_cells, epoch, state, box, shape, cell_of, self._counts[thread],
                self._bodies, self._headings, self._ids, self._slots,
            )  # fmt: skip

        parts = _split(characters.n, self._n_threads)
        self.on_threads(count, parts)
        total: int = begin_cells(n_cells, self._counts[: len(parts)], self._offsets)
        self.on_threads(fill, parts)
        joined = self._joined
        if self.floors is not None:
            places = np.ascontiguousarray(characters.position[self._slots[:total]])
            joined = joined._replace(places=places, reach=float(self.avoidance.close))
        return Cells(
            int(shape[0]),
            self._offsets,
            self._bodies,
            self._headings,
            self._ids,
            self._slots[:total],
            joined,
        )

    def world(self, cells: Cells) -> World:
        """Return what all characters read in a step."""
        motion = self.motion._replace(epoch=self._epoch)
        return World(
            self.steps, self.dt, self.seed, self.avoidance, motion, cells, self.obstacles.cells,
            self.groups.front_limits, self.user_forces, self.planner.pool.halves, self.tracks,
            self.index.graph, self.index.grid, self.routes.guides,
            _NO_SLOPES if self.floors is None else self.floors.slopes,
        )  # fmt: skip

    @property
    def _epoch(self) -> int:
        """Number of the period in which the same ones yield to each other."""
        return int(self.time / _EPOCH)

    @property
    def _n_threads(self) -> int:
        return self.threads if self.characters.n >= _FEW else 1


def _floors(cmap: Any) -> Floors | None:
    if not hasattr(cmap, "building"):
        return None
    from footway.crowd.floors import Floors  # loads Shapely

    return Floors(cmap)


def _motion(dt: float) -> Motion:
    """Return what the motion of a step of dt s depends on."""
    turn = min(_TURN_RATE * dt, math.pi)
    return Motion(
        gain=_relaxed(dt, RELAXATION) * RELAXATION / dt,
        headway=NO_HEADWAY,
        tan_turn=float(sin(turn)) / float(cos(turn)) if turn < 0.5 * math.pi else 0.0,
        cos_turn=float(cos(turn)),
        sin_turn=float(sin(turn)),
        side_step=_SIDE_STEP,
        epoch=0,
        check=max(1, round(_CHECK / dt)),
        tired=max(1, round(_TIRED / dt)),
    )


def _headway(model: LocalModel | UserModel) -> Headway:
    """Return the headway of a local model; all 0 if it has none."""
    if not isinstance(model, SocialForce) or model.headway == 0.0:
        return NO_HEADWAY
    beside = min(model.headway, model.headway_beside)
    values = (model.headway, beside, model.space, model.shoulders, model.anticipation)
    return Headway(*np.array(values, np.float32))


def _relaxed(dt: float, time: float) -> float:
    """Return 1 - exp(-dt / time): the share of a difference that vanishes in a step."""
    return 1.0 - float(exp(-dt / time)) if time > 0.0 else 1.0


def _split(n: int, parts: int) -> list[tuple[int, int, int]]:
    """Return number, begin and end of equal parts of n."""
    parts = max(1, min(parts, n))
    return [(k, k * n // parts, (k + 1) * n // parts) for k in range(parts)]
