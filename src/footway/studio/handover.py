"""Write a document into a folder and read it back: how the loading process returns its result.

    document.npz   JSON header; geometry of the environment and rows of the recording as arrays
    map.fwmap      the corridor map
    scenario.toml  the text of the scenario

Nothing is pickled. The reader does not trust the writer, because an untrusted file may have taken
control of the process that wrote these files. Arrays are checked before use, and
the Parquet file of a recording is not read again unless it has more than `MAX_ROWS` rows.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from footway.corridor import CorridorMap
from footway.errors import BadFile, FootwayError
from footway.recording.recording import OBSTACLE_COLUMNS, Characters, Recording, Rows
from footway.recording.storage import check_sound
from footway.studio.documents import Document, What
from footway.studio.wire import origin_of

if TYPE_CHECKING:
    Arrays = dict[str, np.ndarray[Any, Any]]

MAX_ROWS: Final = 20_000_000
"""Rows of a recording that are written as arrays, 640 MB; a longer one stays in its file."""

_ARRAYS, _MAP, _SCENARIO = "document.npz", "map.fwmap", "scenario.toml"
_DAMAGE: Final = (
    OSError, ValueError, LookupError, TypeError, EOFError, RuntimeError, MemoryError,
    zipfile.BadZipFile,
)  # fmt: skip


# -- writing, in the loading process -----------------------------------------------------------


def pack(document: Document, folder: Path, *, file: str) -> None:
    """Write a document that was opened from `file` into a folder.

    Raises:
        BadFile: the files cannot be written.

    """
    facts: dict[str, Any] = {
        "name": document.name,
        "what": document.what,
        "boxed": document.is_boxed,
        "environment": None,
        "recording": None,
    }
    arrays: Arrays = {}
    if document.environment is not None:
        from footway.formats.environment_arrays import to_arrays

        facts["environment"], arrays = to_arrays(document.environment)
    if document.recording is not None:
        facts["recording"], more = _split_recording(document.recording)
        arrays |= more
    try:
        arrays["header"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
        with (folder / _ARRAYS).open("wb") as stream:
            np.savez(stream, **arrays)  # type: ignore[arg-type]
        document.corridors.save(folder / _MAP)
        if document.scenario is not None:
            (folder / _SCENARIO).write_bytes(Path(file).read_bytes())
    except OSError as error:
        raise BadFile(
            f"{document.name}: cannot be written: {error.strerror}; free some space for "
            "temporary files"
        ) from None


def _split_recording(recording: Recording) -> tuple[dict[str, Any], Arrays]:
    """Return facts and arrays of a recording, without its rows if there are too many."""
    facts = {
        "step": recording.step,
        "names": list(recording.names),
        "map": recording.map_name,
        "seed": recording.seed,
        "complete": recording.complete,
    }
    rows = int(recording.offsets[-1])
    arrays: Arrays = {
        "times": recording.times,
        "steps": recording.steps,
        "offsets": recording.offsets,
        "obstacles": recording.obstacles,
        **dict(zip(("who", "radius", "population"), recording.characters, strict=True)),
    }
    if rows <= MAX_ROWS:
        read = recording.source.read(0, rows)
        arrays |= dict(zip(("ids", "positions", "velocities"), read, strict=True))
    return facts, arrays


# -- reading, in the server --------------------------------------------------------------------


def unpack(folder: Path, *, file: str) -> Document:
    """Return the document that `pack` wrote into a folder; `file` is what it was opened from.

    Raises:
        BadFile: the files are damaged.

    """
    from footway.formats.environment_arrays import from_arrays

    try:
        facts, arrays = _read(folder / _ARRAYS)
        what = facts["what"]
        if what not in get_args(What):
            raise ValueError("unknown kind of document")
        corridors = CorridorMap.load(folder / _MAP)
        if not isinstance(corridors, CorridorMap):
            raise TypeError("a map in three dimensions")
        made = Document(
            str(facts["name"]),
            what,
            None if facts["environment"] is None else from_arrays(facts["environment"], arrays),
            corridors,
            is_boxed=facts["boxed"] is True,
        )
        if what == "scenario":
            from footway.scenario.reading import parse_scenario

            text = (folder / _SCENARIO).read_text(encoding="utf-8-sig")
            scenario = parse_scenario(text, name=made.name, folder=Path(file).parent)
            made = replace(made, scenario=scenario)
        if what == "recording":
            made = replace(made, recording=_join_recording(facts["recording"], arrays, file))
    except (FootwayError, *_DAMAGE) as error:
        raise BadFile(f"the result of loading is damaged: {error}") from None
    return replace(made, origin=origin_of(made.bounds))


def _read(file: Path) -> tuple[dict[str, Any], Arrays]:
    """Return header and arrays of an archive; refuse compression, which could hide a huge size."""
    with zipfile.ZipFile(file) as archive:
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
            raise ValueError("the archive is compressed")
    with np.load(file, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    facts = json.loads(arrays.pop("header").tobytes())
    if not isinstance(facts, dict):
        raise TypeError("no header")
    return facts, arrays


class _RowsInMemory:
    """Rows of a recording in memory."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        ids, positions, velocities = self._rows
        return Rows(ids[first:last], positions[first:last], velocities[first:last])


def _join_recording(facts: dict[str, Any], arrays: Arrays, file: str) -> Recording:
    """Return a recording with its rows in memory; a very long one reads them from its file."""
    if "ids" not in arrays:
        return Recording.load(file)
    times, steps, offsets = (_array(arrays, name) for name in ("times", "steps", "offsets"))
    characters = Characters(*(_array(arrays, name) for name in ("who", "radius", "population")))
    rows = Rows(*(_array(arrays, name) for name in ("ids", "positions", "velocities")))
    names = tuple(str(name) for name in facts["names"])
    sound = (
        len(times) == len(steps) == len(offsets) - 1
        and offsets[0] == 0
        and bool((np.diff(offsets) >= 0).all())
        and all(len(column) == offsets[-1] for column in rows)
        and len({len(column) for column in characters}) == 1
        and bool(np.isin(rows.ids, characters.ids).all())
    )
    if not sound:
        raise ValueError("the arrays of the recording do not fit together")
    made = Recording(
        step=float(facts["step"]),
        times=times,
        steps=steps,
        offsets=offsets,
        characters=characters,
        names=names,
        map_name=str(facts["map"]),
        seed=int(facts["seed"]),
        complete=facts["complete"] is True,
        obstacles=_array(arrays, "obstacles"),
        source=_RowsInMemory(rows),
    )
    check_sound(made)
    return made


_KINDS: Final = {
    "times": ("<f8", 0), "steps": ("<i8", 0), "offsets": ("<i8", 0),
    "obstacles": ("<f8", OBSTACLE_COLUMNS), "who": ("<i8", 0), "radius": ("<f8", 0),
    "population": ("<i4", 0), "ids": ("<i8", 0), "positions": ("<f8", 2), "velocities": ("<f4", 2),
}  # fmt: skip
"""Type and columns (0: a plain list) of each array of a recording."""


def _array(arrays: Arrays, name: str) -> Any:
    kind, columns = _KINDS[name]
    array = arrays[name]
    if array.dtype != np.dtype(kind) or array.shape[1:] != ((columns,) if columns else ()):
        raise ValueError(f"array {name} has the wrong shape or type")
    return array
