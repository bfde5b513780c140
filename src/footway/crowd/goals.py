"""Goals of populations: a sequence of destinations, and what follows the last one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway.crowd.places import GoalRange
from footway.crowd.planning import PathRequests
from footway.crowd.profile import Profile
from footway.crowd.state import DRAWN, GOAL, POPULATION, STAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

Behaviour = Literal["goals", "wander"]
Then = Literal["repeat", "stay", "exit"]
Alternatives = tuple[GoalRange, ...]
"""Alternative destinations of one stage; a character walks to the nearest of them."""


class Population(NamedTuple):
    """Characters that were added together."""

    name: str
    behaviour: Behaviour
    stages: tuple[Alternatives, ...]  # destinations, in order; a placeholder for wanderers
    has_own_goals: bool  # every character has its own goal in the only range
    has_destinations: bool  # if so, goals of `set_goals` do not count as reaching them
    first: int  # id of the first character
    then: Then
    within: float  # m, greatest distance of a random goal
    row: int  # row of edge weights, for wanderers
    style: int = -1  # number of the terrain following style; -1: they follow corridors
    profile: Profile = Profile()

    def to_list(self) -> list[object]:
        """Return plain values, for a checkpoint."""
        stages = [[list(pool) for pool in alternatives] for alternatives in self.stages]
        return [*self[:2], stages, *self[3:-1], asdict(self.profile)]

    @classmethod
    def from_list(cls, values: Sequence[object]) -> Population:
        """Make a population from the values of `to_list`."""
        name, behaviour, stages, *rest, profile = values
        made = tuple(tuple(GoalRange(*pool) for pool in alternatives) for alternatives in stages)  # type: ignore[attr-defined]
        habits = Profile.from_dict(profile)  # type: ignore[arg-type]
        return cls(name, behaviour, made, *rest, habits)  # type: ignore[arg-type, call-arg]

    @property
    def has_random_goals(self) -> bool:
        """Whether characters walk to one random goal on the map after the other."""
        return self.behaviour == "goals" and not (self.has_own_goals or self.has_destinations)

    def renumbered(self, number: Ints) -> Population:
        """Return the population with the new numbers of places from `Places.keep`."""
        stages = tuple(
            tuple(pool.renumbered(number) for pool in alternatives) for alternatives in self.stages
        )
        return self._replace(stages=stages)

    def alternatives(self, stage: int) -> Alternatives:
        """Return the alternatives for a character that has reached so many destinations."""
        return self.stages[stage % len(self.stages)]

    def reaches(self, stage: int, place: int) -> bool:
        """Return whether a place belongs to that stage, instead of coming from `set_goals`."""
        alternatives = self.alternatives(stage)
        return not self.has_destinations or any(
            p.first <= place < p.first + p.size for p in alternatives
        )


def make_path_requests(
    ids: Ints,
    keep: NDArray[np.bool_],
    story: NDArray[np.int32],
    populations: list[Population],
    nearest: Callable[[Ints, Alternatives], Ints],
) -> PathRequests:
    """Return path requests for characters with rows `story`; those in `keep` keep their goal.

    `nearest` returns the first place and the number of places (n, 2) of the nearest alternative,
    for characters (n,).
    """
    pools = np.zeros((len(ids), 3), np.int64)
    within = np.full(len(ids), np.inf)
    kinds, which = np.unique(story[:, [POPULATION, STAGE]], axis=0, return_inverse=True)
    for k, (p, stage) in enumerate(kinds.tolist()):
        population, mine = populations[p], which.ravel() == k
        within[mine] = population.within
        mine &= ~keep
        alternatives = population.alternatives(stage)
        pools[mine, :2] = (
            alternatives[0] if len(alternatives) == 1 else nearest(ids[mine], alternatives)
        )
        if population.has_own_goals:
            pools[mine, 0] += ids[mine] - population.first
            pools[mine, 1] = 1
    pools[keep, 0], pools[keep, 1] = story[keep, GOAL], 1
    pools[:, 2] = story[:, DRAWN]
    return PathRequests(ids, pools, within)
