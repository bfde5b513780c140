"""Dynamic obstacles: discs that appear, move and vanish while the crowd walks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.kernels.layouts import (
    BALL_RADIUS,
    BALL_X,
    BALL_Y,
    BODY_VX,
    BODY_VY,
    ObstacleCells,
    Openings,
)
from footway.crowd.kernels.pairs import RANGE
from footway.errors import BadQuery
from footway.validation import FARTHEST, number, pair, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.crowd.crowd import Crowd
    from footway.crowd.floors import Floors
    from footway.crowd.kernels.layouts import Tracks
    from footway.crowd.simulation import Simulation


NO_OBSTACLES = ObstacleCells(
    0, np.zeros((1, 5), np.float32), np.zeros(1, np.int32), np.zeros(1, np.int32),
    np.zeros((0, 2)), np.zeros(0, np.int32),
)  # fmt: skip


@dataclass(frozen=True)
class Obstacle:
    """A disc that characters avoid.

    Attributes:
        at: x, y in m at the time `since`.
        radius: m.
        velocity: m/s.
        appears: s.
        vanishes: s.
        since: s, time to which `at` refers.
        sheet: of `at` in a building; -1 in the plane. It moves on straight, also through portals.

    """

    at: tuple[float, float]
    radius: float
    velocity: tuple[float, float] = (0.0, 0.0)
    appears: float = 0.0
    vanishes: float = math.inf
    since: float = 0.0
    sheet: int = -1

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", pair(self.at, "obstacle's place"))
        object.__setattr__(self, "velocity", pair(self.velocity, "obstacle's velocity"))
        number(self.radius, "obstacle's radius", "m", above=0.0, high=FARTHEST)
        for name, time in (("appears", self.appears), ("vanishes", self.vanishes)):
            number(time, f"time at which the obstacle {name}", "s", low=0.0, endless=True)
        if not self.appears < self.vanishes:
            raise BadQuery(
                f"the obstacle appears at {self.appears:g} s and vanishes at {self.vanishes:g} s: "
                "it must appear before it vanishes"
            )

    def is_present(self, time: float) -> bool:
        """Return whether the obstacle is present."""
        return self.appears <= time < self.vanishes

    def position(self, time: float) -> tuple[float, float]:
        """Return its position, m."""
        t = time - max(self.since, self.appears)
        return self.at[0] + t * self.velocity[0], self.at[1] + t * self.velocity[1]


class Obstacles:
    """The dynamic obstacles of a crowd, by number."""

    def __init__(self, floors: Floors | None = None) -> None:
        self._floors = floors
        self.all: dict[int, Obstacle] = {}
        self.next = 0
        self.cells = NO_OBSTACLES  # for the step
        self.seen = np.empty((0, 5))  # discs at the last step
        self.seen_on = np.empty(0, np.int64)  # their sheets
        self._key: object = None

    def add(self, obstacle: Obstacle) -> int:
        """Add an obstacle and return its number."""
        self.all[self.next] = obstacle
        self.next += 1
        return self.next - 1

    def get(self, which: int) -> Obstacle:
        """Return an obstacle, or raise BadQuery."""
        if not isinstance(which, (int, np.integer)) or which not in self.all:
            raise BadQuery(f"there is no obstacle {shown(which)}: it was removed, or never added")
        return self.all[which]

    def remove(self, which: int) -> None:
        """Remove an obstacle."""
        self.get(which)
        del self.all[which]

    def move(
        self,
        number: int,
        at: tuple[float, float],
        velocity: tuple[float, float],
        time: float,
        sheet: int = -1,
    ) -> None:
        """Move an obstacle and set its velocity."""
        old = self.get(number)
        self.all[number] = replace(old, at=at, velocity=velocity, since=time, sheet=sheet)

    def discs(self, time: float) -> Floats:
        """Return the obstacles present: (n, 5) x, y, velocity, radius."""
        present = [o for o in self.all.values() if o.is_present(time)]
        rows = [(*o.position(time), *o.velocity, o.radius) for o in present]
        return np.array(rows, np.float64).reshape(-1, 5)

    def sheets(self, time: float) -> Ints:
        """Return the sheets of the obstacles present, (n,); -1 in the plane."""
        present = [o for o in self.all.values() if o.is_present(time)]
        if self._floors is None:
            return np.full(len(present), -1)
        found = [self._floors.sheet_after(o.at, o.position(time), o.sheet) for o in present]
        return np.array(found, np.int64)

    def numbers(self, time: float) -> list[int]:
        """Return the numbers of the obstacles present, in the order of `discs`."""
        return [number for number, o in self.all.items() if o.is_present(time)]

    def update(self, discs: Floats, sheets: Ints, box: Floats, shape: NDArray[np.int64]) -> bool:
        """List the obstacles (n, 5), on sheets (n,), for the step; return whether they changed."""
        key = discs.tobytes() + sheets.tobytes() + box.tobytes()
        is_same, self._key, self.seen, self.seen_on = key == self._key, key, discs, sheets
        if not is_same:
            self.cells = list_by_cells(discs, box, shape, sheets)
        return not is_same


def obstacles_at_start(crowd: Crowd) -> dict[int, Obstacle]:
    """Return all obstacles of a crowd by number, each where it was put last, as at time 0.

    Obstacles that have not appeared yet or have vanished are included.
    """
    known = crowd._simulation.obstacles.all  # noqa: SLF001 - not needed by users
    return {number: replace(obstacle, since=obstacle.appears) for number, obstacle in known.items()}


def restore_obstacles(crowd: Crowd, obstacles: dict[int, Obstacle]) -> None:
    """Replace the obstacles of a crowd at time 0."""
    store = crowd._simulation.obstacles  # noqa: SLF001 - not needed by users
    store.all, store.next = dict(obstacles), max(obstacles, default=-1) + 1


def place_obstacles(simulation: Simulation) -> None:
    """Update the obstacles, and request new paths for characters that cannot pass any more."""
    planner, characters = simulation.planner, simulation.characters
    before = planner.index.graph.clearance
    obstacles, now = simulation.obstacles, simulation.time
    if not simulation.set_obstacle_discs(obstacles.discs(now), obstacles.sheets(now)):
        return
    graph = planner.index.graph
    closed = np.flatnonzero(graph.clearance < before - 1e-9)
    if not len(closed):
        return
    blocked = [*planner.users_of(closed).tolist(), *simulation.routes.blocked(graph)]
    for character in sorted(blocked):
        slot = characters.slots(character)
        population = simulation.populations[characters.population[slot]]
        has_alternatives = planner.n_alternatives(character) > 1
        is_on_journey = population.reaches(characters.stage[slot], characters.goal[slot])
        planner.request(character, keep_goal=not (has_alternatives and is_on_journey))
    simulation.groups.avoid_closed_edges(closed)


def list_by_cells(
    discs: Floats, box: Floats, shape: NDArray[np.int64], sheets: Ints | None = None
) -> ObstacleCells:
    """List discs by the cells in which they affect characters, for the step."""
    if not len(discs):
        return NO_OBSTACLES
    columns, rows = shape.tolist()
    cells: list[tuple[int, int]] = []
    for k, (x, y, _, _, radius) in enumerate(discs.tolist()):
        centre = np.array([x, y])
        low = (centre - radius - RANGE - 2.0 * box[2] - box[:2]) / box[2]
        high = (centre + radius + RANGE + 2.0 * box[2] - box[:2]) / box[2]
        for j in range(max(0, int(low[1])), min(rows, int(high[1]) + 1)):
            for i in range(max(0, int(low[0])), min(columns, int(high[0]) + 1)):
                cells.append((j * columns + i, k))  # noqa: PERF401
    cells.sort()
    where = np.array([c for c, _ in cells], np.int64)
    count = np.bincount(where, minlength=columns * rows)
    local = discs.copy()
    local[:, :2] -= box[:2] + 0.5 * box[2] * shape
    return ObstacleCells(
        len(discs),
        local.astype(np.float32),
        np.concatenate([[0], np.cumsum(count)]).astype(np.int32),
        np.array([k for _, k in cells], np.int32),
        np.ascontiguousarray(discs[:, :2]),
        np.array([] if sheets is None else sheets[sheets >= 0], np.int32),
    )


def narrowed(
    index: Index,
    tracks: Tracks,
    discs: Floats,
    sheets: Ints | None = None,
    floors: Floors | None = None,
) -> tuple[Index, Openings]:
    """Return the map with reduced clearance on edges that standing discs narrow; and where.

    In a ball of radius R at distance d from a disc of radius q, the widest disc that passes has the
    diameter R + d - q. In a building a disc on a sheet narrows balls on its sheet, and on others
    that a straight line reaches through portals.
    """
    edges = len(index.axis.edges)
    balls = tracks.balls[: tracks.last[edges - 1] + 1]
    clearance = balls[:, BALL_RADIUS]
    passable = clearance.copy()
    standing = np.flatnonzero((discs[:, [BODY_VX, BODY_VY]] == 0.0).all(axis=1))
    if not len(standing):
        return index, Openings(False, passable)
    for k in standing.tolist():
        x, y, _, _, radius = discs[k].tolist()
        d = hypot(balls[:, BALL_X] - x, balls[:, BALL_Y] - y)
        near = d < clearance + radius
        if floors is not None and sheets is not None:
            some = np.flatnonzero(near)
            on = tracks.sheets[some].astype(np.int64) - 1
            near[some] = floors.are_reached(discs[k, :2], int(sheets[k]), balls[some, :2], on)
        passable[near] = np.minimum(passable[near], 0.5 * (clearance[near] + d[near] - radius))
    least = np.minimum.reduceat(passable, tracks.first[:edges])
    is_closed = least < np.minimum.reduceat(clearance, tracks.first[:edges])
    reduced = index.graph.clearance.copy()  # rides in lifts follow the edges of the map
    reduced[:edges] = np.where(is_closed, np.minimum(least, reduced[:edges]), reduced[:edges])
    graph = index.graph._replace(clearance=reduced)
    return index._replace(graph=graph), Openings(True, passable)
