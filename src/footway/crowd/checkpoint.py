"""Checkpoints: a crowd as arrays and JSON in one file, no pickle. See `checkpoint_schema`."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import archive, validation
from footway.crowd.checkpoint_schema import (
    KIND,
    check_arrays,
    check_facts,
    check_groups,
    require,
    split,
)
from footway.crowd.groups import Bounds
from footway.crowd.obstacles import Obstacle
from footway.crowd.phases import update_obstacles
from footway.crowd.places import GoalRange
from footway.crowd.simulation import Simulation
from footway.crowd.sources import Source
from footway.crowd.state import (
    AT,
    BEGIN,
    BODY_COLUMNS,
    END,
    FINAL,
    GONE,
    GROUP,
    GUIDED,
    HALF,
    ID,
    LEFT,
    MODE,
    NEXT,
    POPULATION,
    ROUTE,
    ROUTE_SIZE,
    WAITING,
    WALKING,
    State,
)
from footway.crowd.terrain_following import FollowingStyle
from footway.errors import BadFile, BadInput

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.goals import Population
    from footway.environment import Environment

    Arrays = dict[str, NDArray[Any]]

SUFFIX = ".npz"
_SMALLEST = 3  # log2 of the smallest block of the path pool
_POOL = 1 << 12  # half-edges, least capacity of the path pool


def check_name(file: str | PathLike[str]) -> Path:
    """Return the file's path; raise BadInput unless it ends in .npz."""
    path = validation.file(file)
    if path.suffix.lower() != SUFFIX:
        raise BadInput(f"{path}: the name of a checkpoint must end in {SUFFIX}")
    return path


# -- writing -----------------------------------------------------------------------------------


def save(simulation: Simulation, file: str | PathLike[str]) -> None:
    """Write a checkpoint atomically."""
    path = check_name(file)
    arrays = _characters(simulation) | _parts(simulation) | simulation.routes.arrays()
    archive.write(path, KIND, _facts(simulation), arrays)


def _characters(simulation: Simulation) -> Arrays:
    """Return characters and their paths, independent of the memory layout."""
    engine = simulation.engine
    arrays: Arrays = {name: a[: engine.n].copy() for name, a in engine.state._asdict().items()}
    track, story = arrays["track"], arrays["story"]
    gone = track[:, MODE] == GONE
    track[gone] = story[gone] = 0
    track[gone, HALF] = track[gone, GROUP] = -1
    arrays["routes"] = engine.pool[_runs(track[:, NEXT], np.maximum(track[:, LEFT], 0))]
    track[:, NEXT] = story[:, ROUTE] = 0
    story[:, ROUTE_SIZE] = story[:, ROUTE_SIZE] > 0
    track[track[:, LEFT] == GUIDED, FINAL] = 0
    grouped = track[:, GROUP] >= 0
    first = np.array([group.samples[0] for group in simulation.groups.all], np.int32)
    track[grouped, AT] -= first[track[grouped, GROUP]]
    track[grouped, HALF] = track[grouped, END] = track[grouped, FINAL] = 0
    return arrays


def _runs(first: NDArray[Any], count: NDArray[Any]) -> NDArray[np.int64]:
    """Return the concatenated ranges first[k] to first[k] + count[k] - 1."""
    count = count.astype(np.int64)
    before = np.cumsum(count) - count
    return np.repeat(first - before, count) + np.arange(count.sum())


