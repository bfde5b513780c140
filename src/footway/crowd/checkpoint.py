"""Checkpoints: a crowd as arrays and JSON in one file, no pickle.

Values that follow from the map or from other arrays are not stored but computed again: the samples
of the map, positions of goals on its axis, memory layout of the paths, slots of the characters. So
fewer values can contradict each other. What is stored is checked before kernels use it. Some
columns of `cursor` and `journey` (see `kernels.layouts`) differ:

    AT          for members of a group: relative to the beginning of the group's corridor
    NEXT, PATH  0; the remaining half-edges of all paths are in `paths`, in the order of slots
    PATH_SIZE   1 for characters with a path
    FINAL       0 for characters on a route over terrain: their guide is found by id
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import archive, validation
from footway.archive import Array, Damaged, Either, Names, Number, OneOf, Whole, flags, indices
from footway.crowd.groups import Bounds
from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.layouts import State
from footway.crowd.kernels.pairs import RANGE
from footway.crowd.models import MODELS, LocalModel, UserModel, with_parameters
from footway.crowd.obstacles import Obstacle
from footway.crowd.planning import block_size, make_pool
from footway.crowd.populations import GoalRange, Population
from footway.crowd.profile import PROPERTIES
from footway.crowd.simulation import Simulation
from footway.crowd.spawning import Source, make_rows
from footway.crowd.terrain_following import FollowingStyle
from footway.errors import BadFile, BadQuery
from footway.validation import FARTHEST

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.kernels.layouts import Tracks
    from footway.crowd.profile import Property
    from footway.environment import Environment

    Arrays = dict[str, NDArray[Any]]
    Ints = NDArray[np.integer[Any]]

SUFFIX = ".npz"
_INT = 2**31 - 1
_LONGEST = 1e12  # s
_FAST = 100.0  # m/s: above the limits of a profile with its deviation
_WIDE = 3.0 * PROPERTIES["radius"].high  # m, a mean with two deviations
_TINY = 1e-9  # above 0
_ANYWHERE = 1e22  # m: FARTHEST m/s for _LONGEST s
_BESIDE = 1.0  # m, tolerance around the bounds of the map

_COORDINATE, _LENGTH = Number(-FARTHEST, FARTHEST), Number(math.ulp(0.0), FARTHEST)
_COUNT, _TIME = Whole(0, 2**62), Number(0.0, math.inf)
_RANGE_OF_GOALS = (Whole(0, _INT), Whole(1, _INT))  # first, and how many
_SPREAD = Either((Number(-_FAST, _FAST), (Number(-_FAST, _FAST), Number(-_FAST, _FAST))))
_WEIGHTS = Names(Number(_TINY, 1e9))


def _of_property(declared: Property) -> Any:
    """Return the schema of a property of a profile."""
    if declared.kind == "number":
        return _SPREAD if declared.varies else Number(_least(declared), declared.high)
    return _WEIGHTS if declared.kind == "weights" else OneOf((None, *declared.choices))


def _least(declared: Property) -> float:
    return _TINY if declared.above == 0.0 else declared.low


def _limits_of_bodies() -> dict[str, Any]:
    """Return the limits of the columns of `State.body`."""
    limits = {col.VX: (-_FAST, _FAST), col.VY: (-_FAST, _FAST)}
    limits |= {col.WALL_BUDGET: (-FARTHEST, FARTHEST), col.REACH: (0.0, FARTHEST)}
    limits |= {
        col.LOOK: (-FARTHEST, FARTHEST),
        col.HEADING_X: (-1.1, 1.1),
        col.HEADING_Y: (-1.1, 1.1),
    }
    for declared in PROPERTIES.values():
        if declared.column is not None:
            # A mean and two deviations are at most three times the limit.
            times = 3.0 if declared.varies else 1.0
            limits[declared.column] = (times * _least(declared), times * declared.high)
    least, most = zip(*(limits[column] for column in range(col.BODY_COLUMNS)), strict=True)
    return {"least": least, "most": most}


_BODY = _limits_of_bodies()
_PROFILE = {name: _of_property(declared) for name, declared in PROPERTIES.items()}


KIND = archive.Kind(
    format="footway-crowd",
    version=12,
    name="checkpoint",
    remedy="run the crowd again",
    arrays={
        "place": Array("<f8", ("slots", 6), nan=True),
        "body": Array("<f4", ("slots", col.BODY_COLUMNS), **_BODY),
        "cursor": Array(
            "<i4",
            ("slots", 10),
            (0, 0, -1, 0, 0, 0, col.GONE, 0, -1, col.ON_PATH),
            (_INT, _INT, _INT, 0, _INT, _INT, col.UNREACHABLE, "next", "groups", col.ON_ROUTE),
        ),
        "journey": Array(
            "<i4", ("slots", 8), 0, ("populations", _INT, _INT, _INT, 0, 1, _INT, _INT)
        ),
        "progress": Array("<f8", ("slots", 2)),
        "sheet": Array("<i4", ("slots", 2), 0, _INT),
        "paths": Array("<i4", ("path",), 0, _INT),
        "goals": Array("<f8", ("goals", 2)),
        "reach": Array("<f4", ("goals",), 0.0),
        "goal_sheets": Array("<i4", ("goals",), 0, _INT),
        "weights": Array("<f4", ("weights", "edges"), 0.0, 1e30),
        "queue": indices("next", "queue"),
        "keep": flags("queue"),
        "guide_progress": Array("<f8", ("guides", 8)),
        "guide_facts": Array(
            "<i4",
            ("guides", 8),
            (0, 0, 0, 2, 1, 0, -1, 0),
            ("next", _INT, _INT, _INT, _INT, _INT, _INT, 2),
        ),
        "guide_routes": Array("<f8", ("rows", 4), most=1e16),
        "group_sizes": Array("<i8", ("groups", 3), 0, _INT),
        "group_ids": indices("next", "members"),
        "group_balls": Array("<f8", ("balls", 3)),
        "group_sheets": Array("<i8", ("balls",), -1, _INT),
        "group_edges": indices("edges", "passed"),
        "source_sizes": Array("<i8", ("sources", 2), 0, _INT),
        "source_ids": indices("next", "to_come"),
        "source_times": Array("<f8", ("to_come",), 0.0, _LONGEST),
        "source_begin": Array("<i4", ("to_come",), 0, _INT),
        "source_waits": flags("to_come"),
        "source_body": Array("<f4", ("to_come", col.BODY_COLUMNS), **_BODY),
        "source_points": Array("<f8", ("starts", 2)),
        "source_sheets": Array("<i8", ("starts",), -1, _INT),
        "seen": Array("<f8", ("discs", 5), -_ANYWHERE, _ANYWHERE),
        "seen_on": Array("<i8", ("discs",), -1, _INT),
        "delays": Array("<f8", ("delays",), 0.0, _LONGEST),
        "lifts": Array(
            "<f8",
            ("lifts", 7),
            (0, 0, 0, -1, 0, 0, 0),
            (4, _INT, _INT, 1, _LONGEST, _LONGEST, _INT),
        ),
        "passengers": Array(
            "<i8", ("passengers", 7), 0, ("next", "lifts", _INT, _INT, "goals", 3, 1)
        ),
        "passenger_times": Array("<f8", ("passengers", 2), 0.0, _LONGEST),
    },
    facts={
        "map": str,
        "edges": Whole(1, _INT),
        "seed": Whole(0, _INT),
        "step": Number(0.001, 1.0),
        "model": (OneOf((*MODELS, UserModel.name)), Names(Number(-1e9, 1e9))),
        "steps": Whole(0, _INT - 2**20),
        "next": Whole(0, 10**8),
        "arrivals": _COUNT,
        "exited": _COUNT,
        "widest": Number(0.25, _WIDE),
        "close": Number(0.0, RANGE),
        "populations": [
            (
                str, OneOf(("goals", "wander")), [[_RANGE_OF_GOALS]], bool, bool, Whole(0, _INT),
                OneOf(("repeat", "stay", "exit")), Number(_TINY, math.inf), Whole(0, _INT),
                Whole(-1, _INT), _PROFILE,
            )
        ],
        "styles": [
            (
                OneOf(("miran", "irm")), Number(_TINY, 1e6), Number(_TINY, 1e6),
                Number(0.0, 1e6), Number(0.0, 100.0), Number(_TINY, 1e3), Number(0.0, 1e3),
                Number(_TINY, _WIDE), _WEIGHTS,
            )
        ],
        "random_goals": [(Number(_TINY, _WIDE), *_RANGE_OF_GOALS)],
        "groups": [((Number(_TINY, math.inf),) * 3, _COUNT)],
        "obstacles": [
            (
                Whole(0, 2**62),
                {
                    "at": (_COORDINATE, _COORDINATE), "radius": _LENGTH,
                    "velocity": (_COORDINATE, _COORDINATE), "appears": _TIME, "vanishes": _TIME,
                    "since": Number(0.0, _LONGEST), "sheet": Whole(-1, _INT),
                },
            )
        ],
        "next_obstacle": Whole(0, 2**62),
        "closures": [(str, Number(0.0, _LONGEST), _TIME)],
        "sources": [Whole(-1, _INT)],
    },
)  # fmt: skip


_NO_LIFTS: Arrays = {
    "lifts": np.empty((0, 7)),
    "passengers": np.empty((0, 7), np.int64),
    "passenger_times": np.empty((0, 2)),
}


def check_name(file: str | PathLike[str]) -> Path:
    """Return the file's path; raise BadInput unless it ends in .npz."""
    return validation.named(file, "a checkpoint", SUFFIX)


