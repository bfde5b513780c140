"""Move a running crowd to another map, for example after a wall was drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd import phases, spawning
from footway.crowd.capacity import balls_of, nearest_free
from footway.crowd.simulation import Simulation
from footway.crowd.sources import Source
from footway.crowd.state import (
    ARRIVED,
    GROUP,
    HALF,
    ID,
    MODE,
    POPULATION,
    RADIUS,
    ROOM,
    ROUTE,
    ROUTE_SIZE,
    STAYING,
    WAITING,
)
from footway.crowd.tracks import tracks_of
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.goals import Population
    from footway.environment import Environment

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

GROUND = "ground"  # default kind of terrain; importing it would load Shapely
_AT_ONCE = 20_000  # paths that are planned at once; the others are queued
_ROUTES = 100  # the same for routes over terrain, which take longer to plan


def prepare(cmap: CorridorMap) -> None:
    """Precompute what a crowd needs of a map; may run in any thread."""
    tracks_of(cmap)
    balls_of(cmap)


def moved(simulation: Simulation, cmap: CorridorMap, environment: Environment | None) -> Simulation:
    """Return the simulation on another map, with the same ids, bodies, clocks and goals.

    Characters and goals inside a wall are moved to the nearest free point. All paths are planned
    again. The edge weights of wanderers belong to the old map and are dropped.
    """
    new = Simulation(
        cmap, seed=simulation.seed, dt=simulation.dt, threads=simulation.engine.threads,
        avoidance=simulation.avoidance, environment=environment,
    )  # fmt: skip
    new.engine.steps = simulation.engine.steps
    new.next, new.arrivals, new.exited = simulation.next, simulation.arrivals, simulation.exited
    styles = _styles(simulation, new)
    new.populations[:] = [_population(p, styles[p.style], new) for p in simulation.populations]
    new.pools = dict(simulation.pools)
    new.obstacles.all = dict(simulation.obstacles.all)
    new.obstacles.next = simulation.obstacles.next
    ids = simulation.engine.present
    radii = simulation.engine.state.body[simulation.engine.slot_of[ids], RADIUS].astype(np.float64)
    widest = float(radii.max(initial=0.25))
    points = simulation.places.located[:, :2]
    free = nearest_free(cmap, points, np.full(len(points), widest))
    new.places.add(free, simulation.places.reach.astype(np.float64))
    _move_bodies(simulation, new, ids, radii)
    _move_sources(simulation, new, widest)
    _plan_paths(simulation, new, ids)
    return new


def _styles(simulation: Simulation, new: Simulation) -> dict[int, int]:
    """Return the numbers of terrain following styles on the new map by their old numbers.

    Kinds of terrain that the new map lacks are dropped. Without an environment, or where the disc
    does not fit, characters follow corridors.
    """
    ground = new.routes.environment
    if ground is None:
        return dict.fromkeys(range(-1, len(simulation.routes.styles)), -1)
    kinds = {GROUND} | {region.kind for region in ground.terrain}
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


def _move_bodies(simulation: Simulation, new: Simulation, ids: Ints, radii: Floats) -> None:
    """Put all characters on the new map, without paths."""
    rows: dict[str, Any] = {
        name: values[simulation.engine.slot_of[ids]].copy()
        for name, values in simulation.engine.state._asdict().items()
    }
    place, track = rows["place"], rows["track"]
    place[:, :2] = nearest_free(new.map, np.ascontiguousarray(place[:, :2]), radii)
    rows["anchor"][:] = place[:, :2]
    rows["body"][:, ROOM] = 0.0
    rows["story"][:, [ROUTE, ROUTE_SIZE]] = 0
    mode = track[:, MODE].copy()
    track[:] = 0
    track[:, ID], track[:, GROUP], track[:, HALF] = ids, -1, -1
    track[:, MODE] = np.where((mode == WAITING) | (mode == STAYING), mode, ARRIVED)
    if len(ids):
        new.engine.append(ids, **rows)


def _move_sources(simulation: Simulation, new: Simulation, radius: float) -> None:
    """Move the sources to the new map."""
    for source in simulation.sources:
        rest = slice(source.next, None)
        rows = {name: values[rest] for name, values in source.rows.items()}
        points = nearest_free(new.map, source.points, np.full(len(source.points), radius))
        new.sources.append(Source(source.ids[rest], source.times[rest], rows, points))


def _plan_paths(simulation: Simulation, new: Simulation, ids: Ints) -> None:
    """Plan paths of all characters to their current goals."""
    grouped = np.concatenate([ids[:0], *(group.ids for group in simulation.groups.all)])
    alone = np.setdiff1d(ids, grouped, assume_unique=True)
    which = new.engine.state.story[new.engine.slot_of[alone], POPULATION]
    walking = [alone[:0]]
    for k in np.unique(which):
        population, some = new.populations[k], alone[which == k]
        if population.behaviour == "wander":
            spawning.let_wander(new, some, population)
        else:
            walking.append(some)
    _plan(new, np.concatenate(walking))
    for old in simulation.groups.all:
        group = new.groups.add(old.ids, old.bounds)
        group.arrived = old.arrived
        present = group.ids[new.engine.slot_of[group.ids] >= 0]
        if len(present):
            population = new.engine.state.story[new.engine.slot_of[present[0]], POPULATION]
            phases.send_group(new, group, new.populations[population])


def _plan(new: Simulation, ids: Ints) -> None:
    """Plan some paths at once, to bound the pause, and queue the others."""
    mode = new.engine.state.track[new.engine.slot_of[ids], MODE]
    ids = ids[mode != STAYING]
    whose = new.engine.state.story[new.engine.slot_of[ids], POPULATION].tolist()
    guided = np.array([new.populations[k].style >= 0 for k in whose], bool)
    for some, most in ((ids[~guided], _AT_ONCE), (ids[guided], _ROUTES)):
        if len(some):
            new.planner.find(new.path_requests(some[:most], np.ones(len(some[:most]), bool)))
        for number in some[most:].tolist():
            new.planner.request(number, keep_goal=True)
