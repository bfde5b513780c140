"""From a scenario to a crowd that is ready to run; everything is checked before."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway.crowd import Crowd, Profile
from footway.environment import Environment
from footway.environment.environment import GROUND
from footway.errors import BadInput, FootwayError, NoPath
from footway.scenario.areas import Areas
from footway.scenario.checks import Checker, Leg, mean_of, most_of
from footway.scenario.models import Population, ProfileTable, Source
from footway.scenario.problems import did_you_mean, show
from footway.scenario.reading import check_names
from footway.scenario.shapes import Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.region import Region
    from footway.scenario.checks import Spot
    from footway.scenario.models import Group, Obstacle, Scenario
    from footway.scenario.problems import Keys, Origin
    from footway.scenario.shapes import Point, Ring

    Floats = NDArray[np.float64]

_SAVED = ".fwmap"


class Ground(NamedTuple):
    """The map of a scenario; without an environment where it was a saved corridor map."""

    corridors: CorridorMap
    environment: Environment | None


class Stage(NamedTuple):
    """A crowd that is ready to run, on its map."""

    crowd: Crowd
    corridors: CorridorMap
    environment: Environment | None


def open_map(scenario: Scenario) -> Ground:
    """Load the map of a scenario, and build its corridor map."""
    from footway.corridor import CorridorMap
    from footway.formats.registry import load

    name = scenario.map
    with _refusals(scenario.origin, ("map",)):
        if not name.lower().endswith(_SAVED):
            environment = _with_terrain(load(name, scale=scenario.scale), scenario)
            return Ground(CorridorMap.build(environment), environment)
        if scenario.scale is not None:
            raise BadInput(f"{name} is in metres already; leave out the scale")
        saved = CorridorMap.load(name)
        if not isinstance(saved, CorridorMap):
            raise BadInput(f"{name} is a roadmap in three dimensions; a crowd walks on a plan")
    if scenario.terrain:
        message = f"{name} has no terrain; give the map that it was built from"
        raise scenario.origin.refuse(("terrain", 0), message)
    return Ground(saved, None)


def _with_terrain(environment: Any, scenario: Scenario) -> Any:
    """Return the map with the scenario's regions on top of its own; a volume as it is."""
    if not isinstance(environment, Environment):
        return environment
    for i, region in enumerate(scenario.terrain):
        with _refusals(scenario.origin, ("terrain", i, "polygon")):
            environment = environment.with_terrain([(region.kind, region.polygon)])
    return environment


def stage(scenario: Scenario, ground: Ground | None = None, *, threads: int | None = None) -> Stage:
    """Return the crowd of a scenario, on its map.

    Args:
        scenario: as `load_scenario` gives it.
        ground: its map, where it is at hand already.
        threads: of the crowd.

    Raises:
        BadInput: an area that is not there, no room; with the file, line and key.
        NoPath: a goal that cannot be reached, likewise.

    """
    check_names(scenario)
    ground = ground or open_map(scenario)
    _check_preferences(scenario, ground.environment)
    cast = _CrowdBuilder(scenario, ground)
    with _refusals(scenario.origin, ()):
        crowd = Crowd(
            ground.corridors,
            seed=scenario.seed,
            step=scenario.step,
            threads=threads,
            environment=ground.environment,
        )
    for i, obstacle in enumerate(scenario.obstacle):
        cast.add_obstacle(crowd, obstacle, ("obstacle", i))
    for i, group in enumerate(scenario.group):
        cast.add_group(crowd, group, ("group", i))
    for i, population in enumerate(scenario.population):
        cast.add_population(crowd, population, ("population", i))
    for i, source in enumerate(scenario.source):
        cast.add_source(crowd, source, ("source", i))
    return Stage(crowd, *ground)


def _check_preferences(scenario: Scenario, environment: Environment | None) -> None:
    """Refuse preferences for kinds of ground that the map does not have."""
    regions = environment.terrain if environment is not None else ()
    kinds = (GROUND, *sorted({region.kind for region in regions} - {GROUND}))
    for name, table in scenario.profile.items():
        for kind in table.preferences:
            if kind not in kinds:
                hint = did_you_mean(kind, kinds) or f"it has {', '.join(kinds)}"
                message = f"there is no ground of kind {show(kind)} on this map; {hint}"
                raise scenario.origin.refuse(("profile", name, "preferences", kind), message)


