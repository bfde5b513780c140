"""Write recordings to Parquet during a run, and load them.

During a run, frames are written as parts, each a Parquet file (see `output`); `close` merges them
into one file. A killed run leaves its parts, which `load` can read.
"""

from __future__ import annotations

import json
import math
import os
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway import validation
from footway.errors import BadFile
from footway.recording.joining import Sources, joined, union
from footway.recording.output import NEW, Output, folder_of, parts_in
from footway.recording.parquet_file import ParquetRows, write_parquet
from footway.recording.recording import (
    OBSTACLE_COLUMNS,
    Chained,
    Characters,
    InMemory,
    Recorder,
    Recording,
    concatenated,
)
from footway.writing import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from footway.recording.recorded_map import RecordedMap
    from footway.recording.recording import Rows, RowSource

FORMAT: Final = "footway recording"
VERSION: Final = 1

ROWS_PER_GROUP: Final = 500_000
"""About 10 MB in the file and 20 MB in memory; two groups are in memory at a time."""

_SHORTEST_PART: Final = 10.0
"""s of real time after which waiting frames are written: the most that a killed run loses."""

_SHARE_OF_RUN: Final = 0.01
"""The same as a fraction of the run so far, to limit the number of parts of long runs."""

SUFFIX: Final = ".parquet"

_FRAME: Final = np.dtype([("step", np.int64), ("time", np.float64), ("count", np.int64)])


