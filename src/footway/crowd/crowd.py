"""Thousands of characters that walk at once (cmm-crowds-2008)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from footway import validation
from footway._numba.jit import thread_count
from footway.corridor.map import as_points
from footway.crowd import checks, phases, spawning
from footway.crowd.obstacles import Obstacle
from footway.crowd.profile import FASTEST
from footway.crowd.recorded import Recorded
from footway.crowd.simulation import MODELS, Avoidance, Simulation
from footway.crowd.spawning import NEVER
from footway.crowd.state import GOAL, GROUP, RADIUS
from footway.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.profile import Follow, Profile, Spread
    from footway.environment import Environment
    from footway.recording.recording import Recording

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_SHORTEST = 0.001  # s, of a step: below this it is another unit


class Crowd(Recorded):
    """Characters with goals, wanderers and groups on one map, in steps of `step` seconds.

    Everybody follows the attraction point of its corridor (F_a), keeps off the others (F_c) and
    keeps to its side (F_perp): F = F_a + F_c + F_perp (cmm-crowds-2008, section 5). Nobody ever
    overlaps a wall. The same seed gives the same bits, on any number of threads.

    Args:
        cmap: the map.
        seed: of all that is random, 0 or more.
        step: s, between two steps.
        threads: to use, 1,024 at most; all cores where it is not given.
        avoidance: how F_c sees others: by their velocity "relative" to one's own, or as
            "published" by Helbing and Molnar (1995), by their velocity alone.
        environment: what the map was built from, for those who prefer some ground to other: they
            follow routes over it, by MIRAN or IRM (see `Profile`).

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
        environment: Environment | None = None,
    ) -> None:
        checks.a_map(cmap)
        validation.seed(seed, high=2**31 - 1)
        step = validation.number(step, "step", "s", low=_SHORTEST, high=1.0)
        count = validation.threads(threads) or thread_count()
        validation.one_of(avoidance, "avoidance", tuple(MODELS))
        if environment is not None:
            checks.environment_of(cmap, environment)
        self._cast = Simulation(
            cmap,
            seed=int(seed),
            dt=float(step),
            threads=count,
            avoidance=avoidance,
            environment=environment,
        )
        self._functions: list[Callable[[Crowd], ArrayLike | None]] = []
        self._is_asking = False  # whether these are being called

    @classmethod
    def of(cls, cast: Simulation) -> Crowd:
        """A crowd of what was read from a checkpoint."""
        crowd = cls.__new__(cls)
        crowd._cast, crowd._functions, crowd._is_asking = cast, [], False  # noqa: SLF001  # its own
        return crowd

    # -- those who are there -------------------------------------------------------------------

    def set_goals(self, ids: ArrayLike, goals: ArrayLike) -> None:
        """Send characters somewhere else: goals (n, 2) m, in the order of ids (n,).

        They get their ways one after the other, in the next steps. Those who have destinations go
        on to the next of them from there; for others it stands for their own goal, or for a random
        one. Raises BadQuery for goals in walls and for ids that are not there.
        """
        chosen, points = validation.ids(ids), as_points(goals)
        if len(chosen) != len(points):
            raise BadQuery(f"there are {len(chosen)} ids and {len(points)} goals")
        cast, slots = self._cast, self._slots(chosen)
        member = np.flatnonzero(cast.engine.state.track[slots, GROUP] >= 0)
        if len(member):
            raise BadQuery(f"character {int(chosen[member[0]])} belongs to a group: it stays there")
        radii = cast.engine.state.body[slots, RADIUS].astype(np.float64)
        spawning.check_room(cast, "goal", points, radii)
        first = cast.places.add(points).first
        cast.engine.state.story[slots, GOAL] = first + np.arange(len(points))
        cast.engine.state.place[slots, 2:4] = points
        phases.call(cast, chosen)
        for number in chosen.tolist():
            cast.planner.ask(number, keep_goal=True)

    def set_speed(self, ids: ArrayLike, speed: float) -> None:
        """Let characters (n,) want another speed, m/s, from the next step on."""
        speed = validation.number(speed, "speed", "m/s", above=0.0, high=FASTEST)
        self._cast.engine.set_speed(self._slots(validation.ids(ids)), speed)

    def set_profile(
        self,
        population: int,
        profile: Profile | None = None,
        *,
        radius: Spread | None = None,
        speed: Spread | None = None,
        lane: Spread | None = None,
        noise: float | None = None,
        preferences: Mapping[str, float] | None = None,
        follow: Follow | None = None,
    ) -> None:
        """Change body and habits of a population, an index into `names`, while it walks.

        It reaches those who are there and those still to come. Only what changes is drawn again; a
        `speed` that is named also reaches those to whom `set_speed` gave another. Who does not fit
        any more goes to the nearest free place, and whose way does not gets another, in the next
        steps. What is left out stays as it is in `profiles`; `follow="cmm"` gives up preferences.

        Raises BadQuery or BadInput, and changes nothing: a number that makes no sense, a disc that
        fits nowhere, a kind of ground that the map lacks.

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
        if isinstance(follow, str) and follow == "cmm" and preferences is None and profile is None:
            preferences = {}
        given = {
            "radius": radius, "speed": speed, "lane": lane, "noise": noise,
            "preferences": preferences, "follow": follow,
        }  # fmt: skip
        body = spawning.profile_of(profile, self.profiles[population], **given)
        set_profile(self._cast, population, body, names_speed=speed is not None)

    def remove(self, ids: ArrayLike) -> None:
        """Take characters (n,) away. Raises BadQuery for ids that are not there."""
        chosen = np.unique(validation.ids(ids))
        self._slots(chosen)
        phases.take_away(self._cast, chosen)

    def remove_population(self, population: int) -> None:
        """Take a population away, an index into `names`; those to come never will."""
        validation.index(population, "population", len(self.names))
        self._cast.sources = [s for s in self._cast.sources if s.population != population]
        self.remove(self.ids[self.populations == population])

    def moved_to(self, cmap: CorridorMap, environment: Environment | None = None) -> Crowd:
        """Return the same crowd on another map, where everybody gets a new way to its goal.

        Who is in a wall there goes to the nearest free place, and so do goals. Take the new one and
        leave the old one alone. Weights of edges by which wanderers choose are forgotten; without
        an `environment` all follow corridors.
        """
        from footway.crowd.map_change import moved

        checks.a_map(cmap)
        if environment is not None:
            checks.environment_of(cmap, environment)
        crowd = Crowd.of(moved(self._cast, cmap, environment))
        crowd._functions = self._functions  # noqa: SLF001  # its own
        return crowd

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
        place = validation.pair(at, "obstacle's place")
        size = validation.radius(radius, self.map.solver.extent, name="obstacle's radius", above=0)
        obstacle = Obstacle(place, size, velocity, appears, vanishes)
        return self._cast.obstacles.add(replace(obstacle, since=max(self.time, appears)))

    def move_obstacle(
        self,
        obstacle: int,
        at: tuple[float, float],
        velocity: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Put an obstacle somewhere else, x, y in m; it goes on with this velocity, m/s."""
        place = validation.pair(at, "obstacle's place")
        self._cast.obstacles.move(obstacle, place, velocity, self.time)

    def remove_obstacle(self, obstacle: int) -> None:
        """Take an obstacle away."""
        self._cast.obstacles.remove(obstacle)

    def each_step(self, function: Callable[[Crowd], ArrayLike | None]) -> None:
        """Call a function of the crowd before every step, until `remove_function`.

        It may return accelerations (n, 2) in m/s2, in the order of `ids`, which are added to the
        forces; and it may call `set_goals`, `add` or `add_obstacle`.
        """
        if not callable(function):
            raise BadQuery(
                f"each_step got {validation.shown(function)}: give a function of the crowd, "
                "without calling it"
            )
        self._functions.append(function)

    def remove_function(self, function: Callable[[Crowd], ArrayLike | None]) -> None:
        """Call a function that was given to `each_step` no more."""
        if not callable(function) or function not in self._functions:
            raise BadQuery(
                f"{validation.shown(function)} is not called: it was removed, or never given"
            )
        self._functions.remove(function)

    # -- running -----------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Do one step, or more; at most 2,147,483,646 in the life of a crowd."""
        cast = self._cast
        if self._is_asking:
            raise BadQuery("a function of each_step calls `step` or `run`: it is called by them")
        for _ in range(validation.whole(count, "count", high=NEVER - self.steps)):
            phases.let_appear(cast)
            cast.engine.own = self._own_forces()
            phases.place_obstacles(cast)
            cast.groups.cap()
            cast.routes.look()
            phases.answer(cast, cast.engine.advance())
            phases.plan_some(cast)

    def _own_forces(self) -> NDArray[np.float32]:
        """Sum of what the functions of the user return, by slot; empty for nothing."""
        engine, answers = self._cast.engine, []
        self._is_asking = True
        try:
            for function in tuple(self._functions):
                ids, answer = engine.present, function(self)
                if answer is not None:
                    answers.append((ids, checks.forces(answer, len(ids))))
        finally:
            self._is_asking = False
        if not answers:
            return np.empty((0, 2), np.float32)
        own = np.zeros((len(engine.state.place), 2), np.float32)
        for ids, forces in answers:
            own[engine.slot_of[ids]] += forces
        return own

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
        """Run for some time, and record.

        Args:
            seconds: s, a week at most.
            every: steps between two frames; the first and the last are always there.
            to: file (.parquet), so that memory stays flat; without it the recording is in memory.
                Frames are written while it runs, into a folder beside the file. If the file already
                contains this run up to now (`goes_on_in`), recording continues in it; otherwise it
                is replaced at the end.
            progress: called with the steps done and all steps.
            checkpoint: file (.npz) for a checkpoint every `checkpoint_every` seconds, but not at
                the end. A run that is killed continues from it (`Crowd.load`, then `run` to the
                same file).
            checkpoint_every: s of simulated time between two checkpoints.

        """
        validation.whole(every, "every", low=1)
        validation.function(progress, "progress")
        due = self._steps_between_checkpoints(checkpoint, checkpoint_every)
        seconds = validation.number(seconds, "seconds", "s", low=0.0, high=checks.LONGEST)
        total = round(seconds / self.dt)
        with self.recorder(to, every=every) as recorder:
            if not recorder.steps:
                self.record(recorder)
            first = recorder.steps[0]
            for done in range(1, total + 1):
                self.step()
                if (self.steps - first) % every == 0 or done == total:
                    self.record(recorder)
                if checkpoint is not None and self.steps % due == 0 and done < total:
                    recorder.flush()  # first: all frames up to a checkpoint are on the disk
                    self.save(checkpoint)
                if progress is not None:
                    progress(done, total)
            return recorder.close()

    def _steps_between_checkpoints(
        self, file: str | PathLike[str] | None, seconds: float | None
    ) -> int:
        """Return a number of steps, one at least; refuse a file or seconds without the other."""
        if (file is None) != (seconds is None):
            raise BadQuery("checkpoint and checkpoint_every go together; give both or none")
        if file is None or seconds is None:
            return 1
        from footway.crowd.checkpoint import check_name

        check_name(file)
        seconds = validation.number(seconds, "checkpoint_every", "s", above=0.0)
        return max(1, round(seconds / self.dt))

    def save(self, file: str | PathLike[str]) -> None:
        """Write a checkpoint: a run that goes on from it gives the same bits.

        Functions of `each_step` are not in it.
        """
        from footway.crowd.checkpoint import save

        save(self._cast, file)

    @classmethod
    def load(
        cls,
        file: str | PathLike[str],
        cmap: CorridorMap,
        *,
        threads: int | None = None,
        environment: Environment | None = None,
    ) -> Crowd:
        """Read a checkpoint that `save` wrote; map and environment must be the same."""
        from footway.crowd.checkpoint import load

        checks.a_map(cmap)
        count = validation.threads(threads) or thread_count()
        if environment is not None:
            checks.environment_of(cmap, environment)
        return cls.of(load(file, cmap, threads=count, environment=environment))
