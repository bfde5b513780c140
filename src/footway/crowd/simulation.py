"""State and services of a running crowd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from footway._numba.random_stream import RandomStream
from footway.crowd.goals import make_path_requests
from footway.crowd.groups import Groups
from footway.crowd.nearest import Nearest
from footway.crowd.obstacles import Obstacles
from footway.crowd.places import GoalRange, Places
from footway.crowd.planning import Planner
from footway.crowd.state import RADIUS
from footway.crowd.stepping import Engine
from footway.crowd.terrain_routes import Routes
from footway.crowd.tracks import tracks_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.goals import Population
    from footway.crowd.planning import PathRequests
    from footway.crowd.sources import Source
    from footway.environment import Environment

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Avoidance = Literal["relative", "published"]

MODELS: dict[str, NDArray[np.float32]] = {
    "relative": np.array([1.0, 1.0], np.float32),
    "published": np.array([0.0, 2.0], np.float32),
}
"""By name: factor of a character's own velocity in F_c, and look-ahead time, s."""

# Purposes of random numbers: the second part of the seed.
BODIES, GOALS, AREAS, SPAWNS, LEADS, CHANGES = range(1, 7)


class Simulation:
    """Characters (engine), goals and paths (places, planner), and all that acts on them."""

    def __init__(
        self,
        cmap: CorridorMap,
        *,
        seed: int,
        dt: float,
        threads: int,
        avoidance: Avoidance,
        environment: Environment | None = None,
    ) -> None:
        self.map, self.seed, self.avoidance = cmap, seed, avoidance
        tracks = tracks_of(cmap)
        self.engine = Engine(
            cmap, tracks, seed=seed, dt=dt, threads=threads, model=MODELS[avoidance]
        )
        self.places = Places(cmap)
        self.populations: list[Population] = []  # changed in place: `routes` refers to it
        self.routes = Routes(self.engine, cmap.solver.index, self.populations, environment)
        self.planner = Planner(self.engine, cmap.solver, self.places, self.routes)
        self.nearest = Nearest(self.engine, cmap.solver, self.places, self.planner)
        self.groups = Groups(self.engine)
        self.obstacles = Obstacles()
        self.sources: list[Source] = []
        self.pools: dict[float, GoalRange] = {}  # random goals, by radius
        self.new: list[Ints] = []  # ids that are not in the recording yet
        self.next = 0  # id of the next character
        self.arrivals = 0
        self.exited = 0

    @property
    def dt(self) -> float:
        """Length of a step, s."""
        return self.engine.dt

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.engine.steps * self.engine.dt

    @property
    def discs(self) -> Floats:
        """(n, 3) x, y, radius of all characters, m."""
        state, slots = self.engine.state, self.engine.slot_of[self.engine.present]
        return np.column_stack([state.place[slots, :2], state.body[slots, RADIUS]])

    @property
    def obstacle_discs(self) -> Floats:
        """(m, 3) x, y, radius of the obstacles present now, m."""
        return self.obstacles.discs(self.time)[:, [0, 1, 4]]

    def path_requests(self, ids: Ints, keep: NDArray[np.bool_]) -> PathRequests:
        """Return path requests of characters (n,); those in `keep` keep their goal."""
        story = self.engine.state.story[self.engine.slot_of[ids]]
        return make_path_requests(ids, keep, story, self.populations, self.nearest.choose)

    def random(self, what: int, number: int) -> RandomStream:
        """Return a random stream for one purpose."""
        return RandomStream([self.seed, what, number])
