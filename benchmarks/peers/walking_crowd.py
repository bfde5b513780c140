"""JuPedSim's CollisionFreeSpeedModel with many agents: C++, a crowd simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.peers.navigator import NotInstalled

if TYPE_CHECKING:
    import shapely
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ARRIVED = 0.5
"""m from its goal at which an agent has arrived, as in Footway."""


class WalkingCrowd:
    """Agents with one goal each; the model uses the radius and plans the paths.

    Args:
        area: where they walk.
        positions: (n, 2) m.
        goals: (n, 2) m.
        radius: m.
        speed: m/s.
        step: s.
    """

    name = "JuPedSim CollisionFreeSpeedModel"

    def __init__(
        self,
        area: shapely.Polygon,
        positions: Floats,
        goals: Floats,
        *,
        radius: float,
        speed: float,
        step: float,
    ) -> None:
        try:
            import jupedsim
        except ImportError:
            raise NotInstalled("JuPedSim is not installed: pip install jupedsim") from None
        self._simulation = jupedsim.Simulation(
            model=jupedsim.CollisionFreeSpeedModel(), geometry=area, dt=step
        )
        places, chosen = np.unique(goals, axis=0, return_inverse=True)
        # A stage takes 10 ms to add: agents with the same goal share one.
        stages = [self._simulation.add_waypoint_stage(tuple(p), ARRIVED) for p in places.tolist()]
        journeys = [
            self._simulation.add_journey(jupedsim.JourneyDescription([stage])) for stage in stages
        ]
        for position, k in zip(positions.tolist(), chosen.ravel().tolist(), strict=True):
            agent = jupedsim.CollisionFreeSpeedModelAgentParameters(
                position=tuple(position),
                radius=radius,
                desired_speed=speed,
                journey_id=journeys[k],
                stage_id=stages[k],
            )
            self._simulation.add_agent(agent)

    @property
    def positions(self) -> Floats:
        """(n, 2) m."""
        return np.array([agent.position for agent in self._simulation.agents()])

    def step(self) -> None:
        """Do one step."""
        self._simulation.iterate()
