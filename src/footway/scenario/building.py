"""Build the crowd of a scenario on its map, after checking everything."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway.crowd import Crowd, Profile
from footway.crowd.profile import GROUP_PROFILE, mean_and_deviation
from footway.environment import Environment, TerrainRegion
from footway.environment.areas import contains
from footway.environment.editing import with_area
from footway.environment.environment import GROUND
from footway.errors import BadInput, FootwayError, NoPath
from footway.scenario.checks import Alternatives, Areas, Checker, check_obstacle
from footway.scenario.floors import FloorAreas, check_floors, edge_weights
from footway.scenario.models import Population, ProfileTable, Source
from footway.scenario.reading import check_names
from footway.scenario.values import Choice, in_plan
from footway.validation import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from footway.arrays import Floats
    from footway.corridor import CorridorMap
    from footway.environment.areas import Polygon
    from footway.scenario.checks import Location
    from footway.scenario.models import Group, Obstacle, Scenario
    from footway.scenario.problems import Keys, Origin
    from footway.scenario.values import Point, Ring

_GROUP_BOUNDS = ("width", "group_area", "lateral", "longitudinal")
_RHYTHM = ("rate", "start", "schedule")


class ScenarioMap(NamedTuple):
    """The map of a scenario; the environment is None for a saved corridor map."""

    corridors: CorridorMap
    environment: Environment | None


class PreparedCrowd(NamedTuple):
    """A crowd that is ready to run, on its map."""

    crowd: Crowd
    corridors: CorridorMap
    environment: Environment | None


def open_map(scenario: Scenario, built: Path | None = None) -> ScenarioMap:
    """Load the map of a scenario and build its corridor map, or load it from the file `built`."""
    from footway.corridor import CorridorMap
    from footway.formats.registry import is_saved, load

    name, origin = scenario.map, scenario.origin
    if is_saved(name):
        with _errors_located_at(origin, ("map",)):
            if scenario.scale is not None:
                raise BadInput(f"{name} is in metres already; leave out the scale")
            saved = CorridorMap.load(name)
            if not isinstance(saved, CorridorMap):
                raise BadInput(f"{name} is a roadmap in three dimensions; a crowd walks on a plan")
        if scenario.terrain:
            message = f"{name} has no terrain; give the map that it was built from"
            raise origin.refuse(("terrain", 0), message)
        if scenario.roadmap is not None:
            message = f"{name} is built already; give the map that it was built from"
            raise origin.refuse(("roadmap",), message)
        return ScenarioMap(saved, None)
    with _errors_located_at(origin, ("map",)):
        environment = load(name, scale=scenario.scale)
    if hasattr(environment, "floors"):
        building: Any = environment
        FloorAreas(scenario, building)
        with _errors_located_at(origin, ("map",)):
            return ScenarioMap(CorridorMap.build(environment), None)
    check_floors(scenario, None)
    if isinstance(environment, Environment):  # a volume has no terrain
        for i, region in enumerate(scenario.terrain):
            with _errors_located_at(origin, ("terrain", i, "polygon")):
                found = TerrainRegion(region.kind, region.polygon, region.reach, region.slope)
                environment = environment.with_terrain([found])
    with _errors_located_at(origin, ("map",)):
        if built is not None and built.exists():
            loaded = CorridorMap.load(built)
            assert isinstance(loaded, CorridorMap)
            return ScenarioMap(loaded, environment)
        if scenario.roadmap is not None and isinstance(environment, Environment):
            return ScenarioMap(_roadmap_of(scenario, environment), environment)
        return ScenarioMap(CorridorMap.build(environment), environment)


def _roadmap_of(scenario: Scenario, environment: Environment) -> CorridorMap:
    """Return the map made from the roadmap that a scenario asks for."""
    from footway import roadmap
    from footway.corridor import CorridorMap

    assert scenario.roadmap is not None
    options = scenario.roadmap.model_dump(exclude_none=True)
    method = options.pop("method")
    build = getattr(roadmap, method)
    for key in options:
        if key not in signature(build).parameters:
            raise scenario.origin.refuse(("roadmap", key), f"is not for the method {method!r}")
    with _errors_located_at(scenario.origin, ("roadmap",)):
        built = CorridorMap.from_roadmap(build(environment, **options))
    assert isinstance(built, CorridorMap)  # the environment is a plan
    return built


def with_areas(scenario: Scenario, environment: Environment | None) -> Environment | None:
    """Return the environment with the areas of the scenario, for recordings and the studio."""
    if environment is not None:
        for name, ring in scenario.area.items():
            environment = with_area(environment, name, in_plan(ring))
    return environment


def prepare_crowd(
    scenario: Scenario, opened: ScenarioMap | None = None, *, threads: int | None = None
) -> PreparedCrowd:
    """Return the crowd of a scenario, on its map.

    Args:
        scenario: as returned by `load_scenario`.
        opened: its map, if it is loaded already.
        threads: number of threads of the crowd.

    Raises:
        BadInput: an unknown area or too little space; the message gives file, line and key.
        NoPath: a goal that cannot be reached, likewise.
    """
    check_names(scenario)
    opened = opened or open_map(scenario)
    kinds = (GROUND,) if opened.environment is None else opened.environment.terrain_kinds
    for name, table in scenario.profile.items():
        for kind in table.preferences:
            if kind not in kinds:
                hint = did_you_mean(kind, kinds) or f"it has {', '.join(kinds)}"
                message = f"there is no terrain of kind {shown(kind)} on this map; {hint}"
                raise scenario.origin.refuse(("profile", name, "preferences", kind), message)
    building = getattr(opened.corridors, "building", None)
    if building is None:
        check_floors(scenario, None)
    areas = Areas(scenario, *opened) if building is None else FloorAreas(scenario, building)
    with _errors_located_at(scenario.origin, ()):
        crowd = Crowd(
            opened.corridors,
            seed=scenario.seed,
            step=scenario.step,
            threads=threads,
            model=scenario.model,
            environment=with_areas(scenario, opened.environment),
        )
    if isinstance(areas, FloorAreas):
        _add_in_building(scenario, areas, crowd)
        return PreparedCrowd(crowd, *opened)
    if scenario.closure:
        raise scenario.origin.refuse(("closure", 0), "is for buildings; leave it out")
    if scenario.floor:
        name = next(iter(scenario.floor))
        raise scenario.origin.refuse(("floor", name), "is for buildings; leave it out")
    builder = _CrowdBuilder(scenario, opened.corridors, areas, crowd)
    steps: dict[str, Callable[[Any, Keys], None]] = {
        "obstacle": builder.add_obstacle, "group": builder.add_group,
        "population": builder.add_walkers, "source": builder.add_walkers,
    }  # fmt: skip
    for kind, add in steps.items():
        for i, given in enumerate(getattr(scenario, kind)):
            add(given, (kind, i))
    return PreparedCrowd(crowd, *opened)


def _add_in_building(scenario: Scenario, areas: FloorAreas, crowd: Crowd) -> None:
    """Add everything that a scenario has to a crowd in a building, closed links first."""
    cmap: Any = crowd.map  # that of a building
    for i, closure in enumerate(scenario.closure):
        with _errors_located_at(scenario.origin, ("closure", i)):
            crowd.close_link(closure.link, start=closure.start, end=closure.end)
    for i, obstacle in enumerate(scenario.obstacle):
        keys: Keys = ("obstacle", i)
        check_obstacle(cmap, obstacle, scenario.duration, scenario.origin, (*keys, "at"))
        with _errors_located_at(scenario.origin, keys):
            crowd.add_obstacle(**dict(obstacle))
    for i, group in enumerate(scenario.group):
        keys = ("group", i)
        profile = _profile_of(scenario, group, GROUP_PROFILE)
        ends = areas.ends(group, cmap, _largest_radius(profile), keys)
        bounds = {name: getattr(group, name) for name in _GROUP_BOUNDS}
        name = group.name or _default_name(keys)
        with _errors_located_at(scenario.origin, keys):
            crowd.add_group(
                group.count, profile=profile, name=name, then=group.then, **ends, **bounds
            )
    for kind in ("population", "source"):
        for i, given in enumerate(getattr(scenario, kind)):
            keys = (kind, i)
            profile = _profile_of(scenario, given)
            arguments = areas.arguments(given, cmap, _largest_radius(profile), keys)
            arguments["profile"] = profile
            arguments["name"] = given.name or _default_name(keys)
            with _errors_located_at(scenario.origin, keys):
                if isinstance(given, Source):
                    rhythm = {name: getattr(given, name) for name in _RHYTHM}
                    crowd.add_source(given.size(scenario.duration), **arguments, **rhythm)
                else:
                    crowd.add(given.size, **arguments)


def _profile_of(
    scenario: Scenario, given: Population | Source | Group, default: Profile | None = None
) -> Profile:
    """Return the profile of characters.

    Values of the table take precedence over the profile, and these over `default`.
    """
    table = scenario.profile[given.profile] if given.profile else ProfileTable()
    values = asdict(default or Profile())
    values |= {name: getattr(table, name) for name in table.model_fields_set}
    own = {name: getattr(given, name, None) for name in values}
    values |= {name: value for name, value in own.items() if value is not None}
    keys = ("profile", given.profile) if given.profile else ()
    with _errors_located_at(scenario.origin, keys):
        return Profile(**values)


class _CrowdBuilder:
    """Adds the obstacles, groups, populations and sources of a scenario to a crowd."""

    def __init__(self, scenario: Scenario, cmap: CorridorMap, areas: Areas, crowd: Crowd) -> None:
        self._scenario, self._origin = scenario, scenario.origin
        self._map, self._areas, self._crowd = cmap, areas, crowd

    def add_obstacle(self, given: Obstacle, keys: Keys) -> None:
        """Add a dynamic obstacle."""
        duration = self._scenario.duration
        check_obstacle(self._map, given, duration, self._origin, (*keys, "at"))
        with _errors_located_at(self._origin, keys):
            self._crowd.add_obstacle(**dict(given))

    def add_group(self, given: Group, keys: Keys) -> None:
        """Add a group; in areas it starts and ends at the point with the most clearance."""
        profile, checker = self._body(given, GROUP_PROFILE)
        points: dict[str, Any] = {"start": None, "goal": None}
        locations = []
        for end in points:
            target = getattr(given, end)
            if target is not None:
                place = self._place(target, (*keys, end))
                if not isinstance(place, tuple):
                    place = self._areas.free(place).widest_point(place)
                points[end] = place
                locations.append(checker.point(place, (*keys, end)))
        if len(locations) == 2:
            checker.check_reachable(*locations)
        bounds = {name: getattr(given, name) for name in _GROUP_BOUNDS}
        with _errors_located_at(self._origin, keys):
            self._crowd.add_group(
                given.count,
                profile=profile,
                name=given.name or _default_name(keys),
                then=given.then,
                **points,
                **bounds,
            )

    def add_walkers(self, given: Population | Source, keys: Keys) -> None:
        """Add a population, or a source of characters that appear during the run."""
        profile, checker = self._body(given)
        duration = self._scenario.duration
        count = given.size(duration) if isinstance(given, Source) else given.size
        region = None
        if isinstance(given, Population) and given.starts is not None:
            starts = [checker.point(at, (*keys, "starts", k)) for k, at in enumerate(given.starts)]
        else:
            at = (*keys, "count") if given.area is None else (*keys, "area")
            region = None if given.area is None else self._areas.find(given.area, at)
            free = self._areas.free(region)
            starts = [checker.area(free, _label(given.area), at)]
            at_once = min(count, 1) if isinstance(given, Source) else count
            mean_radius, _ = mean_and_deviation(profile.radius)
            checker.check_capacity(free, starts[0], at_once, mean_radius)
        destinations = self._journey(given, checker, starts, keys)
        arguments: dict[str, Any] = {
            "area": region,
            "profile": profile,
            "name": given.name or _default_name(keys),
            "behaviour": given.behaviour,
            "premovement": given.premovement,
        }
        if given.behaviour == "wander":
            arguments["preference"] = self._preference(given.preference, keys)
        else:
            arguments |= {"destinations": destinations, "then": given.then, "within": given.within}
        with _errors_located_at(self._origin, keys):
            if isinstance(given, Source):
                rhythm = {name: getattr(given, name) for name in _RHYTHM}
                self._crowd.add_source(count, **arguments, **rhythm)
            else:
                for name in ("starts", "goals"):
                    points = getattr(given, name)
                    arguments[name] = None if points is None else np.reshape(points, (-1, 2))
                self._crowd.add(count, **arguments)

    def _body(
        self, given: Population | Source | Group, default: Profile | None = None
    ) -> tuple[Profile, Checker]:
        """Return the profile, and a checker for its largest radius."""
        profile = _profile_of(self._scenario, given, default)
        return profile, Checker(self._map, self._origin, _largest_radius(profile))

    def _journey(
        self, given: Population | Source, checker: Checker, starts: list[Location], keys: Keys
    ) -> list[Any]:
        """Return the destinations for the crowd; each must be reachable from the one before."""
        stops: list[Alternatives] = []
        destinations: list[Any] = []
        for k, target in enumerate(given.destinations):
            at = (*keys, "destinations", k)
            options = target.of if isinstance(target, Choice) else (target,)
            places, locations = [], []
            for i, item in enumerate(options):
                where = (*at, i) if isinstance(target, Choice) else at
                place = self._place(item, where)
                places.append(place)
                locations.append(
                    checker.point(place, where)
                    if isinstance(place, tuple)
                    else checker.area(self._areas.free(place), _label(item), where)
                )
            # Each in its own list: three points would be the corners of an area.
            several = [[place] for place in places]
            destinations.append(several if isinstance(target, Choice) else places[0])
            stops.append(Alternatives(at, locations))
        checker.check_journey(starts, stops, repeat=given.then == "repeat")
        for k, point in enumerate(getattr(given, "goals", None) or ()):
            goal = checker.point(point, (*keys, "goals", k))
            checker.check_reachable(starts[min(k, len(starts) - 1)], goal)
        return destinations

    def _place(self, target: str | Ring | Point, keys: Keys) -> Polygon | Point:
        """Return the point or the region of a destination."""
        if isinstance(target, str) or isinstance(target[0], tuple):
            return self._areas.find(target, keys)
        return target

    def _preference(self, weights: Mapping[str, float], keys: Keys) -> Floats | None:
        """Return the weight of each edge of the map (ne,)."""
        if not weights:
            return None
        axis = self._map.axis(1.0)
        along = np.ones(len(axis.points))
        for name, weight in weights.items():
            region = self._areas.find(name, (*keys, "preference", name))
            along[contains(region, axis.points)] = weight
        return edge_weights(axis, along)


def _largest_radius(profile: Profile) -> float:
    """Return the radius of the largest characters of a profile, m."""
    mean, deviation = mean_and_deviation(profile.radius)
    return mean + 2.0 * deviation


def _label(given: str | Ring | Point | None) -> str:
    """Return the label of an area in messages."""
    if given is None:
        return "the map"
    return f"area {shown(given)}" if isinstance(given, str) else "the area"


def _default_name(keys: Keys) -> str:
    """Return the default name, such as "population 1"."""
    return f"{keys[0]} {int(keys[1]) + 1}"


@contextmanager
def _errors_located_at(origin: Origin, keys: Keys) -> Iterator[None]:
    """Add file, line and key to the errors raised inside."""
    try:
        yield
    except NoPath as error:
        raise origin.no_path(keys, str(error), error.pinch) from error
    except FootwayError as error:
        raise origin.refuse(keys, str(error)) from error