class ParquetRecorder(Recorder):
    """Streams the frames of a run into a Parquet file, in constant memory.

    `close` returns a recording that reads rows from the file on demand. As a context manager it
    writes the frames so far if the run fails, and marks the file as incomplete.

    Args:
        file: output file. An existing file is replaced when the run has ended.
        step: s, of the simulation.
        seed: of the simulation.
        map_name: name of the map.
        names: of populations.
        recorded_map: the map; only the first part and the output contain it.
        floor_names: of a building.
        rows_per_group: minimum number of rows per write, in whole frames.
        before: earlier frames of this run, which are in `file`: recording continues in it.

    Raises:
        BadFile: the file cannot be written, or another process is writing it.
    """

    def __init__(
        self,
        file: str | PathLike[str],
        *,
        step: float,
        seed: int,
        map_name: str,
        names: Sequence[str],
        recorded_map: RecordedMap | None = None,
        floor_names: Sequence[str] = (),
        rows_per_group: int = ROWS_PER_GROUP,
        before: Recording | None = None,
    ) -> None:
        super().__init__(
            step=step, seed=seed, map_name=map_name, names=names, recorded_map=recorded_map,
            floor_names=floor_names,
        )  # fmt: skip
        self.file = Path(file)
        self._rows_per_group = rows_per_group
        self._waiting = 0  # rows not written yet
        self._parts = _PartFiles()
        self._is_broken = False  # a part could not be written; only earlier parts exist
        self._output = Output(file)
        try:
            self._begin(before)
        except BaseException:
            self._output.release()
            raise
        self._began = self._last_flush = time.monotonic()
        self._writer = ThreadPoolExecutor(1)  # compresses rows while the simulation continues
        self._pending: Future[None] | None = None

    def _begin(self, before: Recording | None) -> None:
        """Take over earlier frames, and write a part without frames to detect errors early."""
        if before is not None:
            source = before.source
            if not (isinstance(source, ParquetRows) and source.n_rows == before.offsets[-1]):
                _write(replace(before, complete=False), self._output, self._output.file)
                before = replace(before, source=ParquetRows(self._output.file))
            self.continue_from(before)
        self._before, self._frames_written = before, len(self._steps)
        self._output.clear()
        self._write_part(self._new_frames())

    def flush(self) -> None:
        """Write the frames so far and wait until they are on disk."""
        self._flush()
        self._wait_for_writer()

    def close(self) -> Recording:
        """Write the remaining frames and return a recording that reads from the file.

        Raises:
            BadFile: the file cannot be written, or an earlier part of it could not be.
        """
        self._finish(complete=True)
        if self._is_broken:
            raise BadFile(
                f"{self.file}: is not complete: some frames could not be written; those before "
                f"them are in {self._output.folder.name}"
            )
        return self._recording(ParquetRows(self._output.file))

    def stop(self) -> None:
        """Write the frames so far and mark the file as incomplete."""
        self._finish(complete=False)

    def __exit__(self, *_: object) -> None:
        """Stop unless already closed."""
        if not self._output.released:
            self.stop()

    def _keep(self, rows: Rows) -> None:
        super()._keep(rows)
        self._waiting += len(rows.ids)
        now = time.monotonic()
        pause = max(_SHORTEST_PART, _SHARE_OF_RUN * (now - self._began))
        if self._waiting >= self._rows_per_group or now >= self._last_flush + pause:
            self._flush()

    def _flush(self) -> None:
        """Pass the waiting frames to the writer thread once it has finished the previous ones."""
        self._wait_for_writer()
        self._last_flush = time.monotonic()
        if not self._kept:
            return
        self._pending = self._writer.submit(self._write_part, self._new_frames())
        self._frames_written += len(self._kept)
        self._kept, self._waiting = [], 0

    def _wait_for_writer(self) -> None:
        """Wait for the writer thread; raise BadFile if it failed."""
        if self._pending is None:
            return
        pending, self._pending = self._pending, None
        self._is_broken = True
        with self._naming_parts():
            pending.result()
        self._is_broken = False

    @contextmanager
    def _naming_parts(self) -> Iterator[None]:
        """Add the location of earlier frames to write errors."""
        try:
            yield
        except BadFile as error:
            if not self._parts.n_rows:
                raise
            folder = self._output.folder.name
            raise BadFile(f"{error}; the frames before that are in {folder}") from None

    def _new_frames(self) -> Recording:
        """Return the frames not written yet as a recording in memory."""
        first = self._frames_written
        whole = self._recording(InMemory(concatenated(self._kept)), complete=False)
        return replace(
            whole,
            times=whole.times[first:],
            steps=whole.steps[first:],
            offsets=whole.offsets[first:] - whole.offsets[first],
        )

    def _write_part(self, new: Recording) -> None:
        """Write the next part; called in the writer thread."""
        path = self._output.part(len(self._parts))
        if len(self._parts):
            new = replace(new, recorded_map=None)
        _write(
            new,
            self._output,
            path,
            rows_per_group=self._rows_per_group,
            is_continued=self._before is not None,
        )
        self._parts.add(path, int(new.offsets[-1]))
        self.size += path.stat().st_size

    def _finish(self, *, complete: bool) -> None:
        """Merge all frames into one file; on failure the parts are kept."""
        try:
            self._wait_for_writer()
            if not self._is_broken:
                self._merge(complete=complete)
        finally:
            self._parts.close()
            self._writer.shutdown()
            self._output.release()

    def _merge(self, *, complete: bool) -> None:
        kept = InMemory(concatenated(self._kept))
        sources: list[tuple[RowSource, int]] = [
            (self._parts, self._parts.n_rows),
            (kept, self._waiting),
        ]
        if self._before is not None:
            sources.insert(0, (self._before.source, int(self._before.offsets[-1])))
        whole = self._recording(Sources(sources), complete=complete)
        with self._naming_parts():
            try:
                _write(whole, self._output, self._output.file, rows_per_group=self._rows_per_group)
            except BaseException:
                with suppress(BadFile):
                    self.flush()
                raise
        self._output.clear()


