"""Populations, the destinations that they visit, and the table of their goals."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

import numpy as np

from footway import validation
from footway.corridor.kernels.query import are_connected
from footway.corridor.map import as_points
from footway.corridor.points import locate
from footway.crowd.free_space import describe_free_point, describe_misfit, free_points
from footway.crowd.kernels.layouts import GoalTable
from footway.crowd.profile import Profile
from footway.crowd.terrain_following import FollowingStyle
from footway.crowd.tracks import with_weights
from footway.errors import BadQuery, NoPath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor import CorridorMap
    from footway.crowd.floors import Floors
    from footway.crowd.simulation import Simulation


ARRIVAL = 0.5  # m from a goal at which it counts as reached
_FEWEST_GOALS, _MOST_GOALS = 1 << 12, 1 << 18  # of the random goals that populations share
_GOALS_WITHIN = 64  # goals in a disc of the greatest distance, if the map is free there
_GOALS_IN_AREA = 256

Behaviour = Literal["goals", "wander"]
Then = Literal["repeat", "stay", "exit"]


class GoalRange(NamedTuple):
    """Goals first to first + size - 1 of the table."""

    first: int
    size: int

    @property
    def rows(self) -> slice:
        """Rows of the table."""
        return slice(self.first, self.first + self.size)

    def renumbered(self, number: Ints) -> GoalRange:
        """Return the range with the new numbers from `Goals.keep`."""
        return GoalRange(int(number[self.first]), self.size)


Alternatives = tuple[GoalRange, ...]
"""Alternative destinations of one stage; a character walks to the nearest of them."""


class Goals:
    """Located goals of all populations."""

    def __init__(self, cmap: CorridorMap) -> None:
        self._solver: Any = cmap.solver
        self.table = GoalTable(
            np.empty((0, 6)), np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int32)
        )

    def __len__(self) -> int:
        return len(self.table.pieces)

    @property
    def points(self) -> Floats:
        """(n, 2) m."""
        return self.table.located[:, :2]

    @property
    def sheets(self) -> Ints:
        """(n,) Sheets in a building; -1 in the plane."""
        return self.table.sheets.astype(np.int64) - 1

    def add(
        self,
        points: Floats,
        reach: float | NDArray[Any] = ARRIVAL,
        sheets: Ints | None = None,
    ) -> GoalRange:
        """Locate points (n, 2), on sheets (n,) of a building, and append them to the table."""
        table = self.table
        if sheets is None:
            pieces, values = locate(points, self._solver.index)
            on = np.zeros(len(points), np.int32)
        else:
            pieces, values = self._solver.locate_on(points, sheets)
            on = (sheets + 1).astype(np.int32)
        reach = np.broadcast_to(np.asarray(reach, np.float32), len(points))
        self.table = GoalTable(
            np.vstack([table.located, np.column_stack([points, values[:, :4]])]),
            np.concatenate([table.pieces, pieces]),
            np.concatenate([table.reach, reach]),
            np.concatenate([table.sheets, on]),
        )
        return GoalRange(len(table.pieces), len(points))

    def keep(self, used: NDArray[np.bool_]) -> Ints:
        """Drop unused goals; return new numbers of all (n + 1,): the count kept before each."""
        self.table = GoalTable._make(column[used] for column in self.table)
        return np.concatenate([[0], np.cumsum(used)])


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
        stages = [[list(goals) for goals in alternatives] for alternatives in self.stages]
        return [*self[:2], stages, *self[3:-1], asdict(self.profile)]

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> Population:
        """Make a population from the values of `to_list`."""
        name, behaviour, stages, *rest, profile = values
        made = tuple(tuple(GoalRange(*goals) for goals in alternatives) for alternatives in stages)
        return cls._make([name, behaviour, made, *rest, Profile.from_dict(profile)])

    @property
    def has_random_goals(self) -> bool:
        """Whether characters walk to one random goal on the map after the other."""
        return self.behaviour == "goals" and not (self.has_own_goals or self.has_destinations)

    @property
    def ranges(self) -> list[GoalRange]:
        """The ranges of all stages."""
        return [goals for alternatives in self.stages for goals in alternatives]

    def renumbered(self, number: Ints) -> Population:
        """Return the population with the new numbers of goals from `Goals.keep`."""
        stages = tuple(
            tuple(goals.renumbered(number) for goals in alternatives)
            for alternatives in self.stages
        )
        return self._replace(stages=stages)

    def alternatives(self, stage: int) -> Alternatives:
        """Return the alternatives for a character that has reached so many destinations."""
        return self.stages[stage % len(self.stages)]

    def reaches(self, stage: int, goal: int) -> bool:
        """Return whether a goal belongs to that stage, instead of coming from `set_goals`."""
        return not self.has_destinations or any(
            goals.first <= goal < goals.first + goals.size for goals in self.alternatives(stage)
        )

    def is_back(self, stage: int, goal: int) -> bool:
        """Return whether a character was at this last goal before, and stays there."""
        return (
            self.then == "stay"
            and stage >= len(self.stages)
            and any(some.first <= goal < some.first + some.size for some in self.stages[-1])
        )


def make_population(
    simulation: Simulation,
    name: str,
    behaviour: Behaviour,
    radii: Floats,
    goals: ArrayLike | None,
    destinations: Sequence[Any],
    then: Then,
    within: float,
    preference: ArrayLike | None,
    profile: Profile,
) -> Population:
    """Return a checked population for new characters."""
    validation.one_of(behaviour, "behaviour", ("goals", "wander"))
    validation.one_of(then, "argument `then`", ("repeat", "stay", "exit"))
    within = validation.number(within, "within", "m", above=0.0, endless=True)
    validation.text(name, "name")
    destinations = validation.sequence(destinations, "destinations")
    if goals is not None and len(destinations):
        raise BadQuery("give either goals, one for each character, or destinations")
    if then == "repeat" and (goals is not None or len(destinations) == 1):
        then = "stay"  # there is no other goal
    floors = simulation.floors
    style = simulation.routes.number(style_of(profile, behaviour))
    row = 0
    if preference is not None:
        weights = _edge_weights(preference, len(simulation.map.edges))
        simulation.tracks, row = with_weights(simulation.tracks, weights)
    widest = float(radii.max(initial=0.0)) or 0.25
    stages: tuple[Alternatives, ...]
    if behaviour == "wander":
        stages = ((GoalRange(0, 1),),)
    elif goals is not None:
        points, sheets = as_places(simulation, goals, "goals")
        if len(points) != len(radii):
            raise BadQuery(f"there are {len(points)} goals for {len(radii)} characters")
        check_places(simulation, "goal", points, sheets, radii)
        stages = ((simulation.goals.add(points, sheets=sheets),),)
    elif len(destinations):
        choose = as_choice if floors is None else _as_choice_of_places
        stages = tuple(
            tuple(_destination(simulation, item, widest) for item in choose(d) or [d])
            for d in destinations
        )
    else:
        stages = ((random_goals(simulation, widest, len(radii), within),),)
    return Population(
        name, behaviour, stages, goals is not None, len(destinations) > 0, simulation.next, then,
        within, row, style, profile,
    )  # fmt: skip


def style_of(profile: Profile, behaviour: Behaviour | Literal["group"]) -> FollowingStyle | None:
    """Return the terrain following style of a profile; None if it follows corridors."""
    style = FollowingStyle.from_profile(profile)
    if style is not None and behaviour != "goals":
        which = "a group" if behaviour == "group" else "a wanderer"
        raise BadQuery(
            f"{which} follows corridors only: use a profile without preferences that does not "
            "follow miran or irm"
        )
    return style


def _edge_weights(value: Any, edges: int) -> Floats:
    """Return checked weights of the edges of the map (edges,); some must be positive."""
    weights = validation.floats(value, f"({edges},)", name="the preference")
    is_valid = ((weights >= 0.0) & (weights <= validation.FARTHEST)).all()
    if weights.shape != (edges,) or not is_valid:
        raise BadQuery(f"the preference must be ({edges},) weights of 0 or more: one for each edge")
    if not weights.any():
        raise BadQuery("the preference is 0 for every edge: some must be positive")
    return weights


# -- destinations --------------------------------------------------------------------------------


def as_choice(value: Any) -> list[Any] | None:
    """Return alternative destinations; None if the value is one point or area.

    A list of three or more points is an area; as alternatives, each point needs its own list.
    """
    if not isinstance(value, (list, tuple)) or as_point(value) is not None:
        return None
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    else:
        if array.ndim == 2 and len(array) > 2:
            return None  # a ring
    if not value:
        raise BadQuery("a destination is an empty list: give areas or points to choose from")
    return [
        item[0] if isinstance(item, (list, tuple)) and len(item) == 1 else item for item in value
    ]


def as_point(value: Any) -> Floats | None:
    """Return (1, 2) if the value is one point x, y; else None."""
    if hasattr(value, "__geo_interface__"):
        return None
    try:
        return np.array([validation.pair(value, "point")])
    except BadQuery:
        return None


def _destination(simulation: Simulation, destination: Any, radius: float) -> GoalRange:
    """Return the goals of a point or an area; an area is reached well inside it."""
    if simulation.floors is not None:
        return _destination_on_floor(simulation, simulation.floors, destination, radius)
    point = as_point(destination)
    if point is not None:
        check_clearance(simulation.map, "destination", point, np.full(1, radius))
        return simulation.goals.add(point)
    from footway.environment.areas import depth  # loads Shapely

    area = simulation.polygon_of(destination)
    rng = simulation.random("areas", len(simulation.goals))
    points = free_points(simulation.map, _GOALS_IN_AREA, radius, area, rng)
    return simulation.goals.add(points, np.maximum(0.3, depth(area, points)))


def _as_choice_of_places(value: Any) -> list[Any] | None:
    """Return alternative destinations in a building; None if the value is one.

    One destination is (x, y, floor), (polygon, floor) or the name of a floor.
    """
    if isinstance(value, str) or not isinstance(value, (list, tuple)):
        return None
    if not value:
        raise BadQuery("a destination is an empty list: give areas or points to choose from")
    first = value[0]
    is_place = isinstance(first, str) or (
        isinstance(first, (list, tuple)) and len(first) > 0 and isinstance(first[-1], (str, int))
    )
    return list(value) if is_place or not isinstance(value[-1], (str, int)) else None


def _destination_on_floor(
    simulation: Simulation, floors: Floors, destination: Any, radius: float
) -> GoalRange:
    if isinstance(destination, (list, tuple)) and len(destination) == 3:
        point, sheet = floors.points([destination], "destination")
        floors.check("destination", point, sheet, np.full(1, radius))
        return simulation.goals.add(point, sheets=sheet)
    from footway.environment.areas import depth  # loads Shapely

    area = floors.area(destination)
    rng = simulation.random("areas", len(simulation.goals))
    points, sheets = floors.free_points(_GOALS_IN_AREA, radius, area, rng)
    reach = np.full(len(points), ARRIVAL)
    if area[0] is not None:
        reach = np.maximum(0.3, depth(area[0], points))
    return simulation.goals.add(points, reach, sheets)


def random_goals(
    simulation: Simulation, radius: float, count: int, within: float = math.inf
) -> GoalRange:
    """Return random goals on the whole map, about one per character to avoid crowding.

    There are enough of them for some to be within this distance (m) of any place.
    """
    xmin, ymin, xmax, ymax = simulation.map.bounds
    away = max(within, ARRIVAL)
    discs = (xmax - xmin) * (ymax - ymin) / (math.pi * away * away)
    size = int(min(max(_FEWEST_GOALS, count, _GOALS_WITHIN * discs), _MOST_GOALS))
    known = simulation.random_goals
    if radius not in known or known[radius].size < size // 2:
        rng = simulation.random("goals", len(simulation.goals))
        sheets = None
        if simulation.floors is None:
            points = free_points(simulation.map, size, radius, None, rng, everywhere=True)
        else:
            everywhere = simulation.floors.area(None)
            points, sheets = simulation.floors.free_points(size, radius, everywhere, rng)
        known[radius] = simulation.goals.add(points, sheets=sheets)
    return known[radius]


def forget_unused_goals(simulation: Simulation) -> None:
    """Drop goals that are no longer used: each change of a radius leaves some."""
    characters = simulation.characters
    ranges = {goals for population in simulation.populations for goals in population.ranges}
    simulation.random_goals = {r: g for r, g in simulation.random_goals.items() if g in ranges}
    if not len(simulation.goals):
        return
    slots = characters.slots(characters.ids)
    goals = characters.goal[slots]
    used = np.zeros(len(simulation.goals), bool)
    used[:1] = True  # characters without a goal refer to goal 0
    used[goals] = True
    if simulation.lifts is not None:
        used[simulation.lifts.goals] = True
    for some in ranges:
        used[some.rows] = True
    if 2 * used.sum() > len(used):
        return
    number = simulation.goals.keep(used)
    characters.goal[slots] = number[goals]
    if simulation.lifts is not None:
        simulation.lifts.renumber_goals(number)
    simulation.random_goals = {r: g.renumbered(number) for r, g in simulation.random_goals.items()}
    simulation.populations[:] = [p.renumbered(number) for p in simulation.populations]


# -- checks --------------------------------------------------------------------------------------


def check_clearance(cmap: CorridorMap, what: str, points: Floats, radii: Floats) -> None:
    """Raise BadQuery if a disc does not fit."""
    clearance = cmap.clearance(points)
    tight = np.flatnonzero(clearance < radii)
    if len(tight):
        k = int(tight[0])
        x, y = points[k].tolist()
        reason = describe_misfit(clearance[k], radii[k], "the map")
        free = describe_free_point(cmap, (x, y), float(radii[k])) or "it fits nowhere"
        raise BadQuery(f"{what} {k} at ({x:g}, {y:g}) {reason}; {free}")


def as_places(simulation: Simulation, values: Any, what: str) -> tuple[Floats, Ints | None]:
    """Return points (n, 2) m, and their sheets (n,) in a building."""
    if simulation.floors is None:
        return as_points(values), None
    return simulation.floors.points(values, what)


def check_places(
    simulation: Simulation, what: str, points: Floats, sheets: Ints | None, radii: Floats
) -> None:
    """Raise BadQuery if a disc does not fit."""
    if simulation.floors is None or sheets is None:
        check_clearance(simulation.map, what, points, radii)
    else:
        simulation.floors.check(what, points, sheets, radii)


def check_reachable(
    simulation: Simulation,
    start: Floats,
    radius: float,
    population: Population,
    sheets: Ints | None = None,
) -> None:
    """Raise NoPath if no goal of a stage can be reached from a start."""
    piece = int(simulation.locate(start[None], sheets)[0][0])
    for alternatives in population.stages:
        pieces = [simulation.goals.table.pieces[goals.rows] for goals in alternatives]
        if not are_connected(piece, np.concatenate(pieces), radius, simulation.index).any():
            refuse_goal(simulation, 0, start, alternatives[0].first, radius, sheets)


def refuse_goal(
    simulation: Simulation,
    k: int,
    start: Floats,
    goal: int,
    radius: float,
    sheets: Ints | None = None,
) -> NoReturn:
    """Raise NoPath with the reason why a character cannot reach its goal."""
    message = f"character {k} at ({start[0]:.2f}, {start[1]:.2f}) cannot reach its goal"
    ends: list[Any] = [start, simulation.goals.points[goal]]
    if simulation.floors is not None and sheets is not None:
        names = simulation.floors.names
        on = int(sheets[0]), int(simulation.goals.table.sheets[goal]) - 1
        ends = [(*end.tolist(), names[sheet]) for end, sheet in zip(ends, on, strict=True)]
        message += f" on {simulation.floors.building.layers[on[1]].name}"
    try:
        simulation.map.corridor(*ends, radius=radius)
    except NoPath as error:
        raise NoPath(f"{message}: {error}", reason=error.reason, pinch=error.pinch) from None
    raise NoPath(message, reason="components")
