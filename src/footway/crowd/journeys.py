"""What populations want: where to go, one place after the other, and what then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway.crowd.places import Pool
from footway.crowd.planner import Wishes
from footway.crowd.state import DRAWN, GOAL, POPULATION, STAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

Behaviour = Literal["goals", "wander"]
Then = Literal["repeat", "stay", "exit"]


class Population(NamedTuple):
    """Those who were added together."""

    name: str
    behaviour: Behaviour
    pools: tuple[Pool, ...]  # where to go, one after the other; of a wanderer: nowhere
    each: bool  # every character has a place of its own in the only pool
    first: int  # id of the first of them
    then: Then
    within: float  # m, greatest distance of a goal
    row: int  # of the weights of edges, for wanderers

    def to_list(self) -> list[object]:
        """Plain values, for a checkpoint."""
        return [*self[:2], [list(pool) for pool in self.pools], *self[3:]]

    @classmethod
    def from_list(cls, values: Sequence[object]) -> Population:
        """The inverse of `to_list`."""
        name, behaviour, pools, *rest = values
        return cls(name, behaviour, tuple(Pool(*pool) for pool in pools), *rest)  # type: ignore[arg-type, attr-defined]


def wishes_of(
    ids: Ints, keep: NDArray[np.bool_], story: NDArray[np.int32], populations: list[Population]
) -> Wishes:
    """Where characters want to go next; `story` are their rows. Some keep the goal they have."""
    pools = np.zeros((len(ids), 3), np.int64)
    within = np.full(len(ids), np.inf)
    for p in np.unique(story[:, POPULATION]).tolist():
        population, mine = populations[p], story[:, POPULATION] == p
        table = np.array(population.pools, np.int64)
        chosen = table[story[mine, STAGE] % len(table)]
        if population.each:
            chosen[:, 0] += ids[mine] - population.first
            chosen[:, 1] = 1
        pools[mine, :2] = chosen
        within[mine] = population.within
    pools[keep, 0], pools[keep, 1] = story[keep, GOAL], 1
    pools[:, 2] = story[:, DRAWN]
    return Wishes(ids, pools, within)
