"""Change the profile of a population during the simulation, including its sources.

    check everything --> bodies --> positions where they fit --> new paths where needed

Values that were drawn for a character stay unless their distribution changes. Then each character
keeps its deviation from the mean, if both distributions have one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway.crowd import populations
from footway.crowd.free_space import apart, fits_somewhere
from footway.crowd.groups import check_bounds
from footway.crowd.kernels.layouts import RADIUS, STAYING, UNREACHABLE
from footway.crowd.profile import PROPERTIES, drawn, greatest, mean_and_deviation
from footway.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.crowd.groups import Group
    from footway.crowd.populations import GoalRange, Population
    from footway.crowd.profile import Profile, Spread
    from footway.crowd.simulation import Simulation

    Flags = NDArray[np.bool_]

_VARYING = [name for name, declared in PROPERTIES.items() if declared.varies]  # drawn at random
_TAIL = 2.0 + 1e-3  # greatest deviation of drawn values from the mean, in deviations
_AT_ONCE = 2000  # paths that are planned at once; the others are queued


class _Change(NamedTuple):
    """A checked change."""

    number: int  # of the population
    ids: Ints  # (n,) of the characters present
    bodies: dict[int, Floats]  # values of all ids, by column of the body
    narrowest: float  # m, least radius before the change
    widest: float  # m, greatest radius that the new profile allows
    is_wider: bool  # whether a radius grows
    population: Population  # after the change


def set_profile(
    simulation: Simulation, number: int, profile: Profile, *, names_speed: bool = False
) -> None:
    """Set the profile of a population; if this raises, nothing has changed.

    With `names_speed`, the speed also replaces speeds that were set by `set_speed`.

    Raises:
        BadQuery: the disc fits nowhere, or the profile does not suit the behaviour.
        BadInput: the map lacks a kind of terrain.

    """
    change = _checked(simulation, number, profile, names_speed=names_speed)
    before = simulation.populations[number]
    slots = simulation.characters.slots(change.ids)
    _change_bodies(simulation, change, slots)
    _change_sources(simulation, change)
    has_new_size = RADIUS in change.bodies
    moved = np.zeros(len(slots), bool)
    if has_new_size:
        moved = _move_to_free_points(simulation, change, slots)
    simulation.populations[number] = change.population
    groups = _groups_of(simulation, change.ids)
    if change.population.behaviour == "wander":
        if has_new_size and len(slots):
            simulation.planner.start_wandering(change.ids, change.population)
    elif not groups:
        _plan_paths(simulation, change, before, moved)
    for group in groups if has_new_size else ():
        simulation.groups.send_again(group)
    if has_new_size:
        populations.forget_unused_goals(simulation)


# -- checks before any change ----------------------------------------------------------------


def _checked(
    simulation: Simulation, number: int, profile: Profile, *, names_speed: bool
) -> _Change:
    """Check everything that can be refused, and return the change."""
    before, ids = simulation.populations[number], simulation.characters.members(number)
    groups = _groups_of(simulation, ids)
    style = populations.style_of(profile, "group" if groups else before.behaviour)
    bodies = _bodies(simulation, number, ids, profile, names_speed=names_speed)
    widest = greatest(profile.radius)
    is_wider = _is_wider(simulation, ids, bodies, before.profile, profile)
    if is_wider:
        _check_space(simulation, ids, bodies, widest)
    for group in groups if RADIUS in bodies else ():
        width, area, longitudinal = (b if np.isfinite(b) else None for b in group.bounds)
        check_bounds(width, area, None, longitudinal, bodies[RADIUS][group.ids])  # may raise
    after = before._replace(profile=profile, style=simulation.routes.number(style))
    if is_wider and after.has_random_goals and not groups:
        count = max(len(ids), 1)
        goals = populations.random_goals(simulation, widest, count, after.within)  # may raise
        after = after._replace(stages=((goals,),))
    radii = simulation.characters.radius[simulation.characters.slots(ids)]
    narrowest = float(radii.min(initial=np.inf))
    return _Change(number, ids, bodies, narrowest, widest, is_wider, after)


def _check_space(
    simulation: Simulation, ids: Ints, bodies: dict[int, Floats], widest: float
) -> None:
    """Raise BadQuery if a disc fits nowhere, or not into the lift in which a character rides."""
    floors, characters = simulation.floors, simulation.characters
    fits = (
        fits_somewhere(simulation.map, widest)
        if floors is None
        else floors.space.fits_somewhere(widest)
    )
    if not fits:
        raise BadQuery(f"the radius is {widest:g} m: a disc of this size fits nowhere on the map")
    if floors is None or not floors.shafts:
        return
    slots = characters.slots(ids)
    sheets = simulation.sheets_of(slots)
    lost = floors.space.does_not_fit(characters.position[slots], sheets, bodies[RADIUS][ids])
    if lost.any():
        k = int(np.flatnonzero(lost)[0])
        raise BadQuery(
            f"character {int(ids[k])} with a radius of {bodies[RADIUS][ids[k]]:g} m does not fit "
            f"into the lift {floors.names[sheets[k]]!r}, in which it is: change the radius later"
        )


def _bodies(
    simulation: Simulation, number: int, ids: Ints, profile: Profile, *, names_speed: bool
) -> dict[int, Floats]:
    """Return new values for every id of the crowd, by the columns that change."""
    found: dict[int, Floats] = {}
    known = simulation.populations[number].profile
    for name, declared in PROPERTIES.items():
        column, before, after = declared.column, getattr(known, name), getattr(profile, name)
        if column is None or (before == after and not (names_speed and name == "speed")):
            continue
        if name not in _VARYING:
            found[column] = np.full(simulation.next, after)
            continue
        rng = simulation.random("changes", number * len(_VARYING) + _VARYING.index(name))
        values = found[column] = drawn(after, simulation.next, rng)
        for some, old in _old_values(simulation, number, ids, column):
            _keep_order(values, some, old, before, after)
    return found


def _old_values(
    simulation: Simulation, number: int, ids: Ints, column: int
) -> Iterator[tuple[Ints, NDArray[Any]]]:
    """Yield ids and values of a body column: of sources, then of the characters present."""
    for source in simulation.sources:
        if source.population == number:
            yield source.ids, source.rows["body"][:, column]
    yield ids, simulation.characters.state.body[simulation.characters.slots(ids), column]


def _keep_order(
    values: Floats, ids: Ints, old: NDArray[Any], before: Spread, after: Spread
) -> None:
    """Keep the deviation of each character from the mean, in deviations."""
    mean, deviation = mean_and_deviation(before)
    if deviation == 0.0:
        return
    away = (old.astype(np.float64) - mean) / deviation
    usual = np.abs(away) <= _TAIL  # others were set by `set_speed`
    mean, deviation = mean_and_deviation(after)
    values[ids[usual]] = mean + deviation * np.clip(away[usual], -2.0, 2.0)


def _is_wider(
    simulation: Simulation, ids: Ints, bodies: dict[int, Floats], before: Profile, after: Profile
) -> bool:
    """Return whether the radius of a character, present or yet to spawn, may grow."""
    if RADIUS not in bodies:
        return False
    radii = simulation.characters.radius[simulation.characters.slots(ids)]
    grown = bodies[RADIUS][ids].astype(np.float32) > radii
    return bool(grown.any()) or greatest(after.radius) > greatest(before.radius)


def _groups_of(simulation: Simulation, ids: Ints) -> list[Group]:
    """Return the groups of these characters."""
    numbers = np.unique(simulation.characters.group[simulation.characters.slots(ids)])
    return [simulation.groups.all[k] for k in numbers.tolist() if k >= 0]


# -- bodies and positions --------------------------------------------------------------------


def _change_bodies(simulation: Simulation, change: _Change, slots: NDArray[np.int32]) -> None:
    for column, values in change.bodies.items():
        simulation.characters.set_body(slots, column, values[change.ids])
    simulation.fit_to(slots)


def _change_sources(simulation: Simulation, change: _Change) -> None:
    """Change the bodies of characters yet to spawn, and keep start points where they fit."""
    for source in simulation.sources:
        if source.population != change.number:
            continue
        for column, values in change.bodies.items():
            source.rows["body"][:, column] = values[source.ids]
        if change.is_wider:
            fits = simulation.clearances(source.points, source.sheets) >= change.widest
            radii = np.full(len(source.points), change.widest)
            source.points, source.sheets = (
                (source.points[fits], source.sheets[fits])
                if fits.any()
                else simulation.nearest_free(source.points, source.sheets, radii)
            )


def _move_to_free_points(
    simulation: Simulation, change: _Change, slots: NDArray[np.int32]
) -> Flags:
    """Move characters that overlap a wall to the nearest free point; return which. (n,)."""
    characters = simulation.characters
    characters.wall_budget[slots] = 0.0  # the distance to the nearest wall has to be measured again
    if not change.is_wider:
        return np.zeros(len(slots), bool)
    before, on = characters.position[slots], simulation.sheets_of(slots)
    places, sheets = simulation.nearest_free(before, on, characters.radii(slots), shut=True)
    moved: Flags = (places != before).any(axis=1) | (sheets != on)
    radii = characters.radii(slots[moved])
    if simulation.floors is None:
        places[moved] = apart(simulation.map, places[moved], radii)
    else:
        places[moved] = simulation.floors.space.apart(places[moved], sheets[moved], radii)
    characters.move_to(slots[moved], places[moved])
    characters.sheet[slots[moved]] = sheets[moved] + 1
    return moved


# -- goals and paths -------------------------------------------------------------------------


def _plan_paths(simulation: Simulation, change: _Change, before: Population, moved: Flags) -> None:
    """Plan new paths where needed: some at once, the others are queued."""
    ids, characters = change.ids, simulation.characters
    slots = characters.slots(ids)
    if change.is_wider and simulation.lifts is not None:
        simulation.lifts.make_space(ids)
    legs = simulation.routes.end_legs(slots) if change.is_wider else False
    redirected = _move_goals(simulation, change, slots) if change.is_wider else False
    if change.is_wider and simulation.lifts is not None:
        simulation.lifts.find_space(ids)
    lost = (characters.mode[slots] == UNREACHABLE) | redirected | legs
    if change.is_wider:
        # Not below `narrowest`: paths begin and end on edges into corners that never fitted.
        clearance = simulation.planner.index.graph.clearance
        shut = np.flatnonzero((clearance >= change.narrowest) & (clearance < change.widest))
        lost |= np.isin(ids, simulation.planner.users_of(shut))
    if change.population.style == before.style and not (lost | moved).any():
        return
    keep = _keeps_goal(simulation, simulation.populations[change.number], slots, lost)
    staying = characters.mode[slots] == STAYING
    waiting, lost = ~staying & ~lost, lost & ~staying
    _plan_now(simulation, ids[lost], keep[lost])
    if change.population.style == before.style:
        waiting &= moved
    _request_paths(simulation, ids[waiting], keep[waiting])


def _keeps_goal(
    simulation: Simulation, population: Population, slots: NDArray[np.int32], lost: Flags
) -> Flags:
    """Return which characters keep their goal; the others get another one. (n,)."""
    characters = simulation.characters
    keep: Flags = np.isfinite(characters.goal_point[slots, 0])
    if population.has_random_goals:
        keep &= ~lost
    elif population.has_destinations:
        keep &= ~(lost & _is_destination(characters.goal[slots], population))
    return keep


def _is_destination(goals: NDArray[np.int32], population: Population) -> Flags:
    """Return which goals belong to a population's destinations. (n,)."""
    found = np.zeros(len(goals), bool)
    for some in population.ranges:
        found |= (goals >= some.first) & (goals < some.first + some.size)
    return found


