"""Checkpoints: a crowd as arrays and JSON in one file, no pickle."""

from __future__ import annotations

import hashlib
import json
import zipfile
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import validation
from footway.crowd.cast import MODELS, Cast
from footway.crowd.conduct import list_obstacles
from footway.crowd.groups import Bounds
from footway.crowd.journeys import Population
from footway.crowd.manner import Manner
from footway.crowd.obstacles import Obstacle
from footway.crowd.places import Pool
from footway.crowd.sources import Source
from footway.crowd.state import AT, END, GOAL, HALF, ID, LEFT, NEXT, ROUTE, make_state
from footway.errors import BadFile, BadInput

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.environment import Environment

    Arrays = dict[str, NDArray[Any]]

FORMAT, VERSION = "footway-crowd", 4
SUFFIX = ".npz"


def check_name(file: str | PathLike[str]) -> Path:
    """Return the path of a checkpoint, if its name is one."""
    path = validation.file(file)
    if path.suffix.lower() != SUFFIX:
        raise BadInput(f"{path}: the name of a checkpoint must end in {SUFFIX}")
    return path


def save(cast: Cast, file: str | PathLike[str]) -> None:
    """Write a checkpoint; the file is there whole or not at all."""
    path = check_name(file)
    arrays = _engine_arrays(cast) | _part_arrays(cast)
    facts = json.dumps(_facts(cast)).encode()
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as out:
            np.savez(out, allow_pickle=False, facts=np.frombuffer(facts, np.uint8), **arrays)
        part.replace(path)
    except OSError as error:
        raise BadFile(f"{file}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink()


def load(
    file: str | PathLike[str],
    cmap: CorridorMap,
    *,
    threads: int,
    environment: Environment | None = None,
) -> Cast:
    """Read a checkpoint."""
    arrays = _read(file)
    try:
        facts = json.loads(bytes(arrays.pop("facts")))
        if facts["format"] != FORMAT or facts["version"] != VERSION:
            raise BadFile(f"{file}: is not a checkpoint of this version of Footway")
        validation.seed(facts["seed"])
        validation.whole(facts["steps"], "number of steps")
        validation.number(facts["step"], "step", "s", above=0.0)
        validation.one_of(facts["avoidance"], "avoidance", tuple(MODELS))
        if facts["map"] != _fingerprint(cmap):
            raise BadFile(
                f"{file}: was made on another map ({facts['edges']} edges, this one has "
                f"{len(cmap.edges)}): give the same map"
            )
        if facts["manners"] and environment is None:
            raise BadFile(f"{file}: some follow routes over terrain: give the environment too")
        return _restore(cmap, facts, arrays, threads, environment)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"{file}: is damaged: {error!r:.80}") from error


