"""Checkpoints: a crowd as arrays and JSON in one file, no pickle."""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd.groups import Bounds
from footway.crowd.journeys import Population
from footway.crowd.obstacles import Obstacle
from footway.crowd.places import Pool
from footway.crowd.sources import Source
from footway.crowd.state import make_state
from footway.errors import BadFile

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.crowd import Crowd

    Arrays = dict[str, NDArray[Any]]

FORMAT, VERSION = "footway-crowd", 1


def save(crowd: Crowd, file: str | PathLike[str]) -> None:
    """Write a checkpoint."""
    arrays = _engine_arrays(crowd) | _part_arrays(crowd)
    facts = json.dumps(_facts(crowd)).encode()
    try:
        with Path(file).open("wb") as out:
            np.savez(out, allow_pickle=False, facts=np.frombuffer(facts, np.uint8), **arrays)
    except OSError as error:
        raise BadFile(f"{file}: cannot be written: {error.strerror or error}") from error


def load(file: str | PathLike[str], cmap: CorridorMap, *, threads: int | None) -> Crowd:
    """Read a checkpoint."""
    arrays = _read(file)
    try:
        facts = json.loads(bytes(arrays.pop("facts")))
        if facts["format"] != FORMAT or facts["version"] != VERSION:
            raise BadFile(f"{file}: is not a checkpoint of this version of Footway")
        if facts["edges"] != len(cmap.edges):
            raise BadFile(
                f"{file}: was made on a map with {facts['edges']} edges, this one has "
                f"{len(cmap.edges)}: give the same map"
            )
        return _restore(cmap, facts, arrays, threads)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"{file}: is damaged: {error!r:.80}") from error


def _read(file: str | PathLike[str]) -> Arrays:
    try:
        with np.load(file, allow_pickle=False) as found:
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


def _engine_arrays(crowd: Crowd) -> Arrays:
    engine, places = crowd._engine, crowd._places  # noqa: SLF001  # the other half of the class
    arrays: Arrays = {name: rows[: engine.n] for name, rows in engine.state._asdict().items()}
    arrays |= {"slot_of": engine.slot_of, "pool": engine.pool, "lists": engine.lists}
    arrays |= {"spots": places.spots, "pieces": places.pieces, "reach": places.reach}
    tracks = engine.tracks
    return arrays | {f"tracks_{name}": rows for name, rows in tracks._asdict().items()}


def _part_arrays(crowd: Crowd) -> Arrays:
    arrays: Arrays = {}
    for k, group in enumerate(crowd.groups):
        arrays |= {f"group{k}_ids": group.ids, f"group{k}_backbone": group.backbone}
    for k, source in enumerate(crowd._sources):  # noqa: SLF001
        parts = {"ids": source.ids, "times": source.times, "points": source.points}
        arrays |= {f"source{k}_{name}": rows for name, rows in (parts | source.rows).items()}
    return arrays


def _facts(crowd: Crowd) -> dict[str, Any]:
    engine, groups = crowd._engine, crowd._groups  # noqa: SLF001
    return {
        "format": FORMAT, "version": VERSION, "edges": len(crowd.map.edges),
        "seed": crowd.seed, "step": crowd.dt, "avoidance": crowd.avoidance,
        "steps": crowd.steps, "next": crowd._next,  # noqa: SLF001
        "arrivals": crowd.arrivals, "exited": crowd.exited, "widest": engine.widest,
        "populations": [p.to_list() for p in crowd._populations],  # noqa: SLF001
        "pools": [[radius, *pool] for radius, pool in crowd._pools.items()],  # noqa: SLF001
        "queue": crowd._planner.waiting,  # noqa: SLF001
        "groups": [
            [list(g.bounds), g.arrived, g.edge, list(g.samples)] for g in crowd.groups
        ],
        "samples": groups.used,
        "obstacles": [[k, asdict(o)] for k, o in crowd._obstacles.all.items()],  # noqa: SLF001
        "next_obstacle": crowd._obstacles.next,  # noqa: SLF001
        "sources": [source.next for source in crowd._sources],  # noqa: SLF001
    }  # fmt: skip


def _restore(
    cmap: CorridorMap, facts: dict[str, Any], arrays: Arrays, threads: int | None
) -> Crowd:
    from footway.crowd.crowd import Crowd

    crowd = Crowd(
        cmap,
        seed=facts["seed"],
        step=facts["step"],
        threads=threads,
        avoidance=facts["avoidance"],
    )
    _restore_engine(crowd, facts, arrays)
    crowd._next = facts["next"]  # noqa: SLF001
    crowd.arrivals, crowd.exited = facts["arrivals"], facts["exited"]
    crowd._populations = [Population.from_list(p) for p in facts["populations"]]  # noqa: SLF001
    crowd._pools = {radius: Pool(first, size) for radius, first, size in facts["pools"]}  # noqa: SLF001
    for number, keep in facts["queue"]:
        crowd._planner.ask(number, keep_goal=keep)  # noqa: SLF001
    _restore_parts(crowd, facts, arrays)
    return crowd


def _restore_engine(crowd: Crowd, facts: dict[str, Any], arrays: Arrays) -> None:
    engine, places = crowd._engine, crowd._places  # noqa: SLF001
    made = make_state(len(arrays["place"]))
    for name, rows in made._asdict().items():
        rows[:] = arrays[name]
    engine.restore(
        made,
        arrays["slot_of"],
        facts["steps"],
        facts["widest"],
    )
    engine.pool, engine.lists = arrays["pool"], arrays["lists"]
    engine.tracks = type(engine.tracks)(
        **{name: arrays[f"tracks_{name}"] for name in engine.tracks._fields}
    )
    places.spots, places.pieces, places.reach = (
        arrays["spots"], arrays["pieces"], arrays["reach"],
    )  # fmt: skip


def _restore_parts(crowd: Crowd, facts: dict[str, Any], arrays: Arrays) -> None:
    groups, obstacles = crowd._groups, crowd._obstacles  # noqa: SLF001
    for k, (bounds, arrived, edge, samples) in enumerate(facts["groups"]):
        group = groups.add(arrays[f"group{k}_ids"], Bounds(*bounds))
        group.arrived, group.edge, group.samples = (
            arrived,
            edge,
            (samples[0], samples[1]),
        )
        group.backbone = arrays[f"group{k}_backbone"]
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
        crowd._sources.append(Source(**parts, rows=rows, next=following))  # noqa: SLF001