# -- writing -----------------------------------------------------------------------------------


def save(simulation: Simulation, file: str | PathLike[str]) -> None:
    """Write a checkpoint atomically."""
    path = check_name(file)
    arrays = _characters(simulation) | _parts(simulation) | simulation.routes.arrays()
    archive.write(path, KIND, _facts(simulation), arrays)


def _characters(simulation: Simulation) -> Arrays:
    """Return characters and their paths, independent of the memory layout."""
    characters = simulation.characters
    state = characters.state._asdict()
    arrays: Arrays = {name: rows[: characters.n].copy() for name, rows in state.items()}
    cursor, journey = arrays["cursor"], arrays["journey"]
    gone = cursor[:, col.MODE] == col.GONE
    cursor[gone] = journey[gone] = 0
    cursor[gone, col.HALF] = cursor[gone, col.GROUP] = -1
    ahead = _runs(cursor[:, col.NEXT], cursor[:, col.LEFT])
    arrays["paths"] = simulation.planner.pool.halves[ahead]
    cursor[:, col.NEXT] = journey[:, col.PATH] = 0
    journey[:, col.PATH_SIZE] = journey[:, col.PATH_SIZE] > 0
    cursor[cursor[:, col.FOLLOWS] == col.ON_ROUTE, col.FINAL] = 0
    grouped = cursor[:, col.GROUP] >= 0
    first = np.array([group.first_sample for group in simulation.groups.all], np.int32)
    cursor[grouped, col.AT] -= first[cursor[grouped, col.GROUP]]
    cursor[grouped, col.HALF] = cursor[grouped, col.END] = cursor[grouped, col.FINAL] = 0
    return arrays