def _parts(simulation: Simulation) -> Arrays:
    """Return places, groups, sources, obstacles and the queue of path requests."""
    groups, sources, places = simulation.groups.all, simulation.sources, simulation.places
    waiting = simulation.planner.waiting
    rest = [slice(source.next, None) for source in sources]
    of_sources: dict[str, Any] = {
        "ids": [source.ids[r] for source, r in zip(sources, rest, strict=True)],
        "times": [source.times[r] for source, r in zip(sources, rest, strict=True)],
        "begin": [s.rows["story"][r, BEGIN] for s, r in zip(sources, rest, strict=True)],
        "waits": [s.rows["track"][r, MODE] == WAITING for s, r in zip(sources, rest, strict=True)],
        "body": [s.rows["body"][r] for s, r in zip(sources, rest, strict=True)],
        "points": [source.points for source in sources],
    }
    joined = {
        "group_ids": [group.ids for group in groups],
        "group_balls": [group.backbone for group in groups],
        "group_edges": [group.edges for group in groups],
        **{f"source_{name}": parts for name, parts in of_sources.items()},
    }
    empty = {"group_balls": (0, 3), "source_body": (0, BODY_COLUMNS), "source_points": (0, 2)}
    return {
        "points": places.located[:, :2],
        "reach": places.reach,
        "weights": simulation.engine.tracks.weights,
        "queue": np.array([number for number, _ in waiting], np.int64),
        "keep": np.array([keep for _, keep in waiting], bool),
        "seen": simulation.obstacles.seen,
        "group_sizes": np.array(
            [(len(g.ids), len(g.backbone), len(g.edges)) for g in groups], np.int64
        ).reshape(-1, 3),
        "source_sizes": np.array(
            [
                (len(i), len(p))
                for i, p in zip(of_sources["ids"], of_sources["points"], strict=True)
            ],
            np.int64,
        ).reshape(-1, 2),
        **{
            name: np.concatenate(parts) if parts else np.empty(empty.get(name, 0))
            for name, parts in joined.items()
        },
    }


def _facts(simulation: Simulation) -> dict[str, Any]:
    engine = simulation.engine
    return {
        "map": _fingerprint(simulation.map),
        "edges": len(simulation.map.edges),
        "seed": simulation.seed,
        "step": simulation.dt,
        "avoidance": simulation.avoidance,
        "steps": engine.steps,
        "next": simulation.next,
        "arrivals": int(simulation.arrivals),
        "exited": int(simulation.exited),
        "widest": engine.widest,
        "close": float(engine.model[2]),
        "populations": [p.to_list() for p in simulation.populations],
        "manners": [list(style) for style in simulation.routes.styles],
        "pools": [[radius, *pool] for radius, pool in simulation.pools.items()],
        "groups": [[list(g.bounds), g.arrived] for g in simulation.groups.all],
        "obstacles": [[k, asdict(o)] for k, o in simulation.obstacles.all.items()],
        "next_obstacle": simulation.obstacles.next,
        "sources": [source.population for source in simulation.sources],
    }


def _fingerprint(cmap: CorridorMap) -> str:
    """Return a hash of the medial axis, which identifies the map independent of its name."""
    digest = hashlib.sha256()
    for name, rows in cmap.solver.index.axis._asdict().items():
        array = np.ascontiguousarray(rows)
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


# -- reading -----------------------------------------------------------------------------------


def load(
    file: str | PathLike[str],
    cmap: CorridorMap,
    *,
    threads: int,
    environment: Environment | None = None,
) -> Simulation:
    """Read a checkpoint; raise BadFile if it does not match the map."""
    with archive.reading(file, KIND) as (facts, arrays):
        if facts["map"] != _fingerprint(cmap):
            raise BadFile(
                f"was made on another map ({facts['edges']} edges, this one has "
                f"{len(cmap.edges)}): give the same map"
            )
        if facts["manners"] and environment is None:
            raise BadFile("some follow routes over terrain: give the environment too")
        require(facts["edges"] == len(cmap.edges), "its arrays and the map")
        simulation = Simulation(
            cmap, seed=facts["seed"], dt=facts["step"], threads=threads,
            avoidance=facts["avoidance"], environment=environment,
        )  # fmt: skip
        populations = check_facts(facts, arrays)
        check_arrays(arrays, populations, simulation.engine.tracks, cmap.bounds)
        check_groups(arrays)
        _restore(simulation, populations, facts, arrays)
        return simulation


def _restore(
    simulation: Simulation, populations: list[Population], facts: dict[str, Any], arrays: Arrays
) -> None:
    """Fill an empty simulation from a checkpoint."""
    engine = simulation.engine
    simulation.next = facts["next"]
    simulation.arrivals, simulation.exited = facts["arrivals"], facts["exited"]
    simulation.populations[:] = populations
    simulation.pools = {radius: GoalRange(first, size) for radius, first, size in facts["pools"]}
    simulation.places.add(arrays["points"], arrays["reach"])
    _restore_engine(simulation, facts, arrays)
    simulation.routes.restore([FollowingStyle(*m) for m in facts["manners"]], arrays)
    is_guided = engine.state.track[: engine.n, LEFT] == GUIDED
    followers = engine.state.track[: engine.n, ID][is_guided]
    require(np.isin(followers, arrays["guide_notes"][:, 0]).all(), "its routes over terrain")
    for number, keep in zip(arrays["queue"].tolist(), arrays["keep"].tolist(), strict=True):
        simulation.planner.request(number, keep_goal=keep)
    _restore_groups(simulation, facts, arrays)
    _restore_sources(simulation, facts, arrays)
    for number, values in facts["obstacles"]:
        simulation.obstacles.all[number] = Obstacle(**values)
    simulation.obstacles.next = facts["next_obstacle"]
    update_obstacles(simulation, arrays["seen"])


