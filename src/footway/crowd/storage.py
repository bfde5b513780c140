"""Recordings as Parquet, one row per character and frame, streamed while the crowd walks.

After every row group the file has a footer: a run that is killed leaves a file that any Parquet
reader opens, up to its last row group. Frames are never split over two groups. Where the kill hit
the middle of a write, `load` goes back to the footer before.
"""

from __future__ import annotations

import json
import math
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from footway import validation
from footway.crowd.parquet_file import GrowingFile, ParquetRows
from footway.crowd.recording import Recorder, Recording, Rows
from footway.errors import BadFile, BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from numpy.typing import NDArray

FORMAT: Final = "footway recording"
VERSION: Final = 1

ROWS_PER_GROUP: Final = 500_000
"""About 10 MB of file and 20 MB of memory; two groups are in memory at a time."""

SUFFIX: Final = ".parquet"

_MOST_IDS: Final = 2**28
"""A recording with larger ids is damaged: arrays are as long as the largest id."""


class ParquetRecorder(Recorder):
    """Streams the frames of a run into a Parquet file; memory stays flat.

    `close` gives a recording that reads the file when it is asked for rows. As a context manager
    it writes the frames so far where a run fails, and the file says that it is not complete.

    Args:
        file: to write; a file of this name is replaced.
        step: s, of the simulation.
        seed: of the simulation.
        map_name: of the map that they walk on.
        names: of populations.
        rows_per_group: rows that are written at a time, in whole frames.

    """

    def __init__(
        self,
        file: str | PathLike[str],
        *,
        step: float,
        seed: int,
        map_name: str,
        names: Sequence[str],
        rows_per_group: int = ROWS_PER_GROUP,
    ) -> None:
        super().__init__(step=step, seed=seed, map_name=map_name, names=names)
        self.file = Path(file)
        self._rows_per_group = rows_per_group
        self._waiting = 0  # rows that are not written yet
        self._empty: list[tuple[int, float]] = []
        self._out = GrowingFile(self.file, self._header(complete=False))
        self._writer = ThreadPoolExecutor(1)  # the crowd walks on while rows are compressed
        self._pending: Future[None] | None = None

    @classmethod
    def after(cls, file: Path, before: Recording) -> Self:
        """Go on with a recording in its own file, which is there whole at every moment.

        `before` are the frames of it that are kept.
        """
        recorder = cls(_part_of(file), **_facts_of(before))
        try:
            recorder.copy(before)
            recorder.rename(file)
        except BaseException:
            recorder.discard()
            raise
        return recorder

    def copy(self, recording: Recording) -> None:
        """Add all frames of a recording, and its obstacles."""
        self.obstacles = recording.obstacles.tolist()
        self.add_characters(*recording.characters)
        for k, number in enumerate(recording.steps.tolist()):
            self.add_frame(number, *recording.frame(k))

    def rename(self, file: Path) -> None:
        """Write the frames so far, and go on in a file of another name."""
        self._flush(complete=False)
        self._await()
        self._out.move(file)
        self.file = file

    def discard(self) -> None:
        """Take the file away."""
        self._writer.shutdown()
        self._out.close()
        self.file.unlink(missing_ok=True)

    def close(self) -> Recording:
        """Write the rest, and return a recording that reads from the file."""
        self._finish(complete=True)
        return self._recording(ParquetRows(self.file))

    def stop(self) -> None:
        """Write the frames so far, and leave the file marked as not complete."""
        self._finish(complete=False)

    def __exit__(self, *_: object) -> None:
        """Stop, unless it was closed."""
        if not self._out.closed:
            self.stop()

    def _keep(self, rows: Rows) -> None:
        if not len(rows.ids):
            self._empty.append((self._steps[-1], self._times[-1]))
        super()._keep(rows)
        self._waiting += len(rows.ids)
        if self._waiting >= self._rows_per_group:
            self._flush(complete=False)

    def _finish(self, *, complete: bool) -> None:
        try:
            self._flush(complete=complete)
            self._await()
        finally:
            self._writer.shutdown()
            self._out.close()

    def _flush(self, *, complete: bool) -> None:
        """Hand the waiting frames to the writer, once it is done with those before."""
        self._await()
        n = len(self._kept)
        when = [column[len(column) - n :] for column in (self._steps, self._times, self._counts)]
        header = self._header(complete=complete)
        self._pending = self._writer.submit(self._write, self._kept, when, header)
        self._kept, self._waiting = [], 0

    def _await(self) -> None:
        if self._pending is not None:
            pending, self._pending = self._pending, None
            pending.result()

    def _write(self, kept: list[Rows], when: list[list[Any]], header: str) -> None:
        """Write frames as a row group, in the writer's thread."""
        steps, times, counts = when
        if not sum(counts):
            self._out.add(None, header)
            return
        ids, positions, velocities = (np.concatenate(part) for part in zip(*kept, strict=True))
        columns = {
            "frame": np.repeat(steps, counts),
            "time": np.repeat(times, counts),
            "id": ids,
            "x": positions[:, 0],
            "y": positions[:, 1],
            "vx": velocities[:, 0],
            "vy": velocities[:, 1],
            "radius": self._radius[ids],
            "population": self._population[ids],
        }
        self._out.add(columns, header)

    def _header(self, *, complete: bool) -> str:
        return json.dumps(
            {
                "format": FORMAT,
                "version": VERSION,
                "step": self.step,
                "seed": self.seed,
                "map": self.map_name,
                "names": self.names,
                "complete": complete,
                "empty": self._empty,  # frames without anybody have no rows
                "obstacles": self.obstacles,
            }
        )


