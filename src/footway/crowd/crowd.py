"""Thousands of characters that walk at once (cmm-crowds-2008)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from footway._jit import thread_count
from footway.corridor.map import as_points
from footway.crowd import checks
from footway.crowd._plan_kernels import FOUND, STATUS, wander_off
from footway.crowd._step_kernels import WANTS_GOAL
from footway.crowd.engine import Engine
from footway.crowd.groups import Dispersion, Group, Groups, bounds_of
from footway.crowd.journeys import Behaviour, Population, Then, wishes_of
from footway.crowd.obstacles import Obstacle, Obstacles, blocks_of, narrowed
from footway.crowd.places import ARRIVAL, Places, Pool, free_points, scatter
from footway.crowd.planner import Planner
from footway.crowd.profile import Profile, drawn
from footway.crowd.recording import Recorder, Recording
from footway.crowd.region import Region
from footway.crowd.sources import Source, discs_of, times_of
from footway.crowd.state import (
    ARRIVED,
    GROUP,
    MODE,
    NO_BLOCKS,
    POPULATION,
    STAGE,
    STAYING,
    UNREACHABLE,
    WAITING,
    WALKING,
)
from footway.crowd.tracks import make_tracks, with_weights
from footway.crowd.watch import Stuck, stuck
from footway.errors import BadQuery, NoPath

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.profile import Spread

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_GOALS = 4096  # random goals on the whole map, which all populations of one radius share
_GOALS_IN_AREA = 256
_STARTS_IN_AREA = 512

Avoidance = Literal["relative", "published"]
MODELS: dict[str, NDArray[np.float32]] = {
    "relative": np.array([1.0, 1.0], np.float32),
    "published": np.array([0.0, 2.0], np.float32),
}
"""By name: the share of one's own velocity in F_c, and how far it looks ahead, s."""

# What random numbers are for: the second part of the seed.
_BODIES, _GOAL_PLACES, _AREA_PLACES, _SPAWN = 1, 2, 3, 4


