"""One agent of JuPedSim's CollisionFreeSpeedModel, alone in the map: C++, a crowd simulator."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.peers.navigator import NotInstalled

if TYPE_CHECKING:
    import shapely

    from benchmarks.peers.navigator import Point

ARRIVED = 1.0
"""m. So near to the goal it has arrived; its model stops nobody on a point."""

PATIENCE = 4.0
"""Times the straight line to the goal, after which it is given up."""


class Trip(NamedTuple):
    """Walk of one agent."""

    seconds: float  # computing time of the simulation
    travelled: float  # s of simulated time
    arrived: bool


class WalkingAgent:
    """An agent from start to goal; the area is not inset, because the model uses the radius."""

    name = "JuPedSim CollisionFreeSpeedModel, one agent"

    def __init__(self, area: shapely.Geometry, *, radius: float, speed: float, step: float) -> None:
        try:
            import jupedsim
        except ImportError:
            raise NotInstalled("JuPedSim is not installed: pip install jupedsim") from None
        self._library = jupedsim
        self._radius, self._speed, self._step = radius, speed, step
        self._simulation = jupedsim.Simulation(
            model=jupedsim.CollisionFreeSpeedModel(), geometry=area, dt=step
        )

    def walk(self, start: Point, goal: Point) -> Trip:
        """Simulate one agent; only the steps are timed."""
        agent = self._enter(start, goal)
        a_second = round(1.0 / self._step)
        at, seconds, travelled = start, 0.0, 0.0
        limit = PATIENCE * math.dist(start, goal) / self._speed + 10.0
        while math.dist(at, goal) > ARRIVED and travelled < limit:
            begin = time.perf_counter()
            self._simulation.iterate(a_second)
            seconds += time.perf_counter() - begin
            travelled += 1.0
            at = self._simulation.agent(agent).position
        self._simulation.mark_agent_for_removal(agent)
        self._simulation.iterate()
        return Trip(seconds, travelled, math.dist(at, goal) <= ARRIVED)

    def _enter(self, start: Point, goal: Point) -> int:
        stage = self._simulation.add_waypoint_stage(goal, ARRIVED / 2)
        journey = self._simulation.add_journey(self._library.JourneyDescription([stage]))
        agent = self._library.CollisionFreeSpeedModelAgentParameters(
            position=start, radius=self._radius, desired_speed=self._speed, journey_id=journey,
            stage_id=stage,
        )  # fmt: skip
        return int(self._simulation.add_agent(agent))
