"""What populations want: where to go, one place after the other, and what then."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway.crowd.places import GoalRange
from footway.crowd.planning import Wishes
from footway.crowd.profile import Profile
from footway.crowd.state import DRAWN, GOAL, POPULATION, STAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

Behaviour = Literal["goals", "wander"]
Then = Literal["repeat", "stay", "exit"]
Leg = tuple[GoalRange, ...]
"""Where a part of a journey leads: to one destination, or to the nearest of several."""


class Population(NamedTuple):
    """Those who were added together."""

    name: str
    behaviour: Behaviour
    legs: tuple[Leg, ...]  # where to go, one after the other; of a wanderer: nowhere
    each: bool  # every character has a place of its own in the only pool
    visits: bool  # its destinations were given: other goals do not stand for them
    first: int  # id of the first of them
    then: Then
    within: float  # m, greatest distance of a goal
    row: int  # of the weights of edges, for wanderers
    manner: int = -1  # in which they follow routes over terrain; -1: they follow corridors
    profile: Profile = Profile()  # body and habits of those who came, and of those to come

    def to_list(self) -> list[object]:
        """Plain values, for a checkpoint."""
        legs = [[list(pool) for pool in leg] for leg in self.legs]
        return [*self[:2], legs, *self[3:-1], asdict(self.profile)]

    @classmethod
    def from_list(cls, values: Sequence[object]) -> Population:
        """The inverse of `to_list`."""
        name, behaviour, legs, *rest, profile = values
        made = tuple(tuple(GoalRange(*pool) for pool in leg) for leg in legs)  # type: ignore[attr-defined]
        habits = Profile.from_dict(profile)  # type: ignore[arg-type]
        return cls(name, behaviour, made, *rest, habits)  # type: ignore[arg-type, call-arg]

    @property
    def has_random_goals(self) -> bool:
        """Whether their goals are drawn on the whole map, one after the other."""
        return self.behaviour == "goals" and not (self.each or self.visits)

    def renumbered(self, number: Ints) -> Population:
        """The same where places have other numbers, as `Places.keep` gives them."""
        legs = tuple(tuple(pool.renumbered(number) for pool in leg) for leg in self.legs)
        return self._replace(legs=legs)

    def leg(self, stage: int) -> Leg:
        """Where those go who have reached so many destinations."""
        return self.legs[stage % len(self.legs)]

    def reaches(self, stage: int, place: int) -> bool:
        """Whether this place is where they go at that stage, not where `set_goals` sent them."""
        leg = self.leg(stage)
        return not self.visits or any(p.first <= place < p.first + p.size for p in leg)


def wishes_of(
    ids: Ints,
    keep: NDArray[np.bool_],
    story: NDArray[np.int32],
    populations: list[Population],
    nearest: Callable[[Ints, Leg], Ints],
) -> Wishes:
    """Where characters want to go next; `story` are their rows. Some keep the goal they have.

    `nearest` gives the first place and the number of places (n, 2) of the nearest destination of a
    leg, for characters (n,).
    """
    pools = np.zeros((len(ids), 3), np.int64)
    within = np.full(len(ids), np.inf)
    kinds, which = np.unique(story[:, [POPULATION, STAGE]], axis=0, return_inverse=True)
    for k, (p, stage) in enumerate(kinds.tolist()):
        population, mine = populations[p], which.ravel() == k
        within[mine] = population.within
        mine &= ~keep
        leg = population.leg(stage)
        pools[mine, :2] = leg[0] if len(leg) == 1 else nearest(ids[mine], leg)
        if population.each:
            pools[mine, 0] += ids[mine] - population.first
            pools[mine, 1] = 1
    pools[keep, 0], pools[keep, 1] = story[keep, GOAL], 1
    pools[:, 2] = story[:, DRAWN]
    return Wishes(ids, pools, within)
