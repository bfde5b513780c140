"""Move a running crowd to another map, for example after a wall was drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd.free_space import inscribed_balls, nearest_free
from footway.crowd.kernels import layouts as col
from footway.crowd.simulation import Simulation
from footway.crowd.spawning import Source
from footway.crowd.tracks import tracks_of
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor import CorridorMap
    from footway.crowd.populations import Population
    from footway.environment import Environment


_AT_ONCE = 20_000  # paths that are planned at once; the others are queued
_ROUTES = 100  # the same for routes over terrain, which take longer to plan


def prepare(cmap: CorridorMap) -> None:
    """Precompute what a crowd needs of a map; may run in any thread."""
    tracks_of(cmap)
    inscribed_balls(cmap)


def moved(simulation: Simulation, cmap: CorridorMap, environment: Environment | None) -> Simulation:
    """Return the simulation on another map, with the same ids, bodies, clocks and goals.

    Characters and goals inside a wall are moved to the nearest free point. All paths are planned
    again. The edge weights of wanderers belong to the old map and are dropped.
    """
    new = Simulation(
        cmap, seed=simulation.seed, dt=simulation.dt, threads=simulation.threads,
        model=simulation.model, environment=environment,
    )  # fmt: skip
    new.steps, new.next = simulation.steps, simulation.next
    new.arrivals, new.exited = simulation.arrivals, simulation.exited
    styles = _styles(simulation, new)
    new.populations[:] = [_population(p, styles[p.style], new) for p in simulation.populations]
    new.random_goals = dict(simulation.random_goals)
    new.obstacles.all = dict(simulation.obstacles.all)
    new.obstacles.next = simulation.obstacles.next
    ids = simulation.characters.ids
    radii = simulation.characters.radii(simulation.characters.slots(ids))
    widest = float(radii.max(initial=0.25))
    goals = simulation.goals
    free = nearest_free(cmap, goals.points, np.full(len(goals), widest))
    new.goals.add(free, goals.table.reach)
    if len(ids):
        _move_characters(simulation, new, ids, radii)
    for source in simulation.sources:
        rest = slice(source.next, None)
        rows = {name: values[rest] for name, values in source.rows.items()}
        points = nearest_free(cmap, source.points, np.full(len(source.points), widest))
        new.sources.append(
            Source(source.ids[rest], source.times[rest], rows, points, np.full(len(points), -1))
        )
    _plan_paths(simulation, new, ids)
    return new


def _styles(simulation: Simulation, new: Simulation) -> dict[int, int]:
    """Return the numbers of terrain following styles on the new map by their old numbers.

    Kinds of terrain that the new map lacks are dropped. Without an environment, or where the disc
    does not fit, characters follow corridors.
    """
    environment = new.routes.environment
    if environment is None:
        return dict.fromkeys(range(-1, len(simulation.routes.styles)), -1)
    kinds = environment.terrain_kinds
    numbers = {-1: -1}
    for k in sorted({population.style for population in simulation.populations} - {-1}):
        style = simulation.routes.styles[k]
        known = {kind: w for kind, w in style.preferences.items() if kind in kinds}
        try:
            numbers[k] = new.routes.add(style._replace(preferences=known))
        except BadGeometry:  # the disc fits nowhere
            numbers[k] = -1
    return numbers


def _population(population: Population, style: int, new: Simulation) -> Population:
    """Return a population with a profile that can be followed on the new map."""
    profile = population.profile
    if style >= 0:
        profile = replace(profile, preferences=new.routes.styles[style].preferences)
    elif profile.follows != "cmm":
        profile = replace(profile, follow="cmm", preferences={})
    return population._replace(row=0, style=style, profile=profile)


def _move_characters(simulation: Simulation, new: Simulation, ids: Ints, radii: Floats) -> None:
    """Put all characters on the new map, without paths."""
    slots = simulation.characters.slots(ids)
    rows: dict[str, Any] = {
        name: values[slots] for name, values in simulation.characters.state._asdict().items()
    }
    place, cursor = rows["place"], rows["cursor"]
    place[:, :2] = nearest_free(new.map, simulation.characters.position[slots], radii)
    rows["progress"][:] = place[:, :2]
    rows["body"][:, col.WALL_BUDGET] = 0.0
    rows["journey"][:, [col.PATH, col.PATH_SIZE]] = 0
    mode = cursor[:, col.MODE].copy()
    cursor[:] = 0
    cursor[:, col.ID], cursor[:, col.GROUP], cursor[:, col.HALF] = ids, -1, -1
    cursor[:, col.MODE] = np.where((mode == col.WAITING) | (mode == col.STAYING), mode, col.ARRIVED)
    new.append(ids, **rows)


def _plan_paths(simulation: Simulation, new: Simulation, ids: Ints) -> None:
    """Plan paths of all characters to their current goals."""
    characters = new.characters
    grouped = np.concatenate([ids[:0], *(group.ids for group in simulation.groups.all)])
    alone = np.setdiff1d(ids, grouped, assume_unique=True)
    numbers = characters.population[characters.slots(alone)]
    walking = [alone[:0]]
    for k in np.unique(numbers):
        population, some = new.populations[k], alone[numbers == k]
        if population.behaviour == "wander":
            new.planner.start_wandering(some, population)
        else:
            walking.append(some)
    _plan(new, np.concatenate(walking))
    for old in simulation.groups.all:
        group = new.groups.add(old.ids, old.bounds)
        group.arrived = old.arrived
        slots = new.groups.members(group)
        if len(slots):
            new.groups.send(group, new.populations[characters.population[slots[0]]])


def _plan(new: Simulation, ids: Ints) -> None:
    """Plan some paths at once, to bound the pause, and queue the others."""
    characters = new.characters
    ids = ids[characters.mode[characters.slots(ids)] != col.STAYING]
    numbers = characters.population[characters.slots(ids)].tolist()
    has_style = np.array([new.populations[k].style >= 0 for k in numbers], bool)
    for some, most in ((ids[~has_style], _AT_ONCE), (ids[has_style], _ROUTES)):
        if len(some):
            new.planner.plan(some[:most], np.ones(len(some[:most]), bool))
        for number in some[most:].tolist():
            new.planner.request(number, keep_goal=True)
