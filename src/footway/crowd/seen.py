"""What can be seen of a crowd: who is there, where, and how it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd.state import POPULATION, RADIUS, SPEED
from footway.crowd.stuck import Stuck, stuck
from footway.errors import BadQuery
from footway.validation import MOST_SEED, index, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.goals import Behaviour
    from footway.crowd.groups import Group
    from footway.crowd.inspection import Character
    from footway.crowd.profile import Profile
    from footway.crowd.simulation import Simulation

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Seen:
    """The part of a crowd that changes nothing."""

    _cast: Simulation

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def map(self) -> CorridorMap:
        """The map that they walk on."""
        return self._cast.map

    @property
    def seed(self) -> int:
        """Of all that is random."""
        return self._cast.seed

    @property
    def dt(self) -> float:
        """s, of a step."""
        return self._cast.dt

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._cast.time

    @property
    def steps(self) -> int:
        """Steps done."""
        return self._cast.engine.steps

    @property
    def arrivals(self) -> int:
        """Goals reached so far."""
        return self._cast.arrivals

    @property
    def exited(self) -> int:
        """Characters that have left so far."""
        return self._cast.exited

    @property
    def to_come(self) -> int:
        """Characters of sources that have not appeared yet."""
        return sum(len(source.ids) - source.next for source in self._cast.sources)

    def to_come_of(self, population: int) -> int:
        """How many of a population, an index into `names`, have not appeared yet."""
        index(population, "population", len(self.names))
        sources = (s for s in self._cast.sources if s.population == population)
        return sum(len(source.ids) - source.next for source in sources)

    @property
    def ids(self) -> Ints:
        """(n,) Numbers of those who are there, in the order in which they were added."""
        return self._cast.engine.present

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
        return self._rows("body")[:, RADIUS].astype(np.float64)

    @property
    def speeds(self) -> Floats:
        """(n,) m/s that they want, in the order of `ids`."""
        return self._rows("body")[:, SPEED].astype(np.float64)

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
        return [population.name for population in self._cast.populations]

    @property
    def profiles(self) -> list[Profile]:
        """Body and habits of the populations, in the order of `names`."""
        return [population.profile for population in self._cast.populations]

    @property
    def behaviours(self) -> list[Behaviour]:
        """What the populations do, in the order of `names`: "goals" or "wander"."""
        return [population.behaviour for population in self._cast.populations]

    @property
    def groups(self) -> list[Group]:
        """In the order in which they were added."""
        return list(self._cast.groups.all)

    @property
    def stuck(self) -> list[Stuck]:
        """Those who moved less than their radius in 30 s while their goal is elsewhere, and why."""
        return stuck(self._cast.engine, self._cast.blocks)

    @property
    def obstacles(self) -> Floats:
        """(m, 3) x, y, radius in m of the obstacles that are there now."""
        return self._cast.obstacles.discs(self.time)[:, [0, 1, 4]]

    @property
    def obstacle_ids(self) -> list[int]:
        """Numbers of the obstacles that are there now, in the order of `obstacles`."""
        return self._cast.obstacles.numbers(self.time)

    def character(self, number: int) -> Character:
        """Return all about one character: its way, its forces. Raises BadQuery: not there.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
            >>> _ = crowd.add(1, starts=[(2, 2)], goals=[(40, 40)])
            >>> crowd.character(0).goal
            (40.0, 40.0)

        """
        from footway.crowd.inspection import character

        number = whole(number, "number of a character", high=MOST_SEED)
        return character(self._cast, number, int(self._slots(np.array([number]))[0]))

    def _rows(self, name: str) -> NDArray[Any]:
        engine = self._cast.engine
        rows: NDArray[Any] = getattr(engine.state, name)
        return rows[engine.slot_of[engine.present]]

    def _slots(self, ids: Ints) -> NDArray[np.int32]:
        slot_of = self._cast.engine.slot_of
        known = (ids >= 0) & (ids < len(slot_of))
        there = known.copy()
        there[known] = slot_of[ids[known]] >= 0
        if not there.all():
            raise BadQuery(f"there is no character {int(ids[~there][0])}: see `ids`")
        return slot_of[ids]

    def __repr__(self) -> str:
        return f"<Crowd of {len(self)} on {self.map.name!r}, {self.time:.1f} s>"