def _runs(first: NDArray[Any], count: NDArray[Any]) -> NDArray[np.int64]:
    """Return the concatenated ranges first[k] to first[k] + count[k] - 1."""
    count = count.astype(np.int64)
    before = np.cumsum(count) - count
    return np.repeat(first - before, count) + np.arange(count.sum())


def _parts(simulation: Simulation) -> Arrays:
    """Return goals, groups, sources, obstacles and the queue of path requests."""
    groups, sources, table = simulation.groups.all, simulation.sources, simulation.goals.table
    waiting = simulation.planner.waiting
    rest = [(source, slice(source.next, None)) for source in sources]
    joined: dict[str, list[Any]] = {
        "group_ids": [group.ids for group in groups],
        "group_balls": [group.backbone for group in groups],
        "group_sheets": [group.sheets for group in groups],
        "group_edges": [group.edges for group in groups],
        "source_ids": [source.ids[r] for source, r in rest],
        "source_times": [source.times[r] for source, r in rest],
        "source_begin": [source.rows["journey"][r, col.FIRST_STEP] for source, r in rest],
        "source_waits": [source.rows["cursor"][r, col.MODE] == col.WAITING for source, r in rest],
        "source_body": [source.rows["body"][r] for source, r in rest],
        "source_points": [source.points for source in sources],
        "source_sheets": [source.sheets for source in sources],
    }
    empty = {"group_balls": (0, 3), "source_body": (0, col.BODY_COLUMNS), "source_points": (0, 2)}
    group_sizes = [(len(g.ids), len(g.backbone), len(g.edges)) for g in groups]
    source_sizes = [(source.to_come, len(source.points)) for source in sources]
    return {
        "goals": table.located[:, :2],
        "reach": table.reach,
        "goal_sheets": table.sheets,
        "weights": simulation.tracks.weights[:, : len(simulation.map.edges)],
        "queue": np.array([number for number, _ in waiting], np.int64),
        "keep": np.array([keep for _, keep in waiting], bool),
        "seen": simulation.obstacles.seen,
        "seen_on": simulation.obstacles.seen_on,
        "delays": simulation.congestion.delays,
        **(simulation.lifts.arrays() if simulation.lifts is not None else _NO_LIFTS),
        "group_sizes": np.array(group_sizes, np.int64).reshape(-1, 3),
        "source_sizes": np.array(source_sizes, np.int64).reshape(-1, 2),
        **{
            name: np.concatenate(parts) if parts else np.empty(empty.get(name, 0))
            for name, parts in joined.items()
        },
    }


