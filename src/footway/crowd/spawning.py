"""Spawn characters: bodies, start points, goals and first paths."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from footway import validation
from footway._numba.portable_math import cos, sin
from footway.corridor.map import as_points
from footway.crowd import checks
from footway.crowd.capacity import free_place
from footway.crowd.goals import Alternatives, Behaviour, Population, Then
from footway.crowd.kernels.placement import are_connected
from footway.crowd.kernels.planning import FOUND, STATUS, wander_off
from footway.crowd.places import (
    ARRIVAL,
    GoalRange,
    are_too_many,
    check_capacity,
    free_points,
    overlapping,
    scatter,
)
from footway.crowd.profile import PROPERTIES, drawn, mean_and_deviation
from footway.crowd.region import Region
from footway.crowd.simulation import AREAS, GOALS
from footway.crowd.state import (
    BEGIN,
    BODY_COLUMNS,
    FINAL,
    GOAL,
    GROUP,
    HALF,
    ID,
    MODE,
    POPULATION,
    RADIUS,
    REACH,
    SINCE,
    WAITING,
    WALKING,
)
from footway.crowd.terrain_following import FollowingStyle
from footway.crowd.tracks import with_weights
from footway.errors import BadQuery, NoPath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from footway._numba.random_stream import RandomStream
    from footway.crowd.profile import Profile, Spread
    from footway.crowd.simulation import Simulation

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Rows = dict[str, NDArray[Any]]

_FEWEST_GOALS, _MOST_GOALS = (
    1 << 12,
    1 << 18,
)  # limits for the number of random goals that populations share
_GOALS_IN_AREA = 256
NEVER = 2**31 - 1  # a step that is never reached


def check_number(simulation: Simulation, count: int, profile: Profile, area: Any) -> None:
    """Raise BadQuery if far more characters are to be placed than fit."""
    radius, _ = mean_and_deviation(profile.radius)
    region = None if area is None else Region.of(area)
    if are_too_many(simulation.map, count, radius, region):
        check_capacity(simulation.map, count, radius, region, simulation.discs)


def bodies(
    simulation: Simulation, ids: Ints, profile: Profile, premovement: Spread, rng: RandomStream
) -> Rows:
    """Return rows of new characters, without positions and paths."""
    n = len(ids)
    body, track = np.zeros((n, BODY_COLUMNS), np.float32), np.zeros((n, 10), np.int32)
    story = np.zeros((n, 8), np.int32)
    for name, declared in PROPERTIES.items():
        if declared.column is not None:
            body[:, declared.column] = drawn(getattr(profile, name), n, rng)
    body[:, REACH] = ARRIVAL
    delay = checks.premovement(premovement, n, rng)
    track[:, MODE] = np.where(delay > 0.0, WAITING, WALKING)
    track[:, ID], track[:, GROUP], track[:, HALF] = ids, -1, -1
    story[:, POPULATION] = len(simulation.populations)
    story[:, BEGIN] = np.minimum(
        simulation.engine.steps + np.ceil(delay / simulation.dt - 1e-9), NEVER
    )
    story[:, SINCE] = simulation.engine.steps
    return {"body": body, "track": track, "story": story}


def radii_of(rows: Rows) -> Floats:
    """Return the radii of new characters, m. (n,)."""
    return rows["body"][:, RADIUS].astype(np.float64)


def start_points(
    simulation: Simulation, starts: ArrayLike | None, area: Any, radii: Floats, rng: RandomStream
) -> Floats:
    """Return the given start points, checked, or random ones. (n, 2) m."""
    if starts is None:
        region = None if area is None else Region.of(area)
        obstacles = simulation.obstacle_discs
        return scatter(simulation.map, radii, region, simulation.discs, rng, obstacles=obstacles)
    points = as_points(starts)
    if len(points) != len(radii):
        raise BadQuery(f"there are {len(points)} starts for {len(radii)} characters")
    check_clearance(simulation, "start", points, radii)
    inside = np.flatnonzero(overlapping(points, radii, simulation.obstacle_discs))
    if len(inside):
        x, y = points[inside[0]].tolist()
        raise BadQuery(f"start {inside[0]} at ({x:g}, {y:g}) is in an obstacle: move one of them")
    return points


def points_around(
    simulation: Simulation, centre: Floats, radii: Floats, rng: RandomStream
) -> Floats:
    """Return random points around a centre, in the smallest circle with enough space. (n, 2) m."""
    need = math.sqrt(float((radii**2).sum()))
    angle = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    for reach in (1.6 * need, 2.5 * need, 5.0 * need, 10.0 * need, 50.0 * need):
        ring = centre + reach * np.column_stack([cos(angle), sin(angle)])
        try:
            return scatter(
                simulation.map, radii, Region((ring,)), simulation.discs, rng, sight=centre,
                obstacles=simulation.obstacle_discs,
            )  # fmt: skip
        except BadQuery:
            continue
    raise BadQuery(
        f"there is no free space for a group of {len(radii)} around ({centre[0]:g}, {centre[1]:g})"
    )


def check_clearance(simulation: Simulation, what: str, points: Floats, radii: Floats) -> None:
    """Raise BadQuery if a disc does not fit."""
    clearance = simulation.map.clearance(points)
    tight = np.flatnonzero(clearance < radii)
    if len(tight):
        k = int(tight[0])
        x, y = points[k].tolist()
        reason = (
            "is in an obstacle or outside the map"
            if clearance[k] <= 0.0
            else f"has a clearance of {clearance[k]:.3f} m: the character has a radius of "
            f"{radii[k]:g} m"
        )
        raise BadQuery(
            f"{what} {k} at ({x:g}, {y:g}) {reason}; "
            f"{free_place(simulation.map, (x, y), float(radii[k])) or 'it fits nowhere'}"
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
        raise BadQuery("give goals, one for each, or destinations, not both")
    if then == "repeat" and (goals is not None or len(destinations) == 1):
        then = "stay"  # there is no other goal
    style = simulation.routes.number(style_of(profile, behaviour))
    row = 0
    if preference is not None:
        weights = checks.preference(preference, len(simulation.map.edges))
        simulation.engine.tracks, row = with_weights(simulation.engine.tracks, weights)
    stages = _stages(simulation, behaviour, radii, goals, destinations)
    return Population(
        name, behaviour, stages, goals is not None, len(destinations) > 0, simulation.next, then,
        within, row, style, profile,
    )  # fmt: skip


def style_of(profile: Profile, behaviour: Behaviour | Literal["group"]) -> FollowingStyle | None:
    """Return the terrain following style of a profile; None if it follows corridors."""
    style = FollowingStyle.of(profile)
    if style is not None and behaviour != "goals":
        who = "a group" if behaviour == "group" else "a wanderer"
        raise BadQuery(
            f"{who} follows corridors, and a profile with preferences, or one that follows miran "
            "or irm, needs a route to a goal of one's own: take another profile"
        )
    return style


def _stages(
    simulation: Simulation,
    behaviour: Behaviour,
    radii: Floats,
    goals: ArrayLike | None,
    destinations: Sequence[Any],
) -> tuple[Alternatives, ...]:
    """Return the goals of a population, by stage."""
    widest = float(radii.max(initial=0.0)) or 0.25
    if behaviour == "wander":
        return ((GoalRange(0, 1),),)
    if goals is not None:
        points = as_points(goals)
        if len(points) != len(radii):
            raise BadQuery(f"there are {len(points)} goals for {len(radii)} characters")
        check_clearance(simulation, "goal", points, radii)
        return ((simulation.places.add(points),),)
    if len(destinations):
        return tuple(_stage(simulation, d, widest) for d in destinations)
    return ((random_goals(simulation, widest, len(radii)),),)


def _stage(simulation: Simulation, destination: Any, radius: float) -> Alternatives:
    """Return the places of a destination, or of each alternative."""
    choice = checks.as_choice(destination)
    return tuple(_destination(simulation, item, radius) for item in choice or [destination])


def _destination(simulation: Simulation, destination: Any, radius: float) -> GoalRange:
    """Return the places of a point or an area; an area is reached well inside it."""
    point = checks.as_point(destination)
    if point is not None:
        check_clearance(simulation, "destination", point, np.full(1, radius))
        return simulation.places.add(point)
    region = Region.of(destination)
    rng = simulation.random(AREAS, len(simulation.places.pieces))
    points = free_points(simulation.map, _GOALS_IN_AREA, radius, region, rng)
    return simulation.places.add(points, np.maximum(0.3, region.depth(points)))


def random_goals(simulation: Simulation, radius: float, count: int) -> GoalRange:
    """Return random goals on the whole map, about one per character to avoid crowding."""
    size = min(max(_FEWEST_GOALS, count), _MOST_GOALS)
    if radius not in simulation.pools or simulation.pools[radius].size < size // 2:
        rng = simulation.random(GOALS, len(simulation.places.pieces))
        points = free_points(simulation.map, size, radius, None, rng, everywhere=True)
        simulation.pools[radius] = simulation.places.add(points)
    return simulation.pools[radius]


def forget_places(simulation: Simulation) -> None:
    """Drop places that are no longer used: each change of a radius leaves some."""
    pools = {
        pool
        for population in simulation.populations
        for alternatives in population.stages
        for pool in alternatives
    }
    simulation.pools = {radius: pool for radius, pool in simulation.pools.items() if pool in pools}
    if not len(simulation.places.pieces):
        return
    engine = simulation.engine
    slots = engine.slot_of[engine.present]
    goals = engine.state.story[slots, GOAL]
    used = np.zeros(len(simulation.places.pieces), bool)
    used[:1] = True  # characters without a goal refer to place 0
    used[goals] = True
    for pool in pools:
        used[pool.first : pool.first + pool.size] = True
    if 2 * used.sum() > len(used):
        return
    number = simulation.places.keep(used)
    engine.state.story[slots, GOAL] = number[goals]
    simulation.pools = {
        radius: pool.renumbered(number) for radius, pool in simulation.pools.items()
    }
    simulation.populations[:] = [
        population.renumbered(number) for population in simulation.populations
    ]


def enter(simulation: Simulation, ids: Ints, points: Floats, rows: Rows) -> None:
    """Add characters to the simulation."""
    place = np.column_stack([points, np.full((len(ids), 2), np.nan)])
    simulation.engine.append(ids, place=place, anchor=points, **rows)
    simulation.new.append(ids)


def plan_first_paths(
    simulation: Simulation, ids: Ints, population: Population, *, given: bool
) -> None:
    """Plan first paths at once; raise NoPath if a given goal cannot be reached."""
    if population.behaviour == "wander":
        let_wander(simulation, ids, population)
        return
    requests = simulation.path_requests(ids, np.zeros(len(ids), bool))
    found = simulation.planner.find(requests)
    lost = np.flatnonzero(found[:, STATUS] != FOUND)
    if given and len(lost):
        start, radius = _where(simulation, ids[lost[0]])
        _refuse(simulation, int(lost[0]), start, int(requests.pools[lost[0], 0]), radius)
    if given and len(ids):
        check_reachable(simulation, *_where(simulation, ids[0]), population)


def let_wander(simulation: Simulation, ids: Ints, population: Population) -> None:
    """Put wanderers on the nearest edge."""
    engine = simulation.engine
    slots = engine.slot_of[ids]
    engine.state.track[slots, FINAL] = population.row
    wander_off(slots, simulation.seed + engine.steps, engine.state, engine.tracks, engine.index)


def _where(simulation: Simulation, number: int) -> tuple[Floats, float]:
    """Return position and radius of a character."""
    slot = simulation.engine.slot_of[number]
    state = simulation.engine.state
    return state.place[slot, :2], float(state.body[slot, RADIUS])


def check_reachable(
    simulation: Simulation, start: Floats, radius: float, population: Population
) -> None:
    """Raise NoPath if no place of a stage can be reached from a start."""
    piece = int(simulation.map.locate(start[None]).piece[0])
    for alternatives in population.stages:
        pieces = np.concatenate(
            [simulation.places.pieces[p.first : p.first + p.size] for p in alternatives]
        )
        if not are_connected(piece, pieces, radius, simulation.map.solver.index).any():
            _refuse(simulation, 0, start, alternatives[0].first, radius)


def _refuse(simulation: Simulation, k: int, start: Floats, place: int, radius: float) -> NoReturn:
    """Raise NoPath with the reason why a character cannot reach its goal."""
    words = f"character {k} at ({start[0]:.2f}, {start[1]:.2f}) cannot reach its goal"
    try:
        simulation.map.corridor(start, simulation.places.located[place, :2], radius=radius)
    except NoPath as error:
        raise NoPath(f"{words}: {error}", reason=error.reason, pinch=error.pinch) from None
    raise NoPath(words, reason="components")
