"""Move a running crowd to another map, for example after a wall was drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd.floors_change import move_passengers, sheets_after
from footway.crowd.free_space import inscribed_balls
from footway.crowd.kernels import layouts as col
from footway.crowd.simulation import Simulation
from footway.crowd.spawning import Source
from footway.crowd.tracks import tracks_of
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor import CorridorMap
    from footway.crowd.floors_change import Sheets
    from footway.crowd.obstacles import Obstacle
    from footway.crowd.populations import Population
    from footway.environment import Environment


_AT_ONCE = 20_000  # paths that are planned at once; the others are queued
_ROUTES = 100  # the same for routes over terrain, which take longer to plan


def prepare(cmap: CorridorMap) -> None:
    """Precompute what a crowd needs of a map; may run in any thread."""
    tracks_of(cmap)
    if not hasattr(cmap, "building"):
        inscribed_balls(cmap)


def moved(simulation: Simulation, cmap: CorridorMap, environment: Environment | None) -> Simulation:
    """Return the simulation on another map, with the same ids, bodies, clocks and goals.

    Characters and goals inside a wall are moved to the nearest free point. All paths are planned
    again. The edge weights of wanderers belong to the old map and are dropped. In a building floors
    and links are known by their names (see `floors_change`); those that are new may have other
    walls, heights and speeds.

    Raises:
        BadQuery: one of the maps is that of a building, the other is not.

    """
    new = Simulation(
        cmap, seed=simulation.seed, dt=simulation.dt, threads=simulation.threads,
        model=simulation.model, environment=environment,
    )  # fmt: skip
    sheets = sheets_after(simulation, new)
    new.steps, new.next = simulation.steps, simulation.next
    new.arrivals, new.exited = simulation.arrivals, simulation.exited
    styles = _styles(simulation, new)
    new.populations[:] = [_population(p, styles[p.style], new) for p in simulation.populations]
    new.random_goals = dict(simulation.random_goals)
    new.obstacles.all = _obstacles(simulation, sheets)
    new.obstacles.next = simulation.obstacles.next
    ids = simulation.characters.ids
    radii = simulation.characters.radii(simulation.characters.slots(ids))
    widest = float(radii.max(initial=0.25))
    goals = simulation.goals
    free, on = _places(new, sheets, goals.points, goals.sheets, np.full(len(goals), widest))
    new.goals.add(free, goals.table.reach, None if sheets is None else on)
    inside, behind = (ids[:0], {}) if sheets is None else move_passengers(simulation, new, sheets)
    if simulation.floors is not None and new.floors is not None:
        links = {link.name for link in new.floors.building.links}
        new.floors.closures = [one for one in simulation.floors.closures if one.link in links]
        new.floors.close_links(new, send=False)
    if len(ids):
        _move_characters(simulation, new, ids, radii, sheets, behind)
    for source in simulation.sources:
        rest = slice(source.next, None)
        rows = {name: values[rest] for name, values in source.rows.items()}
        radii = np.full(len(source.points), widest)
        points, there = _places(new, sheets, source.points, source.sheets, radii)
        new.sources.append(Source(source.ids[rest], source.times[rest], rows, points, there))
    _plan_paths(simulation, new, np.setdiff1d(ids, inside, assume_unique=True))
    return new


def _places(
    new: Simulation,
    sheets: Sheets | None,
    points: Floats,
    on: Ints,
    radii: Floats,
    *,
    shut: bool = False,
) -> tuple[Floats, Ints]:
    """Return the nearest free points of the new map, and their sheets in a building."""
    if sheets is not None:
        points, on = sheets.places(points, on)
    return new.nearest_free(points, on, radii, shut=shut)


def _obstacles(simulation: Simulation, sheets: Sheets | None) -> dict[int, Obstacle]:
    """Return the obstacles by number, without those on floors and links that are gone."""
    known = simulation.obstacles.all
    if sheets is None:
        return dict(known)
    found = {k: replace(o, sheet=int(sheets.new[o.sheet])) for k, o in known.items()}
    return {k: o for k, o in found.items() if o.sheet >= 0}


def _styles(simulation: Simulation, new: Simulation) -> dict[int, int]:
    """Return the numbers of terrain following styles on the new map by their old numbers.

    Kinds of terrain that the new map lacks are dropped. Without an environment, or where the disc
    does not fit, characters follow corridors.
    """
    environment = new.routes.environment
    if new.floors is not None:
        plans = [floor.environment for floor in new.floors.building.floors]
        kinds = {kind for plan in plans for kind in plan.terrain_kinds}
    elif environment is None:
        return dict.fromkeys(range(-1, len(simulation.routes.styles)), -1)
    else:
        kinds = set(environment.terrain_kinds)
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


def _move_characters(
    simulation: Simulation,
    new: Simulation,
    ids: Ints,
    radii: Floats,
    sheets: Sheets | None,
    behind: dict[int, int],
) -> None:
    """Put all characters on the new map, without paths; `behind` are goals behind lifts, by id."""
    slots = simulation.characters.slots(ids)
    rows: dict[str, Any] = {
        name: values[slots] for name, values in simulation.characters.state._asdict().items()
    }
    place, cursor = rows["place"], rows["cursor"]
    before, on = simulation.characters.position[slots], simulation.sheets_of(slots)
    place[:, :2], on = _places(new, sheets, before, on, radii, shut=True)
    if sheets is not None:
        rows["sheet"][:, col.SHEET] = on + 1
        _move_goals(rows, new, sheets, ids, behind)
    rows["progress"][:] = place[:, :2]
    rows["body"][:, col.WALL_BUDGET] = 0.0
    rows["journey"][:, [col.PATH, col.PATH_SIZE]] = 0
    mode = cursor[:, col.MODE].copy()
    cursor[:] = 0
    cursor[:, col.ID], cursor[:, col.GROUP], cursor[:, col.HALF] = ids, -1, -1
    cursor[:, col.MODE] = np.where((mode == col.WAITING) | (mode == col.STAYING), mode, col.ARRIVED)
    new.append(ids, **rows)


def _move_goals(
    rows: dict[str, Any], new: Simulation, sheets: Sheets, ids: Ints, behind: dict[int, int]
) -> None:
    """Move the sheets of goals; those who were to use a lift get their goal behind it."""
    journey, place, sheet = rows["journey"], rows["place"], rows["sheet"]
    has_goal = sheet[:, col.GOAL_SHEET] > 0
    now = sheets.new[sheet[has_goal, col.GOAL_SHEET] - 1]
    sheet[has_goal, col.GOAL_SHEET] = now + 1
    for number, goal in behind.items():
        row = int(np.searchsorted(ids, number))
        journey[row, col.GOAL] = goal
        place[row, col.GOAL_X : col.GOAL_Y + 1] = new.goals.points[goal]
        sheet[row, col.GOAL_SHEET] = new.goals.sheets[goal] + 1


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