class Crowd:
    """Characters with goals, wanderers and groups on one map, in steps of `step` seconds.

    Everybody follows the attraction point of its corridor (F_a), keeps off the others (F_c) and
    keeps to its side (F_perp): F = F_a + F_c + F_perp (cmm-crowds-2008, section 5). Nobody ever
    overlaps a wall. The same seed gives the same bits, on any number of threads.

    Args:
        cmap: the map.
        seed: of all that is random, 0 or more.
        step: s, between two steps.
        threads: to use; all cores where it is not given.
        avoidance: how F_c sees others: by their velocity "relative" to one's own, or as
            "published" by Helbing and Molnar (1995), by their velocity alone.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> crowd = fw.Crowd(cmap, seed=7)
        >>> ids = crowd.add(20, radius=0.2, speed=1.2)
        >>> crowd.step(10)
        >>> crowd.positions.shape, bool((cmap.clearance(crowd.positions) >= 0.2).all())
        ((20, 2), True)

    """

    def __init__(
        self,
        cmap: CorridorMap,
        *,
        seed: int = 0,
        step: float = 0.1,
        threads: int | None = None,
        avoidance: Avoidance = "relative",
    ) -> None:
        checks.whole("seed", seed, 0)
        checks.positive("step", step, "s", most=1.0)
        count = thread_count() if threads is None else checks.whole("threads", threads, 1)
        checks.one_of("avoidance", avoidance, tuple(MODELS))
        self.map, self.seed, self.dt, self.avoidance = (
            cmap,
            seed,
            float(step),
            avoidance,
        )
        tracks = make_tracks(cmap.solver.index)
        self._engine = Engine(
            cmap, tracks, seed=seed, dt=self.dt, threads=count, model=MODELS[avoidance]
        )
        self._places = Places(cmap)
        self._planner = Planner(self._engine, cmap.solver, self._places)
        self._groups = Groups(self._engine)
        self._obstacles = Obstacles()
        self._populations: list[Population] = []
        self._sources: list[Source] = []
        self._functions: list[Callable[[Crowd], ArrayLike | None]] = []
        self._pools: dict[float, Pool] = {}
        self._new: list[Ints] = []  # ids that a recorder has not seen
        self._next = 0
        self.arrivals = 0
        self.exited = 0

    # -- who is there ------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._engine.steps * self.dt

    @property
    def steps(self) -> int:
        """Steps done."""
        return self._engine.steps

    @property
    def ids(self) -> Ints:
        """(n,) Numbers of those who are there, in the order in which they were added."""
        return self._engine.present

    @property
    def positions(self) -> Floats:
        """(n, 2) m, in the order of `ids`."""
        return self._rows("place")[:, :2]

    @property
    def velocities(self) -> Floats:
        """(n, 2) m/s, in the order of `ids`."""
        return self._rows("body")[:, :2].astype(np.float64)

    @property
    def radii(self) -> Floats:
        """(n,) m, in the order of `ids`."""
        return self._rows("body")[:, 2].astype(np.float64)

    @property
    def goals(self) -> Floats:
        """(n, 2) m, in the order of `ids`; NaN for those who have none."""
        return self._rows("place")[:, 2:4]

    @property
    def populations(self) -> Ints:
        """(n,) Which call of `add` each belongs to, by `ids`: an index into `names`."""
        return self._rows("story")[:, POPULATION].astype(np.int64)

    @property
    def names(self) -> list[str]:
        """Of the populations."""
        return [population.name for population in self._populations]

    @property
    def groups(self) -> list[Group]:
        """In the order in which they were added."""
        return list(self._groups.all)

    @property
    def stuck(self) -> list[Stuck]:
        """Those who moved less than their radius in 30 s while their goal is elsewhere, and why."""
        return stuck(self._engine)

    def _rows(self, name: str) -> NDArray[Any]:
        rows: NDArray[Any] = getattr(self._engine.state, name)
        return rows[self._engine.slot_of[self._engine.present]]

    # -- adding ------------------------------------------------------------------------------

    def add(
        self,
        count: int,
        *,
        radius: Spread = 0.25,
        speed: Spread = 1.2,
        behaviour: Behaviour = "goals",
        profile: Profile | None = None,
        name: str = "",
        starts: ArrayLike | None = None,
        area: Any = None,
        goals: ArrayLike | None = None,
        destinations: Sequence[Any] = (),
        then: Then = "repeat",
        premovement: Spread = 0.0,
        within: float = math.inf,
        preference: ArrayLike | None = None,
    ) -> Ints:
        """Add characters, and give them their first ways; their ids, (count,).

        Args:
            count: how many.
            radius: m; a number, or (mean, deviation).
            speed: wanted and greatest, m/s; a number, or (mean, deviation).
            behaviour: "goals" (section 5.1) or "wander" (section 5.2).
            profile: instead of radius and speed, with habits.
            name: of the population.
            starts: (count, 2) m; at random in `area` where they are not given.
            area: a polygon: ring (k, 2), Shapely, or an Area; the whole map where not given.
            goals: (count, 2) m, one for each, where they stay unless they exit.
            destinations: areas or points (x, y), visited one after the other. Without goals and
                destinations goals are random, one after the other.
            then: after the last: "repeat", "stay" there, or "exit" (removed).
            premovement: s before they walk; a number, or (mean, deviation).
            within: m, how far away random goals and places in areas may be.
            preference: (edges of the map,) weights by which wanderers choose; 0: never.

        Raises:
            BadQuery: a number that makes no sense; no room.
            NoPath: a goal that was given cannot be reached, and why.

        """
        count = checks.whole("count", count, 0)
        profile = Profile(radius, speed) if profile is None else profile
        ids = np.arange(self._next, self._next + count)
        rng = self._random(_BODIES, self._next)
        rows = self._bodies(ids, profile, premovement, rng)
        radii = rows["body"][:, 2].astype(np.float64)
        points = self._starts(starts, area, radii, rng)
        population = self._population(
            name, behaviour, radii, goals, destinations, then, within, preference
        )
        self._populations.append(population)
        self._next += count
        self._enter(ids, points, rows)
        try:
            self._first_ways(ids, population, given=goals is not None or len(destinations) > 0)
        except NoPath:
            self._engine.remove(ids)
            self._populations.pop()
            raise
        return ids

    def add_source(
        self,
        count: int,
        *,
        area: Any,
        rate: float | None = None,
        start: float = 0.0,
        schedule: Sequence[tuple[float, int]] | None = None,
        radius: Spread = 0.25,
        speed: Spread = 1.2,
        behaviour: Behaviour = "goals",
        profile: Profile | None = None,
        name: str = "",
        goals: ArrayLike | None = None,
        destinations: Sequence[Any] = (),
        then: Then = "repeat",
        premovement: Spread = 0.0,
        within: float = math.inf,
        preference: ArrayLike | None = None,
    ) -> Ints:
        """Let characters appear in an area over time; their ids, (count,).

        `rate` of them each second from `start` on, or by a `schedule` of (time, count). Those who
        find no room appear as soon as there is. The rest as for `add`.
        """
        count = checks.whole("count", count, 0)
        profile = Profile(radius, speed) if profile is None else profile
        times = self.time + times_of(count, rate, start, schedule)
        ids = np.arange(self._next, self._next + count)
        rng = self._random(_BODIES, self._next)
        rows = self._bodies(ids, profile, premovement, rng)
        radii = rows["body"][:, 2].astype(np.float64)
        widest = float(radii.max(initial=0.0)) or 0.25
        points = free_points(self.map, _STARTS_IN_AREA, widest, Region.of(area), rng)
        population = self._population(
            name, behaviour, radii, goals, destinations, then, within, preference
        )
        self._populations.append(population)
        self._next += count
        rows["story"][:, 2] = np.round((times + rows["story"][:, 2] * self.dt) / self.dt)
        self._sources.append(Source(ids, times, rows, points))
        return ids

    def add_group(
        self,
        count: int,
        *,
        start: ArrayLike,
        goal: ArrayLike | None = None,
        radius: Spread = 0.25,
        speed: Spread = 1.2,
        profile: Profile | None = None,
        name: str = "",
        width: float | None = None,
        group_area: float | None = None,
        lateral: float | None = None,
        longitudinal: float | None = None,
        then: Then = "repeat",
    ) -> Group:
        """Add a group that stays together in one corridor (section 6).

        Args:
            count: how many.
            start: x, y in m; they stand around it.
            goal: x, y in m; random, and a new one each time all have arrived, where not given.
            radius: m; a number, or (mean, deviation).
            speed: m/s; a number, or (mean, deviation).
            profile: instead of radius and speed, with habits.
            name: of the population.
            width: g_w, m: no ball of the corridor is wider than this.
            group_area: g_A, m2, of the balls between the last and the first of them: those in
                front wait.
            lateral: m, width of the corridor (voronoi-roadmaps-2004, section 3.3).
            longitudinal: m along the backbone between the last and the first (likewise).
            then: at the goal: "repeat" (a new random goal), "stay" or "exit".

        """
        count = checks.whole("count", count, 1)
        profile = Profile(radius, speed, lane=0.0) if profile is None else profile
        ids = np.arange(self._next, self._next + count)
        rng = self._random(_BODIES, self._next)
        rows = self._bodies(ids, profile, 0.0, rng)
        radii = rows["body"][:, 2].astype(np.float64)
        bounds = bounds_of(width, group_area, lateral, longitudinal, radii)
        centre = as_points(np.atleast_2d(np.asarray(start)))[0]
        widest = float(radii.max())
        pool = (
            self._random_pool(widest)
            if goal is None
            else self._places.add(as_points(np.atleast_2d(np.asarray(goal))))
        )
        corridor = None
        if goal is not None:  # raises where it cannot be reached
            corridor = self.map.corridor(centre, self._places.spots[pool.first, :2], radius=widest)
        points = self._around(centre, radii, rng)
        self._populations.append(
            Population(name, "goals", (pool,), False, int(ids[0]), then, math.inf, 0)
        )
        self._next += count
        self._enter(ids, points, rows)
        group = self._groups.add(ids, bounds)
        self._lead(group, None if corridor is None else corridor.balls, pool.first)
        return group

    def set_goals(self, ids: ArrayLike, goals: ArrayLike) -> None:
        """Send characters somewhere else: goals (n, 2) m, in the order of ids (n,).

        They get their ways one after the other, in the next steps. Raises BadQuery for goals in
        walls and for ids that are not there.
        """
        chosen, points = np.atleast_1d(np.asarray(ids, np.int64)), as_points(goals)
        if len(chosen) != len(points):
            raise BadQuery(f"there are {len(chosen)} ids and {len(points)} goals")
        slots = self._slots(chosen)
        radii = self._engine.state.body[slots, 2].astype(np.float64)
        self._check_room("goal", points, radii)
        first = self._places.add(points).first
        self._engine.state.story[slots, 3] = first + np.arange(len(points))
        self._engine.state.place[slots, 2:4] = points
        mode = self._engine.state.track[slots, MODE]
        self._engine.state.track[slots, MODE] = np.where(mode == WAITING, WAITING, ARRIVED)
        for number in chosen.tolist():
            self._planner.ask(number, keep_goal=True)

    def _slots(self, ids: Ints) -> NDArray[np.int32]:
        known = (ids >= 0) & (ids < len(self._engine.slot_of))
        there = known.copy()
        there[known] = self._engine.slot_of[ids[known]] >= 0
        if not there.all():
            raise BadQuery(f"there is no character {int(ids[~there][0])}: see `ids`")
        return self._engine.slot_of[ids]

    # -- obstacles and own behaviour ---------------------------------------------------------

    def add_obstacle(
        self,
        at: tuple[float, float],
        radius: float,
        *,
        velocity: tuple[float, float] = (0.0, 0.0),
        appears: float = 0.0,
        vanishes: float = math.inf,
    ) -> int:
        """Put a disc in the way; its number.

        Args:
            at: x, y in m.
            radius: m.
            velocity: m/s; it passes through walls.
            appears: s of simulated time.
            vanishes: s of simulated time.

        """
        x, y = as_points([at])[0].tolist()
        since = max(self.time, appears)
        return self._obstacles.add(
            Obstacle((x, y), float(radius), velocity, appears, vanishes, since)
        )

    def move_obstacle(
        self,
        obstacle: int,
        at: tuple[float, float],
        velocity: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Put an obstacle somewhere else, x, y in m; it goes on with this velocity, m/s."""
        x, y = as_points([at])[0].tolist()
        self._obstacles.move(obstacle, (x, y), velocity, self.time)

    def remove_obstacle(self, obstacle: int) -> None:
        """Take an obstacle away."""
        self._obstacles.get(obstacle)
        del self._obstacles.all[obstacle]

    @property
    def obstacles(self) -> Floats:
        """(m, 3) x, y, radius in m of the obstacles that are there now."""
        return self._obstacles.discs(self.time)[:, [0, 1, 4]]

    def each_step(self, function: Callable[[Crowd], ArrayLike | None]) -> None:
        """Call a function of the crowd before every step.

        It may return accelerations (n, 2) in m/s2, in the order of `ids`, which are added to the
        forces; and it may call `set_goals`, `add` or `add_obstacle`.
        """
        self._functions.append(function)

    # -- running -----------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Do one step, or more."""
        for _ in range(checks.whole("count", count, 0)):
            self._let_appear()
            self._ask_functions()
            self._place_obstacles()
            self._groups.cap()
            self._answer(self._engine.advance())
            self._plan_some()

    def run(
        self,
        *,
        seconds: float,
        every: int = 1,
        to: str | PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Recording:
        """Run for some time, and record.

        Args:
            seconds: s.
            every: steps between two frames; the first and the last are always there.
            to: Parquet file that is written while it runs, so that memory stays flat; without it
                the recording is in memory.
            progress: called with the steps done and all steps.

        """
        checks.whole("every", every, 1)
        total = round(checks.positive("seconds", seconds, "s", least=0.0) / self.dt)
        with self._recorder(to) as recorder:
            self._new = [self.ids]
            self._record(recorder)
            for done in range(1, total + 1):
                self.step()
                if done % every == 0 or done == total:
                    self._record(recorder)
                if progress is not None:
                    progress(done, total)
            return recorder.close()

    def _recorder(self, to: str | PathLike[str] | None) -> Recorder:
        facts: dict[str, Any] = {
            "step": self.dt, "seed": self.seed, "map_name": self.map.name, "names": self.names,
        }  # fmt: skip
        if to is None:
            return Recorder(**facts)
        from footway.crowd.storage import ParquetRecorder

        return ParquetRecorder(to, **facts)

    def _record(self, recorder: Recorder) -> None:
        new = np.concatenate([np.empty(0, np.int64), *self._new])
        new = new[self._engine.slot_of[new] >= 0] if len(new) else new
        if len(new):
            slots, state = self._engine.slot_of[new], self._engine.state
            radius, population = state.body[slots, 2], state.story[slots, POPULATION]
            recorder.add_characters(new, radius.astype(np.float64), population)
        self._new = []
        velocities = self._rows("body")[:, :2]
        recorder.add_frame(self.steps, self.time, self.ids, self.positions, velocities)

    def save(self, file: str | PathLike[str]) -> None:
        """Write a checkpoint: a run that goes on from it gives the same bits.

        Functions of `each_step` are not in it.
        """
        from footway.crowd.checkpoint import save

        save(self, file)

    @classmethod
    def load(
        cls, file: str | PathLike[str], cmap: CorridorMap, *, threads: int | None = None
    ) -> Crowd:
        """Read a checkpoint that `save` wrote; the map must be the same."""
        from footway.crowd.checkpoint import load

        return load(file, cmap, threads=threads)

    def __repr__(self) -> str:
        return f"<Crowd of {len(self)} on {self.map.name!r}, {self.time:.1f} s>"

    # -- details of adding -------------------------------------------------------------------

    def _random(self, what: int, number: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, what, number])

    def _bodies(
        self, ids: Ints, profile: Profile, premovement: Spread, rng: np.random.Generator
    ) -> dict[str, NDArray[Any]]:
        """Rows of new characters, that know no place and no way."""
        n = len(ids)
        body, track = np.zeros((n, 8), np.float32), np.zeros((n, 10), np.int32)
        story = np.zeros((n, 8), np.int32)
        body[:, 2], body[:, 3] = (
            drawn(profile.radius, n, rng),
            drawn(profile.speed, n, rng),
        )
        body[:, 4], body[:, 5], body[:, 7] = profile.lane, profile.noise, ARRIVAL
        delay = checks.premovement(premovement, n, rng)
        track[:, 6] = np.where(delay > 0.0, WAITING, WALKING)
        track[:, 7], track[:, 8] = ids, -1
        story[:, 0] = len(self._populations)
        story[:, 2] = self.steps + np.ceil(delay / self.dt - 1e-9)
        story[:, 7] = self.steps
        return {"body": body, "track": track, "story": story}

    def _starts(
        self,
        starts: ArrayLike | None,
        area: Any,
        radii: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        if starts is None:
            region = None if area is None else Region.of(area)
            return scatter(self.map, radii, region, self._discs(), rng)
        points = as_points(starts)
        if len(points) != len(radii):
            raise BadQuery(f"there are {len(points)} starts for {len(radii)} characters")
        self._check_room("start", points, radii)
        return points

    def _discs(self) -> Floats:
        return discs_of(self._engine.state, self._engine.slot_of[self._engine.present])

    def _check_room(self, what: str, points: Floats, radii: Floats) -> None:
        clearance = self.map.clearance(points)
        tight = np.flatnonzero(clearance < radii)
        if len(tight):
            k = int(tight[0])
            x, y = points[k].tolist()
            raise BadQuery(
                f"{what} {k} at ({x:g}, {y:g}) has a clearance of {clearance[k]:.3f} m: "
                f"the character has a radius of {radii[k]:g} m"
            )

    def _around(self, centre: Floats, radii: Floats, rng: np.random.Generator) -> Floats:
        """Places around a point, as near as there is room."""
        need = math.sqrt(float((radii**2).sum()))
        for reach in (1.6 * need, 2.5 * need, 5.0 * need, 10.0 * need, 50.0 * need):
            angle = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
            ring = centre + reach * np.column_stack([np.cos(angle), np.sin(angle)])
            try:
                return scatter(self.map, radii, Region((ring,)), self._discs(), rng)
            except BadQuery:
                continue
        raise BadQuery(
            f"there is no room for a group of {len(radii)} around ({centre[0]:g}, {centre[1]:g})"
        )

    def _population(
        self,
        name: str,
        behaviour: Behaviour,
        radii: Floats,
        goals: ArrayLike | None,
        destinations: Sequence[Any],
        then: Then,
        within: float,
        preference: ArrayLike | None,
    ) -> Population:
        checks.one_of("behaviour", behaviour, ("goals", "wander"))
        checks.one_of("then", then, ("repeat", "stay", "exit"))
        checks.positive("within", within, "m", most=math.inf)
        widest = float(radii.max(initial=0.0)) or 0.25
        each = goals is not None
        if each and len(destinations):
            raise BadQuery("give goals, one for each, or destinations, not both")
        if each and then == "repeat":
            then = "stay"  # there is no other goal
        row = 0
        if preference is not None:
            weights = checks.preference(preference, len(self.map.edges))
            self._engine.tracks, row = with_weights(self._engine.tracks, weights)
        if behaviour == "wander":
            pools: tuple[Pool, ...] = (Pool(0, 1),)
        elif each:
            pools = (self._goal_places(goals, radii),)
        elif len(destinations):
            pools = tuple(self._destination(d, widest) for d in destinations)
        else:
            pools = (self._random_pool(widest),)
        return Population(name, behaviour, pools, each, self._next, then, float(within), row)

    def _goal_places(self, goals: ArrayLike | None, radii: Floats) -> Pool:
        points = as_points([] if goals is None else goals)
        if len(points) != len(radii):
            raise BadQuery(f"there are {len(points)} goals for {len(radii)} characters")
        self._check_room("goal", points, radii)
        return self._places.add(points)

    def _destination(self, destination: Any, radius: float) -> Pool:
        """Places of a point or of an area; in an area it is reached once one is well inside."""
        point = checks.as_point(destination)
        if point is not None:
            self._check_room("destination", point, np.full(1, radius))
            return self._places.add(point)
        region = Region.of(destination)
        rng = self._random(_AREA_PLACES, len(self._places.pieces))
        points = free_points(self.map, _GOALS_IN_AREA, radius, region, rng)
        return self._places.add(points, np.maximum(0.3, region.depth(points)))

    def _random_pool(self, radius: float) -> Pool:
        if radius not in self._pools:
            rng = self._random(_GOAL_PLACES, len(self._pools))
            points = free_points(self.map, _GOALS, radius, None, rng)
            self._pools[radius] = self._places.add(points)
        return self._pools[radius]

    def _enter(self, ids: Ints, points: Floats, rows: dict[str, NDArray[Any]]) -> None:
        place = np.column_stack([points, np.full((len(ids), 2), np.nan)])
        self._engine.append(ids, place=place, anchor=points, **rows)
        self._new.append(ids)

    def _first_ways(self, ids: Ints, population: Population, *, given: bool) -> None:
        engine = self._engine
        if population.behaviour == "wander":
            engine.state.track[engine.slot_of[ids], 5] = population.row
            self._wander(ids)
            return
        story = engine.state.story[engine.slot_of[ids]]
        wishes = wishes_of(ids, np.zeros(len(ids), bool), story, self._populations)
        found = self._planner.find(wishes)
        lost = np.flatnonzero(found[:, STATUS] != FOUND)
        if given and len(lost):
            self._refuse(ids, int(lost[0]), int(wishes.pools[lost[0], 0]))

    def _refuse(self, ids: Ints, k: int, place: int) -> None:
        """Raise the reason why a character cannot get where it should."""
        slot = self._engine.slot_of[ids[k]]
        start, radius = (
            self._engine.state.place[slot, :2],
            self._engine.state.body[slot, 2],
        )
        goal = self._places.spots[place, :2]
        words = f"character {k} at ({start[0]:.2f}, {start[1]:.2f}) cannot reach its goal"
        try:
            self.map.corridor(start, goal, radius=float(radius))
        except NoPath as error:
            raise NoPath(f"{words}: {error}", reason=error.reason, pinch=error.pinch) from None
        raise NoPath(words, reason="components")

    # -- details of running ------------------------------------------------------------------

    def _let_appear(self) -> None:
        for number, source in enumerate(self._sources):
            count = source.due(self.time)
            if count == 0:
                continue
            rng = self._random(_SPAWN, number * 1_000_003 + self.steps)
            points = source.places(count, self._discs(), rng)
            here = slice(source.next, source.next + len(points))
            rows = {name: values[here].copy() for name, values in source.rows.items()}
            rows["story"][:, 7] = self.steps
            source.next += len(points)
            ids = source.ids[here]
            self._enter(ids, points, rows)
            self._send_off(ids)
        self._sources = [source for source in self._sources if source.next < len(source.ids)]

    def _send_off(self, ids: Ints) -> None:
        """First ways of those who appeared."""
        engine = self._engine
        if not len(ids):
            return
        population = self._populations[engine.state.story[engine.slot_of[ids[0]], POPULATION]]
        if population.behaviour == "wander":
            engine.state.track[engine.slot_of[ids], 5] = population.row
            self._wander(ids)
            return
        waits = engine.slot_of[ids]
        engine.state.track[waits, MODE] = np.where(
            engine.state.track[waits, MODE] == WAITING, WAITING, ARRIVED
        )
        for number in ids.tolist():
            self._planner.ask(number, keep_goal=False)

    def _wander(self, ids: Ints) -> None:
        engine = self._engine
        slots = engine.slot_of[ids]
        wander_off(slots, self.seed + engine.steps, engine.state, engine.tracks, engine.index)

    def _ask_functions(self) -> None:
        engine = self._engine
        engine.own = np.empty((0, 2), np.float32)
        for function in self._functions:
            answer = function(self)
            if answer is None:
                continue
            forces, ids = checks.forces(answer, len(self)), self.ids
            if not len(engine.own):
                engine.own = np.zeros((len(engine.state.place), 2), np.float32)
            engine.own[engine.slot_of[ids]] += forces

    def _place_obstacles(self) -> None:
        discs = self._obstacles.discs(self.time)
        if not self._obstacles.changed(discs):
            return
        engine = self._engine
        engine.blocks = NO_BLOCKS
        if len(discs):
            engine.blocks = blocks_of(discs, engine.box, engine.shape)
        before = self._planner.index.graph.clearance
        self._planner.index = narrowed(self.map.solver.index, engine.tracks, discs)
        shut = np.flatnonzero(self._planner.index.graph.clearance < before - 1e-9)
        for number in self._planner.using(shut).tolist():
            self._planner.ask(number, keep_goal=True)

    def _answer(self, asks: NDArray[np.int32]) -> None:
        """Do what characters ask for after a step."""
        engine = self._engine
        for number, what in asks.tolist():
            slot = engine.slot_of[number]
            population = self._populations[engine.state.story[slot, POPULATION]]
            arrived = what == WANTS_GOAL
            self.arrivals += arrived
            group = int(engine.state.track[slot, GROUP])
            if group >= 0 and not arrived:
                self._groups.find_again(self._groups.all[group], slot)
            elif group >= 0:
                if self._groups.all_there(group):
                    self._regroup(self._groups.all[group], population)
            elif population.behaviour == "wander":
                self._wander(np.array([number]))
            elif not arrived or self._goes_on(number, slot, population):
                self._planner.ask(number, keep_goal=not arrived)

    def _goes_on(self, number: int, slot: int, population: Population) -> bool:
        """Whether a character that has arrived has another goal; else it stays or leaves."""
        story = self._engine.state.story
        story[slot, STAGE] += 1
        if population.then == "repeat" or story[slot, STAGE] < len(population.pools):
            return True
        if population.then == "exit":
            self._leave(np.array([number]))
        else:
            self._engine.state.track[slot, MODE] = STAYING
        return False

    def _leave(self, ids: Ints) -> None:
        self._planner.forget(ids)
        self._engine.remove(ids)
        self.exited += len(ids)

    def _plan_some(self) -> None:
        due = self._planner.due()
        if not due:
            return
        ids, keep = np.array([n for n, _ in due]), np.array([k for _, k in due])
        story = self._engine.state.story[self._engine.slot_of[ids]]
        self._planner.find(wishes_of(ids, keep, story, self._populations))

    def _regroup(self, group: Group, population: Population) -> None:
        """All members are at the goal."""
        group.arrived += 1
        present = group.ids[self._engine.slot_of[group.ids] >= 0]
        if population.then == "exit":
            self._leave(present)
        elif population.then == "stay" or population.pools[0].size == 1:
            self._engine.state.track[self._engine.slot_of[present], MODE] = STAYING
        else:
            self._lead(group, None, population.pools[0].first)

    def _lead(self, group: Group, balls: Floats | None, place: int) -> None:
        """Give a group its next corridor: to a place, or to a random one of its pool."""
        engine = self._engine
        slots = engine.slot_of[group.ids]
        slots = slots[slots >= 0]
        radius = float(engine.state.body[slots, 2].max())
        # The member nearest to the middle stands in a place that is free for sure.
        middle = engine.state.place[slots, :2].mean(axis=0)
        lead = int(np.hypot(*(engine.state.place[slots, :2] - middle).T).argmin())
        if balls is None:
            balls, place = self._group_corridor(group, engine.state.place[slots[lead], :2], radius)
        if balls is None:
            engine.state.track[slots, MODE] = UNREACHABLE
            return
        reach = max(ARRIVAL, 1.5 * radius * math.sqrt(len(slots)))
        self._groups.set_off(group, balls, self._places.spots[place, :2], reach)

    def _group_corridor(
        self, group: Group, start: Floats, radius: float
    ) -> tuple[Floats | None, int]:
        population = self._populations[
            self._engine.state.story[self._engine.slot_of[group.ids].max(), POPULATION]
        ]
        pool, rng = (
            population.pools[0],
            self._random(_SPAWN, self.steps * 1009 + group.number),
        )
        for _ in range(16):
            place = pool.first + int(rng.integers(pool.size))
            found = self.map.solver.corridor(start, self._places.spots[place, :2], radius)
            if found.status == 0:
                return found.balls, place
        return None, -1

    def dispersions(self) -> list[Dispersion]:
        """How far each group is apart now."""
        return [group.dispersion for group in self._groups.all]