def _facts(simulation: Simulation) -> dict[str, Any]:
    return {
        "map": _fingerprint(simulation.map),
        "edges": len(simulation.map.edges),
        "seed": simulation.seed,
        "step": simulation.dt,
        "model": _model_facts(simulation.model),
        "steps": simulation.steps,
        "next": simulation.next,
        "arrivals": int(simulation.arrivals),
        "exited": int(simulation.exited),
        "widest": simulation.widest,
        "close": float(simulation.avoidance.close),
        "populations": [p.to_list() for p in simulation.populations],
        "styles": [list(style) for style in simulation.routes.styles],
        "random_goals": [[radius, *goals] for radius, goals in simulation.random_goals.items()],
        "groups": [[list(g.bounds), g.arrived] for g in simulation.groups.all],
        "obstacles": [[k, asdict(o)] for k, o in simulation.obstacles.all.items()],
        "next_obstacle": simulation.obstacles.next,
        "closures": [list(one) for one in simulation.floors.closures] if simulation.floors else [],
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
    model: LocalModel | UserModel | None = None,
) -> Simulation:
    """Read a checkpoint; raise BadFile if it does not match the map."""
    with archive.reading(file, KIND) as (facts, arrays):
        if facts["map"] != _fingerprint(cmap):
            raise BadFile(
                f"was made on another map ({facts['edges']} edges, this one has "
                f"{len(cmap.edges)}): give the same map"
            )
        if facts["styles"] and environment is None and not hasattr(cmap, "building"):
            raise BadFile("some characters follow routes over terrain: give the environment, too")
        _require(facts["edges"] == len(cmap.edges), "its arrays and the map")
        simulation = Simulation(
            cmap, seed=facts["seed"], dt=facts["step"], threads=threads,
            model=model or _model(*facts["model"]), environment=environment,
        )  # fmt: skip
        simulation.populations = _check_facts(facts, arrays)
        _check_arrays(arrays, simulation)
        _restore(simulation, facts, arrays)
        return simulation