def _plan_now(simulation: Simulation, ids: Ints, keep: Flags) -> None:
    """Replace paths that no longer fit; characters beyond the first stand until planned."""
    simulation.characters.hold_until_planned(ids)
    if len(ids):
        simulation.planner.plan(ids[:_AT_ONCE], keep[:_AT_ONCE])
    _request_paths(simulation, ids[_AT_ONCE:], keep[_AT_ONCE:])


def _request_paths(simulation: Simulation, ids: Ints, keep: Flags) -> None:
    for number, keeps in zip(ids.tolist(), keep.tolist(), strict=True):
        simulation.planner.request(number, keep_goal=keeps)


def _move_goals(simulation: Simulation, change: _Change, slots: NDArray[np.int32]) -> Flags:
    """Move goals to where the widest fits; return whose goal changed or does not fit. (n,)."""
    population, characters = change.population, simulation.characters
    if population.has_random_goals:
        return _is_tight(simulation, slots)
    before = characters.goal[slots].copy()
    stages = tuple(
        tuple(_move_range(simulation, goals, change, slots) for goals in alternatives)
        for alternatives in population.stages
    )
    simulation.populations[change.number] = population._replace(stages=stages)
    _send_elsewhere(simulation, slots)
    changed: Flags = characters.goal[slots] != before
    return changed