def check_name(file: str | PathLike[str]) -> Path:
    """Return the path of a recording, if its name is one."""
    path = validation.file(file)
    if path.suffix.lower() != SUFFIX:
        raise BadInput(f"{path}: the name of a recording must end in {SUFFIX}")
    return path


def save(recording: Recording, file: str | PathLike[str]) -> None:
    """Write a recording; the file is there whole or not at all."""
    path = check_name(file)
    part = _part_of(path)
    with ParquetRecorder(part, **_facts_of(recording)) as recorder:
        recorder.copy(recording)
        if recording.complete:
            recorder.close()
    try:
        part.replace(path)
    except OSError as error:
        part.unlink()
        raise BadFile(f"{file}: cannot be written: {error.strerror}") from None


def _part_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.part")


def _facts_of(recording: Recording) -> dict[str, Any]:
    return {
        "step": recording.step,
        "seed": recording.seed,
        "map_name": recording.map_name,
        "names": recording.names,
    }


def load(file: str | PathLike[str]) -> Recording:
    """Read who was recorded and when; the rows are read when they are asked for."""
    source = ParquetRows(validation.file(file))
    with source.damage_named():
        header = json.loads(source.header)
        _check_version(file, header)
        reader = _Reader(header)
        for group in range(source.n_groups):
            reader.add_group(*source.columns(group, _Reader.NEEDS))
        reader.add_empty(header["empty"])
        return reader.recording(source, complete=header["complete"] is True and source.whole)


def _check_version(file: str | PathLike[str], header: dict[str, Any]) -> None:
    if header["format"] != FORMAT or header["version"] != VERSION:
        raise BadFile(
            f"{file}: written by another Footway (format {header['version']}, this one reads "
            f"{VERSION}); update Footway"
        )


class _Reader(Recorder):
    """Finds out who was recorded and when, from the columns of a file."""

    NEEDS = ("frame", "time", "id", "radius", "population")

    def __init__(self, header: dict[str, Any]) -> None:
        super().__init__(
            step=header["step"],
            seed=header["seed"],
            map_name=header["map"],
            names=header["names"],
        )
        self.obstacles = header.get("obstacles", [])  # not in the first files

    def add_group(self, *columns: NDArray[Any]) -> None:
        """Take the columns of a row group, one value per row."""
        frame, time, ids, radius, population = columns
        if not len(ids):
            return
        if ids.min() < 0 or ids.max() > _MOST_IDS:
            raise ValueError("ids out of range")
        self.add_characters(ids, radius, population)
        self._seen[ids] = True
        first = np.concatenate([[0], np.flatnonzero(np.diff(frame)) + 1])
        self._steps += frame[first].tolist()
        self._times += time[first].tolist()
        self._counts += np.diff(np.append(first, len(frame))).tolist()

    def add_empty(self, frames: list[tuple[int, float]]) -> None:
        """Put the frames without anybody in their places."""
        found = [*zip(self._steps, self._times, self._counts, strict=True)]
        found += [(int(step), float(time), 0) for step, time in frames]
        found.sort()
        self._steps = [step for step, _, _ in found]
        self._times = [time for _, time, _ in found]
        self._counts = [count for _, _, count in found]

    def recording(self, source: ParquetRows, *, complete: bool) -> Recording:
        """Return the recording, if all fits together."""
        made = self._recording(source, complete=complete)
        who = made.characters
        sound = (
            math.isfinite(self.step)
            and bool((np.diff(made.steps) > 0).all())
            and bool(np.isfinite(made.times).all())
            and bool(np.isfinite(who.radius).all())
            and bool(np.isfinite(made.obstacles).all())
            and bool(((who.population >= 0) & (who.population < max(1, len(self.names)))).all())
        )
        if not sound:
            raise ValueError("the columns do not fit together")
        return made