def _model_facts(model: LocalModel | UserModel) -> list[Any]:
    return [model.name, {} if isinstance(model, UserModel) else model.to_dict()]


def _model(name: str, parameters: dict[str, float]) -> LocalModel:
    if name == UserModel.name:
        raise BadFile("was made with a UserModel, which it does not contain: give model=...")
    try:
        return with_parameters(name, parameters)
    except BadQuery as error:
        raise BadFile(str(error)) from None


def _restore(simulation: Simulation, facts: dict[str, Any], arrays: Arrays) -> None:
    """Fill an empty simulation from a checkpoint."""
    simulation.steps, simulation.next = facts["steps"], facts["next"]
    simulation.arrivals, simulation.exited = facts["arrivals"], facts["exited"]
    simulation.random_goals = {r: GoalRange(*goals) for r, *goals in facts["random_goals"]}
    on = arrays["goal_sheets"].astype(np.int64) - 1
    sheets = None if simulation.floors is None else on
    simulation.goals.add(arrays["goals"], arrays["reach"], sheets)
    _restore_characters(simulation, facts, arrays)
    simulation.routes.restore([FollowingStyle(*style) for style in facts["styles"]], arrays)
    characters = simulation.characters
    followers = characters.id[characters.follows == col.ON_ROUTE]
    is_known = np.isin(followers, arrays["guide_facts"][:, col.CHARACTER])
    _require(is_known.all(), "its routes over terrain")
    for number, keep in zip(arrays["queue"].tolist(), arrays["keep"].tolist(), strict=True):
        simulation.planner.request(number, keep_goal=keep)
    names, sizes = ("group_ids", "group_balls", "group_edges"), arrays["group_sizes"].T
    columns = [_split(arrays[name], n) for name, n in zip(names, sizes, strict=True)]
    columns.append(_split(arrays["group_sheets"], sizes[1]))
    for (bounds, arrived), ids, balls, edges, on in zip(facts["groups"], *columns, strict=True):
        group = simulation.groups.add(ids, Bounds(*bounds))
        group.arrived, group.edges = arrived, edges
        group.backbone, group.sheets = np.ascontiguousarray(balls), on
    simulation.groups.restore()
    _restore_sources(simulation, facts, arrays)
    count = 0 if simulation.floors is None else len(simulation.floors)
    for number, values in facts["obstacles"]:
        sheet = values["sheet"]
        _require(0 <= sheet < count if count else sheet == -1, "its obstacles")
        simulation.obstacles.all[number] = Obstacle(**values)
    simulation.obstacles.next = facts["next_obstacle"]
    simulation.set_obstacle_discs(arrays["seen"], arrays["seen_on"])
    if simulation.floors is not None:
        for link, start, end in facts["closures"]:
            simulation.floors.close(link, start, end)
        simulation.floors.close_links(simulation, send=False)
    if simulation.lifts is not None:
        simulation.lifts.restore(arrays)
    known = (0, len(simulation.index.graph.length))
    _require(len(arrays["delays"]) in known, "its delays and the map")
    simulation.congestion.delays = arrays["delays"]