def _fingerprint(cmap: CorridorMap) -> str:
    """Hash of the medial axis: another for every other map, whatever its name."""
    digest = hashlib.sha256()
    for name, rows in cmap.solver.index.axis._asdict().items():
        array = np.ascontiguousarray(rows)
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _read(file: str | PathLike[str]) -> Arrays:
    path = validation.file(file)
    try:
        with path.open("rb") as source, np.load(source, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (
        OSError,
        ValueError,
        EOFError,
        zipfile.BadZipFile,
        AttributeError,
        TypeError,
    ) as error:
        reason = getattr(error, "strerror", None) or "not a checkpoint of Footway"
        raise BadFile(f"{file}: cannot be read: {reason}") from error


def _engine_arrays(cast: Cast) -> Arrays:
    engine, places = cast.engine, cast.places
    arrays: Arrays = {name: rows[: engine.n] for name, rows in engine.state._asdict().items()}
    arrays |= {"slot_of": engine.slot_of, "pool": engine.pool, "lists": engine.lists}
    arrays |= {"spots": places.spots, "pieces": places.pieces, "reach": places.reach}
    tracks = engine.tracks
    arrays["seen"] = cast.obstacles.seen
    arrays |= cast.routes.arrays()
    return arrays | {f"tracks_{name}": rows for name, rows in tracks._asdict().items()}


def _part_arrays(cast: Cast) -> Arrays:
    arrays: Arrays = {}
    for k, group in enumerate(cast.groups.all):
        parts = {"ids": group.ids, "backbone": group.backbone, "edges": group.edges}
        arrays |= {f"group{k}_{name}": rows for name, rows in parts.items()}
    for k, source in enumerate(cast.sources):
        parts = {"ids": source.ids, "times": source.times, "points": source.points}
        arrays |= {f"source{k}_{name}": rows for name, rows in (parts | source.rows).items()}
    return arrays


def _facts(cast: Cast) -> dict[str, Any]:
    engine, groups = cast.engine, cast.groups
    return {
        "format": FORMAT, "version": VERSION, "map": _fingerprint(cast.map),
        "edges": len(cast.map.edges),
        "seed": cast.seed, "step": cast.dt, "avoidance": cast.avoidance,
        "steps": cast.engine.steps, "next": cast.next,
        "arrivals": cast.arrivals, "exited": cast.exited, "widest": engine.widest,
        "close": float(engine.model[2]),
        "populations": [p.to_list() for p in cast.populations],
        "manners": [list(manner) for manner in cast.routes.manners],
        "pools": [[radius, *pool] for radius, pool in cast.pools.items()],
        "queue": cast.planner.waiting,
        "groups": [
            [list(g.bounds), g.arrived, g.edge, list(g.samples)] for g in cast.groups.all
        ],
        "samples": groups.used,
        "obstacles": [[k, asdict(o)] for k, o in cast.obstacles.all.items()],
        "next_obstacle": cast.obstacles.next,
        "sources": [source.next for source in cast.sources],
    }  # fmt: skip


def _restore(
    cmap: CorridorMap,
    facts: dict[str, Any],
    arrays: Arrays,
    threads: int,
    environment: Environment | None,
) -> Cast:
    cast = Cast(
        cmap,
        seed=facts["seed"],
        dt=facts["step"],
        threads=threads,
        avoidance=facts["avoidance"],
        environment=environment,
    )
    _restore_engine(cast, facts, arrays)
    cast.next = facts["next"]
    cast.arrivals, cast.exited = facts["arrivals"], facts["exited"]
    cast.populations = [Population.from_list(p) for p in facts["populations"]]
    cast.routes.restore([Manner.from_list(m) for m in facts["manners"]], arrays)
    cast.pools = {radius: Pool(first, size) for radius, first, size in facts["pools"]}
    for number, keep in facts["queue"]:
        cast.planner.ask(number, keep_goal=keep)
    _restore_parts(cast, facts, arrays)
    list_obstacles(cast, arrays["seen"])
    return cast


def _check(arrays: Arrays) -> None:
    """Raise ValueError where arrays do not fit each other: kernels would read beyond their ends."""
    n, places, tracks = len(arrays["place"]), len(arrays["pieces"]), len(arrays["tracks_first"])
    ids, pool = arrays["track"][:, ID], len(arrays["pool"])
    fits = (
        all(len(arrays[name]) == n for name in ("body", "track", "story", "anchor"))
        and arrays["spots"].shape == (places, 6)
        and arrays["reach"].shape == (places,)
        and arrays["lists"].shape == (32,)
        and arrays["lists"].max() <= pool
        and len(arrays["tracks_last"]) == len(arrays["tracks_ends"]) == tracks
        and arrays["tracks_last"].max(initial=-1) < len(arrays["tracks_balls"])
        and ids.max(initial=-1) < len(arrays["slot_of"])
        and arrays["slot_of"].max(initial=-1) < n
        and (arrays["story"][:, ROUTE] + arrays["track"][:, LEFT]).max(initial=0) <= pool
        and (arrays["track"][:, NEXT] + arrays["track"][:, LEFT]).max(initial=0) <= pool
        and arrays["track"][:, [AT, END]].max(initial=0) < len(arrays["tracks_balls"])
        and arrays["track"][:, HALF].max(initial=0) < 2 * tracks
        and arrays["story"][:, GOAL].max(initial=0) < max(places, 1)
        and arrays["seen"].shape[1:] == (5,)
    )
    if not fits:
        raise ValueError("its arrays do not fit each other")


def _restore_engine(cast: Cast, facts: dict[str, Any], arrays: Arrays) -> None:
    engine, places = cast.engine, cast.places
    made = make_state(len(arrays["place"]))
    for name, rows in made._asdict().items():
        rows[:] = arrays[name]
    engine.restore(
        made,
        arrays["slot_of"],
        facts["steps"],
        facts["widest"],
    )
    engine.model[2] = facts["close"]  # some were faster once
    engine.pool, engine.lists = arrays["pool"], arrays["lists"]
    engine.tracks = type(engine.tracks)(
        **{name: arrays[f"tracks_{name}"] for name in engine.tracks._fields}
    )
    _check(arrays)
    places.spots, places.pieces, places.reach = (
        arrays["spots"], arrays["pieces"], arrays["reach"],
    )  # fmt: skip


def _restore_parts(cast: Cast, facts: dict[str, Any], arrays: Arrays) -> None:
    groups, obstacles = cast.groups, cast.obstacles
    for k, (bounds, arrived, edge, samples) in enumerate(facts["groups"]):
        group = groups.add(arrays[f"group{k}_ids"], Bounds(*bounds))
        group.arrived, group.edge, group.samples = (
            arrived,
            edge,
            (samples[0], samples[1]),
        )
        group.backbone, group.edges = arrays[f"group{k}_backbone"], arrays[f"group{k}_edges"]
    groups.restore(facts["samples"])
    for number, values in facts["obstacles"]:
        values["at"], values["velocity"] = (
            tuple(values["at"]),
            tuple(values["velocity"]),
        )
        obstacles.all[number] = Obstacle(**values)
    obstacles.next = facts["next_obstacle"]
    for k, following in enumerate(facts["sources"]):
        parts = {name: arrays[f"source{k}_{name}"] for name in ("ids", "times", "points")}
        rows = {name: arrays[f"source{k}_{name}"] for name in ("body", "track", "story")}
        cast.sources.append(Source(**parts, rows=rows, next=following))
