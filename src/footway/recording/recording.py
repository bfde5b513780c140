"""A recording: where everybody was, frame by frame, in memory or in a Parquet file.

recording = crowd.run(seconds=60)
recording.save("run.parquet")
recording = fw.Recording.load("run.parquet")
frame = recording.frame(-1)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from footway.errors import BadQuery
from footway.notebook_display import NotebookDisplay
from footway.validation import instance, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from footway.recording.comparing import Comparison

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]
    Ids = NDArray[np.int64]


class Characters(NamedTuple):
    """What does not change about each character. Ids are ascending."""

    ids: Ids  # (n,)
    radius: Floats  # (n,) m
    population: NDArray[np.int32]  # (n,) index into the names of populations


class Frame(NamedTuple):
    """Everybody who was there at one moment."""

    time: float  # s
    ids: Ids  # (n,)
    positions: Floats  # (n, 2) m
    velocities: Singles  # (n, 2) m/s


class Rows(NamedTuple):
    """One row per character and frame, frames one after the other."""

    ids: Ids  # (rows,)
    positions: Floats  # (rows, 2) m
    velocities: Singles  # (rows, 2) m/s


# Columns of a recording's obstacles: x, y (m) and velocity (m/s) of a disc, its radius (m), and the
# times of the first and the last frame in which it moved just so (s).
_X, _Y, _VX, _VY, _RADIUS, FIRST, LAST = range(7)
OBSTACLE_COLUMNS = 7
_SAME = 1e-6  # m and s: closer than this is the same


class RowSource(Protocol):
    """Where the rows of a recording are: in memory or in a file."""

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        ...


@dataclass(frozen=True, eq=False)
class Recording(NotebookDisplay):
    """Where everybody was, at the moments that were recorded.

    Rows of a recording that was loaded from a file are read when they are asked for: `frame`
    reads the part of the file around it, `ids`, `positions` and `velocities` read everything.

    Attributes:
        step: s, of the simulation.
        times: (f,) s, of the frames.
        steps: (f,) number of simulation steps done at each frame, ascending.
        offsets: (f + 1,) frame k has the rows offsets[k] to offsets[k + 1] - 1.
        characters: everybody who is in some frame.
        names: of populations.
        map_name: of the map that they walked on.
        seed: of the simulation.
        complete: False where the run was stopped or killed, or is not over: the frames are right,
            but the last ones are missing.
        obstacles: (k, 7) ways of dynamic obstacles: x, y, velocity, radius, time of the first and
            of the last frame of this way; see `obstacles_at`.
        source: gives the rows.

    """

    step: float
    times: Floats
    steps: Ids
    offsets: Ids
    characters: Characters
    names: tuple[str, ...]
    map_name: str
    seed: int
    complete: bool = True
    obstacles: Floats = field(default_factory=lambda: np.empty((0, OBSTACLE_COLUMNS)), repr=False)
    source: RowSource = field(repr=False, kw_only=True)

    @staticmethod
    def load(file: str | PathLike[str]) -> Recording:
        """Return the recording in a Parquet file, also of a run that was killed or is not over.

        Where a newer run to this file has not ended, its frames are returned: those in the folder
        of its parts, `run.parquet.parts`, whose name may be given, too.

        Raises:
            BadFile: missing, damaged, or not a recording of Footway; one line that says which.

        """
        from footway.recording.storage import load

        return load(file)

    def save(self, file: str | PathLike[str]) -> None:
        """Write the recording as Parquet: one row per character and frame, the same bits.

        Raises:
            BadInput: the name does not end in .parquet.
            BadFile: the file cannot be written.

        """
        from footway.recording.storage import save

        save(self, file)

    def joined(self, *others: Recording) -> Recording:
        """Return the recording of the whole run, where these are parts of one.

        Frames that several of them have are taken once.

        Raises:
            BadInput: they have other seeds, steps, maps or populations.

        """
        from footway.recording.joining import joined

        for other in others:
            instance(other, Recording, "recordings are joined to recordings")
        return joined([self, *others])

    def replay_hash(self) -> str:
        """Return a hash of the whole recording: the same for the same bits, on every machine.

        It is over times, ids, positions, velocities, radii and populations of all frames; see
        `footway.recording.comparing`.
        """
        from footway.recording.comparing import replay_hash

        return replay_hash(self)

    def compare(self, other: Recording) -> Comparison:
        """Compare with another recording: facts that differ, and the first frame that does."""
        from footway.recording.comparing import compare

        instance(other, Recording, "a Recording is needed to compare with")
        return compare(self, other)

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.times)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return float(self.times[-1] - self.times[0]) if len(self.times) else 0.0

    def frame(self, k: int) -> Frame:
        """Return frame k; -1 is the last one.

        Raises:
            BadQuery: there is no such frame.

        """
        k = self._checked(k)
        first, last = self.offsets[k : k + 2].tolist()
        return Frame(float(self.times[k]), *self.source.read(first, last))

    def obstacles_at(self, k: int) -> Floats:
        """Return x, y, radius (m, 3) in m of the dynamic obstacles in frame k.

        Raises:
            BadQuery: there is no such frame.

        """
        time, ways = float(self.times[self._checked(k)]), self.obstacles
        ways = ways[(ways[:, FIRST] <= time + _SAME) & (time <= ways[:, LAST] + _SAME)]
        since = time - ways[:, FIRST]
        x, y = ways[:, _X] + since * ways[:, _VX], ways[:, _Y] + since * ways[:, _VY]
        return np.column_stack([x, y, ways[:, _RADIUS]])

    def _checked(self, k: int) -> int:
        """Return the number of a frame, from 0 on."""
        is_whole = isinstance(k, (int, np.integer)) and not isinstance(k, bool)
        if not is_whole or not -self.n_frames <= k < self.n_frames:
            raise BadQuery(
                f"frame {shown(k)} is not in the recording; it has {self.n_frames} frames"
            )
        return k % self.n_frames

    def trajectory(self, character: int) -> tuple[Floats, Floats]:
        """Return times (k,) s and positions (k, 2) m of one character.

        Raises:
            BadQuery: nobody has this id.

        """
        is_whole = isinstance(character, (int, np.integer)) and not isinstance(character, bool)
        if not is_whole or character not in self.characters.ids:
            raise BadQuery(f"id {shown(character)} is not in the recording; see `characters.ids`")
        rows = np.flatnonzero(self.ids == character)
        frames = np.searchsorted(self.offsets, rows, side="right") - 1
        return self.times[frames], self.positions[rows]

    @property
    def ids(self) -> Ids:
        """(rows,) who is in each row."""
        return self._rows.ids

    @property
    def positions(self) -> Floats:
        """(rows, 2) m."""
        return self._rows.positions

    @property
    def velocities(self) -> Singles:
        """(rows, 2) m/s, in 32 bits."""
        return self._rows.velocities

    @cached_property
    def _rows(self) -> Rows:
        return self.source.read(0, int(self.offsets[-1]))

    def __repr__(self) -> str:
        """Give what is in it, on one line."""
        cut = "" if self.complete else ", cut short"
        return (
            f"<Recording on {self.map_name!r}: {len(self.characters.ids):,} characters, "
            f"{self.n_frames:,} frames, {self.duration:g} s{cut}>"
        )


class Recorder:
    """Collects the frames of a run in memory.

    The engine tells it who there is (`add_characters`), then where everybody is (`add_frame`), and
    takes the recording (`close`). Ids are small integers: arrays are as long as the largest.
    """

    def __init__(self, *, step: float, seed: int, map_name: str, names: Sequence[str]) -> None:
        self.step, self.seed, self.map_name = float(step), int(seed), str(map_name)
        self.names = tuple(str(name) for name in names)
        self._steps: list[int] = []
        self._times: list[float] = []
        self._counts: list[int] = []
        self._radius: Floats = np.empty(0)
        self._population: NDArray[np.int32] = np.empty(0, np.int32)
        self._seen = np.empty(0, bool)
        self._kept: list[Rows] = []
        self.size = 0  # bytes that are written so far
        self.obstacles: list[list[float]] = []  # ways, as `Recording.obstacles` has them
        self._ways: dict[int, int] = {}  # the last way of each obstacle, by its number
        self._open: list[int] = []  # ways of a recording that is continued, of unknown number

    def add_characters(self, ids: ArrayLike, radius: ArrayLike, population: ArrayLike) -> None:
        """Remember radius (m) and population of characters, before their first frame."""
        who = np.asarray(ids, np.int64)
        if not len(who):
            return
        assert who.min() >= 0, "ids are not negative"
        size = int(who.max()) + 1
        if size > len(self._seen):
            size = max(size, 2 * len(self._seen))
            self._radius = _longer(self._radius, size, np.nan)
            self._population = _longer(self._population, size, 0)
            self._seen = _longer(self._seen, size, 0)
        self._radius[who] = radius
        self._population[who] = population

    def add_frame(
        self,
        step_number: int,
        time: float,
        ids: ArrayLike,
        positions: ArrayLike,
        velocities: ArrayLike,
    ) -> None:
        """Copy where everybody is: ids (n,), positions (n, 2) m, velocities (n, 2) m/s."""
        rows = Rows(
            np.array(ids, np.int64), np.array(positions, float), np.array(velocities, np.float32)
        )
        assert not self._steps or step_number > self._steps[-1], "frames come in order"
        assert rows.positions.shape == rows.velocities.shape == (len(rows.ids), 2)
        assert not np.isnan(self._radius[rows.ids]).any(), "add_characters comes first"
        self._seen[rows.ids] = True
        self._steps.append(int(step_number))
        self._times.append(float(time))
        self._counts.append(len(rows.ids))
        self._keep(rows)

    def add_obstacles(self, time: float, numbers: Sequence[int], discs: Floats) -> None:
        """Remember the dynamic obstacles of the next frame: x, y, velocity, radius (m, 5)."""
        here = {}
        for number, disc in zip(numbers, discs.tolist(), strict=True):
            ways = [self._ways[number]] if number in self._ways else self._open
            way = next((k for k in ways if _goes_on(self.obstacles[k], disc, time)), -1)
            if way < 0:
                way = len(self.obstacles)
                self.obstacles.append([*disc, time, time])
            self.obstacles[way][LAST] = time
            here[number] = way
        self._ways, self._open = here, []

    def continue_from(self, recording: Recording) -> None:
        """Take over the frames of a recording, but for their rows; they are before all others."""
        assert not self._steps, "a recording is continued once, at the beginning"
        self._steps, self._times = recording.steps.tolist(), recording.times.tolist()
        self._counts = np.diff(recording.offsets).tolist()
        self.add_characters(*recording.characters)
        self._seen[recording.characters.ids] = True
        self.obstacles = recording.obstacles.tolist()
        last = self._times[-1] if self._times else -np.inf
        self._open = [k for k, way in enumerate(self.obstacles) if way[LAST] >= last]

    @property
    def steps(self) -> list[int]:
        """Simulation steps done at each frame so far."""
        return self._steps

    def flush(self) -> None:
        """Write the frames so far; a recorder with a file does, this one has none."""

    def close(self) -> Recording:
        """Return the recording."""
        rows = self._kept_rows()
        self._kept.clear()
        return self._recording(InMemory(rows))

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave what is in memory to its owner; a recorder with a file saves it here."""

    def _keep(self, rows: Rows) -> None:
        """Keep the rows of the newest frame."""
        self._kept.append(rows)

    def _kept_rows(self) -> Rows:
        return concatenated(self._kept)

    def _recording(self, source: RowSource, *, complete: bool = True) -> Recording:
        ids = np.flatnonzero(self._seen)
        return Recording(
            step=self.step,
            times=np.array(self._times, float),
            steps=np.array(self._steps, np.int64),
            offsets=np.concatenate([[0], np.cumsum(self._counts, dtype=np.int64)]),
            characters=Characters(ids, self._radius[ids], self._population[ids]),
            names=self.names,
            map_name=self.map_name,
            seed=self.seed,
            complete=complete,
            obstacles=np.array(self.obstacles, float).reshape(-1, OBSTACLE_COLUMNS),
            source=source,
        )


class InMemory:
    """Rows that are all there."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def read(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""
        ids, positions, velocities = self._rows
        return Rows(ids[first:last], positions[first:last], velocities[first:last])


def concatenated(parts: Iterable[Rows]) -> Rows:
    """Return rows one after the other."""
    none = Rows(np.empty(0, np.int64), np.empty((0, 2)), np.empty((0, 2), np.float32))
    ids, positions, velocities = zip(none, *parts, strict=True)
    return Rows(np.concatenate(ids), np.concatenate(positions), np.concatenate(velocities))


def _goes_on(way: list[float], disc: list[float], time: float) -> bool:
    """Whether a disc is where its way so far leads, and has the same velocity and size."""
    since = time - way[FIRST]
    expected = [way[_X] + since * way[_VX], way[_Y] + since * way[_VY], *way[_VX : _RADIUS + 1]]
    return all(abs(a - b) < _SAME for a, b in zip(expected, disc, strict=True))


def _longer(array: NDArray[Any], size: int, fill: float) -> NDArray[Any]:
    """Return a copy with more room at the end."""
    longer = np.full(size, fill, array.dtype)
    longer[: len(array)] = array
    return longer
