"""Who comes into a crowd: characters, sources of characters, and groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import validation
from footway.crowd import phases, spawning
from footway.crowd.goals import Population
from footway.crowd.groups import bounds_of
from footway.crowd.places import free_points
from footway.crowd.profile import Profile
from footway.crowd.region import Region
from footway.crowd.seen import Seen
from footway.crowd.simulation import BODIES
from footway.crowd.sources import Source, times_of
from footway.crowd.state import BEGIN, POPULATION
from footway.errors import BadQuery, NoPath

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from footway._numba.random_stream import RandomStream
    from footway.crowd.goals import Behaviour, Then
    from footway.crowd.groups import Group
    from footway.crowd.profile import Follow, Spread
    from footway.crowd.simulation import Simulation

    Ints = NDArray[np.int64]

_STARTS_IN_AREA = 512  # places where the characters of a source may appear
_MOST = 20_000_000  # characters of one call: more do not fit in the memory of a usual machine


class Adding(Seen):
    """The part of a crowd by which it grows."""

    def add(
        self,
        count: int,
        *,
        radius: Spread | None = None,
        speed: Spread | None = None,
        lane: Spread | None = None,
        noise: float | None = None,
        preferences: Mapping[str, float] | None = None,
        follow: Follow | None = None,
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
    ) -> Ints:
        """Add characters, and give them their first ways; their ids, (count,).

        Args:
            count: how many.
            radius: m; a number, or (mean, deviation). This and the next five are those of the
                profile where they are left out.
            speed: wanted and greatest, m/s; a number, or (mean, deviation).
            lane: negative keeps right, positive left; a number, or (mean, deviation).
            noise: how much ways vary, 0 to about 1.
            preferences: weight of each kind of ground, 1 is neutral, more is worse; for this the
                crowd needs an `environment`.
            follow: "cmm", "miran" or "irm": see `Profile`, which has more numbers for it.
            behaviour: "goals" (section 5.1) or "wander" (section 5.2).
            profile: body and habits; `Profile()` where it is left out.
            name: of the population.
            starts: (count, 2) m; at random in `area` where they are not given.
            area: a polygon: ring (k, 2), Shapely, or an Area; the whole map where not given.
            goals: (count, 2) m, one for each, where they stay unless they exit.
            destinations: areas or points (x, y), visited one after the other. A list of them is
                a choice: each takes the one with the shortest path when it sets out for it (three
                or more bare points are the corners of an area). Without goals and destinations
                goals are random, one after the other.
            then: after the last: "repeat", "stay" there, or "exit" (removed).
            premovement: s before they walk; a number, or (mean, deviation).
            within: m, how far away random goals and places in areas may be.
            preference: (edges of the map,) weights by which wanderers choose; 0: never.

        Raises:
            BadQuery: a number that makes no sense; no room.
            NoPath: a goal that was given cannot be reached, and why.

        """
        body = spawning.profile_of(
            profile, Profile(), radius=radius, speed=speed, lane=lane, noise=noise,
            preferences=preferences, follow=follow,
        )  # fmt: skip
        count = validation.whole(count, "count", high=_MOST)
        if starts is None:
            spawning.check_number(self._cast, count, body, area)
        cast, ids, rows, rng = self._newcomers(count, body, premovement)
        radii = spawning.radii_of(rows)
        points = spawning.starts_of(cast, starts, area, radii, rng)
        population = spawning.population_of(
            cast, name, behaviour, radii, goals, destinations, then, within, preference, body
        )
        cast.populations.append(population)
        spawning.enter(cast, ids, points, rows)
        given = goals is not None or len(destinations) > 0
        try:
            spawning.give_ways(cast, ids, population, given=given)
        except NoPath:
            cast.planner.forget(ids)
            cast.engine.remove(ids)
            cast.populations.pop()
            raise
        cast.next += count
        return ids

    def add_to(
        self, population: int, count: int, *, starts: ArrayLike | None = None, area: Any = None
    ) -> Ints:
        """Add more characters to a population, an index into `names`; their ids, (count,).

        They are like the others of it, and do as they do; `starts` and `area` as for `add`. Raises
        BadQuery for groups, and where each has a goal of its own.

        Example:
            >>> import footway as fw
            >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
            >>> _ = crowd.add(5, name="visitors")
            >>> crowd.add_to(0, 3).tolist(), crowd.names
            ([5, 6, 7], ['visitors'])

        """
        validation.index(population, "population", len(self.names))
        count = validation.whole(count, "count", high=_MOST)
        known = self._cast.populations[population]
        if known.each:
            raise BadQuery("each of them has a goal of its own: `add` others with theirs")
        if any(known.first in group.ids for group in self.groups):
            raise BadQuery("this population is a group: it stays as it is; add another one")
        if starts is None:
            spawning.check_number(self._cast, count, known.profile, area)
        cast, ids, rows, rng = self._newcomers(count, known.profile, 0.0)
        rows["story"][:, POPULATION] = population
        points = spawning.starts_of(cast, starts, area, spawning.radii_of(rows), rng)
        spawning.enter(cast, ids, points, rows)
        spawning.give_ways(cast, ids, known, given=False)
        cast.next += count
        return ids

    def _newcomers(
        self, count: int, profile: Profile, premovement: Spread
    ) -> tuple[Simulation, Ints, spawning.Rows, RandomStream]:
        """Ids and bodies of new characters, and what they are drawn from."""
        cast = self._cast
        rng = cast.random(BODIES, cast.next)
        ids = np.arange(cast.next, cast.next + count)
        return cast, ids, spawning.bodies(cast, ids, profile, premovement, rng), rng

    def add_source(
        self,
        count: int,
        *,
        area: Any,
        rate: float | None = None,
        start: float = 0.0,
        schedule: Sequence[tuple[float, int]] | None = None,
        radius: Spread | None = None,
        speed: Spread | None = None,
        lane: Spread | None = None,
        noise: float | None = None,
        preferences: Mapping[str, float] | None = None,
        follow: Follow | None = None,
        behaviour: Behaviour = "goals",
        profile: Profile | None = None,
        name: str = "",
        goals: ArrayLike | None = None,
        destinations: Sequence[Any] = (),
        then: Then = "repeat",
        premovement: Spread = 0.0,
        within: float = math.inf,
        preference: ArrayLike | None = None,
    ) -> Ints:
        """Let characters appear in an area over time; their ids, (count,).

        `rate` of them each second from `start` on, or by a `schedule` of (time, count). Those who
        find no room appear as soon as there is. The rest as for `add`.
        """
        body = spawning.profile_of(
            profile, Profile(), radius=radius, speed=speed, lane=lane, noise=noise,
            preferences=preferences, follow=follow,
        )  # fmt: skip
        count = validation.whole(count, "count", high=_MOST)
        cast, ids, rows, rng = self._newcomers(count, body, premovement)
        times = self.time + times_of(count, rate, start, schedule)
        radii = spawning.radii_of(rows)
        widest = float(radii.max(initial=0.0)) or 0.25
        points = free_points(cast.map, _STARTS_IN_AREA, widest, Region.of(area), rng)
        population = spawning.population_of(
            cast, name, behaviour, radii, goals, destinations, then, within, preference, body
        )
        if count and behaviour == "goals":
            spawning.check_ways(cast, points[0], widest, population)
        cast.populations.append(population)
        rows["story"][:, BEGIN] -= cast.engine.steps  # counts from when each appears
        cast.sources.append(Source(ids, times, rows, points))
        cast.next += count
        return ids

    def add_group(
        self,
        count: int,
        *,
        start: ArrayLike,
        goal: ArrayLike | None = None,
        radius: Spread | None = None,
        speed: Spread | None = None,
        lane: Spread | None = None,
        noise: float | None = None,
        profile: Profile | None = None,
        name: str = "",
        width: float | None = None,
        group_area: float | None = None,
        lateral: float | None = None,
        longitudinal: float | None = None,
        then: Then = "repeat",
    ) -> Group:
        """Add a group that stays together in one corridor (section 6).

        Args:
            count: how many.
            start: x, y in m; they stand around it.
            goal: x, y in m; random, and a new one each time all have arrived, where not given.
            radius: m; a number, or (mean, deviation). This and the next three are those of the
                profile where they are left out.
            speed: m/s; a number, or (mean, deviation).
            lane: negative keeps right, positive left; a number, or (mean, deviation).
            noise: how much ways vary, 0 to about 1.
            profile: body and habits; `Profile(lane=(0, 0.4))` where it is left out.
            name: of the population.
            width: g_w, m: no ball of the corridor is wider than this.
            group_area: g_A, m2, of the balls between the last and the first of them: those in
                front wait.
            lateral: m, width of the corridor (voronoi-roadmaps-2004, section 3.3).
            longitudinal: m along the backbone between the last and the first (likewise).
            then: at the goal: "repeat" (a new random goal), "stay" or "exit".

        """
        validation.one_of(then, "then", ("repeat", "stay", "exit"))
        validation.text(name, "name")
        usual = Profile(lane=(0.0, 0.4))
        body = spawning.profile_of(
            profile, usual, radius=radius, speed=speed, lane=lane, noise=noise
        )
        spawning.manner_of(body, "group")
        count = validation.whole(count, "count", low=1, high=_MOST)
        cast, ids, rows, rng = self._newcomers(count, body, 0.0)
        radii = spawning.radii_of(rows)
        bounds = bounds_of(width, group_area, lateral, longitudinal, radii)
        centre, widest = validation.point(start, "start"), float(radii.max())
        if goal is None:
            pool = spawning.random_pool(cast, widest, 1)
        else:
            cast.map.corridor(centre, goal, radius=widest)  # raises where there is no way
            pool = cast.places.add(validation.point(goal, "goal")[None])
        points = spawning.around(cast, centre, radii, rng)
        population = Population(
            name, "goals", ((pool,),), False, False, cast.next, then, math.inf, 0, profile=body
        )
        cast.populations.append(population)
        spawning.enter(cast, ids, points, rows)
        cast.next += count
        group = cast.groups.add(ids, bounds)
        phases.lead(cast, group, population)
        return group
