"""Congestion: characters take waits at crowded passages into account, and change their path.

The wait at a passage is that of a queue in front of it: the number of people who are about to pass,
divided by its capacity (the point queue of Vickrey, 1969). As long as they arrive more slowly than
they can pass, there is no wait. So nothing changes while nothing is crowded, and small fluctuations
have no effect. A path costs its length plus the distance that could be walked during its waits (in
the spirit of van Toll, Cook and Geraerts, 2012, who use the density on edges of the map).

A crowded path is compared with the best one every few seconds. The character changes only if that
saves a share of the cost (`Profile.habit`). Not everybody decides at the same moment, and waits are
counted again twice a second. So crowds split between passages and do not swing between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.crowd.kernels.congestion import count_at_bottlenecks, find_delayed, measure_paths
from footway.crowd.kernels.layouts import Delays
from footway.crowd.kernels.planning import FOUND, HALVES, STATUS
from footway.crowd.profile import mean_and_deviation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.crowd.kernels.layouts import Tracks
    from footway.crowd.populations import Population
    from footway.crowd.simulation import Simulation


CAPACITY = 1.9  # people per m and s through a passage (Seyfried et al., Transp. Sci. 43, 2009)
HORIZON = 8.0  # s ahead, within which people are about to pass
COUNT_EVERY = 0.5  # s
_NARROWEST = 0.05  # m, least clearance of a passage with a capacity
TURN_EVERY = 5.0  # s between two comparisons of a character


class Congestion:
    """Expected waits at the narrowest places of edges, and changes of path because of them.

    Attributes:
        delays: (ne,) s, by edge of the map; empty if no population has taken them into account.

    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.delays: Floats = np.empty(0)
        self._narrowest: NDArray[np.int32] | None = None

    def weight(self, population: Population) -> float:
        """Return the weight of delays in the paths of a population, m per second."""
        if not self.delays.any():
            return 0.0
        speed, _ = mean_and_deviation(population.profile.speed)
        return population.profile.congestion * speed

    def include_delays(self, index: Index, weight: float) -> tuple[Index, Delays]:
        """Return the map with longer edges where there are delays; and the delays, for kernels."""
        if weight == 0.0:
            return index, Delays(False, 0.0, np.empty(0, np.int32), np.empty(0))
        length = index.graph.length + weight * self.delays
        index = index._replace(graph=index.graph._replace(length=length))
        return index, Delays(True, weight, self._narrowest_samples, self.delays)

    def measure(
        self, found: NDArray[np.int32], halves: NDArray[np.int32], weights: Floats
    ) -> Floats:
        """Return the costs of paths that were found (n,), m; infinite where there is none."""
        costs = np.empty(len(found))
        simulation = self._simulation
        delays = self.delays if len(self.delays) else np.zeros(len(simulation.index.graph.length))
        measure_paths(
            found, halves, weights, simulation.tracks, simulation.index.graph,
            Delays(True, 1.0, self._narrowest_samples, delays), costs,
        )  # fmt: skip
        return costs

    def change_paths(self) -> None:
        """Count the waits every few seconds; let the characters that are due change their path."""
        simulation = self._simulation
        if not any(population.profile.congestion for population in simulation.populations):
            self.delays = np.empty(0)
            return
        if simulation.steps % max(1, round(COUNT_EVERY / simulation.dt)) == 0:
            self._count()
        if self.delays.any():
            self._compare()

    def _count(self) -> None:
        simulation, graph = self._simulation, self._simulation.index.graph
        counts = np.empty(len(graph.length))
        count_at_bottlenecks(
            simulation.characters.n, HORIZON, simulation.characters.state,
            simulation.planner.pool.halves, simulation.tracks, graph, self._narrowest_samples,
            counts,
        )  # fmt: skip
        width = 2.0 * np.maximum(graph.clearance, _NARROWEST)
        self.delays = np.maximum(0.0, counts / (CAPACITY * width) - HORIZON)

    def _compare(self) -> None:
        """Compare the paths of characters that are due with the best ones, and assign these."""
        simulation, characters = self._simulation, self._simulation.characters
        ids, costs = self._delayed()
        if not len(ids):
            return
        planner, slots = simulation.planner, characters.slots(ids)
        number, stage, goal = (
            characters.population[slots], characters.stage[slots], characters.goal[slots]
        )  # fmt: skip
        populations = simulation.populations
        most = (1.0 - np.array([p.profile.habit for p in populations])[number]) * costs
        keep = np.array([
            len(populations[p].alternatives(s)) == 1 or not populations[p].reaches(s, g)
            for p, s, g in zip(number, stage, goal, strict=True)
        ])  # fmt: skip
        weights = np.array([self.weight(p) for p in populations])[number]
        requests = planner.make_requests(ids, keep)._replace(weights=weights)
        for rows, found, halves in planner.find(requests, planner.index, planner.openings):
            is_better = self.measure(found, halves, weights[rows]) < most[rows]
            count = np.where(found[:, STATUS] == FOUND, found[:, HALVES], 0)
            planner.assign(
                ids[rows[is_better]], found[is_better], halves[np.repeat(is_better, count)],
                give_up=False,
            )  # fmt: skip

    def _delayed(self) -> tuple[Ints, Floats]:
        """Return ids of the characters that are due and have a delay, and costs of their paths."""
        simulation, n = self._simulation, self._simulation.characters.n
        weights = np.array([self.weight(population) for population in simulation.populations])
        period = max(1, round(TURN_EVERY / simulation.dt))
        ids, costs = np.empty(n, np.int64), np.empty(n)
        count = find_delayed(
            n, simulation.steps, period, weights, simulation.characters.state,
            simulation.planner.pool.halves, simulation.tracks, simulation.index.graph,
            self.include_delays(simulation.index, 1.0)[1], ids, costs,
        )  # fmt: skip
        order = np.argsort(ids[:count])
        return ids[:count][order], costs[:count][order]

    @property
    def _narrowest_samples(self) -> NDArray[np.int32]:
        if self._narrowest is None:
            self._narrowest = narrowest_samples(
                self._simulation.tracks, len(self._simulation.index.graph.length)
            )
        return self._narrowest


def narrowest_samples(tracks: Tracks, n_edges: int) -> NDArray[np.int32]:
    """Return the sample with the least clearance of each edge of the map (n_edges,)."""
    return np.array(
        [
            first + np.argmin(tracks.balls[first : last + 1, 2])
            for first, last in zip(tracks.first[:n_edges], tracks.last[:n_edges], strict=True)
        ],
        np.int32,
    )
