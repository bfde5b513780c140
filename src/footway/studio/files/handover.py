"""Write a document into a folder and read it back: how the loading process returns its result.

    document.npz    name and kind of the document, geometry of its environment
    map.fwmap       the corridor map
    scenario.toml   the text of the scenario
    recording.npz   the recording; one of more than `MAX_ROWS` rows stays in its Parquet file

Nothing is pickled. The reader does not trust the writer, because an untrusted file may have taken
control of the process that wrote these files: `archive` checks every array before use, and
compressed files are refused, because a small one could fill the memory of the server.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from footway import archive
from footway.archive import Array, Kind, Number, OneOf, Whole
from footway.corridor import CorridorMap
from footway.environment.plan import Plan
from footway.errors import BadFile, FootwayError
from footway.formats.environment_arrays import from_arrays, to_arrays
from footway.recording.recorded_floors import check_building
from footway.recording.recorded_map import RecordedMap
from footway.recording.recording import OBSTACLE_COLUMNS, Characters, Recording, Rows
from footway.recording.storage import check_sound
from footway.studio.documents import Document, What
from footway.studio.protocol.wire import origin_of

if TYPE_CHECKING:
    Arrays = dict[str, np.ndarray[Any, Any]]

MAX_ROWS: Final = 20_000_000
"""Rows of a recording that are written as arrays, 640 MB; a longer one stays in its file."""

_DOCUMENT_FILE, _MAP_FILE = "document.npz", "map.fwmap"
_SCENARIO_FILE, _RECORDING_FILE = "scenario.toml", "recording.npz"
_MOST: Final = 2**62
_AGAIN: Final = "load the file again"

_DOCUMENT: Final = Kind(
    "footway-studio-document", 2, "document", _AGAIN,
    {"shapes": Array("|u1", ("bytes",), 0, 255), "shape_ends": Array("<i8", ("shapes",), 0, _MOST)},
    {"name": str, "what": OneOf(get_args(What)), "boxed": bool, "environment": str, "plan": str},
)  # fmt: skip

_RECORDING: Final = Kind(
    "footway-studio-recording", 2, "recording", _AGAIN,
    {
        "times": Array("<f8", ("frames",)),
        "steps": Array("<i8", ("frames",), 0, _MOST),
        "offsets": Array("<i8", ("frames+1",), 0, "rows", step=0),
        "obstacles": Array("<f8", ("motions", OBSTACLE_COLUMNS)),
        "obstacle_floors": Array("<i2", ("motions",), -1, "floor_names"),
        "character_ids": Array("<i8", ("characters",), 0, _MOST),
        "radius": Array("<f8", ("characters",), 0.0),
        "population": Array("<i4", ("characters",), 0, 2**31 - 1),
        "ids": Array("<i8", ("rows",), 0, _MOST),
        "positions": Array("<f8", ("rows", 2)),
        "velocities": Array("<f4", ("rows", 2), nan=True),
        # As many as rows in a building, none in the plane.
        "floors": Array("<i2", ("floor_rows",), 0, "floor_names"),
        "heights": Array("<f4", ("floor_rows",)),
    },
    {
        "step": Number(0.0, math.inf), "names": [str], "map": str, "seed": Whole(-_MOST, 2**64),
        "complete": bool, "floor_names": [str],
    },
)  # fmt: skip


def pack(document: Document, folder: Path, *, file: str) -> None:
    """Write a document that was opened from `file` into a folder.

    Raises:
        BadFile: the files cannot be written.
    """
    environment: dict[str, Any] = {}
    arrays: Arrays = {"shapes": np.empty(0, np.uint8), "shape_ends": np.empty(0, np.int64)}
    if document.environment is not None:
        environment, arrays = to_arrays(document.environment)
    facts = {
        "name": document.name,
        "what": document.what,
        "boxed": document.is_boxed,
        "environment": json.dumps(environment) if environment else "",
        "plan": "" if document.plan is None else document.plan.to_text(),
    }
    try:
        archive.write(folder / _DOCUMENT_FILE, _DOCUMENT, facts, arrays)
        document.corridors.save(folder / _MAP_FILE)
        archive.store(folder / _MAP_FILE)  # maps of roadmaps are compressed
        if document.scenario is not None:
            (folder / _SCENARIO_FILE).write_bytes(Path(file).read_bytes())
        if document.recording is not None and document.recording.offsets[-1] <= MAX_ROWS:
            _pack_recording(document.recording, folder / _RECORDING_FILE)
    except (OSError, BadFile) as error:
        raise BadFile(
            f"{document.name}: cannot be written: {error}; free some space for temporary files"
        ) from None


def _pack_recording(recording: Recording, file: Path) -> None:
    facts = {
        "step": recording.step,
        "names": list(recording.names),
        "map": recording.map_name,
        "seed": recording.seed,
        "complete": recording.complete,
        "floor_names": list(recording.floor_names),
    }
    rows = recording.source.read(0, int(recording.offsets[-1]))
    arrays: Arrays = {
        "times": recording.times,
        "steps": recording.steps,
        "offsets": recording.offsets,
        "obstacles": recording.obstacles,
        "obstacle_floors": recording.obstacle_floors,
        **dict(zip(("character_ids", "radius", "population"), recording.characters, strict=True)),
        **dict(zip(("ids", "positions", "velocities"), rows[:3], strict=True)),
        "floors": np.empty(0, np.int16) if rows.floors is None else rows.floors,
        "heights": np.empty(0, np.float32) if rows.heights is None else rows.heights,
    }
    archive.write(file, _RECORDING, facts, arrays)


def unpack(folder: Path, *, file: str) -> Document:
    """Return the document that `pack` wrote into a folder; `file` is what it was opened from.

    Raises:
        BadFile: the files are damaged.
    """
    try:
        for name in (_DOCUMENT_FILE, _MAP_FILE, _RECORDING_FILE):
            if name != _RECORDING_FILE or (folder / name).exists():
                archive.require_stored(folder / name)
        with archive.reading(folder / _DOCUMENT_FILE, _DOCUMENT) as (facts, arrays):
            about = facts["environment"]
            environment = from_arrays(json.loads(about), arrays) if about else None
        what, boxed = facts["what"], facts["boxed"]
        corridors = _unpack_map(folder)
        plan = Plan.from_text(facts["plan"]) if facts["plan"] else None
        made = Document(facts["name"], what, environment, corridors, is_boxed=boxed, plan=plan)
        if what == "scenario":
            from footway.scenario.reading import parse_scenario

            text = (folder / _SCENARIO_FILE).read_text(encoding="utf-8-sig")
            scenario = parse_scenario(text, name=made.name, folder=Path(file).parent)
            made = replace(made, scenario=scenario)
        if what == "recording":
            is_long = not (folder / _RECORDING_FILE).exists()
            recording = Recording.load(file) if is_long else _unpack_recording(folder)
            _check_floors(recording, made)
            if not boxed and recording.recorded_map is None:  # so that it is saved with its map
                own = RecordedMap(made.environment, building=made.building)
                recording = replace(recording, recorded_map=own)
            made = replace(made, recording=recording)
    except (FootwayError, OSError, ValueError, LookupError, TypeError, MemoryError) as error:
        raise BadFile(f"the result of loading is damaged: {error}") from None
    return replace(made, origin=origin_of(made.bounds))


def _check_floors(recording: Recording, document: Document) -> None:
    if document.building is not None:
        check_building(recording, document.building, document.name)
    elif recording.floor_names:
        raise ValueError("a recording of a building on a plan")


def _unpack_map(folder: Path) -> CorridorMap:
    corridors = CorridorMap.load(folder / _MAP_FILE)
    if not isinstance(corridors, CorridorMap):
        raise TypeError("a map in three dimensions")
    return corridors


class _RowsInMemory:
    """Rows of a recording in memory."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        return Rows._make(None if rows is None else rows[first:last] for rows in self._rows)


def _unpack_recording(folder: Path) -> Recording:
    with archive.reading(folder / _RECORDING_FILE, _RECORDING) as (facts, arrays):
        pass
    characters = Characters(*(arrays[name] for name in ("character_ids", "radius", "population")))
    rows = Rows(*(arrays[name] for name in ("ids", "positions", "velocities")))
    if facts["floor_names"]:
        rows = rows._replace(floors=arrays["floors"], heights=arrays["heights"])
        if len(arrays["floors"]) != len(rows.ids):
            raise ValueError("rows without a floor")
    if not np.isin(rows.ids, characters.ids).all():
        raise ValueError("rows of unknown characters")
    made = Recording(
        step=facts["step"],
        times=arrays["times"],
        steps=arrays["steps"],
        offsets=arrays["offsets"],
        characters=characters,
        names=tuple(facts["names"]),
        map_name=facts["map"],
        seed=facts["seed"],
        complete=facts["complete"],
        obstacles=arrays["obstacles"],
        obstacle_floors=arrays["obstacle_floors"],
        floor_names=tuple(facts["floor_names"]),
        source=_RowsInMemory(rows),
    )
    check_sound(made)
    return made