def _restore_engine(simulation: Simulation, facts: dict[str, Any], arrays: Arrays) -> None:
    """Restore characters in their slots and paths in a new pool."""
    engine = simulation.engine
    state = State(**{name: arrays[name] for name in State._fields})
    track, story = state.track, state.story
    slots = np.flatnonzero(track[:, MODE] != GONE)
    ids = track[slots, ID]
    named = np.concatenate([ids, arrays["group_ids"], arrays["queue"], [-1]])
    slot_of = np.full(int(named.max()) + 1, -1, np.int32)
    slot_of[ids] = slots
    engine.restore(state, slot_of, facts["steps"], facts["widest"])
    engine.model[2] = facts["close"]  # depends on the fastest character so far
    engine.tracks = engine.tracks._replace(weights=arrays["weights"])
    owners = np.flatnonzero(story[:, ROUTE_SIZE])
    count = np.maximum(track[owners, LEFT], 0).astype(np.int64)
    bits = np.frexp(np.maximum(count, 1) - 1)[1].astype(np.int64)  # 2**bits is count or more
    size = np.maximum(bits, _SMALLEST)
    begin = np.cumsum(1 << size) - (1 << size)
    used = int((1 << size).sum())
    engine.pool = np.zeros(max(_POOL, 2 * used), np.int32)
    engine.pool[_runs(begin, count)] = arrays["routes"]
    engine.lists[0] = used
    track[owners, NEXT] = story[owners, ROUTE] = begin
    story[owners, ROUTE_SIZE] = size


def _restore_groups(simulation: Simulation, facts: dict[str, Any], arrays: Arrays) -> None:
    names, sizes = ("group_ids", "group_balls", "group_edges"), arrays["group_sizes"].T
    parts = zip(
        *(split(arrays[name], n) for name, n in zip(names, sizes, strict=True)), strict=True
    )
    for (bounds, arrived), (ids, balls, edges) in zip(facts["groups"], parts, strict=True):
        group = simulation.groups.add(ids, Bounds(*bounds))
        group.arrived, group.edges = arrived, edges
        group.backbone = np.ascontiguousarray(balls)
    simulation.groups.restore()


def _restore_sources(simulation: Simulation, facts: dict[str, Any], arrays: Arrays) -> None:
    counts, starts = arrays["source_sizes"].T
    names = ("ids", "times", "begin", "waits", "body")
    parts = zip(
        *(split(arrays[f"source_{name}"], counts) for name in names),
        split(arrays["source_points"], starts),
        strict=True,
    )
    for population, (ids, times, begin, waits, body, points) in zip(
        facts["sources"], parts, strict=True
    ):
        known = simulation.populations[population] if len(ids) else None
        require((np.diff(times) >= 0.0).all(), "its sources")
        require(known is None or (population >= 0 and len(points)), "its sources")
        if known is not None and known.has_own_goals:
            own = ids - known.first
            require(((own >= 0) & (own < known.stages[0][0].size)).all(), "its sources")
        track, story = np.zeros((len(ids), 10), np.int32), np.zeros((len(ids), 8), np.int32)
        track[:, MODE] = np.where(waits, WAITING, WALKING)
        track[:, ID], track[:, GROUP], track[:, HALF] = ids, -1, -1
        story[:, POPULATION], story[:, BEGIN] = population, begin
        rows = {"body": body, "track": track, "story": story}
        simulation.sources.append(Source(ids, times, rows, np.ascontiguousarray(points)))
    to_come = arrays["source_ids"]
    there = np.concatenate([simulation.engine.present, to_come])
    require(len(np.unique(there)) == len(there), "its ids")