def _restore_characters(simulation: Simulation, facts: dict[str, Any], arrays: Arrays) -> None:
    """Restore characters in their slots and paths in a new pool."""
    state = State(**{name: arrays[name] for name in State._fields})
    cursor, journey = state.cursor, state.journey
    ids = cursor[cursor[:, col.MODE] != col.GONE, col.ID]
    named = np.concatenate([ids, arrays["group_ids"], arrays["queue"], [-1]])
    simulation.characters.restore(state, int(named.max()))
    simulation.restore_limits(facts["widest"], facts["close"])
    rides = simulation.tracks.weights.shape[1] - arrays["weights"].shape[1]
    weights = np.pad(arrays["weights"], ((0, 0), (0, rides)))
    simulation.tracks = simulation.tracks._replace(weights=weights)
    owners = np.flatnonzero(journey[:, col.PATH_SIZE])
    count = cursor[owners, col.LEFT].astype(np.int64)
    size = block_size(count)
    pool, begin = make_pool(size)
    pool.halves[_runs(begin, count)] = arrays["paths"]
    simulation.planner.pool = pool
    cursor[owners, col.NEXT] = journey[owners, col.PATH] = begin
    journey[owners, col.PATH_SIZE] = size


def _restore_sources(simulation: Simulation, facts: dict[str, Any], arrays: Arrays) -> None:
    counts, starts = arrays["source_sizes"].T
    names = ("ids", "times", "begin", "waits", "body")
    columns = [_split(arrays[f"source_{name}"], counts) for name in names]
    columns += [_split(arrays[name], starts) for name in ("source_points", "source_sheets")]
    for number, ids, times, begin, waits, body, points, sheets in zip(
        facts["sources"], *columns, strict=True
    ):
        _require((np.diff(times) >= 0.0).all(), "its sources")
        if len(ids):
            _require(number >= 0 and len(points), "its sources")
            population = simulation.populations[number]
            own = ids - population.first
            is_own = (own >= 0) & (own < population.stages[0][0].size)
            _require(not population.has_own_goals or is_own.all(), "its sources")
        rows = make_rows(ids, number) | {"body": body}
        rows["cursor"][waits, col.MODE] = col.WAITING
        rows["journey"][:, col.FIRST_STEP] = begin
        count = -1 if simulation.floors is None else len(simulation.floors)
        least = -1 if simulation.floors is None else 0
        _require(((least <= sheets) & (sheets < max(0, count))).all(), "its sources")
        simulation.sources.append(Source(ids, times, rows, np.ascontiguousarray(points), sheets))
    ids = np.concatenate([simulation.characters.ids, arrays["source_ids"]])
    _require(len(np.unique(ids)) == len(ids), "its ids")


# -- checks ------------------------------------------------------------------------------------


def _require(holds: Any, what: str) -> None:
    """Raise Damaged if a condition does not hold."""
    if not holds:
        raise Damaged(f"{what} do not fit each other")


def _split(rows: NDArray[Any], sizes: Ints) -> list[NDArray[Any]]:
    """Split rows into consecutive parts of the given sizes."""
    _require(int(sizes.sum()) == len(rows), "its arrays")
    return np.split(rows, np.cumsum(sizes)[:-1]) if len(sizes) else []


def _check_facts(facts: dict[str, Any], arrays: Arrays) -> list[Population]:
    """Check that the facts are consistent, and return the populations."""
    n_goals, weights, styles = len(arrays["goals"]), len(arrays["weights"]), len(facts["styles"])
    populations = [Population.from_list(values) for values in facts["populations"]]
    ranges = [GoalRange(first, size) for _, first, size in facts["random_goals"]]
    for population in populations:
        _require(population.row < weights and population.style < styles, "its populations")
        _require(population.stages and all(population.stages), "its populations")
        if population.behaviour == "goals":
            ranges += population.ranges
    _require(all(first + size <= n_goals for first, size in ranges), "its goals")
    numbers = [number for number, _ in facts["obstacles"]]
    is_unique = len(set(numbers)) == len(numbers)
    _require(is_unique and max(numbers, default=-1) < facts["next_obstacle"], "its obstacles")
    for _, sigma, spacing, *_ in facts["styles"]:
        _require(spacing <= sigma <= 1e6 * spacing, "its following styles")
    _require(all(k < len(populations) for k in facts["sources"]), "its sources")
    return populations


