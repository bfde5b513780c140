"""Crowd: simulate thousands of characters on one map (cmm-crowds-2008)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from footway import validation
from footway._numba.jit import thread_count
from footway._numba.portable_math import hypot
from footway.crowd import spawning
from footway.crowd.free_space import free_points
from footway.crowd.groups import check_bounds
from footway.crowd.inspection import Stuck, find_stuck, inspect_character
from footway.crowd.kernels.floors import DOORS
from footway.crowd.kernels.layouts import FIRST_STEP, POPULATION, WALKING, UserForces
from footway.crowd.models import LocalModel, UserModel, get_model
from footway.crowd.models.user_model import checked_vectors
from footway.crowd.obstacles import Obstacle, place_obstacles
from footway.crowd.populations import (
    Population,
    as_places,
    check_places,
    check_reachable,
    make_population,
    random_goals,
    style_of,
)
from footway.crowd.profile import (
    GROUP_PROFILE,
    PROPERTIES,
    Profile,
    accepts_properties,
    with_properties,
)
from footway.crowd.simulation import NO_USER_FORCES, Simulation
from footway.crowd.spawning import LONGEST, NEVER, Source
from footway.errors import BadQuery, NoPath
from footway.recording.recorded_map import RecordedMap
from footway.recording.recording import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor import CorridorMap
    from footway.crowd.floors import Floors
    from footway.crowd.groups import Group
    from footway.crowd.inspection import Character
    from footway.crowd.populations import Behaviour, Then
    from footway.crowd.profile import Properties, Spread
    from footway.crowd.start_space import StartSpace
    from footway.environment import Environment
    from footway.recording.recording import Recording


_SHORTEST = 0.001  # s per step: smaller values are probably in another unit
_STARTS_IN_AREA = 512  # candidate start points of a source
_MOST = 20_000_000  # characters per call: more do not fit in the memory of a usual machine
_SAME_WALL = 0.01  # m, tolerance between walls of a map and of its environment


class Crowd:
    """Characters with goals, wanderers and groups on one map, in steps of `step` seconds.

    Each character follows the attraction point of its corridor (F_a), avoids the others (F_c) and
    keeps to its lane (F_perp): F = F_a + F_c + F_perp (cmm-crowds-2008, section 5). No character
    ever overlaps a wall. The same seed gives the same bits, on any number of threads.

    Args:
        cmap: the map, also of a building (see `docs/buildings.md`).
        seed: seed of all random numbers, 0 or more.
        step: s, length of a step.
        threads: number of threads, at most 1,024; all cores if not given.
        model: the local model, by which characters avoid each other: a name of
            `footway.crowd.models.MODELS`, a model with parameters such as
            `Orca(time_horizon=3.0)`, or a function of the user as a `UserModel`.
        environment: the environment that the map was built from. Characters with terrain
            preferences need it: they follow routes over it, by MIRAN or IRM (see `Profile`). In a
            building each floor has its own.

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
        model: str | LocalModel | UserModel = "social_force",
        environment: Environment | None = None,
    ) -> None:
        _check_map(cmap, environment)
        validation.seed(seed, high=2**31 - 1)
        step = validation.number(step, "step", "s", low=_SHORTEST, high=1.0)
        count = validation.threads(threads) or thread_count()
        self._simulation = Simulation(
            cmap, seed=int(seed), dt=float(step), threads=count, model=get_model(model),
            environment=environment,
        )  # fmt: skip
        self._functions: list[Callable[[Crowd], ArrayLike | None]] = []
        self._in_functions = False  # whether these are being called

    @classmethod
    def from_simulation(cls, simulation: Simulation) -> Crowd:
        """Return a crowd around an existing simulation, for example from a checkpoint."""
        crowd = cls.__new__(cls)
        crowd._simulation, crowd._functions, crowd._in_functions = simulation, [], False  # noqa: SLF001  # its own
        return crowd

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Crowd of {len(self)} on {self.map.name!r}, {self.time:.1f} s>"

    # -- properties ----------------------------------------------------------------------------

    @property
    def map(self) -> CorridorMap:
        """The map."""
        return self._simulation.map

    @property
    def seed(self) -> int:
        """Seed of all random numbers."""
        return self._simulation.seed

    @property
    def dt(self) -> float:
        """Length of a step, s."""
        return self._simulation.dt

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._simulation.time

    @property
    def steps(self) -> int:
        """Number of steps done."""
        return self._simulation.steps

    @property
    def arrivals(self) -> int:
        """Number of goals reached so far."""
        return self._simulation.arrivals

    @property
    def exited(self) -> int:
        """Number of characters that have left through an exit so far."""
        return self._simulation.exited

    @property
    def to_come(self) -> int:
        """Number of characters that sources have yet to spawn."""
        return sum(source.to_come for source in self._simulation.sources)

    def to_come_of(self, population: int) -> int:
        """Return how many characters of a population (index into `names`) have yet to spawn."""
        validation.index(population, "population", len(self.names))
        return sum(s.to_come for s in self._simulation.sources if s.population == population)

    @property
    def ids(self) -> Ints:
        """(n,) Ids of the characters present, in the order in which they were added."""
        return self._simulation.characters.ids

    @property
    def positions(self) -> Floats:
        """(n, 2) m, in the order of `ids`."""
        return self._simulation.characters.position[self._slots]

    @property
    def floors(self) -> list[str]:
        """(n,) Name of the floor or link of each character, in the order of `ids`."""
        names = self._floors("floors").names
        return [names[k] for k in self._simulation.sheets_of(self._slots).tolist()]

    @property
    def heights(self) -> Floats:
        """(n,) m, height of the floor under each character, in the order of `ids`."""
        building, lifts = self._floors("heights").building, self._simulation.lifts
        sheets = self.sheets
        heights = building.heights(sheets, self.positions)
        return heights if lifts is None else lifts.heights(sheets, heights)

    @property
    def sheets(self) -> Ints:
        """(n,) Layer of each character, an index into `map.building.layers`, in order of `ids`."""
        self._floors("sheets")
        return self._simulation.sheets_of(self._slots)

    def _floors(self, what: str) -> Floors:
        floors = self._simulation.floors
        if floors is None:
            raise BadQuery(f"characters have {what} in a building only: this map is a plane")
        return floors

    @property
    def velocities(self) -> Floats:
        """(n, 2) m/s, in the order of `ids`."""
        return self._simulation.characters.velocity[self._slots].astype(np.float64)

    @property
    def radii(self) -> Floats:
        """(n,) m, in the order of `ids`."""
        return self._simulation.characters.radii(self._slots)

    @property
    def speeds(self) -> Floats:
        """(n,) Preferred speed, m/s, in the order of `ids`."""
        return self._simulation.characters.speed[self._slots].astype(np.float64)

    @property
    def is_walking(self) -> NDArray[np.bool_]:
        """(n,) Whether they are under way, in the order of `ids`; not in their premovement time.

        Those who wait for a lift or ride in one are under way, too.
        """
        lifts = self._simulation.lifts
        walks = np.asarray(self._simulation.characters.mode[self._slots] == WALKING)
        return walks if lifts is None else walks | lifts.is_under_way(self.ids)

    @property
    def goals(self) -> Floats:
        """(n, 2) m, in the order of `ids`; NaN for characters without a goal."""
        return self._simulation.routes.goals(self._slots)[0]

    @property
    def populations(self) -> Ints:
        """(n,) Population of each character, an index into `names`, in the order of `ids`."""
        return self._simulation.characters.population[self._slots].astype(np.int64)

    @property
    def names(self) -> list[str]:
        """Names of the populations, in the order in which they were added."""
        return [population.name for population in self._simulation.populations]

    @property
    def profiles(self) -> list[Profile]:
        """Profiles of the populations, in the order of `names`."""
        return [population.profile for population in self._simulation.populations]

    @property
    def behaviours(self) -> list[Behaviour]:
        """Behaviours of the populations, "goals" or "wander", in the order of `names`."""
        return [population.behaviour for population in self._simulation.populations]

    @property
    def groups(self) -> list[Group]:
        """Groups, in the order in which they were added."""
        return list(self._simulation.groups.all)

    @property
    def start_spaces(self) -> list[StartSpace]:
        """Where random start points were chosen, and how many characters fit there.

        One value for each `add` without `starts`. Without an `area`, characters start in the
        largest part of the map that is connected for their radius; `parts` lists all of them. A
        crowd from a checkpoint has none.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:office")))
            >>> _ = crowd.add(100, radius=0.55, name="carts")  # doors are 1 m wide
            >>> space = crowd.start_spaces[0]
            >>> len(space.parts) > 10, sum(part.starts > 0 for part in space.parts)
            (True, 1)

        """
        return list(self._simulation.start_spaces)

    @property
    def model(self) -> LocalModel | UserModel:
        """The local model, with its parameters; assign another one, or a name, to change it.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")), model="orca")
            >>> crowd.model.time_horizon
            2.0
            >>> crowd.model = fw.crowd.models.Orca(time_horizon=3.0)

        """
        return self._simulation.model

    @model.setter
    def model(self, model: str | LocalModel | UserModel) -> None:
        self._simulation.set_model(get_model(model))

    @property
    def stuck(self) -> list[Stuck]:
        """Characters that moved less than their radius in 30 s while walking, with the cause."""
        return find_stuck(self._simulation)

    @property
    def obstacles(self) -> Floats:
        """(m, 3) x, y, radius in m of the obstacles present now."""
        return self._simulation.obstacle_discs

    @property
    def obstacle_floors(self) -> list[str]:
        """Floors or links of the obstacles present now in a building, in order of `obstacles`."""
        names = self._floors("obstacles on floors").names
        return [names[k] for k in self.obstacle_sheets.tolist()]

    @property
    def obstacle_sheets(self) -> Ints:
        """(m,) Layer of each obstacle present now, as `sheets`, in order of `obstacles`."""
        self._floors("obstacles on floors")
        return self._simulation.obstacles.sheets(self.time)

    @property
    def obstacle_ids(self) -> list[int]:
        """Numbers of the obstacles present now, in the order of `obstacles`."""
        return self._simulation.obstacles.numbers(self.time)

    def character(self, number: int) -> Character:
        """Return the details of one character: corridor, forces, goal. Raises BadQuery if absent.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
            >>> _ = crowd.add(1, starts=[(2, 2)], goals=[(40, 40)])
            >>> crowd.character(0).goal
            (40.0, 40.0)

        """
        number = validation.whole(number, "number of a character", high=validation.MOST_SEED)
        (slot,) = self._simulation.characters.checked_slots(np.array([number])).tolist()
        return inspect_character(self._simulation, number, slot)

    # -- adding characters ---------------------------------------------------------------------

    @accepts_properties
    def add(
        self,
        count: int,
        *,
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
        **properties: Unpack[Properties],
    ) -> Ints:
        """Add characters and plan their first paths; return their ids, (count,).

        Args:
            count: number of characters.
            behaviour: "goals" (section 5.1) or "wander" (section 5.2).
            profile: body and walking parameters; `Profile()` if not given.
            name: name of the population.
            starts: (count, 2) m; random points of `area` if not given. In a building points are
                (x, y, floor), everywhere.
            area: a polygon: ring (k, 2), Shapely, or an Area, or the name of an area of the map;
                all of the map if not given. In a building (polygon, floor), or the name of a floor
                or of an area on a floor, everywhere.
            goals: (count, 2) m, one per character, which stays there unless it exits.
            destinations: areas or points (x, y), visited in this order. A list inside is a choice:
                each character takes the one with the shortest path when it sets out for it (three
                or more bare points are the corners of an area). Without goals and destinations,
                characters walk to one random goal after the other.
            then: after the last destination: "repeat", "stay" there, or "exit" (removed).
            premovement: s before they start to walk; a number, or (mean, deviation).
            within: m, greatest distance of random goals and of points in areas.
            preference: (edges of the map,) weights by which wanderers choose; 0: never.
            **properties: values that replace those of the profile: `radius`, `speed`, `lane`,
                `noise`, `preferences`, `follow` and so on, all described at `Profile`.

        Raises:
            BadQuery: an argument is invalid, or there is not enough free space.
            NoPath: a given goal cannot be reached; the message gives the reason.

        """
        body = with_properties(profile, Profile(), properties)
        count = validation.whole(count, "count", high=_MOST)
        simulation = self._simulation
        ids, rows, points = spawning.place_characters(
            simulation, count, body, starts, area, premovement
        )
        radii = spawning.radii_of(rows)
        population = make_population(
            simulation, name, behaviour, radii, goals, destinations, then, within, preference, body
        )
        simulation.populations.append(population)
        spawning.enter(simulation, ids, points, rows)
        given = goals is not None or len(destinations) > 0
        try:
            spawning.plan_first_paths(simulation, ids, population, given=given)
        except NoPath:
            simulation.remove(ids)
            simulation.populations.pop()
            raise
        simulation.next += count
        if starts is None:
            spawning.note_start_space(simulation, name, radii, area, points)
        return ids

    def add_to(
        self, population: int, count: int, *, starts: ArrayLike | None = None, area: Any = None
    ) -> Ints:
        """Add characters to a population (index into `names`); return their ids, (count,).

        They get its profile and its goals; `starts` and `area` are as for `add`. Raises BadQuery
        for groups, and for populations with one goal per character.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
            >>> _ = crowd.add(5, name="visitors")
            >>> crowd.add_to(0, 3).tolist(), crowd.names
            ([5, 6, 7], ['visitors'])

        """
        validation.index(population, "population", len(self.names))
        count = validation.whole(count, "count", high=_MOST)
        simulation = self._simulation
        known = simulation.populations[population]
        if known.has_own_goals:
            raise BadQuery(
                "each character of this population has its own goal: add more with `add`"
            )
        if any(known.first in group.ids for group in self.groups):
            raise BadQuery(
                "this population is a group, whose size cannot change: add another group"
            )
        ids, rows, points = spawning.place_characters(
            simulation, count, known.profile, starts, area, 0.0
        )
        rows["journey"][:, POPULATION] = population
        spawning.enter(simulation, ids, points, rows)
        spawning.plan_first_paths(simulation, ids, known, given=False)
        simulation.next += count
        if starts is None:
            radii = spawning.radii_of(rows)
            spawning.note_start_space(simulation, known.name, radii, area, points)
        return ids

    @accepts_properties
    def add_source(
        self,
        count: int,
        *,
        area: Any,
        rate: float | None = None,
        start: float = 0.0,
        schedule: Sequence[tuple[float, int]] | None = None,
        behaviour: Behaviour = "goals",
        profile: Profile | None = None,
        name: str = "",
        goals: ArrayLike | None = None,
        destinations: Sequence[Any] = (),
        then: Then = "repeat",
        premovement: Spread = 0.0,
        within: float = math.inf,
        preference: ArrayLike | None = None,
        **properties: Unpack[Properties],
    ) -> Ints:
        """Add a source that spawns characters in an area over time; return their ids, (count,).

        They appear at `rate` per second from `start` on, or by a `schedule` of (time, count). A
        character waits until there is free space for it. The other arguments are as for `add`.
        """
        body = with_properties(profile, Profile(), properties)
        count = validation.whole(count, "count", high=_MOST)
        simulation = self._simulation
        ids, rows, rng = spawning.draw_characters(simulation, count, body, premovement)
        times = self.time + spawning.spawn_times(count, rate, start, schedule)
        radii = spawning.radii_of(rows)
        widest = float(radii.max(initial=0.0)) or 0.25
        floors = simulation.floors
        if floors is None:
            polygon = simulation.polygon_of(area)
            points = free_points(simulation.map, _STARTS_IN_AREA, widest, polygon, rng)
            sheets = np.full(len(points), -1)
        else:
            points, sheets = floors.free_points(_STARTS_IN_AREA, widest, floors.area(area), rng)
        population = make_population(
            simulation, name, behaviour, radii, goals, destinations, then, within, preference, body
        )
        if count and behaviour == "goals":
            check_reachable(simulation, points[0], widest, population, sheets[:1])
        simulation.populations.append(population)
        # Counted from the step in which each appears.
        rows["journey"][:, FIRST_STEP] -= simulation.steps
        simulation.sources.append(Source(ids, times, rows, points, sheets))
        simulation.next += count
        return ids

    @accepts_properties
    def add_group(
        self,
        count: int,
        *,
        start: ArrayLike,
        goal: ArrayLike | None = None,
        profile: Profile | None = None,
        name: str = "",
        width: float | None = None,
        group_area: float | None = None,
        lateral: float | None = None,
        longitudinal: float | None = None,
        then: Then = "repeat",
        **properties: Unpack[Properties],
    ) -> Group:
        """Add a group that stays together in one corridor (section 6).

        In a building the corridor leads over floors, stairs, ramps and escalators, not into lifts.

        Args:
            count: number of characters.
            start: x, y in m, in a building (x, y, floor); they are placed around it.
            goal: likewise; if not given, a random one, and another each time all have arrived.
            profile: body and walking parameters; `Profile(lane=(0, 0.4))` if not given.
            name: name of the population.
            width: g_w, m: greatest radius of the balls of the corridor.
            group_area: g_A, m2: greatest area of the balls between the last and the first member;
                those in front wait.
            lateral: m, width of the corridor (voronoi-roadmaps-2004, section 3.3).
            longitudinal: m along the backbone between the last and the first member (likewise).
            then: at the goal: "repeat" (a new random goal), "stay" or "exit".
            **properties: values that replace those of the profile, as for `add`.

        """
        validation.one_of(then, "argument `then`", ("repeat", "stay", "exit"))
        validation.text(name, "name")
        body = with_properties(profile, GROUP_PROFILE, properties)
        style_of(body, "group")
        count = validation.whole(count, "count", low=1, high=_MOST)
        simulation = self._simulation
        ids, rows, rng = spawning.draw_characters(simulation, count, body, 0.0)
        radii = spawning.radii_of(rows)
        bounds = check_bounds(width, group_area, lateral, longitudinal, radii)
        widest = float(radii.max())
        if goal is None:
            goals = random_goals(simulation, widest, 1)
        else:
            simulation.map.corridor(start, goal, radius=widest)  # raises NoPath
            end, on = as_places(simulation, [goal], "goal")
            if on is not None:
                check_places(simulation, "goal", end, on, np.full(1, widest))
            goals = simulation.goals.add(end, sheets=on)
        points = spawning.place_group(simulation, start, radii, rows, rng)
        population = Population(
            name, "goals", ((goals,),), has_own_goals=False, has_destinations=False,
            first=simulation.next, then=then, within=math.inf, row=0, profile=body,
        )  # fmt: skip
        simulation.populations.append(population)
        spawning.enter(simulation, ids, points, rows)
        simulation.next += count
        group = simulation.groups.add(ids, bounds)
        simulation.groups.send(group, population)
        return group

    # -- changing characters -------------------------------------------------------------------

    def set_goals(self, ids: ArrayLike, goals: ArrayLike) -> None:
        """Set the goals (n, 2), m, of the given characters (n,).

        Their paths are planned over the next steps. A character with destinations continues with
        the next of them from there; for others the new goal replaces their own or random goal.
        Raises BadQuery for goals in walls and for characters that are not present.
        """
        simulation, characters = self._simulation, self._simulation.characters
        chosen = validation.ids(ids)
        points, sheets = as_places(simulation, goals, "goals")
        if len(chosen) != len(points):
            raise BadQuery(f"there are {len(chosen)} ids and {len(points)} goals")
        slots = characters.checked_slots(chosen)
        member = np.flatnonzero(characters.group[slots] >= 0)
        if len(member):
            raise BadQuery(
                f"character {int(chosen[member[0]])} belongs to a group, which has one goal for all"
            )
        check_places(simulation, "goal", points, sheets, characters.radii(slots))
        numbers = simulation.goals.add(points, sheets=sheets).first + np.arange(len(points))
        if simulation.lifts is not None:  # those in a cabin get there from the next stop
            outside = ~simulation.lifts.redirect(chosen, numbers)
            chosen, slots = chosen[outside], slots[outside]
            points, numbers = points[outside], numbers[outside]
        characters.set_goals(slots, numbers, points)
        characters.hold_until_planned(chosen)
        for number in chosen.tolist():
            simulation.planner.request(number, keep_goal=True)

    def set_speed(self, ids: ArrayLike, speed: float) -> None:
        """Set the preferred speed (m/s) of the given characters (n,)."""
        speed = PROPERTIES["speed"].number(speed, "speed")
        characters = self._simulation.characters
        slots = characters.checked_slots(validation.ids(ids))
        characters.speed[slots] = speed
        self._simulation.fit_to(slots)

    @accepts_properties
    def set_profile(
        self,
        population: int,
        profile: Profile | None = None,
        **properties: Unpack[Properties],
    ) -> None:
        """Change the profile of a population (index into `names`) during the simulation.

        It applies to characters that are present and to those that sources have yet to spawn. Only
        values that change are drawn again; a given `speed` also replaces one that `set_speed` set.
        Characters that no longer fit are moved to the nearest free point (in a building on their
        floor or link if they fit there anywhere), and paths that have become too narrow are planned
        again over the next steps. `properties` are described at
        `Profile`; those that are not given keep their value in `profiles`. `follow="cmm"` removes
        the preferences.

        Raises BadQuery or BadInput, and changes nothing, if a number is invalid, a disc fits
        nowhere, or the map lacks a kind of terrain.

        Example:
            >>> import footway as fw
            >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
            >>> crowd = fw.Crowd(cmap, seed=7)
            >>> ids = crowd.add(20, radius=0.2)
            >>> crowd.set_profile(0, radius=0.6, speed=0.9)
            >>> crowd.step(10)
            >>> bool((cmap.clearance(crowd.positions) >= 0.6).all()), crowd.profiles[0].speed
            (True, 0.9)

        """
        from footway.crowd.profile_change import set_profile

        validation.index(population, "population", len(self.names))
        follow = properties.get("follow")
        if profile is None and isinstance(follow, str) and follow == "cmm":
            properties["preferences"] = properties.get("preferences") or {}
        body = with_properties(profile, self.profiles[population], properties)
        names_speed = properties.get("speed") is not None
        set_profile(self._simulation, population, body, names_speed=names_speed)

    def remove(self, ids: ArrayLike) -> None:
        """Remove characters (n,). Raises BadQuery for ids that are not present."""
        chosen = np.unique(validation.ids(ids))
        self._simulation.characters.checked_slots(chosen)
        self._simulation.remove(chosen)

    def remove_population(self, population: int) -> None:
        """Remove the characters and the sources of a population, an index into `names`."""
        validation.index(population, "population", len(self.names))
        simulation = self._simulation
        simulation.sources = [s for s in simulation.sources if s.population != population]
        simulation.remove(simulation.characters.members(population))

    def moved_to(self, cmap: CorridorMap, environment: Environment | None = None) -> Crowd:
        """Return the same crowd on another map; all paths are planned again.

        Characters and goals inside a wall of the new map are moved to the nearest free point. Use
        the returned crowd and discard the old one. The edge weights of wanderers are dropped;
        without an `environment` all characters follow corridors.

        In a building, floors and links are known by their names. People on one that is gone are put
        onto the nearest floor, and obstacles there vanish. Lifts with the same cabin and stops go
        on with the people inside; those in others get out where they stopped last.
        """
        from footway.crowd.map_change import moved

        _check_map(cmap, environment)
        crowd = Crowd.from_simulation(moved(self._simulation, cmap, environment))
        crowd._functions = self._functions  # noqa: SLF001  # its own
        return crowd

    # -- obstacles and user functions -----------------------------------------------------------

    def add_obstacle(
        self,
        at: tuple[float, float] | tuple[float, float, str],
        radius: float,
        *,
        velocity: tuple[float, float] = (0.0, 0.0),
        appears: float = 0.0,
        vanishes: float = math.inf,
    ) -> int:
        """Add a dynamic obstacle, a disc; return its number.

        Args:
            at: x, y in m. In a building (x, y, floor): it affects people of this floor or link, and
                those next to it behind a portal.
            radius: m.
            velocity: m/s in plan; walls do not stop it. Through a portal it moves on to stairs or
                the next floor, but not into lifts.
            appears: s of simulated time.
            vanishes: s of simulated time.

        """
        place, sheet = self._obstacle_place(at)
        size = validation.radius(radius, self.map.solver.extent, name="obstacle's radius", above=0)
        obstacle = Obstacle(place, size, velocity, appears, vanishes, sheet=sheet)
        return self._simulation.obstacles.add(replace(obstacle, since=max(self.time, appears)))

    def move_obstacle(
        self,
        obstacle: int,
        at: tuple[float, float] | tuple[float, float, str],
        velocity: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Move an obstacle to `at`, as for `add_obstacle`, and set its velocity, m/s."""
        place, sheet = self._obstacle_place(at)
        self._simulation.obstacles.move(obstacle, place, velocity, self.time, sheet)

    def _obstacle_place(self, at: Any) -> tuple[tuple[float, float], int]:
        """Return x, y in m and the sheet in a building, or -1, of the place of an obstacle."""
        floors = self._simulation.floors
        if floors is None:
            return validation.pair(at, "obstacle's place"), -1
        ((x, y),), (sheet,) = floors.points([at], "obstacle's place")
        if floors.slopes[sheet, DOORS] > 0.0:
            raise BadQuery(
                f"an obstacle in {floors.building.layers[sheet].name} would be in a cabin: put it "
                "on a floor, or close the lift with `close_link`"
            )
        return (float(x), float(y)), int(sheet)

    def remove_obstacle(self, obstacle: int) -> None:
        """Remove an obstacle."""
        self._simulation.obstacles.remove(obstacle)

    def close_link(self, name: str, *, start: float | None = None, end: float = math.inf) -> None:
        """Close stairs or another link of a building: nobody enters, and those on it leave.

        Characters choose other paths; those without one wait in front of it. People in a lift get
        out at the next stop.

        Args:
            name: of the link.
            start: s of simulated time; now if not given.
            end: s of simulated time, when it opens again.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:tower")))
            >>> crowd.close_link("A3", start=60)

        """
        floors = self._floors("links")
        start = self.time if start is None else start
        since = validation.number(start, "start of the closure", "s", low=0.0, high=LONGEST)
        until = validation.number(end, "end of the closure", "s", low=0.0, endless=True)
        floors.close(name, since, until)

    def open_link(self, name: str) -> None:
        """Open a link of a building that is closed now; closures that begin later stay."""
        self._floors("links").open(validation.text(name, "name of a link"), self.time)

    @property
    def closed_links(self) -> list[str]:
        """Names of the links of a building that are closed now."""
        return sorted(self._floors("links").closed_at(self.time))

    def each_step(self, function: Callable[[Crowd], ArrayLike | None]) -> None:
        """Call a function with the crowd before every step, until `remove_function`.

        It may return accelerations (n, 2) in m/s2, in the order of `ids`, which are added to the
        forces, and it may call methods such as `set_goals`, `add` or `add_obstacle`.
        """
        if not callable(function):
            raise BadQuery(
                f"each_step got {validation.shown(function)}: give a function of the crowd, "
                "without calling it"
            )
        self._functions.append(function)

    def remove_function(self, function: Callable[[Crowd], ArrayLike | None]) -> None:
        """Stop calling a function that was given to `each_step`."""
        if not callable(function) or function not in self._functions:
            raise BadQuery(
                f"{validation.shown(function)} is not registered: it was removed, or never added"
            )
        self._functions.remove(function)

    # -- running -------------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Do one or more steps; at most 2,147,483,646 in the lifetime of a crowd."""
        simulation = self._simulation
        if self._in_functions:
            raise BadQuery("a function of each_step must not call `step` or `run`, which call it")
        for _ in range(validation.whole(count, "count", high=NEVER - self.steps)):
            spawning.spawn_due(simulation)
            if simulation.floors is not None:
                simulation.floors.close_links(simulation)
                simulation.floors.send_back(simulation)
            if simulation.lifts is not None:
                simulation.lifts.update()
            simulation.user_forces = self._call_functions()
            place_obstacles(simulation)
            simulation.groups.limit_fronts()
            simulation.routes.update_attraction_points()
            simulation.routes.remember_floors()
            requests = simulation.move()
            simulation.handle_requests(requests)
            simulation.routes.plan_on_new_floors()
            simulation.planner.plan_within_budget()
            simulation.congestion.change_paths()

    def _call_functions(self) -> UserForces:
        """Call the user's functions; return the sum of their accelerations."""
        characters, answers = self._simulation.characters, []
        self._in_functions = True
        try:
            for function in tuple(self._functions):
                ids, answer = characters.ids, function(self)
                if answer is not None:
                    answers.append((ids, _checked_forces(answer, len(ids))))
        finally:
            self._in_functions = False
        if not answers:
            return NO_USER_FORCES
        by_slot = np.zeros((len(characters.state.place), 2), np.float32)
        for ids, forces in answers:
            by_slot[characters.slots(ids)] += forces
        return UserForces(are_given=True, by_slot=by_slot)

    def run(
        self,
        *,
        seconds: float,
        every: int = 1,
        to: str | PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float | None = None,
    ) -> Recording:
        """Run for some time and record it.

        Args:
            seconds: s, at most a week.
            every: steps between two frames; the first and the last step are always recorded.
            to: file (.parquet); without it the recording is kept in memory. Frames are written
                during the run, into a folder beside the file. If the file already contains this
                run up to the current step (`continues`), recording continues in it; otherwise it
                is replaced at the end.
            progress: called with the steps done and the total number of steps.
            checkpoint: file (.npz) for a checkpoint every `checkpoint_every` seconds, but not at
                the end. A run that is killed continues from it (`Crowd.load`, then `run` to the
                same file).
            checkpoint_every: s of simulated time between two checkpoints.

        """
        validation.whole(every, "every", low=1)
        validation.function(progress, "progress")
        if (checkpoint is None) != (checkpoint_every is None):
            raise BadQuery("checkpoint and checkpoint_every go together; give both or none")
        due = 1  # steps between two checkpoints
        if checkpoint is not None:
            from footway.crowd.checkpoint import check_name

            check_name(checkpoint)
            between = validation.number(checkpoint_every, "checkpoint_every", "s", above=0.0)
            due = max(1, round(between / self.dt))
        seconds = validation.number(seconds, "seconds", "s", low=0.0, high=LONGEST)
        total = round(seconds / self.dt)
        with self.recorder(to, every=every) as recorder:
            if not recorder.steps:
                self.record(recorder)
            run_steps(self, total, recorder, every, checkpoint, due, progress)
            return recorder.close()

    # -- recordings and checkpoints ------------------------------------------------------------

    def continues(self, file: str | PathLike[str], *, every: int = 1) -> bool:
        """Return whether a file holds this run up to now, so that `run` continues recording in it.

        `every` is the number of steps between two frames.
        """
        from footway.recording.joining import recorded_before

        validation.whole(every, "every", low=1)
        return recorded_before(self, validation.file(file), every) is not None

    def recorder(self, to: str | PathLike[str] | None = None, *, every: int = 1) -> Recorder:
        """Return a recorder of this crowd, for callers that use `step` instead of `run`.

        `to` and `every` are as for `run`. Add frames with `record` and finish with `close`. A crowd
        has one recorder at a time.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
            >>> _ = crowd.add(5)
            >>> recorder = crowd.recorder()
            >>> for _ in range(3):
            ...     crowd.step()
            ...     crowd.record(recorder)
            >>> recorder.close().n_frames
            3

        """
        validation.whole(every, "every", low=1)
        self._simulation.new = [self.ids]
        floors = self._simulation.floors
        facts: dict[str, Any] = {
            "step": self.dt, "seed": self.seed, "map_name": self.map.name, "names": self.names,
        }  # fmt: skip
        if floors is None:
            environment = self._simulation.routes.environment
            facts["recorded_map"] = RecordedMap(environment or self.map.environment)
        else:
            facts |= {
                "recorded_map": RecordedMap(building=floors.building),
                "floor_names": floors.recorded_names,
            }
        if to is None:
            return Recorder(**facts)
        from footway.recording.joining import recorded_before
        from footway.recording.storage import ParquetRecorder, check_name

        file = check_name(to)
        before = recorded_before(self, file, every) if self.steps else None
        return ParquetRecorder(file, **facts, before=before)

    def record(self, recorder: Recorder) -> None:
        """Add the current state to a recorder as a frame; at most one per step."""
        validation.instance(recorder, Recorder, "a recorder of this crowd is needed")
        simulation, characters = self._simulation, self._simulation.characters
        slots = characters.present_slots(np.concatenate([self.ids[:0], *simulation.new]))
        if len(slots):
            ids, numbers = characters.id[slots].astype(np.int64), characters.population[slots]
            recorder.add_characters(ids, characters.radii(slots), numbers)
        simulation.new = []
        recorder.names = tuple(self.names)  # functions of the user may have added populations
        velocities = characters.velocity[self._slots]
        obstacles, floors = simulation.obstacles, simulation.floors
        on = obstacles.sheets(self.time)
        recorder.add_obstacles(
            self.time, obstacles.numbers(self.time), obstacles.discs(self.time),
            None if floors is None else floors.recorded[on],
        )  # fmt: skip
        where: dict[str, Any] = {}
        if floors is not None:
            recorded = floors.recorded[simulation.sheets_of(self._slots)]
            where = {"floors": recorded, "heights": self.heights}
        recorder.add_frame(self.steps, self.time, self.ids, self.positions, velocities, **where)

    def save(self, file: str | PathLike[str]) -> None:
        """Write a checkpoint; a run that continues from it gives the same bits.

        Functions of `each_step` are not saved.
        """
        from footway.crowd.checkpoint import save

        save(self._simulation, file)

    @classmethod
    def load(
        cls,
        file: str | PathLike[str],
        cmap: CorridorMap,
        *,
        threads: int | None = None,
        environment: Environment | None = None,
        model: str | LocalModel | UserModel | None = None,
    ) -> Crowd:
        """Load a checkpoint that `save` wrote; map and environment must be the same.

        A checkpoint contains the local model with its parameters, but not a `UserModel`, which must
        be given again. A given `model` replaces that of the checkpoint.
        """
        from footway.crowd.checkpoint import load

        _check_map(cmap, environment)
        count = validation.threads(threads) or thread_count()
        chosen = None if model is None else get_model(model)
        return cls.from_simulation(
            load(file, cmap, threads=count, environment=environment, model=chosen)
        )

    @property
    def _slots(self) -> NDArray[np.int32]:
        """Slots of the characters present, in the order of `ids`."""
        characters = self._simulation.characters
        return characters.slots(characters.ids)  # type: ignore[no-any-return]


def _check_map(cmap: object, environment: object) -> None:
    """Raise BadQuery unless `cmap` is a map in the plane, built from the environment if given.

    Bounds, walls and their total length show whether the map was built from another one.
    """
    if not hasattr(cmap, "solver"):
        raise BadQuery(
            f"a crowd walks on a CorridorMap, not on {validation.shown(cmap)}: build one; cut a "
            "plan out of a volume or a mesh with load(..., between=(LOW, HIGH))"
        )
    if environment is None:
        return
    if hasattr(cmap, "building"):
        raise BadQuery("a building has an environment for each floor: leave `environment` out")
    known: Any = cmap
    bounds, walls = getattr(environment, "bounds", None), getattr(environment, "walls", None)
    if bounds is None or walls is None:
        raise BadQuery(
            f"the environment is {validation.shown(environment)}: give the Environment that "
            "the map was built from"
        )
    name = getattr(environment, "name", "")
    if not np.allclose(bounds, known.bounds, rtol=0.0, atol=0.01):
        raise BadQuery(
            f"the environment {name!r} reaches from {bounds[:2]} to {bounds[2:]}, the map from "
            f"{known.bounds[:2]} to {known.bounds[2:]}: give the one that the map was built from"
        )
    points = np.concatenate([0.5 * (walls.segments[:, :2] + walls.segments[:, 2:]), walls.points])
    off = np.flatnonzero(~(known.clearance(points) <= _SAME_WALL))
    if len(off):
        x, y = points[off[0]]
        raise BadQuery(
            f"the environment {name!r} has a wall at ({x:.2f}, {y:.2f}) where the map has none: "
            "give the one that the map was built from"
        )
    axis = known.solver.index.axis
    there, here = (
        float(hypot(*(segments[:, 2:] - segments[:, :2]).T).sum())
        for segments in (axis.sites[~axis.is_point], walls.segments)
    )
    if abs(there - here) > _SAME_WALL:
        raise BadQuery(
            f"the environment {name!r} has {here:.2f} m of walls and the map {there:.2f} m: give "
            "the one that the map was built from"
        )


def run_steps(
    crowd: Crowd,
    total: int,
    recorder: Recorder | None = None,
    every: int = 1,
    checkpoint: str | PathLike[str] | None = None,
    due: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Do `total` steps; record one in `every` and the last, save a checkpoint every `due` steps."""
    first = recorder.steps[0] if recorder is not None else 0
    for done in range(1, total + 1):
        crowd.step()
        if recorder is not None and ((crowd.steps - first) % every == 0 or done == total):
            crowd.record(recorder)
        if checkpoint is not None and crowd.steps % due == 0 and done < total:
            if recorder is not None:
                recorder.flush()  # the checkpoint must not be ahead of the frames
            crowd.save(checkpoint)
        if progress is not None:
            progress(done, total)


def _checked_forces(value: Any, count: int) -> NDArray[np.float32]:
    """Return the accelerations (count, 2) that a user's function returned."""
    wanted = f"give accelerations ({count}, 2) in m/s2, or None"
    return checked_vectors(value, count, name="result of a function of each_step", wanted=wanted)