class _PartFiles(Chained):
    """Rows of the parts of a run; one file is open at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._files: list[Path] = []
        self._open: tuple[int, ParquetRows] | None = None

    def __len__(self) -> int:
        return len(self._files)

    def add(self, file: Path, rows: int) -> None:
        """Add a part with a number of rows."""
        self._files.append(file)
        self._ends.append(self.n_rows + rows)

    def close(self) -> None:
        """Close the open file."""
        if self._open is not None:
            self._open[1].close()
        self._open = None

    def source(self, k: int) -> ParquetRows:
        """Return the rows of part k."""
        if self._open is None or self._open[0] != k:
            self.close()
            file = self._files[k]
            if not file.exists():
                name = file.parent.name.removesuffix(".parts")
                raise BadFile(f"{name}: its run has continued since it was loaded; load it again")
            self._open = k, ParquetRows(file)
        return self._open[1]


def check_name(file: str | PathLike[str]) -> Path:
    """Return the path of a recording; raise BadInput if it lacks the suffix .parquet."""
    return validation.named(file, "a recording", SUFFIX)


def save(recording: Recording, file: str | PathLike[str]) -> None:
    """Write a recording atomically."""
    output = Output(check_name(file))
    try:
        _write(recording, output, output.file)
        output.clear()  # parts of a killed run, now outdated
    finally:
        output.release()


def _write(
    recording: Recording,
    output: Output,
    file: Path,
    *,
    rows_per_group: int = ROWS_PER_GROUP,
    is_continued: bool = False,
) -> None:
    """Write a recording atomically, as an output or a part of it."""
    is_empty = np.diff(recording.offsets) == 0
    empty = zip(recording.steps[is_empty].tolist(), recording.times[is_empty].tolist(), strict=True)
    header = json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "step": recording.step,
            "seed": recording.seed,
            "map": recording.map_name,
            "names": recording.names,
            "complete": recording.complete,
            "continued": is_continued,  # a part of a run whose first frames are in the output
            "empty": list(empty),  # frames without characters have no rows
            "obstacles": recording.obstacles.tolist(),
        }
        | (
            {
                "floors": recording.floor_names,
                "obstacle_floors": recording.obstacle_floors.tolist(),
            }
            if recording.floor_names
            else {}
        )
    )
    temporary = output.folder / f"{file.name}{NEW}"
    finished = whole_file(file, temporary=temporary, name=output.name)
    with finished as part, part.open("wb") as stream:
        write_parquet(recording, stream, header, rows_per_group=rows_per_group)


def load(file: str | PathLike[str]) -> Recording:
    """Load frames and characters of a recording; rows are read on demand."""
    path = validation.file(file)
    while True:
        parts = unfinished_parts(path)
        try:
            found = _load_parts(path, parts) if parts else None
        except BadFile:
            if unfinished_parts(path) == parts:
                raise
            continue  # the run has ended meanwhile
        if found is None or not (found.n_frames or path.is_dir() or not path.exists()):
            return _load_file(path)
        return found


def unfinished_parts(file: Path) -> list[Path]:
    """Return the parts of an unfinished run that is newer than the existing file.

    `file` is the output of the run, or the folder of its parts.
    """
    real = Path(os.path.realpath(file))
    if real.is_dir():
        return parts_in(real)
    parts = parts_in(folder_of(real))
    try:
        if parts and real.exists() and real.stat().st_mtime_ns >= parts[-1].stat().st_mtime_ns:
            return []  # the run ended but was killed before its parts were removed
    except FileNotFoundError:
        return unfinished_parts(file)
    return parts


def _load_parts(file: Path, parts: list[Path]) -> Recording:
    """Load the parts of a run that was killed or still runs, and the frames before them."""
    rows, contents = _PartFiles(), _Contents()
    for part in parts:
        source = ParquetRows(part)
        with source.damage_named(), closing(source):
            contents.add(source)
            rows.add(part, source.n_rows)
    found = contents.recording(rows, complete=False)
    if not (contents.header["continued"] and found.n_frames and file.is_file()):
        return found
    return replace(
        joined([_load_file(file), found]),
        obstacles=found.obstacles,
        obstacle_floors=found.obstacle_floors,
    )


def _load_file(file: Path) -> Recording:
    source, contents = ParquetRows(file), _Contents()
    with source.damage_named():
        contents.add(source)
        return contents.recording(source, complete=contents.header["complete"] is True)


class _Contents:
    """Collects frames and characters from the columns of one or more files.

    Ids may be arbitrary: memory is proportional to the rows, not to the largest id.
    """

    NEEDS = ("frame", "time", "id", "radius", "population")

    def __init__(self) -> None:
        self.header: dict[str, Any] = {}
        self._frames: list[NDArray[np.void]] = []  # step, time and number of rows
        self._characters: list[Characters] = []
        self._map: RecordedMap | None = None

    def add(self, source: ParquetRows) -> None:
        """Add the frames of a file; the header of the last file and the first map count."""
        self.header = json.loads(source.header)
        if bool(self.header.get("floors")) != source.on_floors:
            raise ValueError("the columns do not fit to the floors")
        if self.header["format"] != FORMAT or self.header["version"] != VERSION:
            raise BadFile(
                f"{source.file}: written by another Footway (format {self.header['version']}, this "
                f"one reads {VERSION}); update Footway"
            )
        self._map = self._map or source.recorded_map
        for group in range(source.n_groups):
            self._add_rows(*source.columns(group, self.NEEDS))
        empty = [(int(step), float(time), 0) for step, time in self.header["empty"]]
        self._frames.append(np.array(empty, _FRAME))

    def _add_rows(self, *columns: NDArray[Any]) -> None:
        """Add the columns of a row group, one value per row."""
        frame, time, ids, radius, population = columns
        if not len(ids):
            return
        if ids.min() < 0:
            raise ValueError("an id is negative")
        first = np.concatenate([[0], np.flatnonzero(np.diff(frame)) + 1])
        found = np.empty(len(first), _FRAME)
        found["step"], found["time"] = frame[first], time[first]
        found["count"] = np.diff(np.append(first, len(frame)))
        self._frames.append(found)
        ids, first = np.unique(ids, return_index=True)
        self._characters.append(Characters(ids.astype(np.int64), radius[first], population[first]))

    def recording(self, source: RowSource, *, complete: bool) -> Recording:
        """Return the recording; raise ValueError if its columns are inconsistent."""
        header = self.header
        frames = np.concatenate([np.empty(0, _FRAME), *self._frames])
        frames = frames[np.argsort(frames["step"], kind="stable")]
        obstacles = header.get("obstacles", [])
        made = Recording(
            step=float(header["step"]),
            times=frames["time"].copy(),
            steps=frames["step"].copy(),
            offsets=np.concatenate([[0], np.cumsum(frames["count"])]),
            characters=union(self._characters),
            names=tuple(str(name) for name in header["names"]),
            map_name=str(header["map"]),
            seed=int(header["seed"]),
            complete=complete,
            obstacles=np.array(obstacles, float).reshape(-1, OBSTACLE_COLUMNS),
            obstacle_floors=np.array(
                header.get("obstacle_floors", [-1] * len(obstacles)), np.int16
            ),
            recorded_map=self._map,
            floor_names=tuple(str(name) for name in header.get("floors", ())),
            source=source,
        )
        check_sound(made)
        return made


def check_sound(made: Recording) -> None:
    """Raise ValueError if the columns of a file contradict each other."""
    ids, radius, population = made.characters
    sound = (
        math.isfinite(made.step)
        and (np.diff(ids) > 0).all()
        and (np.diff(made.steps) > 0).all()
        and np.isfinite(made.times).all()
        and np.isfinite(radius).all()
        and np.isfinite(made.obstacles).all()
        and made.obstacle_floors.shape == (len(made.obstacles),)
        and (made.obstacle_floors >= -1).all()
        and (made.obstacle_floors < max(1, len(made.floor_names))).all()
        and ((population >= 0) & (population < max(1, len(made.names)))).all()
    )
    if not sound:
        raise ValueError("the columns do not fit together")