def _check_arrays(arrays: Arrays, simulation: Simulation) -> None:
    """Check that characters, paths, goals, groups and the map are consistent."""
    place, cursor, bounds = arrays["place"], arrays["cursor"], simulation.map.bounds
    ids = cursor[cursor[:, col.MODE] != col.GONE, col.ID]
    _require(len(np.unique(ids)) == len(ids), "its ids")
    low, high = np.array(bounds[:2]) - _BESIDE, np.array(bounds[2:]) + _BESIDE
    for points in (place[:, :2], arrays["progress"], arrays["goals"], arrays["source_points"]):
        _require(((points >= low) & (points <= high)).all(), "its positions and the map")
    has_goal = (cursor[:, col.HALF] >= 0) & (cursor[:, col.FOLLOWS] != col.WANDERS)
    _require(np.isfinite(place[has_goal, col.GOAL_X : col.AIM_X]).all(), "its goals")
    _require((arrays["seen"][:, col.BODY_RADIUS] > 0.0).all(), "its obstacles")
    _check_paths(arrays, simulation.tracks)
    _check_sheets(arrays, simulation)
    _check_goals(arrays, simulation.populations)
    _check_lifts(arrays, simulation)
    _check_groups(arrays)


def _check_sheets(arrays: Arrays, simulation: Simulation) -> None:
    """Check that all are on sheets of the building; in the plane there is none."""
    count = 0 if simulation.floors is None else len(simulation.floors)
    present = arrays["cursor"][:, col.MODE] != col.GONE
    at, goals = arrays["sheet"][present, col.SHEET], arrays["goal_sheets"]
    least = min(1, count)
    _require(((least <= at) & (at <= count)).all(), "its floors")
    _require(((least <= goals) & (goals <= count)).all(), "its floors")
    _require((arrays["sheet"] <= count).all(), "its floors")
    for name, what in (("seen_on", "its obstacles"), ("group_sheets", "its groups")):
        on = arrays[name]
        _require((((on >= 0) == (count > 0)) & (on < max(count, 1))).all(), what)


def _check_lifts(arrays: Arrays, simulation: Simulation) -> None:
    """Check that lifts and their passengers fit the building."""
    shafts = [] if simulation.floors is None else simulation.floors.shafts
    lifts, passengers = arrays["lifts"], arrays["passengers"]
    _require(len(lifts) == len(shafts), "its lifts and the map")
    stops = np.array([len(shaft.cabins) for shaft in shafts], np.int64)
    _require((lifts == np.round(lifts))[:, [0, 1, 2, 3, 6]].all(), "its lifts")
    _require((lifts[:, 1:3] < stops[:, None]).all(), "its lifts")
    _require((passengers[:, 2:4] < stops[passengers[:, 1]][:, None]).all(), "its lifts")
    cursor = arrays["cursor"]
    present = cursor[cursor[:, col.MODE] != col.GONE, col.ID]
    _require(np.isin(passengers[:, 0], present).all(), "its lifts")
    _require(len(np.unique(passengers[:, 0])) == len(passengers), "its lifts")