class _CrowdBuilder:
    """Puts everybody of a scenario on the map."""

    def __init__(self, scenario: Scenario, ground: Ground) -> None:
        self._scenario = scenario
        self._origin = scenario.origin
        self._map = ground.corridors
        self._areas = Areas(scenario, *ground)

    def add_obstacle(self, crowd: Crowd, given: Obstacle, keys: Keys) -> None:
        """Add a dynamic obstacle."""
        Checker(self._map, self._origin, given.radius).disc(
            given.box(self._scenario.duration), (*keys, "at")
        )
        with _refusals(self._origin, keys):
            crowd.add_obstacle(
                given.at,
                given.radius,
                velocity=given.velocity,
                appears=given.appears,
                vanishes=given.vanishes,
            )

    def add_group(self, crowd: Crowd, given: Group, keys: Keys) -> None:
        """Add a group: it starts and ends at points, the roomiest ones of areas."""
        profile, checker = self._body(given, lane=(0.0, 0.4))
        start = self._meeting_point(given.start, (*keys, "start"))
        spot = checker.point(start, (*keys, "start"))
        goal = None
        if given.goal is not None:
            goal = self._meeting_point(given.goal, (*keys, "goal"))
            checker.way(spot, checker.point(goal, (*keys, "goal")))
        bounds = given.model_dump(
            include={"width", "group_area", "lateral", "longitudinal"}, exclude_none=True
        )
        with _refusals(self._origin, keys):
            crowd.add_group(
                given.count,
                profile=profile,
                name=given.name or _number(keys),
                start=start,
                goal=goal,
                then=given.then,
                **bounds,
            )

    def add_population(self, crowd: Crowd, given: Population, keys: Keys) -> None:
        """Add those who are there from the start."""
        profile, checker = self._body(given)
        region = None
        if given.starts is not None:
            starts = [checker.point(at, (*keys, "starts", k)) for k, at in enumerate(given.starts)]
        else:
            region, start = self._spawn(given, checker, given.size, keys)
            starts = [start]
        goals = self._journey(given, checker, starts, keys)
        with _refusals(self._origin, keys):
            crowd.add(
                given.size,
                area=region,
                starts=None if given.starts is None else np.array(given.starts).reshape(-1, 2),
                goals=None if given.goals is None else np.array(given.goals).reshape(-1, 2),
                **self._wishes(given, profile, goals, keys),
            )

    def add_source(self, crowd: Crowd, given: Source, keys: Keys) -> None:
        """Add those who appear while it runs."""
        profile, checker = self._body(given)
        count = given.size(self._scenario.duration)
        region, start = self._spawn(given, checker, min(count, 1), keys)
        goals = self._journey(given, checker, [start], keys)
        with _refusals(self._origin, keys):
            crowd.add_source(
                count,
                area=region,
                rate=given.rate,
                start=given.start,
                schedule=given.schedule,
                **self._wishes(given, profile, goals, keys),
            )

    def _body(self, given: Population | Source | Group, **usual: object) -> tuple[Profile, Checker]:
        """Body and habits, and a checker of that size.

        Its own values go before those of the profile, and these before what is usual.
        """
        table = self._scenario.profile[given.profile] if given.profile else ProfileTable()
        habits = {name: getattr(table, name) for name in ProfileTable.model_fields}
        habits |= {name: usual[name] for name in usual if name not in table.model_fields_set}
        own = {name: getattr(given, name, None) for name in habits}
        habits |= {name: value for name, value in own.items() if value is not None}
        with _refusals(self._origin, ("profile", given.profile) if given.profile else ()):
            profile = Profile(**habits)
        return profile, Checker(self._map, self._origin, most_of(habits["radius"]))

    def _spawn(
        self, given: Population | Source, checker: Checker, count: int, keys: Keys
    ) -> tuple[Region | None, Spot]:
        """Where they appear, with room for all who appear at once."""
        keys = (*keys, "area") if given.area is not None else (*keys, "count")
        region = None if given.area is None else self._areas.find(given.area, keys)
        free = self._areas.free(region)
        spot = checker.area(free, _words(given.area), keys)
        checker.capacity(free, spot, count, self._mean_radius(given))
        return region, spot

    def _mean_radius(self, given: Population | Source) -> float:
        table = self._scenario.profile[given.profile] if given.profile else ProfileTable()
        return mean_of(table.radius if given.radius is None else given.radius)

    def _journey(
        self, given: Population | Source, checker: Checker, starts: list[Spot], keys: Keys
    ) -> list[Any]:
        """Destinations as the crowd takes them, each with a way from the one before."""
        legs: list[Leg] = []
        places: list[Any] = []
        for k, target in enumerate(given.destinations):
            place, leg = self._leg(target, checker, (*keys, "destinations", k))
            legs.append(leg)
            places.append(place)
        checker.journey(starts, legs, repeat=given.then == "repeat")
        for k, at in enumerate(getattr(given, "goals", None) or ()):
            goal = checker.point(at, (*keys, "goals", k))
            checker.way(starts[min(k, len(starts) - 1)], goal)
        return places

    def _leg(
        self, target: str | Ring | Point | Choice, checker: Checker, keys: Keys
    ) -> tuple[Any, Leg]:
        """A destination, or several to choose from, as the crowd and the checker take them."""
        if not isinstance(target, Choice):
            place, spot = self._target(target, checker, keys)
            return place, Leg(keys, [spot])
        some = [self._target(one, checker, (*keys, k)) for k, one in enumerate(target.of)]
        # A list for each, or three points would be the corners of an area.
        return [[place] for place, _ in some], Leg(keys, [spot for _, spot in some])

    def _target(
        self, target: str | Ring | Point, checker: Checker, keys: Keys
    ) -> tuple[Region | Point, Spot]:
        if _is_point(target):
            return target, checker.point(target, keys)  # type: ignore[arg-type, return-value]
        region = self._areas.find(target, keys)  # type: ignore[arg-type]
        return region, checker.area(self._areas.free(region), _words(target), keys)

    def _meeting_point(self, target: str | Ring | Point, keys: Keys) -> Point:
        if _is_point(target):
            return target  # type: ignore[return-value]
        region = self._areas.find(target, keys)  # type: ignore[arg-type]
        return self._areas.free(region).roomiest(region)

    def _wishes(
        self, given: Population | Source, profile: Profile, goals: list[Any], keys: Keys
    ) -> dict[str, Any]:
        """What the crowd takes for both populations and sources."""
        wishes: dict[str, Any] = {
            "profile": profile,
            "name": given.name or _number(keys),
            "behaviour": given.behaviour,
            "premovement": given.premovement,
        }
        if given.behaviour == "wander":
            return wishes | {"preference": self._preference(given.preference, keys)}
        return wishes | {"destinations": goals, "then": given.then, "within": given.within}

    def _preference(self, weights: Mapping[str, float], keys: Keys) -> Floats | None:
        """Weight of each edge of the map (ne,): the mean along it, 0 where it enters a 0."""
        if not weights:
            return None
        axis = self._map.axis(1.0)
        along = np.ones(len(axis.points))
        for name, weight in weights.items():
            region = self._areas.find(name, (*keys, "preference", name))
            along[region.contains(axis.points)] = weight
        mean = np.add.reduceat(along, axis.offsets[:-1]) / np.diff(axis.offsets)
        least = np.minimum.reduceat(along, axis.offsets[:-1])
        return np.where(least > 0.0, mean, 0.0)


def _is_point(target: Any) -> bool:
    return not isinstance(target, str) and not isinstance(target[0], tuple)


def _words(given: str | Ring | Point | None) -> str:
    """How messages call an area."""
    if given is None:
        return "the map"
    return f"area {show(given)}" if isinstance(given, str) else "the area"


def _number(keys: Keys) -> str:
    """Name of what has none: "population 1"."""
    return f"{keys[0]} {int(keys[1]) + 1}"


@contextmanager
def _refusals(origin: Origin, keys: Keys) -> Iterator[None]:
    """Say where in the file it is, when something below refuses."""
    try:
        yield
    except NoPath as error:
        raise origin.no_path(keys, str(error), error.pinch) from error
    except FootwayError as error:
        raise origin.refuse(keys, str(error)) from error
