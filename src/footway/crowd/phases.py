"""Phases of a step besides the motion: spawning, obstacles, requests, planning, groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.capacity import nearest_free
from footway.crowd.kernels.step import WANTS_GOAL
from footway.crowd.obstacles import narrowed, obstacle_cells
from footway.crowd.places import ARRIVAL
from footway.crowd.planning import cost_of
from footway.crowd.simulation import LEADS, SPAWNS
from footway.crowd.spawning import NEVER, enter, let_wander
from footway.crowd.state import (
    ARRIVED,
    BEGIN,
    GOAL,
    GOAL_X,
    GOAL_Y,
    GROUP,
    MODE,
    NO_BLOCKS,
    POPULATION,
    RADIUS,
    SINCE,
    STAGE,
    STAYING,
    UNREACHABLE,
    WAITING,
    WALKING,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.goals import Population
    from footway.crowd.groups import Group
    from footway.crowd.simulation import Simulation
    from footway.crowd.sources import Source

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_TRIES = 16  # goals that are tried for a group
_ROUTE = 400  # cost of planning a route over terrain, in half-edges of paths
_PATH = 4  # cost of a shortest path, in paths
_ELBOW = 0.3  # m around each standing member of a group, so that the last ones find free space


def spawn_due(simulation: Simulation) -> None:
    """Spawn the characters of sources that are due, where there is free space."""
    for number, source in enumerate(simulation.sources):
        count = source.due(simulation.time)
        if count > 0:
            _spawn(simulation, source, count, number)
    simulation.sources = [source for source in simulation.sources if source.next < len(source.ids)]


def _spawn(simulation: Simulation, source: Source, count: int, number: int) -> None:
    engine = simulation.engine
    rng = simulation.random(SPAWNS, number * 1_000_003 + engine.steps)
    points = source.places(count, simulation.discs, simulation.obstacle_discs, rng)
    if not len(points):
        return
    here = slice(source.next, source.next + len(points))
    rows = {name: values[here].copy() for name, values in source.rows.items()}
    rows["story"][:, SINCE] = engine.steps
    begin = rows["story"][:, BEGIN].astype(np.int64) + engine.steps
    rows["story"][:, BEGIN] = np.minimum(begin, NEVER)
    source.next += len(points)
    ids = source.ids[here]
    enter(simulation, ids, points, rows)
    population = simulation.populations[rows["story"][0, POPULATION]]
    if population.behaviour == "wander":
        let_wander(simulation, ids, population)
        return
    hold_until_planned(simulation, ids)
    for character in ids.tolist():
        simulation.planner.request(character, keep_goal=False)


def hold_until_planned(simulation: Simulation, ids: Ints) -> None:
    """Let characters stand until a path is planned; those in premovement keep waiting."""
    track, slots = simulation.engine.state.track, simulation.engine.slot_of[ids]
    track[slots, MODE] = np.where(track[slots, MODE] == WAITING, WAITING, ARRIVED)


def place_obstacles(simulation: Simulation) -> None:
    """Update the obstacles, and request new paths for characters that cannot pass any more."""
    planner = simulation.planner
    before = planner.index.graph.clearance
    if not update_obstacles(simulation, simulation.obstacles.discs(simulation.time)):
        return
    shut = np.flatnonzero(planner.index.graph.clearance < before - 1e-9)
    if not len(shut):
        return
    on_routes = simulation.routes.blocked(planner.index.graph)
    for number in sorted([*planner.using(shut).tolist(), *on_routes]):
        planner.request(number, keep_goal=not _has_alternatives(simulation, number))
    for group in simulation.groups.all:
        _reroute_group(simulation, group, shut)


def _has_alternatives(simulation: Simulation, number: int) -> bool:
    """Return whether a character walks to one of several alternative destinations."""
    population, stage, goal = _journey(simulation, number)
    return len(population.alternatives(stage)) > 1 and population.reaches(stage, goal)


def _journey(simulation: Simulation, number: int) -> tuple[Population, int, int]:
    """Return population, number of destinations reached and place of the goal of a character."""
    story = simulation.engine.state.story[simulation.engine.slot_of[number]]
    return simulation.populations[story[POPULATION]], int(story[STAGE]), int(story[GOAL])


def update_obstacles(simulation: Simulation, discs: Floats) -> bool:
    """Pass the obstacles (n, 5) to the step and the planner; return whether they changed."""
    engine = simulation.engine
    if not simulation.obstacles.changed(discs, engine.box):
        return False
    engine.blocks = obstacle_cells(discs, engine.box, engine.shape) if len(discs) else NO_BLOCKS
    simulation.planner.index = narrowed(simulation.map.solver.index, engine.tracks, discs)
    return True


def handle_requests(simulation: Simulation, requests: NDArray[np.int32]) -> None:
    """Handle the requests of characters after a step, or queue them."""
    engine = simulation.engine
    for number, what in requests.tolist():
        slot = engine.slot_of[number]
        population = simulation.populations[engine.state.story[slot, POPULATION]]
        group = int(engine.state.track[slot, GROUP])
        arrived = what == WANTS_GOAL
        simulation.arrivals += arrived
        if group >= 0:
            _handle_member(simulation, group, slot, population, arrived=arrived)
        elif population.behaviour == "wander":
            let_wander(simulation, np.array([number]), population)
        elif not arrived or _has_next_goal(simulation, number, slot, population):
            simulation.planner.request(number, keep_goal=not arrived)


def _handle_member(
    simulation: Simulation, number: int, slot: int, population: Population, *, arrived: bool
) -> None:
    group = simulation.groups.all[number]
    if not arrived:
        simulation.groups.reattach(group, slot)
    elif simulation.groups.all_arrived(number):
        _regroup(simulation, group, population)


def _has_next_goal(simulation: Simulation, number: int, slot: int, population: Population) -> bool:
    """Return whether an arrived character has another goal; if not, let it stay or leave."""
    story = simulation.engine.state.story
    story[slot, STAGE] += population.reaches(story[slot, STAGE], story[slot, GOAL])
    if population.then == "repeat" or story[slot, STAGE] < len(population.stages):
        return True
    simulation.planner.cancel(number)
    if population.then == "exit":
        _leave(simulation, np.array([number]))
    else:
        simulation.engine.state.track[slot, MODE] = STAYING
    return False


def _leave(simulation: Simulation, ids: Ints) -> None:
    simulation.planner.forget(ids)
    simulation.engine.remove(ids)
    simulation.exited += len(ids)


def remove_characters(simulation: Simulation, ids: Ints) -> None:
    """Remove characters, and cancel their requests."""
    for number in ids.tolist():
        simulation.planner.cancel(number)
    simulation.planner.forget(ids)
    simulation.engine.remove(ids)


def plan_within_budget(simulation: Simulation) -> None:
    """Plan requested paths until the search budget of a step is used up."""
    planner = simulation.planner
    stages = (stage for population in simulation.populations for stage in population.stages)
    has_choices = any(len(alternatives) > 1 for alternatives in stages)

    def request_cost(number: int, keep: bool) -> int:
        return 1 if keep or not has_choices else _choice_cost(simulation, number)

    left, most = planner.budget, float(planner.share)
    while most >= 1.0:
        due = planner.due(most, request_cost)
        if not due:
            return
        ids, keep = np.array([n for n, _ in due]), np.array([k for _, k in due])
        weights = np.array([request_cost(n, k) for n, k in due])
        costs = weights * cost_of(planner.find(simulation.path_requests(ids, keep)))
        costs[simulation.routes.followed(ids)] += _ROUTE
        left -= float(costs.sum())
        most = left * float(weights.sum()) / float(costs.sum())


def _choice_cost(simulation: Simulation, number: int) -> int:
    """Return the cost of a request, in paths; a choice compares shortest paths and costs more."""
    population, stage, _ = _journey(simulation, number)
    choices = len(population.alternatives(stage))
    return 1 if choices == 1 else 1 + _PATH * choices


def _regroup(simulation: Simulation, group: Group, population: Population) -> None:
    """Continue with a group whose members are all at the goal."""
    engine = simulation.engine
    group.arrived += 1
    present = group.ids[engine.slot_of[group.ids] >= 0]
    if population.then == "exit":
        _leave(simulation, present)
    elif population.then == "stay" or population.stages[0][0].size == 1:
        engine.state.track[engine.slot_of[present], MODE] = STAYING
    else:
        send_group(simulation, group, population)


def send_group(simulation: Simulation, group: Group, population: Population) -> None:
    """Give a group a corridor to a random one of its population's goals."""
    engine, pool = simulation.engine, population.stages[0][0]
    rng = simulation.random(LEADS, engine.steps * 1009 + group.number)
    for _ in range(_TRIES):
        goal = simulation.places.located[pool.first + int(rng.integers(pool.size, 1)[0]), :2]
        if _give_corridor(simulation, group, goal):
            return
    engine.state.track[_members(simulation, group), MODE] = UNREACHABLE


