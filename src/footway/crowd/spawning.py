"""Spawn characters: bodies, start points and first paths; and sources, which spawn over time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from footway._numba.portable_math import cos, sin
from footway.corridor.map import as_points
from footway.crowd.free_space import are_too_many, check_capacity, overlapping, scatter
from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.layouts import make_state
from footway.crowd.kernels.placement import keep_apart
from footway.crowd.kernels.planning import FOUND, STATUS
from footway.crowd.populations import (
    ARRIVAL,
    check_clearance,
    check_reachable,
    refuse_goal,
)
from footway.crowd.profile import PROPERTIES, drawn, mean_and_deviation
from footway.crowd.start_space import StartSpace
from footway.errors import BadQuery
from footway.validation import number, point, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from footway._numba.random_stream import RandomStream
    from footway.arrays import Floats, Ints
    from footway.crowd.floors import Floors
    from footway.crowd.populations import Population
    from footway.crowd.profile import Profile, Spread
    from footway.crowd.simulation import Simulation

    Rows = dict[str, NDArray[Any]]

LONGEST = 604_800.0  # s, a week: larger values are probably in another unit
NEVER = 2**31 - 1  # a step that is never reached
_SLOWEST, _FASTEST = 1e-6, 1e6  # characters per second: other values are probably in another unit
TRIES = 64  # points that a source tries per character and step
AT_ONCE = 200  # characters of a source that may appear per step


# -- new characters ------------------------------------------------------------------------------


def make_rows(ids: Ints, population: int) -> Rows:
    """Return rows of new characters that walk, with zero bodies and without positions and paths."""
    state = make_state(len(ids))
    cursor = state.cursor
    cursor[:, col.MODE], cursor[:, col.ID] = col.WALKING, ids
    cursor[:, col.GROUP] = cursor[:, col.HALF] = -1
    state.journey[:, col.POPULATION] = population
    return {
        "body": state.body, "cursor": cursor, "journey": state.journey, "sheet": state.sheet
    }  # fmt: skip


def draw_characters(
    simulation: Simulation, count: int, profile: Profile, premovement: Spread
) -> tuple[Ints, Rows, RandomStream]:
    """Return ids and rows of new characters of the next population, and the random stream."""
    ids = np.arange(simulation.next, simulation.next + count)
    rng = simulation.random("bodies", simulation.next)
    rows = make_rows(ids, len(simulation.populations))
    body, journey = rows["body"], rows["journey"]
    for name, declared in PROPERTIES.items():
        if declared.column is not None:
            body[:, declared.column] = drawn(getattr(profile, name), count, rng)
    body[:, col.REACH] = ARRIVAL
    mean, deviation = mean_and_deviation(premovement, "premovement", "s")
    number(mean, "premovement", "s", low=0.0, high=LONGEST)
    number(deviation, "deviation of the premovement", "s", low=0.0, high=LONGEST)
    delay = np.maximum(0.0, drawn((mean, deviation), count, rng))
    rows["cursor"][delay > 0.0, col.MODE] = col.WAITING
    first_step = simulation.steps + np.ceil(delay / simulation.dt - 1e-9)
    journey[:, col.FIRST_STEP] = np.minimum(first_step, NEVER)
    journey[:, col.SINCE] = simulation.steps
    return ids, rows, rng


def radii_of(rows: Rows) -> Floats:
    """Return the radii of new characters, m. (n,)."""
    return rows["body"][:, col.RADIUS].astype(np.float64)


def place_characters(
    simulation: Simulation,
    count: int,
    profile: Profile,
    starts: ArrayLike | None,
    area: Any,
    premovement: Spread,
) -> tuple[Ints, Rows, Floats]:
    """Return ids, rows and start points of new characters: the given ones, or random ones."""
    if simulation.floors is not None:
        return _place_on_floors(
            simulation, simulation.floors, count, profile, starts, area, premovement
        )
    cmap, taken = simulation.map, simulation.characters.discs
    is_checked = False
    if starts is None:
        if area is not None:
            area = simulation.polygon_of(area)
        radius, _ = mean_and_deviation(profile.radius)
        if are_too_many(cmap, count, radius, area):  # before drawing millions of bodies
            check_capacity(cmap, count, radius, area, taken)
            is_checked = True
    ids, rows, rng = draw_characters(simulation, count, profile, premovement)
    radii, obstacles = radii_of(rows), simulation.obstacle_discs
    if starts is None:
        points = scatter(cmap, radii, area, taken, rng, obstacles=obstacles, is_checked=is_checked)
        return ids, rows, points
    points = as_points(starts)
    if len(points) != count:
        raise BadQuery(f"there are {len(points)} starts for {count} characters")
    check_clearance(cmap, "start", points, radii)
    inside = np.flatnonzero(overlapping(points, radii, obstacles))
    if len(inside):
        raise _in_obstacle(int(inside[0]), points[inside[0]])
    return ids, rows, points


def _in_obstacle(number: int, point: Floats) -> BadQuery:
    x, y = point.tolist()
    return BadQuery(
        f"start {number} at ({x:g}, {y:g}) is in an obstacle: move the start or the obstacle"
    )


def _place_on_floors(
    simulation: Simulation,
    floors: Floors,
    count: int,
    profile: Profile,
    starts: Any,
    area: Any,
    premovement: Spread,
) -> tuple[Ints, Rows, Floats]:
    """`place_characters` in a building."""
    ids, rows, rng = draw_characters(simulation, count, profile, premovement)
    radii = radii_of(rows)
    if starts is None:
        points, sheets = floors.scatter(radii, area, simulation, rng)
    else:
        points, sheets = floors.points(starts, "starts")
        if len(points) != count:
            raise BadQuery(f"there are {len(points)} starts for {count} characters")
        floors.check("start", points, sheets, radii)
        inside = np.flatnonzero(floors.are_in_obstacles(points, sheets, radii, simulation))
        if len(inside):
            raise _in_obstacle(int(inside[0]), points[inside[0]])
    rows["sheet"][:, col.SHEET] = sheets + 1
    return ids, rows, points


def note_start_space(
    simulation: Simulation, name: str, radii: Floats, area: Any, points: Floats
) -> None:
    """Keep where random start points (n, 2) of characters with these radii (n,) were chosen, m."""
    if not len(points) or simulation.floors is not None:
        return
    if area is not None:
        area = simulation.polygon_of(area)
    space = StartSpace(name, float(radii.max()), points, simulation.map, area)
    simulation.start_spaces.append(space)


def place_group(
    simulation: Simulation, start: Any, radii: Floats, rows: Rows, rng: RandomStream
) -> Floats:
    """Return random points around the start of a group, (n, 2) m; note their sheets in `rows`."""
    floors = simulation.floors
    if floors is None:
        return points_around(simulation, point(start, "start"), radii, rng)
    at, on = floors.points([start], "start")
    floors.check("start", at, on, radii[:1])
    points, sheets = floors.points_around(at[0], int(on[0]), radii, simulation, rng)
    rows["sheet"][:, col.SHEET] = sheets + 1
    return points


def points_around(
    simulation: Simulation, centre: Floats, radii: Floats, rng: RandomStream
) -> Floats:
    """Return random points around a centre, in the smallest circle with enough space. (n, 2) m."""
    from footway.environment.areas import as_polygon  # loads Shapely

    taken = simulation.characters.discs
    check_capacity(simulation.map, len(radii), float(radii.mean()), None, taken)
    need = math.sqrt(float((radii**2).sum()))
    angle = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    for reach in (1.6 * need, 2.5 * need, 5.0 * need, 10.0 * need, 50.0 * need):
        ring = as_polygon(centre + reach * np.column_stack([cos(angle), sin(angle)]))
        try:
            return scatter(
                simulation.map, radii, ring, taken, rng, sight=centre,
                obstacles=simulation.obstacle_discs,
            )  # fmt: skip
        except BadQuery:
            continue
    raise BadQuery(
        f"there is no free space for a group of {len(radii)} around ({centre[0]:g}, {centre[1]:g})"
    )


def enter(simulation: Simulation, ids: Ints, points: Floats, rows: Rows) -> None:
    """Add characters to the simulation."""
    place = np.column_stack([points, np.full((len(ids), 4), np.nan)])
    simulation.append(ids, place=place, progress=points, **rows)
    simulation.new.append(ids)


def plan_first_paths(
    simulation: Simulation, ids: Ints, population: Population, *, given: bool
) -> None:
    """Plan first paths at once; raise NoPath if a given goal cannot be reached."""
    if population.behaviour == "wander":
        simulation.planner.start_wandering(ids, population)
        return
    found = simulation.planner.plan(ids, np.zeros(len(ids), bool))
    if not given or not len(ids):
        return
    lost = np.flatnonzero(found[:, STATUS] != FOUND)
    characters, k = simulation.characters, int(lost[0]) if len(lost) else 0
    slot = characters.slots(ids[k])
    start, radius = characters.position[slot], float(characters.radius[slot])
    sheets = None if simulation.floors is None else simulation.sheets_of(slot[None])
    if len(lost):
        goals = simulation.planner.make_requests(ids[k : k + 1], np.zeros(1, bool)).goal_ranges
        refuse_goal(simulation, k, start, int(goals[0, col.FIRST_GOAL]), radius, sheets)
    check_reachable(simulation, start, radius, population, sheets)


# -- sources -------------------------------------------------------------------------------------


@dataclass
class Source:
    """Characters that will appear, with their times and possible start points."""

    ids: Ints  # (n,)
    times: Floats  # (n,) s, ascending
    rows: Rows  # rows of the state's arrays, without positions
    points: Floats  # (m, 2) m, possible start points
    sheets: Ints  # (m,) their sheets in a building; -1 in the plane
    next: int = 0  # first character that has not appeared

    @property
    def population(self) -> int:
        """Index of the population; -1 if the source is empty."""
        return int(self.rows["journey"][0, col.POPULATION]) if len(self.ids) else -1

    @property
    def to_come(self) -> int:
        """Number of characters that have not appeared."""
        return len(self.ids) - self.next

    def due(self, time: float) -> int:
        """Return the number of characters that are due and have not appeared."""
        return int(np.searchsorted(self.times, time + 1e-9, side="right")) - self.next

    def free_points(
        self, count: int, taken: Floats, obstacles: Floats, rng: RandomStream
    ) -> Floats:
        """Return free points for at most the next `count` characters. (k, 2).

        `taken` (m, 3) are the discs of all characters, `obstacles` (m, 3) those of obstacles.
        """
        count = min(count, AT_ONCE)
        radii = radii_of(self.rows)[self.next : self.next + count]
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        widest = float(max(radii.max(), taken[:, 2].max(initial=0.0)))
        size = 2.0 * widest
        near = ((taken[:, :2] > low - size) & (taken[:, :2] < high + size)).all(axis=1)
        low = low - size
        shape = np.floor((high + size - low) / size).astype(np.int64) + 1
        points = self.points[rng.integers(len(self.points), TRIES * count)]
        points = points[~overlapping(points, np.full(len(points), radii.max()), obstacles)]
        found, _ = keep_apart(points, radii, taken[near], size, low, shape[0], shape[1])
        places: Floats = found
        return places


def spawn_due(simulation: Simulation) -> None:
    """Spawn the characters of sources that are due, where there is free space."""
    for index, source in enumerate(simulation.sources):
        count = source.due(simulation.time)
        if count > 0:
            _spawn(simulation, source, count, index)
    simulation.sources = [source for source in simulation.sources if source.to_come]


def _spawn(simulation: Simulation, source: Source, count: int, index: int) -> None:
    steps = simulation.steps
    rng = simulation.random("spawns", index * 1_000_003 + steps)
    discs, obstacles = simulation.characters.discs, simulation.obstacle_discs
    if simulation.floors is None:
        points = source.free_points(count, discs, obstacles, rng)
    else:
        points, sheets = simulation.floors.spawn_points(source, count, simulation, rng)
    if not len(points):
        return
    here = slice(source.next, source.next + len(points))
    rows = {name: values[here].copy() for name, values in source.rows.items()}
    journey = rows["journey"]
    journey[:, col.SINCE] = steps
    first_step = journey[:, col.FIRST_STEP].astype(np.int64) + steps
    journey[:, col.FIRST_STEP] = np.minimum(first_step, NEVER)
    source.next += len(points)
    ids = source.ids[here]
    if simulation.floors is not None:
        rows["sheet"][:, col.SHEET] = sheets + 1
    enter(simulation, ids, points, rows)
    population = simulation.populations[journey[0, col.POPULATION]]
    if population.behaviour == "wander":
        simulation.planner.start_wandering(ids, population)
        return
    simulation.characters.hold_until_planned(ids)
    for character in ids.tolist():
        simulation.planner.request(character, keep_goal=False)


def spawn_times(
    count: int, rate: float | None, start: float, schedule: Sequence[tuple[float, int]] | None
) -> Floats:
    """Return the time at which each character of a source is due, s. (count,)."""
    if schedule is None:
        if rate is None:
            raise BadQuery(
                "a source needs either a rate per second or a schedule: give one of them"
            )
        number(rate, "rate", "per second", low=_SLOWEST, high=_FASTEST)
        number(start, "time at which the source starts", "s", low=0.0, high=LONGEST)
        regular: Floats = start + np.arange(count) / rate
        return regular
    try:
        times = [number(t, "time", "s", high=LONGEST) for t, _ in schedule]
        sizes = [int(n) for _, n in schedule]
        is_whole = all(int(n) == n for _, n in schedule)
    except (TypeError, ValueError, OverflowError):
        is_whole = False
    if not is_whole:
        raise BadQuery(f"the schedule is {shown(schedule)}: give (time in s, count) pairs")
    if any(b < a for a, b in pairwise(times)) or min(times, default=0.0) < 0.0:
        raise BadQuery("the times of a schedule must be 0 or later and ascend")
    if min(sizes, default=0) < 0 or sum(sizes) != count:
        raise BadQuery(
            f"the schedule has {shown(sum(sizes))} characters, but the source has {count}"
        )
    return np.repeat(np.array(times), sizes)