def _move_range(
    simulation: Simulation, goals: GoalRange, change: _Change, slots: NDArray[np.int32]
) -> GoalRange:
    """Return goals of a destination where the widest fits, and redirect characters to them."""
    table = simulation.goals
    points, reach = table.points[goals.rows].copy(), table.table.reach[goals.rows]
    sheets = table.sheets[goals.rows]
    tight = simulation.clearances(points, sheets) < change.widest
    if not tight.any():
        return goals
    wide, there = points[~tight], sheets[~tight]
    if len(wide) and not change.population.has_own_goals:
        chosen = np.arange(tight.sum()) % len(wide)
        points[tight], sheets[tight] = wide[chosen], there[chosen]
    else:
        radii = np.full(len(points), change.widest)
        points, sheets = simulation.nearest_free(points, sheets, radii)
    on = None if simulation.floors is None else sheets
    made = table.add(points, reach.astype(np.float64), on)
    characters = simulation.characters
    current = characters.goal[slots]
    mine = slots[(current >= goals.first) & (current < goals.first + goals.size)]
    changed = characters.goal[mine] + made.first - goals.first
    _set_goals(simulation, mine, changed)
    if simulation.lifts is not None:
        simulation.lifts.move_goals(change.ids, goals, made.first)
    return made


def _set_goals(simulation: Simulation, slots: NDArray[np.int32], goals: Ints) -> None:
    """Set the goals (n,) of characters (n,), numbers in the table."""
    characters, table = simulation.characters, simulation.goals
    characters.set_goals(slots, goals, table.points[goals])
    characters.goal_sheet[slots] = table.table.sheets[goals]


def _send_elsewhere(simulation: Simulation, slots: NDArray[np.int32]) -> None:
    """Move goals from `set_goals` that are too tight to the nearest free point."""
    characters = simulation.characters
    mine = slots[_is_tight(simulation, slots)]
    if len(mine):
        sheets = characters.goal_sheet[mine].astype(np.int64) - 1
        free, sheets = simulation.nearest_free(
            characters.goal_point[mine], sheets, characters.radii(mine)
        )
        first = simulation.goals.add(
            free, sheets=None if simulation.floors is None else sheets
        ).first
        _set_goals(simulation, mine, first + np.arange(len(mine)))


def _is_tight(simulation: Simulation, slots: NDArray[np.int32]) -> Flags:
    """Return which characters do not fit at their goal. (n,)."""
    characters = simulation.characters
    goals: Any = characters.goal_point[slots]
    tight = np.isfinite(goals[:, 0])
    if simulation.lifts is not None:  # their places at the lift are not their goals
        tight &= ~simulation.lifts.is_under_way(characters.id[slots])
    on = characters.goal_sheet[slots[tight]].astype(np.int64) - 1
    tight[tight] = simulation.clearances(goals[tight], on) < characters.radius[slots[tight]]
    found: Flags = tight
    return found