def _check_paths(arrays: Arrays, tracks: Tracks) -> None:
    """Check that characters outside groups are on edges of the map, where their paths continue."""
    cursor, paths = arrays["cursor"], arrays["paths"]
    left, half, follows = cursor[:, col.LEFT], cursor[:, col.HALF], cursor[:, col.FOLLOWS]
    halves = 2 * len(tracks.first)
    is_alone = cursor[:, col.GROUP] < 0
    _require((half[is_alone] < halves).all() and (paths < 2 * arrays["weights"].shape[1]).all(),
             "its paths and the map")  # fmt: skip
    on = is_alone & (half >= 0)
    first, last = tracks.first[half[on] >> 1], tracks.last[half[on] >> 1]
    at, end = cursor[on, col.AT], cursor[on, col.END]
    _require(((first <= at) & (at <= last) & (first <= end) & (end <= last)).all(), "its paths")
    _require(np.where(half[on] & 1, at >= end, at <= end).all(), "its paths")
    _require((half[(cursor[:, col.MODE] == col.WALKING) & is_alone] >= 0).all(), "its paths")
    goes_on = left > 0
    _require(is_alone[goes_on].all() and (half[goes_on] >= 0).all(), "its paths")
    _require((follows[goes_on] == col.ON_PATH).all(), "its paths")
    _require((arrays["journey"][goes_on, col.PATH_SIZE] == 1).all(), "its paths")
    _require(int(left[goes_on].sum(dtype=np.int64)) == len(paths), "its paths")
    ends = paths[np.cumsum(left[goes_on], dtype=np.int64) - 1] >> 1
    final = cursor[goes_on, col.FINAL]
    _require(((tracks.first[ends] <= final) & (final <= tracks.last[ends])).all(), "its paths")
    wanders = follows == col.WANDERS
    _require(is_alone[wanders].all() and (half[wanders] >= 0).all(), "its wanderers")
    _require((cursor[wanders, col.WEIGHTS_ROW] < len(arrays["weights"])).all(), "its wanderers")
    known = tracks.weights[:1, : arrays["weights"].shape[1]]
    _require((arrays["weights"][:1] == known).all(), "its wanderers and the map")


def _check_goals(arrays: Arrays, populations: list[Population]) -> None:
    """Check that characters with goals, and those in the queue, have valid goals."""
    cursor, journey = arrays["cursor"], arrays["journey"]
    is_present = cursor[:, col.MODE] != col.GONE
    ids, numbers = cursor[is_present, col.ID], journey[is_present, col.POPULATION]
    _require((journey[:, col.GOAL] < max(1, len(arrays["goals"]))).all(), "its goals")
    for number, population in enumerate(populations):
        if population.has_own_goals:
            own = ids[numbers == number] - population.first
            size = min(alternatives[0].size for alternatives in population.stages)
            _require(((own >= 0) & (own < size)).all(), "its goals")
    has_goals = np.array([p.behaviour == "goals" for p in populations], bool)
    waits = np.isin(ids, arrays["queue"])
    _require(has_goals[numbers[waits]].all(), "its queue")
    _require((cursor[is_present, col.GROUP][waits] < 0).all(), "its queue")
    grouped = np.isin(ids, arrays["group_ids"])
    _require(has_goals[numbers[grouped]].all(), "its groups")
    for needed in (arrays["group_ids"], arrays["queue"]):
        _require(len(np.unique(needed)) == len(needed), "its ids")


def _check_groups(arrays: Arrays) -> None:
    """Check that exactly the members of a group with a corridor are in that corridor."""
    cursor, sizes = arrays["cursor"], arrays["group_sizes"]
    members = _split(arrays["group_ids"], sizes[:, 0])
    balls = _split(arrays["group_balls"], sizes[:, 1])
    belongs = np.full(len(cursor), -1)
    for number, (ids, corridor) in enumerate(zip(members, balls, strict=True)):
        mine = np.isin(cursor[:, col.ID], ids) & (cursor[:, col.MODE] != col.GONE)
        if len(corridor):
            belongs[mine] = number
            _require((cursor[mine, col.AT] < len(corridor)).all(), "its groups")
            _require((corridor[:, col.BALL_RADIUS] >= 0.0).all(), "its groups")
    _require((belongs == cursor[:, col.GROUP]).all(), "its groups")
    in_corridor = cursor[belongs >= 0]
    _require((in_corridor[:, col.LEFT] == 0).all(), "its groups")
    _require((in_corridor[:, col.FOLLOWS] == col.ON_PATH).all(), "its groups")