def resend_group(simulation: Simulation, group: Group) -> None:
    """Give a walking group a new corridor to its current goal, after its radii have changed."""
    state, slots = simulation.engine.state, _members(simulation, group)
    mode = state.track[slots, MODE].copy()
    going = slots[(mode == WALKING) | (mode == UNREACHABLE)]
    there = slots[mode == ARRIVED]
    if not len(going):
        return
    goals = state.place[going[:1], GOAL_X : GOAL_Y + 1]
    radius = np.full(1, float(state.body[slots, RADIUS].max()))
    state.track[slots, MODE] = ARRIVED
    if not np.isfinite(goals).all():
        send_group(simulation, group, simulation.populations[state.story[going[0], POPULATION]])
    elif not _give_corridor(simulation, group, nearest_free(simulation.map, goals, radius)[0]):
        state.track[slots, MODE] = UNREACHABLE
    state.track[there, MODE] = ARRIVED  # their arrival is counted already


def _give_corridor(simulation: Simulation, group: Group, goal: Floats) -> bool:
    """Give a group a corridor to a goal, around closed edges if possible; False if none."""
    state, slots = simulation.engine.state, _members(simulation, group)
    place, radius = state.place[slots, :2], float(state.body[slots, RADIUS].max())
    # Start at the member nearest to the centre: the centre itself may be in a wall.
    start = place[hypot(*(place - place.mean(axis=0)).T).argmin()]
    for index in (simulation.planner.index, simulation.map.solver.index):
        found = simulation.map.solver.corridor(start, goal, radius, index=index)
        if found.status == 0:
            reach = max(ARRIVAL, (radius + _ELBOW) * math.sqrt(len(slots)))
            simulation.groups.assign_corridor(group, found.balls, goal, reach)
            group.edges = found.halves // 2
            return True
    return False


def _reroute_group(simulation: Simulation, group: Group, shut: Ints) -> None:
    """Give a group another corridor if obstacles close edges of its own."""
    state, slots = simulation.engine.state, _members(simulation, group)
    walking = slots[state.track[slots, MODE] == WALKING]
    if not len(walking):
        return
    clearance = simulation.planner.index.graph.clearance[np.intersect1d(group.edges, shut)]
    if (clearance < state.body[slots, RADIUS].max()).any():
        _give_corridor(simulation, group, state.place[walking[0], GOAL_X : GOAL_Y + 1].copy())


def _members(simulation: Simulation, group: Group) -> NDArray[np.int32]:
    """Return the slots of the present members of a group."""
    slots = simulation.engine.slot_of[group.ids]
    return slots[slots >= 0]
